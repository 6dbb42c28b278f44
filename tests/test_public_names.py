"""The public face: what the documents import, and nothing of it vanishes or loads early."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import sociolab
import sociolab.plugin.api as api

ROOT = Path(__file__).parents[1]
PUBLIC = (
    "sociolab",
    "sociolab.agents",
    "sociolab.analysis",
    "sociolab.app",
    "sociolab.core",
    "sociolab.endpoint",
    "sociolab.engine",
    "sociolab.judging",
    "sociolab.models",
    "sociolab.plugin.api",
    "sociolab.prompting",
    "sociolab.report",
    "sociolab.runner",
    "sociolab.stats",
    "sociolab.store",
    "sociolab.studies",
    "sociolab.testing",
    "sociolab.town",
    "sociolab.training",
    "sociolab.web",
    "sociolab.worlds.anteval",
    "sociolab.worlds.sotopia",
    "sociolab.worlds.stss",
)
OF_EXTRAS = (
    "sociolab.inspect",
    "sociolab.training.openenv",
    "sociolab.training.pettingzoo",
    "sociolab.training.trl",
    "sociolab.training.verifiers",
)
"""Modules that are public, and need an extra."""
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]


@pytest.mark.parametrize("package", PUBLIC)
def test_every_public_name_is_there(package: str) -> None:
    module = import_module(package)
    assert module.__all__ == sorted(module.__all__)
    assert [name for name in module.__all__ if not hasattr(module, name)] == []
    modules = [name for name in module.__all__ if isinstance(getattr(module, name), ModuleType)]
    assert modules == []  # a module of that name would hide what the package offers
    assert {*module.__all__} <= {*dir(module)}


def test_an_unknown_name_is_told_as_for_any_module() -> None:
    with pytest.raises(AttributeError, match="module 'sociolab' has no attribute 'nothing'"):
        sociolab.nothing  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_documents_import_from_public_packages_alone(page: Path) -> None:
    found = re.findall(r"(?m)^\s*(?:from|import) (sociolab[\w.]*)", page.read_text("utf-8"))
    assert [name for name in found if name not in (*PUBLIC, *OF_EXTRAS)] == []


def test_what_the_document_of_worlds_names_for_a_plugin_is_public() -> None:
    rows = [
        row
        for row in (ROOT / "docs" / "worlds.md").read_text("utf-8").splitlines()
        if row.startswith("| `")
    ]
    named = {name for row in rows for name in re.findall(r"\(`([A-Z]\w+)`", row)}
    assert {"EpisodeImporter", "PromptImporter", "Revise"} <= named
    assert named <= {*api.__all__}


def test_importing_the_package_loads_nothing_else_of_it() -> None:
    code = (
        "import sociolab, sys; "
        "print([m for m in sys.modules if m.startswith('sociolab.') and 'core' not in m])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
