"""The configuration of an experiment: frozen dataclasses, read from YAML, changed by `--set KEY=VALUE`."""

import dataclasses
import types
import typing

from data.errors import InputError
from data.text.profiles import DEFAULT_MAX_LENGTH, DEFAULT_PROFILE, DEFAULT_VOCABULARY_SIZE, PROFILES
from interacting_head import yaml_files
from interacting_head.config_values import MOST_HYPOTHESES, checked, setting, unknown_key

COMMON_OPTIONS = ("use_bias",)
"""Options of attention layers that every scheme has."""


@dataclasses.dataclass(frozen=True)
class AttentionConfig:
    """One attention layer. `key_dim` and `value_dim` default to model_dim / num_heads; `options` go to the layer.

    Those that not every scheme has (`COMMON_OPTIONS`) are dropped where another scheme takes the place of the first.
    """

    scheme: str = "interacting_head"
    num_heads: int = 8
    key_dim: int | None = None
    value_dim: int | None = None
    dropout: float = setting(0.0, below=1)
    options: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class PlacedAttentionConfig:
    """The attention of a placement: what it leaves out it takes from `model.attention`."""

    scheme: str | None = None
    num_heads: int | None = None
    key_dim: int | None = None
    value_dim: int | None = None
    dropout: float | None = setting(None, below=1)
    options: dict | None = None


@dataclasses.dataclass(frozen=True)
class PlacementConfig:
    """Another attention at one site (encoder, decoder or cross) of some layers, counted from 1."""

    site: str = setting(choices=("encoder", "decoder", "cross"))
    layers: tuple[int, ...]
    attention: PlacedAttentionConfig


@dataclasses.dataclass(frozen=True)
class ModelConfig:
    """The Transformer.

    Without `placements` a scheme stands where its paper has it, and multi-head attention elsewhere; with them, be it
    an empty list, `attention` stands wherever they do not.

    `memory` is what decoder layers attend to: the `top` encoder layer, `all` of the top `memory_layers` (with the
    attention scheme multi_layer, and its default), or a `linear`, `transparent` or `iterative` combination of all
    encoder layers. In a pre-norm model every encoder layer whose output is read there has a layer normalisation of
    its own; with `memory_normalization: top` the last one only.

    `tied_output`: whether the output projection is the target embedding.
    """

    attention: AttentionConfig = AttentionConfig()
    placements: tuple[PlacementConfig, ...] | None = None
    memory: str | None = setting(None, choices=("top", "all", "linear", "transparent", "iterative"))
    memory_layers: int | None = None
    memory_normalization: str = setting("every", choices=("every", "top"))
    tied_output: bool = True
    model_dim: int = 512
    feed_forward_dim: int = 2048
    encoder_layers: int = setting(6, below=1001)
    decoder_layers: int = setting(6, below=1001)
    normalization: str = setting("post", choices=("post", "pre"))
    dropout: float = setting(0.1, below=1)
    activation_dropout: float = setting(0.0, below=1)


@dataclasses.dataclass(frozen=True)
class DataConfig:
    """The parallel text: a named corpus, or four files of the user's own; and its sub-words.

    With the profile `raw` sub-words are learnt on the text as it is, with the others on text normalised and tokenised
    by the rules of Moses: `paper` truecased, `lowercased`, and `tokenized` as it is written.
    `vocabulary_size` is one number, or two for source and target where they are separate. With `joint_merges` separate
    vocabularies have common merges, see `data.text.vocabularies`. `max_words` and `max_ratio` (of words) leave training
    pairs out. `max_length` is in sub-words.
    """

    corpus: str | None = None
    source: str | None = None
    target: str | None = None
    dev_source: str | None = None
    dev_target: str | None = None
    source_language: str | None = None
    target_language: str | None = None
    profile: str = setting(DEFAULT_PROFILE, choices=PROFILES)
    vocabulary_size: int | tuple[int, int] = DEFAULT_VOCABULARY_SIZE
    shared_vocabulary: bool = True
    joint_merges: bool = False
    max_length: int = DEFAULT_MAX_LENGTH
    max_words: int | None = None
    max_ratio: float | None = None
    drop_duplicates: bool = False
    train_pairs: int | None = None
    seed: int = setting(1, at_least=0)


@dataclasses.dataclass(frozen=True)
class TrainConfig:
    """Optimisation. `batch_tokens` counts sentences × longest side; intervals and warm-up count steps.

    A step takes `accumulate_batches` × `batch_tokens`, one part after another, on however many devices. `ema_decay` is
    that of an exponential moving average of the weights, saved as `ema`. The last `keep_last` checkpoints of
    validations are kept, and the `keep_best` of the best scores. `precision: auto` is settled when a run begins.

    With `validation_epochs` validations stand at the end of every so many epochs instead. `best_metric`, which patience
    heeds too, is the BLEU of greedy translations, the loss on the development text, or this loss as training has it,
    smoothed. `validation_bleu: false` leaves the translations out.
    """

    batch_tokens: int = 4096
    max_steps: int = 100_000
    max_epochs: int | None = None
    schedule: str = "noam"
    learning_rate: float = setting(1.0, above=0)
    warmup_steps: int = 8000
    adam_beta_1: float = setting(0.9, below=1)
    adam_beta_2: float = setting(0.98, below=1)
    adam_epsilon: float = setting(1e-9, above=0)
    label_smoothing: float = setting(0.1, below=1)
    gradient_clip: float | None = setting(None, above=0)
    accumulate_batches: int = 1
    ema_decay: float | None = setting(None, below=1)
    precision: str = setting("float32", choices=("float32", "mixed_bfloat16", "mixed_float16", "auto"))
    log_interval: int = 100
    validation_interval: int = 1000
    validation_epochs: int | None = None
    validation_bleu: bool = True
    patience: int | None = None
    best_metric: str = setting("bleu", choices=("loss", "smoothed_loss", "bleu"))
    keep_last: int = 5
    keep_best: int = setting(0, at_least=0)
    average_last: int = setting(5, at_least=0)
    seed: int = setting(1, at_least=0)


@dataclasses.dataclass(frozen=True)
class DecodeConfig:
    """Search. `max_length` is in sub-words; by default twice the source's length and ten more."""

    beam_size: int = setting(4, at_most=MOST_HYPOTHESES)
    length_penalty: float = 0.6
    length_penalty_type: str = setting("gnmt", choices=("gnmt", "average", "none"))
    max_length: int | None = None
    batch_size: int = 64


@dataclasses.dataclass(frozen=True)
class ExperimentConfig:
    """Everything that a run depends on."""

    model: ModelConfig = ModelConfig()
    data: DataConfig = DataConfig()
    train: TrainConfig = TrainConfig()
    decode: DecodeConfig = DecodeConfig()


def load_config(path, upgrade=None):
    """The configuration in a YAML file.

    Args:
        path: the file.
        upgrade: a function of the mapping in a file that an earlier version wrote, see `former_runs`.

    Raises:
        InputError: when the file cannot be read or holds an unknown key or a wrong value.
    """
    mapping = yaml_files.read_yaml(path, "configuration")
    if not isinstance(mapping, dict):
        raise InputError(f"{path} must hold the keys {', '.join(_fields(ExperimentConfig))} at its top level")
    return from_dict(upgrade(mapping) if upgrade else mapping)


def from_dict(mapping):
    """The `ExperimentConfig` of nested dictionaries; keys left out keep their defaults."""
    return _parse(ExperimentConfig, mapping, "")


def to_dict(config):
    """Nested dictionaries and lists, as they stand in YAML."""
    return _plain(dataclasses.asdict(config))


def to_yaml(config):
    """YAML with every key, defaults included."""
    return yaml_files.to_yaml(to_dict(config))


def override(config, assignments):
    """The configuration with each `KEY=VALUE` applied, values in YAML: `model.attention.num_heads=4`.

    Another `model.attention.scheme` drops the options of the one before.

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
            raise _unknown_key(key)
        if key == "model.attention.scheme" and value != place[last]:
            options = place["options"] if isinstance(place["options"], dict) else {}
            place["options"] = {name: option for name, option in options.items() if name in COMMON_OPTIONS}
        place[last] = value
    return from_dict(mapping)


def differences(left, right):
    """Dotted keys in which two configurations differ, with both values."""
    left, right = flattened(to_dict(left)), flattened(to_dict(right))
    return {
        key: (left.get(key), right.get(key))
        for key in sorted(left.keys() | right.keys())
        if left.get(key) != right.get(key)
    }


def flattened(mapping, prefix=""):
    """Return `{"section.key": value}` of nested settings."""
    flat = {}
    for key, value in mapping.items():
        if isinstance(value, dict) and value:
            flat.update(flattened(value, f"{prefix}{key}."))
        else:
            flat[prefix + key] = value
    return flat


def _parse(cls, mapping, path):
    if not isinstance(mapping, dict):
        raise InputError(f"{path} must hold keys ({', '.join(_fields(cls))}), got {mapping!r}")
    for key in mapping:
        if key not in _fields(cls):
            raise _unknown_key(f"{path}.{key}".lstrip("."))
    hints = typing.get_type_hints(cls)
    values = {}
    for field in dataclasses.fields(cls):
        if field.name in mapping:
            key = f"{path}.{field.name}".lstrip(".")
            values[field.name] = _convert(hints[field.name], mapping[field.name], key, field.metadata)
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if required and field.name not in values:
            raise InputError(f"{path} lacks the key {field.name}")
    return cls(**values)


def _convert(hint, value, path, limits):
    """The value in the type of its field, or a one-line error."""
    if isinstance(hint, types.UnionType):  # X | None, or X | tuple[X, X]
        kinds = [kind for kind in typing.get_args(hint) if kind is not types.NoneType]
        if value is None and len(kinds) < len(typing.get_args(hint)):
            return None
        is_list = isinstance(value, list | tuple)
        fitting = [kind for kind in kinds if is_list == (typing.get_origin(kind) is tuple)]
        return _convert((fitting or kinds)[0], value, path, limits)
    if typing.get_origin(hint) is tuple:
        if not isinstance(value, list | tuple):
            raise InputError(f"{path} must be a list, got {value!r}")
        return tuple(_convert(typing.get_args(hint)[0], item, path, limits) for item in value)
    if dataclasses.is_dataclass(hint):
        return _parse(hint, value, path)
    return checked(hint, value, path, limits)


def _unknown_key(key):
    return unknown_key(key, list(flattened(to_dict(ExperimentConfig()))))


def _fields(cls):
    return [field.name for field in dataclasses.fields(cls)]


def _plain(value):
    """Tuples as lists, which YAML can write safely."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
