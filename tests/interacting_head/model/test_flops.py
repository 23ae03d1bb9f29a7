"""Floating-point operations against numbers of parameters: a kernel's are two for each weight, forward."""

import pytest

from interacting_head.config import ModelConfig, from_dict
from interacting_head.model.flops import matmul_flops
from interacting_head.model.transformer import parameter_count

SIZES = {
    "model_dim": 32,
    "feed_forward_dim": 48,
    "encoder_layers": 3,
    "decoder_layers": 2,
    "memory_normalization": "top",
}


def model(**settings) -> ModelConfig:
    return from_dict({"model": {**SIZES, "attention": {"scheme": "multi_layer", "num_heads": 4}, **settings}}).model


@pytest.mark.parametrize("memory", [{"memory": "all"}, {"memory": "all", "memory_layers": 2}])
def test_each_further_memory_has_kernels_of_its_own(memory):
    one, several = model(memory="all", memory_layers=1), model(**memory)
    weights = [parameter_count(config, 50, 50, True) for config in (one, several)]
    flops = [matmul_flops(config, 50, 7, 7) for config in (one, several)]
    assert flops[1] - flops[0] == 3 * 2 * 7 * (weights[1] - weights[0])
