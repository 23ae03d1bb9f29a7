"""Scores of a model on the development set while it trains."""

import math
import random
from collections.abc import Callable

import numpy as np

from data.batches.encoding import encode_parallel
from data.batches.pipeline import evaluation_batches
from data.errors import InputError
from data.text.subwords import PAD
from interacting_head.config import ExperimentConfig
from interacting_head.metrics import evaluate
from interacting_head.model.allocation import TRAINING_ADVICE, out_of_memory_explained
from interacting_head.model.compilation import compiles_shapes
from interacting_head.model.losses import CHUNKS
from interacting_head.model.transformer import Transformer
from interacting_head.search.options import SearchOptions
from interacting_head.search.transformer_search import Scorer
from interacting_head.training.run_text import RunText
from interacting_head.translation.translator import Translator

BATCH_SIZE = 64  # sentences translated together
SEARCH_ADVICE = "set or lower decode.max_length, set train.validation_bleu=false or use a smaller model"


class Validation:
    """Losses, token accuracy and BLEU of greedy translations on the development set, lowercased if the profile is.

    Attributes:
        sources, references: the text, references in the form that a perfect model would produce.
        batches, scorer: encoded pairs in batches, and the `Scorer` of their losses.
        translator, hypotheses: the `Translator` of the sources, and its latest translations, or None.
        has_bleu: whether translations are scored.
    """

    def __init__(self, config: ExperimentConfig, model: Transformer, text: RunText):
        pairs = [pair for pair in text.dev.pairs() if pair[0].strip() and pair[1].strip()]
        if not pairs:
            raise InputError(f"{text.dev.source} and {text.dev.target} contain no pair of non-empty lines")
        self.sources, references = zip(*pairs, strict=True)
        self.references = list(map(text.forms[1].expected, references))
        self.has_bleu = config.train.validation_bleu
        self.hypotheses = None
        self._language = text.forms[1].language
        encoded = encode_parallel(text.preprocessed_dev, *text.subwords, config.data.max_length, progress=False)
        # As many tokens as a training step has logits for at a time, unless a pair has more.
        longest = 1 + max(side.lengths.max() for side in (encoded.source, encoded.target))
        batch_tokens = min(config.train.batch_tokens, max(config.train.batch_tokens // CHUNKS, longest))
        # Planned now, so that an impossible batch is an error before training.
        self.batches = list(evaluation_batches(encoded, batch_tokens, compiles_shapes()))
        self.scorer = Scorer(model, config.train.label_smoothing)
        self.translator = Translator(
            model,
            *text.subwords,
            *text.forms,
            options=SearchOptions(beam_size=1, max_length=config.decode.max_length),
            batch_size=BATCH_SIZE,
            trained_length=config.data.max_length,
            advice=SEARCH_ADVICE,
        )

    def __call__(self, stopped: Callable[[], bool] = lambda: False) -> dict[str, float] | None:
        """Return losses in nats per token, perplexity, accuracy and perhaps BLEU by name, or None if `stopped()`.

        The smoothed loss is the training loss without dropout and added losses; perplexity belongs to the other loss.
        """
        sums = np.zeros(3)
        for inputs, labels in self.batches:
            if stopped():
                return None
            with out_of_memory_explained(lambda inputs=inputs: _in_words(inputs), TRAINING_ADVICE):
                sums += [values.sum(dtype="float64") for values in self.scorer(**inputs, labels=labels)]
        if self.has_bleu and not self._translate(stopped):
            return None
        return self.scores(sums)

    def scores(self, sums: np.ndarray) -> dict[str, float]:
        """Return the scores of `hypotheses` and of the sums over all tokens of the `Scorer`'s three results."""
        tokens = sum(int((labels != PAD).sum()) for _, labels in self.batches)
        log_probability, correct, smoothed = (sums / tokens).tolist()
        scores = {
            "validation_loss": -log_probability,
            "validation_smoothed_loss": smoothed,
            "perplexity": math.exp(min(-log_probability, 50)),
            "accuracy": 100 * correct,
        }
        if self.has_bleu:
            [bleu] = evaluate(self.hypotheses, self.references, "sacrebleu", language=self._language).values()
            scores["bleu"] = bleu.score
        return scores

    def _translate(self, stopped):
        """Set `hypotheses`; return False if `stopped()` interrupted it."""
        self.hypotheses = [""] * len(self.sources)
        # Batch by batch, so that a stop takes effect soon: sorted here instead of by the translator.
        order = sorted(range(len(self.sources)), key=lambda index: len(self.sources[index]))
        sources = (self.sources[index] for index in order)
        for index, (best, *_) in zip(order, self.translator.translate(sources, window=BATCH_SIZE), strict=True):
            if stopped():
                return False
            self.hypotheses[index] = best.text
        return True

    def examples(self, count: int = 3) -> list[tuple[str, str, str]]:
        """Return a few (source, reference, hypothesis), always the same sentences; none without BLEU."""
        if self.hypotheses is None:
            return []
        chosen = random.Random(1).sample(range(len(self.sources)), min(count, len(self.sources)))
        return [(self.sources[i], self.references[i], self.hypotheses[i]) for i in chosen]


def _in_words(inputs):
    (B, S), (_, T) = inputs["source_ids"].shape, inputs["target_ids"].shape
    return f"a batch of {B} × {S} × {T} (sentences × source × target sub-words) of the development text"
