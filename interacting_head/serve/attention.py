"""Attention of models for the web page."""

import numpy as np

from interacting_head.analysis.attention import attention_distance, attention_entropy
from interacting_head.config import SITES
from interacting_head.model.placement import attention_of, resolved
from interacting_head.model.transformer import Transformer
from interacting_head.translation.inspection import Inspector, weighs_heads
from interacting_head.translation.word_alignment import distributions


def inspector(model: Transformer) -> Inspector:
    """Return the `Inspector` of all attention and, if there is any, head importance of a `Transformer`."""
    return Inspector(model, attention=SITES, head_importance=weighs_heads(model))


def places(model: Transformer) -> list[dict]:
    """Describe each attention layer of a `Transformer`, for `GET /model`."""
    config = resolved(model.config)
    return [
        {
            "site": site,
            "layer": number,
            "scheme": attention_of(config, site, number).scheme,
            "heads": layer.head_names,
            "head_importance": layer.has_head_importance,
        }
        for (site, number), layer in model.attention_layers.items()
    ]


def measures(heads: np.ndarray) -> dict:
    """Return the mean distance (positions) and mean entropy (nats) of heads with weights `(H, T, S)`."""
    shares = distributions(heads)
    return {
        "distance": attention_distance(shares).round(6).tolist(),
        "entropy": attention_entropy(shares).mean(-1).round(6).tolist(),
    }
