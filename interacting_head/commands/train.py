"""Train a translation model; without arguments, the quickstart recipe."""

import argparse
import signal

from interacting_head import recipes
from interacting_head.config import OWN_FILES
from interacting_head.console import ArgumentParser, folder_name, importing_keras, run


def parse_arguments() -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = ArgumentParser(prog="train.py", description=__doc__)
    parser.add_argument(
        "recipe",
        nargs="?",
        metavar="RECIPE | CONFIG.yaml",
        help="recipe or configuration file; default: quickstart, or for your own text a recipe for its size",
    )
    override = "override configuration keys (docs/configuration.md), such as train.max_steps=5000"
    parser.add_argument("--set", action="extend", nargs="+", default=[], metavar="KEY=VALUE", help=override)
    run_help = "folder to train in, or to resume from; default: runs/RECIPE"
    parser.add_argument("--run-dir", type=folder_name, metavar="DIR", help=run_help)
    corpora = "folder of corpora; default: $CORPORA_DIR, then the cache folder"
    parser.add_argument("--corpora-dir", metavar="DIR", help=corpora)
    parser.add_argument("--source", metavar="FILE", help="your own training text, source side, plain or .gz")
    parser.add_argument("--target", metavar="FILE", help="your own training text, target side, aligned by lines")
    parser.add_argument("--dev-source", metavar="FILE", help="your own development text, source side")
    parser.add_argument("--dev-target", metavar="FILE", help="your own development text, target side")
    matching = "list all recipes, or the ones that match RECIPE, a part of a name or a pattern"
    parser.add_argument("--list", action="store_true", help=matching)
    dry_run = "print configuration, model, batches and memory use without training"
    parser.add_argument("--dry-run", action="store_true", help=dry_run)
    restart = "start a new training; the existing run is removed once the new one has a checkpoint"
    parser.add_argument("--no-resume", action="store_true", help=restart)
    return parser.parse_args()


def main() -> int | None:
    """Train, or do what an option asks for instead; return the exit code."""
    arguments = parse_arguments()
    if arguments.list:
        return recipes.print_list(arguments.recipe)
    config, name = recipes.resolve(
        arguments.recipe,
        arguments.set,
        {key: getattr(arguments, key) for key in OWN_FILES},
        None if arguments.no_resume else arguments.run_dir or f"runs/{recipes.OWN_TEXT}",
    )
    with importing_keras():
        from interacting_head.model import compilation  # import Keras: only now
        from interacting_head.training import trainer as training
        from interacting_head.training.dry_run import dry_run

    compilation.share_cores_in_training()
    if arguments.dry_run:
        return dry_run(config, arguments.corpora_dir)
    run_dir = arguments.run_dir or f"runs/{name}"
    received = training.train(config, run_dir, arguments.corpora_dir, resume=not arguments.no_resume)
    return 130 if received == signal.SIGINT else 0


if __name__ == "__main__":
    run(main)
