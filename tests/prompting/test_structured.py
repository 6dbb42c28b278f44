"""From a model's text to a typed value, or to a sentence about what is wrong with it."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import Annotated, Any, Literal, Self

import pytest
from hypothesis import example, given, settings, strategies as st
from pydantic import BaseModel, ConfigDict, Field, create_model

from sociolab.core import ReplyError
from sociolab.prompting import extract_spoken, parse_reply_text, schema_of, structured
from sociolab.prompting.structured import _find_objects


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
    assert parse_reply_text(text, Turn) == Turn(action="speak", text="Hello.")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "expected a JSON object, found an empty reply"),
        ("<think>what shall I", "expected a reply after the reasoning, found reasoning alone"),
        ("<think>hm</think>", "expected a JSON object, found an empty reply"),
        ("Hello  there.", 'expected a JSON object, found the text "Hello there."'),
        ('{"action":"speak","text":"Hel', "expected a JSON object, found broken JSON"),
        ("{'action': 'speak'}", "expected a JSON object, found broken JSON"),
        (
            '{"action":"sing","text":""}',
            "action: expected 'speak' or 'none', found \"sing\"",
        ),
        ('{"action":"none"}', "text is missing"),
        ("[" * 9999 + "{" * 9999, "expected a JSON object, found broken JSON"),
        ('{"a":' * 9999, "expected a JSON object, found broken JSON"),
        ('{"a":[' * 300 + "]}" * 300, "expected a JSON object (recursion limit exceeded"),
        ('{"action":"speak","text":' + "9" * 9999 + "}", "expected a JSON object (number out"),
        ('{"action":"speak","text":' + "9" * 9999, "expected a JSON object, found broken JSON"),
        ('{"action":"speak","text":1e999}', "text: expected a string, found Infinity"),
        ("{" + f'"{"k" * 9999}":1,' * 3 + '"text":""}', "action is missing"),
        ("words " * 99999, "expected a JSON object, found 599,994 characters that are none"),
    ],
)
def test_what_cannot_be_read_is_a_sentence_with_the_raw_text(text: str, problem: str) -> None:
    with pytest.raises(ReplyError) as caught:
        parse_reply_text(text, Turn)
    assert str(caught.value).startswith(problem)
    assert caught.value.raw == text
    assert caught.value.cause == "unreadable"


@pytest.mark.parametrize("outer", ['{"reply": %s', '{"reply": %s, "why": "I wan'])
def test_what_is_inside_an_object_that_was_cut_off_is_not_taken_for_the_reply(outer: str) -> None:
    with pytest.raises(ReplyError, match="broken JSON"):
        parse_reply_text(outer % HELLO, Turn)


def test_half_a_surrogate_pair_is_a_problem_and_no_crash() -> None:
    with pytest.raises(ReplyError):
        parse_reply_text('{"action":"speak","text":"\\ud83d"}', Turn)


# What JSON is made of, whole and in pieces; halves of surrogate pairs are text, too.
PIECES = st.sampled_from('{}[]":,\\x1- \n\x01\ud83d') | st.sampled_from(
    ['{"a":', '{"', '"}', '{"a": 1}', "{}", "],", '"b":', '"y"', "01", "true", "nul", "NaN", HELLO]
)
LONG_PIECES = st.sampled_from(["\\n", "\\x", "```", "<think>", "</think>", "9" * 4400])
ANY_TEXT = st.text(st.characters()) | st.lists(PIECES | LONG_PIECES, max_size=30).map("".join)


@given(ANY_TEXT, ANY_TEXT)
def test_any_text_is_read_or_refused(before: str, after: str) -> None:
    for text in (before, before + HELLO + after, HELLO[:20] + before):
        with suppress(ReplyError):
            assert isinstance(parse_reply_text(text, Turn), Turn)


def objects_by_json(text: str) -> list[str]:
    """The outermost objects as Python's own decoder finds them, trying one brace after another."""
    found, at = [], text.find("{")
    while at >= 0:
        try:
            _, end = json.JSONDecoder().raw_decode(text, at)
        except json.JSONDecodeError as error:
            if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
                break
            end = at + 1
        else:
            found.append(text[at:end])
        at = text.find("{", end)
    return found


@settings(max_examples=400)
@given(st.lists(PIECES, max_size=30).map("".join))
@example('{"a" "{}')
@example('{"text": "I say {"action": "speak"} now"}')
def test_the_objects_in_a_text_are_those_that_json_finds(text: str) -> None:
    assert [text[start:end] for start, end in _find_objects(text).spans] == objects_by_json(text)


class Reader:
    """Reads tokens, and counts the characters that it went over."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self._pattern = pattern
        self.characters = 0

    def match(self, text: str, at: int) -> re.Match[str] | None:
        found = self._pattern.match(text, at)
        assert found is not None
        self.characters += found.end() - at + 1
        return found


SOME = st.lists(PIECES, max_size=5).map("".join)


@settings(max_examples=100)
@given(before=SOME, again=SOME.filter(bool), after=SOME)
@example(before="", again="{", after="")
@example(before="", again='{"', after="")
@example(before="", again='{"a":', after="x")
@example(before='{"a":"', again='{"b":[{"c":1},', after="x")
@example(before='{"a":[', again='{"b":1} ', after='"')
@example(before='{"', again='\\"{', after='"')
def test_the_work_grows_with_the_length_and_not_faster(before: str, again: str, after: str) -> None:
    reader = Reader(structured._TOKEN)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(structured, "_TOKEN", reader)
        for times in (50, 500):
            text = before + again * times + after
            reader.characters = 0
            _find_objects(text)
            # Once within quotation marks and once without, and a step for each token.
            assert reader.characters <= 4 * len(text)


def test_few_of_many_objects_are_tried() -> None:
    tried = []

    class Counted(Turn):
        @classmethod
        def model_validate_json(cls, *args: Any, **more: Any) -> Self:
            tried.append(args)
            return super().model_validate_json(*args, **more)

    with pytest.raises(ReplyError):
        parse_reply_text("{}" * 50_000, Counted)
    assert len(tried) == 1001
    assert parse_reply_text("{}" * 50_000 + HELLO, Counted).text == "Hello."


@pytest.mark.parametrize(
    "tag", ["<think>", "</think>", "<thinking></think>", "<think", "<think></", "think "]
)
def test_megabytes_of_reasoning_are_passed_over(tag: str) -> None:
    # No time is measured: what does not grow with the length alone would take days here.
    assert extract_spoken(tag * 500_000 + "</think>left") == "left"


# Marks of chat formats ("<seed:bos>") are refused, and hypothesis draws strings of the source.
_WORDS = st.text(st.characters(exclude_characters="|\uff5c[\u25c1"), max_size=200)


@given(said=_WORDS.map(lambda text: re.sub(r"<(?=[^\s<])", "< ", text)))
def test_what_is_said_comes_through_unchanged(said: str) -> None:
    assert parse_reply_text(json.dumps({"action": "speak", "text": said}), Turn).text == said


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


def test_all_fields_that_are_missing_are_named_at_once() -> None:
    names = ("outcome", "price", "in_words", "offer", "acceptance")
    kind = create_model("Closing", **dict.fromkeys(names, (str, ...)))  # type: ignore[call-overload]
    with pytest.raises(ReplyError, match=r"^price, in_words, offer, acceptance are missing$"):
        parse_reply_text('{"outcome": "agreed"}', kind)
