"""Small castings for tests: people with a mark in each private part, in every relationship."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from casts import seated
from sociolab.core import Agent, CastMember, DataId, Episode, Event, Task, Trial
from sociolab.worlds import sotopia

TRAITS = sotopia.BigFive(
    openness="high",
    conscientiousness="average",
    extraversion="low",
    agreeableness="average",
    neuroticism="average",
)
NAMES = (("Mia", "Chen"), ("Noah", "Berg"), ("Ivy", "Okoye"), ("Omar", "Haddad"), ("Lena", "Roth"))

SECRET, GOAL, PUBLIC, OCCUPATION, INNER, PRONOUNS, GENDER, AGE = (
    "secretmark",
    "goalmark",
    "publicmark",
    "jobmark",
    "innermark",
    "pronounmark",
    "gendermark",
    "agemark",
)
"""Words in the profile of seat n are these with n behind them, as in "secretmark0"."""


def character(number: int, **changes: object) -> sotopia.Character:
    """A person each of whose parts holds a word of its own; the id holds no name."""
    first, last = NAMES[number]
    fields: dict[str, object] = {
        "id": f"seat{number}",
        "first_name": first,
        "last_name": last,
        "gender": f"{GENDER}{number}",
        "pronouns": f"{PRONOUNS}{number}",
        "age": 31 + number,
        "occupation": f"{OCCUPATION}{number}",
        "public_info": f"Has a {PUBLIC}{number}.",
        "big_five": TRAITS,
        "moral_values": (f"{INNER}{number}",),
        "secret": f"Hides a {SECRET}{number}.",
    }
    return sotopia.Character.model_validate(fields | changes)


def casting(
    kind: sotopia.RelationshipType = sotopia.RelationshipType.STRANGER,
    seats: int = 2,
    *,
    people: Mapping[int, sotopia.Character] | None = None,
    kinds: Mapping[tuple[int, int], sotopia.RelationshipType] | None = None,
) -> sotopia.SceneCast:
    """A scene of so many seats, all in this relationship; `kinds` are exceptions by pair."""
    cast = tuple((people or {}).get(n) or character(n) for n in range(seats))
    scenario = sotopia.Scenario(
        id="market",
        family="other",
        context="Some people meet at a market stall.",
        goals=tuple(sotopia.Goal(text=f"Get the {GOAL}{n}.") for n in range(seats)),
        relationships=tuple(sotopia.RelationshipType),
    )
    ties = tuple(
        sotopia.Relationship(a=cast[a].id, b=cast[b].id, type=(kinds or {}).get((a, b), kind))
        for a, b in combinations(range(seats), 2)
    )
    return sotopia.SceneCast(scenario=scenario, characters=cast, relationships=ties)


def task_of(cast: sotopia.SceneCast) -> Task:
    """A task with this content."""
    seats = tuple(person.id for person in cast.characters)
    return Task("market.1", seats, cast.scenario.id, cast.model_dump_json())


def episode_of(
    cast: sotopia.SceneCast,
    *events: Event,
    agents: Sequence[str | Agent] = ("openai/a", "openai/b"),
) -> Episode:
    """An episode in which this happened, played by these agents."""
    task = task_of(cast)
    members = tuple(
        seated(seat, who) if isinstance(who, str) else CastMember(seat, who)
        for seat, who in zip(task.seats, agents, strict=False)
    )
    return Episode(Trial("trial", "sotopia", task, members, 0, 0), events)


def data_set() -> sotopia.DataSet:
    """A data set with one task for each relationship."""
    people = {n: character(n) for n in range(2)}
    scenario = casting().scenario
    rows = tuple(
        sotopia.TaskRow(
            id=f"market.{kind}", scenario="market", characters=("seat0", "seat1"), relationship=kind
        )
        for kind in sotopia.RelationshipType
    )
    return sotopia.DataSet(
        DataId("cases", "1", "0123"),
        {person.id: person for person in people.values()},
        {},
        {scenario.id: scenario},
        rows,
    )


def world() -> sotopia.Sotopia:
    """A world over `data_set`."""
    return sotopia.Sotopia(data_set())
