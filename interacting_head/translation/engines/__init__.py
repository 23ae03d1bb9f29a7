"""The engines of `translate.py --engine`: ids of sentences in, n-best lists of ids with their scores out.

Each is an `engine.Engine` of its own, in a file of its own. The registry `ENGINES` says where it is and what it cannot
do, so that the command line can refuse that before anything is loaded. Start at `engine.py`.
"""

import importlib
import sys
from typing import NamedTuple

from data.errors import InputError
from interacting_head.console import importing_keras


class Capability(NamedTuple):
    """Something that engines may lack.

    Attributes:
        statement: how messages say that an engine lacks it.
        option: the option of `translate.py` that needs it.
    """

    statement: str
    option: str


CAPABILITIES = {
    "ensemble": Capability("takes one model", "a further one"),
    "sampling": Capability("searches and does not draw", "--sample"),
    "no_repeat_ngram": Capability("does not look at n-grams", "--no-repeat-ngram"),
    "prefix": Capability("takes no beginnings of translations", "--prefix"),
    "score": Capability("scores no given translations", "--score"),
    "details": Capability("does not tell what it attends to", "--with"),
}


class EngineEntry(NamedTuple):
    """An engine's `place`, `"module:class"`, and the `CAPABILITIES` that it lacks."""

    place: str
    cannot: frozenset = frozenset()


ENGINES = {
    "tensorflow": EngineEntry("interacting_head.translation.engines.tensorflow:TransformerEngine"),
    "ctranslate2": EngineEntry(
        "interacting_head.translation.engines.ctranslate2:CTranslate2Engine",
        cannot=frozenset({"ensemble", "sampling", "details"}),
    ),
    "savedmodel": EngineEntry(
        "interacting_head.translation.engines.savedmodel:SavedModelEngine", cannot=frozenset(CAPABILITIES)
    ),
}


def engine_class(name):
    """Return the class of an engine; imports what it needs."""
    module, _, class_name = ENGINES[name].place.partition(":")
    return getattr(importlib.import_module(module), class_name)


def load_engine(name):
    """Import an engine for a whole process: TensorFlow without its messages, and a share of the cores for each call."""
    with importing_keras():
        engine_class(name)
    if "keras" in sys.modules:  # engines without it have their own threads
        from interacting_head.model.compilation import share_cores

        share_cores()


def check_capabilities(name, wanted):
    """Raise `InputError` for the first of the wanted `CAPABILITIES` that an engine lacks."""
    for capability, (statement, option) in CAPABILITIES.items():
        if capability in wanted and capability in ENGINES[name].cannot:
            raise InputError(f"--engine {name} {statement}; {option} needs --engine tensorflow")
