"""Importance of heads by position (Goindani & Shrivastava 2021, Figure 3), and its statistics over a test set.

Letters for shapes: `H` heads; `T` positions of a sentence, its end symbol included.

Schemes that weigh their heads compute importance: a distribution over heads at each position, G in equation (1) of
Goindani & Shrivastava 2021, β in Iida et al. 2019. The loss in equation (4) of the former drives it away from the
uniform distribution, whose entropy is log H: KL = log H − entropy.
"""

from argparse import ArgumentParser, Namespace

import numpy as np

from interacting_head.analysis.attention import attention_entropy
from interacting_head.analysis.base import (
    SITE_TITLES,
    AnalysedRun,
    Analysis,
    Findings,
    Sample,
    check_at_least,
    in_order,
    with_samples,
)
from interacting_head.analysis.figures import Figure, HeatMap, add_legend, draw_heat_maps, head_labels, panels

BINS = 40  # of the histogram of entropies
ALL = "all"


def parts_of(length: int, parts: int) -> np.ndarray:
    """Return the part of each position `(T,)`: position t of T is in part ⌊parts · t / T⌋, counted from 0."""
    return np.arange(length) * parts // length


class ImportanceSums:
    """Statistics of one layer's importance, summed over sentences, overall and for equal parts of a sentence."""

    def __init__(self, heads: int, parts: int):
        self.positions = 0
        self.sums, self.squares = np.zeros(heads), np.zeros(heads)
        self.part_sums, self.part_positions = np.zeros((parts, heads)), np.zeros(parts)
        self.entropy = 0.0
        self.histogram = np.zeros(BINS, int)  # of entropy / log H, from 0 to 1

    def add(self, importance: np.ndarray) -> None:
        """Add the importance `(T, H)` of a sentence."""
        importance = np.asarray(importance, "float64")
        entropy = attention_entropy(importance)
        self.positions += len(importance)
        self.sums += importance.sum(0)
        self.squares += (importance**2).sum(0)
        part = parts_of(len(importance), len(self.part_sums))
        np.add.at(self.part_sums, part, importance)
        np.add.at(self.part_positions, part, 1)
        self.entropy += entropy.sum()
        share = entropy / max(np.log(importance.shape[-1]), 1e-12)
        self.histogram += np.histogram(np.clip(share, 0, 1), BINS, (0, 1))[0]

    def statistics(self) -> dict:
        """Return mean and deviation over positions `(H,)`, means `(parts, H)`, mean entropy and its histogram."""
        mean = self.sums / self.positions
        counts = np.where(self.part_positions > 0, self.part_positions, np.nan)[:, np.newaxis]
        return {
            "mean": mean,
            "deviation": np.sqrt(np.maximum(self.squares / self.positions - mean**2, 0)),
            "parts": self.part_sums / counts,  # NaN for parts without positions
            "entropy": self.entropy / self.positions,
            "histogram": self.histogram,
        }


class Importance(Analysis):
    """The verb `importance`."""

    name = "importance"
    summary = "importance of heads by position, layer and part of the sentence, for schemes that weigh their heads"

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--show", type=int, default=3, metavar="N", help="draw heat maps of the first N sentences; default: 3")
        add("--parts", type=int, default=3, metavar="N", help="split sentences into N equal parts; default: 3")

    def check(self, arguments: Namespace) -> None:
        check_at_least(0, show=arguments.show)
        check_at_least(1, parts=arguments.parts)

    def analyze(self, runs: list, arguments: Namespace) -> Findings:
        findings = Findings(data={"histograms": {}, "sentences": {}})
        found = {}
        for run in runs:
            run.inspector(head_importance=True)  # fail before minutes are spent on other runs
        for run, sample in with_samples(runs, arguments):
            found[run.name], sentences = measured(run, sample, arguments.parts, arguments.show)
            findings.add_run(run, sample, rows_of(run.name, found[run.name]))
            findings.data["histograms"][run.name] = {
                f"{site} {layer}": one["histogram"] for (site, layer), one in found[run.name].items()
            }
            findings.data["sentences"][run.name] = sentences
        for name, draw in {"": draw_means, "-entropy": draw_entropies, "-parts": draw_parts}.items():
            findings.add_figure(f"importance{name}", draw, found)
        for number, by_run in findings.by_sentence().items():
            findings.add_figure(f"importance-sentence-{number}", draw_sentence, by_run)
        return findings


def measured(run: AnalysedRun, sample: Sample, parts: int, show: int) -> tuple[dict, list[dict]]:
    """Return the statistics of each layer of a run, and the importance in the first `show` sentences."""
    sums, sentences = {}, []
    for pair, inspection in run.inspections(sample, head_importance=True):
        for place, importance in inspection.head_importance.items():
            if place not in sums:
                sums[place] = ImportanceSums(importance.shape[-1], parts)
            sums[place].add(importance)
        if len(sentences) < show:
            tokens = {site: run.target_tokens(pair) for site in ("decoder", "cross")}
            tokens["encoder"] = run.source_tokens(pair)
            layers = [
                {"site": site, "layer": layer, "tokens": tokens[site], "importance": importance}
                for (site, layer), importance in inspection.head_importance.items()
            ]
            sentences.append({"number": pair.number, "source": pair.source, "target": pair.target, "layers": layers})
    return {place: one.statistics() for place, one in sums.items()}, sentences


def rows_of(name: str, places: dict) -> list[dict]:
    """Return the rows of a run: each head of a layer, then the entropy of the layer's importance."""
    rows = []
    for (site, layer), one in places.items():
        place, of_layer = {"run": name, "site": site, "layer": layer}, {"entropy": None, "log H": None}
        names = ["mean", "deviation", *(f"part {part}" for part in range(1, len(one["parts"]) + 1))]
        columns = zip(one["mean"], one["deviation"], *one["parts"], strict=True)
        for head, values in enumerate(columns, start=1):
            rows.append({**place, "head": str(head), **dict(zip(names, values, strict=True)), **of_layer})
        of_layer = {"entropy": one["entropy"], "log H": np.log(len(one["mean"]))}
        rows.append({**dict.fromkeys(rows[-1]), **place, "head": ALL, **of_layer})
    return rows


def draw_means(found: dict[str, dict], figure: Figure) -> None:
    """Draw mean and deviation of each head's importance: a panel for each layer, runs side by side."""
    most = max(len(one["mean"]) for by_place in found.values() for one in by_place.values())
    width = 0.8 / len(found)
    for axes, by_run in _panels(figure, found, max(3.2, 0.12 * most * (len(found) + 1))):
        for index, name, one in by_run:
            heads = len(one["mean"])
            x = np.arange(1, heads + 1) + width * (index - (len(found) - 1) / 2)
            color, lines = f"C{index}", {"elinewidth": 0.8}
            axes.bar(x, one["mean"], width, yerr=one["deviation"], color=color, label=name, error_kw=lines)
            axes.axhline(1 / heads, color="black", linewidth=0.6, linestyle=":")
        axes.set_ylim(bottom=0)
        axes.set(xlabel="head", ylabel="importance", xticks=range(1, most + 1) if most <= 16 else [1, most // 2, most])
    add_legend(figure)


def draw_entropies(found: dict[str, dict], figure: Figure) -> None:
    """Draw the distribution over positions of the entropy of importance, as a share of log H: 1 is uniform."""
    middles = (np.arange(BINS) + 0.5) / BINS
    for axes, by_run in _panels(figure, found, 3.2):
        for index, name, one in by_run:
            share = 100 * one["histogram"] / one["histogram"].sum()
            axes.fill_between(middles, share, step="mid", alpha=0.3, color=f"C{index}", linewidth=0)
            axes.step(middles, share, where="mid", color=f"C{index}", label=name)
        axes.set(xlabel="entropy of importance / log H", ylabel="positions, %", xlim=(0, 1))
        axes.set_ylim(bottom=0)
    add_legend(figure)


def draw_parts(found: dict[str, dict], figure: Figure) -> None:
    """Draw the mean importance of each head by part of the sentence, a heat map for each run and layer."""
    maps = {}
    for name, by_place in found.items():
        for place in in_order(by_place):
            parts = dict(enumerate(by_place[place]["parts"], start=1))
            maps[name, place] = HeatMap.of_heads(f"{name}: {SITE_TITLES[place[0]]} {place[1]}", parts, ylabel="part")
    draw_heat_maps(figure, maps, numbers=".2f", bar=None)


def draw_sentence(by_run: dict[str, dict], figure: Figure) -> None:
    """Draw Figure 3: the importance of each head for each sub-word of a sentence, one row for each run."""
    maps = {}
    for name, sentence in by_run.items():
        for layer in sentence["layers"]:
            place, values = (layer["site"], layer["layer"]), layer["importance"]
            title, labels = f"{name}: {SITE_TITLES[place[0]]} {place[1]}", head_labels(values.shape[1])
            maps[name, place] = HeatMap(title, values, layer["tokens"], labels, ylabel="")
    draw_heat_maps(figure, maps)


def _panels(figure, found, width):
    """Yield axes for each layer, with index, name and statistics of the runs that have it."""
    places = in_order(place for by_place in found.values() for place in by_place)
    titles = [f"{SITE_TITLES[site]}, layer {layer}" for site, layer in places]
    for axes, place in zip(panels(figure, titles, 3, width, 2.4), places, strict=True):
        runs = enumerate(found.items())
        yield axes, [(index, name, by_place[place]) for index, (name, by_place) in runs if place in by_place]
