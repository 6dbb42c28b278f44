"""What TRL's trainer is given: rows, a reward for a completion, and an environment of one tool."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator

import pytest

from sociolab import Arena, ArenaConfig
from sociolab.core import ConfigError, Json, NoReply, Request
from sociolab.training import Observed
from sociolab.training.trl import make_environment, make_reward_func, prompt_rows

BICYCLE = "bargain-01-touring-bicycle"
"""Its first seat sells it, worth nothing at $161 and 10 points at $276. haggler:1, who wants it for
$180, bids 144, 198 and then no more than 252."""


@pytest.fixture(scope="module")
def arena() -> Iterator[Arena]:
    config = ArenaConfig(settings={"closing_question": "false"})
    with Arena(
        "sotopia", tasks="bargain", partner="haggler:1", split_by="scenario:0.3", config=config
    ) as made:
        yield made


@pytest.fixture(scope="module")
def task(arena: Arena) -> str:
    names = [*arena.tasks(), *arena.tasks("test")]
    return next(name for name in names if name.startswith(BICYCLE))


def speak(text: str) -> str:
    return json.dumps({"action": "speak", "text": text})


def test_rows_are_the_first_prompts_of_a_split(arena: Arena) -> None:
    rows = prompt_rows(arena, "test")
    assert [row["task"] for row in rows] == list(arena.tasks("test"))
    for row in rows:
        with arena.begin(row["task"]) as session:
            assert session.observation is not None
            assert row["prompt"] == session.observation.prompt


def test_a_completion_earns_what_its_price_is_worth(arena: Arena, task: str) -> None:
    reward = make_reward_func(arena)
    completions = [speak("$200."), speak("$230."), speak("$400."), "no JSON"]
    earned = reward(prompts=[""] * 4, completions=completions, task=[task] * 4, other=[1] * 4)
    assert earned == pytest.approx([10 * 39 / 115, 10 * 69 / 115, 0, 0], abs=1e-6)


def test_a_completion_of_messages_is_read_as_its_last(arena: Arena, task: str) -> None:
    chat = [{"role": "assistant", "content": speak("$230.")}]
    assert make_reward_func(arena)([""], [chat], [task]) == pytest.approx([10 * 69 / 115])


def test_the_reply_can_be_made_from_the_completion_and_what_is_seen(
    arena: Arena, task: str
) -> None:
    def one_turn_late(completion: str, seen: Observed) -> dict[str, str]:
        return {"action": "speak", "text": completion if seen.turn > 1 else "$900."}

    assert make_reward_func(arena, one_turn_late)([""], ["$230."], [task]) == pytest.approx(
        [10 * 69 / 115]
    )


def test_an_unknown_reward_is_none(arena: Arena, task: str) -> None:
    reward = make_reward_func(arena, partner="scripted")
    assert reward([""], [json.dumps({"action": "leave", "text": ""})], [task]) == [None]


def test_rows_without_the_column_task_are_refused(arena: Arena) -> None:
    with pytest.raises(ConfigError, match='no column "task"'):
        make_reward_func(arena)([""], ["$1"])


def test_the_environment_is_played_by_its_one_tool(arena: Arena, task: str) -> None:
    env = make_environment(arena)()
    opening = env.reset(task=task, prompt=[])
    assert opening.startswith("You play a character")
    assert opening.endswith("It is your turn: turn 1 of at most 20, counting everyone's turns.")
    heard = env.reply(speak("$900."))
    assert heard.startswith("The other person: My price is $144.")
    assert "social goal" not in heard
    assert env.get_reward() is None
    assert not env.done
    for _ in range(9):
        heard = env.reply(speak("$230."))
    assert env.done
    assert heard == "The conversation is over."
    assert env.get_reward() == pytest.approx(10 * 69 / 115)
    assert env.reset(task=task) == opening
    assert env.get_reward() is None


def test_without_a_task_the_next_of_the_split_is_played(arena: Arena) -> None:
    env = make_environment(arena, "test")()
    first, second = env.reset(), env.reset()
    assert first != second


def test_a_group_plays_the_same_episode(arena: Arena, task: str) -> None:
    trials = []

    class Buyer:
        async def reply(self, request: Request, memory: Json) -> NoReply:
            trials.append(request.trial)
            return NoReply("gave up", "only the trial counts here", again=False)

    members = [make_environment(arena, seat=1, partner=Buyer())() for _ in range(4)]
    assert len({member.reset(task=task) for member in members}) == 1
    assert len(trials) >= 4
    assert len(set(trials)) == 1


def test_trl_sees_one_tool_whose_arguments_are_described(arena: Arena) -> None:
    """TRL makes a tool of every public method but `reset` and `get_reward`."""
    env = make_environment(arena)
    methods = {name for name, _ in inspect.getmembers(env, inspect.isfunction) if name[0] != "_"}
    assert methods == {"reset", "reply", "get_reward"}
    assert "reply: The JSON object" in inspect.getdoc(env.reply)  # type: ignore[operator]
