"""The configuration of an experiment: frozen dataclasses, read from YAML, overridden by `--set KEY=VALUE`."""

import dataclasses
from collections.abc import Callable, Iterable
from pathlib import Path

from data.errors import InputError
from data.text.profiles import DEFAULT_MAX_LENGTH, DEFAULT_PROFILE, DEFAULT_VOCABULARY_SIZE, FORMER_PROFILES, PROFILES
from interacting_head.config import yaml_files
from interacting_head.config.values import MOST_HYPOTHESES, MOST_PENALTY, MOST_SUBWORDS, parsed, setting, unknown_key

SCHEME = "model.attention.scheme"
COMMON_OPTIONS = ("use_bias",)
"""Options of attention layers that every scheme has."""
NO_OPTIONS = {"num_sources", "masked_sources"}
"""Arguments of attention layers that a configuration does not set."""
OWN_FILES = ("source", "target", "dev_source", "dev_target")  # keys of `data`
SITES = "encoder", "decoder", "cross"
LARGEST_HEADS, LARGEST_SIZE = 2**14, 2**17
"""The most heads and the largest size of vectors: more is a mistake."""


@dataclasses.dataclass(frozen=True)
class AttentionConfig:
    """One attention layer."""

    scheme: str = setting("interacting_head", "the attention scheme")
    num_heads: int = setting(8, "number of heads", at_most=LARGEST_HEADS)
    key_dim: int | None = setting(None, "size of query and key heads; `null`: model_dim / heads", at_most=LARGEST_SIZE)
    value_dim: int | None = setting(None, "size of value heads; `null`: model_dim / heads", at_most=LARGEST_SIZE)
    dropout: float = setting(0.0, "dropout rate on attention weights", below=1)
    options: dict = setting({}, "scheme-specific arguments, see below")


@dataclasses.dataclass(frozen=True)
class PlacedAttentionConfig:
    """The attention of a placement; omitted keys are taken from `model.attention`."""

    scheme: str | None = None
    num_heads: int | None = setting(None, at_most=LARGEST_HEADS)
    key_dim: int | None = setting(None, at_most=LARGEST_SIZE)
    value_dim: int | None = setting(None, at_most=LARGEST_SIZE)
    dropout: float | None = setting(None, below=1)
    options: dict | None = None


@dataclasses.dataclass(frozen=True)
class PlacementConfig:
    """Attention at one site of some layers."""

    site: str = setting(meaning="self-attention of one of the stacks, or cross-attention of the decoder", choices=SITES)
    layers: tuple[int, ...] = setting(meaning="layer numbers, from 1")
    attention: PlacedAttentionConfig = setting(meaning="keys that differ from `model.attention`")


@dataclasses.dataclass(frozen=True)
class ModelConfig:
    """The Transformer."""

    attention: AttentionConfig = AttentionConfig()
    placements: tuple[PlacementConfig, ...] | None = setting(
        None,
        "attention of single layers, see below; `null`: the scheme where its paper uses it, and multi_head elsewhere; "
        "`[]`: the scheme everywhere",
    )
    memory: str | None = setting(
        None,
        "what decoder layers attend to: the top encoder layer, each of the top memory_layers (only with the "
        "scheme multi_layer, its default), or a combination of all encoder layers; `null`: the scheme's default",
        choices=("top", "all", "linear", "transparent", "iterative"),
    )
    memory_layers: int | None = setting(
        None,
        "with memory `all`: number of top encoder layers (`null`: all); with `transparent`: number of mixtures for "
        "each decoder layer, only with the scheme multi_layer (`null`: a single one, for other schemes)",
    )
    memory_normalization: str = setting(
        "every",
        "pre-norm models: normalise every encoder layer that is attended to, or the top one only",
        choices=("every", "top"),
    )
    tied_output: bool = setting(True, "whether the output projection shares the target embedding's weights")
    model_dim: int = setting(512, "size of embeddings and layer outputs, an even number", at_most=LARGEST_SIZE)
    feed_forward_dim: int = setting(2048, "size of the hidden layer of feed-forward networks", at_most=LARGEST_SIZE)
    encoder_layers: int = setting(6, "number of encoder layers", at_most=1000)
    decoder_layers: int = setting(6, "number of decoder layers", at_most=1000)
    normalization: str = setting(
        "post",
        "layer normalisation after each residual connection (post) or before each sub-layer (pre)",
        choices=("post", "pre"),
    )
    dropout: float = setting(0.1, "dropout rate on embeddings and sub-layer outputs", below=1)
    activation_dropout: float = setting(0.0, "dropout rate after the activation of feed-forward networks", below=1)


@dataclasses.dataclass(frozen=True)
class DataConfig:
    """The parallel text, a named corpus or four files of your own, and its sub-words."""

    corpus: str | None = setting(None, "name of a corpus, or a mix of several (docs/corpora.md)")
    source: str | None = setting(None, "your own training text, source side, plain or .gz")
    target: str | None = setting(None, "your own training text, target side, line-aligned with `data.source`")
    dev_source: str | None = setting(None, "your own development text, source side")
    dev_target: str | None = setting(None, "your own development text, target side")
    source_language: str | None = setting(None, "language code; `null`: the suffix of your own files")
    target_language: str | None = setting(None, "language code; `null`: the suffix of your own files")
    profile: str = setting(
        DEFAULT_PROFILE,
        "text preprocessing before sub-words: none, or normalised and tokenised by Moses' rules, then truecased, "
        "lowercased, or with its case unchanged (docs/text.md)",
        choices=tuple(PROFILES),
        former=FORMER_PROFILES,
    )
    vocabulary_size: int | tuple[int, int] = setting(
        DEFAULT_VOCABULARY_SIZE, "number of sub-words; with separate vocabularies also a list of two, source and target"
    )
    shared_vocabulary: bool = setting(True, "whether source and target share sub-words and embeddings")
    joint_merges: bool = setting(False, "whether separate vocabularies use merges learnt on both sides")
    max_length: int = setting(
        DEFAULT_MAX_LENGTH, "drop training pairs with more sub-words on a side, the end symbol not counted"
    )
    max_words: int | None = setting(None, "drop training pairs with more words on a side")
    max_ratio: float | None = setting(
        None, "drop training pairs with a larger ratio of words between the sides", at_least=1
    )
    drop_duplicates: bool = setting(False, "whether to drop repeated training pairs")
    train_pairs: int | None = setting(None, "number of random training pairs to use; `null`: all")
    seed: int = setting(1, "seed for the choice of train_pairs", at_least=0)


@dataclasses.dataclass(frozen=True)
class TrainConfig:
    """Optimisation; intervals and warm-up are in steps."""

    batch_tokens: int = setting(4096, "size of a batch: sentences × the longest side, in sub-words")
    max_steps: int = setting(100_000, "steps after which training ends")
    max_epochs: int | None = setting(
        None, "epochs after which training ends, if earlier; `null`: only max_steps counts"
    )
    schedule: str = setting("noam", "learning-rate schedule after a linear warm-up")
    learning_rate: float = setting(1.0, "peak learning rate; with `noam` a factor of its curve", above=0)
    warmup_steps: int = setting(8000, "steps of the warm-up")
    adam_beta_1: float = setting(0.9, "Adam's β₁", below=1)
    adam_beta_2: float = setting(0.98, "Adam's β₂", below=1)
    adam_epsilon: float = setting(1e-9, "Adam's ε", above=0)
    label_smoothing: float = setting(0.1, "ε of label smoothing", below=1)
    gradient_clip: float | None = setting(None, "largest global gradient norm; `null`: no clipping", above=0)
    gradient_accumulation_steps: int = setting(1, "batches of batch_tokens per step, computed one after another")
    ema_decay: float | None = setting(
        None, "decay of an exponential moving average of the weights, saved as `ema`; `null`: none", below=1
    )
    precision: str = setting(
        "float32",
        "arithmetic; `auto` chooses mixed_bfloat16 when a run begins if all devices support it, else float32",
        choices=("float32", "mixed_bfloat16", "mixed_float16", "auto"),
    )
    log_interval: int = setting(100, "steps between log lines")
    validation_interval: int = setting(1000, "steps between validations")
    validation_epochs: int | None = setting(None, "epochs between validations; `null`: use validation_interval")
    validation_bleu: bool = setting(True, "whether validations translate the development text to compute BLEU")
    patience: int | None = setting(None, "validations without a better best_metric before training stops; `null`: off")
    best_metric: str = setting(
        "bleu",
        "what makes a validation the best: on the development text, the loss, the loss with label smoothing as in "
        "training, or BLEU of greedy translations",
        choices=("loss", "smoothed_loss", "bleu"),
    )
    keep_last: int = setting(5, "number of latest validations whose checkpoints are kept")
    keep_best: int = setting(0, "number of best validations whose checkpoints are kept too", at_least=0)
    average_last: int = setting(5, "latest checkpoints averaged at the end, saved as `average`; 0: none", at_least=0)
    seed: int = setting(1, "seed for weights, batch order and dropout", at_least=0)


@dataclasses.dataclass(frozen=True)
class DecodeConfig:
    """Search."""

    beam_size: int = setting(4, "number of hypotheses per sentence; 1: greedy search", at_most=MOST_HYPOTHESES)
    length_penalty: float = setting(0.6, "α of the length penalty", at_most=MOST_PENALTY)
    length_penalty_type: str = setting(
        "gnmt",
        "log-probabilities are divided by ((5 + length) / 6)^α, by length^α, or by nothing",
        choices=("gnmt", "average", "none"),
    )
    max_length: int | None = setting(
        None,
        "largest number of sub-words of a translation; `null`: twice the source length plus 11",
        at_most=MOST_SUBWORDS,
    )
    batch_size: int = setting(64, "sentences per batch")


@dataclasses.dataclass(frozen=True)
class ExperimentConfig:
    """Everything that a run depends on."""

    model: ModelConfig = ModelConfig()
    data: DataConfig = DataConfig()
    train: TrainConfig = TrainConfig()
    decode: DecodeConfig = DecodeConfig()


def load_config(path: str | Path, upgrade: Callable[[dict], dict] | None = None) -> ExperimentConfig:
    """Return the configuration in a YAML file; raise `InputError` for unreadable files, unknown keys or wrong values.

    `upgrade` converts the mapping of an earlier version, see `runs.migrations`.
    """
    mapping = yaml_files.read_yaml(path, "configuration")
    if not isinstance(mapping, dict):
        sections = ", ".join(field.name for field in dataclasses.fields(ExperimentConfig))
        raise InputError(f"{path} must contain the keys {sections} at its top level")
    return from_dict(upgrade(mapping) if upgrade else mapping)


def from_dict(mapping: dict) -> ExperimentConfig:
    """Return the configuration of nested dictionaries; omitted keys keep their defaults."""
    return parsed(ExperimentConfig, mapping, _known_keys())


def to_dict(config: ExperimentConfig) -> dict:
    """Return nested dictionaries and lists, as in YAML."""
    return _plain(dataclasses.asdict(config))


def to_yaml(config: ExperimentConfig) -> str:
    """Return YAML with every key, defaults included."""
    return yaml_files.to_yaml(to_dict(config))


def override(config: ExperimentConfig, assignments: Iterable[str]) -> ExperimentConfig:
    """Return the configuration with each `KEY=VALUE` applied, values in YAML: `model.attention.num_heads=4`.

    `model.attention.scheme` drops the placements, and the options of another scheme. Raises `InputError` for an unknown
    key or a wrong value.
    """
    mapping = to_dict(config)
    # The scheme first: options and placements that are assigned before it are meant for it.
    for given in sorted(assignments, key=lambda text: not text.startswith(f"{SCHEME}=")):
        key, separator, text = given.partition("=")
        if not separator:
            raise InputError(f"--set takes KEY=VALUE, such as model.dropout=0.2, got {given!r}")
        value = yaml_files.from_yaml(text, f"--set {key}")
        *parents, last = key.split(".")
        place = mapping
        for parent in parents:
            place = place.get(parent) if isinstance(place, dict) else None
        if not isinstance(place, dict) or (last not in place and parents[-1:] != ["options"]):
            raise unknown_key(key, _known_keys())
        if key == SCHEME:
            mapping["model"]["placements"] = None
        if key == SCHEME and value != place[last]:
            options = place["options"] if isinstance(place["options"], dict) else {}
            place["options"] = {name: option for name, option in options.items() if name in COMMON_OPTIONS}
        place[last] = value
    return from_dict(mapping)


def assignment(key: str, value: bool | float | str) -> str:
    """Return `KEY=VALUE` for `override`."""
    return f"{key}={yaml_files.scalar(value)}"


def differences(left: ExperimentConfig, right: ExperimentConfig) -> dict[str, tuple]:
    """Return {dotted key: (left value, right value)} of the keys in which two configurations differ."""
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
    """Convert tuples to lists, for YAML."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
