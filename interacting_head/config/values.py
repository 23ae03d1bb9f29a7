"""Configuration values: meanings, types, choices and ranges, and suggestions for unknown keys or names."""

import dataclasses
import math
import operator
import types
import typing

from data.errors import InputError, nearest_names

ABOVE_WHOLE = 2**31  # the limit of 32-bit arrays and of seeds
OUTSIDE = {"at_least": operator.lt, "at_most": operator.gt, "above": operator.le, "below": operator.ge}
FORMER_KEYS = {"train.accumulate_batches": "train.gradient_accumulation_steps"}
"""Keys in earlier versions → current keys."""
LONGEST_KEY = 100  # characters; longer keys get no suggestion
MOST_SUBWORDS = 100_000
"""Largest length of a translation that can be set."""
MOST_PENALTY = 7
"""Largest α of a length penalty: length^α of the longest translation is then a number in float32."""
MOST_HYPOTHESES = 100
"""Largest beam size and number of samples. Time grows with the square, since each hypothesis attends to the cache of
all; studies of wide beams, which degrade translations from about ten on, use up to 100."""


def setting(default: object = dataclasses.MISSING, meaning: str = "", **limits: object) -> typing.Any:
    """Return a configuration field; without a default the key is required.

    Args:
        meaning: one line for docs/configuration.md.
        **limits: `choices`; `at_least` (by default 1 for whole numbers, 0 for others), `at_most`, `above`, `below` (by
            default 2³¹ for whole numbers); `former`, {value in earlier versions: current value}.
    """
    metadata = {"meaning": meaning, "limits": limits}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=default.copy, metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def parsed(cls: type, mapping: dict, known: list[str], path: str = "") -> typing.Any:
    """Return the configuration `cls`, a dataclass of `setting`s, from a mapping; omitted keys keep their defaults.

    `known` are all keys of the whole configuration, for suggestions, and `path` is the mapping's key within it. Raises
    `InputError` for an unknown key or an invalid value.
    """
    names = [field.name for field in dataclasses.fields(cls)]
    if not isinstance(mapping, dict):
        raise InputError(f"{path} must be a mapping with the keys {', '.join(names)}, got {mapping!r}")
    for key in mapping:
        if key not in names:
            here = [f"{path}.{name}".lstrip(".") for name in names]
            raise unknown_key(f"{path}.{key}".lstrip("."), [*here, *known])
    hints = typing.get_type_hints(cls)
    values = {}
    for field in dataclasses.fields(cls):
        if field.name in mapping:
            key, limits = f"{path}.{field.name}".lstrip("."), field.metadata.get("limits", {})
            values[field.name] = _converted(hints[field.name], mapping[field.name], known, key, limits)
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if required and field.name not in values:
            raise InputError(f"{path} lacks the key {field.name}")
    return cls(**values)


def _converted(hint, value, known, path, limits):
    """Return the value converted to the type of its field."""
    if isinstance(hint, types.UnionType):  # X | None, or X | tuple[X, X]
        kinds = [kind for kind in typing.get_args(hint) if kind is not types.NoneType]
        if value is None and len(kinds) < len(typing.get_args(hint)):
            return None
        is_list = isinstance(value, list | tuple)
        fitting = [kind for kind in kinds if is_list == (typing.get_origin(kind) is tuple)]
        return _converted((fitting or kinds)[0], value, known, path, limits)
    if typing.get_origin(hint) is tuple:
        if not isinstance(value, list | tuple):
            raise InputError(f"{path} must be a list, got {value!r}")
        return tuple(_converted(typing.get_args(hint)[0], item, known, path, limits) for item in value)
    if dataclasses.is_dataclass(hint):
        return parsed(hint, value, known, path)
    return checked(hint, value, path, limits)


def checked(kind: type, value: object, key: str, limits: dict) -> typing.Any:
    """Return the value of a key as `kind` (int, float, bool, str or dict); raise `InputError` for invalid values."""
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if kind is int and isinstance(value, float) and value.is_integer():  # 1e5
        value = int(value)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        words = {int: "a whole number", float: "a number", bool: "true or false", str: "a string", dict: "a mapping"}
        raise InputError(f"{key} must be {words[kind]}, got {value!r}")
    if value in limits.get("former", ()):
        raise InputError(f"{key}: {value} is now called {limits['former'][value]}")
    if value not in limits.get("choices", [value]):
        raise InputError(f"{key} must be one of {', '.join(limits['choices'])}, got {value!r}")
    if kind in (int, float):
        if not math.isfinite(value):
            raise InputError(f"{key} must be a finite number, got {value}")
        limits = limits_of(kind, limits)
        for limit, is_outside in OUTSIDE.items():
            if limit in limits and is_outside(value, limits[limit]):
                raise InputError(f"{key} must be {limit.replace('_', ' ')} {limits[limit]}, got {value}")
    return value


def limits_of(kind: type, limits: dict) -> dict:
    """Return the limits of a number of type `kind`, int or float, defaults included."""
    usual = {"at_least": 1, "below": ABOVE_WHOLE} if kind is int else {"at_least": 0}
    return {**usual, **limits}


def entry_of(registry: dict, name: str, kind: str, hint: str | None = None) -> typing.Any:
    """Return the entry `name` of a registry; raise `InputError`, with the closest name, if it is unknown.

    `kind` names the entries in messages; `hint` replaces the list of all names if none is close.
    """
    if name not in registry:
        near = nearest_names(name, registry)
        hint = f"did you mean {near[0]}?" if near else hint or f"known: {', '.join(registry)}"
        raise InputError(f"unknown {kind} {name!r}; {hint}")
    return registry[name]


def unknown_key(key: str, known: list[str]) -> InputError:
    """Return the error for an unknown key, with its current name, the closest key, or the section's keys."""
    if key in FORMER_KEYS:
        return InputError(f"{key} is now called {FORMER_KEYS[key]}")
    near = nearest_names(key, known, part=lambda name: name.rpartition(".")[2]) if len(key) <= LONGEST_KEY else []
    if near:
        return InputError(f"unknown configuration key {key}; did you mean {near[0]}?")
    section = [name for name in known if name.startswith(f"{key.rpartition('.')[0]}.")]
    return InputError(f"unknown configuration key {key}; the keys are {', '.join(dict.fromkeys(section or known))}")
