"""Attention of models that can be looked into, as the page shows it."""

from interacting_head.model.placement import attention_of, resolved
from interacting_head.serve.forms import SITES
from interacting_head.translation.inspection import Inspector, attention_layers


def inspector(model):
    """The `Inspector` of all that there is to see in a `Transformer`."""
    weighs_heads = any(layer.has_head_importance for layer in attention_layers(model).values())
    return Inspector(model, attention=SITES, head_importance=weighs_heads)


def places(model):
    """The description of each attention layer of a `Transformer`, for `GET /model`."""
    config = resolved(model.config)
    described = []
    for (site, number), layer in attention_layers(model).items():
        heads = [f"head {head}" for head in range(1, layer.num_heads + 1)]
        if layer.leading_axis:
            name, size = layer.leading_axis
            heads = [f"{name} {i}, {head}" for i in range(1, size + 1) for head in heads]
        described.append(
            {
                "site": site,
                "layer": number,
                "scheme": attention_of(config, site, number).scheme,
                "heads": heads,
                "head_importance": layer.has_head_importance,
            }
        )
    return described
