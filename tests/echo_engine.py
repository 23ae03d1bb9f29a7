"""translate.py with an engine that gives each line back at once, and knows no model: -m ANYTHING --engine echo …"""

import sys
import time
import types

from data.text.profiles import RAW_TEXT
from interacting_head import console
from interacting_head.config import DecodeConfig, ExperimentConfig
from interacting_head.translation import engines
from interacting_head.translation.engines.engine import Engine, Hypothesis
from translate import main

SLOW = "slow"  # a line that takes a while
AT_WORK = "at work on it"  # what is said of it before
NAME = "echo"


class Letters:
    """Sub-words that are characters."""

    @staticmethod
    def piece(number):
        return chr(number)

    @staticmethod
    def encode(lines):
        return [list(map(ord, line.strip(" "))) for line in lines]

    @staticmethod
    def decode(sentences):
        return ["".join(map(chr, ids)) for ids in sentences]


class Echo(Engine):
    """A prefix is put before the line, and a score is the length of a translation."""

    name = NAME

    @classmethod
    def open(cls, paths, checkpoint=None):
        run = types.SimpleNamespace(
            config=ExperimentConfig(decode=DecodeConfig(length_penalty_type="none")),
            subwords=lambda: (Letters(), Letters()),
            text_forms=lambda: (RAW_TEXT, RAW_TEXT),
            languages=lambda data: (None, None),
        )
        return cls(), run

    def search(self, sentences, options, rows, token_scores=True):
        found = []
        for sentence in sentences:
            if Letters.decode([sentence.source]) == [SLOW]:
                print(AT_WORK, file=sys.stderr, flush=True)
                time.sleep(60)
            ids = [*(sentence.prefix or []), *sentence.source]
            token_scores = [-1.0] * len(ids) + [0.0]
            found.append([Hypothesis(-float(len(ids) + rank), ids, token_scores) for rank in range(options.n_best)])
        return found

    def score(self, pairs, rows):
        return [[1.0] * len(target) + [0.0] for _, target in pairs]


engines.ENGINES[NAME] = engines.EngineEntry("tests.echo_engine:Echo")


if __name__ == "__main__":
    console.run(main)
