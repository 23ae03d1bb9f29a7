"""Recipes of this project itself: the quickstart, Multi30k, and a mix of corpora."""

from interacting_head.config import (
    AttentionConfig,
    DataConfig,
    DecodeConfig,
    ExperimentConfig,
    ModelConfig,
    TrainConfig,
    override,
)
from interacting_head.recipes.registry import recipe
from interacting_head.recipes.small import MIX_DE_EN


@recipe(
    "test sacreBLEU ≥ 90",
    "sacreBLEU (13a, cased) of untokenised text, on the split test of the corpus, beam 4",
)
def quickstart() -> ExperimentConfig:
    """Interacting-head attention on the embedded quickstart corpus, DE-EN."""
    return ExperimentConfig(
        model=ModelConfig(
            attention=AttentionConfig("interacting_head", num_heads=4, options={"query_combination": "mean"}),
            model_dim=192,
            feed_forward_dim=512,
            encoder_layers=2,
            decoder_layers=2,
            normalization="pre",
            dropout=0.05,
        ),
        data=DataConfig(
            corpus="quickstart",
            source_language="de",
            target_language="en",
            vocabulary_size=2000,
            max_length=64,
        ),
        train=TrainConfig(
            batch_tokens=1024,
            max_steps=1100,
            schedule="cosine",
            learning_rate=3e-3,
            warmup_steps=60,
            gradient_clip=1.0,
            validation_interval=550,
        ),
    )


@recipe(
    "test_2016_flickr sacreBLEU ≥ 39, beam 4",
    "sacreBLEU (13a, cased) of untokenised text, on test_2016_flickr",
)
def multi30k_de_en() -> ExperimentConfig:
    """Interacting-head attention on Multi30k DE-EN, raw text, small enough for two CPU cores.

    The baseline is `--set model.attention.scheme=multi_head`.
    """
    return ExperimentConfig(
        model=ModelConfig(
            attention=AttentionConfig("interacting_head", num_heads=4, options={"query_combination": "mean"}),
            model_dim=128,
            feed_forward_dim=512,
            encoder_layers=3,
            decoder_layers=3,
            normalization="pre",
            dropout=0.2,
        ),
        data=DataConfig(corpus="multi30k", source_language="de", target_language="en", vocabulary_size=6000),
        train=TrainConfig(
            batch_tokens=2048,
            max_steps=4000,
            schedule="cosine",
            learning_rate=3e-3,
            warmup_steps=400,
            gradient_clip=1.0,
            precision="auto",
            validation_interval=1000,
        ),
        decode=DecodeConfig(length_penalty=1.0),
    )


@recipe("–", "sacreBLEU (13a, cased) of untokenised text, on test_2016_flickr")
def multi30k_en_de() -> ExperimentConfig:
    """Talking heads on Multi30k EN-DE, raw text, with the sizes and the training of `multi30k_de_en`."""
    settings = {
        "model.attention": {"scheme": "talking_heads", "num_heads": 8},
        "data.source_language": "en",
        "data.target_language": "de",
        "decode.length_penalty": 1.4,
    }
    return override(multi30k_de_en(), [f"{key}={value}" for key, value in settings.items()])


@recipe("–", "sacreBLEU (13a, cased) of untokenised text, on the test sets of the corpora")
def mix_de_en() -> ExperimentConfig:
    """Multi-head attention on a mix of corpora, DE-EN: Tatoeba, Multi30k, the help of LibreOffice, and news.

    247,387 pairs, with newstest2013 as development text, for two CPU cores. It also suits your own text of this size.
    """
    settings = {
        "model.attention": {"scheme": "multi_head", "num_heads": 8, "dropout": 0.1},
        "model.model_dim": 256,
        "model.dropout": 0.1,
        "data.corpus": MIX_DE_EN.corpus,
        "data.vocabulary_size": 8000,
        "train.batch_tokens": 4096,
        "train.learning_rate": 2e-3,
        "train.validation_interval": 800,
        "decode.length_penalty": 0.6,
    }
    return override(multi30k_de_en(), [f"{key}={value}" for key, value in settings.items()])
