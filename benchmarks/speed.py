"""Measure speed or RAM: `speed.py attention`. `report.py` makes tables of the results."""

import importlib
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from interacting_head.console import ArgumentParser, run

MEASUREMENTS = {
    "attention": "attention_speed",
    "backends": "accelerators.backends",
    "endurance": "translation.endurance",
    "long": "long_runs",
    "pipeline": "pipeline_speed",
    "product": "vocabulary_product",
    "schemes": "schemes_training",
    "serving": "translation.serving",
    "start": "translation.start",
    "training": "training_speed",
    "translation": "translation.speed",
}


def main():
    """Run the measurement of the command line."""
    parser = ArgumentParser(prog="speed.py", description=__doc__)
    commands = parser.add_subparsers(dest="measurement", required=True, metavar="MEASUREMENT")
    modules = {name: importlib.import_module(f"benchmarks.{module}") for name, module in MEASUREMENTS.items()}
    for name, module in modules.items():
        summary = module.__doc__.partition("\n")[0]
        module.add_arguments(commands.add_parser(name, description=module.__doc__, help=summary))
    arguments = parser.parse_args()
    return modules[arguments.measurement].main(arguments)


if __name__ == "__main__":
    run(main)
