"""The command line of `interacting-head translate`, with the checks that need no model."""

import argparse
import contextlib
import dataclasses
import re
import types
from collections.abc import Iterator

from data.errors import InputError
from interacting_head.config import DecodeConfig
from interacting_head.config.values import MOST_HYPOTHESES
from interacting_head.console import ArgumentParser, renamed
from interacting_head.search.options import LENGTH_PENALTIES, SearchOptions
from interacting_head.translation.engines import (
    DEFAULT_ENGINE,
    ENGINES,
    FORMER_ENGINES,
    check_capabilities,
    check_source_length,
)

SOURCE_LENGTH = (
    "translate lines of more than N sub-words in pieces; default: 1,024, or the limit in training if that is more"
)
ENGINE = (
    "which program translates; default: ctranslate2 for a run directory with an export that fits "
    "(RUN_DIR/exports/ctranslate2), keras otherwise"
)
DETAILS = ("attention", "head-importance")

EPILOG = """Text is UTF-8, one sentence per line; each input line gives one output line, in order. Without --input,
standard input is read, with a prompt if it is a terminal. docs/translation.md explains options and outputs."""

SEARCH_FIELDS = tuple(field.name for field in dataclasses.fields(SearchOptions))
SAMPLING_ONLY = ("temperature", "top_k", "top_p", "seed")
SEARCH_ONLY = ("prefix", "sampling", "beam_size", "min_length", "max_length", "no_repeat_ngram", "n_best")
FLAGS = {"sampling": "--sample"}


def parse_arguments(description: str) -> argparse.Namespace:
    """Parse the arguments of the verb `translate`; raise `InputError` if they are out of range or contradictory."""
    parser = ArgumentParser(prog="translate.py", description=description, epilog=EPILOG)
    add = parser.add_argument
    model_help = "run directory, or an exported folder with --engine; several runs form an ensemble"
    add("-m", "--model", nargs="+", required=True, metavar="RUN_DIR", help=model_help)
    add("-i", "--input", default="-", metavar="FILE", help="source text, plain or .gz; default: standard input")
    add("-o", "--output", default="-", metavar="FILE", help="output file, .gz to compress; default: standard output")
    add("--checkpoint", metavar="best|average|ema|step-N", help="weights to load; default: best")
    add("--max-source-length", type=int, metavar="N", help=SOURCE_LENGTH)
    add("--engine", type=renamed(FORMER_ENGINES), choices=tuple(ENGINES), help=ENGINE)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--batch-size", type=int, metavar="N", help="sentences per batch; default: the run's")
    size.add_argument(
        "--batch-tokens", type=int, metavar="N", help="sub-words per batch, padding included; instead of --batch-size"
    )

    add = parser.add_argument_group("search").add_argument
    add("--beam-size", type=int, metavar="N", help="hypotheses per sentence, 1: greedy search; default: the run's")
    add("--length-penalty", type=float, metavar="ALPHA", help="exponent of the length penalty; default: the run's")
    penalty = "divide log-probabilities by ((5 + length) / 6)^ALPHA, by length^ALPHA, or by nothing; default: the run's"
    add("--length-penalty-type", choices=tuple(LENGTH_PENALTIES), help=penalty)
    add("--min-length", type=int, metavar="N", help="fewest sub-words of a translation; default: no limit")
    add("--max-length", type=int, metavar="N", help="most sub-words of a translation; default: the run's")
    add("--no-repeat-ngram", type=int, metavar="N", help="no n-gram of N sub-words repeats; default: no limit")
    add("--n-best", type=int, metavar="N", help="translations of each line; default: 1")
    add("--prefix", metavar="FILE", help="target prefixes, one per line: each translation begins with its prefix")
    add("--score", metavar="FILE", help="do not translate, but score the translations in FILE, one per line")

    add = parser.add_argument_group("sampling").add_argument
    add("--sample", action="store_true", default=None, dest="sampling", help="sample translations instead of searching")
    add("--temperature", type=float, metavar="T", help="below 1: likelier samples, above 1: more varied; default: 1")
    add("--top-k", type=int, metavar="K", help="sample only from the K likeliest sub-words")
    top_p = "sample only from the likeliest sub-words whose probabilities sum up to P"
    add("--top-p", type=float, metavar="P", help=top_p)
    add("--seed", type=int, metavar="N", help="random seed; default: 1")

    add = parser.add_argument_group("output").add_argument
    add("--output-type", choices=("text", "moses", "json"), default="text", help="output format; default: text")
    details = "add attention weights or head importance to each object; needs --output-type json"
    add("--with", nargs="+", choices=DETAILS, default=[], dest="details", help=details)
    add("--summary", metavar="FILE", help="write the number of sentences and sub-words and the seconds as JSON")
    add("--alignment", metavar="FILE", help="write links i-j between words of the input and the best translation")
    tokens = "output tokens instead of text: words, or sub-words if the run's profile is raw"
    add("--keep-tokenized", action="store_true", help=tokens)
    arguments = parser.parse_args()
    _check_numbers(arguments)
    _check_together(arguments)
    return arguments


def search_fields(arguments: argparse.Namespace) -> dict:
    """Return `{field of SearchOptions: value}` for the fields that the command line sets."""
    fields = {name: getattr(arguments, name) for name in SEARCH_FIELDS}
    return {name: value for name, value in fields.items() if value is not None}


def check_search(arguments: argparse.Namespace, decode: DecodeConfig | types.SimpleNamespace) -> None:
    """Raise `InputError`, with the names of command-line options, for an impossible search."""
    with fields_as_options():
        SearchOptions.of(decode, search_fields(arguments))


@contextlib.contextmanager
def fields_as_options() -> Iterator[None]:
    """Name options of the command line in an `InputError` that begins with a field of `SearchOptions`."""
    try:
        yield
    except InputError as error:
        if str(error).partition(" ")[0] not in SEARCH_FIELDS:
            raise
        raise InputError(re.sub(rf"\b({'|'.join(SEARCH_FIELDS)})\b", lambda name: flag(name[0]), str(error))) from error


def flag(name: str) -> str:
    """Return the option of the command line for a field."""
    return FLAGS.get(name, f"--{name.replace('_', '-')}")


def _check_numbers(arguments):
    for name in ("batch_size", "batch_tokens"):
        if (value := getattr(arguments, name)) is not None and value < 1:
            raise InputError(f"{flag(name)} must be at least 1, got {value}")
    if arguments.max_source_length is not None:
        check_source_length("--max-source-length", arguments.max_source_length, arguments.engine or DEFAULT_ENGINE)
    beam_size = min(max(arguments.n_best or 1, 1), MOST_HYPOTHESES)  # the run's is not known yet
    check_search(arguments, types.SimpleNamespace(beam_size=beam_size))


def _check_together(arguments):
    given = {name for name, value in vars(arguments).items() if value not in (None, [])}
    wanted = given | ({"ensemble"} if len(arguments.model) > 1 else set())
    check_capabilities(arguments.engine or DEFAULT_ENGINE, wanted)
    if (arguments.n_best or 1) > 1 and arguments.output_type == "text":
        raise InputError("--n-best above 1 needs --output-type moses or json: text is one line out for one line in")
    if arguments.details:
        wanted = f"--with {arguments.details[0]}"
        if arguments.output_type != "json":
            raise InputError(f"{wanted} needs --output-type json")
        if len(arguments.model) > 1:
            raise InputError(f"{wanted} needs a single model, got {len(arguments.model)}; name one run directory")
    if "alignment" in given:
        if arguments.alignment == "-":
            raise InputError("--alignment needs a file name: standard output has the translations")
        if len(arguments.model) > 1:
            raise InputError(f"--alignment needs a single model, got {len(arguments.model)}; name one run directory")
    if arguments.summary == "-":
        raise InputError("--summary needs a file name: standard output has the translations")
    for name in SAMPLING_ONLY:
        if name in given and "sampling" not in given:
            raise InputError(f"{flag(name)} is for sampling; give --sample too")
    if {"sampling", "beam_size"} <= given:
        raise InputError("--beam-size cannot be used with --sample; set the number of samples with --n-best")
    for name in ("prefix", "score"):
        if arguments.input == getattr(arguments, name) == "-":
            raise InputError(f"--input and --{name} are both standard input; name a file for one of them")
    if "score" in given:
        for name in SEARCH_ONLY:
            if name in given:
                raise InputError(f"{flag(name)} cannot be used with --score, which does not search; remove one of them")
        if arguments.keep_tokenized:
            raise InputError("--keep-tokenized cannot be used with --score, which changes no text; remove one of them")
