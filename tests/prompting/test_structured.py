"""From a model's text to a typed value, or to a sentence about what is wrong with it."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from sociolab.core.errors import ReplyError
from sociolab.prompting.structured import read, schema_of, without_thinking


class Turn(BaseModel):
    model_config = ConfigDict(extra="forbid")

    action: Literal["speak", "none"]
    text: str


HELLO = '{"action":"speak","text":"Hello."}'


@pytest.mark.parametrize(
    "text",
    [
        HELLO,
        f"  {HELLO}\n",
        f"```json\n{HELLO}\n```",
        f"Sure! Here it is:\n{HELLO}\nAnything else?",
        f'<think>{{"action":"none","text":""}}</think>{HELLO}',
        f"<thinking>\nhm {{\n</thinking>\n{HELLO}",
        f"the server kept the opening mark </think>{HELLO}",
        f'First {{"action":"none","text":"x"}}, no: {HELLO}',
        f"With a {{brace}} before: {HELLO}",
        f'{HELLO} and then {{"action":"speak","text":"it was cut o',
    ],
)
def test_the_last_object_that_fits_is_read(text: str) -> None:
    assert read(text, Turn) == Turn(action="speak", text="Hello.")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "expected a JSON object, found an empty reply"),
        ("<think>what shall I", "expected a JSON object, found an empty reply"),
        ("Hello  there.", 'expected a JSON object, found the text "Hello there."'),
        ('{"action":"speak","text":"Hel', "expected a JSON object, found broken JSON"),
        ("{'action': 'speak'}", "expected a JSON object, found broken JSON"),
        (
            '{"action":"sing","text":""}',
            "action: input should be 'speak' or 'none', found \"sing\"",
        ),
        ('{"action":"none"}', 'text: field required, found {"action": "none"}'),
        ("[" * 9999 + "{" * 9999, "expected a JSON object, found broken JSON"),
    ],
)
def test_what_cannot_be_read_is_a_sentence_with_the_raw_text(text: str, problem: str) -> None:
    with pytest.raises(ReplyError) as caught:
        read(text, Turn)
    assert str(caught.value).startswith(problem)
    assert caught.value.raw == text
    assert caught.value.cause == "unreadable"


@pytest.mark.parametrize("outer", ['{"reply": %s', '{"reply": %s, "why": "I wan'])
def test_what_is_inside_an_object_that_was_cut_off_is_not_taken_for_the_reply(outer: str) -> None:
    with pytest.raises(ReplyError, match="broken JSON"):
        read(outer % HELLO, Turn)


def test_half_a_surrogate_pair_is_a_problem_and_no_crash() -> None:
    with pytest.raises(ReplyError):
        read('{"action":"speak","text":"\\ud83d"}', Turn)


@given(st.text(), st.text())
def test_any_text_is_read_or_refused(before: str, after: str) -> None:
    for text in (before, before + HELLO + after, HELLO[:20] + before):
        with suppress(ReplyError):
            assert isinstance(read(text, Turn), Turn)


@given(said=st.text(max_size=200))
def test_what_is_said_comes_through_unchanged(said: str) -> None:
    assert read(json.dumps({"action": "speak", "text": said}), Turn).text == said


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("plain", "plain"),
        ("I think so.", "I think so."),
        ("<think>a</think>b<think>c</think>d", "bd"),
        ("a</think>b", "b"),
        ("a<think>b", "a"),
        ("<think>a<think>b</think>c</think>d", "d"),
    ],
)
def test_reasoning_is_left_out(text: str, left: str) -> None:
    assert without_thinking(text) == left


def test_a_schema_is_short_and_complete() -> None:
    class Inner(BaseModel):
        """Described."""

        model_config = ConfigDict(extra="forbid")

        title: str = Field("x", description="of the book")
        level: Annotated[int, Field(ge=0, le=10)]

    class Outer(BaseModel):
        items: list[Inner]
        kind: Literal["title", "default"]

    schema = schema_of(Outer)
    assert schema.name == "Outer"
    assert json.loads(schema.text) == {
        "$defs": {
            "Inner": {
                "additionalProperties": False,
                "properties": {
                    "title": {"type": "string"},
                    "level": {"maximum": 10, "minimum": 0, "type": "integer"},
                },
                "required": ["level"],
                "type": "object",
            }
        },
        "properties": {
            "items": {"items": {"$ref": "#/$defs/Inner"}, "type": "array"},
            "kind": {"enum": ["title", "default"], "type": "string"},
        },
        "required": ["items", "kind"],
        "type": "object",
    }
