"""Score translations against references."""

import dataclasses
import io
import sys

from interacting_head.console import run
from interacting_head.metrics import Options, check_names
from interacting_head.metrics.command_line import parse_arguments
from interacting_head.metrics.evaluation import evaluate_systems
from interacting_head.metrics.lines import input_warnings, read_aligned
from interacting_head.metrics.report import format_json
from interacting_head.metrics.significance import Resampling


def main() -> int | None:
    """Print the scores of the files on the command line; return 2 if no metric is available."""
    arguments = parse_arguments(__doc__)
    names = check_names(arguments.metrics)
    systems, references, source = read_aligned(
        [arguments.hypotheses, *arguments.compare], arguments.references, arguments.source
    )
    for name, lines in systems:
        for doubt in input_warnings(lines, name, arguments.tokenized or "sacrebleu" not in names):
            print(f"warning: {doubt}", file=sys.stderr)
    options = Options(**{one.name: getattr(arguments, one.name) for one in dataclasses.fields(Options)})
    resampling = Resampling(arguments.resampling, arguments.seed)
    evaluation = evaluate_systems(systems, references, names, options, resampling, source)
    for name, reason in evaluation.unavailable.items():
        print(f"{'warning' if evaluation.results else 'error'}: {name} is unavailable: {reason}", file=sys.stderr)
    if not evaluation.results:
        return 2
    if arguments.format is format_json and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    print(arguments.format(evaluation, arguments.sentence_level))


if __name__ == "__main__":
    run(main)
