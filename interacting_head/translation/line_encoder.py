"""Encoding of lines as sentences for an engine, with limits on their lengths."""

from collections.abc import Iterable

from data.errors import InputError
from data.text.profiles import Preprocessor
from data.text.subwords import Subwords
from interacting_head.search.options import SearchOptions, length_limit
from interacting_head.translation.engines import ENGINES, check_source_length
from interacting_head.translation.engines.engine import Sentence
from interacting_head.translation.pieces import encoded, encoded_pieces

ADVICE = "shorten it, or raise --max-source-length"
DEFAULT_LIMIT = 1024  # most sub-words of a line that is translated as a whole, unless training had longer ones
NAMED = 20  # line numbers listed in a warning


class LineEncoder:
    """Encode lines with their prefixes or translations, and record long lines for warnings.

    Args:
        source, target: the `Subwords` and the `Preprocessor` of each side.
        limit: the most sub-words of a line that is translated as a whole; longer ones are translated in pieces.
            Default: `DEFAULT_LIMIT`, or `trained` if that is more, within the engine's limit.
        trained: the most sub-words of a training sentence, and so of each piece of a longer line; None if unknown.

    Raises `InputError` for a limit above the engine's.
    """

    def __init__(
        self,
        source: tuple[Subwords, Preprocessor],
        target: tuple[Subwords, Preprocessor],
        engine: str,
        limit: int | None = None,
        trained: int | None = None,
    ):
        if limit is not None:
            check_source_length("max_source_length", limit, engine)
        self._source, self._target = source, target
        self._most, self._trained = ENGINES[engine].longest_source, trained
        self.limit = limit if limit is not None else min(max(DEFAULT_LIMIT, trained or 0), self._most)
        self._cut, self._unusual = LineNumbers(), LineNumbers()

    def sentences(
        self, lines: list[str], prefixes: list[str] | None, first_number: int, options: SearchOptions
    ) -> list[Sentence]:
        """Return a `Sentence` for each line with sub-words, or for each piece of a long one; the first has the prefix.

        Raises `InputError` for a prefix that is too long.
        """
        found = []
        of_lines = [None] * len(lines) if prefixes is None else self._encoded_prefixes(prefixes, first_number)
        for line, (pieces, prefix) in enumerate(zip(self.pieces(lines), of_lines, strict=True), start=first_number):
            if len(pieces) > 1:
                self._cut.add(line)
            elif pieces and self._trained is not None and len(pieces[0]) > self._trained:
                self._unusual.add(line)
            for number, source in enumerate(pieces):
                longest = options.max_length
                if longest is None:
                    longest = length_limit(len(source) + 1) - 1
                longest = max(longest, options.min_length or 0, len(prefix or ()))
                found.append(Sentence(source, longest + 1, prefix, line, number, len(pieces)))
                prefix = prefix and []  # for the following pieces
        return found

    def pieces(self, lines: list[str]) -> list[list[list[int]]]:
        """Return the ids of the pieces of each line: one as a rule, none of a line without sub-words."""
        return encoded_pieces(*self._source, lines, self.limit, min(self.limit, self._trained or self.limit))

    def scored_sentences(self, sources: list[str], targets: list[str], first_number: int) -> list[Sentence]:
        """Return a `Sentence` for each line with sub-words, with its translation.

        Raises `InputError` for a line above the limit, and for an empty one whose translation is not empty.
        """
        found = []
        both = [encoded(*self._source, sources, self.limit), encoded(*self._target, targets, self.limit)]
        for number, (source, target, text) in enumerate(zip(*both, targets, strict=True), start=first_number):
            if source is None or target is None:
                of_side = "" if source is None else " of the translations"
                raise InputError(
                    f"line {number + 1:,}{of_side} has more than {self.limit:,} sub-words, which cannot be scored "
                    f"in pieces; {ADVICE}"
                )
            if target and not source:
                raise InputError(f"line {number + 1:,} is empty, but its translation is not; remove both lines")
            if source:
                found.append(Sentence(source, len(target) + 1, target, number, text=text))
        return found

    @property
    def warnings(self) -> list[str]:
        """A warning for each limit that lines exceeded."""
        found = []
        if cut := self._cut.count:
            lines, was = (f"{cut:,} lines have", "were") if cut > 1 else ("1 line has", "was")
            found.append(
                f"{lines} more than {self.limit:,} sub-words and {was} translated in pieces: {self._cut} "
                "(--max-source-length)"
            )
        if unusual := self._unusual.count:
            lines = f"{unusual:,} lines are" if unusual > 1 else "1 line is"
            found.append(f"{lines} longer than the training limit of {self._trained:,} sub-words: {self._unusual}")
        return found

    def _encoded_prefixes(self, prefixes, first_number):
        """Return the ids of prefixes; raise `InputError` for one longer than a translation can be by default."""
        limit = min(length_limit(self.limit + 1) - 1, self._most)
        found = encoded(*self._target, prefixes, limit)
        if None in found:
            number = first_number + found.index(None) + 1
            raise InputError(f"the prefix of line {number:,} has more than {limit:,} sub-words; {ADVICE}")
        return found


class LineNumbers:
    """Line numbers: their count, and the first ones."""

    def __init__(self, numbers: Iterable[int] = ()):
        self.count, self.first = 0, []
        for number in numbers:
            self.add(number)

    def add(self, number: int) -> None:
        """Count the line with a number, from 0."""
        self.count += 1
        if self.count <= NAMED:
            self.first.append(f"{number + 1:,}")

    def __str__(self):
        return ", ".join(self.first) + (f" and {self.count - NAMED:,} more" if self.count > NAMED else "")
