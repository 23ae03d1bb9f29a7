"""Groups of runs that one program can train at a time, see `training.together`, and the processes of such programs."""

import dataclasses
import json
import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from interacting_head import config as configuration
from interacting_head.config import ExperimentConfig, TrainConfig

OWN = ("seed", "learning_rate", "schedule", "warmup_steps")
"""Settings of `train` in which the runs of a group may differ."""
NEEDED = {"gradient_accumulation_steps": 1, "ema_decay": None, "average_last": 0, "patience": None}
"""Settings of `train` that all runs of a group have. None draws its pairs, so that all have batches of equal shapes."""

Runs = dict[Path, ExperimentConfig]
"""Run directory → configuration."""


def group_of(config: ExperimentConfig) -> str | None:
    """Return a string that a run has in common with all runs of its group; None for a run that trains alone."""
    if config.data.train_pairs or any(getattr(config.train, name) != value for name, value in NEEDED.items()):
        return None
    train = dataclasses.replace(config.train, **{name: getattr(TrainConfig(), name) for name in OWN})
    return json.dumps(configuration.to_dict(dataclasses.replace(config, train=train)), sort_keys=True)


def programs(runs: Runs, splits_of: Mapping[Path, Sequence[str]], most: int) -> list[tuple[list[Runs], tuple]]:
    """Return the work of each program: lists of at most `most` runs, one after another, and the splits to translate.

    Groups of one run are left out.
    """
    groups = {}
    for path, config in runs.items():
        if (group := group_of(config)) is not None:
            groups.setdefault((group, tuple(splits_of[path])), []).append(path)
    return [
        ([{path: runs[path] for path in paths[start : start + most]} for start in range(0, len(paths), most)], splits)
        for (_, splits), paths in groups.items()
        if len(paths) > 1
    ]


def train_programs(
    works: Sequence[tuple[list[Runs], tuple]], corpora_dir: str | None, jobs: int
) -> Iterator[tuple[list[Path], str]]:
    """Do the work of programs, `jobs` at a time, each in a process; yield the runs of each and a message."""
    # New processes: a forked one cannot use a GPU.
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        futures = {pool.submit(train_program, parts, splits, corpora_dir): parts for parts, splits in works}
        try:
            for future in as_completed(futures):
                yield [path for part in futures[future] for path in part], future.result()
        except BaseException:  # a signal: the pool would wait for the programs to end
            for process in multiprocessing.active_children():
                process.terminate()
            raise


def train_program(parts: list[Runs], splits: Sequence[str], corpora_dir: str | None) -> str:
    """Train lists of runs, each list at a time; return what was done, or the message of the error."""
    from interacting_head.training.together import Together  # here, because it imports Keras

    trained, program = 0, None
    try:
        for runs in parts:
            if program is None or len(runs) != len(program.runs):
                program = Together(runs, corpora_dir, splits)
                program.train()
            else:
                program.train(runs)
            trained += len(runs)
    except Exception as error:
        lines = str(error).splitlines() or [type(error).__name__]
        return f"failed after {trained} runs: {lines[0]}"
    return f"trained {trained} runs"
