"""translate.py with an engine that gives each line back at once, and knows no model: -m ANYTHING --engine echo …"""

import sys
import time
from typing import NamedTuple

from interacting_head import console as command_line
from interacting_head.translation import options as translation_options
from interacting_head.translation.files import translate_file

SLOW = "slow"  # a line that takes a while
AT_WORK = "at work on it"  # what is said of it before
NAME = "echo"


class Letters:
    """Sub-words that are characters."""

    @staticmethod
    def piece(number):
        return chr(number)


class Echoed(NamedTuple):
    """As `translator.Translation`."""

    text: str
    score: float
    tokens: list
    token_scores: list


class Echo:
    """As `Translator`; a prefix is put before the line, and a score is the length of a translation."""

    target_subwords = Letters()

    def __init__(self, n_best):
        self.n_best = n_best

    @classmethod
    def from_run(cls, paths, checkpoint=None, batch_size=None, batch_tokens=None, n_best=1, **search):
        return cls(n_best)

    def translate(self, lines, window=None, prefixes=None, first_number=0):
        assert window == len(lines)
        for line, prefix in zip(lines, prefixes or [""] * len(lines), strict=True):
            if line == SLOW:
                print(AT_WORK, file=sys.stderr, flush=True)
                time.sleep(60)
            text = (prefix + line).strip(" ")
            tokens = [ord(letter) for letter in text]
            best = Echoed(text, -float(len(tokens)), tokens, [-1.0] * len(tokens) + [0.0] if tokens else [])
            yield [best._replace(score=best.score - rank) for rank in range(self.n_best if tokens else 1)]

    def score(self, sources, targets, window=None):
        for _, target in zip(sources, targets, strict=True):
            tokens = [ord(letter) for letter in target]
            yield Echoed(target, float(len(tokens)), tokens, [1.0] * len(tokens) + [0.0])

    def tokenized(self, translation):
        return translation._replace(text=" ".join(translation.text))


translation_options.ENGINES[NAME] = "tests.echo_engine:Echo"


def main():
    return translate_file(translation_options.parse_arguments(__doc__))


if __name__ == "__main__":
    command_line.run(main)
