"""A chat model as the judge of information exchange: key points, overlap, one-to-one matching.

Calls a session: one for the key points of the knowledge (if it holds more facts than k), one a
player, one for all controls, and one for all snapshots where they are on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from pydantic import BaseModel

from sociolab.core.episode import Episode
from sociolab.core.errors import ModelError
from sociolab.core.ports import CallKey, ChatModel
from sociolab.core.score import JudgeId, Verdict
from sociolab.core.seeding import digest, stream
from sociolab.prompting.ask import ask_model, typed_prompt
from sociolab.prompting.templates import prompt
from sociolab.worlds.anteval.information import controls
from sociolab.worlds.anteval.information.evidence import (
    Evidence,
    Lost,
    Plan,
    nothing,
    said,
    verdicts,
)
from sociolab.worlds.anteval.information.judged import (
    AnswerSheet,
    Group,
    GroupSheets,
    KeyPoints,
    answer_problem,
    answer_reading,
    group_readings,
    groups_problem,
    key_points_problem,
    numbered,
)
from sociolab.worlds.anteval.information.measures import Reading
from sociolab.worlds.anteval.information.question import snapshot_turns
from sociolab.worlds.anteval.information.tracing import utterances
from sociolab.worlds.anteval.scene import PACKAGE
from sociolab.worlds.anteval.session import Session, session_from
from sociolab.worlds.anteval.visibility import party_moved

ATTEMPTS = 3
_PROMPTS = ("judge_points", "judge_answer", "judge_groups")

_SENTENCE = re.compile(r"(?<=[.!?])[\"')]*\s+")

Sheet = TypeVar("Sheet", bound=BaseModel)


class ModelJudge:
    """Judges with a chat model at temperature 0.

    A reply that names an unknown id, or one twice, is asked for again; what cannot be mended is a
    failure of the cells that the call was for. A fatal error passes through and stops the run.
    """

    def __init__(self, plan: Plan, model: ChatModel) -> None:
        self._plan = plan
        self._model = model
        hashes = [prompt(PACKAGE, name).hash for name in _PROMPTS]
        settings = digest(model.label, *hashes, plan.key_points)
        self.id = JudgeId(model.label, "model", settings)

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """The verdicts on the answers; failures where nobody took a turn."""
        session = session_from(episode.trial.task.content)
        if not party_moved(episode):
            return nothing(session, self._plan)
        found = Evidence()
        points = await self._key_points(session, episode, judging)
        for player in session.players:
            await self._answer(found, session, episode, points, player.id, judging)
        if self._plan.controls:
            groups = _shuffled(_control_groups(found, session, episode), episode)
            self._keep_controls(
                found, groups, await self._groups(episode, groups, "controls", judging)
            )
        if self._plan.snapshots:
            drawn = _snapshot_groups(found, session, episode, self._plan.snapshots)
            groups = _shuffled(drawn, episode)
            read = await self._groups(episode, groups, "snapshots", judging)
            for group in groups:
                found.snapshots[int(group.name), group.seat] = _of(group, read)
        return verdicts(session, self._plan, found)

    async def _key_points(
        self, session: Session, episode: Episode, judging: int
    ) -> tuple[str, ...] | Lost:
        """The knowledge in k key points; where there are no more facts, they are these."""
        k = self._plan.points_of(session)
        if len(session.knowledge) == k:
            return tuple(fact.text for fact in session.knowledge)
        body = "\n".join(numbered("f", [fact.text for fact in session.knowledge]))
        head = prompt(PACKAGE, "judge_points").render({"k": k})
        key = CallKey(episode.trial.id, "judge", "", 0, "key points", 1, judging)
        sheet = await self._ask(
            KeyPoints, head, body, key, lambda reply: key_points_problem(reply, k)
        )
        return sheet if isinstance(sheet, Lost) else tuple(sheet.points)

    async def _answer(
        self,
        found: Evidence,
        session: Session,
        episode: Episode,
        points: tuple[str, ...] | Lost,
        seat: str,
        judging: int,
    ) -> None:
        """One player's answer: its key points, their overlap, and the matching with facts."""
        statements = said(episode, seat, None)
        if isinstance(statements, Lost):
            found.answers[seat] = found.overlaps[seat] = statements
            return
        if not statements:
            found.answers[seat] = Reading(0, (), frozenset(), len(session.knowledge))
            found.overlaps[seat] = 0
            return
        known = () if isinstance(points, Lost) else points
        k = self._plan.points_of(session)
        body = "\n".join(
            (
                "# Facts",
                *numbered("f", [fact.text for fact in session.knowledge]),
                "\n# Key points of the facts",
                *numbered("p", known),
                "\n# The answer",
                *numbered("s", statements),
            )
        )
        head = prompt(PACKAGE, "judge_answer").render({"k": k})
        key = CallKey(episode.trial.id, "judge", seat, 0, "answer", 1, judging)
        facts = session.knowledge
        sheet = await self._ask(
            AnswerSheet,
            head,
            body,
            key,
            lambda reply: answer_problem(reply, len(statements), len(facts), len(known), k),
        )
        if isinstance(sheet, Lost):
            found.answers[seat] = found.overlaps[seat] = sheet
            return
        found.answers[seat] = answer_reading(sheet, len(statements), facts)
        found.overlaps[seat] = points if isinstance(points, Lost) else len(sheet.shared)

    def _keep_controls(
        self, found: Evidence, groups: Sequence[Group], read: dict[str, Reading] | Lost
    ) -> None:
        for group in groups:
            reading = _of(group, read)
            if group.seat:
                found.seat_controls[group.name, group.seat] = reading
            elif isinstance(reading, Lost):
                found.controls[group.name] = reading
            elif reading.known:
                found.controls[group.name] = len(reading.pairs) / reading.known

    async def _groups(
        self, episode: Episode, groups: Sequence[Group], name: str, judging: int
    ) -> dict[str, Reading] | Lost:
        """Groups of statements, each held against its own facts, in one call."""
        asked = [group for group in groups if group.statements and group.facts]
        if not asked:
            return {}
        parts = []
        for group in asked:
            parts += [f"# Group {group.id}", "Facts:"]
            parts += numbered("f", [fact.text for fact in group.facts])
            parts += ["Statements:", *numbered("s", group.statements), ""]
        key = CallKey(episode.trial.id, "judge", "", 0, name, 1, judging)
        head = prompt(PACKAGE, "judge_groups").render({})
        sheet = await self._ask(
            GroupSheets, head, "\n".join(parts), key, lambda reply: groups_problem(reply, asked)
        )
        return sheet if isinstance(sheet, Lost) else group_readings(sheet, asked)

    async def _ask(
        self,
        kind: type[Sheet],
        head: str,
        body: str,
        key: CallKey,
        complaint: Callable[[Sheet], str],
    ) -> Sheet | Lost:
        """A sheet without anything to complain of, or why there is none."""
        try:
            asked = await ask_model(
                self._model,
                typed_prompt(head, body, kind, 0.0),
                kind,
                key,
                attempts=ATTEMPTS,
                complaint=complaint,
            )
        except ModelError as error:
            if error.fatal:
                raise
            return Lost(error.cause, str(error), "", error.tries)
        if asked.value is None or asked.problem:
            return Lost(asked.cause, asked.problem, asked.raw, asked.attempts)
        return asked.value


def _shuffled(groups: Iterable[Group], episode: Episode) -> tuple[Group, ...]:
    """The groups in an order, and under names, that tell the judge nothing of what they are."""
    drawn = list(groups)
    stream(episode.trial.seed, episode.trial.id, "groups").shuffle(drawn)
    return tuple(replace(group, id=f"g{number}") for number, group in enumerate(drawn, 1))


def _control_groups(found: Evidence, session: Session, episode: Episode) -> Iterator[Group]:
    """What the controls hold against facts; an answer that failed is kept as a failure here."""
    known = session.knowledge
    for player in session.players:
        for name, at, facts in (
            (controls.NO_TALK.name, 0, known),
            (controls.OTHER_SESSION.name, None, session.decoys),
        ):
            statements = said(episode, player.id, at)
            if isinstance(statements, Lost):
                found.seat_controls[name, player.id] = statements
            else:
                yield Group("", name, player.id, statements, facts)
    if session.guesses:
        yield Group("", controls.BLIND_GUESS.name, "", session.guesses, known)
    spoken = tuple(
        sentence
        for _, text in utterances(session, episode.moves)
        for sentence in _SENTENCE.split(text)
        if sentence[-1:] not in ("", "?")
    )
    yield Group("", controls.ORACLE_TRANSCRIPT.name, "", spoken, known)
    yield Group("", controls.ORACLE_FACTS.name, "", tuple(fact.text for fact in known), known)


def _snapshot_groups(
    found: Evidence, session: Session, episode: Episode, every: int
) -> Iterator[Group]:
    for player in session.players:
        for turn in snapshot_turns(session.turns, every):
            statements = said(episode, player.id, turn)
            if isinstance(statements, Lost):
                found.snapshots[turn, player.id] = statements
            else:
                yield Group("", str(turn), player.id, statements, session.knowledge)


def _of(group: Group, read: dict[str, Reading] | Lost) -> Reading | Lost:
    """What a call says of a group; one without statements needs no call."""
    if not group.statements or not group.facts:
        return Reading(len(group.statements), (), frozenset(), len(group.facts))
    return read if isinstance(read, Lost) else read[group.id]
