"""What breaks in an arena costs what it must, and no more."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys

import pytest

from sociolab import Arena, ArenaConfig
from sociolab.app import LoopThread
from sociolab.core import ConfigError, Json, ModelError, NoReply, Reply, Request, WorldError
from sociolab.training import Observed
from training_cases import play_out

SHORT = ArenaConfig(settings={"turns": "4", "closing_question": "false"})
HELLO = json.dumps({"action": "speak", "text": "Hello."})


def short(**more: object) -> Arena:
    given: dict[str, object] = {"tasks": "bargain", "seed": 1, "config": SHORT, **more}
    return Arena("sotopia", **given)  # type: ignore[arg-type]


def greet(observed: Observed) -> str:
    return HELLO


def test_a_step_while_one_is_under_way_finds_nothing_asked() -> None:
    async def twice() -> list[object]:
        async with short() as arena:
            session = await arena.begin_async()
            steps = [session.step_async(HELLO), session.step_async(HELLO)]
            results = await asyncio.gather(*steps, return_exceptions=True)
            await session.step_async(HELLO)
            return [*results, session.done]

    first, second, done = asyncio.run(asyncio.wait_for(twice(), 30))
    assert not isinstance(first, BaseException)
    assert isinstance(second, ConfigError)
    assert (
        str(second)
        == "expected a seat that is asked (none: another step is under way), found a reply"
    )
    assert done


def test_an_episode_that_is_broken_off_asks_nothing_and_has_no_rewards() -> None:
    with short() as arena:
        with arena.begin() as session:
            session.step(HELLO)
        assert (session.observation, session.rewards, session.done) == (None, {}, False)
        with pytest.raises(ConfigError, match="none: the episode is over"):
            session.step(HELLO)
        assert play_out(arena, greet)[0].done


class Silent:
    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        await asyncio.Event().wait()
        raise AssertionError


class Raising:
    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        raise KeyError("price")


def test_a_partner_of_one_s_own_is_bounded_as_in_a_run() -> None:
    """A late reply may be asked for again, the third in a row ends the episode; an error in its
    code names it, its seat and its turn."""
    config = SHORT.model_copy(update={"agent_timeout": 0.001})
    with (
        short(partner=Silent(), config=config) as arena,
        pytest.raises(ModelError, match=r"Silent gave no reply within 0\.001 s, 3 times in a row"),
    ):
        arena.begin(seats=1)
    with (
        short(partner=Raising()) as arena,
        pytest.raises(WorldError, match=r"Raising as .*, turn 1: KeyError"),
    ):
        arena.begin(seats=1)


def test_a_judge_that_breaks_costs_its_own_scores_and_no_others() -> None:
    with short(judge="python:training_cases:Broken", metric="goal_checked") as arena:
        (session,) = play_out(arena, greet)
    (seat,) = session.seats
    assert set(session.scores.scores[seat]) == {"reported"}
    assert session.rewards[seat].status == "cannot tell"
    (failure,) = session.scores.failures
    assert failure.startswith("any score (the judge broke before it named one) by broken: plug")


def test_no_other_metric_stands_in_for_that_of_a_judge_that_broke() -> None:
    with short(judge="python:training_cases:Broken") as arena:
        (session,) = play_out(arena, greet)
    assert [reward.status for reward in session.rewards.values()] == ["failed"]


def test_a_judge_that_breaks_later_fails_in_what_it_gave_before() -> None:
    with short(judge="python:training_cases:BrokenLater", metric="goal") as arena:
        good, bad = play_out(arena, greet, 2)
    assert [reward.value for reward in good.rewards.values()] == [5.0]
    (reward,) = bad.rewards.values()
    assert (reward.value, reward.status, reward.bounds) == (None, "failed", (0, 10))
    assert [one.split(": ")[0] for one in bad.scores.failures] == ["goal by broken-later"] * 2


def test_a_judge_that_fails_gives_no_reward_and_is_told() -> None:
    with short(judge="python:training_cases:ByHand", metric="goal") as arena:
        (session,) = play_out(arena, greet, seats=1)
    (reward,) = session.rewards.values()
    assert (reward.value, reward.status) == (None, "failed")
    assert session.scores.failures == ("goal by by-hand: unreadable: no number",)
    assert session.scores.scores[None]["by-hand"]["mood"].value == 0


def test_two_metrics_that_could_be_the_reward_have_to_be_chosen_from() -> None:
    with short(judge="python:training_cases:ByHand") as arena:
        (session,) = play_out(arena, greet)
    assert session.rewards[session.seats[0]].value == 5, "the goal, which is a main metric"
    with short(judge="python:training_cases:TwoMoods") as arena:
        choose = pytest.raises(ConfigError, match="metric: choose the reward, one of mood, spirits")
        with choose:
            play_out(arena, greet)
    with short(judge="python:training_cases:TwoMoods", metric="spirits") as arena:
        (session,) = play_out(arena, greet)
    assert session.rewards[session.seats[0]].value == 1


LEFT_OPEN = """
import asyncio, gc
from sociolab import Arena

async def awaited():
    for _ in range(2):
        arena = Arena(tasks="bargain")
        session = await arena.begin_async()
        del session
        gc.collect()
        await asyncio.sleep(0)

asyncio.run(awaited())
arena = Arena(tasks="bargain")
session = arena.begin()
dropped = Arena(tasks="bargain")
dropped.begin()
del dropped
gc.collect()
"""


def test_an_arena_that_nobody_closed_leaves_no_noise() -> None:
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
