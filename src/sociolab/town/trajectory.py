"""Where everybody was, and what they were doing, at any step of a trace.

Computed from runs (a walk, a stay, an action), never step by step: a query for all residents over a
two-day trace takes milliseconds. Intervals are half-open pairs of steps.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np

from sociolab.core.errors import ConfigError, WorldError
from sociolab.core.names import fold_name
from sociolab.town.clock import Clock, parse_time, spoken_date
from sociolab.town.map import OUTDOORS, Place, Tile, TownMap
from sociolab.town.trace import (
    HEADINGS,
    Did,
    ObjectBecame,
    Planned,
    Record,
    Remembered,
    Reminded,
    Revised,
    Stood,
    Talked,
    Trace,
    Walked,
    WentWithout,
)

Interval: TypeAlias = tuple[int, int]
"""From the first step, which belongs to it, to the second, which does not."""

Intervals: TypeAlias = tuple[Interval, ...]
R = TypeVar("R", bound=Record)
_MOVES = np.zeros((128, 2), dtype=np.int32)


for _letter, _move in HEADINGS.items():
    _MOVES[ord(_letter)] = _move


@dataclass(frozen=True, slots=True)
class ArenaStay:
    """A resident is in one arena from `start` until `end`; -1 is outdoors."""

    start: int
    end: int
    arena: int


@dataclass(frozen=True, slots=True)
class ActionSpan:
    """An action from `start` until `end`; `during` is the action that a talk interrupted."""

    start: int
    end: int
    did: Did
    during: Did | None = None


@dataclass(frozen=True, slots=True)
class Track:
    """A resident's tiles: from `steps[i]` until `steps[i + 1]` it stands on (x[i], y[i])."""

    steps: np.ndarray[Any, Any]
    x: np.ndarray[Any, Any]
    y: np.ndarray[Any, Any]


class Trajectory:
    """A trace on its map. A resident without records has no place and no actions."""

    def __init__(self, trace: Trace, town: TownMap) -> None:
        self.trace = trace
        self.clock = Clock(trace.first, trace.seconds)
        self._town = town
        self._by_who: dict[type, dict[str, list[Any]]] = {}
        self._places: dict[str, frozenset[int]] = {}
        self._tracks: dict[str, Track | None] = {}
        self._stays: dict[str, tuple[ArenaStay, ...]] = {}
        self._acted: dict[str, tuple[ActionSpan, ...]] = {}

    @cached_property
    def _by_kind(self) -> dict[type, list[Any]]:
        by_kind: dict[type, list[Any]] = {}
        for record in self.trace.records:
            by_kind.setdefault(type(record), []).append(record)
        return by_kind

    def everybody(self, kind: type[R]) -> tuple[R, ...]:
        """Everybody's records of this kind, in order of step."""
        return tuple(self._by_kind.get(kind, ()))

    def records(self, kind: type[R], who: str) -> tuple[R, ...]:
        """This resident's records of this kind, in order of step."""
        if kind not in self._by_who:
            by_who: dict[str, list[Any]] = {}
            for record in self._by_kind.get(kind, ()):
                by_who.setdefault(record.who, []).append(record)
            self._by_who[kind] = by_who
        return tuple(self._by_who[kind].get(who, ()))

    # ------------------------------------------------------------------ at one step

    def tile_at(self, who: str, step: int) -> Tile:
        """The tile on which a resident stands at a step; WorldError if it was never put on one."""
        track = self._track(who)
        if track is None:
            raise WorldError(f"the trace does not say where {who} stands")
        at = max(0, int(np.searchsorted(track.steps, step, side="right")) - 1)
        return int(track.x[at]), int(track.y[at])

    def place_at(self, who: str, step: int) -> Place:
        """The place where a resident stands at a step, or OUTDOORS."""
        x, y = self.tile_at(who, step)
        arena = int(self._town.arena[y, x])
        return self._town.places[arena] if arena >= 0 else OUTDOORS

    def action_at(self, who: str, step: int) -> Did | None:
        """What a resident is doing at a step; None before its first action and after the end."""
        acted = self.actions(who)
        at = bisect_right(acted, step, key=lambda span: span.start) - 1
        return acted[at].did if at >= 0 and step < acted[at].end else None

    # ------------------------------------------------------------------ as intervals

    def stays(self, who: str) -> tuple[ArenaStay, ...]:
        """The arenas in which a resident was, one after the other, without a gap."""
        if who not in self._stays:
            self._stays[who] = self._read_stays(who)
        return self._stays[who]

    def presence(self, who: str, place: str) -> Intervals:
        """When a resident stood on a tile of this arena, or of any arena of this sector.

        ConfigError if the map has no such place.
        """
        arenas = self._arenas(place)
        return merge_intervals((s.start, s.end) for s in self.stays(who) if s.arena in arenas)

    def actions(self, who: str) -> tuple[ActionSpan, ...]:
        """A resident's actions in order, without gaps from its first one on; none if it did
        nothing."""
        if who not in self._acted:
            self._acted[who] = self._read_actions(who)
        return self._acted[who]

    def acting(self, who: str, matches: Callable[[str], bool]) -> Intervals:
        """When a resident was at an action whose text, or whose entry of the plan, matches.

        Being on the way there or asleep does not count. A talk counts as the action that it
        interrupted; its own name, and what is said in it, never match.
        """
        # Texts recur, so that each is matched only once.
        texts = {text for did in self.records(Did, who) for text in (did.doing, did.block)}
        matching = {text for text in texts if matches(text)}
        if not matching:
            return ()
        return merge_intervals(
            (span.start, span.end)
            for span in self.actions(who)
            if (did := _current_activity(span)) and (did.doing in matching or did.block in matching)
        )

    def together(self, who: str, other: str) -> Intervals:
        """When two residents stood in the same arena; outdoors does not count."""
        arenas = {stay.arena for stay in self.stays(who) if stay.arena >= 0}
        other_stays = [stay for stay in self.stays(other) if stay.arena in arenas]
        pieces: list[Interval] = []
        for own in self.stays(who):
            pieces += (
                (max(own.start, stay.start), min(own.end, stay.end))
                for stay in other_stays
                if stay.arena == own.arena
            )
        return merge_intervals(pieces)

    def _arenas(self, place: str) -> frozenset[int]:
        if place not in self._places:
            name = _plain(place)
            numbers = frozenset(
                number
                for number, arena in enumerate(self._town.places)
                if name in (_plain(str(arena)), _plain(arena.sector))
            )
            if not numbers:
                raise ConfigError(
                    f'expected a place of the map, a sector or "Sector: arena"; found "{place}"'
                )
            self._places[place] = numbers
        return self._places[place]

    def _track(self, who: str) -> Track | None:
        if who not in self._tracks:
            self._tracks[who] = self._read_track(who)
        return self._tracks[who]

    def _read_track(self, who: str) -> Track | None:
        stood = self.records(Stood, who)
        if not stood:
            return None
        first = stood[0]
        walks = self.records(Walked, who)
        letters = "".join(walk.path for walk in walks).encode("ascii", "replace")
        moves = _MOVES[np.frombuffer(letters, dtype=np.uint8)].cumsum(axis=0)
        lengths = np.array([len(walk.path) for walk in walks], dtype=np.int64)
        before = (
            np.array([walk.step for walk in walks], dtype=np.int64) - lengths.cumsum() + lengths
        )
        steps = np.repeat(before, lengths) + np.arange(1, len(letters) + 1)
        x = np.concatenate(([first.x], first.x + moves[:, 0]))
        y = np.concatenate(([first.y], first.y + moves[:, 1]))
        height, width = self._town.arena.shape
        if ((x < 0) | (x >= width) | (y < 0) | (y >= height)).any():
            raise WorldError(f"the walks of {who} leave the map of {width} by {height} tiles")
        return Track(np.concatenate(([first.step], steps)), x, y)

    def _read_stays(self, who: str) -> tuple[ArenaStay, ...]:
        track = self._track(who)
        if track is None:
            return ()
        arenas = self._town.arena[track.y, track.x]
        at = np.flatnonzero(np.concatenate(([True], arenas[1:] != arenas[:-1])))
        starts = [*track.steps[at].tolist(), self.trace.steps]
        ends = [min(end, self.trace.steps) for end in starts[1:]]
        stays = map(ArenaStay, starts, ends, arenas[at].tolist())
        return tuple(stay for stay in stays if stay.start < stay.end)

    def _read_actions(self, who: str) -> tuple[ActionSpan, ...]:
        dids = self.records(Did, who)
        ends = [*(did.step for did in dids), self.trace.steps][1:]
        actions: list[ActionSpan] = []
        before: Did | None = None
        for did, until in zip(dids, ends, strict=True):
            talking = did.state == "talking"
            before = before if talking else did
            end = min(until, self.trace.steps)
            if did.step < end:
                actions.append(ActionSpan(did.step, end, did, before if talking else None))
        return tuple(actions)


def _current_activity(acted: ActionSpan) -> Did | None:
    """The action somebody is engaged in, also during a talk; None on the way, asleep, or at
    nothing."""
    did = acted.during if acted.did.state == "talking" else acted.did
    return did if did is not None and did.state == "at it" else None


def _plain(name: str) -> str:
    return " ".join(fold_name(name).split())


# ------------------------------------------------------------------ intervals


def merge_intervals(pieces: Iterable[Interval]) -> Intervals:
    """Sort and merge: intervals that touch or overlap become one, empty ones are dropped.

    >>> merge_intervals([(5, 7), (0, 2), (2, 4)])
    ((0, 4), (5, 7))
    """
    merged: list[Interval] = []
    for start, end in sorted(piece for piece in pieces if piece[0] < piece[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def intersect(first: Intervals, second: Intervals) -> Intervals:
    """The intersection of two sets of merged intervals.

    >>> intersect(((0, 4), (6, 9)), ((3, 7),))
    ((3, 4), (6, 7))
    """
    shared, i, j = [], 0, 0
    while i < len(first) and j < len(second):
        start, end = max(first[i][0], second[j][0]), min(first[i][1], second[j][1])
        if start < end:
            shared.append((start, end))
        if first[i][1] < second[j][1]:
            i += 1
        else:
            j += 1
    return tuple(shared)


def from_step(intervals: Intervals, step: int) -> Intervals:
    """The part of the intervals at this step or later."""
    return tuple((max(start, step), end) for start, end in intervals if end > step)


def total_steps(intervals: Intervals) -> int:
    """The total number of steps."""
    return sum(end - start for start, end in intervals)


def step_reaching(intervals: Intervals, steps: int) -> int | None:
    """The step at which this many steps of the intervals are over; None if they have fewer.

    >>> step_reaching(((0, 4), (10, 20)), 6)
    12
    """
    remaining = max(1, steps)
    for start, end in intervals:
        if end - start >= remaining:
            return start + remaining
        remaining -= end - start
    return None


# ------------------------------------------------------------------ the diary


def diary(trace: Trace, who: str) -> tuple[tuple[str, str], ...]:
    """A resident's days, oldest first, as heading and text.

    Memories of what was merely seen or done are left out, and so are walks. Below a thought stands
    its evidence, and below thoughts among the evidence their own.
    """
    own = [r for r in trace.records if isinstance(r, Remembered) and r.who == who]
    clock = Clock(trace.first, trace.seconds)
    days: dict[int, list[str]] = {}
    for record in trace.records:
        if record.who != who and not (isinstance(record, Talked) and record.other == who):
            continue
        texts = list(_describe(record, clock))
        if isinstance(record, Remembered) and texts:
            texts += evidence_lines(record, own)
        if texts:
            time = f"{clock.at(record.step):%H:%M}"
            lines = days.setdefault(clock.day(record.step), [])
            lines.append(f"{time}  {texts[0]}")
            lines += [f"       {line}" for line in texts[1:]]
    return tuple(
        (spoken_date(clock.date(clock.midnight(day))), "\n".join(lines))
        for day, lines in sorted(days.items())
    )


DEEPEST = 3
"""Levels of evidence shown below a thought."""


def evidence_lines(thought: Remembered, own: Sequence[Remembered], depth: int = 1) -> Iterator[str]:
    """The evidence of a thought, a line each, deeper levels further indented; `own` holds all
    memories of its owner, in order."""
    for number in thought.evidence:
        source = own[number]
        yield f"{'  ' * depth}from: {source.text}"
        if depth < DEEPEST:
            yield from evidence_lines(source, own, depth + 1)


def _describe(record: Record, clock: Clock) -> Iterator[str]:
    match record:
        case Did(state="asleep"):
            yield "asleep"
        case Did(state="at it"):
            at = f", {record.object}" if record.object else ""
            yield f"{record.doing} ({record.place}{at})" if record.place else record.doing
        case Talked():
            yield f"talked until {clock.at(record.end):%H:%M}"
            for line in record.lines:
                yield f"{line.name}: {line.text}"
        case Remembered(kind=kind) if kind not in ("seen", "done"):
            thought = "insight" if record.evidence else "thought"
            what = {"thought": thought, "plan": "in broad strokes"}.get(kind, "remembered")
            yield f"{what}: {record.text}"
        case Planned():
            yield f"planned anew: {record.why}" if record.why else "planned the day:"
            for block in record.blocks:
                if block.end > record.step:
                    place = f" ({block.place})" if block.place else ""
                    yield f"{clock.at(block.start):%H:%M} {block.what}{place}"
        case ObjectBecame():
            yield f"the {record.object} is {record.state}"
        case Revised():
            yield f"what occupies me now: {record.text}"
        case Reminded():
            first, *rest = record.text.splitlines() or [""]
            yield f"{record.kind} to keep in mind: {first}"
            yield from rest
        case WentWithout():
            yield f"went without an answer to {record.question} ({record.cause})"


# ------------------------------------------------------------------ moments to look at


@dataclass(frozen=True, slots=True)
class SimulatedDays:
    """The simulated days of an episode: the town, what happened, and residents' names by id."""

    town: TownMap
    trajectory: Trajectory
    names: dict[str, str]

    def who(self, query: str) -> str:
        """The id of a resident by id, name, or the beginning of one; ConfigError if none
        matches."""
        key = query.casefold()
        for id, name in self.names.items():
            if id.startswith(key) or name.casefold().startswith(key):
                return id
        names = ", ".join(self.names)
        raise ConfigError(f'nobody called "{query}" lives in this episode; expected one of {names}')


@dataclass(frozen=True, slots=True)
class Span:
    """Which moments to look at: every `minutes` between two times of a day, counted from 1."""

    day: int
    start: str
    end: str
    minutes: int

    def moments(self, lived: SimulatedDays) -> Iterator[datetime]:
        """The moments; ConfigError where the day was not simulated or a time cannot be read."""
        trace = lived.trajectory.trace
        days = -(-trace.steps // lived.trajectory.clock.steps_per_day)
        if not 1 <= self.day <= days:
            raise ConfigError(f"--day: expected 1 to {days}, found {self.day}")
        first = datetime.combine(trace.first + timedelta(days=self.day - 1), time())
        moment = first + _since_midnight("--from", self.start)
        end = first + _since_midnight("--until", self.end)
        last = lived.trajectory.clock.at(trace.steps - 1)
        if end < moment:
            raise ConfigError(f"--until {self.end} is before --from {self.start}; swap them")
        if last < moment:
            raise ConfigError(f"--from: expected a time until {last:%H:%M}, found {self.start}")
        while moment <= min(end, last):
            yield moment
            moment += timedelta(minutes=self.minutes)


@dataclass(frozen=True, slots=True)
class Moment:
    """Where everybody is and what they do, and the talks that begin before the next moment."""

    label: str
    people: dict[str, tuple[int, int]]
    places: dict[str, str]
    doing: dict[str, str]
    talks: tuple[Talked, ...]


def moments(lived: SimulatedDays, span: Span, only: Sequence[str] = ()) -> Iterator[Moment]:
    """The moments of a span, for everybody or for `only` some residents."""
    trajectory = lived.trajectory
    clock = trajectory.clock
    who = tuple(only) or tuple(lived.names)
    for moment in span.moments(lived):
        step = clock.step(moment)
        after = step + clock.minutes(span.minutes)
        talks = [
            talk
            for talk in trajectory.everybody(Talked)
            if step <= talk.step < after and (talk.who in who or talk.other in who)
        ]
        actions = {id: trajectory.action_at(id, step) for id in who}
        yield Moment(
            label=f"{moment:%a %d %b %H:%M}",
            people={lived.names[id]: trajectory.tile_at(id, step) for id in who},
            places={id: str(trajectory.place_at(id, step)).strip(": ") or "outdoors" for id in who},
            doing={id: _describe_doing(did) for id, did in actions.items()},
            talks=tuple(talks),
        )


def write_picture(town: TownMap, path: Path, scale: int) -> None:
    """Draw a map as PNG; ConfigError for a name without .png, or a file that cannot be written."""
    from sociolab.town.picture import draw

    _check_png(path)
    _save(path, lambda: draw(town, scale=scale).save(path))


def write_filmstrip(lived: SimulatedDays, span: Span, path: Path) -> None:
    """Draw the moments of a span side by side as PNG; ConfigError as in `write_picture`."""
    from sociolab.town.picture import Frame, draw_filmstrip

    _check_png(path)
    frames = [Frame(moment.label, moment.people) for moment in moments(lived, span)]
    _save(path, lambda: draw_filmstrip(lived.town, frames).save(path))


def _check_png(path: Path) -> None:
    if path.suffix.lower() != ".png":
        raise ConfigError(f'--out: expected a name that ends in .png, found "{path.name}"')


def _describe_doing(did: Did | None) -> str:
    if did is None:
        return ""
    return f"on the way to {did.place}" if did.state == "walking" else did.doing


def _save(path: Path, save: Callable[[], object]) -> None:
    try:
        save()
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror or error}") from error


def _since_midnight(flag: str, text: str) -> timedelta:
    try:
        moment = parse_time(text)
    except ValueError:
        raise ConfigError(f'{flag}: expected a time such as 07:30, found "{text}"') from None
    return timedelta(hours=moment.hour, minutes=moment.minute)


def format_spans(clock: Clock, when: Intervals) -> str:
    """Such as "18:00 to 19:10 and 19:20 to 20:00", gaps below two minutes left out."""
    short = timedelta(minutes=2)
    merged: list[tuple[int, int]] = []
    for start, end in when:
        if merged and clock.at(start) - clock.at(merged[-1][1]) < short:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return " and ".join(f"{clock.at(s):%H:%M} to {clock.at(e):%H:%M}" for s, e in merged)
