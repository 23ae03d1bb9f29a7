"""Models of configurations and of runs."""

from interacting_head.model.transformer import Transformer
from interacting_head.run_files import load_weights


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
    load_weights(model, path)
    return model
