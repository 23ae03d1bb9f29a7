"""The command line of `eval_metrics.py`."""

from argparse import Namespace

from data.errors import InputError
from interacting_head.console import ArgumentParser
from interacting_head.metrics import METRICS, report
from interacting_head.metrics.significance import SEED, STYLES

EPILOG = "Files are UTF-8, one sentence a line, plain or .gz. docs/metrics.md says what each metric computes."
DEFAULT_METRICS = ["bleu", "sacrebleu"]


def parse_arguments(description: str) -> Namespace:
    """Return the arguments of the command line; wrong usage ends the process with one line."""
    parser = ArgumentParser(description=description, epilog=EPILOG)
    parser.add_argument("-i", metavar="HYP", dest="hypotheses", default="-", help="translations (default stdin)")
    parser.add_argument("-r", metavar="REF", dest="references", nargs="+", help="one or more references")
    names = f"of {', '.join(METRICS)} (default: {' '.join(DEFAULT_METRICS)})"
    parser.add_argument("-m", metavar="METRIC", dest="metrics", nargs="+", default=DEFAULT_METRICS, help=names)
    parser.add_argument("--lowercase", action="store_true", help="ignore case")
    parser.add_argument("--tokenized", action="store_true", help="the text is tokenised: leave it as it is")
    language = "of the text, such as de: METEOR's definition says if it is scored as another"
    parser.add_argument("--language", metavar="CODE", help=language)
    meteor = "whose parameters, stemmer and paraphrases METEOR uses (default en, as the papers' tool for all texts)"
    parser.add_argument("--meteor-language", metavar="CODE", default="en", help=meteor)
    embedder = "for yisi1: a file of word vectors (word2vec's format) or the folder of a transformer"
    parser.add_argument("--embedder", metavar="PATH", help=embedder)
    comparing = "test other translations against HYP (paired bootstrap)"
    parser.add_argument("--compare", metavar="OTHER_HYP", nargs="+", default=[], help=comparing)
    resampling = "resamples of the set's size, as sacrebleu's, or of half of it, as compare-mt's (default sacrebleu)"
    parser.add_argument("--resampling", choices=STYLES, default=STYLES[0], help=resampling)
    parser.add_argument("--seed", type=int, default=SEED, help=f"of the resamples (default {SEED})")
    parser.add_argument("--source", metavar="FILE", help="source text: score short and long sentences apart too")
    parser.add_argument("--sentence-level", action="store_true", help="print a score for each sentence too")
    output = parser.add_mutually_exclusive_group()
    formats = {"action": "store_const", "dest": "format", "default": report.format_table}
    output.add_argument("--json", const=report.format_json, help="print one JSON object", **formats)
    output.add_argument("--markdown", const=report.format_markdown, help="print Markdown tables", **formats)
    arguments = parser.parse_args()
    if not arguments.references:
        raise InputError("no reference; name one or more reference files with -r")
    if not 0 <= arguments.seed < 2**32:
        raise InputError(f"--seed {arguments.seed}: give a whole number from 0 to {2**32 - 1}")
    return arguments
