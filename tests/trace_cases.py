"""Hand-written traces of a town in one row of tiles, each place one tile wide.

Times are "mon 18:30" and "tue 18:30": 13 and 14 May 2024, the two days that are lived.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Literal

from sociolab.town import (
    Clock,
    Did,
    Place,
    Record,
    Remembered,
    SpeechAct,
    Stood,
    Talked,
    TownMap,
    Trace,
    Trajectory,
    Utterance,
    Walked,
)

MONDAY, TUESDAY = date(2024, 5, 13), date(2024, 5, 14)
CLOCK = Clock(MONDAY)
TWO_DAYS = 2 * CLOCK.steps_per_day

State = Literal["asleep", "walking", "at it", "talking"]


_PLACES = (
    Place("Home", "room"),
    Place("Cafe", "counter room"),
    Place("Cafe", "terrace"),
    Place("Park", "meadow"),
    Place("Clinic", "pharmacy"),
    Place("Cottage", "room"),
)
ROW = TownMap(
    "Row",
    tuple(dict.fromkeys(place.sector for place in _PLACES)),
    _PLACES,
    [[True] * 7],
    [[0, 1, 2, 3, 4, 5, -1]],
    {},
)
"""A map of one row; the tile x belongs to place number x, the last one is outdoors."""


def x_of(name: str) -> int:
    """The column of a place."""
    return [*map(str, ROW.places), "outdoors"].index(name)


def at(moment: str) -> int:
    """The step of "tue 18:30" or "tue 18:30:10"."""
    day, _, clock = moment.partition(" ")
    hours, minutes, *seconds = map(int, clock.split(":"))
    gone = (hours * 60 + minutes) * 60 + sum(seconds)
    return CLOCK.midnight(["mon", "tue", "wed"].index(day)) + gone // CLOCK.seconds


class Life:
    """One resident: at home and idle from the first midnight on, until told otherwise."""

    def __init__(self, who: str, place: str = "Home: room") -> None:
        self.who = who
        self.x = x_of(place)
        self.records: list[Record] = [Stood(0, who, self.x, 0), Did(0, who, "rest", "rest")]

    def goes(self, when: str, place: str, doing: str = "", block: str = "") -> Life:
        """Arrives at this moment, walking there just before; then does this."""
        goal = x_of(place)
        path = ("E" if goal > self.x else "W") * abs(goal - self.x)
        if path:
            step = at(when) - len(path)
            self.records += [Walked(step, self.who, path)]
            self.records += [Did(step, self.who, doing, block or doing, place, "", "walking")]
        self.x = goal
        return self.does(when, doing, block, place=place)

    def does(
        self, when: str, doing: str, block: str = "", state: State = "at it", place: str = ""
    ) -> Life:
        self.records.append(Did(at(when), self.who, doing, block or doing, place, "", state))
        return self

    def remembers(self, when: str, text: str) -> Life:
        """What is kept of a talk."""
        self.records.append(Remembered(at(when), self.who, "talk", text, 5))
        return self


def talk(
    when: str,
    who: str,
    other: str,
    *texts: str,
    minutes: int = 1,
    acts: Sequence[SpeechAct | None] = (),
) -> Talked:
    """A talk that `who` begins; the two speak in turn, by `acts` where scripted players do."""
    speakers = (who, other)
    meant = [*acts, *[None] * len(texts)]
    lines = tuple(
        Utterance(speakers[i % 2], speakers[i % 2], text, (act,) if (act := meant[i]) else ())
        for i, text in enumerate(texts)
    )
    return Talked(at(when), at(when) + CLOCK.minutes(minutes), who, other, lines, "goodbye")


def trace(*given: Life | Talked, steps: int = TWO_DAYS) -> Trace:
    """Everything in order; a talk interrupts what its two are doing, and they go on with it."""
    lives = {one.who: one for one in given if isinstance(one, Life)}
    talks = [one for one in given if isinstance(one, Talked)]
    for one in talks:
        for who in (one.who, one.other):
            _interrupt(lives[who].records, who, one)
    records = [*talks, *(record for life in lives.values() for record in life.records)]
    order = list(lives)
    lived = [record for record in records if record.step < steps]
    lived.sort(key=lambda record: (record.step, order.index(record.who)))
    return Trace(MONDAY, CLOCK.seconds, steps, tuple(order), tuple(lived))


def _interrupt(records: list[Record], who: str, talk: Talked) -> None:
    dids = sorted((one for one in records if isinstance(one, Did)), key=lambda did: did.step)
    before = [did for did in dids if did.step <= talk.step][-1]
    during = replace(before, step=talk.step, doing="talking", state="talking")
    records.append(during)
    if not any(talk.step < did.step <= talk.end for did in dids):
        records.append(replace(before, step=talk.end))


def lived(*given: Life | Talked, steps: int = TWO_DAYS) -> Trajectory:
    """The trajectory of such a trace on the row of tiles."""
    return Trajectory(trace(*given, steps=steps), ROW)
