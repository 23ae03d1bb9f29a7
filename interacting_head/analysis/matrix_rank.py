"""Rank of matrices, from their singular values."""

import numpy as np


def numerical_rank(singular_values, size, tolerance=None):
    """Return the number of singular values that are not zero beside the largest one.

        rank(M) = #{k: σ_k > tolerance · σ_1}

    Args:
        singular_values: `(…, min(T, S))` of matrices `(…, T, S)`, in falling order.
        size: `(T, S)`.
        tolerance: default: max(T, S) · ε with ε of float32, in which attention is computed (the rule of
            `numpy.linalg.matrix_rank` and of MATLAB).

    Returns:
        Whole numbers `(…)`.
    """
    if tolerance is None:
        tolerance = max(size) * float(np.finfo("float32").eps)
    return (singular_values > tolerance * singular_values[..., :1]).sum(axis=-1)


def stable_rank(singular_values):
    """Return ‖M‖_F² / ‖M‖₂² = Σ_k σ_k² / σ_1² of matrices with these singular values `(…, n)`; 0 of a zero matrix.

    It is at most the rank, and changes little where entries do (Rudelson & Vershynin 2007, section 1).
    """
    squares = np.asarray(singular_values, "float64") ** 2
    largest = squares[..., 0]
    return np.where(largest > 0, squares.sum(axis=-1) / np.where(largest > 0, largest, 1.0), 0.0)
