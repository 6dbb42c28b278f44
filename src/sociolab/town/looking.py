"""How does one look at a town: at its map, and at moments of the days that were lived there?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from pathlib import Path

from sociolab.core.errors import ConfigError
from sociolab.town.clock import Clock, clock_time
from sociolab.town.map import TownMap
from sociolab.town.trace import Did, Talked
from sociolab.town.trajectory import Intervals, Trajectory


@dataclass(frozen=True, slots=True)
class Lived:
    """The days of an episode: the town, what happened, and who is called what."""

    town: TownMap
    trajectory: Trajectory
    names: dict[str, str]

    def who(self, wanted: str) -> str:
        """The id of a resident by id, name, or the beginning of one; ConfigError if none fits."""
        key = wanted.casefold()
        for id, name in self.names.items():
            if id.startswith(key) or name.casefold().startswith(key):
                return id
        known = ", ".join(self.names)
        raise ConfigError(
            f'nobody called "{wanted}" lives in this episode; expected one of {known}'
        )


@dataclass(frozen=True, slots=True)
class Span:
    """Which moments to look at: a day from 1 on, from and until a time of day, every so often."""

    day: int
    start: str
    end: str
    minutes: int

    def moments(self, lived: Lived) -> Iterator[datetime]:
        """The moments; ConfigError where the day was not lived or a time is none."""
        trace = lived.trajectory.trace
        days = -(-trace.steps // lived.trajectory.clock.a_day)
        if not 1 <= self.day <= days:
            raise ConfigError(f"--day: expected 1 to {days}, found {self.day}")
        first = datetime.combine(trace.first + timedelta(days=self.day - 1), time())
        moment = first + _since_midnight("--from", self.start)
        end = first + _since_midnight("--until", self.end)
        last = lived.trajectory.clock.at(trace.steps - 1)
        while moment <= min(end, last):
            yield moment
            moment += timedelta(minutes=self.minutes)


@dataclass(frozen=True, slots=True)
class Moment:
    """Who is where and does what at a moment, and the talks that begin before the next."""

    label: str
    people: dict[str, tuple[int, int]]
    places: dict[str, str]
    doing: dict[str, str]
    talks: tuple[Talked, ...]


def moments(lived: Lived, span: Span, only: Sequence[str] = ()) -> Iterator[Moment]:
    """The moments of a span, of everybody or of some residents."""
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
            doing={id: _doing(did) for id, did in actions.items()},
            talks=tuple(talks),
        )


def write_picture(town: TownMap, path: Path, scale: int) -> None:
    """Draw a map as PNG; ConfigError for a file of another name, or that cannot be written."""
    from sociolab.town.picture import draw

    if path.suffix.lower() != ".png":
        raise ConfigError(f'--out: expected a name that ends in .png, found "{path.suffix}"')
    _save(path, lambda: draw(town, scale=scale).save(path))


def write_filmstrip(lived: Lived, span: Span, path: Path) -> None:
    """Draw the moments of a span: side by side as PNG, or one after the other as GIF."""
    from sociolab.town.picture import Frame, animation, draw_filmstrip

    frames = [
        Frame(
            moment.label,
            moment.people,
            {lived.names[id]: text for id, text in moment.doing.items()},
        )
        for moment in moments(lived, span)
    ]
    match path.suffix.lower():
        case ".gif":
            _save(path, lambda: path.write_bytes(animation(lived.town, frames)))
        case ".png":
            plain = [Frame(frame.label, frame.people) for frame in frames]
            _save(path, lambda: draw_filmstrip(lived.town, plain).save(path))
        case other:
            raise ConfigError(f'--out: expected a name that ends in .png or .gif, found "{other}"')


def _doing(did: Did | None) -> str:
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
        moment = clock_time(text)
    except ValueError:
        raise ConfigError(f'{flag}: expected a time such as 07:30, found "{text}"') from None
    return timedelta(hours=moment.hour, minutes=moment.minute)


# ------------------------------------------------------------------ replay


def spans(clock: Clock, when: Intervals) -> str:
    """Such as "18:00 to 19:10 and 19:20 to 20:00", pauses below two minutes left out."""
    short = timedelta(minutes=2)
    merged: list[tuple[int, int]] = []
    for start, end in when:
        if merged and clock.at(start) - clock.at(merged[-1][1]) < short:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return " and ".join(f"{clock.at(s):%H:%M} to {clock.at(e):%H:%M}" for s, e in merged)
