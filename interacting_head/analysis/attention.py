"""Distance and entropy of attention by layer and head (Ampomah et al. 2020, section 7.3, Figures 5 to 9).

Letters for shapes: `H` heads, with a scheme's further axis in front of them counted as heads; `T` rows, `S` columns.

The paper prints equations (13) and (15) with sums over j ≤ i, as Vig & Belinkov 2019 wrote them for left-to-right
language models. An encoder also attends to the right, so the default is all j; the printed sums are computed as well.
"""

import collections
from argparse import ArgumentParser, Namespace

import numpy as np

from interacting_head.analysis.base import SITE_TITLES, AnalysedRun, Analysis, Findings, add_up, with_samples
from interacting_head.analysis.figures import Figure, HeatMap, add_legend, draw_heat_maps, grid
from interacting_head.config import SITES
from interacting_head.translation.word_alignment import distributions

MEASURES = {"distance": "mean attention distance (positions)", "entropy": "attention entropy (nats)"}
AS_PRINTED = "_as_printed"
MEAN = "mean"


def distance_sums(weights: np.ndarray, as_printed: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return numerator and denominator `(…,)` of equation (13) for the weights `(…, T, S)` of one sentence.

    Summed over sentences, D_h = Σ_x Σ_i Σ_j w_ij |i − j| / Σ_x Σ_i Σ_j w_ij is the mean distance in positions, with
    rows i and columns j. With `as_printed`, the sums are over j ≤ i.
    """
    weights = _summed(weights, as_printed)
    i, j = np.indices(weights.shape[-2:])
    return (weights * abs(i - j)).sum((-2, -1)), weights.sum((-2, -1))


def attention_distance(weights: np.ndarray, as_printed: bool = False) -> np.ndarray:
    """Return D_h `(…,)` of one sentence, see `distance_sums`; 0 if the weights sum to 0."""
    return _ratio(*distance_sums(weights, as_printed))


def attention_entropy(weights: np.ndarray, as_printed: bool = False) -> np.ndarray:
    """Return E_h(x_i) = −Σ_j w_ij log w_ij of equation (15), `(…, T)` in nats; `as_printed` sums over j ≤ i."""
    weights = _summed(weights, as_printed)
    return -(weights * np.log(np.where(weights > 0, weights, 1.0))).sum(-1)


def _summed(weights, as_printed):
    weights = np.asarray(weights, "float64")
    return np.tril(weights) if as_printed else weights


def _ratio(numerator, denominator):
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)


def sentence_sums(weights: np.ndarray) -> dict[str, np.ndarray | int]:
    """Return the terms of one sentence with weights `(…, T, S)`, to be summed over sentences and given to `means`."""
    weights = distributions(weights).reshape(-1, *weights.shape[-2:])
    sums = {"positions": weights.shape[-2]}
    for as_printed, suffix in ((False, ""), (True, AS_PRINTED)):
        sums[f"distance{suffix}"] = np.stack(distance_sums(weights, as_printed))  # (2, H)
        sums[f"entropy{suffix}"] = attention_entropy(weights, as_printed).sum(-1)  # (H,)
    return sums


def means(sums: dict[str, np.ndarray | int]) -> dict[str, np.ndarray]:
    """Return distance and mean entropy over positions `(H,)`, over all j and as printed."""
    found = {}
    for suffix in ("", AS_PRINTED):
        found[f"distance{suffix}"] = _ratio(*sums[f"distance{suffix}"])
        found[f"entropy{suffix}"] = sums[f"entropy{suffix}"] / max(1, sums["positions"])
    return found


class Attention(Analysis):
    """The verb `attention`."""

    name = "attention"
    summary = "mean distance and entropy of attention by layer and head"

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        sites_help = "attention layers to measure; default: all. encoder alone is fastest"
        add("--sites", nargs="+", choices=SITES, default=list(SITES), help=sites_help)
        printed_help = "draw the sums over j ≤ i, as the paper prints equations 13 and 15"
        add("--as-printed", action="store_true", help=printed_help)

    def analyze(self, runs: list, arguments: Namespace) -> Findings:
        findings, found = Findings(), {}
        sites = [site for site in SITES if site in arguments.sites]
        for run, sample in with_samples(runs, arguments):
            sums = collections.defaultdict(dict)
            for _, inspection in run.inspections(sample, attention=sites):
                for place, weights in inspection.attention.items():
                    add_up(sums[place], sentence_sums(weights))
            found[run.name] = {place: means(one) for place, one in sums.items()}
            findings.add_run(run, sample, rows_of(run, found[run.name]))
        findings.summary = [row for row in findings.rows if row["head"] == MEAN]
        suffix = AS_PRINTED if arguments.as_printed else ""
        end = suffix.replace("_", "-")
        for site in sites:
            for measure in MEASURES:
                findings.add_figure(f"attention-{site}-{measure}{end}", draw_heads, found, site, measure, suffix)
        findings.add_figure(f"attention-layers{end}", draw_layers, found, sites, suffix)
        return findings


def rows_of(run: AnalysedRun, places: dict[tuple[str, int], dict]) -> list[dict]:
    """Return the rows of a run: the heads of each layer and their mean, equations (14) and (16)."""
    rows = []
    for (site, layer), by_measure in places.items():
        names = [*run.model.attention_layers[site, layer].head_names, MEAN]
        columns = {measure: [*values, values.mean()] for measure, values in by_measure.items()}
        for head, *values in zip(names, *columns.values(), strict=True):
            row = {"run": run.name, "site": site, "layer": layer, "head": head}
            rows.append(row | dict(zip(columns, values, strict=True)))
    return rows


def draw_heads(found: dict[str, dict], site: str, measure: str, suffix: str, figure: Figure) -> None:
    """Draw Figures 5 to 7: a heat map of layers and heads for each run, from `{run: {place: means}}`."""
    maps = [HeatMap.of_heads(run, _by_layer(places, site, measure + suffix)) for run, places in found.items()]
    title = f"{SITE_TITLES[site]}: {MEASURES[measure]}{', j ≤ i' if suffix else ''}"
    draw_heat_maps(figure, maps, 2, numbers=".1f", title=title)


def draw_layers(found: dict[str, dict], sites: list[str], suffix: str, figure: Figure) -> None:
    """Draw Figures 8 and 9: the mean over heads by layer, a line for each run."""
    axes = grid(figure, len(MEASURES), len(sites), 3.2, 2.4)
    for row, measure in zip(axes, MEASURES, strict=True):
        for each, site in zip(row, sites, strict=True):
            for name, places in found.items():
                rows = _by_layer(places, site, measure + suffix)
                each.plot(list(rows), [np.mean(row) for row in rows.values()], marker="o", label=name)
            each.set_title(SITE_TITLES[site], fontsize=9)
            each.set_ylim(0, 1.08 * each.dataLim.y1)  # the highest marker is whole
            each.xaxis.get_major_locator().set_params(integer=True)
        row[0].set_ylabel(MEASURES[measure].replace(" (", "\n(") + (", j ≤ i" if suffix else ""))
    for each in axes[-1]:
        each.set_xlabel("layer")
    add_legend(figure)


def _by_layer(places, site, key):
    return {layer: place[key] for (at, layer), place in places.items() if at == site}
