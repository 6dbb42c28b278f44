"""The code of a class inside an agent's settings."""

from __future__ import annotations

import pytest

from sociolab.core.code_fingerprint import (
    UNKNOWN,
    code_in,
    mark,
    same_code,
    with_code,
    without_code,
)

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


FULL = f"{CODE}+{'1' * 16}"


def test_a_code_with_imports_is_found_again() -> None:
    settings = with_code("s", FULL)
    assert (without_code(settings), code_in("python:a:B", settings)) == ("s", FULL)


def test_a_code_is_the_same_with_the_same_imports_and_an_unknown_one_never() -> None:
    assert same_code(FULL, FULL)
    assert not same_code(CODE, FULL)
    assert not same_code(FULL, f"{CODE}+{'2' * 16}")
    assert not same_code(FULL, f"{'4' * 16}+{'1' * 16}")
    assert not same_code(UNKNOWN, UNKNOWN)


def test_a_mark_tells_apart_what_only_imports_or_only_the_class_tell_apart() -> None:
    codes = (FULL, f"{CODE}+{'2' * 16}", f"{'4' * 16}+{'1' * 16}")
    assert len({mark(code) for code in codes}) == 3
