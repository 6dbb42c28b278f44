"""What a life yields to go on with what it does, and why it is woken."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from sociolab.town.life.person import Person


@dataclass(frozen=True, slots=True)
class Stay:
    """Go on with what one is doing until this step, or until something happens."""

    until: int


@dataclass(frozen=True, slots=True)
class Propose:
    """Begin a talk with somebody who is near."""

    other: Person


@dataclass(frozen=True, slots=True)
class News:
    """Somebody has come into view, or begins to do something else."""

    other: Person


@dataclass(frozen=True, slots=True)
class Changed:
    """The plan has changed: what was under way is left."""


Value = TypeVar("Value")
Living: TypeAlias = Generator[Any, Any, Value]
"""A generator of questions and of the above; it is sent answers, and returns a value."""
