"""The trace as events: an hour in each, which together are the whole."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from puppet_town import TRIO, Lived, lived, setting, trace_of
from sociolab.core.episode import Answered, Event, Happened
from sociolab.testing.minds import AnyMind
from sociolab.town.person import Surroundings
from sociolab.town.questions import MOST_ROUNDS
from sociolab.town.simulation import Order, TraceWriter
from sociolab.town.trace import TRACE, decode

GIVEN = setting(days=2, seed=3)
HOUR = 360


@cache
def played(order: Order = "lock-step") -> Lived:
    return lived(AnyMind(3), GIVEN, order)


def chunks(events: tuple[Event, ...]) -> list[Happened]:
    return [event for event in events if isinstance(event, Happened)]


@pytest.mark.parametrize("order", ["lock-step", "ahead"])
def test_an_event_an_hour_after_a_header(order: Order) -> None:
    told = chunks(played(order).events)
    assert [event.turn for event in told] == [HOUR * hour for hour in range(49)]
    assert {(event.what, event.seat) for event in told} == {(TRACE, "")}
    assert told[0].value == ["town", "2024-05-13", 10, [one.id for one in TRIO]]


def test_each_holds_the_records_of_its_hour() -> None:
    total = 0
    for event in chunks(played().events)[1:]:
        value: Any = event.value
        _, until, rows = value
        assert until == event.turn
        records = decode(rows)
        assert all(until - HOUR <= record.step < until for record in records)
        total += len(records)
    assert total == len(played().trace.records)


def test_a_walk_over_the_hour_is_cut_there() -> None:
    town = Surroundings(GIVEN)
    person = town.people[0]
    person.walk("E" * 3 + "S" * 2 + "E" * 10, HOUR - 5)
    first, second = TraceWriter(town).rest(HOUR + 3)
    assert first.value == ["lived", HOUR, [["w", HOUR - 5, "ann", "EEESS"]]]
    assert second.value == ["lived", HOUR + 3, [["w", HOUR, "ann", "EEE"]]]


def test_the_trace_is_the_same_in_whatever_chunks_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = played().trace
    usual = TraceWriter.__init__

    def a_day_at_once(self: TraceWriter, around: Surroundings) -> None:
        usual(self, around)
        self._hour = around.clock.a_day

    monkeypatch.setattr(TraceWriter, "__init__", a_day_at_once)
    days = lived(AnyMind(3), GIVEN)
    assert len(chunks(days.events)) == 3
    assert days.trace == whole


def test_an_hour_is_told_as_soon_as_it_is_over() -> None:
    """Nothing of it is answered afterwards, and nothing of a later one before."""
    told = 0
    for event in played().events:
        if isinstance(event, Happened):
            told = event.turn
        elif isinstance(event, Answered):
            assert told <= event.turn < told + HOUR + 2 * MOST_ROUNDS


def test_what_was_lived_before_a_stop_can_be_read() -> None:
    events = played().events
    half = trace_of(events[: len(events) // 2])
    assert 0 < half.steps < GIVEN.steps
    assert half.records == played().trace.records[: len(half.records)]
