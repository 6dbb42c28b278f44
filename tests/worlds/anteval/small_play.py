"""Play made for the tests of the virtual DMs that need no torch."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sociolab.core import stream
from sociolab.worlds import anteval

TABLE = ("Orsa", "Tilin", "Brakk")

SAID = {
    "stealth": ("I creep along the wall", "I keep to the dark and go softly", "I hide over there"),
    "perception": ("do I see anything up there", "I listen for a while", "I look around the yard"),
    "athletics": ("I climb the rope", "I heave the gate up", "I swim across to them"),
    "insight": ("is he lying to us", "do I believe a word of it", "does she seem nervous"),
}

SMALL_TALK = ("pass the bread", "what a day", "my dice are cold", "ha, good one")


def turn(speaker: str, text: str) -> anteval.Turn:
    return anteval.Turn(speaker, text)


def example(
    *turns: anteval.Turn,
    labels: frozenset[anteval.Label] = frozenset(),
    number: int = 0,
    group: str = "one evening",
    strict: bool = True,
) -> anteval.Example:
    return anteval.Example(f"e{number}", group, turns, TABLE, labels, strict)


def evening(
    count: int, seed: int, *, prefix: str = "evening", groups: int = 8
) -> list[anteval.Example]:
    """Examples in which the one who says what they do makes the check that goes with it."""
    return [_example(number, seed, f"{prefix} {number % groups}") for number in range(count)]


def _example(number: int, seed: int, group: str) -> anteval.Example:
    random = stream(seed, "small play", number).random
    drawn = stream(seed, "small play, drawn", number)
    who, skill = drawn.choice(TABLE), drawn.choice(sorted(SAID))
    turns = [
        anteval.Turn(drawn.choice((anteval.DM, *TABLE)), drawn.choice(SMALL_TALK)) for _ in range(4)
    ]
    turns.append(anteval.Turn(who, f"{drawn.choice(SAID[skill])}, I want to try."))
    if random() < 0.5:
        other = drawn.choice([name for name in TABLE if name != who])
        turns.append(anteval.Turn(other, drawn.choice(SMALL_TALK)))
    labels = frozenset({anteval.Label(who, skill)})
    return anteval.Example(f"{group}/{number}", group, tuple(turns), TABLE, labels, number % 3 > 0)


def shared(name: str) -> Path:
    """A file of the shared real play; skips where it is not at hand."""
    repository = Path(__file__).parents[3]
    folder = Path(os.environ.get("SOCIOLAB_SHARED", repository.parent / "shared"))
    path = folder / "data" / "crd3" / name
    if not path.exists():
        pytest.skip(f"{name} is not at hand")
    return path
