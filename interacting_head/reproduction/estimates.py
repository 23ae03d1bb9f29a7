"""Estimated times of runs, from measured ones."""

from statistics import mean

REFERENCE_FLOPS = 1.2e11
"""FLOP/s of trainings of `multi30k_de_en` in float32 on two cores (AMD EPYC, Zen 4; `benchmarks/RESULTS.md`)."""

OVERHEAD = 1.4  # validations, translation, scores


def estimated_seconds(run, results):
    """Return the seconds of a run here: those of finished runs of its recipe, or an estimate from its configuration."""
    finished = [results.run(run._replace(seed=seed).name) for seed in range(1, 6)]
    finished = [record["seconds"] for record in finished if record]
    if finished:
        return 1.1 * mean(finished)
    return OVERHEAD * training_flops(run.config) / REFERENCE_FLOPS


def training_flops(config):
    """Return the FLOPs of the matrix products of a training, those of attention weights left out."""
    model, train = config.model, config.train
    D, F = model.model_dim, model.feed_forward_dim
    sizes = config.data.vocabulary_size
    vocabulary = sizes if isinstance(sizes, int) else sizes[1]
    encoder = model.encoder_layers * (4 * D * D + 2 * D * F)
    decoder = model.decoder_layers * (8 * D * D + 2 * D * F) + D * vocabulary
    tokens = train.batch_tokens * train.accumulate_batches * train.max_steps  # of source and target
    return 3 * 2 * (encoder + decoder) * tokens / 2
