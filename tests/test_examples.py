"""Public names teach by examples, which run here as a reader would run them."""

from __future__ import annotations

import doctest
import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from test_public_names import PAGES, PUBLIC, ROOT

SOURCE = ROOT / "src"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
WHOLE = ("sociolab", "sociolab.agents", "sociolab.judging", "sociolab.testing")
"""Every class and function of these packages has an example."""
CHOSEN = {
    "sociolab.core": (
        "Agent",
        "ConfigError",
        "digest",
        "Episode",
        "interleave",
        "Metric",
        "resolve_measure",
        "stream",
    ),
    "sociolab.endpoint": (
        "EndpointSettings",
        "start_in_process",
        "start_in_thread",
    ),
    "sociolab.engine": ("FailurePolicy",),
    "sociolab.models": ("Price",),
    "sociolab.plugin.api": (
        "ActionKind",
        "Declared",
        "Flag",
        "guide_judge",
        "guides_from",
        "Metric",
        "OpenScene",
        "play",
        "Poll",
        "Task",
        "TextTable",
        "Transcript",
        "Trial",
        "WorldPlugin",
        "WorldSetup",
    ),
    "sociolab.stats": (
        "alphas",
        "Bins",
        "compare",
        "describe_design",
        "effect_size",
        "fit_bradley_terry",
        "free_marginal_kappa",
        "holm",
        "make_contests",
        "match_pairs",
        "mean",
        "needed_sample",
        "on_scale",
        "paired_t",
        "pass_hat",
        "pass_hat_difference",
        "pearson",
        "rating_table",
        "sign_flip",
        "spearman",
        "variance_components",
        "yes_no_agreement",
    ),
    "sociolab.store": ("Store",),
    "sociolab.town": (
        "Clock",
        "Decision",
        "own_map",
        "own_residents",
        "ScriptedMind",
        "spoken_date",
        "TalkOrNot",
    ),
    "sociolab.training": (
        "Arena",
        "export_training",
        "ExportOptions",
        "Observed",
        "ArenaSession",
        "Step",
    ),
    "sociolab.worlds.sotopia": ("price_value",),
    "sociolab.worlds.stss": ("Keywords",),
}
"""So have these of others, beside those that documents import."""


@cache
def documented_names() -> dict[str, Any]:
    """Every class and function that a package offers, under the first name that it goes by."""
    names: dict[int, tuple[str, Any]] = {}
    for package in PUBLIC:
        for name, value in members(package).items():
            names.setdefault(id(value), (f"{package}.{name}", value))
    return dict(names.values())


def members(package: str) -> dict[str, Any]:
    """The public classes and functions of a package, without its constants and type aliases."""
    module = import_module(package)
    values = {name: getattr(module, name) for name in module.__all__}
    return {
        name: value
        for name, value in values.items()
        if inspect.isclass(value) or inspect.isfunction(inspect.unwrap(value))
    }


def examples_of(value: Any, name: str) -> list[doctest.DocTest]:
    """The examples of a class or function and of its own methods."""
    tests = doctest.DocTestFinder().find(value, name, globs={})
    return [test for test in tests if test.examples]


def internal_examples() -> Iterator[doctest.DocTest]:
    """The examples of modules, and of what no package offers."""
    public = [examples_of(value, name) for name, value in documented_names().items()]
    covered = {test.docstring for tests in public for test in tests}
    for file in sorted(SOURCE.rglob("*.py")):
        if ">>> " in file.read_text("utf-8"):
            path = file.relative_to(SOURCE).with_suffix("")
            name = ".".join(path.parts).removesuffix(".__init__")
            for test in doctest.DocTestFinder().find(import_module(name), name):
                if test.examples and test.docstring not in covered:
                    yield test


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names of a fresh Python session in an empty folder, which is called `folder`."""
    main = ModuleType("__main__")  # where "python:__main__:Polite" finds a class
    monkeypatch.setitem(sys.modules, "__main__", main)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setenv("SOCIOLAB_STORE", str(tmp_path / "own.db"))
    vars(main)["folder"] = str(tmp_path)
    return vars(main)


def check(test: doctest.DocTest, session: dict[str, Any]) -> None:
    session |= test.globs
    test.globs = session
    output: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=output.append, clear_globs=False)
    assert not output, "".join(output)


@pytest.mark.parametrize(
    "name", [name for name, value in documented_names().items() if examples_of(value, name)]
)
def test_the_examples_of_a_public_name_hold(name: str, session: dict[str, Any]) -> None:
    for test in examples_of(documented_names()[name], name):
        check(test, session)


@pytest.mark.parametrize("test", [*internal_examples()], ids=lambda test: test.name)
def test_the_examples_of_other_code_hold(test: doctest.DocTest, session: dict[str, Any]) -> None:
    check(test, session)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_document_imports_has_examples(page: Path) -> None:
    text = page.read_text("utf-8")
    names = {("sociolab.plugin.api", name) for name in re.findall(r"\blab\.(\w+)", text)}
    for package, imported in re.findall(r"from (sociolab[\w.]*) import ([\w, ]+)", text):
        if package in PUBLIC:  # else it needs an extra
            names |= {(package, name) for name in re.findall(r"\w+", imported)}
    values = {(package, name): members(package).get(name) for package, name in names}
    assert [name for name, value in values.items() if value and not examples_of(value, "")] == []


@pytest.mark.parametrize("package", [*WHOLE, *CHOSEN])
def test_the_names_that_users_need_have_examples(package: str) -> None:
    needed = {
        name: value
        for name, value in members(package).items()
        if package in WHOLE or name in CHOSEN[package]
    }
    assert {*CHOSEN.get(package, ())} <= {*needed}
    assert [name for name, value in needed.items() if not examples_of(value, name)] == []
