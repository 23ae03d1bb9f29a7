"""Analyses of the trained runs of a table: findings of `analyze`, stored like scores."""

import itertools
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from data.files import copy_file
from interacting_head import config as configuration
from interacting_head.analysis.figures import SUFFIXES
from interacting_head.console import RunError
from interacting_head.console.machine import processor
from interacting_head.reproduction.runner import Runner
from interacting_head.reproduction.scoring import call
from interacting_head.reproduction.tables import Run, Table
from interacting_head.runs.run_directory import RunDirectory


def analyse(table: Table, runs: Sequence[Run], runner: Runner, name: str) -> None:
    """Train and analyse the runs of a table without stored findings, all runs of a seed together.

    `name` is the name of the results and of the figure, which shows all runs of the first seed.
    """
    results, first = runner.results, table.runs(1)

    def is_stored(run):
        return results.analysis(name, run, table.analysis.arguments) is not None

    missing = [run for run in runs if not is_stored(run)]
    runner.train(missing, table.tests)
    for _, of_seed in itertools.groupby(missing, lambda run: run.seed):
        of_seed = [run for run in of_seed if run.name not in (*runner.failed, *runner.left_out)]
        if not of_seed:
            continue
        others = set(first) - set(of_seed)  # which the figure shows too
        if len(others) < len(first) and all(is_stored(run) and runner.folder(run).is_dir() for run in others):
            of_seed = first
        if runner.ends_within(0):
            runner.left_out += [run.name for run in of_seed]
            continue
        with tempfile.TemporaryDirectory() as temporary:
            output = figures = Path(temporary)
            try:
                with runner.stopped_at_the_end():
                    found = findings(table, of_seed, runner, output)
                    if of_seed == first and table.analysis.sentence:
                        figures = output / "sentence"
                        findings(table, of_seed, runner, figures, table.analysis.sentence)
            except RunError as error:
                if runner.ends_within(0):
                    runner.left_out += [run.name for run in of_seed]
                else:
                    runner.failed.update({run.name: str(error) for run in of_seed})
                continue
            if of_seed == first:
                for suffix in SUFFIXES:
                    [figure] = figures.glob(f"{table.analysis.figure}.{suffix}")
                    copy_file(figure, results.folder / "figures" / f"{name}.{suffix}")
            for run in of_seed:
                rows = [row for row in found["rows"] if row["run"] == run.name]
                results.write(f"analyses/{name}", run.name, record_of(run, table, rows, runner))


def findings(
    table: Table, runs: Sequence[Run], runner: Runner, output: Path, sentence: tuple[str, str] | None = None
) -> dict:
    """Return the JSON that `analyze` writes for runs; its other files are in the folder `output`.

    The text is the table's test set, or a single sentence and its translation.
    """
    verb, *options = table.analysis.arguments
    [split] = table.tests["test"]
    text = ["--split", split]
    if sentence:
        output.mkdir()
        text = ["-i", output / "source", "-r", output / "translation"]
        for path, line in zip(text[1::2], sentence, strict=True):
            path.write_text(f"{line}\n", encoding="utf-8")
    folders = [runner.folder(run).resolve() for run in runs]
    arguments = ["analyze", verb, *options, "-m", *folders, "-o", output, *text]
    call(arguments, runner.runs_dir / f"{verb}.log", runner.environment())
    return json.loads((output / f"{verb}.json").read_text(encoding="utf-8"))


def record_of(run: Run, table: Table, rows: list[dict], runner: Runner) -> dict:
    """Return the record of an analysed run, for JSON."""
    directory = RunDirectory.open(runner.folder(run))
    log = directory.read_log()
    return {
        "run": run.name,
        "recipe": run.experiment.recipe,
        "config": configuration.to_dict(directory.config),
        "analysis": list(table.analysis.arguments),
        "values": table.analysis.values(rows),
        "steps": directory.read_json("metrics.json")["steps"],
        "seconds": log[-1]["seconds"],
        "log": log,
        "processor": processor(),
    }
