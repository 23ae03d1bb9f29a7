"""Gates on heads and sources, against models without them."""

import keras
import numpy as np
import pytest

from data.errors import InputError
from interacting_head.analysis.ablation.head_gates import GatedTransformer, Head, Source, chosen_heads
from interacting_head.model.compilation import Compiled
from interacting_head.search.constraints import Limits
from interacting_head.search.options import SearchOptions
from interacting_head.search.transformer_search import TransformerSearch
from layers import ATTENTION_SCHEMES
from tests.interacting_head import tiny
from tests.layers.backend import array
from tests.parameters import mostly_slow

H = 2
LENGTHS = [4, 6]
OUTPUT_HEAD = {"talking_heads", "multi_head", "fixed_head_size", "interacting_head", "multi_layer"}
OUTPUT_HEAD |= {"knocking_heads", "collaborative_heads", "interleaved_heads", "differential", "gated_heads"}

every_scheme = pytest.mark.parametrize("scheme", mostly_slow(ATTENTION_SCHEMES, "multi_hop", "multi_layer"))


def weighing(scheme, **settings):
    """A model that has the scheme everywhere, also where it stands in some layers only by default."""
    return tiny.transformer(scheme=scheme, placements=(), memory="top", **settings)


@every_scheme
def test_masking_no_heads_changes_nothing(scheme):
    model = tiny.transformer(scheme=scheme)
    expected = tiny.logits(model)
    gated_model = GatedTransformer(model)
    np.testing.assert_array_equal(tiny.logits(gated_model.model), expected)
    gated_model.close(gated_model.heads[:1])
    assert np.abs(tiny.logits(gated_model.model) - expected).max() > 1e-4
    gated_model.close([])
    np.testing.assert_array_equal(tiny.logits(gated_model.model), expected)
    np.testing.assert_array_equal(tiny.logits(model), expected)


@pytest.mark.parametrize("scheme", mostly_slow(sorted(OUTPUT_HEAD), "interacting_head"))
def test_removing_a_head_with_zero_output_weights_changes_nothing(scheme):
    model = tiny.transformer(scheme=scheme)
    head = Head("cross", 2, 1)
    kernel = model.attention_layers["cross", 2].output_kernel
    values = array(kernel).copy()
    values[..., head.head - 1, :, :] = 0
    kernel.assign(values)
    expected = tiny.logits(model)
    gated_model = GatedTransformer(model)
    gated_model.close([head])
    np.testing.assert_allclose(tiny.logits(gated_model.model), expected, atol=1e-6)


def attention_by_loop(layer, query, closed, pieces):
    """One attention layer over one sentence `(T, D)`, a loop over positions and the heads that are left.

    Args:
        pieces: function of layer, heads that are left, their outputs `(T, V)` by head, x and q: output `(T, D)`.
    """
    left = [h for h in range(layer.num_heads) if h not in closed]
    q, k, v = (
        np.einsum("td,dhk->htk", query, array(getattr(layer, name)))
        for name in ("query_kernel", "key_kernel", "value_kernel")
    )
    heads = {}
    for h in left:
        outputs = []
        for t in range(len(query)):
            scores = [q[h, t] @ k[h, s] / np.sqrt(layer.key_dim) for s in range(len(query))]
            p = np.exp(scores) / np.exp(scores).sum()
            outputs.append(sum(p[s] * v[h, s] for s in range(len(query))))
        heads[h] = np.array(outputs)
    return pieces(layer, left, heads, query, q)


def dynamic_head_importance(layer, left, heads, x, q):
    """Goindani & Shrivastava 2021, equations (1)–(3), over the heads that are left."""
    U, W, V, W_s = (
        array(getattr(layer, f"{name}_kernel"))
        for name in ("importance_query", "importance_key", "importance_value", "output")
    )
    rows = []
    for t in range(len(x)):
        s = np.array([(heads[h][t] @ W) @ (x[t] @ U) / np.sqrt(W.shape[1]) for h in left])
        G = np.exp(s) / np.exp(s).sum()
        rows.append(sum(g * heads[h][t] @ V for g, h in zip(G, left, strict=True)) @ W_s)
    return np.array(rows) + array(layer.output_bias)


def multi_hop(layer, left, heads, x, q):
    """Iida et al. 2019, equations (3)–(5), over the heads that are left."""
    W_b, U_b, v_b, U_c, W_o = (
        array(getattr(layer, f"{name}_kernel"))
        for name in ("hop_query", "hop_head", "hop_score", "hop_value", "output")
    )
    rows = []
    for t in range(len(x)):
        e = np.array([v_b @ np.tanh(q[h, t] @ W_b + heads[h][t] @ U_b[h]) for h in left])
        beta = np.exp(e) / np.exp(e).sum()
        rows.append(sum(b * heads[h][t] @ U_c[h] @ W_o[h] for b, h in zip(beta, left, strict=True)))
    return np.array(rows) + array(layer.output_bias)


@pytest.mark.parametrize("pieces", [dynamic_head_importance, multi_hop])
def test_remaining_heads_share_the_weight_of_removed_ones(pieces):
    model = weighing(pieces.__name__, num_heads=4)
    layer = model.attention_layers["encoder", 1]
    query = np.random.default_rng(3).normal(size=(5, 8)).astype("float32")
    gated_model = GatedTransformer(model)
    gated_model.close([Head("encoder", 1, 2), Head("encoder", 1, 3)])
    gated = gated_model.model.attention_layers["encoder", 1]
    found, importance = (array(one)[0] for one in gated(query[None], query[None], return_head_importance=True))
    gated_model.close([head for head in gated_model.heads if head.layer == 1])
    alone = array(gated(query[None], query[None]))[0]
    np.testing.assert_allclose(found, attention_by_loop(layer, query, {1, 2}, pieces), atol=1e-5)
    assert (importance[:, [1, 2]] == 0).all()
    np.testing.assert_array_equal(alone, np.broadcast_to(array(layer.output_bias), alone.shape))


def interacting_head(layer, left, heads, x, q):
    """Li & Luo 2022, Algorithm 1: all queries count, keys and values of the heads that are left."""
    k, v = (np.einsum("td,dhk->htk", x, array(getattr(layer, f"{name}_kernel"))) for name in ("key", "value"))
    W_o, rows = array(layer.output_kernel), []
    for t in range(len(x)):
        total = 0
        for j in left:
            scores = [sum(q[i, t] @ k[j, s] for i in range(layer.num_heads)) / np.sqrt(layer.key_dim) for s in range(5)]
            p = np.exp(scores) / np.exp(scores).sum()
            total = total + sum(p[s] * v[j, s] for s in range(5)) @ W_o[j]
        rows.append(total)
    return np.array(rows) + array(layer.output_bias)


def interacting_head_pairwise(layer, left, heads, x, q):
    """Li & Luo 2022, equations (11) and (12), pairs of heads that are left."""
    k, v = (np.einsum("td,dhk->htk", x, array(getattr(layer, f"{name}_kernel"))) for name in ("key", "value"))
    W_o, rows = array(layer.output_kernel), []
    for t in range(len(x)):
        total = 0
        for i in left:
            for j in left:
                scores = [q[i, t] @ k[j, s] / np.sqrt(layer.key_dim) for s in range(5)]
                p = np.exp(scores) / np.exp(scores).sum()
                total = total + sum(p[s] * v[j, s] for s in range(5)) @ W_o[i, j]
        rows.append(total)
    return np.array(rows) + array(layer.output_bias)


@pytest.mark.parametrize("pieces", [interacting_head, interacting_head_pairwise])
def test_removed_interacting_heads_leave_the_queries_of_their_scheme(pieces):
    model = weighing(pieces.__name__, num_heads=4)
    layer = model.attention_layers["encoder", 1]
    query = np.random.default_rng(3).normal(size=(5, 8)).astype("float32")
    gated_model = GatedTransformer(model)
    gated_model.close([Head("encoder", 1, 2), Head("encoder", 1, 3)])
    found = array(gated_model.model.attention_layers["encoder", 1](query[None], query[None]))[0]
    np.testing.assert_allclose(found, attention_by_loop(layer, query, {1, 2}, pieces), atol=1e-4)


@pytest.mark.parametrize("joint", [True, False])
def test_a_closed_source_equals_a_masked_source(joint):
    model = tiny.transformer(scheme="multi_layer", options={"joint_attention": joint})
    layers = [model.attention_layers["cross", number] for number in (1, 2)]
    gated_model = GatedTransformer(model)
    assert gated_model.sources == [Source(1, 1), Source(1, 2), Source(2, 1), Source(2, 2)]
    gated_model.close([Source(2, 1)])
    found = tiny.logits(gated_model.model)
    gated_model.close([Source(1, 1), Source(2, 1)])
    of_all = tiny.logits(gated_model.model)
    layers[1].masked_sources = (1,)
    np.testing.assert_array_equal(found, tiny.logits(model))
    layers[0].masked_sources = (1,)
    np.testing.assert_array_equal(of_all, tiny.logits(model))


def test_a_model_that_reads_one_source_has_no_source_to_mask():
    gated_model = GatedTransformer(tiny.transformer(scheme="multi_layer", memory_layers=1))
    assert gated_model.sources == []
    with pytest.raises(InputError, match="this model has no source 1:1"):
        gated_model.close([Source(1, 1)])


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ATTENTION_SCHEMES)
def test_one_compiled_search_serves_all_masks(scheme):
    model = tiny.transformer(scheme=scheme)
    source_ids, limits = tiny.sources(LENGTHS), Limits(max_lengths=np.array([5, 7], "int32"))
    gated_model = GatedTransformer(model)
    search = TransformerSearch(gated_model.model, SearchOptions(beam_size=2))
    open_all = search(source_ids, limits)
    counts = [one.count for one in (search.decoding_kernels.compiled, search.compiled_search)]
    scores = [search(source_ids, limits).scores]
    for head in gated_model.heads[:: len(gated_model.heads) // 4]:
        gated_model.close([head])
        scores.append(search(source_ids, limits).scores)
    assert [one.count for one in (search.decoding_kernels.compiled, search.compiled_search)] == counts
    np.testing.assert_array_equal(scores[0], open_all.scores)
    assert all(np.abs(one - scores[0]).max() > 0 for one in scores[1:])
    np.testing.assert_allclose(
        TransformerSearch(model, SearchOptions(beam_size=2))(source_ids, limits).scores, scores[0]
    )


def test_a_compiled_function_follows_changes_of_the_mask():
    model = tiny.transformer(scheme="multi_hop")
    ids = dict.fromkeys(("source_ids", "target_ids"), keras.KerasTensor((None, None), "int32"))
    target_ids, _ = tiny.targets([3, 5])
    gated_model = GatedTransformer(model)
    compiled = Compiled(
        lambda source_ids, target_ids: gated_model.model({"source_ids": source_ids, "target_ids": target_ids}),
        [gated_model.model],
        arguments=lambda: ids,
    )
    for closed in ([], gated_model.heads[2:3], gated_model.heads):
        gated_model.close(closed)
        found = array(compiled(source_ids=tiny.sources(LENGTHS), target_ids=target_ids))
        np.testing.assert_allclose(found, tiny.logits(gated_model.model), atol=1e-5)
    assert compiled.count == 1


def test_heads_are_named_by_site_layer_and_number():
    heads = [Head(site, layer, head) for site in ("encoder", "cross") for layer in (1, 2) for head in (1, 2, 3)]
    assert list(map(str, chosen_heads(heads, ["cross:2:3", "encoder:1"]))) == [
        "encoder:1:1",
        "encoder:1:2",
        "encoder:1:3",
        "cross:2:3",
    ]
    assert chosen_heads(heads, ["cross"]) == heads[6:]
    assert chosen_heads(heads, []) == heads
    for wrong in ("cross:3", "cross:1:4", "decoder", "cross:1:0", "cross:x", "cross:1:1:1", ""):
        with pytest.raises(InputError, match=f"no head matches '{wrong}'; heads .*: encoder:1:1-3, encoder:2:1-3, "):
            chosen_heads(heads, [wrong])
