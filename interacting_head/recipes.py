"""Experiments by name. A recipe is a function whose docstring is its lab note; `train.py --list` shows them all."""

import difflib
import json
from pathlib import Path
from typing import NamedTuple

from data.errors import InputError
from interacting_head.config import (
    AttentionConfig,
    DataConfig,
    DecodeConfig,
    ExperimentConfig,
    ModelConfig,
    TrainConfig,
    load_config,
    override,
)


class Recipe(NamedTuple):
    """A function that makes a configuration, and what `--list` says of it."""

    name: str
    make: callable
    paper: str
    table: str
    expected: str


RECIPES = {}


def recipe(paper, table, expected):
    """Registers the decorated function under its name."""

    def register(make):
        RECIPES[make.__name__] = Recipe(make.__name__, make, paper, table, expected)
        return make

    return register


def get(name):
    """The configuration of the recipe called `name`.

    Raises:
        InputError: for an unknown name; it names the nearest.
    """
    if name not in RECIPES:
        near = difflib.get_close_matches(name, RECIPES, 1)
        hint = f"did you mean {near[0]}?" if near else f"the recipes are {', '.join(RECIPES)}"
        raise InputError(f"unknown recipe {name!r}; {hint}")
    return RECIPES[name].make()


def resolve(name_or_path, assignments, own_files):
    """The configuration that a command line asks for, and a name for its run.

    Args:
        name_or_path: a recipe, a YAML file, or None: `quickstart`.
        assignments: list of `KEY=VALUE`.
        own_files: `{"source": FILE or None, "target": …, "dev_source": …, "dev_target": …}`; if any is given
            they take the place of the recipe's corpus.
    """
    name = name_or_path or "quickstart"
    is_file = name.endswith((".yaml", ".yml"))
    config = load_config(name) if is_file else get(name)
    own_files = {key: value for key, value in own_files.items() if value}
    if own_files:
        assignments = [
            *(f"data.{key}=null" for key in ("corpus", "source_language", "target_language")),
            *(f"data.{key}={json.dumps(value)}" for key, value in own_files.items()),
            *assignments,
        ]
    run_name = Path(name).stem if is_file else name
    return override(config, assignments), f"{run_name}-own-text" if own_files else run_name


def print_list():
    """Prints every recipe with paper, table and expected score."""
    rows = [
        ("recipe", "paper", "table", "expected"),
        *((r.name, r.paper, r.table, r.expected) for r in RECIPES.values()),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


@recipe("-", "-", "test sacreBLEU ≥ 85")
def quickstart():
    """Interacting-head attention on the embedded quickstart corpus, DE-EN.

    python train.py quickstart
    """
    return ExperimentConfig(
        model=ModelConfig(
            attention=AttentionConfig("interacting_head", num_heads=4),
            model_dim=192,
            feed_forward_dim=512,
            encoder_layers=2,
            decoder_layers=2,
            normalization="pre",
            dropout=0.1,
        ),
        data=DataConfig(
            corpus="quickstart",
            source_language="de",
            target_language="en",
            vocabulary_size=2000,
            max_length=64,
        ),
        train=TrainConfig(
            batch_tokens=2048,
            max_steps=1000,
            schedule="cosine",
            learning_rate=3e-3,
            warmup_steps=100,
            gradient_clip=1.0,
            validation_interval=500,
        ),
    )


@recipe("-", "-", "test_2016_flickr sacreBLEU ≥ 36, beam 4")
def multi30k_de_en():
    """Interacting-head attention on Multi30k DE-EN, raw text, small enough for two CPU cores.

    python train.py multi30k_de_en --corpora-dir DIR
    python train.py multi30k_de_en --set model.attention.scheme=multi_head     the baseline
    """
    return ExperimentConfig(
        model=ModelConfig(
            attention=AttentionConfig("interacting_head", num_heads=8),
            model_dim=256,
            feed_forward_dim=1024,
            encoder_layers=3,
            decoder_layers=3,
            normalization="pre",
            dropout=0.1,
        ),
        data=DataConfig(corpus="multi30k", source_language="de", target_language="en", vocabulary_size=8000),
        train=TrainConfig(
            batch_tokens=4096,
            max_steps=1100,
            schedule="cosine",
            learning_rate=2e-3,
            warmup_steps=150,
            gradient_clip=1.0,
            validation_interval=220,
        ),
        decode=DecodeConfig(length_penalty=1.0),
    )
