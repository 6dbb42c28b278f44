"""What every mind must keep to."""

# ruff: noqa: D102  a test is called by what it shows

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from sociolab.core.ports import NoReply, Observation, Question, Reply, Request
from sociolab.testing.players import ODD_TEXTS
from sociolab.testing.stock_questions import stock_questions
from sociolab.town.mind import Mind, MindPlayer
from sociolab.town.questions import (
    QUESTIONS,
    MindQuestion,
    Summary,
)

_LONG = "ten kilobytes of words, "


class MindContract:
    """Inherit and return your mind; `questions` too, if it thinks only for a town of its own.

    A mind that needs more than one attempt (a model) raises `attempts`; one that does not answer
    alike when it is asked alike says so with `deterministic`.
    """

    attempts = 1
    deterministic = True

    def mind(self) -> Mind:
        """A fresh mind."""
        raise NotImplementedError

    def questions(self) -> Sequence[MindQuestion[Any]]:
        """Questions of every kind."""
        return stock_questions()

    def test_it_answers_every_question_in_its_form(self) -> None:
        asked = {type(question) for question, _ in self._answers()}
        assert asked == set(QUESTIONS), "questions of every kind are asked"

    def test_its_answers_fit_their_questions(self) -> None:
        for question, answer in self._answers():
            assert not (problem := question.problem_with(answer)), f"{question.name}: {problem}"

    def test_nothing_is_agreed_for_a_day_that_is_gone(self) -> None:
        for question, answer in self._answers():
            if isinstance(answer, Summary):
                for agreed in answer.agreed:
                    today = question.me.now.date().isoformat()
                    assert agreed.day >= today, f"today or later, found {agreed.day}"

    def test_it_leaves_the_question_as_it_was(self) -> None:
        for question in self.questions():
            before = copy.deepcopy(question)
            self._answer(self.mind(), question)
            assert question == before, f"{type(question).__name__} was changed"

    def test_the_same_question_gets_the_same_answer(self) -> None:
        if not self.deterministic:
            return
        used = self.mind()
        first = [self._answer(used, question) for question in self.questions()]
        for mind in (used, self.mind()):
            again = [self._answer(mind, question) for question in self.questions()]
            assert again == first, "the same answers from a used mind and from a fresh one"

    def test_it_takes_a_problem_and_is_asked_again(self) -> None:
        for question in self.questions():
            reply = _ask(self.mind(), question, 2, "expected a JSON object, found an empty reply")
            assert isinstance(reply, Reply | NoReply), f"a Reply or a NoReply, found {reply!r}"

    def test_it_survives_odd_texts(self) -> None:
        for odd in (*ODD_TEXTS, _LONG * 420):
            for question in stock_questions(_made(odd)):
                self._usable(question, _ask(self.mind(), question))

    def test_it_survives_knowing_nobody_and_remembering_nothing(self) -> None:
        for question in self.questions():
            bare = _bare(question)
            self._usable(bare, _ask(self.mind(), bare))

    def _answers(self) -> Iterator[tuple[MindQuestion[Any], BaseModel]]:
        mind = self.mind()
        for question in self.questions():
            yield question, self._answer(mind, question)

    def _answer(self, mind: Mind, question: MindQuestion[Any]) -> BaseModel:
        problem = ""
        for attempt in range(1, self.attempts + 1):
            reply = _ask(mind, question, attempt, problem)
            self._usable(question, reply)
            if isinstance(reply, Reply):
                assert isinstance(reply.value, BaseModel)
                return reply.value
            problem = reply.problem
        raise AssertionError(f"an answer to {type(question).__name__}, found none: {problem}")

    def _usable(self, question: MindQuestion[Any], reply: Reply | NoReply) -> None:
        """Of the question's type and within its bounds; or no reply, and why."""
        if isinstance(reply, NoReply):
            assert reply.problem, "a ReplyError says what is wrong"
            return
        kind = question.answer_type
        assert isinstance(reply.value, kind), f"a {kind.__name__}, found {reply.value!r}"
        # model_copy and model_construct check nothing.
        kind.model_validate_json(reply.value.model_dump_json())


def _ask(
    mind: Mind, question: MindQuestion[Any], attempt: int = 1, problem: str = ""
) -> Reply | NoReply:
    """As the engine does: a ReplyError comes back as a NoReply, any other error passes through."""
    asked = question.asked
    name, kind = question.name, question.answer_type
    shown = Observation(asked.resident, "", asked.step, 0, "", (), "", (), question)
    wanted = Question(name, "", kind)
    request = Request(
        asked.trial, asked.seed, asked.resident, asked.step, attempt, wanted, shown, problem
    )
    return asyncio.run(MindPlayer(mind).reply(request, None))


def _made(odd: str) -> Callable[[str], str]:
    """Texts that keep their meaning, and are odd at the end."""
    return lambda text: f"{text} {odd}"


def _bare(question: MindQuestion[Any]) -> MindQuestion[Any]:
    """The question to somebody without people, memories, commitments or plans."""
    me = replace(question.me, people={})
    empty: dict[str, Any] = {
        name: ()
        for name in ("memories", "commitments", "ahead", "objects")
        if hasattr(question, name)
    }
    return replace(question, me=me, **empty)
