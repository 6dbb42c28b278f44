"""A seat of a live episode for a policy outside, and the rewards that judges give it."""

from __future__ import annotations

import asyncio
import json
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

from pydantic import BaseModel

from sociolab.app.transcripts import replies_of
from sociolab.core.episode import ACT, Action, Episode, Event, Json, Trial, Unusable
from sociolab.core.errors import ConfigError, SociolabError, stops_all
from sociolab.core.ports import (
    CallKey,
    ChatModel,
    ChatReply,
    Judge,
    NoReply,
    Observation,
    Player,
    Prompt,
    Reply,
    Request,
    World,
)
from sociolab.core.score import UNNAMED_MEASURE, JudgeId, Measure, ScoreFailure, Unscored, Verdict
from sociolab.engine.driver import drive
from sociolab.runner.judging import cells_of, failures_of, verdicts_of
from sociolab.training.rewards import RewardStatus, reward_of
from sociolab.training.turns import ChatMessage, chat_messages

Answer: TypeAlias = "str | Action | Sequence[Action] | BaseModel"
"""What a policy replies: the text that a model would write, or the typed value itself."""


@dataclass(frozen=True, slots=True)
class Observed:
    """An observation for the policy: `prompt` is exactly what a model in a run would be sent.

    >>> from sociolab import Environment
    >>> env = Environment("sotopia", tasks="bargain", seed=1)
    >>> observed = env.reset_sync()
    >>> observed.turn, observed.request_name, sorted(observed.schema["properties"])
    (1, 'act', ['action', 'text'])
    >>> env.close_sync()
    """

    trial: Trial
    request: Request
    prompt: Prompt

    @property
    def task(self) -> str:
        return self.trial.task.id

    @property
    def scenario(self) -> str:
        """The cluster of the task: hold scenarios out whole, and cluster intervals by them."""
        return self.trial.task.cluster

    @property
    def seat(self) -> str:
        return self.request.seat

    @property
    def turn(self) -> int:
        """The turn's number, from 1."""
        return self.request.turn + 1

    @property
    def request_name(self) -> str:
        """ "act", or the name of the question."""
        return self.request.name

    @property
    def attempt(self) -> int:
        """From 1; after an unusable reply, the same request is repeated."""
        return self.request.attempt

    @property
    def problem(self) -> str:
        """Why the previous reply could not be used (`messages` say it too); "" at first."""
        return self.request.problem

    @property
    def messages(self) -> list[ChatMessage]:
        """The prompt as chat messages, ready to be sent."""
        return chat_messages(self.prompt)

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema that a reply must follow; None where it is plain text."""
        schema = self.prompt.schema
        parsed: dict[str, Any] | None = None if schema is None else json.loads(schema.text)
        return parsed

    @property
    def observation(self) -> Observation:
        """The observation as records: head, history, tail, the other seats, and the world's
        `view`."""
        return self.request.observation


class ReplyResult(NamedTuple):
    """Whether a reply was usable, and why not.

    `usable` is None where the episode was over before the reply counted.
    """

    usable: bool | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class _Waiting:
    observed: Observed
    answer: asyncio.Future[Answer]


class EnvSession:
    """A seat of an episode that is being driven, in one event loop.

    `make_player` makes the player of a model, as in a run: its prompts are those of a run, and its
    replies are read and refused as there.
    """

    def __init__(
        self,
        world: World,
        trial: Trial,
        seat: str,
        partners: Mapping[str, Player],
        make_player: Callable[[ChatModel], Player],
    ) -> None:
        self.trial = trial
        self._name = seat
        self._pending: asyncio.Queue[_Waiting] = asyncio.Queue()
        self._current: _Waiting | None = None
        self._events: list[Event] = []
        relay = _RelayModel(trial, self._pending)
        # Made before the play: a town simulates in another order if a model is in it.
        players = {**partners, seat: _RelayPlayer(make_player(relay), relay)}
        play = world.play(trial.task, trial.id, trial.seed)
        self._driven = asyncio.ensure_future(drive(play, players, self._events.append))
        weakref.finalize(
            self, _cancel_abandoned, self._driven, asyncio.get_running_loop()
        ).atexit = False

    @property
    def waiting(self) -> Observed | None:
        """The observation that awaits a reply; None before the first and after the last."""
        return self._current.observed if self._current else None

    async def next(self) -> Observed | None:
        """The next observation of this seat; None when the episode is over.

        What breaks the episode (a partner's failed call, a bug) is raised.
        """
        getting = asyncio.ensure_future(self._pending.get())
        try:
            await asyncio.wait({getting, self._driven}, return_when=asyncio.FIRST_COMPLETED)
            self._current = getting.result() if getting.done() else None
        finally:
            getting.cancel()
        if self._current is None:
            self._driven.result()
            return None
        return self._current.observed

    def answer(self, reply: Answer) -> None:
        """Reply to the current observation; ConfigError if there is none, or for another type."""
        if self._current is None:
            raise ConfigError("nothing is asked: the episode is over or has not begun; reset it")
        checked, answer = _check_reply(reply), self._current.answer
        if answer.cancelled():  # the episode continued without it: `reply_result` says so
            return
        if answer.done():
            raise ConfigError("this was already replied to, by a step that was interrupted; reset")
        answer.set_result(checked)

    def reply_result(self, observed: Observed) -> ReplyResult:
        """Whether the reply to this observation was usable."""
        request = observed.request
        key = (request.seat, request.turn, request.name, request.attempt)
        _, event = replies_of(self._events).get(key, (0, None))
        if event is None:
            return ReplyResult()
        return (
            ReplyResult(False, event.problem) if isinstance(event, Unusable) else ReplyResult(True)
        )

    def missed_turns_so_far(self) -> MissedTurns:
        """The turns missed so far, by this seat and by the others."""
        return missed_turns(self._events, self._name)

    def episode(self) -> Episode:
        """The episode, once it is over."""
        return Episode(self.trial, self._driven.result())

    async def close(self) -> None:
        self._driven.cancel()
        await asyncio.gather(self._driven, return_exceptions=True)
        self._current = None


def _cancel_abandoned(
    driven: asyncio.Task[tuple[Event, ...]], loop: asyncio.AbstractEventLoop
) -> None:
    """Cancel the task of a garbage-collected session, of which asyncio would warn."""
    if not driven.done() and not loop.is_closed():
        loop.call_soon_threadsafe(driven.cancel)


class _TypedAnswer(Exception):  # noqa: N818  an answer on its way past the reader of texts, not a fault
    def __init__(self, value: tuple[Action, ...] | BaseModel) -> None:
        self.value = value


class _RelayModel:
    """A chat model that passes prompts to the outside and awaits replies from there."""

    def __init__(self, trial: Trial, queue: asyncio.Queue[_Waiting]) -> None:
        self.label = "policy"
        self.requests: dict[tuple[int, str, int], Request] = {}
        self._trial = trial
        self._pending = queue

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        request = self.requests[key.turn, key.name, key.attempt]
        waiting = _Waiting(
            Observed(self._trial, request, prompt), asyncio.get_running_loop().create_future()
        )
        self._pending.put_nowait(waiting)
        answer = await waiting.answer
        if isinstance(answer, str):
            return ChatReply(answer)
        raise _TypedAnswer(answer if isinstance(answer, BaseModel) else _without_acts(answer))


class _RelayPlayer:
    """The player of the seat: that of a model, which is relayed to the outside."""

    def __init__(self, player: Player, relay: _RelayModel) -> None:
        self._player = player
        self._relay = relay

    async def reply(self, request: Request, memory: Json) -> Reply | NoReply:
        self._relay.requests[request.turn, request.name, request.attempt] = request
        try:
            return await self._player.reply(request, memory)
        except _TypedAnswer as answer:
            return Reply(answer.value)


def _check_reply(reply: Answer) -> Answer:
    if isinstance(reply, str | BaseModel | Action):
        return reply
    if isinstance(reply, Sequence) and all(isinstance(action, Action) for action in reply):
        return reply
    hint = " (as text it is json.dumps of that)" if isinstance(reply, dict) else ""
    raise ConfigError(
        "expected a reply as text, an Action, several of them, or the answer to a question, found "
        f"{reply!r:.80}{hint}"
    )


def _without_acts(answer: Action | Sequence[Action]) -> tuple[Action, ...]:
    """The actions without `acts`, which only built-in players write and rewards rest on."""
    actions = (answer,) if isinstance(answer, Action) else tuple(answer)
    return tuple(replace(action, acts=()) for action in actions)


@dataclass(frozen=True, slots=True)
class MissedTurns:
    """How many turns and answers of the seat and of the others got no usable reply, and the first
    problem of each (who, when, what)."""

    own: int = 0
    others: int = 0
    problems: tuple[str, ...] = ()


def missed_turns(events: Sequence[Event], seat: str) -> MissedTurns:
    """The turns that a seat and the others missed in these events; the same in every world."""
    lost = [e for e in events if isinstance(e, Unusable) and e.final and not e.optional]
    own = [event for event in lost if event.seat == seat]
    partners = [event for event in lost if event.seat != seat]
    return MissedTurns(
        len(own), len(partners), tuple(_missed_text(some[0]) for some in (own, partners) if some)
    )


def _missed_text(event: Unusable) -> str:
    what = "" if event.name == ACT else f", {event.name}"
    return f"{event.seat} at turn {event.turn + 1}{what}: {event.problem}"


SeatRewards: TypeAlias = dict[str, dict[str, float | None]]
"""By judge and metric; None where the value is unknown."""
RewardBounds: TypeAlias = dict[str, dict[str, tuple[float, float]]]
"""By judge and metric, the least and the most that an unknown reward could be."""
RewardStatuses: TypeAlias = dict[str, dict[str, RewardStatus]]
"""By judge and metric, why a reward is unknown."""


@dataclass(frozen=True, slots=True)
class SeatScores:
    """Scores of the seat and of the whole episode, by judge and metric.

    An unknown score is None, never 0; `bounds` and `status` hold its possible range and why it is
    unknown. `failures` lists judges' failures. Metrics that do not apply are in none of them.
    """

    rewards: SeatRewards = field(default_factory=dict)
    of_episode: SeatRewards = field(default_factory=dict)
    failures: tuple[str, ...] = ()
    bounds: RewardBounds = field(default_factory=dict)
    status: RewardStatuses = field(default_factory=dict)


class SeatJudges:
    """The judges of an environment, by the rules of a run: one that raises fails on the metrics
    that it gave before, and the others' scores stand. Nothing is stored."""

    def __init__(self, judges: Sequence[Judge]) -> None:
        self._judges = judges
        self._cells: dict[JudgeId, tuple[tuple[Measure, int | None], ...]] = {}

    async def read_scores(self, episode: Episode, seat: str) -> SeatScores:
        """The judges' scores of the episode.

        A fatal ModelError (credentials, budget) passes through.
        """
        scores, failures = SeatScores(), list[str]()
        for judge in self._judges:
            name = judge.id.label
            for verdict in await self._verdicts(judge, episode):
                if verdict.seat not in (seat, None):
                    continue
                metric = verdict.measure.name
                if isinstance(verdict, ScoreFailure):
                    what = UNNAMED_MEASURE.title if verdict.measure == UNNAMED_MEASURE else metric
                    failures.append(f"{what} by {name}: {verdict.cause}: {verdict.problem}")
                not_due = isinstance(verdict, Unscored) and verdict.kind == "not applicable"
                if verdict.measure == UNNAMED_MEASURE or not_due:
                    continue
                reward = reward_of(verdict, judge.id.method)
                rewards = scores.of_episode if verdict.seat is None else scores.rewards
                rewards.setdefault(name, {})[metric] = reward.value
                if reward.bounds is not None:
                    scores.bounds.setdefault(name, {})[metric] = reward.bounds
                    scores.status.setdefault(name, {})[metric] = reward.status
        return replace(scores, failures=tuple(failures))

    async def _verdicts(self, judge: Judge, episode: Episode) -> tuple[Verdict, ...]:
        seats = episode.trial.task.seats
        try:
            verdicts = await verdicts_of(judge, episode)
        except SociolabError as error:
            if stops_all(error):
                raise
            return failures_of(error, self._cells.get(judge.id, ()), seats)
        if verdicts:
            self._cells.setdefault(judge.id, cells_of(verdicts, seats))
        return verdicts
