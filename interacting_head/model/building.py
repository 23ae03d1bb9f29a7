"""Models of configurations and of runs."""

import logging

from data.errors import InputError
from interacting_head.model.allocation import is_out_of_memory
from interacting_head.model.transformer import Transformer
from interacting_head.model.weights import fill, verified

logger = logging.getLogger("interacting_head")


def build_model(config, source_subwords, target_subwords):
    """The `Transformer` of a configuration and its vocabularies, with fresh weights.

    Raises:
        InputError: where it does not fit into the memory.
    """
    sizes = source_subwords.vocabulary_size, target_subwords.vocabulary_size
    try:
        return Transformer(config.model, *sizes, config.data.shared_vocabulary)
    except Exception as error:
        if is_out_of_memory(error):
            raise InputError(
                "not enough memory for the weights of the model; lower model.model_dim, model.feed_forward_dim or the "
                "number of layers"
            ) from error
        raise


def load_model(run, subwords, checkpoint=None):
    """Return the `Transformer` of a run with its weights.

    Args:
        run: a `RunDirectory`.
        subwords: the pair of its `data.Subwords`.
        checkpoint: as in `RunDirectory.weights`.

    Raises:
        InputError: where there is no such checkpoint, where the model does not fit into the memory, and see
            `weights.load_weights`.
    """
    path = run.weights(checkpoint)
    if checkpoint is None and path != run.weights_path("best"):
        logger.warning("%s has no validation yet: its newest checkpoint, %s, is used", run.path, path.name)
    seal = verified(run, path)  # first: a model of another configuration may be none at all
    model = build_model(run.config, *subwords)
    fill(run, model, path, seal)
    return model
