"""Trains a translation model. Without arguments: the quickstart recipe."""

import argparse

from interacting_head import recipes
from interacting_head.console import ArgumentParser, importing_keras, run


def parse_arguments() -> argparse.Namespace:
    parser = ArgumentParser(prog="train.py", description=__doc__)
    parser.add_argument(
        "recipe", nargs="?", metavar="RECIPE | CONFIG.yaml", help="default: quickstart; for your own text, by its size"
    )
    parser.add_argument(
        "--set", action="extend", nargs="+", default=[], metavar="KEY=VALUE", help="change configuration keys"
    )
    parser.add_argument("--run-dir", metavar="DIR", help="default: runs/RECIPE")
    parser.add_argument("--corpora-dir", metavar="DIR", help="default: $CORPORA_DIR, then the cache folder")
    parser.add_argument("--source", metavar="FILE", help="your own training text, source side, plain or .gz")
    parser.add_argument("--target", metavar="FILE", help="its target side, line by line")
    parser.add_argument("--dev-source", metavar="FILE", help="development text, source side")
    parser.add_argument("--dev-target", metavar="FILE", help="development text, target side")
    parser.add_argument(
        "--list", action="store_true", help="list the recipes, or those that RECIPE names: a part of names or a pattern"
    )
    parser.add_argument("--dry-run", action="store_true", help="show configuration, model and batches; train nothing")
    parser.add_argument("--no-resume", action="store_true", help="start from the beginning, in place of the run there")
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    if arguments.list:
        return recipes.print_list(arguments.recipe)
    config, name = recipes.resolve(
        arguments.recipe,
        arguments.set,
        {key: getattr(arguments, key) for key in ("source", "target", "dev_source", "dev_target")},
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
    return 130 if received == 2 else 0


if __name__ == "__main__":
    run(main)
