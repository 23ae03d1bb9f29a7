"""The recipes on the command line of `train.py`: the configuration that is meant, and the list."""

import fnmatch
import json
import sys
from pathlib import Path

from data.cache import kept_text
from data.errors import InputError, nearest_names
from interacting_head.config import ExperimentConfig, load_config, override
from interacting_head.console.text_tables import aligned
from interacting_head.recipes import own_text
from interacting_head.recipes.registry import RECIPES, get

DEFAULT = "quickstart"
OWN_TEXT = f"{DEFAULT}-own-text"
"""The name of a run on own files without the name of a recipe, whatever recipe their size chooses."""


def resolve(
    name_or_path: str | None, assignments: list[str], own_files: dict[str, str | None], begun: str | None = None
) -> tuple[ExperimentConfig, str]:
    """Return the configuration that a command line means, and a name for its run.

    Args:
        name_or_path: a recipe, a YAML file, or None: `quickstart`, or for own files the recipe that suits their size.
        assignments: list of `KEY=VALUE`. The name may stand among them: in `--set KEY=VALUE RECIPE` it does.
        own_files: `{"source": FILE or None, "target": …, "dev_source": …, "dev_target": …}`; if any is given
            they take the place of the recipe's corpus.
        begun: the run directory that the command continues where it is one; its recipe is kept, whatever the size.
    """
    if name_or_path is None and assignments and _is_recipe(assignments[-1]):
        *assignments, name_or_path = assignments
    name = name_or_path or DEFAULT
    is_file = name.endswith((".yaml", ".yml"))
    run_name = Path(name).stem if is_file else name
    own_files = {key: str(kept_text(value)) for key, value in own_files.items() if value}
    if own_files:
        run_name = f"{run_name}-own-text"
        assignments = [
            *(f"data.{key}=null" for key in ("corpus", "source_language", "target_language")),
            *(f"data.{key}={json.dumps(value)}" for key, value in own_files.items()),
            *assignments,
        ]
    choice = None
    if "source" in own_files and not name_or_path:
        name = begun and own_text.recipe_of_run(begun, assignments)
        if not name:
            name, choice = own_text.recipe_for(own_files["source"])
    config = override(load_config(name) if is_file else get(name), assignments)
    if choice:
        print(choice, file=sys.stderr)
    return own_text.with_absolute_paths(config), run_name


def print_list(pattern: str | None = None) -> None:
    """Print recipes with paper, table and expected score; of a single one its definition and lab note as well.

    Args:
        pattern: the name of a recipe, a part of names, or a pattern with `*`. None: all but the small siblings.

    Raises:
        InputError: where no recipe has such a name; it names the nearest.
    """
    if pattern is None:
        listed = [entry for entry in RECIPES.values() if not entry.is_small]
    else:
        listed = [entry for name, entry in RECIPES.items() if _matches(name, pattern)]
    if not listed:
        near = nearest_names(pattern, RECIPES)
        hint = f"; did you mean {near[0]}?" if near else "; a pattern is part of a name, or has * in it: 'ih_*_h8'"
        raise InputError(f"no recipe matches {pattern!r}{hint}")
    rows = [("recipe", "paper", "table", "expected")]
    rows += [(entry.name, entry.paper, entry.printed.table, entry.printed.expected) for entry in listed]
    print(*aligned(rows, left=len(rows[0])), sep="\n")
    if len(listed) == 1:
        printed = listed[0].printed
        print(f"\nexpected: {printed.expected}\nwhich is: {printed.definition}\n\n{listed[0].note}")
    if pattern is None:
        print(
            f"\n{len(listed)} recipes. Recipes of a paper have a sibling for a CPU, NAME_small:"
            "\n    python train.py '*_small' --list"
            "\nA name shows its lab note:\n    python train.py multi30k_de_en --list"
        )


def _is_recipe(word):
    return word in RECIPES or (word.endswith((".yaml", ".yml")) and "=" not in word)


def _matches(name, pattern):
    if pattern in RECIPES:
        return name == pattern
    return fnmatch.fnmatchcase(name, pattern) if set(pattern) & set("*?[") else pattern in name
