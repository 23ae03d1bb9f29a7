"""The attention schemes as the papers print them: NumPy, float64, explicit loops over heads.

Slow, and written to be read beside the papers; the tests hold every layer against it. Weights are given by the
names that the layers use. Letters: `B` batch, `T` query length, `S` memory length, `H` heads, `K` key size,
`V` value size, `D` model size.
"""

import numpy as np


def softmax(logits, axis=-1):
    """exp(x) / Σ exp(x), shifted by the maximum so that nothing overflows."""
    shifted = np.exp(logits - logits.max(axis=axis, keepdims=True))
    return shifted / shifted.sum(axis=axis, keepdims=True)


def masked(logits, attention_mask):
    """Algorithm 1, line (11): −10⁹ is added wherever the mask `(B, T, S)` is 0."""
    return logits if attention_mask is None else logits + -1e9 * (1.0 - attention_mask)


def transposed(x):
    """The last two axes exchanged."""
    return np.swapaxes(x, -1, -2)


def multi_head(weights, query, value, attention_mask=None):
    """Multi-head attention, Li & Luo 2022, equation (4).

    Returns:
        The output `(B, T, D)` and the attention weights `(B, H, T, S)`.
    """
    W_q, W_k, W_v = weights["query_kernel"], weights["key_kernel"], weights["value_kernel"]
    _, H, K = W_q.shape
    outputs, attention = [], []
    for i in range(H):
        Q, K_i, V_i = query @ W_q[:, i], value @ W_k[:, i], value @ W_v[:, i]  # (4), first and second line
        P = softmax(masked(Q @ transposed(K_i) / np.sqrt(K), attention_mask))  # (4), third line
        attention.append(P)
        outputs.append(P @ V_i)  # (4), fourth line
    return project_output(weights, outputs), np.stack(attention, axis=1)


def interacting_head(weights, query, value, attention_mask=None):
    """Interacting-head attention, Li & Luo 2022, Algorithm 1, as the double loop that it is.

    Returns:
        The output `(B, T, D)` and the attention weights `(B, H, T, S)`, one for each key head j.
    """
    W_q, W_k, W_v = weights["query_kernel"], weights["key_kernel"], weights["value_kernel"]
    _, H, K = W_q.shape
    Q = [query @ W_q[:, i] for i in range(H)]  # lines (3)–(5)
    K_ = [value @ W_k[:, j] for j in range(H)]
    V = [value @ W_v[:, j] for j in range(H)]
    pairs = {}
    for i in range(H):  # lines (7)–(17); the division by √K is equation (11)'s
        for j in range(H):
            pairs[i, j] = Q[i] @ transposed(K_[j]) / np.sqrt(K)
    outputs, attention = [], []
    for j in range(H):  # lines (18)–(34)
        total = sum(pairs[i, j] for i in range(H))  # lines (23)–(26)
        P = softmax(masked(total, attention_mask))  # line (27); masking each pair has the same effect as once
        attention.append(P)
        outputs.append(P @ V[j])  # line (28)
    return project_output(weights, outputs), np.stack(attention, axis=1)


def project_output(weights, heads):
    """The heads `(B, T, V)` concatenated and projected: `(B, T, D)`, the last two lines of (4)."""
    kernel = weights["output_kernel"]
    return np.concatenate(heads, axis=-1) @ kernel.reshape(-1, kernel.shape[-1]) + weights["output_bias"]
