"""Translates text, one line out for one line in, from standard input to standard output."""

from interacting_head.console import run
from interacting_head.translation.files import translate_file
from interacting_head.translation.options import parse_arguments


def main():
    return translate_file(parse_arguments(__doc__))


if __name__ == "__main__":
    run(main)
