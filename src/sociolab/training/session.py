"""An episode of which some seats are played from outside: what they see, and what they earn."""

from __future__ import annotations

import asyncio
import json
import weakref
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self, TypeAlias, TypedDict

from pydantic import BaseModel

from sociolab.app.run_sync import LoopThread
from sociolab.app.transcripts import replies_of
from sociolab.core.episode import ACT, Action, Episode, Event, Json, Trial, Unusable
from sociolab.core.errors import ConfigError
from sociolab.core.ports import (
    CallKey,
    ChatModel,
    ChatReply,
    NoReply,
    Observation,
    Play,
    Player,
    Prompt,
    Reply,
    Request,
    World,
)
from sociolab.engine.driver import drive
from sociolab.training.rewards import EpisodeRewards, Reward
from sociolab.training.turns import ChatMessage, chat_messages

Answer: TypeAlias = "str | Mapping[str, Json] | Action | Sequence[Action] | BaseModel"
"""A reply from outside: the text that a model would write, its JSON object as a mapping, or the
typed value itself."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What a seat sees when it must act: `prompt` is exactly what a model in a run would be sent.

    `new` is the part of it that this seat has not been sent before, for a chat that keeps its
    history: the first prompt, then replies and what was `new` in turn.

    >>> from sociolab import Arena
    >>> with Arena("sotopia", tasks="bargain", seed=1) as arena:
    ...     observed = arena.begin().observation
    >>> observed.turn, observed.request_name, sorted(observed.schema["properties"])
    (1, 'act', ['action', 'text'])
    >>> observed.new == observed.prompt
    True
    """

    trial: Trial
    request: Request
    sent: Prompt
    new: list[ChatMessage]

    @property
    def prompt(self) -> list[ChatMessage]:
        """The whole prompt as chat messages, ready to be sent."""
        return chat_messages(self.sent)

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
        """Why the previous reply could not be used (`prompt` says it too); "" at first."""
        return self.request.problem

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema that a reply must follow; None where it is plain text."""
        schema = self.sent.schema
        parsed: dict[str, Any] | None = None if schema is None else json.loads(schema.text)
        return parsed

    @property
    def observation(self) -> Observation:
        """The observation as records: head, history, tail, the other seats, and the world's
        `view`."""
        return self.request.observation


class StepInfo(TypedDict):
    """What a step tells beside Gymnasium's first four values.

    `seat` replied. `usable` says whether the reply could be used, `problem` why not; `usable` is
    None where it has not counted yet (other seats are asked at the same time) or never will (the
    episode was over before). `rewards` has what each seat from outside earned by this step.
    `status` is "playing" or, at the end, that of the seat's reward, which lies within the bounds.
    """

    seat: str
    usable: bool | None
    problem: str
    rewards: dict[str, float | None]
    status: str
    lower_bound: float | None
    upper_bound: float | None


class Step(NamedTuple):
    """The result of a reply, as the five values of Gymnasium.

    `observation` is that of the seat that must act next, None when the episode is over. `reward` is
    what the seat that replied earned by it: the change in what the standing offer is worth to it
    where the world can tell, else 0 until the end; None at the end where the reward is unknown.
    An episode that ran into its limit of turns is `truncated`, any other is `terminated`.

    >>> from sociolab import Arena
    >>> with Arena("sotopia", tasks="bargain", seed=1) as arena:
    ...     session = arena.begin()
    ...     observation, reward, terminated, truncated, info = session.step("Hello there.")
    >>> info["usable"], info["problem"], observation.attempt
    (False, 'expected a JSON object, found the text "Hello there."', 2)
    """

    observation: Observed | None
    reward: float | None
    terminated: bool
    truncated: bool
    info: StepInfo


@dataclass(frozen=True, slots=True)
class MissedTurns:
    """How many turns and answers of a seat and of the others got no usable reply, and the first
    problem of each (who, when, what)."""

    own: int = 0
    others: int = 0
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionRules:
    """What all sessions of an arena share.

    `make_player` makes the player of a model, as in a run: its prompts are those of a run, and its
    replies are read and refused as there. `standing` says what the standing offers of an episode
    under way are worth to each seat, None where nobody can tell. `release` is awaited once an
    episode is over or broken off.
    """

    world: World
    make_player: Callable[[ChatModel], Player]
    score: Callable[[Episode], Awaitable[EpisodeRewards]]
    standing: Callable[[Episode], Mapping[str, float]]
    thread: LoopThread
    release: Callable[[str], Awaitable[None]]


_LIMITS = ("turn limit", "time is up")
_BEFORE = 0
"""The turn of a seat before its first."""


class ArenaSession:
    """An episode under way; `Arena.begin` makes it.

    `seats` are played from outside, by `step` or, in a session begun with `begin_async`, by `await
    step_async`. Several seats may be asked at once; `observations` has all that wait. At the end
    `rewards` has the reward of each seat, `scores` all that the judges said, and `episode` is the
    record. `split` is the part of the tasks that it is from.

    >>> from sociolab import Arena, ArenaConfig
    >>> config = ArenaConfig(settings={"closing_question": "false"})
    >>> with Arena("sotopia", tasks="bargain", partner="haggler:1", config=config) as arena:
    ...     session = arena.begin()
    ...     for words in ("I want $300.", "Then $230.", "I said $230.", "Thank you."):
    ...         step = session.step({"action": "speak", "text": words})
    >>> session.done, session.rewards[session.seats[0]].value  # $230 is its target, worth 6
    (True, 6.0)
    """

    def __init__(
        self,
        rules: SessionRules,
        trial: Trial,
        split: str,
        seats: tuple[str, ...],
        partners: Mapping[str, Player],
    ) -> None:
        self.trial = trial
        self.split = split
        self.seats = seats
        self.rewards: dict[str, Reward] = {}
        self.scores = EpisodeRewards()
        self.episode: Episode | None = None
        self._rules = rules
        self._partners = partners
        self._events: list[Event] = []
        self._waiting: list[_Waiting] = []
        self._by_turn = False
        self._banked = dict.fromkeys(seats, 0.0)
        self._earned: dict[str, dict[int, float]] = {seat: {} for seat in seats}
        self._driven: asyncio.Task[tuple[Event, ...]] | None = None
        self._changed = asyncio.Event()

    # -------------------------------------------------------------- what is asked

    @property
    def observation(self) -> Observed | None:
        """What the next seat sees; None when the episode is over."""
        return self._waiting[0].observed if self._waiting else None

    @property
    def observations(self) -> dict[str, Observed]:
        """What each seat sees that is asked now."""
        return {waiting.observed.seat: waiting.observed for waiting in self._waiting}

    @property
    def done(self) -> bool:
        return self.episode is not None

    def missed_turns(self, seat: str) -> MissedTurns:
        """The turns missed so far, by this seat and by the others."""
        return missed_turns(self._events, seat)

    def turn_rewards(self, seat: str) -> dict[int, float] | None:
        """What each turn of a seat (from 1) earned; None where only the whole episode was scored.

        Where the world knows the standing offers, a turn earns what the offer on the table has
        gained in worth by the seat's next turn, and the turns of an episode add up to its reward.
        Else it is the credit that the arena's judge of credit gave: its points, -3 to 3, which add
        up to nothing in particular.
        """
        reward = self.rewards.get(seat)
        if self._by_turn and reward is not None and reward.value is not None:
            return self._earned[seat]
        return self.scores.credit.get(seat)

    # -------------------------------------------------------------- playing

    def step(self, action: Answer, seat: str | None = None) -> Step:
        """Reply for the next seat, or for this one of those that are asked.

        The next observation of the seat says why a text could not be used, as a model in a run is
        told. What breaks the episode is raised (ModelError, WorldError); a judge that breaks fails
        in its scores alone. ConfigError where nothing is asked.
        """
        return self._rules.thread.run(self.step_async(action, seat))

    async def step_async(self, action: Answer, seat: str | None = None) -> Step:
        waiting, reply = self._find(seat), _check_reply(action)
        if not waiting.answer.cancelled():  # else the episode went on without it
            waiting.answer.set_result(reply)
        await self._advance()
        return self._step_after(waiting.observed)

    def close(self) -> None:
        """Break the episode off if it is under way."""
        self._rules.thread.run(self.close_async())

    async def close_async(self) -> None:
        if self._driven is not None:
            self._driven.cancel()
            await asyncio.gather(self._driven, return_exceptions=True)
        self._waiting.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close_async()

    async def start(self) -> None:
        """Play, in the running event loop, until a seat from outside is asked."""
        make, changed, loop = self._rules.make_player, self._changed, asyncio.get_running_loop()
        players = dict(self._partners)
        for seat in self.seats:
            # Made before the play: a town simulates in another order if a model is in it.
            relay = _RelayModel(self.trial, self._waiting, changed)
            players[seat] = _RelayPlayer(make(relay), relay)
        play = self._rules.world.play(self.trial.task, self.trial.id, self.trial.seed)
        self._driven = asyncio.ensure_future(self._drive(play, players))
        self._driven.add_done_callback(lambda _: changed.set())
        weakref.finalize(self, _cancel_abandoned, self._driven, loop).atexit = False
        await self._advance()

    async def _drive(self, play: Play, players: Mapping[str, Player]) -> tuple[Event, ...]:
        try:
            return await drive(play, players, self._events.append)
        finally:
            await self._rules.release(self.trial.id)

    def _find(self, seat: str | None) -> _Waiting:
        if self._driven is not None and self._driven.get_loop() is not asyncio.get_running_loop():
            raise ConfigError(
                "this session belongs to another event loop: one of `begin` is played by `step`, "
                "one of `await begin_async` by `await step_async`"
            )
        for waiting in self._waiting:
            answer = waiting.answer
            if seat in (None, waiting.observed.seat) and (answer.cancelled() or not answer.done()):
                return waiting
        over = self._driven is None or self._driven.done()
        none = "the episode is over" if over else "another step is under way"
        asked = ", ".join(w.observed.seat for w in self._waiting if not w.answer.done())
        asked = asked or f"none: {none}"
        raise ConfigError(f"expected a seat that is asked ({asked}), found {seat or 'a reply'}")

    async def _advance(self) -> None:
        """Play on until a seat is asked or the episode is over; then score it."""
        assert self._driven is not None
        self._waiting[:] = [each for each in self._waiting if not each.answer.done()]
        if not self._waiting and not self._driven.done():
            self._changed.clear()
            await self._changed.wait()
        if self._driven.done() and self.episode is None:
            self._waiting.clear()
            episode = Episode(self.trial, self._driven.result())
            self.scores = await self._rules.score(episode)
            self.rewards = {seat: self.scores.main[seat] for seat in self.seats}
            self.episode = episode

    def _step_after(self, observed: Observed) -> Step:
        request, seat = observed.request, observed.seat
        key = (request.seat, request.turn, request.name, request.attempt)
        _, event = replies_of(self._events).get(key, (0, None))
        failed = isinstance(event, Unusable)
        if request.name == ACT:
            turns = self._earned[seat]
            turns.setdefault(observed.turn, turns.pop(_BEFORE, 0.0))
        earned, reward = self._earn(), self.rewards.get(seat)
        ended = self.episode.ended if self.episode else None
        truncated = ended is not None and ended.reason in _LIMITS
        info = StepInfo(
            seat=seat,
            usable=None if event is None else not failed,
            problem=event.problem if isinstance(event, Unusable) else "",
            rewards=earned,
            status=reward.status if reward else "playing",
            lower_bound=reward.lower_bound if reward else None,
            upper_bound=reward.upper_bound if reward else None,
        )
        return Step(self.observation, earned[seat], self.done and not truncated, truncated, info)

    def _earn(self) -> dict[str, float | None]:
        """What each seat has earned since the last step, which counts for its latest turn."""
        standing = self._rules.standing(self.episode or Episode(self.trial, tuple(self._events)))
        self._by_turn = bool(standing)
        worth: dict[str, float | None] = dict(standing)
        if self.episode is not None:
            worth = {seat: reward.value for seat, reward in self.rewards.items()}
        earned: dict[str, float | None] = {}
        for seat, banked in self._banked.items():
            now = worth.get(seat, banked)
            earned[seat] = None if now is None else now - banked
            if now is not None:
                turns = self._earned[seat]
                latest = max(turns, default=_BEFORE)
                turns[latest] = turns.get(latest, 0.0) + now - banked
                self._banked[seat] = now
        return earned


def _cancel_abandoned(
    driven: asyncio.Task[tuple[Event, ...]], loop: asyncio.AbstractEventLoop
) -> None:
    """Cancel the task of a garbage-collected session, of which asyncio would warn."""
    if not driven.done() and not loop.is_closed():
        loop.call_soon_threadsafe(driven.cancel)


# ------------------------------------------------------------------ seats from outside


@dataclass(frozen=True, slots=True)
class _Waiting:
    observed: Observed
    answer: asyncio.Future[Answer]


class _TypedAnswer(Exception):  # noqa: N818  an answer on its way past the reader of texts, not a fault
    def __init__(self, value: tuple[Action, ...] | BaseModel) -> None:
        self.value = value


class _RelayModel:
    """A chat model of one seat that passes prompts to the outside and awaits replies from there."""

    def __init__(self, trial: Trial, waiting: list[_Waiting], changed: asyncio.Event) -> None:
        self.label = "policy"
        self.requests: dict[tuple[int, str, int], Request] = {}
        self._trial = trial
        self._waiting = waiting
        self._changed = changed
        self._lines_sent: int | None = None

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        request = self.requests[key.turn, key.name, key.attempt]
        new = _new_messages(prompt, request, self._lines_sent)
        self._lines_sent = len(request.observation.history)
        observed = Observed(self._trial, request, prompt, new)
        waiting = _Waiting(observed, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._changed.set()
        answer = await waiting.answer
        if isinstance(answer, str):
            return ChatReply(answer)
        if isinstance(answer, Mapping):
            return ChatReply(json.dumps(answer))
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


def _new_messages(prompt: Prompt, request: Request, sent: int | None) -> list[ChatMessage]:
    """The prompt without its head and without the lines that were sent before; all of it at first,
    and in worlds whose prompts do not tell the history line by line."""
    history, last = request.observation.history, prompt.messages[-1].text
    told = "".join(f"{line.text}\n" for line in history) + "\n"
    _, found, body = last.partition(told) if history else ("", request.attempt > 1, last)
    if sent is None or not found:
        return chat_messages(prompt)
    lines = [line.text for line in history[sent:] if not line.you]
    return [{"role": "user", "content": "\n".join([*lines, "", body] if lines else [body])}]


def _check_reply(reply: Answer) -> Answer:
    if isinstance(reply, str | BaseModel | Action):
        return reply
    if isinstance(reply, Mapping):
        try:
            json.dumps(reply)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"expected a mapping that is JSON, found {error}") from error
        return reply
    if isinstance(reply, Sequence) and all(isinstance(action, Action) for action in reply):
        return reply
    raise ConfigError(
        "expected a reply as text, a mapping, an Action, several of them, or the answer to a "
        f"question, found {reply!r:.80}"
    )


def _without_acts(answer: Action | Sequence[Action]) -> tuple[Action, ...]:
    """The actions without `acts`, which only built-in players write and rewards rest on."""
    actions = (answer,) if isinstance(answer, Action) else tuple(answer)
    return tuple(replace(action, acts=()) for action in actions)


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
