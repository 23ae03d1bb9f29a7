"""Translation of lines of text with a trained run, an ensemble of several, or another engine."""

import copy
from typing import NamedTuple

import numpy as np

from data.text.profiles import RAW_TEXT
from data.text.subwords import END
from interacting_head.model.allocation import allocation_told
from interacting_head.search.options import IMPOSSIBLE, SearchOptions
from interacting_head.translation.batches import Batch, Window, batch_in_words, planned, rows_together
from interacting_head.translation.engines import check_capabilities, engine_class
from interacting_head.translation.engines.engine import Engine, Hypothesis
from interacting_head.translation.line_encoder import LineEncoder
from interacting_head.translation.long_lines import LongLines
from interacting_head.translation.pieces import completed
from interacting_head.translation.windows import aligned, characters, side_by_side, windows

WINDOW = 64  # batches sorted by length at a time: a stream of any length runs in constant RAM
ADVICE = "lower batch_size or batch_tokens, beam_size, max_length or max_source_length"


class Translation(NamedTuple):
    """One hypothesis.

    `score` is its log-probability (natural logarithm) divided by the length penalty, `tokens` are its sub-words, and
    `token_scores` the log-probabilities of each of them and of the end symbol (or None, where they are not wanted).
    `pieces` is the number of those in which the line was translated; there is an end symbol between their tokens.
    """

    text: str
    score: float
    tokens: list
    token_scores: list
    pieces: int = 1


class Translator:
    """Translates lines with an engine and its sub-words.

    Args:
        engine: an `Engine`, or the `Transformer` or list of `Transformer`s of a `TransformerEngine`.
        source_subwords, target_subwords: `data.Subwords`.
        source_form, target_form: `data.text.profiles.TextForm`: the form that text is brought into, and out of.
        options: `SearchOptions`.
        batch_size: sentences searched together at most.
        batch_tokens: the same in source tokens, padding included; it takes the place of `batch_size`.
        max_source_length: sub-words of a line that is translated as a whole at most; longer ones are translated in
            pieces. Default: 1,024, or `trained_length` if that is more.
        trained_length: the largest number of sub-words that the model was trained on, which is that of a piece.
        advice: the settings to change where memory does not suffice.

    Attributes:
        long_lines: the `LongLines` so far.

    Raises:
        InputError: for options that the engine cannot serve.

    Example:
        >>> translator = Translator.from_run("runs/quickstart")
        >>> [best.text for best, *_ in translator.translate(["Der alte Mann liest ein Buch."])]
    """

    def __init__(
        self,
        engine,
        source_subwords,
        target_subwords,
        source_form=RAW_TEXT,
        target_form=RAW_TEXT,
        *,
        options=None,
        batch_size=64,
        batch_tokens=None,
        max_source_length=None,
        trained_length=None,
        advice=ADVICE,
    ):
        self.engine = engine if isinstance(engine, Engine) else engine_class("tensorflow")(engine)
        self.source_subwords, self.target_subwords = source_subwords, target_subwords
        self.source_form, self.target_form = source_form, target_form
        self.options = options or SearchOptions()
        self.engine.check(self.options)
        self.batch_size, self.batch_tokens, self.advice = batch_size, batch_tokens, advice
        self.long_lines = LongLines(self.engine.name, max_source_length, trained_length)
        sides = (source_subwords, source_form), (target_subwords, target_form)
        self._encoder = LineEncoder(*sides, self.long_lines, self.engine.name)

    @classmethod
    def from_run(
        cls,
        paths,
        checkpoint=None,
        batch_size=None,
        batch_tokens=None,
        engine="tensorflow",
        *,
        max_source_length=None,
        advice=ADVICE,
        **search,
    ):
        """Return the translator of a run directory, of several as an ensemble, or of an exported folder.

        Args:
            paths: a folder, or a list of them.
            checkpoint: `best`, `average`, `ema` or `step-N`; default: best, before the first validation the newest.
            batch_size, batch_tokens: as of the constructor; default: the (first) run's batch size.
            engine: a name in `ENGINES`.
            max_source_length, advice: as of the constructor.
            **search: fields of `SearchOptions`; those not given, or None, are the (first) run's.

        Raises:
            InputError: where there is no such folder or checkpoint, it is damaged, vocabularies or profiles of an
                ensemble differ, or the engine cannot serve the options.
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

    def translate(self, lines, window=None, prefixes=None, first_number=0, token_scores=True):
        """Yield for each line, in order, its list of `Translation`s, best first.

        A line without sub-words (empty, or blanks only) gives one empty translation. Lines are read ahead of results:
        while the engine works on a window, the next is prepared. Lines above `max_source_length` are translated in
        pieces, see `pieces.PieceEncoder`.

        Args:
            lines: any iterable of strings.
            window: number of lines that are read and sorted by length at a time.
            prefixes: for each line the beginning of its translation, or of that of its first piece; "" asks for none.
                It counts for the score. A prefix longer than the largest length is translated by itself.
            first_number: number of the first line, for drawing: where a text is given in parts.
            token_scores: false if log-probabilities of tokens are not wanted, which some engines compute by
                themselves.

        Raises:
            InputError: where there are fewer or more prefixes than lines, for prefixes if the engine takes none, and
                for one that is too long.
        """
        first = window or WINDOW * self._rows(1)
        if prefixes is None:
            given = ((lines, None) for lines in windows(lines, first, size=characters))
        else:
            pairs = aligned(lines, prefixes, "the text", "the list of prefixes")
            given = (zip(*chunk, strict=True) for chunk in windows(pairs, first, size=characters))
        for found in self.translate_windows(given, first_number, token_scores):
            yield from found

    def translate_windows(self, given, first_number=0, token_scores=True):
        """Yield for each window of lines the list of what `translate` gives for each of them.

        Args:
            given: an iterable of lists of lines, each with a list of their prefixes or None. Before more is asked for
                than one without lines, all results have been yielded.
            first_number, token_scores: as of `translate`.
        """
        self.engine.refresh()
        for window, batch, n_best in self._searched(self._batches_of(given, first_number), token_scores):
            for i, translations in completed(batch.pieces, n_best, window.incomplete, self._penalty):
                window.results[i] = translations
            window.unfinished -= 1
            if not window.unfinished:
                yield window.results

    def score(self, sources, targets, window=None, first_number=0):
        """Yield for each pair of lines, in order, the target as a `Translation` with its scores.

        Args:
            sources, targets: iterables of strings.
            window: as of `translate`.
            first_number: number of the first pair, for messages.

        Raises:
            InputError: where there are fewer or more targets than sources, if the engine cannot score, and for a line
                of more than `max_source_length` sub-words.
        """
        check_capabilities(self.engine.name, {"score"})
        pairs = aligned(sources, targets, "the text", "the list of translations")
        for chunk in windows(pairs, window or WINDOW * self._rows(1), size=characters):
            yield from self._score_window(*zip(*chunk, strict=True), first_number)
            first_number += len(chunk)

    def tokenized(self, translation):
        """Return a `Translation` with tokens as its text: words where the profile has them, or else sub-words."""
        if self.target_form.is_tokenized:
            [text] = self.target_subwords.decode([translation.tokens])
            return translation._replace(text=text)
        tokens = (token for token in translation.tokens if token != END)  # END stands between pieces
        return translation._replace(text=" ".join(map(self.target_subwords.piece, tokens)))

    def batches(self, lines, prefixes=None, first_number=0):
        """Return the `Batch`es of a list of lines, for any number of searches; lines without sub-words are left out.

        Args:
            lines, prefixes, first_number: as of `translate`, but lists.
        """
        if prefixes is not None:
            check_capabilities(self.engine.name, {"prefix"})
        found = self._encoder.sentences(lines, prefixes, first_number, self.options)
        lengths = [max(len(sentence.source), len(sentence.prefix or ())) + 1 for _, sentence in found]
        return [
            Batch(*map(list, zip(*(found[k] for k in chosen), strict=True)), rows)
            for chosen, rows in planned(lengths, self._rows, self.engine)
        ]

    def search(self, batches, token_scores=True):
        """Yield for each of the `batches` the numbers of lines that it completes, and lists of their `Translation`s."""
        incomplete = {}
        for _, batch, n_best in self._searched(((None, batch) for batch in batches), token_scores):
            found = list(completed(batch.pieces, n_best, incomplete, self._penalty))
            yield [i for i, _ in found], [translations for _, translations in found]

    def with_engine(self, engine):
        """Return a translator like this one with another `Engine`."""
        engine.check(self.options)
        other = copy.copy(self)
        other.engine = engine
        return other

    def with_options(self, options):
        """Return a translator like this one, of the same engine, with other `SearchOptions`."""
        self.engine.check(options)
        other = copy.copy(self)
        other.options = options
        return other

    def _rows(self, width):
        """Return the number of sentences of so many tokens that are searched together."""
        return rows_together(width, self.options.hypotheses, self.batch_size, self.batch_tokens)

    def _batches_of(self, given, number):
        """Yield `(Window, Batch)` for each batch of windows, and None for those without lines."""
        for lines, prefixes in given:
            if not lines:
                yield None
                continue
            batches = self.batches(lines, prefixes, number) or [Batch([], [], 0)]
            window = Window([[Translation("", 0.0, [], [])] for _ in lines], len(batches))
            yield from ((window, batch) for batch in batches)
            number += len(lines)

    def _searched(self, given, token_scores):
        """Yield `(window, Batch, n-best lists)` for each `(window, Batch)`; see `side_by_side`."""

        def search(window, batch):
            if not batch.pieces:
                return []
            lengths = [(len(sentence.source) + 1, sentence.number) for sentence in batch.sentences]
            with allocation_told(lambda: batch_in_words(lengths, self.options.hypotheses), self.advice):
                return self.engine.search(batch.sentences, self.options, batch.rows, token_scores)

        calls = self.engine.calls_at_a_time, self.engine.calls_waiting
        for (window, batch), n_best in side_by_side(search, given, *calls):
            yield window, batch, self._translations(n_best)

    def _translations(self, n_best):
        """Return the n-best lists of sentences."""
        # Without any hypothesis, the model's probabilities are not numbers.
        n_best = [hypotheses or [Hypothesis(IMPOSSIBLE, [], [IMPOSSIBLE])] for hypotheses in n_best]
        texts = self.target_subwords.decode([one.ids for hypotheses in n_best for one in hypotheses])
        texts = iter(map(self.target_form.backward, texts))
        return [[Translation(next(texts), *one) for one in hypotheses] for hypotheses in n_best]

    def _score_window(self, sources, targets, first_number):
        pairs = self._encoder.pairs(sources, targets, first_number)
        results = [Translation(target, 0.0, [], []) for target in targets]

        def score(batch, rows):
            lengths = [(max(map(len, pairs[i])) + 1, first_number + i) for i in batch]
            with allocation_told(lambda: batch_in_words(lengths, 1), self.advice):
                return self.engine.score([pairs[i] for i in batch], rows)

        # A line without sub-words is translated by an empty one and nothing else.
        lengths = [max(map(len, pair)) + 1 if pair[0] else 0 for pair in pairs]
        batches = planned(lengths, self._rows, self.engine)
        for (batch, _), found in side_by_side(score, batches, self.engine.calls_at_a_time, self.engine.calls_waiting):
            for i, token_scores in zip(batch, found, strict=True):
                results[i] = Translation(targets[i], self.penalised(token_scores), pairs[i][1], token_scores)
        return results

    def penalised(self, token_scores):
        """Return the score of a hypothesis with these log-probabilities of its tokens, the end symbol's included."""
        return sum(token_scores) / self._penalty(len(token_scores))

    def _penalty(self, length):
        return float(self.options.penalty(np.float32(length)))
