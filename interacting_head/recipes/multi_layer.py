"""Ampomah et al. 2020, Every Layer Counts: Multi-Layer Multi-Head Attention for Neural Machine Translation."""

import math
from typing import NamedTuple

from interacting_head.config import (
    AttentionConfig,
    DataConfig,
    DecodeConfig,
    ExperimentConfig,
    ModelConfig,
    TrainConfig,
)
from interacting_head.recipes import paper_tables, small
from interacting_head.recipes.registry import Printed, grid

PAPER = "Ampomah et al. 2020"
WARMUP_STEPS = 8000
VARIANTS = {
    "m00": {"joint_attention": True, "concat_contexts": True},
    "m01": {"joint_attention": True, "concat_contexts": False},
    "m10": {"joint_attention": False, "concat_contexts": True},
    "m11": {"joint_attention": False, "concat_contexts": False},
}
"""Table 1: whether attention weights are computed jointly (U₀ = 0), whether contexts are concatenated (U₁ = 0)."""
MEMORIES = {
    "linear": "linear_combination",
    "iterative": "iterative_combination",
    "transparent": "transparent_attention",
}
OVER_MIXTURES = "m00_transparent"
"""Future work in the paper's conclusion: M-00 over n transparent mixtures instead of n layers."""
BASELINES = {"b0": {}, "b1": {"feed_forward_dim": 4098}, "b2": {"encoder_layers": 10, "decoder_layers": 10}}
"""Table 6: the Transformer, with a larger feed-forward network, with four more layers on each side."""


class Task(NamedTuple):
    """A corpus of the paper with its settings: sections 5.1 to 5.3."""

    corpus: str
    vocabulary_size: int
    table: str
    definition: str  # of the score
    stand_in: small.StandIn
    max_length: int = 150
    layers: int = 4
    model_dim: int = 256
    heads: int = 4
    batch_tokens: int = 2048
    max_steps: int = 200_000
    search: DecodeConfig = DecodeConfig(beam_size=6, length_penalty=1.1)


TASKS = {
    "wmt14_en_de": Task(
        "wmt14_en-de", 32_000, "2",
        "case-sensitive BLEU of mteval-v13a on detokenised text (`sacrebleu` here), newstest2014",
        small.MIX_DE_EN, max_length=200, layers=6, model_dim=512, heads=8, batch_tokens=4960, max_steps=160_000,
        search=DecodeConfig(beam_size=4, length_penalty=0.6),
    ),
    "iwslt14_es_en": Task(
        "iwslt14_es-en", 34_000, "3",
        "case-sensitive BLEU of multi-bleu.perl (`bleu` here), tst2014; the paper does not state the tokenisation",
        small.TATOEBA_ES_EN,
    ),
    "iwslt15_en_vi": Task(
        "iwslt15_en-vi", 21_000, "4", "sacreBLEU 1.4.13 (13a, cased), on tst2013 (1,268 pairs)", small.TATOEBA_VI_EN
    ),
}  # fmt: skip


def _printed(corpus, model):
    task, (variant, _, n) = TASKS[corpus], model.partition("_n")
    if variant == OVER_MIXTURES:
        return Printed("– (section 8)", "–", task.definition)
    table, row = task.table, {"model": MEMORIES.get(model, "transformer")}
    if n:
        row = {"model": f"M-{variant[1:]}", "n": n}
    elif model in ("b1", "b2"):
        row = {"model": model.upper()}
    # Table 6 has the numbers that are missing from table 2.
    if model in ("b1", "b2") or (n and int(n) != task.layers):
        table = "6"
    where = {"dataset": corpus, "table": f"table{table}", **row}
    millions = paper_tables.number("multi_layer_multi_head", **where, quantity="params_millions")
    score = paper_tables.bleu("multi_layer_multi_head", **where, quantity="BLEU")
    sizes = f", {millions:.1f} M parameters" if millions else ""
    tables = "2, 6" if table == "2" and model not in MEMORIES else table
    return Printed(tables, f"BLEU {score}{sizes}", task.definition)


def _small(config, corpus, model):
    """{model}: a small version of table {table} of Ampomah et al. 2020, on free corpora and a CPU.

    D = 128, F = 512, as many layers as in the paper. Tatoeba in the same languages replaces the talks (125,769 pairs
    ES-EN, 9,691 EN-VI); a mix of Tatoeba, Multi30k, the help of LibreOffice and news replaces WMT14.
    """
    return small.on_a_cpu(config, TASKS[corpus].stand_in, config.model.encoder_layers)


def multi_layer(corpus: str, model: str) -> ExperimentConfig:
    """{model} on {corpus}: Ampomah et al. 2020, table {table}; expected {expected}.

    From section 5, for WMT14: 6 + 6 layers, D = 512, F = 2048, 8 heads, 160,000 steps of 4960 tokens, at most 200
    sub-words, beam 4, length penalty 0.6; for IWSLT: 4 + 4 layers, D = 256, F = 1024, 4 heads, 200,000 steps of 2048
    tokens, at most 150 sub-words, beam 6, length penalty 1.1. Adam (0.9, 0.98), one cosine cycle with warm-up; 32,000
    (WMT14), 34,000 (Es-En) or 21,000 (En-Vi) shared, case-sensitive sub-words. `m00` to `m11` are the variants of
    table 1 over the top n encoder layers, `b0` is the Transformer, `b1` and `b2` are larger Transformers, `linear`,
    `iterative` and `transparent` are the aggregations of section 5.4. `m00_transparent` is future work of section 8:
    M-00 over n transparent mixtures of encoder layers, which each decoder layer learns by itself.

    Decisions where the paper is silent or contradicts itself:
    - Adam's ε is printed as 10⁹, a misprint for 10⁻⁹.
    - "Following (So et al., 2019), single-cosine-cycle with warm-up": their schedule in tensor2tensor rises for 8000
      steps to 2 / √(8000 · D), which is 9.9e-4 for D = 512. (Vaswani et al. use 4000 steps and 7.0e-4.)
    - Dropout 0.1 and label smoothing 0.1 as in Vaswani et al.
    - The checkpoint with the best development BLEU is used.
    - Sub-words are learnt on raw text, which keeps the case. Projections have biases: only then do the numbers of
      parameters agree, for about 33,400 sub-words. F = 4098 of `b1` is as printed.
    """
    task = TASKS[corpus]
    source, target = corpus.split("_")[1:]
    variant, _, n = model.partition("_n")
    scheme, options = "multi_head", {"use_bias": True}
    if n:
        scheme, options = "multi_layer", {**options, **VARIANTS[variant.removesuffix("_transparent")]}
        settings = {"memory": "transparent" if variant == OVER_MIXTURES else "all", "memory_layers": int(n)}
    else:
        settings = {"memory": model} if model in MEMORIES else BASELINES[model]
    sizes = {"feed_forward_dim": 4 * task.model_dim, "encoder_layers": task.layers, "decoder_layers": task.layers}
    return ExperimentConfig(
        model=ModelConfig(
            attention=AttentionConfig(scheme, num_heads=task.heads, options=options),
            model_dim=task.model_dim,
            normalization="post",
            dropout=0.1,
            **{**sizes, **settings},
        ),
        data=DataConfig(
            corpus=task.corpus,
            source_language=source,
            target_language=target,
            vocabulary_size=task.vocabulary_size,
            max_length=task.max_length,
        ),
        train=TrainConfig(
            batch_tokens=task.batch_tokens,
            max_steps=task.max_steps,
            schedule="cosine",
            learning_rate=2 / math.sqrt(task.model_dim * WARMUP_STEPS),
            warmup_steps=WARMUP_STEPS,
            adam_beta_1=0.9,
            adam_beta_2=0.98,
            adam_epsilon=1e-9,
            label_smoothing=0.1,
        ),
        decode=task.search,
    )


FUNCTIONS = {"paper": PAPER, "make": multi_layer, "printed": _printed, "small": _small}
NAME = "mlmha_{corpus}_{model}"
LARGE, *OTHERS = TASKS
OF_ALL_SIZES = [f"{variant}_n{n}" for variant in VARIANTS for n in range(2, 7)]
grid(NAME, **FUNCTIONS, corpus=[LARGE], model=[*BASELINES, *MEMORIES, f"{OVER_MIXTURES}_n6", *OF_ALL_SIZES])
OF_ALL_LAYERS = [f"{variant}_n4" for variant in VARIANTS]
grid(NAME, **FUNCTIONS, corpus=OTHERS, model=["b0", *MEMORIES, f"{OVER_MIXTURES}_n4", *OF_ALL_LAYERS])
