"""What happened in a town: the records, and their compact JSON.

Steps count from the first midnight; a record at step s describes what begins at s.

As JSON a trace is a header chunk, then chunks of rows, an hour of town time each. A chunk is the
value of one event of an episode. Rows are lists that begin with a letter for the kind of record;
ids are written in full, since compression makes them as small as numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal, TypeAlias

from pydantic import TypeAdapter

from sociolab.core.episode import Event, Happened, Json
from sociolab.core.errors import StoreError
from sociolab.town.questions import SpeechAct, Utterance

# Compass directions, one letter per step in the path of a walk.
HEADINGS: dict[str, tuple[int, int]] = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}


@dataclass(frozen=True, slots=True)
class Stood:
    """The tile on which a resident starts; only at the start of a simulation."""

    step: int
    who: str
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Walked:
    """A walk without stops: letter i of `path` is the move from step `step + i` to the next."""

    step: int
    who: str
    path: str


State: TypeAlias = Literal["asleep", "walking", "at it", "talking"]


@dataclass(frozen=True, slots=True)
class Did:
    """The current action from this step until the resident's next `Did`.

    `doing` is what others see (a long one is cut), `block` the entry of the plan that it belongs
    to, `place` where it is to be done ("" for nowhere in particular), `object` what is used for it.
    `state` says whether the resident is asleep, on its way there, at it, or in a talk.
    """

    step: int
    who: str
    doing: str
    block: str = ""
    place: str = ""
    object: str = ""
    state: State = "at it"


TalkEnding: TypeAlias = Literal["goodbye", "round limit", "failed", "time is up"]


@dataclass(frozen=True, slots=True)
class Talked:
    """A talk from `step` until `end`, begun by `who`."""

    step: int
    end: int
    who: str
    other: str
    lines: tuple[Utterance, ...]
    how: TalkEnding


@dataclass(frozen=True, slots=True)
class Remembered:
    """A memory was stored; `importance` is None until it is rated.

    `evidence`: the memories that a thought follows from, by their number among all of this
    resident's, from 0 in the order of the trace.
    """

    step: int
    who: str
    kind: str
    text: str
    importance: int | None = None
    evidence: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ObjectBecame:
    """An object at a place has this state while `who` uses it."""

    step: int
    who: str
    place: str
    object: str
    state: str


@dataclass(frozen=True, slots=True)
class Revised:
    """A resident's current concerns were rewritten overnight; `text` does not contain its task."""

    step: int
    who: str
    text: str


@dataclass(frozen=True, slots=True)
class PlannedBlock:
    """A block of a plan, from step `start` until `end`."""

    start: int
    end: int
    what: str
    place: str


@dataclass(frozen=True, slots=True)
class Planned:
    """A day's plan was made or changed; `why` is "" for the day's first."""

    step: int
    who: str
    blocks: tuple[PlannedBlock, ...]
    why: str = ""


ReminderKind: TypeAlias = Literal["general plan", "day", "talk"]


@dataclass(frozen=True, slots=True)
class Reminded:
    """A text of TDP: the general plan, a day's reminder, or the checklist for conversations."""

    step: int
    who: str
    kind: ReminderKind
    text: str


@dataclass(frozen=True, slots=True)
class WentWithout:
    """A question was given up; the resident went on without an answer."""

    step: int
    who: str
    question: str
    cause: str
    problem: str


Record: TypeAlias = (
    Stood
    | Walked
    | Did
    | Talked
    | Remembered
    | ObjectBecame
    | Revised
    | Planned
    | Reminded
    | WentWithout
)


@dataclass(frozen=True, slots=True)
class Trace:
    """A whole simulation: records in order of step, then resident, then as they were made.

    `first` is the date of step 0, `seconds` the length of a step, `steps` how many were simulated.
    """

    first: date
    seconds: int
    steps: int
    residents: tuple[str, ...]
    records: tuple[Record, ...]


# ------------------------------------------------------------------ as JSON


TRACE = "trace"
"""The name of the events that carry the chunks of a trace."""

Row: TypeAlias = list[Json]
STATES: dict[str, State] = {"z": "asleep", "w": "walking", "a": "at it", "t": "talking"}
STATE_CODES: dict[State, str] = {state: code for code, state in STATES.items()}
HOW: dict[str, TalkEnding] = {
    "g": "goodbye",
    "r": "round limit",
    "f": "failed",
    "t": "time is up",
}
HOW_CODES: dict[TalkEnding, str] = {v: k for k, v in HOW.items()}
REMINDERS: dict[str, ReminderKind] = {
    "g": "general plan",
    "d": "day",
    "t": "talk",
}
REMINDER_CODES: dict[ReminderKind, str] = {v: k for k, v in REMINDERS.items()}
_ACTS = TypeAdapter(tuple[SpeechAct, ...])


def make_header(first: date, seconds: int, residents: Iterable[str]) -> Json:
    """The first chunk of a trace: the date of step 0, seconds a step, and residents' ids."""
    return ["town", first.isoformat(), seconds, list(residents)]


def make_chunk(steps: int, records: Iterable[Record]) -> Json:
    """A later chunk: the next records, and the step up to which they are complete."""
    return ["lived", steps, list(encode(records))]


def chunks_in(events: Iterable[Event]) -> list[Json]:
    """The chunks that the events of an episode carry."""
    return [event.value for event in events if isinstance(event, Happened) and event.what == TRACE]


def map_records(events: Iterable[Event], change: Callable[[Record], Record]) -> tuple[Event, ...]:
    """The events of an episode, each record of its trace replaced by `change`."""
    changed: list[Event] = []
    for event in events:
        if isinstance(event, Happened) and event.what == TRACE and isinstance(event.value, list):
            match event.value:
                case ["lived", int(steps), list(rows)]:
                    event = replace(event, value=make_chunk(steps, map(change, decode(rows))))
        changed.append(event)
    return tuple(changed)


def read_trace(chunks: Iterable[Json]) -> Trace:
    """Read the trace from its chunks so far; StoreError if the header is missing.

    A simulation under way, or one that was killed, has its header and the hours simulated so far.
    """
    items = list(chunks)
    match items[0] if items else None:
        case ["town", str(first), int(seconds), list(residents)] if seconds > 0:
            ids = tuple(str(resident) for resident in residents)
        case item:
            raise StoreError(
                f"a trace begins with its header (town, date, seconds, residents); "
                f"found {_short(item)}: play the trial again"
            )
    steps = 0
    records: list[Record] = []
    for item in items[1:]:
        match item:
            case ["lived", int(until), list(rows)]:
                steps = until
                records += decode(rows)
            case _:
                raise StoreError(
                    f"a chunk of a trace is (lived, steps, rows); found {_short(item)}"
                )
    return Trace(_day(first), seconds, steps, ids, tuple(records))


def encode(records: Iterable[Record]) -> list[Json]:
    return [_row(record) for record in records]


def decode(rows: Iterable[Any]) -> tuple[Record, ...]:
    """The records that `encode` wrote; StoreError for a row that cannot be read."""
    records: list[Record] = []
    add, readers = records.append, _READERS
    for row in rows:
        try:
            kind, *values = row
            types, build = readers[kind]
            if [*map(type, values)] != types:
                raise TypeError
            add(build(*values))
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            kinds = ", ".join(_READERS)
            raise StoreError(
                f"a row of a trace is one of the kinds {kinds} with its fields; found {_short(row)}"
            ) from error
    return tuple(records)


def _row(record: Record) -> Row:
    match record:
        case Did(step, who, doing, block, place, thing, state):
            return ["d", step, who, doing, block, place, thing, STATE_CODES[state]]
        case Walked(step, who, path):
            return ["w", step, who, path]
        case Remembered(step, who, kind, text, importance, evidence):
            row: Row = ["m", step, who, kind, text, importance or 0]
            return ["e", *row[1:], list(evidence)] if evidence else row
        case ObjectBecame(step, who, place, thing, state):
            return ["o", step, who, place, thing, state]
        case Revised(step, who, text):
            return ["i", step, who, text]
        case Talked(step, end, who, other, lines, how):
            spoken: list[Json] = []
            for line in lines:
                acts: Json = [act.model_dump(exclude_defaults=True) for act in line.acts]
                spoken.append([line.who, line.name, line.text, *([acts] if acts else [])])
            return ["t", step, end, who, other, spoken, HOW_CODES[how]]
        case Planned(step, who, blocks, why):
            parts: Json = [[b.start, b.end, b.what, b.place] for b in blocks]
            return ["p", step, who, parts, why]
        case Reminded(step, who, kind, text):
            return ["r", step, who, REMINDER_CODES[kind], text]
        case Stood(step, who, x, y):
            return ["s", step, who, x, y]
        case WentWithout(step, who, question, cause, problem):
            return ["x", step, who, question, cause, problem]


def _did(step: int, who: str, doing: str, block: str, place: str, thing: str, state: str) -> Did:
    return Did(step, who, doing, block, place, thing, STATES[state])


def _remembered(
    step: int, who: str, kind: str, text: str, importance: int, evidence: Sequence[Any] = ()
) -> Remembered:
    return Remembered(step, who, kind, text, importance or None, tuple(map(_number, evidence)))


def _talked(step: int, end: int, who: str, other: str, spoken: list[Any], how: str) -> Talked:
    lines = tuple(
        Utterance(
            _text(speaker), _text(name), _text(text), _ACTS.validate_python(acts[0] if acts else ())
        )
        for speaker, name, text, *acts in spoken
    )
    return Talked(step, end, who, other, lines, HOW[how])


def _planned(step: int, who: str, parts: list[Any], why: str) -> Planned:
    blocks = tuple(
        PlannedBlock(_number(start), _number(end), _text(what), _text(place))
        for start, end, what, place in parts
    )
    return Planned(step, who, blocks, why)


def _reminded(step: int, who: str, kind: str, text: str) -> Reminded:
    return Reminded(step, who, REMINDERS[kind], text)


_READERS: dict[str, tuple[list[type], Callable[..., Record]]] = {
    "d": ([int, str, str, str, str, str, str], _did),
    "w": ([int, str, str], Walked),
    "m": ([int, str, str, str, int], _remembered),
    "e": ([int, str, str, str, int, list], _remembered),
    "o": ([int, str, str, str, str], ObjectBecame),
    "i": ([int, str, str], Revised),
    "t": ([int, int, str, str, list, str], _talked),
    "p": ([int, str, list, str], _planned),
    "r": ([int, str, str, str], _reminded),
    "s": ([int, str, int, int], Stood),
    "x": ([int, str, str, str, str], WentWithout),
}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: object) -> int:
    if type(value) is not int:
        raise TypeError
    return value


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise StoreError(
            f'a trace begins on a date such as "2024-05-13"; found "{text}"'
        ) from error


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
