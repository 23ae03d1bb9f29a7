"""Recipes on the command line of `interacting-head train`: which configuration to use, and the list of recipes."""

import fnmatch
import sys
from pathlib import Path

from data.cache import kept_text
from data.errors import InputError, nearest_names
from data.text.parallel_text import SIDES
from interacting_head.config import OWN_FILES, ExperimentConfig, assignment, load_config, override
from interacting_head.console.text_tables import aligned
from interacting_head.recipes import own_text
from interacting_head.recipes.registry import RECIPES, get
from interacting_head.runs.run_directory import RunDirectory

DEFAULT = "quickstart"
OWN_TEXT = f"{DEFAULT}-own-text"
"""Run name for the user's own files if no recipe is named, whatever recipe their size selects."""


def resolve(
    name_or_path: str | None, assignments: list[str], own_files: dict[str, str | None], begun: str | None = None
) -> tuple[ExperimentConfig, str]:
    """Return the configuration that a command line selects, and a name for its run.

    Args:
        name_or_path: a recipe, a YAML file, or None: `quickstart`, or for own files the recipe that fits their size.
        assignments: list of `KEY=VALUE`. The last may be the name of the recipe, as in `--set KEY=VALUE RECIPE`.
        own_files: `{"source": FILE or None, "target": …, "dev_source": …, "dev_target": …}`, instead of a corpus.
        begun: a path; if it is a run directory, the command resumes it with its recipe, whatever the size.
    """
    if name_or_path is None and assignments and _is_recipe(assignments[-1]):
        *assignments, name_or_path = assignments
    name = name_or_path or DEFAULT
    is_file = name.endswith((".yaml", ".yml"))
    run_name = Path(name).stem if is_file else name
    own_files = {key: str(kept_text(value)) for key, value in own_files.items() if value}
    if own_files:
        run_name = f"{run_name}-own-text"
        replaced = ["corpus", *(f"{side}_language" for side in SIDES if side in own_files)]
        assignments = [
            *(f"data.{key}=null" for key in replaced),
            *(assignment(f"data.{key}", value) for key, value in own_files.items()),
            *assignments,
        ]
    choice = None
    if "source" in own_files and not name_or_path:
        name = begun and own_text.recipe_of_run(begun, assignments)
        if not name:
            name, choice = own_text.recipe_for(own_files["source"])
    config = override(_load(Path(name)) if is_file else get(name), assignments)
    if choice and all(getattr(config.data, name) for name in OWN_FILES):  # else the text is refused
        print(choice, file=sys.stderr)
    return own_text.with_absolute_paths(config), run_name


def print_list(pattern: str | None = None) -> None:
    """Print recipes with paper, table and expected score; for a single one also its description and command.

    `pattern` is a name, a part of one, or has `*`; None: all recipes except `*_small`. Raises `InputError` if no recipe
    matches; it names the most similar one.
    """
    if pattern is None:
        listed = [entry for entry in RECIPES.values() if not entry.is_small]
    else:
        listed = [entry for name, entry in RECIPES.items() if _matches(name, pattern)]
    if not listed:
        near = nearest_names(pattern, RECIPES)
        hint = f"; did you mean {near[0]}?" if near else "; give a part of a name, or a pattern such as 'ih_*_h8'"
        raise InputError(f"no recipe matches {pattern!r}{hint}")
    rows = [("recipe", "paper", "table", "expected")]
    rows += [(entry.name, entry.paper, entry.printed.table, entry.printed.expected) for entry in listed]
    print(*aligned(rows, left=range(len(rows[0]))), sep="\n")
    if len(listed) == 1:
        [entry] = listed
        corpora = "" if entry.make().data.corpus == "quickstart" else " --corpora-dir DIR"
        print(f"\nexpected: {entry.printed.expected}\nmeasured as: {entry.printed.definition}\n\n{entry.note}")
        print(f"\ninteracting-head train {entry.name}{corpora}")
    if pattern is None:
        print(
            f"\n{len(listed)} recipes. Each recipe of a paper also has a small version for a CPU, NAME_small:"
            "\n    interacting-head train '*_small' --list"
            "\nName a recipe to read its description:\n    interacting-head train multi30k_de_en --list"
        )


def _load(path):
    """Return the configuration in a YAML file; the one of a run may be from an earlier version of the program."""
    if path.name == "config.yaml" and (path.parent / "VERSION").is_file() and (path.parent / "text.json").is_file():
        return RunDirectory.open(path.parent).config
    return load_config(path)


def _is_recipe(word):
    return word in RECIPES or (word.endswith((".yaml", ".yml")) and "=" not in word)


def _matches(name, pattern):
    if pattern in RECIPES:
        return name == pattern
    return fnmatch.fnmatchcase(name, pattern) if set(pattern) & set("*?[") else pattern in name
