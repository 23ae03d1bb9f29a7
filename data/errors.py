"""The exceptions for user errors, and the search for the name that a user may have meant."""

from collections.abc import Callable, Iterable
from difflib import SequenceMatcher


class InputError(ValueError):
    """Unusable input; the message says in one line what was given, what is allowed and what to do."""


class MisfitError(InputError):
    """Settings that cannot be used with this text or on this machine, although they are valid."""


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
