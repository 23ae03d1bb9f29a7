"""Search options."""

import dataclasses
import math
from typing import Any

from data.errors import InputError
from interacting_head.config import DecodeConfig
from interacting_head.config.values import MOST_HYPOTHESES, MOST_PENALTY, MOST_SUBWORDS

IMPOSSIBLE = -1e9
"""Score of a forbidden token."""

LIMITS = {
    "beam_size": (1, MOST_HYPOTHESES),
    "min_length": (0, MOST_SUBWORDS),
    "max_length": (1, MOST_SUBWORDS),
    "n_best": (1, MOST_HYPOTHESES),
    "no_repeat_ngram": (0, 100),  # the time to compile a search grows with it
    "top_k": (0, math.inf),
    "seed": (0, math.inf),
}
"""Least and largest values of integer options."""

LEAST_TEMPERATURE = 1e-6


LENGTH_PENALTIES = {
    "gnmt": lambda length, alpha: ((5.0 + length) / 6.0) ** alpha,  # Wu et al. 2016, equation (14)
    "average": lambda length, alpha: length**alpha,
    "none": lambda length, alpha: length**0,
}
"""Type → divisor of the log-probability, of the number of tokens with the end symbol (in an array or tensor) and α."""


@dataclasses.dataclass(frozen=True)
class SearchOptions:
    """Settings of a search, by default as in `DecodeConfig`.

    Args:
        length_penalty, length_penalty_type: α and the name in `LENGTH_PENALTIES`.
        min_length, max_length: limits in sub-words without the end symbol; default: none, and 2 s + 11 for a source of
            s sub-words.
        n_best: translations of a sentence; with fewer the search may end earlier.
        no_repeat_ngram: size of n-grams that must not repeat in a translation; 0: no limit.
        sampling: draw `n_best` translations independently instead of searching for the best.
        temperature: divides the logits before sampling.
        top_k: sample from this many likeliest sub-words; 0: from all.
        top_p: sample from the fewest likeliest sub-words whose probabilities sum up to it.
        seed: draws for a line depend only on it and on the line number.

    Raises `InputError` for values that are out of range or contradict each other.
    """

    beam_size: int = DecodeConfig.beam_size
    length_penalty: float = DecodeConfig.length_penalty
    length_penalty_type: str = DecodeConfig.length_penalty_type
    min_length: int | None = None
    max_length: int | None = DecodeConfig.max_length
    n_best: int = 1
    no_repeat_ngram: int = 0
    sampling: bool = False
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 1

    def __post_init__(self):
        for name, (least, largest) in LIMITS.items():
            value = getattr(self, name)
            if value is None and name in ("min_length", "max_length"):
                continue
            if not isinstance(value, int) or value < least:
                raise InputError(f"{name} must be a whole number of at least {least}, got {value}")
            if value > largest:
                raise InputError(f"{name} must be at most {largest}, got {value}")
        kind, alpha, temperature = self.length_penalty_type, self.length_penalty, self.temperature
        if kind not in LENGTH_PENALTIES:
            raise InputError(f"length_penalty_type must be one of {', '.join(LENGTH_PENALTIES)}, got {kind!r}")
        if not 0 <= alpha <= MOST_PENALTY:
            raise InputError(f"length_penalty must be a number from 0 to {MOST_PENALTY}, got {alpha}")
        if not LEAST_TEMPERATURE <= temperature < math.inf:
            raise InputError(
                f"temperature must be a number above 0, at least {LEAST_TEMPERATURE}, got {temperature}; top_k 1 "
                "always takes the likeliest sub-word"
            )
        if not 0 < self.top_p <= 1:
            raise InputError(f"top_p must be above 0 and at most 1, got {self.top_p}")
        if None not in (self.min_length, self.max_length) and self.min_length > self.max_length:
            raise InputError(f"min_length {self.min_length} is above max_length {self.max_length}; change one of them")
        if self.n_best > self.beam_size and not self.sampling:
            raise InputError(f"n_best {self.n_best} is above beam_size {self.beam_size}; raise beam_size too")

    @classmethod
    def of(cls, decode: DecodeConfig, given: dict) -> "SearchOptions":
        """Return the options of a run's `DecodeConfig`, overridden by the given ones that are not None."""
        names = {field.name for field in dataclasses.fields(cls)}
        own = {name: value for name, value in vars(decode).items() if name in names}
        return cls(**{**own, **{name: value for name, value in given.items() if value is not None}})

    @property
    def forbids_subwords(self) -> bool:
        """True if some sub-words are forbidden at some positions."""
        return bool(self.min_length or self.no_repeat_ngram)

    @property
    def hypotheses(self) -> int:
        """N, the number of hypotheses of a sentence."""
        return self.n_best if self.sampling else self.beam_size

    def penalty(self, length: Any) -> Any:
        """Return the penalty of hypotheses of `length` tokens, floats, the end symbol counted."""
        return LENGTH_PENALTIES[self.length_penalty_type](length, self.length_penalty)


def length_limit(source_length: Any) -> Any:
    """Return the default limit of target tokens for a number of source tokens, both with end symbols."""
    return 2 * source_length + 10
