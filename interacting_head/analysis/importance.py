"""Importance of heads by position (Goindani & Shrivastava 2021, Figure 3), and its statistics over a test set.

Letters for shapes: `H` heads; `T` positions of a sentence, its end symbol included.

Importance is what schemes that weigh their heads compute: a distribution over heads at each position, G in equation
(1) of Goindani & Shrivastava 2021 and β of Iida et al. 2019. The loss of the former's equation (4) drives it away from
the uniform one, at which the entropy is log H; the divergence from that is KL = log H − entropy.
"""

import numpy as np

from interacting_head.analysis.attention import attention_entropy
from interacting_head.analysis.heat_maps import CELL, draw_heat_map, grid, titled
from interacting_head.analysis.verb import Findings, Verb

BINS = 40  # of the histogram of entropies
ALL = "all"


def parts_of(length, parts):
    """Return the part of each position `(T,)`: position t of T is in part ⌊parts · t / T⌋, counted from 0."""
    return np.arange(length) * parts // length


class ImportanceSums:
    """Statistics of one layer's importance over many sentences; what it holds does not grow with them.

    Args:
        heads: H.
        parts: number of equal parts of a sentence.
    """

    def __init__(self, heads, parts):
        self.positions = 0
        self.sums, self.squares = np.zeros(heads), np.zeros(heads)
        self.part_sums, self.part_positions = np.zeros((parts, heads)), np.zeros(parts)
        self.entropy = 0.0
        self.histogram = np.zeros(BINS, int)  # of entropy / log H, from 0 to 1

    def add(self, importance):
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

    def statistics(self):
        """Return mean and standard deviation `(H,)`, means by part `(parts, H)`, mean entropy, and its histogram.

        The deviation is over positions. Parts in which there is no position are not a number.
        """
        mean = self.sums / self.positions
        counts = self.part_positions[:, np.newaxis]
        return {
            "mean": mean,
            "deviation": np.sqrt(np.maximum(self.squares / self.positions - mean**2, 0)),
            "parts": np.divide(self.part_sums, counts, out=np.full(self.part_sums.shape, np.nan), where=counts > 0),
            "entropy": self.entropy / self.positions,
            "histogram": self.histogram,
        }


class Importance(Verb):
    """The verb `importance`."""

    name = "importance"
    summary = "importance of heads by position, layer, head and part of the sentence (schemes that weigh their heads)"

    def add_arguments(self, parser):
        add = parser.add_argument
        add("--show", type=int, default=3, metavar="N", help="the first sentences drawn as heat maps; default: 3")
        add("--parts", type=int, default=3, metavar="N", help="equal parts of a sentence; default: 3")

    def check(self, arguments):
        if arguments.show < 0:
            arguments.parser.error(f"--show must be at least 0, got {arguments.show}")
        if arguments.parts < 1:
            arguments.parser.error(f"--parts must be at least 1, got {arguments.parts}")

    def analyze(self, runs, arguments):
        findings = Findings(data={"histograms": {}, "sentences": {}})
        found, shown = {}, {}
        for run in runs:
            run.inspector(head_importance=True)  # refused before minutes are spent on other runs
        for run in runs:
            sample = run.sample(arguments)
            found[run.name], sentences = measured(run, sample, arguments.parts, arguments.show)
            findings.rows += rows_of(run.name, found[run.name])
            findings.notes += [*sample.notes, f"{run.name}: {len(sample):,} sentences of {sample.name}"]
            findings.data["histograms"][run.name] = {
                f"{site} {layer}": one["histogram"] for (site, layer), one in found[run.name].items()
            }
            findings.data["sentences"][run.name] = sentences
            for sentence in sentences:
                shown.setdefault(sentence["number"], {})[run.name] = sentence
        findings.figures["importance"] = lambda figure: draw_means(figure, found)
        findings.figures["importance-entropy"] = lambda figure: draw_entropies(figure, found)
        findings.figures["importance-parts"] = lambda figure: draw_parts(figure, found)
        for number, sentences in shown.items():
            findings.figures[f"importance-sentence-{number}"] = lambda figure, by_run=sentences: draw_sentence(
                figure, by_run
            )
        return findings


def measured(run, sample, parts, show):
    """Return `{(site, number of a layer): statistics}` of a run, and the importance of the first sentences.

    Args:
        run, sample: an `AnalysedRun` and its `Sample`.
        parts: see `ImportanceSums`.
        show: number of sentences.
    """
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


def rows_of(name, places):
    """Return the rows of a run: each head of each layer, and the entropy of the layer's importance."""
    rows = []
    for (site, layer), one in places.items():
        heads = len(one["mean"])
        for head in range(heads):
            parts = {f"part {part}": mean for part, mean in enumerate(one["parts"][:, head], start=1)}
            values = {"mean": one["mean"][head], "deviation": one["deviation"][head], **parts}
            of_layer = {"entropy": None, "log H": None}
            rows.append({"run": name, "site": site, "layer": layer, "head": str(head + 1), **values, **of_layer})
        of_layer = {"head": ALL, "entropy": one["entropy"], "log H": np.log(heads)}
        rows.append({**dict.fromkeys(rows[-1]), "run": name, "site": site, "layer": layer, **of_layer})
    return rows


def draw_means(figure, found):
    """Draw mean and deviation of each head's importance, a panel a layer, runs side by side."""
    places = _places(found)
    most = max(len(one["mean"]) for by_place in found.values() for one in by_place.values())
    axes = _panels(figure, places, max(3.2, 0.12 * most * (len(found) + 1)), 2.4)
    for each, place in zip(axes, places, strict=True):
        for index, (name, by_place) in enumerate(found.items()):
            if place in by_place:
                mean, deviation = by_place[place]["mean"], by_place[place]["deviation"]
                width = 0.8 / len(found)
                x = np.arange(1, len(mean) + 1) + width * (index - (len(found) - 1) / 2)
                each.bar(x, mean, width, yerr=deviation, color=f"C{index}", label=name, error_kw={"elinewidth": 0.8})
                each.axhline(1 / len(mean), color="black", linewidth=0.6, linestyle=":")
        each.set_ylim(bottom=0)
        each.set(xlabel="head", ylabel="importance", xticks=range(1, most + 1) if most <= 16 else [1, most // 2, most])
    _legend(figure, axes)


def draw_entropies(figure, found):
    """Draw the distribution over positions of the entropy of importance, as a share of log H: 1 is uniform."""
    places = _places(found)
    axes = _panels(figure, places, 3.2, 2.4)
    middles = (np.arange(BINS) + 0.5) / BINS
    for each, place in zip(axes, places, strict=True):
        for index, (name, by_place) in enumerate(found.items()):
            if place in by_place:
                histogram = by_place[place]["histogram"]
                share = 100 * histogram / histogram.sum()
                each.fill_between(middles, share, step="mid", alpha=0.3, color=f"C{index}", linewidth=0)
                each.step(middles, share, where="mid", color=f"C{index}", label=name)
        each.set(xlabel="entropy of importance / log H", ylabel="positions, %", xlim=(0, 1))
        each.set_ylim(bottom=0)
    _legend(figure, axes)


def draw_parts(figure, found):
    """Draw the mean importance of each head by part of the sentence, a heat map for each run and layer."""
    places = _places(found)
    heads = max(len(one["mean"]) for by_place in found.values() for one in by_place.values())
    axes = grid(figure, len(found), len(places), max(2.6, 0.36 * heads + 1), 2.2)
    for row, (name, by_place) in zip(axes, found.items(), strict=True):
        for each, place in zip(row, places, strict=True):
            if place not in by_place:
                each.set_axis_off()
                continue
            values = by_place[place]["parts"]
            parts, heads = (range(1, size + 1) for size in values.shape)
            draw_heat_map(each, values, parts, heads, numbers=".2f")
            each.set(xlabel="head", ylabel="part")
            titled(each, f"{name}: {place[0]} {place[1]}", 30)


def draw_sentence(figure, by_run):
    """Draw Figure 3: the importance of each head for each sub-word of a sentence, a row of heat maps for each run.

    Args:
        figure: an empty matplotlib `Figure`.
        by_run: {run: a sentence that `measured` returns}.
    """
    layers = [layer for sentence in by_run.values() for layer in sentence["layers"]]
    longest = max(len(layer["tokens"]) for layer in layers)
    heads = max(layer["importance"].shape[-1] for layer in layers)
    columns = max(len(sentence["layers"]) for sentence in by_run.values())
    axes = grid(figure, len(by_run), columns, max(2.6, CELL * heads + 1.6), 0.2 * longest + 1.2)
    largest = max(layer["importance"].max() for layer in layers)
    for row, (name, sentence) in zip(axes, by_run.items(), strict=True):
        for each in row[len(sentence["layers"]) :]:
            each.set_axis_off()
        for each, layer in zip(row, sentence["layers"], strict=False):
            labels = range(1, layer["importance"].shape[-1] + 1)
            image = draw_heat_map(each, layer["importance"], layer["tokens"], labels, largest=largest)
            each.tick_params(axis="y", labelsize=8)
            each.set_xlabel("head")
            titled(each, f"{name}: {layer['site']} {layer['layer']}", 26)
    figure.colorbar(image, ax=axes, shrink=0.6)


def _places(found):
    order = ("encoder", "decoder", "cross")
    places = {place for by_place in found.values() for place in by_place}
    return sorted(places, key=lambda place: (order.index(place[0]), place[1]))


def _panels(figure, places, width, height):
    """Return axes side by side, one for each place, with its name."""
    columns = min(len(places), 3)
    axes = grid(figure, -(-len(places) // columns), columns, width, height)
    for each in axes.flat[len(places) :]:
        each.set_axis_off()
    for each, (site, layer) in zip(axes.flat, places, strict=False):
        each.set_title(f"{site}, layer {layer}", fontsize=9)
    return list(axes.flat[: len(places)])


def _legend(figure, axes):
    """Add a legend of the runs below, each once."""
    entries = {}
    for each in axes:
        entries |= dict(zip(*reversed(each.get_legend_handles_labels()), strict=True))
    figure.legend(list(entries.values()), list(entries), loc="outside lower center", fontsize="small")
