"""The documents as a site, built by Zensical from a copy of the repository."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from test_public_names import PUBLIC

ROOT = Path(__file__).parents[3]

pytestmark = pytest.mark.skipif(
    find_spec("zensical") is None, reason="Zensical is not installed: make test-extras"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("site") / "sociolab"
    unwanted = shutil.ignore_patterns(".*", "__pycache__", "build", "site", "*.db*")
    shutil.copytree(ROOT, copy, ignore=unwanted)
    built = subprocess.run(
        [sys.executable, copy / "tools" / "site.py"], capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return copy / "site"


def test_every_document_is_a_page(site: Path) -> None:
    documents = [file.relative_to(ROOT / "docs") for file in (ROOT / "docs").rglob("*.md")]
    assert documents
    for document in documents:
        page = document.with_suffix(".html")
        if document.name == "README.md":
            page = document.with_name("index.html")
        assert (site / page).is_file(), document


def test_pages_link_to_the_notes_on_papers_and_can_be_searched(site: Path) -> None:
    (notes,) = site.rglob("sotopia/PAPER.html")
    link = notes.relative_to(site).as_posix()
    assert any(link in page.read_text("utf-8") for page in site.glob("*.html"))
    search = json.loads((site / "search.json").read_text("utf-8"))
    assert any(item["location"].startswith("compare.html") for item in search["items"])


def test_the_reference_has_a_page_for_each_public_package(site: Path) -> None:
    listed = re.findall(r'href="api/([\w.]+)\.html"', (site / "api.html").read_text("utf-8"))
    pages = {package.removeprefix("sociolab.") for package in PUBLIC}
    assert {*listed} == pages == {page.stem for page in (site / "api").glob("*.html")}


@pytest.mark.parametrize("package", PUBLIC)
def test_the_reference_describes_or_links_every_public_name(site: Path, package: str) -> None:
    page = (site / "api" / f"{package.removeprefix('sociolab.')}.html").read_text("utf-8")
    described = {*re.findall(r'<h3 id="(\w+)"', page)}
    also = page.partition("Also offered here")[2]
    linked = {*re.findall(r'<td><a href="([\w.]+)#(\w+)">', also)}
    for other, name in linked:
        assert f'<h3 id="{name}"' in (site / "api" / other).read_text("utf-8"), (other, name)
    assert {*import_module(package).__all__} == described | {name for _, name in linked}


def test_the_reference_shows_signatures_fields_and_examples(site: Path) -> None:
    page = html.unescape(re.sub("<[^>]+>", "", (site / "api" / "sociolab.html").read_text("utf-8")))
    assert "async def run_async(" in page
    assert "    budget: float | None = None\n" in page
    assert "budget: Stop before this much is spent." in page
    assert ">>> result = run(RunConfig(" in page
