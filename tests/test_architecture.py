"""The arrows between packages, what code may not do, and the form of docstrings."""

import ast
import graphlib
import itertools
import re
from pathlib import Path

import pytest

from layers import ATTENTION_SCHEMES

ROOT = Path(__file__).parents[1]
FORBIDDEN = {
    "layers": {"data", "interacting_head"},
    "data": {"layers", "interacting_head", "keras"},
    "interacting_head": set(),
}
ARROWS = {
    "data": {
        "batches": {"text"},
        "corpora": {"readers", "text"},
        "quickstart": set(),
        "readers": {"text"},
        "text": set(),
    },
    "interacting_head": {
        "config": set(),
        "console": set(),
        "runs": {"config"},
        "model": set(),
        "search": {"model"},
        "translation": {"export", "model", "search"},
        "metrics": set(),
        "training": {"metrics", "model", "search", "translation"},
        "recipes": set(),
        "tune": {"model", "recipes", "training"},
        "analysis": {"metrics", "model", "search", "training", "translation"},
        "reproduction": {"analysis", "metrics", "model", "recipes", "training"},
        "commands": {"metrics", "model", "recipes", "training", "translation"},
        "export": {"metrics", "model", "search"},
        "serve": {"analysis", "model", "translation"},
    },
}
"""Package → its folders → the folders that they may import. All of them may import modules outside the folders."""
FOUNDATION = {"data": set(), "interacting_head": {"config", "console", "runs"}}
"""Package → the folders that all its other folders may import."""
COMMANDS = (
    "data/corpus_encoding.py",
    "data/prepare.py",
    "data/stats.py",
    "data/quickstart_corpus.py",
    "interacting_head/analyze.py",
    "interacting_head/config_page.py",
    "interacting_head/reproduce.py",
)
"""Modules outside the folders that may import them: commands, and the path of a corpus through all of them."""
MAY_IMPORT = {
    "tensorflow": {
        "data/batches/pipeline.py",
        "interacting_head/model/compilation.py",
        "interacting_head/training/devices.py",
        "interacting_head/export/savedmodel.py",
        "interacting_head/translation/engines/savedmodel.py",
        "interacting_head/training/peak_ram.py",
        "interacting_head/training/optimizer.py",
        "interacting_head/training/precision.py",
        "interacting_head/training/setup.py",
        "interacting_head/training/training_model.py",
        "layers/cache.py",
        "layers/pairwise_interacting_head_attention.py",
    },
    "jax": {
        "interacting_head/model/compilation.py",
        "interacting_head/training/devices.py",
        "interacting_head/training/peak_ram.py",
        "interacting_head/training/precision.py",
        "interacting_head/training/together.py",
        "interacting_head/training/training_model.py",
    },
    "torch": set(),
}
LONGEST_TEST_NAME = 70
"""Names of tests have fewer characters than this, `test_` included."""

SCRIPTS = ("train.py", "translate.py", "eval_metrics.py")
DEFINITIONS = (ast.ClassDef, ast.FunctionDef)
QUESTION_WORDS = {"What", "Whether", "Where", "How", "Which", "Who", "Why"}


def python_files(package):
    return sorted((ROOT / package).rglob("*.py"))


def imported(path):
    """Top-level names of the packages that a file imports anywhere in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("package", FORBIDDEN)
def test_packages_import_only_along_the_arrows(package):
    for path in python_files(package):
        assert not imported(path) & FORBIDDEN[package], path


def imported_folders(path, package):
    """The folders of a package that a file imports anywhere in it."""
    folders = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == package:
            folders |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(f"{package}."):
            folders.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            folders |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith(f"{package}.")}
    return folders & set(ARROWS[package])


@pytest.mark.parametrize("package", ARROWS)
def test_folders_import_only_along_the_arrows(package):
    assert {path.parent.name for path in (ROOT / package).glob("*/__init__.py")} == set(ARROWS[package])
    for path in python_files(package):
        name = path.relative_to(ROOT).as_posix()
        folder = name.split("/")[1]
        allowed = ARROWS[package].get(folder, set()) | {folder}
        if folder not in FOUNDATION[package]:
            allowed |= FOUNDATION[package]
        if name not in COMMANDS:
            assert imported_folders(path, package) <= allowed, name


@pytest.mark.parametrize("backend", MAY_IMPORT)
def test_backends_are_imported_in_few_places(backend):
    importers = {
        path.relative_to(ROOT).as_posix()
        for package in FORBIDDEN
        for path in python_files(package)
        if backend in imported(path)
    }
    assert importers <= MAY_IMPORT[backend]


def module_name(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imported_modules(path, modules):
    """Return those modules that a file imports anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= names if names <= modules else names | {node.module}
    return found & modules


def test_no_module_imports_itself_by_way_of_others():
    paths = {module_name(path): path for package in FORBIDDEN for path in python_files(package)}
    imports = {name: imported_modules(path, set(paths)) - {name} for name, path in paths.items()}
    list(graphlib.TopologicalSorter(imports).static_order())  # raises CycleError, with the circle


def test_no_test_module_imports_another_test_module():
    """Helpers that several test modules need are in modules that are not tests."""
    paths = {module_name(path): path for path in python_files("tests")}
    test_modules = {name for name in paths if name.split(".")[-1].startswith("test_")}
    assert test_modules
    for name, path in paths.items():
        text = path.read_text(encoding="utf-8")
        assert not imported_modules(path, test_modules) - {name}, f"{path}: move the shared helpers out of the test"
        in_text = re.search(r"^\s*(from|import) (tests|\.*)\.(\w+\.)*test_", text, re.MULTILINE)  # also in programs
        assert not in_text, f"{path}: {in_text}"


def test_names_of_tests_are_short():
    for path in python_files("tests"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                assert len(node.name) < LONGEST_TEST_NAME, f"{path}: shorten {node.name}"


def test_scripts_are_thin():
    for name in SCRIPTS:
        assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) <= 60, name


def test_public_classes_and_functions_have_docstrings():
    for package in FORBIDDEN:
        for path in python_files(package):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            assert ast.get_docstring(tree) or not tree.body, path
            for node in tree.body:
                if isinstance(node, DEFINITIONS) and not node.name.startswith("_") and node.name != "main":
                    assert ast.get_docstring(node), f"{path}: {node.name}"


def public_functions(node, is_method=False):
    """Yield a module's public functions, and its public classes' methods, each with whether it has a `self`."""
    for child in node.body:
        if isinstance(child, DEFINITIONS) and not child.name.startswith("_"):
            if isinstance(child, ast.ClassDef):
                yield from public_functions(child, is_method=True)
            else:
                is_static = any(getattr(decorator, "id", None) == "staticmethod" for decorator in child.decorator_list)
                yield child, is_method and not is_static


def test_public_functions_have_annotations():
    for path in itertools.chain(*map(python_files, FORBIDDEN), map(ROOT.joinpath, SCRIPTS)):
        for function, has_self in public_functions(ast.parse(path.read_text(encoding="utf-8"))):
            given = function.args
            arguments = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
            bare = [argument.arg for argument in arguments[has_self:] if argument.annotation is None]
            assert not bare, f"{path}: annotate {', '.join(bare)} of {function.name}"
            assert function.returns, f"{path}: annotate the result of {function.name}"


def test_docstrings_begin_with_a_noun_phrase_or_an_imperative():
    for path in itertools.chain.from_iterable(map(python_files, (*FORBIDDEN, "benchmarks", "tests"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Module, *DEFINITIONS)):
                first, *_ = (ast.get_docstring(node) or "Nothing").split()
                assert first not in QUESTION_WORDS, f"{path}: {getattr(node, 'name', 'module')}"


def test_arguments_in_docstrings_have_names():
    """`make docs` makes tables of them, and fails otherwise."""
    item = re.compile(r" {4}\*{0,2}[\w.`]+(, \*{0,2}[\w.`]+)*( \([^)]*\))?: ")
    for path in itertools.chain.from_iterable(map(python_files, FORBIDDEN)):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, DEFINITIONS):
                sections = re.findall(
                    r"^(?:Args|Attributes):.*\n((?:(?: .*)?\n?)*)", ast.get_docstring(node) or "", re.M
                )
                for line in re.findall(r"^ {4}\S.*", "\n".join(sections), re.M):
                    assert item.match(line), f"{path}: {node.name}: {line.strip()}"


def test_no_code_asks_for_a_scheme_by_its_name():
    for path in itertools.chain.from_iterable(map(python_files, (*FORBIDDEN, "benchmarks", "tests"))):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Compare):
                names = {part.attr if isinstance(part, ast.Attribute) else getattr(part, "id", None)
                         for part in (node.left, *node.comparators)}  # fmt: skip
                constants = {part.value for side in (node.left, *node.comparators)
                             for part in ast.walk(side) if isinstance(part, ast.Constant)}  # fmt: skip
                assert not ("scheme" in names and constants & set(ATTENTION_SCHEMES)), f"{path}:{node.lineno}"


def test_nothing_is_replaced_at_run_time():
    """No attribute of another object is set by name, deleted, or given a function."""
    for path in itertools.chain.from_iterable(map(python_files, FORBIDDEN)):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", None) in ("setattr", "delattr"):
                assert getattr(node.args[0], "id", None) == "self", f"{path}:{node.lineno}"
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
                assert not any(isinstance(target, ast.Attribute) for target in node.targets), f"{path}:{node.lineno}"
