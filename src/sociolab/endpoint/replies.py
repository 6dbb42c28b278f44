"""What is replied: text made up so that it obeys the schema asked for, or what a person writes into
a file.
"""

from __future__ import annotations

import asyncio
import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from sociolab.core.errors import ConfigError
from sociolab.endpoint.chat import ChatBody, bad_request
from sociolab.endpoint.faults import Chance
from sociolab.endpoint.schemas import LEAVE, Draw, SchemaError, has_bounds, prose, sample
from sociolab.endpoint.settings import EndpointSettings


class Replies:
    """Makes replies up; the same request and settings give the same reply. What is to be reworded
    comes back as it stands.

    The schema is that of the response format or, without one, the last that the prompt holds in a
    ```json-schema fence, behind a line "JSON schema:", or on a line of its own. Without any,
    the reply is like the turn that the prompt shows as an example (a JSON object, or a line
    "speak: ..." where it asks for lines), else prose (an object of prose for response_format
    json_object).
    """

    def __init__(self, settings: EndpointSettings) -> None:
        self._settings = settings

    def good(self, chat: ChatBody) -> str:
        """A valid reply; RefusalError (400) if the response format's schema is broken."""
        draw = self._draw(chat)
        schema = _schema(chat)
        if text := _to_reword(chat, schema):
            return text
        if (sampled := _sampled(chat, schema, draw)) is not None:
            return sampled
        if _wants_object(chat):
            return _encode({"answer": prose(draw.random, self._settings.characters)})
        if turn := _turn_as_shown(chat, draw):
            return turn
        if kind := _asked_for_a_line(chat):
            return _plain_turn(chat, kind, draw)
        return prose(draw.random, self._settings.characters)

    def stray(self, chat: ChatBody, chance: Chance) -> str:
        """A reply that ignores the schema: prose, another shape, or numbers out of range."""
        draw = self._draw(chat)
        schema = _schema(chat)
        text = prose(draw.random, self._settings.characters)
        match chance.of("way to ignore the schema").randrange(3):
            case 0 if schema is not None and has_bounds(schema):
                draw.stray = True
                return _sampled(chat, schema, draw) or text
            case 1 if schema is not None:
                return _encode({"comment": text, "certainty": round(draw.random.random(), 2)})
            case _:
                return text

    def _draw(self, chat: ChatBody) -> Draw:
        chance = Chance(chat.key)
        rate = self._settings.leave_rate
        leaves = rate > 0 and chance.of("leave").random() < rate
        keys = _KEYS.search(chat.messages[-1].text) if chat.messages else None
        return Draw(
            chance.of("reply"),
            self._settings.characters,
            leave=leaves,
            turns=_turns(chat),
            keys=json.loads(f"[{keys[1]}]") if keys else (),
        )


_TURN = re.compile(r"^(\d+)\. [^:\n]+: (.+)$", re.MULTILINE)


def _turns(chat: ChatBody) -> tuple[tuple[int, str], ...]:
    """The numbered turns of the transcript in the last message, where quotes are asked for."""
    last = chat.messages[-1].text
    if '"quote"' not in chat.schema and '"quote"' not in last:
        return ()
    return tuple((int(number), words) for number, words in _TURN.findall(last))


_FENCE = re.compile(r"```json-schema\s*\n(.*?)\n\s*```", re.DOTALL)

_LINE = re.compile(
    r'^(?:json schema:\s*(?:```\w*\s*)?(?=\{)|(?=\{"(?:\$defs|properties)":))',
    re.IGNORECASE | re.MULTILINE,
)

_KEYS = re.compile(r'exactly these keys: \[((?:"\w+"(?:, )?)+)\]')

_GIVEN = re.compile(r"```json\s*\n(.*?)\n\s*```", re.DOTALL)

_decoder = json.JSONDecoder()

_encode = json.JSONEncoder(ensure_ascii=False).encode


def _schema(chat: ChatBody) -> Any:
    """The schema of the response format, or of the prompt; None where there is none."""
    return _parsed(chat.schema or _schema_in_prompt(chat) or "null")


@lru_cache(200)
def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _sampled(chat: ChatBody, schema: Any, draw: Draw) -> str | None:
    """A value of the schema; None without one, and where the prompt's is none after all."""
    try:
        return None if schema is None else _encode(sample(schema, draw))
    except SchemaError as error:
        if not chat.schema:
            return None
        inner = chat.fields["response_format"]["json_schema"]
        raise bad_request(
            f"Invalid schema for response_format '{inner.get('name', '')}': {error}.",
            param="response_format",
            code="invalid_json_schema",
        ) from error


def _schema_in_prompt(chat: ChatBody) -> str:
    for message in reversed(chat.messages):
        text = message.text
        if fences := _FENCE.findall(text):
            return str(fences[-1])
        for line in reversed(list(_LINE.finditer(text))):
            try:
                _, end = _decoder.raw_decode(text, line.end())
            except ValueError:
                continue
            return text[line.end() : end]
    return ""


def _to_reword(chat: ChatBody, schema: Any) -> str:
    """The object that the last message gives to be reworded, as it stands: one in a ```json fence
    with just the properties of the schema; "" without one."""
    given = _GIVEN.findall(chat.messages[-1].text) if chat.messages else []
    found = _parsed(given[-1]) if given else None
    wanted = schema.get("properties") if isinstance(schema, dict) else None
    same = isinstance(found, dict) and wanted is not None and found.keys() == wanted.keys()
    return _encode(found) if same else ""


def _wants_object(chat: ChatBody) -> bool:
    wanted: Any = chat.fields.get("response_format")
    return isinstance(wanted, dict) and wanted.get("type") == "json_object"


def _asked_for_a_line(chat: ChatBody) -> str:
    """The kind of action in the example of a prompt that asks for lines `kind: text`; "" if none
    does."""
    for message in reversed(chat.messages):
        example = _EXAMPLE.search(message.text)
        if example and _ASKED_FOR_LINES.search(message.text, 0, example.start()):
            return example["kind"]
    return ""


def _turn_as_shown(chat: ChatBody, draw: Draw) -> str:
    """A turn of the form of the prompt's example of one as JSON; "" without one."""
    for message in reversed(chat.messages):
        if example := _OBJECT_EXAMPLE.search(message.text):
            turn = json.loads(example[1])
            act = turn.get("actions", [turn])[0]
            act["text"] = prose(draw.random, draw.characters)
            if draw.leave and LEAVE in message.text:
                act |= {"action": LEAVE, "text": ""}
            return _encode(turn)
    return ""


def _plain_turn(chat: ChatBody, kind: str, draw: Draw) -> str:
    """One line of this kind; "leave" where that is drawn and the prompt speaks of it."""
    if draw.leave and any(LEAVE in message.text for message in chat.messages):
        return LEAVE
    return f"{kind}: {prose(draw.random, draw.characters)}"


_EXAMPLE = re.compile(r"[Ff]or example:\s*\n(?P<kind>[^\W\d_][\w -]{0,40}): \S")

_OBJECT_EXAMPLE = re.compile(r'[Ff]or example:\s*\n(\{.*"action": ".*\})$', re.MULTILINE)

_ASKED_FOR_LINES = re.compile(r"\blines?\b[^\n]*\bcolon\b")


class ByHand:
    """A folder where requests are laid down and replies are awaited.

    Request 7 is `0007.request.md` (to read) and `0007.request.json` (the body). Its reply is what
    is written into `0007.reply.txt`, without line ends at the end, once the file is not blank and
    has not changed between two looks. `0007.request.gone` says that the client waits no more.
    Nothing is overwritten; numbers go on where an earlier run stopped.
    """

    def __init__(self, folder: Path, look_every: float = 0.2) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(
                f"A folder for requests by hand was expected at {folder}, but it cannot be made "
                f"({error.strerror}): name another one."
            ) from error
        self._folder = folder
        self._look_every = look_every
        self._last = max(
            (int(found[1]) for path in folder.iterdir() if (found := _NUMBERED.match(path.name))),
            default=0,
        )

    async def reply(self, chat: ChatBody) -> str:
        """Lay the request down and wait for its reply, as long as the client does."""
        name = self._lay_down(chat)
        try:
            return await self._written(self._folder / f"{name}.reply.txt")
        except asyncio.CancelledError:
            (self._folder / f"{name}.request.gone").touch()
            raise

    def _lay_down(self, chat: ChatBody) -> str:
        body = json.dumps(chat.fields, indent=1, ensure_ascii=False)
        while True:
            self._last += 1
            name = f"{self._last:04d}"
            try:
                _create(self._folder / f"{name}.request.json", body)
            except FileExistsError:  # another server has just taken this number
                continue
            _create(self._folder / f"{name}.request.md", _readable(name, chat))
            return name

    async def _written(self, path: Path) -> str:
        before = ""
        while True:
            now = _content(path)
            if now.strip() and now == before:
                return now.rstrip("\r\n")
            before = now
            await asyncio.sleep(self._look_every)


def _content(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig", errors="replace")
    except FileNotFoundError:
        return ""


def _create(path: Path, text: str) -> None:
    with path.open("x", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)


def _readable(name: str, chat: ChatBody) -> str:
    lines = [f"# Request {name}", "", f"- model: {chat.model}"]
    for setting, value in chat.fields.items():
        if setting not in _NOT_SETTINGS:
            lines.append(f"- {setting}: {json.dumps(value, ensure_ascii=False)}")
    for index, message in enumerate(chat.messages, start=1):
        lines += ["", f"## {index}. {message.role}", "", message.text]
    if chat.schema:
        schema = json.dumps(json.loads(chat.schema), indent=1, ensure_ascii=False)
        lines += ["", "## JSON schema of the reply", "", "```json", schema, "```"]
    how = "It is sent as soon as the file holds text and has stopped changing."
    lines += ["", "---", f"Write your reply into `{name}.reply.txt`, beside this file. {how}", ""]
    return "\n".join(lines)


_NUMBERED = re.compile(r"(\d+)\.request\.")

_NOT_SETTINGS = ("messages", "model", "response_format")
