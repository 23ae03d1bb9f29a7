"""Limits of the length of lines, and a record of the lines above them."""

from interacting_head.translation.engines import check_source_length, longest_source

USUAL = 1024  # sub-words of a line that is translated as a whole, unless training had longer ones
NAMED = 20  # numbers of lines in a warning


class LongLines:
    """The limits of a `Translator`, and the numbers of the lines that were above them.

    Args:
        engine: name of the engine.
        limit: sub-words of a line that is translated as a whole at most; default: `USUAL`, or `trained` if that is
            more, as far as the engine goes.
        trained: the largest number of sub-words that the model was trained on; None where that is not known.

    Attributes:
        limit: see above.
        longest: sub-words of a piece of a longer line at most: as many as the model was trained on.

    Raises:
        InputError: for a limit that the engine does not have.
    """

    def __init__(self, engine, limit=None, trained=None):
        if limit is not None:
            check_source_length("max_source_length", limit, engine)
        most = longest_source(engine)
        self.limit = limit if limit is not None else min(max(USUAL, trained or 0), most)
        self.longest, self._trained = min(self.limit, trained or self.limit), trained
        self._cut, self._unusual = _Numbers(), _Numbers()

    def note(self, number, pieces):
        """Remember a line if it is long.

        Args:
            number: of the line, from 0.
            pieces: lists of ids.
        """
        if len(pieces) > 1:
            self._cut.add(number)
        elif pieces and self._trained is not None and len(pieces[0]) > self._trained:
            self._unusual.add(number)

    @property
    def warnings(self):
        """A line for each limit that lines were above."""
        found = []
        if cut := self._cut:
            verbs = ("has", "was") if cut.count == 1 else ("have", "were")
            found.append(
                f"{cut.lines} {verbs[0]} more than {self.limit:,} sub-words and {verbs[1]} translated in pieces: "
                f"{cut.named} (--max-source-length)"
            )
        if unusual := self._unusual:
            verb = "is" if unusual.count == 1 else "are"
            found.append(
                f"{unusual.lines} {verb} longer than the training's {self._trained:,} sub-words: {unusual.named}"
            )
        return found


class _Numbers:
    """Numbers of lines, of which the first are kept."""

    def __init__(self):
        self.count, self._first = 0, []

    def __bool__(self):
        return self.count > 0

    def add(self, number):
        self.count += 1
        if len(self._first) < NAMED:
            self._first.append(number + 1)

    @property
    def lines(self):
        return f"{self.count:,} line{'' if self.count == 1 else 's'}"

    @property
    def named(self):
        more = f" and {self.count - NAMED:,} more" if self.count > NAMED else ""
        return ", ".join(f"{number:,}" for number in self._first) + more
