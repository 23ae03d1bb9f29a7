"""Train, translate and score the missing runs of tables, one after another or one on each GPU."""

import contextlib
import dataclasses
import functools
import itertools
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from statistics import mean

from tqdm import tqdm

from data.command_line import format_os_error
from data.corpora.corpus import open_corpus
from data.errors import InputError
from data.files import make_folder, sole_use
from interacting_head.console import RunError
from interacting_head.model.flops import matmul_flops
from interacting_head.reproduction.groups import programs, train_programs
from interacting_head.reproduction.results import Results
from interacting_head.reproduction.scoring import call, check_finished, missing_of, score_run, stop_running
from interacting_head.reproduction.tables import Experiment, Run, Tests
from interacting_head.runs import run_folder

Work = tuple[Run, Tests, tuple[str, ...]]
"""A run, its test sets and its metrics."""


@dataclasses.dataclass
class Runner:
    """Train and score the runs that results lack.

    Attributes:
        budget: hours; runs that would not end in time are not started, and runs that take longer are stopped.
        jobs: number of parallel runs on a machine without GPUs; each gets its share of the cores.
        embedder: see `score_run`.
        together: most runs that one program trains at a time, see `groups`; 0: each run has its own.
        end: end of the budget on the clock of `time.monotonic`, or None.
        failed: `{run: message}` of failed runs.
        left_out: names of runs that were skipped or stopped because of the budget.
    """

    results: Results
    runs_dir: str | Path
    corpora_dir: str | None = None
    budget: float | None = None
    jobs: int = 1
    embedder: str | None = None
    together: int = 0

    def __post_init__(self):
        self.runs_dir = Path(self.runs_dir)
        self.end = None if self.budget is None else time.monotonic() + 3600 * self.budget
        self.failed, self.left_out = {}, []

    def make(self, wanted: Iterable[Work]) -> None:
        """Train and score runs; report failures and go on. Raises `InputError`, at first, if a corpus is missing."""
        wanted = [work for work in wanted if self._is_missing(*work)]
        check_test_sets(wanted, self.corpora_dir)
        if self.together:
            self._make_together(wanted)
            wanted = [work for work in wanted if self._is_missing(*work)]
        self._each({work[0]: functools.partial(self._score, *work) for work in wanted})

    def train(self, runs: Iterable[Run], splits_of: Tests) -> None:
        """Train runs whose directories are missing or unfinished; failures, and missing splits, as in `make`."""
        runs = [run for run in runs if not self._is_trained(run)]
        check_test_sets([(run, splits_of, ()) for run in runs], self.corpora_dir)
        self._each({run: functools.partial(self._trained, run) for run in runs})

    def _trained(self, run, environment):
        check_finished(self.folder(run))
        return "trained"

    def _make_together(self, wanted):
        """Train the groups of runs that one program can train at a time, and score each group when it is trained.

        Groups of one, and runs that have begun alone, are left out.
        """
        works = {self.folder(work[0]): work for work in wanted if not self._has_begun(work[0])}
        splits_of = {path: tuple(dict.fromkeys(itertools.chain(*work[1].values()))) for path, work in works.items()}
        found = programs({path: work[0].config for path, work in works.items()}, splits_of, self.together)
        count = sum(len(part) for parts, _ in found for part in parts)
        print(f"{count} of {len(wanted)} runs train together", file=sys.stderr)
        make_folder(self.runs_dir)
        with tqdm(total=count, unit="run", disable=None) as progress:
            for paths, outcome in train_programs(found, self.corpora_dir, self.jobs):
                for path in paths:
                    progress.write(f"{path.name}: {self._scored(works[path]) or outcome}", file=sys.stderr)
                    progress.update()

    def _scored(self, work):
        """Score a run if it is trained; return a message, or None."""
        if not self._is_trained(work[0]):
            return None
        try:
            return self._score(*work, self.environment())
        except (InputError, RunError, OSError) as error:
            return f"not scored: {error}"  # `make` tries again

    def _clear_remains(self, run):
        """Remove what a program left that was killed while it wrote results: `train` cannot resume it."""
        folder = self.folder(run)
        if folder.is_dir() and not self._has_begun(run):
            with sole_use(folder):
                run_folder.clear(folder)

    def _is_trained(self, run):
        return (self.folder(run) / "metrics.json").is_file()

    def _has_begun(self, run):
        return self._is_trained(run) or any((self.folder(run) / "checkpoints").glob("*"))

    def folder(self, run: Run) -> Path:
        """Return the run directory of a run."""
        return self.runs_dir / run.name

    def _each(self, works: Mapping[Run, Callable]):
        """Train runs and call the function of each with its environment; it returns a message."""
        found, devices = gpus(), SimpleQueue()
        for device in found or shares_of_cores(self.jobs):
            devices.put(device)
        at_once, share = devices.qsize(), 1 if found else 1 / self.jobs
        seconds = [estimated_seconds(run, self.results, share) for run in works]
        with (
            self.stopped_at_the_end(),
            tqdm(total=round(sum(seconds) / at_once), unit="s", disable=None, bar_format=BAR) as progress,
            ThreadPoolExecutor(at_once) as pool,
        ):
            try:
                done = pool.map(functools.partial(self._one, devices), works, works.values(), seconds)
                for run, message in zip(works, done, strict=True):
                    progress.update(seconds.pop(0) / at_once)
                    progress.write(f"{run.name}: {message}", file=sys.stderr)
            except BaseException:  # an interrupt: start nothing else
                stop_running()
                pool.shutdown(cancel_futures=True)
                raise

    @contextlib.contextmanager
    def stopped_at_the_end(self) -> Iterator[None]:
        """Stop the processes of the block when the budget ends; runs save their state."""
        if self.end is None:
            yield
            return
        timer = threading.Timer(self.end - time.monotonic(), stop_running)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def ends_within(self, seconds: float) -> bool:
        """Return whether the budget ends within these seconds."""
        return self.end is not None and time.monotonic() + seconds > self.end

    def _is_missing(self, run, splits_of, metrics):
        scores = (self.results.run(run) or {}).get("scores", {})
        return any(missing_of(scores.get(test, {}), metrics, self.embedder) for test in splits_of)

    def _one(self, devices, run, finish, seconds):
        if self.ends_within(seconds):
            self.left_out.append(run.name)
            return f"not started: it would take {seconds / 60:.0f} min, more than the budget allows"
        device = devices.get()
        tqdm.write(f"{run.name}: started, takes about {seconds / 60:.0f} min, log in {self._log(run)}", file=sys.stderr)
        try:
            environment = self.environment(device)
            make_folder(self.runs_dir)
            if not self._is_trained(run):
                self._clear_remains(run)
                arguments = [run.experiment.recipe, "--run-dir", self.folder(run), "--set", *run.settings]
                call(["train", *arguments], self._log(run), environment)
            return finish(environment)
        except (InputError, RunError, OSError) as error:
            if self.ends_within(0):
                self.left_out.append(run.name)
                return "stopped: the budget is used up; the same command continues"
            self.failed[run.name] = message = format_os_error(error) if isinstance(error, OSError) else str(error)
            return f"failed: {message}"
        finally:
            devices.put(device)

    def environment(self, device: str | set[int] | None = None) -> dict[str, str]:
        """Return the environment of a script on a GPU or a set of cores; None: on all of them."""
        environment = dict(os.environ)
        if isinstance(device, str):
            environment["CUDA_VISIBLE_DEVICES"] = device
        elif device is not None:
            os.sched_setaffinity(0, device)  # inherited by the processes that this thread starts
        if self.corpora_dir:
            environment["CORPORA_DIR"] = str(self.corpora_dir)
        return environment

    def _score(self, run, splits_of, metrics, environment):
        former = self.results.run(run)
        statistics = self.results.statistics(run.name) if former else None
        record, statistics = score_run(
            self.folder(run), splits_of, metrics, self.corpora_dir, former, statistics, environment, self.embedder
        )
        self.results.write_run(run.name, {"run": run.name, "recipe": run.experiment.recipe, **record}, statistics)
        first = record["scores"][next(iter(splits_of))][metrics[0]]
        score = f"{first['score']:.2f}" if "score" in first else "not computed"
        return f"{metrics[0]} {score}, trained in {record['seconds'] / 60:.1f} min"

    def _log(self, run):
        return self.runs_dir / f"{run.name}.log"


def check_test_sets(works: Sequence[Work], corpora_dir: str | None = None) -> None:
    """Raise `InputError` if the corpus of a run, or a split that it is scored on, is missing."""
    corpora = {}
    for run, splits_of, _ in works:
        data = run.config.data
        key = data.corpus, data.source_language, data.target_language
        if key not in corpora:
            corpora[key] = open_corpus(*key, corpora_dir)
        for splits in splits_of.values():
            for split in splits:
                corpora[key].split(split)


BAR = "{l_bar}{bar}| {elapsed} of about {total_fmt} s, {remaining} left"
REFERENCE_FLOPS = 1.7e11
"""Measured FLOP/s of a model of width 256 in float32 on two cores (AMD EPYC, Zen 4; `benchmarks/results`)."""
OVERHEAD = 1.25  # validations, translation, scores


def estimated_seconds(run: Run, results: Results, share: float = 1) -> float:
    """Estimate the seconds of a run from finished runs with other seeds.

    If there are none, use its configuration and its share of the cores.
    """
    finished = [results.run(run._replace(seed=seed)) for seed in range(1, 6)]
    finished = [record["seconds"] for record in finished if record and "trained_together" not in record]
    if finished:
        return 1.1 * mean(finished)
    return OVERHEAD * training_flops(run.experiment) / (share * REFERENCE_FLOPS)


@functools.cache  # for all seeds: a configuration takes milliseconds, and a list has hundreds
def training_flops(experiment: Experiment) -> float:
    """Return the FLOPs of the matrix products of a training."""
    config = experiment.config(1)
    model, train, sizes = config.model, config.train, config.data.vocabulary_size
    # The source has as many tokens as the target.
    tokens = train.batch_tokens * train.gradient_accumulation_steps * train.max_steps
    return matmul_flops(model, sizes if isinstance(sizes, int) else sizes[1], tokens, tokens)


def shares_of_cores(jobs: int) -> list[set[int] | None]:
    """Return a set of cores for each of `jobs` runs; None stands for all cores."""
    if jobs == 1 or not hasattr(os, "sched_getaffinity"):
        return [None] * jobs
    cores = sorted(os.sched_getaffinity(0))
    return [set(cores[job::jobs]) or {cores[job % len(cores)]} for job in range(jobs)]


def gpus() -> list[str]:
    """Return the GPUs to train on: `CUDA_VISIBLE_DEVICES`, in which -1 ends the list, or else all NVIDIA GPUs."""
    if "CUDA_VISIBLE_DEVICES" in os.environ:
        listed = os.environ["CUDA_VISIBLE_DEVICES"].split(",")
        return [device for device in itertools.takewhile(lambda one: one.strip() != "-1", listed) if device.strip()]
    if not shutil.which("nvidia-smi"):
        return []
    command = ["nvidia-smi", "--query-gpu=index", "--format=csv,noheader"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return found.stdout.split() if found.returncode == 0 else []
