"""A resident's days to read: what it did where, said, heard, noted, thought, and planned."""

from __future__ import annotations

from collections.abc import Iterator

from sociolab.town.clock import Clock, spoken_date
from sociolab.town.trace.records import (
    Did,
    Noted,
    Planned,
    Record,
    Remembered,
    Reminded,
    Talked,
    Trace,
    WentWithout,
)


def diary(trace: Trace, who: str) -> tuple[tuple[str, str], ...]:
    """A heading and a text for each day, the oldest first.

    What was merely seen is left out, and so are the ways from place to place.
    """
    clock = Clock(trace.first, trace.seconds)
    days: dict[int, list[str]] = {}
    for record in trace.records:
        if record.who != who and not (isinstance(record, Talked) and record.other == who):
            continue
        told = list(_told(record, clock))
        if told:
            time = f"{clock.at(record.step):%H:%M}"
            lines = days.setdefault(clock.day(record.step), [])
            lines.append(f"{time}  {told[0]}")
            lines += [f"       {line}" for line in told[1:]]
    return tuple(
        (spoken_date(clock.date(clock.midnight(day))), "\n".join(lines))
        for day, lines in sorted(days.items())
    )


def _told(record: Record, clock: Clock) -> Iterator[str]:
    match record:
        case Did():
            yield from _did(record)
        case Talked():
            yield f"talked until {clock.at(record.end):%H:%M}"
            for line in record.lines:
                yield f"{line.name}: {line.text}"
        case Remembered(kind=kind) if kind != "seen":
            yield f"{'remembered' if kind == 'talk' else 'thought'}: {record.text}"
        case Noted():
            when = " at ".join(filter(None, (spoken_date(record.day), record.start)))
            yield f"noted: {record.what}, {when}{', ' if record.place else ''}{record.place}"
        case Planned():
            yield f"planned anew: {record.why}" if record.why else "planned the day:"
            for block in record.blocks:
                if block.end > record.step:
                    place = f" ({block.place})" if block.place else ""
                    yield f"{clock.at(block.start):%H:%M} {block.what}{place}"
        case Reminded():
            first, *rest = record.text.splitlines() or [""]
            yield f"{record.kind} to keep in mind: {first}"
            yield from rest
        case WentWithout():
            yield f"went without an answer to {record.question} ({record.cause})"


def _did(record: Did) -> Iterator[str]:
    match record.state:
        case "asleep":
            yield "asleep"
        case "at it":
            at = f", {record.object}" if record.object else ""
            yield f"{record.doing} ({record.place}{at})" if record.place else record.doing
