import functools
from types import SimpleNamespace

import numpy as np

from data.text.profiles import RAW_TEXT, Preprocessor
from data.text.subwords import END
from interacting_head.runs.alignment_choice import AlignmentChoice
from interacting_head.translation.aligner import Aligner, divided, grouped
from interacting_head.translation.engines.engine import Engine
from interacting_head.translation.line_encoder import LineEncoder
from interacting_head.translation.translator import Translation, Translator
from interacting_head.translation.word_alignment import words_of

LINE = "die katze und der hund"


class Opposite(Engine):
    """An engine that attends to the words of the source in the opposite order."""

    name, open, search, score = "keras", None, None, None

    def __init__(self, subwords):
        self.subwords = subwords

    def alignment_choice(self):
        return AlignmentChoice.default(1)

    def attention(self, pairs, rows):
        assert all(len(side) > 0 for pair in pairs for side in pair)
        words = [[words_of(ids, self.subwords) for ids in pair] for pair in pairs]
        return [np.equal.outer(len(s.texts) - 2 - t.word_of, s.word_of).astype("float32") for s, t in words]


def aligner(subwords, form=RAW_TEXT, limit=None):
    """An `Aligner` without a model."""
    translator = SimpleNamespace(
        engine=Opposite(subwords),
        source_subwords=subwords,
        target_subwords=subwords,
        source_form=form,
        target_form=form,
        encoder=LineEncoder((subwords, form), (subwords, form), "keras", limit),
    )
    translator.tokenized = functools.partial(Translator.tokenized, translator)
    return Aligner(translator)


def translation(subwords, *pieces):
    """A list of the `Translation` that joins these pieces."""
    ids = [i for piece in subwords.encode(pieces) for i in (*piece, END)][:-1]
    return [Translation(" ".join(filter(None, pieces)), 0.0, ids, None, len(pieces))]


def test_links_count_words_between_blanks(subwords):
    found = aligner(subwords)
    lines = [LINE, "", "hund", f" {LINE}  "]
    translations = [translation(subwords, line) for line in (LINE, "", "", LINE)]
    opposite = "0-4 1-3 2-2 3-1 4-0"
    assert list(found.lines(lines, translations)) == [opposite, "", "", opposite]
    assert found.unaligned == 0


def test_links_of_pieces_count_words_of_the_whole_line(subwords):
    first, second = "die katze und", "der hund"
    limit = max(map(len, subwords.encode([first, second])))
    found = aligner(subwords, limit=limit)
    assert [len(pieces) for pieces in found._translator.encoder.pieces([LINE])] == [2]
    cut = [subwords.decode([ids])[0] for ids in found._translator.encoder.pieces([LINE])[0]]
    assert " ".join(cut) == LINE
    [line] = found.lines([LINE], [translation(subwords, *cut)])
    sizes = [len(piece.split()) for piece in cut]
    starts = [0, sizes[0]]
    expected = [(s + i, s + n - 1 - i) for s, n in zip(starts, sizes, strict=True) for i in range(n)]
    assert line == " ".join(f"{i}-{j}" for i, j in expected)


def test_a_line_whose_words_are_not_the_models_has_no_links_and_counts(subwords):
    cut = "hund" * 9  # within a word
    found = aligner(subwords, limit=max(len(ids) for ids in subwords.encode(["hund" * 5])))
    pieces = [subwords.decode([ids])[0] for ids in found._translator.encoder.pieces([cut])[0]]
    assert len(pieces) > 1
    lines = ["der▁hund", cut, "hund"]
    translations = [translation(subwords, "der hund"), translation(subwords, *pieces), translation(subwords, "hund")]
    assert list(found.lines(lines, translations)) == ["", "", "0-0"]
    assert found.unaligned == 2


def test_words_of_a_tokenised_profile_are_tokens(subwords):
    found = aligner(subwords, Preprocessor("tokenized", "de"))
    assert list(found.lines(["der hund."], [translation(subwords, "der hund .")])) == ["0-2 1-1 2-0"]


def test_pieces_whose_tokens_are_not_the_lines_have_no_links(subwords):
    line, form = "hund etc. Und katze", Preprocessor("tokenized", "de")
    limit = max(map(len, subwords.encode(["hund etc .", "Und katze"])))
    found = aligner(subwords, form, limit)
    pieces = [subwords.decode([ids])[0] for ids in found._translator.encoder.pieces([line])[0]]
    assert sum(len(piece.split()) for piece in pieces) > len(form.preprocess(line).split())
    assert list(found.lines([line], [translation(subwords, *pieces)])) == [""]
    assert found.unaligned == 1


def test_tokens_are_divided_at_the_end_symbols_between_pieces():
    assert divided([5, 6, END, END, 7], 3) == [[5, 6], [], [7]]
    assert divided([5, 6], 1) == [[5, 6]]


def test_sentences_of_like_lengths_are_inspected_together():
    draw = np.random.default_rng(1)
    pairs = [([5] * int(draw.integers(1, 900)), [5] * int(draw.integers(0, 900))) for _ in range(200)]
    groups = list(grouped(pairs))
    assert sorted(row for group in groups for row in group) == list(range(200))
    positions = [sum((len(s) + 1) * (len(t) + 1) for s, t in (pairs[row] for row in group)) for group in groups]
    assert max(positions) <= 2**20
    assert max(map(len, groups)) <= 64
    assert list(grouped([])) == []
