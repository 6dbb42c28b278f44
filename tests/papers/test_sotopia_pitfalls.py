"""What SOTOPIA's reference code gets wrong, or its paper leaves open: it does not happen here.

One test for each point that has no better place. The importer's points (viewer tags, quirks of
the public files) are in tests/worlds/sotopia/importing, the relationship counts in
test_own_characters.py, intervals in tests/stats.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import sociolab
from fake_models import FakeModel, ImprovisingModel
from sociolab.agents import PromptedPlayer
from sociolab.core import (
    Action,
    CallKey,
    ChatReply,
    Event,
    Json,
    Moved,
    NoReply,
    Prompt,
    Reply,
    Request,
    Score,
    encode_event,
    stream,
)
from sociolab.engine import drive
from sociolab.judging import LlmJudge
from sociolab.testing import AnyPlayer, play_task
from sociolab.worlds import sotopia
from sotopia_cases import casting, episode_of, task_of, world

HELLO = Moved(0, "seat0", (Action(sotopia.SPEAK, "Hello."),))


def test_a_judge_that_fails_leaves_no_score_and_no_zero() -> None:
    """There: `complete_rating: 0`, and a failure becomes an empty list."""
    judge = LlmJudge(sotopia.SotopiaRubric(), FakeModel("no idea", "none", "sorry"))
    verdicts = asyncio.run(judge.judge(episode_of(casting(), HELLO)))
    assert len(verdicts) == 16
    assert not any(isinstance(verdict, Score) for verdict in verdicts)


def test_truncated_replies_never_become_none_and_never_end_an_episode_unflagged() -> None:
    """There: with 10 % truncated JSON, ten 20-turn episodes had 2 to 20 turns, none flagged."""

    class Truncating:
        label = "truncating"

        async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
            text = '{"action":"speak","text":"Hello there."}'
            chance = stream(7, key.trial, key.seat, key.turn, key.attempt)
            return ChatReply(text[:17] if chance.random() < 0.1 else text)

    player = PromptedPlayer(Truncating())
    task = task_of(casting())
    cut = 0
    for seed in range(10):
        trial = f"trial {seed}"
        found: list[Event] = []
        events = asyncio.run(
            drive(world().play(task, trial, seed), dict.fromkeys(task.seats, player), found.append)
        )
        moves = [event for event in events if isinstance(event, Moved)]
        unusable = [event for event in events if not isinstance(event, Moved)][:-1]
        cut += len(unusable)
        assert len(moves) == 20
        assert {action.kind for move in moves for action in move.actions} == {sotopia.SPEAK}
    assert cut > 10


def test_every_event_is_handed_over_as_it_happens_and_not_at_the_end() -> None:
    """There: an episode is saved only when it is over."""
    told: list[Event] = []

    class Watching:
        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            assert len(told) == request.turn
            return Reply((Action(sotopia.SPEAK, "Hello."),))

    task = task_of(casting())
    players = dict.fromkeys(task.seats, Watching())
    asyncio.run(drive(world().play(task, "t", 0), players, told.append))
    assert len(told) == 21


def test_another_ones_background_is_shown_by_relationship_and_not_as_unknown() -> None:
    """There: `reset()` shows every other background as "Unknown"."""
    heads = {
        kind: sotopia.SotopiaScene(casting(kind)).witness("seat0").observe(0).head
        for kind in sotopia.RelationshipType
    }
    assert not any("Unknown" in head for head in heads.values())
    assert [kind.value for kind, head in heads.items() if "publicmark1" in head] == [
        "acquaintance",
        "friend",
        "romantic",
        "family",
    ]


PRINT_ACTIONS = """
from sociolab.agents.prompted import act_type
from sociolab.prompting.structured import schema_of
from sociolab.worlds.sotopia.scene import ACTIONS
print([kind.name for kind in ACTIONS.kinds], schema_of(act_type(ACTIONS, False)).text)
"""


def test_the_actions_have_one_order_in_every_process() -> None:
    """There: the list is a Python set, and so a prompt differs from process to process."""
    source = str(Path(sociolab.__path__[0]).parent)
    printed = {
        subprocess.run(
            [sys.executable, "-c", PRINT_ACTIONS],
            env={"PYTHONPATH": source, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(printed) == 1


def test_prompts_of_both_seats_begin_alike_and_each_extends_its_last() -> None:
    """There: the prompt sets no stable beginning across agents or turns."""
    seen: list[tuple[str, str, str]] = []

    class Reading(ImprovisingModel):
        async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
            seen.append((key.seat, prompt.messages[0].text, prompt.messages[1].text))
            return ChatReply('{"action":"speak","text":"Hello."}')

    task = task_of(casting())
    play_task(world(), task, dict.fromkeys(task.seats, PromptedPlayer(Reading())))
    heads = {seat: head for seat, head, _ in seen}
    assert len({(seat, head) for seat, head, _ in seen}) == 2
    rules = [head.split("# You")[0] for head in heads.values()]
    assert rules[0] == rules[1]
    assert len(rules[0]) > 500
    bodies = [body for seat, _, body in seen if seat == "seat0"]
    for before, after in pairwise(bodies):
        assert after.startswith(before.rpartition("\n\n")[0])


def test_the_judges_prompt_is_short_and_mostly_the_same_for_every_episode() -> None:
    """There: 11,500 characters, of which 6,200 are schema."""
    prompt, _ = sotopia.SotopiaRubric().prompt(episode_of(casting(), HELLO), 0.0)
    assert prompt.schema is not None
    assert len(prompt.schema.text) < 2000
    head = prompt.messages[0].text
    assert len(head) < 4300
    assert len(head) + len(prompt.schema.text) > len(prompt.messages[1].text)


def test_a_repeat_of_a_trial_is_another_call() -> None:
    """A cache key without the repeat index collapses repeats into one."""
    model = FakeModel(*[_all_zero()] * 2)
    judge = LlmJudge(sotopia.SotopiaRubric(), model)
    episode = episode_of(casting(), HELLO)
    for judging in range(2):
        asyncio.run(judge.judge(episode, judging))
    keys = [key for _, key in model.calls]
    assert len(set(keys)) == 2


def test_the_bytes_of_an_episode_do_not_depend_on_the_process_or_the_clock() -> None:
    task = task_of(casting())
    episodes = [
        play_task(world(), task, dict.fromkeys(task.seats, AnyPlayer()), seed=5) for _ in range(2)
    ]
    first, second = ([encode_event(event) for event in one.events] for one in episodes)
    assert first == second


def _all_zero() -> str:
    scores: dict[str, Any] = {d.name: {"reason": "so", "score": 0} for d in sotopia.DIMENSIONS}
    return json.dumps({"person_1": scores, "person_2": scores})
