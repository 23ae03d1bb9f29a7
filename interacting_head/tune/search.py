"""A search of hyper-parameters in stages, each on top of the best trial so far; a trial is a training run."""

import csv
import itertools
import json
import math
import os
import signal
import sys
import warnings
from pathlib import Path

import optuna
from optuna.distributions import CategoricalDistribution, distribution_to_json
from optuna.storages import JournalStorage
from optuna.trial import TrialState, create_trial

from data.errors import InputError
from data.files import PARTIAL, make_folder, sole_use
from interacting_head import config as configuration
from interacting_head.config import override
from interacting_head.console import RunError, atomic_write
from interacting_head.run_directory import RunDirectory
from interacting_head.tune.journal import Journal

COMPARABLE = ("data.train_pairs", "data.seed")
"""Keys of the text that change neither the development text nor its sub-words, of which a loss is the mean."""
FINISHED = (TrialState.COMPLETE, TrialState.PRUNED)  # pruned are those that diverged


class Search:
    """A search in a folder of its own, which the same call continues.

    ```
    search.json  journal.log (Optuna's)  trials/STAGE,KEY=VALUE,… (run directories)  results.csv  best.yaml  STAGE.png
    ```

    Args:
        config: the `ExperimentConfig` to start from.
        space: see `space.load_space`.
        folder: where to write; made where it does not exist.
        trials: None: each stage tries every combination of its values. A number: each stage makes so many trials, which
            Optuna's tree-structured Parzen estimator chooses.

    Raises:
        InputError: for a key or value that the configuration refuses, a range without `trials`, a folder that holds
            another search, or in which one is at work.
    """

    def __init__(self, config, space, folder, trials=None):
        self.config, self.space, self.folder, self.trials = config, space, Path(folder), trials
        self._check_space()
        self._check_folder()
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        with sole_use(self.folder):
            storage = JournalStorage(Journal(self.folder / "journal.log"))
            self.studies = {
                stage: optuna.create_study(storage=storage, study_name=stage, load_if_exists=True) for stage in space
            }

    def run(self, corpora_dir=None):
        """Searches to the end; returns the number of the signal that ended it before, or None.

        Raises:
            RunError: when no trial of a stage could be trained to its end.
            InputError: for a trial that cannot be trained, see `training.train`; when another search is at work in the
                folder.
        """
        with sole_use(self.folder):
            return self._run_stages(corpora_dir)

    def _run_stages(self, corpora_dir):
        for stage, study in self.studies.items():
            received = self._run_stage(stage, self.best(before=stage), corpora_dir)
            self.write_results()
            if received:
                print(f"stopped by {signal.Signals(received).name}; the same command continues", file=sys.stderr)
                return received
            if not study.get_trials(states=[TrialState.COMPLETE]):
                raise RunError(f"all trainings of the stage {stage} have diverged; see {self.folder / 'trials'}")
            self._plot(stage)
        return None

    def results(self, stage):
        """A dictionary for each finished trial of a stage, the best first: run, validation loss, its values."""
        trials = self.studies[stage].get_trials(states=FINISHED)
        return [
            {"run": trial.user_attrs["run"], "validation_loss": trial.value}
            | {name: trial.user_attrs.get(name) for name in ("bleu", "step")}
            | trial.params
            for trial in sorted(trials, key=lambda trial: math.inf if trial.value is None else trial.value)
        ]

    def best(self, before=None):
        """Return the `ExperimentConfig` of the trial with the least validation loss, the first of equal ones.

        A stage starts from the best trial before it, and all of its values may be worse. Losses count as they are, also
        where a stage trains for another number of steps: `train.py` with this configuration repeats the trial.

        Args:
            before: the first stage whose trials do not count. Without trials, the configuration is the search's own.
        """
        config, least = self.config, math.inf
        for stage in itertools.takewhile(lambda stage: stage != before, self.space):
            trial = next(iter(self.results(stage)), {"validation_loss": None})
            if trial["validation_loss"] is not None and trial["validation_loss"] < least:
                least = trial["validation_loss"]
                config = override(config, _assignments({key: trial[key] for key in self.space[stage]}))
        return config

    def write_results(self):
        """Writes results.csv, and best.yaml: the configuration of the best trial of all stages so far."""
        rows = [{"stage": stage, **row} for stage in self.space for row in self.results(stage)]
        columns = list(dict.fromkeys(["stage", *(key for row in rows for key in row)]))
        with atomic_write(self.folder / "results.csv", newline="") as file:
            writer = csv.DictWriter(file, columns)
            writer.writeheader()
            writer.writerows(rows)
        with atomic_write(self.folder / "best.yaml") as file:
            file.write(configuration.to_yaml(self.best()))

    def print_table(self):
        """Prints the finished trials of each stage, the best first."""
        for stage, keys in self.space.items():
            names = ["validation_loss", "bleu", "step", *keys]
            lines = [names, *([_cell(row[name]) for name in names] for row in self.results(stage))]
            widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
            print(f"\n{stage}")
            for line in lines:
                print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())

    def _check_space(self):
        from interacting_head.model.placement import check_model
        from interacting_head.training.schedules import schedule_class

        for stage, keys in self.space.items():
            for key, distribution in keys.items():
                if key.startswith("data.") and key not in COMPARABLE:
                    raise InputError(
                        f"{key} of {stage} changes the sub-words or the development text, so that losses cannot be "
                        "compared; train a run for each value and compare BLEU"
                    )
                is_choice = isinstance(distribution, CategoricalDistribution)
                if self.trials is None and not is_choice:
                    raise InputError(f"{key} of {stage} is a range, of which there is no grid; give --trials N")
                for value in distribution.choices if is_choice else (distribution.low, distribution.high):
                    config = override(self.config, _assignments({key: value}))
                    check_model(config.model)
                    schedule_class(config.train.schedule)

    def _check_folder(self):
        space = {stage: {key: distribution_to_json(x) for key, x in keys.items()} for stage, keys in self.space.items()}
        ours = {"config": configuration.to_dict(self.config), "space": space, "trials": self.trials}
        path = self.folder / "search.json"
        if path.is_file():
            theirs = json.loads(path.read_text(encoding="utf-8"))
            # Earlier versions stored the paths as they were given.
            text = theirs.get("config", {}).get("data", {})
            text |= {name: os.path.abspath(text[name]) for name in configuration.OWN_FILES if text.get(name)}
            if changed := [name for name in ours if json.loads(json.dumps(ours[name])) != theirs.get(name)]:
                raise InputError(
                    f"{self.folder} holds a search with another {' and '.join(changed)}; give the same command again "
                    "or choose another --search-dir"
                )
            return
        if self.folder.exists() and (not self.folder.is_dir() or any(map(_is_complete, self.folder.iterdir()))):
            raise InputError(f"{self.folder} holds something other than a search; choose another --search-dir")
        make_folder(self.folder)
        with atomic_write(path) as file:
            json.dump(ours, file, indent=2)

    def _run_stage(self, stage, config, corpora_dir):
        """Makes the trials of a stage that are left; returns the number of the signal that ended it, or None."""
        study, keys = self.studies[stage], self.space[stage]
        for parameters in self._parameters_left(stage):
            result = self._train(stage, parameters, config, corpora_dir)
            if isinstance(result, int):
                return result
            study.add_trial(create_trial(params=parameters, distributions=keys, **result))
            self.write_results()
        while (finished := len(study.get_trials(states=FINISHED))) < (self.trials or 0):
            study.sampler = optuna.samplers.TPESampler(seed=config.train.seed + finished)
            trial = study.ask(keys)
            result = self._train(stage, trial.params, config, corpora_dir)
            # The result is a trial of its own, as that of a trial which is continued.
            study.tell(trial, state=TrialState.FAIL)
            if isinstance(result, int):
                return result
            study.add_trial(create_trial(params=trial.params, distributions=keys, **result))
            self.write_results()
        return None

    def _parameters_left(self, stage):
        """The values of trials that were begun and not finished, and in a grid of those not begun."""
        study, keys = self.studies[stage], self.space[stage]
        finished = [trial.params for trial in study.get_trials(states=FINISHED)]
        if self.trials is None:
            values = itertools.product(*(distribution.choices for distribution in keys.values()))
            return [
                x for x in (dict(zip(keys, combination, strict=True)) for combination in values) if x not in finished
            ]
        begun = [trial.params for trial in study.get_trials(states=[TrialState.RUNNING, TrialState.FAIL])]
        return [parameters for parameters in begun if parameters and parameters not in finished]

    def _train(self, stage, parameters, config, corpora_dir):
        """Trains with these values; returns arguments of `create_trial`, or the number of the signal that ended it."""
        import keras

        from interacting_head.training.trainer import DivergedError, train

        run = RunDirectory(self.folder / "trials" / _run_name(stage, parameters))
        count = f"{len(self.results(stage)) + 1} of {self._number_of_trials(stage)}"
        print(f"{stage}, trial {count}: {', '.join(_assignments(parameters))}", file=sys.stderr)
        keras.backend.clear_session()
        try:
            received = train(override(config, _assignments(parameters)), run.path, corpora_dir)
        except DivergedError as error:
            print(f"{run.path}: {error}", file=sys.stderr)
            return {"state": TrialState.PRUNED, "user_attrs": {"run": run.path.name, "error": str(error)}}
        if received:
            return int(received)
        best = min(run.read_log(), key=lambda record: record["validation_loss"])
        attributes = {"run": run.path.name, "bleu": best.get("bleu"), "step": best["step"]}
        return {"value": best["validation_loss"], "user_attrs": attributes}

    def _number_of_trials(self, stage):
        return self.trials or math.prod(len(distribution.choices) for distribution in self.space[stage].values())

    def _plot(self, stage):
        """Writes STAGE.png: the validation loss of the trials over each key."""
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that these figures may change, and of axes with one value
            axes = optuna.visualization.matplotlib.plot_slice(self.studies[stage], target_name="validation loss")
        figure = (axes.flat[0] if hasattr(axes, "flat") else axes).figure
        figure.suptitle(stage)
        with atomic_write(self.folder / f"{stage}.png", "wb") as file:
            figure.savefig(file, format="png", dpi=150, bbox_inches="tight")
        pyplot.close(figure)


def _is_complete(path):
    return not path.name.startswith(PARTIAL)


def _run_name(stage, parameters):
    """Such as `architecture,num_heads=4`, the same for the same values, so that a run is found again."""
    shown = [f"{key.removeprefix('model.').removeprefix('train.')}={value}" for key, value in parameters.items()]
    return ",".join([stage, *shown]).replace("/", "_")


def _assignments(parameters):
    return [f"{key}={json.dumps(value)}" for key, value in parameters.items()]


def _cell(value):
    return "–" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)
