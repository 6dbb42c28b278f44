"""What a judge found in an episode, however it found it, and the scores that follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from sociolab.core.episode import Episode, Unusable
from sociolab.core.errors import Cause
from sociolab.core.score import Measure, Score, ScoreFailure, Unscored, Verdict
from sociolab.worlds.anteval.information import measures
from sociolab.worlds.anteval.information.measures import Reading
from sociolab.worlds.anteval.information.question import Learned, answer, snapshot_turns
from sociolab.worlds.anteval.session import Session


@dataclass(frozen=True, slots=True)
class Lost:
    """A value that was due and is missing, and why."""

    cause: Cause
    problem: str
    raw: str = ""
    attempts: int = 1


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that this judge cannot tell, and why."""

    why: str


@dataclass(frozen=True, slots=True)
class Overlap:
    """`shared` key points of the `made` ones that an answer was summarised into; `shown`: which."""

    shared: int
    made: int
    shown: str = ""


Found: TypeAlias = "Reading | Lost | Unknown"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured: k key points, controls or none, snapshots every so many turns (0: none)."""

    key_points: int
    controls: bool = True
    snapshots: int = 0

    def measures(self, turns: int) -> tuple[Measure, ...]:
        """All metrics for which there is a verdict, in the order in which they are given."""
        curve = [measures.recall_at(turn) for turn in snapshot_turns(turns, self.snapshots)]
        held = measures.CONTROLS if self.controls else ()
        return (*measures.OF_ANSWERS, measures.PARTY_RECALL, *curve, *held)


@dataclass(slots=True)
class Evidence:
    """Answers as read, by seat; the overlap of key points; snapshots; what was there to be heard.

    `oracle` is the IEP of an answer that recites all facts.
    """

    answers: dict[str, Found] = field(default_factory=dict)
    overlaps: dict[str, Overlap | Lost | Unknown] = field(default_factory=dict)
    before: dict[str, Found] = field(default_factory=dict)
    snapshots: dict[tuple[int, str], Found] = field(default_factory=dict)
    told: Found = Unknown("there is nothing to know")
    oracle: Overlap | Lost | Unknown = Unknown("there is nothing to know")


def said(episode: Episode, seat: str, at: int | None) -> Learned | Lost:
    """What a seat answered after so many turns (None: at the end), or why there is no answer."""
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
        seat, reading = player.id, found.answers[player.id]
        given.append(_iep(measures.IEP, seat, found.overlaps[seat], plan.key_points))
        given += _of_facts(seat, reading)
        for turn in snapshot_turns(session.turns, plan.snapshots):
            measure = measures.recall_at(turn)
            given.append(_recall(measure, seat, found.snapshots[turn, seat]))
        if plan.controls:
            given.append(_recall(measures.NO_TALK, seat, found.before[seat]))
            given.append(_other_session(session, seat, reading))
    given.append(_party(found, session))
    if plan.controls:
        given.append(_recall(measures.ORACLE_TRANSCRIPT, None, found.told))
        given.append(_iep(measures.ORACLE_FACTS, None, found.oracle, plan.key_points))
    return tuple(given)


def nothing(session: Session, plan: Plan) -> tuple[Verdict, ...]:
    """A failure for every metric of an episode in which no player took a turn."""
    lost = Lost(
        "incomplete", "expected turns of the players, found none: there is nothing to judge"
    )
    seats = [player.id for player in session.players]
    answers = dict.fromkeys(seats, lost)
    turns = snapshot_turns(session.turns, plan.snapshots)
    snapshots = {(turn, seat): lost for turn in turns for seat in seats}
    evidence = Evidence({**answers}, {**answers}, {**answers}, {**snapshots}, lost, lost)
    return verdicts(session, plan, evidence)


def _iep(measure: Measure, seat: str | None, found: Overlap | Lost | Unknown, k: int) -> Verdict:
    if not isinstance(found, Overlap):
        return _missing(measure, seat, found)
    short = f"; {found.made} key points were made, {k - found.made} short of k"
    reason = f"{found.shared} of {k} key points shared{short if found.made < k else ''}"
    if found.shown:
        reason = f"{reason}: {found.shown}"
    return Score(measure, seat, measures.key_point_share(found.shared, k), reason)


def _of_facts(seat: str, reading: Found) -> tuple[Verdict, ...]:
    if not isinstance(reading, Reading):
        return tuple(_missing(measure, seat, reading) for measure in measures.OF_ANSWERS[1:])
    stated, invented = len(reading.stated), len(reading.hallucinated)
    no_statement, no_fact = "the player stated nothing", "there is nothing to know"
    values: Mapping[Measure, tuple[float | None, str, str]] = {
        measures.PRECISION: (
            measures.precision(reading),
            f"{stated} facts stated, {invented} statements hallucinated",
            "the player stated no fact, and invented none",
        ),
        measures.RECALL: (measures.recall(reading), _recalled(reading), no_fact),
        measures.F1: (
            measures.f1(reading),
            f"2 x {stated} / ({stated} + {invented} + {reading.known})",
            no_fact,
        ),
        measures.HALLUCINATION: (
            measures.hallucination(reading),
            f"{invented} of {reading.statements} statements{_listed(reading.hallucinated)}",
            no_statement,
        ),
    }
    return tuple(
        Unscored(measure, seat, why) if value is None else Score(measure, seat, value, reason)
        for measure, (value, reason, why) in values.items()
    )


def _recall(measure: Measure, seat: str | None, found: Found) -> Verdict:
    if not isinstance(found, Reading):
        return _missing(measure, seat, found)
    value = measures.recall(found)
    if value is None:
        return Unscored(measure, seat, "there is nothing to know")
    return Score(measure, seat, value, _recalled(found))


def _recalled(reading: Reading) -> str:
    where = [f"{fact} ({seen})" if seen else fact for fact, seen in reading.stated.items()]
    return f"{len(where)} of {reading.known} facts: {', '.join(where) or 'none'}"


def _listed(quotes: Sequence[str]) -> str:
    return ": " + ", ".join(f'"{quote}"' for quote in quotes) if quotes else ""


def _other_session(session: Session, seat: str, reading: Found) -> Verdict:
    """By the facts' own texts, so that it costs no call."""
    if not isinstance(reading, Reading):
        return _missing(measures.OTHER_SESSION, seat, reading)
    decoys = {fact.text for fact in session.decoys}
    if not decoys:
        return Unscored(measures.OTHER_SESSION, seat, "no other session's facts are at hand")
    stated = {fact.text for fact in session.knowledge if fact.id in reading.stated}
    shared = len(stated & decoys)
    reason = f"{shared} of {len(decoys)} facts of another session"
    return Score(measures.OTHER_SESSION, seat, shared / len(decoys), reason)


def _party(found: Evidence, session: Session) -> Verdict:
    readings = []
    for seat, reading in found.answers.items():
        if isinstance(reading, Lost):
            lost = Lost("incomplete", f"the answer of {seat} is missing: {reading.problem}")
            return _missing(measures.PARTY_RECALL, None, lost)
        if isinstance(reading, Unknown):
            return _missing(measures.PARTY_RECALL, None, reading)
        readings.append(reading)
    value = measures.party_recall(readings)
    if value is None:
        return Unscored(measures.PARTY_RECALL, None, "there is nothing to know")
    known = len(session.knowledge)
    reason = f"{round(value * known)} of {known} facts stated by at least one player"
    return Score(measures.PARTY_RECALL, None, value, reason)


def _missing(measure: Measure, seat: str | None, found: Lost | Unknown) -> Verdict:
    if isinstance(found, Unknown):
        return Unscored(measure, seat, found.why)
    return ScoreFailure(measure, seat, found.cause, found.problem, found.raw, found.attempts)
