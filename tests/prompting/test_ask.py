"""Asking a model for a typed reply, and again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal

import pytest
from pydantic import BaseModel, Field

from fake_models import FakeModel
from sociolab.core import CallKey, ChatReply, Message, ModelError, ReplyError, Schema, Served, Usage
from sociolab.prompting import schema_of
from sociolab.prompting.structured import (
    TypedReply,
    ask_model,
    estimate_needs,
    parse_reply,
    typed_prompt,
)


class Grade(BaseModel):
    grade: int


KEY = CallKey("t", "judge", "", 0, "j", 1)
PROMPT = typed_prompt("Be fair.", "Grade this.", Grade, 0.0)


def ask(
    model: FakeModel, attempts: int = 3, lacks: Callable[[Grade], str] = lambda _: ""
) -> TypedReply[Grade]:
    return asyncio.run(ask_model(model, PROMPT, Grade, KEY, lambda it: it, lacks, attempts))


def test_a_good_reply_is_asked_for_once() -> None:
    model = FakeModel('{"grade": 3}')
    assert ask(model) == TypedReply(Grade(grade=3), 1)
    assert model.calls == [(PROMPT, KEY)]


def test_an_unreadable_reply_is_sent_back_with_the_problem() -> None:
    model = FakeModel("three", '{"grade": 3}')
    found = ask(model)
    assert (found.value, found.attempts) == (Grade(grade=3), 2)
    prompt, key = model.calls[1]
    assert key.attempt == 2
    assert prompt.messages == (
        *PROMPT.messages,
        Message("assistant", "three"),
        Message(
            "user",
            "You have already tried to reply to this, but the reply could not be used: "
            'expected a JSON object, found the text "three". Reply again, in the form asked for.',
        ),
    )


def test_the_conversation_does_not_grow_with_every_attempt() -> None:
    model = FakeModel("one", "two", "three")
    with pytest.raises(ReplyError) as caught:
        ask(model)
    assert (caught.value.tries, caught.value.raw) == (3, "three")
    assert [len(prompt.messages) for prompt, _ in model.calls] == [2, 4, 4]


def test_an_empty_reply_is_sent_back_as_nothing() -> None:
    model = FakeModel("", '{"grade": 3}')
    ask(model)
    assert model.calls[1][0].messages[2].text == "(nothing)"


def test_a_reply_that_ran_on_is_sent_back_as_its_beginning_and_end() -> None:
    model = FakeModel(f"Well,{' and so' * 10_000} on.", "x" * 8_000, '{"grade": 3}')
    ask(model)
    sent = model.calls[1][0].messages[2].text
    assert sent.startswith("Well, and so and so")
    assert sent.endswith(" and so and so on.")
    assert "\n[62,009 characters left out]\n" in sent
    assert len(sent) == 8_000 + len("\n[62,009 characters left out]\n")
    assert model.calls[2][0].messages[2].text == "x" * 8_000


def test_a_problem_that_quotes_a_reply_at_length_is_cut() -> None:
    model = FakeModel('{"grade": 30}', '{"grade": 3}')
    ask(model, lacks=lambda g: "too high" * 10_000 if g.grade > 10 else "")
    assert len(model.calls[1][0].messages[-1].text) < 1_200


def test_a_complaint_is_sent_back_and_the_last_readable_reply_is_kept() -> None:
    model = FakeModel('{"grade": 30}', "broken {", '{"grade": 31}')
    found = ask(model, lacks=lambda g: "too high" if g.grade > 10 else "")
    assert found == TypedReply(Grade(grade=31), 3)
    assert "too high" in model.calls[1][0].messages[-1].text


def test_a_readable_reply_survives_an_unreadable_one_after_it() -> None:
    model = FakeModel('{"grade": 30}', "broken {")
    assert ask(model, 2, lambda _: "too high") == TypedReply(Grade(grade=30), 2)


def test_a_failed_call_passes_through() -> None:
    with pytest.raises(ModelError, match="gone"):
        ask(FakeModel(ModelError("gone", cause="connection")))


def test_a_call_that_fails_after_a_readable_reply_does_not_cost_it() -> None:
    late = ModelError("late", cause="timeout")
    assert ask(FakeModel('{"grade": 30}', late), lacks=lambda _: "no").value == Grade(grade=30)


def test_a_fatal_error_passes_through_even_then() -> None:
    spent = ModelError("spent", cause="budget", fatal=True)
    with pytest.raises(ModelError, match="spent"):
        ask(FakeModel('{"grade": 30}', spent), lacks=lambda _: "no")


def test_replies_that_were_cut_off_or_withheld_are_no_values() -> None:
    cut = ChatReply('{"grade": 3}', finish="length")
    with pytest.raises(ReplyError) as caught:
        parse_reply(cut, Grade)
    assert caught.value.cause == "truncated"
    with pytest.raises(ReplyError) as caught:
        parse_reply(ChatReply("", finish="content filter"), Grade)
    assert caught.value.cause == "content filter"


def cut(text: str = '{"grade": 3, "why": "so so so', cap: int | None = 300) -> ChatReply:
    return ChatReply(text, finish="length", served=Served(cap=cap))


def test_a_reply_that_is_cut_off_is_asked_for_again_once_with_its_limit() -> None:
    model = FakeModel(cut(), cut(), '{"grade": 3}')
    with pytest.raises(ReplyError) as caught:
        ask(model)
    assert (caught.value.tries, caught.value.cause) == (2, "truncated")
    assert len(model.calls) == 2
    assert model.calls[1][0].messages[-1].text == (
        "You have already tried to reply to this, but the reply could not be used: expected a "
        "whole reply, found one that was cut off at 300 tokens; write a shorter one. Reply again, "
        "in the form asked for."
    )


def test_a_shorter_reply_is_taken_and_other_problems_count_apart() -> None:
    assert ask(FakeModel(cut(), '{"grade": 3}')).value == Grade(grade=3)
    found = ask(FakeModel(cut(), "three", '{"grade": 3}'))
    assert (found.value, found.attempts) == (Grade(grade=3), 3)


def test_of_a_reply_that_was_cut_off_the_model_sees_the_beginning_alone() -> None:
    model = FakeModel(cut("so " * 1_000), '{"grade": 3}')
    ask(model)
    assert model.calls[1][0].messages[-2].text == ("so " * 1_000)[:500]


@pytest.mark.parametrize(("counted", "told"), [(70, "70 tokens"), (0, "the token limit")])
def test_a_limit_that_nobody_told_is_what_was_counted(counted: int, told: str) -> None:
    reply = ChatReply("{", finish="length", usage=Usage(9, counted))
    with pytest.raises(ReplyError, match=f"cut off at {told}; write a shorter one"):
        parse_reply(reply, Grade)


class Account(BaseModel):
    reason: str
    short: str = Field(max_length=80)
    score: int


class Accounts(BaseModel):
    first: Account
    several: list[Account]
    most: list[Account] = Field(max_length=2)
    either: Account | Literal["none"]


class Few(BaseModel):
    mood: Literal["good", "bad"]


def test_what_a_reply_needs_follows_from_its_schema() -> None:
    """An account is 200 + 80 / 4 + 20; there are 1 + 10 + 2 + 1 of them, a list being 10 long."""
    assert estimate_needs(schema_of(Account)) == 300, "240, but 300 at least"
    assert estimate_needs(schema_of(Accounts)) == 14 * 240
    assert estimate_needs(schema_of(Few)) == 300
    assert (
        estimate_needs(Schema("Any", '{"type":"array","items":{"type":"string"},"maxItems":99}'))
        == 4_000
    )
    assert estimate_needs(None) == 2_000
