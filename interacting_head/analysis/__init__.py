"""Analyses of attention heads, the verbs of `interacting-head analyze`.

Each file answers one question: pure functions of arrays with their equations, and the `Analysis` that applies them to
trained runs and sentences. Start at `base.py` and `analysed_run.py`.
"""

from interacting_head.analysis.ablation.masking import Masking
from interacting_head.analysis.ablation.pruning import Pruning
from interacting_head.analysis.alignment import Alignment
from interacting_head.analysis.attention import Attention
from interacting_head.analysis.importance import Importance
from interacting_head.analysis.rank import Rank
from interacting_head.analysis.weights import Weights

ANALYSES = {each.name: each for each in (Alignment, Attention, Importance, Masking, Pruning, Rank, Weights)}
"""Name of a verb → subclass of `base.Analysis`. The modules import Keras only in functions, so that --help is fast."""
