"""Neural machine translation with interacting attention heads.

interacting-head VERB …                   also: python -m interacting_head VERB …
interacting-head VERB --help              all options of a verb
"""

import importlib
import os
import sys

from interacting_head import __version__
from interacting_head.config.values import entry_of
from interacting_head.console import PROGRAM, ArgumentParser, run

VERBS = {
    "train": ("train a model, or continue a run", "interacting_head.commands.train"),
    "translate": ("translate text with a trained or exported model", "interacting_head.commands.translate"),
    "evaluate": ("score translations against references", "interacting_head.commands.evaluate"),
    "analyze": ("study the attention heads of trained models", "interacting_head.analyze"),
    "tune": ("search hyper-parameters", "interacting_head.tune.__main__"),
    "reproduce": ("train and score the cells of a paper's table", "interacting_head.reproduce"),
    "export": ("write a model in the format of another program", "interacting_head.export.__main__"),
    "serve": ("translate over HTTP, with a web page", "interacting_head.serve.__main__"),
    "prepare": ("write a corpus as text, sub-words and encoded arrays", "data.prepare"),
    "stats": ("show the sizes and lengths of a corpus", "data.stats"),
    "quickstart-corpus": ("write the generated corpus of the recipe quickstart", "data.quickstart_corpus"),
}
"""Verb → its meaning, and the module that has its `main`."""


def main() -> int | None:
    """Call the `main` of the verb on the command line."""
    words = sys.argv[1:]
    if words[:1] == ["--"]:
        del words[0], sys.argv[1]
    if "_ARGCOMPLETE" in os.environ:
        words = os.environ["COMP_LINE"][: int(os.environ["COMP_POINT"])].split(" ")[1:-1]
        if words[:1] and words[0] in VERBS:
            os.environ["_ARGCOMPLETE"] = "2"  # complete what follows the second word
    if words and not words[0].startswith("-"):
        verb = words[0]
        _, module = entry_of(VERBS, verb, "verb", f"{PROGRAM} --help lists the verbs")
        sys.argv = [f"{PROGRAM} {verb}", *sys.argv[2:]]
        return importlib.import_module(module).main()
    width = max(map(len, VERBS))
    verbs = "\n".join(f"    {verb:<{width}}   {meaning}" for verb, (meaning, _) in VERBS.items())
    parser = ArgumentParser(prog=PROGRAM, usage=f"{PROGRAM} VERB …", description=__doc__, epilog=f"verbs:\n{verbs}")
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    parser.add_argument("verb", choices=VERBS, metavar="VERB", help="one of the verbs below")
    parser.parse_args()


def command() -> None:
    """Run `main` and exit."""
    run(main)


if __name__ == "__main__":
    command()
