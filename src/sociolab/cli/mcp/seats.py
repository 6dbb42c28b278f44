"""Seats that clients of `sociolab mcp` take in episodes, which are played in an `Arena` each."""

from __future__ import annotations

import math
import secrets
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from sociolab.app.run.config import ArenaConfig, WorldConfig
from sociolab.app.transcripts import transcript_of
from sociolab.cli.mcp.limits import ClientLimits, Grant, is_free
from sociolab.core.errors import ConfigError, ModelError, WorldError, did_you_mean
from sociolab.report.terminal import play_text
from sociolab.report.transcript_views import transcript_view
from sociolab.training.arena import Arena
from sociolab.training.session import ArenaSession, Step
from sociolab.training.turns import ChatMessage

MOST_SEATS = 32
"""Episodes that may be under way at once."""


class SeatView(BaseModel):
    """What the seat sees when it must reply, or how the episode ended."""

    episode: str = Field(description="Names the episode in act and leave_seat")
    task: str
    seat: str
    turn: int = Field(0, description="From 1; 0 when the episode is over")
    asked: str = Field("", description='"act", or the name of a question')
    attempt: int = 0
    messages: list[ChatMessage] = Field(
        [], description="At first the whole prompt, then only what is new to the seat"
    )
    reply_schema: dict[str, Any] | None = Field(
        None, description="The JSON schema of the reply; null where it is plain text"
    )
    problem: str = Field("", description="Why the last reply could not be used; the turn was lost")
    reward: float | None = Field(None, description="What the last reply earned; null if unknown")
    done: bool = False
    status: str = Field("playing", description='At the end "score", or why there is no reward')
    bounds: tuple[float, float] | None = Field(
        None, description="Between which an unknown reward of the episode lies, where that is known"
    )
    transcript: str = Field("", description="The whole episode, once it is over")


@dataclass(frozen=True, slots=True)
class _Seat:
    id: str
    name: str
    arena: Arena
    session: ArenaSession
    grant: Grant


class Seats:
    """The seats that clients have taken; an episode that is not played to its end is lost."""

    def __init__(self, limits: ClientLimits) -> None:
        self._limits = limits
        self._seats: dict[str, _Seat] = {}

    def take(
        self,
        world: WorldConfig,
        config: ArenaConfig,
        task: str | None,
        seat: int | str,
        partner: str,
        judge: str | None,
    ) -> SeatView:
        """Begin an episode; ConfigError for an unknown task, seat or partner, and where the budget
        does not reach."""
        self._limits.check(world, (partner, judge))
        if len(self._seats) >= MOST_SEATS:
            raise ConfigError(
                f"refused: {MOST_SEATS} episodes are under way; play one to its end, or leave_seat"
            )
        free = is_free((partner, judge))
        grant = self._limits.hold(0.0 if free else config.budget, 1)
        arena, taken = None, False
        try:
            budget = None if free else grant.usd
            arena = Arena(
                world.world,
                partner=partner,
                judge=judge,
                seed=world.seed,
                config=config.model_copy(update={"budget": budget}),
            )
            if task is not None and task not in (there := arena.tasks()):
                raise ConfigError(
                    f'there is no task "{task}" in {world.world}{did_you_mean(task, there)}; '
                    "list_tasks names them"
                )
            place = seat - 1 if isinstance(seat, int) else seat
            session = arena.begin(task, seats=place)
            taken = True
        finally:
            if not taken:
                self._limits.settle(grant, arena.spent if arena else 0.0, 0)
                if arena:
                    arena.close()
        made = _Seat(secrets.token_hex(4), session.seats[0], arena, session, grant)
        self._seats[made.id] = made
        return self._view(made)

    def act(self, episode: str, reply: str | dict[str, Any]) -> SeatView:
        """Reply; ConfigError for a reply that cannot be used, while there is another attempt."""
        seat = self._find(episode)
        before = seat.session.observation
        try:
            step = seat.session.step(reply)
        except (ModelError, WorldError):  # which end the episode
            self._close(seat)
            raise
        after = step.observation
        again = before is not None and after is not None and after.attempt > before.attempt
        if again and step.info["problem"]:
            raise ConfigError(f"the reply cannot be used: {step.info['problem']}; act again")
        return self._view(seat, step)

    def leave(self, episode: str) -> None:
        """Break an episode off."""
        self._close(self._find(episode))

    def close(self) -> None:
        for seat in [*self._seats.values()]:
            self._close(seat)

    def _find(self, episode: str) -> _Seat:
        if episode not in self._seats:
            raise ConfigError(
                f'no episode "{episode}" is under way: it is over, was left, or never began; '
                "take_seat begins one"
            )
        return self._seats[episode]

    def _close(self, seat: _Seat) -> None:
        del self._seats[seat.id]
        seat.session.close()
        self._limits.settle(seat.grant, seat.arena.spent, 1)
        seat.arena.close()

    def _view(self, seat: _Seat, step: Step | None = None) -> SeatView:
        session, seen = seat.session, seat.session.observation
        view = SeatView(episode=seat.id, task=session.trial.task.id, seat=seat.name)
        if step is not None:
            view.problem, view.reward = step.info["problem"], step.reward
        if seen is not None:
            view.turn, view.asked, view.attempt = seen.turn, seen.request_name, seen.attempt
            view.messages, view.reply_schema = seen.new, seen.schema
            return view
        reward, played = session.rewards[seat.name], session.episode
        view.done, view.status = True, reward.status
        if reward.bounds is not None and all(map(math.isfinite, reward.bounds)):
            view.bounds = reward.bounds
        if played is not None:
            view.transcript = play_text(transcript_view(played, transcript_of(played)))
        self._close(seat)
        return view
