"""Weights that are a scheme's own, and what they have become: shared queries, mixing matrices, sources.

Letters for shapes: `D` model size, `H` heads, `K` key size, `V` value size, `T` query length, `n` sources.
"""

from argparse import Namespace
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from data.errors import InputError
from interacting_head.analysis.base import SITE_TITLES, AnalysedRun, Analysis, Findings, add_up, in_order
from interacting_head.analysis.figures import Figure, HeatMap, add_legend, draw_heat_maps, filled, panels
from interacting_head.analysis.rank import described


def query_shares(kernels: np.ndarray) -> np.ndarray:
    """Return the share `(H,)` of each query kernel W_i in their sum, from kernels `(D, H, K)`; shares sum to 1.

    share_i = ⟨W_i, W̄⟩ / ⟨W̄, W̄⟩,    W̄ = Σ_i W_i    (Li & Luo 2022, Algorithm 1: only the sum counts)
    """
    total = kernels.sum(axis=1, keepdims=True)
    return (kernels * total).sum(axis=(0, 2)) / (total**2).sum()


def query_agreement(kernels: np.ndarray) -> float:
    """Return ‖Σ_i W_i‖² / (H · Σ_i ‖W_i‖²) of kernels `(D, H, K)`: 1 for equal, 1 / H for orthogonal or random ones.

    It is the part of the kernels' squares that is left when each is replaced by their mean.
    """
    return float((kernels.sum(axis=1) ** 2).sum() / (kernels.shape[1] * (kernels**2).sum()))


def kernel_cosines(kernels: np.ndarray) -> np.ndarray:
    """Return the cosine `(H, H)` of the angle between any two of the kernels `(D, H, K)`."""
    rows = np.swapaxes(kernels, 0, 1).reshape(kernels.shape[1], -1)
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return rows @ rows.T


def distance_from_identity(matrix: np.ndarray) -> float:
    """Return ‖M − I‖ / ‖I‖ in Frobenius norms of a matrix `(H, H)`: 0 where each head stays as it is."""
    H = len(matrix)
    return float(np.linalg.norm(matrix - np.eye(H)) / np.sqrt(H))


def part_of_other_heads(matrix: np.ndarray) -> float:
    """Return Σ_{i≠j} M_ij² / Σ_ij M_ij² of a matrix `(H, H)`: 0 for a diagonal one, 1 − 1/H for a constant one."""
    squares = matrix**2
    return float(1 - np.trace(squares) / squares.sum())


def source_shares(heads: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    """Return the share `(T, n)` of each source in the output, by the norms of the parts that are added to it.

        part_s = Σ_h O^(s, h) W_o^(s, h),    share_s = ‖part_s‖ / Σ_k ‖part_k‖    at each position

    Contexts O are `(n, H, T, V)` (Ampomah et al. 2020, equations 10 to 12), and the output kernel W_o is
    `(n, H, V, D)`, or `(H, V, D)` where contexts are summed.
    """
    kernel = np.broadcast_to(kernel, (len(heads), *kernel.shape[-3:]))
    norms = np.linalg.norm(np.einsum("nhtv,nhvd->tnd", heads, kernel, optimize=True), axis=-1)  # (T, n)
    return norms / norms.sum(axis=-1, keepdims=True)


def shared_queries(parameters: dict[str, np.ndarray]) -> tuple[dict, dict]:
    """Return shares of the H query kernels in the one query of interacting heads, and how far the kernels differ."""
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
    """Draw the shares of query kernels, a heat map a run."""
    maps = []
    for run, own in _by_run(found).items():
        shares = {f"{SITE_TITLES[site]} {n}": one["shares"] * len(one["shares"]) for (site, n), one in own.items()}
        maps.append(HeatMap.of_heads(run, shares, xlabel="query head", ylabel=""))
    draw_heat_maps(figure, maps, limits=(0, 2), colors="PuOr_r", bar="share · H")


def mixing_matrices(parameters: dict[str, np.ndarray]) -> tuple[dict, dict]:
    """Return the matrices by which talking heads are mixed, before and after the softmax."""
    quantities = {}
    for title, matrix in parameters.items():
        quantities[f"distance from identity {title}"] = distance_from_identity(matrix)
        quantities[f"part of other heads {title}"] = part_of_other_heads(matrix)
    return parameters, quantities


def draw_mixing(found: dict[tuple, dict], figure: Figure) -> None:
    """Draw the mixing matrices, a row of heat maps for each site and matrix."""
    maps = {}
    for (run, site, number), arrays in found.items():
        for title, matrix in arrays.items():
            name = f"{run}: {SITE_TITLES[site]} {number}, {title}"
            maps[(site, title), (run, number)] = HeatMap(name, matrix, [], [], "", "")
    largest = max(np.abs(one.values).max() for one in maps.values())
    bar = "new head (row) from old head (column)"
    draw_heat_maps(figure, maps, limits=(-largest, largest), colors="RdBu_r", bar=bar)


def share_sums(parameters: dict[str, np.ndarray], heads: np.ndarray) -> dict[str, np.ndarray | int]:
    """Return what is added up over sentences, from the outputs of the heads for one; `source_mass` divides the sums."""
    [kernel] = parameters.values()
    shares = source_shares(np.asarray(heads, "float64"), kernel)
    return {"shares": shares.sum(axis=0), "squares": (shares**2).sum(axis=0), "positions": len(shares)}


def source_mass(shares: np.ndarray, squares: np.ndarray, positions: int) -> tuple[dict, dict]:
    """Return the mean share of each encoder layer in the output of multi-layer attention, from sums of `share_sums`."""
    mass = shares / positions
    arrays = {"mass": mass, "deviation": np.sqrt(np.maximum(0, squares / positions - mass**2))}
    return arrays, {f"mass of source {number}": float(one) for number, one in enumerate(mass, start=1)}


def draw_sources(found: dict[tuple, dict], figure: Figure) -> None:
    """Draw the mass on each source by decoder layer, a panel a run."""
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


def _by_run(found):
    """Return `{run: {(site, layer): arrays}}`."""
    by_run = {}
    for (run, *place), arrays in found.items():
        by_run.setdefault(run, {})[tuple(place)] = arrays
    return by_run


class Kind(NamedTuple):
    """A kind of weights. All functions but `draw` are of what `own_parameters` gives for the kind."""

    figure: str  # its name
    draw: Callable  # function of `{(run, site, layer): arrays}`
    numbers: Callable  # gives arrays, and quantities for the table; with `sums`, of the sums over sentences
    sums: Callable | None = None  # what the outputs of the heads for a sentence add to them


LEARNT = {
    "shared query": Kind("weights-queries", draw_queries, shared_queries),
    "head mixing": Kind("weights-mixing", draw_mixing, mixing_matrices),
    "sources": Kind("weights-sources", draw_sources, source_mass, share_sums),
}
"""Name of a kind in a layer's `own_parameters` → how it is read."""


class Weights(Analysis):
    """Weights that are a scheme's own, at every place where a run has it."""

    name = "weights"
    summary = "what the scheme learnt: shares of query kernels, mixing matrices, mass on each source"

    def analyze(self, runs: list, arguments: Namespace) -> Findings:
        findings, found = Findings(data={"arrays": {}}), {}
        for run in runs:
            learnt = learnt_by(run)
            if not learnt:
                findings.notes.append(f"{run.name}: nothing to show, none of its layers is {' or '.join(schemes())}")
                continue
            sums = {place: {} for place, (kind, _) in learnt.items() if kind.sums}
            if sums:
                sample = run.sample(arguments)
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
                f"{', '.join(str(run.path) for run in runs)}: nothing to show; weights are shown of the schemes "
                f"{', '.join(schemes())}; give a run that has one of them"
            )
        for kind, places in found.items():
            findings.add_figure(kind.figure, kind.draw, places)
        return findings


def schemes() -> list[str]:
    """Return the names of the schemes whose layers have something to show."""
    from layers import ATTENTION_SCHEMES  # imports Keras

    return [name for name, layer_class in ATTENTION_SCHEMES.items() if layer_class.changes(("own_parameters",))]


def learnt_by(run: AnalysedRun) -> dict[tuple[str, int], tuple[Kind, dict[str, np.ndarray]]]:
    """Return kind and parameters of each layer of a run whose scheme has weights to show, by its place."""
    layers = run.model.attention_layers
    return {
        place: (LEARNT[kind], parameters)
        for place in in_order(layers)
        for kind, parameters in layers[place].own_parameters().items()
    }
