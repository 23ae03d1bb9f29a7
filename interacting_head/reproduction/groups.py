"""Groups of runs that one program can train at a time, see `training.together`, and the processes of such programs."""

import dataclasses
import json
import multiprocessing
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from data.errors import counted
from data.workers import in_new_process
from interacting_head import config as configuration
from interacting_head.config import ExperimentConfig, TrainConfig
from interacting_head.console import importing_keras

OWN = ("seed", "learning_rate", "schedule", "warmup_steps")
"""Settings of `train` in which the runs of a group may differ."""
NEEDED = {"gradient_accumulation_steps": 1, "ema_decay": None, "average_last": 0, "patience": None}
"""Settings of `train` that all runs of a group have."""

Runs = dict[Path, ExperimentConfig]
"""Run directory → configuration."""


def group_of(config: ExperimentConfig) -> str | None:
    """Return a string that a run has in common with all runs of its group; None for a run that trains alone."""
    # float16 skips steps at which a gradient overflows, and its schedule with them.
    if config.train.precision == "mixed_float16":
        return None
    if any(getattr(config.train, name) != value for name, value in NEEDED.items()):
        return None
    train = dataclasses.replace(config.train, **{name: getattr(TrainConfig(), name) for name in OWN})
    return json.dumps(configuration.to_dict(dataclasses.replace(config, train=train)), sort_keys=True)


def programs(runs: Runs, splits_of: Mapping[Path, Sequence[str]], most: int) -> list[tuple[list[Runs], tuple]]:
    """Return the work of each program: lists of at most `most` runs, one after another, and the splits to translate.

    The lists are as equal as can be, since each length needs a compilation. Groups of one run are left out.
    """
    groups = {}
    for path, config in runs.items():
        if (group := group_of(config)) is not None:
            groups.setdefault((group, tuple(splits_of[path])), []).append(path)
    found = []
    for (_, splits), paths in groups.items():
        if len(paths) > 1:
            size = -(-len(paths) // -(-len(paths) // most))
            parts = [paths[start : start + size] for start in range(0, len(paths), size)]
            found.append(([{path: runs[path] for path in part} for part in parts], splits))
    return found


def train_programs(
    works: Sequence[tuple[list[Runs], tuple]], corpora_dir: str | None, jobs: int
) -> Iterator[tuple[list[Path], str]]:
    """Do the work of programs, `jobs` at a time, each in a process of its own; yield the runs of each and a message."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # else the first process takes the memory of all
    with ThreadPoolExecutor(jobs) as threads:
        futures = {threads.submit(_in_a_process, parts, splits, corpora_dir): parts for parts, splits in works}
        try:
            for future in as_completed(futures):
                yield [path for part in futures[future] for path in part], future.result()
        except BaseException:  # a signal: the threads would wait for the programs to end
            threads.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.terminate()
            raise


def _in_a_process(*work):
    # A new one: a forked process cannot use a GPU, and a process that has trained keeps its memory.
    return in_new_process(train_program, *work) or "failed: its process was ended, perhaps for lack of memory"


def train_program(parts: list[Runs], splits: Sequence[str], corpora_dir: str | None) -> str:
    """Train lists of runs, each list at a time; return what was done, or the message of the error."""
    done, program = [], None
    try:
        with importing_keras():
            from interacting_head.training.together import Together
        for runs in parts:
            if program is None or len(runs) != len(program.runs):
                program = Together(runs, corpora_dir, splits)
                diverged = program.train()
            else:
                diverged = program.train(runs)
            done.append(f"trained {counted(len(runs) - len(diverged), 'run')}")
            done += [f"{path.name} has diverged" for path in diverged]
    except Exception as error:
        lines = str(error).splitlines() or [""]
        done.append(f"failed: {type(error).__name__}: {lines[0]}")
    return "; ".join(done)
