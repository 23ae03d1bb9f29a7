"""The command line of `python -m interacting_head.reproduce`."""

import fnmatch
import json
import sys
from pathlib import Path

from data.errors import InputError
from data.files import atomic_write
from interacting_head.console import ArgumentParser, RunError
from interacting_head.reproduction.epoch_seconds import measure
from interacting_head.reproduction.estimates import estimated_seconds
from interacting_head.reproduction.figures import draw
from interacting_head.reproduction.report import report, result_name
from interacting_head.reproduction.results import Results
from interacting_head.reproduction.runner import Runner
from interacting_head.reproduction.tables import TABLES, named

SEEDS = 3
EPILOG = """Tables in full size need the papers' corpora and GPUs. The same command continues where it was stopped.
docs/reproduction.md explains tables, results and verdicts."""


def parse_arguments(description):
    """Return the arguments of the command line; wrong usage ends the process with one line."""
    parser = ArgumentParser(prog="python -m interacting_head.reproduce", description=description, epilog=EPILOG)
    add = parser.add_argument
    add("tables", nargs="*", metavar="TABLE", help="such as li_luo/3, or a pattern such as 'mlmha/*'")
    add("--list", action="store_true", help="show the tables, with their runs and hours here")
    add("--small", action="store_true", help="on free corpora and a CPU, with the recipes' siblings NAME_small")
    add("--seeds", type=int, default=SEEDS, metavar="N", help=f"runs of each experiment; default: {SEEDS}")
    add("--only", metavar="PATTERN", help="only runs whose name holds this, or matches it with * and ?")
    add("--corpora-dir", metavar="DIR", help="default: $CORPORA_DIR, then the cache folder")
    add("--runs-dir", metavar="DIR", default="runs/reproduction", help="default: runs/reproduction")
    add("--budget", type=float, metavar="HOURS", help="begin nothing that would not end in time")
    add("--report", action="store_true", help="write the report from the stored results; run nothing")
    add("-o", dest="output_dir", metavar="DIR", default="benchmarks", help="of results and report; default: benchmarks")
    arguments = parser.parse_args()
    if arguments.seeds < 1:
        parser.error(f"--seeds must be at least 1, got {arguments.seeds}")
    if arguments.budget is not None and not arguments.budget > 0:
        parser.error(f"--budget must be above 0, got {arguments.budget}")
    if not (arguments.tables or arguments.list or arguments.report):
        parser.error("name a table, such as li_luo/3; --list shows them")
    return arguments


def reproduce(arguments):
    """Do what the command line says; return the exit code.

    Raises:
        InputError: for an unknown table, or one that has no runs.
    """
    chosen = [table for name in arguments.tables for table in matching(name)]
    results = Results(Path(arguments.output_dir) / "results" / "reproduction")
    if arguments.list:
        print("\n".join(listed(chosen or TABLES.values(), arguments.seeds, results)))
        return 0
    failed = {}
    for table in {} if arguments.report else chosen:
        failed |= make(table, arguments, results)
    write_report(results, arguments.seeds, Path(arguments.output_dir))
    if failed:
        names = ", ".join(failed)
        raise RunError(f"{len(failed)} runs failed: {names}; the same command tries them again")
    return 0


def matching(name):
    """Return the tables that a name or pattern means."""
    if any(letter in name for letter in "*?["):
        if found := [table for key, table in TABLES.items() if fnmatch.fnmatch(key, name) and table.cells]:
            return found
        raise InputError(f"no table matches {name!r}; --list shows the tables")
    table = named(name)
    if not table.cells:
        raise InputError(f"{name} ({table.title}) compares no trainings; it is made by: {table.command}")
    return [table]


def make(table, arguments, results):
    """Run what a table lacks; return `{run: message}` of the runs that failed."""
    if arguments.small and table.small is None and not table.name.startswith("quickstart"):
        raise InputError(f"{table.name} has no small table; leave --small out")
    sized = table.in_size(arguments.small)
    if sized.measure == "epoch_seconds":
        measure(sized, arguments.small, results, result_name(table.name, arguments.small), arguments.corpora_dir)
        return {}
    runs = sized.runs(arguments.small, arguments.seeds)
    if arguments.only:
        pattern = arguments.only if any(x in arguments.only for x in "*?[") else f"*{arguments.only}*"
        runs = [run for run in runs if fnmatch.fnmatch(run.name, pattern)]
    runner = Runner(results, arguments.runs_dir, arguments.corpora_dir, arguments.budget)
    runner.make([(run, sized.tests, sized.metrics) for run in runs])
    if runner.left_out:
        print(f"{table.name}: {len(runner.left_out)} runs left out for want of time", file=sys.stderr)
    return runner.failed


def write_report(results, seeds, folder):
    """Write REPRODUCTION.md, REPRODUCTION.json and figures into a folder."""

    def figure(scored, name):
        draw(scored, results.folder / "figures" / name)
        return f"results/reproduction/figures/{name}.png"

    markdown, found = report(results, seeds, figure)
    for name, text in (
        ("REPRODUCTION.md", markdown),
        ("REPRODUCTION.json", json.dumps(found, indent=1, ensure_ascii=False) + "\n"),
    ):
        with atomic_write(folder / name, parents=True) as file:
            file.write(text)
    print(f"{len(found)} tables in {folder / 'REPRODUCTION.md'}", file=sys.stderr)


def listed(tables, seeds, results):
    """Yield the lines of a list of tables: runs and hours in full and small size, or the command that makes it."""
    yield f"{'table':18} {'runs':>5} {'hours':>8} {'small':>6} {'hours':>6}  title"
    for table in tables:
        if not table.cells:
            yield f"{table.name:18} {'–':>5} {'–':>8} {'–':>6} {'–':>6}  {table.title}: {table.command}"
            continue
        figures = []
        for small in (False, True):
            runs = table.in_size(small).runs(small, seeds) if not small or table.small else []
            hours = sum(estimated_seconds(run, results) for run in runs) / 3600
            figures += [f"{len(runs) or '–'}", f"{hours:,.1f}" if runs else "–"]
        corpora = ", ".join(dict.fromkeys(run.config.data.corpus for run in table.runs(False, 1)))
        yield (
            f"{table.name:18} {figures[0]:>5} {figures[1]:>8} {figures[2]:>6} {figures[3]:>6}  {table.title}"
            + (f" [{corpora}]" if corpora else "")
        )
