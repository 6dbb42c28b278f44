"""Two versions of a class, told apart by their code."""

from __future__ import annotations

from sociolab.core import same_code
from sociolab.core.code_fingerprint import short_code

CODE = "3f2a" + "0" * 12


def test_a_mark_is_short() -> None:
    assert (short_code(CODE), short_code("unknown code")) == ("3f2a", "?")


FULL = f"{CODE}+{'1' * 16}"


def test_a_code_is_the_same_with_the_same_imports_and_an_unknown_one_never() -> None:
    assert same_code(FULL, FULL)
    assert not same_code(CODE, FULL)
    assert not same_code(FULL, f"{CODE}+{'2' * 16}")
    assert not same_code(FULL, f"{'4' * 16}+{'1' * 16}")
    assert not same_code("unknown code", "unknown code")


def test_a_mark_tells_apart_what_only_imports_or_only_the_class_tell_apart() -> None:
    codes = (FULL, f"{CODE}+{'2' * 16}", f"{'4' * 16}+{'1' * 16}")
    assert len({short_code(code) for code in codes}) == 3
