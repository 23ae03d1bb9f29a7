"""Base of the sources of YiSi-1's vectors: files of word vectors, transformers, and embedders of one's own."""

import abc


class Embedder(abc.ABC):
    """Division of lines into units, and a vector for each unit.

    Attributes:
        name: its name in the signature of a score.
        description: its name in the definition of a score.
        same_words_are_equal: whether units that differ at most in the case of ASCII letters have similarity 1,
            whatever their vectors.
    """

    name: str
    description: str
    same_words_are_equal = False

    def prepare(self, lines):  # noqa: B027 (may be left out)
        """Make ready for all lines, before any of them is embedded."""

    @abc.abstractmethod
    def units(self, lines):
        """Return the units of each line: lists of byte strings."""

    @abc.abstractmethod
    def vectors(self, lines):
        """Return the vectors of the units of each line: arrays of shape (units, D), of any length."""
