"""The complete performer: reminds itself, and is else the scripted mind."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scripted_questions import answered
from sociolab.town.answers import Said
from sociolab.town.scripted.complete import CompleteMind
from sociolab.town.scripted.mind import ScriptedMind
from sociolab.town.thoughts import Utter
from sociolab.worlds.stss.talk.scenario import TalkScenario
from worlds.stss.talk.talk_plays import Says, held, told
from worlds.stss.talk.talk_scenarios import HELP, PUBLIC, scenario, scenarios


def first_question(task: str) -> Utter:
    performer = Says("Bye!")
    held(scenario(task), performer, Says("Bye!"))
    found = performer.asked[0]
    assert isinstance(found, Utter)
    return found


@pytest.mark.parametrize("one", scenarios(), ids=lambda one: one.task.id)
def test_it_says_unreminded_what_a_reminder_would_bid_it_say(one: TalkScenario) -> None:
    complete = told(one, CompleteMind(), ScriptedMind())
    assert complete.reminder == ()
    assert complete.lines == told(one, ScriptedMind(), ScriptedMind(), tdp=True).lines


def test_who_has_a_reminder_goes_by_it_and_by_nothing_else() -> None:
    question = replace(first_question(PUBLIC), reminder="say the place: Heron Park: meadow")
    said = answered(CompleteMind().utter(question))
    assert said == answered(ScriptedMind().utter(question))
    assert "Heron Park" in said.text
    assert "17:00" not in said.text
    assert told(scenario(PUBLIC), CompleteMind(), ScriptedMind(), tdp=True) == told(
        scenario(PUBLIC), ScriptedMind(), ScriptedMind(), tdp=True
    )


def test_all_errands_and_places_are_told_at_once() -> None:
    said: Said = answered(CompleteMind().utter(first_question(HELP)))
    for errand in scenario(HELP).task.errands:
        assert errand.what in said.text
        assert errand.place.partition(":")[0] in said.text


def test_who_has_no_task_speaks_as_the_scripted_mind() -> None:
    other = Says("Bye!")
    held(scenario(PUBLIC), Says("Hello."), other)
    question = other.asked[0]
    assert isinstance(question, Utter)
    both = [answered(mind.utter(question)) for mind in (CompleteMind(), ScriptedMind())]
    assert both[0] == both[1]
