"""The turns of stored runs, with prompts and replies; those of scripted players are rebuilt."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias, TypeVar

from pydantic import BaseModel

from sociolab.agents.prompted import PromptedPlayer, written_turn
from sociolab.app.data.sets import load_world
from sociolab.app.transcripts import Key, is_aside, replaying_world, replies_of, requests_of
from sociolab.core.episode import (
    Action,
    ActionSpace,
    Agent,
    Answered,
    Episode,
    Moved,
    Trial,
    Unusable,
)
from sociolab.core.errors import SociolabError, WorldError
from sociolab.core.ports import (
    CallKey,
    ChatModel,
    ChatReply,
    Player,
    Prompt,
    Reply,
    Request,
    Usage,
    WorldKit,
)
from sociolab.report.result import run_of_episodes
from sociolab.report.words import plural
from sociolab.store.calls import CallRow
from sociolab.store.checking import verify_runs
from sociolab.store.store import RunRow, Store

ChatMessage: TypeAlias = dict[str, str]
"""A chat message as OpenAI's protocol has it: `role` and `content`."""


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """One reply of a seat in a played episode.

    `turn` counts from 0, `request_name` is "act" or the name of the question. `usable` is None
    where no event records what became of the reply. `rebuilt`: nobody sent this prompt; it is what
    a model would have been sent in the player's place, and `reply` what it would have had to write
    to do the same. `model` and `usage` are None then.
    """

    run: str
    trial: Trial
    seat: str
    turn: int
    request_name: str
    attempt: int
    prompt: Prompt
    reply: str
    usable: bool | None
    problem: str = ""
    rebuilt: bool = False
    model: str | None = None
    usage: Usage | None = None

    @property
    def agent(self) -> str | None:
        """The label of the seat's agent; None for a seat outside the cast."""
        return self._identity.label if self._identity else None

    @property
    def code(self) -> str | None:
        """The digest of the code of a Python class that played the seat; `UNKNOWN` where it was not
        read, None for any other player."""
        return self._identity.code if self._identity else None

    @property
    def _identity(self) -> Agent | None:
        return {member.seat: member.identity for member in self.trial.cast}.get(self.seat)

    @property
    def partner(self) -> str | None:
        """The agent of all other seats; None where several played them."""
        partners = {member.agent for member in self.trial.cast if member.seat != self.seat}
        return partners.pop() if len(partners) == 1 else None

    @property
    def scenario(self) -> tuple[str, str]:
        """The cluster of the task, with its world: clusters of two worlds may have the same
        name."""
        return self.trial.world, self.trial.task.cluster


def chat_messages(prompt: Prompt) -> list[ChatMessage]:
    return [{"role": message.role, "content": message.text} for message in prompt.messages]


def assistant(text: str) -> ChatMessage:
    return {"role": "assistant", "content": text}


@dataclass(frozen=True, slots=True)
class EpisodeTurns:
    """A played episode and its turns, in the order in which they were taken."""

    run: str
    episode: Episode
    turns: tuple[StoredTurn, ...]
    rebuilder: Rebuilder

    def requests(self) -> Mapping[Key, Request]:
        """The requests to each seat; empty where the episode cannot be replayed."""
        return self.rebuilder.requests(self.episode)


def read_episodes(store: Store, run: str, skipped: Skipped) -> Iterator[EpisodeTurns]:
    """The played episodes of a run, sorted by id, so that every export has the same order.

    Prompts are read from the run's calls; the turns of a seat without calls are rebuilt. Answers to
    optional questions are left out. StoreError if there is no such run, ConfigError if it holds no
    episodes.
    """
    verify_runs(store, run)
    row = run_of_episodes(store, run)
    trials = {item.trial.id: item for item in store.trials(run)}
    for stored in trials.values():
        if stored.status != "played":
            skipped.add("episode", "that failed" if stored.status == "failed" else "not played yet")
    played = sorted(name for name, item in trials.items() if item.status == "played")
    calls = _Calls(store, run)
    rebuilder = Rebuilder(row)
    for name in played:
        episode = Episode(trials[name].trial, store.events(run, name))
        sent = calls.calls_of(name)
        turns = _turns(run, episode, sent, rebuilder, skipped)
        yield EpisodeTurns(run, episode, turns, rebuilder)


_Asked = tuple[CallRow, Prompt]
_PLAYERS = ("agent", "partner", "background")
"""The roles of players' calls; others judge or write."""


class _Calls:
    """The players' calls of a run, read trial by trial in the order of their ids."""

    def __init__(self, store: Store, run: str) -> None:
        calls = store.calls.with_prompts(run)
        self._groups = groupby(calls, lambda pair: pair[0].call.trial)
        self._next = next(self._groups, None)

    def calls_of(self, trial: str) -> list[_Asked]:
        """The calls of a trial; call it with rising ids."""
        while self._next is not None and self._next[0] < trial:
            self._next = next(self._groups, None)
        if self._next is None or self._next[0] != trial:
            return []
        return [pair for pair in self._next[1] if pair[0].call.role in _PLAYERS]


def _turns(
    run: str, episode: Episode, sent: Sequence[_Asked], rebuilder: Rebuilder, skipped: Skipped
) -> tuple[StoredTurn, ...]:
    every = replies_of(episode.events)
    aside = {key for key, (_, event) in every.items() if is_aside(event)}
    replies = {key: reply for key, reply in every.items() if key not in aside}
    turns = [
        _sent(run, episode, call, prompt, replies)
        for call, prompt in sent
        if _key(call.call) not in aside
    ]
    silent = {event.seat for _, event in replies.values()} - {turn.seat for turn in turns}
    if silent:
        rebuilt, lost = rebuilder.turns(episode, silent)
        turns += rebuilt
        skipped.add("turn", "of a player without a model, which cannot be rebuilt", lost)
        empty = sum(e.seat in silent and isinstance(e, Unusable) for _, e in replies.values())
        skipped.add("turn", "of a player without a model, without a usable reply", empty)
    last = len(episode.events)
    place = {key: n for key, (n, _) in replies.items()}
    return tuple(
        sorted(
            turns,
            key=lambda turn: place.get(
                (turn.seat, turn.turn, turn.request_name, turn.attempt), last
            ),
        )
    )


def _sent(
    run: str,
    episode: Episode,
    call: CallRow,
    prompt: Prompt,
    replies: Mapping[Key, tuple[int, object]],
) -> StoredTurn:
    key = _key(call.call)
    event = replies.get(key, (0, None))[1]
    unusable = isinstance(event, Unusable)
    return StoredTurn(
        run,
        episode.trial,
        *key,
        prompt,
        call.reply.text,
        None if event is None else not unusable,
        event.problem if isinstance(event, Unusable) else "",
        model=call.model,
        usage=call.reply.usage,
    )


def _key(call: CallKey) -> Key:
    return call.seat, call.turn, call.name, call.attempt


_MANY = {"pair of replies": "pairs of replies", "seat of an episode": "seats of episodes"}


class SkipReason(NamedTuple):
    """The kind of what was left out, in the singular, and why."""

    what: str
    why: str


class Skipped(Counter[SkipReason]):
    """How many things were left out, by kind and reason."""

    def add(self, what: str, why: str, count: int = 1) -> None:
        """Add to a count; 0 adds nothing."""
        if count:
            self[SkipReason(what, why)] += count

    def sentence(self) -> str:
        """Such as "3 turns with an unusable reply; 1 episode that failed"; "" for none.

        The most frequent reason comes first.
        """
        return "; ".join(
            f"{plural(count, reason.what, _MANY.get(reason.what, ''))} {reason.why}"
            for reason, count in sorted(self.items(), key=lambda item: (-item[1], item[0]))
        )


Result = TypeVar("Result")
ACTS = "acts"
"""The field that built-in scripted players add to their replies, and models do not."""


class Rebuilder:
    """Rebuilds the turns of a run's episodes; the requests of the latest episode are cached."""

    def __init__(self, row: RunRow) -> None:
        self._run = row.name
        self._world = replaying_world(row)
        self._player = model_player_of(load_world(row.world))
        self._latest: tuple[str, Mapping[Key, Request]] = ("", {})

    def requests(self, episode: Episode) -> Mapping[Key, Request]:
        """The requests to each seat; empty where the episode cannot be replayed."""
        if self._latest[0] != episode.trial.id:
            self._latest = (episode.trial.id, requests_of(self._world, episode))
        return self._latest[1]

    def turns(self, episode: Episode, seats: Collection[str]) -> tuple[list[StoredTurn], int]:
        """The usable turns of these seats, and how many of them could not be rebuilt.

        A turn counts as rebuilt only if the rebuilt reply, read as a model's reply, gives the
        recorded event.
        """
        turns: list[StoredTurn] = []
        lost = 0
        requests = self.requests(episode)
        names = {seat: _own_actions(self._world, episode, seat) for seat in seats}
        for key, (_, event) in replies_of(episode.events).items():
            if event.seat not in seats or not isinstance(event, Moved | Answered):
                continue
            if is_aside(event):
                continue
            request = requests.get(key)
            rebuilt = request and self._rebuild(
                request, event, names[event.seat].get(event.turn, ())
            )
            if not rebuilt:
                lost += 1
                continue
            prompt, reply = rebuilt
            turns.append(
                StoredTurn(self._run, episode.trial, *key, prompt, reply, True, rebuilt=True)
            )
        return turns, lost

    def _rebuild(
        self, request: Request, event: Moved | Answered, own: tuple[Action, ...]
    ) -> tuple[Prompt, str] | None:
        text = _write_reply(request, event, own)
        if text is None:
            return None
        model = _OneReplyModel(text)
        try:
            reply = _run_without_waiting(self._player(model).reply(request, None))
        except SociolabError:  # a world whose players cannot be models
            return None
        same = isinstance(reply, Reply) and _gives_event(reply, event)
        return (model.prompt, text) if same and model.prompt is not None else None


def model_player_of(kit: WorldKit) -> Callable[[ChatModel], Player]:
    """How a world makes the player of a chat model, in a run without a --dialect."""
    own = kit.model_player
    if own is None:
        return lambda model: PromptedPlayer(model, temperature=kit.temperature)
    make = own
    return lambda model: make(model, "agent", kit.temperature, "json")


class _OneReplyModel:
    """A chat model that gives one reply and stores the prompt that asked for it."""

    def __init__(self, text: str) -> None:
        self.label = "rebuilt"
        self.prompt: Prompt | None = None
        self._write_reply = text

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        self.prompt = prompt
        return ChatReply(self._write_reply)


def _own_actions(world: Any, episode: Episode, seat: str) -> Mapping[int, tuple[Action, ...]]:
    """A seat's actions by turn, with the names by which it calls their recipients."""
    if not any(action.to for move in episode.moves for action in move.actions):
        return {move.turn: move.actions for move in episode.moves if move.seat == seat}
    return {line.turn: line.actions for line in world.transcript(episode, seat).lines if line.you}


def _write_reply(request: Request, event: Moved | Answered, own: tuple[Action, ...]) -> str | None:
    """The reply as a model would write it; None where the record has another form than was
    asked."""
    expected = request.expected
    if isinstance(event, Moved) and isinstance(expected, ActionSpace):
        if [action.kind for action in own] != [action.kind for action in event.actions]:
            return None
        pairs = zip(event.actions, own, strict=True)
        named = [replace(action, to=intended.to) for action, intended in pairs]
        return _json(written_turn(named, expected, len(request.observation.others) > 1))
    if isinstance(event, Answered) and not isinstance(expected, ActionSpace):
        return _json(expected.reply.model_validate(event.value))
    return None


def _gives_event(reply: Reply, event: Moved | Answered) -> bool:
    """Whether the world would have recorded this reply as this event."""
    if isinstance(event, Answered):
        value, recorded = reply.value, event.value
        if isinstance(recorded, dict):
            recorded = {name: part for name, part in recorded.items() if name != ACTS}
        return isinstance(value, BaseModel) and value.model_dump(mode="json") == recorded
    if not isinstance(reply.value, tuple):
        return False
    read = [(a.kind, a.text, len(a.to), a.fields) for a in reply.value]
    return read == [(a.kind, a.text.strip(), len(a.to), a.fields) for a in event.actions]


def _json(value: BaseModel) -> str:
    return json.dumps(value.model_dump(mode="json", exclude={ACTS}), ensure_ascii=False)


def _run_without_waiting(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """The result of a coroutine that never has to wait."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: Result = done.value
        return result
    coroutine.close()
    raise WorldError("a model's player waits for something else than its model; it is not rebuilt")
