"""The interface of engines."""

import abc
import contextlib
import functools
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from interacting_head.runs.alignment_choice import AlignmentChoice
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.search.options import SearchOptions
from interacting_head.translation.engines import check_capabilities


class Sentence(NamedTuple):
    """A line to be translated, or a piece of a line.

    Attributes:
        source: its ids, without the end symbol.
        max_length: the most tokens of a translation, the end symbol counted.
        prefix: ids with which translations begin; None if no sentence of the text has a prefix.
        number, piece, pieces: line number, index of the piece and number of pieces. Random draws depend on the first
            two.
        text: the given translation to score, with the ids `prefix`; else None.
    """

    source: list[int]
    max_length: int
    prefix: list[int] | None
    number: int
    piece: int = 0
    pieces: int = 1
    text: str | None = None


class Hypothesis(NamedTuple):
    """A translation: its ids without the end symbol, the log-probabilities of ids and end symbol, and its score.

    The score is their sum divided by the length penalty. `token_scores` may be None if not requested.
    """

    score: float
    ids: list[int]
    token_scores: list[float] | None


class Engine(abc.ABC):
    """A model that searches for translations of batches of ids, and scores given ones.

    Attributes:
        name: of the entry in `ENGINES`, which states what it does not support.
        calls_at_a_time: best number of batches to search at a time, by as many threads.
        calls_waiting: number of further calls to queue, so that a batch is ready when another ends.
        models: the `Transformer`s that can be inspected; none for an engine that lacks `details`.
    """

    name: str
    calls_at_a_time = 1
    calls_waiting = 0
    models = ()

    @contextlib.contextmanager
    def calls(self) -> Iterator[Callable]:
        """Yield a function that starts a call of its arguments and returns a function for the result.

        Threads make the calls, or the caller if one is made at a time. Calls still queued at the end are dropped.
        """
        if self.calls_at_a_time == 1:
            yield functools.partial
            return
        threads = ThreadPoolExecutor(self.calls_at_a_time + self.calls_waiting)
        try:
            yield lambda *call: threads.submit(*call).result
        finally:
            threads.shutdown(cancel_futures=True)

    @classmethod
    @abc.abstractmethod
    def open(cls, paths: list, checkpoint: str | None = None) -> tuple["Engine", RunDirectory]:
        """Return an engine of run directories or exported folders, and the first run: sub-words, forms, settings.

        Raises `InputError` if a folder or checkpoint (see `RunDirectory.find_weights`) is missing or damaged.
        """

    @abc.abstractmethod
    def search(
        self, sentences: list[Sentence], options: SearchOptions, rows: int, token_scores: bool = True
    ) -> list[list[Hypothesis]]:
        """Return for each sentence, of at least one token, its `options.n_best` best hypotheses, or fewer.

        `rows` is the most sentences of a batch; `token_scores` says whether to return log-probabilities of tokens.
        """

    @abc.abstractmethod
    def score(self, pairs: list[tuple], rows: int) -> list[list[float]]:
        """Return the log-probabilities of the tokens and of the end symbol of each target.

        Pairs are source ids and target ids, without end symbols; `rows` is the most pairs of a batch.
        """

    def alignment_choice(self) -> AlignmentChoice:
        """Return the layer and heads of `attention`; `InputError` if the engine lacks `alignment`, or has no choice."""
        check_capabilities(self.name, {"alignment"})

    def attention(self, pairs: list[tuple], rows: int) -> list[np.ndarray]:
        """Return encoder-decoder attention `(T, S)` under the `alignment_choice` for each pair of bare ids.

        Row t is the step that produces token t of the target. End symbols are counted in T and S, but the weights at
        and on them may be zeros. Sources and targets have a token at least. A batch may hold at most `rows`.
        """
        check_capabilities(self.name, {"alignment"})

    def faster_engine(self, options: SearchOptions, max_source_length: int | None = None) -> str | None:
        """Return the name of an installed engine that gives almost the same translations faster, or None."""
        return None

    def padded_width(self, width: int) -> int:
        """Return the width of the batch for sentences of at most `width` tokens."""
        return width  # except if each shape is compiled

    def refresh(self) -> None:
        """Compute again what the engine derives from its models' weights, which may have changed."""
        return  # converted models do not change

    def check(self, options: SearchOptions) -> None:
        """Raise `InputError` for options that the engine does not support."""
        wanted = {"sampling"} if options.sampling else set()
        check_capabilities(self.name, wanted | ({"no_repeat_ngram"} if options.no_repeat_ngram else set()))
