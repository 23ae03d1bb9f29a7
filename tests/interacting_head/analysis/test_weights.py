import numpy as np
import pytest
from matplotlib.figure import Figure

from data.errors import InputError
from interacting_head.analysis.weights import (
    LEARNT,
    OTHER,
    Weights,
    distance_from_identity,
    kernel_cosines,
    learnt_by,
    part_of_others,
    query_agreement,
    query_shares,
    schemes,
    share_sums,
    source_mass,
    source_shares,
)
from layers import ATTENTION_SCHEMES
from tests.interacting_head.analysis.stand_ins import run_of
from tests.layers.backend import array
from tests.layers.schemes import normal

D, H, K = 6, 4, 3


def test_shares_of_queries_are_by_the_loop():
    kernels = normal(D, H, K).astype("float64")
    total = sum(kernels[:, i] for i in range(H))
    length = sum(total[d, k] ** 2 for d in range(D) for k in range(K))
    expected = [sum(kernels[d, i, k] * total[d, k] for d in range(D) for k in range(K)) / length for i in range(H)]
    np.testing.assert_allclose(query_shares(kernels), expected)
    assert query_shares(kernels).sum() == pytest.approx(1)


def test_equal_kernels_have_equal_shares_and_agree():
    kernels = np.repeat(normal(D, 1, K), H, axis=1)
    np.testing.assert_allclose(query_shares(kernels), [1 / H] * H, rtol=1e-5)
    assert query_agreement(kernels) == pytest.approx(1)
    np.testing.assert_allclose(kernel_cosines(kernels), np.ones((H, H)), rtol=1e-5)


def test_orthogonal_kernels_agree_by_one_over_their_number():
    kernels = np.eye(H).reshape(H, H, 1)
    assert query_agreement(kernels) == pytest.approx(1 / H)
    np.testing.assert_allclose(kernel_cosines(kernels), np.eye(H))


def test_the_agreeing_part_of_queries_is_their_mean():
    kernels = normal(D, H, K).astype("float64")
    mean = kernels.mean(axis=1, keepdims=True)
    assert query_agreement(kernels) == pytest.approx(1 - ((kernels - mean) ** 2).sum() / (kernels**2).sum())


def test_measures_of_simple_mixing_matrices_are_exact():
    assert distance_from_identity(np.eye(H)) == part_of_others(np.eye(H)) == 0
    assert distance_from_identity(np.zeros((H, H))) == distance_from_identity(2 * np.eye(H)) == 1
    assert part_of_others(np.ones((H, H))) == pytest.approx(1 - 1 / H)


@pytest.mark.parametrize("summed", [False, True])
def test_shares_of_sources_are_by_the_loop(summed):
    n, T, V = 3, 5, 2
    heads, kernel = normal(n, H, T, V), normal(*(() if summed else (n,)), H, V, D, seed=1)
    found = source_shares(heads, kernel)
    for t in range(T):
        parts = [
            sum(heads[s, h, t, v] * (kernel if summed else kernel[s])[h, v] for h in range(H) for v in range(V))
            for s in range(n)
        ]
        norms = [np.sqrt((part**2).sum()) for part in parts]
        np.testing.assert_allclose(found[t], np.array(norms) / sum(norms), rtol=1e-5)


@pytest.mark.parametrize("scheme", schemes())
def test_every_place_of_a_scheme_has_rows_and_a_figure(scheme):
    run = run_of(scheme)
    findings = Weights().analyze([run], None)
    places = {(row["site"], row["layer"]) for row in findings.rows}
    assert places == set(learnt_by(run))
    assert {row["scheme"] for row in findings.rows} == {scheme}
    [draw] = findings.figures.values()
    figure = Figure()
    draw(figure)
    assert figure.axes


def first_decoder_layer(scheme):
    """The self-attention of the first decoder layer, and its rows in the table."""
    run = run_of(scheme)
    rows = [row for row in Weights().analyze([run], None).rows if (row["site"], row["layer"]) == ("decoder", 1)]
    return run.model.get_layer("decoder_block_1").self_attention, {row["quantity"]: row["value"] for row in rows}


def test_the_matrices_of_knocking_heads_are_compared_with_the_identity():
    layer, rows = first_decoder_layer("knocking_heads")
    kernels = {"queries": layer.query_mixing_kernel, "keys": layer.key_mixing_kernel}
    for name, kernel in {**kernels, "values": layer.value_mixing_kernel}.items():
        matrix = array(kernel).astype("float64")
        assert rows[f"distance from identity of {name}"] == pytest.approx(distance_from_identity(matrix))
        assert rows[f"part of other dimensions of {name}"] == pytest.approx(part_of_others(matrix))


def test_the_factor_of_differential_attention_is_shown():
    layer, rows = first_decoder_layer("differential")
    query_1, key_1, query_2, key_2 = (array(weight).astype("float64") for weight in layer.lambdas)
    expected = np.exp(query_1 @ key_1) - np.exp(query_2 @ key_2) + layer.lambda_init
    assert rows == {"λ": pytest.approx(expected, rel=1e-6), "λ_init": layer.lambda_init}


def test_each_kind_is_that_of_a_scheme():
    layers = [layer for scheme in schemes() for layer in run_of(scheme).model.attention_layers.values()]
    assert {kind for layer in layers for kind in layer.own_parameters()} >= set(LEARNT)


def test_a_kind_without_an_analysis_of_its_own_shows_the_values(monkeypatch):
    values = {"slope": np.array([3.0, 1.0, 8.0]), "matrix": np.eye(2)}
    monkeypatch.setattr(ATTENTION_SCHEMES["talking_heads"], "own_parameters", lambda layer: {"new": values})
    findings = Weights().analyze([run_of("talking_heads"), run_of("interacting_head", "other")], None)
    found = {row["quantity"]: row["value"] for row in findings.rows if row["run"] == "run"}
    assert found == {
        **{"mean slope": 4.0, "smallest slope": 1.0, "largest slope": 8.0},
        **{"mean matrix": 0.5, "smallest matrix": 0.0, "largest matrix": 1.0},
    }
    figure = Figure()
    findings.figures[OTHER.figure](figure)
    assert [axes.get_title() for axes in figure.axes] == ["slope", "matrix"]
    assert list(figure.axes[0].lines[0].get_ydata()) == [1, 3, 8]


def test_the_parts_of_all_sources_make_the_output():
    run = run_of("multi_layer")
    layer = run.model.get_layer("decoder_block_1").cross_attention
    _, parameters = learnt_by(run)["cross", 1]
    _, seen = next(run.inspections(run.sample(None), heads=["cross"]))
    arrays, _ = source_mass(**share_sums(parameters, seen.heads["cross", 1]))
    parts = source_shares(seen.heads["cross", 1], array(layer.output_kernel))
    np.testing.assert_allclose(arrays["mass"], parts.mean(axis=0), rtol=1e-5)


def test_a_run_with_nothing_to_show_is_noted_or_refused_when_alone():
    other = run_of("multi_head", "other")
    findings = Weights().analyze([run_of("interacting_head"), other], None)
    assert {"talking_heads", "interacting_head", "multi_layer"} < set(schemes())
    assert findings.notes == [f"other: nothing to show, no layer has the scheme {' or '.join(schemes())}"]
    with pytest.raises(InputError, match="other: nothing to show; choose a run with one of the schemes talking_heads"):
        Weights().analyze([other], None)
