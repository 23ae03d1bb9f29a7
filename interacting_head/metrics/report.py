"""Output formats of an evaluation: tables for people, Markdown for documents, JSON for programs."""

import dataclasses
import json
import shutil
import sys
import textwrap

from interacting_head.console.text_tables import aligned, markdown
from interacting_head.metrics.evaluation import Evaluation

TABLE_WIDTH = 110  # most characters of a line of text; fewer on a narrower terminal
SHORTEST_NAME = 12
RESAMPLED = "paired bootstrap resampling: mean, 95 % confidence interval, p-value against the first system"
BY_LENGTH = "scores by number of words in the source sentence"
COMPARISON_COLUMNS = ["metric", "system", "score", "mean", "lower", "upper", "p", "p as sacrebleu"]


def format_table(evaluation: Evaluation, sentence_level: bool = False) -> str:
    """Return an `Evaluation` as plain text for the terminal, each score with its definition and signature."""
    columns = shutil.get_terminal_size((sys.maxsize, 24)).columns  # unlimited in a file
    width = min(TABLE_WIDTH, columns)
    parts = [_format_scores(evaluation, width)]
    if evaluation.comparisons:
        heading = textwrap.wrap(RESAMPLED, width)
        lines = _of_systems([COMPARISON_COLUMNS, *_comparison_rows(evaluation)], columns)
        signatures = [
            f"{name}: " + "\n  ".join(_wrapped_signature(systems[0].signature, width - len(f"{name}: ")))
            for name, systems in evaluation.comparisons.items()
        ]
        parts.append("\n".join([*heading, *lines, *signatures]))
    if evaluation.source_lengths:
        parts.append("\n".join([BY_LENGTH, *_of_systems(list(_length_rows(evaluation)), columns)]))
    if sentence_level and evaluation.results:
        parts.append("\n".join("\t".join(row) for row in _sentence_rows(evaluation)))
    return "\n\n".join(parts)


def format_markdown(evaluation: Evaluation, sentence_level: bool = False) -> str:
    """Return an `Evaluation` as Markdown tables."""
    rows = [["metric", "score", "definition", "signature"]]
    for *cells, signature in _score_rows(evaluation):
        rows.append([*cells, signature and f"`{signature}`"])
    parts = [markdown(rows, left={0, 2, 3})]
    if evaluation.comparisons:
        table = markdown([COMPARISON_COLUMNS, *_comparison_rows(evaluation)], left={0, 1})
        parts += [f"{RESAMPLED[0].upper()}{RESAMPLED[1:]}:", table]
    if evaluation.source_lengths:
        parts += [f"{BY_LENGTH[0].upper()}{BY_LENGTH[1:]}:", markdown(_length_rows(evaluation), left={0, 1})]
    if sentence_level and evaluation.results:
        parts += [markdown(_sentence_rows(evaluation), left={0})]
    return "\n\n".join(parts)


def format_json(evaluation: Evaluation, sentence_level: bool = False) -> str:
    """Return `{metric: {"score", "signature", "definition", …}}` as JSON, with all digits.

    The score of an unavailable metric is null, and `unavailable` says why.
    """
    content = {}
    for name, result in evaluation.results.items():
        entry = content[name] = dataclasses.asdict(result)
        if not sentence_level:
            del entry["sentence_scores"]
        if not result.details:
            del entry["details"]
        if name in evaluation.comparisons:
            entry["comparison"] = [dataclasses.asdict(system) for system in evaluation.comparisons[name]]
        if name in evaluation.source_lengths:
            entry["source_lengths"] = [
                vars(group) | {"scores": [{"system": system, "score": score} for system, score in group.scores]}
                for group in evaluation.source_lengths[name]
            ]
    for name, reason in evaluation.unavailable.items():
        content[name] = {"score": None, "unavailable": reason}
    return json.dumps(content, ensure_ascii=False, indent=2)


def _format_scores(evaluation, table_width):
    width = max(len("metric"), *map(len, [*evaluation.results, *evaluation.unavailable]))
    indent = " " * (width + 10)
    rows = [f"{'metric':<{width}}{'score':>8}  definition and signature"]
    for name, score, definition, signature in _score_rows(evaluation):
        lines = textwrap.wrap(definition, max(table_width - len(indent), 20), break_on_hyphens=False)
        lines += _wrapped_signature(signature, table_width - len(indent))
        rows.append(f"{name:<{width}}{score:>8}  " + f"\n{indent}".join(lines))
    return "\n".join(rows)


def _wrapped_signature(signature, width):
    """Return the lines of a signature, broken after `|` if it is longer than `width`."""
    lines = textwrap.wrap(signature.replace("|", "| "), max(width, 20), break_long_words=False, break_on_hyphens=False)
    return [line.replace("| ", "|") for line in lines]


def _of_systems(rows, width):
    """Return rows (metric, system, figures …) as lines of `width`; long system names are cut on the left."""
    excess = max(map(len, aligned(rows, left={0, 1}))) - width
    room = max(max(len(system) for _, system, *_ in rows) - max(excess, 0), SHORTEST_NAME)
    shortened = [
        [metric, system if len(system) <= room else f"…{system[1 - room :]}", *figures]
        for metric, system, *figures in rows
    ]
    return aligned(shortened, left={0, 1})


def _score_rows(evaluation):
    """Yield name, score, definition (or why it is unavailable) and signature of each metric."""
    for name, result in evaluation.results.items():
        details = [f"{detail.replace('_', '-')}: {_number(value)}" for detail, value in result.details.items()]
        yield [name, _number(result.score), "; ".join([result.definition, *details]), result.signature]
    for name, reason in evaluation.unavailable.items():
        yield [name, _number(None), f"unavailable: {reason}", ""]


def _comparison_rows(evaluation):
    for name, systems in evaluation.comparisons.items():
        for system in systems:
            figures = [system.score, system.mean, system.lower, system.upper]
            p_values = [system.p_value, system.p_value_sacrebleu]
            yield [name, system.system, *map(_number, figures), *(_number(p, digits=4, none="") for p in p_values)]


def _length_rows(evaluation):
    """Yield a header, the numbers of sentences, and a row for each metric and system."""
    groups = next(iter(evaluation.source_lengths.values()))
    yield ["metric", "system", *(group.length for group in groups)]
    yield ["sentences", "", *(str(group.sentences) for group in groups)]
    for name, groups in evaluation.source_lengths.items():
        for scores in zip(*(group.scores for group in groups), strict=True):
            yield [name, scores[0][0], *(_number(score) for _, score in scores)]


def _sentence_rows(evaluation):
    yield ["sentence", *evaluation.results]
    columns = [result.sentence_scores for result in evaluation.results.values()]
    for number, scores in enumerate(zip(*columns, strict=True), start=1):
        yield [str(number), *map(_number, scores)]


def _number(value, digits=2, none="–"):
    return none if value is None else f"{value:.{digits}f}"
