"""What counts as the code of somebody's class."""

from __future__ import annotations

import importlib
import linecache
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from own_code import Write, writer
from sociolab.app.players.own_code import code_of
from sociolab.core import digest


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.syspath_prepend(tmp_path)
    return writer(tmp_path)


def code(module: str, name: str) -> str:
    importlib.invalidate_caches()
    return code_of(module, getattr(importlib.import_module(module), name))


def in_main(monkeypatch: pytest.MonkeyPatch, made: Any) -> Any:
    monkeypatch.setattr(made if isinstance(made, type) else type(made), "__module__", "__main__")
    return made


def test_the_code_is_the_same_until_the_file_is_edited(write: Write) -> None:
    text = "class A:\n    word = 'no'\n"
    write("code_a", text)
    first = code("code_a", "A")
    write("code_a", text)
    assert code("code_a", "A") == first
    write("code_a", text.replace("no", "yes"))
    assert code("code_a", "A") not in (first, "unknown code")


def test_a_class_that_is_not_imported_anew_is_still_what_it_was(
    write: Write, tmp_path: Path
) -> None:
    write("code_b", "class A: word = 'no'\n")
    first = code("code_b", "A")
    (tmp_path / "code_b.py").write_text("class A: word = 'yes'\n", "utf-8")
    assert code("code_b", "A") == first


def test_the_module_of_a_base_class_counts(write: Write) -> None:
    write("code_base", "class Base: word = 'no'\n")
    text = "from code_base import Base\nclass A(Base): pass\n"
    write("code_c", text)
    first = code("code_c", "A")
    write("code_base", "class Base: word = 'yes'\n")
    write("code_c", text)
    assert code("code_c", "A") != first


def test_the_file_that_makes_an_object_counts(write: Write) -> None:
    write("code_kinds", "class A:\n    def __init__(self, word): self.word = word\n")
    write("code_made", "from code_kinds import A\nmade = A('no')\n")
    first = code("code_made", "made")
    write("code_made", "from code_kinds import A\nmade = A('yes')\n")
    assert code("code_made", "made") != first


class InAScript:
    """Stands for a class of a script."""

    def __init__(self, held: object = 1) -> None:
        self.held = held


def test_of_a_script_the_class_alone_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = in_main(monkeypatch, InAScript)
    main = ModuleType("__main__")
    main.__file__ = __file__
    main.InAScript = InAScript  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "__main__", main)
    found = code_of("__main__", kind)
    assert found != "unknown code"
    assert code_of("__main__", InAScript(1)) not in (found, "unknown code")
    assert code_of("__main__", InAScript(1)) != code_of("__main__", InAScript(2))


def cell(text: str) -> Any:
    """The class `A` of a notebook's cell, whose lines Python remembers without a file."""
    name = f"<cell {digest(text)}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, name, "exec"), space)
    return space["A"]


def test_a_class_of_a_notebook_is_known_by_its_methods_and_by_what_it_holds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    text = "class A:\n    word = 'no'\n    def say(self): return 'Hello.'\n"
    first = code_of("__main__", cell(text))
    assert first != "unknown code"
    assert code_of("__main__", cell(text)) == first
    other = {code_of("__main__", cell(text.replace(*edit))) for edit in (("no", "yes"), ("H", "h"))}
    assert len(other - {first, "unknown code"}) == 2
    odd = text.replace("'no'", "object()")
    assert code_of("__main__", cell(odd)) == "unknown code"


def test_what_cannot_be_read_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    typed: dict[str, Any] = {"__name__": "__main__"}
    exec("class Typed:\n    def say(self): pass\n", typed)
    assert code_of("__main__", typed["Typed"]) == "unknown code"
    assert code_of("__main__", in_main(monkeypatch, InAScript(object()))) == "unknown code"
