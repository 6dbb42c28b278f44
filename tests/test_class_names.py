"""No public class is called as another is: a name is found by searching for it."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import sociolab

SOURCE = Path(sociolab.__file__).parent


def public_classes(code: str) -> list[str]:
    """The classes of a module that others may import."""
    return [
        node.name
        for node in ast.parse(code).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]


def test_only_public_classes_of_a_module_count() -> None:
    code = "class A:\n    class B: ...\nclass _C: ...\ndef d():\n    class E: ...\n"
    assert public_classes(code) == ["A"]


def test_no_two_public_classes_share_a_name() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for name in public_classes(path.read_text("utf-8")):
            homes[name].append(str(path.relative_to(SOURCE)))
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}
