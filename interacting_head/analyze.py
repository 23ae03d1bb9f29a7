"""Analyze the attention heads of trained runs: numbers as JSON and CSV, figures as PNG and SVG."""

from interacting_head.analysis.command_line import analyze, parse_arguments
from interacting_head.console import run


def main() -> None:
    analyze(parse_arguments(__doc__))


if __name__ == "__main__":
    run(main)
