"""The command line of `python -m interacting_head.analyze`."""

import argparse
import sys
from pathlib import Path

from data.errors import InputError
from data.files import check_folder
from interacting_head.analysis import ANALYSES
from interacting_head.analysis.base import check_at_least
from interacting_head.analysis.output import write
from interacting_head.console import ArgumentParser, importing_keras
from interacting_head.runs.run_directory import RunDirectory

SENTENCES = 1500
SEED = 1
EPILOG = """Figures, numbers and files are named after the verb. docs/analysis.md explains each verb and its equations;
VERB --help lists its options."""


def parse_arguments(description: str | None = None, words: list[str] | None = None) -> argparse.Namespace:
    """Return the arguments of the command line, by default the process's own; wrong usage ends the process.

    Raises:
        InputError: for options that do not go together or are out of range.
    """
    parser = ArgumentParser(prog="python -m interacting_head.analyze", description=description, epilog=EPILOG)
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for name, analysis_class in ANALYSES.items():
        analysis = analysis_class()
        own = verbs.add_parser(name, help=analysis.summary, description=analysis.summary)
        add = own.add_argument
        add("-m", "--model", nargs="+", required=True, metavar="RUN_DIR", help="run directories, which are compared")
        add("--checkpoint", metavar="best|average|ema|step-N", help="default: best")
        add("-o", dest="output_dir", metavar="DIR", help="default: RUN_DIR/analysis, of several runs: analysis")
        add = own.add_argument_group("sentences").add_argument
        text_help = "plain or .gz; default: the test set of each run's corpus, or else dev"
        add("-i", "--input", metavar="SOURCE", help=text_help)
        add("-r", "--reference", metavar="REFERENCE", help="of the input; default: each run's own translations")
        add("--split", metavar="NAME", help="another split of each run's corpus")
        add("--corpora-dir", metavar="DIR", help="default: $CORPORA_DIR, then the cache folder")
        add("--sentences", type=int, default=SENTENCES, metavar="N", help="drawn at random; default: %(default)s")
        add("--seed", type=int, default=SEED, metavar="N", help="of the draw; default: %(default)s")
        analysis.add_arguments(own)
        own.set_defaults(verb=analysis)
    arguments = parser.parse_args(words)
    check_at_least(1, sentences=arguments.sentences)
    if arguments.reference is not None and arguments.input is None:
        raise InputError("-r is the reference of -i; give both")
    if arguments.split is not None and arguments.input is not None:
        raise InputError("--split is of a run's corpus, and -i another text; leave one of the two out")
    if arguments.input == "-":
        raise InputError("-i needs a file: every run reads it from the beginning")
    arguments.verb.check(arguments)
    return arguments


def analyze(arguments: argparse.Namespace) -> None:
    """Do what the command line says: print the table, and write the files.

    Raises:
        InputError: for runs and sentences that cannot be analysed.
    """
    for path in arguments.model:  # before Keras is imported
        RunDirectory.open(path).weights(arguments.checkpoint)
    if arguments.output_dir:
        check_folder(arguments.output_dir)
    with importing_keras():
        from interacting_head.analysis.analysed_run import open_runs
        from interacting_head.model.compilation import share_cores

    share_cores()
    runs = open_runs(arguments.model, arguments.checkpoint)
    folder = Path(arguments.output_dir or (runs[0].path / "analysis" if len(runs) == 1 else "analysis"))
    findings = arguments.verb.analyze(runs, arguments)
    written = write(findings, arguments.verb.name, folder, [run.name for run in runs])
    print(f"{', '.join(written)} in {folder}", file=sys.stderr)
