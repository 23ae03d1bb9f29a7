import dataclasses

import numpy as np
import pytest

from data.errors import InputError
from interacting_head import export
from interacting_head.runs.alignment_choice import AlignmentChoice
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.translation.engines.keras import TransformerEngine
from tests import skip_reasons
from tests.interacting_head.export import exports
from tests.layers.backend import array
from tests.parameters import mostly_slow

ctranslate2 = pytest.importorskip("ctranslate2", reason=skip_reasons.EXPORT)

from interacting_head.translation.engines.ctranslate2 import CTranslate2Engine  # noqa: E402

FOLDED = ("multi_head", "fixed_head_size", "talking_heads", "interacting_head", "interacting_head_pairwise")
MODELS = {
    **{f"{scheme}-{norm}": {"scheme": scheme, "normalization": norm} for scheme in FOLDED for norm in ("post", "pre")},
    "several schemes": exports.MIXED,
    "one encoder layer": {"scheme": "multi_layer", "memory": "top"},
    "knocking heads": {"scheme": "knocking_heads"},
    "collaborative heads": {"scheme": "collaborative_heads"},
    "one pseudo-head": {"scheme": "interleaved_heads", "options": {"num_pseudo_heads": 1}},
}


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    return exports.subwords(tmp_path_factory.mktemp("subwords"))


def scores(folder, trained, sources, targets, **options):
    """CTranslate2's log-probabilities of given translations, token by token, the end symbol included."""
    engine = ctranslate2.Translator(str(folder), device="cpu", intra_threads=1, **options)
    pieces = [
        [[subwords.piece(token) for token in sentence] for sentence in sentences]
        for subwords, sentences in ((trained.source_subwords, sources), (trained.target_subwords, targets))
    ]
    return [result.log_probs for result in engine.score_batch(*pieces, max_input_length=0)]


def assert_equal_scores(trained, folder, sources, targets, **tolerance):
    expected = exports.log_probabilities(trained.model, sources, targets)
    for ours, theirs in zip(expected, scores(folder, trained, sources, targets), strict=True):
        np.testing.assert_allclose(theirs, ours, **{"rtol": 1e-5, "atol": 1e-5, **tolerance})


QUICK = "interacting_head-post", "talking_heads-pre", "interacting_head_pairwise-pre", "several schemes"


@pytest.mark.parametrize("name", mostly_slow(MODELS, *QUICK))
def test_given_translations_have_our_log_probabilities(tmp_path, both, name):
    trained = exports.trained(both, **MODELS[name])
    export.convert(trained, "ctranslate2", tmp_path / "model")
    assert_equal_scores(trained, tmp_path / "model", *exports.pairs())


@pytest.mark.parametrize("tied_output", [True, False])
def test_separate_vocabularies_are_kept_apart(tmp_path, tied_output):
    trained = exports.trained(exports.subwords(tmp_path, shared=False), tied_output=tied_output)
    export.convert(trained, "ctranslate2", tmp_path / "model")
    assert_equal_scores(trained, tmp_path / "model", *exports.pairs())


def test_long_sentences_keep_their_positions(tmp_path, both):
    trained = exports.trained(both)
    export.convert(trained, "ctranslate2", tmp_path / "model")
    sources, targets = exports.pairs(count=1, longest=5)
    assert_equal_scores(trained, tmp_path / "model", [sources[0] * 300], [targets[0] * 300], atol=1e-4)


@pytest.mark.parametrize("head", ["mean", "head 2"])
@pytest.mark.parametrize("name", mostly_slow(MODELS, "interacting_head-post"))
def test_attention_for_word_alignments_is_ours(tmp_path, both, name, head):
    trained = exports.trained(both, **MODELS[name])
    names = trained.model.attention_layers["cross", 2].head_names
    choice = AlignmentChoice(2, "mean" if head == "mean" else names[1])
    run = RunDirectory(tmp_path)  # it has nothing but the choice
    run.alignment_choice = lambda: choice
    export.convert(dataclasses.replace(trained, run=run), "ctranslate2", tmp_path / "model")
    theirs, _ = CTranslate2Engine.open([tmp_path / "model"])
    if trained.model.attention_layers["cross", 2].mixes_weights:
        assert name.startswith("talking_heads")
        with pytest.raises(InputError, match="gives no word alignments with --engine ctranslate2"):
            theirs.alignment_choice()
        return
    assert theirs.alignment_choice() == choice
    pairs = list(zip(*exports.pairs(), strict=True))
    found = theirs.attention(pairs, 8)
    for our, their in zip(TransformerEngine(trained.model, run).attention(pairs, 8), found, strict=True):
        assert our.shape == their.shape
        np.testing.assert_allclose(their[:-1, :-1], our[:-1, :-1], atol=1e-5)


def test_the_default_choice_goes_with_a_converted_model(tmp_path, both):
    export.convert(exports.trained(both), "ctranslate2", tmp_path / "model")
    engine, _ = CTranslate2Engine.open([tmp_path / "model"])
    assert engine.alignment_choice() == AlignmentChoice.default(2)
    (tmp_path / "model" / "text" / "alignment.json").unlink()  # as earlier versions converted it
    engine, _ = CTranslate2Engine.open([tmp_path / "model"])
    with pytest.raises(InputError, match="convert it again"):
        engine.alignment_choice()


def in_steps(weight, axes):
    """A weight in 8 bits: 127 steps on either side of zero, the last of them the largest of each row or column."""
    step = np.abs(weight).max(axis=axes, keepdims=True) / 127
    return np.rint(weight / step) * step


def quantise(model, quantization):
    """Round the weights of a model of `multi_head` as CTranslate2 stores them."""
    inputs = dict.fromkeys(("query_kernel", "key_kernel", "value_kernel", "kernel"), 0)  # the axes that are summed
    inputs |= {"output_kernel": (0, 1), "embeddings": 1}
    for weight in model.weights:
        value = array(weight.value)
        if quantization == "float16":
            weight.assign(value.astype("float16"))
        elif weight.name in inputs:
            weight.assign(in_steps(value, inputs[weight.name]))


@pytest.mark.parametrize("quantization", ["float16", "int8", "int8_float32"])
def test_a_quantised_model_is_ours_with_rounded_weights(tmp_path, both, quantization):
    trained = exports.trained(both, scheme="multi_head", model_dim=64, feed_forward_dim=128)
    before = trained.model.get_weights()
    for name, kind in (("plain", None), ("model", quantization)):
        export.convert(trained, "ctranslate2", tmp_path / name, kind)
    for weight, kept in zip(trained.model.get_weights(), before, strict=True):
        np.testing.assert_array_equal(weight, kept)  # what CTranslate2 changes in place is not the model
    sizes = [(tmp_path / name / "model.bin").stat().st_size for name in ("model", "plain")]
    assert sizes[0] < sizes[1]
    sources, targets = exports.pairs()
    plain = np.concatenate(exports.log_probabilities(trained.model, sources, targets))
    quantise(trained.model, quantization)
    rounded = np.concatenate(exports.log_probabilities(trained.model, sources, targets))
    # Computed in float32 from the weights that are stored: kernels in 8 bits differ from processor to processor. In
    # float16 the table of positions is rounded too, by up to 2 ** -12. Unrounded weights are 0.005 and 0.5 away.
    found = np.concatenate(scores(tmp_path / "model", trained, sources, targets, compute_type="float32"))
    atol = 1e-3 if quantization == "float16" else 1e-4
    np.testing.assert_allclose(found, rounded, rtol=0, atol=atol)
    assert np.abs(found - plain).max() > 3 * atol
    # What translations are computed with: activations are rounded too, and without VNNI sums of products saturate.
    # Seen were 0.982 to 0.9996; weights of another model give less than 0.2.
    found = np.concatenate(scores(tmp_path / "model", trained, sources, targets))
    assert np.corrcoef(plain, found)[0, 1] > 0.9


def test_the_folder_holds_what_text_needs(tmp_path, both):
    trained = exports.trained(both)
    export.convert(trained, "ctranslate2", tmp_path / "model")
    copy = RunDirectory.open(tmp_path / "model" / "text")
    source, target = copy.subwords()
    assert source is target
    assert source.digest == both[0].digest
    assert copy.config.model == trained.config.model
    assert not copy.text_forms()[0].is_tokenized
