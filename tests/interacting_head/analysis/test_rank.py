from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.figure import Figure

from data.errors import InputError
from interacting_head.analysis.rank import PlaceRanks, Rank, draw_bounds, numerical_rank, stable_rank
from interacting_head.config import PlacedAttentionConfig, PlacementConfig
from layers import ATTENTION_SCHEMES
from tests.interacting_head.analysis.stand_ins import run_of
from tests.parameters import mostly_slow


def singular_values(matrix):
    return np.linalg.svd(matrix, compute_uv=False)


@pytest.mark.parametrize("size", [(6, 9), (9, 6), (1, 4)])
@pytest.mark.parametrize("inner", [1, 3, 20])
def test_logits_have_the_rank_of_the_head_size_or_of_the_sentence(size, inner):
    draw = np.random.default_rng(0)
    q, k = draw.normal(size=(5, size[0], inner)), draw.normal(size=(5, size[1], inner))
    logits = (q @ k.swapaxes(-1, -2)).astype("float32")
    found = numerical_rank(singular_values(logits), size)
    np.testing.assert_array_equal(found, [min(inner, *size)] * 5)
    np.testing.assert_array_equal(found, [np.linalg.matrix_rank(one) for one in logits])


def test_singular_values_above_the_tolerance_count():
    values = np.array([4.0, 2.0, 0.1, 0.0])
    assert [numerical_rank(values, (4, 4), tolerance) for tolerance in (0.6, 0.4, 0.01, 0.0)] == [1, 2, 3, 3]


def test_stable_rank_is_the_sum_of_squares_over_the_largest():
    draw = np.random.default_rng(1)
    for matrix in draw.normal(size=(3, 5, 7)):
        entries = sum(entry**2 for row in matrix for entry in row)
        largest = max(np.linalg.eigvalsh(matrix @ matrix.T))
        assert stable_rank(singular_values(matrix)) == pytest.approx(entries / largest)


def test_ranks_of_identity_and_uniform_weights_are_exact():
    identity, uniform = np.eye(5), np.full((5, 5), 0.2)
    assert stable_rank(singular_values(identity)) == pytest.approx(5)
    assert numerical_rank(singular_values(identity), (5, 5)) == 5
    assert stable_rank(singular_values(uniform)) == pytest.approx(1)
    assert numerical_rank(singular_values(uniform), (5, 5)) == 1
    assert stable_rank(np.zeros(3)) == numerical_rank(np.zeros(3), (3, 3)) == 0


def test_ranks_of_a_place_are_means_over_sentences_and_heads():
    draw, H, V = np.random.default_rng(2), 3, 2
    ranks, expected, stable = PlaceRanks(), [], []
    for T, S in ((4, 6), (5, 3)):
        logits, heads = draw.normal(size=(H, T, 2)) @ draw.normal(size=(H, 2, S)), draw.normal(size=(H, T, V))
        weights = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
        ranks.add(logits.astype("float32"), weights.astype("float32"), heads)
        expected += [np.linalg.matrix_rank(one) for one in logits]
        stable += [(np.linalg.norm(one) / np.linalg.norm(one, 2)) ** 2 for one in weights]
    row = ranks.row()
    assert row["logits_rank"] == np.mean(expected) == 2
    assert row["attention_stable_rank"] == pytest.approx(np.mean(stable), rel=1e-5)
    assert row["largest_rank"] == 3.5
    assert ranks.by_head()["attention_rank"].shape == (H,)
    assert ranks.by_head()["output_cka"].shape == (H, H)


@pytest.mark.parametrize("scheme", mostly_slow(ATTENTION_SCHEMES, "interacting_head"))
def test_every_scheme_has_ranks_at_every_place_and_figures(scheme):
    run = run_of(scheme)
    findings = Rank().analyze([run], SimpleNamespace(tolerance=None))
    assert [(row["site"], row["layer"]) for row in findings.rows] == list(run.model.attention_layers)
    assert all(1 <= row["logits_rank"] <= row["largest_rank"] for row in findings.rows)
    assert findings.notes == ["run: h_max = 2 (d = 8, n̄ = 3), from 2 sentences of made up"]
    for draw in findings.figures.values():
        figure = Figure()
        draw(figure)
        assert figure.axes


def test_the_logits_of_many_heads_have_the_rank_of_their_size():
    for num_heads, size in ((4, 2), (8, 1)):
        rows = Rank().analyze([run_of("multi_head", num_heads=num_heads)], SimpleNamespace(tolerance=None)).rows
        assert {row["logits_rank"] for row in rows} == {size}


def test_layers_of_several_schemes_have_lines_of_their_own():
    placed = PlacementConfig("encoder", (1, 2), PlacedAttentionConfig("interacting_head", 2, 4, 4))
    findings = Rank().analyze([run_of("multi_head", placements=(placed,))], SimpleNamespace(tolerance=None))
    figure = Figure()
    findings.figures["rank"](figure)
    schemes = {"multi_head", "interacting_head"}
    encoder, *others = [[line for line in axes.lines if line.get_label() in schemes] for axes in figure.axes[:3]]
    assert [line.get_label() for line in encoder if len(line.get_xdata())] == ["interacting_head"]
    for lines in others:
        assert [line.get_label() for line in lines if len(line.get_xdata())] == ["multi_head"]


def test_head_sizes_that_differ_between_runs_are_marked_without_a_line():
    axis, rows = Figure().subplots(), [{"num_heads": 16, "key_dim": size, "largest_rank": 20} for size in (16, 64)]
    draw_bounds(axis, rows, "logits_rank")
    sizes = axis.lines[-1]
    assert sizes.get_xydata().tolist() == [[16, 16], [16, 64]]
    assert sizes.get_linewidth() == 0


def test_a_single_head_has_no_pairs():
    findings = Rank().analyze([run_of("multi_head", num_heads=1)], SimpleNamespace(tolerance=None))
    assert {row["map_correlation"] for row in findings.rows} == {None}
    for draw in findings.figures.values():
        draw(Figure())


def test_a_tolerance_out_of_range_is_refused():
    with pytest.raises(InputError, match=r"--tolerance must be at least 0 and below 1, got 1.5"):
        Rank().check(SimpleNamespace(tolerance=1.5))
