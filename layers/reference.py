"""The attention schemes as the papers print them: NumPy, float64, explicit loops over heads.

Slow, and meant to be read alongside the papers; tests compare every layer with it. Weights are named as in the layers.
A function of a scheme returns the output `(B, T, D)` and the attention weights `(B, H, T, S)`.

Letters: `B` batch, `T` query length, `S` memory length, `H` heads, `K` key size, `V` value size, `D` model size.
"""

import numpy as np


def softmax(logits: np.ndarray, axis: int = -1) -> np.ndarray:
    """Return exp(x) / Σ exp(x), shifted by the maximum against overflow."""
    shifted = np.exp(logits - logits.max(axis=axis, keepdims=True))
    return shifted / shifted.sum(axis=axis, keepdims=True)


def masked(logits: np.ndarray, attention_mask: np.ndarray | None) -> np.ndarray:
    """Add −10⁹ wherever the mask `(B, T, S)` is 0: Algorithm 1, lines (11) and (12)."""
    return logits if attention_mask is None else logits + -1e9 * (1.0 - attention_mask)


def transposed(x: np.ndarray) -> np.ndarray:
    """Exchange the last two axes."""
    return np.swapaxes(x, -1, -2)


def multi_head(weights: dict, query: np.ndarray, value: np.ndarray, attention_mask: np.ndarray | None = None) -> tuple:
    """Multi-head attention, Li & Luo 2022, equation (4)."""
    heads, attention = attention_heads(weights, query, value, attention_mask)
    return project_output(weights, heads), attention


def interacting_head(
    weights: dict,
    query: np.ndarray,
    value: np.ndarray,
    attention_mask: np.ndarray | None = None,
    query_combination: str = "sum",
    scaled: bool = True,
    cumulative: bool = False,
) -> tuple:
    """Interacting-head attention, Li & Luo 2022, Algorithm 1, as its double loop.

    Not in the paper: `query_combination="mean"` averages the logits of all query heads, `"scaled_sum"` divides their
    sum by √H. Taken literally, the listing does not divide by √K (`scaled=False`) and never resets its sums
    (`cumulative=True`). There are attention weights for each key head j.
    """
    W_q, W_k, W_v = weights["query_kernel"], weights["key_kernel"], weights["value_kernel"]
    _, H, K = W_q.shape
    Q = [query @ W_q[:, i] for i in range(H)]  # lines (3)–(5)
    K_ = [value @ W_k[:, j] for j in range(H)]
    V = [value @ W_v[:, j] for j in range(H)]
    pairs = {}
    for i in range(H):  # lines (7)–(17); the division by √K is equation (11)'s
        for j in range(H):
            pairs[i, j] = Q[i] @ transposed(K_[j]) / (np.sqrt(K) if scaled else 1)
    outputs, attention, total = [], [], 0
    for j in range(H):  # lines (18)–(34)
        total = total if cumulative else 0
        total = total + sum(pairs[i, j] for i in range(H))  # lines (23)–(26)
        logits = total / {"sum": 1, "scaled_sum": np.sqrt(H), "mean": H}[query_combination]
        P = softmax(masked(logits, attention_mask))  # line (27); masking each pair has the same effect as once
        attention.append(P)
        outputs.append(P @ V[j])  # line (28)
    return project_output(weights, outputs), np.stack(attention, axis=1)


fixed_head_size = multi_head  # equation (5): the same computation with another key size
folded = multi_head  # from other first weights


def talking_heads(
    weights: dict, query: np.ndarray, value: np.ndarray, attention_mask: np.ndarray | None = None
) -> tuple:
    """Talking-heads attention, Li & Luo 2022, equations (6)–(9); returns mixed attention weights.

    A missing mixing matrix is the identity.
    """
    W_q, W_k, W_v = weights["query_kernel"], weights["key_kernel"], weights["value_kernel"]
    _, H, K = W_q.shape
    W_t1, W_t2 = (weights.get(name, np.eye(H)) for name in ("pre_softmax_kernel", "post_softmax_kernel"))
    J = [query @ W_q[:, i] @ transposed(value @ W_k[:, i]) / np.sqrt(K) for i in range(H)]  # (6)
    A = []
    for i in range(H):
        mixed = sum(W_t1[i, j] * J[j] for j in range(H))  # (7)
        A.append(softmax(masked(mixed, attention_mask)))  # (8), first line
    A = [sum(W_t2[i, j] * A[j] for j in range(H)) for i in range(H)]  # (8), third line
    outputs = [A[i] @ (value @ W_v[:, i]) for i in range(H)]  # (9)
    return project_output(weights, outputs), np.stack(A, axis=1)


def interacting_head_pairwise(
    weights: dict, query: np.ndarray, value: np.ndarray, attention_mask: np.ndarray | None = None
) -> tuple:
    """Interacting-head attention with a softmax for each pair of heads, Li & Luo 2022, equations (10)–(12).

    The attention weights are `(B, H, H, T, S)`, query head before key head.
    """
    W_q, W_k, W_v = weights["query_kernel"], weights["key_kernel"], weights["value_kernel"]
    _, H, K = W_q.shape
    outputs, attention = [], []
    for i in range(H):
        Q = query @ W_q[:, i]  # (10)
        row = []
        for j in range(H):
            K_j, V_j = value @ W_k[:, j], value @ W_v[:, j]
            P = softmax(masked(Q @ transposed(K_j) / np.sqrt(K), attention_mask))  # (11), first line
            row.append(P)
            outputs.append(P @ V_j)  # (11), second line
        attention.append(np.stack(row, axis=1))
    return project_output(weights, outputs), np.stack(attention, axis=1)  # (12)


def dynamic_head_importance(
    weights: dict,
    query: np.ndarray,
    value: np.ndarray,
    attention_mask: np.ndarray | None = None,
    query_mask: np.ndarray | None = None,
    loss_weight: float = 0.1,
) -> tuple:
    """Dynamic head importance, Goindani & Shrivastava 2021, equations (1)–(5).

    With `importance_score_kernel` among the weights, the score is the MLP vᵀ tanh(W O^h + U x). Returns G `(B, T, H)`
    and the added loss as well.
    """
    U, W = weights["importance_query_kernel"], weights["importance_key_kernel"]
    V, v = weights["importance_value_kernel"], weights.get("importance_score_kernel")
    heads, attention = attention_heads(weights, query, value, attention_mask)
    x = query @ U
    keys = [O_h @ W for O_h in heads]
    if v is None:
        scores = [(key * x).sum(axis=-1) / np.sqrt(U.shape[1]) for key in keys]  # (2)
    else:
        scores = [np.tanh(key + x) @ v for key in keys]
    G = softmax(np.stack(scores, axis=-1))  # (1)
    total = sum(G[..., h : h + 1] * (O_h @ V) for h, O_h in enumerate(heads))
    output = total @ weights["output_kernel"] + weights["output_bias"]  # (3)
    divergence = (G * np.log(G * len(heads))).sum(axis=-1)  # (4), b_h = 1 / H
    kept = np.ones(divergence.shape) if query_mask is None else query_mask.astype("float64")
    return output, attention, G, -loss_weight * (divergence * kept).sum() / kept.sum()  # (5)


def multi_hop(weights: dict, query: np.ndarray, value: np.ndarray, attention_mask: np.ndarray | None = None) -> tuple:
    """Multi-hop attention, Iida et al. 2019, equations (1)–(5); it returns β `(B, T, H)` as well."""
    W_b, U_b = weights["hop_query_kernel"], weights["hop_head_kernel"]
    v_b, U_c = weights["hop_score_kernel"], weights["hop_value_kernel"]
    heads, attention = attention_heads(weights, query, value, attention_mask)  # (1)
    scores = []
    for h, a in enumerate(heads):
        Q = query @ weights["query_kernel"][:, h]
        scores.append(np.tanh(Q @ W_b + a @ U_b[h]) @ v_b)  # (3)
    beta = softmax(np.stack(scores, axis=-1))  # (4)
    hopped = [beta[..., h : h + 1] * (a @ U_c[h]) for h, a in enumerate(heads)]  # (5)
    return project_output(weights, hopped), attention, beta  # (2)


def multi_layer(
    weights: dict,
    query: np.ndarray,
    values: list[np.ndarray],
    attention_mask: np.ndarray | None = None,
    joint_attention: bool = True,
    concat_contexts: bool = True,
) -> tuple:
    """Multi-layer multi-head attention, Ampomah et al. 2020, equations (6)–(12).

    The values are the outputs f¹ … fⁿ of n encoder layers; `joint_attention` is U0 = 0, `concat_contexts` U1 = 0. The
    attention weights are `(B, n, H, T, S)`.
    """
    W_q, W_k, W_v = weights["query_kernel"], weights["key_kernel"], weights["value_kernel"]
    n, _, H, K = W_q.shape
    alpha = {}
    for i in range(n):
        for h in range(H):
            alpha[i, h] = query @ W_q[i, :, h] @ transposed(values[i] @ W_k[i, :, h]) / np.sqrt(K)  # (7)
    contexts, attention = [], []
    for i in range(n):
        c, row = [], []
        for h in range(H):
            logits = sum(alpha[j, h] for j in range(n)) if joint_attention else alpha[i, h]  # (9) or (8)
            row.append(softmax(masked(logits, attention_mask)))
            c.append(row[-1] @ (values[i] @ W_v[i, :, h]))  # (10) or (8)
        contexts.append(c)
        attention.append(np.stack(row, axis=1))
    if concat_contexts:
        heads = [c_h for c in contexts for c_h in c]
    else:
        heads = [sum(c[h] for c in contexts) for h in range(H)]
    return project_output(weights, heads), np.stack(attention, axis=1)


def knocking_heads(
    weights: dict, query: np.ndarray, value: np.ndarray, attention_mask: np.ndarray | None = None
) -> tuple:
    """Knocking-heads attention, Zhou et al. 2025, equations (5)–(9).

    A missing mixing matrix is the identity; with `value_up_kernel` among the weights, the values pass through the MLP.
    """
    W_q, W_k, W_v = weights["query_kernel"], weights["key_kernel"], weights["value_kernel"]
    _, H, K = W_q.shape
    T_q, T_k = (weights.get(name, np.eye(K)) for name in ("query_mixing_kernel", "key_mixing_kernel"))
    outputs, attention = [], []
    for h in range(H):
        Q, K_h, V = query @ W_q[:, h] @ T_q, value @ W_k[:, h] @ T_k, value @ W_v[:, h]  # (5), (6)
        if "value_up_kernel" in weights:
            gate = 1 / (1 + np.exp(-(V @ weights["value_gate_kernel"])))
            V = 2 * (V @ weights["value_up_kernel"] * gate) @ weights["value_down_kernel"]  # (9)
        else:
            V = V @ weights.get("value_mixing_kernel", np.eye(V.shape[-1]))  # (7)
        P = softmax(masked(Q @ transposed(K_h) / np.sqrt(K), attention_mask))
        attention.append(P)
        outputs.append(P @ V)
    return project_output(weights, outputs), np.stack(attention, axis=1)


def collaborative_heads(
    weights: dict, query: np.ndarray, value: np.ndarray, attention_mask: np.ndarray | None = None
) -> tuple:
    """Collaborative multi-head attention, Cordonnier et al. 2020: all heads share W_q and W_k `(D, H·K)`."""
    _, H, K = weights["query_kernel"].shape
    W_q, W_k = (weights[name].reshape(-1, H * K) for name in ("query_kernel", "key_kernel"))
    m = weights["mixing_kernel"].reshape(H, H * K)
    outputs, attention = [], []
    for h in range(H):
        P = softmax(masked(query @ W_q @ np.diag(m[h]) @ transposed(value @ W_k) / np.sqrt(K), attention_mask))
        attention.append(P)
        outputs.append(P @ (value @ weights["value_kernel"][:, h]))
    return project_output(weights, outputs), np.stack(attention, axis=1)


def interleaved_heads(
    weights: dict, query: np.ndarray, value: np.ndarray, attention_mask: np.ndarray | None = None
) -> tuple:
    """Interleaved-head attention, Duvvuri et al. 2026, section 4, without rotary positions.

    With P > 1 the attention weights are `(B, P, H, T, S)`, the sum over the P keys of a position.
    """
    W_q, W_k, W_v = weights["query_kernel"], weights["key_kernel"], weights["value_kernel"]
    alpha_q, alpha_k, alpha_v = (weights[f"{name}_mixing_kernel"] for name in ("query", "key", "value"))
    R = weights["collapse_kernel"]
    _, H, K = W_q.shape
    P, (B, T, _), S = R.shape[-1], query.shape, value.shape[1]
    Q, K_, V = ([x @ W[:, m] for m in range(H)] for x, W in ((query, W_q), (value, W_k), (value, W_v)))
    if attention_mask is not None:  # of each position, for its P queries and its P keys
        mask = np.broadcast_to(attention_mask, (B, T, S)).astype("float64")
        attention_mask = np.repeat(np.repeat(mask, P, axis=1), P, axis=2)
    heads, attention = {}, np.zeros((B, P, H, T, S))
    for i in range(H):
        # Pseudo-heads (n, 1), …, (n, P) of position n stand side by side: (B, N·P, size).
        queries, keys, values = (
            np.stack([sum(alpha[m, i, p] * X[m] for m in range(H)) for p in range(P)], axis=2).reshape(
                B, -1, X[0].shape[-1]
            )
            for alpha, X in ((alpha_q, Q), (alpha_k, K_), (alpha_v, V))
        )
        A = softmax(masked(queries @ transposed(keys) / np.sqrt(K), attention_mask))
        outputs = A @ values
        for p in range(P):
            heads[i, p] = outputs[:, p::P]
            attention[:, p, i] = sum(A[:, p::P, r::P] for r in range(P))
    collapsed = [sum(R[i, m, p] * heads[m, p] for m in range(H) for p in range(P)) for i in range(H)]
    return project_output(weights, collapsed), attention if P > 1 else attention[:, 0]


def differential(
    weights: dict,
    query: np.ndarray,
    value: np.ndarray,
    attention_mask: np.ndarray | None = None,
    lambda_init: float = 0.8,
) -> tuple:
    """Differential attention, Ye et al. 2024, equations (1)–(3); returns the differences of the two softmaxes."""
    W_q, W_k, W_v = weights["query_kernel"], weights["key_kernel"], weights["value_kernel"]
    _, H, K = W_q.shape
    d = K // 2
    terms = [np.exp(weights[f"lambda_query_{i}"] @ weights[f"lambda_key_{i}"]) for i in (1, 2)]
    scale = terms[0] - terms[1] + lambda_init  # (2)
    outputs, attention = [], []
    for h in range(H):
        Q, K_h = query @ W_q[:, h], value @ W_k[:, h]
        A = [
            softmax(masked(Q[..., half] @ transposed(K_h[..., half]) / np.sqrt(d), attention_mask))
            for half in (slice(None, d), slice(d, None))
        ]
        P = A[0] - scale * A[1]  # (1)
        O_h = P @ (value @ W_v[:, h])
        O_h = O_h / np.sqrt((O_h**2).mean(axis=-1, keepdims=True) + 1e-5) * weights["norm_scale"]
        attention.append(P)
        outputs.append((1 - lambda_init) * O_h)  # (3)
    return project_output(weights, outputs), np.stack(attention, axis=1)


def gated_heads(weights: dict, query: np.ndarray, value: np.ndarray, attention_mask: np.ndarray | None = None) -> tuple:
    """Multi-head attention with gated heads, Qiu et al. 2025: Y ⊙ σ(X W_θ) after the attention."""
    heads, attention = attention_heads(weights, query, value, attention_mask)
    gates = [1 / (1 + np.exp(-(query @ weights["gate_kernel"][:, h]))) for h in range(len(heads))]
    return project_output(weights, [O_h * gate for O_h, gate in zip(heads, gates, strict=True)]), attention


def linear_combination(weights: dict, encoder_outputs: list) -> np.ndarray:
    """Return Σ_l H^l W^l `(B, S, D)`; Ampomah et al. 2020, section 5.4."""
    return sum(H @ weights["kernel"][layer] for layer, H in enumerate(encoder_outputs))


def transparent_attention(weights: dict, encoder_outputs: list, embedding_output: np.ndarray) -> list[np.ndarray]:
    """Return Σ_l softmax(kernel)[l, m] · source l for each decoder layer m; the sources begin with the embeddings."""
    mixture = softmax(weights["kernel"], axis=0)
    sources = [embedding_output, *encoder_outputs]
    return [sum(mixture[layer, m] * source for layer, source in enumerate(sources)) for m in range(mixture.shape[1])]


def iterative_combination(weights: dict, encoder_outputs: list, epsilon: float = 1e-6) -> np.ndarray:
    """AGG(x, y) = LayerNorm(FFN([x; y]) + x + y) from the lowest layer up; Ampomah et al. 2020, section 5.4."""
    x = encoder_outputs[0]
    for step, y in enumerate(encoder_outputs[1:]):
        hidden = np.concatenate([x, y], axis=-1) @ weights["hidden_kernel"][step] + weights["hidden_bias"][step]
        total = np.maximum(hidden, 0) @ weights["output_kernel"][step] + weights["output_bias"][step] + x + y
        centred = total - total.mean(axis=-1, keepdims=True)
        x = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + epsilon)
        x = x * weights["gamma"][step] + weights["beta"][step]
    return x


def attention_heads(weights: dict, query: np.ndarray, value: np.ndarray, attention_mask: np.ndarray | None) -> tuple:
    """Return the heads of multi-head attention before they are combined, and the weights `(B, H, T, S)`."""
    W_q, W_k, W_v = weights["query_kernel"], weights["key_kernel"], weights["value_kernel"]
    _, H, K = W_q.shape
    heads, attention = [], []
    for i in range(H):
        Q, K_i, V_i = query @ W_q[:, i], value @ W_k[:, i], value @ W_v[:, i]  # (4), first and second line
        P = softmax(masked(Q @ transposed(K_i) / np.sqrt(K), attention_mask))  # (4), third line
        attention.append(P)
        heads.append(P @ V_i)  # (4), fourth line
    return heads, np.stack(attention, axis=1)


def project_output(weights: dict, heads: list) -> np.ndarray:
    """Return the heads `(B, T, V)` concatenated and projected: `(B, T, D)`, the last two lines of (4)."""
    kernel = weights["output_kernel"]
    return np.concatenate(heads, axis=-1) @ kernel.reshape(-1, kernel.shape[-1]) + weights["output_bias"]
