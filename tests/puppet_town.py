"""A small town of three people for tests, and a mind of which a test says what it answers.

One street along the bottom; above it rooms without a south wall, each two tiles deep:

    a Ann's bedroom   b Ben's bedroom   c Cid's bedroom   k the cafe   t a tower, far away
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from pydantic import BaseModel

from sociolab.core import Event, Happened, Play
from sociolab.testing import drive_recorded
from sociolab.town import (
    TRACE,
    Choice,
    Clock,
    DayPlan,
    Decision,
    Entry,
    Insights,
    Items,
    Lines,
    MindPlayer,
    NewPlan,
    Order,
    Part,
    Parts,
    Place,
    Ratings,
    Record,
    Reminder,
    Resident,
    Said,
    ScriptedMind,
    Setting,
    Summary,
    TownMap,
    Trace,
    read_trace,
    simulate,
)

MONDAY = date(2024, 5, 13)
CLOCK = Clock(MONDAY)

_ROWS = (
    "aaaa#bbbb#cccc#kkkk#" + "." * 30 + "#tt",
    "aaaa#bbbb#cccc#kkkk#" + "." * 30 + "#tt",
    "." * 53,
)
CAFE, TOWER = "Cafe: counter room", "Tower: top"
_PLACES = {
    "a": Place("Ann's House", "bedroom"),
    "b": Place("Ben's House", "bedroom"),
    "c": Place("Cid's House", "bedroom"),
    "k": Place("Cafe", "counter room"),
    "t": Place("Tower", "top"),
}
_THINGS = {
    "a": {"bed": ((0, 0),), "desk": ((3, 0),)},
    "b": {"bed": ((5, 0),)},
    "c": {"bed": ((10, 0),)},
    "k": {"counter": ((16, 0),), "stove": ((18, 0),), "door": ((15, 1),)},
    "t": {"telescope": ((51, 0),)},
}


def small_town() -> TownMap:
    """The town of the drawing above."""
    return TownMap(
        name="Smallham",
        sectors=tuple(place.sector for place in _PLACES.values()),
        places=tuple(_PLACES.values()),
        walkable=[[sign != "#" for sign in row] for row in _ROWS],
        arena=[[[*_PLACES].index(s) if s in _PLACES else -1 for s in row] for row in _ROWS],
        objects={_PLACES[sign]: things for sign, things in _THINGS.items()},
    )


TOWN = small_town()


def resident(name: str, **fields: Any) -> Resident:
    """Ann, Ben or Cid, who know the cafe but not the tower."""
    known: dict[str, Any] = {
        "id": name.lower(),
        "name": f"{name} Moor",
        "age": 40,
        "innate": "calm",
        "learned": f"{name} mends clocks.",
        "currently": f"{name} has nothing special to do.",
        "lifestyle": "sleeps from ten to six",
        "living_area": f"{name}'s House: bedroom",
        "knows": ("Cafe",),
    }
    return Resident(**(known | fields))


ANN, BEN, CID = resident("Ann"), resident("Ben"), resident("Cid")
TRIO = (ANN, BEN, CID)


def day(*entries: str, wake: str = "06:00", bed: str = "22:00") -> DayPlan:
    """A plan of entries such as "09:00 mend clocks @ Cafe: counter room"; idle until the first."""
    made = [_entry(text) for text in entries]
    if not made or made[0].start != wake:
        made.insert(0, Entry(start=wake, what="idle", place=""))
    return DayPlan(wake=wake, entries=tuple(made), bed=bed)


def rest(*entries: str) -> NewPlan:
    """The rest of a day, entries written in the same way."""
    return NewPlan(entries=tuple(_entry(text) for text in entries))


def _entry(text: str) -> Entry:
    what, _, place = text[6:].partition(" @ ")
    return Entry(start=text[:5], what=what, place=place)


def memo(text: str = "We talked.", importance: int = 3, **fields: Any) -> Summary:
    """What is kept of a talk."""
    return Summary(memo=text, importance=importance, **fields)


TALK, CARRY_ON, CHANGE = (
    Decision(do="talk"),
    Decision(do="carry on"),
    Decision(do="change plan", why="a fire"),
)

Answer = Callable[[Any], BaseModel]


def _idle(question: Any) -> DayPlan:
    home = str(question.me.resident.home)
    return day(f"06:00 idle @ {home}")


def _undivided(question: Any) -> Parts:
    minutes = (question.block.end - question.block.start) // timedelta(minutes=1)
    # At the back of the room, so that one is seen to come in before one is there.
    thing = question.objects[0] if question.objects else ""
    return Parts(parts=(Part(minutes=minutes, what=question.block.what, object=thing),))


_BY_DEFAULT: dict[str, Answer] = {
    "plan_day": _idle,
    "decompose": _undivided,
    "choose_place": lambda question: Choice(place=question.me.places[0]),
    "rate_importance": lambda question: Ratings(ratings=(2,) * len(question.texts)),
    "talk_or_not": lambda _: CARRY_ON,
    "utter": lambda _: Said(text="Good day to you.", ends=True),
    "summarise": lambda _: memo(),
    "replan": lambda question: rest(f"{question.me.now:%H:%M} idle @ {question.me.places[0]}"),
    "reflect": lambda _: Insights(insights=()),
    "general_plan": lambda _: Lines(lines=("invite", "remind", "be there")),
    "day_reminder": lambda _: Reminder(text="Invite everybody."),
    "talk_reminder": lambda _: Items(items=("the party",)),
}


class Puppet:
    """A mind that answers by default, but where a test gives a function from question to answer.

    `asked` holds all that it was asked, in order; `note` is called with each at once.
    """

    def __init__(self, **answers: Answer) -> None:
        assert set(answers) <= set(_BY_DEFAULT), "names of questions"
        self._answers = _BY_DEFAULT | answers
        self.asked: list[Any] = []
        self.note: Callable[[Any], None] | None = None

    def __getattr__(self, name: str) -> Callable[[Any], Any]:
        if name not in _BY_DEFAULT:
            raise AttributeError(name)

        async def answer(question: Any) -> BaseModel:
            self.asked.append(question)
            if self.note is not None:
                self.note(question)
            return self._answers[name](question)

        return answer

    def of(self, kind: type, who: str = "") -> list[Any]:
        """The questions of a kind, of everybody or of one resident."""
        mine: list[Any] = [q for q in self.asked if isinstance(q, kind)]
        return [q for q in mine if not who or q.meta.resident == who]


def planned(**plans: DayPlan) -> Answer:
    """`plan_day` by resident's id; who is not named stays at home."""
    return lambda question: plans.get(question.meta.resident) or _idle(question)


@dataclass(frozen=True)
class Lived:
    """A simulation that is over."""

    events: tuple[Event, ...]
    trace: Trace

    def of(self, kind: type, who: str = "") -> list[Any]:
        """The records of a kind, of everybody or of one resident."""
        mine: list[Any] = [r for r in self.trace.records if isinstance(r, kind)]
        return [r for r in mine if not who or r.who == who]


def setting(residents: Iterable[Resident] = TRIO, days: int = 1, **fields: Any) -> Setting:
    """A day of the three in the small town, unless told otherwise."""
    known: dict[str, Any] = {"town": TOWN, "clock": CLOCK, "trial": "trial"}
    return Setting(residents=tuple(residents), days=days, **(known | fields))


def lived(
    mind: object,
    given: Setting | None = None,
    order: Order = "lock-step",
    journal: tuple[Event, ...] = (),
) -> Lived:
    """The simulation lived to its end, one mind for everybody."""
    given = given or setting()
    seats = [seat for one in given.residents for seat in (one.id, f"{one.id}.routine")]
    player = MindPlayer(mind, built_in=isinstance(mind, ScriptedMind))
    events = drive_recorded(simulate(given, order), dict.fromkeys(seats, player), journal)
    return Lived(events, trace_of(events))


def trace_of(events: Iterable[Event]) -> Trace:
    """The trace that these events hold."""
    chunks = [e.value for e in events if isinstance(e, Happened) and e.what == TRACE]
    return read_trace(chunks)


def begun(given: Setting, order: Order = "lock-step") -> Play:
    """A simulation to be driven by hand."""
    return simulate(given, order)


def at(clock: str, day: int = 0) -> int:
    """The step of "18:30" on a day, the first being 0."""
    hours, minutes = clock.split(":")
    return CLOCK.midnight(day) + (int(hours) * 60 + int(minutes)) * 6


def between(records: Iterable[Record], start: str, end: str) -> list[Any]:
    """The records of the first day from one time of day until before another."""
    return [record for record in records if at(start) <= record.step < at(end)]
