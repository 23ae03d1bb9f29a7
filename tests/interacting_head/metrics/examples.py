"""Sentences to be scored, and METEOR where it is installed."""

import importlib.util
import shutil

import pytest

from interacting_head.metrics import evaluate

SENTENCES = [f"sentence {number} of the test set is about item {number * 7} here" for number in range(60)]
WORSE = [line.replace("test set is", "set") for line in SENTENCES]
with_meteor = pytest.mark.skipif(
    not (shutil.which("java") and importlib.util.find_spec("pycocoevalcap")), reason="needs Java and METEOR's archive"
)


def result(hypotheses, references, **options):
    """METEOR's `Result`."""
    return evaluate(hypotheses, references, ["meteor"], **options)["meteor"]
