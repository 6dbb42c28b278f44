"""Information exchange: the questions to players, the evidence of a judge, and the scores."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from sociolab.core.episode import Answered, Episode, Moved, Unusable
from sociolab.core.ports import Question
from sociolab.core.score import JudgeId, Measure, Score, Unscored, Verdict
from sociolab.core.seeding import digest
from sociolab.engine.scene import Poll
from sociolab.judging.reader import CannotTell, MissingValue, NoValue
from sociolab.plugin.shown import FactMention, FactReceipt, FactWay
from sociolab.prompting.sets import PromptSet
from sociolab.worlds.anteval.information.reserve import (
    MISLED,
    OF_NPC,
    ReserveReading,
    recorded_reserve,
    score_reserve,
)
from sociolab.worlds.anteval.scene import CHAT, LEAVE, TELL, UNRECORDED, is_recorded, party_moved
from sociolab.worlds.anteval.session import FactKind, Session, session_from

LEARNED = "learned"
"""The question's name in requests and events."""


class Learned(BaseModel):
    """What a player says that it learned: one sentence each, none if it learned nothing.

    `ids` are for built-in scripted players: the fact that each sentence states, "" for none. They
    are asked of nobody, and count only where acts are on record (`scene.recorded`).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    facts: list[str] = Field(description="a list of sentences, one for each thing")
    ids: SkipJsonSchema[list[str]] = Field(default=[], exclude_if=lambda ids: not ids)

    @property
    def text(self) -> str:
        """The answer as one text, in which it does not show how it was cut into sentences."""
        flat = (" ".join(sentence.split()) for sentence in self.facts)
        stated = [sentence for sentence in flat if any(map(str.isalnum, sentence))]
        return " ".join(part if part[-1] in ".!?\"'" else f"{part}." for part in stated)


def build_polls(
    session: Session, texts: PromptSet, *, controls: bool, every: int
) -> tuple[Poll, ...]:
    """When the players are asked: at the end, for the controls at 0, and every so many turns.

    Answers never enter the history; `every` 0 takes no snapshots.
    """
    seats = tuple(character.id for character in session.players)
    times = {0} if controls else set()
    if every:
        times.update(snapshot_turns(session.turns, every))
    during = (Poll(at, seats, _question(texts, before=at == 0)) for at in sorted(times))
    return (*during, Poll(None, seats, _question(texts, before=False)))


def snapshot_turns(turns: int, every: int) -> tuple[int, ...]:
    """0, `every`, 2 `every`, ... and the last turn; empty if `every` is 0."""
    return (*range(0, turns, every), turns) if every else ()


@lru_cache(maxsize=1024)
def _question(texts: PromptSet, *, before: bool) -> Question:
    text = texts["learned"].render({"before": before})
    return Question(LEARNED, text, Learned, needs=1_000)


IEP = Measure("iep", 0, 1, title="IEP")
PRECISION = Measure("precision", 0, 1, title="precision")
RECALL = Measure("recall", 0, 1, title="recall")
F1 = Measure("f1", 0, 1, title="F1")
HALLUCINATION = Measure("hallucination", 0, 1, title="hallucinated")
PARTY_RECALL = Measure("party_recall", 0, 1, title="party recall")
OF_ANSWERS = (IEP, PRECISION, RECALL, F1, HALLUCINATION)
"""The metrics of each player's answer at the end."""

RECALL_OF: Mapping[FactKind, Measure] = {
    kind: Measure(f"recall_{kind.replace(' ', '_')}", 0, 1, title=f"recall: {kind}")
    for kind in get_args(FactKind)
}
"""Recall of the facts of each kind alone."""
SMALL_TALK = Measure("small_talk", 0, 1, title="small talk")
"""Share of a player's turns that neither exchange what the NPC knows nor work towards it."""
TURNS_PER_FACT = Measure("turns_per_fact", 0, math.inf, title="turns a fact")
TOKENS_PER_FACT = Measure("tokens_per_fact", 0, math.inf, title="tokens a fact")
"""Turns and words of the whole table, over the facts that the players learnt together."""
CHARACTERS_A_TOKEN = 4
"""The same for all agents, so that a tokenizer makes no difference."""

NO_TALK = Measure("no_talk", 0, 1, title="no conversation")
"""Recall of each player's answer before the first turn."""
OTHER_SESSION = Measure("other_session", 0, 1, title="wrong session")
"""Share of another session's facts that the answer states: 0 unless sessions share facts."""
ORACLE_TRANSCRIPT = Measure("oracle_transcript", 0, 1, title="oracle (read)")
"""Share of the facts that were told at all, to anybody: no player can have learned more."""
ORACLE_FACTS = Measure("oracle_facts", 0, 1, title="oracle (told)")
"""IEP of an answer that recites all facts: as far as two blind summaries can agree."""
SEAT_CONTROLS = (NO_TALK, OTHER_SESSION)
CONTROLS = (*SEAT_CONTROLS, ORACLE_TRANSCRIPT, ORACLE_FACTS)


def recall_at(turn: int) -> Measure:
    """The metric of a snapshot: the recall of what a player had learned after so many turns."""
    return Measure(f"recall_at_{turn}", 0, 1, title=f"recall at {turn}")


@dataclass(frozen=True, slots=True)
class FactReading:
    """An answer compared with the NPC's facts, of which there are `known`.

    `stated` are the facts that the answer states, by id, each with where that is to be seen (a
    quote, or from whom the player heard it). `other` are statements that are true but are none of
    the facts, `hallucinated` those that contradict a fact or were invented. `believed` are the
    facts of which the falsehood is stated, told by the NPC: it is no hallucination, and not true.
    """

    known: int
    stated: Mapping[str, str]
    other: tuple[str, ...] = ()
    hallucinated: tuple[str, ...] = ()
    believed: tuple[str, ...] = ()

    @property
    def statements(self) -> int:
        """Facts and other statements together; a fact that is stated twice is one."""
        return sum(map(len, (self.stated, self.other, self.hallucinated, self.believed)))

    @property
    def untrue(self) -> int:
        """Statements that are not true, whoever made them up."""
        return len(self.hallucinated) + len(self.believed)


def key_point_share(overlap: int, k: int) -> float:
    """p = s / k (AntEval section 4.1), the same k on both sides. ValueError unless s is 0 to k."""
    if not 0 <= overlap <= k or k < 1:
        raise ValueError(f"expected an overlap of 0 to k key points, found {overlap} of {k}")
    return overlap / k


def precision(reading: FactReading) -> float | None:
    """Facts stated over facts stated, hallucinations and believed falsehoods; None without any.

    What is true beside the facts counts neither for nor against an answer.
    """
    claimed = len(reading.stated) + reading.untrue
    return len(reading.stated) / claimed if claimed else None


def recall(reading: FactReading) -> float | None:
    """Facts stated over all facts; None where there is nothing to know."""
    return len(reading.stated) / reading.known if reading.known else None


def f1(reading: FactReading) -> float | None:
    """The harmonic mean of precision and recall, 0 where no fact is stated; None: no facts."""
    if not reading.known:
        return None
    stated = len(reading.stated)
    return 2 * stated / (stated + reading.untrue + reading.known)


def hallucination(reading: FactReading) -> float | None:
    """Hallucinations over all statements; None where nothing was stated."""
    return len(reading.hallucinated) / reading.statements if reading.statements else None


def party_recall(readings: Sequence[FactReading]) -> float | None:
    """Facts that at least one player stated over all facts; None: there is nothing to know."""
    known = max((reading.known for reading in readings), default=0)
    stated: frozenset[str] = frozenset().union(*(reading.stated for reading in readings))
    return len(stated) / known if known else None


@dataclass(frozen=True, slots=True)
class KeyPointOverlap:
    """Of `total` key points of an answer, `shared` are among those of the knowledge.

    `detail` lists the shared ones, for the score's reason.
    """

    shared: int
    total: int
    detail: str = ""


FactResult: TypeAlias = FactReading | NoValue
_UNRECORDED = CannotTell(UNRECORDED)


@dataclass(frozen=True, slots=True)
class InformationPlan:
    """What is measured: k key points, controls or none, snapshots every so many turns (0: none)."""

    key_points: int
    controls: bool = True
    snapshots: int = 0

    def answers(self, session: Session) -> tuple[tuple[str, int | None], ...]:
        """Which answers are read: the seats', at the end (None) and after so many turns."""
        times = (
            None,
            *([0] if self.controls else ()),
            *snapshot_turns(session.turns, self.snapshots),
        )
        return tuple(dict.fromkeys((player.id, at) for player in session.players for at in times))

    def within(self, session: Session) -> InformationPlan:
        """The plan with at most as many key points as the session has facts; exams have few."""
        facts = len(session.knowledge)
        return replace(self, key_points=min(self.key_points, facts)) if facts else self

    def measures(self, turns: int) -> tuple[Measure, ...]:
        """All metrics for which there is a verdict, in the order in which they are given."""
        curve = [recall_at(turn) for turn in snapshot_turns(turns, self.snapshots)]
        controls = CONTROLS if self.controls else ()
        costs = (TURNS_PER_FACT, TOKENS_PER_FACT)
        metrics = (*OF_ANSWERS, *RECALL_OF.values(), MISLED, SMALL_TALK, PARTY_RECALL, *OF_NPC)
        return (*metrics, *costs, *curve, *controls)


@dataclass(frozen=True, slots=True)
class SessionEvidence:
    """What a judge found in a session, before scores.

    `answers` are by seat and turn (None: at the end), `overlaps` those of each seat's last answer,
    "" being an answer that recites all facts. `transcript` holds the facts that were told at all,
    `small_talk` the turns that were no more than that, `reserve` how an NPC with a reserve told
    what it knows (None: it has none).
    """

    answers: Mapping[tuple[str, int | None], FactResult]
    overlaps: Mapping[str, KeyPointOverlap | NoValue]
    transcript: FactResult
    small_talk: Collection[int] | NoValue
    reserve: ReserveReading | NoValue | None = None


def find_answer(episode: Episode, seat: str, at: int | None) -> Learned | MissingValue:
    """What a seat answered after `at` turns (None: at the end), or why there is no answer.

    Who has left by then, and a table that has ended, learn nothing more: their last answer counts.
    """
    end = episode.ended.turn + 1 if episode.ended else None
    leaving = [m.turn for m in episode.moves if m.seat == seat and m.actions[0].kind == LEAVE]
    over = at is None or any(turn < at for turn in leaving) or (end is not None and at > end)
    question = (seat, LEARNED, end if over else at)
    for event in reversed(episode.events):
        match event:
            case Answered() if (event.seat, event.question, event.turn) == question:
                return Learned.model_validate(event.value)
            case Unusable() if (event.seat, event.name, event.turn) == question:
                problem = f"the answer failed: {event.problem}"
                return MissingValue(event.cause, problem, event.raw, event.attempt)
    return MissingValue("incomplete", "expected an answer of this seat, found none on record")


def verdicts(
    episode: Episode, plan: InformationPlan, evidence: SessionEvidence
) -> tuple[Verdict, ...]:
    """The scores of an episode, seat by seat, then those of the whole party."""
    session = session_from(episode.trial.task.content)
    scores: list[Verdict] = []
    for player in session.players:
        seat, reading = player.id, evidence.answers[player.id, None]
        scores.append(_score_iep(IEP, seat, evidence.overlaps[seat], plan.key_points))
        scores += _score_facts(seat, reading)
        scores += _score_kinds(session, seat, reading)
        scores += _score_misled(session, seat, reading)
        scores.append(_score_small_talk(episode, seat, evidence.small_talk))
        for turn in snapshot_turns(session.turns, plan.snapshots):
            scores.append(_score_recall(recall_at(turn), seat, evidence.answers[seat, turn]))
        if plan.controls:
            scores.append(_score_recall(NO_TALK, seat, evidence.answers[seat, 0]))
            scores.append(_score_other_session(session, seat, reading))
    scores += _score_party(evidence, session, episode)
    if evidence.reserve is not None:
        scores += score_reserve(session, evidence.reserve)
    if plan.controls:
        scores.append(_score_recall(ORACLE_TRANSCRIPT, None, evidence.transcript))
        scores.append(_score_iep(ORACLE_FACTS, None, evidence.overlaps[""], plan.key_points))
    return tuple(scores)


NOTHING = MissingValue(
    "incomplete", "expected at least one turn of a player, found none: nothing to judge"
)


def nothing(episode: Episode, plan: InformationPlan) -> tuple[Verdict, ...]:
    """A failure for every metric of an episode in which no player took a turn."""
    session = session_from(episode.trial.task.content)
    answers = dict.fromkeys(plan.answers(session), NOTHING)
    overlaps = {seat: NOTHING for seat, _ in answers} | {"": NOTHING}
    reserve = NOTHING if session.trust else None
    return verdicts(episode, plan, SessionEvidence(answers, overlaps, NOTHING, NOTHING, reserve))


def _score_iep(
    measure: Measure, seat: str | None, overlap: KeyPointOverlap | NoValue, k: int
) -> Verdict:
    if not isinstance(overlap, KeyPointOverlap):
        return _missing(measure, seat, overlap)
    short = f"; {overlap.total} key points were made, {k - overlap.total} short of k"
    reason = f"{overlap.shared} of {k} key points shared{short if overlap.total < k else ''}"
    if overlap.detail:
        reason = f"{reason}: {overlap.detail}"
    return Score(measure, seat, key_point_share(overlap.shared, k), reason)


def _score_facts(seat: str, reading: FactResult) -> tuple[Verdict, ...]:
    if not isinstance(reading, FactReading):
        return reading.as_verdicts(OF_ANSWERS[1:], (seat,))
    stated, invented = len(reading.stated), len(reading.hallucinated)
    quotes = ", ".join(f'"{quote}"' for quote in reading.hallucinated)
    believed = f", {len(reading.believed)} falsehoods believed" if reading.believed else ""
    no_statement, no_fact = "the player stated nothing", "there is nothing to know"
    values: Mapping[Measure, tuple[float | None, str, str]] = {
        PRECISION: (
            precision(reading),
            f"{stated} facts stated, {invented} statements hallucinated{believed}",
            "the player stated no fact, and nothing untrue",
        ),
        RECALL: (recall(reading), _list_stated(reading), no_fact),
        F1: (
            f1(reading),
            f"2 x {stated} / ({stated} + {reading.untrue} + {reading.known})",
            no_fact,
        ),
        HALLUCINATION: (
            hallucination(reading),
            f"{invented} of {reading.statements} statements{': ' if quotes else ''}{quotes}",
            no_statement,
        ),
    }
    return tuple(
        Unscored(measure, seat, why) if value is None else Score(measure, seat, value, reason)
        for measure, (value, reason, why) in values.items()
    )


def _score_kinds(session: Session, seat: str, reading: FactResult) -> Iterator[Verdict]:
    for kind, measure in RECALL_OF.items():
        if ids := [fact.id for fact in session.knowledge if fact.kind == kind]:
            of_kind = reading
            if isinstance(reading, FactReading):
                stated = {fact: where for fact, where in reading.stated.items() if fact in ids}
                of_kind = FactReading(len(ids), stated)
            yield _score_recall(measure, seat, of_kind)


def _score_misled(session: Session, seat: str, reading: FactResult) -> Iterator[Verdict]:
    """The share of the session's falsehoods that this player believes; nothing without any."""
    falsehoods = [fact.id for fact in session.knowledge if fact.falsehood]
    if not falsehoods:
        return
    if not isinstance(reading, FactReading):
        yield _missing(MISLED, seat, reading)
        return
    ids = ", ".join(reading.believed) or "none"
    reason = f"{len(reading.believed)} of {len(falsehoods)} falsehoods: {ids}"
    yield Score(MISLED, seat, len(reading.believed) / len(falsehoods), reason)


def _score_small_talk(
    episode: Episode, seat: str, small_talk: Collection[int] | NoValue
) -> Verdict:
    if isinstance(small_talk, NoValue):
        return _missing(SMALL_TALK, seat, small_talk)
    turns = [move.turn for move in substantial(episode) if move.seat == seat]
    if not turns:
        return Unscored(SMALL_TALK, seat, "the player only waited, or left")
    idle = [str(turn + 1) for turn in turns if turn in small_talk]
    numbers = f": {', '.join(idle)}" if idle else ""
    reason = f"{len(idle)} of {len(turns)} turns{numbers}"
    return Score(SMALL_TALK, seat, len(idle) / len(turns), reason)


def substantial(episode: Episode) -> tuple[Moved, ...]:
    """The moves in which something was said or done, not only waited."""
    return tuple(move for move in episode.moves if any(action.text for action in move.actions))


def _score_recall(measure: Measure, seat: str | None, reading: FactResult) -> Verdict:
    if not isinstance(reading, FactReading):
        return _missing(measure, seat, reading)
    value = recall(reading)
    if value is None:
        return Unscored(measure, seat, "there is nothing to know")
    return Score(measure, seat, value, _list_stated(reading))


def _list_stated(reading: FactReading) -> str:
    stated = [f"{fact} ({where})" if where else fact for fact, where in reading.stated.items()]
    return f"{len(stated)} of {reading.known} facts: {', '.join(stated) or 'none'}"


def _score_other_session(session: Session, seat: str, reading: FactResult) -> Verdict:
    """Compares the facts' own texts, so that it costs no call."""
    if not isinstance(reading, FactReading):
        return _missing(OTHER_SESSION, seat, reading)
    decoys = {fact.text for fact in session.decoys}
    if not decoys:
        return Unscored(OTHER_SESSION, seat, "no other session's facts are available")
    stated = {fact.text for fact in session.knowledge if fact.id in reading.stated}
    shared = len(stated & decoys)
    reason = f"{shared} of {len(decoys)} facts of another session"
    return Score(OTHER_SESSION, seat, shared / len(decoys), reason)


def _score_party(
    evidence: SessionEvidence, session: Session, episode: Episode
) -> Iterator[Verdict]:
    """Recall of the players together, and turns and tokens for each fact that they learnt."""
    costs = (TURNS_PER_FACT, TOKENS_PER_FACT)
    readings = []
    for (seat, at), reading in evidence.answers.items():
        if at is not None:
            continue
        if isinstance(reading, MissingValue):
            reading = MissingValue(
                "incomplete", f"the answer of {seat} is missing: {reading.problem}"
            )
        if not isinstance(reading, FactReading):
            yield from reading.as_verdicts((PARTY_RECALL, *costs))
            return
        readings.append(reading)
    value, facts = party_recall(readings), len(session.knowledge)
    if value is None:
        yield Unscored(PARTY_RECALL, None, "there is nothing to know")
    else:
        reason = f"{round(value * facts)} of {facts} facts stated by at least one player"
        yield Score(PARTY_RECALL, None, value, reason)
    learnt = round((value or 0) * facts)
    size = sum(len(action.text) for move in episode.moves for action in move.actions)
    spent = (len(episode.moves), size / CHARACTERS_A_TOKEN)
    for measure, amount, what in zip(costs, spent, ("turns", "tokens"), strict=True):
        if learnt:
            reason = f"{amount:,.0f} {what}, {learnt} facts learnt"
            yield Score(measure, None, amount / learnt, reason)
        else:
            yield Unscored(measure, None, "no fact was learnt")


def _missing(measure: Measure, seat: str | None, reason: NoValue) -> Verdict:
    return reason.as_verdicts((measure,), (seat,))[0]


# ------------------------------------------------------------------ by acts and ids alone

# Scripted players say by acts what a line means, and by ids which fact each sentence of an answer
# states: nothing has to be read, and scores are exact. Where anybody else took a turn there are
# none.


def learned(episode: Episode) -> tuple[FactWay, ...]:
    """How each fact spread, and each falsehood; empty where it is not on record."""
    session = session_from(episode.trial.task.content)
    if not is_recorded(episode):
        return ()
    tellings = list_tellings(session, episode)
    answers = {player.id: _answer(session, episode, player.id, None) for player in session.players}

    def heard(fact: str, seat: str) -> FactReceipt:
        name, answer = session.seated(seat).first_name, answers[seat]
        first = next((telling for telling in tellings[fact] if name in telling.to), None)
        stated = fact in _all_stated(session, answer) if isinstance(answer, FactReading) else None
        return FactReceipt(name, first.turn if first else None, first.who if first else "", stated)

    return tuple(
        FactWay(
            id_, text, tellings[id_], tuple(heard(id_, player.id) for player in session.players)
        )
        for id_, text in session.statements.items()
    )


def _all_stated(session: Session, answer: FactReading) -> Collection[str]:
    false = [fact.false_id for fact in session.knowledge if fact.id in answer.believed]
    return {*answer.stated, *false}


def list_tellings(session: Session, episode: Episode) -> Mapping[str, tuple[FactMention, ...]]:
    """When each fact and falsehood was told, by its id; empty for one that was not."""
    names = {character.id: character.first_name for character in session.characters}
    tellings: dict[str, list[FactMention]] = {id_: [] for id_ in session.statements}
    for move in episode.moves:
        for action in move.actions:
            hearers = tuple(names[seat] for seat in action.to or names if seat != move.seat)
            for act in action.acts:
                fact = act.what.get("id") if isinstance(act.what, dict) else None
                if act.kind == TELL and fact in tellings:
                    tellings[fact].append(FactMention(move.turn, names[move.seat], hearers))
    return {fact: tuple(of_fact) for fact, of_fact in tellings.items()}


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
            return nothing(episode, plan)
        answers = {key: _answer(session, episode, *key) for key in plan.answers(session)}
        transcript: FactResult = _UNRECORDED
        recited: FactResult = _UNRECORDED
        small_talk: Collection[int] | NoValue = _UNRECORDED
        if is_recorded(episode):
            tellings = list_tellings(session, episode)
            ids = [fact.id for fact in session.knowledge]
            first = {fact: tellings[fact][0] for fact in ids if tellings[fact]}
            where = {fact: f"{t.who}, turn {t.turn + 1}" for fact, t in first.items()}
            transcript = FactReading(len(session.knowledge), where)
            recited = FactReading(len(session.knowledge), dict.fromkeys(ids, ""))
            small_talk = frozenset(
                move.turn
                for move in episode.moves
                if all(act.kind == CHAT for action in move.actions for act in action.acts)
            )
        last = {seat: reading for (seat, at), reading in answers.items() if at is None}
        last[""] = recited
        overlaps = {seat: self._overlap(session, reading) for seat, reading in last.items()}
        reserve: ReserveReading | NoValue | None = None
        if session.trust:
            recorded = is_recorded(episode)
            reserve = recorded_reserve(session, episode) if recorded else _UNRECORDED
        evidence = SessionEvidence(answers, overlaps, transcript, small_talk, reserve)
        return verdicts(episode, plan, evidence)

    def _overlap(self, session: Session, answer: FactResult) -> KeyPointOverlap | NoValue:
        if not isinstance(answer, FactReading):
            return answer
        k = self._plan.key_points
        points = [fact.id for fact in session.knowledge[:k]]
        shared = [fact for fact in points if fact in answer.stated]
        return KeyPointOverlap(len(shared), min(k, answer.statements), ", ".join(shared))


def _answer(session: Session, episode: Episode, seat: str, at: int | None) -> FactResult:
    """An answer as its ids say; unknown where this seat, or another, is not on record."""
    answer = find_answer(episode, seat, at)
    if isinstance(answer, MissingValue):
        return answer
    acted = any(move.seat == seat for move in episode.moves)
    if not acted or not is_recorded(episode) or len(answer.ids) != len(answer.facts):
        return _UNRECORDED
    tellings = list_tellings(session, episode)
    false = {fact.false_id: fact.id for fact in session.knowledge if fact.falsehood}
    true = [fact for fact in answer.ids if fact and fact not in false]
    stated = {fact: _source(tellings.get(fact, ()), session, seat) for fact in true}
    invented = [text for text, fact in zip(answer.facts, answer.ids, strict=True) if not fact]
    believed = tuple(false[fact] for fact in answer.ids if fact in false)
    return FactReading(
        len(session.knowledge), stated, hallucinated=tuple(invented), believed=believed
    )


def _source(tellings: Sequence[FactMention], session: Session, seat: str) -> str:
    name = session.seated(seat).first_name
    first = next((telling for telling in tellings if name in telling.to), None)
    return f"{first.who}, turn {first.turn + 1}" if first else ""
