"""Units that are worth a test alone, from inside: prompting."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import example, given, settings, strategies as st

from sociolab.prompting import structured
from sociolab.prompting.sets import prompt
from sociolab.prompting.structured import _find_objects

HELLO = '{"action":"speak","text":"Hello."}'


# What JSON is made of, whole and in pieces; halves of surrogate pairs are text, too.
PIECES = st.sampled_from('{}[]":,\\x1- \n\x01\ud83d') | st.sampled_from(
    ['{"a":', '{"', '"}', '{"a": 1}', "{}", "],", '"b":', '"y"', "01", "true", "nul", "NaN", HELLO]
)


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


def test_a_prompt_of_a_package_is_read_once() -> None:
    assert prompt("sociolab.agents", "json") is prompt("sociolab.agents", "json")
