"""The exceptions for user errors, and what their messages need: counts in words, the name that was meant."""

from collections.abc import Callable, Iterable
from difflib import SequenceMatcher


class InputError(ValueError):
    """Unusable input; the message says in one line what was given, what is allowed and what to do."""


class MisfitError(InputError):
    """Settings that cannot be used with this text or on this machine, although they are valid."""


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, as in "1 line" and "2,000 lines"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def nearest_names(
    name: str, known: Iterable[str], most: int = 1, cutoff: float = 0.6, part: Callable[[str], str] = str
) -> list[str]:
    """Return the known names closest to `name`, best first, as `difflib.get_close_matches` does.

    `part` extracts the part of a name that is compared first and against `cutoff`; whole names break ties.
    """
    found = []
    for other in known:
        matcher = SequenceMatcher(None, part(other), part(name))
        if matcher.real_quick_ratio() >= cutoff and matcher.ratio() >= cutoff:  # the first is fast on long input
            found.append((matcher.ratio(), SequenceMatcher(None, other, name).ratio(), other))
    return [other for *_, other in sorted(found, reverse=True)[:most]]
