"""Reproduce a table of a paper: train what is missing, score it, and compare it with the paper's numbers."""

from interacting_head.console import run
from interacting_head.reproduction.command_line import parse_arguments, reproduce


def main() -> int:
    return reproduce(parse_arguments(__doc__))


if __name__ == "__main__":
    run(main)
