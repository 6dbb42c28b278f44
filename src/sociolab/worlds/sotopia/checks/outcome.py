"""What rules can read off a transcript: an agreement with its evidence, none, or "cannot tell"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

T = TypeVar("T")

_QUOTE = 70


@dataclass(frozen=True, slots=True)
class Evidence:
    """A turn (counted from 0) in which a seat took its stand, with the beginning of its words."""

    turn: int
    seat: str
    quote: str


@dataclass(frozen=True, slots=True)
class Agreed(Generic[T]):
    """Everybody agreed on this."""

    value: T
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class NoAgreement:
    """The last proposal was refused, or a seat left instead of answering it."""

    why: str


@dataclass(frozen=True, slots=True)
class CannotTell:
    """The default: neither an agreement nor a refusal was recognised. Never scored as 0."""

    why: str


Outcome: TypeAlias = Agreed[T] | NoAgreement | CannotTell


def quoted(text: str) -> str:
    """The beginning of a text, for a quotation."""
    line = " ".join(text.split())
    return line if len(line) <= _QUOTE else line[: _QUOTE - 3] + "..."


def told(evidence: tuple[Evidence, ...]) -> str:
    """Evidence as words; turns are counted from 1, as in a transcript."""
    return "; ".join(f'turn {item.turn + 1}, {item.seat}: "{item.quote}"' for item in evidence)
