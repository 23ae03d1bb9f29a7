"""The contract of every attention scheme of the registry."""

import keras
import numpy as np
import pytest
from keras import ops

from tests.layers.backend import array, gradients
from tests.layers.schemes import ALL, IDS, MODEL_DIM, built, make, normal

every_scheme = pytest.mark.parametrize(("name", "options"), ALL, ids=IDS)


@every_scheme
def test_a_layer_survives_serialisation(name, options):
    layer = make(name, options, dropout=0.1)
    again = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(layer))
    assert type(again) is type(layer)
    assert again.get_config() == layer.get_config()


@every_scheme
def test_a_saved_model_reloads_exactly(name, options, tmp_path):
    query, memory = keras.Input((None, MODEL_DIM)), keras.Input((None, MODEL_DIM))
    model = keras.Model([query, memory], make(name, options)(query, memory))
    inputs = [normal(2, 3, MODEL_DIM), normal(2, 4, MODEL_DIM, seed=1)]
    outputs = array(model(inputs))
    model.save(tmp_path / "model.keras")
    np.testing.assert_array_equal(array(keras.saving.load_model(tmp_path / "model.keras")(inputs)), outputs)
    model.save_weights(tmp_path / "model.weights.h5")
    for weight in model.weights:
        weight.assign(np.zeros(weight.shape))
    model.load_weights(tmp_path / "model.weights.h5")
    np.testing.assert_array_equal(array(model(inputs)), outputs)


@every_scheme
def test_a_compiled_layer_gives_the_same(name, options):
    layer = built(name, options, dropout=0.1)
    query, memory = normal(2, 3, MODEL_DIM), normal(2, 4, MODEL_DIM, seed=1)
    mask = np.array([[[1, 1, 1, 1]], [[1, 1, 0, 0]]], "bool")
    inputs = keras.Input((None, MODEL_DIM)), keras.Input((None, MODEL_DIM)), keras.Input((1, None), dtype="bool")
    outputs = layer(*inputs[:2], attention_mask=inputs[2], return_attention_scores=True)
    compiled = keras.Model(inputs, outputs).predict_on_batch([query, memory, mask])
    for found, expected in zip(
        compiled, layer(query, memory, attention_mask=mask, return_attention_scores=True), strict=True
    ):
        np.testing.assert_allclose(array(found), array(expected), rtol=1e-5, atol=1e-5)


@every_scheme
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_is_finite_even_where_everything_is_masked(name, options, dtype):
    layer = built(name, options, dtype=f"mixed_{dtype}")
    mask = np.ones((2, 3, 4), "bool")
    mask[1] = False
    output, scores = layer(
        10 * normal(2, 3, MODEL_DIM), normal(2, 4, MODEL_DIM), attention_mask=mask, return_attention_scores=True
    )
    assert keras.backend.standardize_dtype(output.dtype) == dtype
    assert np.isfinite(array(ops.cast(output, "float32"))).all()
    assert np.isfinite(array(ops.cast(scores, "float32"))).all()


@every_scheme
def test_masked_keys_get_no_weight_and_no_gradient(name, options):
    layer = built(name, options)
    mask = np.ones((2, 3, 5), "bool")
    mask[:, :, 3:] = False
    query, memory = normal(2, 3, MODEL_DIM), normal(2, 5, MODEL_DIM, seed=1)
    _, scores = layer(query, memory, attention_mask=mask, return_attention_scores=True)
    assert (array(scores)[..., 3:] == 0).all()
    (gradient,) = gradients(lambda value: ops.sum(ops.square(layer(query, value, attention_mask=mask))), memory)
    assert (gradient[:, 3:] == 0).all()
    assert (gradient[:, :3] != 0).any()


@every_scheme
def test_a_mask_may_be_one_for_the_batch(name, options):
    layer = built(name, options)
    inputs, mask = normal(2, 4, MODEL_DIM), np.tril(np.ones((4, 4), "bool"))  # as many positions as heads
    one_for_all_keys = np.array([[1], [1], [0], [1]], "bool")
    same = np.repeat(one_for_all_keys, 4, axis=1)
    for short, whole in ((mask, mask[None]), (mask[2], mask[None, 2:3]), (one_for_all_keys[None], same[None])):
        outputs = [array(layer(inputs, inputs, attention_mask=one)) for one in (short, whole)]
        np.testing.assert_array_equal(*outputs)


@every_scheme
def test_the_future_does_not_change_the_past(name, options):
    layer = built(name, options)
    inputs = normal(2, 6, MODEL_DIM)
    changed = inputs.copy()
    changed[:, 4:] += 1
    before, after = (array(layer(x, x, use_causal_mask=True)) for x in (inputs, changed))
    np.testing.assert_allclose(after[:, :4], before[:, :4], rtol=1e-5, atol=1e-5)
    assert abs(after[:, 4:] - before[:, 4:]).max() > 1e-2


@every_scheme
def test_cached_steps_equal_one_pass_of_self_attention(name, options):
    layer = built(name, options)
    inputs = normal(2, 5, MODEL_DIM)
    expected = array(layer(inputs, inputs, use_causal_mask=True))
    cache = layer.empty_cache(2, 7)  # longer than needed: places not yet reached are not attended to
    for t in range(5):
        step = inputs[:, t : t + 1]
        output, cache = layer.step(step, cache, t)
        np.testing.assert_allclose(array(output)[:, 0], expected[:, t], rtol=1e-5, atol=1e-5)


@every_scheme
def test_a_projected_memory_equals_the_memory(name, options):
    layer = built(name, options)
    query, memory = normal(2, 3, MODEL_DIM), normal(2, 5, MODEL_DIM, seed=1)
    mask = np.array([[[1, 1, 1, 1, 1]], [[1, 1, 1, 0, 0]]], "bool")
    expected = array(layer(query, memory, attention_mask=mask))
    output, _ = layer.step(query, layer.project_memory(memory), attention_mask=mask)
    np.testing.assert_allclose(array(output), expected, rtol=1e-5, atol=1e-5)


@every_scheme
def test_a_step_takes_inputs_of_any_precision(name, options):
    layer = built(name, options, dtype="mixed_bfloat16")
    query, memory = normal(2, 3, MODEL_DIM), normal(2, 5, MODEL_DIM, seed=1)
    expected = layer(query, memory)
    output, _ = layer.step(query, layer.project_memory(memory))
    assert keras.backend.standardize_dtype(output.dtype) == "bfloat16"
    np.testing.assert_allclose(array(output), array(expected), rtol=0.05, atol=0.05)
    output, _ = layer.step(query[:, :1], layer.empty_cache(2, 4), 0)
    assert keras.backend.standardize_dtype(output.dtype) == "bfloat16"


@every_scheme
@pytest.mark.parametrize("dtype", ["mixed_float16", "mixed_bfloat16"])
def test_gates_work_in_half_precision(name, options, dtype):
    layer = built(name, options, dtype=dtype, head_gates=True)
    layer.head_gates.assign([1, 0, 1, 1])
    query, memory = normal(2, 3, MODEL_DIM), normal(2, 5, MODEL_DIM, seed=1)
    assert np.isfinite(array(layer(query, memory)).astype("float32")).all()
    assert all(np.isfinite(array(loss)) for loss in layer.losses)


@every_scheme
def test_a_layer_may_be_built_by_the_call_of_a_model(name, options):
    class Model(keras.Model):
        def __init__(self):
            super().__init__()
            self.attention = make(name, options, seed=1)

        def call(self, inputs):
            return self.attention(inputs, inputs)

    keras.utils.set_random_seed(1)
    model, inputs = Model(), normal(2, 3, MODEL_DIM)
    model(inputs)
    keras.utils.set_random_seed(1)
    alone = make(name, options, seed=1)
    alone.build(inputs.shape, inputs.shape)
    for weight, other in zip(model.attention.weights, alone.weights, strict=True):
        np.testing.assert_allclose(np.std(array(weight.value)), np.std(array(other.value)), rtol=0.3, atol=1e-3)


@every_scheme
def test_more_padding_changes_nothing(name, options):
    layer = built(name, options)
    query, memory = normal(2, 3, MODEL_DIM), normal(2, 5, MODEL_DIM, seed=1)
    padded = np.concatenate([memory, normal(2, 4, MODEL_DIM, seed=2)], axis=1)
    mask = np.concatenate([np.ones((2, 1, 5)), np.zeros((2, 1, 4))], axis=2)
    expected = array(layer(query, memory))
    np.testing.assert_allclose(array(layer(query, padded, attention_mask=mask)), expected, rtol=1e-5, atol=1e-5)


@every_scheme
@pytest.mark.parametrize(("batch", "heads", "T", "S"), [(1, 1, 1, 1), (1, 1, 3, 5), (3, 4, 5, 2), (2, 2, 1, 4)])
def test_outputs_have_the_shape_of_the_query(name, options, batch, heads, T, S):
    layer = make(name, options, num_heads=heads)
    query, memory = normal(batch, T, MODEL_DIM), normal(batch, S, MODEL_DIM, seed=1)
    output, scores = layer(query, memory, return_attention_scores=True)
    assert output.shape == query.shape
    assert scores.shape[-3:] == (heads, T, S)
    symbolic = layer(keras.Input((None, MODEL_DIM)), keras.Input((None, MODEL_DIM)))
    assert symbolic.shape == (None, None, MODEL_DIM)


@every_scheme
def test_query_key_and_value_may_differ_in_size(name, options):
    query, value, key = (normal(2, length, size) for length, size in ((3, MODEL_DIM), (5, 7), (5, 9)))
    assert make(name, options)(query, value, key).shape == (2, 3, MODEL_DIM)


@every_scheme
def test_dropout_acts_in_training_only(name, options):
    layer = built(name, options, dropout=0.5)
    query, memory = normal(2, 3, MODEL_DIM), normal(2, 5, MODEL_DIM, seed=1)
    np.testing.assert_array_equal(array(layer(query, memory)), array(layer(query, memory)))
    first, second = (array(layer(query, memory, training=True)) for _ in range(2))
    assert abs(first - second).max() > 1e-3


@every_scheme
def test_all_weights_are_trained(name, options):
    from tests.layers.backend import weight_gradients

    layer = built(name, options)
    query, memory = normal(2, 3, MODEL_DIM), normal(2, 5, MODEL_DIM, seed=1)
    found = weight_gradients(layer, lambda: ops.sum(ops.square(layer(query, memory))))
    for weight, gradient in found.items():
        # A key bias shifts all logits of a row alike, so the softmax does not see it.
        assert (abs(gradient) > 1e-6).any() or weight == "key_bias", weight


@every_scheme
def test_wrong_sizes_are_refused(name, options):
    with pytest.raises(ValueError, match="num_heads must be at least 1"):
        make(name, options, num_heads=0)


@every_scheme
def test_intermediate_results_are_consistent(name, options):
    layer = built(name, options)
    query, memory = normal(2, 3, MODEL_DIM), normal(2, 5, MODEL_DIM, seed=1)
    mask = np.array([[[1, 1, 1, 1, 1]], [[1, 1, 1, 0, 0]]], "bool")
    arguments = {"attention_mask": mask, "return_attention_scores": True, "return_intermediates": True}
    output, scores, seen = layer(query, memory, **arguments)
    np.testing.assert_allclose(array(output), array(layer(query, memory, attention_mask=mask)), rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(array(seen["weights"]), array(scores))
    assert ("importance" in seen) == layer.has_head_importance
    leading = array(scores).shape[1:-2]
    assert len(layer.head_names) == len(set(layer.head_names)) == np.prod(leading)
    assert seen["logits"].shape[-3:] == scores.shape[-3:]
    assert seen["heads"].shape == (2, *leading, 3, layer.value_dim)


@every_scheme
def test_a_layer_states_its_default_placement_and_memory(name, options):
    layer = make(name, options)
    assert layer.memory in ("top", "all")
    assert layer.why_key_dim is None or isinstance(layer.why_key_dim, str)
    for encoder_layers, decoder_layers in ((1, 1), (3, 2), (6, 6)):
        placement = layer.default_placement(encoder_layers, decoder_layers)
        counts = {"encoder": encoder_layers, "decoder": decoder_layers, "cross": decoder_layers}
        for site, numbers in (placement or {}).items():
            assert numbers
            assert all(1 <= number <= counts[site] for number in numbers)


@every_scheme
def test_options_that_depend_on_the_layer_are_constructor_options(name, options):
    layer = make(name, options)
    for number in (1, 2, 6):
        found = layer.layer_options(number)
        assert found.keys() <= layer.get_config().keys()
        others = {option: value for option, value in found.items() if option not in options}
        assert make(name, {**options, **others}).get_config().items() >= others.items()


@every_scheme
def test_a_layer_is_standard_attention_or_says_why_not(name, options):
    layer = built(name, options)
    if layer.why_not_standard is not None:
        assert isinstance(layer.why_not_standard, str)
        return
    query, memory = normal(2, 3, MODEL_DIM).astype("float64"), normal(2, 5, MODEL_DIM, seed=1).astype("float64")
    *kernels, output_kernel = layer.standard_projections()
    q, k, v = (
        np.einsum("btd,dhk->bhtk", np.concatenate([x, np.ones((*x.shape[:-1], 1))], axis=-1), kernel)
        for x, kernel in zip((query, memory, memory), kernels, strict=True)
    )
    logits = np.einsum("bhtk,bhsk->bhts", q, k) / np.sqrt(layer.key_dim)
    weights = np.exp(logits - logits.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    heads = np.einsum("bhts,bhsv->bhtv", weights, v)
    expected = np.einsum("bhtv,hvd->btd", heads, output_kernel) + array(layer.output_bias)
    np.testing.assert_allclose(array(layer(query, memory)), expected, rtol=1e-4, atol=1e-4)
    shown = array(layer(query, memory, return_attention_scores=True)[1])
    # A scheme may have an axis in front of the heads.
    assert layer.mixes_weights != np.allclose(shown.reshape(weights.shape), weights, rtol=1e-4, atol=1e-5)


@every_scheme
def test_closed_gates_and_removed_heads_give_the_same(name, options):
    query, memory = normal(2, 3, MODEL_DIM), normal(2, 5, MODEL_DIM, seed=1)
    plain, gated = built(name, options), built(name, options, head_gates=True)
    values = iter(plain.weights)
    for weight in gated.weights:
        weight.assign(np.ones(weight.shape) if weight.name in ("head_gates", "source_gates") else next(values))
    np.testing.assert_array_equal(array(gated(query, memory)), array(plain(query, memory)))
    for removed in ({1, 2}, {0, 1, 2, 3}):
        gated.head_gates.assign([float(head not in removed) for head in range(4)])
        expected = array(gated(query, memory))
        assert abs(expected - array(plain(query, memory))).max() > 1e-3
        if plain.why_not_removable is not None:
            assert isinstance(plain.why_not_removable, str)
            continue
        smaller = built(name, options, num_heads=max(1, 4 - len(removed)))
        for weight in smaller.weights:
            weight.assign(plain.weights_without(removed)[weight.name])
        np.testing.assert_allclose(array(smaller(query, memory)), expected, rtol=1e-4, atol=1e-4)


@every_scheme
def test_own_parameters_are_named_arrays(name, options):
    found = built(name, options).own_parameters()
    assert len(found) <= 1
    for kind, parameters in found.items():
        assert isinstance(kind, str)
        assert parameters
        assert all(parameter.dtype == "float64" for parameter in parameters.values())
