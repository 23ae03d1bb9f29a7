"""Translation of lines of text with a trained run, an ensemble of several, or another engine."""

import copy
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from data.text.profiles import RAW_TEXT, Preprocessor
from data.text.subwords import END, Subwords
from interacting_head.model.allocation import allocation_told
from interacting_head.search.options import IMPOSSIBLE, SearchOptions
from interacting_head.translation.batches import Batch, planned, rows_together
from interacting_head.translation.engines import check_capabilities, engine_class
from interacting_head.translation.engines.engine import Engine, Hypothesis
from interacting_head.translation.line_encoder import LineEncoder
from interacting_head.translation.pieces import completed
from interacting_head.translation.windows import Calls, aligned, characters, in_order, never, windows

WINDOW = 64  # batches sorted by length at a time: a stream of any length runs in constant RAM
ADVICE = "lower batch_size or batch_tokens, beam_size, max_length or max_source_length"


class Translation(NamedTuple):
    """One hypothesis.

    `score` is its log-probability (natural logarithm) divided by the length penalty, `tokens` are its sub-words, and
    `token_scores` the log-probabilities of each of them and of the end symbol (or None, if they are not wanted).
    `pieces` is the number of pieces in which the line was translated, with an end symbol between their tokens.
    """

    text: str
    score: float
    tokens: list[int]
    token_scores: list[float] | None
    pieces: int = 1


class Translator:
    """Translate lines with an engine and its sub-words.

    Args:
        engine: an `Engine`, or the `Transformer` or list of `Transformer`s of a `TransformerEngine`.
        source_form, target_form: the form that text is brought into, and out of.
        batch_size: sentences searched together at most.
        batch_tokens: source tokens of them at most, padding included, instead of `batch_size`.
        max_source_length: sub-words of a line that is translated as a whole at most; longer ones are translated in
            pieces. Default: 1,024, or `trained_length` if that is more.
        trained_length: the largest number of sub-words that the model was trained on, and that a piece has.
        advice: the settings to change if memory does not suffice.

    Attributes:
        encoder: the `LineEncoder`, with its `limit` and its `warnings` so far.

    Raises:
        InputError: for options that the engine cannot serve.

    Example:
        >>> translator = Translator.from_run("runs/quickstart")
        >>> [best.text for best, *_ in translator.translate(["Der alte Mann liest ein Buch."])]
    """

    def __init__(
        self,
        engine,
        source_subwords: Subwords,
        target_subwords: Subwords,
        source_form: Preprocessor = RAW_TEXT,
        target_form: Preprocessor = RAW_TEXT,
        *,
        options: SearchOptions | None = None,
        batch_size: int = 64,
        batch_tokens: int | None = None,
        max_source_length: int | None = None,
        trained_length: int | None = None,
        advice: str = ADVICE,
    ):
        self.engine = engine if isinstance(engine, Engine) else engine_class("tensorflow")(engine)
        self.source_subwords, self.target_subwords = source_subwords, target_subwords
        self.source_form, self.target_form = source_form, target_form
        self.options = options or SearchOptions()
        self.engine.check(self.options)
        self.batch_size, self.batch_tokens, self.advice = batch_size, batch_tokens, advice
        sides = (source_subwords, source_form), (target_subwords, target_form)
        self.encoder = LineEncoder(*sides, self.engine.name, max_source_length, trained_length)

    @classmethod
    def from_run(
        cls,
        paths,
        checkpoint: str | None = None,
        batch_size: int | None = None,
        batch_tokens: int | None = None,
        engine: str = "tensorflow",
        *,
        max_source_length: int | None = None,
        advice: str = ADVICE,
        **search,
    ) -> "Translator":
        """Return the translator of a run directory, of several as an ensemble, or of an exported folder.

        Args:
            paths: a folder, or a list of them.
            checkpoint: `best`, `average`, `ema` or `step-N`; default: best, before the first validation the newest.
            batch_size: default: the (first) run's.
            engine: a name in `ENGINES`.
            **search: fields of `SearchOptions`; by default, or None, the (first) run's.

        Raises:
            InputError: if there is no such folder or checkpoint, it is damaged, vocabularies or profiles of an ensemble
                differ, or the engine cannot serve the options.
        """
        paths = list(paths) if isinstance(paths, list | tuple) else [paths]
        opened, run = engine_class(engine).open(paths, checkpoint)
        decode = run.config.decode
        return cls(
            opened,
            *run.subwords(),
            *run.text_forms(),
            options=SearchOptions.of(decode, search),
            batch_size=decode.batch_size if batch_size is None else batch_size,
            batch_tokens=batch_tokens,
            max_source_length=max_source_length,
            trained_length=run.config.data.max_length,
            advice=advice,
        )

    def translate(
        self,
        lines: Iterable[str],
        window: int | None = None,
        prefixes: Iterable[str] | None = None,
        first_number: int = 0,
        token_scores: bool = True,
    ) -> Iterator[list[Translation]]:
        """Yield for each line, in order, its list of `Translation`s, best first.

        A line without sub-words (empty, or blanks only) gives one empty translation. Lines above `max_source_length`
        are translated in pieces, see `pieces.encoded_pieces`.

        Args:
            lines: the text.
            window: number of lines that are read and sorted by length at a time.
            prefixes: for each line the beginning of its translation, or of its first piece's; "" asks for none. It
                counts for the score. A prefix longer than the largest length is translated by itself.
            first_number: number of the first line, for drawing: if a text is given in parts.
            token_scores: false if log-probabilities of tokens are not wanted, which cost some engines time.

        Raises:
            InputError: if there are fewer or more prefixes than lines, for prefixes if the engine takes none, and for
                one that is too long.
        """
        pairs = ((line, None) for line in lines)
        if prefixes is not None:
            pairs = aligned(lines, prefixes, "the text", "the list of prefixes")
        yield from self._lines(pairs, window, first_number=first_number, token_scores=token_scores)

    def score(
        self, sources: Iterable[str], targets: Iterable[str], window: int | None = None, first_number: int = 0
    ) -> Iterator[Translation]:
        """Yield for each pair of lines, in order, the target as a `Translation` with its scores.

        Raises:
            InputError: if there are fewer or more targets than sources, if the engine cannot score, and for a line of
                more than `max_source_length` sub-words.
        """
        pairs = aligned(sources, targets, "the text", "the list of translations")
        for [translation] in self._lines(pairs, window, first_number=first_number, score=True):
            yield translation

    def translate_windows(
        self,
        pairs: Iterable[tuple],
        first: int,
        largest: int | None = None,
        pauses: Callable[[float], bool] = never,
        *,
        first_number: int = 0,
        score: bool = False,
        token_scores: bool = True,
    ) -> Iterator[tuple[list[str], list[list[Translation]]]]:
        """Yield `(lines, their lists of translations)` for each window of a stream, in order.

        This is the one way from lines to results. While the engine works on a window, the next is prepared, and before
        a wait for the stream all results are yielded.

        Args:
            pairs: of a line and its prefix, or None for all; with `score` of a line and its given translation.
            first, largest, pauses: as of `windows.windows`.
            first_number, token_scores: as of `translate`.
            score: true to score translations instead of searching for them.
        """
        if score:
            check_capabilities(self.engine.name, {"score"})
        else:
            self.engine.refresh()
        several = self.engine.calls_at_a_time > 1
        with Calls(self.engine.calls_at_a_time, self.engine.calls_waiting) as calls:

            def begin(window):
                nonlocal first_number
                lines, others = map(list, zip(*window, strict=True))
                if score:
                    found = self.encoder.scored_sentences(lines, others, first_number)
                    batches = self._planned(found, others)
                else:
                    batches = self.batches(lines, None if others[0] is None else others, first_number)
                first_number += len(lines)
                begun = self._begun(calls, batches, token_scores)
                return functools.partial(self._window, lines, others if score else [""] * len(lines), begun)

            chunks = windows(pairs, first, largest, pauses, characters)
            yield from in_order(chunks, begin, ahead=1 if several else 0)

    def tokenized(self, translation: Translation) -> Translation:
        """Return a `Translation` with tokens as its text: words if the profile has them, or else sub-words."""
        if self.target_form.is_tokenized:
            [text] = self.target_subwords.decode([translation.tokens])
            return translation._replace(text=text)
        tokens = (token for token in translation.tokens if token != END)  # END stands between pieces
        return translation._replace(text=" ".join(map(self.target_subwords.piece, tokens)))

    def batches(self, lines: list[str], prefixes: list[str] | None = None, first_number: int = 0) -> list[Batch]:
        """Return the `Batch`es of lines, for any number of searches; lines without sub-words are left out."""
        if prefixes is not None:
            check_capabilities(self.engine.name, {"prefix"})
        return self._planned(self.encoder.sentences(lines, prefixes, first_number, self.options))

    def search(self, batches: list[Batch], token_scores: bool = True) -> Iterator[tuple[list[int], list]]:
        """Yield for each of the `batches` the numbers of lines that it completes, and lists of their `Translation`s."""
        with Calls(self.engine.calls_at_a_time, self.engine.calls_waiting) as calls:
            yield from self._completed(self._begun(calls, batches, token_scores))

    def with_engine(self, engine: Engine) -> "Translator":
        """Return a translator like this one with another `Engine`."""
        engine.check(self.options)
        other = copy.copy(self)
        other.engine = engine
        return other

    def with_options(self, options: SearchOptions) -> "Translator":
        """Return a translator like this one, of the same engine, with other `SearchOptions`."""
        self.engine.check(options)
        other = copy.copy(self)
        other.options = options
        return other

    def _rows(self, width):
        """Return the number of sentences of this many tokens that are searched together."""
        return rows_together(width, self.options.hypotheses, self.batch_size, self.batch_tokens)

    def _lines(self, pairs, window, **how):
        for _, found in self.translate_windows(pairs, window or WINDOW * self._rows(1), **how):
            yield from found

    def _planned(self, found, texts=None):
        """Return the `Batch`es of pairs of `Piece` and `Sentence`, and of the translations of all lines, if given."""
        lengths = [max(len(sentence.source), len(sentence.prefix or ())) + 1 for _, sentence in found]
        batches = []
        for chosen, rows in planned(lengths, self._rows, self.engine):
            pieces, sentences = map(list, zip(*(found[k] for k in chosen), strict=True))
            batches.append(Batch(pieces, sentences, rows, texts and [texts[piece.line] for piece in pieces]))
        return batches

    def _begun(self, calls, batches, token_scores):
        return [(batch, calls.begin(self._hypotheses, batch, token_scores)) for batch in batches]

    def _hypotheses(self, batch, token_scores):
        """Return the n-best lists of a batch, without texts."""
        with allocation_told(lambda: batch.in_words(self.options.hypotheses), self.advice):
            if batch.texts is None:
                return self.engine.search(batch.sentences, self.options, batch.rows, token_scores)
            pairs = [(sentence.source, sentence.prefix) for sentence in batch.sentences]
            scores = self.engine.score(pairs, batch.rows)
        penalised = [sum(one) / self._penalty(len(one)) for one in scores]
        return [[Hypothesis(*one)] for one in zip(penalised, (ids for _, ids in pairs), scores, strict=True)]

    def _completed(self, begun):
        """Yield for each batch the numbers of lines that it completes, and lists of their `Translation`s."""
        incomplete = {}
        for batch, result in begun:
            # Without any hypothesis, the model's probabilities are not numbers.
            n_best = [hypotheses or [Hypothesis(IMPOSSIBLE, [], [IMPOSSIBLE])] for hypotheses in result()]
            texts = batch.texts
            if texts is None:
                texts = self.target_subwords.decode([one.ids for hypotheses in n_best for one in hypotheses])
                texts = map(self.target_form.postprocess, texts)
            texts = iter(texts)
            translations = [[Translation(next(texts), *one) for one in hypotheses] for hypotheses in n_best]
            found = list(completed(batch.pieces, translations, incomplete, self._penalty))
            yield [i for i, _ in found], [n_best for _, n_best in found]

    def _window(self, lines, texts, begun):
        """Return lines and their lists of translations; lines without sub-words have the given text."""
        results = [[Translation(text, 0.0, [], [])] for text in texts]
        for indices, n_best in self._completed(begun):
            for i, translations in zip(indices, n_best, strict=True):
                results[i] = translations
        return lines, results

    def _penalty(self, length):
        return float(self.options.penalty(np.float32(length)))
