"""Floating-point operations of a Transformer."""

from interacting_head.config import ModelConfig


def matmul_flops(model: ModelConfig, vocabulary_size: int, source_tokens: int, target_tokens: int) -> int:
    """Return the FLOPs of a training step's matrix products, without padding and products of attention weights.

    Every attention scheme counts as multi-head attention, with four kernels for each memory of a decoder layer.
    """
    D, F = model.model_dim, model.feed_forward_dim
    memories = memories_of(model)
    encoder = model.encoder_layers * (4 * D * D + 2 * D * F)
    decoder = model.decoder_layers * ((4 + 2 * memories) * D * D + 2 * D * F) + D * vocabulary_size
    memory = model.decoder_layers * memories * 2 * D * D  # keys and values of encoder-decoder attention
    return 3 * 2 * (source_tokens * (encoder + memory) + target_tokens * decoder)


def memories_of(model: ModelConfig) -> int:
    """Return the number of memories that each decoder layer attends to, one unless the configuration states more."""
    return model.memory_layers or (model.encoder_layers if model.memory == "all" else 1)
