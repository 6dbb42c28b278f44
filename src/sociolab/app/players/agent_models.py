"""Chat models for users' own agents and judges; calls are stored and priced like all others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar, overload

from pydantic import BaseModel

from sociolab.app.players.models import Models, ModelSpec, parse
from sociolab.core.episode import Episode, Json
from sociolab.core.errors import ConfigError, ModelError, ReplyError, StorageError, WorldError
from sociolab.core.ports import (
    CallKey,
    ChatModel,
    ChatReply,
    Judge,
    Message,
    NoReply,
    Player,
    Prompt,
    Reply,
    ReplyStore,
    Request,
    Role,
    ToolDefinition,
)
from sociolab.core.score import JudgeId, Verdict
from sociolab.models.budget import Budget
from sociolab.prompting.structured import ask_model, check_finish, extract_spoken, schema_of
from sociolab.protocols.chat_completions import read_message
from sociolab.protocols.request import InvalidRequestError

_ROOM = 1000
"""Indices reserved for the calls of one attempt, so that no two attempts share a call's key."""

MessageLike: TypeAlias = str | Message | Mapping[str, Any]
Typed = TypeVar("Typed", bound=BaseModel)


@dataclass(slots=True)
class _Asking:
    """The request that an agent or judge is working on, and the calls that it has made for it."""

    key: CallKey
    calls: int = 0
    fatal: ModelError | StorageError | None = None

    def next_key(self) -> CallKey:
        self.calls += 1
        return replace(self.key, index=self.key.index + self.calls - 1)


_current_asking: ContextVar[_Asking | None] = ContextVar("asking", default=None)


class AgentModels:
    """The chat models of a run, for a class whose constructor takes `models`.

    A call belongs to the request or episode that the agent or judge is working on. A resumed run
    finds the stored reply as long as the calls of a turn come in the same order.

    >>> from sociolab import AgentModels, RunConfig, run
    >>> from sociolab.agents import Action, Reply
    >>> from sociolab.endpoint import EndpointSettings, start_in_thread
    >>> class Talker:
    ...     def __init__(self, models: AgentModels, model: str) -> None:
    ...         self.models, self.model = models, model
    ...     async def reply(self, request, memory):
    ...         text = await self.models.chat(self.model, request.observation.head)
    ...         return Reply((Action("speak", text),))
    >>> with start_in_thread(EndpointSettings()) as endpoint:
    ...     talk = run(RunConfig(agents="python:__main__:Talker?model=openai/m", limit=1,
    ...                          partner="scripted", judges="none", base_url=endpoint.url,
    ...                          name="first", store=f"{folder}/lab.db"))
    >>> talk.played, talk.result.calls > 0
    (2, True)
    """

    def __init__(self, models: Models, replies: ReplyStore, budget: Budget) -> None:
        self._models = models
        self._replies = replies
        self._budget = budget
        self._by_spec: dict[str, ChatModel] = {}

    @overload
    async def chat(
        self,
        model: str,
        messages: str | Sequence[MessageLike],
        schema: None = None,
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
    ) -> str: ...

    @overload
    async def chat(
        self,
        model: str,
        messages: str | Sequence[MessageLike],
        schema: type[Typed],
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
    ) -> Typed: ...

    @overload
    async def chat(
        self,
        model: str,
        messages: str | Sequence[MessageLike],
        schema: None = None,
        *,
        tools: Sequence[ToolDefinition],
        tool_choice: str = "auto",
        temperature: float | None = None,
        max_tokens: int | None = None,
    ) -> ChatReply: ...

    async def chat(
        self,
        model: str,
        messages: str | Sequence[MessageLike],
        schema: type[Typed] | None = None,
        *,
        tools: Sequence[ToolDefinition] = (),
        tool_choice: str = "auto",
        temperature: float | None = None,
        max_tokens: int | None = None,
    ) -> str | Typed | ChatReply:
        """Call a model ("endpoint/model", with options after "?") and return its reply: text
        without reasoning and chat tokens or, with a `schema`, an instance of that type.

        With `tools` it returns the reply whole, with the tools that it asks for in `calls`. Go on
        with `Message("assistant", reply.text, reply.calls)` and, for each result,
        `Message("tool", result, answers=call.id)`. `tool_choice` is "auto", "none", "required" or
        the name of a tool.

        `messages` are texts (of the user), `Message`s, or dictionaries as in OpenAI's API. A reply
        that does not fit the schema is asked for again, twice. ReplyError where none was usable, or
        where the reply was cut off, withheld or nothing but reasoning; ModelError where the call
        failed for good. Options of the spec and of models.toml override `temperature` and
        `max_tokens`.
        """
        asking = _require_asking()
        prompt = Prompt(
            _messages(messages),
            schema_of(schema) if schema is not None else None,
            temperature,
            max_tokens,
            tools=tuple(tools),
            tool_choice=tool_choice,
        )
        key = asking.next_key()
        try:
            if schema is None:
                reply = await self._model(model).complete(prompt, key)
                if reply.calls:
                    return reply
                check_finish(reply)
                text = extract_spoken(reply.text)
                return replace(reply, text=text) if tools else text
            typed = await ask_model(self._model(model), prompt, schema, key, lambda it: it)
            return typed.value
        except (ModelError, StorageError) as error:
            if isinstance(error, StorageError) or error.fatal:
                asking.fatal = error
            raise

    def caller(self, model: str = "") -> Callable[[str, Prompt], Awaitable[ChatReply]]:
        """Calls that belong to the request under way, made from outside of its task.

        They go to `model`, whatever name they come with; without it to the one that they name, as
        "endpoint/model" or, where there is no such endpoint, as a model of `openai`.
        """
        asking = _require_asking()

        async def call(name: str, prompt: Prompt) -> ChatReply:
            try:
                spec = model or self._models.bridged(name)
                return await self._model(spec).complete(prompt, asking.next_key())
            except (ModelError, StorageError) as error:
                if isinstance(error, StorageError) or error.fatal:
                    asking.fatal = error
                raise

        return call

    def _model(self, text: str) -> ChatModel:
        model = self._by_spec.get(text)
        if model is None:
            try:
                spec = parse(text, "model")
            except ConfigError as error:
                problem = str(error).removeprefix("--model ")
                raise ConfigError(f"models.chat: {problem}") from error
            if not isinstance(spec, ModelSpec):
                raise ConfigError(f'models.chat: expected "endpoint/model", found "{text}"')
            model = self._models.cached(spec, self._replies, self._budget)
            self._by_spec[text] = model
        return model


@dataclass(frozen=True, slots=True)
class CountedPlayer:
    """A user's player, whose calls to chat models belong to the request that it works on.

    A ReplyError of a model that it does not catch becomes an unusable reply of its own. An error
    that would repeat (a spent budget, no credentials) stops the run even if the player catches it.
    """

    player: Player
    role: Role

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
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
    """A user's judge, whose calls to chat models belong to the episode that it judges."""

    id: JudgeId
    own: Judge

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        key = CallKey(episode.trial.id, "judge", "", 0, self.id.label, 1, judging * _ROOM)
        with _calls_under(key):
            return await self.own.judge(episode, judging)


def _require_asking() -> _Asking:
    asking = _current_asking.get()
    if asking is None:
        raise WorldError(
            "models.chat was called while nothing was asked: call it within reply or judge, "
            "so that the call belongs to a trial and a turn"
        )
    return asking


@contextmanager
def _calls_under(key: CallKey) -> Iterator[None]:
    """While this is open, calls belong to this key. A fatal error of one is raised at the end even
    if the user's code swallowed it."""
    asking = _Asking(key)
    token = _current_asking.set(asking)
    try:
        yield
    except Exception as error:  # whatever the user's code turned a fatal error into
        if asking.fatal is not None and error is not asking.fatal:
            raise asking.fatal from error
        raise
    finally:
        _current_asking.reset(token)
    if asking.fatal is not None:
        raise asking.fatal


def _messages(content: str | Sequence[MessageLike]) -> tuple[Message, ...]:
    messages = [
        _message(message) for message in ([content] if isinstance(content, str) else content)
    ]
    if not messages:
        raise WorldError("models.chat: expected at least one message, found none")
    return tuple(messages)


def _message(message: MessageLike) -> Message:
    if isinstance(message, Message):
        return message
    if isinstance(message, str):
        return Message("user", message)
    try:
        return read_message(message, "messages")
    except InvalidRequestError as error:
        raise WorldError(f"models.chat: {error}") from error
