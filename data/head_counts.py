"""Numbers of heads that sentence lengths allow: sections 4.1 and 3.4 of Li & Luo (2022)."""

from collections.abc import Sequence

import numpy as np

from data.errors import InputError


def mean_length(*lengths: Sequence[int]) -> int:
    """Return n̄ of section 4.1: the mean number of tokens of a sentence over all given sides, rounded down.

    The means 20.8 and 21.1, 25.4 and 25.5, 27.5 and 25.9 of Table 1 give 20, 25 and 26. Raises `InputError` if the mean
    is below 1.
    """
    mean = sum(int(np.sum(side)) for side in lengths) / max(1, sum(len(side) for side in lengths))
    if mean < 1:
        raise InputError(f"the mean sentence length is {mean:.2f} tokens; give text with at least 1 token per sentence")
    return int(mean)


def most_heads(model_dim: int, *lengths: Sequence[int]) -> int:
    """Return h_max of equation (13), ⌊d / n⌋, with the shorter side's mean length: more heads would be smaller than n.

    This gives the 25, 20 and 20 heads of Table 2 for a model of 512; the n̄ of 26 in the paper's text for WMT17 EN-CS
    would give 19. Both allow the same numbers. Raises what `mean_length` raises.
    """
    return model_dim // min(map(mean_length, lengths))


def allowed_heads(model_dim: int, limit: int) -> list[int]:
    """Return the head counts of Table 2: powers of two from 2 to `limit` that divide `model_dim`."""
    powers = [2**exponent for exponent in range(1, max(1, limit).bit_length())]
    return [heads for heads in powers if heads <= limit and model_dim % heads == 0]
