"""Sentences to be scored, and METEOR where it is installed."""

import importlib.util
import shutil

import pytest

from interacting_head.metrics import evaluate
from tests import skip_reasons

SENTENCES = [f"sentence {number} of the test set is about item {number * 7} here" for number in range(60)]
WORSE = [line.replace("test set is", "set") for line in SENTENCES]
with_meteor = pytest.mark.skipif(
    not (shutil.which("java") and importlib.util.find_spec("pycocoevalcap")), reason=skip_reasons.METEOR
)


def result(hypotheses, references, **options):
    """METEOR's `Result`."""
    return evaluate(hypotheses, references, ["meteor"], **options)["meteor"]
