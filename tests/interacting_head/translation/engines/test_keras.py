import importlib.util

from interacting_head.search.options import SearchOptions
from interacting_head.translation.engines.keras import TransformerEngine
from tests.interacting_head import tiny


def test_a_faster_engine_is_named_if_installed_and_equivalent(monkeypatch):
    def named(*models, **options):
        return TransformerEngine(list(models)).faster_engine(SearchOptions(**options))

    folds, does_not = tiny.transformer(scheme="interacting_head"), tiny.transformer(scheme="dynamic_head_importance")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    assert named(folds) == "ctranslate2"
    assert named(does_not) is None
    assert named(folds, folds) is None
    assert named(folds, sampling=True) is None
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert named(folds) is None
