"""YiSi-0 and YiSi-1: lines of text go in, scores of sentences come out.

An `Embedder` divides a sentence into units and gives each a vector: words of a file of vectors, or sub-words of a
transformer. `metrics.py` compares units, by their vectors or letters, and measures coverage.
"""

from interacting_head.metrics.yisi.embedders import Embedder, TransformerEmbedder, load_embedder
from interacting_head.metrics.yisi.metrics import YiSi0, YiSi1

__all__ = ["Embedder", "TransformerEmbedder", "YiSi0", "YiSi1", "load_embedder"]
