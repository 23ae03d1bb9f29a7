"""The arrows between the packages, and sizes of files."""

import ast
from pathlib import Path

import pytest

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
        "model": set(),
        "search": {"model"},
        "translation": {"model", "search"},
        "metrics": set(),
        "training": {"metrics", "model", "search", "translation"},
        "recipes": set(),
        "tune": {"model", "recipes", "training"},
        "export": {"model", "search", "translation"},
        "serve": {"model", "translation"},
    },
}
"""Package → its folders → the folders that these may import. What lies beside the folders, each of them may import."""
COMMANDS = ("data/prepare.py", "data/stats.py", "data/quickstart_corpus.py")
"""Modules beside the folders that may import them, being commands."""
MAY_IMPORT = {
    "tensorflow": {
        "data/batches/pipeline.py",
        "interacting_head/model/compilation.py",
        "interacting_head/training/devices.py",
        "interacting_head/export/savedmodel.py",
        "interacting_head/export/savedmodel_signatures.py",
        "interacting_head/export/savedmodel_translator.py",
        "interacting_head/training/peak_ram.py",
        "interacting_head/training/optimizer.py",
        "interacting_head/training/precision.py",
        "interacting_head/training/preparation.py",
        "interacting_head/training/step.py",
        "layers/cache.py",
    },
    "jax": {
        "interacting_head/model/compilation.py",
        "interacting_head/training/devices.py",
        "interacting_head/training/precision.py",
        "interacting_head/training/step.py",
    },
    "torch": set(),
}


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


def test_scripts_are_thin():
    for name in ("train.py", "translate.py", "eval_metrics.py"):
        assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) <= 60, name


def test_public_classes_and_functions_have_docstrings():
    for package in FORBIDDEN:
        for path in python_files(package):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            assert ast.get_docstring(tree) or not tree.body, path
            for node in tree.body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    assert ast.get_docstring(node), f"{path}: {node.name}"
