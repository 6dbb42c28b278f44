"""A chat model as a mind: each question is a prompt file, each answer a typed reply or a text."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel

from sociolab.core.errors import ConfigError, ModelError, ReplyError
from sociolab.core.ports import CallKey, ChatModel, ChatReply, Message, Prompt, Role, Schema
from sociolab.core.seeding import digest
from sociolab.prompting.structured import again_text, check_finish, schema_of, typed
from sociolab.prompting.templates import prompt
from sociolab.town.model.plain import PLAIN, PLAIN_QUESTIONS, read_plain
from sociolab.town.model.prompt_prefix import PACKAGE, prompt_prefix
from sociolab.town.questions import QUESTIONS, Answer, Asked, MindQuestion, UnfitError
from sociolab.town.questions.day import TIMES

A = TypeVar("A", bound=Answer)


class ModelMind:
    """Thinks with a chat model, one call a question, and keeps nothing.

    The system message is the same for all questions of a resident until it comes to know another
    place; the user message is short. Asking again is up to the simulation, which says in `asked`
    what was wrong: a reply that is cut off, withheld, unreadable or unfit is a ReplyError, and so
    is a prompt that is too long for the model or that its provider's filter refuses. Any other
    failed call passes through as a ModelError. TDP's questions are asked at temperature 0 (STSS
    appendix B), the others at `temperature`, all with the same `penalties`.

    In the dialect "plain" the questions of a talk are asked without a schema and read as text (see
    `plain`); any other question is a ConfigError.
    """

    def __init__(
        self,
        model: ChatModel,
        role: Role = "agent",
        *,
        temperature: float = 1.0,
        dialect: str = "json",
        penalties: float | None = None,
    ) -> None:
        if dialect not in ("json", PLAIN):
            raise ConfigError(f'a mind answers in the dialect "json" or "plain"; found "{dialect}"')
        self._model = model
        self._role = role
        self._temperature = temperature
        self._plain = dialect == PLAIN
        self._penalties = penalties

    async def answer(self, question: MindQuestion[A]) -> A:
        """The answer to any question; ReplyError where the reply cannot be used."""
        temperature = 0.0 if question.exact else self._temperature
        asked = prompt_of(question, temperature, plain=self._plain, penalties=self._penalties)
        reply = await self._complete(question, asked)
        value: Any = (
            _plainly(reply, question) if self._plain else typed(reply, question.answer_type)
        )
        try:
            return question.coerced(value)
        except UnfitError as error:
            raise ReplyError(str(error), raw=reply.text, cause="not allowed") from error

    async def _complete(self, question: MindQuestion[Any], asked: Prompt) -> ChatReply:
        try:
            return await self._model.complete(asked, _key(question, self._role))
        except ModelError as error:
            if error.cause in ("context overflow", "content filter"):
                raise ReplyError(str(error), raw="", cause=error.cause) from error
            raise


def prompt_of(
    question: MindQuestion[Any],
    temperature: float,
    *,
    plain: bool = False,
    penalties: float | None = None,
) -> Prompt:
    """What a model is sent for a question: who the resident is, then what is asked.

    ConfigError for a question that cannot be asked in plain text where it should be.
    """
    values = question.variables()
    if isinstance(question, PLAIN_QUESTIONS):
        values["plain"] = plain
    elif plain:
        raise ConfigError(
            f'dialect=plain is for talks: expected a question of a talk, found "{question.name}", '
            "which needs dialect=json"
        )
    body = prompt(PACKAGE, question.name).render(values)
    if question.asked.problem:
        body = f"{body}\n\n{_again(question.asked)}"
    messages = (Message("system", prompt_prefix(question.me, plain=plain)), Message("user", body))
    schema = None if plain else answer_schema(question)
    return Prompt(messages, schema, temperature, penalties=penalties)


def _plainly(reply: ChatReply, question: MindQuestion[Any]) -> BaseModel:
    check_finish(reply)
    return read_plain(reply.text, question)


def _again(asked: Asked) -> str:
    """What was wrong; from the third attempt on with its number.

    Else a problem that comes twice would make two prompts alike, and whoever answers the same
    prompt alike (a model at temperature 0, a filter) could do nothing but repeat itself.
    """
    text = again_text(asked.problem)
    return text if asked.attempt <= 2 else f"{text} This is attempt {asked.attempt}."


def prompts_hash(questions: Iterable[type[MindQuestion[Any]]] = QUESTIONS) -> str:
    """Identifies the wording of the prompts of these questions, in this order; default: of all."""
    names = ("head", *(question.name for question in questions))
    return digest(*(prompt(PACKAGE, name).hash for name in names), again_text(""))


def _key(question: MindQuestion[Any], role: Role) -> CallKey:
    asked = question.asked
    seat = asked.seat or asked.resident
    return CallKey(asked.trial, role, seat, asked.step, question.name, asked.attempt)


# ------------------------------------------------------------------ schemas


def answer_schema(question: MindQuestion[Any]) -> Schema:
    """The JSON schema that a model is given for the answer to a question.

    A provider that follows it can name only known places, times on the quarter hour and dates that
    are near, and rate as many texts as there are (see `schema_options`). Nothing else in it belongs
    to one question alone: it stands before the prompt where providers look for a beginning that
    repeats.
    """
    return _schema(question.answer_type, json.dumps(question.schema_options()))


@lru_cache(maxsize=1024)
def _schema(kind: type[Answer], options: str) -> Schema:
    plain = schema_of(kind)
    schema = _narrowed(json.loads(plain.text), json.loads(options))
    if '"#/$defs/Time"' in json.dumps(schema):
        schema["$defs"] = {"Time": {"enum": TIMES, "type": "string"}} | schema.get("$defs", {})
    return Schema(plain.name, json.dumps(schema, ensure_ascii=False, separators=(",", ":")))


def _narrowed(node: Any, options: dict[str, Any]) -> Any:
    """The schema with options for its fields; every field wanted and no other allowed.

    Those who offer strict structured output want the latter two.
    """
    if isinstance(node, list):
        return [_narrowed(item, options) for item in node]
    if not isinstance(node, dict):
        return node
    if _is_time(node):
        return {"$ref": "#/$defs/Time"}
    new = {word: _narrowed(part, options) for word, part in node.items()}
    if "properties" in new:
        fields = new["properties"]
        fields |= {name: _with(fields[name], options[name]) for name in options if name in fields}
        new |= {"required": list(fields), "additionalProperties": False}
    return new


def _with(field: dict[str, Any], option: dict[str, Any]) -> dict[str, Any]:
    """A field with an option; a pattern, or what it referred to, is no longer of use then."""
    return {word: field[word] for word in field if word not in ("pattern", "$ref")} | option


def _is_time(node: dict[str, Any]) -> bool:
    return "([01]" in str(node.get("pattern", ""))
