import itertools

import numpy as np
import pytest

from data.errors import InputError
from data.text.subwords import Subwords, train_subwords
from interacting_head.model.compilation import compiles_shapes
from interacting_head.model.transformer import Transformer
from interacting_head.search.options import IMPOSSIBLE, SearchOptions
from interacting_head.translation.batches import LONG
from interacting_head.translation.engines.engine import Engine, Hypothesis
from interacting_head.translation.translator import Translation, Translator
from tests import skip_reasons
from tests.interacting_head import tiny
from tests.layers.schemes import randomize

LINES = ["ein hund", "", "die katze und der hund", "   ", "haus", "ein haus und ein hund und eine katze"]


class Copy(Engine):
    """Find the source twice, and remember the sentences and the number of rows that it was asked for."""

    name = "keras"

    def __init__(self):
        self.batches = []

    @classmethod
    def open(cls, paths, checkpoint=None):
        return cls(), None

    def search(self, sentences, options, rows, token_scores=True):
        assert len(sentences) <= rows
        self.batches.append(sentences)
        return [
            [Hypothesis(score, one.source, [-0.5] * (len(one.source) + 1)) for score in (-1.0, -2.0)]
            for one in sentences
        ]

    def score(self, pairs, rows):
        return [[-0.5] * (len(target) + 1) for _, target in pairs]

    @property
    def shapes(self):
        return [(len(batch), max(len(one.source) for one in batch) + 1) for batch in self.batches]


@pytest.fixture(scope="module")
def subwords(tmp_path_factory):
    path = tmp_path_factory.mktemp("subwords") / "both.model"
    train_subwords(LINES * 5, 280, path)
    return Subwords(path)


def translator(subwords, engine=None, batch_size=64, batch_tokens=None, **options):
    options = SearchOptions(**{"n_best": 3, **options})
    both = {"batch_size": batch_size, "batch_tokens": batch_tokens}
    return Translator(engine or Copy(), subwords, subwords, options=options, **both)


@pytest.mark.parametrize(("batch_size", "window"), [(1, 1), (2, 3), (64, None)])
def test_lines_come_back_in_order_whatever_the_batches(subwords, batch_size, window):
    lines = LINES * 7
    found = list(translator(subwords, batch_size=batch_size).translate(iter(lines), window))
    assert [best.text for best, *_ in found] == [line.strip() for line in lines]
    for line, hypotheses in zip(lines, found, strict=True):
        if line.strip():
            assert [hypothesis.score for hypothesis in hypotheses] == [-1, -2]
            assert hypotheses[0].tokens == subwords.encode([line])[0]
            assert hypotheses[0].token_scores == [-0.5] * (len(hypotheses[0].tokens) + 1)
        else:
            assert hypotheses == [Translation("", 0.0, [], [])]


def test_a_stream_is_translated_before_it_ends(subwords):
    found = translator(subwords).translate(itertools.cycle(LINES), window=2)
    assert [best.text for best, *_ in itertools.islice(found, 3)] == ["ein hund", "", "die katze und der hund"]


def test_sentences_of_like_length_are_searched_together(subwords):
    engine = Copy()
    list(translator(subwords, engine, batch_size=2).translate(["ein", "ein hund", "haus", "haus und katze"] * 2))
    lengths = {len(subwords.encode([line])[0]) + 1 for line in ("ein", "ein hund", "haus", "haus und katze")}
    assert sorted(engine.shapes) == [(2, length) for length in sorted(lengths)]


def test_few_lines_are_shared_among_the_calls_at_a_time(subwords):
    engine = Copy()
    engine.calls_at_a_time = 3
    lines = ["hund"] * 10
    found = translator(subwords, engine, batch_size=8).translate(lines)
    assert [best.text for best, *_ in found] == lines
    assert sorted(rows for rows, _ in engine.shapes) == [2, 4, 4]


def test_windows_of_blank_lines_keep_their_place(subwords):
    engine = Copy()
    engine.calls_at_a_time = 2
    lines = ["", " ", "haus", "", "", "", "hund", "katze", ""]
    found = translator(subwords, engine).translate(lines, window=2)
    assert [best.text for best, *_ in found] == [line.strip() for line in lines]


def test_long_sentences_are_searched_fewer_at_a_time(subwords):
    engine = Copy()
    lines = ["hund " * 5 * LONG, *["hund " * (LONG + 10)] * 5, *["hund"] * 9]
    found = list(translator(subwords, engine, batch_size=4).translate(lines))
    assert [best.text for best, *_ in found] == [line.strip() for line in lines]
    for rows, width in engine.shapes:
        assert rows == 1 or rows * width <= 4 * LONG
    assert max(rows for rows, _ in engine.shapes) == 4


def test_batches_may_be_limited_in_tokens(subwords):
    engine = Copy()
    list(translator(subwords, engine, batch_tokens=40).translate(LINES * 9))
    assert max(rows * width for rows, width in engine.shapes) <= 40
    assert max(rows for rows, _ in engine.shapes) > 3


def test_wide_searches_and_long_prefixes_take_fewer_sentences_at_a_time(subwords):
    lines, prefix = ["hund " * LONG] * 9, "haus " * 2 * LONG

    def rows(lines, prefixes=None, **options):
        engine = Copy()
        list(translator(subwords, engine, batch_size=64, **options).translate(lines, prefixes=prefixes))
        return max(rows for rows, _ in engine.shapes)

    assert rows(["ein"] * 64, beam_size=100) == 10
    assert rows(lines, beam_size=100) < 10
    assert rows(["ein"] * 64, prefixes=[prefix] * 64) < 64


def test_pieces_keep_the_line_number_and_the_first_keeps_the_prefix(subwords):
    engine = Copy()
    line = "ein hund. " * 9
    both = {"max_source_length": 20, "trained_length": 12}
    [found] = Translator(engine, subwords, subwords, **both).translate([line], first_number=5, prefixes=["haus"])
    sentences = sorted((one for batch in engine.batches for one in batch), key=lambda one: one.piece)
    assert {one.number for one in sentences} == {5}
    assert [one.piece for one in sentences] == list(range(found[0].pieces))
    assert sentences[0].prefix == subwords.encode(["haus"])[0]
    assert all(one.prefix == [] for one in sentences[1:])
    assert max(len(one.source) for one in sentences) <= 12
    assert found[0].text == line.strip()


def test_lengths_count_sub_words_without_the_end_symbol(subwords):
    def longest(prefixes=None, **options):
        engine = Copy()
        list(translator(subwords, engine, **options).translate(["ein hund"], prefixes=prefixes))
        [[sentence]] = engine.batches
        return sentence.max_length

    length = len(subwords.encode(["ein hund"])[0]) + 1
    assert longest() == 2 * length + 10
    assert longest(max_length=100) == 101
    assert longest(max_length=length, min_length=2) == length + 1
    assert longest(min_length=90) == 91
    assert longest(["haus " * 20], max_length=2) == len(subwords.encode(["haus " * 20])[0]) + 1


def test_lines_have_their_numbers_and_prefixes_only_where_there_are_some(subwords):
    engine = Copy()
    list(translator(subwords, engine, batch_size=1).translate(LINES, window=2, first_number=5))
    assert sorted(one.number for [one] in engine.batches) == [5, 7, 9, 10]
    assert {one.prefix for [one] in engine.batches} == {None}
    engine = Copy()
    list(translator(subwords, engine).translate(LINES[:1], prefixes=[""]))
    assert [one.prefix for [one] in engine.batches] == [[]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_best": 5}, "n_best 5 is above beam_size 4"),
        ({"beam_size": 0}, "beam_size must be a whole number of at least 1, got 0"),
        ({"beam_size": 101}, "beam_size must be at most 100, got 101"),
        ({"sampling": True, "n_best": 101}, "n_best must be at most 100, got 101"),
        ({"length_penalty": float("nan")}, "length_penalty must be a number from 0 to 7"),
        ({"length_penalty_type": "gnm"}, "must be one of gnmt, average, none, got 'gnm'"),
        ({"min_length": 3, "max_length": 2}, "min_length 3 is above max_length 2"),
        ({"max_length": 2**31}, "max_length must be at most 100000, got 2147483648"),
        ({"temperature": 0.0}, "temperature must be a number above 0"),
        ({"temperature": 1e-7}, "temperature must be a number above 0, at least 1e-06, got 1e-07"),
        ({"top_p": 0.0}, "top_p must be above 0 and at most 1"),
        ({"no_repeat_ngram": -1}, "no_repeat_ngram must be a whole number of at least 0"),
        ({"no_repeat_ngram": 101}, "no_repeat_ngram must be at most 100, got 101"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        SearchOptions(**options)


# With a Transformer.


def transformer(subwords, seed=0):
    size = subwords.vocabulary_size
    return randomize(Transformer(tiny.config(), size, size), seed)


@pytest.fixture(scope="module")
def model(subwords):
    return transformer(subwords)


def real(subwords, models, **options):
    return Translator(models, subwords, subwords, options=SearchOptions(**{"max_length": 12, **options}))


def assert_alike(found, expected):
    for ours, theirs in zip(found, expected, strict=True):
        assert [one.tokens for one in ours] == [one.tokens for one in theirs]
        np.testing.assert_allclose([one.score for one in ours], [one.score for one in theirs], rtol=1e-4)


@pytest.mark.slow
def test_scores_of_the_output_equal_the_search(subwords, model):
    # Ended after their prefixes: what random weights go on with spells another text than it comes from.
    translator = real(subwords, model, max_length=1, length_penalty=1.0)
    targets = ["haus", "", "ein hund", "", "die katze und der hund", "und ein"]
    found = [best for best, *_ in translator.translate(LINES, prefixes=targets)]
    scored = list(translator.score(LINES, [best.text for best in found]))
    assert sum(len(one.tokens) > 1 for one in found) == 4
    for line, target, ours, theirs in zip(LINES, targets, scored, found, strict=True):
        assert theirs.tokens == (subwords.encode([target])[0] if line.strip() else [])
        assert ours.tokens == theirs.tokens
        assert ours.score == pytest.approx(theirs.score, rel=1e-4)
        np.testing.assert_allclose(ours.token_scores, theirs.token_scores, rtol=1e-3, atol=1e-4)


@pytest.mark.slow
def test_translations_begin_with_their_prefixes(subwords, model):
    translator = real(subwords, model)
    prefixes = ["ein", "", "", "hund", "die katze", ""]
    found = list(translator.translate(LINES, prefixes=prefixes))
    assert [best.text for best, *_ in found if not best.tokens] == ["", ""]
    for line, prefix, [best, *_] in zip(LINES, prefixes, found, strict=True):
        if line.strip():
            start = subwords.encode([prefix])[0]
            assert best.tokens[: len(start)] == start
    free = [hypotheses for prefix, hypotheses in zip(prefixes, found, strict=True) if not prefix]
    expected = translator.translate([line for line, prefix in zip(LINES, prefixes, strict=True) if not prefix])
    assert_alike(free, expected)


@pytest.mark.parametrize("others", [["ein"], ["ein"] * 3])
def test_prefixes_and_targets_must_be_as_many_as_lines(subwords, model, others):
    translator = real(subwords, model)
    with pytest.raises(InputError, match="has more; line n of one must correspond to line n of the other"):
        list(translator.translate(["haus", "hund"], prefixes=others))
    with pytest.raises(InputError, match="has more; line n of one must correspond to line n of the other"):
        list(translator.score(["haus", "hund"], others))


@pytest.mark.slow
def test_samples_of_a_line_depend_only_on_its_number_and_the_seed(subwords, model):
    def drawn(batch_size=64, window=None, seed=1):
        options = SearchOptions(sampling=True, n_best=5, max_length=8, seed=seed)
        translator = Translator(model, subwords, subwords, options=options, batch_size=batch_size)
        return list(translator.translate(LINES, window))

    expected = drawn()
    assert_alike(drawn(batch_size=2), expected)
    assert_alike(drawn(window=1), expected)
    assert [best.tokens for best, *_ in drawn(seed=2)] != [best.tokens for best, *_ in expected]
    assert len({tuple(one.tokens) for one in expected[0]}) > 1
    for hypotheses in expected:
        assert [one.score for one in hypotheses] == sorted((one.score for one in hypotheses), reverse=True)


def test_functions_are_compiled_once_for_all_lengths_and_sizes(subwords, model):
    if compiles_shapes():
        pytest.skip(skip_reasons.COMPILED_SHAPES)
    translator = real(subwords, model)
    list(translator.translate([*LINES, "hund " * 30]))
    compiled = translator.engine.compiled
    for size in (1, 2, 5):
        translator.batch_size = size
        list(translator.translate([*LINES[:4], "hund " * 30, "katze " * 50]))
    assert translator.engine.compiled == compiled <= 2


def test_a_model_of_no_numbers_gives_empty_translations(subwords):
    broken = transformer(subwords)
    broken.set_weights([np.full_like(weight, np.nan) for weight in broken.get_weights()])
    translator = real(subwords, broken, beam_size=2)
    found = list(translator.translate(["ein hund"]))
    assert [best.text for best, *_ in found] == [""]
    reason = "no translation or score, because the model's probabilities are NaN"
    assert translator.warnings == [f"1 line has {reason}: 1"]
    scored = list(translator.score(["ein hund", "", "hund"], ["a dog", "", "dog"]))
    assert [(one.text, one.score) for one in scored] == [("a dog", IMPOSSIBLE), ("", 0.0), ("dog", IMPOSSIBLE)]
    assert all(len(one.token_scores) == len(one.tokens) + 1 for one in (scored[0], scored[2]))
    assert translator.warnings == [f"2 lines have {reason}: 1, 3"]


def test_the_score_of_a_translation_of_nothing_is_refused(subwords):
    translator = real(subwords, transformer(subwords))
    with pytest.raises(InputError, match="line 2 is empty, but its translation is not"):
        list(translator.score(["ein hund", " "], ["a dog", "dog"]))
