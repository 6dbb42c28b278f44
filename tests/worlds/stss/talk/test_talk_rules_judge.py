"""The rules as a judge: the paper's example, what is lost, the contract of judges."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from sociolab.core.episode import Episode
from sociolab.core.ports import Judge
from sociolab.core.score import Measure, Score, ScoreFailure
from sociolab.engine.scene import FailurePolicy
from sociolab.testing.judge_contract import JudgeContract
from sociolab.town.scripted.mind import ScriptedMind
from sociolab.worlds.stss.talk.measures import MEASURES
from sociolab.worlds.stss.talk.rules_judge import TalkRulesJudge
from worlds.stss.talk.talk_plays import Says, held, seats_of
from worlds.stss.talk.talk_scenarios import PUBLIC, scenario, scenarios

KITE = scenario(PUBLIC)
WHERE = "I am holding a kite flight for beginners at Heron Park: meadow. Would you like to come?"
STOP = FailurePolicy(then="stop")


class TestTalkRules(JudgeContract):
    def judge(self) -> Judge:
        return TalkRulesJudge()

    def episodes(self) -> Sequence[Episode]:
        return tuple(held(one, ScriptedMind(), ScriptedMind(), tdp=True) for one in scenarios())

    def measures(self) -> Sequence[Measure]:
        return MEASURES


def values(episode: Episode) -> list[float | None]:
    """Talk SR, talk GCSR, note SR, note GCSR; None for a failure."""
    found = asyncio.run(TalkRulesJudge().judge(episode))
    assert [verdict.measure for verdict in found] == list(MEASURES)
    return [verdict.value if isinstance(verdict, Score) else None for verdict in found]


def problems(episode: Episode) -> list[str]:
    found = asyncio.run(TalkRulesJudge().judge(episode))
    return [one.problem for one in found if isinstance(one, ScoreFailure)]


def test_the_papers_example_two_conditions_of_three() -> None:
    """GCSR 2/3 and SR 0 (STSS section 3.2): invited, told the place, not told the time."""
    memo = "Huw Pritchard invited me to a kite flight for beginners."
    episode = held(KITE, Says(WHERE, "Bye!"), Says("I will see.", "Bye!", memo=memo))
    assert values(episode) == [0, pytest.approx(2 / 3), 0, pytest.approx(1 / 3)]


def test_all_conditions_met_are_a_success() -> None:
    told = f"{WHERE} It is on Tuesday 14 May at 17:00."
    memo = (
        "Huw Pritchard invited me to a kite flight for beginners at Heron Park: meadow on Tuesday "
        "14 May 2024 at 17:00."
    )
    episode = held(KITE, Says(told, "Bye!"), Says("I will come.", "Bye!", memo=memo))
    assert values(episode) == [1, 1, 1, 1]


def test_a_talk_without_a_note_is_judged_and_its_note_is_missing() -> None:
    episode = held(KITE, Says(WHERE, "Bye!"), Says("I will see.", memo=None))
    assert values(episode) == [0, pytest.approx(2 / 3), None, None]


@pytest.mark.parametrize("policy", [FailurePolicy(), STOP])
@pytest.mark.parametrize("partner", [True, False])
def test_a_talk_that_broke_off_is_not_scored_and_who_failed_is_named(
    policy: FailurePolicy, partner: bool
) -> None:
    performer, other = Says(WHERE), Says("Hello.", None)
    if not partner:
        performer, other = Says(WHERE, None), Says("Hello.")
    episode = held(KITE, performer, other, policy=policy)
    assert values(episode) == [None] * 4
    seat = seats_of(KITE)[partner]
    assert (
        problems(episode)
        == [f"the talk broke off: {seat} gave no usable utterance (lost for words)"] * 4
    )


@pytest.mark.parametrize("policy", [FailurePolicy(), STOP])
def test_where_nothing_was_said_nothing_is_scored(policy: FailurePolicy) -> None:
    episode = held(KITE, Says(None), Says("Hello."), policy=policy)
    assert values(episode) == [None] * 4
    assert all(problems(episode))


def test_an_episode_that_a_failure_ended_is_not_scored() -> None:
    episode = held(KITE, Says(WHERE), Says(None), policy=STOP)
    assert values(episode) == [None] * 4
    assert "lost for words" in problems(episode)[0]


def test_a_talk_that_is_still_going_on_is_not_scored() -> None:
    episode = held(KITE, Says(WHERE, "Bye!"), Says("I will see."))
    assert values(Episode(episode.trial, episode.events[:-1])) == [None] * 4
