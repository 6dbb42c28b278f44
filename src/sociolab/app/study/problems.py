"""What is wrong with the settings of a study, in words for those who wrote them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError


def problems(error: ValidationError) -> tuple[tuple[str, str], ...]:
    """Everything that is wrong: the place, such as "play.people", and a clause that says what."""
    return tuple(
        (".".join(str(part) for part in item["loc"]), _said(item["type"], item))
        for item in error.errors(include_url=False)
    )


def _said(kind: str, item: Mapping[str, Any]) -> str:
    say = _WORDS.get(kind)
    if say is not None:
        return say(item.get("ctx", {})) + _found(kind, item["input"])
    said = str(item["msg"]).removeprefix("Value error, ")
    return said[:1].lower() + said[1:]


def _found(kind: str, value: object) -> str:
    if kind in _WITHOUT or not isinstance(value, str | int | float):
        return ""
    text = str(value)
    return f', found "{text if len(text) <= 40 else text[:39] + "…"}"'


_WITHOUT = ("missing", "string_too_short", "string_too_long", "extra_forbidden")
"""Where it is plain what was found."""

_WORDS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "missing": lambda _: "this is needed",
    "string_too_short": lambda _: "this is needed",
    "string_too_long": lambda ctx: f"expected at most {ctx['max_length']} characters",
    "extra_forbidden": lambda _: "there is no such field; check its spelling",
    "int_parsing": lambda _: "expected a whole number",
    "int_parsing_size": lambda _: "expected a smaller number",
    "int_from_float": lambda _: "expected a whole number",
    "int_type": lambda _: "expected a whole number",
    "float_parsing": lambda _: "expected a number",
    "float_type": lambda _: "expected a number",
    "finite_number": lambda _: "expected a number",
    "string_type": lambda _: "expected text",
    "bool_type": lambda _: "expected true or false",
    "bool_parsing": lambda _: "expected true or false",
    "tuple_type": lambda _: "expected a list",
    "greater_than_equal": lambda ctx: f"expected {ctx['ge']:g} or more",
    "greater_than": lambda ctx: f"expected more than {ctx['gt']:g}",
    "less_than_equal": lambda ctx: f"expected at most {ctx['le']:g}",
    "literal_error": lambda ctx: f"expected one of {ctx['expected']}",
    "string_pattern_mismatch": lambda _: (
        "expected a small letter, then small letters, digits, underscores and hyphens"
    ),
}
