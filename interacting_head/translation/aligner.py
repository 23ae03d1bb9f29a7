"""Word alignments of translations: `interacting-head translate --alignment`."""

import itertools
from collections.abc import Iterator

from data.text.subwords import END
from interacting_head.translation.word_alignment import Words, count_words, links, merged, pharaoh, words_of

PAIRS = 64  # sentences whose attention is held at a time
POSITIONS = 2**20  # and source length × target length of all, unless one sentence has more


class Aligner:
    """Link the words of lines to the words of their best translations, by the attention of a `Translator`'s engine.

    In the profile `raw`, words are separated by blanks; in others they are the tokens of Moses that the model sees.

    Attributes:
        choice: the `AlignmentChoice`.
        unaligned: number of lines so far whose words are not the model's, so that they have no links.

    Raises `InputError` if the engine does not align words, or the stored choice is not one of the model.
    """

    def __init__(self, translator):
        self._translator = translator
        self.choice = translator.engine.alignment_choice()
        self.unaligned = 0

    def lines(self, lines: list[str], found: list[list]) -> Iterator[str]:
        """Yield for each line and its n-best list of `Translation`s the links of the best, in the Pharaoh format."""
        sources = self._translator.encoder.pieces(lines)
        targets = [divided(best.tokens, best.pieces) for best, *_ in found]
        pairs = [pair for pieces in zip(sources, targets, strict=True) for pair in zip(*pieces, strict=False)]
        aligned = iter(self._aligned(pairs))
        for line, (best, *_), pieces in zip(lines, found, sources, strict=True):
            yield pharaoh(self._joined(line, best, list(itertools.islice(aligned, len(pieces)))))

    def _joined(self, line, best, pieces):
        """Return the links of a line, of the links and numbers of words of its pieces."""
        joined, sources, targets = set(), 0, 0
        for found, source_words, target_words in pieces:
            joined |= {(sources + i, targets + j) for i, j in found}
            sources, targets = sources + source_words, targets + target_words
        form = self._translator.source_form
        text = self._translator.tokenized(best).text if form.is_tokenized else best.text
        # A text may have the sign that stands for a blank, a long word is cut, and a piece is tokenised by itself.
        is_equal = targets == count_words(text) and sources == count_words(form.preprocess(line))
        if pieces and not is_equal:
            self.unaligned += 1
            return set()
        return joined

    def _aligned(self, pairs):
        """Return links, number of source words and number of target words for each pair of ids."""
        results = [None] * len(pairs)
        with self._translator.engine.calls() as begin:
            begun = [(rows, begin(self._links, [pairs[row] for row in rows])) for rows in grouped(pairs)]
            for rows, result in begun:
                for row, one in zip(rows, result(), strict=True):
                    results[row] = one
        return results

    def _links(self, pairs):
        subwords = self._translator.source_subwords, self._translator.target_subwords
        words = [tuple(map(words_of, pair, subwords)) for pair in pairs]
        whole = [pair for pair in pairs if pair[1]]  # an empty translation has no links
        weights = iter(self._translator.engine.attention(whole, len(whole)) if whole else ())
        return [
            (links(merged(next(weights), target, source)) if ids else set(), *counts(source, target))
            for (_, ids), (source, target) in zip(pairs, words, strict=True)
        ]


def divided(tokens: list[int], pieces: int) -> list[list[int]]:
    """Return the tokens of each piece of a translation, between which the end symbol stands."""
    if pieces == 1:
        return [tokens]
    ends = [at for at, token in enumerate(tokens) if token == END]
    starts = [0, *(at + 1 for at in ends)]
    return [tokens[start:end] for start, end in zip(starts, [*ends, len(tokens)], strict=True)]


def grouped(pairs: list[tuple]) -> Iterator[list[int]]:
    """Yield the indices of pairs of like lengths, as many as are inspected together."""
    group, positions = [], 0
    for row in sorted(range(len(pairs)), key=lambda row: tuple(map(len, pairs[row])), reverse=True):
        size = (len(pairs[row][0]) + 1) * (len(pairs[row][1]) + 1)
        if group and (len(group) == PAIRS or positions + size > POSITIONS):
            yield group
            group, positions = [], 0
        group.append(row)
        positions += size
    if group:
        yield group


def counts(*sides: Words) -> tuple[int, ...]:
    """Return the number of words of each of some `Words`, the end symbol not counted."""
    return tuple(len(words.texts) - 1 for words in sides)
