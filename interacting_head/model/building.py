"""Models of configurations and of runs."""

import logging

from interacting_head.model.transformer import Transformer
from interacting_head.model.weights import fill, verified

logger = logging.getLogger("interacting_head")


def build_model(config, source_subwords, target_subwords):
    """The `Transformer` of a configuration and its vocabularies, with fresh weights."""
    return Transformer(
        config.model,
        source_subwords.vocabulary_size,
        target_subwords.vocabulary_size,
        config.data.shared_vocabulary,
    )


def load_model(run, subwords, checkpoint=None):
    """Return the `Transformer` of a run with its weights.

    Args:
        run: a `RunDirectory`.
        subwords: the pair of its `data.Subwords`.
        checkpoint: as in `RunDirectory.weights`.

    Raises:
        InputError: where there is no such checkpoint, and see `weights.load_weights`.
    """
    path = run.weights(checkpoint)
    if checkpoint is None and path != run.weights_path("best"):
        logger.warning("%s has no validation yet: its newest checkpoint, %s, is used", run.path, path.name)
    seal = verified(run, path)  # first: a model of another configuration may be none at all
    model = build_model(run.config, *subwords)
    fill(run, model, path, seal)
    return model
