"""Keras layers: attention schemes, embeddings and Transformer blocks. Each can be lifted out on its own."""

from layers.embedding import PositionalEncoding, TokenEmbedding
from layers.interacting_head_attention import InteractingHeadAttention
from layers.multi_head_attention import MultiHeadAttention
from layers.transformer_block import DecoderBlock, EncoderBlock, FeedForward

ATTENTION_SCHEMES = {
    "multi_head": MultiHeadAttention,
    "interacting_head": InteractingHeadAttention,
}
"""Registry name → layer class. The contract tests run over it."""

__all__ = [
    "ATTENTION_SCHEMES",
    "DecoderBlock",
    "EncoderBlock",
    "FeedForward",
    "InteractingHeadAttention",
    "MultiHeadAttention",
    "PositionalEncoding",
    "TokenEmbedding",
]
