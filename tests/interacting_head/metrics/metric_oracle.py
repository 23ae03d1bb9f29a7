"""The original tools' output on a few sets, where it is at hand, and random sentences."""

import functools
import json
from pathlib import Path

import pytest

from interacting_head.metrics.lines import read_lines
from tests import skip_reasons

FOLDER = Path(__file__).parents[4] / "shared" / "oracle" / "metrics"
SETS = ["m30k_en_tok", "m30k_en_raw", "m30k_en_multiref", "m30k_de_tok", "m30k_cs_raw", "edge_cases"]

with_oracle = pytest.mark.skipif(not FOLDER.exists(), reason=skip_reasons.ORACLE)
on_every_set = pytest.mark.parametrize("name", SETS)


@functools.cache
def oracle(name):
    """Return hypotheses, references and the tools' results of one set."""
    content = json.loads((FOLDER / "scores.json").read_text(encoding="utf-8"))["sets"][name]
    hypotheses = read_lines(FOLDER / "data" / content["files"]["hyp"])
    references = [read_lines(FOLDER / "data" / file) for file in content["files"]["refs"]]
    return hypotheses, references, content["results"]


def random_pair(generator, longest):
    """Return a hypothesis and a reference, both lists of words: unrelated, shifted about, or a loop.

    Args:
        generator: a `random.Random`.
        longest: the greatest number of words of either.
    """
    words = [f"w{number}" for number in range(generator.choice([1, 2, 3, 5, 12, 40]))]
    reference = generator.choices(words, k=generator.randint(1, longest))
    kind = generator.choice(["unrelated", "shifted", "shifted", "loop"])
    if kind == "unrelated":
        hypothesis = generator.choices(words, k=generator.randint(0, longest))
    elif kind == "loop":
        unit = generator.choices(words, k=generator.randint(1, 4))
        hypothesis = (unit * longest)[: generator.randint(0, longest)]
    else:
        hypothesis = list(reference)
        for _ in range(generator.randint(1, 5)):
            start, end = sorted(generator.choices(range(len(hypothesis) + 1), k=2))
            run = hypothesis[start:end]
            del hypothesis[start:end]
            place = generator.randint(0, len(hypothesis))
            hypothesis[place:place] = [*run, *generator.choices(words, k=generator.randint(0, 1))]
    return hypothesis[:longest], reference
