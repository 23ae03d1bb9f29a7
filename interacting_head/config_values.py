"""Limits of configuration values (types, choices, ranges), and the nearest of an unknown key or name."""

import dataclasses
import difflib
import math

from data.errors import InputError

ABOVE_WHOLE = 2**31  # what arrays of 32 bits, and generators of random numbers, can hold
LONGEST_KEY = 100  # characters; a longer one is like none
MOST_HYPOTHESES = 100
"""Largest beam size, and number of translations drawn. Each hypothesis attends to the places of all, so that time grows
with the square; studies of wide beams, in which translations become worse from about ten on, use up to 100."""


def setting(default=dataclasses.MISSING, **limits):
    """A field of a configuration with its limits.

    Args:
        default: without one the key must be given.
        **limits: `choices` of words; `at_least` (by default 1 for whole numbers, 0 for others), `at_most`, `above`,
            `below` (by default 2³¹ for whole numbers).
    """
    return dataclasses.field(default=default, metadata=limits)


def checked(kind, value, key, limits):
    """The value of a key in its type `kind` (int, float, bool, str or dict), within the limits of its `setting`.

    Raises:
        InputError: for another type, a word that is no choice, a number out of range.
    """
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if kind is int and isinstance(value, float) and value.is_integer():  # 1e5
        value = int(value)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        words = {int: "a whole number", float: "a number", bool: "true or false", str: "a word", dict: "keys"}
        raise InputError(f"{key} must be {words[kind]}, got {value!r}")
    if value not in limits.get("choices", [value]):
        raise InputError(f"{key} must be one of {', '.join(limits['choices'])}, got {value!r}")
    if kind in (int, float):
        usual = {"at_least": 1, "below": ABOVE_WHOLE} if kind is int else {"at_least": 0}
        _check_range(key, value, **{**usual, **limits})
    return value


def _check_range(key, value, at_least, above=-math.inf, below=math.inf, at_most=math.inf):
    if not math.isfinite(value):
        raise InputError(f"{key} must be a finite number, got {value}")
    if value < at_least:
        raise InputError(f"{key} must be at least {at_least}, got {value}")
    if value > at_most:
        raise InputError(f"{key} must be at most {at_most}, got {value}")
    if value <= above:
        raise InputError(f"{key} must be above {above}, got {value}")
    if value >= below:
        raise InputError(f"{key} must be below {below}, got {value}")


def entry_of(registry, name, kind, hint=None):
    """The entry called `name` of a registry, {name: entry}.

    Args:
        registry: the entries by name.
        name: one of them.
        kind: of the entries, for the error.
        hint: for an unknown name that is near to none; default: all names.

    Raises:
        InputError: for an unknown name; it names the nearest.
    """
    if name not in registry:
        near = difflib.get_close_matches(name, registry, 1)
        hint = f"did you mean {near[0]}?" if near else hint or f"known: {', '.join(registry)}"
        raise InputError(f"unknown {kind} {name!r}; {hint}")
    return registry[name]


def unknown_key(key, known):
    """The `InputError` for a key that is not among the `known` ones: it names the nearest, or those of its section."""

    def likeness(name):
        """That of the last names, and of the whole ones where several share a last name."""
        last_names = difflib.SequenceMatcher(None, key.rpartition(".")[2], name.rpartition(".")[2])
        return last_names.ratio(), difflib.SequenceMatcher(None, key, name).ratio()

    nearest = max(known, key=likeness) if len(key) <= LONGEST_KEY else None
    if nearest and likeness(nearest)[0] >= 0.6:
        return InputError(f"unknown configuration key {key}; did you mean {nearest}?")
    section = [name for name in known if name.split(".")[0] == key.split(".")[0]]
    return InputError(f"unknown configuration key {key}; the keys are {', '.join(section or known)}")
