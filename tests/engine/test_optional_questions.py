"""Questions on which nothing hangs: no failure of an answer fails, ends or delays an episode."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest
from pydantic import BaseModel

from fake_models import FakeModel
from sociolab.agents import Dialect, PromptedPlayer, SeatedPlayer, human
from sociolab.agents.human import missed_turns
from sociolab.core import (
    Act,
    Action,
    Answered,
    Json,
    ModelError,
    Moved,
    NoReply,
    Question,
    Reply,
    Request,
    SociolabError,
    StoreError,
    Unusable,
    WorldError,
    decode_event,
    encode_event,
)
from sociolab.engine import Poll
from sociolab.runner import ForeignPlayer, guard, progress
from sociolab.testing import StockScene, ending_of, play_scene

SEATS = ("first", "second")


class Outcome(BaseModel):
    price: int


class Mood(BaseModel):
    mood: str


ASKED = Question("outcome", "What was agreed?", Outcome, optional=True)
SCENE = StockScene(polls=(Poll(None, SEATS, ASKED),), limit=2)
HELLO = Reply((Action("speak", "Hello."),))


@dataclass
class Answers:
    """Takes its turns, and answers the question with this, or raises it."""

    answer: object
    asked: int = 0

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        if not isinstance(request.expected, Question):
            return HELLO
        self.asked += 1
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("answer", "cause", "asked"),
    [
        (ValueError("no key"), "plugin", 1),
        (WorldError("broken"), "plugin", 1),
        (ModelError("500", cause="server error"), "server error", 1),
        (Reply(Mood(mood="well")), "plugin", 1),
        (HELLO, "plugin", 1),
        ("seventy", "plugin", 1),
        (None, "plugin", 1),
        (NoReply("gave up", "I will not say", again=False), "gave up", 1),
        (NoReply("unreadable", "found prose"), "unreadable", 3),
    ],
)
def test_whatever_goes_wrong_is_an_unanswered_question_on_record(
    answer: object, cause: str, asked: int
) -> None:
    broken, good = Answers(answer), Answers(Reply(Outcome(price=7)))
    events = play_scene(SCENE, {"first": broken, "second": good})
    assert ending_of(events).reason == "turn limit"
    assert [e.seat for e in events if isinstance(e, Moved)] == ["first", "second"]
    assert [e.value for e in events if isinstance(e, Answered)] == [{"price": 7}]
    failed = [e for e in events if isinstance(e, Unusable)]
    assert [(e.seat, e.name, e.cause) for e in failed] == [("first", "outcome", cause)] * asked
    assert failed[-1].final
    assert broken.asked == asked


@pytest.mark.parametrize(
    "error", [StoreError("the disk is full"), ModelError("401", cause="credentials", fatal=True)]
)
def test_what_stops_the_whole_run_passes_through(error: SociolabError) -> None:
    with pytest.raises(type(error)):
        play_scene(SCENE, {"first": Answers(error), "second": Answers(error)})


def test_it_is_never_put_again() -> None:
    players = {"first": Answers(ValueError("no key")), "second": Answers(ValueError("no key"))}
    events = play_scene(SCENE, players)
    never = {seat: Answers(AssertionError("asked again")) for seat in SEATS}
    assert play_scene(SCENE, never, journal=events[:-1]) == events
    assert [player.asked for player in never.values()] == [0, 0]


def test_whoever_left_is_asked_like_the_others() -> None:
    class Leaver(Answers):
        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            if not isinstance(request.expected, Question):
                return Reply((Action("leave"),))
            return await super().reply(request, memory)

    scene = StockScene(polls=SCENE.polls)
    events = play_scene(
        scene, {"first": Leaver(Reply(Outcome(price=1))), "second": Answers(ValueError("?"))}
    )
    assert ending_of(events).reason == "left"
    assert [(e.seat, e.value) for e in events if isinstance(e, Answered)] == [
        ("first", {"price": 1})
    ]


def test_a_player_of_ones_own_that_hangs_is_waited_for_once_and_not_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(guard, "OPTIONAL_SECONDS", 0.01)

    class Hangs(Answers):
        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            if isinstance(request.expected, Question):
                self.asked += 1
                await asyncio.sleep(60)
            return HELLO

    slow = Hangs(None)
    kept = ForeignPlayer(slow, "own", "task", None, progress.Waits())
    events = play_scene(SCENE, {"first": kept, "second": Answers(Reply(Outcome(price=7)))})
    failed = [e for e in events if isinstance(e, Unusable)]
    assert [(e.seat, e.cause, e.final) for e in failed] == [("first", "timeout", True)]
    assert slow.asked == 1


def test_a_person_who_does_not_answer_it_has_missed_no_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(human, "FORM_SECONDS", 0.01)

    async def asked(question: Question, *, gone: bool) -> NoReply:
        player = SeatedPlayer(0.01, lambda: None)
        if gone:
            player.leave()
        observation = SCENE.witness("first").observe(2)
        given = await player.reply(Request("t", 0, "first", 2, 1, question, observation), 1)
        assert isinstance(given, NoReply)
        return given

    required = Question("mood", "How do you feel?", Mood)
    for gone in (True, False):
        assert missed_turns(asyncio.run(asked(ASKED, gone=gone)).memory) == 1
        assert missed_turns(asyncio.run(asked(required, gone=gone)).memory) == 2


def test_what_a_seat_is_asked_last_says_so() -> None:
    asked: list[tuple[str, str, bool]] = []

    class Notes(Answers):
        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            asked.append((request.seat, request.name, request.last))
            return await super().reply(request, memory)

    mood = Question("mood", "How do you feel?", Mood, optional=True)
    polls = (Poll(1, ("first",), mood), Poll(None, SEATS, ASKED), Poll(None, ("first",), mood))
    refuses = NoReply("gave up", "no", again=False)
    play_scene(StockScene(polls=polls, limit=2), dict.fromkeys(SEATS, Notes(refuses)))
    assert asked == [
        ("first", "act", False), ("first", "mood", False), ("second", "act", False),
        ("first", "outcome", False), ("second", "outcome", True), ("first", "mood", True),
    ]  # fmt: skip


# ------------------------------------------------------------------ the prompt of a question


@pytest.mark.parametrize("dialect", ["json", "plain"])
def test_after_ten_turns_nine_tenths_of_its_prompt_repeat_a_turns_prompt(dialect: Dialect) -> None:
    words = "I would give thirty for it, and not a dollar more, since the mudguard is loose."
    said = f'{{"action":"speak","text":"{words}"}}' if dialect == "json" else f"speak: {words}"
    model = FakeModel(*[said] * 11, '{"price":30}')
    player = PromptedPlayer(model, dialect=dialect)
    scene = StockScene(limit=11, polls=(Poll(None, ("first",), ASKED),))
    play_scene(scene, {"first": player, "second": player})
    turns = [
        "".join(message.text for message in prompt.messages)
        for prompt, key in model.calls
        if (key.name, key.seat) == ("act", "first")
    ]
    question = "".join(message.text for message in model.calls[-1][0].messages)
    assert model.calls[-1][1].name == "outcome"
    shared = next(i for i, (a, b) in enumerate(zip(turns[-1], question, strict=False)) if a != b)
    assert shared >= 0.9 * (len(question) - len(words))  # the last line came after that turn


# ------------------------------------------------------------------ acts


def test_acts_are_kept_and_seen_like_the_line_and_stay_out_of_its_words() -> None:
    offer = Action("speak", "Thirty.", acts=(Act("offer", {"price": 30}),))

    class Annotates:
        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            for line in request.observation.history:
                assert line.actions == (offer,)
                assert "offer" not in line.text
            return Reply((offer,))

    events = play_scene(StockScene(limit=3), dict.fromkeys(SEATS, Annotates()))
    assert [e.actions for e in events if isinstance(e, Moved)] == [(offer,)] * 3
    assert [decode_event(encode_event(e)) for e in events] == list(events)


def test_no_player_of_ones_own_writes_acts() -> None:
    forged = Reply((Action("speak", "Thirty.", acts=(Act("offer", {"price": 30}),)),))

    class Forger:
        async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
            return forged

    kept = ForeignPlayer(Forger(), "own", "task", None, progress.Waits())
    events = play_scene(StockScene(limit=2), {"first": kept, "second": Answers(None)})
    assert [a.acts for e in events if isinstance(e, Moved) for a in e.actions] == [(), ()]
