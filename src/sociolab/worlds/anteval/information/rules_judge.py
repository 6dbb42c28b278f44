"""The offline judge of information exchange: a deterministic matcher instead of a model."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.core.episode import Episode
from sociolab.core.score import JudgeId, Verdict
from sociolab.core.seeding import digest
from sociolab.worlds.anteval.information import controls
from sociolab.worlds.anteval.information.evidence import (
    Evidence,
    Found,
    Lost,
    Plan,
    nothing,
    said,
    verdicts,
)
from sociolab.worlds.anteval.information.matching import FactMatcher
from sociolab.worlds.anteval.information.measures import Reading, recall
from sociolab.worlds.anteval.information.question import snapshot_turns
from sociolab.worlds.anteval.information.tracing import Trace, trace
from sociolab.worlds.anteval.session import Fact, Session, session_from
from sociolab.worlds.anteval.visibility import party_moved


class RulesJudge:
    """Reads answers by rules; alike for the same episode.

    Without a model an answer's summary into k key points is what stands first: its first k
    statements that do not say again what an earlier one said. They may say any of the facts, since
    nobody can tell which k of them would be the key points.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._matcher = FactMatcher()
        settings = digest(plan.key_points)
        self.id = JudgeId("rules", "rules", settings)

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """The verdicts on the answers; failures where nobody took a turn."""
        session = session_from(episode.trial.task.content)
        if not party_moved(episode):
            return nothing(session, self._plan)
        return verdicts(session, self._plan, self._evidence(session, episode))

    def _evidence(self, session: Session, episode: Episode) -> Evidence:
        found = Evidence()
        k = self._plan.points_of(session)
        for player in session.players:
            seat = player.id
            answer = said(episode, seat, None)
            found.answers[seat] = self._found(answer, session.knowledge)
            found.overlaps[seat] = (
                answer if isinstance(answer, Lost) else self._overlap(answer, session.knowledge, k)
            )
            for turn in snapshot_turns(session.turns, self._plan.snapshots):
                snapshot = said(episode, seat, turn)
                found.snapshots[turn, seat] = self._found(snapshot, session.knowledge)
            if self._plan.controls:
                before = said(episode, seat, 0)
                held = found.seat_controls
                held[controls.NO_TALK.name, seat] = self._found(before, session.knowledge)
                held[controls.OTHER_SESSION.name, seat] = self._found(answer, session.decoys)
        traces = trace(session, episode.moves, self._matcher)
        found.sources.update(_sources(session, traces))
        if self._plan.controls and session.knowledge:
            self._whole(found, session, traces)
        return found

    def _whole(self, found: Evidence, session: Session, traces: Sequence[Trace]) -> None:
        known = session.knowledge
        told = sum(bool(one.tellings) for one in traces)
        found.controls[controls.ORACLE_TRANSCRIPT.name] = told / len(known)
        handed = self._read([fact.text for fact in known], known)
        found.controls[controls.ORACLE_FACTS.name] = recall(handed) or 0.0
        if session.guesses:
            guessed = self._read(session.guesses, known)
            found.controls[controls.BLIND_GUESS.name] = recall(guessed) or 0.0

    def _found(self, answer: Sequence[str] | Lost, facts: Sequence[Fact]) -> Found:
        return answer if isinstance(answer, Lost) else self._read(answer, facts)

    def _read(self, answer: Sequence[str], facts: Sequence[Fact]) -> Reading:
        statements = self._matcher.taken_apart(answer, facts)
        pairs = tuple((p.statement, p.fact) for p in self._matcher.match(statements, facts))
        paired = {statement for statement, _ in pairs}
        supported = frozenset(
            index
            for index, statement in enumerate(statements)
            if index in paired or any(self._matcher.supports(statement, fact) for fact in facts)
        )
        return Reading(len(statements), pairs, supported, len(facts))

    def _overlap(self, answer: Sequence[str], facts: Sequence[Fact], k: int) -> int:
        """s: how many facts are among the first k statements that are new, k at most."""
        statements = self._matcher.taken_apart(answer, facts)
        whole = self._read(statements, facts)
        again = whole.supported - {statement for statement, _ in whole.pairs}
        new = [text for index, text in enumerate(statements) if index not in again]
        return len(self._matcher.match(new[:k], facts))


def _sources(session: Session, traces: Sequence[Trace]) -> dict[tuple[str, str], str]:
    """From whom and in which turn each player heard each fact first, such as " (Ansel, turn 8)"."""
    found = {}
    for one in traces:
        for player in session.players:
            source = one.source(player.id)
            if source is not None:
                who = session.seated(source.by).first_name
                found[player.id, one.fact] = f" ({who}, turn {source.turn + 1})"
    return found
