"""YiSi-0 and YiSi-1: lines of text in, sentence scores out.

An `Embedder` splits a sentence into units, each with a vector: words of a word-vector file, or sub-words of a
transformer. `metrics.py` compares units by their vectors or letters, and measures coverage.
"""

from interacting_head.metrics.yisi.embedders import Embedder, TransformerEmbedder, load_embedder
from interacting_head.metrics.yisi.metrics import YiSi0, YiSi1

__all__ = ["Embedder", "TransformerEmbedder", "YiSi0", "YiSi1", "load_embedder"]
