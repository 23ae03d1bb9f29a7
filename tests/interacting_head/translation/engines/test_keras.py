import importlib.util
import shutil
from pathlib import Path

import numpy as np
import pytest

from data.errors import InputError
from data.text.subwords import train_subwords
from interacting_head.search.options import SearchOptions
from interacting_head.translation.engines.keras import TransformerEngine
from tests.interacting_head import tiny
from tests.interacting_head.export import exports

OLD_RUN = Path(__file__).parents[2] / "runs" / "old_runs" / "version_3"


def test_a_faster_engine_is_named_if_installed_and_equivalent(monkeypatch):
    def named(*models, **options):
        return TransformerEngine(list(models)).faster_engine(SearchOptions(**options))

    folds, does_not = tiny.transformer(scheme="interacting_head"), tiny.transformer(scheme="dynamic_head_importance")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    assert named(folds) == "ctranslate2"
    assert named(does_not) is None
    assert named(folds, folds) is None
    assert named(folds, sampling=True) is None
    assert named(folds, max_length=4095) == "ctranslate2"
    assert named(folds, max_length=4096) is None
    assert TransformerEngine(folds).faster_engine(SearchOptions(), max_source_length=4096) is None
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert named(folds) is None


def test_the_runs_of_an_ensemble_share_sub_words_and_profile(tmp_path):
    first, second = (shutil.copytree(OLD_RUN, tmp_path / name) for name in ("first", "second"))
    engine, _ = TransformerEngine.open([first, second])
    assert len(engine.models) == 2
    configuration = second / "config.yaml"
    configuration.write_text(configuration.read_text().replace("profile: truecased", "profile: tokenized"))
    message = "first has data.profile=truecased, .*second has tokenized; the runs of an ensemble must have the same one"
    with pytest.raises(InputError, match=message):
        TransformerEngine.open([first, second])
    for side in ("source", "target"):
        model = second / "subwords" / f"{side}.model"
        train_subwords(["another text"], 280, model)
    (second / "text.json").unlink()
    with pytest.raises(InputError, match="have different sub-words; the runs of an ensemble must share them"):
        TransformerEngine.open([first, second])


def test_attention_of_heads_that_are_mixed_has_no_sign(tmp_path):
    one = exports.trained(exports.subwords(tmp_path), scheme="talking_heads")
    pairs = [list(pair) for pair in zip(*exports.pairs(3), strict=True)]
    seen = TransformerEngine(one.model).attention(pairs, 3)
    layer = one.model.attention_layers["cross", one.model.config.decoder_layers]
    for name in ("post_softmax_kernel", "value_kernel"):  # the same function
        getattr(layer, name).assign(-np.array(getattr(layer, name)))
    again = TransformerEngine(one.model).attention(pairs, 3)
    for weights, same in zip(seen, again, strict=True):
        assert (weights >= 0).all()
        np.testing.assert_allclose(weights.sum(-1), 1, rtol=1e-5)
        np.testing.assert_allclose(weights, same, rtol=1e-4, atol=1e-6)
