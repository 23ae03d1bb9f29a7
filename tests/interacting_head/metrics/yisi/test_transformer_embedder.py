"""YiSi-1 with a transformer, a tiny one that is made here."""

import shutil

import numpy as np
import pytest

from interacting_head.metrics import MetricUnavailable, evaluate
from interacting_head.metrics.yisi import TransformerEmbedder, load_embedder
from tests import skip_reasons

pytest.importorskip("torch", reason=skip_reasons.TRANSFORMERS)
transformers = pytest.importorskip("transformers", reason=skip_reasons.TRANSFORMERS)

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "cat", "dog", "sat", "##s", "here", "."]
LAYERS = 4
POSITIONS = 12
SIZES = {
    "vocab_size": len(WORDS),
    "hidden_size": 16,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": POSITIONS,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A BERT with random weights, saved with its tokeniser."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    folder = tmp_path_factory.mktemp("bert")
    tokenizer = Tokenizer(models.WordPiece({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    added = [(word, WORDS.index(word)) for word in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=added)
    special = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    transformers.set_seed(1)
    transformers.BertModel(transformers.BertConfig(**SIZES)).save_pretrained(folder)
    return folder


def test_units_are_sub_words_without_special_symbols(folder):
    assert load_embedder(folder).units(["the cats sat .", "", "bird"]) == [
        [b"the", b"cat", b"##s", b"sat", b"."],
        [],
        [b"[UNK]"],
    ]


@pytest.mark.parametrize("layer", [None, 1, LAYERS])
def test_vectors_are_hidden_states_whatever_else_is_in_the_batch(folder, layer):
    embedder = TransformerEmbedder(folder, layer=layer)
    lines = ["the cats sat .", "", "dog", "the dogs sat here ."] * 20
    model = transformers.BertModel.from_pretrained(folder)
    model.eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    for line, found in zip(lines[:4], embedder.vectors(lines), strict=False):
        states = model(**tokenizer(line, return_tensors="pt"), output_hidden_states=True).hidden_states
        np.testing.assert_allclose(found, states[layer or 3][0, 1:-1].detach().numpy(), rtol=1e-4, atol=1e-5)
    assert embedder.name.endswith(f"-layer{layer or 3}")


def test_equal_sentences_score_100_and_others_less(folder):
    result = evaluate(
        ["the cat sat", "the dog sat here", ""], ["the cat sat", "the cats", "a"], ["yisi1"], embedder=folder
    )
    equal, other, empty = result["yisi1"].sentence_scores
    assert equal == pytest.approx(100)
    assert 0 < other < 99
    assert empty == 0
    assert "-layer3|n:3|alpha:0.8" in result["yisi1"].signature


def test_a_line_longer_than_the_transformer_takes_is_cut(folder):
    embedder = load_embedder(folder)
    (units,), (vectors,) = embedder.units(["cat " * 50]), embedder.vectors(["cat " * 50])
    assert len(units) == len(vectors) == POSITIONS - 2


@pytest.mark.parametrize("kind", ["Roberta", "XLMRoberta", "MPNet"])
def test_positions_that_begin_after_padding_are_counted(folder, tmp_path, kind):
    transformers.AutoTokenizer.from_pretrained(folder).save_pretrained(tmp_path)
    config = getattr(transformers, f"{kind}Config")(**SIZES, pad_token_id=0)
    transformers.AutoModel.from_config(config).save_pretrained(tmp_path)
    embedder = TransformerEmbedder(tmp_path)
    (units,), (vectors,) = embedder.units(["cat " * 50]), embedder.vectors(["cat " * 50])
    # A line ends where the positions do: not earlier, not later.
    unused = 2 if kind == "MPNet" else 1
    assert len(units) == len(vectors) == POSITIONS - 2 - unused


def test_a_transformer_that_gives_no_vectors_is_an_error_at_once(folder, tmp_path):
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.pad_token = None
    shutil.copytree(folder, tmp_path / "other")
    for name in ("tokenizer_config.json", "special_tokens_map.json"):
        (tmp_path / "other" / name).unlink(missing_ok=True)
    tokenizer.save_pretrained(tmp_path / "other")
    with pytest.raises(MetricUnavailable, match=r"gives no vectors .*padding.*; choose an encoder"):
        load_embedder(tmp_path / "other")


def test_a_transformer_of_text_and_images_is_an_error_of_one_line(folder, tmp_path):
    transformers.AutoTokenizer.from_pretrained(folder).save_pretrained(tmp_path)
    sizes = {name: SIZES[name] for name in SIZES if name not in ("vocab_size", "max_position_embeddings")}
    towers = {"text_config": SIZES, "vision_config": sizes | {"image_size": 8, "patch_size": 4}}
    transformers.CLIPModel(transformers.CLIPConfig(**towers, projection_dim=8)).save_pretrained(tmp_path)
    with pytest.raises(MetricUnavailable, match=r"num_hidden_layers.*; name the folder of an encoder of text"):
        load_embedder(tmp_path)


def test_a_transformer_that_cannot_be_loaded_is_an_error_of_one_line(folder, tmp_path):
    with pytest.raises(MetricUnavailable, match="has no layer 5; choose one from 1 to 4"):
        TransformerEmbedder(folder, layer=5)
    with pytest.raises(MetricUnavailable, match=f"cannot load a transformer from {tmp_path}: ") as caught:
        load_embedder(tmp_path)
    assert "\n" not in str(caught.value)
