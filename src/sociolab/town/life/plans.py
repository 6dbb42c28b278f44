"""A day's plan laid out in time: from the entries of an answer to blocks, and blocks in parts."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta

from sociolab.town.answers import DayPlan, Entry, NewPlan, Part
from sociolab.town.clock import clock_time
from sociolab.town.thoughts import Block


def laid_out_day(plan: DayPlan, day: date) -> tuple[datetime, datetime, tuple[Block, ...]]:
    """When to wake, when to go to bed, and the blocks between."""
    wake = datetime.combine(day, clock_time(plan.wake))
    bed = datetime.combine(day, clock_time(plan.bed))
    if bed <= wake:
        bed += timedelta(days=1)
    starts = [datetime.combine(day, clock_time(entry.start)) for entry in plan.entries]
    return wake, bed, _laid_out(plan.entries, starts, bed)


def rest_of_day(new: NewPlan, now: datetime, bed: datetime) -> tuple[Block, ...]:
    """The blocks of a new plan: the first begins now; a time that has gone by is tomorrow's."""
    timed = [(now, new.entries[0])]
    for entry in new.entries[1:]:
        start = datetime.combine(now.date(), clock_time(entry.start))
        timed.append((start if start > now else start + timedelta(days=1), entry))
    timed.sort(key=lambda pair: pair[0])  # what is tomorrow's must not hide what comes today
    return _laid_out(tuple(entry for _, entry in timed), [start for start, _ in timed], bed)


def gone_on(old: tuple[Block, ...], rest: tuple[Block, ...], now: datetime) -> tuple[Block, ...]:
    """The day with its rest planned anew; what was under way and is kept goes on as one block."""
    gone = [replace(block, end=min(block.end, now)) for block in old if block.start < now]
    if gone and rest:
        last, first = gone[-1], rest[0]
        if last.end == now and (last.what, last.place) == (first.what, first.place):
            gone.pop()
            rest = (replace(first, start=last.start), *rest[1:])
    return (*gone, *rest)


def _laid_out(
    entries: tuple[Entry, ...], starts: list[datetime], bed: datetime
) -> tuple[Block, ...]:
    ends = [*starts[1:], bed]
    return tuple(
        Block(start, min(end, bed), entry.what, entry.place)
        for entry, start, end in zip(entries, starts, ends, strict=True)
        if start < min(end, bed)
    )


def in_time(parts: tuple[Part, ...], block: Block) -> list[tuple[Part, datetime]]:
    """The parts with their ends; the last is stretched or cut to the end of the block."""
    found = []
    end = block.start
    for number, part in enumerate(parts, start=1):
        end += timedelta(minutes=part.minutes)
        if number == len(parts) or end >= block.end:
            found.append((part, block.end))
            break
        found.append((part, end))
    return found


def minutes(block: Block) -> int:
    """How long a block lasts, at least 1."""
    return max(1, round((block.end - block.start).total_seconds() / 60))


def no_plan(home: str) -> DayPlan:
    """The day of a resident whose mind gave no plan: nothing is made up for it."""
    nothing = Entry(start="08:00", what="be at home without a plan", place=home)
    return DayPlan(wake="08:00", entries=(nothing,), bed="22:00")
