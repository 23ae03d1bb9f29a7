import numpy as np
import pytest

from interacting_head.translation.word_alignment import (
    Words,
    column_links,
    count_words,
    links,
    merged,
    pharaoh,
    words_of,
)

DRAW = np.random.default_rng(3)


def words(*counts):
    """Words with the given numbers of sub-words, and the end symbol."""
    counts = [*counts, 1]
    return Words([f"w{i}" for i in range(len(counts))], np.repeat(range(len(counts)), counts))


@pytest.mark.parametrize("line", ["die katze und der hund", "hündchen 𝄞 katze!", "a  b", "a \u00a0 b", "a \t\u2028 b"])
def test_words_are_separated_by_blanks(subwords, line):
    [ids] = subwords.encode([line])
    texts, word_of = words_of(ids, subwords)
    assert texts == [*filter(None, line.split(" ")), "</s>"]
    assert count_words(line) == len(texts) - 1
    assert len(word_of) == len(ids) + 1
    assert word_of[-1] == len(texts) - 1
    for word, text in enumerate(texts[:-1]):
        assert subwords.decode([[i for i, at in zip(ids, word_of, strict=False) if at == word]])[0].strip(" ") == text


def test_blanks_that_collapse_are_no_words(subwords):
    """A translation, unlike encoded text, may have several blanks one after another."""
    [ids], [[blank, *_]] = subwords.encode(["die katze"]), subwords.encode([" 𝄞"])
    assert subwords.piece(blank) == "▁"
    for more in ([blank, blank, *ids], [*ids, blank], [*ids, blank, blank], [ids[0], blank, *ids[1:]]):
        texts, word_of = words_of(more, subwords)
        assert texts == [*subwords.decode([more])[0].split(), "</s>"]
        assert len(word_of) == len(more) + 1


def test_an_empty_translation_has_the_end_symbol_alone(subwords):
    assert words_of([], subwords).texts == ["</s>"]
    assert links(np.ones((1, 4))) == set()


def test_attention_to_a_word_is_a_sum_and_from_a_word_a_mean():
    target, source = words(1, 3), words(2, 1, 1)
    weights = DRAW.random((2, 5, 5))
    expected = np.zeros((2, 3, 4))
    for head in range(2):
        for j in range(3):
            rows = [t for t in range(5) if target.word_of[t] == j]
            for t in rows:
                for s in range(5):
                    expected[head, j, source.word_of[s]] += weights[head, t, s] / len(rows)
    np.testing.assert_allclose(merged(weights, target, source), expected)
    weights /= weights.sum(-1, keepdims=True)
    np.testing.assert_allclose(merged(weights, target, source).sum(-1), 1)


def test_target_words_are_linked_to_the_source_word_of_largest_weight():
    weights = np.array([[0.1, 0.3, 0.6], [0.9, 0.0, 0.1], [0.0, 1.0, 0.0]])
    assert links(weights) == {(1, 0), (0, 1)}
    assert pharaoh(links(weights)) == "0-1 1-0"


def test_source_words_are_linked_to_the_target_word_of_largest_weight():
    weights = np.array([[0.1, 0.3, 0.6], [0.9, 0.0, 0.1], [0.0, 1.0, 0.0]])
    assert column_links(weights) == {(0, 1), (1, 0)}
    assert column_links(np.ones((1, 4))) == set()
