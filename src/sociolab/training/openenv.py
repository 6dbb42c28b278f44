"""An arena as a server of OpenEnv (extra `openenv`): `sociolab serve-env`.

OpenEnv's own clients and trainers play the outside seats over WebSockets, one session each.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from sociolab.core import __version__
from sociolab.core.errors import ConfigError, SociolabError, missing_extra
from sociolab.core.redaction import redact
from sociolab.training.arena import Arena, Seats, Split
from sociolab.training.session import ArenaSession, Observed
from sociolab.training.turns import ChatMessage

try:
    from openenv.core.env_server.http_server import create_fastapi_app
    from openenv.core.env_server.interfaces import Environment
    from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State
except ImportError as _missing:
    raise missing_extra("serve-env needs", "openenv", "openenv") from _missing


class SeatReply(Action):
    """The reply of the seat that is asked: the text of a model, or its JSON object."""

    reply: str | dict[str, Any] = Field(
        description="The reply as text, or as the JSON object that `reply_schema` describes"
    )


class SeatObservation(Observation):
    """What the seat that must act next sees; without messages when the episode is over.

    `reward` is what the seat that replied earned by its reply, None where that is unknown, and
    `rewards` has it for every outside seat. At the end `status` says whether the reward of the
    episode is known ("score") or why not, and the bounds hold it.
    """

    seat: str = ""
    turn: int = Field(default=0, description="From 1; 0 when the episode is over")
    asked: str = Field(default="", description='"act", or the name of a question')
    attempt: int = Field(default=0, description="From 1; an unusable reply is asked for again")
    messages: list[ChatMessage] = Field(
        default=[], description="What is new to the seat, or its whole prompt if reset asked for it"
    )
    reply_schema: dict[str, Any] | None = None
    usable: bool | None = Field(default=None, description="Whether the last reply could be used")
    problem: str = Field(default="", description="Why it could not")
    rewards: dict[str, float | None] = Field(default={})
    status: str = "playing"
    lower_bound: float | None = None
    upper_bound: float | None = None


class SeatState(State):
    """Where the episode stands."""

    task: str = ""
    scenario: str = ""
    split: str = ""
    seats: list[str] = Field(default=[])


class TaskEntry(BaseModel):
    """A task of a split, as OpenEnv's Task API lists it."""

    id: str
    index: int
    split: str


class SeatEnvironment(Environment[SeatReply, SeatObservation, SeatState]):
    """The episodes of one client, one after the other."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, arena: Arena, seats: Seats) -> None:
        super().__init__()
        self._arena = arena
        self._seats = seats
        self._session: ArenaSession | None = None
        self._id: str | None = None
        self._steps = 0
        self._whole = False

    async def reset_async(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        *,
        split: Split = "train",
        index: int | None = None,
        task: str | None = None,
        whole: bool = False,
    ) -> SeatObservation:
        """Begin an episode: of the task of this id or index, or of the next of the split.

        With a `seed` the same task is the same episode again. `whole` asks for the whole prompt at
        each turn rather than what is new.
        """
        self.close()
        with _redacted():
            if index is not None:
                task = self.get_task(split, index).id
            self._session = await self._arena.begin_async(
                task,
                seats=self._seats,
                split=split,
                seed=seed,
                repeat=None if seed is None else 0,
            )
        self._id, self._steps, self._whole = episode_id or self._session.trial.id, 0, whole
        return self._observe(self._session.observation)

    async def step_async(
        self, action: SeatReply, timeout_s: float | None = None
    ) -> SeatObservation:
        """Reply for the seat that is asked; ConfigError where none is."""
        if self._session is None:
            raise ConfigError("no episode is under way in this session: reset it first")
        with _redacted():
            step = await self._session.step_async(action.reply)
        self._steps += 1
        info = step.info
        return self._observe(
            step.observation,
            reward=step.reward,
            usable=info["usable"],
            problem=info["problem"],
            rewards=info["rewards"],
            status=info["status"],
            lower_bound=info["lower_bound"],
            upper_bound=info["upper_bound"],
        )

    def _observe(self, seen: Observed | None, **result: Any) -> SeatObservation:
        if seen is None:
            return SeatObservation(done=True, **result)
        return SeatObservation(
            seat=seen.seat,
            turn=seen.turn,
            asked=seen.request_name,
            attempt=seen.attempt,
            messages=seen.prompt if self._whole else seen.new,
            reply_schema=seen.schema,
            **result,
        )

    @property
    def state(self) -> SeatState:
        state = SeatState(episode_id=self._id, step_count=self._steps)
        if self._session is not None:
            task = self._session.trial.task
            state.task, state.scenario = task.id, task.cluster
            state.split, state.seats = self._session.split, list(task.seats)
        return state

    def close(self) -> None:
        """Let go of the episode, which ends it."""
        self._session = None

    def get_metadata(self) -> EnvironmentMetadata:
        world = self._arena.world
        return EnvironmentMetadata(
            name=f"sociolab-{world}",
            description=f"Conversations of the world {world}, with rewards for what was achieved",
            version=__version__,
        )

    def reset(self, *_: Any, **__: Any) -> SeatObservation:
        raise NotImplementedError("OpenEnv's server awaits reset_async")

    def step(self, *_: Any, **__: Any) -> SeatObservation:
        raise NotImplementedError("OpenEnv's server awaits step_async")

    # ------------------------------------------------------------------ the Task API

    def list_splits(self) -> list[str]:
        return list(self._arena.splits)

    def list_tasks(self, split: Split) -> list[TaskEntry]:
        return self.get_task_range(split)

    def num_tasks(self, split: Split) -> int:
        return len(self._arena.tasks(split))

    def get_task(self, split: Split, index: int) -> TaskEntry:
        """IndexError for an index that no task has."""
        if index < 0:
            raise IndexError(index)
        return TaskEntry(id=self._arena.tasks(split)[index], index=index, split=split)

    def get_task_range(
        self, split: Split, start: int | None = None, stop: int | None = None
    ) -> list[TaskEntry]:
        entries = (
            TaskEntry(id=task, index=index, split=split)
            for index, task in enumerate(self._arena.tasks(split))
        )
        return list(entries)[start:stop]


@contextmanager
def _redacted() -> Iterator[None]:
    """What an error says goes to the client."""
    try:
        yield
    except SociolabError as error:
        error.args = (redact(str(error), lookalikes=True),)
        raise


def create_app(arena: Arena, *, seats: Seats = 0, sessions: int = 64) -> FastAPI:
    """The ASGI app of OpenEnv's server, for `sessions` clients at once."""
    app: FastAPI = create_fastapi_app(
        partial(SeatEnvironment, arena, seats),
        SeatReply,
        SeatObservation,
        max_concurrent_envs=sessions,
        env_name=arena.world,
        state_cls=SeatState,
    )

    @app.exception_handler(SociolabError)
    def explain(request: Request, error: SociolabError) -> JSONResponse:
        status = 400 if isinstance(error, ConfigError) else 500
        return JSONResponse({"detail": redact(str(error), lookalikes=True)}, status)

    return app


def serve(app: FastAPI, listener: socket.socket, announce: Callable[[], None]) -> None:
    """Serve until interrupted; `announce` is called when clients can connect."""
    config = uvicorn.Config(
        app, log_level="warning", access_log=False, ws_per_message_deflate=False
    )
    with suppress(KeyboardInterrupt):
        announce()
        uvicorn.Server(config).run(sockets=[listener])
