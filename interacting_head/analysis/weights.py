"""Weights that are a scheme's own, and what they have become: shared queries, mixing matrices, sources.

Letters for shapes: `D` model size, `H` heads, `K` key size, `V` value size, `T` query length, `n` sources.
"""

import abc
import functools

import numpy as np

from data.errors import InputError
from interacting_head.analysis.rank import SITES, described
from interacting_head.analysis.verb import Findings, Verb


def query_shares(kernels):
    """Return the share `(H,)` of each query kernel in their sum; shares sum to 1.

        share_i = ⟨W_i, W̄⟩ / ⟨W̄, W̄⟩,    W̄ = Σ_i W_i    (Li & Luo 2022, Algorithm 1: only the sum counts)

    Args:
        kernels: W_i, `(D, H, K)`.
    """
    total = kernels.sum(axis=1, keepdims=True)
    return (kernels * total).sum(axis=(0, 2)) / (total**2).sum()


def query_agreement(kernels):
    """Return ‖Σ_i W_i‖² / (H · Σ_i ‖W_i‖²) of kernels `(D, H, K)`.

    It is the part of the kernels' squares that is left when each is replaced by their mean: 1 for equal kernels, 1 / H
    for orthogonal ones, such as random ones nearly are, 0 where they cancel.
    """
    return float((kernels.sum(axis=1) ** 2).sum() / (kernels.shape[1] * (kernels**2).sum()))


def kernel_cosines(kernels):
    """Return the cosine `(H, H)` of the angle between any two of the kernels `(D, H, K)`."""
    rows = np.swapaxes(kernels, 0, 1).reshape(kernels.shape[1], -1)
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return rows @ rows.T


def distance_from_identity(matrix):
    """Return ‖M − I‖ / ‖I‖ in Frobenius norms of a matrix `(H, H)`: 0 where each head stays as it is."""
    H = len(matrix)
    return float(np.linalg.norm(matrix - np.eye(H)) / np.sqrt(H))


def part_of_other_heads(matrix):
    """Return Σ_{i≠j} M_ij² / Σ_ij M_ij² of a matrix `(H, H)`: 0 for a diagonal one, 1 − 1/H for a constant one."""
    squares = matrix**2
    return float(1 - np.trace(squares) / squares.sum())


def source_shares(heads, kernel):
    """Return the share `(T, n)` of each source in the output, by the norms of the parts that are added to it.

        part_s = Σ_h O^(s, h) W_o^(s, h),    share_s = ‖part_s‖ / Σ_k ‖part_k‖    at each position

    Args:
        heads: contexts O `(n, H, T, V)` of the sources (Ampomah et al. 2020, equations 10 to 12).
        kernel: output kernel W_o, `(n, H, V, D)`, or `(H, V, D)` where contexts are summed.
    """
    kernel = np.broadcast_to(kernel, (len(heads), *kernel.shape[-3:]))
    norms = np.linalg.norm(np.einsum("nhtv,nhvd->tnd", heads, kernel, optimize=True), axis=-1)  # (T, n)
    return norms / norms.sum(axis=-1, keepdims=True)


class LearntWeights(abc.ABC):
    """Numbers of one attention layer.

    Args:
        parameters: `{name: array}`, what the layer's `own_parameters` gives for the kind.

    Attributes:
        figure: name of the figure of all layers of a kind.
        reads_heads: whether `add` wants the outputs of the heads.
    """

    figure: str
    reads_heads = False

    def __init__(self, parameters):
        self.parameters = parameters

    def add(self, heads):  # noqa: B027 (most read weights alone)
        """Add the outputs of the heads for a sentence."""

    @abc.abstractmethod
    def arrays(self):
        """Return `{name: array}`."""

    @abc.abstractmethod
    def quantities(self):
        """Return `{quantity: number}`."""

    @staticmethod
    @abc.abstractmethod
    def draw(found, figure):
        """Draw the arrays of `{(run, site, layer): arrays}`."""


class SharedQueries(LearntWeights):
    """Shares of the H query kernels in the one query of interacting heads, and how far the kernels differ."""

    figure = "weights-queries"

    def arrays(self):
        [kernels] = self.parameters.values()
        return {"shares": query_shares(kernels), "cosines": kernel_cosines(kernels)}

    def quantities(self):
        [kernels] = self.parameters.values()
        cosines = kernel_cosines(kernels)[np.triu_indices(kernels.shape[1], 1)]
        return {
            "variance of shares": float(query_shares(kernels).var()),
            "largest share": float(query_shares(kernels).max()),
            "agreement of kernels": query_agreement(kernels),
            "mean cosine of kernels": float(cosines.mean()) if len(cosines) else None,
        }

    @staticmethod
    def draw(found, figure):
        runs = list(dict.fromkeys(run for run, *_ in found))
        figure.set_size_inches(1 + 3.2 * len(runs), 1 + 0.28 * max(sum(key[0] == run for key in found) for run in runs))
        for axis, run in zip(figure.subplots(1, len(runs), squeeze=False)[0], runs, strict=True):
            own = {key: arrays["shares"] for key, arrays in found.items() if key[0] == run}
            widest = max(map(len, own.values()))
            shares = np.full((len(own), widest), np.nan)
            for line, one in zip(shares, own.values(), strict=True):
                line[: len(one)] = one * len(one)
            image = axis.imshow(
                shares, vmin=0, vmax=2, cmap="PuOr_r", aspect="auto", extent=(0.5, widest + 0.5, len(own), 0)
            )
            axis.set_yticks(np.arange(len(own)) + 0.5, [f"{SITES[site]} {number}" for _, site, number in own])
            axis.set_title(run, fontsize=8)
            axis.set_xlabel("query head")
            figure.colorbar(image, ax=axis, label="share · H")


class MixingMatrices(LearntWeights):
    """The matrices by which talking heads are mixed, before and after the softmax."""

    figure = "weights-mixing"

    def arrays(self):
        return self.parameters

    def quantities(self):
        return {
            f"{quantity} {title}": measure(matrix)
            for title, matrix in self.arrays().items()
            for quantity, measure in (
                ("distance from identity", distance_from_identity),
                ("part of other heads", part_of_other_heads),
            )
        }

    @staticmethod
    def draw(found, figure):
        lines = list(dict.fromkeys((site, title) for (_, site, _), arrays in found.items() for title in arrays))
        columns = sorted({(run, number) for run, _, number in found})
        figure.set_size_inches(1.5 + 1.6 * len(columns), 0.3 + 1.8 * len(lines))
        grid = figure.subplots(len(lines), len(columns), squeeze=False)
        largest = max(np.abs(matrix).max() for arrays in found.values() for matrix in arrays.values())
        for line, (site, title) in zip(grid, lines, strict=True):
            for axis, (run, number) in zip(line, columns, strict=True):
                axis.set_xticks([])
                axis.set_yticks([])
                axis.spines[:].set_visible(False)
                if (matrix := found.get((run, site, number), {}).get(title)) is not None:
                    image = axis.imshow(matrix, vmin=-largest, vmax=largest, cmap="RdBu_r")
            line[0].set_ylabel(f"{SITES[site]},\n{title}", fontsize=7)
        for axis, (run, number) in zip(grid[0], columns, strict=True):
            axis.set_title(f"{run}\nlayer {number}", fontsize=7)
        figure.colorbar(image, ax=grid, shrink=0.5, label="new head (row) from old head (column)")


class SourceMass(LearntWeights):
    """The share of each encoder layer in the output of multi-layer attention, over sentences."""

    figure = "weights-sources"
    reads_heads = True

    def __init__(self, parameters):
        super().__init__(parameters)
        [self._kernel] = parameters.values()
        self._sum, self._squares, self._positions = 0.0, 0.0, 0

    def add(self, heads):
        shares = source_shares(np.asarray(heads, "float64"), self._kernel)
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
        runs = list(dict.fromkeys(run for run, *_ in found))
        figure.set_size_inches(1.5 + 3 * len(runs), 2.8)
        grid = figure.subplots(1, len(runs), sharey=True, squeeze=False)[0]
        for axis, run in zip(grid, runs, strict=True):
            own = {f"{number}": arrays for (name, _, number), arrays in found.items() if name == run}
            bottom = np.zeros(len(own))
            for source in range(max(len(arrays["mass"]) for arrays in own.values())):
                mass = np.array([np.append(arrays["mass"], 0)[source] for arrays in own.values()])
                axis.bar(list(own), mass, bottom=bottom, label=f"source {source + 1}")
                bottom += mass
            axis.set_title(run, fontsize=8)
            axis.set_xlabel("decoder layer")
        grid[0].set_ylabel("share in the output")
        figure.legend(*grid[-1].get_legend_handles_labels(), loc="outside right upper", fontsize=8)


LEARNT = {"shared query": SharedQueries, "head mixing": MixingMatrices, "sources": SourceMass}
"""Kind of a layer's `own_parameters` → class that reads them."""


class Weights(Verb):
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
            findings.data["arrays"][run.name] = {"{} {}".format(*place): one.arrays() for place, one in learnt.items()}
            for place, one in learnt.items():
                found.setdefault(type(one), {})[run.name, *place] = one.arrays()
                findings.rows += [
                    {"run": run.name, **described(run, place), "quantity": quantity, "value": value}
                    for quantity, value in one.quantities().items()
                ]
        if not found:
            raise InputError(
                f"{', '.join(str(run.path) for run in runs)}: nothing to show; weights are shown of the schemes "
                f"{', '.join(schemes())}; give a run that has one of them"
            )
        for kind, places in found.items():
            findings.figures[kind.figure] = functools.partial(kind.draw, places)
        return findings


def schemes():
    """Return the names of the schemes whose layers have something to show."""
    from layers import ATTENTION_SCHEMES  # imports Keras

    return [name for name, layer_class in ATTENTION_SCHEMES.items() if layer_class.changes(("own_parameters",))]


def learnt_by(run):
    """Return `{place: LearntWeights}` of the layers of a run whose scheme has weights to show."""
    order = list(SITES)
    layers = sorted(run.model.attention_layers.items(), key=lambda one: (order.index(one[0][0]), one[0][1]))
    return {
        place: LEARNT[kind](parameters)
        for place, layer in layers
        for kind, parameters in layer.own_parameters().items()
    }
