"""Which modules of one's own count as the code of a class: those that it imports, and no others."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from sociolab.app.players import own_code as reading
from sociolab.app.players.own_code import code_of, imported_code
from sociolab.core import same_code

Files = Callable[..., None]
AGENT = "class A:\n    pass\n"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Files]:
    """Writes modules by their names into a folder that is on the path; "a/b" lies in a package."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(texts: Mapping[str, str] | None = None, **more: str) -> None:
        for name, text in {**(texts or {}), **more}.items():
            place = tmp_path / f"{name}.py"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, "utf-8")
        forget(tmp_path)

    yield write
    forget(tmp_path)


def forget(folder: Path) -> None:
    """Modules that lie there are imported anew."""
    for name, module in list(sys.modules.items()):
        its = vars(module)  # torch.classes, for one, makes up whatever it is asked for
        places = [its.get("__file__"), *(its.get("__path__") or ())]
        if any(place and Path(place).is_relative_to(folder) for place in places):
            del sys.modules[name]
    importlib.invalidate_caches()


def loaded(name: str) -> object:
    """The class A of a module that is imported anew, whatever lies in a cache of its bytes."""
    sys.dont_write_bytecode, kept = True, sys.dont_write_bytecode
    try:
        return importlib.import_module(name).A
    finally:
        sys.dont_write_bytecode = kept


def code(name: str) -> str:
    return code_of(name, loaded(name))


def found(name: str) -> set[str]:
    loaded(name)
    return set(imported_code([sys.modules[name]]))


def test_an_edit_of_a_module_beside_is_an_edit(files: Files) -> None:
    files(near="def word(): return 'no'\n", agent_a=f"from near import word\n{AGENT}")
    first = code("agent_a")
    files(near="def word(): return 'no'\n")
    assert code("agent_a") == first
    files(near="def word(): return 'yes'\n")
    assert not same_code(code("agent_a"), first)
    assert code("agent_a").partition("+")[0] == first.partition("+")[0]


def test_and_so_is_one_of_a_module_that_that_one_imports(files: Files) -> None:
    files(far="WORD = 'no'\n", near="import far\n", agent_a=f"import near\n{AGENT}")
    first = code("agent_a")
    files(far="WORD = 'yes'\n")
    assert not same_code(code("agent_a"), first)


def test_a_module_that_is_not_imported_does_not_count(files: Files) -> None:
    files(near="x = 1\n", other="x = 1\n", agent_a=f"import near\n{AGENT}")
    first = code("agent_a")
    files(other="x = 2\n")
    assert code("agent_a") == first


def test_without_such_imports_the_code_is_what_it_ever_was(files: Files) -> None:
    files(agent_a=f"import json\nimport numpy\nfrom sociolab.core.ports import Reply\n{AGENT}")
    assert len(code("agent_a")) == 16


@pytest.mark.parametrize(
    ("says", "wanted"),
    [
        ("import mine.deep.tools", {"mine.deep.tools"}),
        ("import mine.deep.tools as t, mine.words", {"mine.deep.tools", "mine.words"}),
        ("from mine.deep import tools", {"mine.deep.tools"}),
        ("from mine.deep.tools import cut", {"mine.deep.tools"}),
        ("from mine.deep import cut", {"mine.deep", "mine.deep.tools"}),
        ("from . import words", {"mine.words"}),
        ("from .words import WORD", {"mine.words"}),
        ("from .deep.tools import *", {"mine.deep.tools"}),
        ("from mine import agent", set()),
        ("def later():\n    from mine import words", {"mine.words"}),
        ("import beside", {"beside"}),
        ("import os, json.decoder, numpy", set()),
        ("try:\n    import nowhere_at_all\nexcept ImportError: pass", set()),
    ],
)
def test_every_way_to_import_is_seen(files: Files, says: str, wanted: set[str]) -> None:
    files(
        {
            "mine/__init__": "",
            "mine/words": "WORD = 1\n",
            "mine/deep/__init__": "from .tools import cut\n",
            "mine/deep/tools": "def cut(): pass\n",
            "mine/agent": f"{says}\n{AGENT}",
            "beside": "x = 1\n",
        }
    )
    assert found("mine.agent") == wanted


def test_a_relative_import_that_leads_nowhere_is_passed_over(files: Files) -> None:
    later = "def later():\n    from . import near\n    from ... import near\n"
    files(near="x = 1\n", agent_a=AGENT + later)
    assert found("agent_a") == set()


def test_nothing_is_imported_for_it(files: Files) -> None:
    text = f"{AGENT}def later():\n    import lazy\n"
    files(lazy="raise RuntimeError('imported')\n", agent_a=text)
    first = code("agent_a")
    assert "lazy" not in sys.modules
    files(lazy="raise RuntimeError('edited')\n")
    assert code("agent_a") != first


def test_a_text_that_is_no_python_counts_as_it_is(files: Files) -> None:
    files(broken="def (:\n", agent_a=f"{AGENT}def later():\n    import broken\n")
    assert found("agent_a") == {"broken"}
    assert code("agent_a") != "unknown code"


def test_modules_may_import_each_other(files: Files) -> None:
    files(
        ping="import pong\n", pong="import ping\nimport agent_a\n", agent_a=f"import ping\n{AGENT}"
    )
    assert found("agent_a") == {"ping", "pong"}


def test_it_ends_at_a_number_of_modules_the_nearest_first(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST", 2)
    files(m1="import m3\n", m2="x = 1\n", m3="x = 1\n", agent_a=f"import m1, m2\n{AGENT}")
    assert found("agent_a") == {"m1", "m2"}


def test_what_is_installed_does_not_count(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "lib" / "site-packages"
    monkeypatch.syspath_prepend(installed)
    files(
        {
            "lib/site-packages/tool": f"import tool_part\n{AGENT}",
            "lib/site-packages/tool_part": "x = 1\n",
            "agent_a": f"import tool\n{AGENT}",
        }
    )
    assert found("agent_a") == set()
    assert found("tool") == set()


def test_a_module_of_pythons_own_without_a_file_imports_nothing() -> None:
    assert imported_code([importlib.import_module("builtins")]) == {}


def test_the_imports_of_a_base_class_and_of_what_makes_an_object_count(files: Files) -> None:
    files(
        near="x = 1\n", nearer="x = 1\n", base_a=f"import near\n{AGENT.replace('A', 'Base')}",
        agent_a="import base_a\nclass A(base_a.Base): pass\n",
        maker_a="import nearer, agent_a\nA = agent_a.A()\n",
    )  # fmt: skip
    first, made = code("agent_a"), code("maker_a")
    files(near="x = 2\n")
    assert not same_code(code("agent_a"), first)
    files(near="x = 1\n", nearer="x = 2\n")
    assert code("agent_a") == first
    assert not same_code(code("maker_a"), made)


def test_where_a_project_lies_makes_no_difference(tmp_path: Path) -> None:
    codes = set()
    for place in ("one", "two"):
        folder = tmp_path / place / "mine"
        folder.mkdir(parents=True)
        (folder / "near.py").write_text("x = 1\n", "utf-8")
        (folder / "agent_b.py").write_text(f"from mine import near\n{AGENT}", "utf-8")
        sys.path.insert(0, os.fspath(folder.parent))
        try:
            codes.add(code("mine.agent_b"))
        finally:
            sys.path.remove(os.fspath(folder.parent))
            forget(tmp_path)
    assert len(codes) == 1
