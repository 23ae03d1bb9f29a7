"""Search hyper-parameters of a recipe, stage by stage, for the lowest loss or the highest BLEU on development text.

    interacting-head tune multi30k_de_en --corpora-dir DIR
    interacting-head tune multi30k_de_en --space space.yaml --trials 20

Each trial trains in its own run directory. To resume a search that was stopped or killed, even during training,
repeat the command. The search writes a table (results.csv), a figure for each stage, and best.yaml, the configuration
of the best trial of all stages, for `interacting-head train best.yaml`.

The search space is a YAML file with stages, configuration keys and their values:

    architecture:
      model.attention.num_heads: [2, 4, 8]
    regularization:
      model.dropout: [0.1, 0.3, 0.5]

Without --trials, a stage tries every combination of its values. With --trials N, it tries N of them, or all if there
are no more, chosen from the results of earlier trials, and a key may also have a range:
{low: 1e-4, high: 3e-3, log: true}.
"""

import argparse
import signal

from data.errors import InputError
from interacting_head import recipes
from interacting_head.config import OWN_FILES
from interacting_head.console import ArgumentParser, folder_name, importing_keras, run


def parse_arguments() -> argparse.Namespace:
    """Parse the command line; raise `InputError` for invalid options."""
    parser = ArgumentParser(prog="python -m interacting_head.tune", description=__doc__)
    parser.add_argument("recipe", metavar="RECIPE | CONFIG.yaml", help="configuration to start from")
    space_help = "search space; default: the stages of Goindani & Shrivastava 2021, and one for dynamic head importance"
    parser.add_argument("--space", metavar="FILE.yaml", help=space_help)
    parser.add_argument("--trials", type=int, metavar="N", help="trials in each stage; default: every combination")
    metric_help = "score of a trial: loss (default) or bleu on the development text, at the best validation"
    parser.add_argument("--metric", choices=("loss", "bleu"), default="loss", help=metric_help)
    parser.add_argument(
        "--search-dir", type=folder_name, metavar="DIR", help="folder of the search; default: runs/tune-RECIPE"
    )
    settings = {"action": "extend", "nargs": "+", "default": [], "metavar": "KEY=VALUE"}
    parser.add_argument("--set", **settings, help="change configuration keys of all trials")
    corpora_help = "folder of the corpora; default: $CORPORA_DIR, then the cache folder"
    parser.add_argument("--corpora-dir", metavar="DIR", help=corpora_help)
    for name in ("source", "target", "dev-source", "dev-target"):
        parser.add_argument(f"--{name}", metavar="FILE", help="your own text, as in interacting-head train")
    arguments = parser.parse_args()
    if arguments.trials is not None and arguments.trials < 1:
        raise InputError(f"--trials must be at least 1, got {arguments.trials}")
    return arguments


def main() -> int:
    arguments = parse_arguments()
    own_files = {key: getattr(arguments, key) for key in OWN_FILES}
    config, name = recipes.resolve(arguments.recipe, arguments.set, own_files)
    with importing_keras():
        from interacting_head.model.compilation import share_cores_in_training  # imports Keras: only now
        from interacting_head.tune.search import Search, default_space, load_space

    share_cores_in_training()
    space = load_space(arguments.space) if arguments.space else default_space(config)
    folder = arguments.search_dir or f"runs/tune-{name}"
    search = Search(config, space, folder, arguments.trials, arguments.metric)
    received = search.run(arguments.corpora_dir)
    if received:
        return 130 if received == signal.SIGINT else 0
    search.print_table()
    print(f"\nbest: interacting-head train {search.folder / 'best.yaml'}")
    return 0


if __name__ == "__main__":
    run(main)
