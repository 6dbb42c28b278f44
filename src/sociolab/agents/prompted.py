"""Any chat model as a player: the observation is rendered, the reply is read to actions, as JSON or
in the plain-text format.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby
from types import GenericAlias
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, create_model

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
from sociolab.prompting.structured import (
    again_text,
    check_finish,
    read,
    schema_of,
    typed,
    without_thinking,
)
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


@cache
def act_type(space: ActionSpace, addressed: bool) -> type[BaseModel]:
    """The type of a turn in this space: `{action, text}`, with `to` where words can be aside.

    Where a turn may hold several actions it is `{actions: [...]}`.
    """
    kinds: Any = Literal[tuple(kind.name for kind in space.kinds)]
    fields: dict[str, Any] = {"action": (kinds, ...), "text": (str, ...)}
    if addressed:
        fields["to"] = (list[str], ...)
    turn: type[BaseModel] = create_model("Turn", __config__=_STRICT, **fields)
    if space.most == 1:
        return turn
    several: Any = GenericAlias(list, (turn,))
    return create_model("Turns", __config__=_STRICT, actions=(several, ...))


def read_json(text: str, space: ActionSpace, addressed: bool) -> tuple[Action, ...]:
    """The actions in a JSON reply; ReplyError with what was expected and found."""
    value: Any = read(text, act_type(space, addressed))
    turns = (value,) if space.most == 1 else value.actions
    return tuple(
        Action(turn.action, turn.text.strip(), tuple(turn.to) if addressed else ())
        for turn in turns
    )


def read_plain(text: str, space: ActionSpace) -> tuple[Action, ...]:
    """The actions in a plain reply: a line `kind: text` each, a line without a kind goes on.

    `kind (to Name, Name): text` is for those named only. ReplyError where no kind leads.
    """
    turns: list[tuple[str, list[str], tuple[str, ...]]] = []
    for line in without_thinking(text).strip().splitlines():
        match = _plain_line(space).match(line)
        if match:
            to = tuple(n.strip() for n in (match["to"] or "").split(",") if n.strip())
            kind = match["kind"].casefold()
            name = next(k.name for k in space.kinds if k.name.casefold() == kind)
            turns.append((name, [(match["text"] or "").strip()], to))
        elif turns and line.strip():
            turns[-1][1].append(line.strip())
    if not turns:
        names = ", ".join(kind.name for kind in space.kinds)
        shown = " ".join(text.split())[:80]
        raise ReplyError(
            f'expected a line that begins with one of: {names}; found "{shown}"', raw=text
        )
    return tuple(Action(kind, " ".join(words).strip(), to) for kind, words, to in turns)


@cache
def _plain_line(space: ActionSpace) -> re.Pattern[str]:
    kinds = "|".join(re.escape(kind.name) for kind in space.kinds)
    # Possessive (*+), or a line of blanks would be divided among its parts in every possible way.
    return re.compile(
        rf"""^\W*(?P<kind>{kinds})
            (?: [^\w:(] | \((?!to\ ) )*+ (?: \(to\ (?P<to>[^)]*+)\) )?+
            (?: \s*+ : \s*+ (?P<text>.*) | [.\s*]*+ $ )""",
        re.IGNORECASE | re.VERBOSE,
    )


_STRICT = ConfigDict(extra="forbid")
