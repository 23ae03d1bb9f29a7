import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import ortho_group, pearsonr

from interacting_head.analysis.rank import HeadOutputs, map_products, mean_of_pairs, normalised

H, V = 3, 4


def sentences(lengths, *size, seed=0):
    draw = np.random.default_rng(seed)
    return [draw.normal(size=(H, length, *size)) for length in lengths]


def cka_of(*parts):
    outputs = HeadOutputs()
    for heads in parts:
        outputs.add(heads)
    return outputs.cka()


def hsic(left, right):
    """Hilbert-Schmidt independence criterion of two linear kernels, by its definition with N × N matrices."""
    N = len(left)
    centring = np.eye(N) - 1 / N
    return np.trace(left @ left.T @ centring @ right @ right.T @ centring)


def test_cka_equals_kernels_over_all_positions():
    parts = sentences((2, 5, 3), V)
    found, whole = cka_of(*parts), np.concatenate(parts, axis=1)
    for i in range(H):
        for j in range(H):
            left, right = whole[i], whole[j]
            expected = hsic(left, right) / np.sqrt(hsic(left, left) * hsic(right, right))
            assert found[i, j] == pytest.approx(expected)


def test_cka_is_one_for_rotated_scaled_and_shifted_heads():
    [heads] = sentences((9,), V)
    heads[1] = 3 * heads[0] @ ortho_group.rvs(V, random_state=0) + 7
    found = cka_of(heads)
    assert found[0, 1] == pytest.approx(1)
    assert found[0, 2] < 0.9


def test_cka_of_uncorrelated_heads_is_zero():
    wave = np.array([1.0, -1.0, 1.0, -1.0]), np.array([1.0, 1.0, -1.0, -1.0])
    found = cka_of(np.stack(wave)[..., None])
    np.testing.assert_allclose(found, np.eye(2), atol=1e-12)


def test_heads_of_several_sources_are_compared_within_each():
    left, right = sentences((6,), V), sentences((6,), V, seed=1)
    found = cka_of(np.stack([left[0], right[0]]))
    np.testing.assert_allclose(found, [cka_of(*left), cka_of(*right)])


@pytest.mark.parametrize("causal", [False, True])
def test_correlation_is_pearsons_over_rows_less_their_means(causal):
    products, rows = 0.0, [[] for _ in range(H)]
    for length, logits in zip((3, 5), (sentences((3,), 3), sentences((5,), 5)), strict=True):
        logits = logits[0]
        if causal:
            logits = np.where(np.tri(length) > 0, logits, -np.inf)
        weights = softmax(logits, axis=-1)
        products = products + map_products(weights, causal)
        for head in range(H):
            for t in range(length):
                attended = [weights[head, t, s] for s in range(t + 1 if causal else length)]
                rows[head] += [weight - sum(attended) / len(attended) for weight in attended]
    found = normalised(products)
    for i in range(H):
        for j in range(H):
            assert found[i, j] == pytest.approx(pearsonr(rows[i], rows[j]).statistic)


def test_cka_is_independent_of_the_scale_of_a_head():
    X = np.random.default_rng(0).normal(size=(50, V))
    found = cka_of(np.stack([X, 5e-4 * X, np.ones_like(X)]))
    np.testing.assert_allclose(found[:2, :2], np.ones((2, 2)), rtol=1e-9)
    assert np.isnan(found[2]).all()


def test_heads_with_opposite_maps_have_correlation_minus_one():
    identity = np.eye(2)
    products = map_products(np.stack([identity, identity, identity[::-1]]))
    np.testing.assert_allclose(normalised(products), [[1, 1, -1], [1, 1, -1], [-1, -1, 1]])


def test_a_head_with_uniform_attention_has_no_correlation():
    found = normalised(map_products(np.stack([np.eye(4), np.full((4, 4), 0.25), np.eye(4)])))
    assert np.isnan(found[1]).all()
    assert mean_of_pairs(found) == pytest.approx(1)


def test_the_mean_is_over_pairs_of_different_heads():
    matrix = np.array([[1, 0.2, 0.4], [0.2, 1, 0.6], [0.4, 0.6, 1]])
    assert mean_of_pairs(matrix) == pytest.approx(0.4)
    assert mean_of_pairs(np.stack([matrix, matrix / 2])) == pytest.approx(0.3)
    assert mean_of_pairs(np.ones((1, 1))) is None
    assert mean_of_pairs(np.full((2, 2), np.nan)) is None
