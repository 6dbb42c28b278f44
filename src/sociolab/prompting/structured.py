"""Typed replies of models: the JSON schema, the parser, and retries with the problem quoted."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from sociolab.core.errors import ModelError, ReplyError
from sociolab.core.ports import CallKey, ChatModel, ChatReply, Message, Prompt, Schema
from sociolab.core.reading import describe_problems
from sociolab.prompting.channels import Span, extract_reply, refuse_control_tokens

Typed = TypeVar("Typed", bound=BaseModel)
Value = TypeVar("Value")

LONGEST = 250_000
"""Characters, without reasoning, in which an object is searched for: some 60,000 tokens. A reply
that is nothing but one JSON object may be longer."""

_MOST_OBJECTS = 1_000
"""Of more JSON objects than these in one reply, only the last are tried."""

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
"""The next token of a JSON text; no group is set where there is none.

It matches everywhere and never backtracks (possessive quantifiers), so that a broken text takes no
longer than a valid one. `cut` is a string that the end of the text cuts off.
"""

_ALLOWED = {
    "value": ("string", "value", "{", "["),
    "first value": ("string", "value", "{", "[", "]"),
    "key": ("string",),
    "first key": ("string", "}"),
    "colon": (":",),
    "next key": (",", "}"),
    "next value": (",", "]"),
}
"""Which tokens may come, by what is expected next."""


@cache
def schema_of(kind: type[BaseModel]) -> Schema:
    """The JSON schema of a reply type without titles, defaults and descriptions, to save tokens."""
    schema = _slim(kind.model_json_schema())
    return Schema(kind.__name__, json.dumps(schema, ensure_ascii=False, separators=(",", ":")))


def parse_reply_text(text: str, kind: type[Typed]) -> Typed:
    """The typed value in a model's reply; ReplyError says what was expected and what was found.

    Reasoning, chat-template tokens, code fences and chatter around the JSON object are skipped (see
    `channels`). The last valid object counts, since models think aloud first and answer at the end.
    Time is linear in the length of the reply, whatever it holds.
    """
    spoken = extract_spoken(text)
    try:
        return _validated(spoken, kind, text)
    except ValidationError as error:
        error_of_text = error
    if len(spoken) > LONGEST:
        problem = f"expected a JSON object, found {len(spoken):,} characters that are none"
        raise ReplyError(problem, raw=text)
    objects = _find_objects(spoken)
    last: ValidationError | None = None
    for start, end in reversed(objects.spans):
        try:
            return _validated(spoken[start:end], kind, text)
        except ValidationError as error:
            last = last or error
    raise ReplyError(_describe_failure(spoken, objects, error_of_text, last), raw=text)


def _validated(spoken: str, kind: type[Typed], raw: str) -> Typed:
    value = kind.model_validate_json(spoken)
    if "\\" in spoken:  # an escape may hide a control token
        refuse_control_tokens(str(from_json(spoken)), raw)
    return value


def extract_spoken(text: str) -> str:
    """The reply in a model's text (see `channels`); JSON objects in it are left as they are."""
    return extract_reply(text, lambda text: _find_objects(text).spans)


class _Objects(NamedTuple):
    """The outermost JSON objects of a text; `broken` if its first or last brace begins none.

    Of more than 1,000, these are the last ones.
    """

    spans: list[Span]
    broken: bool


def _find_objects(text: str) -> _Objects:
    """The outermost objects; braces that begin none are skipped.

    An object inside one that was cut off does not count as an object of its own; one inside an
    otherwise broken object does.
    """
    ends: dict[int, int | None] = {}
    spans: deque[Span] = deque(maxlen=_MOST_OBJECTS)
    cut, brace = False, _START.search(text)
    while brace and not cut:
        start = brace.start()
        if start not in ends:
            cut = _scan(text, start, ends)
        end = ends.get(start)
        if end is not None:
            spans.append((start, end))
        brace = _START.search(text, start + 1 if end is None else end)
    first = text.find("{")
    return _Objects(list(spans), cut or (first >= 0 and ends.get(first) is None))


def _scan(text: str, start: int, ends: dict[int, int | None]) -> bool:
    """Record in `ends` where the object that begins at `start`, and each within it, ends.

    A broken object gets None. Returns whether the text ended before the object did. An object
    within another ends where it would alone, so that nothing is read twice, except what is a string
    to one reading and not to another (in a broken text with an odd number of quotation marks).
    """
    opened, expected = [start], "first key"  # the starts of open objects, -1 of an open list
    at = start + 1
    while opened:
        token = _TOKEN.match(text, at)
        assert token is not None
        at, kind = token.end(), token["mark"] or token.lastgroup
        if kind == "end" or (kind == "cut" and "string" in _ALLOWED[expected]):
            return True
        if kind not in _ALLOWED[expected]:
            break
        in_object = opened[-1] >= 0
        if kind == "{":
            opened.append(at - 1)
            expected = "first key"
        elif kind == "[":
            opened.append(-1)
            expected = "first value"
        elif kind == ",":
            expected = "key" if in_object else "value"
        elif kind == ":":
            expected = "value"
        elif expected in ("key", "first key") and kind == "string":
            expected = "colon"
        else:
            if kind in ("}", "]"):
                ends[opened.pop()] = at
            if opened:
                expected = "next key" if opened[-1] >= 0 else "next value"
    ends.update(dict.fromkeys(opened))
    return False


def _describe_failure(
    spoken: str, objects: _Objects, error_of_text: ValidationError, last: ValidationError | None
) -> str:
    if last is not None and not objects.broken:
        return describe_problems(last)
    if "{" in spoken:
        return f"expected a JSON object, found broken JSON ({error_of_text.errors()[0]['msg']})"
    excerpt = " ".join(spoken.split())[:80]
    if not excerpt:
        return "expected a JSON object, found an empty reply"
    return f'expected a JSON object, found the text "{excerpt}"'


def _slim(node: Any) -> Any:
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


_HEAD, _TAIL = 6_000, 2_000
"""Characters of an unusable reply, from its beginning and its end, that a retry quotes.

Without a limit, a reply that loops up to the token limit would be paid for with every retry.
"""

_CUT_SHOWN = 500
"""Characters that a retry quotes of a reply that was cut off, which was too long already."""

_LONGEST_PROBLEM = 1_000
"""Characters: a problem may quote the reply."""


@dataclass(frozen=True, slots=True)
class TypedReply(Generic[Value]):
    """The value of a reply, and how many attempts it took."""

    value: Value
    attempts: int


def typed_prompt(
    head: str,
    body: str,
    kind: type[BaseModel],
    temperature: float | None,
    needs: int | None = None,
) -> Prompt:
    """A prompt for a typed reply: a constant `head`, which a provider may cache, and a `body`."""
    messages = (Message("system", head), Message("user", body))
    return Prompt(messages, schema_of(kind), temperature, needs=needs)


_FEWEST_NEEDED, _MOST_NEEDED, _NEEDED_AS_TEXT = 300, 4_000, 2_000
_A_TEXT, _A_VALUE, _ENTRIES = 200, 20, 10


@cache
def estimate_needs(schema: Schema | None) -> int:
    """The tokens that a reply of this schema may take; 2,000 without a schema.

    200 for each text, or a quarter of its `maxLength` if that is less, and 20 for any other value;
    for a list, its `maxItems`, or 10 entries; of alternatives, the longest. At least 300 and at
    most 4,000.
    """
    if schema is None:
        return _NEEDED_AS_TEXT
    node = json.loads(schema.text)
    return max(_FEWEST_NEEDED, min(_needed_by(node, node.get("$defs", {}), ()), _MOST_NEEDED))


def _needed_by(node: Any, types: dict[str, Any], inside: tuple[str, ...]) -> int:
    if not isinstance(node, dict):
        return _A_VALUE
    name = str(node.get("$ref", "")).removeprefix("#/$defs/")
    if name in types and name not in inside:
        return _needed_by(types[name], types, (*inside, name))
    if several := node.get("anyOf") or node.get("oneOf"):
        return max(_needed_by(branch, types, inside) for branch in several)
    match node.get("type"):
        case "object" if "properties" in node:
            return sum(_needed_by(part, types, inside) for part in node["properties"].values())
        case "array" | "object":  # an object of any keys is a list of values, too
            entry = node.get("items") or node.get("additionalProperties")
            return _needed_by(entry, types, inside) * int(node.get("maxItems", _ENTRIES))
        case "string" if "enum" not in node and "const" not in node:
            return min(_A_TEXT, max(_A_VALUE, int(node.get("maxLength", 4 * _A_TEXT)) // 4))
        case _:
            return _A_VALUE


ATTEMPTS = 3


async def ask_model(
    model: ChatModel,
    prompt: Prompt,
    kind: type[Typed],
    key: CallKey,
    parse: Callable[[Typed], Value],
    lacks: Callable[[Value], str] = lambda _: "",
    attempts: int = ATTEMPTS,
) -> TypedReply[Value]:
    """Ask up to `attempts` times; an unusable reply is sent back with the problem.

    Of a long reply (over 8,000 characters) only the beginning and the end are sent back. After a
    reply cut off at the token limit there is one retry: a model cut off twice writes no shorter
    ones.

    `parse` makes a value of a readable reply, and raises ReplyError for one that is unusable;
    `lacks` says what an acceptable value still lacks. When the attempts are used up, or the call
    for a retry fails, the last value is returned, whatever it lacks. Without any, ReplyError holds
    the last reply and its problem, and the ModelError of a failed call passes through.
    """
    last: TypedReply[Value] | None = None
    failed: ReplyError | None = None
    request = prompt
    for attempt in range(1, attempts + 1):
        try:
            reply = await model.complete(request, replace(key, attempt=attempt))
        except ModelError as error:
            if last is None or error.fatal:
                raise
            return last
        cut_before = failed is not None and failed.cause == "truncated"
        try:
            last = TypedReply(parse(parse_reply(reply, kind)), attempt)
            problem = lacks(last.value)
            if not problem:
                return last
            failed = ReplyError(problem)
        except ReplyError as error:
            last, failed = last and replace(last, attempts=attempt), error
        failed.raw, failed.tries = reply.text, attempt
        if failed.cause == "truncated" and cut_before:
            break
        request = replace(prompt, messages=_retry_messages(prompt, failed))
    if last is None:
        assert failed is not None
        raise failed
    return last


def parse_reply(reply: ChatReply, kind: type[Typed]) -> Typed:
    """The typed value of a reply; ReplyError also where it was cut off or withheld."""
    check_finish(reply)
    return parse_reply_text(reply.text, kind)


def check_finish(reply: ChatReply) -> None:
    """ReplyError where the provider cut the reply off or its content filter blocked it."""
    if reply.finish == "length":
        cap = reply.served.cap or reply.usage.completion
        limit = f"{cap:,} tokens" if cap else "the token limit"
        raise ReplyError(
            f"expected a whole reply, found one that was cut off at {limit}; write a shorter one",
            raw=reply.text,
            cause="truncated",
        )
    if reply.finish == "content filter":
        problem = "expected a reply, found that the provider's content filter withheld it"
        raise ReplyError(problem, raw=reply.text, cause="content filter")


def retry_text(problem: str) -> str:
    """The message to a model whose reply could not be used; a long problem is cut."""
    if len(problem) > _LONGEST_PROBLEM:
        problem = f"{problem[:_LONGEST_PROBLEM]}..."
    return (
        f"You have already tried to reply to this, but the reply could not be used: {problem}. "
        "Reply again, in the form asked for."
    )


def _retry_messages(prompt: Prompt, last: ReplyError) -> tuple[Message, ...]:
    excerpt, cut = last.raw, len(last.raw) - _HEAD - _TAIL
    if last.cause == "truncated":  # a model that sees its own loop goes on with it
        excerpt = excerpt[:_CUT_SHOWN]
    elif cut > 0:
        excerpt = f"{excerpt[:_HEAD]}\n[{cut:,} characters left out]\n{excerpt[-_TAIL:]}"
    return (
        *prompt.messages,
        Message("assistant", excerpt or "(nothing)"),
        Message("user", retry_text(str(last))),
    )
