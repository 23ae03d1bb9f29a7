"""Scores translations against references: python eval_metrics.py -i HYP -r REF [REF ...]"""

import sys

from interacting_head.command_line import ArgumentParser, run
from interacting_head.metrics import METRICS, check_names, evaluate, report
from interacting_head.metrics.lines import check_lines, display_name, doubts, read_lines
from interacting_head.metrics.significance import compare

DEFAULT_METRICS = ["bleu", "sacrebleu"]


def parse():
    parser = ArgumentParser(description=__doc__, epilog="Files are UTF-8, one sentence a line, plain or .gz.")
    parser.add_argument("-i", metavar="HYP", dest="hypotheses", default="-", help="translations (default stdin)")
    parser.add_argument("-r", metavar="REF", dest="references", nargs="+", help="one or more references")
    names = f"of {', '.join(METRICS)} (default: {' '.join(DEFAULT_METRICS)})"
    parser.add_argument("-m", metavar="METRIC", dest="metrics", nargs="+", default=DEFAULT_METRICS, help=names)
    parser.add_argument("--lowercase", action="store_true", help="ignore case")
    parser.add_argument("--tokenized", action="store_true", help="the text is tokenised: leave it as it is")
    comparing = "test other translations against HYP (paired bootstrap)"
    parser.add_argument("--compare", metavar="OTHER_HYP", nargs="+", default=[], help=comparing)
    parser.add_argument("--sentence-level", action="store_true", help="print a score for each sentence too")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    if not arguments.references:
        parser.error("no reference; name one or more reference files with -r")
    return arguments


def main():
    arguments = parse()
    names = check_names(arguments.metrics)
    options = {"lowercase": arguments.lowercase, "tokenized": arguments.tokenized}
    references = [read_lines(path) for path in arguments.references]
    systems = [(display_name(path), read_lines(path)) for path in [arguments.hypotheses, *arguments.compare]]
    for name, lines in systems:
        check_lines(lines, references, name, [display_name(path) for path in arguments.references])
        for doubt in doubts(lines, name, arguments.tokenized or "sacrebleu" not in names):
            print(f"warning: {doubt}", file=sys.stderr)
    results = evaluate(systems[0][1], references, names, **options)
    comparisons = compare(systems, references, names, **options) if arguments.compare else {}
    if arguments.json:
        print(report.format_json(results, comparisons, arguments.sentence_level))
        return
    print(report.format_table(results))
    if arguments.sentence_level:
        print("\n" + report.format_sentences(results))
    if comparisons:
        print("\n" + report.format_comparison(comparisons))


if __name__ == "__main__":
    run(main)
