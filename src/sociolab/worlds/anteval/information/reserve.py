"""How an NPC with a reserve parted with its knowledge: what is on record, and the scores.

A fact has a reserve (`session.Reserve`): when the NPC means to tell it. Whether a model that plays
the NPC keeps to that is measured: how each fact was told first, and whether it might be told so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sociolab.core.episode import Episode, Json
from sociolab.core.score import Measure, Score, Unscored, Verdict
from sociolab.judging.reader import NoValue
from sociolab.worlds.anteval.scene import ASK, TELL, WIN
from sociolab.worlds.anteval.session import ASKED, NPC, Asked, Session

TOLD_UNASKED = Measure("told_unasked", 0, 1, title="told unasked")
TOLD_ASKED = Measure("told_asked", 0, 1, title="told when asked")
TOLD_TRUSTED = Measure("told_trusted", 0, 1, title="told on trust")
TOLD_FALSELY = Measure("told_falsely", 0, 1, title="told falsely")
"""Shares of all facts, by how the NPC first told them; one told falsely may be told truly later."""
RESERVE_KEPT = Measure("reserve_kept", 0, 1, title="reserve kept")
"""Share of what the NPC told, true or false, that its reserve let it tell then."""
MISLED = Measure("misled", 0, 1, title="misled")
"""Share of the falsehoods that a player's answer states as true."""
OF_NPC = (TOLD_UNASKED, TOLD_ASKED, TOLD_TRUSTED, TOLD_FALSELY, RESERVE_KEPT)


@dataclass(frozen=True, slots=True)
class FirstTold:
    """How the NPC told something first: in which turn (from 0), how it had been asked for since its
    turn before (None: it was not), and whether its trust had been won."""

    turn: int
    asked: Asked | None
    trusts: bool


@dataclass(frozen=True, slots=True)
class ReserveReading:
    """The facts that the NPC told, and those that it told falsely, by the fact's id."""

    told: Mapping[str, FirstTold]
    lied: Mapping[str, FirstTold]


def recorded_reserve(session: Session, episode: Episode) -> ReserveReading:
    """How the NPC told its facts, by the acts of scripted players."""
    facts = {fact.id: fact for fact in session.knowledge}
    false = {fact.false_id: fact for fact in session.knowledge}
    first: dict[str, FirstTold] = {}
    questions: list[Json] = []
    trusts = False
    for move in episode.moves:
        acts = [act for action in move.actions for act in action.acts]
        if move.seat != NPC:
            questions += [act.what for act in acts if act.kind == ASK]
            trusts = trusts or any(act.kind == WIN for act in acts)
            continue
        for act in acts:
            id_ = str(act.what.get("id")) if isinstance(act.what, dict) else ""
            if act.kind == TELL and (fact := (facts | false).get(id_)) is not None:
                asked = max(map(fact.asked_by, questions), key=ASKED.index, default=None)
                first.setdefault(id_, FirstTold(move.turn, asked, trusts))
        questions = []
    told = {id_: way for id_, way in first.items() if id_ in facts}
    return ReserveReading(told, {false[id_].id: first[id_] for id_ in first if id_ in false})


def score_reserve(session: Session, reading: ReserveReading | NoValue) -> Iterator[Verdict]:
    """The shares of facts told in each way, and how far the NPC kept to its reserve."""
    if not isinstance(reading, ReserveReading):
        yield from reading.as_verdicts(OF_NPC)
        return
    told = reading.told.items()
    unasked = {fact: way for fact, way in told if way.asked is None}
    trusted = {fact: way for fact, way in told if way.trusts and fact not in unasked}
    asked = {fact: way for fact, way in told if fact not in unasked | trusted}
    ways = (unasked, asked, trusted, reading.lied)
    for measure, facts in zip(OF_NPC, ways, strict=False):
        value = len(facts) / len(session.knowledge)
        yield Score(measure, None, value, _list_turns(facts, len(session.knowledge)))
    by_id = {fact.id: fact for fact in session.knowledge}
    kept = [fact for fact, way in told if by_id[fact].allows(way.asked, way.trusts)]
    lied = reading.lied.items()
    kept += [by_id[id_].false_id for id_, way in lied if by_id[id_].may_lie(way.asked, way.trusts)]
    if count := len(told) + len(lied):
        reason = f"{len(kept)} of {count}: {', '.join(kept) or 'none'}"
        yield Score(RESERVE_KEPT, None, len(kept) / count, reason)
    else:
        yield Unscored(RESERVE_KEPT, None, "the NPC told nothing")


def _list_turns(facts: Mapping[str, FirstTold], count: int) -> str:
    turns = [f"{fact} (turn {way.turn + 1})" for fact, way in facts.items()]
    return f"{len(facts)} of {count} facts: {', '.join(turns) or 'none'}"
