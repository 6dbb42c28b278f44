"""From a model's text to a typed value: find the JSON, read it, or say why it cannot be read."""

from __future__ import annotations

import json
import re
from collections import deque
from functools import cache
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from sociolab.core.errors import ReplyError
from sociolab.core.ports import Schema

Typed = TypeVar("Typed", bound=BaseModel)

LONGEST = 250_000
"""Characters, reasoning left out, in which an object is looked for: some 60,000 tokens. What is one
JSON object as a whole may be longer."""

_MOST_OBJECTS = 1_000
"""Of more JSON objects than these in one reply, the last ones are looked at."""

_THINK_TAG = re.compile(r"<(/?)think(?:ing)?>")

_START = re.compile(r"""\{(?=\s*+(?:["}]|\Z))""")
"""A brace that may begin an object."""

_TOKEN = re.compile(
    r"""[ \t\n\r]*+ (?:
        (?P<mark> [{}\[\]:,] )
      | " (?: [^"\\\x00-\x1f]++ | \\ (?: ["\\/bfnrt] | u[0-9a-fA-F]{4} ) )*+
        (?: (?P<string> ") | (?P<cut> (?: \\ | \s*+ ) \Z ) )?
      | (?P<value> -?(?:0|[1-9][0-9]*+) (?:\.[0-9]++)?+ (?:[eE][-+]?[0-9]++)?+
        | true | false | null | NaN | -?Infinity )
      | (?P<end> \s*+ \Z )
    )?""",
    re.VERBOSE,
)
"""The next token of a JSON text; no group is set where there is none. It matches everywhere and
never reads a character twice, so that a broken text takes no longer than a sound one."""

_ALLOWED = {
    "value": ("string", "value", "{", "["),
    "first value": ("string", "value", "{", "[", "]"),
    "key": ("string",),
    "first key": ("string", "}"),
    "colon": (":",),
    "next key": (",", "}"),
    "next value": (",", "]"),
}
"""Which tokens may come, by what is wanted next."""


@cache
def schema_of(kind: type[BaseModel]) -> Schema:
    """The JSON schema of a reply type, as short as it can be: titles and descriptions left out."""
    schema = _slim(kind.model_json_schema())
    return Schema(kind.__name__, json.dumps(schema, ensure_ascii=False, separators=(",", ":")))


def read(text: str, kind: type[Typed]) -> Typed:
    """The typed value in a model's reply; ReplyError says what was expected and what was found.

    Reasoning blocks, code fences and chatter around the JSON object are passed over. The last
    object that fits counts: models think aloud first and answer at the end. The work grows with
    the length of the reply and not faster, whatever it holds.
    """
    spoken = without_thinking(text)
    try:
        return kind.model_validate_json(spoken)
    except ValidationError as error:
        whole = error
    if len(spoken) > LONGEST:
        problem = f"expected a JSON object, found {len(spoken):,} characters that are none"
        raise ReplyError(problem, raw=text)
    found = _objects(spoken)
    last: ValidationError | None = None
    for candidate in reversed(found.texts):
        try:
            return kind.model_validate_json(candidate)
        except ValidationError as error:
            last = last or error
    raise ReplyError(_problem(spoken, found, whole, last), raw=text)


def without_thinking(text: str) -> str:
    """The reply without its reasoning.

    A block that was never closed is all reasoning. One that was never opened is, too: some
    servers put the opening mark into the prompt.
    """
    kept: list[str] = []
    start, thinking = 0, False
    for tag in _THINK_TAG.finditer(text):
        if tag[1]:
            if not thinking:
                kept.clear()
            start, thinking = tag.end(), False
        elif not thinking:
            kept.append(text[start : tag.start()])
            thinking = True
    if not thinking:
        kept.append(text[start:])
    return "".join(kept)


class _Found(NamedTuple):
    """The outermost JSON objects of a text; `broken` if its first or last brace begins none."""

    texts: list[str]
    broken: bool


def _objects(text: str) -> _Found:
    """The objects, passing over braces that begin none.

    What is inside an object that was cut off is not taken for an object of its own; what is inside
    one that is broken otherwise, is.
    """
    ends: dict[int, int | None] = {}
    found: deque[str] = deque(maxlen=_MOST_OBJECTS)
    cut, brace = False, _START.search(text)
    while brace and not cut:
        start = brace.start()
        if start not in ends:
            cut = _scan(text, start, ends)
        end = ends.get(start)
        if end is not None:
            found.append(text[start:end])
        brace = _START.search(text, start + 1 if end is None else end)
    first = text.find("{")
    return _Found(list(found), cut or (first >= 0 and ends.get(first) is None))


def _scan(text: str, start: int, ends: dict[int, int | None]) -> bool:
    """Learn where the object that begins at `start` ends, and each within it: into `ends`, with
    None for one that is broken. Whether the text ended before the object did.

    An object within another ends where it would alone, so nothing is read twice but what is a
    string to one reading and none to another (of a broken text, where quotation marks are odd).
    """
    opened, wanted = [start], "first key"  # the starts of open objects, -1 of an open list
    at = start + 1
    while opened:
        token = _TOKEN.match(text, at)
        assert token is not None
        at, kind = token.end(), token["mark"] or token.lastgroup
        if kind == "end" or (kind == "cut" and "string" in _ALLOWED[wanted]):
            return True
        if kind not in _ALLOWED[wanted]:
            break
        in_object = opened[-1] >= 0
        if kind == "{":
            opened.append(at - 1)
            wanted = "first key"
        elif kind == "[":
            opened.append(-1)
            wanted = "first value"
        elif kind == ",":
            wanted = "key" if in_object else "value"
        elif kind == ":":
            wanted = "value"
        elif wanted in ("key", "first key") and kind == "string":
            wanted = "colon"
        else:
            if kind in ("}", "]"):
                ends[opened.pop()] = at
            if opened:
                wanted = "next key" if opened[-1] >= 0 else "next value"
    ends.update(dict.fromkeys(opened))
    return False


def _problem(
    spoken: str, found: _Found, whole: ValidationError, last: ValidationError | None
) -> str:
    if last is not None and not found.broken:
        return _sentence(last)
    if "{" in spoken:
        return f"expected a JSON object, found broken JSON ({whole.errors()[0]['msg']})"
    shown = " ".join(spoken.split())[:80]
    if not shown:
        return "expected a JSON object, found an empty reply"
    return f'expected a JSON object, found the text "{shown}"'


def _sentence(error: ValidationError) -> str:
    problems = []
    for item in error.errors(include_url=False, include_context=False)[:3]:
        place = ".".join(str(part)[:60] for part in item["loc"]) or "the object"
        found = json.dumps(item["input"], ensure_ascii=False, default=str)[:60]
        problems.append(f"{place}: {item['msg'][:1].lower()}{item['msg'][1:]}, found {found}")
    return "; ".join(problems)


def _slim(node: Any) -> Any:
    """A schema without what a model does not need: titles, defaults, descriptions."""
    if isinstance(node, list):
        return [_slim(item) for item in node]
    if not isinstance(node, dict):
        return node
    slim: dict[str, Any] = {}
    for key, value in node.items():
        if key in ("properties", "$defs"):
            slim[key] = {name: _slim(inner) for name, inner in value.items()}
        elif key in ("enum", "const", "required"):
            slim[key] = value
        elif key not in ("title", "default", "description"):
            slim[key] = _slim(value)
    return slim
