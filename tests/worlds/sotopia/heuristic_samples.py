"""Small episodes written by hand, for the heuristic judge."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.core.episode import Action, Ended, Episode, Event, Moved, Task, Trial, Unusable
from sociolab.worlds.sotopia.profiles import Character, Relationship, RelationshipType
from sociolab.worlds.sotopia.scenarios import Facts, Goal, PriceGoal, Scenario
from sociolab.worlds.sotopia.scene import LEAVE, NON_VERBAL, NONE, SPEAK, Casting

SECRET = "Pawned a grandfather's wristwatch to cover poker losses."

SELLER = PriceGoal(role="seller", item="a desk", listed=200, target=150)
BUYER = PriceGoal(role="buyer", item="a desk", listed=200, target=160)


def casting(
    facts: Sequence[Facts | None] = (None, None),
    context: str = "Two people wait for a bus.",
    goals: tuple[str, str] = ("You want to talk.", "You want to listen."),
    relationship: RelationshipType = RelationshipType.STRANGER,
) -> Casting:
    """Mina, who has a secret, and Tobias, who has none."""
    people = (
        Character(
            id="mina",
            first_name="Mina",
            gender="woman",
            pronouns="she/her",
            age=30,
            occupation="florist",
            public_info="Grows dahlias.",
            secret=SECRET,
        ),
        Character(
            id="tobias",
            first_name="Tobias",
            gender="man",
            pronouns="he/him",
            age=40,
            occupation="welder",
            public_info="Rides a tandem.",
        ),
    )
    scenario = Scenario(
        id="small",
        family="other",
        context=context,
        goals=tuple(Goal(text=t, facts=f) for t, f in zip(goals, facts, strict=True)),
        relationships=(relationship,),
    )
    tie = Relationship(a="mina", b="tobias", type=relationship)
    return Casting(scenario=scenario, characters=people, relationships=(tie,))


def episode(cast: Casting, *lines: str, extra: Sequence[Event] = ()) -> Episode:
    """An episode in which the two say these lines in turn. "*..." is a gesture, "" nothing, and
    "<" leaves."""
    events: list[Event] = []
    for turn, line in enumerate(lines):
        seat = ("mina", "tobias")[turn % 2]
        if line == "<":
            action = Action(LEAVE)
        elif line.startswith("*"):
            action = Action(NON_VERBAL, line[1:])
        else:
            action = Action(SPEAK, line) if line else Action(NONE)
        events.append(Moved(turn, seat, (action,)))
    events += [*extra, Ended("turn limit", len(lines))]
    task = Task("small.1", ("mina", "tobias"), "small", cast.model_dump_json())
    return Episode(Trial("t1", "sotopia", task, (), 0, 0), tuple(events))


def failed_turn(turn: int, seat: str) -> Unusable:
    """A turn that failed for good."""
    return Unusable(turn, seat, "act", 3, "unreadable", "no action in it", "???", final=True)
