"""Turns read as numbers are those of the episodes: whatever was said, and however it ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from casts import seated
from sociolab.core import (
    Action,
    Answered,
    Ended,
    Event,
    Happened,
    Moved,
    StoreError,
    Task,
    Trial,
    Unusable,
)
from sociolab.store import Store
from sociolab.store.database import Value
from sociolab.store.overview import run_turns

ANN, BOB = "ann", 'bob ["moved"'
TASK = Task("kite", (ANN, BOB), "kite", "{}")
CAST = (seated(ANN, "scripted"), seated(BOB, "scripted"))

texts = st.one_of(
    st.text(max_size=30), st.just('["unusable" \ud83d two'), st.just(" \u00a0a\u2003b ")
)
seats = st.sampled_from((ANN, BOB))
actions = st.builds(
    Action, st.sampled_from(("speak", "leave")), texts, st.just(()) | st.just((ANN,))
)
events = st.one_of(
    st.builds(Moved, st.just(0), seats, st.lists(actions, max_size=3).map(tuple)),
    st.builds(Answered, st.just(0), seats, st.just("utter"), texts),
    st.builds(Happened, st.just(0), seats, st.just("moved"), texts),
    st.builds(
        Unusable, st.just(0), seats, st.just("act"), st.just(1), st.just("unreadable"), texts,
        texts, final=st.booleans(),
    ),
    st.builds(Ended, st.sampled_from(("left", "")), st.just(0)),
)  # fmt: skip


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store.open(tmp_path_factory.mktemp("turns") / "store.db") as opened:
        yield opened


def laid_out(store: Store, run: str, count: int) -> None:
    trials = [Trial(f"t{n}", "sotopia", TASK, CAST, n, 0) for n in range(count)]
    store.create_run(run, "sotopia", {}, trials)


@given(st.lists(st.lists(events, max_size=6), min_size=1, max_size=3))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_numbers_are_those_of_the_episodes(store: Store, played: list[list[Event]]) -> None:
    run = f"run-{len(store.runs())}"
    laid_out(store, run, len(played) + 1)  # the last is not played
    for number, some in enumerate(played):
        for event in some:
            store.append(run, f"t{number}", event)
        store.set_status(run, f"t{number}", "played")
    found = list(run_turns(store, run, "speak"))
    assert [one.trial for one in found] == [f"t{n}" for n in range(len(played))]
    for one, episode in zip(found, store.episodes(run), strict=True):
        assert one.words == tuple(
            (move.seat, sum(len(a.text.split()) for a in move.actions if a.kind == "speak"))
            for move in episode.moves
        )
        assert one.ended == (episode.ended.reason if episode.ended else None)
        assert one.troubled == any(isinstance(event, Unusable) for event in episode.events)


def test_more_trials_than_are_read_at_once_are_all_there(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sociolab.store.overview._AT_ONCE", 2)
    laid_out(store, "many", 5)
    for number in range(5):
        store.append("many", f"t{number}", Moved(0, ANN, (Action("speak", "so " * number),)))
        store.set_status("many", f"t{number}", "played")
    found = list(run_turns(store, "many", "speak"))
    assert [one.words for one in found] == [((ANN, number),) for number in range(5)]


def test_a_trial_that_ends_while_others_are_read_is_left_for_the_next_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid_out(store, "playing", 3)
    for number in range(3):
        store.append("playing", f"t{number}", Moved(0, ANN, (Action("leave"),)))
    for number in (0, 2):
        store.set_status("playing", f"t{number}", "played")
    read = store.rows

    def rows(statement: str, values: Sequence[Value] = ()) -> list[object]:
        if "FROM events" in statement:
            store.set_status("playing", "t1", "played")
        return read(statement, values)

    monkeypatch.setattr(store, "rows", rows)
    found = list(run_turns(store, "playing", "speak"))
    assert [one.trial for one in found] == ["t0", "t2"]


def test_a_turn_that_cannot_be_read_is_told(store: Store) -> None:
    laid_out(store, "broken", 1)
    store.append("broken", "t0", Ended("left", 0))
    store.set_status("broken", "t0", "played")
    store.write(
        "UPDATE events SET body = ? WHERE trial = ?", ('["moved",0', store.trial_pk("broken", "t0"))
    )
    with pytest.raises(StoreError, match="cannot be read"):
        list(run_turns(store, "broken", "speak"))
