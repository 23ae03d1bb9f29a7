"""The command line of `interacting-head reproduce`."""

import argparse
import fnmatch
import functools
import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from data.errors import InputError, counted
from data.files import atomic_write, check_folder, make_folder, write_json
from interacting_head.console import ArgumentParser, RunError, folder_name
from interacting_head.metrics import METRICS, Options
from interacting_head.reproduction.analyses import analyse
from interacting_head.reproduction.claims import CellBetter
from interacting_head.reproduction.figures import DRAWINGS, draw
from interacting_head.reproduction.measurements import count_parameters, measure_seconds
from interacting_head.reproduction.report import report
from interacting_head.reproduction.results import Results
from interacting_head.reproduction.runner import Runner, estimated_seconds
from interacting_head.reproduction.scored import Rates, Scored, result_name
from interacting_head.reproduction.scoring import with_project
from interacting_head.reproduction.statistics import CellName
from interacting_head.reproduction.tables import DRAWING, TABLES, YISI1, Run, Table, named

SEEDS = 3
EPILOG = """Full-size tables need the papers' corpora and GPUs. The same command continues where it was stopped.
docs/reproduction.md explains tables, results and verdicts."""


def parse_arguments(description: str) -> argparse.Namespace:
    """Parse the command line; raise `InputError` for invalid options."""
    parser = ArgumentParser(prog="python -m interacting_head.reproduce", description=description, epilog=EPILOG)
    add = parser.add_argument
    add("tables", nargs="*", metavar="TABLE", help="a table, such as li_luo/3, or a pattern, such as 'mlmha/*'")
    add("--list", action="store_true", help="list the tables, with number of runs and estimated hours on this machine")
    add("--small", action="store_true", help="make the small tables: free corpora, a CPU, the recipes NAME_small")
    add("--seeds", type=int, default=SEEDS, metavar="N", help=f"runs of each experiment; default: {SEEDS}")
    changed = {"nargs": "+", "default": [], "action": "extend", "metavar": "KEY=VALUE", "dest": "settings"}
    add("--set", help="change settings of all runs", **changed)
    add("--only", metavar="PATTERN", help="only runs whose name contains PATTERN, or matches it with * and ?")
    embedder_help = "also compute YiSi-1, with word vectors or the folder of a multilingual BERT"
    add("--embedder", metavar="PATH", help=embedder_help)
    add("--corpora-dir", metavar="DIR", help="folder of the corpora; default: $CORPORA_DIR, then the cache folder")
    runs_help = "folder of the runs; default: runs/reproduction"
    add("--runs-dir", metavar="DIR", default="runs/reproduction", help=runs_help)
    jobs_help = "parallel runs on a machine without GPUs, or programs of --together; default: 1"
    add("--jobs", type=int, default=1, metavar="N", help=jobs_help)
    together_help = "on JAX: up to N runs that differ only in seed and learning rate train as one program, on one GPU"
    add("--together", type=int, default=0, metavar="N", help=together_help)
    budget_help = "stop after this many hours; do not start runs that would take longer"
    add("--budget", type=float, metavar="HOURS", help=budget_help)
    add("--report", action="store_true", help="only write the report from the stored results")
    output_help = "folder of results and report; default: benchmarks"
    add("-o", dest="output_dir", type=folder_name, metavar="DIR", default="benchmarks", help=output_help)
    arguments = parser.parse_args()
    for name in ("seeds", "jobs"):
        if (number := getattr(arguments, name)) < 1:
            raise InputError(f"--{name} must be at least 1, got {number}")
    if arguments.together == 1 or arguments.together < 0:
        raise InputError(f"--together must be at least 2, or 0 for none, got {arguments.together}")
    if arguments.budget is not None and not arguments.budget > 0:
        raise InputError(f"--budget must be above 0, got {arguments.budget}")
    if not (arguments.tables or arguments.list or arguments.report):
        raise InputError("name a table, such as li_luo/3; --list shows them")
    return arguments


def check_together(arguments: argparse.Namespace) -> None:
    """Raise `InputError` if runs cannot train together here."""
    if (backend := os.environ.get("KERAS_BACKEND", "tensorflow")) != "jax":
        raise InputError(f"--together needs JAX, but the backend is {backend}; set KERAS_BACKEND to jax")
    if arguments.budget is not None:
        raise InputError("--together and --budget cannot be combined; leave one of them out")


def reproduce(arguments: argparse.Namespace) -> int:
    """Do what the command line says, and return the exit code.

    Raises `InputError` for an unknown table or one without runs, and if no run matches `--only`.
    """
    chosen = [table for name in arguments.tables for table in matching(name, arguments.small)]
    results = Results(Path(arguments.output_dir) / "results" / "reproduction")
    if arguments.list:
        found = listed(chosen or TABLES.values(), arguments.seeds, results, arguments.settings, arguments.only)
        print("\n".join(found))
        return 0
    check_folder(arguments.output_dir)
    options = "runs_dir", "corpora_dir", "budget", "jobs", "embedder", "together"
    runner = Runner(results, **{name: getattr(arguments, name) for name in options})
    if not arguments.report:
        if arguments.together:
            check_together(arguments)
        if arguments.embedder is not None:
            METRICS[YISI1](Options(embedder=arguments.embedder))  # raises now what scoring would store after hours
        signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
        make(chosen, arguments, runner)
    seeds = max(arguments.seeds, results.seeds())  # the report includes all stored runs
    write_report(results, seeds, Path(arguments.output_dir), arguments.settings)
    if runner.failed:
        names = ", ".join(runner.failed)
        raise RunError(f"{counted(len(runner.failed), 'run')} failed: {names}; repeat the command to try again")
    return 0


def is_pattern(name: str) -> bool:
    """Return whether a name has wildcards."""
    return any(letter in name for letter in "*?[")


def matches(run: Run, only: str | None) -> bool:
    """Return whether the name of a run contains `only`, or matches it if that has wildcards."""
    only = only or ""
    return fnmatch.fnmatch(run.name, only if is_pattern(only) else f"*{only}*")


def matching(name: str, small: bool) -> list[Table]:
    """Return the tables that match a name or pattern; a pattern skips tables that do not exist in this size."""
    if is_pattern(name):
        matched = [table for key, table in TABLES.items() if fnmatch.fnmatch(key, name) and table.cells]
        if found := [table for table in matched if not small or table.has_small]:
            return found
        raise InputError(f"no {'small ' * small}table matches {name!r}; --list shows the tables")
    table = named(name)
    if not table.cells and not (small and table.small_command):
        where = f": it is {DRAWING}" if table.command == DRAWING else f"; see: {table.command}"
        raise InputError(f"{name} ({table.title}) has no runs{where}")
    if small and not table.has_small:
        raise InputError(f"{name} has no small version; leave --small out")
    return [table]


def make(tables: Sequence[Table], arguments: argparse.Namespace, runner: Runner) -> None:
    """Train and score what the tables lack.

    Raises `InputError` if no run matches `--only`, or the folder of runs cannot be written.
    """
    small, seeds, only = arguments.small, arguments.seeds, arguments.only
    is_wanted = functools.partial(matches, only=only)
    works, names = [], []
    for table in tables:
        sized = table.in_size(small).with_settings(arguments.settings)
        names += filter(is_wanted, sized.runs(seeds))
        works.append((sized, [run for run in sized.runs(1 if sized.measure == "rates" else seeds) if is_wanted(run)]))
    if only and not names:
        raise InputError(f"no run of {', '.join(table.name for table in tables)} matches {only!r}")
    if names:
        check_folder(arguments.runs_dir)
    for table, runs in works:
        name = result_name(table, small and not table.on_a_cpu)
        if table.small_command:
            describe(table, runner, name)
            continue
        if table.measure == "epoch_seconds" and not only:
            measure_seconds(table, small, runner.results, name, arguments.corpora_dir, runner.end, arguments.settings)
        if table.measure == "parameters":
            count_parameters(table, runner.results, name)
        if table.analysis:
            analyse(table, runs, runner, name)
            continue
        splits_of = {cell.experiment: table.splits_of(cell) for cell in table.cells}
        has_yisi1 = arguments.embedder is not None and "yisi0" in table.metrics
        metrics = (*table.metrics, YISI1) if has_yisi1 else table.metrics
        runner.make([(run, splits_of[run.experiment], metrics) for run in runs])
        if table.measure == "rates":
            runs = [run for run in further_runs(table, seeds, small, runner.results) if is_wanted(run)]
            runner.make([(run, splits_of[run.experiment], metrics) for run in runs])
    if runner.left_out:
        print(f"{counted(len(runner.left_out), 'run')} skipped or stopped: over --budget", file=sys.stderr)


def further_runs(table: Table, seeds: int, small: bool, results: Results) -> list[Run]:
    """Return the runs of further seeds in a table of learning rates.

    They are each row's at the rate that its first seed chose, unless that lacks a rate, and the cells that claims name.
    """
    scored, claimed = Rates(table, small, 1, results), named_cells(table)
    chosen = [cell for cell in table.cells if scored.best_column(cell.row) == cell.column or cell[:2] in claimed]
    return list(dict.fromkeys(Run(cell.experiment, seed) for seed in range(2, seeds + 1) for cell in chosen))


def named_cells(table: Table) -> set[CellName]:
    """Return the cells of a table that its claims compare by name."""
    pairs = itertools.chain.from_iterable(claim.pairs for claim in table.claims if isinstance(claim, CellBetter))
    return {cell[:2] for cell in table.cells} & set(itertools.chain.from_iterable(pairs))


def describe(table: Table, runner: Runner, name: str) -> None:
    """Run the command of a table without runs, which prints the table and writes the figure `name`."""
    figure = runner.results.folder / "figures" / f"{name}.png"
    make_folder(figure.parent)
    place = ["--corpora-dir", runner.corpora_dir] if runner.corpora_dir else []
    command = [sys.executable, "-m", *table.small_command, "--plot", figure, *place]
    if code := subprocess.run(command, check=False, env=with_project(os.environ)).returncode:
        raise RunError(f"{' '.join(map(str, command[1:]))} ended with code {code}")


def write_report(results: Results, seeds: int, folder: Path, settings: Sequence[str] = ()) -> None:
    """Write REPRODUCTION.md, REPRODUCTION.json and figures; arguments as in `report`."""

    def figure(scored):
        if scored.table.measure in DRAWINGS:
            draw(scored, results.folder / "figures" / scored.name)
        return figure_link(scored)

    markdown, found = report(results, seeds, figure, settings)
    with atomic_write(folder / "REPRODUCTION.md", parents=True) as file:
        file.write(markdown)
    write_json(folder / "REPRODUCTION.json", found, indent=1)
    print(f"{counted(len(found), 'table')} in {folder / 'REPRODUCTION.md'}", file=sys.stderr)


def figure_link(scored: Scored) -> str | None:
    """Return the path of a table's figure relative to the report's folder, or None if it has none."""
    path = Path("figures") / f"{scored.name}.png"
    return f"results/reproduction/{path}" if (scored.results.folder / path).is_file() else None


def listed(
    tables: Iterable[Table], seeds: int, results: Results, settings: Sequence[str] = (), only: str | None = None
) -> Iterator[str]:
    """Yield the lines of the list of tables: runs and hours in full and small size, or the command to use instead.

    Runs have further settings, and names that match `only`.
    """
    width = max(map(len, TABLES))

    def line(name, *fields):
        return "{:{width}} {:>5} {:>8} {:>6} {:>6}  {}".format(name, *fields, width=width)

    yield line("table", "runs", "hours", "small", "hours", "title")
    for table in tables:
        if not table.cells:
            yield line(table.name, *"––––", f"{table.title}: {table.command}")
            continue
        figures = []
        for small in (False, True):
            sized = table.in_size(small).with_settings(settings)
            runs = [run for run in sized.runs(seeds) if matches(run, only)] if not small or table.small else []
            if table.measure == "rates":  # one rate of each row has all seeds, here the last
                claimed = named_cells(sized)
                last = {cell.row: cell.column for cell in sized.cells}
                repeated = claimed | set(last.items())
                again = {cell.experiment for cell in sized.cells if cell[:2] in repeated}
                runs = [run for run in runs if run.seed == 1 or run.experiment in again]
            hours = sum(estimated_seconds(run, results) for run in runs) / 3600
            figures += [f"{len(runs) or '–'}", f"{hours:,.1f}" if runs else "–"]
        corpora = ", ".join(dict.fromkeys(run.config.data.corpus for run in table.with_settings(settings).runs(1)))
        yield line(table.name, *figures, table.title + (f" [{corpora}]" if corpora else ""))
