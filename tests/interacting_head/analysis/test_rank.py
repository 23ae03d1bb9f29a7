import numpy as np
import pytest

from interacting_head.analysis.rank import numerical_rank, stable_rank


def singular_values(matrix):
    return np.linalg.svd(matrix, compute_uv=False)


@pytest.mark.parametrize("size", [(6, 9), (9, 6), (1, 4)])
@pytest.mark.parametrize("inner", [1, 3, 20])
def test_a_product_of_queries_and_keys_has_the_rank_of_the_head_size_or_of_the_sentence(size, inner):
    draw = np.random.default_rng(0)
    q, k = draw.normal(size=(5, size[0], inner)), draw.normal(size=(5, size[1], inner))
    logits = (q @ k.swapaxes(-1, -2)).astype("float32")
    found = numerical_rank(singular_values(logits), size)
    np.testing.assert_array_equal(found, [min(inner, *size)] * 5)
    np.testing.assert_array_equal(found, [np.linalg.matrix_rank(one) for one in logits])


def test_a_tolerance_counts_what_is_above_it():
    values = np.array([4.0, 2.0, 0.1, 0.0])
    assert [numerical_rank(values, (4, 4), tolerance) for tolerance in (0.6, 0.4, 0.01, 0.0)] == [1, 2, 3, 3]


def test_stable_rank_is_the_sum_of_squares_over_the_largest():
    draw = np.random.default_rng(1)
    for matrix in draw.normal(size=(3, 5, 7)):
        entries = sum(entry**2 for row in matrix for entry in row)
        largest = max(np.linalg.eigvalsh(matrix @ matrix.T))
        assert stable_rank(singular_values(matrix)) == pytest.approx(entries / largest)


def test_ranks_of_closed_forms():
    identity, uniform = np.eye(5), np.full((5, 5), 0.2)
    assert stable_rank(singular_values(identity)) == pytest.approx(5)
    assert numerical_rank(singular_values(identity), (5, 5)) == 5
    assert stable_rank(singular_values(uniform)) == pytest.approx(1)
    assert numerical_rank(singular_values(uniform), (5, 5)) == 1
    assert stable_rank(np.zeros(3)) == numerical_rank(np.zeros(3), (3, 3)) == 0
