"""An arena in the forms of PettingZoo and Gymnasium, by their own tests.

Skipped where PettingZoo is not installed: `make test EXTRAS=pettingzoo`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sociolab import Arena, ArenaConfig
from sociolab.core import ConfigError, Episode, JudgeId, Measure, Score, Verdict

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: EXTRAS=pettingzoo")

from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.utils import turn_based_aec_to_parallel

from sociolab.training.pettingzoo import ArenaAec, ArenaGym

# They warn of spaces that are neither boxes nor discrete, and of observations that are dicts.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


class Words:
    """Scores each seat by the words that it said."""

    id = JudgeId("words", "rules")

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        said = dict.fromkeys(episode.trial.task.seats, 0)
        for move in episode.moves:
            said[move.seat] += sum(len(action.text.split()) for action in move.actions)
        return tuple(Score(Measure("words", 0, 1e6), seat, count) for seat, count in said.items())


@pytest.fixture
def arena() -> Iterator[Arena]:
    config = ArenaConfig(settings={"turns": "6"})
    judge = "python:test_pettingzoo:Words"
    with Arena("sotopia", tasks="bargain", judge=judge, seed=1, config=config) as opened:
        yield opened


@pytest.fixture
def haggling() -> Iterator[Arena]:
    config = ArenaConfig(settings={"closing_question": "false"})
    with Arena("sotopia", tasks="bargain", partner="haggler:2", config=config) as opened:
        yield opened


def test_all_seats_pass_the_test_of_the_turn_based_form(arena: Arena) -> None:
    api_test(ArenaAec(arena), num_cycles=60)


def test_one_seat_passes_it_beside_a_partner(haggling: Arena) -> None:
    api_test(ArenaAec(haggling, seats=0), num_cycles=60)


@pytest.mark.parametrize("seats", ["all", 1])
def test_the_same_seed_is_the_same_episode(arena: Arena, seats: Any) -> None:
    seed_test(lambda: ArenaAec(arena, seats=seats), num_cycles=30)


def test_wrapped_it_passes_the_test_of_the_parallel_form(arena: Arena) -> None:
    parallel_api_test(turn_based_aec_to_parallel(ArenaAec(arena)), num_cycles=60)


def test_one_seat_passes_the_test_of_gymnasium(haggling: Arena) -> None:
    check_env(ArenaGym(haggling), skip_render_check=True)


def test_what_an_agent_earns_by_turn_adds_up_to_its_reward(haggling: Arena) -> None:
    env = ArenaAec(haggling, seats=1)
    env.reset(seed=3)
    earned = 0.0
    for _ in env.agent_iter():
        _, reward, terminated, truncated, info = env.last()
        earned += reward
        over = terminated or truncated
        env.step(None if over else json.dumps({"action": "speak", "text": "Deal."}))
    assert env.agents == []
    assert info["status"] == "score"
    session = haggling.begin(haggling.tasks()[3], seats=1, repeat=0, seed=3)
    while not session.done:
        session.step({"action": "speak", "text": "Deal."})
    assert earned == session.rewards[session.seats[0]].value


def test_an_unknown_reward_is_not_a_number() -> None:
    config = ArenaConfig(settings={"turns": "2"}, attempts=1)
    with Arena("sotopia", tasks="bargain", config=config) as arena:
        env = ArenaAec(arena)
        env.reset()
        rewards = []
        while env.agents:
            _, reward, terminated, truncated, _ = env.last()
            rewards.append(reward)
            env.step(None if terminated or truncated else "hm")
    assert [math.isnan(reward) for reward in rewards] == [False] * 4 + [True] * 2


def test_the_lines_of_the_document_do_as_is_said() -> None:
    page = (Path(__file__).parents[2] / "docs" / "training.md").read_text("utf-8")
    (lines,) = re.findall(r"```python\n(.*?training\.pettingzoo.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {}
    exec(lines.rpartition("```python\n")[2], names)
    with names["arena"]:
        names["env"].reset()
        assert names["env"].agents == ["seat_0", "seat_1"]
        observation, info = names["one"].reset()
        assert observation["observation"].tolist() == [1, 1]
        assert [message["role"] for message in info["messages"]] == ["system", "user"]


def test_seats_that_are_not_the_same_in_all_tasks_are_refused() -> None:
    with Arena("stss") as town, pytest.raises(ConfigError, match="expected the same seats in all"):
        ArenaAec(town)
