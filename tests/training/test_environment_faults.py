"""What breaks in an environment costs what it must, and no more."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest

from sociolab import Environment, EnvironmentConfig
from sociolab.app import LoopThread
from sociolab.core import ConfigError, ModelError
from sociolab.training import Observed

SHORT = EnvironmentConfig(settings={"turns": "4", "closing_question": "false"})
HELLO = json.dumps({"action": "speak", "text": "Hello."})


def short(**more: object) -> Environment:
    given: dict[str, object] = {"tasks": "bargain", "seed": 1, "config": SHORT, **more}
    return Environment("sotopia", **given)  # type: ignore[arg-type]


async def greet(observed: Observed) -> str:
    return HELLO


def test_a_step_or_reset_while_one_is_under_way_is_refused() -> None:
    async def twice() -> list[object]:
        async with short() as env:
            await env.reset()
            steps = await asyncio.gather(env.step(HELLO), env.step(HELLO), return_exceptions=True)
            mixed = await asyncio.gather(env.step(HELLO), env.reset(), return_exceptions=True)
            return [*steps, *mixed, (await env.reset()).turn]

    first, second, last, reset, begun = asyncio.run(asyncio.wait_for(twice(), 30))
    assert not isinstance(first, BaseException)
    assert not isinstance(last, BaseException)
    for refused in (second, reset):
        assert isinstance(refused, ConfigError)
        assert str(refused).startswith("a step is under way: an environment plays one episode")
    assert begun == 1


def test_a_step_that_was_cut_off_is_not_replied_to_twice() -> None:
    async def cut_off() -> None:
        async with short() as env:
            await env.reset()
            first = asyncio.ensure_future(env.step(HELLO))
            await asyncio.sleep(0)
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)
            with pytest.raises(ConfigError, match="already replied to, by a step that was int"):
                await env.step(HELLO)
            assert (await env.reset()).turn == 1

    asyncio.run(asyncio.wait_for(cut_off(), 30))


def _breaks_at(number: int, error: Exception) -> Any:
    calls = 0

    async def policy(observed: Observed) -> str:
        nonlocal calls
        calls += 1
        if calls == number:
            raise error
        return HELLO

    return policy


def test_what_a_policy_raises_marks_its_episode_and_the_others_go_on() -> None:
    with short() as env:
        played = env.rollouts_sync(_breaks_at(4, ZeroDivisionError("my bug")), 3, in_flight=1)
    assert [bool(one.rewards) for one in played] == [True, False, True]
    broken = played[1]
    assert broken.error.startswith("the policy broke: ZeroDivisionError: my bug (")
    assert "test_environment_faults.py" in broken.error
    assert (broken.episode, len(broken.turns)) == (None, 1)


def test_who_wants_it_has_it_raised_and_nothing_goes_on() -> None:
    with short() as env:
        with pytest.raises(ZeroDivisionError, match="my bug"):
            env.rollouts_sync(_breaks_at(2, ZeroDivisionError("my bug")), 3, on_error="raise")
        with pytest.raises(ConfigError, match='expected "mark" or "raise"'):
            env.rollouts_sync(greet, 1, on_error="ignore")  # type: ignore[arg-type]
        assert env.rollouts_sync(greet, 1)[0].rewards


def test_what_every_episode_would_meet_is_raised_anyway() -> None:
    spent = ModelError("no money left", cause="budget", fatal=True)
    with short() as env, pytest.raises(ModelError, match="no money left"):
        env.rollouts_sync(_breaks_at(1, spent), 2)


def test_a_policy_that_is_not_async_is_told() -> None:
    def plain(observed: Observed) -> str:
        return HELLO

    with short() as env, pytest.raises(ConfigError, match='expected an async policy, "async def'):
        env.rollouts_sync(plain, 2)  # type: ignore[arg-type]


def test_a_reply_as_a_dict_is_told_how_to_be_text() -> None:
    async def replies(observed: Observed) -> Any:
        return {"action": "leave"}

    with short() as env:
        (marked,) = env.rollouts_sync(replies, 1)
    assert "found {'action': 'leave'} (as text it is json.dumps of that)" in marked.error


def test_a_judge_that_breaks_costs_its_own_scores_and_no_others() -> None:
    judges = ("python:training_cases:Broken", "python:training_cases:ByHand")
    with short(judges=judges) as env:
        (rollout,) = env.rollouts_sync(greet, 1)
        assert set(rollout.rewards) == {"reported", "by-hand"}
        assert rollout.error == ""
        (failure,) = rollout.failures
        assert failure.startswith("any score (the judge broke before it named one) by broken: plug")
        env.reset_sync()
        env.step_sync(HELLO)
        step = env.step_sync(HELLO)
        assert (step.rewards, step.failures) != ({}, ())
        assert set(step.rewards) == {"reported", "by-hand"}


def test_a_judge_that_breaks_later_fails_in_what_it_gave_before() -> None:
    with short(judges=("python:training_cases:BrokenLater",)) as env:
        good, bad = env.rollouts_sync(greet, 2, in_flight=1)
    assert good.rewards["broken-later"] == {"goal": 5.0}
    assert bad.rewards["broken-later"] == {"goal": None}
    assert bad.reward_status["broken-later"] == {"goal": "failed"}
    assert [one.split(": ")[0] for one in bad.failures] == ["goal by broken-later"]


def test_one_judge_may_be_named_without_a_tuple() -> None:
    with short(judges="python:training_cases:ByHand") as env:
        assert "by-hand" in env.rollouts_sync(greet, 1)[0].rewards


LEFT_OPEN = """
import asyncio, gc, sys
from sociolab import Environment

def begun():
    return Environment(tasks="bargain")

async def awaited():
    for _ in range(2):
        env = begun()
        await env.reset()
        del env
        gc.collect()
        await asyncio.sleep(0)

asyncio.run(awaited())
env = begun()
env.reset_sync()
dropped = begun()
dropped.reset_sync()
del dropped
gc.collect()
"""


def test_an_environment_that_nobody_closed_leaves_no_noise() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "default", "-c", LEFT_OPEN],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_what_is_under_way_in_a_loop_elsewhere_ends_with_it() -> None:
    ended: list[str] = []
    under_way: list[asyncio.Task[None]] = []

    async def forever() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("ended")

    async def begin() -> None:
        under_way.append(asyncio.ensure_future(forever()))
        await asyncio.sleep(0)

    elsewhere = LoopThread()
    elsewhere.run(begin())
    elsewhere.close()
    assert ended == ["ended"]
    assert under_way[0].cancelled()
