"""A person at the terminal."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field, model_validator
from pydantic.json_schema import SkipJsonSchema

import sociolab
from sociolab.agents import TerminalPlayer
from sociolab.core import (
    Action,
    ActionKind,
    ActionSpace,
    Ended,
    FieldWording,
    Moved,
    NoReply,
    Question,
    Reply,
    Request,
    Unusable,
    Wording,
)
from sociolab.engine import Poll
from sociolab.testing import StockScene, play_scene

SOURCE = str(Path(sociolab.__path__[0]).parent)


class Person:
    """Lines to be typed, and what was shown."""

    def __init__(self, *lines: str) -> None:
        self.screen = io.StringIO()
        self.player = TerminalPlayer(
            io.StringIO("".join(f"{line}\n" for line in lines)), self.screen
        )

    @property
    def seen(self) -> str:
        return self.screen.getvalue()


def request(wanted: ActionSpace | Question | None = None) -> Request:
    scene = StockScene()
    return Request("t", 0, "first", 0, 1, wanted or scene.space, scene.witness("first").observe(0))


def reply_of(person: Person, asked: Request, memory: int | None = None) -> Reply | NoReply:
    return asyncio.run(person.player.reply(asked, memory))


def test_a_bare_line_is_spoken() -> None:
    assert reply_of(Person("Hello."), request()) == Reply((Action("speak", "Hello."),), 0)


def test_a_whole_episode_shows_the_head_once_and_then_what_is_new() -> None:
    ada, ben = Person("Hello.", "/act waves", "/leave"), Person("Hi.", "What?")
    events = play_scene(StockScene(), {"first": ada.player, "second": ben.player})
    assert [event.actions[0].kind for event in events if isinstance(event, Moved)] == [
        "speak",
        "speak",
        "act",
        "speak",
        "leave",
    ]
    assert events[-1] == Ended("left", 4, "first")
    assert ada.seen.count("You are Ada.") == 1
    assert ada.seen.count("=== You are Ada from here on ===") == 1
    assert ada.seen.count("Ben: Hi.") == 1
    assert ada.seen.count("Ben: What?") == 1
    assert "Ada: Hello." not in ada.seen
    assert "Ada, turn 5 of 8" in ada.seen


def test_what_was_shown_is_known_from_the_memory_alone() -> None:
    asked = request()
    shown = asked.observation
    scene = StockScene().witness("first")
    for turn in range(3):
        scene.see(Moved(turn, "second", (Action("speak", f"line {turn}"),)))
    later = replace(asked, observation=replace(shown, history=scene.observe(3).history))
    person = Person("Hello.")
    assert reply_of(person, later, 2) == Reply((Action("speak", "Hello."),), 3)
    assert "line 2" in person.seen
    assert "line 1" not in person.seen
    assert "You are Ada." not in person.seen


def test_bad_input_is_asked_for_again_with_the_reason() -> None:
    person = Person("", "/sing la", "/2", "Hello.")
    assert reply_of(person, request()) == Reply((Action("speak", "Hello."),), 0)
    assert person.seen.count("Ada> ") == 4
    assert 'found "/sing" (? for help)' in person.seen


def test_a_question_mark_shows_help_and_two_the_whole_scene() -> None:
    person = Person("?", "??", "Hello.")
    reply_of(person, request(), 0)
    assert person.seen.count("A bare line is") == 2
    assert person.seen.count("You are Ada.") == 1


def test_a_problem_that_the_scene_has_with_a_reply_is_shown() -> None:
    person = Person("Hello.")
    reply_of(person, replace(request(), attempt=2, problem="Ben has left"), 0)
    assert "That could not be used: Ben has left" in person.seen


def test_the_end_of_the_input_gives_the_turn_up() -> None:
    person = Person()
    found = reply_of(person, request())
    told = "the person playing Ada gave no answer"
    assert found == NoReply("gave up", told, again=False, memory=0)
    events = play_scene(StockScene(limit=1), {"first": Person().player, "second": Person().player})
    assert isinstance(events[0], Unusable)
    assert events[0].final


def test_who_gave_a_turn_up_is_not_shown_the_scene_anew() -> None:
    person = Person()
    play_scene(StockScene(), {"first": person.player, "second": Person("Hi.", "/leave").player})
    assert person.seen.count("You are Ada.") == 1
    assert person.seen.count("Ben: Hi.") == 1


def test_a_turn_of_several_actions_ends_with_an_empty_line() -> None:
    space = ActionSpace((ActionKind("speak", spoken=True), ActionKind("act")), most=3)
    person = Person("Hello.", "/act waves", "", "never read")
    found = reply_of(person, request(space))
    assert isinstance(found, Reply)
    assert found.value == (Action("speak", "Hello."), Action("act", "waves"))
    assert "(1 of 3, Enter: done)> " in person.seen


class Mood(BaseModel):
    mood: int
    words: str = "none"

    @model_validator(mode="after")
    def _not_thirteen(self) -> Mood:
        if self.mood == 13:
            raise ValueError("13 is no mood")
        return self


MOOD = Question("mood", "How do you feel?", Mood)


def test_a_question_is_answered_in_json() -> None:
    person = Person("fine", '{"mood": 3}')
    assert reply_of(person, request(MOOD)) == Reply(Mood(mood=3), 0)
    assert "How do you feel?" in person.seen
    assert "expected a JSON object" in person.seen


def test_a_question_is_answered_field_by_field() -> None:
    person = Person("", "good", "13", "", "", "4", "so so")
    assert reply_of(person, request(MOOD)) == Reply(Mood(mood=4, words="so so"), 0)
    assert "13 is no mood" in person.seen


class Noted(BaseModel):
    words: str
    ids: SkipJsonSchema[list[str]] = []


def test_what_the_schema_of_an_answer_leaves_out_is_asked_of_nobody() -> None:
    person = Person("", "so so")
    assert reply_of(person, request(Question("note", "Well?", Noted))) == Reply(
        Noted(words="so so"), 0
    )
    assert "ids" not in person.seen


class Deal(BaseModel):
    outcome: Literal["agreed", "nothing"]
    price: Annotated[float, Field(ge=0)] | None
    words: str
    offer: str

    @model_validator(mode="after")
    def _not_thirteen(self) -> Deal:
        if self.price == 13:
            raise ValueError("13 is no price")
        return self


WORDING = Wording(
    "One last question.",
    (
        FieldWording(
            "outcome", "Did you agree?", choices=(("agreed", "Yes, we did"), ("nothing", "No"))
        ),
        FieldWording("price", "For how much?", only_if=("outcome", ("agreed",))),
        FieldWording("words", "Anything else?"),
        FieldWording(
            "offer", "Which line said so?", is_line=True, only_if=("outcome", ("agreed",))
        ),
    ),
)
DEAL = Question("deal", "deal?", Deal, optional=True, wording=WORDING)
SKIP = NoReply("gave up", "the person skipped the question", again=False, memory=2)


def closing(*lines: str) -> tuple[Person, Reply | NoReply]:
    """A form at the end of two lines, and these typed into it."""
    person, scene = Person(*lines), StockScene().witness("first")
    for turn, (seat, text) in enumerate((("first", "Five dollars?"), ("second", "Yes."))):
        scene.see(Moved(turn, seat, (Action("speak", text),)))
    asked = replace(request(DEAL), observation=scene.observe(2), last=True)
    return person, reply_of(person, asked, 1)


def test_an_optional_question_is_a_form_that_is_filled_in_field_by_field() -> None:
    person, found = closing("1", "5", "", "1")
    assert found == Reply(Deal(outcome="agreed", price=5, words="", offer="Five dollars?"), 2)
    assert "--- Ada, the conversation is over ---" in person.seen
    assert "One last question." in person.seen
    assert "deal?" not in person.seen
    assert "  1  Yes, we did\n  2  No\n" in person.seen
    assert "  1  You: Five dollars?\n  2  Ben: Yes.\n" in person.seen


def test_what_does_not_fit_is_not_asked_for() -> None:
    person, found = closing("2", "bye")
    assert found == Reply(Deal(outcome="nothing", price=None, words="bye", offer=""), 2)
    assert "For how much?" not in person.seen


def test_an_empty_first_answer_skips_the_question() -> None:
    assert closing("")[1] == SKIP
    person, found = closing("1", "", "")  # the price that it needs is left empty twice
    assert found == SKIP
    assert person.seen.count("Press Enter again to skip the whole question.") == 1


def test_what_cannot_be_used_in_a_form_is_asked_for_again_with_the_reason() -> None:
    person, found = closing("yes", "1", "cheap", "-1", "13", "", "7", "", "1", "5", "", "2")
    assert found == Reply(Deal(outcome="agreed", price=5, words="", offer="Yes."), 2)
    assert 'expected a number from 1 to 2, found "yes"' in person.seen
    assert 'expected a number, found "cheap"' in person.seen
    assert "expected at least 0" in person.seen
    assert 'expected a number from 1 to 2, found "7"' in person.seen
    assert "13 is no price. Once more, please." in person.seen


def test_the_end_of_the_input_leaves_the_question_unanswered_and_the_episode_ends() -> None:
    for typed in ((), ("1",), ("1", "5")):
        _, found = closing(*typed)
        assert isinstance(found, NoReply)
        assert (found.cause, found.again) == ("gave up", False)
    scene = StockScene(limit=2, polls=(Poll(None, ("first", "second"), DEAL),))
    ada, ben = Person("Hello."), Person("Hi.", "2", "")
    events = play_scene(scene, {"first": ada.player, "second": ben.player})
    assert [type(event).__name__ for event in events] == [
        "Moved", "Moved", "Unusable", "Answered", "Ended",
    ]  # fmt: skip


def test_what_others_write_cannot_steer_the_terminal() -> None:
    person = Person("Hello.")
    asked = request()
    reply_of(
        person, replace(asked, observation=replace(asked.observation, head="\x1b[2Ja\x00\ud800"))
    )
    assert "\N{REPLACEMENT CHARACTER}[2Ja\N{REPLACEMENT CHARACTER}" in person.seen
    assert "\x1b" not in person.seen
    person.seen.encode()


def test_players_of_one_terminal_take_turns() -> None:
    source, screen = io.StringIO("one\ntwo\nthree\n"), io.StringIO()
    players = [TerminalPlayer(source, screen) for _ in range(3)]

    async def ask() -> list[Reply | NoReply]:
        return await asyncio.gather(*(player.reply(request(), 0) for player in players))

    found = asyncio.run(ask())
    assert [
        reply.value[0].text
        for reply in found
        if isinstance(reply, Reply) and isinstance(reply.value, tuple)
    ] == [
        "one",
        "two",
        "three",
    ]
    blocks = screen.getvalue().split("--- Ada")[1:]
    assert [block.count("Ada> ") for block in blocks] == [1, 1, 1]


def test_a_terminal_serves_one_loop_after_another() -> None:
    player = TerminalPlayer(io.StringIO("a\nb\nc\nd\n"), io.StringIO())

    async def two() -> None:
        await asyncio.gather(player.reply(request(), 0), player.reply(request(), 0))

    asyncio.run(two())
    asyncio.run(two())


def test_waiting_for_a_person_leaves_the_loop_free_and_a_late_line_to_the_next() -> None:
    reading, writing = os.pipe()
    with open(reading) as source, open(writing, "w") as keyboard:
        player = TerminalPlayer(source, io.StringIO())

        async def go() -> None:
            waiting = asyncio.ensure_future(player.reply(request(), 0))
            for _ in range(5):
                await asyncio.sleep(0.01)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            keyboard.write("late\nnext\n")
            keyboard.flush()
            for words in ("late", "next"):
                found = await player.reply(request(), 0)
                assert found == Reply((Action("speak", words),), 0)

        asyncio.run(go())


def test_a_line_without_an_end_counts_before_the_end_of_the_input() -> None:
    reading, writing = os.pipe()
    os.write(writing, "caf\xe9\xff".encode("latin-1"))
    os.close(writing)
    with open(reading) as source:
        player = TerminalPlayer(source, io.StringIO())
        found = asyncio.run(player.reply(request(), 0))
        assert found == Reply((Action("speak", "caf\ufffd\ufffd"),), 0)
        assert isinstance(asyncio.run(player.reply(request(), 0)), NoReply)


WAITING = """
import asyncio
from sociolab.agents.human import TerminalPlayer
from sociolab.testing.playing import play_scene
from sociolab.testing.playing import StockScene
play_scene(StockScene(), dict.fromkeys(("first", "second"), TerminalPlayer()))
"""


def test_ctrl_c_ends_a_process_that_waits_for_a_person() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WAITING],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": SOURCE},
        bufsize=0,
    ) as child:
        assert child.stderr is not None
        try:
            shown = b""
            while b"Ada> " not in shown:
                shown += child.stderr.read(1000)
            time.sleep(0.05)  # until it waits
            child.send_signal(signal.SIGINT)
            child.wait(timeout=20)  # its input stays open: the thread that reads goes on waiting
            rest = child.stderr.read()
            assert b"KeyboardInterrupt" in rest
            assert b"Fatal" not in rest
        finally:
            child.kill()
