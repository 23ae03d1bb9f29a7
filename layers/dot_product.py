"""Boolean attention masks (1 = attend), the bias that they become before a softmax, and attention by one kernel."""

import functools

import keras
import numpy as np
from keras import KerasTensor, ops

# Far below any logit, but finite, so that a row with all keys masked stays finite.
MASKED = -1e9


def combine_masks(
    attention_mask: KerasTensor | None,
    key_masks: tuple[KerasTensor | list[KerasTensor] | None, ...],
    causal_shape: tuple | None = None,
    causal_offset: int | KerasTensor = 0,
) -> KerasTensor | None:
    """Join masks by "and" into one boolean `(B or 1, T or 1, S or 1)`, or None if nothing is masked.

    Args:
        attention_mask: `(B, T, S)` or broadcastable to it, such as `(T, S)` or `(S,)`; or None.
        key_masks: `(B, S)` or None, each; a list of several memories, of the same sentences, counts by its first mask.
        causal_shape: `(T, S)`: query position t, at `causal_offset` + t, attends to key positions up to its own.

    Raises `ValueError` for an attention mask with more than three axes.
    """
    masks = []
    if attention_mask is not None:
        mask = ops.cast(attention_mask, "bool")
        if len(mask.shape) > 3:
            raise ValueError(f"attention_mask must have the shape (B, T, S), the same for all heads, got {mask.shape}")
        masks.append(ops.expand_dims(mask, tuple(range(3 - len(mask.shape)))) if len(mask.shape) < 3 else mask)
    for key_mask in key_masks:
        several = key_mask if isinstance(key_mask, list | tuple) else [key_mask]
        masks += [ops.expand_dims(ops.cast(mask, "bool"), 1) for mask in several if mask is not None][:1]  # (B, 1, S)
    if causal_shape is not None:
        T, S = causal_shape
        rows = ops.expand_dims(ops.arange(T), 1) + causal_offset
        masks.append(ops.expand_dims(ops.arange(S) <= rows, 0))  # (1, T, S)
    return functools.reduce(ops.logical_and, masks) if masks else None


def attention_bias(mask: KerasTensor, rank: int = 4) -> KerasTensor:
    """Return the float32 bias of logits `(B, …, T, S)` of `rank` axes: 0 where `mask` `(B, T, S)` is 1, or `MASKED`.

    Fully masked rows are 0, because `MASKED` would absorb their logits in float32.
    """
    bias = ops.where(mask, *np.float32([0.0, MASKED]))  # Python's numbers would get the default dtype of Keras
    bias = bias - ops.max(bias, axis=-1, keepdims=True)
    return ops.expand_dims(bias, tuple(range(1, rank - 2)))  # (B, 1, …, T, S)


def has_fused_attention(q: KerasTensor, k: KerasTensor, v: KerasTensor) -> bool:
    """Return whether Keras may have a fused kernel for these shapes on this device."""
    even = all(isinstance(length, int) and length % 2 == 0 for length in (q.shape[2], k.shape[2]))
    return even and k.shape == v.shape and has_fused_kernels()


def has_fused_kernels() -> bool:
    """Return whether Keras may use fused kernels, which `keras.config` can switch off."""
    allowed = keras.backend.backend() == "jax" and keras.config.is_flash_attention_enabled() is not False
    return allowed and keras.distribution.list_devices()[0].startswith("gpu")


def fused_attention(q: KerasTensor, k: KerasTensor, v: KerasTensor, mask: KerasTensor | None = None) -> KerasTensor:
    """Return heads `(B, H, T, V)`: softmax(q kᵀ / √K) v, in one kernel if Keras has one for the sizes and the dtype.

    cuDNN has kernels for float16 and bfloat16 and, in a training with a mask, for even T and S (Dao et al. 2022).

    Args:
        q: `(B, H, T, K)`, or `(B, 1, T, K)`, one query for all heads.
        k, v: `(B, H, S, K)`.
        mask: `(B or 1, T or 1, S)`, or None. A fully masked row attends to everything, as with a bias.
    """
    (B, H, S, K), T = ops.shape(k), ops.shape(q)[2]
    heads = ops.transpose(ops.broadcast_to(q, (B, H, T, K)), (0, 2, 1, 3))
    if mask is not None:
        mask = ops.logical_or(mask, ops.logical_not(ops.any(mask, axis=-1, keepdims=True)))
        mask = ops.expand_dims(ops.broadcast_to(mask, (ops.shape(mask)[0], T, S)), 1)
    k, v = (ops.transpose(part, (0, 2, 1, 3)) for part in (k, v))
    return ops.transpose(ops.dot_product_attention(heads, k, v, mask=mask, scale=K**-0.5), (0, 2, 1, 3))
