"""Who learned which fact when, and who could say it in the end: a session for those who watch it.

It rests on rules (`tracing`, `matching`), whoever judged: a fact put in words that the rules do not
know counts as not said.
"""

from __future__ import annotations

from dataclasses import dataclass

from sociolab.core.episode import Episode
from sociolab.worlds.anteval.information.matching import FactMatcher
from sociolab.worlds.anteval.information.question import answer
from sociolab.worlds.anteval.information.tracing import Telling, Trace, trace
from sociolab.worlds.anteval.session import Session, session_from


@dataclass(frozen=True, slots=True)
class Told:
    """A fact was said in this turn (from 0) by `who`; `to` are the names of those who heard it."""

    turn: int
    who: str
    to: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Heard:
    """What became of a fact at one player: heard first in `turn` (from 0) from `source`, or never.

    `stated`: whether the player's answer at the end says it; None without such an answer.
    """

    player: str
    turn: int | None
    source: str
    stated: bool | None


@dataclass(frozen=True, slots=True)
class FactWay:
    """A fact of the NPC: when it was said, and what became of it at each player."""

    fact: str
    text: str
    told: tuple[Told, ...]
    heard: tuple[Heard, ...]


def learned(episode: Episode) -> tuple[FactWay, ...]:
    """The way of each fact of a session, in their order; nothing where there is none to know."""
    session = session_from(episode.trial.task.content)
    if not session.knowledge:
        return ()
    said = _stated(session, episode)
    texts = {fact.id: fact.text for fact in session.knowledge}
    names = {one.id: one.first_name for one in session.characters}
    return tuple(
        FactWay(
            way.fact,
            texts[way.fact],
            tuple(
                Told(one.turn, names[one.by], tuple(names[seat] for seat in one.heard))
                for one in way.tellings
            ),
            tuple(_heard(way, player.id, names, said[player.id]) for player in session.players),
        )
        for way in trace(session, episode.moves, FactMatcher())
    )


def _heard(way: Trace, seat: str, names: dict[str, str], said: frozenset[str] | None) -> Heard:
    first: Telling | None = way.source(seat)
    stated = None if said is None else way.fact in said
    if first is None:
        return Heard(names[seat], None, "", stated)
    return Heard(names[seat], first.turn, names[first.by], stated)


def _stated(session: Session, episode: Episode) -> dict[str, frozenset[str] | None]:
    """The facts that each player's answer at the end says; None where there is no answer."""
    matcher = FactMatcher()
    found: dict[str, frozenset[str] | None] = {}
    for player in session.players:
        given = answer(episode, player.id, None)
        if not isinstance(given, tuple):
            found[player.id] = None
            continue
        points = matcher.taken_apart(given, session.knowledge)
        found[player.id] = frozenset(pair.fact for pair in matcher.match(points, session.knowledge))
    return found
