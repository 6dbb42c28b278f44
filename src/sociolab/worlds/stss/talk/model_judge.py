"""A chat model as the judge of conversation tasks, and labelled conversations that test it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from sociolab.core.episode import Answered, CastMember, Ended, Episode, Json, Task, Trial
from sociolab.core.errors import ModelError
from sociolab.core.ports import CallKey, ChatModel, Labelled, LabelledPoint, PointAnswer
from sociolab.core.score import JudgeId, Verdict
from sociolab.core.seeding import digest
from sociolab.judging.quoting import WANTED, flat, quoted
from sociolab.prompting.sets import PromptSet
from sociolab.prompting.structured import ask_model, schema_of, typed_prompt
from sociolab.town.questions import Utterance
from sociolab.town.questions.base import now_line
from sociolab.town.residents import own_residents
from sociolab.worlds.stss.talk.conditions import (
    ConditionFinding,
    GoalCondition,
    Occasion,
    conditions_hash,
)
from sociolab.worlds.stss.talk.dataset import Side, TalkScenario, scenario_from
from sociolab.worlds.stss.talk.verdicts import SMOKED, Lost, readable, verdicts
from sociolab.worlds.stss.task import SocialTask
from sociolab.worlds.stss.world import is_smoke, paper

ATTEMPTS = 3
_PROMPTS = ("judge_talk", "judge_note", "judge_rules", "judge_body")
_LONGEST_SHOWN = 100
_MOST_STATEMENTS = 4


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")  # wanted where structured output is strict


class Mark(_Strict):
    """Whether a statement holds, after the words that show it."""

    quote: str
    met: bool


@cache
def sheet(statements: int) -> type[BaseModel]:
    """The type of a reply: a mark for each statement, in the field of its number."""
    fields: dict[str, Any] = {_field(number): (Mark, ...) for number in range(statements)}
    return create_model("Sheet", __base__=_Strict, **fields)


class TalkModelJudge:
    """Judges with a chat model at temperature 0, the note without the talk (STSS section 3.2).

    A statement counts as met with a quote that is in the text; a reply whose quotes are not is
    asked for again. What cannot be mended fails the measures of that level only. A fatal error
    (credentials, budget) passes through and stops the run.
    """

    def __init__(self, model: ChatModel, texts: PromptSet | None = None) -> None:
        self._model = model
        self._texts = texts or paper()
        schema, told = schema_of(sheet(_MOST_STATEMENTS)).text, self._texts.instructions(*_PROMPTS)
        settings = digest(model.label, told.hash, conditions_hash(), schema)
        self.id = JudgeId(model.label, "model", told.marked(settings))

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """SR and GCSR of the talk and of the note; failures where there is nothing to judge.

        Of a smoke test no figure is drawn: Unscored, and no model is asked.
        """
        scenario = scenario_from(episode.trial.task.content)
        told, note = readable(scenario, episode)
        if is_smoke(episode.trial) and not isinstance(told, Lost):
            return verdicts(SMOKED, SMOKED)
        key = CallKey(episode.trial.id, "judge", "", 0, "talk", 1, judging)
        return verdicts(
            await self.in_talk(
                scenario.occasion, told if isinstance(told, Lost) else told.lines, key
            ),
            await self.in_note(
                scenario.occasion, note if isinstance(note, Lost) else note.memo, key
            ),
        )

    async def in_talk(
        self, occasion: Occasion, lines: Sequence[Utterance] | Lost, key: CallKey
    ) -> tuple[ConditionFinding, ...] | Lost:
        """Which conditions the model finds met in a conversation."""
        text = lines if isinstance(lines, Lost) else _talk(lines)
        return await self._found(occasion, text, key)

    async def in_note(
        self, occasion: Occasion, note: str | Lost, key: CallKey
    ) -> tuple[ConditionFinding, ...] | Lost:
        """Which conditions the model finds met in the note of a conversation, read alone."""
        text = note if isinstance(note, Lost) else _note(note)
        return await self._found(occasion, text, replace(key, name="note"))

    async def _found(
        self, occasion: Occasion, text: _Text | Lost, key: CallKey
    ) -> tuple[ConditionFinding, ...] | Lost:
        """What the model finds in a text, or why there is nothing to go by."""
        if isinstance(text, Lost):
            return text
        conditions = occasion.conditions
        kind = sheet(len(conditions))
        rules = self._texts["judge_rules"].render({})
        head = self._texts[text.head].render({"rules": rules})
        body = self._texts["judge_body"].render(_shown(occasion, conditions, text))
        asked = typed_prompt(head, body, kind, self._texts.manifest.temperature.judge)
        try:
            reply = await ask_model(
                self._model, asked, kind, key, attempts=ATTEMPTS, complaint=text.complaint
            )
        except ModelError as error:
            if error.fatal:
                raise
            return Lost(error.cause, str(error), "", error.tries)
        if reply.value is None or reply.problem:
            return Lost(reply.cause, reply.problem, reply.raw, reply.attempts)
        return text.findings(conditions, reply.value)


@dataclass(frozen=True, slots=True)
class _Text:
    """What is judged: its lines, `speakers` before them where somebody speaks."""

    head: str
    title: str
    lines: tuple[str, ...]
    speakers: tuple[str, ...] = ()

    @property
    def shown(self) -> tuple[str, ...]:
        """The lines as the model sees them."""
        if not self.speakers:
            return self.lines
        both = zip(self.speakers, self.lines, strict=True)
        return tuple(f"{speaker}: {line}" for speaker, line in both)

    def complaint(self, reply: BaseModel) -> str:
        """What is wrong with the quotes of a reply; empty if nothing is."""
        problems = []
        for field, mark in reply:
            if mark.met and self._words(mark) is None:
                shown = mark.quote[:_LONGEST_SHOWN]
                problems.append(
                    f"{field}: expected as quote {WANTED} of one line, word for word, "
                    f'found "{shown}"'
                )
        return "; ".join(problems)

    def findings(
        self, conditions: Sequence[GoalCondition], reply: BaseModel
    ) -> tuple[ConditionFinding, ...]:
        """The reply as findings, with the words as they stand in the text."""
        marks = [mark for _, mark in reply]
        return tuple(
            ConditionFinding(condition, mark.met, (self._words(mark) or "") if mark.met else "")
            for condition, mark in zip(conditions, marks, strict=True)
        )

    def _words(self, mark: Mark) -> str | None:
        return quoted(_without_speaker(mark.quote, self.speakers), self.lines)


def _talk(lines: Sequence[Utterance]) -> _Text:
    # On one line, so that nothing that was said or noted can pass for a part of the prompt.
    speakers = tuple(flat(line.name) for line in lines)
    return _Text("judge_talk", "The talk", tuple(flat(line.text) for line in lines), speakers)


def _note(note: str) -> _Text:
    lines = tuple(flat(line) for line in note.splitlines() if line.strip())
    return _Text("judge_note", "The note", lines)


def _shown(
    occasion: Occasion, conditions: Sequence[GoalCondition], text: _Text
) -> dict[str, object]:
    performer, other = occasion.performer, occasion.other
    return {
        "performer": flat(performer.name),
        "other": flat(other.name),
        "where": f"at {flat(occasion.here)}" if occasion.here else "outdoors",
        "now": now_line(occasion.now),
        "performer_home": flat(performer.living_area),
        "other_home": flat(other.living_area),
        "statements": [flat(condition.text) for condition in conditions],
        "title": text.title,
        "lines": text.shown,
    }


def _without_speaker(quote: str, speakers: Sequence[str]) -> str:
    """A quote without the number and name that stand before each utterance."""
    names = "|".join(re.escape(name) for name in dict.fromkeys(speakers))
    return re.sub(rf"^\W*(?:\d+\.\s*)?(?:{names}):", "", quote) if names else quote


def _field(number: int) -> str:
    return f"statement_{number + 1}"


# ------------------------------------------------------------------ labelled conversations


MET, NOT_MET = "met", "not met"


class _Who(BaseModel):
    id: str


class LabelledTalk(BaseModel):
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
    read = LabelledTalk.model_validate(row)
    id, scenario = read.id or id, read.scenario
    occasion, both = scenario.occasion, {"P": scenario.performer, "O": scenario.other}
    lines = tuple(
        Utterance(both[seat].resident.id, both[seat].resident.name, text)
        for seat, text in read.lines
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


def _findings(scenario: TalkScenario, labels: dict[str, bool]) -> tuple[ConditionFinding, ...]:
    conditions = scenario.occasion.conditions
    if {one.id for one in conditions} != labels.keys():
        known = ", ".join(one.id for one in conditions)
        raise ValueError(f"expected labels of {known}, found {', '.join(labels) or 'none'}")
    return tuple(ConditionFinding(one, labels[one.id]) for one in conditions)


def _points(found: Sequence[ConditionFinding], level: str) -> tuple[LabelledPoint, ...]:
    return tuple(
        LabelledPoint(
            f"{one.condition.kind}{level}",
            f"{one.condition.id}{level}",
            (MET if one.met else NOT_MET,),
            (NOT_MET,),
        )
        for one in found
    )


def _answers(found: tuple[ConditionFinding, ...] | Lost, count: int) -> tuple[PointAnswer, ...]:
    if isinstance(found, Lost):
        return (PointAnswer(None, found.problem),) * count
    return tuple(PointAnswer(MET if one.met else NOT_MET, one.quote) for one in found)


def _episode(id: str, scenario: TalkScenario, lines: Sequence[Utterance], note: str) -> Episode:
    seats = (scenario.performer.resident.id, scenario.other.resident.id)
    task = Task(id, seats, scenario.task.id, scenario.model_dump_json())
    cast = tuple(CastMember(seat) for seat in seats)
    events: list[Answered | Ended] = [
        Answered(turn, line.who, "utter", {"text": line.text}) for turn, line in enumerate(lines)
    ]
    if note:
        events.append(Answered(len(lines), seats[1], "summarise", {"memo": note, "importance": 5}))
    events.append(Ended("turn limit", max(0, len(lines) - 1)))
    return Episode(Trial(id, "stss-talk", task, cast, 0, 0), tuple(events))


def _expected(
    talk: tuple[ConditionFinding, ...] | None, note: tuple[ConditionFinding, ...] | None
) -> tuple[tuple[Verdict, ...], ...]:
    """What the labels come to, where there are labels of both levels."""
    return (verdicts(talk, note),) if talk and note else ()
