"""What a metric returns, and how results are printed: a table for people, one JSON object for programs."""

import dataclasses
import json
import textwrap

TABLE_WIDTH = 110


@dataclasses.dataclass(frozen=True)
class Result:
    """What a metric says of a set of translations.

    Attributes:
        score: the corpus score on the papers' scale (per cent).
        sentence_scores: one score a sentence, as the metric defines it; the corpus score is not their mean.
        signature: everything that must be equal for two scores to be comparable.
        definition: the same in words.
    """

    score: float
    sentence_scores: list[float]
    signature: str
    definition: str


def format_table(results):
    """Returns a table of `{name: Result}` with each score's definition and signature."""
    width = max(len("metric"), *map(len, results))
    indent = " " * (width + 10)
    rows = [f"{'metric':<{width}}{'score':>8}  definition and signature"]
    for name, result in results.items():
        definition = textwrap.wrap(result.definition, TABLE_WIDTH - len(indent))
        first, *rest = [*definition, result.signature]
        rows.append(f"{name:<{width}}{result.score:>8.2f}  {first}")
        rows.extend(indent + line for line in rest)
    return "\n".join(rows)


def format_sentences(results):
    """Returns the sentence scores of `{name: Result}`, tab-separated, one sentence a line."""
    rows = ["\t".join(["sentence", *results])]
    columns = [result.sentence_scores for result in results.values()]
    for number, scores in enumerate(zip(*columns, strict=True), start=1):
        rows.append("\t".join([str(number), *(f"{score:.2f}" for score in scores)]))
    return "\n".join(rows)


def format_comparison(comparisons):
    """Returns a table of `{name: [SystemScore, …]}`, in which the first system is the baseline."""
    systems = [system for comparison in comparisons.values() for system in comparison]
    width = max(len("metric"), *map(len, comparisons))
    system_width = max(len("system"), *(len(system.system) for system in systems))
    rows = [
        "paired bootstrap resampling: mean and 95 % confidence interval; p: against the first system",
        f"{'metric':<{width}}  {'system':<{system_width}}{'score':>8}{'mean':>8}   interval        p",
    ]
    for name, comparison in comparisons.items():
        for system in comparison:
            p_value = "" if system.p_value is None else f"{system.p_value:.4f}"
            rows.append(
                f"{name:<{width}}  {system.system:<{system_width}}{system.score:>8.2f}{system.mean:>8.2f}"
                f"   ± {system.confidence:<6.2f}   {p_value:>6}".rstrip()
            )
        rows.append(" " * (width + 2) + comparison[0].signature)
    return "\n".join(rows)


def format_json(results, comparisons, sentence_level):
    """Returns `{name: {score, signature, definition, …}}` as JSON, with all digits.

    Args:
        results: `{name: Result}`.
        comparisons: `{name: [SystemScore, …]}`; may be empty.
        sentence_level: whether to add `sentence_scores`.
    """
    content = {}
    for name, result in results.items():
        content[name] = dataclasses.asdict(result)
        if not sentence_level:
            del content[name]["sentence_scores"]
        if name in comparisons:
            content[name]["comparison"] = [dataclasses.asdict(system) for system in comparisons[name]]
    return json.dumps(content, ensure_ascii=False, indent=2)
