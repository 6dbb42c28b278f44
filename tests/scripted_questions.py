"""Questions by hand for the scripted mind: a small town, its people, and a memory to be read."""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, TypeVar

from sociolab.town.answers import Said, Summary
from sociolab.town.residents import Resident
from sociolab.town.scripted.mind import ScriptedMind
from sociolab.town.thoughts import (
    Asked,
    Block,
    Commitment,
    DayReminder,
    GeneralPlan,
    Line,
    Me,
    Memory,
    Other,
    PlanDay,
    Summarise,
    TalkOrNot,
    TalkReminder,
    Utter,
)

MONDAY, TUESDAY = date(2024, 5, 13), date(2024, 5, 14)
NOW = datetime(2024, 5, 13, 10, 0)
PLACES = (
    "2 Mill Lane: living room",
    "2 Mill Lane: kitchen",
    "2 Mill Lane: bedroom",
    "Lantern Cafe: counter room",
    "Lantern Cafe: terrace",
    "Lantern Cafe: kitchen",
    "Heron Park: meadow",
    "Heron Park: pond shore",
    "Copper Kettle Pub: bar room",
    "Greengage Market: shop floor",
    "Greengage Market: storeroom",
    "Larkfield Bakery: bakehouse",
    "Larkfield Bakery: shop",
    "Alder College: library",
    "Alder College: lecture hall",
)
LIFESTYLE = (
    "gets up around 7:00, has lunch around 12:30, has supper around 18:30, goes to bed around 22:30"
)
KITE = (
    "Ana Ruiz wants to hold a kite evening at Heron Park: meadow on Tuesday 14 May 2024, from "
    "18:00 to 19:30, and hopes that at least 6 people will come; the more, the better."
)
MEETING = (
    "Ana Ruiz wants to meet one person, Tom Hale, for a review of the club ledger on Tuesday "
    "14 May 2024; time and place are for the two of them to agree."
)
PICNIC = (
    "Ana Ruiz wants to have a picnic at Heron Park: meadow on Tuesday 14 May 2024, together with "
    "at least 4 other people; the time is for them to agree."
)
QUIZ = (
    "Ana Ruiz wants to hold an online chess evening on Tuesday 14 May 2024, from 20:00 to 21:00, "
    "and hopes that at least 6 people will join, each from wherever they are."
)
FLOUR = (
    "Ana Ruiz is kept busy by a kitchen full of orders on Tuesday 14 May 2024 and wants one person "
    "to help with two errands, in this order: first to pick up the flour at Greengage Market: shop "
    "floor, then to deliver the flour at Larkfield Bakery: bakehouse; any time on that day will do."
)

Result = TypeVar("Result")


@dataclass(frozen=True)
class FakeRecall:
    """A memory that remembers what it was given."""

    memories: tuple[Memory, ...] = ()

    def recall(self, query: str, most: int) -> tuple[Memory, ...]:
        words = {word for word in query.lower().split() if len(word) > 3}
        hits = [one for one in self.memories if words & set(one.text.lower().split())]
        return tuple(hits[:most])

    def latest(self, most: int) -> tuple[Memory, ...]:
        return self.memories[-most:]


def answered(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """What a mind that never waits answers."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        result: Result = stop.value
        return result
    raise AssertionError("the scripted mind waited for something")


def resident(name: str = "Tom Hale", currently: str = "", **fields: Any) -> Resident:
    described = {
        "age": 40,
        "innate": "friendly",
        "learned": f"{name} lives in Alderbrook.",
        "lifestyle": LIFESTYLE,
        "living_area": "2 Mill Lane: bedroom",
    }
    id = name.lower().replace(" ", "-")
    return Resident(id=id, name=name, currently=currently, **{**described, **fields})


ANA, TOM = "Ana Ruiz", "Tom Hale"
PEOPLE = {"ana-ruiz": ANA, "tom-hale": TOM, "eva-lind": "Eva Lind", "max-roth": "Max Roth"}


def me(who: Resident, now: datetime = NOW, *memories: Memory) -> Me:
    people = {id: name for id, name in PEOPLE.items() if id != who.id}
    return Me(who, now, PLACES, {}, people, FakeRecall(memories))


def asked(who: Resident, step: int = 3600, seed: int = 1) -> Asked:
    return Asked("trial", seed, who.id, step)


def other(name: str = ANA, doing: str = "having a coffee", tie: str = "friend") -> Other:
    return Other(name.lower().replace(" ", "-"), name, doing, tie)


def plan_day(
    who: Resident,
    day: date = TUESDAY,
    commitments: tuple[Commitment, ...] = (),
    reminder: str = "",
    seed: int = 1,
    memories: tuple[Memory, ...] = (),
) -> PlanDay:
    now = datetime(day.year, day.month, day.day)
    return PlanDay(asked(who, 0, seed), me(who, now, *memories), day, (), commitments, reminder)


def utter(
    who: Resident,
    to: Other,
    *lines: Line,
    reminder: str = "",
    seed: int = 1,
    commitments: tuple[Commitment, ...] = (),
    memories: tuple[Memory, ...] = (),
    left: int = 8,
) -> Utter:
    return Utter(
        asked(who, 3600 + len(lines), seed),
        me(who, NOW, *memories),
        to,
        not lines or lines[0].who == who.id,
        lines,
        left,
        (),
        commitments,
        (),
        reminder,
    )


def talk(
    starter: Resident,
    hearer: Resident,
    reminder: str = "",
    seed: int = 1,
    hearers_commitments: tuple[Commitment, ...] = (),
) -> tuple[Line, ...]:
    """A whole talk of two scripted minds, by the rules of the town's conversations."""
    mind, closing = ScriptedMind(), False
    lines: list[Line] = []
    for turn in range(16):
        who, to = (starter, hearer) if turn % 2 == 0 else (hearer, starter)
        question = utter(
            who,
            other(to.name),
            *lines,
            reminder=reminder if who is starter else "",
            seed=seed,
            commitments=() if who is starter else hearers_commitments,
            left=8 - turn // 2,
        )
        said: Said = answered(mind.utter(question))
        lines.append(Line(who.id, who.name, said.text))
        if closing:
            break
        closing = said.ends
    return tuple(lines)


def summary(who: Resident, to: Other, lines: tuple[Line, ...], seed: int = 1) -> Summary:
    question = Summarise(asked(who, 3700, seed), me(who), to, lines, (), ())
    return answered(ScriptedMind().summarise(question))


def says(who: Resident, text: str) -> Line:
    return Line(who.id, who.name, text)


def block(what: str, place: str = PLACES[3], start: str = "10:00", end: str = "11:00") -> Block:
    day = "2024-05-13T"
    return Block(
        datetime.fromisoformat(day + start), datetime.fromisoformat(day + end), what, place
    )


def talk_or_not(
    who: Resident,
    to: Other,
    what: str = "relaxing at home",
    seed: int = 1,
    memories: tuple[Memory, ...] = (),
    commitments: tuple[Commitment, ...] = (),
    last_talk: datetime | None = None,
) -> TalkOrNot:
    return TalkOrNot(
        asked(who, 3600, seed), me(who, NOW, *memories), to, block(what), (), commitments, last_talk
    )


def remembered(text: str) -> Memory:
    return Memory(NOW, "talk", text)


def general_plan(goal: str) -> tuple[str, ...]:
    who = resident(ANA, goal)
    question = GeneralPlan(asked(who), me(who), goal, (MONDAY, TUESDAY))
    return answered(ScriptedMind().general_plan(question)).lines


def talk_reminder(
    goal: str, to: Other | None = None, *memories: Memory, plan: tuple[str, ...] = ()
) -> TalkReminder:
    who = resident(ANA, goal)
    return TalkReminder(asked(who), me(who, NOW, *memories), goal, plan, to or other(TOM), ())


def day_reminder(
    goal: str, day: date, *memories: Memory, plan: tuple[str, ...] = ()
) -> DayReminder:
    who = resident(ANA, goal)
    here = replace(me(who, NOW, *memories), now=datetime(day.year, day.month, day.day))
    return DayReminder(asked(who, 0), here, goal, plan, day)
