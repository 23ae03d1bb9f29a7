import dataclasses
import os
import shutil

import pytest

from data.errors import InputError
from interacting_head import export
from interacting_head.export import EXTRA
from interacting_head.search.options import SearchOptions
from interacting_head.translation.engines.savedmodel import SavedModelEngine
from interacting_head.translation.translator import Translator
from tests.interacting_head.export import exports

LINES = ["ein hund", "", "  ", "die katze und der hund \u2028 ein haus", "haus " * 9]
BEAM = 3
SEARCHES = [
    {},
    {"length_penalty": 1.5, "min_length": 3, "max_length": 9, "n_best": 2},
    {"length_penalty_type": "none"},
]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    both = exports.subwords(tmp_path_factory.mktemp("subwords"), shared=False)
    return exports.trained(both, encoder_layers=1, decoder_layers=1)


@pytest.fixture(scope="module")
def version(trained, tmp_path_factory):
    folder = tmp_path_factory.mktemp("savedmodel") / "en"
    return export.convert(trained, "savedmodel", folder, beam_size=BEAM, ids_only=True)


def opened(paths, **options):
    return Translator.from_run(paths, engine="savedmodel", **options)


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: " ".join(search) or "usual")
def test_a_savedmodel_translates_as_the_translator_does(trained, version, search):
    subwords = trained.source_subwords, trained.target_subwords
    ours = Translator(trained.model, *subwords, options=SearchOptions(beam_size=BEAM, **search))
    theirs = opened(version.parent, batch_size=2, **search)
    for expected, found in zip(ours.translate(LINES), theirs.translate(LINES), strict=True):
        assert [one.text for one in found] == [one.text for one in expected]
        assert [one.tokens for one in found] == [one.tokens for one in expected]
        assert [one.score for one in found] == pytest.approx([one.score for one in expected], abs=1e-4)
        for one, other in zip(found, expected, strict=True):
            assert one.token_scores == pytest.approx(other.token_scores, abs=1e-4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beam_size": 4}, "was exported with beam_size 3, which cannot be changed to 4; export the run again"),
        ({"length_penalty_type": "average"}, "with length_penalty_type gnmt, which cannot be changed to average"),
        ({"sampling": True}, "--engine savedmodel does not support sampling"),
        ({"no_repeat_ngram": 2}, "--no-repeat-ngram needs --engine keras"),
        ({"checkpoint": "best"}, "is a SavedModel without checkpoints; leave out --checkpoint best"),
    ],
)
def test_a_savedmodel_refuses_options_that_it_lacks(version, options, message):
    with pytest.raises(InputError, match=message):
        opened([version], **options)


def test_a_savedmodel_refuses_lines_that_it_cannot_translate(version):
    translator = opened(version)
    with pytest.raises(InputError, match="--prefix needs --engine keras"):
        list(translator.translate(LINES[:1], prefixes=["a"]))
    with pytest.raises(InputError, match="--score needs --engine keras"):
        list(translator.score(LINES[:1], ["a"]))
    with pytest.raises(InputError, match="with beam_size 3, which cannot be changed to 2"):
        translator.with_options(SearchOptions(beam_size=2))
    too_long = translator.with_options(SearchOptions(beam_size=BEAM, max_length=5000))
    with pytest.raises(InputError, match=r"--engine savedmodel: max_length must be from 0 \(default\) to 4096"):
        list(too_long.translate(LINES[:1]))


def test_a_limit_of_the_run_above_the_most_is_lowered_to_it(version):
    given = {}

    def signature(**inputs):
        given.update(inputs)
        raise InputError("enough")

    fixed = dataclasses.replace(opened(version).engine._fixed, max_length=5000)
    translator = opened(version).with_engine(SavedModelEngine(signature, fixed))
    for longest, expected in ((5000, 4096), (4999, 4999), (50, 50)):
        with pytest.raises(InputError, match="enough"):
            list(translator.with_options(SearchOptions(beam_size=BEAM, max_length=longest)).translate(LINES[:1]))
        assert int(given["max_length"]) == expected


def test_a_folder_that_is_not_a_savedmodel_is_refused(version, tmp_path):
    with pytest.raises(InputError, match="supports only one model; an ensemble needs"):
        opened([version, version])
    with pytest.raises(InputError, match="is not a folder written by"):
        opened(tmp_path)
    shutil.copytree(version, tmp_path / "incomplete" / "7")
    shutil.rmtree(tmp_path / "incomplete" / "7" / EXTRA)
    with pytest.raises(InputError, match=r"incomplete/7 lacks its sub-words, assets\.extra/text"):
        opened(tmp_path / "incomplete")
    shutil.copytree(version, tmp_path / "damaged")
    (tmp_path / "damaged" / "saved_model.pb").write_bytes(b"no model")
    with pytest.raises(InputError, match=r"damaged is damaged \("):
        opened(tmp_path / "damaged")


def test_a_pipe_among_its_files_is_an_error_that_names_it(tmp_path):
    (tmp_path / "variables").mkdir()
    (tmp_path / "saved_model.pb").write_bytes(b"")
    os.mkfifo(tmp_path / "variables" / "variables.index")
    with pytest.raises(InputError, match=r"variables\.index is a pipe or a device, which cannot be read here"):
        Translator.from_run(tmp_path, engine="savedmodel")
