"""Neural machine translation with interacting attention heads, in Keras 3.

    import interacting_head as ih

    ih.layers, ih.Transformer, ih.Translator, ih.recipes, ih.metrics, ih.train

Names are imported when they are first used, so that `ih.metrics` needs neither Keras nor TensorFlow.
"""

import importlib
import importlib.util
from pathlib import Path

__version__ = "0.3.0"

_HOME = {
    "Transformer": "interacting_head.model.transformer",
    "Translator": "interacting_head.translation.translator",
    "train": "interacting_head.training.trainer",
}
_PACKAGES = ("config", "metrics", "model", "recipes", "search", "training", "translation")
_MODULES = {"data": "data", "layers": "layers", **{name: f"interacting_head.{name}" for name in _PACKAGES}}

__all__ = ["__version__", *_HOME, *_MODULES]


def _check_siblings():
    """Raise `ImportError` if another package named `layers` or `data`, common names, is found first."""
    root = Path(__file__).resolve().parent.parent
    for name in ("layers", "data"):
        specification = importlib.util.find_spec(name)
        found = Path(specification.origin).resolve().parent if specification and specification.origin else None
        if found != root / name:
            raise ImportError(
                f"interacting_head needs its own package {name!r} in {root / name}, but Python finds {found}; "
                f"put {root} first on PYTHONPATH, or run from there"
            )


def __getattr__(name):
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    raise AttributeError(f"module 'interacting_head' has no attribute {name!r}")


_check_siblings()
