"""Replies of the local endpoint: mock text that follows the schema, or a person's, from a file."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sociolab.core.errors import ConfigError
from sociolab.core.ports import ToolCall
from sociolab.endpoint.chat import ChatBody, bad_request
from sociolab.endpoint.faults import Chance
from sociolab.endpoint.settings import EndpointSettings
from sociolab.prompting.made_up import (
    Draw,
    SchemaError,
    has_bounds,
    prose,
    reply_to,
    requested_schema,
    sample_requested,
    sample_value,
)

_encode = json.JSONEncoder(ensure_ascii=False).encode


class Replies:
    """Mock replies (`prompting.made_up`); the same request and settings give the same reply."""

    def __init__(self, settings: EndpointSettings) -> None:
        self._settings = settings

    def valid(self, chat: ChatBody) -> str:
        """A valid reply; RefusalError (400) if the response format's schema is broken."""
        form: Any = chat.fields.get("response_format")
        as_object = isinstance(form, dict) and form.get("type") == "json_object"
        with _refusing_broken_schema(chat):
            return reply_to(chat.texts, chat.schema, self._draw(chat), as_object=as_object)

    def calls(self, chat: ChatBody) -> tuple[ToolCall, ...]:
        """The tool that a reply asks for: one that must be called, or else any, but not after the
        result of another.

        RefusalError (400) if the schema of its arguments is broken.
        """
        choice, last = chat.tool_choice, chat.messages[-1].role
        if not chat.tools or choice == "none" or (choice == "auto" and last == "tool"):
            return ()
        chance = Chance(chat.key)
        named = [tool for tool in chat.tools if tool.name == choice]
        tool = named[0] if named else chance.stream("tool").choice(chat.tools)
        with _refusing_broken_schema(chat):
            value = sample_value(json.loads(tool.parameters), self._draw(chat))
        return (ToolCall(f"call_{chat.key.hex()[:12]}", tool.name, _encode(value)),)

    def invalid(self, chat: ChatBody, chance: Chance) -> str:
        """A reply that ignores the schema: prose, another shape, or numbers out of range."""
        draw = self._draw(chat)
        schema = requested_schema(chat.texts, chat.schema)
        text = prose(draw.random, self._settings.characters)
        match chance.stream("way to ignore the schema").randrange(3):
            case 0 if schema is not None and has_bounds(schema):
                draw.stray = True
                with _refusing_broken_schema(chat):
                    return sample_requested(chat.texts, chat.schema, draw) or text
            case 1 if schema is not None:
                return _encode({"comment": text, "certainty": round(draw.random.random(), 2)})
        return text

    def _draw(self, chat: ChatBody) -> Draw:
        chance = Chance(chat.key)
        rate = self._settings.leave_rate
        leaves = rate > 0 and chance.stream("leave").random() < rate
        return Draw(chance.stream("reply"), self._settings.characters, leave=leaves)


@contextmanager
def _refusing_broken_schema(chat: ChatBody) -> Iterator[None]:
    try:
        yield
    except SchemaError as error:
        inner = (chat.fields.get("response_format") or {}).get("json_schema") or {}
        what = f"response_format '{inner.get('name', '')}'" if inner else "a tool's parameters"
        raise bad_request(
            f"Invalid schema for {what}: {error}.",
            param="response_format" if inner else "tools",
            code="invalid_json_schema",
        ) from error


class ByHand:
    """Writes requests to a folder, and reads replies from it.

    Request 7 is `0007.request.md` (to read) and `0007.request.json` (the body). Its reply is the
    content of `0007.reply.txt`, without final line breaks, once the file is not blank and has not
    changed between two checks. `0007.request.gone` says that the client has stopped waiting.
    Nothing is overwritten; numbers continue from an earlier run.
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
            (int(match[1]) for path in folder.iterdir() if (match := _NUMBERED.match(path.name))),
            default=0,
        )

    async def reply(self, chat: ChatBody) -> str:
        """Write the request and wait for its reply, as long as the client does."""
        name = self._write_request(chat)
        try:
            return await self._wait_for_text(self._folder / f"{name}.reply.txt")
        except asyncio.CancelledError:
            (self._folder / f"{name}.request.gone").touch()
            raise

    def _write_request(self, chat: ChatBody) -> str:
        body = json.dumps(chat.fields, indent=1, ensure_ascii=False)
        while True:
            self._last += 1
            name = f"{self._last:04d}"
            try:
                _create(self._folder / f"{name}.request.json", body)
            except FileExistsError:  # another server has just taken this number
                continue
            _create(self._folder / f"{name}.request.md", _format_request(name, chat))
            return name

    async def _wait_for_text(self, path: Path) -> str:
        before = ""
        while True:
            content = _read_if_there(path)
            if content.strip() and content == before:
                return content.rstrip("\r\n")
            before = content
            await asyncio.sleep(self._look_every)


def _read_if_there(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig", errors="replace")
    except FileNotFoundError:
        return ""


def _create(path: Path, text: str) -> None:
    with path.open("x", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)


def _format_request(name: str, chat: ChatBody) -> str:
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
