"""Replies written by a person: every request is a file, and waits for a file."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

from sociolab.core.errors import ConfigError
from sociolab.models.endpoint.chat import ChatBody

_NUMBERED = re.compile(r"(\d+)\.request\.")
_NOT_SETTINGS = ("messages", "model", "response_format")


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
    lines += ["", "---", f"Write your reply into `{name}.reply.txt`.", ""]
    return "\n".join(lines)
