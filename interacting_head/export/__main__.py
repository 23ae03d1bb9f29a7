"""Write a trained model in the format of another program.

    python -m interacting_head.export -m RUN --format ctranslate2 [-o DIR] [--quantization int8]

    ctranslate2   a standard Transformer with the same results, for CTranslate2, a fast engine
    marian        the same for transformers: a Hugging Face Marian model (post-norm only)
    keras         one .keras file, for every scheme; it is loaded with this project
    savedmodel    text or ids in, translations out, for every scheme; for TensorFlow and TensorFlow Serving

The first two take the schemes that are standard attention with other weights; docs/export.md says which, and why.
"""

from argparse import Namespace
from pathlib import Path

from interacting_head.console import ArgumentParser, importing_keras, run
from interacting_head.export import FORMATS, convert


def parse_arguments() -> Namespace:
    """Return the arguments of the command line."""
    parser = ArgumentParser(prog="python -m interacting_head.export", description=__doc__)
    parser.add_argument("-m", "--model", required=True, metavar="RUN_DIR", help="run directory of train.py")
    parser.add_argument("--format", required=True, choices=FORMATS)
    folder_help = "a new or empty folder; savedmodel: of versions; default: RUN_DIR/exports/FORMAT"
    parser.add_argument("-o", "--output", metavar="DIR", help=folder_help)
    types_help = "ctranslate2: float32 (default), float16, int8, int8_float32"
    parser.add_argument("--quantization", metavar="TYPE", help=types_help)
    parser.add_argument("--checkpoint", metavar="best|average|ema|step-N", help="default: best")
    add = parser.add_argument_group("savedmodel").add_argument
    add("--beam-size", type=int, metavar="N", help="which cannot be changed afterwards; default: the run's")
    add("--ids-only", action="store_true", default=None, help="no signatures for text: needs no tensorflow-text")
    return parser.parse_args()


def main() -> None:
    """Convert the model of the command line."""
    arguments = parse_arguments()
    with importing_keras():
        names = ("quantization", "checkpoint", "beam_size", "ids_only")
        options = {name: getattr(arguments, name) for name in names}
        folder = convert(arguments.model, arguments.format, arguments.output, **options)
    size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    print(f"{folder}: {arguments.format}, {size / 1e6:,.1f} MB")


if __name__ == "__main__":
    run(main)
