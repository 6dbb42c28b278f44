"""Nothing outside `worlds` compares with, or keys by, the name of a world: it asks the plugin."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import sociolab
from sociolab.app.registry import names

SOURCE = Path(sociolab.__file__).parent
WORLDS = frozenset(names("sociolab.worlds"))
IN_PAGES = re.compile(r"(?:==|!=|\bin\b)[^%}]*[\"'](" + "|".join(sorted(WORLDS)) + r")[\"']")


def named(node: ast.AST) -> bool:
    """Whether an expression holds the name of a world as such, alone or in a collection."""
    if isinstance(node, ast.Constant):
        return node.value in WORLDS
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return any(named(one) for one in node.elts)
    return isinstance(node, ast.Dict) and any(named(one) for one in node.keys if one)


def suspects(tree: ast.AST) -> Iterator[int]:
    """The lines that compare with a world's name, look one up, match it or make a table by it."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=others):
                found = any(named(one) for one in (left, *others))
            case ast.Subscript(slice=key):
                found = named(key)
            case ast.Dict() | ast.Set():
                found = named(node)
            case ast.MatchValue(value=value):
                found = named(value)
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                found = isinstance(value, (ast.Tuple, ast.List)) and named(value)
            case ast.Call(func=ast.Attribute(attr="get" | "startswith"), args=[first, *_]):
                found = named(first)
            case _:
                found = False
        if found:
            yield node.lineno if hasattr(node, "lineno") else 0


def test_the_net_catches_what_it_is_for() -> None:
    for code in (
        'a == "sotopia"', '"stss" != a', 'a in ("stss", "b")', 'A = {"sotopia": 1}', 'a["stss"]',
        'W = ("stss", "stss-talk")', 'a.get("stss")', 'match a:\n    case "stss": pass',
    ):  # fmt: skip
        assert list(suspects(ast.parse(code))), code
    assert not list(suspects(ast.parse('world: str = "sotopia"\nrun("stss")')))


def test_no_code_outside_the_worlds_knows_one_by_name() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{line}"
        for path in sorted(SOURCE.rglob("*.py"))
        if "worlds" not in path.relative_to(SOURCE).parts
        for line in suspects(ast.parse(path.read_text("utf-8")))
    ]
    assert not found


def test_no_page_knows_a_world_by_name() -> None:
    found = [
        f"{path.relative_to(SOURCE)}: {said[0]}"
        for path in sorted(SOURCE.rglob("*.html"))
        if "worlds" not in path.relative_to(SOURCE).parts
        for said in [IN_PAGES.findall(path.read_text("utf-8"))]
        if said
    ]
    assert not found
