"""A partner that fails, is gone, or has no money left: what people see, and what is on record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from faulty_partners import Unreachable
from lobby_plays import asked, opened, play_out, run, said, until
from play_clients import lay_out
from sociolab.core import Moved, Unusable
from sociolab.store import Store
from sociolab.studies import BUDGET_SPENT_TEXT, PARTNER_LOST, progress_of


@pytest.fixture(autouse=True)
def down_again() -> Iterator[None]:
    yield
    Unreachable.up = False


def troubles(path: Path) -> str:
    with Store.open(path) as store:
        return " ".join(progress_of(store, "chat").troubles)


def test_a_partner_whose_turn_fails_passes_it_and_that_is_on_record(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1, partners=["python:faulty_partners:Mumbling"])

    async def play() -> None:
        async with opened(path) as (lobby, store):
            lobby.begin(1)
            assert (await play_out(lobby, 1)).phase == "done"
            (given,) = store.studies.assignments("chat")
            events = store.events("chat", given.item)
            failed = [one for one in events if isinstance(one, Unusable)]
            assert [one.final for one in failed] == [False, False, True] * 3
            assert {one.cause for one in failed} == {"unreadable"}
            assert store.trials("chat")[0].status == "played"

    run(play)


def test_a_partner_whose_endpoint_is_down_ends_the_play_which_goes_to_others(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    lay_out(path, participants=2, limit=1, partners=["python:faulty_partners:Unreachable"])

    async def play() -> None:
        async with opened(path) as (lobby, store):
            lobby.begin(1)
            screen = await play_out(lobby, 1)
            assert screen.phase == "done"
            assert screen.note == ""
            assert screen.last is not None
            assert screen.last.why == PARTNER_LOST
            *_, new = store.trials("chat")
            failed = next(row for row in store.trials("chat") if row.status == "failed")
            assert (failed.cause, failed.problem) == ("connection", "the connection broke")
            assert (new.status, new.trial.task.id) == ("planned", failed.trial.task.id)
            found = progress_of(store, "chat")
            assert (found.done, found.planned) == (0, 2), "one for each seat, as planned"
            Unreachable.up = True
            lobby.begin(2)
            await play_out(lobby, 2)
            found = progress_of(store, "chat")
            assert (found.done, found.planned) == (1, 2)

    run(play)
    assert troubles(path) == (
        "1 episode ended early because the partner failed: connection 1. Such episodes count for "
        "the participant but not for the study, and will be replaced."
    )


def test_nobody_meets_a_failing_partner_more_than_twice(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=5, each=5, partners=["python:faulty_partners:Unreachable"])

    async def play() -> None:
        async with opened(path) as (lobby, store):
            lobby.begin(1)
            screen = await play_out(lobby, 1)
            assert screen.phase == "ready"
            lobby.begin(1)
            screen = await play_out(lobby, 1)
            assert screen.phase == "done"
            assert screen.note.startswith("There is no further conversation")
            lobby.begin(1)
            assert len(store.studies.assignments("chat")) == 2

    run(play)


def test_a_partner_that_lets_turns_go_by_has_gone_as_a_person_would(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1, missed=2, partners=["python:faulty_partners:Asleep"])

    async def play() -> None:
        async with opened(path) as (lobby, store):
            lobby.begin(1)
            screen = await play_out(lobby, 1)
            assert screen.last is not None
            assert screen.last.why == PARTNER_LOST
            failed = next(row for row in store.trials("chat") if row.status == "failed")
            assert failed.cause == "timeout"
            events = store.events("chat", failed.trial.id)
            assert sum(isinstance(one, Unusable) for one in events) == 2

    run(play)


def test_a_stand_in_that_fails_is_not_planned_again(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, people=2, limit=2, stand_in="python:faulty_partners:Unreachable")

    async def play() -> None:
        async with opened(path) as (lobby, store):
            lobby.begin(1)
            lobby._end_wait(1)
            await play_out(lobby, 1)
            assert [row.status for row in store.trials("chat")] == ["planned", "planned", "failed"]
            assert progress_of(store, "chat").planned == 2

    run(play)


def test_when_the_budget_is_spent_no_play_begins_and_those_under_way_end(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, participants=3, limit=3, each=2, budget=1.0,
            partners=["python:faulty_partners:Spending"])  # fmt: skip

    async def play() -> None:
        async with opened(path) as (lobby, store):
            for person in (1, 2):
                lobby.begin(person)
            ends = [await play_out(lobby, person) for person in (1, 2)]
            for screen in ends:
                assert (screen.phase, screen.note) == ("done", BUDGET_SPENT_TEXT)
                assert screen.last is not None
                assert screen.last.why == PARTNER_LOST
                assert any(line.you for line in screen.last.history), "what was said is there"
            lobby.begin(3)
            assert (lobby.screen(3).phase, lobby.screen(3).note) == ("done", BUDGET_SPENT_TEXT)
            assert len(store.studies.assignments("chat")) == 2
            causes = {row.cause for row in store.trials("chat") if row.status == "failed"}
            assert causes == {"budget"}
        async with opened(path) as (lobby, _):
            assert lobby.screen(3).note == BUDGET_SPENT_TEXT, "after a restart too"

    run(play)
    assert troubles(path).startswith("The budget of $1.00 is spent: no new conversation starts")
    assert troubles(path).endswith("are not replaced, since the budget is spent.")


def test_whoever_waits_when_the_budget_is_spent_waits_no_longer(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, participants=2, people=2, limit=3, budget=1.0,
            stand_in="python:faulty_partners:Spending")  # fmt: skip

    async def play() -> None:
        async with opened(path) as (lobby, store):
            lobby.begin(1)
            lobby._end_wait(1)
            first = await until(lobby, 1, asked)
            lobby.begin(2)
            assert lobby.screen(2).phase == "waiting"
            with lobby.listening(2) as told:
                await lobby.act(1, said(first, "Well?"))
                await play_out(lobby, 1)
                await told.wait()
            assert lobby.screen(2).note == BUDGET_SPENT_TEXT
            lobby._end_wait(2)
            assert {one.participant for one in store.studies.assignments("chat")} == {1}
            turns = store.events("chat", store.studies.assignments("chat")[0].item)
            assert any(isinstance(one, Moved) for one in turns)

    run(play)
