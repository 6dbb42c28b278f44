"""The form that people get when a conversation is over: nothing hangs on it, and nobody waits."""

from __future__ import annotations

import asyncio
import csv
from pathlib import Path
from typing import Any

import pytest

from faulty_partners import Pensive, Rambling
from lobby_plays import asked, opened, play_out, run, said, time_is_up, until
from play_clients import lay_out
from sociolab.core import Answered, Ended, Event, JudgeId, Measure, Score, StoreError, Unusable
from sociolab.store import Store, TrialRow
from sociolab.studies import (
    CutOff,
    LiveStudies,
    Lobby,
    NotTaken,
    PlayRecords,
    Screen,
    Sent,
    Stale,
    export_study,
)

BARGAIN: dict[str, Any] = {"tasks": "scenario=bargain-01-touring-bicycle", "limit": 1}
AGREED = {"outcome": "agreed", "price": 280, "in_words": "", "offer": "", "acceptance": ""}
NOTHING = AGREED | {"outcome": "nothing", "price": None}


def pair(path: Path, participants: int = 2, **plan: Any) -> None:
    """A study in which two people bargain for two turns."""
    lay_out(path, participants=participants, people=2, **BARGAIN | {"settings": {"turns": "2"}}
            | plan)  # fmt: skip


def over(screen: Screen) -> bool:
    """Whether the form is there."""
    return screen.asking is not None and bool(screen.asking.over)


async def to_the_form(lobby: Lobby, *people: int, text: str = "$280 then?") -> list[Screen]:
    """These people play until each has the form in front of them."""

    async def talk(person: int) -> Screen:
        while not over(screen := await until(lobby, person, asked)):
            await lobby.act(person, said(screen, text))
        return screen

    for person in people:
        lobby.begin(person)
    return list(await asyncio.gather(*map(talk, people)))


def answer(screen: Screen, value: dict[str, Any] | None = None) -> Sent:
    """The form, filled in; or skipped."""
    return said(screen, actions=(), **({"answer": value} if value else {"skipped": True}))


def last_words(store: Store, trial: str) -> list[tuple[str, Any]]:
    """What came of the question at each seat: the answer, or why there is none."""
    return [
        (e.seat, e.value if isinstance(e, Answered) else (e.cause, e.problem))
        for e in store.events("chat", trial)
        if isinstance(e, Answered) or (isinstance(e, Unusable) and e.final)
    ]


def begun(store: Store) -> TrialRow:
    """The trial that was begun first."""
    first = store.studies.assignments("chat")[0].item
    return next(row for row in store.trials("chat") if row.trial.id == first)


async def judged(store: Store) -> None:
    """Wait until the first episode is judged, which happens in the background."""
    found = None
    while found is None:
        await asyncio.sleep(0)
        found = store.row("SELECT 1 FROM judgings")


def states(store: Store) -> dict[int, str]:
    return {one.participant: one.state for one in store.studies.assignments("chat")}


def test_whoever_has_answered_goes_on_at_once_and_the_play_is_whole_when_all_have(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    pair(path)

    async def play() -> None:
        async with opened(path) as (lobby, store):
            mine, other = await to_the_form(lobby, 1, 2)
            assert mine.asking is not None
            assert mine.asking.over == "All turns have been used."
            await lobby.act(1, answer(mine, AGREED))
            done = lobby.screen(1)
            assert (done.phase, done.asking) == ("done", None)
            assert done.last is not None
            assert len(done.last.history) == 2
            assert states(store) == {1: "done", 2: "open"}
            row = begun(store)
            assert row.status == "playing"
            assert lobby.screen(2).asking is not None
            with pytest.raises(Stale, match="is over"):
                await lobby.act(1, answer(mine, NOTHING))
            await lobby.act(2, answer(other, AGREED))
            assert lobby.screen(2).phase == "done"
            assert [value for _, value in last_words(store, row.trial.id)] == [AGREED] * 2
            row = begun(store)
            assert row.status == "played"
            assert states(store) == {1: "done", 2: "done"}
            await judged(store)

    run(play)


def test_what_each_participant_reports_is_exported_with_its_lines_and_confirms_the_other(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    pair(path)

    async def play() -> None:
        async with opened(path) as (lobby, store):
            mine, other = await to_the_form(lobby, 1, 2)
            lines = {"offer": "$280 then?", "acceptance": "$280 then?"}
            await lobby.act(1, answer(mine, AGREED | lines))
            await lobby.act(2, answer(other, AGREED))
            await judged(store)

    run(play)
    with Store.open(path) as store:
        export_study(store, "chat", tmp_path / "out")
        trial, names = begun(store).trial, {p.pk: p.id for p in store.studies.participants("chat")}
        seats = {a.seat: names[a.participant] for a in store.studies.assignments("chat")}
    with (tmp_path / "out/outcomes.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["participant"]: row for row in csv.DictReader(file)}
    mine, other = rows[names[1]], rows[names[2]]
    assert {row["seat"]: who for who, row in rows.items()} == seats
    for row in (mine, other):
        assert (row["item"], row["agent"], row["judge"]) == (trial.id, "human", "reported")
        assert (row["reported"], row["reported_terms"]) == ("agreed", "280")
        assert (row["established"], row["terms"]) == ("yes", "280")
        assert row["why"].endswith(
            "(reported: all seats say $280, none having seen another's answer)"
        )
    assert (mine["offer"], mine["acceptance"]) == ("$280 then?", "$280 then?")
    assert (other["offer"], other["acceptance"]) == ("", "")


def test_terms_that_are_established_are_exported(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    pair(path)

    async def play() -> None:
        async with opened(path) as (lobby, store):
            for screen, person in zip(await to_the_form(lobby, 1, 2), (1, 2), strict=True):
                await lobby.act(person, answer(screen, NOTHING))
            await judged(store)
            trial = begun(store).trial
            judge = JudgeId("openai/m", "model", "x", "reader")
            goal, outcome = Measure("goal_checked", 0, 10), {"agreed": True, "terms": 280.0}
            scores = [Score(goal, seat, 6, "read so", outcome=outcome) for seat in trial.task.seats]
            store.verdicts.add("chat", judge, scores, trial=trial.id)

    run(play)
    with Store.open(path) as store:
        export_study(store, "chat", tmp_path / "out")
    with (tmp_path / "out/outcomes.csv").open(encoding="utf-8", newline="") as file:
        rows = [
            (row["reported"], row["judge"], row["established"], row["terms"])
            for row in csv.DictReader(file)
        ]
    both = [("nothing", "reported", "yes", "nothing"), ("nothing", "reader:openai/m", "yes", "280")]
    assert sorted(rows) == sorted(both * 2)


def test_a_question_that_is_skipped_is_unanswered_at_once(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, **BARGAIN)

    async def play() -> None:
        async with opened(path) as (lobby, store):
            (screen,) = await to_the_form(lobby, 1)
            await lobby.act(1, answer(screen))
            assert lobby.screen(1).phase == "done"
            row = begun(store)
            assert row.status == "played"
            assert ("gave up", "the person skipped the question") in [
                value for _, value in last_words(store, row.trial.id)
            ]

    run(play)


def test_only_an_optional_question_can_be_skipped(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, world="anteval-information", limit=1, settings={"turns": "4"})

    async def play() -> None:
        async with opened(path) as (lobby, _):
            lobby.begin(1)
            screen = await until(lobby, 1, asked)
            assert screen.asking is not None
            assert screen.asking.question is not None
            assert not screen.asking.question.optional
            with pytest.raises(NotTaken, match="fill in its form"):
                await lobby.act(1, answer(screen))

    run(play)


@pytest.mark.parametrize("how", ["closed tab", "left the study"])
def test_who_never_answers_fails_nothing_and_is_no_drop_out(tmp_path: Path, how: str) -> None:
    path = tmp_path / "store.db"
    pair(path, missed=1)

    async def play() -> None:
        async with opened(path) as (lobby, store):
            mine, other = await to_the_form(lobby, 1, 2)
            await lobby.act(1, answer(mine, AGREED))
            assert other.asking is not None
            assert 200 < other.asking.seconds_left <= 300  # no turn: it has a time of its own
            if how == "closed tab":
                time_is_up(lobby, 2)
            else:
                lobby.leave(2)
            await until(lobby, 2, lambda one: one.phase == "done")
            (row,) = store.trials("chat")  # and none is laid out anew
            assert row.status == "played"
            assert isinstance(store.events("chat", row.trial.id)[-1], Ended)
            cause = "timeout" if how == "closed tab" else "gave up"
            assert cause in str(last_words(store, row.trial.id))
            assert states(store) == {1: "done", 2: "done"}

    run(play)


def test_who_left_the_scene_is_asked_like_the_other(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    pair(path, settings={"turns": "6"})

    async def play() -> None:
        async with opened(path) as (lobby, store):
            lobby.begin(1)
            lobby.begin(2)
            await lobby.act(1, said(await until(lobby, 1, asked), kind="leave"))
            mine, other = await until(lobby, 1, over), await until(lobby, 2, over)
            assert mine.asking is not None
            assert other.asking is not None
            assert (mine.asking.over, other.asking.over) == ("You left.", "Your partner left.")
            await lobby.act(1, answer(mine, NOTHING))
            await lobby.act(2, answer(other, NOTHING))
            row = begun(store)
            assert [value for _, value in last_words(store, row.trial.id)] == [NOTHING] * 2

    run(play)


@pytest.mark.parametrize("value", [AGREED, None])
def test_after_a_restart_only_who_has_said_nothing_is_asked_again(
    tmp_path: Path, value: dict[str, Any] | None
) -> None:
    path = tmp_path / "store.db"
    pair(path, participants=4, each=2, limit=2)
    screens: list[Screen] = []

    async def answered() -> None:
        async with opened(path) as (lobby, _):
            screens.extend(await to_the_form(lobby, 1, 2))
            await lobby.act(1, answer(screens[0], value))

    async def gone_on() -> None:
        async with opened(path) as (lobby, store):
            assert (lobby.screen(1).phase, lobby.screen(1).number) == ("ready", 2)
            with pytest.raises(Stale, match="is over"):  # the page had not heard that it arrived
                await lobby.act(1, answer(screens[0], value))
            again = await until(lobby, 2, over)
            await lobby.act(2, answer(again, NOTHING))
            row = begun(store)
            assert row.status == "played"
            first, second = (what for _, what in last_words(store, row.trial.id))
            assert first == (value or ("gave up", "the person skipped the question"))
            assert second == NOTHING

    async def asked_anew() -> None:
        async with opened(path) as (lobby, _):
            assert [over(await until(lobby, person, asked)) for person in (1, 2)] == [True, True]

    async def unanswered() -> None:
        async with opened(path) as (lobby, _):
            await to_the_form(lobby, 1, 2)

    run(answered)
    run(gone_on)
    path = tmp_path / "unanswered.db"
    pair(path)
    run(unanswered)
    run(asked_anew)


def test_who_let_the_time_pass_is_not_asked_again_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    Pensive.may = asyncio.Event()
    lay_out(path, partners=["python:faulty_partners:Pensive"], **BARGAIN)

    async def late() -> None:
        async with opened(path) as (lobby, _):
            await to_the_form(lobby, 1)
            time_is_up(lobby, 1)
            await until(lobby, 1, lambda one: one.phase == "done")

    async def gone_on() -> None:
        Pensive.may.set()
        async with opened(path) as (lobby, store):
            assert lobby.screen(1).phase == "done"
            await until(lobby, 1, lambda _: begun(store).status == "played")

    run(late)
    run(gone_on)


def test_who_has_gone_on_to_another_episode_stays_there_when_the_last_one_is_whole(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.db"
    pair(path, participants=3, each=2, tasks="scenario=bargain-01-touring-bicycle", limit=2)

    async def play() -> None:
        async with opened(path) as (lobby, store):
            mine, other = await to_the_form(lobby, 1, 2)
            await lobby.act(1, answer(mine, AGREED))
            lobby.begin(1)
            lobby.begin(3)
            assert mine.scene is not None
            assert lobby.screen(1).scene is not None
            await lobby.act(2, answer(other, AGREED))
            await until(lobby, 2, lambda one: one.phase != "playing")
            now = lobby.screen(1).scene
            assert now is not None
            assert now.trial != mine.scene.trial
            assert sorted(row.status for row in store.trials("chat")) == ["played", "playing"]

    run(play)


@pytest.mark.parametrize("partner", [Pensive, Rambling])
def test_a_partner_who_is_slow_to_answer_holds_nobody(
    tmp_path: Path, partner: type[Pensive | Rambling]
) -> None:
    path = tmp_path / "store.db"
    partner.may = asyncio.Event()
    lay_out(path, partners=[f"python:faulty_partners:{partner.__name__}"], **BARGAIN)

    async def play() -> None:
        async with opened(path) as (lobby, store):
            (screen,) = await to_the_form(lobby, 1)
            await lobby.act(1, answer(screen, AGREED))
            await until(lobby, 1, lambda one: one.phase == "done")
            assert states(store) == {1: "done"}
            assert begun(store).status == "playing"
            partner.may.set()
            await until(lobby, 1, lambda _: begun(store).status == "played")
            row = begun(store)
            assert AGREED in [value for _, value in last_words(store, row.trial.id)]

    run(play)


def test_a_partner_without_money_for_the_question_has_played_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, partners=["python:faulty_partners:Penniless"], **BARGAIN)

    async def play() -> None:
        async with opened(path) as (lobby, store):
            (screen,) = await to_the_form(lobby, 1)
            await lobby.act(1, answer(screen, AGREED))
            assert lobby.screen(1).phase == "done"
            row = begun(store)
            assert (row.status, row.cause) == ("played", None)
            assert ("budget", "the budget of $1.00 is used up") in [
                value for _, value in last_words(store, row.trial.id)
            ]

    run(play)


def test_an_answer_that_the_store_refused_is_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.db"
    pair(path)
    release = PlayRecords.release
    refused: list[int] = []

    def once_refused(records: PlayRecords, trial: str, person: int, sent: Sent | None) -> None:
        if not refused:
            refused.append(person)
            raise StoreError("the disk is full")
        release(records, trial, person, sent)

    monkeypatch.setattr(PlayRecords, "release", once_refused)

    async def play() -> None:
        with Store.open(path) as store:
            async with LiveStudies(store) as floor:
                lobby = await floor.lobby(store.studies.get("chat"))
                mine, _ = await to_the_form(lobby, 1, 2)
                with pytest.raises(CutOff):
                    await lobby.act(1, answer(mine, AGREED))
                with lobby.listening(1) as changed:
                    await changed.wait()
                again = await floor.lobby(store.studies.get("chat"))
                await again.act(1, answer(await until(again, 1, over), AGREED))
                assert again.screen(1).phase == "done"

    run(play)


def test_what_cannot_be_used_is_told_in_a_sentence_and_can_be_mended(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, **BARGAIN)

    async def play() -> None:
        async with opened(path) as (lobby, store):
            (screen,) = await to_the_form(lobby, 1)
            with pytest.raises(NotTaken, match=r'^"agreed" needs a value in price'):
                await lobby.act(1, answer(screen, AGREED | {"price": None}))
            with pytest.raises(NotTaken, match="price: expected at least"):
                await lobby.act(1, answer(screen, AGREED | {"price": -1}))
            await lobby.act(1, answer(screen, AGREED))
            events: tuple[Event, ...] = store.events("chat", begun(store).trial.id)
            assert [e.attempt for e in events if isinstance(e, Answered)] == [1]

    run(play)


def test_where_no_formula_needs_the_answer_nobody_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    lay_out(path, limit=1)

    async def play() -> None:
        async with opened(path) as (lobby, store):
            lobby.begin(1)
            assert (await play_out(lobby, 1)).phase == "done"
            assert last_words(store, begun(store).trial.id) == []

    run(play)
