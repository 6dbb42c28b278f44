"""Conversation tasks by hand: one of each type, with residents and tasks of our own town."""

from __future__ import annotations

from datetime import datetime
from functools import cache

from sociolab.town import Block, Memory, Resident
from sociolab.worlds import stss

PUBLIC, MEETING, COMPANY, ONLINE, HELP = (
    "kite-evening",
    "railway-interview",
    "strawberry-tea",
    "online-chess",
    "honey",
)
TASKS = (PUBLIC, MEETING, COMPANY, ONLINE, HELP)
NOW = datetime(2024, 5, 13, 10, 20)
CAFE = "Lantern Cafe: counter room"


@cache
def scenario(task: str) -> stss.TalkScenario:
    """The performer of a task meets somebody whom it needs, on Monday at the cafe."""
    town = _town()
    found = next(one for one in town.tasks if one.id == task)
    people = {one.id: one for one in town.residents}
    performer = people[found.performer]
    other = people[found.partner or found.background[-1]]
    return stss.TalkScenario(
        id=f"{task}.1.{other.id}",
        seed=1,
        task=found,
        now=NOW,
        performer_begins=task != ONLINE,
        performer=_side(performer, other, "serving guests"),
        other=_side(other, performer, "having a coffee"),
        people=_people(found, people),
        places=_places(town),
    )


def secret_of(who: str) -> str:
    """Words in all that only this side knows."""
    return f"only {who} knows it"


def scenarios() -> tuple[stss.TalkScenario, ...]:
    """One of each type."""
    return tuple(scenario(task) for task in TASKS)


@cache
def _town() -> stss.TownData:
    return stss.own_town(1)


def _side(resident: Resident, other: Resident, doing: str) -> stss.Side:
    met = Memory(
        datetime(2024, 5, 13, 9, 5),
        "seen",
        f"saw {other.name}: on the way to Lantern Cafe; {secret_of(resident.id)}",
    )
    known = Memory(datetime(2024, 5, 13), "known", f"{other.name} lives in this town", 2)
    secret = secret_of(resident.id)
    told = f"{resident.currently} And {secret}."
    return stss.Side(
        resident=resident.model_copy(update={"currently": told}),
        place=CAFE,
        doing=doing,
        memories=(met, known),
        ahead=(Block(NOW, datetime(2024, 5, 13, 12, 30), f"{doing}; {secret}", CAFE),),
    )


def _people(task: stss.SocialTask, people: dict[str, Resident]) -> dict[str, stss.Neighbour]:
    present = (task.performer, *task.background)
    return {
        who: stss.Neighbour(name=people[who].name, known_as=people[who].known_as) for who in present
    }


def _places(town: stss.TownData) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for place in town.town.places:
        found[place.sector] = (*found.get(place.sector, ()), place.arena)
    return found
