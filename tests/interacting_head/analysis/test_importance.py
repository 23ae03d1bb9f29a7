import functools
import math

import numpy as np
import pytest

from interacting_head.analysis.figures import save_figure
from interacting_head.analysis.importance import (
    ImportanceSums,
    draw_entropies,
    draw_means,
    draw_parts,
    draw_sentence,
    parts_of,
    rows_of,
)

DRAW = np.random.default_rng(2)


def importance(length, heads=3):
    shares = DRAW.random((length, heads))
    return shares / shares.sum(-1, keepdims=True)


def statistics(sentences, parts=3):
    sums = ImportanceSums(sentences[0].shape[-1], parts)
    for sentence in sentences:
        sums.add(sentence)
    return sums.statistics()


def test_statistics_equal_loops_over_positions():
    sentences = [importance(7), importance(1), importance(4)]
    found = statistics(sentences)
    by_part, entropies, positions = {0: [], 1: [], 2: []}, [], []
    for sentence in sentences:
        for t, shares in enumerate(sentence):
            by_part[math.floor(3 * t / len(sentence))].append(shares)
            entropies.append(-sum(share * math.log(share) for share in shares))
            positions.append(shares)
    np.testing.assert_allclose(found["mean"], np.mean(positions, axis=0))
    np.testing.assert_allclose(found["deviation"], np.std(positions, axis=0))
    np.testing.assert_allclose(found["parts"], [np.mean(shares, axis=0) for shares in by_part.values()])
    assert found["entropy"] == pytest.approx(np.mean(entropies))
    counts, _ = np.histogram(np.array(entropies) / math.log(3), len(found["histogram"]), (0, 1))
    np.testing.assert_array_equal(found["histogram"], counts)


def test_uniform_importance_has_entropy_log_h_and_a_single_head_0():
    uniform, single = statistics([np.full((5, 4), 0.25)]), statistics([np.eye(4)[[2] * 5]])
    assert uniform["entropy"] == pytest.approx(math.log(4))
    assert uniform["histogram"][-1] == single["histogram"][0] == 5
    assert single["entropy"] == 0
    np.testing.assert_allclose(uniform["deviation"], 0, atol=1e-7)


def test_parts_of_a_sentence_are_equal_as_far_as_its_length_allows():
    assert parts_of(6, 3).tolist() == [0, 0, 1, 1, 2, 2]
    assert parts_of(2, 3).tolist() == [0, 1]
    assert np.isnan(statistics([importance(1)])["parts"][1:]).all()


def test_one_head_has_no_entropy():
    assert statistics([np.ones((3, 1))])["entropy"] == 0


def test_rows_are_of_heads_and_of_layers_with_the_same_columns():
    rows = rows_of("run", {("encoder", 2): statistics([importance(4)])})
    assert [row["head"] for row in rows] == ["1", "2", "3", "all"]
    assert len({tuple(row) for row in rows}) == 1
    assert rows[-1]["log H"] == pytest.approx(math.log(3))
    assert sum(row["mean"] for row in rows[:3]) == pytest.approx(1)


def test_figures_of_runs_with_different_places_can_be_drawn(tmp_path):
    one, other = statistics([importance(4)]), statistics([importance(5, 8)])
    found = {"one": {("encoder", 2): one, ("cross", 2): one}, "other": {("encoder", 1): other}}
    layers = [{"site": "cross", "layer": 2, "tokens": ["▁a$", "▁b$", "</s>"], "importance": importance(3)}]
    for name, draw in {
        "means": functools.partial(draw_means, found),
        "entropies": functools.partial(draw_entropies, found),
        "parts": functools.partial(draw_parts, found),
        "sentence": functools.partial(draw_sentence, {"one": {"layers": layers}}),
    }.items():
        save_figure(draw, tmp_path / name)
        assert (tmp_path / f"{name}.png").stat().st_size > 1000
