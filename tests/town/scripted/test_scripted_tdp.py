from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime

import pytest

from scripted_questions import (
    ANA,
    FLOUR,
    KITE,
    MEETING,
    MONDAY,
    PICNIC,
    QUIZ,
    TOM,
    TUESDAY,
    answered,
    day_reminder,
    general_plan,
    other,
    plan_day,
    remembered,
    resident,
    talk_reminder,
    utter,
)
from sociolab.town.scripted.mind import ScriptedMind
from sociolab.town.thoughts import Commitment

MIND = ScriptedMind()
GOALS = [KITE, MEETING, PICNIC, QUIZ, FLOUR, "Ana wants to be happy."]


@pytest.mark.parametrize("goal", GOALS)
def test_a_general_plan_has_three_to_five_lines(goal: str) -> None:
    assert 3 <= len(general_plan(goal)) <= 5


def test_the_general_plan_names_whom_what_when_and_where() -> None:
    text = " ".join(general_plan(KITE))
    for words in ("kite evening", "Tuesday 14 May 2024", "18:00", "Heron Park: meadow"):
        assert words in text
    assert "Tom Hale" in " ".join(general_plan(MEETING))


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("day", [MONDAY, TUESDAY])
def test_a_day_reminder_has_one_or_two_sentences(goal: str, day: object) -> None:
    text = answered(MIND.day_reminder(day_reminder(goal, day))).text  # type: ignore[arg-type]
    assert 1 <= text.count(". ") + 1 <= 2


def test_the_first_day_is_for_inviting_and_the_second_for_being_there() -> None:
    first = answered(MIND.day_reminder(day_reminder(KITE, MONDAY))).text
    second = answered(MIND.day_reminder(day_reminder(KITE, TUESDAY))).text
    assert "invite people" in first
    assert "17:45" not in first
    assert "meadow in Heron Park from 17:45" in second


def test_what_was_agreed_is_what_the_reminder_of_an_appointment_says() -> None:
    memo = remembered(
        "I asked Tom Hale to meet me for a review of the club ledger on Tuesday 14 May at 16:00 at "
        "Lantern Cafe: terrace. Tom Hale has agreed."
    )
    text = answered(MIND.day_reminder(day_reminder(MEETING, TUESDAY, memo))).text
    assert "on the terrace of Lantern Cafe from 15:45" in text
    assert "Tom Hale" in text


@pytest.mark.parametrize("goal", GOALS)
def test_a_talk_reminder_has_fewer_than_five_items(goal: str) -> None:
    assert 1 <= len(answered(MIND.talk_reminder(talk_reminder(goal))).items) < 5


def test_an_appointment_is_brought_up_with_its_partner_alone() -> None:
    stranger = answered(MIND.talk_reminder(talk_reminder(MEETING, other("Eva Lind")))).items
    assert "ledger" not in " ".join(stranger)
    assert "ledger" in " ".join(answered(MIND.talk_reminder(talk_reminder(MEETING))).items)


@pytest.mark.parametrize("goal", [MEETING, PICNIC])
def test_the_general_plan_is_read_for_what_the_goal_leaves_open(goal: str) -> None:
    plan = general_plan(goal)
    told = " ".join(answered(MIND.talk_reminder(talk_reminder(goal, plan=plan))).items)
    bare = " ".join(answered(MIND.talk_reminder(talk_reminder(goal))).items)
    assert re.search(r"\d\d:\d\d", told)
    assert not re.search(r"\d\d:\d\d", bare)
    other_plan = tuple(re.sub(r"at \d\d:\d\d", "at 20:15", line) for line in plan)
    assert "20:15" in " ".join(
        answered(MIND.talk_reminder(talk_reminder(goal, plan=other_plan))).items
    )


def test_the_general_plan_says_where_to_seek_people() -> None:
    plan = ("Seek out everybody at Larkfield Bakery: shop and Heron Park: pond shore.",)
    with_it = answered(MIND.day_reminder(day_reminder(KITE, MONDAY, plan=plan))).text
    without = answered(MIND.day_reminder(day_reminder(KITE, MONDAY))).text
    assert "go to Larkfield Bakery: shop and Heron Park: pond shore" in with_it
    assert "go where people are" in without


@pytest.mark.parametrize("goal", [KITE, MEETING, PICNIC, QUIZ, FLOUR])
def test_the_minds_own_reminders_are_read_by_itself(goal: str) -> None:
    """Removing each of the reminders in turn takes away what it brought about."""
    who = resident(ANA, goal)
    day = answered(MIND.day_reminder(day_reminder(goal, MONDAY))).text
    with_it = answered(MIND.plan_day(plan_day(who, MONDAY, reminder=day)))
    without = answered(MIND.plan_day(plan_day(who, MONDAY)))
    assert any(one.what == "going among people" for one in with_it.entries)
    assert not any(one.what == "going among people" for one in without.entries)

    items = "\n".join(answered(MIND.talk_reminder(talk_reminder(goal))).items)
    first = answered(MIND.utter(utter(who, other(TOM), reminder=items))).text
    bare = answered(MIND.utter(utter(who, other(TOM)))).text
    assert "14 May" in first
    assert "14 May" not in bare


@pytest.mark.parametrize("goal", [MEETING, PICNIC])
@pytest.mark.parametrize("now", ["09:10", "12:40", "17:45", "19:30"])
def test_an_hour_that_is_past_is_not_put_to_anybody(goal: str, now: str) -> None:
    plan = general_plan(goal)
    question = talk_reminder(goal, plan=plan)
    moment = datetime.fromisoformat(f"2024-05-14T{now}")
    question = replace(question, me=replace(question.me, now=moment))
    (when,) = (one for one in answered(MIND.talk_reminder(question)).items if "the time" in one)
    assert "14 May 2024" in when
    assert all(start > now for start in re.findall(r"\d\d:\d\d", when))


def test_an_hour_that_is_to_come_is_that_of_the_plan() -> None:
    plan = ("Tell them when and where: Tuesday 14 May 2024 at 16:20.",)
    question = talk_reminder(MEETING, plan=plan)
    for moment in ("2024-05-13T20:00", "2024-05-14T10:00"):
        today = replace(question, me=replace(question.me, now=datetime.fromisoformat(moment)))
        assert any("16:20" in one for one in answered(MIND.talk_reminder(today)).items)


def test_an_hour_that_was_agreed_is_kept_while_it_passes() -> None:
    goal = PICNIC
    agreed = Commitment("picnic", TUESDAY, "11:00", 60, "Heron Park: meadow", others=("eva-lind",))
    question = replace(talk_reminder(goal, plan=general_plan(goal)), commitments=(agreed,))
    begun = replace(question.me, now=datetime.fromisoformat("2024-05-14T11:05"))
    items = answered(MIND.talk_reminder(replace(question, me=begun))).items
    assert any("11:00" in one for one in items)
