"""From a model's text to a typed value: find the JSON, read it, or say why it cannot be read."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from sociolab.core.errors import ReplyError
from sociolab.core.ports import Schema

Typed = TypeVar("Typed", bound=BaseModel)

_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_OPENING = re.compile(r"<think(?:ing)?>")
_CLOSING = re.compile(r"^.*</think(?:ing)?>", re.DOTALL)


@cache
def schema_of(kind: type[BaseModel]) -> Schema:
    """The JSON schema of a reply type, as short as it can be: titles and descriptions left out."""
    schema = _slim(kind.model_json_schema())
    return Schema(kind.__name__, json.dumps(schema, ensure_ascii=False, separators=(",", ":")))


def read(text: str, kind: type[Typed]) -> Typed:
    """The typed value in a model's reply; ReplyError says what was expected and what was found.

    Reasoning blocks, code fences and chatter around the JSON object are passed over. The last
    object that fits counts: models think aloud first and answer at the end.
    """
    spoken = without_thinking(text)
    try:
        return kind.model_validate_json(spoken)
    except ValidationError as error:
        whole = error
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
    if "think" not in text:
        return text
    text = _CLOSING.sub("", _THINKING.sub("", text), count=1)
    opening = _OPENING.search(text)
    return text[: opening.start()] if opening else text


class _Found(NamedTuple):
    """The outermost JSON objects of a text; `broken` if its first or last brace begins none."""

    texts: list[str]
    broken: bool


def _objects(text: str) -> _Found:
    """The objects, passing over braces that begin none.

    What is inside an object that was cut off is not taken for an object of its own.
    """
    decoder = json.JSONDecoder()
    found: list[str] = []
    at = first = text.find("{")
    broken = False
    while at >= 0:
        try:
            _, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated"):
                return _Found(found, broken=True)
            broken = broken or at == first
            end = at + 1
        except RecursionError:
            return _Found(found, broken=True)
        else:
            found.append(text[at:end])
        at = text.find("{", end)
    return _Found(found, broken)


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
        place = ".".join(str(part) for part in item["loc"]) or "the object"
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
