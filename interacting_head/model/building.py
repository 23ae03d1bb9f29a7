"""Models of configurations and of runs."""

from data.errors import InputError
from interacting_head.model.allocation import is_out_of_memory
from interacting_head.model.transformer import Transformer
from interacting_head.run_files import load_weights


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


def load_model(run, subwords, path):
    """The `Transformer` of a run with the weights in a file.

    Args:
        run: a `RunDirectory`.
        subwords: the pair of its `data.Subwords`.
        path: as `RunDirectory.weights` gives it.

    Raises:
        InputError: where the file is damaged, or the model does not fit into the memory.
    """
    model = build_model(run.config, *subwords)
    load_weights(model, path)
    return model
