"""Trained weights that are specific to a scheme: shared queries, mixing matrices, sources.

Letters for shapes: `D` model size, `H` heads, `K` key size, `V` value size, `T` query length, `n` sources.
"""

from argparse import Namespace
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from data.errors import InputError
from interacting_head.analysis.base import SITE_TITLES, AnalysedRun, Analysis, Findings, add_up, in_order, with_samples
from interacting_head.analysis.figures import SIGNED, Figure, HeatMap, add_legend, draw_heat_maps, filled, panels
from interacting_head.analysis.rank import described


def query_shares(kernels: np.ndarray) -> np.ndarray:
    """Return the share `(H,)` of each query kernel W_i in their sum, from kernels `(D, H, K)`; shares sum to 1.

    share_i = ⟨W_i, W̄⟩ / ⟨W̄, W̄⟩,    W̄ = Σ_i W_i    (Li & Luo 2022, Algorithm 1: only the sum counts)
    """
    total = kernels.sum(axis=1, keepdims=True)
    return (kernels * total).sum(axis=(0, 2)) / (total**2).sum()


def query_agreement(kernels: np.ndarray) -> float:
    """Return ‖Σ_i W_i‖² / (H · Σ_i ‖W_i‖²) of kernels `(D, H, K)`: 1 if equal, 1 / H if orthogonal or random.

    It is the share of the squared norm that remains if each kernel is replaced by their mean.
    """
    return float((kernels.sum(axis=1) ** 2).sum() / (kernels.shape[1] * (kernels**2).sum()))


def kernel_cosines(kernels: np.ndarray) -> np.ndarray:
    """Return the cosine similarity `(H, H)` of all pairs of kernels `(D, H, K)`."""
    rows = np.swapaxes(kernels, 0, 1).reshape(kernels.shape[1], -1)
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return rows @ rows.T


def distance_from_identity(matrix: np.ndarray) -> float:
    """Return ‖M − I‖ / ‖I‖ in Frobenius norms for a matrix `(N, N)`: 0 if nothing is mixed."""
    N = len(matrix)
    return float(np.linalg.norm(matrix - np.eye(N)) / np.sqrt(N))


def part_of_others(matrix: np.ndarray) -> float:
    """Return Σ_{i≠j} M_ij² / Σ_ij M_ij² of a matrix `(N, N)`: 0 if diagonal, 1 − 1/N if constant."""
    squares = matrix**2
    return float(1 - np.trace(squares) / squares.sum())


def source_shares(heads: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """Return the share `(T, n)` of each source in the output, by the norm of its summand.

        part_s = Σ_h O^(s, h) W_o^(s, h),    share_s = ‖part_s‖ / Σ_k ‖part_k‖    at each position

    Contexts O are `(n, H, T, V)` (Ampomah et al. 2020, equations 10 to 12), and the output kernel W_o is
    `(n, H, V, D)`, or `(H, V, D)` if contexts are summed.
    """
    kernel = np.broadcast_to(kernel, (len(heads), *kernel.shape[-3:]))
    norms = np.linalg.norm(np.einsum("nhtv,nhvd->tnd", heads, kernel, optimize=True), axis=-1)  # (T, n)
    return norms / norms.sum(axis=-1, keepdims=True)


def shared_queries(parameters: dict[str, np.ndarray]) -> tuple[dict, dict]:
    """Return the shares of the H query kernels in the shared query of interacting heads, and how much they differ."""
    [kernels] = parameters.values()
    arrays = {"shares": query_shares(kernels), "cosines": kernel_cosines(kernels)}
    pairs = arrays["cosines"][np.triu_indices(kernels.shape[1], 1)]
    return arrays, {
        "variance of shares": float(arrays["shares"].var()),
        "largest share": float(arrays["shares"].max()),
        "agreement of kernels": query_agreement(kernels),
        "mean cosine of kernels": float(pairs.mean()) if len(pairs) else None,
    }


def draw_queries(found: dict[tuple, dict], figure: Figure) -> None:
    """Draw the shares of query kernels, one heat map for each run."""
    maps = []
    for run, own in _by_run(found).items():
        shares = {f"{SITE_TITLES[site]} {n}": one["shares"] * len(one["shares"]) for (site, n), one in own.items()}
        maps.append(HeatMap.of_heads(run, shares, xlabel="query head", ylabel=""))
    draw_heat_maps(figure, maps, limits=(0, 2), colors="PuOr_r", bar="share · H")


def mixing_matrices(parameters: dict[str, np.ndarray], unit: str = "head") -> tuple[dict, dict]:
    """Return the matrices that mix heads, or the dimensions of each head (`unit`), and their statistics."""
    quantities = {}
    for title, matrix in parameters.items():
        quantities[f"distance from identity {title}"] = distance_from_identity(matrix)
        quantities[f"part of other {unit}s {title}"] = part_of_others(matrix)
    return parameters, quantities


def draw_mixing(found: dict[tuple, dict], figure: Figure, unit: str = "head") -> None:
    """Draw the mixing matrices, a row of heat maps for each site and matrix."""
    maps = {}
    for (run, site, number), arrays in found.items():
        for title, matrix in arrays.items():
            name = f"{run}: {SITE_TITLES[site]} {number}, {title}"
            maps[(site, title), (run, number)] = HeatMap(name, matrix, [], [], "", "")
    largest = max(np.abs(one.values).max() for one in maps.values())
    bar = f"new {unit} (row) from old {unit} (column)"
    draw_heat_maps(figure, maps, limits=(-largest, largest), colors=SIGNED, bar=bar)


def share_sums(parameters: dict[str, np.ndarray], heads: np.ndarray) -> dict[str, np.ndarray | int]:
    """Return the terms of one sentence, to be summed over sentences and given to `source_mass`."""
    [kernel] = parameters.values()
    shares = source_shares(np.asarray(heads, "float64"), kernel)
    return {"shares": shares.sum(axis=0), "squares": (shares**2).sum(axis=0), "positions": len(shares)}


def source_mass(shares: np.ndarray, squares: np.ndarray, positions: int) -> tuple[dict, dict]:
    """Return the mean share of each encoder layer in the output of multi-layer attention."""
    mass = shares / positions
    arrays = {"mass": mass, "deviation": np.sqrt(np.maximum(0, squares / positions - mass**2))}
    return arrays, {f"mass of source {number}": float(one) for number, one in enumerate(mass, start=1)}


def draw_sources(found: dict[tuple, dict], figure: Figure) -> None:
    """Draw the mass on each source by decoder layer, one panel for each run."""
    by_run = _by_run(found)
    axes = panels(figure, list(by_run), len(by_run), 3.2, 2.8)
    for each, own in zip(axes, by_run.values(), strict=True):
        layers = [str(number) for _, number in own]
        masses = np.nan_to_num(filled([arrays["mass"] for arrays in own.values()])).T
        bottoms = np.cumsum(masses, axis=0) - masses
        for source, (mass, bottom) in enumerate(zip(masses, bottoms, strict=True), start=1):
            each.bar(layers, mass, bottom=bottom, label=f"source {source}")
        each.set(xlabel="decoder layer", ylabel="share in the output")
    add_legend(figure, 3)


def any_weights(parameters: dict[str, np.ndarray]) -> tuple[dict, dict]:
    """Return weights of a kind that is not in `LEARNT`, and the mean, least and largest value of each array."""
    quantities = {}
    for title, weights in parameters.items():
        if weights.size == 1:
            quantities[title] = weights.item()
            continue
        values = {"mean": weights.mean(), "smallest": weights.min(), "largest": weights.max()}
        quantities |= {f"{quantity} {title}": float(value) for quantity, value in values.items()}
    return parameters, quantities


def draw_values(found: dict[tuple, dict], figure: Figure) -> None:
    """Draw the values of weights in ascending order, a panel for each weight, a line for each run and layer."""
    titles = list(dict.fromkeys(title for arrays in found.values() for title in arrays))
    for title, axes in zip(titles, panels(figure, titles, 3, 3.2, 2.4), strict=True):
        for (run, site, number), arrays in found.items():
            if title in arrays:
                axes.plot(np.sort(arrays[title], axis=None), marker=".", label=f"{run}: {SITE_TITLES[site]} {number}")
        axes.set(xlabel="rank", ylabel="value")
    add_legend(figure, 2)


def _by_run(found):
    by_run = {}
    for (run, *place), arrays in found.items():
        by_run.setdefault(run, {})[tuple(place)] = arrays
    return by_run


class Kind(NamedTuple):
    """A kind of weights, and how to analyse what a layer's `own_parameters` returns for it."""

    figure: str  # its name
    draw: Callable  # function of `{(run, site, layer): arrays}`
    numbers: Callable  # function of the parameters, or of the sums: arrays, and quantities for the table
    sums: Callable | None = None  # function of the parameters and a sentence's head outputs: terms of the sums


LEARNT = {
    "shared query": Kind("weights-queries", draw_queries, shared_queries),
    "head mixing": Kind("weights-mixing", draw_mixing, mixing_matrices),
    "dimension mixing": Kind(
        "weights-dimensions", partial(draw_mixing, unit="dimension"), partial(mixing_matrices, unit="dimension")
    ),
    "sources": Kind("weights-sources", draw_sources, source_mass, share_sums),
}
"""Key of a layer's `own_parameters` → kind."""
OTHER = Kind("weights-values", draw_values, any_weights)
"""The kind of all other keys."""


class Weights(Analysis):
    """The verb `weights`."""

    name = "weights"
    summary = "trained weights specific to a scheme: query kernels, mixing matrices, mass on each source"

    def analyze(self, runs: list, arguments: Namespace) -> Findings:
        findings, found = Findings(data={"arrays": {}}), {}
        learnt_of = {run.name: learnt_by(run) for run in runs}
        with_sums = [run for run in runs if any(kind.sums for kind, _ in learnt_of[run.name].values())]
        samples = {run.name: sample for run, sample in with_samples(with_sums, arguments)}
        for run in runs:
            learnt = learnt_of[run.name]
            if not learnt:
                findings.notes.append(f"{run.name}: nothing to show, no layer has the scheme {' or '.join(schemes())}")
                continue
            sums = {place: {} for place, (kind, _) in learnt.items() if kind.sums}
            if sums:
                sample = samples[run.name]
                findings.notes += sample.notes
                for _, seen in run.inspections(sample, heads={site for site, _ in sums}):
                    for place, own in sums.items():
                        kind, parameters = learnt[place]
                        add_up(own, kind.sums(parameters, seen.heads[place]))
            findings.data["arrays"][run.name] = {}
            for place, (kind, parameters) in learnt.items():
                arrays, quantities = kind.numbers(**sums[place]) if kind.sums else kind.numbers(parameters)
                findings.data["arrays"][run.name]["{} {}".format(*place)] = arrays
                found.setdefault(kind, {})[run.name, *place] = arrays
                columns = {"run": run.name, **described(run, place)}
                for quantity, value in quantities.items():
                    findings.rows.append({**columns, "quantity": quantity, "value": value})
        if not found:
            raise InputError(
                f"{', '.join(str(run.path) for run in runs)}: nothing to show; choose a run with one of the schemes "
                f"{', '.join(schemes())}"
            )
        for kind, places in found.items():
            findings.add_figure(kind.figure, kind.draw, places)
        return findings


def schemes() -> list[str]:
    """Return the names of the schemes with weights to show."""
    from layers import ATTENTION_SCHEMES  # imports Keras

    return [name for name, layer_class in ATTENTION_SCHEMES.items() if layer_class.changes(("own_parameters",))]


def learnt_by(run: AnalysedRun) -> dict[tuple[str, int], tuple[Kind, dict[str, np.ndarray]]]:
    """Return kind and parameters of each layer, `(site, layer)`, whose scheme has weights to show."""
    layers = run.model.attention_layers
    return {
        place: (LEARNT.get(kind, OTHER), parameters)
        for place in in_order(layers)
        for kind, parameters in layers[place].own_parameters().items()
    }
