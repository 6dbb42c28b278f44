"""Answers that fit their type and yet not their question are sent back with a sentence."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from puppet_town import CAFE, TOWER, TRIO, Puppet as Recorder, day, lived, memo, rest, setting
from sociolab.town import (
    Block,
    Choice,
    ChoosePlace,
    DayPlan,
    DayReminder,
    Decompose,
    Entry,
    Other,
    Part,
    Parts,
    PlanDay,
    RateImportance,
    Ratings,
    Reminder,
    Replan,
    Summarise,
)


def question(kind: type) -> Any:
    """A question of this kind to Ann at the first midnight."""
    recorder = Recorder()
    lived(recorder, setting(TRIO))
    plan = recorder.of(PlanDay)[0]
    if kind is ChoosePlace:
        return ChoosePlace(plan.meta, plan.me, "sing")
    if kind is Replan:
        three = replace(plan.me, now=datetime(2024, 5, 13, 15, 3))
        bed = datetime(2024, 5, 14, 1, 0)
        return Replan(plan.meta, three, "a fire", (), bed)
    if kind is Decompose:
        block = Block(plan.me.now, plan.me.now, "bake", CAFE)
        return Decompose(plan.meta, plan.me, block, ("counter",))
    if kind is Summarise:
        return Summarise(plan.meta, plan.me, Other("ben", "Ben", ""), (), ())
    if kind is DayReminder:
        return DayReminder(plan.meta, plan.me, "a party", (), plan.day)
    return RateImportance(plan.meta, plan.me, ("one", "two")) if kind is RateImportance else plan


def knead(thing: str) -> Parts:
    return Parts(parts=(Part(minutes=10, what="knead", object=thing),))


PLAN = question(PlanDay)


def entries(*starts: str) -> tuple[Entry, ...]:
    return tuple(Entry(start=start, what="sing", place=CAFE) for start in starts)


def test_answers_that_fit_have_no_problem() -> None:
    assert PLAN.problem_with(day(f"09:00 sing @ {CAFE}")) == ""
    assert PLAN.problem_with(day("09:00 sing", bed="00:30")) == "", "bed after midnight"
    assert question(Replan).problem_with(rest("09:00 sing", "16:00 hum", "00:30 read")) == ""
    assert question(Decompose).problem_with(knead("counter")) == ""
    assert question(Decompose).problem_with(knead("")) == ""
    assert question(ChoosePlace).problem_with(Choice(place=CAFE)) == ""
    assert question(RateImportance).problem_with(Ratings(ratings=(1, 10))) == ""
    assert question(Summarise).problem_with(memo()) == ""


@pytest.mark.parametrize(
    ("plan", "problem"),
    [
        (day(f"09:00 fish @ {TOWER}"), f'expected a place that Ann knows, found "{TOWER}"'),
        (
            DayPlan(wake="06:00", entries=entries("06:00", "09:00", "08:00"), bed="22:00"),
            "in order",
        ),
        (DayPlan(wake="06:00", entries=entries("06:00", "06:00"), bed="22:00"), "in order"),
        (
            DayPlan(wake="06:00", entries=entries("07:00"), bed="22:00"),
            "start at 06:00, found 07:00",
        ),
        (DayPlan(wake="06:00", entries=entries("06:00", "22:00"), bed="22:00"), "before 22:00"),
    ],
)
def test_a_plan_is_in_order_and_in_places_that_are_known(plan: DayPlan, problem: str) -> None:
    assert problem in PLAN.problem_with(plan)


def test_a_new_plan_is_in_order_after_its_first_entry() -> None:
    asked = question(Replan)
    assert "in order" in asked.problem_with(rest("09:00 sing", "17:00 hum", "16:00 read"))
    assert TOWER in asked.problem_with(rest(f"09:00 sing @ {TOWER}"))


@pytest.mark.parametrize("gone", ["10:00", "15:03", "01:00"])
def test_a_new_plan_lies_between_now_and_bed(gone: str) -> None:
    problem = question(Replan).problem_with(rest("15:03 sing", f"{gone} hum"))
    assert problem == f"expected entries from 15:03 to 01:00, found {gone}"


def test_a_part_is_done_at_an_object_that_is_there() -> None:
    problem = question(Decompose).problem_with(knead("dragon"))
    assert problem == 'expected an object that is there, or "", found "dragon"'


def test_a_place_is_chosen_among_those_that_are_known() -> None:
    assert TOWER in question(ChoosePlace).problem_with(Choice(place=TOWER))


@pytest.mark.parametrize("ratings", [(), (1,), (1, 2, 3)])
def test_every_text_is_rated_once(ratings: tuple[int, ...]) -> None:
    problem = question(RateImportance).problem_with(Ratings(ratings=ratings))
    assert problem == f"expected 2 ratings, found {len(ratings)}"


def test_a_reminder_has_one_or_two_sentences() -> None:
    assert (
        question(DayReminder).problem_with(
            Reminder(text="Meet Ben at 5 p.m. in the park. Then go home.")
        )
        == ""
    )
    three = Reminder(text="Rise. Meet Ben! Go home.")
    assert question(DayReminder).problem_with(three) == "expected 1 to 2 sentences, found 3"
