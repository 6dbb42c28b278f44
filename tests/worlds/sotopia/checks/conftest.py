"""Transcripts in a compact form, and castings to go with them.

A transcript is a block of text, one turn a line: "S: words", "S * a gesture", "S > a deed",
"S ." (nothing) and "S -" (leaves). What stands before the sign is the seat. A line that begins
with "|" goes on with the one before.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

import pytest

from sociolab.core.episode import Action, Moved
from sociolab.worlds.sotopia.profiles import Character, Relationship, RelationshipType
from sociolab.worlds.sotopia.scenarios import (
    DivisionGoal,
    Facts,
    Friend,
    FriendGoal,
    Goal,
    OptionGoal,
    PriceGoal,
    Scenario,
)
from sociolab.worlds.sotopia.scene import LEAVE, NON_VERBAL, NONE, PHYSICAL, SPEAK, Casting

Moves: TypeAlias = tuple[Moved, ...]
Table: TypeAlias = Callable[..., Casting]

KINDS = {":": SPEAK, "*": NON_VERBAL, ">": PHYSICAL, ".": NONE, "-": LEAVE}


def read_moves(text: str) -> Moves:
    """The moves that a block of text stands for."""
    moves = []
    joined = re.sub(r"\n\s*\| ", " ", text.strip())
    for turn, line in enumerate(row.strip() for row in joined.splitlines()):
        head = line.split(":", 1)[0] if ":" in line.split(" ")[0] else line.split(" ", 1)[0]
        rest = line[len(head) :].strip()
        action = Action(KINDS[rest[0]], rest[1:].strip())
        moves.append(Moved(turn, head, (action,)))
    return tuple(moves)


def seat_them(facts: dict[str, Facts | None]) -> Casting:
    """A casting with one seat for each of these goals."""
    people = [
        Character(
            id=seat,
            first_name=f"Person{seat}",
            gender="woman",
            pronouns="she/her",
            age=40,
            occupation="baker",
        )
        for seat in facts
    ]
    first, second, *_ = facts
    return Casting(
        scenario=Scenario(
            id="test",
            family="other",
            context="Two people talk.",
            goals=tuple(Goal(text="A goal.", facts=fact) for fact in facts.values()),
            relationships=(RelationshipType.STRANGER,),
        ),
        characters=tuple(people),
        relationships=(Relationship(a=first, b=second, type=RelationshipType.STRANGER),),
    )


@pytest.fixture
def moves() -> Callable[[str], Moves]:
    """Reads a transcript."""
    return read_moves


@pytest.fixture
def cast() -> Callable[[dict[str, Facts | None]], Casting]:
    """Seats goals."""
    return seat_them


@pytest.fixture
def bargain() -> Table:
    """A bargain between seats S and B, as a function of the three prices."""

    def build(listed: float = 250, seller: float = 225, buyer: float = 200) -> Casting:
        item = "the bicycle"
        return seat_them(
            {
                "S": PriceGoal(role="seller", item=item, listed=listed, target=seller),
                "B": PriceGoal(role="buyer", item=item, listed=listed, target=buyer),
            }
        )

    return build


@pytest.fixture
def sharing() -> Table:
    """A division between seats A and B: counts of goods, and what they are worth to each."""

    def build(
        counts: dict[str, int] | None = None,
        a: dict[str, float] | None = None,
        b: dict[str, float] | None = None,
    ) -> Casting:
        goods = counts or {"books": 3, "hats": 2, "balls": 1}
        return seat_them(
            {
                "A": DivisionGoal(counts=goods, values=a or dict.fromkeys(goods, 1.0)),
                "B": DivisionGoal(counts=goods, values=b or dict.fromkeys(goods, 1.0)),
            }
        )

    return build


@pytest.fixture
def acquaintances() -> Table:
    """A search for the mutual friend between seats A and B, who both know Alvin."""

    def build(a: str = "Mable Lolita Alvin Tara", b: str = "Dave Timothy Alvin Leona") -> Casting:
        def goal(names: str) -> FriendGoal:
            return FriendGoal(
                friends=tuple(
                    Friend(name=name.replace("_", " "), about={"school": "Auburn"})
                    for name in names.split()
                )
            )

        return seat_them({"A": goal(a), "B": goal(b)})

    return build


@pytest.fixture
def choice() -> Table:
    """Options for seats A and B: {option: (worth to A, worth to B)}, and other wordings."""

    def build(
        options: dict[str, tuple[float, float]],
        aliases: dict[str, tuple[str, ...]] | None = None,
    ) -> Casting:
        def goal(index: int) -> OptionGoal:
            return OptionGoal(
                subject="what to do",
                options={name: worth[index] for name, worth in options.items()},
                aliases=aliases or {},
            )

        return seat_them({"A": goal(0), "B": goal(1)})

    return build
