"""Any chat model as a player: the observation is rendered, the reply is read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
from typing import Literal, TypeAlias

from pydantic import BaseModel

from sociolab.agents.actions import act_type, read_json, read_plain
from sociolab.core.episode import Action, ActionSpace, Json
from sociolab.core.errors import ModelError, ReplyError
from sociolab.core.ports import (
    CallKey,
    ChatModel,
    ChatReply,
    Message,
    NoReply,
    Observation,
    Prompt,
    Question,
    Reply,
    Request,
    Role,
    Schema,
)
from sociolab.core.seeding import digest
from sociolab.prompting.ask import again_text, check_finish, typed
from sociolab.prompting.structured import schema_of
from sociolab.prompting.templates import prompt

PACKAGE = "sociolab.agents"

Dialect: TypeAlias = Literal["json", "plain"]


class PromptedPlayer:
    """Plays a seat with a chat model; it keeps no memory but the history.

    A reply that is cut off, withheld or unreadable is a NoReply and is asked for again by the
    engine; a prompt that is too long for the model, or that its provider's filter refuses, is a
    NoReply for good; any other failed call (no connection, no credentials) fails the trial as a
    ModelError.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        role: Role = "agent",
        temperature: float = 1.0,
        dialect: Dialect = "json",
    ) -> None:
        self._model = model
        self._role = role
        self._temperature = temperature
        self._dialect = dialect

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """Act or answer from what the request shows."""
        key = CallKey(
            request.trial, self._role, request.seat, request.turn, request.name, request.attempt
        )
        try:
            answer = await self._model.complete(self._prompt(request), key)
        except ModelError as error:
            if error.cause in ("context overflow", "content filter"):
                return NoReply(error.cause, str(error), again=False)
            raise
        try:
            return Reply(self._read(answer, request), raw=answer.text)
        except ReplyError as error:
            return NoReply(error.cause, str(error), error.raw)

    def _prompt(self, request: Request) -> Prompt:
        shown, wanted = request.observation, request.wanted
        # A question begins as the seat's turns do: providers keep what a prompt repeats.
        space = request.space if isinstance(wanted, Question) else wanted
        form = _form(space, len(shown.others) > 1, self._dialect) if space else _NO_FORM
        head = f"{form.how}\n\n{shown.head}".lstrip()
        if isinstance(wanted, Question):
            schema: Schema | None = schema_of(wanted.reply)
            how = f"\n\n{_how_to_answer(wanted.reply)}" if space else ""
            body = f"{_history(shown)}{wanted.text}{how}"
        else:
            schema = form.schema
            body = f"{_history(shown)}{shown.tail}"
        if request.problem:
            body = f"{body}\n{again_text(request.problem)}"
        messages = (Message("system", head), Message("user", body))
        return Prompt(messages, schema, self._temperature)

    def _read(self, answer: ChatReply, request: Request) -> tuple[Action, ...] | BaseModel:
        if isinstance(request.wanted, Question):
            return typed(answer, request.wanted.reply)
        check_finish(answer)
        if self._dialect == "plain":
            return read_plain(answer.text, request.wanted)
        return read_json(answer.text, request.wanted, len(request.observation.others) > 1)


def prompts_hash(dialect: Dialect) -> str:
    """Identifies the wording that this player adds to a world's."""
    return digest(prompt(PACKAGE, dialect).hash, prompt(PACKAGE, "answer").hash, again_text(""))


def _history(shown: Observation) -> str:
    if not shown.history:
        return ""
    return "\n".join(line.text for line in shown.history) + "\n\n"


@dataclass(frozen=True, slots=True)
class _Form:
    """How to reply with a turn, and the schema of that, if one is sent."""

    how: str
    schema: Schema | None


_NO_FORM = _Form("", None)


@cache
def _form(space: ActionSpace, addressed: bool, dialect: Dialect) -> _Form:
    how = _how_to_reply(space, addressed, dialect)
    return _Form(how, schema_of(act_type(space, addressed)) if dialect == "json" else None)


@lru_cache(maxsize=1024)  # a task's own types come and go
def _how_to_answer(reply: type[BaseModel]) -> str:
    """The schema's fields with their meaning; those that share one stand together before it."""
    fields = reply.model_json_schema().get("properties", {})
    meant = [(name, str(field.get("description", ""))) for name, field in fields.items()]
    groups = [
        (", ".join(name for name, _ in group), meaning)
        for meaning, group in groupby(meant, key=lambda pair: pair[1])
    ]
    told = [f"{names} ({meaning})" if meaning else names for names, meaning in groups]
    return prompt(PACKAGE, "answer").render({"fields": "; ".join(told)})


def _how_to_reply(space: ActionSpace, addressed: bool, dialect: Dialect) -> str:
    empty = [kind.name for kind in space.kinds if not kind.has_text]
    values = {"most": space.most, "addressed": addressed, "empty": empty}
    if dialect == "plain":
        values["example"] = next(kind.name for kind in space.kinds if kind.has_text)
    return prompt(PACKAGE, dialect).render(values)
