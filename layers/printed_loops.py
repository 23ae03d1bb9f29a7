"""The double loops over heads of Li & Luo 2022, pair after pair as printed: what the papers' training times measure.

`layer` is a built attention layer whose stages `normalize`, `attend` and `dropout_layer` are used. Letters as in
`multi_head_attention`.
"""

import math

from keras import ops

from layers.projection import linear


def project_separately(layer, query, key, value):
    """Queries, keys and values of each head by a product of its own (Algorithm 1, lines 3–5).

    Returns:
        Lists of H tensors `(B, T, K)`, `(B, S, K)`, `(B, S, V)`.
    """
    projections = layer.query_projection(), layer.key_projection(), layer.value_projection()
    return tuple(
        [linear(inputs, kernel[:, head], None if bias is None else bias[head]) for head in range(layer.num_heads)]
        for inputs, (kernel, bias) in zip((query, key, value), projections, strict=True)
    )


def interacting_heads(layer, q, k, v, mask, training):
    """Algorithm 1, lines 7–37.

    Args:
        q, k, v: of `project_separately`, or tensors `(B, H, T, K)`, `(B, H, S, K)`, `(B, H, S, V)`.

    Returns:
        Heads `(B, H, T, V)` and attention weights `(B, H, T, S)`, by key head.
    """
    pairs = _pairs(layer, q, k)
    heads, attention = [], []
    for j in range(layer.num_heads):
        total = pairs[0][j]
        for i in range(1, layer.num_heads):  # lines 23–26
            total = total + pairs[i][j]
        weights, head = _attend(layer, total, _head(v, j), mask, training)  # lines 27–28
        heads.append(head)
        attention.append(weights)
    return ops.concatenate(heads, axis=1), ops.concatenate(attention, axis=1)


def interacting_pairs(layer, q, k, v, mask, training):
    """Equations (11) and (12) before the output projection.

    Args: as of `interacting_heads`.

    Returns:
        The heads of all pairs, `(B, H·H, T, V)`, and attention weights `(B, H, H, T, S)`: query head, key head.
    """
    heads, attention = [], []
    for row in _pairs(layer, q, k):
        attended = [_attend(layer, logits, _head(v, j), mask, training) for j, logits in enumerate(row)]
        attention.append(ops.concatenate([weights for weights, _ in attended], axis=1))
        heads += [head for _, head in attended]
    return ops.concatenate(heads, axis=1), ops.stack(attention, axis=1)


def _pairs(layer, q, k):
    """Logits `(B, T, S)` of query head i and key head j, as a list of lists."""
    temper = math.sqrt(layer.key_dim)
    keys = [ops.swapaxes(_head(k, j), -1, -2) for j in range(layer.num_heads)]
    return [[ops.matmul(_head(q, i), key) / temper for key in keys] for i in range(layer.num_heads)]


def _attend(layer, logits, v, mask, training):
    """Weights `(B, 1, T, S)` and the head `(B, 1, T, V)` of logits `(B, T, S)` and values `(B, S, V)`."""
    weights = layer.normalize(ops.expand_dims(logits, 1), mask)
    return weights, layer.attend(layer.dropout_layer(weights, training=training), ops.expand_dims(v, 1))


def _head(heads, index):
    return heads[index] if isinstance(heads, list) else heads[:, index]
