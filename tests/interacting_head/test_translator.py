import itertools

import numpy as np
import pytest

from data.subwords import END, PAD, Subwords, train_subwords
from interacting_head.decoding import IMPOSSIBLE
from interacting_head.transformer import Transformer
from interacting_head.translator import LONG, Translator
from tests.interacting_head import tiny

LINES = ["ein hund", "", "die katze und der hund", "   ", "haus", "ein haus und ein hund und eine katze"]


class Copy:
    """A search that finds the source twice, and remembers the shapes it was asked for."""

    def __init__(self):
        self.shapes = []

    def predict_on_batch(self, inputs):
        source_ids = inputs["source_ids"]
        self.shapes.append(source_ids.shape)
        assert (inputs["max_lengths"] >= (source_ids != PAD).sum(1)).all()
        return {
            "ids": np.repeat(source_ids[:, None], 3, axis=1),
            "scores": np.tile([-1.0, -2.0, 2 * IMPOSSIBLE], (len(source_ids), 1)),
        }


@pytest.fixture(scope="module")
def subwords(tmp_path_factory):
    path = tmp_path_factory.mktemp("subwords") / "both.model"
    train_subwords(LINES * 5, 280, path)
    return Subwords(path)


def translator(subwords, search=None, **options):
    found = Translator(None, subwords, subwords, **options)
    found.search = search or Copy()
    return found


@pytest.mark.parametrize(("batch_size", "window"), [(1, 1), (2, 3), (64, None)])
def test_lines_come_back_in_order_whatever_the_batches(subwords, batch_size, window):
    lines = LINES * 7
    found = list(translator(subwords, batch_size=batch_size).translate(iter(lines), window))
    assert [best.text for best, *_ in found] == [line.strip() for line in lines]
    for line, hypotheses in zip(lines, found, strict=True):
        if line.strip():
            assert [hypothesis.score for hypothesis in hypotheses] == [-1, -2]  # what is impossible is left out
            assert hypotheses[0].tokens == subwords.encode([line])[0]
        else:
            assert hypotheses == [("", 0.0, [])]


def test_a_stream_is_translated_before_it_ends(subwords):
    found = translator(subwords).translate(itertools.cycle(LINES), window=2)
    assert [best.text for best, *_ in itertools.islice(found, 3)] == ["ein hund", "", "die katze und der hund"]


def test_sentences_of_like_length_are_searched_together(subwords):
    search = Copy()
    list(translator(subwords, search, batch_size=2).translate(["ein", "ein hund", "haus", "haus und katze"] * 2))
    widths = [width for _, width in search.shapes]
    assert widths == sorted(widths, reverse=True)
    assert len(search.shapes) == 4


def test_long_sentences_are_searched_fewer_at_a_time(subwords):
    search = Copy()
    lines = ["hund " * 5 * LONG, *["hund " * (LONG + 10)] * 5, *["hund"] * 9]
    found = list(translator(subwords, search, batch_size=4).translate(lines))
    assert [best.text for best, *_ in found] == [line.strip() for line in lines]
    for rows, width in search.shapes:
        assert rows == 1 or rows * width <= 4 * LONG
    assert max(rows for rows, _ in search.shapes) == 4


def test_the_largest_length_counts_sub_words_without_the_end_symbol(subwords):
    limits = []

    class Remember(Copy):
        def predict_on_batch(self, inputs):
            limits.extend(inputs["max_lengths"][:1].tolist())
            return super().predict_on_batch({**inputs, "max_lengths": inputs["max_lengths"] + 1000})

    list(translator(subwords, Remember(), max_length=3).translate(LINES[:1]))
    list(translator(subwords, Remember()).translate(LINES[:1]))
    length = len(subwords.encode(LINES[:1])[0]) + 1
    assert limits == [4, 2 * length + 10]


def test_a_model_of_no_numbers_gives_empty_translations(subwords):
    broken = Transformer(tiny.config(), subwords.vocabulary_size, subwords.vocabulary_size)
    broken.set_weights([np.full_like(weight, np.nan) for weight in broken.get_weights()])
    found = list(Translator(broken, subwords, subwords, beam_size=2).translate(["ein hund"]))
    assert [best.text for best, *_ in found] == [""]


def test_special_symbols_end_or_vanish(subwords):
    class Special(Copy):
        def predict_on_batch(self, inputs):
            found = super().predict_on_batch(inputs)
            word = subwords.encode(["hund"])[0]
            found["ids"] = np.array([[[*word, END, *word, END]] * 3] * len(inputs["source_ids"]))
            return found

    [[best, _]] = translator(subwords, Special()).translate(["ein haus"])
    assert best.text == "hund"
