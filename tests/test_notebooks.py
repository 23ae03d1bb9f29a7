"""The notebooks run, and what is stored in them is what they give."""

import contextlib
import io
import json
import re
import sys
from pathlib import Path

import keras
import pytest
from matplotlib import pyplot

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


def stored_text(cell):
    """The output of the cell when the notebook was saved."""
    return "".join("".join(output["text"]) for output in cell["outputs"] if output["output_type"] == "stream")


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    return json.loads(request.param.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_a_notebook_prints_what_is_stored_in_it(notebook, monkeypatch, tmp_path):
    pyplot.switch_backend("agg")
    keras.utils.clear_session()  # numbers in names start at 1, as in a new kernel
    monkeypatch.chdir(NOTEBOOKS[0].parent)
    monkeypatch.setattr(sys, "path", list(sys.path))  # the notebook adds to it
    monkeypatch.setenv("INTERACTING_HEAD_CACHE", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "115")  # the width that Jupyter has
    namespace = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile("".join(cell["source"]), cell["id"], "exec"), namespace)
            assert printed.getvalue() == stored_text(cell), cell["id"]
    pyplot.close("all")


def test_a_notebook_is_small_and_names_no_machine(notebook):
    text = json.dumps(notebook)
    assert len(text) < 500_000
    assert not re.search(r"/(home|root|tmp|Users)/", text)


def test_a_notebook_was_run_from_top_to_bottom(notebook):
    counts = [cell["execution_count"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert counts == list(range(1, len(counts) + 1))
