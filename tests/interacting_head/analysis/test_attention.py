import functools
import math

import numpy as np
import pytest

from interacting_head.analysis.attention import (
    attention_distance,
    attention_entropy,
    distance_sums,
    distributions,
    draw_heads,
    draw_layers,
    means,
    sentence_sums,
)
from interacting_head.analysis.base import add_up
from interacting_head.analysis.figures import save_figure

both = pytest.mark.parametrize("as_printed", [False, True])
DRAW = np.random.default_rng(1)


def weights(*shape):
    return distributions(DRAW.random(shape) ** 3)


def distance_loops(sentences, head, as_printed):
    """Equation (13), position by position."""
    numerator = denominator = 0.0
    for w in sentences:
        _, T, S = w.shape
        for i in range(1, T + 1):
            for j in range(1, (min(i, S) if as_printed else S) + 1):
                numerator += w[head, i - 1, j - 1] * abs(i - j)
                denominator += w[head, i - 1, j - 1]
    return numerator / denominator


def entropy_loops(w, head, i, as_printed):
    """Equation (15), position by position."""
    total = 0.0
    for j in range(1, (min(i, w.shape[2]) if as_printed else w.shape[2]) + 1):
        total -= w[head, i - 1, j - 1] * math.log(w[head, i - 1, j - 1])
    return total


@both
def test_means_over_sentences_equal_loops_over_positions(as_printed):
    sentences = [weights(2, 4, 4), weights(2, 1, 1), weights(2, 3, 6), weights(2, 6, 3)]
    sums, suffix = {}, "_as_printed" * as_printed
    for one in sentences:
        add_up(sums, sentence_sums(one))
    found = means(sums)
    for head in range(2):
        assert found[f"distance{suffix}"][head] == pytest.approx(distance_loops(sentences, head, as_printed))
        entropies = [entropy_loops(w, head, i, as_printed) for w in sentences for i in range(1, w.shape[1] + 1)]
        assert found[f"entropy{suffix}"][head] == pytest.approx(np.mean(entropies))


@both
def test_identity_attention_has_distance_0_and_entropy_0(as_printed):
    identity = np.eye(5)[np.newaxis]
    assert attention_distance(identity, as_printed) == 0
    assert not attention_entropy(identity, as_printed).any()


@pytest.mark.parametrize("n", [1, 2, 7])
def test_uniform_attention_has_entropy_log_n_and_a_square_s_mean_distance(n):
    uniform = np.full((3, n, n), 1 / n)
    np.testing.assert_allclose(attention_entropy(uniform), math.log(n), atol=1e-12)
    np.testing.assert_allclose(attention_distance(uniform), (n * n - 1) / (3 * n))
    np.testing.assert_allclose(
        attention_entropy(uniform, as_printed=True), [[i / n * math.log(n) for i in range(1, n + 1)]] * 3, atol=1e-12
    )


def test_printed_sums_miss_attention_to_the_next_position():
    before, behind = np.eye(6, k=-1), np.eye(6, k=1)
    assert attention_distance(before) == attention_distance(before, as_printed=True) == 1
    assert attention_distance(behind) == 1
    assert attention_distance(behind, as_printed=True) == 0


def test_both_sums_agree_where_attention_is_causal():
    causal = distributions(np.tril(weights(2, 5, 5)))
    np.testing.assert_allclose(distance_sums(causal), distance_sums(causal, as_printed=True))
    np.testing.assert_allclose(attention_entropy(causal), attention_entropy(causal, as_printed=True))


def test_softmax_weights_stay_and_mixed_heads_become_distributions():
    softmax = weights(2, 3, 4)
    np.testing.assert_allclose(distributions(softmax), softmax)
    mixed = np.array([[0.5, -0.25, 0.25], [0.0, 0.0, 0.0]])
    np.testing.assert_allclose(distributions(mixed), [[0.5, 0.25, 0.25], [0, 0, 0]])
    assert np.isfinite(attention_entropy(distributions(mixed))).all()


def test_a_further_axis_is_counted_as_heads():
    one = weights(3, 2, 4, 4)
    np.testing.assert_allclose(means(sentence_sums(one))["distance"], attention_distance(one).reshape(-1))


def test_figures_of_runs_with_different_heads_and_layers_can_be_drawn(tmp_path):
    def place(heads):
        keys = [f"{name}{suffix}" for name in ("distance", "entropy") for suffix in ("", "_as_printed")]
        return {key: np.linspace(0, 3, heads) for key in keys}

    found = {
        "one": {("encoder", 1): place(2), ("cross", 1): place(2)},
        "other": {("encoder", 1): place(8), ("encoder", 2): place(40), ("cross", 1): place(8)},
    }
    save_figure(functools.partial(draw_heads, found, "encoder", "entropy", ""), tmp_path / "heads")
    save_figure(functools.partial(draw_layers, found, ["encoder", "cross"], "_as_printed"), tmp_path / "layers")
    assert {path.name for path in tmp_path.iterdir()} == {"heads.png", "heads.svg", "layers.png", "layers.svg"}
