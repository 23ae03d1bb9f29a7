"""SavedModels of every scheme, loaded in a process without this project."""

import functools

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

from data.errors import InputError
from data.text.subwords import END, PAD
from interacting_head import export
from interacting_head.search.constraints import Limits
from interacting_head.search.options import IMPOSSIBLE, SearchOptions, length_limit
from interacting_head.search.transformer_search import TransformerSearch
from layers import ATTENTION_SCHEMES
from tests.interacting_head.export import exports

MODELS = {
    **{scheme: {"scheme": scheme, "decoder_layers": 1} for scheme in ATTENTION_SCHEMES},
    **{memory: {"memory": memory, "normalization": "pre"} for memory in ("linear", "transparent", "iterative")},
    "several schemes": {**exports.MIXED, "tied_output": False},
}
SEARCHES = {
    "usual": {},
    "other": {"length_penalty": 1.3, "n_best": 3, "min_length": 4, "max_length": 25},
}
BEAM = 3

RUN = """
import importlib.util, json, sys
assert importlib.util.find_spec("interacting_head") is None
import tensorflow as tf
request = json.load(sys.stdin)
answers = {}
search = tf.saved_model.load(request["model"]).signatures["translate_ids"]
for title, given in request["searches"].items():
    given = {key: tf.constant(value) for key, value in given.items()}
    found = search(source_ids=tf.constant(request["source_ids"]), **given)
    answers[title] = {key: value.numpy().tolist() for key, value in found.items()}
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def source_ids():
    sources, _ = exports.pairs(count=5)
    return exports.padded([[*source, END] for source in [*sources, [7] * 18, []]])


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A function from a name to its `TrainedModel` and the folder where it has been exported."""
    folder = tmp_path_factory.mktemp("savedmodel")
    both = exports.subwords(folder)

    @functools.cache
    def model(name):
        trained = exports.trained(both, **MODELS[name])
        export.convert(trained, "savedmodel", folder / name, beam_size=BEAM, ids_only=True)
        return trained, folder / name / "1"

    return model


@pytest.fixture(scope="module")
def answers(model, source_ids, tmp_path_factory):
    """A function from the name of a model to what its graph finds in each search."""
    usual = {"length_penalty": 0.6, "n_best": 1, "min_length": 0, "max_length": 0}
    searches = {name: {**usual, **search} for name, search in SEARCHES.items()}

    @functools.cache
    def answers(name):
        request = {"model": str(model(name)[1]), "source_ids": source_ids.tolist(), "searches": searches}
        return exports.elsewhere(RUN, request, tmp_path_factory.mktemp("elsewhere"))

    return answers


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.slow
def test_the_graph_finds_what_the_search_finds(model, answers, source_ids, name, search):
    options = SearchOptions(beam_size=BEAM, **SEARCHES[search])
    longest = length_limit((source_ids != PAD).sum(axis=1)) - 1 if options.max_length is None else options.max_length
    max_lengths = np.broadcast_to(np.maximum(longest, options.min_length or 0) + 1, len(source_ids)).astype("int32")
    limits = Limits(max_lengths=max_lengths)
    if options.min_length is not None:
        limits["min_lengths"] = np.full(len(source_ids), options.min_length, "int32")
    ours = TransformerSearch(model(name)[0].model, options)(source_ids, limits)
    theirs = {key: np.array(value) for key, value in answers(name)[search].items()}
    length = theirs["ids"].shape[2]
    for row in range(len(source_ids) - 1):
        for rank in range(options.n_best):
            assert theirs["scores"][row, rank] == pytest.approx(float(ours.scores[row, rank]), abs=1e-4)
            assert theirs["ids"][row, rank].tolist() == ours.ids[row, rank, :length].tolist()
            np.testing.assert_allclose(
                theirs["token_scores"][row, rank], ours.token_scores[row, rank, :length], atol=1e-4
            )
    assert not np.any(ours.ids[:-1, : options.n_best, length:])
    # The last source is empty.
    assert theirs["scores"][-1, 0] == 0
    assert theirs["ids"][-1, 0].tolist() == [END, *[PAD] * (length - 1)]
    assert np.all(theirs["scores"][-1, 1:] < IMPOSSIBLE)


def test_senseless_inputs_are_refused_with_a_message(model, source_ids):
    search = tf.saved_model.load(str(model("interacting_head")[1])).signatures["translate_ids"]
    usual = {"length_penalty": 0.6, "n_best": 1, "min_length": 0, "max_length": 0, "source_ids": source_ids}
    for wrong, message in (
        ({"n_best": BEAM + 1}, "n_best must be from 1 to 3"),
        ({"n_best": 0}, "n_best must be from 1 to 3"),
        ({"length_penalty": -1.0}, "length_penalty must be a number from 0 to 7"),
        ({"length_penalty": float("nan")}, "length_penalty must be a number from 0 to 7"),
        ({"length_penalty": 7.5}, "length_penalty must be a number from 0 to 7"),
        ({"max_length": 10**6}, "max_length must be from 0"),
        ({"max_length": 3, "min_length": 4}, "min_length must be from 0 to max_length"),
        ({"source_ids": np.array([[5, 6, 7]])}, "each row of source_ids must end with 3"),
        ({"source_ids": np.array([[5, PAD, 6, END]])}, "each row of source_ids must end with 3"),
        ({"source_ids": np.array([[5, -1, END]])}, "source_ids must be from 0 to 279: the source vocabulary has 280"),
        ({"source_ids": np.array([[5, 280, END]])}, "source_ids must be from 0 to 279: the source vocabulary has 280"),
        ({"source_ids": np.full((1, 5000), END)}, "at most 4095 sub-words"),
    ):
        given = {**usual, **wrong}
        given["source_ids"] = given["source_ids"].astype("int32")
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            search(**{name: tf.constant(value) for name, value in given.items()})


def test_the_signature_has_the_defaults_of_the_run(model, source_ids):
    """As clients see it that know defaults, such as TensorFlow Serving's gRPC clients."""
    _, folder = model("interacting_head")
    parsed = saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes())
    signature = parsed.meta_graphs[0].signature_def["translate_ids"]
    defaults = {name: tf.make_ndarray(value).item() for name, value in signature.defaults.items()}
    assert defaults == {"length_penalty": pytest.approx(0.6), "min_length": 0, "max_length": 0, "n_best": 1}
    default = parsed.meta_graphs[0].signature_def["serving_default"]
    assert list(default.inputs) == ["source_ids"]
    loaded = tf.saved_model.load(str(folder)).signatures
    found = loaded["serving_default"](source_ids=tf.constant(source_ids))
    assert found["ids"].shape[:2] == (len(source_ids), 1)


def test_versions_are_numbered_and_other_files_are_refused(tmp_path, model):
    trained, _ = model("interacting_head")
    folder = tmp_path / "models" / "en"
    written = [export.convert(trained, "savedmodel", folder, ids_only=True) for _ in range(2)]
    assert [path.relative_to(folder).as_posix() for path in written] == ["1", "2"]
    (folder / "notes.txt").write_text("kept")
    with pytest.raises(InputError, match=r"holds notes\.txt, which is not a version of a model"):
        export.convert(trained, "savedmodel", folder, ids_only=True)
    assert {path.name for path in folder.iterdir()} == {"1", "2", "notes.txt"}


def test_a_failed_export_leaves_nothing(tmp_path, model, monkeypatch):
    trained, _ = model("interacting_head")

    def fail(*_):
        raise OSError("no room")

    monkeypatch.setattr(type(trained), "write_text_files", fail)
    with pytest.raises(OSError, match="no room"):
        export.convert(trained, "savedmodel", tmp_path / "out", ids_only=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("size", "message"), [(0, "a whole number of at least 1"), (101, "at most 100, got 101")])
def test_an_impossible_beam_size_is_refused(tmp_path, model, size, message):
    with pytest.raises(InputError, match=f"beam_size must be {message}"):
        export.convert(model("interacting_head")[0], "savedmodel", tmp_path / "out", beam_size=size, ids_only=True)
    assert not list(tmp_path.iterdir())
