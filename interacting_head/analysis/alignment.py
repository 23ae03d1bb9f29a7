"""Encoder-decoder attention between words, as heat maps and alignments (Goindani & Shrivastava 2021, Figures 1 and 2).

Letters for shapes: `H` heads, with a scheme's further axis in front of them counted as heads; `T` and `S` sub-words of
target and source, end symbols included; `J` and `I` their words, likewise.
"""

import collections
import re
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from data.errors import InputError, counted
from data.text.parallel_text import SIDES, read_lines
from interacting_head.analysis.base import (
    AnalysedRun,
    Analysis,
    Findings,
    Pair,
    Sample,
    add_up,
    check_at_least,
    with_samples,
)
from interacting_head.analysis.figures import Figure, HeatMap, draw_heat_maps
from interacting_head.runs.alignment_choice import ALIGNMENT, MEAN, AlignmentChoice
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.translation.word_alignment import (
    Words,
    column_links,
    count_words,
    distributions,
    links,
    merged,
    pharaoh,
    words_of,
)

ALL = "all"
WEIGHTED = "weighted"


class Gold(NamedTuple):
    """Manual alignments {(i, j)} of a sentence; the possible links include the sure ones."""

    sure: set[tuple[int, int]]
    possible: set[tuple[int, int]]


def read_gold(path: str | Path) -> list[Gold]:
    """Return the links of each line of a file: `i-j` for a sure link, `i?j` or `ipj` for a possible one.

    Raises `InputError` if the file cannot be read, has something else, or no link in any line.
    """
    gold = []
    for number, line in enumerate(read_lines(path), start=1):
        sure, possible = set(), set()
        for link in line.split():
            match = re.fullmatch(r"(\d{1,9})([-?p])(\d{1,9})", link)
            if not match:
                raise InputError(
                    f"{path}, line {number}: {link!r} is not an alignment link; write i-j for a sure link and i?j for "
                    "a possible one, with source word i and target word j counted from 0"
                )
            i, kind, j = match.groups()
            possible.add((int(i), int(j)))
            if kind == "-":
                sure.add((int(i), int(j)))
        gold.append(Gold(sure, possible))
    if not any(one.possible for one in gold):
        raise InputError(f"{path} has no alignment link; give a file with links, such as 0-0 for a sure one")
    return gold


def sentence_sums(weights: np.ndarray, gold: Gold | None) -> dict[str, float]:
    """Return the arguments of `head_scores` for one sentence with weights `(J, I)`, to be summed over sentences."""
    words, found = weights[:-1, :-1], links(weights)  # a link for each target word
    columns = column_links(weights)  # a link for each source word
    largest = words.max(-1).sum() if words.size else 0.0
    sums = {"largest": largest, "words": len(found), "columns": len(columns), "agreeing": len(found & columns)}
    return {**sums, **(link_counts(found, gold) if gold is not None else {})}


def link_counts(found: set[tuple[int, int]], gold: Gold) -> dict[str, int]:
    """Return the arguments of `error_rates` for one sentence, to be summed over sentences."""
    both, possible = len(found & gold.sure), len(found & gold.possible)
    return {"found": len(found), "sure": len(gold.sure), "found_and_sure": both, "found_and_possible": possible}


def head_scores(largest: float, words: int, columns: int, agreeing: int, **counts: int) -> dict[str, float | None]:
    """Return the mean over target words of the largest weight on a source word, symmetry, and with gold error rates.

    The symmetry is 2 |A ∩ B| / (|A| + |B|): A links each target word to the source word of largest weight, B each
    source word to the target word of largest weight.
    """
    return {
        "largest": largest / words if words else None,
        "symmetry": 2 * agreeing / (words + columns) if words + columns else None,
        **(error_rates(**counts) if counts else {}),
    }


def error_rates(found: int, sure: int, found_and_sure: int, found_and_possible: int) -> dict[str, float | None]:
    """Return the scores of Och & Ney 2003, section 5.1, between 0 and 1; None if the denominator is 0.

    With the found links A, the sure links S and the possible links P ⊇ S:

        AER = 1 − (|A ∩ S| + |A ∩ P|) / (|A| + |S|)    precision = |A ∩ P| / |A|    recall = |A ∩ S| / |S|
    """
    return {
        "aer": 1 - (found_and_sure + found_and_possible) / (found + sure) if found + sure else None,
        "precision": found_and_possible / found if found else None,
        "recall": found_and_sure / sure if sure else None,
    }


class Alignment(Analysis):
    """The verb `alignment`."""

    name = "alignment"
    summary = "encoder-decoder attention between words: heat maps, word alignments, alignment error rate"

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--layer", type=int, metavar="N", help="decoder layer of alignments and heat maps; default: the last")
        add("--show", type=int, default=3, metavar="N", help="draw heat maps of the first N sentences; default: 3")
        store_help = "store the best layer and head in the run directory, for interacting-head translate --alignment"
        add("--store", action="store_true", help=store_help)
        gold_help = "manual alignments of -i and -r, for the error rate: i-j for sure links, i?j for possible ones"
        add("--gold", metavar="FILE", help=gold_help)

    def check(self, arguments: Namespace) -> None:
        check_at_least(0, show=arguments.show)
        check_at_least(1, layer=arguments.layer)
        if arguments.gold == "-":
            raise InputError("--gold must be a file, not standard input")
        if arguments.gold and None in (arguments.input, arguments.reference):
            raise InputError("--gold needs the two texts that it aligns; give them with -i and -r")

    def analyze(self, runs: list, arguments: Namespace) -> Findings:
        layers = {run.name: chosen_layer(run, arguments.layer) for run in runs}
        gold = read_gold(arguments.gold) if arguments.gold else None
        findings = Findings(data={"sentences": {}})
        sampled = with_samples(runs, arguments)
        for _, sample in sampled:
            if gold is not None and len(gold) != sample.lines:
                raise InputError(
                    f"{arguments.gold} has {counted(len(gold), 'line')} but {sample.name} has {sample.lines:,}; line n "
                    "of one must belong to line n of the other"
                )
        for run, sample in sampled:
            rows, lines, sentences, unaligned = measured(run, sample, layers[run.name], arguments.show, gold)
            findings.add_run(run, sample, rows)
            findings.notes.append(chosen(run, sample, rows, arguments))
            if unaligned:
                findings.notes.append(
                    f"{run.name}: no links for {counted(unaligned, 'sentence')}, whose words the run counts differently"
                )
            slug = re.sub(r"[^\w.=+-]+", "_", run.name)  # part of the name of a file
            while f"alignment.{slug}.pharaoh" in findings.files:  # of a run whose name differs in other characters
                slug += "_"
            findings.files[f"alignment.{slug}.pharaoh"] = "".join(f"{line}\n" for line in lines)
            findings.data["sentences"][run.name] = sentences
            for sentence in sentences:
                figure = f"alignment-sentence-{sentence['number']}-{slug}-heads"
                findings.add_figure(figure, draw_heads, run.name, sentence)
        for number, by_run in findings.by_sentence().items():
            findings.add_figure(f"alignment-sentence-{number}", draw_means, by_run)
        largest = "largest attention weight, mean over target words"
        score = ("aer", "alignment error rate") if gold else ("largest", largest)
        findings.add_figure("alignment-heads", draw_scores, findings.rows, *score)
        return findings


def chosen(run: AnalysedRun, sample: Sample, rows: list[dict], arguments: Namespace) -> str:
    """Return a line on the best layer and head for word alignments; with `--store`, write them into the run directory.

    It has the smallest error rate, or without gold alignments the largest symmetry.
    """
    score, sign = ("aer", -1) if arguments.gold else ("symmetry", 1)
    rated = [row for row in rows if row["layer"] != ALL and row["head"] != WEIGHTED and row[score] is not None]
    if not rated:
        raise InputError(f"{run.name}: no word of {sample.name} has a link; give other text")
    best = max(rated, key=lambda row: sign * row[score])
    choice = AlignmentChoice(int(best["layer"]), best["head"])
    line = f"{run.name}: best for word alignments by {score} ({best[score]:.4g}): {choice}"
    if not arguments.store:
        return f"{line}; --store keeps it for interacting-head translate --alignment"
    text = {"gold": arguments.gold} if arguments.gold else {"text": sample.name}
    record = {"layer": choice.layer, "head": choice.head, score: best[score], **text, "sentences": len(sample)}
    RunDirectory(run.path).write_json(ALIGNMENT, {**record, "checkpoint": run.checkpoint or "best"})
    return f"{line}; stored in {run.path / ALIGNMENT}"


def chosen_layer(run: AnalysedRun, layer: int | None) -> int:
    """Return the decoder layer to analyse, by default the last; raise `InputError` if the run does not have it."""
    most = run.config.model.decoder_layers
    if layer is not None and layer > most:
        raise InputError(f"--layer {layer}: {run.path} has the decoder layers 1 to {most}; choose one of them")
    return layer or most


def measured(
    run: AnalysedRun, sample: Sample, layer: int, show: int, gold: list[Gold] | None = None
) -> tuple[list, list[str], list[dict], int]:
    """Measure the encoder-decoder attention of a run between words.

    The alignments come from the mean over heads of one decoder layer. `gold` has an entry for each line of the text.
    Returns rows of the table; a line of alignments for each line of the text, empty for lines outside the sample or if
    the run sees other words in it; the first `show` sentences, with their words, the weights `(H, J, I)` and their mean
    `(J, I)`, weighted if heads have importance; and the number of sentences in which the run sees other words.
    """
    layers = {n: one for (site, n), one in run.model.attention_layers.items() if site == "cross"}
    names = {n: one.head_names for n, one in layers.items()}
    scores, over_layers = collections.defaultdict(dict), {}
    lines, sentences, unaligned = [""] * sample.lines, [], 0
    for pair, inspection in run.inspections(sample, attention=["cross"], head_importance=run.weighs_heads):
        source = words_of(pair.source_ids, run.subwords[0])
        target = words_of(pair.target_ids, run.subwords[1])
        one_gold = gold and gold[pair.number - 1]
        if one_gold:
            place = f"{sample.name}, line {pair.number}"
            check_words(one_gold, (pair.source, pair.target), (source, target), place)
        by_layer = {
            number: merged(distributions(weights) if layers[number].mixes_weights else weights, target, source)
            for (_, number), weights in inspection.attention.items()
        }
        by_layer = {number: heads.reshape(-1, *heads.shape[-2:]) for number, heads in by_layer.items()}
        weighted = {
            number: merged(np.einsum("th,hts->ts", importance, inspection.attention[site, number]), target, source)
            for (site, number), importance in (inspection.head_importance or {}).items()
            if site == "cross"
        }
        means = {number: heads.mean(0) for number, heads in by_layer.items()}
        for number, heads in by_layer.items():
            named = {**dict(zip(names[number], heads, strict=True)), MEAN: means[number]}
            if number in weighted:
                named[WEIGHTED] = weighted[number]
            for name, head in named.items():
                add_up(scores[number, name], sentence_sums(head, one_gold))
        add_up(over_layers, sentence_sums(np.mean(list(means.values()), axis=0), one_gold))
        if counts_same_words(run, pair, source, target if sample.references else None):
            lines[pair.number - 1] = pharaoh(links(means[layer]))
        else:
            unaligned += 1
        if len(sentences) < show:
            shown = {"number": pair.number, "layer": layer, "source": source.texts, "target": target.texts}
            mean = {"mean": weighted.get(layer, means[layer]), "is_weighted": layer in weighted}
            sentences.append({**shown, "heads": names[layer], "weights": by_layer[layer], **mean})
    scores[ALL, MEAN] = over_layers
    rows = [
        {"run": run.name, "layer": str(layer), "head": head, **head_scores(**sums)}
        for (layer, head), sums in scores.items()
    ]
    return rows, lines, sentences, unaligned


def counts_same_words(run: AnalysedRun, pair: Pair, source: Words, target: Words | None) -> bool:
    """Return whether the run sees as many words in a sentence, and in its reference if given, as the text has.

    A text may have the sign that stands for a blank.
    """
    translator = run.translator
    sides = [(translator.source_form, pair.source, source), (translator.target_form, pair.target, target)]
    return all(
        count_words(form.preprocess(text)) == len(words.texts) - 1 for form, text, words in sides if words is not None
    )


def check_words(gold: Gold, texts: tuple[str, str], both: tuple[Words, Words], line: str) -> None:
    """Raise `InputError` if gold links may count other words than the run, or name one beyond the end of a sentence.

    `texts` and `both` are the source and target as text, and as the words that the run sees.
    """
    for place, (side, text, words) in enumerate(zip(SIDES, texts, both, strict=True)):
        count = len(words.texts) - 1
        if count_words(text) != count:
            raise InputError(
                f"{line}: the run sees {count} {side} words, but the gold alignment counts the {count_words(text)} "
                "between blanks; give text that is tokenised as the run does it, with an alignment of these tokens"
            )
        if (most := max((link[place] for link in gold.possible), default=-1)) >= count:
            raise InputError(
                f"{line}: the gold alignment names {side} word {most} (counted from 0), but the run sees only {count} "
                "words; give the same text that was aligned, with words separated by blanks"
            )


def draw_means(by_run: dict[str, dict], figure: Figure) -> None:
    """Draw Figures 1 and 2: the mean over heads, weighted by importance if there is one; a heat map for each run."""
    maps = []
    for name, one in by_run.items():
        mean = "mean over heads" + ", weighted by importance" * one["is_weighted"]
        maps.append(_map_of_words(f"{name}: decoder layer {one['layer']}, {mean}", one["mean"], one))
    draw_heat_maps(figure, maps)


def draw_heads(name: str, sentence: dict, figure: Figure) -> None:
    """Draw one heat map for each head, for a sentence from `measured`."""
    maps = [_map_of_words(*head, sentence) for head in zip(sentence["heads"], sentence["weights"], strict=True)]
    draw_heat_maps(figure, maps, 4, title=f"{name}: decoder layer {sentence['layer']}")


def _map_of_words(title, values, sentence):
    return HeatMap(title, values, sentence["target"], sentence["source"], xlabel="", ylabel="")


def draw_scores(rows: list[dict], key: str, title: str, figure: Figure) -> None:
    """Draw a score of each head and layer, with the mean over heads last: one heat map for each run."""
    by_run = {}
    for row in rows:
        if row["layer"] != ALL and row["head"] != WEIGHTED:
            value = np.nan if row[key] is None else row[key]
            by_run.setdefault(row["run"], {}).setdefault(row["layer"], []).append(value)
    maps = []
    for name, layers in by_run.items():
        heads = HeatMap.of_heads(name, {layer: values[:-1] for layer, values in layers.items()})
        means = [[values[-1]] for values in layers.values()]
        maps.append(heads._replace(values=np.hstack([heads.values, means]), columns=[*heads.columns, "mean"]))
    values = np.concatenate([one.values[np.isfinite(one.values)] for one in maps])
    limits = (values.min(), values.max()) if values.size else None
    draw_heat_maps(figure, maps, 2, limits=limits, numbers=".2f", title=title)
