"""Export a trained model to the format of another program.

    interacting-head export -m RUN --format ctranslate2 [-o DIR] [--quantization int8]

    ctranslate2   for CTranslate2, a fast inference engine
    huggingface   for Hugging Face transformers: a Marian model if post-norm, a Pegasus model if pre-norm
    marian        as huggingface, for post-norm models only
    pegasus       as huggingface, for pre-norm models only
    keras         one .keras file, to be loaded with this project; every scheme
    savedmodel    for TensorFlow and TensorFlow Serving: text or ids in, translations out; every scheme

ctranslate2 and huggingface need a scheme that is exactly standard attention with other weights: docs/export.md.
"""

from argparse import Namespace
from pathlib import Path

from interacting_head.console import ArgumentParser, folder_name, importing_keras, run
from interacting_head.export import FORMATS, convert


def parse_arguments() -> Namespace:
    """Parse the command line."""
    parser = ArgumentParser(prog="python -m interacting_head.export", description=__doc__)
    parser.add_argument("-m", "--model", required=True, metavar="RUN_DIR", help="run directory of a training")
    parser.add_argument("--format", required=True, choices=FORMATS, help="format to write, see above")
    folder_help = (
        "a new or empty folder; for savedmodel, a folder to which a version is added; default: RUN_DIR/exports/FORMAT"
    )
    parser.add_argument("-o", "--output", type=folder_name, metavar="DIR", help=folder_help)
    types_help = "type of the weights, only for ctranslate2: float32 (default), float16, int8, int8_float32"
    parser.add_argument("--quantization", metavar="TYPE", help=types_help)
    parser.add_argument("--checkpoint", metavar="best|average|ema|step-N", help="checkpoint to export; default: best")
    add = parser.add_argument_group("savedmodel").add_argument
    add("--beam-size", type=int, metavar="N", help="beam size, fixed in the exported model; default: the run's")
    ids_help = "translate ids only, not text: then neither export nor use needs tensorflow-text"
    add("--ids-only", action="store_true", default=None, help=ids_help)
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
