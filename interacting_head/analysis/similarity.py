"""Similarity between heads: linear CKA of their outputs, correlation of their attention maps.

Letters for shapes: `H` heads, `T` query length, `S` memory length, `V` value size.
"""

import numpy as np

POSITIONS = 1024  # whose outputs are held before they are multiplied: one product for many sentences
SMALLEST = 1e-12
"""Relative variance below which a head counts as constant."""


class HeadOutputs:
    """Covariance of the outputs of all heads over positions, and their linear centred kernel alignment (CKA).

    With the outputs X_i `(N, V)` of head i at N positions, each column less its mean:

        CKA(i, j) = ‖X_iᵀ X_j‖² / (‖X_iᵀ X_i‖ ‖X_jᵀ X_j‖)    in Frobenius norms

    It is 1 where X_i and X_j are equal up to rotation and scale, 0 where their components are uncorrelated
    (Kornblith et al. 2019, equations (3) and (5), section 3). RAM is (H · V)² numbers, whatever N.
    """

    def __init__(self):
        self._held, self._positions, self._sum, self._products = [], 0, 0.0, 0.0

    def add(self, heads: np.ndarray):
        """Add the outputs `(…, H, T, V)` of a sentence; heads with other indices in front are not compared."""
        outputs = np.swapaxes(np.asarray(heads, "float64"), -3, -2)  # (…, T, H, V)
        self._sizes = outputs.shape[-2:]
        self._held.append(outputs.reshape(*outputs.shape[:-2], -1))  # (…, T, H·V)
        if sum(one.shape[-2] for one in self._held) >= POSITIONS:
            self._multiply()

    def _multiply(self):
        if self._held:
            outputs = np.concatenate(self._held, axis=-2)
            self._held = []
            self._positions += outputs.shape[-2]
            self._sum = self._sum + outputs.sum(axis=-2)
            self._products = self._products + np.swapaxes(outputs, -1, -2) @ outputs

    def cka(self) -> np.ndarray:
        """Return CKA `(…, H, H)` of all pairs of heads; NaN for heads whose outputs do not vary."""
        self._multiply()
        H, V = self._sizes
        mean = self._sum / self._positions
        covariance = self._products / self._positions - mean[..., :, None] * mean[..., None, :]
        blocks = covariance.reshape(*covariance.shape[:-2], H, V, H, V)
        return normalised((blocks**2).sum(axis=(-3, -1)))  # ‖X_iᵀ X_j‖²: (…, H, H)


class AttentionMaps:
    """Pearson correlation of the attention weights of all pairs of heads.

    Each row is centred on its mean over the positions that it may attend to:

        r(i, j) = Σ a_i a_j / √(Σ a_i² · Σ a_j²),    a_i[t, s] = A_i[t, s] − mean over s of A_i[t, ·]

    over all rows of all sentences. Without the centring any two heads would be alike: in long sentences both have
    small weights.
    """

    def __init__(self):
        self._products = 0.0

    def add(self, weights: np.ndarray, causal: bool = False):
        """Add the weights `(…, H, T, S)` of a sentence; with `causal`, positions attend to those up to them only."""
        rows = centred(np.asarray(weights, "float64"), causal)
        rows = rows.reshape(*rows.shape[:-2], -1)  # (…, H, T·S)
        self._products = self._products + rows @ np.swapaxes(rows, -1, -2)

    def correlation(self) -> np.ndarray:
        """Return r `(…, H, H)`; NaN for heads that attend to all positions alike, always."""
        return normalised(self._products)


def centred(weights: np.ndarray, causal: bool) -> np.ndarray:
    """Return weights `(…, T, S)` less the mean of their row over the positions that it may attend to, 0 elsewhere."""
    T, S = weights.shape[-2:]
    allowed = np.tri(T, S) if causal else np.ones((T, S))
    mean = (weights * allowed).sum(axis=-1, keepdims=True) / allowed.sum(axis=-1, keepdims=True)
    return (weights - mean) * allowed


def normalised(products: np.ndarray) -> np.ndarray:
    """Return products `(…, H, H)` over the roots of each head's product with itself; NaN where that is zero."""
    own = np.diagonal(products, axis1=-2, axis2=-1)  # (…, H)
    varies = own > SMALLEST * max(own.max(), np.finfo("float64").tiny)
    norms = np.sqrt(np.where(varies, own, np.nan))
    return products / (norms[..., :, None] * norms[..., None, :])


def mean_of_pairs(matrix: np.ndarray) -> float | None:
    """Return the mean over all pairs of different heads of `(…, H, H)`; None where there is no pair with a number."""
    H = matrix.shape[-1]
    pairs = matrix[..., *np.triu_indices(H, 1)]
    pairs = pairs[~np.isnan(pairs)]
    return float(pairs.mean()) if pairs.size else None
