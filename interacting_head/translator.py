"""Translation of lines of text with a trained run."""

import itertools
from typing import NamedTuple

import numpy as np

from data.errors import InputError
from data.profiles import RAW_TEXT
from data.subwords import END, PAD
from interacting_head.decoding import IMPOSSIBLE, BeamSearch, compiles_inference, length_limit
from interacting_head.run_directory import RunDirectory, build_model

WINDOW = 64  # batches sorted by length at a time: a stream of any length runs in constant memory
LONG = 128  # sub-words; longer sentences are searched fewer at a time, for they take more memory


class Translation(NamedTuple):
    """One hypothesis: its text, its penalised score, and its sub-words."""

    text: str
    score: float
    tokens: list


class Translator:
    """Translates lines with a model and its sub-words.

    Args:
        model: a `Transformer`.
        source_subwords, target_subwords: `data.Subwords`.
        source_form, target_form: `data.profiles.TextForm`: what is done to text before and after.
        beam_size, alpha, kind: as in `decoding.beam_search`.
        max_length: largest number of sub-words of a translation; default: twice the source's and ten.
        batch_size: sentences searched together at most.

    Example:
        >>> translator = Translator.from_run("runs/quickstart")
        >>> [best.text for best, *_ in translator.translate(["Der alte Hund schläft."])]
    """

    def __init__(
        self,
        model,
        source_subwords,
        target_subwords,
        source_form=RAW_TEXT,
        target_form=RAW_TEXT,
        *,
        beam_size=4,
        alpha=0.6,
        kind="gnmt",
        max_length=None,
        batch_size=64,
    ):
        self.source_subwords, self.target_subwords = source_subwords, target_subwords
        self.source_form, self.target_form = source_form, target_form
        self.max_length = max_length
        self.batch_size = batch_size
        self.beam_size = beam_size
        self.search = BeamSearch(model, beam_size, alpha, kind)
        self.search.compile(jit_compile=compiles_inference())

    @classmethod
    def from_run(cls, path, checkpoint=None, **options):
        """The translator of a run directory; options not given come from its configuration.

        Args:
            path: the run directory.
            checkpoint: `best`, `average`, `ema` or `step-N`; default: best, or else the newest.
            **options: those of the constructor.
        """
        run = RunDirectory.open(path)
        decode = run.config.decode
        defaults = {
            "beam_size": decode.beam_size,
            "alpha": decode.length_penalty,
            "kind": decode.length_penalty_type,
            "max_length": decode.max_length,
            "batch_size": decode.batch_size,
        }
        weights = run.weights(checkpoint)
        subwords = run.subwords()
        model = build_model(run.config, *subwords)
        try:
            model.load_weights(weights)
        except (OSError, KeyError, ValueError) as error:
            raise InputError(
                f"{weights} is damaged ({str(error).splitlines()[0]}); give another --checkpoint"
            ) from error
        given = {name: value for name, value in options.items() if value is not None}
        return cls(model, *subwords, *run.text_forms(), **{**defaults, **given})

    def translate(self, lines, window=None):
        """Yields for each line, in order, its list of `Translation`s, best first.

        A line without sub-words (empty, or blanks only) gives one empty translation.

        Args:
            lines: any iterable of strings.
            window: so many lines are read, sorted by length and translated at a time.
        """
        lines = iter(lines)
        while chunk := list(itertools.islice(lines, window or WINDOW * self.batch_size)):
            yield from self._translate_window(chunk)

    def tokenized(self, translation):
        """A `Translation` with tokens as its text: words of the profile `paper`, or else sub-words."""
        if self.target_form.is_tokenized:
            [text] = self.target_subwords.decode([translation.tokens])
            return translation._replace(text=self.target_form.recase(text))
        return translation._replace(text=" ".join(map(self.target_subwords.piece, translation.tokens)))

    def _translate_window(self, lines):
        sources = self.source_subwords.encode([self.source_form.forward(line) for line in lines])
        results = [[Translation("", 0.0, [])] for _ in lines]
        order = sorted((i for i, ids in enumerate(sources) if ids), key=lambda i: len(sources[i]), reverse=True)
        while order:
            width = len(sources[order[0]]) + 1  # END counted
            if compiles_inference():  # for each shape: few shapes
                width = 2 ** (width - 1).bit_length()
            rows = max(1, min(self.batch_size, self.batch_size * LONG // width))
            batch, order = order[:rows], order[rows:]
            found = self._search([sources[i] for i in batch], rows if compiles_inference() else len(batch), width)
            for i, translations in zip(batch, found, strict=True):
                results[i] = translations
        return results

    def _search(self, sources, rows, width):
        """Yields the hypotheses of each source, searched in one batch of this shape."""
        limits = length_limit(np.array([len(ids) + 1 for ids in sources]))
        if self.max_length is not None:
            limits = np.minimum(limits, self.max_length + 1)
        source_ids, max_lengths = np.full((rows, width), PAD, "int32"), np.ones(rows, "int32")
        for row, ids in zip(source_ids, sources, strict=False):
            row[: len(ids) + 1] = [*ids, END]
        max_lengths[: len(sources)] = limits
        found = self.search.predict_on_batch({"source_ids": source_ids, "max_lengths": max_lengths})
        for _, hypotheses, scores in zip(sources, found["ids"], found["scores"], strict=False):
            kept = [
                (ids[: int(np.argmax(ids == END))].tolist(), float(score))
                for ids, score in zip(hypotheses, scores, strict=True)
                if score > IMPOSSIBLE
            ]
            kept = kept or [([], IMPOSSIBLE)]  # a model whose probabilities are not numbers
            texts = map(self.target_form.backward, self.target_subwords.decode([ids for ids, _ in kept]))
            yield [Translation(text, score, ids) for text, (ids, score) in zip(texts, kept, strict=True)]
