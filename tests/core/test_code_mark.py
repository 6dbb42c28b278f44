"""The code of a class inside an agent's settings."""

from __future__ import annotations

import pytest

from sociolab.core.code_mark import UNKNOWN, code_in, mark, with_code, without_code

CODE = "3f2a" + "0" * 12


@pytest.mark.parametrize("rest", ["", "a@b:c", "two\nlines", "0123456789abcdef:x@" + CODE])
def test_both_parts_are_found_again(rest: str) -> None:
    settings = with_code(rest, CODE)
    assert (without_code(settings), code_in("python:a:B", settings)) == (rest, CODE)


def test_an_agent_that_is_no_class_has_no_code() -> None:
    assert code_in("scripted", "0123456789abcdef") is None
    assert without_code("0123456789abcdef") == "0123456789abcdef"


def test_a_class_whose_code_was_not_recorded_is_unknown() -> None:
    assert code_in("python:a:B", "0123456789abcdef") == UNKNOWN
    assert code_in("python:a:B", with_code("x", UNKNOWN)) == UNKNOWN


def test_a_mark_is_short() -> None:
    assert (mark(CODE), mark(UNKNOWN)) == ("3f2a", "?")


def test_the_beginning_of_the_settings_tells_two_codes_apart() -> None:
    assert with_code("long settings", CODE)[:8] != with_code("long settings", "9" * 16)[:8]
