"""What a judge found in an episode, however it found it, and the verdicts that follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sociolab.core.episode import Episode, Unusable
from sociolab.core.errors import Cause
from sociolab.core.score import Measure, Score, ScoreFailure, Unscored, Verdict
from sociolab.worlds.anteval.information import controls, measures
from sociolab.worlds.anteval.information.measures import Reading
from sociolab.worlds.anteval.information.question import answer, snapshot_turns
from sociolab.worlds.anteval.session import Session


@dataclass(frozen=True, slots=True)
class Lost:
    """A value that was due and is missing, and why."""

    cause: Cause
    problem: str
    raw: str = ""
    attempts: int = 1


Found: TypeAlias = "Reading | Lost"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured: k key points, controls or none, snapshots every so many turns (0: none)."""

    key_points: int = 5
    controls: bool = True
    snapshots: int = 0

    def points_of(self, session: Session) -> int:
        """k of this session: no more key points than there are facts, so that none is padding."""
        return min(self.key_points, len(session.knowledge))

    def measures(self, turns: int) -> tuple[Measure, ...]:
        """All measures for which there is a verdict, in the order in which they are given."""
        curve = [measures.recall_at(turn) for turn in snapshot_turns(turns, self.snapshots)]
        held = controls.CONTROLS if self.controls else ()
        return (*measures.OF_ANSWERS, measures.PARTY_RECALL, *curve, *held)


@dataclass(slots=True)
class Evidence:
    """Answers as read, by seat; the overlap of key points; snapshots; controls by their name.

    `sources` say, as far as the judge knows, from whom and when a seat heard a fact first.

    A key that is missing is a value that nobody was asked for.
    """

    answers: dict[str, Found] = field(default_factory=dict)
    overlaps: dict[str, int | Lost] = field(default_factory=dict)
    snapshots: dict[tuple[int, str], Found] = field(default_factory=dict)
    seat_controls: dict[tuple[str, str], Found] = field(default_factory=dict)
    controls: dict[str, float | Lost] = field(default_factory=dict)
    sources: dict[tuple[str, str], str] = field(default_factory=dict)


def said(episode: Episode, seat: str, at: int | None) -> tuple[str, ...] | Lost:
    """The statements of an answer, or why there are none."""
    found = answer(episode, seat, at)
    if isinstance(found, Unusable):
        return Lost(found.cause, f"the answer failed: {found.problem}", found.raw, found.attempt)
    if found is None:
        return Lost("incomplete", "expected an answer of this seat, found none on record")
    return found


def verdicts(session: Session, plan: Plan, found: Evidence) -> tuple[Verdict, ...]:
    """The verdicts on an episode, seat by seat, then those on the whole of it."""
    given: list[Verdict] = []
    for player in session.players:
        given += _of_answer(player.id, found, plan.points_of(session))
        for turn in snapshot_turns(session.turns, plan.snapshots):
            measure = measures.recall_at(turn)
            given.append(_recall(measure, player.id, found.snapshots.get((turn, player.id))))
        for control in controls.OF_SEATS if plan.controls else ():
            reading = found.seat_controls.get((control.name, player.id))
            given.append(_recall(control, player.id, reading))
    given.append(_party(found, session))
    for control in controls.OF_SESSIONS if plan.controls else ():
        given.append(_whole(control, found.controls.get(control.name)))
    return tuple(given)


def nothing(session: Session, plan: Plan) -> tuple[Verdict, ...]:
    """A failure for every measure of an episode in which nobody took a turn."""
    lost = Lost(
        "incomplete", "expected turns of the players, found none: there is nothing to judge"
    )
    seats: Sequence[str] = [player.id for player in session.players]
    whole = {measures.PARTY_RECALL.name, *(control.name for control in controls.OF_SESSIONS)}
    return tuple(
        _failure(measure, seat, lost)
        for measure in plan.measures(session.turns)
        for seat in ((None,) if measure.name in whole else seats)
    )


def _of_answer(seat: str, found: Evidence, k: int) -> tuple[Verdict, ...]:
    reading, overlap = found.answers[seat], found.overlaps[seat]
    if isinstance(reading, Lost):
        rest: tuple[Verdict, ...] = tuple(
            _failure(measure, seat, reading) for measure in measures.OF_ANSWERS[1:]
        )
    else:
        rest = _of_facts(seat, reading, found.sources)
    if isinstance(overlap, Lost):
        return (_failure(measures.IEP, seat, overlap), *rest)
    share = measures.key_point_share(overlap, k)
    return (Score(measures.IEP, seat, share, f"{overlap} of {k} key points shared"), *rest)


def _of_facts(
    seat: str, reading: Reading, sources: Mapping[tuple[str, str], str]
) -> tuple[Verdict, ...]:
    pairs, made, known = len(reading.pairs), reading.statements, reading.known
    told = ", ".join(f"{fact}{sources.get((seat, fact), '')}" for _, fact in reading.pairs)
    no_statement, no_fact = "the player stated nothing", "there is nothing to know"
    values: Mapping[Measure, tuple[float | None, str, str]] = {
        measures.PRECISION: (
            measures.precision(reading),
            f"{pairs} of {made} statements paired with a fact",
            no_statement,
        ),
        measures.RECALL: (
            measures.recall(reading),
            f"{pairs} of {known} facts told: {told or 'none'}",
            no_fact,
        ),
        measures.F1: (measures.f1(reading), f"2 x {pairs} / ({made} + {known})", no_fact),
        measures.HALLUCINATION: (
            measures.hallucination(reading),
            f"{made - len(reading.supported)} of {made} statements supported by no fact",
            no_statement,
        ),
    }
    return tuple(
        Unscored(measure, seat, why) if value is None else Score(measure, seat, value, reason)
        for measure, (value, reason, why) in values.items()
    )


def _recall(measure: Measure, seat: str, found: Found | None) -> Verdict:
    if found is None:
        return Unscored(measure, seat, "the question was not put at this time")
    if isinstance(found, Lost):
        return _failure(measure, seat, found)
    value = measures.recall(found)
    if value is None:
        return Unscored(measure, seat, "there are no facts to hold the answer against")
    return Score(measure, seat, value, f"{len(found.pairs)} of {found.known} facts told")


def _party(found: Evidence, session: Session) -> Verdict:
    readings = []
    for seat, reading in found.answers.items():
        if isinstance(reading, Lost):
            lost = Lost("incomplete", f"the answer of {seat} is missing: {reading.problem}")
            return _failure(measures.PARTY_RECALL, None, lost)
        readings.append(reading)
    value = measures.party_recall(readings)
    if value is None:
        return Unscored(measures.PARTY_RECALL, None, "there is nothing to know")
    known = len(session.knowledge)
    reason = f"{round(value * known)} of {known} facts told by at least one player"
    return Score(measures.PARTY_RECALL, None, value, reason)


def _whole(measure: Measure, found: float | Lost | None) -> Verdict:
    if found is None:
        return Unscored(measure, None, "the session holds nothing for this control")
    if isinstance(found, Lost):
        return _failure(measure, None, found)
    return Score(measure, None, found)


def _failure(measure: Measure, seat: str | None, lost: Lost) -> ScoreFailure:
    return ScoreFailure(measure, seat, lost.cause, lost.problem, lost.raw, lost.attempts)
