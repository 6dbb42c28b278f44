from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lobby_plays import asked, opened, play_out, run, said, time_is_up, until
from play_clients import lay_out
from sociolab.core import Ended, Event, Moved, StoreError, Unusable
from sociolab.store import Store, lock_run
from sociolab.studies import (
    CutOff,
    LiveStudies,
    NotPlayable,
    NotTaken,
    PlayRecords,
    Sent,
    SentAction,
    Stale,
    forget,
    play_plan as pace,
)


def test_what_a_person_plays_becomes_an_episode_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1, judges=["heuristic"])

    async def play() -> None:
        async with opened(path) as (lobby, store):
            assert lobby.screen(1).phase == "ready"
            lobby.begin(1)
            screen = await play_out(lobby, 1)
            assert screen.phase == "done"
            assert screen.last is not None
            (given,) = store.studies.assignments("chat")
            assert given.state == "done"
            episode = store.episode("chat", given.item)
            assert isinstance(episode.events[-1], Ended)
            assert [move.seat for move in episode.moves[::2]] == [given.seat] * 3
            judges = [judge for judge, *_ in store.rows("SELECT DISTINCT judge FROM judgings")]
            while len(judges) < 2:  # in the background
                await asyncio.sleep(0)
                judges = [one for one, *_ in store.rows("SELECT DISTINCT judge FROM judgings")]

    run(play)


def test_an_answer_counts_once_and_a_stale_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1)

    async def play() -> None:
        async with opened(path) as (lobby, store):
            lobby.begin(1)
            first = said(await until(lobby, 1, asked), "Hello.")
            await asyncio.gather(lobby.act(1, first), lobby.act(1, first), lobby.act(1, first))
            events = store.events("chat", first.trial)
            assert [e for e in events if isinstance(e, Moved) and e.turn == 0] == list(events[:1])
            with pytest.raises(Stale, match="already taken"):
                await lobby.act(1, said_again(first, "Something else."))
            with pytest.raises(Stale, match="no longer your turn"):
                await lobby.act(1, first.model_copy(update={"turn": 4}))
            with pytest.raises(Stale, match="not in this conversation"):
                await lobby.act(1, first.model_copy(update={"trial": "another"}))
            await play_out(lobby, 1)
            with pytest.raises(Stale, match="is over"):
                await lobby.act(1, first)

    run(play)


def said_again(sent: Sent, text: str) -> Sent:
    return sent.model_copy(update={"actions": (SentAction(kind="speak", text=text),)})


def test_what_cannot_be_used_is_no_event_and_costs_no_attempt(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1)

    async def play() -> None:
        async with opened(path) as (lobby, store):
            lobby.begin(1)
            screen = await until(lobby, 1, asked)
            for _ in range(5):
                with pytest.raises(NotTaken, match="needs a text"):
                    await lobby.act(1, said(screen, "  "))
            await lobby.act(1, said(screen, "Hello."))
            events = store.events("chat", said(screen).trial)
            assert not [event for event in events if isinstance(event, Unusable)]

    run(play)


def test_a_restart_of_the_server_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1)
    kept: list[Sent] = []

    async def begun() -> None:
        async with opened(path) as (lobby, _):
            lobby.begin(1)
            kept.append(said(await until(lobby, 1, asked), "Hello."))
            await lobby.act(1, kept[0])

    async def gone_on() -> None:
        async with opened(path) as (lobby, store):
            screen = await until(lobby, 1, asked)
            assert screen.asking is not None
            assert screen.asking.turn == 2
            assert screen.scene is not None
            assert [line.turn for line in screen.scene.history] == [0, 1]
            await lobby.act(1, kept[0])  # the page had not heard that it arrived
            with pytest.raises(Stale):
                await lobby.act(1, said_again(kept[0], "Something else."))
            assert (await play_out(lobby, 1)).phase == "done"
            moves = [e for e in store.events("chat", kept[0].trial) if isinstance(e, Moved)]
            assert [move.turn for move in moves] == list(range(6))

    run(begun)
    run(gone_on)


def test_two_people_are_brought_together_and_see_each_other_only_through_the_scene(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    lay_out(path, participants=3, people=2, limit=1)

    async def play() -> None:
        async with opened(path) as (lobby, store):
            lobby.begin(1)
            assert lobby.screen(1).phase == "waiting"
            lobby.begin(3)
            assert lobby.screen(1).phase == lobby.screen(3).phase == "playing"
            await asyncio.gather(play_out(lobby, 1, "I am one."), play_out(lobby, 3, "I am three."))
            last = lobby.screen(3).last
            assert last is not None
            assert [line.you for line in last.history] == [False, True] * 3
            assert {one.participant: one.state for one in store.studies.assignments("chat")} == {
                1: "done", 3: "done",
            }  # fmt: skip

    run(play)


def test_who_is_away_for_too_long_gives_up_and_the_other_is_told(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, participants=2, people=2, limit=1, turn_seconds=10, missed=1)

    async def play() -> None:
        async with opened(path) as (lobby, store):
            lobby.begin(1)
            lobby.begin(2)
            first = said(await until(lobby, 1, asked), "Are you there?")
            await lobby.act(1, first)
            await until(lobby, 2, asked)
            time_is_up(lobby, 2)
            told = await until(lobby, 1, lambda one: one.phase != "playing")
            assert told.phase == "done"
            assert told.last is not None
            assert "did not come back" in told.last.why
            gone = lobby.screen(2).last
            assert gone is not None
            assert "You missed several turns" in gone.why
            old, new = store.trials("chat")
            assert (old.status, old.cause) == ("failed", "gave up")
            assert (new.status, new.trial.repeat) == ("planned", old.trial.repeat + 1)
            *_, missed = store.events("chat", old.trial.id)
            assert isinstance(missed, Unusable)
            assert (missed.cause, missed.final) == ("timeout", True)
            states = {one.participant: one.state for one in store.studies.assignments("chat")}
            assert states == {1: "done", 2: "given up"}

    run(play)


@pytest.mark.parametrize("on_whose_turn", [1, 2])
def test_nobody_waits_for_who_has_left(tmp_path: Path, on_whose_turn: int) -> None:
    path = tmp_path / "store.db"
    lay_out(path, participants=2, people=2, limit=1, turn_seconds=3600, missed=2)

    async def play() -> None:
        async with opened(path) as (lobby, store):
            lobby.begin(1)
            lobby.begin(2)
            await until(lobby, 1, asked)
            lobby.leave(on_whose_turn)
            stays = 3 - on_whose_turn
            if on_whose_turn == 2:  # it is the other's turn: taken, and then it ends
                await lobby.act(1, said(await until(lobby, 1, asked), "Are you there?"))
            told = await until(lobby, stays, lambda one: one.phase != "playing")
            assert told.last is not None
            assert "did not come back" in told.last.why
            old, new = store.trials("chat")
            assert (old.status, old.cause, new.status) == ("failed", "gave up", "planned")
            assert old.problem.endswith(" left")
            *_, missed = store.events("chat", old.trial.id)
            assert isinstance(missed, Unusable)
            assert (missed.cause, missed.problem) == ("gave up", "the person left")

    run(play)


def test_who_leaves_the_waiting_room_is_not_met(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, participants=2, people=2, limit=1)

    async def play() -> None:
        async with opened(path) as (lobby, _):
            lobby.begin(1)
            lobby.leave(1)
            lobby.begin(2)
            assert lobby.screen(2).phase == "waiting"

    run(play)


def test_one_missed_turn_passes_and_an_answer_begins_the_count_anew(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1, missed=2)

    async def play() -> None:
        async with opened(path) as (lobby, store):
            lobby.begin(1)
            for answers in (False, True, False):
                screen = await until(lobby, 1, asked)
                assert screen.asking is not None
                turn = screen.asking.turn
                if answers:
                    await lobby.act(1, said(screen, "Here I am."))
                else:
                    time_is_up(lobby, 1)
                await until(lobby, 1, lambda one, turn=turn: not one.asking
                            or one.asking.turn != turn)  # type: ignore[misc]  # fmt: skip
            await until(lobby, 1, lambda one: one.phase == "done")
            assert store.trials("chat")[0].status == "played"

    run(play)


def test_who_waits_in_vain_is_let_go_or_meets_the_stand_in(tmp_path: Path) -> None:
    for name, stand_in in (("alone", None), ("met", "scripted")):
        path = tmp_path / f"{name}.db"
        lay_out(path, people=2, limit=2, stand_in=stand_in)

        async def play(path: Path = path, stand_in: str | None = stand_in) -> None:
            async with opened(path) as (lobby, store):
                lobby.begin(1)
                lobby._end_wait(1)
                if stand_in is None:
                    assert lobby.screen(1).phase == "let go"
                    lobby.begin(1)
                    assert lobby.screen(1).phase == "let go"
                    assert all(row.status == "planned" for row in store.trials("chat"))
                else:
                    assert (await play_out(lobby, 1)).phase == "done"
                    row = store.trials("chat")[-1]
                    assert sorted(m.agent for m in row.trial.cast) == ["human", "scripted"]
                    assert row.status == "played"

        run(play)


def test_at_a_dnd_table_a_person_talks_aside_and_answers_the_question_at_the_end(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    lay_out(
        path, world="anteval-information", limit=1, settings={"turns": "8", "controls": "false"}
    )

    async def play() -> None:
        async with opened(path) as (lobby, store):
            lobby.begin(1)
            screen = await until(lobby, 1, asked)
            assert screen.asking is not None
            assert screen.asking.act is not None
            other = screen.asking.act.others[0]
            both = (SentAction(kind="speak", text="What do you know?", to=(other,)),
                    SentAction(kind="act", text="sits down"))  # fmt: skip
            await lobby.act(1, said(screen, actions=both))
            while True:
                screen = await until(lobby, 1, lambda one: asked(one) or one.phase == "done")
                assert screen.asking is not None
                if screen.asking.question is not None:
                    break
                await lobby.act(1, said(screen, kind="pass"))
            with pytest.raises(NotTaken, match="facts"):
                await lobby.act(1, said(screen, actions=(), answer={"facts": "none"}))
            await lobby.act(1, said(screen, actions=(), answer={"facts": ["The well is deep."]}))
            await until(lobby, 1, lambda one: one.phase == "done")
            (given,) = store.studies.assignments("chat")
            events = store.episode("chat", given.item).events
            first = next(e for e in events if isinstance(e, Moved) and e.seat == given.seat)
            assert len(first.actions) == 2
            assert len(first.actions[0].to) == 1
            assert {"facts": ["The well is deep."]} in [getattr(e, "value", None) for e in events]

    run(play)


def test_an_answer_that_must_wait_for_others_is_on_disk_and_used_after_a_restart(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    lay_out(path, participants=2, people=2, world="anteval-information", limit=1,
            settings={"turns": "4", "controls": "true"})  # fmt: skip

    async def answered() -> None:
        async with opened(path) as (lobby, store):
            lobby.begin(1)
            lobby.begin(2)
            screen = await until(lobby, 1, asked)
            await until(lobby, 2, asked)
            await lobby.act(1, said(screen, actions=(), answer={"facts": ["I knew it."]}))
            assert store.events("chat", said(screen).trial) == ()
            assert [one.item for one in store.studies.answers("chat")] == [said(screen).trial]

    async def gone_on() -> None:
        async with opened(path) as (lobby, store):
            screen = await until(lobby, 2, asked)
            await lobby.act(2, said(screen, actions=(), answer={"facts": []}))
            await until(lobby, 1, lambda one: one.asking is not None and one.asking.act)
            first = store.events("chat", said(screen).trial)[0]
            assert getattr(first, "value", None) == {"facts": ["I knew it."]}

    run(answered)
    run(gone_on)


def test_the_run_of_an_open_study_is_held_and_let_go_when_the_study_is_closed(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1)

    async def play() -> None:
        with Store.open(path) as store:
            async with LiveStudies(store) as floor:
                lobby = await floor.lobby(store.studies.get("chat"))
                lobby.begin(1)
                await until(lobby, 1, asked)
                with pytest.raises(StoreError, match="in use"), lock_run(path, "chat"):
                    pass
                store.studies.change("chat", open=False)
                await floor.shut_if_closed("chat")
                with lock_run(path, "chat"), pytest.raises(NotPlayable):
                    await floor.lobby(store.studies.get("chat"))
                assert store.trials("chat")[0].status == "playing"
                again = await floor.lobby(store.studies.get("chat"))
                assert asked(await until(again, 1, asked))

    run(play)


def test_a_partner_that_fails_ends_the_episode_and_the_person_is_told(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1, partners=["python:faulty_partners:Faulty"])

    async def play() -> None:
        async with opened(path) as (lobby, store):
            lobby.begin(1)
            screen = await play_out(lobby, 1)
            assert screen.last is not None
            assert "technical reason" in screen.last.why
            assert "ZeroDivisionError" not in screen.last.why
            row = next(row for row in store.trials("chat") if row.status == "failed")
            assert "ZeroDivisionError" in row.problem

    run(play)


def test_a_turn_that_the_store_refused_is_no_failed_episode_and_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1)
    write = PlayRecords.write
    refused: list[Event] = []

    def once_refused(records: PlayRecords, trial: str, event: Event) -> None:
        if isinstance(event, Moved) and not refused:
            refused.append(event)
            raise StoreError("the disk is full")
        write(records, trial, event)

    monkeypatch.setattr(PlayRecords, "write", once_refused)

    async def play() -> None:
        with Store.open(path) as store:
            async with LiveStudies(store) as floor:
                lobby = await floor.lobby(store.studies.get("chat"))
                lobby.begin(1)
                screen = await until(lobby, 1, asked)
                with pytest.raises(CutOff):
                    await lobby.act(1, said(screen, "Once more."))
                with lobby.listening(1) as changed:
                    await changed.wait()
                assert lobby.closed
                again = await floor.lobby(store.studies.get("chat"))
                with pytest.raises(CutOff):  # so that a page goes on sending
                    await again.act(1, said(screen, "Once more."))
                screen = await until(again, 1, asked)
                assert store.trials("chat")[0].status == "playing"
                await again.act(1, said(screen, "Once more."))

    run(play)


def test_nobody_can_tell_that_a_partner_was_asked_again(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1, partners=["python:faulty_partners:Clumsy"])

    async def play() -> None:
        async with opened(path) as (lobby, store):
            seen: list[dict[str, Any]] = []
            with lobby.listening(1) as changed:
                lobby.begin(1)
                while len(seen) < 2 or seen[-1]["phase"] == "playing":
                    await changed.wait()
                    changed.clear()
                    screen = lobby.screen(1)
                    seen.append(screen.model_dump(exclude={"asking": {"seconds_left"}}))
                    if asked(screen):
                        await lobby.act(1, said(screen, "Well?"))
                        changed.clear()
            events = [e for row in store.trials("chat") for e in store.events("chat", row.trial.id)]
            assert any(isinstance(event, Unusable) and not event.final for event in events)
            assert all(one != other for one, other in pairwise(seen)), "told of what nobody sees"

    run(play)


def test_who_played_with_somebody_who_is_forgotten_sees_nothing_of_it_or_of_who_plays_it_next(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    lay_out(path, participants=4, people=2, limit=1)

    async def played(one: int, two: int) -> None:
        async with opened(path) as (lobby, _):
            lobby.begin(one)
            lobby.begin(two)
            await asyncio.gather(play_out(lobby, one), play_out(lobby, two))

    async def looked_at() -> None:
        async with opened(path) as (lobby, _):
            last = lobby.screen(2).last
            assert last is not None
            assert "was deleted" in last.why
            assert last.history == ()

    run(lambda: played(1, 2))
    with Store.open(path) as store:
        forget(store, "chat", "p1")
    run(looked_at)
    run(lambda: played(3, 4))
    run(looked_at)


def test_whoever_the_partner_is_people_wait_before_it_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pace, "ARRIVING", (0.01, 0.02))
    monkeypatch.setattr(pace, "THINKING", (0.0, 0.01))
    path = tmp_path / "store.db"
    lay_out(path, limit=1, words_a_minute=1000)

    async def play() -> None:
        async with opened(path) as (lobby, _):
            lobby.begin(1)
            alone = lobby.screen(1)
            assert alone.phase == "waiting"
            await until(lobby, 1, asked)
        lay_out(tmp_path / "pair.db", people=2, limit=1, words_a_minute=1000)
        async with opened(tmp_path / "pair.db") as (lobby, _):
            lobby.begin(1)
            paired = lobby.screen(1)
            unlike = {"waited": None}
            assert paired.model_copy(update=unlike) == alone.model_copy(update=unlike)

    run(play)
