"""The configuration of an experiment: frozen dataclasses, read from YAML, changed by `--set KEY=VALUE`."""

import dataclasses
from collections.abc import Callable, Iterable
from pathlib import Path

from data.errors import InputError
from data.text.profiles import DEFAULT_MAX_LENGTH, DEFAULT_PROFILE, DEFAULT_VOCABULARY_SIZE, FORMER_PROFILES, PROFILES
from interacting_head.config import yaml_files
from interacting_head.config.values import MOST_HYPOTHESES, parsed, setting, unknown_key

COMMON_OPTIONS = ("use_bias",)
"""Options of attention layers that every scheme has."""
OWN_FILES = ("source", "target", "dev_source", "dev_target")  # keys of `data`
SITES = "encoder", "decoder", "cross"
LARGEST_HEADS, LARGEST_SIZE = 2**14, 2**17
"""The most heads and the largest size of vectors: more is a mistake."""


@dataclasses.dataclass(frozen=True)
class AttentionConfig:
    """One attention layer."""

    scheme: str = setting("interacting_head", "the attention scheme")
    num_heads: int = setting(8, "heads", at_most=LARGEST_HEADS)
    key_dim: int | None = setting(None, "size of a query and key head; `null`: model_dim / heads", at_most=LARGEST_SIZE)
    value_dim: int | None = setting(None, "size of a value head; `null`: model_dim / heads", at_most=LARGEST_SIZE)
    dropout: float = setting(0.0, "rate of dropout on attention weights", below=1)
    options: dict = setting({}, "arguments that only some schemes have, see below")


@dataclasses.dataclass(frozen=True)
class PlacedAttentionConfig:
    """The attention of a placement; keys left out are taken from `model.attention`."""

    scheme: str | None = None
    num_heads: int | None = setting(None, at_most=LARGEST_HEADS)
    key_dim: int | None = setting(None, at_most=LARGEST_SIZE)
    value_dim: int | None = setting(None, at_most=LARGEST_SIZE)
    dropout: float | None = setting(None, below=1)
    options: dict | None = None


@dataclasses.dataclass(frozen=True)
class PlacementConfig:
    """Another attention at one site of some layers."""

    site: str = setting(meaning="self-attention of one of the stacks, or cross-attention of the decoder", choices=SITES)
    layers: tuple[int, ...] = setting(meaning="numbers of layers, from 1")
    attention: PlacedAttentionConfig = setting(meaning="keys of `model.attention`; the others are taken from there")


@dataclasses.dataclass(frozen=True)
class ModelConfig:
    """The Transformer."""

    attention: AttentionConfig = AttentionConfig()
    placements: tuple[PlacementConfig, ...] | None = setting(
        None,
        "other attention at some places, see below; `null`: the scheme stands where its paper has it, and multi_head "
        "elsewhere; `[]`: the scheme stands everywhere",
    )
    memory: str | None = setting(
        None,
        "what decoder layers attend to: the top encoder layer, all of the top memory_layers (with the scheme "
        "multi_layer, whose default it is), or a combination of all encoder layers; `null`: as the scheme has it",
        choices=("top", "all", "linear", "transparent", "iterative"),
    )
    memory_layers: int | None = setting(
        None,
        "encoder layers of memory `all`, `null`: every one; with `transparent` and the scheme multi_layer, mixtures "
        "that each decoder layer attends to, `null`: one and no list",
    )
    memory_normalization: str = setting(
        "every",
        "pre-norm models: a layer normalisation for every encoder layer that is attended to, or for the top one only",
        choices=("every", "top"),
    )
    tied_output: bool = setting(True, "whether the output projection is the target embedding")
    model_dim: int = setting(512, "size of embeddings and layers' outputs, even", at_most=LARGEST_SIZE)
    feed_forward_dim: int = setting(2048, "size of the hidden layer of feed-forward networks", at_most=LARGEST_SIZE)
    encoder_layers: int = setting(6, "layers of the encoder", at_most=1000)
    decoder_layers: int = setting(6, "layers of the decoder", at_most=1000)
    normalization: str = setting(
        "post",
        "layer normalisation after each residual connection (post) or before each sub-layer (pre)",
        choices=("post", "pre"),
    )
    dropout: float = setting(0.1, "rate of dropout on embeddings and sub-layers' outputs", below=1)
    activation_dropout: float = setting(0.0, "rate of dropout after the activation of feed-forward networks", below=1)


@dataclasses.dataclass(frozen=True)
class DataConfig:
    """The parallel text: a named corpus, or four files of the user's own; and its sub-words."""

    corpus: str | None = setting(None, "a corpus or a mix by name (docs/corpora.md)")
    source: str | None = setting(None, "own training text, source side, plain or .gz")
    target: str | None = setting(None, "its target side, line by line")
    dev_source: str | None = setting(None, "own development text, source side")
    dev_target: str | None = setting(None, "its target side")
    source_language: str | None = setting(None, "language code; `null`: the suffix of the own files")
    target_language: str | None = setting(None, "language code; `null`: the suffix of the own files")
    profile: str = setting(
        DEFAULT_PROFILE,
        "the form of text that sub-words are learnt on: as it is, or normalised and tokenised by the rules of Moses "
        "and truecased, lower-cased, or cased as it is (docs/text.md)",
        choices=tuple(PROFILES),
        former=FORMER_PROFILES,
    )
    vocabulary_size: int | tuple[int, int] = setting(
        DEFAULT_VOCABULARY_SIZE, "sub-words; of source and target, where they are separate, also as two numbers"
    )
    shared_vocabulary: bool = setting(True, "whether source and target have the same sub-words and embeddings")
    joint_merges: bool = setting(False, "whether separate vocabularies are learnt with common merges")
    max_length: int = setting(
        DEFAULT_MAX_LENGTH, "training pairs with more sub-words on a side are left out, the end symbol not counted"
    )
    max_words: int | None = setting(None, "training pairs with more words on a side are left out")
    max_ratio: float | None = setting(None, "training pairs with a larger ratio of words are left out")
    drop_duplicates: bool = setting(False, "whether repeated training pairs are left out")
    train_pairs: int | None = setting(None, "random pairs to train on; `null`: all")
    seed: int = setting(1, "of the choice of train_pairs", at_least=0)


@dataclasses.dataclass(frozen=True)
class TrainConfig:
    """Optimisation. Intervals and warm-up count steps."""

    batch_tokens: int = setting(4096, "size of a batch: sentences × the longest side, in sub-words")
    max_steps: int = setting(100_000, "steps after which the training ends")
    max_epochs: int | None = setting(None, "epochs after which it ends; `null`: max_steps alone counts")
    schedule: str = setting("noam", "the learning-rate schedule after a linear warm-up")
    learning_rate: float = setting(1.0, "its peak; with `noam` a factor of its curve", above=0)
    warmup_steps: int = setting(8000, "steps of the warm-up")
    adam_beta_1: float = setting(0.9, "Adam's β₁", below=1)
    adam_beta_2: float = setting(0.98, "Adam's β₂", below=1)
    adam_epsilon: float = setting(1e-9, "Adam's ε", above=0)
    label_smoothing: float = setting(0.1, "ε of label smoothing", below=1)
    gradient_clip: float | None = setting(None, "the largest norm of the gradient of all weights; `null`: any", above=0)
    gradient_accumulation_steps: int = setting(1, "batches of batch_tokens in a step, computed one after another")
    ema_decay: float | None = setting(
        None, "decay of an exponential moving average of the weights, saved as `ema`; `null`: none is kept", below=1
    )
    precision: str = setting(
        "float32",
        "numbers of the computation; `auto`, settled when a run begins: bfloat16 where all devices have it, or float32",
        choices=("float32", "mixed_bfloat16", "mixed_float16", "auto"),
    )
    log_interval: int = setting(100, "steps from one line of the log to the next")
    validation_interval: int = setting(1000, "steps from one validation to the next")
    validation_epochs: int | None = setting(None, "epochs from one validation to the next; `null`: validation_interval")
    validation_bleu: bool = setting(True, "whether validations translate the development text, for BLEU")
    patience: int | None = setting(None, "validations without a better best_metric that end a training; `null`: never")
    best_metric: str = setting(
        "bleu",
        "what makes a validation the best: BLEU of greedy translations of the development text, the loss on it, or "
        "this loss with label smoothing, as in training",
        choices=("loss", "smoothed_loss", "bleu"),
    )
    keep_last: int = setting(5, "checkpoints of the last validations that are kept")
    keep_best: int = setting(0, "checkpoints of the best validations that are kept too", at_least=0)
    average_last: int = setting(5, "last checkpoints whose mean is saved at the end, as `average`; 0: none", at_least=0)
    seed: int = setting(1, "of weights, the order of batches and dropout", at_least=0)


@dataclasses.dataclass(frozen=True)
class DecodeConfig:
    """Search."""

    beam_size: int = setting(4, "hypotheses side by side; 1: greedy search", at_most=MOST_HYPOTHESES)
    length_penalty: float = setting(0.6, "α of the length penalty")
    length_penalty_type: str = setting(
        "gnmt",
        "log-probabilities are divided by ((5 + length) / 6)^α, by length^α, or by nothing",
        choices=("gnmt", "average", "none"),
    )
    max_length: int | None = setting(
        None, "most sub-words of a translation; `null`: twice as many as the source has, and ten more"
    )
    batch_size: int = setting(64, "sentences translated together")


@dataclasses.dataclass(frozen=True)
class ExperimentConfig:
    """Everything that a run depends on."""

    model: ModelConfig = ModelConfig()
    data: DataConfig = DataConfig()
    train: TrainConfig = TrainConfig()
    decode: DecodeConfig = DecodeConfig()


def load_config(path: str | Path, upgrade: Callable[[dict], dict] | None = None) -> ExperimentConfig:
    """Return the configuration in a YAML file.

    Args:
        upgrade: a function of the mapping in a file that an earlier version wrote, see `runs.migrations`.

    Raises:
        InputError: when the file cannot be read or holds an unknown key or a wrong value.
    """
    mapping = yaml_files.read_yaml(path, "configuration")
    if not isinstance(mapping, dict):
        sections = ", ".join(field.name for field in dataclasses.fields(ExperimentConfig))
        raise InputError(f"{path} must hold the keys {sections} at its top level")
    return from_dict(upgrade(mapping) if upgrade else mapping)


def from_dict(mapping: dict) -> ExperimentConfig:
    """Return the configuration of nested dictionaries; keys left out keep their defaults."""
    return parsed(ExperimentConfig, mapping, _known_keys())


def to_dict(config: ExperimentConfig) -> dict:
    """Return nested dictionaries and lists, as in YAML."""
    return _plain(dataclasses.asdict(config))


def to_yaml(config: ExperimentConfig) -> str:
    """Return YAML with every key, defaults included."""
    return yaml_files.to_yaml(to_dict(config))


def override(config: ExperimentConfig, assignments: Iterable[str]) -> ExperimentConfig:
    """Return the configuration with each `KEY=VALUE` applied, values in YAML: `model.attention.num_heads=4`.

    Another `model.attention.scheme` drops the options that not every scheme has (`COMMON_OPTIONS`).

    Raises:
        InputError: for an unknown key (it names the nearest), a value of the wrong type or out of range.
    """
    mapping = to_dict(config)
    for assignment in assignments:
        key, separator, text = assignment.partition("=")
        if not separator:
            raise InputError(f"--set takes KEY=VALUE, got {assignment!r}, for example model.dropout=0.2")
        value = yaml_files.from_yaml(text, f"--set {key}")
        *parents, last = key.split(".")
        place = mapping
        for parent in parents:
            place = place.get(parent) if isinstance(place, dict) else None
        if not isinstance(place, dict) or (last not in place and parents[-1:] != ["options"]):
            raise unknown_key(key, _known_keys())
        if key == "model.attention.scheme" and value != place[last]:
            options = place["options"] if isinstance(place["options"], dict) else {}
            place["options"] = {name: option for name, option in options.items() if name in COMMON_OPTIONS}
        place[last] = value
    return from_dict(mapping)


def differences(left: ExperimentConfig, right: ExperimentConfig) -> dict[str, tuple]:
    """Return the dotted keys in which two configurations differ, with both values."""
    left, right = flattened(to_dict(left)), flattened(to_dict(right))
    return {
        key: (left.get(key), right.get(key))
        for key in sorted(left.keys() | right.keys())
        if left.get(key) != right.get(key)
    }


def flattened(mapping: dict, prefix: str = "") -> dict:
    """Return `{"section.key": value}` of nested settings."""
    flat = {}
    for key, value in mapping.items():
        if isinstance(value, dict) and value:
            flat.update(flattened(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = value
    return flat


def _known_keys():
    return list(flattened(to_dict(ExperimentConfig())))


def _plain(value):
    """Return tuples as lists, which YAML can write safely."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
