"""What a key of the configuration may be set to: types, choices, ranges; and which key an unknown one may mean."""

import difflib
import math

from data.errors import InputError
from data.text.profiles import PROFILES

CHOICES = {
    "data.profile": PROFILES,
    "model.normalization": ("post", "pre"),
    "model.memory": ("top", "all", "linear", "transparent", "iterative"),
    "model.memory_normalization": ("every", "top"),
    "model.placements.site": ("encoder", "decoder", "cross"),
    "train.schedule": ("noam", "inverse_square_root", "constant", "cosine"),
    "train.precision": ("float32", "mixed_bfloat16", "mixed_float16", "auto"),
    "train.best_metric": ("loss", "smoothed_loss", "bleu"),
    "decode.length_penalty_type": ("gnmt", "average", "none"),
}
MAY_BE_ZERO = ("seed", "keep_best", "average_last")  # whole numbers
ABOVE_ZERO = ("learning_rate", "gradient_clip", "adam_epsilon")
BELOW_ONE = ("dropout", "activation_dropout", "label_smoothing", "adam_beta_1", "adam_beta_2", "ema_decay")


def checked(kind, value, key):
    """The value of a key in its type `kind` (int, float, bool, str or dict).

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
    choices = CHOICES.get(key)
    if choices and value not in choices:
        raise InputError(f"{key} must be one of {', '.join(choices)}, got {value!r}")
    if isinstance(value, int | float) and not isinstance(value, bool):
        _check_range(key, value)
    return value


def _check_range(key, value):
    name = key.rpartition(".")[2]
    if not math.isfinite(value):
        raise InputError(f"{key} must be a finite number, got {value}")
    lowest = 0 if isinstance(value, float) or name in MAY_BE_ZERO else 1
    if name in ABOVE_ZERO and value == 0:
        raise InputError(f"{key} must be above 0, got {value}")
    if not value >= lowest:
        raise InputError(f"{key} must be at least {lowest}, got {value}")
    if name in BELOW_ONE and value >= 1:
        raise InputError(f"{key} must be below 1, got {value}")


def unknown_key(key, known):
    """The `InputError` for a key that is not among the `known` ones: it names the nearest, or those of its section."""

    def likeness(name):
        """That of the last names, and of the whole ones where several share a last name."""
        last_names = difflib.SequenceMatcher(None, key.rpartition(".")[2], name.rpartition(".")[2])
        return last_names.ratio(), difflib.SequenceMatcher(None, key, name).ratio()

    nearest = max(known, key=likeness)
    if likeness(nearest)[0] >= 0.6:
        return InputError(f"unknown configuration key {key}; did you mean {nearest}?")
    section = [name for name in known if name.split(".")[0] == key.split(".")[0]]
    return InputError(f"unknown configuration key {key}; the keys are {', '.join(section or known)}")
