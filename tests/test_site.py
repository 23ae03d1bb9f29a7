"""The site of `make docs`: it builds without a warning, and works from files without a network."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import skip_reasons

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site from a copy of the repository, with the packages of these tests."""
    for package in ("mkdocs", "material", "mkdocs_jupyter", "mkdocstrings"):
        pytest.importorskip(package, reason=skip_reasons.DOCS)
    folder = tmp_path_factory.mktemp("site")
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in files.splitlines():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    (folder / ".venv").symlink_to(sys.prefix)
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
    build = ["make", "-o", ".venv/docs-installed", "docs"]  # -o: installs nothing
    result = subprocess.run(build, cwd=folder, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "WARNING -" not in result.stdout + result.stderr
    return folder / "site" / "html"


@pytest.mark.slow
def test_pages_load_nothing_from_the_network(site):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 30
    tags = re.compile(r"<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=[\"']?(?:https?:)?//[^>]*>")
    assert {page.name: tags.findall(page.read_text(encoding="utf-8")) for page in pages} == {
        page.name: [] for page in pages
    }


@pytest.mark.slow
def test_the_search_works_in_pages_opened_from_files(site, browser):
    page = browser.new_page()
    page.set_default_timeout(120_000)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    for place in ("index.html", "notebooks/01_attention_schemes.html", "docs/training.html"):
        page.goto((site / place).as_uri())
        page.focus(".md-search__input")
        page.keyboard.type("length penalty")
        page.wait_for_selector(".md-search-result__item")
    assert {url.partition(":")[0] for url in asked} <= {"file", "data", "blob"}
    page.close()
