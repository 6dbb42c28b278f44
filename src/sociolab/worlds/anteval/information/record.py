"""Information exchange among scripted players: who told what, and what was learned, on record.

Scripted players say what a line means by acts, and which fact each sentence of an answer states by
its id. Nothing is read, so the figures are exact; where anybody else took a turn there are none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sociolab.core.episode import Episode
from sociolab.core.score import JudgeId, Verdict
from sociolab.core.seeding import digest
from sociolab.plugin.shown import FactWay, HeardFact, ToldFact
from sociolab.worlds.anteval.information.scoring import (
    CannotTell,
    FactReading,
    Found,
    InformationPlan,
    KeyPointOverlap,
    MissingValue,
    SessionEvidence,
    nothing,
    said,
    snapshot_turns,
    verdicts,
)
from sociolab.worlds.anteval.scene import TELL, UNRECORDED, party_moved, recorded
from sociolab.worlds.anteval.session import Session, session_from


def learned(episode: Episode) -> tuple[FactWay, ...]:
    """The way of each fact of a session, in their order; nothing where it is not on record."""
    session = session_from(episode.trial.task.content)
    if not recorded(episode):
        return ()
    tellings = told_of(session, episode)
    answers = {player.id: _answer(session, episode, player.id, None) for player in session.players}

    def heard(fact: str, seat: str) -> HeardFact:
        name, answer = session.seated(seat).first_name, answers[seat]
        first = next((one for one in tellings[fact] if name in one.to), None)
        stated = fact in answer.stated if isinstance(answer, FactReading) else None
        return HeardFact(name, first.turn if first else None, first.who if first else "", stated)

    return tuple(
        FactWay(
            fact.id,
            fact.text,
            tellings[fact.id],
            tuple(heard(fact.id, player.id) for player in session.players),
        )
        for fact in session.knowledge
    )


def told_of(session: Session, episode: Episode) -> Mapping[str, tuple[ToldFact, ...]]:
    """By fact, when it was told: all that acts say of it."""
    names = {one.id: one.first_name for one in session.characters}
    found: dict[str, list[ToldFact]] = {fact.id: [] for fact in session.knowledge}
    for move in episode.moves:
        for action in move.actions:
            hearers = [seat for seat in action.to or names if seat != move.seat]
            for act in action.acts:
                fact = act.what.get("id") if isinstance(act.what, dict) else None
                if act.kind == TELL and fact in found:
                    told = ToldFact(move.turn, names[move.seat], tuple(names[s] for s in hearers))
                    found[fact].append(told)
    return {fact: tuple(tellings) for fact, tellings in found.items()}


class RecordJudge:
    """Goes by acts and ids alone; of an episode that is not on record it cannot tell anything.

    The k key points of the knowledge are its first k facts (their order is drawn at random), and
    those of an answer are found among what it states.
    """

    def __init__(self, plan: InformationPlan) -> None:
        self._plan = plan
        self.id = JudgeId("record", "formula", digest("record", plan.key_points))

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """The verdicts on the answers; failures where no player took a turn."""
        session, plan = session_from(episode.trial.task.content), self._plan
        if not party_moved(episode):
            return nothing(session, plan)
        found = SessionEvidence()
        for player in session.players:
            seat = player.id
            found.answers[seat] = answer = _answer(session, episode, seat, None)
            found.overlaps[seat] = self._overlap(session, answer)
            if plan.controls:
                found.before[seat] = _answer(session, episode, seat, 0)
            for turn in snapshot_turns(session.turns, plan.snapshots):
                found.snapshots[turn, seat] = _answer(session, episode, seat, turn)
        if recorded(episode):
            told = {fact: told for fact, told in told_of(session, episode).items() if told}
            where = {fact: f"{one[0].who}, turn {one[0].turn + 1}" for fact, one in told.items()}
            found.told = FactReading(len(session.knowledge), where)
            everything = dict.fromkeys((fact.id for fact in session.knowledge), "")
            found.oracle = self._overlap(session, FactReading(len(everything), everything))
        else:
            found.told = found.oracle = CannotTell(UNRECORDED)
        return verdicts(session, plan, found)

    def _overlap(
        self, session: Session, answer: Found
    ) -> KeyPointOverlap | MissingValue | CannotTell:
        if not isinstance(answer, FactReading):
            return answer
        k = self._plan.key_points
        points = [fact.id for fact in session.knowledge[:k]]
        shared = [fact for fact in points if fact in answer.stated]
        return KeyPointOverlap(len(shared), min(k, answer.statements), ", ".join(shared))


def _answer(session: Session, episode: Episode, seat: str, at: int | None) -> Found:
    """An answer as its ids say; unknown where this seat, or another, is not on record."""
    given = said(episode, seat, at)
    if isinstance(given, MissingValue):
        return given
    acted = any(move.seat == seat for move in episode.moves)
    if not acted or not recorded(episode) or len(given.ids) != len(given.facts):
        return CannotTell(UNRECORDED)
    tellings = told_of(session, episode)
    stated = {fact: _source(tellings.get(fact, ()), session, seat) for fact in given.ids if fact}
    invented = [text for text, fact in zip(given.facts, given.ids, strict=True) if not fact]
    return FactReading(len(session.knowledge), stated, hallucinated=tuple(invented))


def _source(tellings: Sequence[ToldFact], session: Session, seat: str) -> str:
    name = session.seated(seat).first_name
    first = next((one for one in tellings if name in one.to), None)
    return f"{first.who}, turn {first.turn + 1}" if first else ""
