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
from sociolab.testing.stock_thoughts import stock_questions
from sociolab.town.mind import Mind, MindPlayer
from sociolab.town.questions import (
    QUESTIONS,
    Choice,
    DayPlan,
    Decompose,
    Entry,
    Items,
    Lines,
    MindQuestion,
    NewPlan,
    Parts,
    PlanDay,
    RateImportance,
    Ratings,
    Reminder,
    Replan,
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

    def test_it_names_only_places_that_are_known(self) -> None:
        for question, answer in self._answers():
            for place in _places(answer):
                assert place in question.me.places, f"a known place, found {place!r}"

    def test_a_day_runs_from_waking_to_bed_in_order(self) -> None:
        for question, answer in self._answers():
            if isinstance(question, PlanDay) and isinstance(answer, DayPlan):
                assert answer.entries[0].start == answer.wake, "the first entry starts at waking"
                _in_order(answer.entries, answer.wake, answer.bed)

    def test_a_new_plan_runs_from_now_to_bed_in_order(self) -> None:
        for question, answer in self._answers():
            if isinstance(question, Replan) and isinstance(answer, NewPlan):
                now, bed = f"{question.me.now:%H:%M}", f"{question.bedtime:%H:%M}"
                first = answer.entries[0].model_copy(update={"start": now})
                _in_order((first, *answer.entries[1:]), now, bed)

    def test_parts_are_done_at_what_is_there(self) -> None:
        for question, answer in self._answers():
            if isinstance(question, Decompose) and isinstance(answer, Parts):
                for part in answer.parts:
                    there = part.object in ("", *question.objects)
                    assert there, f"an object that is there, found {part.object!r}"

    def test_every_text_is_rated(self) -> None:
        for question, answer in self._answers():
            if isinstance(question, RateImportance) and isinstance(answer, Ratings):
                assert len(answer.ratings) == len(question.texts), "as many ratings as texts"

    def test_nothing_is_agreed_for_a_day_that_is_gone(self) -> None:
        for question, answer in self._answers():
            if isinstance(answer, Summary):
                for agreed in answer.agreed:
                    today = question.me.now.date().isoformat()
                    assert agreed.day >= today, f"today or later, found {agreed.day}"

    def test_what_tdp_writes_has_words(self) -> None:
        for _, answer in self._answers():
            for text in _of_tdp(answer):
                assert text.strip(), f"words, found an empty line in {answer!r}"

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


def _places(answer: BaseModel) -> Iterator[str]:
    if isinstance(answer, DayPlan | NewPlan):
        yield from (entry.place for entry in answer.entries if entry.place)
    elif isinstance(answer, Choice):
        yield answer.place


def _of_tdp(answer: BaseModel) -> Sequence[str]:
    match answer:
        case Lines():
            return answer.lines
        case Reminder():
            return (answer.text,)
        case Items():
            return answer.items
    return ()


def _in_order(entries: Sequence[Entry], start: str, bed: str) -> None:
    """A day may end after midnight, but no entry starts there."""
    starts = [entry.start for entry in entries]
    assert starts == sorted(set(starts)), f"entries in order of time, found {', '.join(starts)}"
    assert not start < bed <= starts[-1], f"entries that start before bed, found {starts[-1]}"
