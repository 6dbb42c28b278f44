"""A trace as JSON rows: nothing is lost, and what cannot be read is said."""

from __future__ import annotations

import json
import zlib
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.core.codec import compact_json
from sociolab.core.errors import StoreError
from sociolab.town.questions import Line
from sociolab.town.trace import (
    Did,
    Noted,
    Planned,
    PlannedBlock,
    Record,
    Remembered,
    Reminded,
    Stood,
    Talked,
    Walked,
    WentWithout,
    chunk,
    decode,
    encode,
    header,
    trace_from,
)

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
        st.lists(st.builds(Line, who, text, text), max_size=3).map(tuple),
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
    st.builds(Noted, step, who, text, st.dates(), text, st.integers(1, 900), place, who),
    st.builds(Reminded, step, who, st.sampled_from(["general plan", "day", "talk"]), text),
    st.builds(WentWithout, step, who, text, text, text),
)


@given(st.lists(records, max_size=8))
def test_records_come_back_exactly_through_json_text(told: list[Record]) -> None:
    rows = json.loads(compact_json(encode(told)))
    assert decode(rows) == tuple(told)


@given(st.lists(records, max_size=6), st.lists(records, max_size=6))
def test_a_trace_is_made_of_its_header_and_its_hours(one: list[Record], two: list[Record]) -> None:
    chunks = [header(date(2024, 5, 13), 10, ["ann", "bob"]), chunk(360, one), chunk(720, two)]
    trace = trace_from(json.loads(compact_json(chunks)))
    assert (trace.first, trace.seconds, trace.residents) == (date(2024, 5, 13), 10, ("ann", "bob"))
    assert (trace.steps, trace.records) == (720, (*one, *two))


def test_a_killed_simulation_has_the_hours_that_it_lived() -> None:
    begun = [header(date(2024, 5, 13), 10, ["ann"])]
    assert trace_from(begun).steps == 0
    begun.append(chunk(360, [Stood(0, "ann", 1, 2)]))
    trace = trace_from(begun)
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
        trace_from(chunks)  # type: ignore[arg-type]


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
