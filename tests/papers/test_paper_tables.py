"""What the PAPER.md of a world names of its package and of its tests is there."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
WORLDS = ("sotopia", "anteval", "stss")


def named(world: str) -> set[str]:
    """All that stands in backquotes."""
    text = (ROOT / "src" / "sociolab" / "worlds" / world / "PAPER.md").read_text("utf-8")
    return set(re.findall(r"`([^`\n]+)`", text))


@pytest.mark.parametrize("world", WORLDS)
def test_functions_and_classes_of_the_package_are_where_the_table_says(world: str) -> None:
    package = f"sociolab.worlds.{world}"
    found = 0
    for name in named(world):
        parts = name.split(".")
        if not re.fullmatch(r"[a-z_]+(\.\w+)+", name) or find_spec(f"{package}.{parts[0]}") is None:
            continue
        what: Any = import_module(f"{package}.{parts.pop(0)}")
        while parts and hasattr(what, "__path__"):
            what = import_module(f"{what.__name__}.{parts.pop(0)}")
        for part in parts:
            declared = getattr(what, "model_fields", {})
            assert hasattr(what, part) or part in declared, name
            what = getattr(what, part, None)
        found += 1
    assert found > 5


@pytest.mark.parametrize("world", WORLDS)
def test_tests_of_the_package_are_where_the_table_says(world: str) -> None:
    paths = {name for name in named(world) if name.startswith(f"tests/worlds/{world}")}
    assert paths
    for path in paths:
        assert list(ROOT.glob(path)), path
