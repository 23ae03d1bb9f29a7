"""The command line of `translate.py`, checked as far as that goes without a model."""

import argparse
import dataclasses
import re
import types

from data.errors import InputError
from interacting_head.config import DecodeConfig
from interacting_head.config.values import MOST_HYPOTHESES
from interacting_head.console import ArgumentParser, renamed
from interacting_head.search.length_penalties import LENGTH_PENALTIES
from interacting_head.search.options import SearchOptions
from interacting_head.translation.engines import ENGINES, FORMER_ENGINES, check_capabilities, check_source_length

SOURCE_LENGTH = (
    "longer lines, in sub-words, are translated in pieces; default: 1,024, or what the training had at most if more"
)
DETAILS = ("attention", "head-importance")

EPILOG = """Text is UTF-8, one sentence a line; each line gives one line, in order. Without --input the standard input
is read; where that is a terminal, there is a prompt. docs/translation.md explains options and outputs."""

SEARCH_FIELDS = tuple(field.name for field in dataclasses.fields(SearchOptions))
SAMPLING_ONLY = ("temperature", "top_k", "top_p", "seed")
SEARCH_ONLY = ("prefix", "sampling", "beam_size", "min_length", "max_length", "no_repeat_ngram", "n_best")
FLAGS = {"sampling": "--sample"}


def parse_arguments(description: str) -> argparse.Namespace:
    """Return the arguments of `translate.py`; `InputError` if they are out of range or do not go together."""
    parser = ArgumentParser(prog="translate.py", description=description, epilog=EPILOG)
    add = parser.add_argument
    add("-m", "--model", nargs="+", required=True, metavar="RUN_DIR", help="run directories; several are an ensemble")
    add("-i", "--input", default="-", metavar="FILE", help="plain or .gz; default: standard input")
    add("-o", "--output", default="-", metavar="FILE", help="default: standard output")
    add("--checkpoint", metavar="best|average|ema|step-N", help="default: best")
    add("--max-source-length", type=int, metavar="N", help=SOURCE_LENGTH)
    engine = "which program translates; default: keras"
    add("--engine", type=renamed(FORMER_ENGINES), choices=tuple(ENGINES), default="keras", help=engine)
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--batch-size", type=int, metavar="N", help="sentences translated together; default: the run's")
    size.add_argument("--batch-tokens", type=int, metavar="N", help="sub-words of them, padding counted")

    add = parser.add_argument_group("search").add_argument
    add("--beam-size", type=int, metavar="N", help="1 is greedy search; default: the run's")
    add("--length-penalty", type=float, metavar="ALPHA", help="default: the run's")
    add("--length-penalty-type", choices=tuple(LENGTH_PENALTIES), help="default: the run's")
    add("--min-length", type=int, metavar="N", help="sub-words of a translation at least")
    add("--max-length", type=int, metavar="N", help="sub-words of a translation at most; default: the run's")
    add("--no-repeat-ngram", type=int, metavar="N", help="no N sub-words come twice in the same order")
    add("--n-best", type=int, metavar="N", help="translations of each line; default: 1")
    add("--prefix", metavar="FILE", help="how the translation of each line has to begin, line by line")
    add("--score", metavar="FILE", help="search nothing: score the translations in FILE, line by line")

    add = parser.add_argument_group("sampling").add_argument
    add("--sample", action="store_true", default=None, dest="sampling", help="draw translations at random")
    add("--temperature", type=float, metavar="T", help="below 1 more likely ones, above 1 more varied ones; default: 1")
    add("--top-k", type=int, metavar="K", help="draw among the K likeliest sub-words only")
    add("--top-p", type=float, metavar="P", help="draw among the fewest likeliest sub-words whose sum is P")
    add("--seed", type=int, metavar="N", help="default: 1")

    add = parser.add_argument_group("output").add_argument
    add("--output-type", choices=("text", "moses", "json"), default="text", help="default: text")
    details = "further values in each object (json)"
    add("--with", nargs="+", choices=DETAILS, default=[], dest="details", help=details)
    add("--summary", metavar="FILE", help="write numbers of sentences and sub-words, and seconds, as JSON")
    add("--alignment", metavar="FILE", help="write links between words of input and best translation, i-j, to FILE")
    add("--keep-tokenized", action="store_true", help="tokens instead of text: words, or sub-words (raw)")
    arguments = parser.parse_args()
    _check_numbers(arguments)
    _check_together(arguments)
    return arguments


def search_fields(arguments: argparse.Namespace) -> dict:
    """Return `{field of SearchOptions: value}` for the fields that the command line sets."""
    fields = {name: getattr(arguments, name) for name in SEARCH_FIELDS}
    return {name: value for name, value in fields.items() if value is not None}


def check_search(arguments: argparse.Namespace, decode: DecodeConfig | types.SimpleNamespace) -> None:
    """Raise `InputError`, in terms of the command line, for a search that is not possible."""
    try:
        SearchOptions.of(decode, search_fields(arguments))
    except InputError as error:
        raise InputError(re.sub(rf"\b({'|'.join(SEARCH_FIELDS)})\b", lambda name: flag(name[0]), str(error))) from error


def flag(name: str) -> str:
    """Return the option of the command line for a field."""
    return FLAGS.get(name, f"--{name.replace('_', '-')}")


def _check_numbers(arguments):
    for name in ("batch_size", "batch_tokens"):
        if (value := getattr(arguments, name)) is not None and value < 1:
            raise InputError(f"{flag(name)} must be at least 1, got {value}")
    if arguments.max_source_length is not None:
        check_source_length("--max-source-length", arguments.max_source_length, arguments.engine)
    beam_size = min(max(arguments.n_best or 1, 1), MOST_HYPOTHESES)  # the run's is not known yet
    check_search(arguments, types.SimpleNamespace(beam_size=beam_size))


def _check_together(arguments):
    given = {name for name, value in vars(arguments).items() if value not in (None, [])}
    check_capabilities(arguments.engine, given | ({"ensemble"} if len(arguments.model) > 1 else set()))
    if (arguments.n_best or 1) > 1 and arguments.output_type == "text":
        raise InputError("--n-best above 1 needs --output-type moses or json: text is one line out for one line in")
    if arguments.details:
        wanted = f"--with {arguments.details[0]}"
        if arguments.output_type != "json":
            raise InputError(f"{wanted} needs --output-type json")
        if len(arguments.model) > 1:
            raise InputError(f"{wanted} looks into one model, got {len(arguments.model)}; name one run directory")
    if "alignment" in given:
        if arguments.alignment == "-":
            raise InputError("--alignment needs the name of a file: the standard output has the translations")
        if len(arguments.model) > 1:
            raise InputError(f"--alignment looks into one model, got {len(arguments.model)}; name one run directory")
    for name in SAMPLING_ONLY:
        if name in given and "sampling" not in given:
            raise InputError(f"{flag(name)} is for drawing at random; give --sample too")
    if {"sampling", "beam_size"} <= given:
        raise InputError("--beam-size is for a search, and --sample draws as many translations as --n-best says")
    for name in ("prefix", "score"):
        if arguments.input == getattr(arguments, name) == "-":
            raise InputError(f"--input and --{name} are both the standard input; name a file for one of them")
    if "score" in given:
        for name in SEARCH_ONLY:
            if name in given:
                raise InputError(f"{flag(name)} is for a search, and --score does none; leave one of the two out")
        if arguments.keep_tokenized:
            raise InputError("--keep-tokenized and --score exclude each other: translations come as they were given")
