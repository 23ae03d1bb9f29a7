"""The command line of `interacting-head evaluate`."""

from argparse import Namespace

from data.errors import InputError
from interacting_head.console import ArgumentParser
from interacting_head.metrics import METRICS, report
from interacting_head.metrics.significance import SEED, STYLES

EPILOG = "Files are UTF-8, one sentence per line, plain or .gz. docs/metrics.md defines each metric."
DEFAULT_METRICS = ["bleu", "sacrebleu"]


def parse_arguments(description: str) -> Namespace:
    """Parse the command line; wrong usage ends the process with a one-line error."""
    parser = ArgumentParser(description=description, epilog=EPILOG)
    parser.add_argument(
        "-i", metavar="HYP", dest="hypotheses", default="-", help="translations; default: standard input"
    )
    parser.add_argument("-r", metavar="REF", dest="references", nargs="+", help="one or more reference files")
    names = f"one or more of {', '.join(METRICS)}; default: {' '.join(DEFAULT_METRICS)}"
    parser.add_argument("-m", metavar="METRIC", dest="metrics", nargs="+", default=DEFAULT_METRICS, help=names)
    parser.add_argument("--lowercase", action="store_true", help="ignore case")
    parser.add_argument(
        "--tokenized",
        action="store_true",
        help="the text is already tokenised: switch off the tokenisation of sacrebleu",
    )
    language = "language of the text, such as de: for the tokenisation of sacrebleu, and for a warning of METEOR"
    parser.add_argument("--language", metavar="CODE", help=language)
    meteor = "language of METEOR's parameters, stemmer and paraphrases; default: en, which the papers' tool always uses"
    parser.add_argument("--meteor-language", metavar="CODE", default="en", help=meteor)
    embedder = "for yisi1: a word-vector file in word2vec's format, or the folder of a transformer"
    parser.add_argument("--embedder", metavar="PATH", help=embedder)
    comparing = "test other translations against HYP by paired bootstrap resampling"
    parser.add_argument("--compare", metavar="OTHER_HYP", nargs="+", default=[], help=comparing)
    resampling = (
        "resamples as large as the test set, as in sacrebleu, or half as large, as in compare-mt; default: sacrebleu"
    )
    parser.add_argument("--resampling", choices=STYLES, help=resampling)
    parser.add_argument("--seed", type=int, help=f"seed of the resamples; default: {SEED}")
    parser.add_argument("--source", metavar="FILE", help="source text: also print scores by source sentence length")
    parser.add_argument("--sentence-level", action="store_true", help="also print a score for each sentence")
    output = parser.add_mutually_exclusive_group()
    formats = {"action": "store_const", "dest": "format", "default": report.format_table}
    output.add_argument("--json", const=report.format_json, help="print one JSON object", **formats)
    output.add_argument("--markdown", const=report.format_markdown, help="print Markdown tables", **formats)
    arguments = parser.parse_args()
    if not arguments.references:
        raise InputError("no reference given; name one or more reference files with -r")
    if arguments.seed is not None and not 0 <= arguments.seed < 2**32:
        raise InputError(f"--seed must be a whole number from 0 to {2**32 - 1}, got {arguments.seed}")
    for option in ("resampling", "seed"):
        if getattr(arguments, option) is not None and not arguments.compare:
            raise InputError(f"--{option} is for comparisons; give --compare too")
    if arguments.embedder is not None and "yisi1" not in arguments.metrics:
        raise InputError("--embedder is for yisi1; add it to -m")
    arguments.resampling = arguments.resampling or STYLES[0]
    arguments.seed = SEED if arguments.seed is None else arguments.seed
    return arguments
