"""Distance and entropy of attention by layer and head (Ampomah et al. 2020, section 7.3, Figures 5 to 9).

Letters for shapes: `H` heads, with a scheme's further axis in front of them counted as heads; `T` rows, `S` columns.

Equations (13) and (15) are printed with sums over j ≤ i, which is all there is in a language model that reads from the
left (Vig & Belinkov 2019), for which they were written. An encoder's positions attend to both sides, and the printed
sums leave out what lies on the right. So all j are the default, and the printed sums are there beside them.
"""

from typing import NamedTuple

import numpy as np

from interacting_head.analysis.heat_maps import CELL, draw_heat_map, grid, titled
from interacting_head.analysis.verb import Findings, Verb

SITES = ("encoder", "decoder", "cross")
MEASURES = {"distance": "mean attention distance, positions", "entropy": "entropy of attention, nats"}
AS_PRINTED = "_as_printed"
MEAN = "mean"


def distributions(weights):
    """Return attention weights `(…, T, S)` of which each row is at least 0 and adds up to 1, in float64.

    Weights of a softmax stay as they are but for rounding. Those of talking heads are mixed after it and may be
    negative: of them the absolute values count, as shares of their sum.
    """
    weights = np.abs(np.asarray(weights, "float64"))
    total = weights.sum(-1, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)


def distance_sums(weights, as_printed=False):
    """Return numerator and denominator of equation (13) for one sentence, each `(…,)`.

    Over the sums of all sentences, D_h = Σ_x Σ_i Σ_j w_ij |i − j| / Σ_x Σ_i Σ_j w_ij is the mean distance in positions.

    Args:
        weights: `(…, T, S)`, rows i and columns j.
        as_printed: whether the sums are over j ≤ i.
    """
    weights = np.asarray(weights, "float64")
    if as_printed:
        weights = np.tril(weights)
    i, j = np.indices(weights.shape[-2:])
    return (weights * abs(i - j)).sum((-2, -1)), weights.sum((-2, -1))


def attention_distance(weights, as_printed=False):
    """Return D_h `(…,)` of one sentence, see `distance_sums`; 0 where no weight counts."""
    numerator, denominator = distance_sums(weights, as_printed)
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)


def attention_entropy(weights, as_printed=False):
    """Return E_h(x_i) = −Σ_j w_ij log w_ij of equation (15), `(…, T)` in nats; 0 log 0 = 0.

    Args:
        weights: `(…, T, S)`, at least 0, rows i and columns j.
        as_printed: whether the sum is over j ≤ i.
    """
    weights = np.asarray(weights, "float64")
    if as_printed:
        weights = np.tril(weights)
    return -(weights * np.log(np.where(weights > 0, weights, 1.0))).sum(-1)


class AttentionSums:
    """Distance and entropy of the heads of one layer over many sentences; what it holds does not grow with them.

    Example:
        >>> sums = AttentionSums()
        >>> for weights in sentences:  # (H, T, S)
        ...     sums.add(weights)
        >>> sums.means()["distance"]  # (H,)
    """

    def __init__(self):
        self.distance = {False: 0.0, True: 0.0}  # as printed or not: numerator and denominator (2, H)
        self.entropy = {False: 0.0, True: 0.0}  # sums over positions (H,)
        self.positions = 0

    def add(self, weights):
        """Add the weights `(…, T, S)` of a sentence."""
        weights = distributions(weights).reshape(-1, *weights.shape[-2:])
        for as_printed in (False, True):
            self.distance[as_printed] += np.stack(distance_sums(weights, as_printed))
            self.entropy[as_printed] += attention_entropy(weights, as_printed).sum(-1)
        self.positions += weights.shape[-2]

    def means(self):
        """Return `{"distance", "entropy", "distance_as_printed", "entropy_as_printed"}`, each `(H,)`.

        The entropy of a head is its mean over positions.
        """
        found = {}
        for as_printed, suffix in ((False, ""), (True, AS_PRINTED)):
            numerator, denominator = self.distance[as_printed]
            found[f"distance{suffix}"] = np.divide(
                numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0
            )
            found[f"entropy{suffix}"] = self.entropy[as_printed] / max(1, self.positions)
        return found


class _Place(NamedTuple):
    """Values of one attention layer: names of its heads, and what `AttentionSums.means` returns."""

    heads: list
    means: dict


class Attention(Verb):
    """The verb `attention`."""

    name = "attention"
    summary = "mean distance and entropy of attention by layer and head"

    def add_arguments(self, parser):
        add = parser.add_argument
        add("--sites", nargs="+", choices=SITES, default=list(SITES), help="default: all; encoder alone is fastest")
        add("--as-printed", action="store_true", help="figures of sums over j ≤ i, as equations 13 and 15 are printed")

    def analyze(self, runs, arguments):
        findings = Findings()
        sites = [site for site in SITES if site in arguments.sites]
        found = {}
        for run in runs:
            sample = run.sample(arguments)
            found[run.name] = measured(run, sample, sites)
            findings.rows += rows_of(run.name, found[run.name])
            findings.notes += [*sample.notes, f"{run.name}: {len(sample):,} sentences of {sample.name}"]
        findings.summary = [row for row in findings.rows if row["head"] == MEAN]
        suffix = AS_PRINTED if arguments.as_printed else ""
        for site in sites:
            for measure in MEASURES:

                def draw(figure, site=site, measure=measure):
                    draw_heads(figure, found, site, measure, suffix)

                findings.figures[f"{self.name}-{site}-{measure}{suffix.replace('_', '-')}"] = draw
        findings.figures[f"{self.name}-layers{suffix.replace('_', '-')}"] = lambda figure: draw_layers(
            figure, found, sites, suffix
        )
        return findings


def measured(run, sample, sites):
    """Return `{(site, number of a layer): values}` of a run over a `Sample`."""

    sums = {}
    for _, inspection in run.inspections(sample, attention=sites):
        for place, weights in inspection.attention.items():
            sums.setdefault(place, AttentionSums()).add(weights)
    layers = run.model.attention_layers
    return {place: _Place(layers[place].head_names, one.means()) for place, one in sums.items()}


def rows_of(name, places):
    """Return the rows of a run: each head, and after those of a layer their mean, equations (14) and (16)."""
    rows = []
    for (site, layer), place in places.items():
        for index, head in enumerate([*place.heads, MEAN]):
            values = {key: means[index] if index < len(means) else means.mean() for key, means in place.means.items()}
            rows.append({"run": name, "site": site, "layer": layer, "head": head, **values})
    return rows


def draw_heads(figure, found, site, measure, suffix=""):
    """Draw Figures 5 to 7: a heat map of layers and heads for each run, on one scale.

    Args:
        figure: an empty matplotlib `Figure`.
        found: {run: what `measured` returns}.
        site, measure: one of `SITES` and of `MEASURES`.
        suffix: `AS_PRINTED`, or "".
    """
    maps = {name: _by_layer(places, site, measure + suffix) for name, places in found.items()}
    heads = max(len(row) for rows in maps.values() for row in rows.values())
    layers = max(map(len, maps.values()))
    columns = min(len(maps), 2 if heads > 8 else 3)
    axes = grid(figure, -(-len(maps) // columns), columns, max(3.2, 0.34 * heads + 1.2), CELL * layers + 1.3)
    largest = max(max(row) for rows in maps.values() for row in rows.values())
    for each in axes.flat[len(maps) :]:
        each.set_axis_off()
    for each, (name, rows) in zip(axes.flat, maps.items(), strict=False):
        values = np.full((len(rows), max(map(len, rows.values()))), np.nan)
        for line, row in zip(values, rows.values(), strict=True):
            line[: len(row)] = row
        numbers = [str(head) if heads <= 16 or head % 4 == 0 else "" for head in range(1, values.shape[1] + 1)]
        image = draw_heat_map(each, values, list(rows), numbers, largest=largest, numbers=".1f")
        each.set(xlabel="head", ylabel="layer")
        titled(each, name, 36)
    figure.colorbar(image, ax=axes, shrink=0.8)
    figure.suptitle(f"{site}: {MEASURES[measure]}{' (j ≤ i)' if suffix else ''}", fontsize=10)


def draw_layers(figure, found, sites, suffix=""):
    """Draw Figures 8 and 9: the mean over heads by layer, a line a run."""
    axes = grid(figure, len(MEASURES), len(sites), 3.2, 2.4)
    for row, measure in zip(axes, MEASURES, strict=True):
        for each, site in zip(row, sites, strict=True):
            for name, places in found.items():
                rows = _by_layer(places, site, measure + suffix)
                each.plot(list(rows), [np.mean(row) for row in rows.values()], marker="o", label=name)
            each.set_title(site, fontsize=9)
            each.set_ylim(0, 1.08 * each.dataLim.y1)  # the highest marker is whole
            each.xaxis.get_major_locator().set_params(integer=True)
        row[0].set_ylabel(MEASURES[measure].replace(", ", ",\n") + (" (j ≤ i)" if suffix else ""))
    for each in axes[-1]:
        each.set_xlabel("layer")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=1, fontsize="small")


def _by_layer(places, site, key):
    return {layer: place.means[key] for (at, layer), place in places.items() if at == site}
