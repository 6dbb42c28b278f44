"""The turns of stored runs, episode by episode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from sociolab.app.training.left_out import LeftOut
from sociolab.app.training.rebuilding import Rebuilder
from sociolab.app.training.replaying import Key, is_aside, replies_of
from sociolab.app.training.turn import Turn
from sociolab.core.episode import Episode, Unusable
from sociolab.core.ports import CallKey, Prompt, Request
from sociolab.report.episodes import run_of_episodes
from sociolab.store.calls import CallRow
from sociolab.store.sqlite import Store

_Asked = tuple[CallRow, Prompt]

_PLAYERS = ("agent", "partner", "background")
"""The roles of calls that play; others judge or write."""


@dataclass(frozen=True, slots=True)
class Played:
    """A played episode and its turns, in the order in which they were taken."""

    run: str
    episode: Episode
    turns: tuple[Turn, ...]
    rebuilder: Rebuilder

    def requests(self) -> Mapping[Key, Request]:
        """What each seat was asked; nothing where the play cannot be repeated."""
        return self.rebuilder.requests(self.episode)


def played_in(store: Store, run: str, left: LeftOut) -> Iterator[Played]:
    """The played episodes of a run, by their ids, so that the order is that of every export.

    What players were sent is read from the calls of the run; the turns of a seat that made none
    are rebuilt. Answers to optional questions are none of them. StoreError if there is no such run,
    ConfigError if it holds no episodes.
    """
    row = run_of_episodes(store, run)
    trials = {one.trial.id: one for one in store.trials(run)}
    for one in trials.values():
        if one.status != "played":
            left.add("episode", "that failed" if one.status == "failed" else "not played yet")
    played = sorted(name for name, one in trials.items() if one.status == "played")
    calls = _Calls(store, run)
    rebuilder = Rebuilder(row)
    for name in played:
        episode = Episode(trials[name].trial, store.events(run, name))
        asked = calls.of(name)
        turns = _turns(run, episode, asked, rebuilder, left)
        yield Played(run, episode, turns, rebuilder)


class _Calls:
    """The calls of a run that played, taken trial by trial in the order of their ids."""

    def __init__(self, store: Store, run: str) -> None:
        found = store.calls_with_prompts(run)
        self._groups = groupby(found, lambda one: one[0].call.trial)
        self._next = next(self._groups, None)

    def of(self, trial: str) -> list[_Asked]:
        """The calls of a trial; to be asked for in rising order."""
        while self._next is not None and self._next[0] < trial:
            self._next = next(self._groups, None)
        if self._next is None or self._next[0] != trial:
            return []
        return [one for one in self._next[1] if one[0].call.role in _PLAYERS]


def _turns(
    run: str, episode: Episode, asked: Sequence[_Asked], rebuilder: Rebuilder, left: LeftOut
) -> tuple[Turn, ...]:
    every = replies_of(episode.events)
    aside = {key for key, (_, event) in every.items() if is_aside(event)}
    replies = {key: reply for key, reply in every.items() if key not in aside}
    found = [
        _sent(run, episode, call, prompt, replies)
        for call, prompt in asked
        if _key(call.call) not in aside
    ]
    silent = {event.seat for _, event in replies.values()} - {turn.seat for turn in found}
    if silent:
        made, lost = rebuilder.turns(episode, silent)
        found += made
        left.add("turn", "of a player that is no model, not to be rebuilt", lost)
        empty = sum(e.seat in silent and isinstance(e, Unusable) for _, e in replies.values())
        left.add("turn", "of a player that is no model, without a usable reply", empty)
    last = len(episode.events)
    place = {key: n for key, (n, _) in replies.items()}
    return tuple(
        sorted(
            found,
            key=lambda turn: place.get((turn.seat, turn.turn, turn.asked, turn.attempt), last),
        )
    )


def _sent(
    run: str,
    episode: Episode,
    call: CallRow,
    prompt: Prompt,
    replies: Mapping[Key, tuple[int, object]],
) -> Turn:
    key = _key(call.call)
    event = replies.get(key, (0, None))[1]
    unusable = isinstance(event, Unusable)
    return Turn(
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
