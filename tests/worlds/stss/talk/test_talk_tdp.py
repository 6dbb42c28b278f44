"""What reminders are worth at language level, with scripted performers, vague and complete."""

from __future__ import annotations

import asyncio
from functools import cache

import pytest

from sociolab.core.score import Score
from sociolab.town.answers import Said
from sociolab.town.mind import Mind
from sociolab.town.scripted.complete import CompleteMind
from sociolab.town.scripted.mind import ScriptedMind
from sociolab.town.thoughts import Utter
from sociolab.worlds.stss.talk.measures import CONVERSATION_GCSR, SUMMARY_GCSR
from sociolab.worlds.stss.talk.rules.conversation import findings_in_talk
from sociolab.worlds.stss.talk.rules_judge import TalkRulesJudge
from worlds.stss.talk.talk_plays import Reminded, held, told
from worlds.stss.talk.talk_scenarios import HELP, PUBLIC, scenario, scenarios

SEEDS = range(6)
KITE = scenario(PUBLIC)


class Nods(ScriptedMind):
    """Takes everything in, asks nothing and agrees to nothing."""

    async def utter(self, question: Utter) -> Said:
        return Said(text="I see.")


@cache
def gcsr(performer: type[ScriptedMind], *, tdp: bool) -> tuple[float, float]:
    """Mean GCSR of talks and notes, over one talk of each type and some seeds."""
    return mean_gcsr(performer(), tdp=tdp)


def mean_gcsr(performer: Mind, *, tdp: bool) -> tuple[float, float]:
    found: dict[str, list[float]] = {CONVERSATION_GCSR.name: [], SUMMARY_GCSR.name: []}
    for one in scenarios():
        for seed in SEEDS:
            episode = held(one, performer, ScriptedMind(), tdp=tdp, seed=seed)
            for verdict in asyncio.run(TalkRulesJudge().judge(episode)):
                if verdict.measure.name in found:
                    assert isinstance(verdict, Score)
                    found[verdict.measure.name].append(verdict.value)
    talks, notes = found.values()
    return sum(talks) / len(talks), sum(notes) / len(notes)


def test_tdp_lifts_the_vague_performer_at_both_levels() -> None:
    for reminded, bare in zip(
        gcsr(ScriptedMind, tdp=True), gcsr(ScriptedMind, tdp=False), strict=True
    ):
        assert reminded > bare + 0.1


def test_without_the_reminder_the_plan_alone_lifts_nothing() -> None:
    assert mean_gcsr(Reminded(fails=True), tdp=True) == gcsr(ScriptedMind, tdp=False)


def test_a_performer_that_needs_no_reminder_beats_the_vague_one_and_gains_nothing_by_tdp() -> None:
    for complete, vague in zip(
        gcsr(CompleteMind, tdp=False), gcsr(ScriptedMind, tdp=False), strict=True
    ):
        assert complete > vague + 0.1
    assert gcsr(CompleteMind, tdp=True) == gcsr(ScriptedMind, tdp=True)


FACTS = {
    "name the activity": "kite flight",
    "say the place": "the meadow in Heron Park",
    "say the time": "Tuesday 14 May from 17:00 to 18:30",
    "ask whether": "Would you like to come?",
}


def pitch(performer: Mind) -> str:
    """What the performer says first, where it is reminded, to somebody who asks nothing."""
    return told(KITE, performer, Nods(), tdp=True).lines[0].text


@pytest.mark.parametrize("item", FACTS)
def test_without_an_item_of_its_reminder_the_performer_says_all_but_what_that_conveys(
    item: str,
) -> None:
    assert all(fact in pitch(ScriptedMind()) for fact in FACTS.values())
    said = pitch(Reminded([item]))
    assert {name for name, fact in FACTS.items() if fact not in said} == {item}


@pytest.mark.parametrize(("item", "lost"), [("say the place", "place"), ("say the time", "time")])
def test_without_an_item_the_condition_that_it_serves_is_not_met(item: str, lost: str) -> None:
    assert unmet(Reminded()) == set()
    assert unmet(Reminded([item])) == {lost}


def test_without_the_places_the_errands_are_asked_for_but_not_where() -> None:
    assert unmet(Reminded(), HELP) == set()
    assert unmet(Reminded(["say the places"]), HELP) == {"place-1", "place-2"}


def unmet(performer: Mind, task: str = PUBLIC) -> set[str]:
    """The conditions that are not met in a talk with somebody who asks nothing."""
    one = scenario(task)
    lines = told(one, performer, Nods(), tdp=True).lines
    return {f.condition.id for f in findings_in_talk(one.occasion, lines) if not f.met}
