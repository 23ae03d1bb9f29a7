"""Scores of given translations."""

from keras import KerasTensor, ops

from data.text.subwords import PAD
from interacting_head.model.compilation import Compiled
from interacting_head.model.losses import token_cross_entropy
from interacting_head.search.transformer_search import as_array, mean_probability


class Scorer:
    """Scores given translations by forced decoding.

    Args:
        models: a `Transformer`, or a list of them with equal vocabularies, whose probabilities are averaged.
        label_smoothing: also compute the cross-entropy with this label smoothing, see `losses`.

    Call arguments:
        source_ids: `(B, S)`, end symbols included, padded.
        target_ids: `(B, T)`, shifted right.
        labels: `(B, T)`.

    Returns:
        Log-probabilities of the labels `(B, T)`, 1 for each that is the likeliest token and 0 for others, and with
        `label_smoothing` the smoothed cross-entropies; all are 0 at padding.
    """

    def __init__(self, models, label_smoothing=None):
        self.label_smoothing = label_smoothing
        self.models = list(models) if isinstance(models, list | tuple) else [models]
        ids = KerasTensor((None, None), "int32")
        self._score = Compiled(self.score, self.models, arguments=lambda: [ids] * 3, rows=(0, 1, 2))

    def __call__(self, source_ids, target_ids, labels):
        return tuple(map(as_array, self._score(source_ids, target_ids, labels)))

    def score(self, source_ids, target_ids, labels):
        """The same of tensors."""
        inputs = {"source_ids": source_ids, "target_ids": target_ids}
        logits = mean_probability([model(inputs, training=False) for model in self.models])
        real = ops.cast(ops.not_equal(labels, PAD), "float32")
        correct = ops.cast(ops.argmax(logits, axis=-1) == ops.cast(labels, "int32"), "float32")
        found = [-token_cross_entropy(labels, logits), correct]
        if self.label_smoothing is not None:
            found.append(token_cross_entropy(labels, logits, self.label_smoothing))
        return [values * real for values in found]
