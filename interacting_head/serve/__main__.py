"""Serve a web page that translates with a trained model and shows its attention.

    interacting-head serve -m runs/quickstart

It listens on this machine only, unless --host says otherwise. docs/serving.md describes the page and the JSON API.
"""

import sys
from argparse import Namespace

from data.errors import InputError
from interacting_head.console import ArgumentParser, renamed, run
from interacting_head.runs.exports import open_run
from interacting_head.translation.engines import ENGINES, FORMER_ENGINES, check_source_length, load_engine
from interacting_head.translation.options import SOURCE_LENGTH


def parse_arguments() -> Namespace:
    """Return the arguments of `interacting-head serve`."""
    parser = ArgumentParser(prog="python -m interacting_head.serve", description=__doc__)
    add = parser.add_argument
    model_help = "run directory, or an exported folder with --engine; several runs form an ensemble"
    add("-m", "--model", nargs="+", required=True, metavar="RUN_DIR", help=model_help)
    add("--checkpoint", metavar="best|average|ema|step-N", help="weights to load; default: best")
    engine = (
        "translation engine; default: keras, the only one that shows attention; ctranslate2 uses the export in a run "
        "directory (RUN_DIR/exports/ctranslate2) if it fits"
    )
    add("--engine", type=renamed(FORMER_ENGINES), choices=tuple(ENGINES), default="keras", help=engine)
    add(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help="address to listen on; default: 127.0.0.1, this machine only",
    )
    add("--port", type=int, default=8000, metavar="N", help="port to listen on; default: 8000; 0: any free port")
    add("--allow-host", nargs="+", default=[], metavar="NAME", help="further host names that requests may use")
    add("--max-source-length", type=int, metavar="N", help=SOURCE_LENGTH)
    arguments = parser.parse_args()
    if arguments.max_source_length is not None:
        check_source_length("--max-source-length", arguments.max_source_length, arguments.engine)
    if not 0 <= arguments.port < 2**16:
        raise InputError(f"--port must be from 0 to {2**16 - 1}, got {arguments.port}")
    return arguments


def main() -> None:
    """Serve until interrupted."""
    arguments = parse_arguments()
    if arguments.engine == "keras":  # others may get an exported folder
        for path in arguments.model:
            open_run(path, ENGINES).find_weights(arguments.checkpoint)
    from interacting_head.serve import server  # missing packages are reported before the model is loaded

    with server.listening(arguments.host, arguments.port) as listener:
        if not server.is_private(listener):
            print(
                f"warning: anyone on other machines can reach {server.url_of(listener)}, without a password and "
                "without encryption",
                file=sys.stderr,
            )
        load_engine(arguments.engine)  # usually imports Keras, hence only now
        from interacting_head.serve.service import Service

        service = Service.from_run(arguments.model, arguments.checkpoint, arguments.engine, arguments.max_source_length)
        server.serve(service, listener, [arguments.host, *arguments.allow_host])


if __name__ == "__main__":
    run(main)
