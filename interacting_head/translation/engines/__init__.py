"""The engines of `interacting-head translate --engine`: ids of sentences in, n-best lists of ids with scores out.

Each is an `engine.Engine` in a file of its own. The registry `ENGINES` says what each does not support, so the command
line can reject it before loading anything. Start at `engine.py`.
"""

import importlib
import math
import sys
from typing import NamedTuple

from data.errors import InputError
from interacting_head.config.values import entry_of
from interacting_head.console import importing_keras
from interacting_head.export import LONGEST, POSITIONS
from interacting_head.search.options import SearchOptions

DEFAULT_ENGINE = "keras"
FASTER_ENGINE = "ctranslate2"
"""For runs with an export of that name, and searches with one model that can be converted to a standard Transformer."""


class Capability(NamedTuple):
    """A feature that engines may lack: a statement of that for messages, and what needs the feature."""

    statement: str
    option: str


CAPABILITIES = {
    "ensemble": Capability("supports only one model", "an ensemble"),
    "sampling": Capability("does not support sampling", "--sample"),
    "no_repeat_ngram": Capability("does not support n-gram blocking", "--no-repeat-ngram"),
    "prefix": Capability("does not support target prefixes", "--prefix"),
    "score": Capability("does not support scoring given translations", "--score"),
    "details": Capability("does not expose attention", "--with"),
    "alignment": Capability("does not support word alignments", "--alignment"),
}


class EngineEntry(NamedTuple):
    """An engine's class (`"module:class"`), the `CAPABILITIES` that it lacks, and its longest texts in sub-words."""

    place: str
    cannot: frozenset = frozenset()
    longest_source: float = math.inf
    longest_target: float = math.inf


ENGINES = {
    "keras": EngineEntry("interacting_head.translation.engines.keras:TransformerEngine"),
    "ctranslate2": EngineEntry(
        "interacting_head.translation.engines.ctranslate2:CTranslate2Engine",
        cannot=frozenset({"ensemble", "sampling", "details"}),
        longest_source=POSITIONS - 1,  # and the end symbol
        longest_target=POSITIONS - 1,
    ),
    "savedmodel": EngineEntry(
        "interacting_head.translation.engines.savedmodel:SavedModelEngine",
        cannot=frozenset(CAPABILITIES),
        longest_source=LONGEST - 1,
    ),
}

FORMER_ENGINES = {"tensorflow": "keras"}
"""Names in earlier versions → current names."""


def engine_class(name: str) -> type:
    """Return the class of an engine; imports what it needs."""
    module, _, class_name = entry_of(ENGINES, name, "engine").place.partition(":")
    return getattr(importlib.import_module(module), class_name)


def load_engine(name: str) -> None:
    """Import an engine for this process: TensorFlow without its messages, and a share of the cores for each call."""
    with importing_keras():
        engine_class(name)
    if "keras" in sys.modules:  # engines without it have their own threads
        from interacting_head.model.compilation import share_cores

        share_cores()


def check_capabilities(name: str, wanted: set[str] | tuple) -> None:
    """Raise `InputError` for the first of the wanted `CAPABILITIES` that an engine lacks."""
    for capability, (statement, option) in CAPABILITIES.items():
        if capability in wanted and capability in ENGINES[name].cannot:
            raise InputError(f"--engine {name} {statement}; {option} needs --engine keras")


def check_source_length(option: str, value: int, name: str) -> None:
    """Raise `InputError` for a source length limit, in sub-words, that the engine `name` does not support."""
    if not isinstance(value, int) or value < 1:
        raise InputError(f"{option} must be a whole number of at least 1, got {value}")
    if value > (most := ENGINES[name].longest_source):
        raise InputError(f"{option} must be at most {most:,} with --engine {name}, got {value:,}")


def why_not_alike(options: SearchOptions, prefixed: bool = False) -> str | None:
    """Return why the faster engine would find other translations than the default one under these options, or None.

    `prefixed` says whether translations have prefixes.
    """
    if options.forbids_subwords:
        return (
            f"{FASTER_ENGINE} searches otherwise with --min-length or --no-repeat-ngram: by the probabilities among "
            "the sub-words that are allowed"
        )
    if options.beam_size == 1 or options.length_penalty_type == "none":
        return None
    if options.length_penalty > 1:
        return f"{FASTER_ENGINE} often ends its search too early for a length penalty of {options.length_penalty:g}"
    if options.length_penalty > 0 and prefixed:
        return f"{FASTER_ENGINE} often ends its search too early with --prefix, whose probability it does not count"
    return None


def check_target_lengths(limits: dict[str, int | None], name: str) -> None:
    """Raise `InputError` for one of the limits, by field of `SearchOptions`, that the engine `name` cannot reach."""
    for option, value in limits.items():
        if (value or 0) > (most := ENGINES[name].longest_target):
            raise InputError(f"{option} {value} is too large for {name}, which gives at most {most:,} sub-words")
