"""The recipes on the command line of `train.py`: the configuration that is meant, and the list."""

import difflib
import fnmatch
import json
from pathlib import Path

from data.errors import InputError
from interacting_head.config import load_config, override
from interacting_head.recipes.registry import RECIPES, get

DEFAULT = "quickstart"


def resolve(name_or_path, assignments, own_files):
    """The configuration that a command line means, and a name for its run.

    Args:
        name_or_path: a recipe, a YAML file, or None: `quickstart`.
        assignments: list of `KEY=VALUE`. The name may stand among them: in `--set KEY=VALUE RECIPE` it does.
        own_files: `{"source": FILE or None, "target": …, "dev_source": …, "dev_target": …}`; if any is given
            they take the place of the recipe's corpus.
    """
    if name_or_path is None and assignments and _is_recipe(assignments[-1]):
        *assignments, name_or_path = assignments
    name = name_or_path or DEFAULT
    is_file = name.endswith((".yaml", ".yml"))
    config = load_config(name) if is_file else get(name)
    own_files = {key: value for key, value in own_files.items() if value}
    if own_files:
        assignments = [
            *(f"data.{key}=null" for key in ("corpus", "source_language", "target_language")),
            *(f"data.{key}={json.dumps(value)}" for key, value in own_files.items()),
            *assignments,
        ]
    run_name = Path(name).stem if is_file else name
    return override(config, assignments), f"{run_name}-own-text" if own_files else run_name


def print_list(pattern=None):
    """Prints recipes with paper, table and expected score; of a single one its definition and lab note as well.

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
        near = difflib.get_close_matches(pattern, RECIPES, 1)
        hint = f"; did you mean {near[0]}?" if near else "; a pattern is part of a name, or has * in it: 'ih_*_h8'"
        raise InputError(f"no recipe matches {pattern!r}{hint}")
    rows = [("recipe", "paper", "table", "expected")]
    rows += [(entry.name, entry.paper, entry.table, entry.expected) for entry in listed]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
    if len(listed) == 1:
        print(f"\nexpected: {listed[0].expected}\nwhich is: {listed[0].definition}\n\n{listed[0].note}")
    if pattern is None:
        print(
            f"\n{len(listed)} recipes. Those of a paper have siblings for a CPU, NAME_small: train.py '*_small' --list"
            "\nA name shows its lab note: train.py multi30k_de_en --list"
        )


def _is_recipe(word):
    return word in RECIPES or (word.endswith((".yaml", ".yml")) and "=" not in word)


def _matches(name, pattern):
    if pattern in RECIPES:
        return name == pattern
    return fnmatch.fnmatchcase(name, pattern) if set(pattern) & set("*?[") else pattern in name
