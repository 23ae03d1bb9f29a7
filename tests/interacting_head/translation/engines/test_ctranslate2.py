import itertools
import os
import random
import shutil
import subprocess
import sys

import numpy as np
import pytest

from data.errors import InputError
from interacting_head import export
from interacting_head.search.options import SearchOptions
from interacting_head.translation.engines.engine import Sentence
from interacting_head.translation.translator import Translator
from tests import skip_reasons, tiny_corpus
from tests.command_line import ROOT, environment
from tests.parameters import mostly_slow

pytest.importorskip("ctranslate2", reason=skip_reasons.EXPORT)

LINES = ["der hund sieht.", "", "ein mann hat das haus", "katze", "heute kauft das alte haus eine katze.", "hund hund"]
PREFIXES = ["the", "", "this", "", "old dog", "x"]


@pytest.fixture(scope="module")
def converted(workplace, tmp_path_factory):
    folder = tmp_path_factory.mktemp("converted") / "model"
    export.convert(workplace / "trained", "ctranslate2", folder)
    return folder


def opened(paths, *arguments, **options):
    return Translator.from_run(paths, *arguments, engine="ctranslate2", **options)


def both(workplace, converted, **search):
    """Our translator and CTranslate2's, of the same model."""
    return Translator.from_run(workplace / "trained", **search), opened(converted, **search)


def assert_equal(ours, theirs):
    assert len(ours) == len(theirs)
    for our, their in zip(itertools.chain(*ours), itertools.chain(*theirs), strict=True):
        assert (their.text, their.tokens) == (our.text, our.tokens)
        assert their.score == pytest.approx(our.score, abs=1e-4)
        np.testing.assert_allclose(their.token_scores, our.token_scores, atol=1e-4)


@pytest.mark.parametrize(
    "search",
    mostly_slow(
        [
            {},
            {"beam_size": 1},
            {"max_length": 3},
            {"length_penalty": 1.0},
            {"length_penalty_type": "none"},
        ],
        {},
        {"max_length": 3},
    ),
    ids=str,
)
def test_translations_and_scores_are_ours(workplace, converted, search):
    ours, theirs = both(workplace, converted, **search)
    assert_equal(list(ours.translate(LINES)), list(theirs.translate(LINES)))


SEARCHES = [
    # A penalty, and how many of 100 lines are translated alike; with a patience of 1 there were 99, 94, 86 and 71.
    ({"beam_size": 3}, 98),
    ({"length_penalty": 1.0}, 98),
    ({"length_penalty_type": "average", "length_penalty": 1.0}, 98),
    # A strong penalty favours long hypotheses, which only a search that goes on for longer finds.
    ({"length_penalty": 1.5}, 80),
]


@pytest.mark.parametrize("case", mostly_slow(SEARCHES, SEARCHES[1]), ids=str)
def test_ctranslate2_finds_our_results_unless_its_search_ends_earlier(workplace, converted, case):
    search, least = case
    draw = random.Random(1)
    lines = [" ".join(draw.choices(list(tiny_corpus.WORDS), k=draw.randint(1, 12))) for _ in range(100)]
    ours, theirs = ([best for [best] in one.translate(lines)] for one in both(workplace, converted, **search))
    assert all(their.score <= our.score + 1e-4 for our, their in zip(ours, theirs, strict=True))
    assert sum(our.tokens == their.tokens for our, their in zip(ours, theirs, strict=True)) >= least


def test_lines_come_back_in_order_whatever_the_batches(converted):
    expected = list(opened(converted).translate(LINES * 7))
    for batch_size, window in ((1, 1), (2, 3), (3, None)):
        found = opened(converted, batch_size=batch_size).translate(LINES * 7, window)
        assert_equal(expected, list(found))


def test_prefixes_count_for_the_score(workplace, converted):
    ours, theirs = both(workplace, converted)
    found = list(theirs.translate(LINES, prefixes=PREFIXES))
    assert_equal(list(ours.translate(LINES, prefixes=PREFIXES)), found)
    assert [best.text.startswith(prefix) for (best, *_), prefix in zip(found, PREFIXES, strict=True)] == [True] * 6


def test_a_sentence_is_searched_within_its_own_limit(workplace, converted):
    search = {"beam_size": 4, "n_best": 4, "max_length": 3, "length_penalty_type": "none"}
    lines, prefixes = ["der hund sieht.", "ein mann"], ["", "the old dog and the old man"]
    translators = both(workplace, converted, **search)
    sentences = translators[0].encoder.sentences(lines, prefixes, 0, translators[0].options)
    ours, theirs = (one.engine.search(sentences, one.options, len(lines)) for one in translators)
    assert [[one.ids for one in found] for found in theirs] == [[one.ids for one in found] for found in ours]
    assert list(map(len, theirs)) == [4, 1]


@pytest.mark.parametrize(
    "search", [{"min_length": 12}, {"max_length": 3}, {"no_repeat_ngram": 1, "n_best": 3}], ids=str
)
def test_scores_of_a_restricted_search_are_scores_of_the_model(converted, search):
    translator = opened(converted, **search)
    for line, found in zip(LINES, translator.translate(LINES), strict=True):
        assert found == sorted(found, key=lambda translation: -translation.score)
        for translation in found if line else []:
            penalty = float(translator.options.penalty(np.float32(len(translation.token_scores))))
            assert translation.score == pytest.approx(sum(translation.token_scores) / penalty, abs=1e-5)
            tokens = translation.tokens
            assert search.get("min_length", 0) <= len(tokens) <= search.get("max_length", len(tokens))
            assert len(set(tokens)) == len(tokens) or "no_repeat_ngram" not in search


def test_given_translations_have_our_scores(workplace, converted):
    targets = ["the dog sees.", "", "", "cat", "today", "y z"]
    ours, theirs = both(workplace, converted)
    assert_equal([list(ours.score(LINES, targets))], [list(theirs.score(LINES, targets))])


def test_a_run_is_converted_on_the_way(workplace, converted):
    expected = opened(converted).translate(LINES)
    assert_equal(list(expected), list(opened(workplace / "trained").translate(LINES)))


def test_lines_of_any_length_fit_into_its_table_of_positions(converted):
    line = "hund " * 5000
    [[usual]] = opened(converted).translate([line])
    assert usual.pieces > 50
    [length] = map(len, opened(converted).source_subwords.encode(["hund"]))
    longest = opened(converted, max_source_length=4095, max_length=5)
    found = [best.pieces for [best] in longest.translate(["hund " * (4095 // length), line])]
    assert (found[0], found[1] > 1) == (1, True)


def test_ctranslate2_refuses_options_and_inputs_that_it_lacks(workplace, converted, tmp_path):
    for message, path, options in [
        ("--engine ctranslate2 supports only one model; an ensemble needs --engine keras", [converted, converted], {}),
        ("does not support sampling", converted, {"sampling": True}),
        ("without checkpoints; leave out --checkpoint best", converted, {"checkpoint": "best"}),
        ("has no checkpoint 'step-7'", workplace / "trained", {"checkpoint": "step-7"}),
        ("is neither a run directory .it has no config", tmp_path, {}),
    ]:
        with pytest.raises(InputError, match=message):
            opened(path, **options)
    with pytest.raises(InputError, match=r"a line has [\d,]+ sub-words, but .* takes at most 4,095"):
        opened(converted).engine.search([Sentence([5] * 4096, 20, None, 0)], SearchOptions(), 1)
    shutil.copytree(converted, tmp_path / "damaged")
    (tmp_path / "damaged" / "model.bin").write_bytes(b"no weights")
    with pytest.raises(InputError, match="damaged is damaged"):
        opened(tmp_path / "damaged")


class Counting:
    """A `ctranslate2.Translator` that counts what it is asked for."""

    def __init__(self, translator):
        self.translator, self.searched, self.scored = translator, 0, 0
        self.num_translators = translator.num_translators

    def translate_batch(self, sources, *arguments, **options):
        self.searched += len(sources)
        return self.translator.translate_batch(sources, *arguments, **options)

    def score_batch(self, sources, *arguments, **options):
        self.scored += len(sources)
        return self.translator.score_batch(sources, *arguments, **options)


def test_token_scores_are_computed_once_and_only_on_request(converted):
    # Scores of hypotheses cut at the largest length are computed in any case; here none is cut.
    translator = opened(converted, n_best=2, beam_size=3, max_length=100)
    translator.engine._translator = counting = Counting(translator.engine._translator)
    found = list(translator.translate(LINES, token_scores=False))
    assert (counting.searched, counting.scored) == (5, 0)
    assert [len(one) for one in found] == [2, 1, 2, 2, 2, 2]
    with_scores = list(translator.translate(LINES))
    assert (counting.searched, counting.scored) == (10, 10)
    for one, other in zip(itertools.chain(*found), itertools.chain(*with_scores), strict=True):
        assert other.text == one.text
        assert other.score == one.score
        assert one.token_scores is None or not one.tokens


def test_a_converted_model_translates_without_tensorflow_and_keras(converted):
    code = (
        "import sys; from interacting_head.commands import translate; translate.main(); "
        "assert not {'tensorflow', 'keras', 'jax'} & set(sys.modules)"
    )
    command = [sys.executable, "-c", code, "-m", str(converted), "--engine", "ctranslate2"]
    done = subprocess.run(command, cwd=ROOT, env=environment(converted), input=b"der hund\n\n", capture_output=True)
    assert (done.returncode, done.stdout.count(b"\n")) == (0, 2), done.stderr


def test_the_languages_of_a_run_on_own_text_go_with_its_export(workplace, converted):
    languages = Translator.from_run(workplace / "trained").languages
    assert languages == ("de", "en")
    assert opened(converted).languages == languages


def test_serving_a_converted_model_needs_neither_tensorflow_nor_keras(converted):
    pytest.importorskip("starlette", reason="Starlette is not installed: pip install -r requirements.txt")
    code = (
        "import sys; from interacting_head.translation.engines import load_engine; load_engine('ctranslate2'); "
        "from interacting_head.serve import server; from interacting_head.serve.service import Service; "
        "from interacting_head.serve.requests import TranslationRequest; "
        f"service = Service.from_run([{str(converted)!r}], engine='ctranslate2'); "
        "[[line]] = service.translate([TranslationRequest('der hund', 2)]); "
        "described = service.description(); "
        "assert (described['source_language'], described['target_language']) == ('de', 'en'); "
        "assert line['translations'] and described['models'][0]['attention'] == []; "
        "assert not {'tensorflow', 'keras', 'jax'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment(converted), capture_output=True)
    assert done.returncode == 0, done.stderr


def test_a_pipe_among_its_files_is_an_error_that_names_it(tmp_path):
    (tmp_path / "model.bin").write_bytes(b"")
    os.mkfifo(tmp_path / "config.json")
    with pytest.raises(InputError, match=r"config\.json is a pipe or a device, which cannot be read here"):
        Translator.from_run(tmp_path, engine="ctranslate2")
