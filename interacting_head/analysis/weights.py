"""Weights that are a scheme's own, and what they have become: shared queries, mixing matrices, sources.

Letters for shapes: `D` model size, `H` heads, `K` key size, `V` value size, `T` query length, `n` sources.
"""

import functools

import numpy as np

from data.errors import InputError
from interacting_head.analysis.base import SITES, Analysis, Findings, in_order
from interacting_head.analysis.figures import HeatMap, add_legend, draw_heat_maps, filled, head_labels, panels
from interacting_head.analysis.rank import described


def query_shares(kernels: np.ndarray) -> np.ndarray:
    """Return the share `(H,)` of each query kernel W_i in their sum, from kernels `(D, H, K)`; shares sum to 1.

    share_i = ⟨W_i, W̄⟩ / ⟨W̄, W̄⟩,    W̄ = Σ_i W_i    (Li & Luo 2022, Algorithm 1: only the sum counts)
    """
    total = kernels.sum(axis=1, keepdims=True)
    return (kernels * total).sum(axis=(0, 2)) / (total**2).sum()


def query_agreement(kernels: np.ndarray) -> float:
    """Return ‖Σ_i W_i‖² / (H · Σ_i ‖W_i‖²) of kernels `(D, H, K)`.

    It is the part of the kernels' squares that is left when each is replaced by their mean: 1 for equal kernels, 1 / H
    for orthogonal ones (random kernels nearly are), 0 where they cancel.
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

    Args:
        heads: contexts O `(n, H, T, V)` of the sources (Ampomah et al. 2020, equations 10 to 12).
        kernel: output kernel W_o, `(n, H, V, D)`, or `(H, V, D)` where contexts are summed.
    """
    kernel = np.broadcast_to(kernel, (len(heads), *kernel.shape[-3:]))
    norms = np.linalg.norm(np.einsum("nhtv,nhvd->tnd", heads, kernel, optimize=True), axis=-1)  # (T, n)
    return norms / norms.sum(axis=-1, keepdims=True)


class LearntWeights:
    """Numbers of one attention layer, from the `{name: array}` that its `own_parameters` gives for the kind.

    A kind has the name of a `figure`, `arrays` to show, `quantities` for the table, and a function to `draw` the arrays
    of `{(run, site, layer): arrays}`. With `reads_heads` it is given the outputs of the heads for each sentence.
    """

    reads_heads = False

    def __init__(self, parameters: dict[str, np.ndarray]):
        self.parameters = parameters


class SharedQueries(LearntWeights):
    """Shares of the H query kernels in the one query of interacting heads, and how far the kernels differ."""

    figure = "weights-queries"

    def arrays(self):
        [kernels] = self.parameters.values()
        return {"shares": query_shares(kernels), "cosines": kernel_cosines(kernels)}

    def quantities(self):
        [kernels] = self.parameters.values()
        cosines = kernel_cosines(kernels)[np.triu_indices(kernels.shape[1], 1)]
        shares = query_shares(kernels)
        return {
            "variance of shares": float(shares.var()),
            "largest share": float(shares.max()),
            "agreement of kernels": query_agreement(kernels),
            "mean cosine of kernels": float(cosines.mean()) if len(cosines) else None,
        }

    @staticmethod
    def draw(found, figure):
        maps = []
        for run, own in _by_run(found).items():
            shares = filled([arrays["shares"] * len(arrays["shares"]) for arrays in own.values()])
            layers = [f"{SITES[site]} {number}" for site, number in own]
            maps.append(HeatMap(run, shares, layers, head_labels(shares.shape[1]), "query head", ""))
        draw_heat_maps(figure, maps, limits=(0, 2), colors="PuOr_r", bar="share · H")


class MixingMatrices(LearntWeights):
    """The matrices by which talking heads are mixed, before and after the softmax."""

    figure = "weights-mixing"

    def arrays(self):
        return self.parameters

    def quantities(self):
        found = {}
        for title, matrix in self.parameters.items():
            found[f"distance from identity {title}"] = distance_from_identity(matrix)
            found[f"part of other heads {title}"] = part_of_other_heads(matrix)
        return found

    @staticmethod
    def draw(found, figure):
        maps = {}
        for (run, site, number), arrays in found.items():
            for title, matrix in arrays.items():
                name = f"{run}: {SITES[site]} {number}, {title}"
                maps[(site, title), (run, number)] = HeatMap(name, matrix, [], [], "", "")
        largest = max(np.abs(one.values).max() for one in maps.values())
        bar = "new head (row) from old head (column)"
        draw_heat_maps(figure, maps, limits=(-largest, largest), colors="RdBu_r", bar=bar)


class SourceMass(LearntWeights):
    """The share of each encoder layer in the output of multi-layer attention, over sentences."""

    figure = "weights-sources"
    reads_heads = True

    def __init__(self, parameters):
        super().__init__(parameters)
        self._sum, self._squares, self._positions = 0.0, 0.0, 0

    def add(self, heads: np.ndarray):
        """Add the outputs of the heads for a sentence."""
        [kernel] = self.parameters.values()
        shares = source_shares(np.asarray(heads, "float64"), kernel)
        self._sum += shares.sum(axis=0)
        self._squares += (shares**2).sum(axis=0)
        self._positions += len(shares)

    def arrays(self):
        mean = self._sum / self._positions
        return {"mass": mean, "deviation": np.sqrt(np.maximum(0, self._squares / self._positions - mean**2))}

    def quantities(self):
        return {f"mass of source {number}": float(mass) for number, mass in enumerate(self.arrays()["mass"], start=1)}

    @staticmethod
    def draw(found, figure):
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


LEARNT = {"shared query": SharedQueries, "head mixing": MixingMatrices, "sources": SourceMass}
"""Kind of a layer's `own_parameters` → class that reads them."""


class Weights(Analysis):
    """Weights that are a scheme's own, at every place where a run has it."""

    name = "weights"
    summary = "what the scheme learnt: shares of query kernels, mixing matrices, mass on each source"

    def analyze(self, runs, arguments):
        findings, found = Findings(data={"arrays": {}}), {}
        for run in runs:
            learnt = learnt_by(run)
            if not learnt:
                findings.notes.append(f"{run.name}: nothing to show, none of its layers is {' or '.join(schemes())}")
                continue
            read = {place: one for place, one in learnt.items() if one.reads_heads}
            if read:
                sample = run.sample(arguments)
                findings.notes += sample.notes
                for _, seen in run.inspections(sample, heads={site for site, _ in read}):
                    for place, one in read.items():
                        one.add(seen.heads[place])
            findings.data["arrays"][run.name] = {}
            for place, one in learnt.items():
                arrays = findings.data["arrays"][run.name]["{} {}".format(*place)] = one.arrays()
                found.setdefault(type(one), {})[run.name, *place] = arrays
                columns = {"run": run.name, **described(run, place)}
                for quantity, value in one.quantities().items():
                    findings.rows.append({**columns, "quantity": quantity, "value": value})
        if not found:
            raise InputError(
                f"{', '.join(str(run.path) for run in runs)}: nothing to show; weights are shown of the schemes "
                f"{', '.join(schemes())}; give a run that has one of them"
            )
        for kind, places in found.items():
            findings.figures[kind.figure] = functools.partial(kind.draw, places)
        return findings


def schemes() -> list[str]:
    """Return the names of the schemes whose layers have something to show."""
    from layers import ATTENTION_SCHEMES  # imports Keras

    return [name for name, layer_class in ATTENTION_SCHEMES.items() if layer_class.changes(("own_parameters",))]


def learnt_by(run) -> dict[tuple[str, int], LearntWeights]:
    """Return the weights to show of each layer of a run whose scheme has some, by its place."""
    layers = run.model.attention_layers
    return {
        place: LEARNT[kind](parameters)
        for place in in_order(layers)
        for kind, parameters in layers[place].own_parameters().items()
    }


def _by_run(found):
    """Return `{run: {(site, layer): arrays}}`."""
    by_run = {}
    for (run, *place), arrays in found.items():
        by_run.setdefault(run, {})[tuple(place)] = arrays
    return by_run
