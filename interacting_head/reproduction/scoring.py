"""Scores of a trained run on the test sets of a table."""

import functools
import gzip
import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

import numpy as np

from data.corpora.corpus import open_corpus
from data.files import check_folder_room, make_folder
from data.text.parallel_text import ParallelText
from data.text.profiles import PROFILES, Preprocessor
from interacting_head import config as configuration
from interacting_head.console import RunError
from interacting_head.console.machine import processor, versions
from interacting_head.metrics import METRICS, MetricUnavailable, Options
from interacting_head.runs.run_directory import RunDirectory

ROOT = Path(__file__).parents[2]
TEXT_OF_SACREBLEU = ("sacrebleu", "chrf", "ter")
"""Metrics that tokenise text themselves; the others compare tokenised text, as in the papers."""
ROOM = 1 << 16  # bytes: more than a script prints
SEARCH_ENDS = "when no unfinished hypothesis can enter the n best"
"""Kept with each record: the scores of records without it are from a beam search that could end too early."""
SOURCE_LENGTH = "source_length"  # stored with the statistics of sentences: the number of sub-words of each source
RUNNING = set()  # processes of this project's scripts
STOPPED = threading.Event()  # set when no further script may begin
Statistics = dict[tuple[str, str], np.ndarray]
"""(test set, metric) → statistics of sentences."""


def score_run(
    run_dir: Path,
    splits_of: Mapping[str, Sequence[str]],
    metrics: Sequence[str],
    corpora_dir: str | None = None,
    former: dict | None = None,
    former_statistics: Statistics | None = None,
    environment: dict[str, str] | None = None,
    embedder: str | None = None,
) -> tuple[dict, Statistics]:
    """Translate the test sets of a run that are not translated yet, and compute the missing scores.

    Args:
        run_dir: a finished run directory. Translations stay in its folder `translations`, compressed.
        splits_of: `{test set: splits of the run's corpus, joined}`.
        former, former_statistics: a record and statistics that this returned before.
        environment: of the processes that translate; default: the environment of this process.
        embedder: the file or folder of YiSi-1's vectors, for the metric `yisi1`.

    Returns:
        A record for JSON, with configuration, times, losses and scores; and statistics.

    Raises:
        RunError: where the run has not come to its end, and where a script fails.
    """
    run = RunDirectory.open(run_dir)
    if not run.read_json("metrics.json"):  # a training that is stopped by SIGTERM ends with code 0
        raise RunError(f"the training in {run_dir} was stopped before its end")
    scores, statistics = dict((former or {}).get("scores", {})), dict(former_statistics or {})
    corpus = None
    for test, splits in splits_of.items():
        missing = missing_of(scores.get(test, {}), metrics)
        if not missing:
            continue
        data = run.config.data
        corpus = corpus or open_corpus(data.corpus, data.source_language, data.target_language, corpora_dir)
        hypotheses, sources, references = [], [], []
        for split in splits:
            hypotheses += translation(run, corpus.split(split), split, environment)
            for source, reference in corpus.split(split).pairs():
                sources.append(source)
                references.append(reference)
        found, kept = scores_of(run, hypotheses, references, missing, embedder)
        scores[test] = {**scores.get(test, {}), **found}
        statistics.update({(test, name): rows for name, rows in kept.items()})
        if (test, SOURCE_LENGTH) not in statistics:
            statistics[test, SOURCE_LENGTH] = source_lengths(run, sources)
    return {**record_of(run), "scores": scores}, statistics


def missing_of(scores: Mapping[str, dict], metrics: Sequence[str]) -> list[str]:
    """Return the metrics that have no score yet, or that were unavailable and have become available."""
    return [name for name in metrics if name not in scores or ("unavailable" in scores[name] and is_available(name))]


@functools.cache
def is_available(name: str) -> bool:
    """Return whether a metric finds the programs and packages that it needs."""
    try:
        METRICS[name](Options())
    except MetricUnavailable:
        return False
    return True


def translation(run: RunDirectory, text: ParallelText, split: str, environment: dict | None = None) -> list[str]:
    """Return the translations of a text by a run, made by `translate.py` unless they are stored."""
    stored = run.path / "translations" / f"{split}.{run.config.data.target_language}.gz"
    summary = run.path / "translations" / f"{split}.json"
    if not stored.is_file():
        make_folder(stored.parent)
        options = ["--keep-tokenized"] if PROFILES[run.config.data.profile].is_tokenized else []
        arguments = ["-m", run.path, "--engine", "keras", "-i", text.source, "-o", stored, "--summary", summary]
        call(["translate.py", *arguments, *options], run.path / "reproduce.log", environment)
    with gzip.open(stored, "rt", encoding="utf-8", newline="\n") as file:
        return [line.removesuffix("\n") for line in file]


def source_lengths(run: RunDirectory, lines: Sequence[str]) -> np.ndarray:
    """Return the numbers of sub-words of source sentences, `(N, 1)`."""
    form, subwords = run.text_forms()[0], run.subwords()[0]
    return np.array([[len(sentence)] for sentence in subwords.encode([form.preprocess(line) for line in lines])])


def scores_of(
    run: RunDirectory,
    hypotheses: Sequence[str],
    references: Sequence[str],
    metrics: Sequence[str],
    embedder: str | None = None,
) -> tuple[dict[str, dict], dict[str, np.ndarray]]:
    """Return `{metric: {"score", "signature"}}` or `{metric: {"unavailable": reason}}`, and `{metric: statistics}`.

    Hypotheses are text where the profile of the run is raw, and otherwise tokens in the form of its training text.
    """
    form = run.text_forms()[1]
    if form.is_tokenized:
        tokens, text = hypotheses, [form.postprocess(line) for line in hypotheses]
        expected = [form.expected(line) for line in references]
    else:
        text, form, expected = hypotheses, Preprocessor("tokenized", run.config.data.target_language), references
        tokens = [form.preprocess(line) for line in hypotheses]
    of_text, of_tokens = (text, expected), (tokens, [form.preprocess(line) for line in references])
    scores, statistics = {}, {}
    for name in metrics:
        ours, theirs = of_text if name in TEXT_OF_SACREBLEU else of_tokens
        try:
            metric = METRICS[name](Options(language=form.language, embedder=embedder))
            rows = metric.statistics(ours, [theirs])
        except MetricUnavailable as error:
            scores[name] = {"unavailable": str(error)}
            continue
        result = metric.result(rows, 1)
        scores[name] = {"score": result.score, "signature": result.signature}
        statistics[name] = rows
    return scores, statistics


def record_of(run: RunDirectory) -> dict:
    """Return the data of a run that a report needs, except its scores."""
    metrics = run.read_json("metrics.json")
    log = run.read_log()
    summaries = [json.loads(path.read_text()) for path in sorted(run.path.glob("translations/*.json"))]
    return {
        "config": configuration.to_dict(run.config),
        "steps": metrics["steps"],
        "best_step": metrics["best_step"],
        "seconds": log[-1]["seconds"],
        "parameters": metrics.get("parameters"),
        "epoch_seconds": epoch_seconds(metrics, log),
        "peak_memory": metrics.get("peak_memory"),
        "sentences_per_second": sentences_per_second(summaries),
        "log": log,
        "search_ends": SEARCH_ENDS,
        "processor": processor(),
        "versions": versions(),
    }


def epoch_seconds(metrics: dict, log: Sequence[dict]) -> float | None:
    """Return the seconds of an epoch at the median speed before the validations; None for runs of former versions."""
    if "tokens_per_epoch" not in metrics:
        return None
    return metrics["tokens_per_epoch"] / median(record["tokens_per_second"] for record in log)


def sentences_per_second(summaries: Sequence[dict]) -> float | None:
    """Return the speed of all translations from the summaries of `translate.py`, or None without any."""
    seconds = sum(summary["seconds"] for summary in summaries)
    return sum(summary["sentences"] for summary in summaries) / seconds if seconds else None


def call(arguments: Sequence[str | Path], log: Path, environment: dict[str, str] | None = None) -> None:
    """Run one of the project's scripts or modules in a process of its own; its output is appended to the file `log`.

    Args:
        arguments: the name of a script, `train.py`, or of a module, and the words that follow it.
        environment: of the process; default: the environment of this process.

    Raises:
        RunError: where it fails, with the last line that it printed; and after `stop_running`.
        OSError: where the disk has no room for its output.
    """
    if STOPPED.is_set():
        raise RunError(f"{arguments[0]} was not begun: stopped")
    check_folder_room(Path(log).parent, ROOM)
    with open(log, "ab") as output:
        program = [ROOT / arguments[0]] if arguments[0].endswith(".py") else ["-m", arguments[0]]
        command = [sys.executable, *program, *arguments[1:]]
        environment = {**(os.environ if environment is None else environment), "PYTHONPATH": str(ROOT)}
        process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
    RUNNING.add(process)
    if STOPPED.is_set():  # while it began
        process.terminate()
    code = process.wait()
    RUNNING.discard(process)
    if code:
        last = Path(log).read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
        raise RunError(f"{arguments[0]} ended with code {code}: {last[0] if last else 'no message'} (see {log})")


def stop_running() -> None:
    """End the scripts that are running, and let none begin: trainings save where they are."""
    STOPPED.set()
    for process in list(RUNNING):
        process.terminate()
