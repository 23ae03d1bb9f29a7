"""Serves a web page that translates with a trained model and shows its attention.

    python -m interacting_head.serve -m runs/quickstart

It listens on this machine only, unless --host says otherwise. docs/serving.md describes the page and its JSON.
"""

import sys
from argparse import Namespace

from data.errors import InputError
from interacting_head.console import ArgumentParser, renamed, run
from interacting_head.runs.run_directory import RunDirectory
from interacting_head.translation.engines import ENGINES, FORMER_ENGINES, check_source_length, load_engine
from interacting_head.translation.options import SOURCE_LENGTH


def parse_arguments() -> Namespace:
    """Return the arguments of `python -m interacting_head.serve`."""
    parser = ArgumentParser(prog="python -m interacting_head.serve", description=__doc__)
    add = parser.add_argument
    add("-m", "--model", nargs="+", required=True, metavar="RUN_DIR", help="run directories; several are an ensemble")
    add("--checkpoint", metavar="best|average|ema|step-N", help="default: best")
    engine = (
        "default: keras, the only one that shows attention; ctranslate2 takes a run directory too, and uses its "
        "export if it fits (RUN_DIR/exports/ctranslate2)"
    )
    add("--engine", type=renamed(FORMER_ENGINES), choices=tuple(ENGINES), default="keras", help=engine)
    add("--host", default="127.0.0.1", metavar="ADDRESS", help="where to listen; default: 127.0.0.1, this machine only")
    add("--port", type=int, default=8000, metavar="N", help="default: 8000; 0: any that is free")
    add("--allow-host", nargs="+", default=[], metavar="NAME", help="names of this machine that browsers may ask for")
    add("--max-source-length", type=int, metavar="N", help=SOURCE_LENGTH)
    arguments = parser.parse_args()
    if arguments.max_source_length is not None:
        check_source_length("--max-source-length", arguments.max_source_length, arguments.engine)
    if not 0 <= arguments.port < 2**16:
        raise InputError(f"--port must be at least 0 and at most {2**16 - 1}, got {arguments.port}")
    return arguments


def main() -> None:
    """Serve until interrupted."""
    arguments = parse_arguments()
    if arguments.engine == "keras":  # others may be given a folder of their own
        for path in arguments.model:
            RunDirectory.open(path).weights(arguments.checkpoint)
    from interacting_head.serve import server  # without its packages, that is known before the model is loaded

    with server.listening(arguments.host, arguments.port) as listener:
        if not server.is_private(listener):
            print(
                f"warning: {server.url_of(listener)} can be reached from other machines, by anyone, "
                "without a password and unencrypted",
                file=sys.stderr,
            )
        load_engine(arguments.engine)  # most likely imports Keras: only now
        from interacting_head.serve.service import Service

        service = Service.from_run(arguments.model, arguments.checkpoint, arguments.engine, arguments.max_source_length)
        server.serve(service, listener, [arguments.host, *arguments.allow_host])


if __name__ == "__main__":
    run(main)
