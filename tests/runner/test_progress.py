"""Who is waited for is told while a run is played: agents of one's own, judges, and calls."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest
from pydantic import BaseModel

from sociolab.cli.progress import line, remarks, watch
from sociolab.core import (
    CallKey,
    ChatReply,
    Json,
    Message,
    ModelError,
    NoReply,
    Play,
    Prompt,
    Question,
    Reply,
    Request,
    Task,
)
from sociolab.engine import FailurePolicy, Poll, play
from sociolab.models import Budget, CachedModel
from sociolab.runner import TalliedReplies, Tally, TurnProgress, Waits, progress
from sociolab.store import RunReplies, Store
from tiny_runs import RUN, Scene, Speaker, World, play_run, table

Later = Callable[[float], None]


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Later:
    """Lets seconds pass on the clock of the waits."""
    at = [1000.0]
    monkeypatch.setattr(progress, "now", lambda: at[0])

    def pass_(seconds: float) -> None:
        at[0] += seconds

    return pass_


def test_nobody_is_named_before_half_a_minute_is_over(later: Later) -> None:
    seen = Waits()
    with seen.until_answered("python:bad:Hang", "sotopia-012, turn 3"):
        later(30)
        assert seen.clauses() == ()
        later(15)
        assert seen.clauses() == ("waiting 45 s for python:bad:Hang in sotopia-012, turn 3",)
    assert seen.clauses() == ()


def test_of_several_the_one_who_is_waited_for_longest_is_named(later: Later) -> None:
    seen = Waits()
    with seen.until_answered("a", "one, turn 1"):
        later(10)
        with seen.until_answered("b", "two, turn 1"), seen.until_answered("c", "two, turn 2"):
            later(35)
            assert seen.clauses() == ("waiting 45 s for a in one, turn 1 and for 2 more",)


class Model:
    """A model that answers when it is let, or fails."""

    label = "local/slow"

    def __init__(self) -> None:
        self.let = asyncio.Event()

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        await self.let.wait()
        if key.turn == 1:
            raise ModelError("broken", cause="connection")
        return ChatReply("hello")


def key(turn: int) -> CallKey:
    return CallKey("t0", "agent", "x", turn, "act", 1)


def test_calls_are_counted_until_they_come_back_fail_or_are_given_up(
    store: Store, later: Later
) -> None:
    tally = Tally()
    replies = TalliedReplies(tally)
    replies.keep_in(RunReplies(store, RUN))
    prompt = Prompt((Message("user", "hello"),))

    async def go() -> None:
        model = Model()
        kept = CachedModel(model, "http://here", replies, Budget())
        tasks = [asyncio.create_task(kept.complete(prompt, key(turn))) for turn in range(3)]
        await asyncio.sleep(0)
        later(20)
        tasks.append(asyncio.create_task(kept.complete(prompt, key(3))))
        await asyncio.sleep(0)
        later(25)
        assert tally.waits.clauses() == ("3 calls waiting, the longest for 45 s",)
        assert line(tally).endswith("; 3 calls waiting, the longest for 45 s")
        tasks[2].cancel()
        await asyncio.sleep(0)
        assert tally.waits.clauses() == ("2 calls waiting, the longest for 45 s",)
        model.let.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        later(60)
        assert tally.waits.clauses() == ()
        assert (await kept.complete(prompt, key(4))).text == "hello"
        with pytest.raises(ModelError):
            await kept.complete(prompt, key(1))
        assert (await kept.complete(prompt, key(0))).text == "hello"  # from the store: no call
        later(60)
        assert tally.waits.clauses() == ()

    asyncio.run(go())


def test_who_held_up_others_and_what_was_played_anew_is_said_once_at_the_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tally = Tally(total=1, done=1, anew=3)
    for seconds in (0.2, 0.5):
        tally.waits.add_hold_up("python:bad:Slow", seconds)
    tally.waits.add_hold_up("python:mine:OnceAtTheStart", 3.0)
    with watch(lambda name: None)("r", tally):
        pass
    said = capsys.readouterr().err
    assert said.count("python:bad:Slow held up all other episodes 2 times, 0.7 s in all") == 1
    assert "OnceAtTheStart" not in said
    assert said.count("3 trials that had failed by a plugin's error were played anew") == 1
    assert remarks(Tally()) == ()


def test_turns_are_counted_of_those_that_are_expected() -> None:
    course = TurnProgress({"a": 20, "b": 20, "c": 20, "d": 20})
    tally = Tally(total=4, course=course)
    for one, turns in (("a", 4), ("b", 5), ("b", 3), ("a", 5)):
        course.advance(one, turns)
    assert line(tally).startswith("0/4 episodes, 10 of 80 turns")
    assert tally.share == 10 / 80
    assert tally.seconds_left is not None  # before any episode is over
    course.advance("a", 10)
    tally.finish("a")  # after 10 of at most 20 turns: the other three are taken to be alike
    assert (course.played, course.expected) == (15, 10 + 30)
    assert "1/4 episodes, 15 of 40 turns" in line(tally)
    for one in "bcd":
        course.advance(one, 25)  # never beyond the most
        tally.finish(one)
    assert (course.played, course.expected) == (70, 70)


class Left(BaseModel):
    """What a seat says of how it ended."""

    words: str


def test_answers_to_a_closing_question_are_no_turns(store: Store) -> None:
    class Asking(World):
        def play(self, task: Task, trial: str, seed: int) -> Play:
            closing = Question("closing", "What came of it?", Left, optional=True)
            scene = Scene(polls=(Poll(None, ("x", "y"), closing),))
            return play(scene, trial=trial, seed=seed, policy=FailurePolicy(attempts=2))

    class Player(Speaker):
        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            if request.name == "closing":
                return Reply(Left(words="nothing"))
            return await super().reply(request, memory)

    context = replace(table(store, Player()), world=Asking())
    context.tally.course = course = TurnProgress({f"t{n}": 6 for n in range(5)})  # left after 4
    assert play_run(context) is None
    assert (context.tally.answers, context.tally.turns, course.played) == (10, 20, 20)


def test_a_resumed_run_knows_what_it_has_played() -> None:
    course = TurnProgress({"a": 20, "b": 20})
    course.add_earlier("a", 20)
    course.end("a")
    course.add_earlier("b", 6)
    tally = Tally(total=2, done=1, done_before=1, course=course)
    assert line(tally) == "1/2 episodes, 26 of 40 turns"
    assert tally.seconds_left is None  # nothing was played in this part yet
    course.advance("b", 7)
    assert (course.played, course.fresh) == (27, 1)


def test_what_was_played_before_and_is_judged_now_counts_once() -> None:
    course = TurnProgress({"a": 60})
    course.add_earlier("a", 30)
    course.end("a")
    tally = Tally(total=1, course=course)
    tally.finish("a")
    assert line(tally) == "1/1 episodes, 30 of 30 turns"


def test_simulated_time_is_told_in_its_own_unit() -> None:
    course = TurnProgress({"t": 2 * 24 * 360}, "simulated hours", 360)
    course.advance("t", 6 * 360)
    assert line(Tally(total=1, course=course)).startswith("0/1 episodes, 6 of 48 simulated hours")
