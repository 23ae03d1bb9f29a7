"""Seconds an epoch of the cells of a table: steps of all schemes with as many heads, on the same batches, in turns."""

import itertools
import json
import logging
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from interacting_head.console import RunError, importing_keras
from interacting_head.machine import processor
from interacting_head.reproduction.tables import named

TURNS, STEPS = 10, 4
HOW = f"medians of {TURNS} turns of {STEPS} steps on the same batches, taken alternately, times the batches of an epoch"


def measure(table, small, results, name, corpora_dir=None, end=None):
    """Measure the columns of a table, each in a process of its own, and store them as they come.

    Args:
        table: a `Table` in its size.
        small: whether it is the small one.
        results: the `Results`.
        name: of the results.
        corpora_dir: folder of corpora.
        end: on the clock of `time.monotonic`: a column that takes longer is stopped, and no further one begins.

    Raises:
        RunError: where a process fails.
    """
    record = results.epoch_seconds(name)
    if record is None or record["how"] != HOW:
        record = {"how": HOW}
    for column in dict.fromkeys(cell.column for cell in table.cells):
        digests = {cell.row: cell.experiment.digest for cell in table.cells if cell.column == column}
        if all(record.get("digests", {}).get(row, {}).get(column) == digest for row, digest in digests.items()):
            continue
        rows = list(digests)
        print(f"{table.name}, {column}: {', '.join(rows)}", file=sys.stderr)
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "seconds.json"
            corpora = Path(corpora_dir).resolve() if corpora_dir else ""  # the process has another working folder
            arguments = [table.name, "small" if small else "full", column, output, corpora]
            command = [sys.executable, "-m", "interacting_head.reproduction.epoch_seconds", *map(str, arguments)]
            left = None if end is None else max(0, end - time.monotonic())
            try:
                code = subprocess.run(command, cwd=Path(__file__).parents[2], check=False, timeout=left).returncode
            except subprocess.TimeoutExpired:
                print(f"{table.name}, {column}: not measured, the budget is at its end", file=sys.stderr)
                return
            if code:
                raise RunError(f"the measurement of {table.name}, {column} ended with code {code}")
            measured = {"digests": digests, **json.loads(output.read_text(encoding="utf-8"))}
        for kind in ("seconds", "turns", "digests"):
            for row, found in measured[kind].items():
                record.setdefault(kind, {}).setdefault(row, {})[column] = found
        record |= {key: measured[key] for key in ("precision", "processor")}
        results.write_epoch_seconds(name, record)


def measure_column(table, column, corpora_dir=None):
    """Return `{row: seconds of a step, turn by turn}` of a column, measured in this process.

    Args:
        table: a `Table` in its size.
        column: the heading of one of its columns.
        corpora_dir: folder of corpora.

    Returns:
        The dictionary, the number of batches in an epoch, and the arithmetic.
    """
    import keras

    from data.batches.pipeline import as_tf_dataset
    from interacting_head.model.building import build_model
    from interacting_head.run_directory import RunDirectory
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
    seconds = {row: [] for row in models}
    for part in parts:
        for row, model in models.items():
            started = time.perf_counter()
            model.fit(as_tf_dataset(part), steps_per_epoch=STEPS, verbose=0, shuffle=False)
            seconds[row].append((time.perf_counter() - started) / STEPS)
    turns = {row: times[1:] for row, times in seconds.items()}  # the first turn compiles
    return turns, in_epoch, config.train.precision


def main():
    """Measure one column in this process: `TABLE small|full COLUMN OUTPUT CORPORA_DIR`."""
    name, size, column, output, corpora_dir = sys.argv[1:]
    logging.getLogger("interacting_head").setLevel(logging.WARNING)
    with importing_keras():
        from interacting_head.model import compilation
    compilation.share_cores_in_training()
    table = named(name).in_size(size == "small")
    turns, in_epoch, arithmetic = measure_column(table, column, corpora_dir or None)
    seconds = {row: in_epoch * median(times) for row, times in turns.items()}
    found = {"seconds": seconds, "turns": turns, "precision": arithmetic, "processor": processor()}
    Path(output).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
