"""Minds answer by methods or in one; what a question declares is all that is needed to ask it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from any_mind import AnyMind
from fake_models import FakeModel
from sociolab.core import ChatReply, NoReply, Observation, Question, Reply, Request, Served
from sociolab.engine import FailurePolicy
from sociolab.testing import stock_questions
from sociolab.town import (
    QUESTIONS,
    ChoosePlace,
    MindPlayer,
    MindQuestion,
    ModelMind,
    ScriptedMind,
    TalkOrNot,
)
from sociolab.town.mind import can_answer
from sociolab.worlds import stss


def ask(mind: object, question: MindQuestion[Any]) -> Reply | NoReply:
    shown = Observation("ada", "", 1, 0, "", (), "", (), question)
    wanted = Question(question.name, "", question.answer_type)
    return asyncio.run(MindPlayer(mind).reply(Request("t", 1, "ada", 1, 1, wanted, shown), None))


class InOne:
    """Answers everything in one method, but for one question."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def answer(self, question: MindQuestion[Any]) -> Any:
        self.asked.append(question.name)
        return await getattr(AnyMind(), question.name)(question)

    async def choose_place(self, question: ChoosePlace) -> Any:
        return await AnyMind().choose_place(question)


def test_a_method_of_a_question_s_name_comes_before_the_one_for_all() -> None:
    mind = InOne()
    for question in stock_questions():
        reply = ask(mind, question)
        assert isinstance(reply, Reply)
        assert isinstance(reply.value, question.answer_type)
    assert set(mind.asked) == {one.name for one in QUESTIONS} - {"choose_place"}


def test_a_question_that_a_random_mind_does_not_know_gets_the_scripted_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(AnyMind, "reflect")
    (asked,) = [one for one in stock_questions() if one.name == "reflect"]
    assert ask(AnyMind(), asked) == ask(ScriptedMind(), asked)


@pytest.mark.parametrize(
    "mind", [InOne(), AnyMind(), ScriptedMind(), ModelMind(FakeModel(), stss.paper_prompts())]
)
def test_our_minds_have_an_answer_to_every_question(mind: object) -> None:
    assert all(can_answer(mind, question) for question in QUESTIONS)


def test_a_mind_without_a_method_has_no_answer() -> None:
    class Chatty:
        async def talk_or_not(self, question: TalkOrNot) -> None: ...

    assert [one for one in QUESTIONS if can_answer(Chatty(), one)] == [TalkOrNot]


@pytest.mark.parametrize("question", stock_questions(), ids=lambda one: one.name)
def test_a_question_has_a_prompt_of_its_name_that_shows_its_variables(
    question: MindQuestion[Any],
) -> None:
    text = stss.paper_prompts()[question.name]
    assert text.render(question.variables() | ({"plain": False} if "plain" in text.source else {}))


def test_no_two_questions_have_one_name() -> None:
    assert len({question.name for question in QUESTIONS}) == len(QUESTIONS)


def test_an_answer_that_is_cut_off_twice_is_not_asked_for_a_third_time() -> None:
    (question,) = [one for one in stock_questions() if one.name == "plan_day"]
    reply = ChatReply("{", finish="length", served=Served(cap=1_500))
    model = FakeModel(reply, reply)
    mind = MindPlayer(ModelMind(model, stss.paper_prompts()))
    shown = Observation("ada", "", 1, 0, "", (), "", (), question)
    asked = Request("t", 1, "ada", 1, 1, Question("plan_day", "", question.answer_type), shown)
    first = asyncio.run(mind.reply(asked, None))
    assert isinstance(first, NoReply)
    assert (first.cause, first.again) == ("truncated", True)
    again = asked.again(first)
    second = asyncio.run(mind.reply(again, None))
    assert isinstance(second, NoReply)
    assert not FailurePolicy(3).is_final(asked, first)
    assert FailurePolicy(3).is_final(again, second)
    assert [prompt.needs for prompt, _ in model.calls] == [1_500, 1_500]
