"""A replay as numbers for the browser: lists of integers by resident, each text once.

What stands for a text is its place in `texts`, where "" is 0. Times are steps. Texts of others are
made legible here, once, wherever they are shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sociolab.app.towns.town import Replay
from sociolab.core.episode import Json
from sociolab.report.words import sanitize
from sociolab.town.clock import spoken_date
from sociolab.town.trace import (
    Did,
    Noted,
    Planned,
    Record,
    Remembered,
    Reminded,
    Stood,
    Talked,
    Walked,
    WentWithout,
)
from sociolab.town.trajectory import Intervals
from sociolab.web.town.land import arenas_of, land

STATES = ("asleep", "walking", "at it", "talking")
"""What the numbers of states mean; the browser has the same list (`moments.js`)."""


class Texts:
    """Each text once, in the order in which they were first met."""

    def __init__(self) -> None:
        self._number: dict[str, int] = {"": 0}

    def __call__(self, text: str) -> int:
        """The number of a text."""
        return self._number.setdefault(text, len(self._number))

    def all(self) -> list[Json]:
        """The texts by number, legible."""
        return [sanitize(text) for text in self._number]


def compact(replay: Replay) -> dict[str, Json]:
    """The replay as JSON; `docs/web/town.md` says what its fields are."""
    texts = Texts()
    trajectory = replay.lived.trajectory
    number = {one.id: n for n, one in enumerate(replay.residents)}
    told: list[list[Record]] = [[] for _ in number]
    for record in trajectory.trace.records:
        if record.who in number:
            told[number[record.who]].append(record)
    residents: list[Json] = [
        {
            "id": one.id,
            "name": sanitize(one.name),
            "age": one.age,
            "about": sanitize(one.learned),
            "currently": sanitize(one.currently),
            **_life(told[n], texts),
        }
        for n, one in enumerate(replay.residents)
    ]
    talks, about = trajectory.everybody(Talked), frozenset(replay.about)
    return {
        "format": 1,
        "clock": _clock(replay),
        "town": land(replay.lived.town),
        "residents": residents,
        "talks": [_talk(talk, talk in about, number, texts) for talk in talks],
        "task": _task(replay, number),
        "outcomes": _outcomes(replay, number),
        "texts": texts.all(),  # last: all texts are known now
    }


def _clock(replay: Replay) -> Json:
    trace, clock = replay.lived.trajectory.trace, replay.lived.trajectory.clock
    days = max(1, -(-trace.steps // clock.a_day))
    dates: list[Json] = [spoken_date(clock.date(clock.midnight(day))) for day in range(days)]
    first = trace.first.isoformat()
    return {"first": first, "seconds": clock.seconds, "steps": trace.steps, "days": dates}


def _task(replay: Replay, number: dict[str, int]) -> Json:
    task, town = replay.task, replay.lived.town
    names = (task.place, *(errand.place for errand in task.errands))
    return {
        "performer": number.get(task.performer, -1),
        "window": [*replay.window],
        "expected": task.expected,
        "arenas": [*dict.fromkeys(arena for name in names for arena in arenas_of(town, name))],
    }


def _outcomes(replay: Replay, number: dict[str, int]) -> Json:
    return [
        {
            "who": number[one.who],
            "counts": one.counts,
            "since": one.since,
            "words": one.words,
            "when": _flat(one.when),
            "near": _flat(one.near),
        }
        for one in replay.outcomes
        if one.who in number
    ]


def _talk(talk: Talked, about: bool, number: dict[str, int], texts: Texts) -> Json:
    """[step, end, who, other, how, about, [name, text, ...]]; -1 for somebody unknown."""
    said: list[Json] = []
    for line in talk.lines:
        said += (texts(line.name), texts(line.text))
    pair = (number.get(talk.who, -1), number.get(talk.other, -1))
    return [talk.step, talk.end, *pair, texts(talk.how), int(about), said]


def _life(records: Iterable[Record], texts: Texts) -> dict[str, Json]:
    """The records of a resident, by kind, each a number of fields in one long list."""
    found: dict[str, list[Json]] = {
        name: []
        for name in ("stood", "walks", "did", "memories", "plans", "notes", "reminders", "without")
    }
    path: list[str] = []
    for record in records:
        if isinstance(record, Walked):
            path.append(record.path)
        for name, values in _fields(record, texts):
            found[name] += values
    return {**found, "path": "".join(path)}


def _fields(record: Record, texts: Texts) -> Iterator[tuple[str, tuple[Json, ...]]]:
    match record:
        case Stood(step, _, x, y):
            yield "stood", (step, x, y)
        case Walked(step, _, path):
            yield "walks", (step, len(path))
        case Did(step, _, doing, block, place, thing, state):
            words = (texts(doing), texts(block), texts(place), texts(thing))
            yield "did", (step, *words, STATES.index(state))
        case Remembered(step, _, kind, text, importance):
            yield "memories", (step, texts(kind), texts(text), importance or 0)
        case Planned(step, _, blocks, why):
            parts: list[Json] = []
            for b in blocks:
                parts += (b.start, b.end, texts(b.what), texts(b.place))
            yield "plans", (step, texts(why), parts)
        case Noted():
            yield "notes", (record.step, texts(_noted(record)), texts(record.by))
        case Reminded(step, _, kind, text):
            yield "reminders", (step, texts(kind), texts(text))
        case WentWithout(step, _, question, cause, problem):
            yield "without", (step, texts(question), texts(cause), texts(problem))


def _noted(note: Noted) -> str:
    when = " at ".join(filter(None, (spoken_date(note.day), note.start)))
    return f"{note.what}, {when}{', ' if note.place else ''}{note.place}"


def _flat(intervals: Intervals) -> Json:
    return [step for pair in intervals for step in pair]
