"""The trace as it is recorded: an event an hour, as soon as that hour is settled for everybody."""

from __future__ import annotations

from collections.abc import Iterator

from sociolab.core.episode import Happened
from sociolab.town.life.surroundings import Surroundings
from sociolab.town.trace.recording import chunk, header

TRACE = "trace"


class Chunks:
    """Takes the records of all residents, in order of step, then resident, then as they came."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._hour = around.clock.minutes(60)
        self._taken = 0

    def header(self) -> Happened:
        """What the trace is of."""
        setting = self._around.setting
        ids = tuple(person.id for person in self._around.people)
        value = header(setting.clock.first, setting.clock.seconds, ids)
        return Happened(0, "", TRACE, value)

    def settled(self, step: int) -> Iterator[Happened]:
        """The hours that end by this step and have not been told."""
        while self._taken + self._hour <= step:
            yield from self._until(self._taken + self._hour)

    def rest(self, step: int) -> Iterator[Happened]:
        """All that is left, at the end."""
        yield from self.settled(step)
        if self._taken < step:
            yield from self._until(step)

    def _until(self, end: int) -> Iterator[Happened]:
        told = []
        for person in self._around.people:
            person.cut_walk(end)
            told += [(r.step, person.number, r) for r in person.records if r.step < end]
            person.records = [r for r in person.records if r.step >= end]
        told.sort(key=lambda item: item[:2])
        self._taken = end
        value = chunk(end, [record for _, _, record in told])
        yield Happened(end, "", TRACE, value)
