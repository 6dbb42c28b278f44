"""Turns that nobody gave are counted alike in every world; what is a reward there is documented."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path

import pytest

from sociolab import Environment, EnvironmentConfig
from sociolab.endpoint import EndpointSettings, start_in_thread
from sociolab.runner import verdicts_of
from sociolab.training import Observed, Rollout

PAGE = (Path(__file__).parents[2] / "docs" / "training.md").read_text("utf-8")
ROWS = re.findall(r"(?m)^\| `([a-z-]+)` \| `([a-z:]+)`[^|]* \| (.*?) ?\| ?(.*?) ?\|$", PAGE)
WORLDS = ("sotopia", "anteval-information", "anteval-intention", "stss", "stss-talk")
Given = dict[str, tuple[set[str], set[str]]]


async def babble(observed: Observed) -> str:
    return "hm"


@pytest.fixture(scope="module")
def played() -> Mapping[str, tuple[Rollout, Given]]:
    """By world, an episode of a policy that babbles, and what each judge gives: seats, episode."""
    found = {}
    for world in WORLDS:
        tasks = "bargain" if world == "sotopia" else None
        with Environment(world, tasks=tasks, config=EnvironmentConfig(limit=1)) as env:
            (rollout,) = env.rollouts_sync(babble, 1)
            found[world] = (rollout, _given(env, rollout))
    return found


def _given(env: Environment, rollout: Rollout) -> Given:
    found: Given = {}
    assert rollout.episode is not None
    for judge in env._factory._panel._judges:  # what a judge cannot tell here is not in a Rollout
        verdicts = asyncio.run(verdicts_of(judge, rollout.episode))
        seats = {one.measure.name for one in verdicts if one.seat is not None}
        found[judge.id.name] = (seats, {one.measure.name for one in verdicts if one.seat is None})
    return found


@pytest.mark.parametrize("world", WORLDS)
def test_garbage_is_counted_alike_in_every_world(
    played: Mapping[str, tuple[Rollout, Given]], world: str
) -> None:
    rollout, _ = played[world]
    assert rollout.error == ""
    asked = [turn for turn in rollout.turns if not turn.observation.request.optional]
    assert rollout.unusable == len(asked) // 3, "each after three attempts"
    assert rollout.unusable > 0
    assert rollout.lost == 0
    (problem,) = rollout.problems
    assert problem.startswith(f"{rollout.seat} at turn ")
    assert problem.endswith('expected a JSON object, found the text "hm"')


def test_a_talk_that_the_policy_broke_off_says_so(
    played: Mapping[str, tuple[Rollout, Given]],
) -> None:
    rollout, _ = played["stss-talk"]
    assert (rollout.unusable, rollout.rewards) == (1, {})
    assert set(rollout.episode_scores["recorded"].values()) == {None}
    assert set(rollout.reward_status["recorded"].values()) == {"failed"}
    assert rollout.episode is not None
    assert rollout.episode.ended is not None
    assert rollout.episode.ended.reason == "silence"
    assert all("the conversation broke off" in failure for failure in rollout.failures)


@pytest.mark.parametrize("world", ["sotopia", "stss-talk"])
def test_what_the_partner_did_not_give_is_lost_and_not_the_policys(world: str) -> None:
    in_talk = world == "stss-talk"
    judges, settings = ("recorded", {}) if in_talk else ("heuristic", {"turns": "4"})

    async def speak(observed: Observed) -> str:
        return SAID if in_talk else '{"action": "speak", "text": "Hello."}'

    with start_in_thread(EndpointSettings(responder=lambda chat: "hm")) as endpoint:
        config = EnvironmentConfig(limit=1, settings=settings, base_url=endpoint.url)
        with Environment(world, partner="openai/p", judges=judges, config=config) as env:
            (rollout,) = env.rollouts_sync(speak, 1)
    assert (rollout.unusable, rollout.lost) == (0, 1 if in_talk else 2), rollout.problems
    (problem,) = rollout.problems
    assert 'found the text "hm"' in problem
    assert not problem.startswith(rollout.seat)


SAID = '{"text": "Good morning.", "ends": false}'


def test_a_step_counts_what_was_lost_so_far() -> None:
    config = EnvironmentConfig(settings={"turns": "4"}, attempts=1)
    with Environment("sotopia", tasks="bargain", config=config) as env:
        env.reset_sync()
        # The last one is about what was agreed: nothing hangs on it.
        assert [env.step_sync("hm").unusable for _ in range(3)] == [1, 2, 2]


def test_the_table_names_what_is_in_rewards_and_in_episode_scores(
    played: Mapping[str, tuple[Rollout, Given]],
) -> None:
    told: dict[str, dict[str, tuple[list[str], list[str]]]] = {}
    for world, judge, *columns in ROWS:
        seats, episode = (re.findall(r"`([^`]+)`", column) for column in columns)
        told.setdefault(world, {})[judge] = (seats, episode)
    assert set(told) == set(WORLDS)
    for world, (_, given) in played.items():
        assert set(told[world]) == set(given)
        for judge, columns in given.items():
            for documented, found in zip(told[world][judge], columns, strict=True):
                unmatched = [n for n in found if not any(fnmatch(n, d) for d in documented)]
                unseen = [d for d in documented if not any(fnmatch(n, d) for n in found)]
                assert (unmatched, unseen) == ([], []), (world, judge)


def test_the_lines_on_penalties_do_as_is_said(
    played: Mapping[str, tuple[Rollout, Given]],
) -> None:
    (lines,) = re.findall(r"```python\n(earned = .*?)```", PAGE, re.DOTALL)
    rewards = {}
    for world, (rollout, _) in played.items():
        names: dict[str, object] = {"played": rollout}
        exec(lines, names)
        rewards[world] = names["reward"]
    assert rewards["sotopia"] == -0.5 * played["sotopia"][0].unusable
    assert rewards["stss-talk"] == -0.5
