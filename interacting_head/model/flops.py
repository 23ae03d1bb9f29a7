"""Floating-point operations of a Transformer."""

from interacting_head.config import ModelConfig


def matmul_flops(model: ModelConfig, vocabulary_size: int, source_tokens: int, target_tokens: int) -> int:
    """Return the FLOPs of a training step's matrix products, without padding and products of attention weights."""
    D, F = model.model_dim, model.feed_forward_dim
    encoder = model.encoder_layers * (4 * D * D + 2 * D * F)
    decoder = model.decoder_layers * (6 * D * D + 2 * D * F) + D * vocabulary_size
    memory = model.decoder_layers * 2 * D * D  # keys and values of encoder-decoder attention
    return 3 * 2 * (source_tokens * (encoder + memory) + target_tokens * decoder)
