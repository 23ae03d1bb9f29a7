"""The space of a search: the values that each stage tries, from a YAML file."""

from pathlib import Path

from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from data.errors import InputError
from interacting_head.yaml_files import read_yaml

DEFAULT_SPACE = Path(__file__).parent / "search_space.yaml"


def load_space(path):
    """`{stage: {configuration key: Optuna's distribution}}` of a YAML file.

    ```
    architecture:
      model.attention.num_heads: [2, 4, 8]
    regularization:
      model.dropout: {low: 0.1, high: 0.5}
      train.learning_rate: {low: 1e-4, high: 3e-3, log: true}
    ```

    Raises:
        InputError: when the file cannot be read or does not have this form.
    """
    mapping = read_yaml(path, "search space")
    if not (isinstance(mapping, dict) and mapping and all(isinstance(x, dict) and x for x in mapping.values())):
        raise InputError(
            f"{path} must hold stages, and each of them keys with values: {{architecture: {{KEY: [1, 2]}}}}"
        )
    return {
        str(stage): {str(key): _distribution(path, key, values) for key, values in keys.items()}
        for stage, keys in mapping.items()
    }


def default_space(config):
    """The space of Goindani & Shrivastava 2021 for an `ExperimentConfig`, without options that it does not set."""
    options = {f"model.attention.options.{name}" for name in config.model.attention.options}
    space = {
        stage: {key: values for key, values in keys.items() if ".options." not in key or key in options}
        for stage, keys in load_space(DEFAULT_SPACE).items()
    }
    return {stage: keys for stage, keys in space.items() if keys}


def _distribution(path, key, values):
    if isinstance(values, list) and values and all(isinstance(x, bool | int | float | str) for x in values):
        return CategoricalDistribution(values)
    if isinstance(values, dict) and {"low", "high"} <= values.keys() <= {"low", "high", "log"}:
        low, high, log = values["low"], values["high"], values.get("log", False)
        are_numbers = all(isinstance(x, int | float) and not isinstance(x, bool) for x in (low, high))
        if are_numbers and low < high and isinstance(log, bool) and (low > 0 or not log):
            are_whole = isinstance(low, int) and isinstance(high, int)
            return IntDistribution(low, high, log) if are_whole else FloatDistribution(low, high, log)
    raise InputError(f"{path}: {key} must be a list of numbers or words, or {{low: 0.1, high: 0.5}}, got {values!r}")
