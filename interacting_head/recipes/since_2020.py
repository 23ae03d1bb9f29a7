"""Schemes since 2020 that are not in the four papers: siblings of `multi30k_de_en` with another attention.

Compare them with `multi30k_de_en --set model.attention.scheme=multi_head`. The other settings are as in
`multi30k_de_en`, whose learning rate was chosen for interacting heads: tune it for each scheme before you compare
scores (`interacting-head tune`).
"""

from dataclasses import replace

from interacting_head.config import AttentionConfig, ExperimentConfig
from interacting_head.recipes.own import multi30k_de_en
from interacting_head.recipes.registry import recipe

not_measured = recipe("–", "sacreBLEU (13a, cased) of untokenised text, on test_2016_flickr")


@not_measured
def multi30k_de_en_knocking_heads() -> ExperimentConfig:
    """Knocking heads, linear, on Multi30k DE-EN: Zhou et al. 2025, "Knocking-Heads Attention", arXiv:2510.23052.

    Queries, keys and values are multiplied by matrices that all heads share, which start as the identity: 27,648
    parameters more than multi-head attention. The paper trains decoder-only language models; here all three attentions
    of the Transformer have the scheme.
    """
    return with_attention("knocking_heads")


@not_measured
def multi30k_de_en_knocking_heads_mlp() -> ExperimentConfig:
    """Knocking heads with an MLP of values, on Multi30k DE-EN: Zhou et al. 2025, arXiv:2510.23052, equation (9).

    A gated MLP that all heads share maps the values, and starts as the identity; queries and keys are not mixed. This
    is the paper's combination. It has 27,648 parameters more than multi-head attention. The scheme is in all three
    attentions, as in `multi30k_de_en_knocking_heads`.
    """
    return with_attention("knocking_heads", value_mixing="mlp", mix_query=False, mix_key=False)


@not_measured
def multi30k_de_en_collaborative_heads() -> ExperimentConfig:
    """Collaborative heads on Multi30k DE-EN: Cordonnier et al. 2020, arXiv:2006.16362.

    "Multi-Head Attention: Collaborate Instead of Concatenate". All heads share the 128 dimensions of queries and keys,
    and each weighs them in its own way: 4,608 parameters more than multi-head attention. All dimensions are kept, so
    that the layer starts as multi-head attention. `--set model.attention.key_dim=8` keeps a quarter of them, which the
    paper does in translation without loss.
    """
    return with_attention("collaborative_heads")


@not_measured
def multi30k_de_en_interleaved_heads() -> ExperimentConfig:
    """Interleaved heads on Multi30k DE-EN: Duvvuri et al. 2026, "Interleaved Head Attention", arXiv:2602.21371.

    Each head has 2 pseudo-queries, pseudo-keys and pseudo-values, which are linear combinations of all heads: 1,152
    parameters more than multi-head attention.

    Decisions:
    - The paper usually takes as many pseudo-heads as heads. The cost of logits and weights grows with their square.
    - The paper trains decoder-only language models, and names others as future work. Here all three attentions of the
      Transformer have the scheme.
    - There are no rotary positions, which tell the paper's pseudo-heads apart; pseudo-values start with random
      differences instead.
    """
    return with_attention("interleaved_heads", num_pseudo_heads=2)


@not_measured
def multi30k_de_en_differential() -> ExperimentConfig:
    """Differential attention on Multi30k DE-EN: Ye et al. 2024, "Differential Transformer", arXiv:2410.05258.

    The attention weights are the difference of two softmaxes. It has 1,728 parameters more than multi-head attention.

    Decisions:
    - 2 heads of size 64, whose halves are as large as the 4 heads of `multi30k_de_en`: the paper halves the number of
      heads too. `--set model.attention.num_heads=4` has 4 heads with halves of 16.
    - The paper trains decoder-only language models. Here all three attentions of the Transformer have the scheme.
      λ_init depends on the number of the layer in its stack.
    """
    return with_attention("differential", num_heads=2)


@not_measured
def multi30k_de_en_gated_heads() -> ExperimentConfig:
    """Gated heads on Multi30k DE-EN: Qiu et al. 2025, arXiv:2505.06708.

    "Gated Attention for Large Language Models: Non-linearity, Sparsity, and Attention-Sink-Free". Each value of each
    head is multiplied by a gate that depends on the query input: 147,456 parameters more than multi-head attention.
    `--set model.attention.options.gate=headwise` has one gate for each head, with 4,608 parameters. The paper trains
    decoder-only language models; here all three attentions of the Transformer have the scheme.
    """
    return with_attention("gated_heads", gate="elementwise")


def with_attention(scheme: str, num_heads: int = 4, **options: bool | int | str) -> ExperimentConfig:
    """Return `multi30k_de_en` with another attention."""
    config = multi30k_de_en()
    return replace(config, model=replace(config.model, attention=AttentionConfig(scheme, num_heads, options=options)))
