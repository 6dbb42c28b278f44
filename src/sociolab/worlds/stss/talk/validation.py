"""Labelled conversations and notes that test a judge: which goal conditions each of them meets."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from sociolab.core.episode import Answered, CastMember, Ended, Episode, Json, Task, Trial
from sociolab.core.ports import CallKey, ChatModel, Labelled, Point, PointAnswer
from sociolab.core.score import Verdict
from sociolab.town.population import own_residents
from sociolab.town.thoughts import Line
from sociolab.worlds.stss.talk.findings import Finding
from sociolab.worlds.stss.talk.model_judge import TalkModelJudge
from sociolab.worlds.stss.talk.scenario import Side, TalkScenario
from sociolab.worlds.stss.talk.verdicts import Lost, verdicts
from sociolab.worlds.stss.task import SocialTask

MET, NOT_MET = "met", "not met"


class _Who(BaseModel):
    id: str


class Row(BaseModel):
    """A labelled conversation, the note that the other keeps of it, or both, as a line of a set.

    `lines` are P (the performer) or O (the other) and what is said; the labels are by the ids of
    the task's conditions. The two are residents of Alderbrook.
    """

    id: str | None = None
    task: SocialTask
    performer: _Who
    other: _Who
    now: datetime
    here: str
    lines: tuple[tuple[Literal["P", "O"], str], ...] = ()
    labels: dict[str, bool] = Field(default_factory=dict)
    note: str = ""
    note_labels: dict[str, bool] = Field(default_factory=dict)

    @property
    def scenario(self) -> TalkScenario:
        """The conversation task; what a labelled conversation does not hold is left empty."""
        people = {one.id: one for one in own_residents()}
        for who in (self.performer.id, self.other.id):
            if who not in people:
                raise ValueError(f'expected residents of Alderbrook, found "{who}"')
        return TalkScenario(
            id=self.id or "labelled",
            seed=0,
            task=self.task,
            now=self.now,
            performer_begins=not self.lines or self.lines[0][0] == "P",
            performer=Side(resident=people[self.performer.id], place=self.here),
            other=Side(resident=people[self.other.id], place=self.here),
            people={},
            places={},
        )


def labelled(row: Json, id: str) -> Labelled:
    """A row of a set as an item that a judge can be tested with."""
    read = Row.model_validate(row)
    id, scenario = read.id or id, read.scenario
    occasion, both = scenario.occasion, {"P": scenario.performer, "O": scenario.other}
    lines = tuple(
        Line(both[seat].resident.id, both[seat].resident.name, text) for seat, text in read.lines
    )
    talk, note = (
        _findings(scenario, labels) if text else None
        for text, labels in ((lines, read.labels), (read.note, read.note_labels))
    )
    if not talk and not note:
        raise ValueError("expected lines with labels, or a note with note_labels")

    async def ask(model: ChatModel) -> tuple[PointAnswer, ...]:
        judge, key = TalkModelJudge(model), CallKey(id, "judge", "", 0, "talk", 1)
        answers: tuple[PointAnswer, ...] = ()
        if talk:
            answers += _answers(await judge.in_talk(occasion, lines, key), len(talk))
        if note:
            answers += _answers(await judge.in_note(occasion, read.note, key), len(note))
        return answers

    return Labelled(
        id=id,
        kind=read.task.type,
        text=(
            *(f"{line.name}: {line.text}" for line in lines),
            *([f"Note: {read.note}"] if note else []),
        ),
        points=(*_points(talk or (), ""), *_points(note or (), " (note)")),
        ask=ask,
        episode=_episode(id, scenario, lines, read.note),
        expected=_expected(talk, note),
    )


def _findings(scenario: TalkScenario, labels: dict[str, bool]) -> tuple[Finding, ...]:
    conditions = scenario.occasion.conditions
    if {one.id for one in conditions} != labels.keys():
        known = ", ".join(one.id for one in conditions)
        raise ValueError(f"expected labels of {known}, found {', '.join(labels) or 'none'}")
    return tuple(Finding(one, labels[one.id]) for one in conditions)


def _points(found: Sequence[Finding], level: str) -> tuple[Point, ...]:
    return tuple(
        Point(
            f"{one.condition.kind}{level}",
            f"{one.condition.id}{level}",
            (MET if one.met else NOT_MET,),
            (NOT_MET,),
        )
        for one in found
    )


def _answers(found: tuple[Finding, ...] | Lost, count: int) -> tuple[PointAnswer, ...]:
    if isinstance(found, Lost):
        return (PointAnswer(None, found.problem),) * count
    return tuple(PointAnswer(MET if one.met else NOT_MET, one.quote) for one in found)


def _episode(id: str, scenario: TalkScenario, lines: Sequence[Line], note: str) -> Episode:
    seats = (scenario.performer.resident.id, scenario.other.resident.id)
    task = Task(id, seats, scenario.task.id, scenario.model_dump_json())
    cast = tuple(CastMember(seat, "labelled") for seat in seats)
    events: list[Answered | Ended] = [
        Answered(turn, line.who, "utter", {"text": line.text}) for turn, line in enumerate(lines)
    ]
    if note:
        events.append(Answered(len(lines), seats[1], "summarise", {"memo": note, "importance": 5}))
    events.append(Ended("turn limit", max(0, len(lines) - 1)))
    return Episode(Trial(id, "stss-talk", task, cast, 0, 0), tuple(events))


def _expected(
    talk: tuple[Finding, ...] | None, note: tuple[Finding, ...] | None
) -> tuple[tuple[Verdict, ...], ...]:
    """What the labels come to, where there are labels of both levels."""
    return (verdicts(talk, note),) if talk and note else ()
