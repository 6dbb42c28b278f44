"""The test suite that every mind must pass, and questions of every kind."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, datetime
from typing import Any

from pydantic import BaseModel

from sociolab.core.ports import NoReply, Observation, Question, Reply, Request
from sociolab.testing.players import ODD_TEXTS
from sociolab.town.mind import Mind, MindPlayer
from sociolab.town.questions import (
    QUESTIONS,
    Block,
    Me,
    Memory,
    MindQuestion,
    Other,
    QuestionMeta,
    TalkOrNot,
    Utter,
    Utterance,
)
from sociolab.town.residents import Resident


class MindContract:
    """Inherit from it and override `mind`, and `questions` if the town is your own.

    Raise `attempts` for a mind that may need several (a model); set `deterministic` to False for
    one that may answer equal questions differently.

    >>> from sociolab.testing import MindContract
    >>> from sociolab.town import ScriptedMind
    >>> class TestScriptedMind(MindContract):
    ...     def mind(self):
    ...         return ScriptedMind()
    >>> TestScriptedMind().test_it_answers_every_question_in_its_form()  # as pytest runs it
    """

    attempts = 1
    deterministic = True

    def mind(self) -> Mind:
        """Return a new mind."""
        raise NotImplementedError

    def questions(self) -> Sequence[MindQuestion[Any]]:
        """Return questions of every kind."""
        return stock_questions()

    def test_it_answers_every_question_in_its_form(self) -> None:
        kinds = {type(question) for question, _ in self._answers()}
        assert kinds == set(QUESTIONS), "questions of every kind are asked"

    def test_its_answers_fit_their_questions(self) -> None:
        for question, answer in self._answers():
            assert not (problem := question.problem_with(answer)), f"{question.name}: {problem}"

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
            for question in stock_questions(_append(odd)):
                self._check_usable(question, _ask(self.mind(), question))

    def test_it_survives_knowing_nobody_and_remembering_nothing(self) -> None:
        for question in self.questions():
            bare = _bare(question)
            self._check_usable(bare, _ask(self.mind(), bare))

    def _answers(self) -> Iterator[tuple[MindQuestion[Any], BaseModel]]:
        mind = self.mind()
        for question in self.questions():
            yield question, self._answer(mind, question)

    def _answer(self, mind: Mind, question: MindQuestion[Any]) -> BaseModel:
        problem = ""
        for attempt in range(1, self.attempts + 1):
            reply = _ask(mind, question, attempt, problem)
            self._check_usable(question, reply)
            if isinstance(reply, Reply):
                assert isinstance(reply.value, BaseModel)
                return reply.value
            problem = reply.problem
        raise AssertionError(f"an answer to {type(question).__name__}, found none: {problem}")

    def _check_usable(self, question: MindQuestion[Any], reply: Reply | NoReply) -> None:
        """Check that a reply is of the question's type and in its bounds, or says why not."""
        if isinstance(reply, NoReply):
            assert reply.problem, "a ReplyError says what is wrong"
            return
        kind = question.answer_type
        assert isinstance(reply.value, kind), f"a {kind.__name__}, found {reply.value!r}"
        # model_copy and model_construct check nothing.
        kind.model_validate_json(reply.value.model_dump_json())


_LONG = "ten kilobytes of words, "

STOCK_DAY = date(2024, 5, 13)

STOCK_GOAL = (
    "Hold a seed swap on Tuesday 14 May 2024 from 17:00 to 18:30 at Heron Park: bandstand, and "
    "have Ben Ashdown come."
)

STOCK_OBJECTS: dict[str, tuple[str, ...]] = {
    "3 Mill Lane: bedroom": ("bed", "wardrobe"),
    "3 Mill Lane: kitchen": ("stove", "table", "sink"),
    "3 Mill Lane: living room": ("sofa", "bookshelf"),
    "Finch Hardware: shop floor": ("counter", "shelf"),
    "Finch Hardware: workshop": ("workbench", "lathe"),
    "Heron Park: bandstand": ("bench",),
    "Heron Park: meadow": (),
    "Heron Park: pond shore": ("bench", "jetty"),
    "Lantern Cafe: counter room": ("counter", "table", "stool"),
    "Lantern Cafe: terrace": ("table",),
    "Larkfield Bakery: shop": ("counter", "display case"),
    "Greengage Market: shop floor": ("counter", "shelf", "freezer"),
    "Town Hall: foyer": ("notice board", "bench"),
    "Post Office: counter room": ("counter", "letter box"),
    "Copper Kettle Pub: bar room": ("bar", "table"),
}

_PLACES = tuple(STOCK_OBJECTS)


@dataclass(frozen=True)
class StockMemory:
    """A memory stream that returns the same memories for every query."""

    memories: tuple[Memory, ...]

    def recall(self, query: str, most: int) -> tuple[Memory, ...]:
        """The first `most` memories."""
        return self.memories[:most]

    def latest(self, most: int) -> tuple[Memory, ...]:
        """The last `most` memories."""
        return self.memories[-most:] if most else ()


def stock_questions(say: Callable[[str], str] = str) -> tuple[MindQuestion[Any], ...]:
    """A question of every kind, TDP's first; of `Utter` two, for the first and the last line of a
    conversation.

    `say` may change texts that others wrote or said: names, activities, memories, lines. Places
    and objects stay as they are.

    >>> from sociolab.testing import stock_questions
    >>> [question.name for question in stock_questions()][:4]
    ['general_plan', 'day_reminder', 'talk_reminder', 'plan_day']
    """
    return _Stock(say).questions()


class _Stock:
    def __init__(self, say: Callable[[str], str]) -> None:
        self._say = say
        self._step = 0
        self._memories = (
            Memory(_at(8, 10), "seen", say("Ben Ashdown is baking bread"), 2),
            Memory(_at(9, 0), "talk", say("Ben said that he has bean seeds left."), 4),
            Memory(_at(9, 20), "thought", say("I should ask who else has seeds."), None),
        )
        self._other = Other("ben", say("Ben Ashdown"), say("having tea"), say("old friend"))
        self._ahead = (
            Block(_at(11, 0), _at(13, 0), say("mending chairs"), _PLACES[4]),
            Block(_at(13, 0), _at(22, 0), say("resting"), _PLACES[2]),
        )
        self._lines = (
            Utterance("ada", say("Ada Finch"), say("Good morning, Ben!")),
            Utterance("ben", say("Ben Ashdown"), say("Morning. Supper at seven, as always?")),
        )
        self._plan = (say("See Ben."), say("Tell him of the swap."), say("Be there at 17:00."))

    def questions(self) -> tuple[MindQuestion[Any], ...]:
        return tuple(
            self._question(kind, **own)
            for kind in sorted(QUESTIONS, key=lambda kind: not kind.exact)
            for own in self._own_values().get(kind, [{}])
        )

    def _question(self, kind: type[MindQuestion[Any]], **own: object) -> MindQuestion[Any]:
        """Build a question by the names of its fields: a new kind with known fields needs no code
        here."""
        names = [field.name for field in fields(kind) if field.name not in ("meta", "me")]
        values = {name: own.get(name, self._field_values()[name]) for name in names}
        moment = _at(0) if "day" in names else _at(10)
        return kind(self._next_meta(), self._me(moment), **values)

    def _field_values(self) -> dict[str, object]:
        say, block = self._say, self._ahead[0]
        return {
            "ahead": self._ahead,
            "bedtime": _at(22),
            "block": block,
            "checklist": (say("Name the seed swap."), say("Ask for seeds.")),
            "closing": False,
            "day": STOCK_DAY,
            "goal": say(STOCK_GOAL),
            "last_talk": _at(9),
            "left": 1,
            "lines": self._lines,
            "memories": self._memories,
            "objects": STOCK_OBJECTS[block.place],
            "other": self._other,
            "plan": self._plan,
            "reminder": say("See Ben and invite him to the seed swap."),
            "started": True,
            "texts": tuple(memory.text for memory in self._memories),
            "what": say("buying flour"),
            "why": say("Ben asked for help with the oven"),
        }

    def _own_values(self) -> dict[type[MindQuestion[Any]], list[dict[str, object]]]:
        """Values of some questions that differ from the common ones."""
        say = self._say
        tea = Block(_at(9), _at(11), say("having tea"), _PLACES[8])
        return {
            TalkOrNot: [{"block": tea}],
            Utter: [
                {"lines": (), "left": 8, "why": say("I want to invite Ben to the seed swap")},
                {"plan": (), "checklist": (), "why": ""},
            ],
        }

    def _next_meta(self) -> QuestionMeta:
        self._step += 1
        return QuestionMeta("trial", 1, "ada", self._step)

    def _me(self, now: datetime) -> Me:
        people = {"ben": self._say("Ben Ashdown"), "cora": self._say("Cora Vale")}
        memory = StockMemory(self._memories)
        return Me(
            self._resident(),
            now,
            _PLACES,
            dict(STOCK_OBJECTS),
            people,
            memory,
            known_as={"ben": self._say("baker at Larkfield Bakery")},
            place="Lantern Cafe: counter room",
            names=_PLACES,
            doing=self._say("having tea"),
        )

    def _resident(self) -> Resident:
        say = self._say
        return Resident(
            id="ada",
            name=say("Ada Finch"),
            age=47,
            innate=say("patient, dry, curious"),
            learned=say("Ada Finch runs the hardware shop and grows old kinds of beans."),
            currently=say(STOCK_GOAL),
            lifestyle=say("Ada gets up at 06:30, eats at noon and at 19:00, and sleeps by 22:30."),
            living_area=_PLACES[0],
            routine=say("In the shop from 08:30 to 17:00, tea at the cafe in between."),
            knows=_PLACES,
            ties={self._say("Ben Ashdown"): say("old friend")},
        )


def _at(hour: int, minute: int = 0) -> datetime:
    return datetime(STOCK_DAY.year, STOCK_DAY.month, STOCK_DAY.day, hour, minute)


def _ask(
    mind: Mind, question: MindQuestion[Any], attempt: int = 1, problem: str = ""
) -> Reply | NoReply:
    """Ask as the engine does: a ReplyError becomes a NoReply, any other error passes through."""
    head = question.meta
    name, kind = question.name, question.answer_type
    observation = Observation(head.resident, "", head.step, 0, "", (), "", (), question)
    form = Question(name, "", kind)
    request = Request(
        head.trial, head.seed, head.resident, head.step, attempt, form, observation, problem
    )
    return asyncio.run(MindPlayer(mind).reply(request, None))


def _append(odd: str) -> Callable[[str], str]:
    return lambda text: f"{text} {odd}"


def _bare(question: MindQuestion[Any]) -> MindQuestion[Any]:
    """The question to somebody without people, memories or plans."""
    me = replace(question.me, people={})
    empty: dict[str, Any] = {
        name: () for name in ("memories", "ahead", "objects") if hasattr(question, name)
    }
    return replace(question, me=me, **empty)
