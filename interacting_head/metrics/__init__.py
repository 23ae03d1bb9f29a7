"""Metrics of translation quality: `evaluate` scores hypotheses against references.

Metrics are functions of strings and know no model. A further metric is a class in a file of its own, called
with hypotheses and lists of references and returning a `Result`, and one line in `METRICS`.
"""

import difflib

from data.errors import InputError
from interacting_head.metrics.bleu import MultiBleu, SacreBleu
from interacting_head.metrics.lines import check_lines
from interacting_head.metrics.report import Result

__all__ = ["METRICS", "Result", "check_names", "evaluate"]

METRICS = {
    "bleu": MultiBleu,
    "sacrebleu": SacreBleu,
}


def evaluate(hypotheses, references, names, **options):
    """Scores hypotheses with each of the named metrics.

    Args:
        hypotheses: list of strings, one a sentence; an empty string is an empty translation.
        references: list of strings, or a list of such lists (several references).
        names: keys of `METRICS`.
        **options: `lowercase=True` ignores case; `tokenized=True` says that the text is tokenised already.

    Returns:
        `{name: Result}` with `score` (per cent), `sentence_scores`, `signature` and `definition`.

    Raises:
        InputError: for an unknown metric, unequal numbers of lines or an empty reference.

    Example:
        >>> evaluate(["the cat sat on the mat"], ["the cat sat on a mat"], ["bleu"])["bleu"].score
        53.7284...
    """
    names = check_names(names)
    hypotheses = list(hypotheses)
    references = [references] if references and isinstance(references[0], str) else references
    references = [list(reference) for reference in references]
    check_lines(hypotheses, references)
    return {name: METRICS[name](**options)(hypotheses, references) for name in names}


def check_names(names):
    """Returns the names of metrics as a list; an unknown one is an `InputError` that gives the nearest."""
    names = list(names)
    for name in names:
        if name not in METRICS:
            nearest = difflib.get_close_matches(name.lower(), METRICS, n=1, cutoff=0)[0]
            raise InputError(f"unknown metric '{name}'; the nearest is '{nearest}' (known: {', '.join(METRICS)})")
    return names
