"""Hyper-parameter search in stages, each starting from the best trial so far; a trial is a training run."""

import csv
import hashlib
import itertools
import json
import math
import os
import signal
import sys
import warnings
from pathlib import Path

import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
    distribution_to_json,
)
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import TrialState, create_trial

from data.errors import InputError, MisfitError
from data.files import PARTIAL, full_disk_named, make_folder, sole_use, write_json
from interacting_head import config as configuration
from interacting_head.config import ExperimentConfig, assignment, override
from interacting_head.config.yaml_files import read_yaml
from interacting_head.console import RunError, atomic_write
from interacting_head.console.text_tables import aligned
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.training.checkpoints import score_of

DEFAULT_SPACE = Path(__file__).parent / "search_space.yaml"
COMPARABLE = ("data.train_pairs", "data.seed")  # keys of `data` that change neither development text nor sub-words
UNSCORED = ("train.ema_decay", "train.average_last", "train.keep_last", "train.keep_best", "train.log_interval")
"""Keys of `train` that change no validation."""
LONGEST_NAME = 255  # bytes of a folder's name on common file systems
FINISHED = (TrialState.COMPLETE, TrialState.PRUNED)  # diverged and invalid trials are stored as pruned

Space = dict[str, dict[str, BaseDistribution]]
"""Stage → configuration key → Optuna's distribution of its values."""


def load_space(path: str | Path) -> Space:
    """Return the search space in a YAML file; raise `InputError` unless it is as `tune --help` describes it."""
    mapping = read_yaml(path, "search space")
    if not (isinstance(mapping, dict) and mapping and all(isinstance(x, dict) and x for x in mapping.values())):
        raise InputError(
            f"{path} must map stages to configuration keys and their values: {{architecture: {{KEY: [1, 2]}}}}"
        )
    if unfit := [stage for stage in map(str, mapping) if "/" in stage]:
        raise InputError(f"{path}: the stage {unfit[0]!r} is also a file name; name it without '/'")
    return {
        str(stage): {str(key): _distribution(path, key, values) for key, values in keys.items()}
        for stage, keys in mapping.items()
    }


def default_space(config: ExperimentConfig) -> Space:
    """Return `DEFAULT_SPACE` without attention options that the configuration lacks."""
    options = {f"model.attention.options.{name}" for name in config.model.attention.options}
    space = {
        stage: {key: values for key, values in keys.items() if ".options." not in key or key in options}
        for stage, keys in load_space(DEFAULT_SPACE).items()
    }
    return {stage: keys for stage, keys in space.items() if keys}


def _distribution(path, key, values):
    if isinstance(values, list) and values and all(isinstance(x, bool | int | float | str) for x in values):
        if len(set(values)) < len(values):
            raise InputError(f"{path}: {key} has a value twice, in {values}; remove one")
        return CategoricalDistribution(values)
    if isinstance(values, dict) and {"low", "high"} <= values.keys() <= {"low", "high", "log"}:
        low, high, log = values["low"], values["high"], values.get("log", False)
        are_numbers = all(isinstance(x, int | float) and not isinstance(x, bool) for x in (low, high))
        if are_numbers and low < high and isinstance(log, bool) and (low > 0 or not log):
            are_whole = isinstance(low, int) and isinstance(high, int)
            return IntDistribution(low, high, log) if are_whole else FloatDistribution(low, high, log)
    raise InputError(f"{path}: {key} must be a list of numbers or words, or {{low: 0.1, high: 0.5}}, got {values!r}")


class Journal(JournalFileBackend):
    """Optuna's journal, which first cleans up after a killed process: its lock and a truncated line."""

    def __init__(self, path: Path):
        for left in path.parent.glob(f"{path.name}.lock*"):
            left.unlink()
        if path.is_file():
            os.truncate(path, path.read_bytes().rfind(b"\n") + 1)
        super().__init__(str(path))
        self.path = path

    def append_logs(self, logs: list[dict]) -> None:
        with full_disk_named(self.path):
            super().append_logs(logs)


class Search:
    """A search in a folder, resumed by the same call.

    ```
    search.json  journal.log (Optuna's)  trials/STAGE,KEY=VALUE,… (run directories)  results.csv  best.yaml  STAGE.png
    ```

    Args:
        config: the configuration to start from.
        trials: number of trials in each stage, chosen by Optuna's tree-structured Parzen estimator, all different.
            None, or at least the number of combinations of the stage's values: every combination.
        metric: `loss` or `bleu` on the development text. A trial has the score of its best validation.

    Raises `InputError` for a key or value that the configuration rejects, a range without `trials`, `bleu` without
    `train.validation_bleu`, or a folder that holds another search or is in use.
    """

    def __init__(
        self,
        config: ExperimentConfig,
        space: Space,
        folder: str | Path,
        trials: int | None = None,
        metric: str = "loss",
    ):
        self.config, self.space, self.folder, self.trials, self.metric = config, space, Path(folder), trials, metric
        self._check_space()
        self._check_folder()
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        with sole_use(self.folder):
            storage = JournalStorage(Journal(self.folder / "journal.log"))
            self.studies = {
                stage: optuna.create_study(storage=storage, study_name=stage, load_if_exists=True) for stage in space
            }

    def run(self, corpora_dir: str | None = None) -> int | None:
        """Run all stages; return the number of the signal that interrupted them, or None.

        Raises:
            RunError: if every trial of a stage diverges, does not fit into memory, or has values that do not fit
                together or the text.
            InputError: if a trial cannot be trained for another reason, see `training.train`, or the folder is in use.
        """
        with sole_use(self.folder):
            for stage, study in self.studies.items():
                received = self._run_stage(stage, self.best(before=stage), corpora_dir)
                self.write_results()
                if received:
                    print(f"stopped by {signal.Signals(received).name}; the same command continues", file=sys.stderr)
                    return received
                if not study.get_trials(states=[TrialState.COMPLETE]):
                    *_, last = study.get_trials(states=FINISHED)
                    raise RunError(
                        f"all trials of the stage {stage} diverged or were invalid; the last one: "
                        f"{last.user_attrs['error']}"
                    )
                self._plot(stage)
        return None

    def results(self, stage: str) -> list[dict]:
        """Return run, scores of the best validation and values of each finished trial of a stage, the best first."""
        rows = []
        for trial in self.studies[stage].get_trials(states=FINISHED):
            # Earlier versions stored the loss only as the trial's value.
            found = {"validation_loss": trial.value, **trial.user_attrs}
            rows.append({name: found.get(name) for name in ("run", "validation_loss", "bleu", "step")} | trial.params)
        return sorted(rows, key=self._rank)

    def best(self, before: str | None = None) -> ExperimentConfig:
        """Return the configuration of the best trial, the first one if there is a tie.

        It may come from an earlier stage, if no value of a later one was better. Scores are compared as they are, even
        between stages that train for different numbers of steps. Ignore trials from the stage `before` on; without
        trials, return the initial configuration.
        """
        config, least = self.config, math.inf
        for stage in itertools.takewhile(lambda stage: stage != before, self.space):
            trial = next(iter(self.results(stage)), None)
            if trial and self._rank(trial) < least:
                least = self._rank(trial)
                config = override(config, _assignments({key: trial[key] for key in self.space[stage]}))
        return config

    def _rank(self, scores):
        """Return a number that is least for the best trial or validation; for a diverged or invalid trial, infinity."""
        return math.inf if scores["validation_loss"] is None else -score_of(scores, self.metric)

    def write_results(self) -> None:
        """Write results.csv, and best.yaml with the configuration of the best trial so far."""
        rows = [{"stage": stage, **row} for stage in self.space for row in self.results(stage)]
        columns = list(dict.fromkeys(["stage", *(key for row in rows for key in row)]))
        with atomic_write(self.folder / "results.csv", newline="") as file:
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(rows)
        with atomic_write(self.folder / "best.yaml") as file:
            file.write(configuration.to_yaml(self.best()))

    def print_table(self) -> None:
        """Print the finished trials of each stage, the best first."""
        for stage, keys in self.space.items():
            names = ["validation_loss", "bleu", "step", *keys]
            rows = [names, *([_cell(row[name]) for name in names] for row in self.results(stage))]
            print(f"\n{stage}", *aligned(rows, left=range(len(names))), sep="\n")

    def _check_space(self):
        so_far = []
        for stage, keys in self.space.items():
            so_far += [{key: value} for key, one in keys.items() for value in _limits(one)]
            for key, distribution in keys.items():
                if key.startswith("data.") and key not in COMPARABLE:
                    raise InputError(
                        f"{key} of {stage} changes the sub-words or the development text, so losses cannot be "
                        "compared; train one run for each value and compare BLEU"
                    )
                is_read = key == "decode.max_length" and self.metric == "bleu"
                if key in UNSCORED or (key.startswith("decode.") and not is_read):
                    raise InputError(
                        f"{key} of {stage} does not change the scores of a trial's validations, by which trials are "
                        "compared; leave it out, and choose it for the best trial"
                    )
                if self.trials is None and not isinstance(distribution, CategoricalDistribution):
                    raise InputError(f"{key} of {stage} is a range, which has no grid to search; give --trials N")
                for value in _limits(distribution):
                    config = self._fitting({key: value}, so_far)
                    if self.metric == "bleu" and not config.train.validation_bleu:
                        raise InputError("--metric bleu needs train.validation_bleu=true in all trials")

    def _fitting(self, parameters, others):
        """Return a trainable configuration with these parameters, if need be with one of the others too.

        Raises `InputError` if there is none.
        """
        from interacting_head.training.setup import check

        errors = []
        for other in ({}, *others):
            try:
                config = override(self.config, _assignments({**other, **parameters}))
                check(config)
            except InputError as error:
                errors.append(error)
            else:
                return config
        raise errors[0]

    def _check_folder(self):
        space = {stage: {key: distribution_to_json(x) for key, x in keys.items()} for stage, keys in self.space.items()}
        config = configuration.to_dict(self.config)
        ours = {"config": config, "space": space, "trials": self.trials, "metric": self.metric}
        path = self.folder / "search.json"
        if path.is_file():
            try:
                theirs = {"metric": "loss"} | json.loads(path.read_text(encoding="utf-8"))
                # Earlier versions stored the paths as they were given.
                text = theirs["config"]["data"]
                text |= {name: os.path.abspath(text[name]) for name in configuration.OWN_FILES if text.get(name)}
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(f"{path} is damaged; restore it, or choose another --search-dir") from error
            if changed := [name for name in ours if json.loads(json.dumps(ours[name])) != theirs.get(name)]:
                raise InputError(
                    f"{self.folder} holds a search with different {' and '.join(changed)}; repeat its command or "
                    "choose another --search-dir"
                )
            return
        if self.folder.exists() and not (
            self.folder.is_dir() and all(path.name.startswith(PARTIAL) for path in self.folder.iterdir())
        ):
            raise InputError(f"{self.folder} holds something other than a search; choose another --search-dir")
        make_folder(self.folder)
        write_json(path, ours)

    def _run_stage(self, stage, config, corpora_dir):
        """Run the remaining trials of a stage; return the number of the signal that interrupted it, or None."""
        study, keys = self.studies[stage], self.space[stage]
        for parameters in self._parameters_left(stage):
            if received := self._train(stage, parameters, config, corpora_dir):
                return received
        sampler = optuna.samplers.TPESampler
        while len(finished := {row["run"] for row in self.results(stage)}) < self._number_of_trials(stage):
            study.sampler = sampler(seed=config.train.seed + len(study.trials))
            trial = study.ask(keys)
            is_new = run_name(stage, trial.params) not in finished
            # The estimator may propose the same values again, and would do so until it has another result.
            sampler = optuna.samplers.TPESampler if is_new else optuna.samplers.RandomSampler
            received = self._train(stage, trial.params, config, corpora_dir) if is_new else None
            study.tell(trial, state=TrialState.FAIL)  # `_train` stores the result as another trial
            if received:
                return received
        return None

    def _number_of_trials(self, stage):
        combinations = math.prod(_number_of_values(distribution) for distribution in self.space[stage].values())
        return combinations if self.trials is None else min(self.trials, combinations)

    def _parameters_left(self, stage):
        """Return the values of unfinished trials and, in a grid, of trials that have not started."""
        study, keys = self.studies[stage], self.space[stage]
        choices = [getattr(distribution, "choices", None) for distribution in keys.values()]
        if all(choices) and math.prod(map(len, choices)) == self._number_of_trials(stage):
            wanted = [dict(zip(keys, values, strict=True)) for values in itertools.product(*choices)]
        else:
            wanted = [trial.params for trial in study.get_trials(states=[TrialState.RUNNING, TrialState.FAIL])]
        finished = [trial.params for trial in study.get_trials(states=FINISHED)]
        return [parameters for parameters in wanted if parameters and parameters not in finished]

    def _train(self, stage, parameters, config, corpora_dir):
        """Train with these values and store the result as a trial; return the number of an interrupting signal."""
        import keras

        from interacting_head.model.allocation import MemoryExceededError
        from interacting_head.training.setup import check
        from interacting_head.training.trainer import DivergedError, train

        run = RunDirectory(self.folder / "trials" / run_name(stage, parameters))
        keys = self.space[stage]
        position = f"trial {len(self.results(stage)) + 1} of {self._number_of_trials(stage)}"
        print(f"{stage}, {position}: {', '.join(_assignments(parameters))}", file=sys.stderr)
        keras.backend.clear_session()
        try:
            config, error = override(config, _assignments(parameters)), None
            check(config)
        except InputError as refused:  # each value fits the first configuration, but not these values together
            error = refused
        else:
            try:
                received = train(config, run.path, corpora_dir)
            except (DivergedError, MisfitError, MemoryExceededError) as unfit:
                error = unfit
        if error:
            print(f"{run.path}: {error}", file=sys.stderr)
            result = {"state": TrialState.PRUNED, "user_attrs": {"run": run.path.name, "error": str(error)}}
        else:
            if received:
                return int(received)
            best = min(run.read_log(), key=self._rank)
            scores = {name: best.get(name) for name in ("validation_loss", "bleu", "step")}
            result = {"value": self._rank(best), "user_attrs": {"run": run.path.name, **scores}}
        self.studies[stage].add_trial(create_trial(params=parameters, distributions=keys, **result))
        self.write_results()
        return None

    def _plot(self, stage):
        """Write STAGE.png: the score by the values of each key."""
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # experimental API, and axes with a single value
            axes = optuna.visualization.matplotlib.plot_slice(
                self.studies[stage],
                target=lambda trial: abs(trial.value),  # BLEU is stored as a negative number, to be minimised
                target_name={"loss": "validation loss", "bleu": "BLEU"}[self.metric],
            )
        figure = (axes.flat[0] if hasattr(axes, "flat") else axes).figure
        figure.suptitle(stage)
        with atomic_write(self.folder / f"{stage}.png", "wb") as file:
            figure.savefig(file, format="png", dpi=150, bbox_inches="tight")
        pyplot.close(figure)


def _limits(distribution):
    """Return the choices of a distribution, or the ends of its range."""
    return getattr(distribution, "choices", None) or (distribution.low, distribution.high)


def _number_of_values(distribution):
    match distribution:
        case CategoricalDistribution():
            return len(distribution.choices)
        case IntDistribution():
            return distribution.high - distribution.low + 1
        case _:
            return math.inf


def run_name(stage: str, parameters: dict) -> str:
    """Return a name such as `architecture,num_heads=4`, equal for equal values, to find the run on resume."""
    shown = [f"{key.removeprefix('model.').removeprefix('train.')}={value}" for key, value in parameters.items()]
    name = ",".join([stage, *shown]).replace("/", "_")
    if len(os.fsencode(name)) > LONGEST_NAME:
        name = f"{stage},{hashlib.sha256(os.fsencode(name)).hexdigest()[:16]}"
    return name


def _assignments(parameters):
    return [assignment(key, value) for key, value in parameters.items()]


def _cell(value):
    return "–" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
