"""Encoder-decoder attention between words, as heat maps and alignments (Goindani & Shrivastava 2021, Figures 1 and 2).

Letters for shapes: `H` heads, with a scheme's further axis in front of them counted as heads; `J`, `I` words of target
and source, end symbols included.
"""

import re

import numpy as np

from data.errors import InputError
from interacting_head.analysis.heat_maps import draw_heat_map, grid, titled
from interacting_head.analysis.verb import Findings, Verb
from interacting_head.analysis.word_alignment import AlignmentErrors, links, merged, pharaoh, read_gold, words_of

MEAN, ALL = "mean", "all"
WORD = 0.22  # inches of a word's cell


class Alignment(Verb):
    """The verb `alignment`."""

    name = "alignment"
    summary = "encoder-decoder attention between words: heat maps, alignments, alignment error rate"

    def add_arguments(self, parser):
        add = parser.add_argument
        add("--layer", type=int, metavar="N", help="decoder layer of alignments and heat maps; default: the last")
        add("--show", type=int, default=3, metavar="N", help="the first sentences drawn as heat maps; default: 3")
        add("--gold", metavar="FILE", help="alignments of -i and -r, i-j sure, i?j possible; gives the error rate")

    def check(self, arguments):
        error = arguments.parser.error
        if arguments.show < 0:
            error(f"--show must be at least 0, got {arguments.show}")
        if arguments.layer is not None and arguments.layer < 1:
            error(f"--layer must be at least 1, got {arguments.layer}")
        if arguments.gold and None in (arguments.input, arguments.reference):
            error("--gold aligns the words of two texts; give them with -i and -r")

    def analyze(self, runs, arguments):
        layers = {run.name: chosen_layer(run, arguments.layer) for run in runs}
        gold = read_gold(arguments.gold) if arguments.gold else None
        findings = Findings(data={"sentences": {}})
        shown = {}
        for run in runs:
            sample = run.sample(arguments)
            if gold is not None and len(gold) != sample.lines:
                raise InputError(
                    f"{arguments.gold} has {len(gold):,} lines but {sample.name} has {sample.lines:,}; line n of one "
                    "must belong to line n of the other"
                )
            heads, lines, sentences = measured(run, sample, layers[run.name], arguments.show, gold)
            findings.rows += rows_of(run.name, heads)
            findings.notes += [*sample.notes, f"{run.name}: {len(sample):,} sentences of {sample.name}"]
            findings.files[f"alignment.{_slug(run.name)}.pharaoh"] = "".join(f"{line}\n" for line in lines)
            findings.data["sentences"][run.name] = sentences
            for sentence in sentences:
                shown.setdefault(sentence["number"], {})[run.name] = sentence
                findings.figures[f"alignment-sentence-{sentence['number']}-{_slug(run.name)}-heads"] = (
                    lambda figure, name=run.name, one=sentence: draw_heads(figure, name, one)
                )
        for number, by_run in shown.items():
            findings.figures[f"alignment-sentence-{number}"] = lambda figure, by_run=by_run: draw_means(figure, by_run)
        key, label = ("aer", "alignment error rate") if gold else ("largest", "largest weight, mean over target words")
        findings.figures["alignment-heads"] = lambda figure: draw_scores(figure, findings.rows, key, label)
        return findings


def chosen_layer(run, layer):
    """Return the number of the decoder layer to look at: `layer`, or None for the last.

    Raises:
        InputError: where the run has no such layer.
    """
    most = run.config.model.decoder_layers
    if layer is not None and layer > most:
        raise InputError(f"--layer {layer}: {run.path} has the decoder layers 1 to {most}; choose one of them")
    return layer or most


class HeadScores:
    """Scores of a head, or of a mean of heads, over many sentences.

    Attributes:
        errors: `AlignmentErrors`.
    """

    def __init__(self):
        self.errors = AlignmentErrors()
        self.largest, self.words = 0.0, 0

    def add(self, weights, gold):
        """Add a sentence: its weights between words `(J, I)`, and its `Gold` or None."""
        words = weights[:-1, :-1]
        if words.size:
            self.largest += words.max(-1).sum()
            self.words += len(words)
        if gold is not None:
            self.errors.add(links(weights), gold)

    def scores(self, has_gold):
        """Return the mean over target words of the largest weight on a source word, and with gold the error rate."""
        largest = self.largest / self.words if self.words else None
        return {"largest": largest, **(self.errors.scores() if has_gold else {})}


def measured(run, sample, layer, show, gold=None):
    """Look at the encoder-decoder attention of a run between words.

    Args:
        run, sample: an `AnalysedRun` and its `Sample`.
        layer: number of the decoder layer whose mean over heads is shown and gives the alignments.
        show: number of sentences to keep.
        gold: list of `Gold`, one for each line of the text, or None.

    Returns:
        `{(layer or "all", head or "mean"): scores}`; a line of alignments for each line of the text, empty for those
        that were not looked at; and the first sentences, with their words and weights `(H, J, I)`.

    Raises:
        InputError: where gold names a word that a sentence does not have.
    """

    names = {n: one.head_names for (site, n), one in run.model.attention_layers.items() if site == "cross"}
    scores, lines, sentences = {}, [""] * sample.lines, []
    for pair, inspection in run.inspections(sample, attention=["cross"]):
        source = words_of(pair.source_ids, run.subwords[0])
        target = words_of(pair.target_ids, run.subwords[1])
        one_gold = None
        if gold is not None:
            one_gold = gold[pair.number - 1]
            check_words(one_gold, source, target, sample.name, pair.number)
        by_layer = {}
        for (_, number), weights in inspection.attention.items():
            heads = merged(weights.reshape(-1, *weights.shape[-2:]), target, source)
            by_layer[number] = heads
            for name, head in zip([*names[number], MEAN], [*heads, heads.mean(0)], strict=True):
                scores.setdefault((number, name), HeadScores()).add(head, one_gold)
        over_layers = np.mean([heads.mean(0) for heads in by_layer.values()], axis=0)
        scores.setdefault((ALL, MEAN), HeadScores()).add(over_layers, one_gold)
        lines[pair.number - 1] = pharaoh(links(by_layer[layer].mean(0)))
        if len(sentences) < show:
            sentences.append(
                {
                    "number": pair.number,
                    "layer": layer,
                    "source": source.texts,
                    "target": target.texts,
                    "heads": names[layer],
                    "weights": by_layer[layer],
                }
            )
    ordered = sorted(scores.items(), key=lambda item: (item[0][0] == ALL, item[0][0] if item[0][0] != ALL else 0))
    return {place: one.scores(gold is not None) for place, one in ordered}, lines, sentences


def check_words(gold, source, target, name, number):
    """Raise `InputError` where `Gold` names a word beyond those of the sentence, `Words` of source and target."""
    for side, (words, place) in {"source": (source, 0), "target": (target, 1)}.items():
        count = len(words.texts) - 1
        if (most := max((link[place] for link in gold.possible), default=-1)) >= count:
            raise InputError(
                f"{name}, line {number}: gold alignments name the {side} word {most}, counted from 0, but the run sees "
                f"{count} words; give text whose words, with blanks between, are those that were aligned"
            )


def rows_of(name, scores):
    """Return the rows of a run."""
    return [{"run": name, "layer": str(layer), "head": head, **one} for (layer, head), one in scores.items()]


def draw_means(figure, by_run):
    """Draw Figures 1 and 2: the mean over heads, a heat map a run, on one scale."""
    longest = max(by_run.values(), key=lambda one: len(one["target"]))
    width, height = _size(longest)
    columns = min(len(by_run), 3)
    axes = grid(figure, -(-len(by_run) // columns), columns, width + 0.4, height)
    means = {name: one["weights"].mean(0) for name, one in by_run.items()}
    largest = max(values.max() for values in means.values())
    for each in axes.flat[len(by_run) :]:
        each.set_axis_off()
    for each, (name, values) in zip(axes.flat, means.items(), strict=False):
        one = by_run[name]
        image = draw_heat_map(each, values, one["target"], one["source"], largest=largest)
        titled(each, f"{name}: decoder layer {one['layer']}, mean of heads", 36)
    figure.colorbar(image, ax=axes, shrink=0.6)


def draw_heads(figure, name, sentence):
    """Draw the heat map of each head of a sentence that `measured` returns."""
    heads = sentence["heads"]
    columns = min(len(heads), 4)
    width, height = _size(sentence)
    axes = grid(figure, -(-len(heads) // columns), columns, 0.85 * width, 0.85 * height)
    largest = sentence["weights"].max()
    for each in axes.flat[len(heads) :]:
        each.set_axis_off()
    for each, head, values in zip(axes.flat, heads, sentence["weights"], strict=False):
        image = draw_heat_map(each, values, sentence["target"], sentence["source"], largest=largest)
        each.tick_params(labelsize=7)
        titled(each, head)
    figure.suptitle(f"{name}: decoder layer {sentence['layer']}", fontsize=10)
    figure.colorbar(image, ax=axes, shrink=0.6)


def draw_scores(figure, rows, key, label):
    """Draw a score of each head of each layer, the mean of heads last, a heat map a run."""
    by_run = {}
    for row in rows:
        if row["layer"] != ALL:
            by_run.setdefault(row["run"], {}).setdefault(row["layer"], []).append(row[key])
    most = max(len(layer) for layers in by_run.values() for layer in layers.values())
    columns = min(len(by_run), 2)
    depth = max(map(len, by_run.values()))
    axes = grid(figure, -(-len(by_run) // columns), columns, max(3.4, 0.36 * most + 1.2), 0.26 * depth + 1.5)
    values = [value for layers in by_run.values() for layer in layers.values() for value in layer if value is not None]
    scale = {"smallest": min(values, default=0), "largest": max(values, default=1)}
    for each in axes.flat[len(by_run) :]:
        each.set_axis_off()
    for each, (name, layers) in zip(axes.flat, by_run.items(), strict=False):
        count = max(map(len, layers.values()))
        matrix = np.full((len(layers), count), np.nan)
        for line, layer in zip(matrix, layers.values(), strict=True):
            line[[*range(len(layer) - 1), count - 1]] = [np.nan if value is None else value for value in layer]
        heads = [str(head) if count <= 17 or head % 4 == 0 else "" for head in range(1, count)]
        image = draw_heat_map(each, matrix, list(layers), [*heads, "mean"], numbers=".2f", **scale)
        each.set(xlabel="head", ylabel="layer")
        titled(each, name, 36)
    figure.suptitle(label, fontsize=10)
    figure.colorbar(image, ax=axes, shrink=0.8)


def _size(sentence):
    """Return inches of a heat map between the words of a sentence, with room for the longest."""
    source, target = sentence["source"], sentence["target"]
    room = 0.085 * max(map(len, [*source, *target])) + 0.3
    return max(2.4, WORD * len(source) + room), max(2.2, WORD * len(target) + room + 0.3)


def _slug(name):
    """Return the name of a run as part of the name of a file."""
    return re.sub(r"[^\w.=+-]+", "_", name)
