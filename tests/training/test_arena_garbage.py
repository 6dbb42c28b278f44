"""Turns that nobody gave are counted alike in every world; what is a reward there is documented."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path

import pytest

from sociolab import Arena, ArenaConfig
from sociolab.core import Unusable
from sociolab.endpoint import EndpointSettings, start_in_thread
from sociolab.runner import verdicts_of
from sociolab.training import ArenaSession, Observed
from training_cases import play_out

PAGE = (Path(__file__).parents[2] / "docs" / "training.md").read_text("utf-8")
ROWS = re.findall(r"(?m)^\| `([a-z-]+)` \| `([a-z:]+)`[^|]* \| (.*?) ?\| ?(.*?) ?\|$", PAGE)
WORLDS = (
    "sotopia",
    "anteval-decision",
    "anteval-information",
    "anteval-intention",
    "stss",
    "stss-talk",
)
Given = dict[str, tuple[set[str], set[str]]]


def babble(observed: Observed) -> str:
    return "hm"


@pytest.fixture(scope="module")
def played() -> Mapping[str, tuple[ArenaSession, Given]]:
    """By world, an episode of a policy that babbles, and what each judge gives: seats, episode."""
    found = {}
    for world in WORLDS:
        tasks = "bargain" if world == "sotopia" else None
        with Arena(world, tasks=tasks, config=ArenaConfig(limit=1)) as arena:
            (session,) = play_out(arena, babble)
            found[world] = (session, _given(arena, session))
    return found


def _given(arena: Arena, session: ArenaSession) -> Given:
    found: Given = {}
    assert session.episode is not None
    for judge in arena._judges:  # what a judge cannot tell here is not in a session
        verdicts = asyncio.run(verdicts_of(judge, session.episode))
        seats = {one.measure.name for one in verdicts if one.seat is not None}
        found[judge.id.name] = (seats, {one.measure.name for one in verdicts if one.seat is None})
    return found


@pytest.mark.parametrize("world", WORLDS)
def test_garbage_is_counted_alike_in_every_world(
    played: Mapping[str, tuple[ArenaSession, Given]], world: str
) -> None:
    session, _ = played[world]
    (seat,) = session.seats
    assert session.episode is not None
    every = [event for event in session.episode.events if isinstance(event, Unusable)]
    asked = [event for event in every if event.seat == seat and not event.optional]
    missed = session.missed_turns(seat)
    assert missed.own == len(asked) // 3, "each after three attempts"
    assert missed.own > 0
    assert missed.others == 0
    (problem,) = missed.problems
    assert problem.startswith(f"{seat} at turn ")
    assert problem.endswith('expected a JSON object, found the text "hm"')


def test_a_talk_that_the_policy_broke_off_says_so(
    played: Mapping[str, tuple[ArenaSession, Given]],
) -> None:
    session, _ = played["stss-talk"]
    assert session.missed_turns(session.seats[0]).own == 1
    assert set(session.scores.scores) == {None}
    scores = session.scores.scores[None]["recorded"].values()
    assert {(score.value, score.status) for score in scores} == {(None, "failed")}
    assert session.episode is not None
    assert session.episode.ended is not None
    assert session.episode.ended.reason == "silence"
    assert all("the conversation broke off" in failure for failure in session.scores.failures)


@pytest.mark.parametrize("world", ["sotopia", "stss-talk"])
def test_what_the_partner_did_not_give_is_lost_and_not_the_policys(world: str) -> None:
    in_talk = world == "stss-talk"
    judge, settings = ("recorded", {}) if in_talk else ("heuristic", {"turns": "4"})

    def speak(observed: Observed) -> str:
        return SAID if in_talk else '{"action": "speak", "text": "Hello."}'

    with start_in_thread(EndpointSettings(responder=lambda chat: "hm")) as endpoint:
        config = ArenaConfig(limit=1, settings=settings, base_url=endpoint.url)
        with Arena(world, partner="openai/p", judge=judge, config=config) as arena:
            (session,) = play_out(arena, speak)
    (seat,) = session.seats
    missed = session.missed_turns(seat)
    assert (missed.own, missed.others) == (0, 1 if in_talk else 2), missed.problems
    (problem,) = missed.problems
    assert 'found the text "hm"' in problem
    assert not problem.startswith(seat)


SAID = '{"text": "Good morning.", "ends": false}'


def test_a_step_counts_what_was_lost_so_far() -> None:
    config = ArenaConfig(settings={"turns": "4"}, attempts=1)
    with Arena("sotopia", tasks="bargain", config=config) as arena:
        session = arena.begin()
        missed = []
        for _ in range(3):
            session.step("hm")
            missed.append(session.missed_turns(session.seats[0]).own)
    # The last one is about what was agreed: nothing hangs on it.
    assert missed == [1, 2, 2]


def test_the_table_names_what_is_in_rewards_and_in_episode_scores(
    played: Mapping[str, tuple[ArenaSession, Given]],
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
    played: Mapping[str, tuple[ArenaSession, Given]],
) -> None:
    (lines,) = re.findall(r"```python\n(missed = .*?)```", PAGE, re.DOTALL)
    rewards = {}
    for world, (session, _) in played.items():
        names: dict[str, object] = {"session": session, "seat": session.seats[0]}
        exec(lines, names)
        rewards[world] = names["reward"]
    sotopia, _ = played["sotopia"]
    assert rewards["sotopia"] == -0.5 * sotopia.missed_turns(sotopia.seats[0]).own
    assert rewards["stss-talk"] == -0.5
