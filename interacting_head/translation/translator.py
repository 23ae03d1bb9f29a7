"""Translation of lines of text with a trained run, an ensemble of several, or another engine."""

import collections
import copy
import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from data.text.profiles import RAW_TEXT, Preprocessor
from data.text.subwords import END, Subwords
from interacting_head.model.allocation import out_of_memory_explained
from interacting_head.search.options import IMPOSSIBLE, SearchOptions
from interacting_head.translation.batches import Batch, planned, rows_together
from interacting_head.translation.engines import check_capabilities, engine_class
from interacting_head.translation.engines.engine import Engine, Hypothesis
from interacting_head.translation.line_encoder import LineEncoder, LineNumbers
from interacting_head.translation.pieces import completed
from interacting_head.translation.streams import BATCHES_IN_WINDOW, paired_lines, windows

ADVICE = "lower batch_size or batch_tokens, beam_size, max_length or max_source_length"


class Translation(NamedTuple):
    """One hypothesis.

    `score` is its log-probability (natural logarithm) divided by the length penalty, `tokens` are its sub-words, and
    `token_scores` the log-probabilities of these and of the end symbol (None if not requested). `pieces` is the number
    of pieces in which the line was translated, with an end symbol between their tokens.
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
        source_form, target_form: pre- and postprocessing of text.
        batch_size: the most sentences of a batch.
        batch_tokens: the most source tokens of a batch, padding included, instead of `batch_size`.
        max_source_length, trained_length: see `LineEncoder`.
        advice: what to change if memory runs out.
        languages: the codes of source and target language, None where they are not known.

    Attributes:
        encoder: the `LineEncoder`, with its `limit` and its `warnings` so far.

    Raises `InputError` for options that the engine does not support.

    Example:
        >>> translator = Translator.from_run("runs/quickstart")
        >>> [best.text for best, *_ in translator.translate(["Der alte Mann liest ein Buch."])]
    """

    def __init__(
        self,
        engine: object,
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
        languages: tuple[str | None, str | None] = (None, None),
    ):
        self.engine = engine if isinstance(engine, Engine) else engine_class("keras")(engine)
        self.source_subwords, self.target_subwords = source_subwords, target_subwords
        self.source_form, self.target_form = source_form, target_form
        self.options = options or SearchOptions()
        self.engine.check(self.options)
        self.batch_size, self.batch_tokens, self.advice = batch_size, batch_tokens, advice
        self.languages = languages
        sides = (source_subwords, source_form), (target_subwords, target_form)
        self.encoder = LineEncoder(*sides, self.engine.name, max_source_length, trained_length)
        self._not_numbers = set()

    @classmethod
    def from_run(
        cls,
        paths: str | Path | list[str | Path],
        checkpoint: str | None = None,
        batch_size: int | None = None,
        batch_tokens: int | None = None,
        engine: str = "keras",
        *,
        max_source_length: int | None = None,
        advice: str = ADVICE,
        **search: object,
    ) -> "Translator":
        """Return the translator of a run directory, of several as an ensemble, or of an exported folder.

        Args:
            paths: a folder, or a list of them. The first provides defaults.
            checkpoint: `best`, `average`, `ema` or `step-N`; default: best, or the newest before the first validation.
            engine: a name in `ENGINES`.
            **search: fields of `SearchOptions`.

        Raises `InputError` if a folder or checkpoint is missing or damaged, vocabularies or profiles of an ensemble
        differ, or the engine does not support the options.
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
            languages=run.languages(run.config.data),
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
            window: number of lines that are read and sorted by length at a time.
            prefixes: the beginning of each line's translation, or of its first piece's; "" for none. It counts for the
                score. A prefix longer than the largest length is the translation.
            first_number: number of the first line, for sampling, if a text is given in parts.
            token_scores: whether to return log-probabilities of tokens, which cost some engines time.

        Raises `InputError` if the numbers of prefixes and lines differ, the engine does not support prefixes, or one is
        too long.
        """
        pairs = zip(lines, itertools.repeat(None))
        if prefixes is not None:
            pairs = paired_lines(lines, prefixes, "the text", "the list of prefixes")
        given = windows(pairs, window or BATCHES_IN_WINDOW * self._rows(1))
        for _, found in self.translate_windows(given, first_number=first_number, token_scores=token_scores):
            yield from found

    def score(self, sources: Iterable[str], targets: Iterable[str], window: int | None = None) -> Iterator[Translation]:
        """Yield for each pair of lines, in order, the target as a `Translation` with its scores.

        Raises `InputError` if the numbers of targets and sources differ, the engine cannot score, a line has more than
        `max_source_length` sub-words, or an empty line has a translation that is not empty.
        """
        pairs = paired_lines(sources, targets, "the text", "the list of translations")
        given = windows(pairs, window or BATCHES_IN_WINDOW * self._rows(1))
        for _, found in self.translate_windows(given, score=True):
            yield from (translation for [translation] in found)

    def translate_windows(
        self, windows: Iterable[list[tuple]], *, first_number: int = 0, score: bool = False, token_scores: bool = True
    ) -> Iterator[tuple[list[str], list[list[Translation]]]]:
        """Yield `(lines, their lists of translations)` for each window of a stream, in order.

        All translation goes through here. While the engine works on a window, the next is prepared; before a wait for
        the stream all results are yielded. Errors in reading are raised after the results before them.

        Args:
            windows: from `streams.windows`: lists of pairs of a line and its prefix (or None for all); with `score`, of
                a line and its given translation. An empty list comes before each wait.
            first_number, token_scores: see `translate`.
            score: score translations instead of searching for them.
        """
        if score:
            check_capabilities(self.engine.name, {"score"})
        else:
            self.engine.refresh()
        under_way, incomplete = collections.deque(), {}
        with self.engine.calls() as begin:
            for begun in self._begun(begin, windows, first_number, score, token_scores):
                is_window = isinstance(begun, _Window)
                if is_window:
                    under_way.append(begun)
                # A window may wait while the engine works on the next one, but not before the stream waits or ends.
                waiting = 1 if is_window and self.engine.calls_at_a_time > 1 else 0
                while len(under_way) > waiting:
                    window = under_way.popleft()
                    for batch, result in window.searches:
                        with self._memory_for(batch):
                            found = result()
                        window.results.update(self._translations(batch, found, incomplete))
                    yield window.lines, list(window.results.values())
                if isinstance(begun, Exception):
                    raise begun

    @property
    def warnings(self) -> list[str]:
        """A warning for each limit that lines exceeded, and for lines that the model gave no probabilities."""
        found = self.encoder.warnings
        if self._not_numbers:
            numbers = LineNumbers(sorted(self._not_numbers))
            lines = f"{numbers.count:,} lines have" if numbers.count > 1 else "1 line has"
            found.append(f"{lines} no translation or score, because the model's probabilities are NaN: {numbers}")
        return found

    def tokenized(self, translation: Translation) -> Translation:
        """Return a `Translation` whose text is tokens: words if the profile has them, else sub-words."""
        if self.target_form.is_tokenized:
            [text] = self.target_subwords.decode([translation.tokens])
            return translation._replace(text=text)
        tokens = (token for token in translation.tokens if token != END)  # END stands between pieces
        return translation._replace(text=" ".join(map(self.target_subwords.piece, tokens)))

    def batches(self, lines: list[str], prefixes: list[str] | None = None, first_number: int = 0) -> list[Batch]:
        """Return the `Batch`es of lines, for any number of searches, without lines that have no sub-words."""
        if prefixes is not None:
            check_capabilities(self.engine.name, {"prefix"})
        sentences = self.encoder.sentences(lines, prefixes, first_number, self.options)
        return list(planned(sentences, self._rows, self.engine))

    def search(self, batches: list[Batch], token_scores: bool = True) -> Iterator[tuple[tuple, tuple]]:
        """Yield for each batch the numbers of the lines that it completes, and lists of their `Translation`s."""
        incomplete = {}
        with self.engine.calls() as begin:
            for batch, result in self._searches(begin, batches, token_scores):
                with self._memory_for(batch):
                    found = result()
                lists = dict(self._translations(batch, found, incomplete))
                yield tuple(lists), tuple(lists.values())

    def with_engine(self, engine: Engine) -> "Translator":
        """Return a translator like this one with another `Engine`."""
        engine.check(self.options)
        other = copy.copy(self)
        other.engine = engine
        return other

    def with_options(self, options: SearchOptions) -> "Translator":
        """Return a translator with the same engine and other `SearchOptions`."""
        self.engine.check(options)
        other = copy.copy(self)
        other.options = options
        return other

    def _rows(self, width):
        return rows_together(width, self.options.hypotheses, self.batch_size, self.batch_tokens)

    def _begun(self, begin, windows, number, score, token_scores):
        """Yield a `_Window` for each window, None before a wait and at the end, and the exception of reading."""
        try:
            for window in windows:
                if not window:
                    yield None
                    continue
                lines, others = map(list, zip(*window, strict=True))
                if score:
                    sentences = self.encoder.scored_sentences(lines, others, number)
                    batches = planned(sentences, self._rows, self.engine)
                else:
                    batches = self.batches(lines, None if others[0] is None else others, number)
                texts = others if score else [""] * len(lines)  # of lines without sub-words
                results = {number + i: [Translation(text, 0.0, [], [])] for i, text in enumerate(texts)}
                number += len(lines)
                yield _Window(lines, results, self._searches(begin, batches, token_scores))
            yield None
        except Exception as error:
            yield error

    def _searches(self, begin, batches, token_scores):
        """Return pairs of a batch and a function that gives the engine's result for it."""
        searches = []
        for batch in batches:
            if batch.is_scored:
                pairs = [(sentence.source, sentence.prefix) for sentence in batch.sentences]
                result = begin(self.engine.score, pairs, batch.rows)
            else:
                result = begin(self.engine.search, batch.sentences, self.options, batch.rows, token_scores)
            searches.append((batch, result))
        return searches

    def _memory_for(self, batch):
        return out_of_memory_explained(lambda: batch.in_words(self.options.hypotheses), self.advice)

    def _translations(self, batch, found, incomplete):
        """Yield `(number, n-best list)` of each line that a batch completes, from the engine's result."""
        if batch.is_scored:
            n_best = [
                self._numbers(sentence, sentence.prefix, [Hypothesis(self._score(scores), sentence.prefix, scores)])
                for sentence, scores in zip(batch.sentences, found, strict=True)
            ]
            texts = iter([sentence.text for sentence in batch.sentences])
        else:
            n_best = [self._numbers(*one) for one in zip(batch.sentences, itertools.repeat([]), found)]
            texts = self.target_subwords.decode([one.ids for hypotheses in n_best for one in hypotheses])
            texts = map(self.target_form.postprocess, texts)
        translations = [[Translation(next(texts), *one) for one in hypotheses] for hypotheses in n_best]
        seed = self.options.seed if self.options.sampling else None
        return completed(batch.sentences, translations, incomplete, self._penalty, seed)

    def _numbers(self, sentence, ids, hypotheses):
        """Return hypotheses, or, if the model's probabilities are NaN, the `ids` as the least probable translation."""
        if hypotheses and not math.isnan(hypotheses[0].score):
            return hypotheses
        self._not_numbers.add(sentence.number)
        return [Hypothesis(IMPOSSIBLE, ids, [IMPOSSIBLE] * (len(ids) + 1))]

    def _score(self, token_scores):
        return sum(token_scores) / self._penalty(len(token_scores))

    def _penalty(self, length):
        return float(self.options.penalty(np.float32(length)))


class _Window(NamedTuple):
    """Lines being translated: `{number: n-best list}`, and batches with functions that return the engine's results."""

    lines: list[str]
    results: dict[int, list[Translation]]
    searches: list[tuple[Batch, Callable]]
