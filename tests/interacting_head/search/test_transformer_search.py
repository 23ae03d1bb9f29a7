"""Search and scoring with Transformers."""

import numpy as np
import pytest
from keras import ops

from data.text.subwords import BEGIN, END, PAD
from interacting_head.search import transformer_search
from interacting_head.search.beam_search import pick, write_at
from interacting_head.search.constraints import Limits
from interacting_head.search.options import length_limit
from interacting_head.search.transformer_search import Scorer, TransformerSearch
from layers import ATTENTION_SCHEMES
from tests import skip_reasons
from tests.interacting_head import tiny
from tests.interacting_head.search.languages import as_lists, assert_same, beam_search, options, penalty
from tests.layers.backend import array
from tests.parameters import mostly_slow

LENGTHS = [3, 7, 2, 5]
LIMITS = [9, 12, 6, 10]


def transformer(scheme="interacting_head", **settings):
    return tiny.transformer(scheme=scheme, **settings)


@pytest.fixture(scope="module", params=mostly_slow(["post", "pre"], "pre"))
def model(request):
    return transformer(normalization=request.param)


@pytest.fixture(scope="module")
def beam(model):
    return TransformerSearch(model, options(3))


def hypotheses(search, source_ids, max_lengths, **limits):
    """The n-best list [(score, ids), …] of each sentence; scores of tokens are checked."""
    found = search(source_ids, Limits(max_lengths=np.array(max_lengths, "int32"), **limits))
    n_best, chosen = as_lists(found.ids, found.scores), search.options
    for sentence, token_scores in zip(n_best, found.token_scores, strict=True):
        for (score, ids), log_p in zip(sentence, token_scores, strict=False):
            divisor = penalty(len(ids), chosen.length_penalty, chosen.length_penalty_type)
            assert score == pytest.approx(log_p.sum() / divisor, rel=1e-5, abs=1e-5)
            assert (log_p[len(ids) :] == 0).all()
    return n_best


def assert_close(found, expected):
    for ours, theirs in zip(found, expected, strict=True):
        assert_same(ours, theirs)


def forced_scores(models, source_ids, n_best, rank=0):
    """Log-probabilities `(B, T)` by forced decoding of the hypotheses of a rank."""
    labels = np.full((len(n_best), max(len(sentence[rank][1]) for sentence in n_best)), PAD, "int32")
    for row, sentence in zip(labels, n_best, strict=True):
        row[: len(sentence[rank][1])] = sentence[rank][1]
    target_ids = np.concatenate([np.full((len(labels), 1), BEGIN, "int32"), labels[:, :-1]], axis=1)
    return Scorer(models)(source_ids, target_ids, labels)[0]


@pytest.mark.parametrize("scheme", ATTENTION_SCHEMES)
@pytest.mark.slow
def test_translations_depend_neither_on_padding_nor_on_the_batch(scheme, monkeypatch):
    search = TransformerSearch(transformer(scheme, decoder_layers=1), options(3))
    expected = hypotheses(search, tiny.sources(LENGTHS), LIMITS)
    assert_close(hypotheses(search, tiny.sources(LENGTHS, width=11), LIMITS), expected)
    assert_close(hypotheses(search, tiny.sources(LENGTHS)[::-1], LIMITS[::-1]), expected[::-1])
    for row, (length, limit) in enumerate(zip(LENGTHS, LIMITS, strict=True)):
        assert_close(hypotheses(search, tiny.sources([length]), [limit]), expected[row : row + 1])
    monkeypatch.setattr(transformer_search, "CAPACITY", 2)  # the caches grow in many pieces
    assert_close(hypotheses(search, tiny.sources(LENGTHS), LIMITS), expected)
    for rank in range(3):
        log_p = forced_scores(search.models, tiny.sources(LENGTHS), expected, rank)
        for sentence, forced in zip(expected, log_p, strict=True):
            score, ids = sentence[rank]
            assert score == pytest.approx(forced.sum() / penalty(len(ids), 0.6, "gnmt"), rel=1e-4, abs=1e-5)


def test_a_search_with_caches_finds_what_one_without_them_finds(model, beam):
    source_ids = tiny.sources(LENGTHS)
    expected = hypotheses(beam, source_ids, LIMITS)

    def step(tokens, parents, position, state):
        """Read every hypothesis from its beginning; later positions, which are not yet written, are not read."""
        state = write_at(pick(state, parents), tokens, position)  # (B, N, L)
        flat = ops.reshape(state, (-1, state.shape[-1]))
        logits = model({"source_ids": ops.repeat(source_ids, 3, axis=0), "target_ids": flat})
        return ops.reshape(ops.take(logits, position, axis=1), (*tokens.shape, -1)), state

    empty = np.full((4, 3, 12), PAD, "int32")
    ids, scores, _ = map(array, beam_search(step, empty, Limits(max_lengths=np.array(LIMITS, "int32")), options(3), 12))
    assert_close(as_lists(ids, scores), expected)


def test_the_largest_length_holds_for_each_sentence(beam):
    limits = [4, 1, 6, 2]
    for sentence, limit in zip(hypotheses(beam, tiny.sources(LENGTHS), limits), limits, strict=True):
        assert max(len(ids) for _, ids in sentence) <= limit


def test_a_translation_may_be_longer_than_usual(model):
    search = TransformerSearch(model, options(2, "average", 3.0, min_length=1))
    shortest = np.array([40, 39], "int32")
    found = hypotheses(search, tiny.sources([2, 3]), [60, 45], min_lengths=shortest)
    for sentence, least in zip(found, shortest, strict=True):
        assert length_limit(3) < least < len(sentence[0][1]) <= 60


def test_symbols_that_are_not_labels_are_never_produced(model):
    for sentence in hypotheses(TransformerSearch(model, options(8)), tiny.sources(LENGTHS), [12] * 4):
        for _, ids in sentence:
            assert not {PAD, BEGIN} & set(ids)


def test_a_prefix_begins_all_hypotheses_and_counts_for_their_score(model, beam):
    free = hypotheses(beam, tiny.sources(LENGTHS), LIMITS)
    search = TransformerSearch(model, options(3), prefixes=True)
    prefixes, lengths = np.zeros((4, 3), "int32"), np.array([2, 0, 3, 1], "int32")
    for row, sentence, length in zip(prefixes, free, lengths, strict=True):
        start = [*sentence[0][1], 5, 5, 5][:length]  # of the best translation without a prefix
        row[:length] = [word if word != END else 5 for word in start]
    found = hypotheses(search, tiny.sources(LENGTHS), LIMITS, prefixes=prefixes, prefix_lengths=lengths)
    for sentence, row, length in zip(found, prefixes, lengths, strict=True):
        assert {ids[:length] for _, ids in sentence} == {tuple(row[:length].tolist())}
    assert_close(found[1:2], free[1:2])
    log_p = forced_scores(model, tiny.sources(LENGTHS), found)
    for [(score, ids), *_], forced in zip(found, log_p, strict=True):
        assert score == pytest.approx(forced.sum() / penalty(len(ids), 0.6, "gnmt"), rel=1e-4, abs=1e-5)


@pytest.mark.slow
def test_an_ensemble_of_a_model_with_itself_is_the_model(model, beam):
    expected = hypotheses(beam, tiny.sources(LENGTHS), LIMITS)
    assert_close(hypotheses(TransformerSearch([model, model], options(3)), tiny.sources(LENGTHS), LIMITS), expected)
    twice, once = (forced_scores(models, tiny.sources(LENGTHS), expected) for models in ([model, model], model))
    np.testing.assert_allclose(twice, once, rtol=1e-5, atol=1e-5)


@pytest.mark.slow
def test_an_ensemble_of_schemes_is_the_mean_of_their_probabilities(model):
    models = [model, transformer("multi_head", seed=7), transformer("multi_layer", seed=9, encoder_layers=3)]
    found = hypotheses(TransformerSearch(models, options(3)), tiny.sources(LENGTHS), LIMITS)
    labels = np.zeros((4, 12), "int32")
    for row, [(_, ids), *_] in zip(labels, found, strict=True):
        row[: len(ids)] = ids
    inputs = np.concatenate([np.full((4, 1), BEGIN, "int32"), labels[:, :-1]], axis=1)
    logits = [array(one({"source_ids": tiny.sources(LENGTHS), "target_ids": inputs})) for one in models]
    p = np.mean([np.exp(x) / np.exp(x).sum(-1, keepdims=True) for x in np.array(logits, "float64")], axis=0)
    log_p = np.where(labels != PAD, np.log(np.take_along_axis(p, labels[..., None], -1)[..., 0]), 0)
    for [(score, ids), *_], expected in zip(found, log_p.sum(1), strict=True):
        assert score == pytest.approx(expected / penalty(len(ids), 0.6, "gnmt"), rel=1e-4, abs=1e-5)
    forced = forced_scores(models, tiny.sources(LENGTHS), found)
    np.testing.assert_allclose(forced, log_p[:, : forced.shape[1]], rtol=1e-4, atol=1e-5)


def test_a_search_uses_the_weights_of_the_last_refresh(model, beam):
    expected = hypotheses(beam, tiny.sources(LENGTHS), LIMITS)
    weights = model.get_weights()
    try:
        model.set_weights([weight[::-1] for weight in weights])
        beam.decoding_kernels.refresh()
        assert hypotheses(beam, tiny.sources(LENGTHS), LIMITS) != expected
    finally:
        model.set_weights(weights)
        beam.decoding_kernels.refresh()
    assert_close(hypotheses(beam, tiny.sources(LENGTHS), LIMITS), expected)


def test_functions_are_compiled_once(model):
    if transformer_search.compiles_shapes():
        pytest.skip(skip_reasons.COMPILED_SHAPES)
    search = TransformerSearch(model, options(2))
    for lengths, width in (([3], 3), ([5, 2, 4], 9), ([2] * 6, 2), ([20, 7], 20)):
        hypotheses(search, tiny.sources(lengths, width=width), [length_limit(length) for length in lengths])
    assert [one.count for one in (search.decoding_kernels.compiled, search.compiled_search)] == [1, 1]


def test_the_scorer_counts_right_tokens_and_leaves_padding_out(model):
    target_ids, labels = tiny.targets([4, 2, 6, 3])
    inputs = {"source_ids": tiny.sources(LENGTHS), "target_ids": target_ids}
    logits = array(model(inputs))
    found, correct = Scorer(model)(**inputs, labels=labels)
    real = labels != PAD
    np.testing.assert_array_equal(correct, (logits.argmax(-1) == labels) & real)
    log_p = logits - np.log(np.exp(logits.astype("float64")).sum(-1, keepdims=True))
    expected = np.where(real, np.take_along_axis(log_p, labels[..., None], -1)[..., 0], 0)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
