from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from sociolab.core import (
    BudgetSpent,
    Episode,
    Json,
    ModelError,
    NoReply,
    Play,
    Reply,
    Request,
    StoreError,
    Task,
)
from sociolab.runner import play_all
from sociolab.store import Store
from tiny_runs import RUN, CountingJudge, Speaker, World, play_run, statuses, table, trial


def test_every_trial_is_played_and_judged_once(store: Store) -> None:
    player, judge = Speaker(), CountingJudge()
    stopped = play_run(table(store, player, judge))
    assert stopped is None
    assert statuses(store) == ["played"] * 5
    assert sorted(judge.judged) == [f"t{n}" for n in range(5)]
    assert len(player.asked) == 5 * 4


def test_a_trial_that_fails_is_on_record_and_the_others_go_on(store: Store) -> None:
    def before(request: Request) -> None:
        if request.trial == "t2" and request.turn == 1:
            raise ModelError("no reply", cause="timeout", retryable=True)
        if request.trial == "t3":
            raise KeyError("a bug of this agent")

    made = table(store, Speaker(before))
    assert play_run(made) is None
    rows = {row.trial.id: row for row in store.trials(RUN)}
    assert (rows["t2"].status, rows["t2"].cause) == ("failed", "timeout")
    assert (rows["t3"].status, rows["t3"].cause) == ("failed", "plugin")
    assert "KeyError" in rows["t3"].problem
    assert [rows[f"t{n}"].status for n in (0, 1, 4)] == ["played"] * 3
    assert made.tally.failed == 2


def test_a_world_that_breaks_is_named_with_the_line(store: Store) -> None:
    class Broken(World):
        def play(self, task: Task, trial: str, seed: int) -> Play:
            if trial == "t1":
                raise KeyError("no such place")
            return super().play(task, trial, seed)

    play_run(replace(table(store, Speaker()), world=Broken()))
    assert statuses(store) == ["played", "failed", "played", "played", "played"]
    problem = store.trials(RUN)[1].problem
    assert problem.startswith("the world tiny: KeyError: 'no such place' (")
    assert "test_local.py" in problem


def test_a_failed_trial_goes_on_where_it_failed_when_the_run_is_resumed(store: Store) -> None:
    def before(request: Request) -> None:
        if request.turn == 2:
            raise ModelError("no reply", cause="timeout", retryable=True)

    play_run(table(store, Speaker(before)))
    again = Speaker()
    play_run(table(store, again))
    assert statuses(store) == ["played"] * 5
    assert sorted(again.asked) == [(f"t{n}", turn) for n in range(5) for turn in (2, 3)]
    for n in range(5):
        said = [
            move.actions[0].text for move in Episode(trial(n), store.events(RUN, f"t{n}")).moves
        ]
        assert said == ["x0", "y1", "x2", "y3"]


@pytest.mark.parametrize(
    "error",
    [BudgetSpent("spent"), ModelError("no key", cause="credentials", fatal=True)],
)
def test_an_error_that_every_call_would_meet_stops_the_run(store: Store, error: ModelError) -> None:
    def before(request: Request) -> None:
        if request.trial == "t1" and request.turn == 2:
            raise error

    stopped = play_run(table(store, Speaker(before)), episodes=1)
    assert stopped is error
    assert statuses(store) == ["played", "playing", "planned", "planned", "planned"]
    play_run(table(store, Speaker()))
    assert statuses(store) == ["played"] * 5


def test_a_store_that_cannot_keep_scores_stops_the_run_and_fails_no_trial(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise StoreError("the store is not ours any more")

    monkeypatch.setattr(store.verdicts, "add", refuse)
    with pytest.raises(StoreError, match="not ours any more"):
        play_run(table(store, Speaker(), CountingJudge()), episodes=1)
    assert statuses(store) == ["played", *["planned"] * 4]


def test_an_interrupted_run_keeps_its_turns_and_goes_on(store: Store) -> None:
    waiting = asyncio.Event

    class Slow(Speaker):
        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            if request.turn == 3:
                await waiting().wait()
            return await super().reply(request, memory)

    async def interrupted() -> None:
        task = asyncio.create_task(play_all(table(store, Slow()), store.trials(RUN), 5))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(interrupted())
    assert statuses(store) == ["playing"] * 5
    again = Speaker()
    play_run(table(store, again))
    assert sorted(again.asked) == [(f"t{n}", 3) for n in range(5)]


def test_a_played_trial_that_was_not_judged_is_judged_and_not_played_again(store: Store) -> None:
    play_run(table(store, Speaker()))
    player, judge = Speaker(), CountingJudge()
    asyncio.run(play_all(table(store, player, judge), store.trials(RUN), 2))
    assert player.asked == []
    assert len(judge.judged) == 5
    once_more = CountingJudge()
    asyncio.run(play_all(table(store, player, once_more), store.trials(RUN), 2))
    assert once_more.judged == []


def test_at_most_so_many_episodes_are_under_way(store: Store) -> None:
    under_way: set[str] = set()
    most = 0

    def before(request: Request) -> None:
        nonlocal most
        under_way.add(request.trial)
        most = max(most, len(under_way))
        if request.turn == 3:
            under_way.discard(request.trial)

    play_run(table(store, Speaker(before)), episodes=2)
    assert most == 2
