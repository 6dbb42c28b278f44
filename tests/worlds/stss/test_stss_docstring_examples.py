"""The examples in docstrings of the town and of STSS are true."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

MODULES = (
    "town.map",
    "town.memory",
    "town.trajectory",
    "worlds.stss.importing.importer",
    "worlds.stss.importing.village",
    "worlds.stss.literals",
    "worlds.stss.talk.building",
    "worlds.stss.task",
)


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_in_docstrings_are_true(module: str) -> None:
    failed, attempted = doctest.testmod(import_module(f"sociolab.{module}"))
    assert attempted
    assert not failed
