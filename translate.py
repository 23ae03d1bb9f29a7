"""Translates text, one line out for one line in, from standard input to standard output."""

from interacting_head.command_line import ArgumentParser, run
from interacting_head.translation_files import translate_file


def parse_arguments():
    parser = ArgumentParser(prog="translate.py", description=__doc__)
    parser.add_argument("-m", "--model", required=True, metavar="RUN_DIR", help="run directory of train.py")
    parser.add_argument("-i", "--input", default="-", metavar="FILE", help="plain or .gz; default: standard input")
    parser.add_argument("-o", "--output", default="-", metavar="FILE", help="default: standard output")
    parser.add_argument("--beam-size", type=int, metavar="N", help="1 is greedy search; default: the run's")
    parser.add_argument("--length-penalty", type=float, metavar="ALPHA", help="default: the run's")
    parser.add_argument("--length-penalty-type", choices=("gnmt", "average", "none"), help="default: the run's")
    parser.add_argument("--max-length", type=int, metavar="N", help="sub-words of a translation at most")
    parser.add_argument("--batch-size", type=int, metavar="N", help="sentences searched together")
    parser.add_argument("--n-best", type=int, default=1, metavar="N", help="hypotheses a line, at most the beam size")
    parser.add_argument("--output-type", choices=("text", "moses", "json"), default="text")
    parser.add_argument("--checkpoint", metavar="best|average|ema|step-N", help="default: best")
    parser.add_argument(
        "--keep-tokenized", action="store_true", help="tokens instead of text: words, or sub-words (raw)"
    )
    return parser.parse_args()


def main():
    return translate_file(parse_arguments())


if __name__ == "__main__":
    run(main)
