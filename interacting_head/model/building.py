"""Models of configurations and of runs."""

from data.errors import InputError
from interacting_head.model.transformer import Transformer


def build_model(config, source_subwords, target_subwords):
    """The `Transformer` of a configuration and its vocabularies, with fresh weights."""
    return Transformer(
        config.model,
        source_subwords.vocabulary_size,
        target_subwords.vocabulary_size,
        config.data.shared_vocabulary,
    )


def load_model(run, subwords, path):
    """The `Transformer` of a run with the weights in a file.

    Args:
        run: a `RunDirectory`.
        subwords: the pair of its `data.Subwords`.
        path: as `RunDirectory.weights` gives it.

    Raises:
        InputError: where the file is damaged.
    """
    model = build_model(run.config, *subwords)
    try:
        model.load_weights(path)
    except (OSError, KeyError, ValueError) as error:
        raise InputError(f"{path} is damaged ({str(error).splitlines()[0]}); give another --checkpoint") from error
    return model
