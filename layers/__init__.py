"""Keras layers: attention schemes, embeddings and Transformer blocks. Each can be used on its own.

An attention layer takes a query `(B, T, D)` and a memory `(B, S, D)` and returns `(B, T, D)`.
Start at `multi_head_attention.py`, the base of all schemes, and `reference.py`, the schemes as plain loops.
"""

from layers.dynamic_head_importance_attention import DynamicHeadImportanceAttention
from layers.embedding import PositionalEncoding, TokenEmbedding
from layers.fixed_head_size_attention import FixedHeadSizeAttention
from layers.interacting_head_attention import InteractingHeadAttention
from layers.layer_aggregation import IterativeCombination, LinearCombination, TransparentAttention
from layers.multi_head_attention import MultiHeadAttention
from layers.multi_hop_attention import MultiHopAttention
from layers.multi_layer_multi_head_attention import MultiLayerMultiHeadAttention
from layers.pairwise_interacting_head_attention import PairwiseInteractingHeadAttention
from layers.talking_heads_attention import TalkingHeadsAttention
from layers.transformer_block import DecoderBlock, EncoderBlock, FeedForward

ATTENTION_SCHEMES = {
    "multi_head": MultiHeadAttention,
    "fixed_head_size": FixedHeadSizeAttention,
    "talking_heads": TalkingHeadsAttention,
    "interacting_head": InteractingHeadAttention,
    "interacting_head_pairwise": PairwiseInteractingHeadAttention,
    "dynamic_head_importance": DynamicHeadImportanceAttention,
    "multi_hop": MultiHopAttention,
    "multi_layer": MultiLayerMultiHeadAttention,
}
"""Registry name → layer class. The contract tests run over it."""

__all__ = [
    "ATTENTION_SCHEMES",
    "DecoderBlock",
    "DynamicHeadImportanceAttention",
    "EncoderBlock",
    "FeedForward",
    "FixedHeadSizeAttention",
    "InteractingHeadAttention",
    "IterativeCombination",
    "LinearCombination",
    "MultiHeadAttention",
    "MultiHopAttention",
    "MultiLayerMultiHeadAttention",
    "PairwiseInteractingHeadAttention",
    "PositionalEncoding",
    "TalkingHeadsAttention",
    "TokenEmbedding",
    "TransparentAttention",
]
