"""YiSi-1 with word vectors, and embedders that cannot be used."""

import gzip
import math
import os
import random
import sys

import numpy as np
import pytest

from data.errors import InputError
from interacting_head.metrics import MetricUnavailable, evaluate
from interacting_head.metrics.yisi import load_embedder
from tests.interacting_head.metrics.yisi.loops import loop_score, score

VECTORS = {
    "cat": [1.0, 0.0, 0.0],
    "feline": [0.8, 0.6, 0.0],
    "dog": [0.0, 1.0, 0.0],
    "anti": [-1.0, 0.0, 0.0],
    "sits": [0.0, 0.0, 2.0],
}


def text_file(folder, vectors=VECTORS, name="vectors.vec"):
    lines = [f"{len(vectors)} 3", *(" ".join([word, *map(str, vector)]) for word, vector in vectors.items())]
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / name


def test_the_similarity_of_two_words_is_the_cosine_of_their_vectors(tmp_path):
    embedder = text_file(tmp_path)
    assert score("yisi1", ["feline"], ["cat"], embedder=embedder) == pytest.approx(80)
    assert score("yisi1", ["dog"], ["cat"], embedder=embedder) == 0
    assert score("yisi1", ["anti"], ["cat"], embedder=embedder) == 0  # a negative cosine
    assert score("yisi1", ["anti cat"], ["cat sits"], embedder=embedder) == 0  # which is not made up for


def test_an_unknown_word_takes_the_vector_of_its_lowercase_form(tmp_path):
    embedder = text_file(tmp_path)
    assert score("yisi1", ["Feline"], ["cat"], embedder=embedder) == pytest.approx(80)
    assert score("yisi1", ["zebra"], ["Zebra"], embedder=embedder) == pytest.approx(100)
    assert score("yisi1", ["zebra"], ["cat"], embedder=embedder) == 0
    assert score("yisi1", ["Ärger"], ["ärger"], embedder=embedder) == 0  # only ASCII letters have another case


def test_all_unknown_words_have_the_vector_of_unk(tmp_path):
    embedder = text_file(tmp_path, {**VECTORS, "<unk>": [0.6, 0.8, 0]})
    assert score("yisi1", ["zebra"], ["cat"], embedder=embedder) == pytest.approx(60)


def test_yisi_1_equals_the_loops_of_its_definition(tmp_path):
    generator = random.Random(5)
    lines = [[generator.choices([*VECTORS, "new"], k=generator.randrange(1, 8)) for _ in range(12)] for _ in range(2)]
    hypotheses, references = ([" ".join(line) for line in side] for side in lines)
    result = evaluate(hypotheses, references, ["yisi1"], embedder=text_file(tmp_path))["yisi1"]
    unit = {word: np.array(vector) / np.linalg.norm(vector) for word, vector in VECTORS.items()}
    unit["new"] = np.zeros(3)
    expected = []
    for hypothesis, reference in zip(*lines, strict=True):
        matrix = [[float(r == h) or max(0, unit[r] @ unit[h]) for h in hypothesis] for r in reference]
        expected.append(100 * loop_score(matrix, reference, hypothesis, lines[1], 3, 0.8))
    np.testing.assert_allclose(result.sentence_scores, expected, rtol=1e-6)
    assert "similarity:vectors.vec|n:3|alpha:0.8" in result.signature


@pytest.mark.parametrize("line_break", [b"", b"\n"])
@pytest.mark.parametrize("compressed", [False, True])
def test_text_and_binary_files_give_the_same_vectors(tmp_path, line_break, compressed):
    content = b"5 3\n" + b"".join(
        word.encode() + b" " + np.array(vector, dtype="<f4").tobytes() + line_break for word, vector in VECTORS.items()
    )
    path = tmp_path / ("vectors.bin" + ".gz" * compressed)
    path.write_bytes(gzip.compress(content) if compressed else content)
    found = []
    for embedder in (load_embedder(path), load_embedder(text_file(tmp_path))):
        embedder.prepare(["cat feline", "Dog anti sits new"])
        found.append(np.concatenate(embedder.vectors(["cat feline", "Dog anti sits new"])))
    np.testing.assert_array_equal(*found)
    assert found[0].shape == (6, 3)
    assert np.any(found[0], axis=1).sum() == 5


def test_a_repeated_word_has_its_last_vector_and_lines_may_end_in_spaces(tmp_path):
    (tmp_path / "vectors.txt").write_text("3 2\ncat 1 0 \ncat 0 1 \ndog 1 1e0 \n")
    assert score("yisi1", ["cat"], ["dog"], embedder=tmp_path / "vectors.txt") == pytest.approx(100 / math.sqrt(2))


def test_words_of_a_second_text_are_read_later(tmp_path):
    embedder = load_embedder(text_file(tmp_path))
    assert score("yisi1", ["dog"], ["dog"], embedder=embedder) == pytest.approx(100)
    assert score("yisi1", ["feline"], ["cat"], embedder=embedder) == pytest.approx(80)


# Embedders that cannot be used

BROKEN = {
    "no_header.txt": (b"cat 1 0 0\n", "line 1 must be two whole numbers"),
    "empty.txt": (b"", "line 1 must be two whole numbers"),
    "zero.txt": (b"0 3\n", "line 1 must be two whole numbers"),
    "short.txt": (b"3 3\ncat 1 0 0\ndog 0 1 0\n", "it ends after 2 of 3 words"),
    "ragged.txt": (b"2 3\ncat 1 0 0\ndog 0 1\n", "line 3 must be a word and 3 numbers"),
    "letters.txt": (b"2 3\ncat 1 0 0\ndog 0 1 x\n", "line 3 must be a word and 3 numbers"),
    "infinite.txt": (b"2 3\ncat 1 0 0\ndog 0 1 nan\n", "the vector of word 2 is not finite"),
    "cut.bin": (b"2 3\ncat " + bytes(range(12)) + b"dog " + bytes(5), "it ends after 1 of 2 words"),
    "cut.vec.gz": (
        gzip.compress(b"2 3\ncat 1 0 0\n" + random.Random(1).randbytes(9999))[:-500],
        "truncated or damaged",
    ),
    "no.vec.gz": (b"2 3\ncat 1 0 0\n", "truncated or damaged"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_file_without_word_vectors_is_an_error_of_one_line(tmp_path, name):
    content, message = BROKEN[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(MetricUnavailable, match=f"{name} .*{message}") as caught:
        score("yisi1", ["cat dog"], ["cat dog"], embedder=tmp_path / name)
    assert "\n" not in str(caught.value)


def test_yisi_1_without_an_embedder_is_unavailable(tmp_path):
    with pytest.raises(MetricUnavailable, match=r"yisi1 needs an embedder.*--embedder"):
        score("yisi1", ["a"], ["a"])
    with pytest.raises(InputError, match=r"the embedder .*nowhere does not exist") as caught:
        score("yisi1", ["a"], ["a"], embedder=tmp_path / "nowhere")
    assert not isinstance(caught.value, MetricUnavailable)


def test_a_folder_is_not_an_embedder_without_transformers(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MetricUnavailable, match="needs the packages transformers and torch"):
        score("yisi1", ["a"], ["a"], embedder=tmp_path)


def test_a_pipe_is_refused_as_an_embedder(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(
        InputError, match="pipe is a pipe or a device, which cannot be read here; save its content to a file"
    ):
        load_embedder(tmp_path / "pipe")
