"""The mind contract: our own minds keep it, and it finds minds that do not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from any_mind import AnyMind
from fake_models import ImprovisingModel
from sociolab.core import ReplyError
from sociolab.testing import MindContract, stock_questions
from sociolab.town import (
    Choice,
    Decision,
    Entry,
    Items,
    Mind,
    ModelMind,
    NewPlan,
    Part,
    Parts,
    PlanDay,
    Ratings,
    Said,
    Utter,
    Utterance,
)
from sociolab.worlds import stss


class TestAnyMind(MindContract):
    def mind(self) -> Mind:
        return AnyMind(3)


class TestModelMind(MindContract):
    attempts = 5

    def mind(self) -> Mind:
        return ModelMind(ImprovisingModel(), stss.paper_prompts())


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


def new_plan(*starts: str) -> NewPlan:
    return NewPlan(entries=tuple(Entry(start=start, what="x") for start in starts))


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


@pytest.mark.parametrize(
    ("name", "answer", "problem"),
    [
        ("choose_place", Choice(place="The Moon: far side"), "a place that Ada knows"),
        ("replan", new_plan("10:00", "12:00", "11:00"), "in order of their start"),
        ("replan", new_plan("10:00", "12:00", "23:00"), "entries from 10:00 to 22:00, found 23:00"),
        ("decompose", Parts(parts=(Part(minutes=5, what="x", object="anvil"),)), 'found "anvil"'),
        ("rate_importance", Ratings(ratings=(1,)), "expected 3 ratings, found 1"),
    ],
)
def test_an_answer_that_does_not_fit_its_question_is_found(
    name: str, answer: Any, problem: str
) -> None:
    with pytest.raises(AssertionError, match=problem):
        suite(name, lambda _: answer).test_its_answers_fit_their_questions()


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
    asked = question.meta
    plans = [
        asyncio.run(AnyMind(seed).plan_day(replace(question, meta=head)))
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
    talks = [
        replace(question, lines=(Utterance("ben", "Ben", "Well."),) * said) for said in range(8)
    ]
    said = {asyncio.run(AnyMind().utter(talk)) for talk in talks}
    assert len(said) > 2
