"""Turns of players that are no models, as a model would have been asked and have answered."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Coroutine, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel

from sociolab.agents.actions import act_type
from sociolab.agents.prompted import PromptedPlayer
from sociolab.app.data_sets.data import load_world
from sociolab.app.training.credit_lines import replaying_world
from sociolab.app.training.replaying import Key, is_aside, replies_of, requests_of
from sociolab.app.training.turn import Turn
from sociolab.core.episode import Action, ActionSpace, Answered, Episode, Moved
from sociolab.core.errors import SociolabError, WorldError
from sociolab.core.ports import (
    CallKey,
    ChatModel,
    ChatReply,
    Player,
    Prompt,
    Reply,
    Request,
    WorldKit,
)
from sociolab.store.runs import RunRow

Result = TypeVar("Result")

ACTS = "acts"
"""What built-in scripted players write beside their words, and no model does."""


class Rebuilder:
    """Rebuilds the turns of one run's episodes; the requests of the latest are kept."""

    def __init__(self, row: RunRow) -> None:
        self._run = row.name
        self._world = replaying_world(row)
        self._player = model_player_of(load_world(row.world))
        self._latest: tuple[str, Mapping[Key, Request]] = ("", {})

    def requests(self, episode: Episode) -> Mapping[Key, Request]:
        """What each seat was asked; nothing where the play cannot be repeated."""
        if self._latest[0] != episode.trial.id:
            self._latest = (episode.trial.id, requests_of(self._world, episode))
        return self._latest[1]

    def turns(self, episode: Episode, seats: Collection[str]) -> tuple[list[Turn], int]:
        """The usable turns of these seats, and how many of them could not be rebuilt.

        A turn counts as rebuilt only where the reply, read as a model's is read, gives what is on
        record.
        """
        found: list[Turn] = []
        lost = 0
        requests = self.requests(episode)
        names = {seat: _own_actions(self._world, episode, seat) for seat in seats}
        for key, (_, event) in replies_of(episode.events).items():
            if event.seat not in seats or not isinstance(event, Moved | Answered):
                continue
            if is_aside(event):
                continue
            request = requests.get(key)
            made = request and self._made(request, event, names[event.seat].get(event.turn, ()))
            if not made:
                lost += 1
                continue
            prompt, reply = made
            found.append(Turn(self._run, episode.trial, *key, prompt, reply, True, rebuilt=True))
        return found, lost

    def _made(
        self, request: Request, event: Moved | Answered, told: tuple[Action, ...]
    ) -> tuple[Prompt, str] | None:
        text = _text(request, event, told)
        if text is None:
            return None
        model = _Once(text)
        try:
            reply = _at_once(self._player(model).reply(request, None))
        except SociolabError:  # a world whose players cannot be models
            return None
        same = isinstance(reply, Reply) and _same(reply, event)
        return (model.prompt, text) if same and model.prompt is not None else None


def model_player_of(kit: WorldKit) -> Callable[[ChatModel], Player]:
    """How a world seats a chat model, as in a run that names no dialect."""
    own = kit.model_player
    if own is None:
        return lambda model: PromptedPlayer(model, temperature=kit.temperature)
    make = own
    return lambda model: make(model, "agent", kit.temperature, "json")


class _Once:
    """A chat model that gives one reply and keeps the prompt that asked for it."""

    def __init__(self, text: str) -> None:
        self.label = "rebuilt"
        self.prompt: Prompt | None = None
        self._text = text

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        self.prompt = prompt
        return ChatReply(self._text)


def _own_actions(world: Any, episode: Episode, seat: str) -> Mapping[int, tuple[Action, ...]]:
    """What a seat did, by turn, with the names by which it calls those whom it spoke to."""
    if not any(action.to for move in episode.moves for action in move.actions):
        return {move.turn: move.actions for move in episode.moves if move.seat == seat}
    return {line.turn: line.actions for line in world.transcript(episode, seat).lines if line.you}


def _text(request: Request, event: Moved | Answered, told: tuple[Action, ...]) -> str | None:
    """The reply as a model writes it; None where the record has another form than is asked for."""
    wanted = request.wanted
    if isinstance(event, Moved) and isinstance(wanted, ActionSpace):
        if [action.kind for action in told] != [action.kind for action in event.actions]:
            return None
        return _json(_turn(event, told, wanted, addressed=len(request.observation.others) > 1))
    if isinstance(event, Answered) and not isinstance(wanted, ActionSpace):
        return _json(wanted.reply.model_validate(event.value))
    return None


def _turn(
    event: Moved, told: tuple[Action, ...], space: ActionSpace, *, addressed: bool
) -> BaseModel:
    turns = [
        {"action": action.kind, "text": action.text} | ({"to": list(own.to)} if addressed else {})
        for action, own in zip(event.actions, told, strict=True)
    ]
    kind = act_type(space, addressed)
    return kind.model_validate(turns[0] if space.most == 1 else {"actions": turns})


def _same(reply: Reply, event: Moved | Answered) -> bool:
    """Whether the world would have recorded this reply so."""
    if isinstance(event, Answered):
        value, kept = reply.value, event.value
        if isinstance(kept, dict):
            kept = {name: part for name, part in kept.items() if name != ACTS}
        return isinstance(value, BaseModel) and value.model_dump(mode="json") == kept
    if not isinstance(reply.value, tuple):
        return False
    read = [(action.kind, action.text, len(action.to)) for action in reply.value]
    return read == [(a.kind, a.text.strip(), len(a.to)) for a in event.actions]


def _json(value: BaseModel) -> str:
    return json.dumps(value.model_dump(mode="json", exclude={ACTS}), ensure_ascii=False)


def _at_once(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """The result of a coroutine that has nothing to wait for."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        result: Result = done.value
        return result
    coroutine.close()
    raise WorldError("a model's player waits for something else than its model; it is not rebuilt")
