"""The mind contract: our own minds keep it, and it finds minds that do not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from fake_models import ImprovisingModel
from sociolab.core.errors import ReplyError
from sociolab.testing import MindContract
from sociolab.testing.minds import AnyMind, stock_questions
from sociolab.town.answers import (
    Agreed,
    Choice,
    Decision,
    Entry,
    Items,
    NewPlan,
    Part,
    Parts,
    Ratings,
    Said,
    Summary,
)
from sociolab.town.mind import Mind
from sociolab.town.model.mind import ModelMind
from sociolab.town.thoughts import Line, PlanDay, Utter


class TestAnyMind(MindContract):
    def mind(self) -> Mind:
        return AnyMind(3)


class TestModelMind(MindContract):
    attempts = 5

    def mind(self) -> Mind:
        return ModelMind(ImprovisingModel())


class Broken(AnyMind):
    """Any mind, but for one question."""

    def __init__(self, name: str, answer: Callable[[Any], Any]) -> None:
        super().__init__(3)

        async def broken(question: Any) -> Any:
            return answer(question)

        setattr(self, name, broken)


def suite(name: str, answer: Callable[[Any], Any]) -> MindContract:
    class Suite(MindContract):
        def mind(self) -> Mind:
            return Broken(name, answer)

    return Suite()


def test_an_answer_of_another_type_is_found() -> None:
    with pytest.raises(AssertionError, match="a Choice, found Said"):
        suite(
            "choose_place", lambda _: Said(text="Home.")
        ).test_it_answers_every_question_in_its_form()


def test_an_answer_outside_its_bounds_is_found() -> None:
    many = suite("talk_reminder", lambda _: Items.model_construct(items=("a",) * 5))
    with pytest.raises(ValueError, match="at most 4 items"):
        many.test_it_answers_every_question_in_its_form()


def test_a_mind_that_never_answers_is_found() -> None:
    def sulk(_: Any) -> Any:
        raise ReplyError("I will not say", raw="")

    with pytest.raises(AssertionError, match="found none: I will not say"):
        suite("utter", sulk).test_it_answers_every_question_in_its_form()
    suite("utter", sulk).test_it_survives_odd_texts()


def test_an_error_of_its_own_is_not_passed_over() -> None:
    def crash(question: Any) -> Any:
        return Said(text=question.lines[0].text)

    with pytest.raises(IndexError):
        suite("utter", crash).test_it_answers_every_question_in_its_form()


def test_an_unknown_place_is_found() -> None:
    moon = suite("choose_place", lambda _: Choice(place="The Moon: far side"))
    with pytest.raises(AssertionError, match="a known place, found 'The Moon"):
        moon.test_it_names_only_places_that_are_known()


def test_a_plan_that_runs_backwards_is_found() -> None:
    entries = (Entry(start="10:00", what="x"), Entry(start="12:00", what="x"))
    late = (*entries, Entry(start="11:00", what="y"))
    with pytest.raises(AssertionError, match="in order of time"):
        suite(
            "replan", lambda _: NewPlan(entries=late)
        ).test_a_new_plan_runs_from_now_to_bed_in_order()
    night = (*entries, Entry(start="23:00", what="y"))
    with pytest.raises(AssertionError, match="before bed"):
        suite(
            "replan", lambda _: NewPlan(entries=night)
        ).test_a_new_plan_runs_from_now_to_bed_in_order()


def test_an_object_that_is_not_there_is_found() -> None:
    parts = Parts(parts=(Part(minutes=5, what="x", object="anvil"),))
    with pytest.raises(AssertionError, match="found 'anvil'"):
        suite("decompose", lambda _: parts).test_parts_are_done_at_what_is_there()


def test_a_missing_rating_is_found() -> None:
    with pytest.raises(AssertionError, match="as many ratings"):
        suite("rate_importance", lambda _: Ratings(ratings=(1,))).test_every_text_is_rated()


def test_an_appointment_in_the_past_is_found() -> None:
    past = Summary(memo="x", importance=1, agreed=(Agreed(what="x", day="2024-05-12"),))
    with pytest.raises(AssertionError, match="today or later"):
        suite("summarise", lambda _: past).test_nothing_is_agreed_for_a_day_that_is_gone()


def test_a_mind_that_changes_its_question_is_found() -> None:
    def careless(question: Any) -> Decision:
        question.me.objects.clear()
        return Decision(do="carry on")

    with pytest.raises(AssertionError, match="TalkOrNot was changed"):
        suite("talk_or_not", careless).test_it_leaves_the_question_as_it_was()


def test_a_mind_that_counts_is_found() -> None:
    class Counting(AnyMind):
        count = 0

        async def utter(self, question: Any) -> Said:
            self.count += 1
            return Said(text=str(self.count))

    class Suite(MindContract):
        def mind(self) -> Mind:
            return Counting()

    with pytest.raises(AssertionError, match="the same answers"):
        Suite().test_the_same_question_gets_the_same_answer()


def test_any_mind_differs_by_seed_resident_and_step() -> None:
    question = next(one for one in stock_questions() if isinstance(one, PlanDay))
    asked = question.asked
    plans = [
        asyncio.run(AnyMind(seed).plan_day(replace(question, asked=head)))
        for seed, head in (
            (1, asked),
            (2, asked),
            (1, replace(asked, step=asked.step + 1)),
            (1, replace(asked, resident="ben")),
            (1, replace(asked, attempt=2)),
        )
    ]
    assert len(set(plans)) == 4
    assert plans[4] == plans[0], "an attempt more gets the same answer"


def test_any_mind_does_not_say_the_same_all_through_a_talk() -> None:
    question = next(one for one in stock_questions() if isinstance(one, Utter))
    talks = [replace(question, lines=(Line("ben", "Ben", "Well."),) * said) for said in range(8)]
    said = {asyncio.run(AnyMind().utter(talk)) for talk in talks}
    assert len(said) > 2
