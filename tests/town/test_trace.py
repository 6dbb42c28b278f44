"""A trace is written hour by hour, and what is written is read back."""

from __future__ import annotations

import json
import zlib
from datetime import date
from functools import cache
from typing import Any

import pytest
from hypothesis import given, strategies as st

from any_mind import AnyMind
from puppet_town import TRIO, Lived, lived, setting, trace_of
from sociolab.core import Answered, Event, Happened, StoreError
from sociolab.core.codec import compact_json
from sociolab.town import (
    TRACE,
    Did,
    Order,
    Planned,
    PlannedBlock,
    Record,
    Remembered,
    Reminded,
    Stood,
    Surroundings,
    Talked,
    Utterance,
    Walked,
    WentWithout,
    make_chunk,
    make_header,
    read_trace,
)
from sociolab.town.questions import MOST_ROUNDS
from sociolab.town.simulation import TraceWriter
from sociolab.town.trace import decode, encode

step = st.integers(0, 10**6)
text = st.text(max_size=12)
who = st.sampled_from(["ann", "bob", "x-1"])
place = st.sampled_from(["", "Cafe: counter room"])
tuples = st.lists
records = st.one_of(
    st.builds(Stood, step, who, st.integers(0, 300), st.integers(0, 300)),
    st.builds(Walked, step, who, st.text("NESW", max_size=30)),
    st.builds(
        Did,
        step,
        who,
        text,
        text,
        place,
        text,
        st.sampled_from(["asleep", "walking", "at it", "talking"]),
    ),
    st.builds(
        Talked,
        step,
        step,
        who,
        who,
        st.lists(st.builds(Utterance, who, text, text), max_size=3).map(tuple),
        st.sampled_from(["goodbye", "round limit", "failed"]),
    ),
    st.builds(Remembered, step, who, text, text, st.none() | st.integers(1, 10)),
    st.builds(
        Planned,
        step,
        who,
        st.lists(st.builds(PlannedBlock, step, step, text, place), max_size=3).map(tuple),
        text,
    ),
    st.builds(Reminded, step, who, st.sampled_from(["general plan", "day", "talk"]), text),
    st.builds(WentWithout, step, who, text, text, text),
)


@given(st.lists(records, max_size=8))
def test_records_come_back_exactly_through_json_text(told: list[Record]) -> None:
    rows = json.loads(compact_json(encode(told)))
    assert decode(rows) == tuple(told)


@given(st.lists(records, max_size=6), st.lists(records, max_size=6))
def test_a_trace_is_made_of_its_header_and_its_hours(one: list[Record], two: list[Record]) -> None:
    chunks = [
        make_header(date(2024, 5, 13), 10, ["ann", "bob"]),
        make_chunk(360, one),
        make_chunk(720, two),
    ]
    trace = read_trace(json.loads(compact_json(chunks)))
    assert (trace.first, trace.seconds, trace.residents) == (date(2024, 5, 13), 10, ("ann", "bob"))
    assert (trace.steps, trace.records) == (720, (*one, *two))


def test_a_killed_simulation_has_the_hours_that_it_lived() -> None:
    begun = [make_header(date(2024, 5, 13), 10, ["ann"])]
    assert read_trace(begun).steps == 0
    begun.append(make_chunk(360, [Stood(0, "ann", 1, 2)]))
    trace = read_trace(begun)
    assert (trace.steps, len(trace.records)) == (360, 1)


@pytest.mark.parametrize(
    "row",
    [
        [],
        None,
        7,
        "w",
        ["?", 1, "ann"],
        ["w", 1, "ann"],
        ["w", 1, "ann", "N", "more"],
        ["w", "1", "ann", "N"],
        ["w", True, "ann", "N"],
        ["d", 1, "ann", "eat", "eat", "", "", "awake"],
        ["t", 1, 2, "ann", "bob", [["ann", "Ann"]], "g"],
        ["t", 1, 2, "ann", "bob", [["ann", "Ann", 3]], "g"],
        ["t", 1, 2, "ann", "bob", [], "?"],
        ["p", 1, "ann", [[1, 2, "eat"]], ""],
        ["p", 1, "ann", [[1, "2", "eat", ""]], ""],
        ["n", 1, "ann", "eat", "14 May", "", 60, "", "bob"],
        ["r", 1, "ann", "?", "go"],
        [["w"], 1, "ann", "N"],
        {"w": 1},
    ],
)
def test_a_row_that_cannot_be_read_is_refused_in_one_sentence(row: object) -> None:
    with pytest.raises(StoreError, match="found") as caught:
        decode([row])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "chunks",
    [
        [],
        [["lived", 360, []]],
        [["town", "13 May", 10, []]],
        [["town", "2024-05-13", 0, []]],
        [["town", "2024-05-13", 10, []], ["lived", 360]],
        [["town", "2024-05-13", 10, []], ["lived", 360, [["w"]]]],
    ],
)
def test_chunks_that_are_no_trace_are_refused(chunks: list[object]) -> None:
    with pytest.raises(StoreError, match="found"):
        read_trace(chunks)  # type: ignore[arg-type]


def test_two_days_of_twelve_residents_stay_far_below_a_megabyte() -> None:
    told: list[Record] = []
    for day in range(2):
        for hour in range(6, 23):
            for resident in range(12):
                now, name = day * 8640 + hour * 360, f"resident-{resident}"
                told.append(Walked(now, name, "NEESSW" * (5 + hour % 7)))
                told += (
                    Did(now + i * 60, name, f"do {hour}.{i} of {resident}", f"do {hour}", "A: b")
                    for i in range(6)
                )
                told += (
                    Remembered(now + i * 30, name, "seen", f"{i} is doing {hour}.{i}.{now}", 3)
                    for i in range(12)
                )
    size = len(zlib.compress(compact_json(encode(told)).encode()))
    assert size < 250_000


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
    assert isinstance(first, Happened)
    assert isinstance(second, Happened)
    assert first.value == ["lived", HOUR, [["w", HOUR - 5, "ann", "EEESS"]]]
    assert second.value == ["lived", HOUR + 3, [["w", HOUR, "ann", "EEE"]]]


def test_the_trace_is_the_same_in_whatever_chunks_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = played().trace
    usual = TraceWriter.__init__

    def a_day_at_once(self: TraceWriter, around: Surroundings) -> None:
        usual(self, around)
        self._hour = around.clock.steps_per_day

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
