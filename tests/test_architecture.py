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
MAY_IMPORT = {
    "tensorflow": {
        "data/pipeline.py",
        "interacting_head/compilation.py",
        "interacting_head/devices.py",
        "interacting_head/export/savedmodel.py",
        "interacting_head/export/savedmodel_signatures.py",
        "interacting_head/export/savedmodel_translator.py",
        "interacting_head/memory.py",
        "interacting_head/optimizer.py",
        "interacting_head/precision.py",
        "interacting_head/preparation.py",
        "interacting_head/training_step.py",
        "layers/cache.py",
    },
    "jax": {
        "interacting_head/compilation.py",
        "interacting_head/devices.py",
        "interacting_head/precision.py",
        "interacting_head/training_step.py",
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
