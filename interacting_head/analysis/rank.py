"""Rank of logits and attention matrices by number of heads, and similarity between heads.

Heads of size K = d / h limit the rank of the logits Q Kᵀ to K, which is less than the mean length n̄ with more than
h_max = d / n̄ heads: the "low-rank bottleneck" of Bhojanapalli et al. 2020, on which Li & Luo 2022 base their argument
(section 2.3, equation 13).

Letters for shapes: `H` heads, `T` query length, `S` memory length, `V` value size.
"""

import collections
from argparse import ArgumentParser, Namespace

import numpy as np

from data.errors import InputError, counted
from data.head_counts import mean_length, most_heads
from interacting_head.analysis.base import (
    SITE_TITLES,
    AnalysedRun,
    Analysis,
    Findings,
    Sample,
    add_up,
    in_order,
    with_samples,
)
from interacting_head.analysis.figures import SIGNED, Figure, HeatMap, add_legend, draw_heat_maps, grid, head_labels
from interacting_head.config import SITES, AttentionConfig

RANKS = {
    "logits_rank": "rank of the logits",
    "logits_stable_rank": "stable rank of the logits",
    "attention_rank": "rank of attention",
    "attention_stable_rank": "stable rank of attention",
}
SIMILARITIES = {
    "map_correlation": "correlation of\nattention maps",
    "output_cka": "CKA of head outputs",
}
"""Column of the table → title in the figure."""

POSITIONS = 1024  # held before their outputs are multiplied: one product for many sentences
SMALLEST = 1e-12
"""A head counts as constant below this variance, relative to the largest of its layer."""


def numerical_rank(singular_values: np.ndarray, size: tuple[int, int], tolerance: float | None = None) -> np.ndarray:
    """Return rank(M) = #{k: σ_k > tolerance · σ_1} of matrices of size (T, S), integers `(…)`.

    Singular values `(…, min(T, S))` are in descending order. The default tolerance is max(T, S) · ε of float32, in
    which attention is computed, as in `numpy.linalg.matrix_rank` and MATLAB.
    """
    if tolerance is None:
        tolerance = max(size) * float(np.finfo("float32").eps)
    return (singular_values > tolerance * singular_values[..., :1]).sum(axis=-1)


def stable_rank(singular_values: np.ndarray) -> np.ndarray:
    """Return ‖M‖_F² / ‖M‖₂² = Σ_k σ_k² / σ_1² of matrices with these singular values `(…, n)`; 0 for a zero matrix.

    It is at most the rank, and robust to small changes of the entries (Rudelson & Vershynin 2007, section 1).
    """
    squares = np.asarray(singular_values, "float64") ** 2
    largest = squares[..., 0]
    return np.where(largest > 0, squares.sum(axis=-1) / np.where(largest > 0, largest, 1.0), 0.0)


class HeadOutputs:
    """Linear centred kernel alignment (CKA) between the outputs of heads; holds (H · V)² numbers.

    With the outputs X_i `(N, V)` of head i at N positions, each column centred:

        CKA(i, j) = ‖X_iᵀ X_j‖² / (‖X_iᵀ X_i‖ ‖X_jᵀ X_j‖)    in Frobenius norms

    It is 1 if X_i and X_j are equal up to rotation and scale, and 0 if their components are uncorrelated
    (Kornblith et al. 2019, equations (3) and (5), section 3).
    """

    def __init__(self):
        self._held, self._positions, self._sum, self._products = [], 0, 0.0, 0.0

    def add(self, heads: np.ndarray) -> None:
        """Add the outputs `(…, H, T, V)` of a sentence; only heads with equal leading indices are compared."""
        outputs = np.swapaxes(np.asarray(heads, "float64"), -3, -2)  # (…, T, H, V)
        self._sizes = outputs.shape[-2:]
        self._held.append(outputs.reshape(*outputs.shape[:-2], -1))  # (…, T, H·V)
        if sum(one.shape[-2] for one in self._held) >= POSITIONS:
            self._multiply()

    def _multiply(self):
        if self._held:
            outputs = np.concatenate(self._held, axis=-2)
            self._held = []
            self._positions += outputs.shape[-2]
            self._sum = self._sum + outputs.sum(axis=-2)
            self._products = self._products + np.swapaxes(outputs, -1, -2) @ outputs

    def cka(self) -> np.ndarray:
        """Return CKA `(…, H, H)` of all pairs of heads; NaN for heads whose outputs do not vary."""
        self._multiply()
        H, V = self._sizes
        mean = self._sum / self._positions
        covariance = self._products / self._positions - mean[..., :, None] * mean[..., None, :]
        blocks = covariance.reshape(*covariance.shape[:-2], H, V, H, V)
        return normalised((blocks**2).sum(axis=(-3, -1)), SMALLEST**2)  # ‖X_iᵀ X_j‖²: (…, H, H)


def map_products(weights: np.ndarray, causal: bool = False) -> np.ndarray:
    """Return Σ a_i a_j `(…, H, H)` for all pairs of heads, over the weights `(…, H, T, S)` of a sentence.

    Each row is centred over the positions that it may attend to; with `causal`, those up to its own. The sum over
    sentences, `normalised`, is the Pearson correlation of attention maps:

        r(i, j) = Σ a_i a_j / √(Σ a_i² · Σ a_j²),    a_i[t, s] = A_i[t, s] − mean over s of A_i[t, ·]

    Without centring, any two heads would look alike, because both have small weights in long sentences.
    """
    rows = centred(np.asarray(weights, "float64"), causal)
    rows = rows.reshape(*rows.shape[:-2], -1)  # (…, H, T·S)
    return rows @ np.swapaxes(rows, -1, -2)


def centred(weights: np.ndarray, causal: bool) -> np.ndarray:
    """Return weights `(…, T, S)`, each row centred over the positions that it may attend to and 0 elsewhere."""
    T, S = weights.shape[-2:]
    allowed = np.tri(T, S) if causal else np.ones((T, S))
    mean = (weights * allowed).sum(axis=-1, keepdims=True) / allowed.sum(axis=-1, keepdims=True)
    return (weights - mean) * allowed


def normalised(products: np.ndarray, smallest: float = SMALLEST) -> np.ndarray:
    """Divide products `(…, H, H)` by the norms of both heads.

    NaN for heads whose product with themselves is at most `smallest`, relative to the largest.
    """
    own = np.diagonal(products, axis1=-2, axis2=-1)  # (…, H)
    varies = own > smallest * max(own.max(), np.finfo("float64").tiny)
    norms = np.sqrt(np.where(varies, own, np.nan))
    return products / (norms[..., :, None] * norms[..., None, :])


def mean_of_pairs(matrix: np.ndarray) -> float | None:
    """Return the mean of `(…, H, H)` over all pairs of different heads without NaN; None if there are none."""
    H = matrix.shape[-1]
    pairs = matrix[..., *np.triu_indices(H, 1)]
    pairs = pairs[~np.isnan(pairs)]
    return float(pairs.mean()) if pairs.size else None


class PlaceRanks:
    """Ranks and similarities of one attention layer over sentences; `causal` for self-attention of the decoder."""

    def __init__(self, tolerance: float | None = None, causal: bool = False):
        self.tolerance, self.causal = tolerance, causal
        self.sums, self.outputs = {}, HeadOutputs()

    def add(self, logits: np.ndarray, attention: np.ndarray, heads: np.ndarray) -> None:
        """Add a sentence: logits and weights `(…, H, T, S)`, outputs of heads `(…, H, T, V)`.

        Masked logits count as well.
        """
        size = attention.shape[-2:]
        found = {"sentences": 1, "largest_rank": min(size), "maps": map_products(attention, self.causal)}
        for name, matrices in (("logits", logits), ("attention", attention)):
            values = np.linalg.svd(matrices, compute_uv=False)  # (…, H, min(T, S))
            found[f"{name}_rank"] = numerical_rank(values, size, self.tolerance)
            found[f"{name}_stable_rank"] = stable_rank(values)
        add_up(self.sums, found)
        self.outputs.add(heads)

    def row(self) -> dict[str, float | None]:
        """Return the means over sentences and heads, and over pairs of heads."""
        means = {name: float(np.mean(self.sums[name])) / self.sums["sentences"] for name in ("largest_rank", *RANKS)}
        return means | {name: mean_of_pairs(matrix) for name, matrix in self.matrices().items()}

    def matrices(self) -> dict[str, np.ndarray]:
        """Return `{key of SIMILARITIES: (…, H, H)}`; correlations of a head with uniform attention are NaN."""
        return {"map_correlation": normalised(self.sums["maps"]), "output_cka": self.outputs.cka()}

    def by_head(self) -> dict[str, np.ndarray]:
        """Return `{key of RANKS: (…, H)}` as means over sentences, and `matrices`."""
        return {name: self.sums[name] / self.sums["sentences"] for name in RANKS} | self.matrices()


class Rank(Analysis):
    """The verb `rank`."""

    name = "rank"
    summary = "rank of logits and attention by number of heads, compared with d / n̄; similarity between heads"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--tolerance",
            type=float,
            metavar="SHARE",
            help="the rank counts singular values above this share of the largest; default: length × float32 epsilon",
        )

    def check(self, arguments: Namespace) -> None:
        if arguments.tolerance is not None and not 0 <= arguments.tolerance < 1:
            raise InputError(f"--tolerance must be at least 0 and below 1, got {arguments.tolerance}")

    def analyze(self, runs: list, arguments: Namespace) -> Findings:
        findings, labels = Findings(data={"heads": {}}), {}
        for run, sample in with_samples(runs, arguments):
            d = run.config.model.model_dim
            places, lengths = ranks_of(run, sample, arguments.tolerance)
            if min(map(sum, lengths)) < len(sample):
                limit, limits = None, f"{run.name}: no h_max, because its translations are empty, in part at least"
            else:
                limit = most_heads(d, *lengths)
                limits = f"{run.name}: h_max = {limit} (d = {d}, n̄ = {min(map(mean_length, lengths))})"
            findings.notes += [*sample.notes, f"{limits}, from {counted(len(sample), 'sentence')} of {sample.name}"]
            findings.data["heads"][run.name] = {}
            for place, ranks in places.items():
                findings.rows.append({"run": run.name, **described(run, place), "h_max": limit, **ranks.row()})
                findings.data["heads"][run.name]["{} {}".format(*place)] = ranks.by_head()
                attention = attention_at(run, place)
                options = [f"{name}={value}" for name, value in sorted(attention.options.items())]
                labels[run.name, *place] = " ".join([attention.scheme, *options])
        for name, titles in (("rank", RANKS), ("rank-similarity", SIMILARITIES)):
            findings.add_figure(name, draw_by_heads, findings.rows, labels, titles)
        if len(runs) == 1:
            findings.add_figure("rank-similarity-of-heads", draw_similarity, places)
        return findings


def ranks_of(run: AnalysedRun, sample: Sample, tolerance: float | None = None) -> tuple[dict, tuple[list, list]]:
    """Return `{(site, layer): PlaceRanks}` of a run, and the lengths of the sources and of the targets in sub-words."""
    places, lengths = {}, ([], [])
    for pair, seen in run.inspections(sample, attention=SITES, logits=SITES, heads=SITES):
        for ids, found in zip((pair.source_ids, pair.target_ids), lengths, strict=True):
            found.append(len(ids))
        for place, attention in seen.attention.items():
            if place not in places:
                places[place] = PlaceRanks(tolerance, causal=place[0] == "decoder")
            places[place].add(seen.logits[place], attention, seen.heads[place])
    return places, lengths


def described(run: AnalysedRun, place: tuple[str, int]) -> dict:
    """Return scheme, number and size of heads, site and layer of one attention layer of a run."""
    layer = run.model.attention_layers[place]
    heads = {"scheme": attention_at(run, place).scheme, "num_heads": layer.num_heads, "key_dim": layer.key_dim}
    return {**heads, "site": place[0], "layer": place[1]}


def attention_at(run: AnalysedRun, place: tuple[str, int]) -> AttentionConfig:
    """Return the configuration of one attention layer of a run."""
    from interacting_head.model.placement import attention_of, resolved

    return attention_of(resolved(run.model.config), *place)


def draw_by_heads(rows: list[dict], labels: dict[tuple, str], titles: dict[str, str], figure: Figure) -> None:
    """Draw means over layers by number of heads: a row of axes for each quantity, a column for each site.

    `labels` name the scheme and its options by run, site and layer.
    """
    sites = list(dict.fromkeys(site for site, _ in in_order((row["site"], 0) for row in rows)))
    axes = grid(figure, len(titles), len(sites), 3.2, 0.6 / len(titles) + 1.9, sharex=True, sharey="row")
    limits, heads = (sorted({row[key] for row in rows} - {None}) for key in ("h_max", "num_heads"))
    for line, (quantity, title) in zip(axes, titles.items(), strict=True):
        for axis, site in zip(line, sites, strict=True):
            here = [row for row in rows if row["site"] == site]
            draw_lines(axis, here, labels, quantity)
            if quantity in RANKS:
                draw_bounds(axis, here, quantity)
            for limit in limits:
                axis.axvline(limit, color="0.5", linestyle=":", linewidth=1, label="h_max = d / n̄")
            axis.set_xscale("log", base=2)
            axis.set_xticks(heads, heads)
            axis.minorticks_off()
            axis.set(title=SITE_TITLES[site], xlim=(0.7 * min(heads), 1.4 * max(heads + limits)))
            axis.set(xlabel="number of heads h", ylabel=title)
            axis.label_outer()
        # The axes of a row share their limits, so all of them must be drawn first.
        largest = 1.25 * max(row["largest_rank"] for row in rows) if quantity in RANKS else None
        line[0].set_ylim(min(0, line[0].get_ylim()[0]) if largest is None else 0, largest)
    for axis in axes[1:].flat:
        axis.set_title("")
    add_legend(figure, 3)


def draw_lines(axis: object, rows: list[dict], labels: dict[tuple, str], quantity: str) -> None:
    """Draw a point for each run, as the mean over its layers, and a line for each label."""
    for index, name in enumerate(dict.fromkeys(labels.values())):
        by_run, points = collections.defaultdict(list), collections.defaultdict(list)
        for row in rows:
            if labels[row["run"], row["site"], row["layer"]] == name and row[quantity] is not None:
                by_run[row["run"], row["num_heads"]].append(row[quantity])
        for (_, heads), found in by_run.items():
            points[heads].append(np.mean(found))
        color, places = f"C{index}", sorted(points)
        axis.plot(places, [np.mean(points[place]) for place in places], color=color, label=name, linewidth=1.2)
        for place in places:
            axis.plot([place] * len(points[place]), points[place], "o", color=color, ms=4)


def draw_bounds(axis: object, rows: list[dict], quantity: str) -> None:
    """Draw the largest rank that the sentence lengths allow, and for logits also the head sizes."""
    largest = np.mean([row["largest_rank"] for row in rows])
    axis.axhline(largest, color="0.5", linestyle="--", linewidth=1, label="mean sentence length (rank limit)")
    sizes = sorted({(row["num_heads"], row["key_dim"]) for row in rows})
    if quantity.startswith("logits"):
        # A line only if it belongs to all runs.
        width = 1 if len(dict(sizes)) == len(sizes) else 0
        label = "head size K (rank limit of logits)"
        axis.plot(*zip(*sizes, strict=True), color="0.5", marker="_", linewidth=width, label=label)


def draw_similarity(places: dict[tuple[str, int], PlaceRanks], figure: Figure) -> None:
    """Draw all pairs of heads of each layer: CKA above the diagonal, correlation of attention maps below."""
    maps = {}
    for site, number in in_order(places):
        correlation, cka = (  # (H, H), means over the leading axes
            matrix.reshape(-1, *matrix.shape[-2:]).mean(axis=0) for matrix in places[site, number].matrices().values()
        )
        labels, values = head_labels(len(cka)), np.triu(cka, 1) + np.tril(correlation)
        maps[site, number] = HeatMap(f"{SITE_TITLES[site]} {number}", values, labels, labels, xlabel="", ylabel="")
    bar = "CKA of head outputs (upper right),\ncorrelation of attention maps (lower left)"
    draw_heat_maps(figure, maps, limits=(-1, 1), colors=SIGNED, bar=bar)
