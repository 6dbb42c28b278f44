"""The replies of a model that is not there: made up, and valid under the schema asked for."""

from __future__ import annotations

import json
import re
from typing import Any

from sociolab.models.endpoint.chance import Chance
from sociolab.models.endpoint.chat import ChatBody
from sociolab.models.endpoint.plain_turns import asked_for_a_line, plain_turn
from sociolab.models.endpoint.refusals import bad_request
from sociolab.models.endpoint.sampler import Draw, Node
from sociolab.models.endpoint.schemas import SchemaError, read_schema
from sociolab.models.endpoint.sentences import prose
from sociolab.models.endpoint.settings import EndpointSettings
from sociolab.models.endpoint.structures import BottomlessError

_FENCE = re.compile(r"```json-schema\s*\n(.*?)\n\s*```", re.DOTALL)
_LINE = re.compile(r"^json schema:\s*(?:```\w*\s*)?(?=\{)", re.IGNORECASE | re.MULTILINE)
_ASKED = re.compile(r"json.schema", re.IGNORECASE)
_decoder = json.JSONDecoder()
_encode = json.JSONEncoder(ensure_ascii=False).encode
_MOST_SCHEMAS = 200


class Replies:
    """Makes replies up; the same request and settings give the same reply.

    The schema is that of the response format or, without one, the last that the prompt holds in a
    ```json-schema fence or behind a line "JSON schema:". Without any, the reply is a line such as
    "speak: ..." where the prompt asks for lines and shows one, else prose (an object of prose for
    response_format json_object).
    """

    def __init__(self, settings: EndpointSettings) -> None:
        self._settings = settings
        self._nodes: dict[str, Node | None] = {}

    def good(self, chat: ChatBody) -> str:
        """A valid reply; RefusalError (400) if the response format's schema is broken."""
        draw = self._draw(chat)
        node = self._wanted(chat)
        if node is not None:
            return self._sampled(chat, node, draw)
        if _wants_object(chat):
            return _encode({"answer": prose(draw.random, self._settings.characters)})
        if kind := asked_for_a_line(chat):
            return plain_turn(chat, kind, draw)
        return prose(draw.random, self._settings.characters)

    def stray(self, chat: ChatBody, chance: Chance) -> str:
        """A reply that ignores the schema: prose, another shape, or numbers out of range."""
        draw = self._draw(chat)
        node = self._wanted(chat)
        text = prose(draw.random, self._settings.characters)
        match chance.pick("way to ignore the schema", 3):
            case 0 if node is not None and node.bounded:
                draw.stray = True
                return self._sampled(chat, node, draw)
            case 1 if node is not None:
                return _encode({"comment": text, "certainty": round(draw.random(), 2)})
            case _:
                return text

    def _draw(self, chat: ChatBody) -> Draw:
        chance = Chance(chat.key)
        leave_rate = self._settings.leave_rate
        return Draw(
            chance.stream("reply"),
            self._settings.characters,
            leave=leave_rate > 0 and chance.fraction("leave") < leave_rate,
        )

    def _sampled(self, chat: ChatBody, node: Node, draw: Draw) -> str:
        try:
            return _encode(node.sample(draw))
        except BottomlessError as error:
            raise _bad_schema(chat, error) from error

    def _wanted(self, chat: ChatBody) -> Node | None:
        text = chat.schema or _schema_in_prompt(chat)
        if not text:
            return None
        if text not in self._nodes:
            if len(self._nodes) >= _MOST_SCHEMAS:
                self._nodes.clear()
            self._nodes[text] = _read(chat, text)
        return self._nodes[text]


def _read(chat: ChatBody, text: str) -> Node | None:
    """The node of a schema; None if it is in the prompt and no schema after all."""
    try:
        return read_schema(json.loads(text))
    except (SchemaError, ValueError) as error:
        if chat.schema:
            raise _bad_schema(chat, error) from error
        return None


def _schema_in_prompt(chat: ChatBody) -> str:
    for message in reversed(chat.messages):
        text = message.text
        if not _ASKED.search(text):
            continue
        if fences := _FENCE.findall(text):
            return str(fences[-1])
        for line in reversed(list(_LINE.finditer(text))):
            try:
                _, end = _decoder.raw_decode(text, line.end())
            except ValueError:
                continue
            return text[line.end() : end]
    return ""


def _wants_object(chat: ChatBody) -> bool:
    wanted: Any = chat.fields.get("response_format")
    return isinstance(wanted, dict) and wanted.get("type") == "json_object"


def _bad_schema(chat: ChatBody, error: ValueError) -> Exception:
    inner = chat.fields["response_format"]["json_schema"] if chat.schema else {}
    return bad_request(
        f"Invalid schema for response_format '{inner.get('name', '')}': {error}.",
        param="response_format",
        code="invalid_json_schema",
    )
