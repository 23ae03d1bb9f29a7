"""The command line of `interacting-head analyze`."""

import argparse
import sys
from pathlib import Path

from data.errors import InputError
from data.files import check_folder, check_plain
from interacting_head.analysis import ANALYSES
from interacting_head.analysis.base import check_at_least
from interacting_head.analysis.output import write
from interacting_head.console import ArgumentParser, folder_name, importing_keras
from interacting_head.runs.run_directory import RunDirectory

SENTENCES = 1500
SEED = 1
EPILOG = """Output files are named after the verb. docs/analysis.md explains each verb and its equations;
VERB --help lists its options."""


def parse_arguments(description: str | None = None, words: list[str] | None = None) -> argparse.Namespace:
    """Return the command-line arguments from `words`, by default `sys.argv`; raise `InputError` for invalid ones."""
    parser = ArgumentParser(prog="python -m interacting_head.analyze", description=description, epilog=EPILOG)
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True)
    for name, analysis_class in ANALYSES.items():
        analysis = analysis_class()
        own = verbs.add_parser(name, help=analysis.summary, description=analysis.summary)
        add = own.add_argument
        add("-m", "--model", nargs="+", required=True, metavar="RUN_DIR", help="run directories to analyze and compare")
        add("--checkpoint", metavar="best|average|ema|step-N", help="checkpoint to analyze; default: best")
        output_help = "output folder; default: RUN_DIR/analysis, or analysis for several runs"
        add("-o", dest="output_dir", type=folder_name, metavar="DIR", help=output_help)
        add = own.add_argument_group("sentences").add_argument
        text_help = "source text, plain or .gz; default: the test set of each run's corpus, or dev if there is none"
        add("-i", "--input", metavar="SOURCE", help=text_help)
        reference_help = "reference translations of -i, which BLEU needs; default: each run's own translations"
        add("-r", "--reference", metavar="REFERENCE", help=reference_help)
        add("--split", metavar="NAME", help="split of each run's corpus, instead of the test set")
        add("--corpora-dir", metavar="DIR", help="folder of the corpora; default: $CORPORA_DIR, then the cache folder")
        number_help = "number of sentences, drawn at random; default: %(default)s"
        add("--sentences", type=int, default=SENTENCES, metavar="N", help=number_help)
        add("--seed", type=int, default=SEED, metavar="N", help="seed of the random draw; default: %(default)s")
        analysis.add_arguments(own)
        own.set_defaults(analysis=analysis)
    arguments = parser.parse_args(words)
    check_at_least(1, sentences=arguments.sentences)
    if arguments.reference is not None and arguments.input is None:
        raise InputError("-r is the reference translation of -i; give both")
    if arguments.split is not None and arguments.input is not None:
        raise InputError("--split and -i both choose the text; give only one of them")
    for option, path in (("-i", arguments.input), ("-r", arguments.reference)):
        if path == "-":
            raise InputError(f"{option} must be a file, not standard input: every run reads it from the beginning")
        if path is not None and len(arguments.model) > 1:
            check_plain(path)
    arguments.analysis.check(arguments)
    return arguments


def analyze(arguments: argparse.Namespace) -> None:
    """Run the chosen analysis: print its table and write its files."""
    for path in arguments.model:  # before Keras is imported
        RunDirectory.open(path).find_weights(arguments.checkpoint)
    default = Path(arguments.model[0]) / "analysis" if len(arguments.model) == 1 else Path("analysis")
    folder = Path(arguments.output_dir or default)
    check_folder(folder)
    if (folder / "config.yaml").is_file():  # whose alignment.json, for example, an analysis would replace
        raise InputError(f"{folder} is a run directory; name another folder for the results, such as {folder}/analysis")
    with importing_keras():
        from interacting_head.analysis.analysed_run import open_runs
        from interacting_head.model.compilation import share_cores

    share_cores()
    runs = open_runs(arguments.model, arguments.checkpoint)
    findings = arguments.analysis.analyze(runs, arguments)
    written = write(findings, arguments.analysis.name, folder, [run.name for run in runs])
    print(f"{', '.join(written)} in {folder}", file=sys.stderr)
