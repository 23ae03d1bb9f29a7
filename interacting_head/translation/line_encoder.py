"""Lines as the sentences that an engine searches translations for, or scores."""

from data.errors import InputError
from interacting_head.search.options import length_limit
from interacting_head.translation.batches import Piece
from interacting_head.translation.engines import longest_source
from interacting_head.translation.engines.engine import Sentence
from interacting_head.translation.pieces import PieceEncoder, encoded

ADVICE = "shorten it, or raise --max-source-length"


class LineEncoder:
    """Encode lines and what belongs to them.

    Args:
        source, target: each the `data.Subwords` and the `TextForm` of a side.
        long_lines: the `LongLines`, which has the limits and remembers the lines above them.
        engine: name of the engine.
    """

    def __init__(self, source, target, long_lines, engine):
        self._source, self._target, self._long_lines, self._engine = source, target, long_lines, engine
        self._pieces = PieceEncoder(*source, long_lines.limit, long_lines.longest)

    def sentences(self, lines, prefixes, first_number, options):
        """Return a `Piece` and a `Sentence` for each line, or for each piece of a long one.

        Args:
            lines: a list; those without sub-words are left out.
            prefixes: a list of as many, or None. That of a line in pieces is the prefix of the first.
            first_number: number of the first line.
            options: `SearchOptions`.

        Raises:
            InputError: for a prefix that is too long.
        """
        found = []
        of_lines = [None] * len(lines) if prefixes is None else self._encoded_prefixes(prefixes, first_number)
        for i, (sources, prefix) in enumerate(zip(self._pieces(lines), of_lines, strict=True)):
            self._long_lines.note(first_number + i, sources)
            for number, source in enumerate(sources):
                begun = prefix if number == 0 or prefix is None else []
                longest = options.max_length
                if longest is None:
                    longest = length_limit(len(source) + 1) - 1
                longest = max(longest, options.min_length or 0, len(begun or ()))
                sentence = Sentence(source, longest + 1, begun, first_number + i, number)
                found.append((Piece(i, number, len(sources)), sentence))
        return found

    def pairs(self, sources, targets, first_number):
        """Return the (source ids, target ids) of lines and their translations.

        Raises:
            InputError: for a line above the limit: its score is not that of its pieces.
        """
        limit = self._long_lines.limit
        pairs = [encoded(*side, lines, limit) for side, lines in ((self._source, sources), (self._target, targets))]
        pairs = list(zip(*pairs, strict=True))
        for number, (source, target) in enumerate(pairs, start=first_number + 1):
            if source is None or target is None:
                of_side = "" if source is None else " of the translations"
                raise InputError(
                    f"line {number:,}{of_side} has more than {limit:,} sub-words, and is not scored in pieces; {ADVICE}"
                )
        return pairs

    def _encoded_prefixes(self, prefixes, first_number):
        """Return the ids of prefixes; raises `InputError` for one longer than a translation can be by default."""
        limit = min(length_limit(self._long_lines.limit + 1) - 1, longest_source(self._engine))
        found = encoded(*self._target, prefixes, limit)
        if None in found:
            number = first_number + found.index(None) + 1
            raise InputError(f"the prefix of line {number:,} has more than {limit:,} sub-words; {ADVICE}")
        return found
