import dataclasses
import re

import keras
import numpy as np
import pytest
from keras import ops

from data.errors import InputError
from interacting_head.config import AttentionConfig, PlacedAttentionConfig, PlacementConfig
from interacting_head.model.transformer import Transformer, parameter_count
from layers import ATTENTION_SCHEMES
from tests.interacting_head import tiny
from tests.layers.backend import array
from tests.parameters import mostly_slow

LENGTHS = [3, 7, 2, 5]
MODELS = {
    "post": {"normalization": "post"},
    "pre": {"normalization": "pre"},
    "separate": {"shared": False, "source_vocabulary": 23},
    "placement": {"placements": (PlacementConfig("cross", (2,), PlacedAttentionConfig("multi_head", 4, 3, 5)),)},
    "multi_hop": {"scheme": "multi_hop"},
    "dynamic_head_importance": {"scheme": "dynamic_head_importance"},
    "multi_layer": {"scheme": "multi_layer"},
    "mixtures": {"scheme": "multi_layer", "memory": "transparent", "memory_layers": 2},
}


@pytest.fixture(scope="module", params=mostly_slow(MODELS, "pre", "multi_layer", "mixtures"))
def model(request):
    return tiny.transformer(**MODELS[request.param])


def inputs(**widths):
    target_ids, _ = tiny.targets([4, 2, 6, 3], widths.get("target"))
    return {"source_ids": tiny.sources(LENGTHS, widths.get("source")), "target_ids": target_ids}


def logits(model, batch):
    return array(model(batch, training=False))


def test_logits_have_their_shape_and_are_float32(model):
    found = model(inputs())
    assert tuple(found.shape) == (4, 6, tiny.V)
    assert keras.backend.standardize_dtype(found.dtype) == "float32"
    assert model.compute_output_shape({"source_ids": (4, 7), "target_ids": (4, 6)}) == (4, 6, tiny.V)


def test_the_summary_shows_every_block_with_shapes_and_parameters(model):
    lines = []
    model.summary(print_fn=lambda text, **_: lines.append(text))
    text = "\n".join(lines)
    assert "?" not in text
    assert all(line[-1] in "┃│" for line in text.splitlines() if line[:1] in ("┃", "│"))  # nothing is cut off
    for part in ("encoder_block_1", "encoder_block_2", "decoder_block_1", "decoder_block_2"):
        assert part in text
    for part, count in {"self_attention": 4, "cross_attention": 2, "feed_forward": 4}.items():
        assert len(re.findall(rf"└ {part}\b", text)) == count, part
    total = int(re.search(r"Total params: ([\d,]+)", text)[1].replace(",", ""))
    assert total == model.count_params() == sum(int(np.prod(weight.shape)) for weight in model.weights)


def test_the_number_of_parameters_equals_the_paper():
    # Vaswani et al. 2017, base: 6 + 6 blocks, D = 512, F = 2048, counted by hand; attention without biases but
    # for the output's.
    D, F, V = 512, 2048, 37_000
    attention, norm, feed_forward = 4 * D * D + D, 2 * D, 2 * D * F + F + D
    expected = V * D + 6 * (attention + feed_forward + 2 * norm) + 6 * (2 * attention + feed_forward + 3 * norm)
    assert expected == pytest.approx(65e6, rel=0.05)  # table 3: 65 million
    settings = {"model_dim": D, "feed_forward_dim": F, "encoder_layers": 6, "decoder_layers": 6}
    assert Transformer(tiny.config("multi_head", 8, **settings), V, V).count_params() == expected


@pytest.mark.parametrize(
    ("memory", "normalization", "shared"),
    [("top", "post", False), ("linear", "pre", True), ("transparent", "post", True), ("iterative", "pre", False)],
)
def test_parameters_are_counted_without_values_as_they_are_in_the_model(memory, normalization, shared):
    config = tiny.config(memory=memory, normalization=normalization, encoder_layers=3)
    expected = Transformer(config, tiny.V, tiny.V, shared).count_params()
    assert parameter_count(config, tiny.V, tiny.V, shared) == expected


@pytest.mark.parametrize("scheme", mostly_slow(ATTENTION_SCHEMES, "interacting_head", "multi_hop"))
def test_parameters_of_every_scheme_are_counted_without_values(scheme):
    assert parameter_count(tiny.config(scheme), tiny.V, tiny.V) == tiny.transformer(scheme=scheme).count_params()


def test_interacting_heads_have_as_many_parameters_as_others():
    assert tiny.transformer(scheme="interacting_head").count_params() == (
        tiny.transformer(scheme="multi_head").count_params()
    )


def test_a_saved_model_is_exactly_the_same_after_loading(model, tmp_path):
    expected = logits(model, inputs())
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    assert isinstance(again, Transformer)
    assert again.config == model.config
    assert np.abs(logits(again, inputs()) - expected).max() == 0


def test_weights_are_exactly_the_same_after_loading(model, tmp_path):
    model.save_weights(tmp_path / "model.weights.h5")
    other = Transformer.from_config(model.get_config())
    assert np.abs(logits(other, inputs()) - logits(model, inputs())).max() > 0.1
    other.load_weights(tmp_path / "model.weights.h5")
    assert np.abs(logits(other, inputs()) - logits(model, inputs())).max() == 0


@pytest.mark.parametrize("hypotheses", [1, 3])
def test_decoding_step_by_step_gives_the_logits_of_the_full_pass(model, hypotheses):
    batch = inputs()
    T = batch["target_ids"].shape[1]
    # The hypotheses of one source sentence differ.
    target_ids = np.concatenate([(batch["target_ids"] + shift) % tiny.V for shift in range(hypotheses)])
    target_ids = target_ids.reshape(hypotheses, 4, T).swapaxes(0, 1).reshape(-1, T)
    repeated = np.repeat(batch["source_ids"], hypotheses, axis=0)
    expected = logits(model, {"source_ids": repeated, "target_ids": target_ids})
    N = hypotheses
    target_ids = target_ids.reshape(-1, N, T)
    memories, padding_mask = model.encode(batch["source_ids"])
    projected, caches = model.start_decoding(memories, N, T + 2)
    places = np.arange((T + 2) * N)
    kernels = model.decoding_kernels()
    for t in range(T):
        mask = (places % N == np.arange(N)[:, None]) & (places < (t + 1) * N)
        mask = np.broadcast_to(mask, (len(target_ids), *mask.shape))
        found, caches = model.decode_step(target_ids[:, :, t], t, caches, mask, projected, padding_mask, kernels)
        np.testing.assert_allclose(array(found).reshape(-1, tiny.V), expected[:, t], rtol=1e-3, atol=1e-4)


def test_padding_changes_nothing(model):
    expected = logits(model, inputs())
    found = logits(model, inputs(source=11, target=9))[:, :6]
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_a_later_target_token_changes_no_earlier_logits(model):
    batch = inputs()
    expected = logits(model, batch)
    later = {**batch, "target_ids": batch["target_ids"].copy()}
    later["target_ids"][:, 3:] = 5
    np.testing.assert_allclose(logits(model, later)[:, :3], expected[:, :3], rtol=1e-5, atol=1e-5)
    assert np.abs(logits(model, later)[:, 3:] - expected[:, 3:]).max() > 1e-3


def test_encoder_and_decoder_make_up_the_whole_model(model):
    batch = inputs()
    memory, padding_mask = model.encode(batch["source_ids"])
    hidden = array(model.decode(batch["target_ids"], memory, padding_mask))
    np.testing.assert_array_equal(array(padding_mask), batch["source_ids"] != 0)
    embeddings = array(model.target_embedding.embeddings.value)
    np.testing.assert_allclose(hidden @ embeddings.T, logits(model, batch), rtol=1e-4, atol=1e-4)


def test_a_shared_vocabulary_is_one_matrix_and_separate_ones_are_two():
    def matrices(model):
        return [tuple(weight.shape) for weight in model.weights if weight.name == "embeddings"]

    assert matrices(tiny.transformer()) == [(tiny.V, 8)]
    assert sorted(matrices(tiny.transformer(shared=False, source_vocabulary=23))) == [(tiny.V, 8), (23, 8)]
    assert matrices(tiny.transformer(tied_output=False)) == [(tiny.V, 8)] * 2
    assert matrices(tiny.transformer(shared=False, tied_output=False)) == [(tiny.V, 8)] * 3
    # Also where the two vocabularies are of equal size
    assert matrices(tiny.transformer(shared=False)) == [(tiny.V, 8)] * 2
    with pytest.raises(InputError, match="equal vocabulary sizes"):
        tiny.transformer(source_vocabulary=23)


def test_a_separate_output_matrix_gives_the_logits():
    model = tiny.transformer(tied_output=False)
    memory, padding_mask = model.encode(inputs()["source_ids"])
    hidden = array(model.decode(inputs()["target_ids"], memory, padding_mask))
    kernel = array(model.output_embedding.embeddings.value)
    np.testing.assert_allclose(hidden @ kernel.T, logits(model, inputs()), rtol=1e-4, atol=1e-4)
    assert np.abs(kernel - array(model.target_embedding.embeddings.value)).max() > 1e-2
    np.testing.assert_array_equal(array(model.decoding_kernels()["output"]), kernel.T)


@pytest.mark.parametrize("memory", ["all", "linear", "transparent", "iterative"])
@pytest.mark.parametrize("which", ["every", "top"])
def test_a_pre_norm_model_normalises_every_layer_that_the_decoder_reads(memory, which):
    scheme = {"scheme": "multi_layer"} if memory == "all" else {}
    settings = {"memory": memory, "memory_normalization": which, "normalization": "pre", "encoder_layers": 3, **scheme}
    model = Transformer(tiny.config(**settings), tiny.V, tiny.V)  # its normalisations do not scale yet
    read = []
    layers = model
    layers.aggregation = lambda outputs, embedding_output: read.append(outputs) or outputs[-1:] * 2
    memories, _ = model.encode(inputs()["source_ids"])
    found = read[0] if read else memories[0]
    assert len(found) == 3
    for number, output in enumerate(found, start=1):
        x = array(output)
        is_normalised = np.abs(x.mean(axis=-1)).max() < 1e-4 and np.abs(x.std(axis=-1) - 1).max() < 1e-2
        assert is_normalised == (which == "every" or number == 3), number


def test_a_placement_changes_the_layers_that_it_names():
    model = tiny.transformer(**MODELS["placement"])
    first, second = (model.get_layer(f"decoder_block_{number}") for number in (1, 2))
    assert type(first.cross_attention) is ATTENTION_SCHEMES["interacting_head"]
    assert type(second.cross_attention) is ATTENTION_SCHEMES["multi_head"]
    assert (second.cross_attention.num_heads, second.cross_attention.key_dim) == (4, 3)
    assert type(second.self_attention) is ATTENTION_SCHEMES["interacting_head"]


@pytest.mark.parametrize("scheme", mostly_slow(ATTENTION_SCHEMES, "fixed_head_size", "interacting_head_pairwise"))
def test_every_scheme_makes_a_model(scheme):
    assert np.isfinite(logits(tiny.transformer(scheme=scheme), inputs())).all()


@pytest.mark.parametrize("normalization", ["post", "pre"])
@pytest.mark.parametrize("policy", ["mixed_bfloat16", "mixed_float16"])
def test_half_precision_is_finite_and_close(policy, normalization):
    expected = tiny.transformer(normalization=normalization)
    try:
        keras.config.set_dtype_policy(policy)
        half = tiny.transformer(normalization=normalization)
    finally:
        keras.config.set_dtype_policy("float32")
    half.set_weights(expected.get_weights())
    assert all(keras.backend.standardize_dtype(weight.dtype) == "float32" for weight in half.weights)
    batch = inputs()
    batch["source_ids"][1] = 0  # nothing but padding
    found = half(batch)
    assert keras.backend.standardize_dtype(found.dtype) == "float32"
    reference = logits(expected, batch)
    assert np.isfinite(array(found)).all()
    assert np.abs(array(found) - reference).mean() < 0.1 * np.abs(reference).mean()


def test_dropout_works_in_training_only():
    model = tiny.transformer(dropout=0.5)
    again, trained = logits(model, inputs()), array(model(inputs(), training=True))
    np.testing.assert_array_equal(logits(model, inputs()), again)
    assert np.abs(trained - again).max() > 0.1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"scheme": "interacting_heads"},
            r"unknown attention scheme 'interacting_heads'; did you mean interacting_head\?",
        ),
        ({"num_heads": 3}, "num_heads 3 does not divide model_dim 8"),
        ({"model_dim": 9, "num_heads": 1}, "model.model_dim must be even"),
        (
            {"placements": (PlacementConfig("encoder", (3,), PlacedAttentionConfig(num_heads=2)),)},
            "model.placements names encoder layer 3, but there are only 2 layers",
        ),
        (
            {"placements": (PlacementConfig("cross", (1,), PlacedAttentionConfig("talking")),)},
            "unknown attention scheme 'talking'",
        ),
    ],
)
def test_a_model_that_cannot_be_made_is_a_one_line_error(settings, message):
    with pytest.raises(InputError, match=message) as raised:
        Transformer(tiny.config(**settings), tiny.V, tiny.V)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("options", [{"colour": 1}, {"implementation": "slow"}, {"num_heads": 3}, {"name": "x"}])
def test_wrong_options_of_a_scheme_are_a_one_line_error(options):
    config = dataclasses.replace(tiny.config(), attention=AttentionConfig(num_heads=2, options=options))
    with pytest.raises(InputError, match="are not valid for the scheme interacting_head") as raised:
        Transformer(config, tiny.V, tiny.V)
    assert "\n" not in str(raised.value)


def test_heads_that_do_not_divide_the_dimension_may_have_own_sizes():
    attention = AttentionConfig(num_heads=3, key_dim=4, value_dim=5)
    model = Transformer(dataclasses.replace(tiny.config(), attention=attention), tiny.V, tiny.V)
    assert np.isfinite(array(ops.sum(model(inputs()))))
