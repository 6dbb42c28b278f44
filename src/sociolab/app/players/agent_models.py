"""Chat models for somebody's own agent or judge: their calls are kept and priced as ours are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar, overload

from pydantic import BaseModel

from sociolab.app.players.models import Models, ModelSpec, parse
from sociolab.core.episode import Episode, Json
from sociolab.core.errors import ConfigError, ModelError, ReplyError, StorageError, WorldError
from sociolab.core.ports import (
    CallKey,
    ChatModel,
    Judge,
    Message,
    NoReply,
    Player,
    Prompt,
    Reply,
    ReplyStore,
    Request,
    Role,
)
from sociolab.core.score import JudgeId, Verdict
from sociolab.models.budget import Budget
from sociolab.prompting.structured import ask_model, check_finish, extract_spoken, schema_of

"""How often a model is asked for a typed reply."""

_ROOM = 1000
"""Calls for which one request to an agent has numbers of its own."""

Said: TypeAlias = str | Message | Mapping[str, str]
Typed = TypeVar("Typed", bound=BaseModel)


@dataclass(slots=True)
class _Asking:
    """What an agent or judge is asked at the moment, and the calls that it has made for it."""

    key: CallKey
    calls: int = 0
    fatal: ModelError | StorageError | None = None

    def next_key(self) -> CallKey:
        self.calls += 1
        return replace(self.key, index=self.key.index + self.calls - 1)


_current_asking: ContextVar[_Asking | None] = ContextVar("asking", default=None)


class AgentModels:
    """The chat models of a run, for a class whose constructor takes `models`.

    A call belongs to what the agent or judge is asked while it is made; a run that is resumed
    finds its reply again as long as the calls of a turn come in the same order.
    """

    def __init__(self, models: Models, replies: ReplyStore, budget: Budget) -> None:
        self._models = models
        self._replies = replies
        self._budget = budget
        self._known: dict[str, ChatModel] = {}

    @overload
    async def chat(
        self,
        model: str,
        messages: str | Sequence[Said],
        schema: None = None,
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
    ) -> str: ...

    @overload
    async def chat(
        self,
        model: str,
        messages: str | Sequence[Said],
        schema: type[Typed],
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
    ) -> Typed: ...

    async def chat(
        self,
        model: str,
        messages: str | Sequence[Said],
        schema: type[Typed] | None = None,
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
    ) -> str | Typed:
        """What a model ("endpoint/model", with options after "?") replies: text without its
        reasoning and chat marks or, with the type of a reply, an instance of it.

        `messages` are texts (the user's), `Message`s or {"role": ..., "content": ...}. A reply
        that is no such instance is asked for again, twice. ReplyError where none could be used, or
        where it was cut off, withheld or reasoning alone; ModelError where the call failed for
        good. Options of the spec and of models.toml go before `temperature` and `max_tokens`.
        """
        asking = _current_asking.get()
        if asking is None:
            raise WorldError(
                "models.chat was called while nothing was asked: call it within reply or judge, "
                "so that the call belongs to a trial and a turn"
            )
        reply_schema = schema_of(schema) if schema is not None else None
        prompt = Prompt(_messages(messages), reply_schema, temperature, max_tokens)
        key = asking.next_key()
        try:
            if schema is None:
                reply = await self._model(model).complete(prompt, key)
                check_finish(reply)
                return extract_spoken(reply.text)
            typed = await ask_model(self._model(model), prompt, schema, key, lambda it: it)
            return typed.value
        except (ModelError, StorageError) as error:
            if isinstance(error, StorageError) or error.fatal:
                asking.fatal = error
            raise

    def _model(self, text: str) -> ChatModel:
        model = self._known.get(text)
        if model is None:
            try:
                spec = parse(text, "model")
            except ConfigError as error:
                problem = str(error).removeprefix("--model ")
                raise ConfigError(f"models.chat: {problem}") from error
            if not isinstance(spec, ModelSpec):
                raise ConfigError(f'models.chat: expected "endpoint/model", found "{text}"')
            model = self._models.cached(spec, self._replies, self._budget)
            self._known[text] = model
        return model


@dataclass(frozen=True, slots=True)
class CountedPlayer:
    """Somebody's player, whose calls to chat models belong to what it is asked.

    A reply of a model that it could not use, and let pass, is no usable reply of its own. An error
    that would repeat (a spent budget, no credentials) stops the run, whether the player heeds it
    or not.
    """

    player: Player
    role: Role

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        """What the player replies."""
        index = (request.attempt - 1) * _ROOM
        key = CallKey(request.trial, self.role, request.seat, request.turn, request.name, 1, index)
        try:
            with _calls_under(key):
                return await self.player.reply(request, memory)
        except ReplyError as error:
            return NoReply(error.cause, str(error), error.raw)
        except ModelError as error:
            if error.cause in ("context overflow", "content filter"):
                return NoReply(error.cause, str(error), again=False)
            raise


@dataclass(frozen=True, slots=True)
class CountedJudge:
    """Somebody's judge, whose calls to chat models belong to the episode that it judges."""

    id: JudgeId
    own: Judge

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """What the judge says."""
        key = CallKey(episode.trial.id, "judge", "", 0, self.id.label, 1, judging * _ROOM)
        with _calls_under(key):
            return await self.own.judge(episode, judging)


@contextmanager
def _calls_under(key: CallKey) -> Iterator[None]:
    """While this is open, calls belong to this key; a fatal error among them is raised at the end,
    should nobody have let it pass."""
    asking = _Asking(key)
    token = _current_asking.set(asking)
    try:
        yield
    except Exception as error:  # whatever somebody's code makes of a fatal error
        if asking.fatal is not None and error is not asking.fatal:
            raise asking.fatal from error
        raise
    finally:
        _current_asking.reset(token)
    if asking.fatal is not None:
        raise asking.fatal


def _messages(content: str | Sequence[Said]) -> tuple[Message, ...]:
    """WorldError where something is no message."""
    messages = [
        _message(message) for message in ([content] if isinstance(content, str) else content)
    ]
    if not messages:
        raise WorldError("models.chat: expected at least one message, found none")
    return tuple(messages)


def _message(message: Said) -> Message:
    if isinstance(message, Message):
        return message
    if isinstance(message, str):
        return Message("user", message)
    match message:
        case {"role": "system" | "user" | "assistant" as role, "content": str(text)}:
            return Message(role, text)
    raise WorldError(
        'models.chat: expected {"role": "system", "user" or "assistant", "content": text}, '
        f"found {message!r:.80}"
    )
