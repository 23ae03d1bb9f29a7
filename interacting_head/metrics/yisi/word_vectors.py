"""Word vectors in the two formats of word2vec."""

import contextlib
import gzip
import io
import zlib

import numpy as np
from tqdm import tqdm

from data.errors import InputError
from data.text.parallel_text import open_text_file
from interacting_head.metrics.metric import MetricUnavailable
from interacting_head.metrics.yisi.embedders import Embedder
from interacting_head.metrics.yisi.similarity import split_words

UNKNOWN = b"<unk>"
MOST_DIMENSIONS, MOST_WORDS = 100_000, 10**12
LONGEST_WORD = 4096  # bytes


class WordVectors(Embedder):
    """Vectors of words, from a text or binary file in word2vec's format, plain or gzipped.

    Only the vectors of words that occur in the scored text are kept. A word without a vector has that of its
    lowercase form (ASCII letters), or else that of `<unk>`, or else is similar to nothing but itself.

    Args:
        path: the file. Its first line says how many words and dimensions there are; each word is followed by a
            space and its vector, in decimal numbers up to the end of the line or in 4-byte floats.

    Raises:
        MetricUnavailable: here and by `prepare`, when the file is not of that format.
    """

    same_words_are_equal = True

    def __init__(self, path):
        self.path = path
        self.name = path.name
        self.description = f"word vectors ({path.name}); words equal but for ASCII case have 1"
        self._vectors = {}
        self._looked_for = set()
        with self._open() as file:
            header = file.readline(100).split()
            if len(header) != 2 or not all(field.isdigit() and int(field) for field in header):
                raise self._broken("line 1 is not two whole numbers, that of words and that of dimensions")
            self._number, self.dimensions = map(int, header)
            if self.dimensions > MOST_DIMENSIONS or self._number > MOST_WORDS:
                raise self._broken(f"line 1 has more than {MOST_DIMENSIONS:,} dimensions, or {MOST_WORDS:,} words")
            self._longest = LONGEST_WORD + 64 * self.dimensions  # bytes of a line of text
            self._is_text = self._is_number_line(file.read(self._longest).split(b"\n")[0])

    def prepare(self, lines):
        """Read the vectors of the words in these lines, in one pass over the file."""
        words = {form for line in lines for word in split_words(line) for form in (word, word.lower())} | {UNKNOWN}
        if words <= self._looked_for:
            return
        missing = words - self._looked_for
        records = self._text_records() if self._is_text else self._binary_records()
        progress = tqdm(records, desc=self.name, total=self._number, unit="word", leave=False, disable=None)
        for number, (word, numbers) in enumerate(progress, start=1):
            if word in missing:
                self._vectors[word] = self._vector(numbers, number)
        self._looked_for |= words

    def units(self, lines):
        """Return the words of each line, which spaces divide."""
        return [split_words(line) for line in lines]

    def vectors(self, lines):
        """Return the vectors of the words of each line; a word without one has zeros."""
        unknown = self._vectors.get(UNKNOWN, np.zeros(self.dimensions))
        found = []
        for words in self.units(lines):
            vectors = [self._vectors.get(word, self._vectors.get(word.lower(), unknown)) for word in words]
            found.append(np.array(vectors, dtype=np.float64).reshape(len(words), self.dimensions))
        return found

    def _text_records(self):
        with self._open() as file:
            file.readline()
            for number in range(self._number):
                line = file.readline(self._longest)
                if not line:
                    raise self._broken(f"it ends after {number:,} of {self._number:,} words")
                word, _, numbers = line.partition(b" ")
                yield word, numbers

    def _binary_records(self):
        size = 4 * self.dimensions
        with self._open() as file:
            file.readline()
            for number in range(self._number):
                word = bytearray()
                while (letter := file.read(1)) not in (b" ", b""):
                    word += letter
                    if len(word) > LONGEST_WORD:
                        raise self._broken(f"word {number + 1:,} has more than {LONGEST_WORD:,} bytes")
                numbers = file.read(size)
                if len(numbers) < size:
                    raise self._broken(f"it ends after {number:,} of {self._number:,} words")
                yield bytes(word).strip(), numbers  # some programs end a vector with a line break

    def _vector(self, numbers, number):
        if not self._is_text:
            vector = np.frombuffer(numbers, dtype="<f4")
        elif self._is_number_line(b"word " + numbers):
            with np.errstate(over="ignore"):  # not finite: told below
                vector = np.array([float(field) for field in numbers.split()], dtype=np.float32)
        else:
            raise self._broken(f"line {number + 1} has not a word and {self.dimensions} numbers")
        if not np.all(np.isfinite(vector)):
            raise self._broken(f"the vector of word {number} is not finite")
        return vector

    def _is_number_line(self, line):
        fields = line.split()
        try:
            return len([float(field) for field in fields[1:]]) == self.dimensions
        except ValueError:
            return False

    @contextlib.contextmanager
    def _open(self):
        try:
            with open_text_file(self.path) as file, io.BufferedReader(file, 1 << 20) as buffered:
                yield buffered
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise self._broken("the gzip file is cut short or damaged") from error
        except OSError as error:
            raise self._broken(error.strerror or error) from error
        except InputError as error:
            raise MetricUnavailable(str(error)) from error

    def _broken(self, what):
        return MetricUnavailable(f"{self.path} is no file of word vectors in word2vec's format: {what}")
