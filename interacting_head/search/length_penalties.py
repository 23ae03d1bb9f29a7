"""Length penalties of beam search by name, by which the log-probability of a hypothesis is divided.

Each takes the number of tokens, the end symbol counted, as floats (an array or a tensor), and α.
"""

from typing import Any


def gnmt(length: Any, alpha: float) -> Any:
    """Return ((5 + n) / 6)^α (Wu et al. 2016, equation (14))."""
    return ((5.0 + length) / 6.0) ** alpha


def average(length: Any, alpha: float) -> Any:
    """Return n^α."""
    return length**alpha


def none(length: Any, alpha: float) -> Any:
    """Return 1 for each length."""
    return length**0


LENGTH_PENALTIES = {"gnmt": gnmt, "average": average, "none": none}
