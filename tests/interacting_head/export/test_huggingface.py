"""Models of transformers: against it where it is installed with torch, and their files in any case."""

import dataclasses
import json

import numpy as np
import pytest

from data.errors import InputError
from data.text.subwords import BEGIN, END, PAD, Subwords
from interacting_head import export
from interacting_head.config import DecodeConfig, ExperimentConfig, PlacedAttentionConfig, PlacementConfig, override
from interacting_head.export import huggingface
from interacting_head.search.constraints import Limits
from interacting_head.search.options import SearchOptions
from interacting_head.search.transformer_search import TransformerSearch
from interacting_head.training.setup import make_training_model
from interacting_head.translation.inspection import Inspector
from tests import skip_reasons
from tests.interacting_head.export import exports

numpy_safetensors = pytest.importorskip("safetensors.numpy", reason=skip_reasons.EXPORT)

MODELS = {
    "multi_head": {"scheme": "multi_head"},
    "interacting_head": {"scheme": "interacting_head"},
    "an output matrix of its own": {"scheme": "interacting_head", "tied_output": False},
    "smaller keys": {"scheme": "fixed_head_size", "model_dim": 12},  # head size 6, key size 5
    "pre-norm": {"scheme": "multi_head", "normalization": "pre"},
    "pre-norm interacting heads": {"scheme": "interacting_head", "normalization": "pre", "encoder_layers": 2},
    "pre-norm, an output matrix of its own": {"tied_output": False, "normalization": "pre"},
    "knocking heads": {"scheme": "knocking_heads"},
    "one pseudo-head": {"scheme": "interleaved_heads", "options": {"num_pseudo_heads": 1}},
    "two numbers of heads": {
        "model_dim": 16,
        "num_heads": 2,
        "placements": (PlacementConfig("cross", (1,), PlacedAttentionConfig("interacting_head", 1, 6, 4)),),
    },
}


def converted(folder, shared=True, file_format="huggingface", **settings):
    trained = exports.trained(exports.subwords(folder, shared), **settings)
    export.convert(trained, file_format, folder / "model")
    return trained


def load(folder):
    transformers = pytest.importorskip("transformers", reason=skip_reasons.TRANSFORMERS)
    pytest.importorskip("torch", reason=skip_reasons.TRANSFORMERS)
    model, info = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder, output_loading_info=True)
    assert not any(info[what] for what in ("missing_keys", "unexpected_keys", "mismatched_keys", "error_msgs")), info
    return transformers.AutoTokenizer.from_pretrained(folder), model.eval()


def their_logits(model, sources, targets):
    import torch

    source_ids = torch.tensor(exports.padded([[*s, END] for s in sources]), dtype=torch.long)
    target_ids = torch.tensor(exports.padded([[BEGIN, *t] for t in targets]), dtype=torch.long)
    with torch.no_grad():
        return model(source_ids, attention_mask=source_ids != PAD, decoder_input_ids=target_ids).logits.numpy()


QUICK = "smaller keys", "an output matrix of its own", "pre-norm interacting heads"
CASES = [
    pytest.param(name, shared, marks=[] if shared and name in QUICK else pytest.mark.slow)
    for name in MODELS
    for shared in (True, False)
    if shared or not name.startswith("pre-norm")
]


@pytest.mark.parametrize(("name", "shared"), CASES)
def test_transformers_computes_our_logits(tmp_path, name, shared):
    trained = converted(tmp_path, shared, **MODELS[name])
    _, model = load(tmp_path / "model")
    sources, targets = exports.pairs()
    ours = exports.logits(trained.model, sources, targets)
    theirs = their_logits(model, sources, targets)
    for row, target in enumerate(targets):
        real = slice(len(target) + 1)
        np.testing.assert_allclose(theirs[row, real], ours[row, real], rtol=1e-5, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("normalization", ["post", "pre"])
def test_the_search_of_transformers_gives_our_translations(tmp_path, normalization):
    trained = exports.trained(exports.subwords(tmp_path), model_dim=16, normalization=normalization)
    sources, targets = exports.pairs()
    learn(trained.model, sources, targets, steps=150)
    config = override(trained.config, ["decode.length_penalty_type=none"])
    export.convert(dataclasses.replace(trained, config=config), "huggingface", tmp_path / "model")
    _, model = load(tmp_path / "model")
    assert model.generation_config.early_stopping == "never"

    source_ids, longest = exports.padded([[*s, END] for s in sources]), 15
    limits = Limits(max_lengths=np.full(len(sources), longest + 1, "int32"))

    import torch

    given = torch.tensor(source_ids, dtype=torch.long)
    for beam_size in (1, 4):
        options = SearchOptions(beam_size, length_penalty_type="none")
        ours = TransformerSearch(trained.model, options)(source_ids, limits).ids[:, 0].tolist()
        theirs = model.generate(given, attention_mask=given != PAD, num_beams=beam_size, max_new_tokens=longest + 1)
        assert len({tuple(row) for row in ours}) > 10
        for our, [_, *their] in zip(ours, theirs.tolist(), strict=True):
            length = our.index(END) + 1  # they are padded in different ways
            # At the largest length ours adds the end symbol to each hypothesis of the beam, theirs to the likeliest.
            assert their[:length] == our[:length] or length > longest


@pytest.mark.slow
@pytest.mark.parametrize("normalization", ["post", "pre"])
def test_bertviz_shows_the_attention_of_our_heads(tmp_path, normalization):
    bertviz = pytest.importorskip("bertviz", reason=skip_reasons.BERTVIZ)
    trained = converted(tmp_path, normalization=normalization)
    tokenizer, model = load(tmp_path / "model")
    model.set_attn_implementation("eager")
    [source, *_], [target, *_] = exports.pairs()

    import torch

    ids, outputs = torch.tensor([[*source, END]]), torch.tensor([[BEGIN, *target]])
    seen = model(ids, decoder_input_ids=outputs, output_attentions=True)
    [ours] = Inspector(trained.model, attention=["cross"]).inspect([(source, target)])
    for (_, number), weights in ours.attention.items():
        theirs = seen.cross_attentions[number - 1][0].detach().numpy()
        np.testing.assert_allclose(theirs, weights, atol=1e-5)
    page = bertviz.head_view(
        encoder_attention=seen.encoder_attentions,
        decoder_attention=seen.decoder_attentions,
        cross_attention=seen.cross_attentions,
        encoder_tokens=tokenizer.convert_ids_to_tokens(ids[0]),
        decoder_tokens=tokenizer.convert_ids_to_tokens(outputs[0]),
        html_action="return",
    )
    assert '"Cross"' in page.data


def learn(model, sources, targets, steps):
    """Train a model on pairs of ids, all of them in each step."""
    settings = ["train.schedule=constant", "train.learning_rate=0.01", "train.warmup_steps=1"]
    training_model = make_training_model(model, override(ExperimentConfig(), settings), steps)
    target_ids = exports.padded([[BEGIN, *t] for t in targets])
    batch = {"source_ids": exports.padded([[*s, END] for s in sources]), "target_ids": target_ids}
    labels = exports.padded([[*t, END] for t in targets])
    training_model.fit(((batch, labels) for _ in range(steps)), steps_per_epoch=steps, shuffle=False, verbose=0)


@pytest.mark.parametrize("shared", [True, False])
def test_the_tokeniser_gives_our_ids_and_text(tmp_path, shared):
    trained = converted(tmp_path, shared)
    tokenizer, _ = load(tmp_path / "model")
    lines = [*exports.LINES["source"], "ünknown € 漢字", "ein  hund "]
    expected = [[*ids, END] for ids in trained.source_subwords.encode(lines)]
    assert tokenizer(lines)["input_ids"] == expected
    lines = exports.LINES["target"]
    ids = [[*ids, END] for ids in trained.target_subwords.encode(lines)]
    assert tokenizer(text_target=lines)["input_ids"] == ids
    assert tokenizer.batch_decode(ids, skip_special_tokens=True) == lines


def test_an_export_has_the_files_of_a_marian_model(tmp_path):
    trained = converted(tmp_path, model_dim=16)
    names = {path.name for path in (tmp_path / "model").iterdir()}
    assert names == {
        *("model.safetensors", "config.json", "generation_config.json", "tokenizer_config.json"),
        *("vocab.json", "source.spm", "target.spm", "README.md", "export.json"),
    }
    vocabulary = json.loads((tmp_path / "model" / "vocab.json").read_text(encoding="utf-8"))
    assert [vocabulary[piece] for piece in ("<pad>", "<unk>", "<s>", "</s>")] == list(range(4))
    assert sorted(vocabulary.values()) == list(range(280))
    assert Subwords(tmp_path / "model" / "source.spm").digest == trained.source_subwords.digest
    # The first half of the dimensions holds what had even numbers: the sines.
    embeddings = numpy_safetensors.load_file(tmp_path / "model" / "model.safetensors")["model.shared.weight"]
    np.testing.assert_array_equal(embeddings[:, :8], np.asarray(trained.model.target_embedding.embeddings)[:, ::2])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"normalization": "pre", "file_format": "marian"}, "marian is for post-norm models, .*normalization=pre"),
        ({"file_format": "pegasus"}, "pegasus is for pre-norm models, .*normalization=post; --format hugg"),
        ({"normalization": "pre", "shared": False}, "Pegasus, .* has one vocabulary, but this model has two"),
        (
            {"scheme": "interacting_head_pairwise"},
            "4 heads of size 4, but .* heads × size must equal the model size, 8",
        ),
        ({"scheme": "talking_heads"}, "the encoder's attention has 2 heads of size 8"),
        ({"scheme": "collaborative_heads"}, "the encoder's attention has 2 heads of size 8"),
        ({"scheme": "interleaved_heads"}, "is interleaved_heads, .*: its heads attend to several keys"),
        ({"scheme": "multi_hop"}, "is multi_hop, which cannot be converted"),
        ({"scheme": "multi_hop", "normalization": "pre", "shared": False}, "is multi_hop, which cannot be converted"),
    ],
)
def test_settings_that_do_not_fit_transformers_are_refused(tmp_path, settings, message):
    with pytest.raises(InputError, match=message):
        converted(tmp_path, **settings)
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize(("longest", "expected"), [(None, 1024), (20, 22), (5000, 1024)])
def test_generation_ends_where_the_search_of_the_run_ends(longest, expected):
    assert huggingface.generation_configuration(DecodeConfig(max_length=longest))["max_length"] == expected
