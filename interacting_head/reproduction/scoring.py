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
from data.errors import InputError
from data.files import check_room, make_folder
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
"""Stored in each record; scores of records without it come from an earlier beam search, which could end too early."""
OF_TRANSLATION = ("search_ends", "processor", "versions")
"""Entries of a record that describe the call which translated."""
SOURCE_LENGTH = "source_length"  # key of the number of sub-words of each source, stored with the statistics
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
    """Translate the untranslated test sets of a run, and compute its missing scores.

    Args:
        run_dir: a finished run directory. Compressed translations stay in its folder `translations`.
        splits_of: `{test set: splits of the run's corpus, joined}`.
        former, former_statistics: the record and statistics that an earlier call returned.
        environment: for the processes that translate; default: this process's.
        embedder: file or folder of YiSi-1's vectors, for the metric `yisi1`.

    Returns a record for JSON, with configuration, times, losses and scores; and statistics. Raises `RunError` if the
    run is unfinished, or a script fails.
    """
    check_finished(run_dir)
    run = RunDirectory.open(run_dir)
    scores, statistics = dict((former or {}).get("scores", {})), dict(former_statistics or {})
    corpus, is_new = None, former is None
    for test, splits in splits_of.items():
        missing = missing_of(scores.get(test, {}), metrics, embedder)
        if not missing:
            continue
        data = run.config.data
        corpus = corpus or open_corpus(data.corpus, data.source_language, data.target_language, corpora_dir)
        is_new = is_new or not all(run.translation_path(split).is_file() for split in splits)
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
    record = {**record_of(run), "scores": scores}
    if not is_new:  # further scores of translations that an earlier call made, perhaps elsewhere
        record = {key: value for key, value in record.items() if key not in OF_TRANSLATION}
        record |= {key: former[key] for key in OF_TRANSLATION if key in former}
    return record, statistics


def check_finished(run_dir: Path) -> None:
    """Raise `RunError` for an unfinished run: a training that is stopped by SIGTERM ends with code 0."""
    if not RunDirectory.open(run_dir).read_json("metrics.json"):
        raise RunError(f"the training in {run_dir} was stopped before it finished")


def missing_of(scores: Mapping[str, dict], metrics: Sequence[str], embedder: str | None = None) -> list[str]:
    """Return the metrics that have no score yet, or that have become available."""
    return [
        name
        for name in metrics
        if name not in scores or ("unavailable" in scores[name] and is_available(name, embedder))
    ]


@functools.cache
def is_available(name: str, embedder: str | None = None) -> bool:
    """Return whether the programs, packages and vectors that a metric needs are there."""
    try:
        METRICS[name](Options(embedder=embedder))
    except InputError:
        return False
    return True


def translation(run: RunDirectory, text: ParallelText, split: str, environment: dict | None = None) -> list[str]:
    """Return a run's translations of a text, calling `interacting-head translate` unless they are stored."""
    stored = run.translation_path(split)
    summary = stored.with_name(f"{split}.json")
    if not stored.is_file():
        make_folder(stored.parent)
        options = ["--keep-tokenized"] if PROFILES[run.config.data.profile].is_tokenized else []
        arguments = ["-m", run.path, "--engine", "keras", "-i", text.source, "-o", stored, "--summary", summary]
        call(["translate", *arguments, *options], run.path / "reproduce.log", environment)
    with gzip.open(stored, "rt", encoding="utf-8", newline="\n") as file:
        return [line.removesuffix("\n") for line in file]


def source_lengths(run: RunDirectory, lines: Sequence[str]) -> np.ndarray:
    """Return the length of each source in sub-words, `(N, 1)`."""
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

    Hypotheses are plain text if the run's profile is raw, otherwise tokens in the form of its training text.
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
    """Return what a report needs about a run, except its scores."""
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
        # Runs that trained together were also translated there.
        **{key: metrics[key] for key in ("trained_together", "processor", "versions") if key in metrics},
    }


def epoch_seconds(metrics: dict, log: Sequence[dict]) -> float | None:
    """Return the seconds per epoch at the median training speed.

    None for runs of earlier versions, and for runs that trained with others in one program.
    """
    if "tokens_per_epoch" not in metrics or "trained_together" in metrics:
        return None
    return metrics["tokens_per_epoch"] / median(record["tokens_per_second"] for record in log)


def sentences_per_second(summaries: Sequence[dict]) -> float | None:
    """Return the speed of all translations from the summaries of the verb `translate`, or None without any."""
    seconds = sum(summary["seconds"] for summary in summaries)
    return sum(summary["sentences"] for summary in summaries) / seconds if seconds else None


def with_project(environment: Mapping[str, str]) -> dict[str, str]:
    """Return environment variables with which Python finds this project first."""
    return {**environment, "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), environment.get("PYTHONPATH")]))}


def call(arguments: Sequence[str | Path], log: Path, environment: dict[str, str] | None = None) -> None:
    """Run `interacting-head` with a verb and its arguments in a new process, and append its output to the file `log`.

    Raises:
        RunError: if it fails, with its last line of output; and after `stop_running`.
        OSError: if the disk has no room for its output.
    """
    if STOPPED.is_set():
        raise RunError(f"{arguments[0]} was not started, because all runs were stopped")
    check_room(Path(log).parent, ROOM)
    with open(log, "ab") as output:
        command = [sys.executable, "-m", "interacting_head", *map(str, arguments)]
        environment = with_project(os.environ if environment is None else environment)
        process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
    RUNNING.add(process)
    if STOPPED.is_set():  # `stop_running` was called in the meantime
        process.terminate()
    try:
        code = process.wait()
    except BaseException:  # a signal ends this program
        process.terminate()
        raise
    finally:
        RUNNING.discard(process)
    if code:
        last = Path(log).read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
        raise RunError(f"{arguments[0]} ended with code {code}: {last[0] if last else 'no message'} (see {log})")


def stop_running() -> None:
    """Terminate running scripts, which save their state, and prevent new ones."""
    STOPPED.set()
    for process in list(RUNNING):
        process.terminate()
