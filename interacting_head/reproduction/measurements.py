"""Seconds per epoch and numbers of parameters of the cells of a table, without training them.

All schemes with the same number of heads are timed in turns on the same batches.
"""

import itertools
import json
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from tqdm import tqdm

from data.files import write_json
from interacting_head.console import RunError, importing_keras, run
from interacting_head.console.machine import processor
from interacting_head.reproduction.results import Results
from interacting_head.reproduction.runner import check_test_sets
from interacting_head.reproduction.scoring import with_project
from interacting_head.reproduction.tables import Run, Table, named

TURNS, STEPS = 10, 4
HOW = f"medians of {TURNS} turns of {STEPS} steps on the same batches, taken alternately, times the batches of an epoch"


def count_parameters(table: Table, results: Results, name: str) -> None:
    """Count and store the parameters of the cells of a table."""
    with importing_keras():
        from interacting_head.model.transformer import parameter_count

    found, digests = {}, {}
    for cell in tqdm(table.cells, unit="model", disable=None):
        config = cell.experiment.config(seed=1)
        sizes = config.data.vocabulary_size
        sizes = [sizes, sizes] if isinstance(sizes, int) else sizes
        number = parameter_count(config.model, *sizes, config.data.shared_vocabulary)
        found.setdefault(cell.row, {})[cell.column] = number
        digests.setdefault(cell.row, {})[cell.column] = cell.experiment.digest
    results.write("parameters", name, {"parameters": found, "digests": digests})


def measure_seconds(
    table: Table,
    small: bool,
    results: Results,
    name: str,
    corpora_dir: str | None = None,
    end: float | None = None,
    settings: Sequence[str] = (),
) -> None:
    """Measure the columns of a table, each in its own process, and store each result at once.

    Measuring stops at the time `end` of `time.monotonic`. The table is one `with_settings(settings)`. Raises
    `InputError` if a corpus is missing, and `RunError` if a process fails.
    """
    record = results.read("epoch_seconds", name)
    if record is None or record["how"] != HOW:
        record = {"how": HOW}
    for column in dict.fromkeys(cell.column for cell in table.cells):
        digests = {cell.row: cell.experiment.digest for cell in table.cells if cell.column == column}
        if all(record.get("digests", {}).get(row, {}).get(column) == digest for row, digest in digests.items()):
            continue
        check_test_sets(
            [(Run(cell.experiment, 1), {}, ()) for cell in table.cells if cell.column == column], corpora_dir
        )
        print(f"{table.name}, {column}: {', '.join(digests)}", file=sys.stderr)
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "seconds.json"
            arguments = [table.name, "small" if small else "full", column, output, corpora_dir or "", *settings]
            command = [sys.executable, "-m", "interacting_head.reproduction.measurements", *map(str, arguments)]
            left = None if end is None else max(0, end - time.monotonic())
            try:
                code = subprocess.run(command, env=with_project(os.environ), check=False, timeout=left).returncode
            except subprocess.TimeoutExpired:
                print(f"{table.name}, {column}: not measured, the budget is used up", file=sys.stderr)
                return
            if code:
                raise RunError(f"the measurement of {table.name}, {column} ended with code {code}")
            measured = {"digests": digests, **json.loads(output.read_text(encoding="utf-8"))}
        for kind in ("seconds", "turns", "digests"):
            for row, found in measured[kind].items():
                record.setdefault(kind, {}).setdefault(row, {})[column] = found
        for kind in ("precision", "processor"):
            record.setdefault(kind, {})[column] = measured[kind]
        results.write("epoch_seconds", name, record)


def measure_column(table: Table, column: str, corpora_dir: str | None) -> dict:
    """Measure a column of a table: seconds per epoch by row, seconds per step by row and turn, and the precision."""
    import keras

    from data.batches.pipeline import as_tf_dataset
    from interacting_head.model.building import build_model
    from interacting_head.runs.run_directory import RunDirectory
    from interacting_head.training import precision
    from interacting_head.training.run_text import open_text, prepare_run_text
    from interacting_head.training.setup import make_batches, make_training_model

    cells = [cell for cell in table.cells if cell.column == column]
    configs = {cell.row: precision.resolved(cell.experiment.config(seed=1)) for cell in cells}
    config = next(iter(configs.values()))
    with tempfile.TemporaryDirectory() as folder:
        text = prepare_run_text(config.data, RunDirectory(folder), open_text(config.data, corpora_dir))
        models = {}
        for row, one in configs.items():
            keras.config.set_dtype_policy(one.train.precision)
            models[row] = make_training_model(build_model(one, *text.subwords), one, one.train.max_steps)
        batches = make_batches(config, text.pairs)
        in_epoch, stream = batches.batches_in_epoch, iter(batches)
        parts = [list(itertools.islice(stream, STEPS)) for _ in range(TURNS + 1)]
    turns = {row: [] for row in models}
    for number, part in enumerate(parts):
        for row, model in models.items():
            started = time.perf_counter()
            model.fit(as_tf_dataset(part), steps_per_epoch=STEPS, verbose=0, shuffle=False)
            if number:  # the first turn compiles
                turns[row].append((time.perf_counter() - started) / STEPS)
    seconds = {row: in_epoch * median(times) for row, times in turns.items()}
    return {"seconds": seconds, "turns": turns, "precision": config.train.precision, "processor": processor()}


def main() -> None:
    """Measure one column in this process: `TABLE small|full COLUMN OUTPUT CORPORA_DIR [KEY=VALUE …]`."""
    name, size, column, output, corpora_dir, *settings = sys.argv[1:]
    logging.getLogger("interacting_head").setLevel(logging.WARNING)
    with importing_keras():
        from interacting_head.model import compilation
    compilation.share_cores_in_training()
    table = named(name).in_size(size == "small").with_settings(settings)
    found = measure_column(table, column, corpora_dir or None)
    write_json(output, found)


if __name__ == "__main__":
    run(main)
