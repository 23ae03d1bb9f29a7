"""Length penalties of beam search, by which log-probabilities are divided.

Each is a function of α and the number of tokens with the end symbol, floats in an array or a tensor.
"""

from typing import Any


def gnmt(length: Any, alpha: float) -> Any:
    """Return ((5 + n) / 6)^α (Wu et al. 2016, equation (14))."""
    return ((5.0 + length) / 6.0) ** alpha


def average(length: Any, alpha: float) -> Any:
    """Return n^α."""
    return length**alpha


def none(length: Any, alpha: float) -> Any:
    """Return 1."""
    return length**0


LENGTH_PENALTIES = {"gnmt": gnmt, "average": average, "none": none}
