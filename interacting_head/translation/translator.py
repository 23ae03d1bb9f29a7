"""Translation of lines of text with a trained run, an ensemble of several, or another engine."""

import copy
from typing import NamedTuple

import numpy as np

from data.text.profiles import RAW_TEXT
from interacting_head.model.allocation import SEARCH_ADVICE, allocation_told
from interacting_head.search.options import IMPOSSIBLE, SearchOptions, length_limit
from interacting_head.translation.engines import check_capabilities, engine_class
from interacting_head.translation.engines.engine import Engine, Hypothesis, Sentence
from interacting_head.translation.windows import aligned, side_by_side, windows

WINDOW = 64  # batches sorted by length at a time: a stream of any length runs in constant RAM
LONG = 128  # sub-words; longer sentences are searched fewer at a time, for they take more RAM
WIDE = 1024  # hypotheses of a batch at most, times their number a sentence: attention is of each to the places of all


class Translation(NamedTuple):
    """One hypothesis.

    `score` is its log-probability (natural logarithm) divided by the length penalty, `tokens` are its sub-words, and
    `token_scores` the log-probabilities of each of them and of the end symbol (or None, where they are not wanted).
    """

    text: str
    score: float
    tokens: list
    token_scores: list


class Batch(NamedTuple):
    """`Sentence`s that are searched together, their indices among the lines, and the most rows of such a batch."""

    indices: list
    sentences: list
    rows: int


class _Window:
    """Results of lines that are sorted by length together, of which `unfinished` batches have yet to be searched."""

    def __init__(self, lines, unfinished):
        self.results, self.unfinished = [[Translation("", 0.0, [], [])] for _ in lines], unfinished


class Translator:
    """Translates lines with an engine and its sub-words.

    Args:
        engine: an `Engine`, or the `Transformer` or list of `Transformer`s of a `TransformerEngine`.
        source_subwords, target_subwords: `data.Subwords`.
        source_form, target_form: `data.text.profiles.TextForm`: the form that text is brought into, and out of.
        options: `SearchOptions`.
        batch_size: sentences searched together at most.
        batch_tokens: the same in source tokens, padding included; it takes the place of `batch_size`.

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
    ):
        self.engine = engine if isinstance(engine, Engine) else engine_class("tensorflow")(engine)
        self.source_subwords, self.target_subwords = source_subwords, target_subwords
        self.source_form, self.target_form = source_form, target_form
        self.options = options or SearchOptions()
        self.engine.check(self.options)
        self.batch_size, self.batch_tokens = batch_size, batch_tokens

    @classmethod
    def from_run(cls, paths, checkpoint=None, batch_size=None, batch_tokens=None, engine="tensorflow", **search):
        """Return the translator of a run directory, of several as an ensemble, or of an exported folder.

        Args:
            paths: a folder, or a list of them.
            checkpoint: `best`, `average`, `ema` or `step-N`; default: best, before the first validation the newest.
            batch_size, batch_tokens: as of the constructor; default: the (first) run's batch size.
            engine: a name in `ENGINES`.
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
        )

    def translate(self, lines, window=None, prefixes=None, first_number=0, token_scores=True):
        """Yield for each line, in order, its list of `Translation`s, best first.

        A line without sub-words (empty, or blanks only) gives one empty translation. Lines are read ahead of results:
        while the engine works on a window, the next is prepared.

        Args:
            lines: any iterable of strings.
            window: number of lines that are read and sorted by length at a time.
            prefixes: for each line the beginning of its translation; "" asks for none. It counts for the score. A
                prefix longer than the largest length is translated by itself.
            first_number: number of the first line, for drawing: where a text is given in parts.
            token_scores: false if log-probabilities of tokens are not wanted, which some engines compute by
                themselves.

        Raises:
            InputError: where there are fewer or more prefixes than lines, and for prefixes if the engine takes none.
        """
        if prefixes is None:
            given = ((lines, None) for lines in windows(lines, window or WINDOW * self._rows(1)))
        else:
            pairs = aligned(lines, prefixes, "the text", "the list of prefixes")
            given = (zip(*chunk, strict=True) for chunk in windows(pairs, window or WINDOW * self._rows(1)))
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
            for i, translations in zip(batch.indices, n_best, strict=True):
                window.results[i] = translations
            window.unfinished -= 1
            if not window.unfinished:
                yield window.results

    def score(self, sources, targets, window=None):
        """Yield for each pair of lines, in order, the target as a `Translation` with its scores.

        Args:
            sources, targets: iterables of strings.
            window: as of `translate`.

        Raises:
            InputError: where there are fewer or more targets than sources, and if the engine cannot score.
        """
        check_capabilities(self.engine.name, {"score"})
        pairs = aligned(sources, targets, "the text", "the list of translations")
        for chunk in windows(pairs, window or WINDOW * self._rows(1)):
            yield from self._score_window(*zip(*chunk, strict=True))

    def tokenized(self, translation):
        """Return a `Translation` with tokens as its text: words where the profile has them, or else sub-words."""
        if self.target_form.is_tokenized:
            [text] = self.target_subwords.decode([translation.tokens])
            return translation._replace(text=text)
        return translation._replace(text=" ".join(map(self.target_subwords.piece, translation.tokens)))

    def batches(self, lines, prefixes=None, first_number=0):
        """Return the `Batch`es of a list of lines, for any number of searches; lines without sub-words are left out.

        Args:
            lines, prefixes, first_number: as of `translate`, but lists.
        """
        sources = self.source_subwords.encode([self.source_form.forward(line) for line in lines])
        if prefixes is None:
            prefixes = [None] * len(lines)
        else:
            check_capabilities(self.engine.name, {"prefix"})
            prefixes = self.target_subwords.encode([self.target_form.forward(prefix) for prefix in prefixes])
        return [
            Batch(indices, [self._sentence(sources[i], prefixes[i], first_number + i) for i in indices], rows)
            for indices, rows in self._batches([len(ids) + 1 if ids else 0 for ids in sources])
        ]

    def search(self, batches, token_scores=True):
        """Yield for each of the `batches` its numbers of lines and their lists of `Translation`s, best first."""
        for _, batch, n_best in self._searched(((None, batch) for batch in batches), token_scores):
            yield batch.indices, n_best

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
        rows = self.batch_size * LONG // max(width, LONG)
        if self.batch_tokens is not None:
            rows = self.batch_tokens // width
        return max(1, min(rows, WIDE // self.options.hypotheses))

    def _batches(self, lengths):
        """Yield `(indices, rows)` of batches of like lengths, and the most rows of each; lengths of 0 are left out."""
        order = sorted((i for i, length in enumerate(lengths) if length), key=lambda i: lengths[i], reverse=True)
        share = -(-len(order) // self.engine.calls_at_a_time)  # so that few sentences are work for all calls
        while order:
            width = lengths[order[0]]
            rows = self._rows(self.engine.padded_width(width))
            rows = min(rows, share) if self.engine.calls_at_a_time > 1 else rows
            batch, order = order[:rows], order[rows:]
            yield batch, rows

    def _batches_of(self, given, number):
        """Yield `(_Window, Batch)` for each batch of windows, and None for those without lines."""
        for lines, prefixes in given:
            if not lines:
                yield None
                continue
            batches = self.batches(lines, prefixes, number) or [Batch([], [], 0)]
            window = _Window(lines, len(batches))
            yield from ((window, batch) for batch in batches)
            number += len(lines)

    def _searched(self, given, token_scores):
        """Yield `(window, Batch, n-best lists)` for each `(window, Batch)`; see `side_by_side`."""

        def search(window, batch):
            if not batch.indices:
                return []
            lengths = [len(sentence.source) + 1 for sentence in batch.sentences]
            with allocation_told(lambda: self._batch_in_words(lengths), SEARCH_ADVICE):
                return self.engine.search(batch.sentences, self.options, batch.rows, token_scores)

        calls = self.engine.calls_at_a_time, self.engine.calls_waiting
        for (window, batch), n_best in side_by_side(search, given, *calls):
            yield window, batch, self._translations(n_best)

    def _batch_in_words(self, lengths):
        return (
            f"a batch of {len(lengths)} × {max(lengths)} (sentences × sub-words of the longest), with "
            f"{self.options.hypotheses} hypotheses of each"
        )

    def _sentence(self, source, prefix, number):
        longest = self.options.max_length
        if longest is None:
            longest = length_limit(len(source) + 1) - 1
        longest = max(longest, self.options.min_length or 0, len(prefix or ()))
        return Sentence(source, longest + 1, prefix, number)

    def _translations(self, n_best):
        """Return the n-best lists of sentences."""
        # Without any hypothesis, the model's probabilities are not numbers.
        n_best = [hypotheses or [Hypothesis(IMPOSSIBLE, [], [IMPOSSIBLE])] for hypotheses in n_best]
        texts = self.target_subwords.decode([one.ids for hypotheses in n_best for one in hypotheses])
        texts = iter(map(self.target_form.backward, texts))
        return [[Translation(next(texts), *one) for one in hypotheses] for hypotheses in n_best]

    def _score_window(self, sources, targets):
        source_ids = self.source_subwords.encode([self.source_form.forward(line) for line in sources])
        target_ids = self.target_subwords.encode([self.target_form.forward(line) for line in targets])
        results = [Translation(target, 0.0, [], []) for target in targets]
        pairs = list(zip(source_ids, target_ids, strict=True))

        def score(batch, rows):
            lengths = [max(map(len, pairs[i])) + 1 for i in batch]
            with allocation_told(lambda: self._batch_in_words(lengths), SEARCH_ADVICE):
                return self.engine.score([pairs[i] for i in batch], rows)

        # A line without sub-words is translated by an empty one and nothing else.
        batches = self._batches([max(map(len, pair)) + 1 if pair[0] else 0 for pair in pairs])
        for (batch, _), found in side_by_side(score, batches, self.engine.calls_at_a_time, self.engine.calls_waiting):
            for i, token_scores in zip(batch, found, strict=True):
                results[i] = Translation(targets[i], self.penalised(token_scores), target_ids[i], token_scores)
        return results

    def penalised(self, token_scores):
        """Return the score of a hypothesis with these log-probabilities of its tokens, the end symbol's included."""
        return sum(token_scores) / float(self.options.penalty(np.float32(len(token_scores))))
