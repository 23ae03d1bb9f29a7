"""The interface of engines."""

import abc
from typing import NamedTuple

from interacting_head.translation.engines import check_capabilities


class Sentence(NamedTuple):
    """A sentence to be translated.

    Attributes:
        source: its ids, without the end symbol.
        max_length: the largest number of tokens of a translation, the end symbol counted.
        prefix: ids with which translations begin; None if no sentence of the text has a prefix.
        number: of its line; random draws depend on it.
        piece: of its line, from 0; random draws depend on it too.
    """

    source: list
    max_length: int
    prefix: list | None
    number: int
    piece: int = 0


class Hypothesis(NamedTuple):
    """A translation: its ids without the end symbol, and the log-probabilities of each of them and of that symbol.

    `score` is the sum of these divided by the length penalty. `token_scores` may be None where they are not wanted.
    """

    score: float
    ids: list
    token_scores: list | None


class Engine(abc.ABC):
    """A model that searches for translations of batches of ids, and scores given ones.

    Attributes:
        name: of the entry in `ENGINES`, which states what it cannot do.
        calls_at_a_time: number of batches that are best worked on side by side, called by as many threads.
        calls_waiting: number of further calls that the engine queues, so that a batch is at hand when another ends.
        models: the `Transformer`s that may be looked into; none for an engine that lacks `details`.
    """

    name: str
    calls_at_a_time = 1
    calls_waiting = 0
    models = ()

    @classmethod
    @abc.abstractmethod
    def open(cls, paths, checkpoint=None):
        """Return an engine and the `RunDirectory` with its sub-words, text forms and settings of search.

        Args:
            paths: a list of run directories, or of folders that have been exported.
            checkpoint: of a run directory, see `RunDirectory.weights`.

        Raises:
            InputError: where there is no such folder or checkpoint, or it is damaged.
        """

    @abc.abstractmethod
    def search(self, sentences, options, rows, token_scores=True):
        """Return for each sentence a list of its `options.n_best` best `Hypothesis`es, fewer where there are fewer.

        Args:
            sentences: a list of `Sentence`s with at least one token each.
            options: `SearchOptions`.
            rows: the most sentences that a batch may hold.
            token_scores: false if log-probabilities of tokens are not wanted.
        """

    @abc.abstractmethod
    def score(self, pairs, rows):
        """Return the log-probabilities of the tokens and of the end symbol of each target.

        Args:
            pairs: a list of (source ids, target ids) without end symbols.
            rows: as of `search`.
        """

    def faster_engine(self, options):
        """Return the name of an engine that is installed and translates as this one does, in less time; or None."""
        return None

    def padded_width(self, width):
        """Return the width of the batch for sentences of at most so many tokens."""
        return width  # elsewhere than where each shape is compiled

    def refresh(self):
        """Take the present weights of models that may have changed."""
        return  # converted models do not change

    def check(self, options):
        """Raise `InputError` for `SearchOptions` that the engine cannot serve."""
        wanted = {"sampling"} if options.sampling else set()
        check_capabilities(self.name, wanted | ({"no_repeat_ngram"} if options.no_repeat_ngram else set()))
