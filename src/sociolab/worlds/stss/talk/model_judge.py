"""A chat model as the judge of conversation tasks, and labelled conversations that test it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from sociolab.core.episode import Answered, CastMember, Ended, Episode, Json, Task, Trial
from sociolab.core.errors import ReplyError
from sociolab.core.ports import ChatModel, Labelled, LabelledPoint, PointAnswer
from sociolab.core.score import JudgeId, Verdict
from sociolab.core.seeding import digest
from sociolab.judging.quoting import QUOTE_RULE, SpokenLine, flat, lines_with
from sociolab.judging.reader import MissingValue, NoValue, Strict, TranscriptReader
from sociolab.prompting.sets import PromptSet
from sociolab.prompting.structured import schema_of
from sociolab.town.questions import Utterance
from sociolab.town.questions.base import now_line
from sociolab.town.residents import own_residents
from sociolab.worlds.stss.talk.conditions import (
    ConditionFinding,
    GoalCondition,
    Occasion,
    conditions_hash,
)
from sociolab.worlds.stss.talk.dataset import Side, TalkScenario, parse_scenario
from sociolab.worlds.stss.talk.playing import HeldTalk
from sociolab.worlds.stss.talk.verdicts import readable, verdicts
from sociolab.worlds.stss.task import SocialTask
from sociolab.worlds.stss.world import paper_prompts

_PROMPTS = ("judge_talk", "judge_note", "judge_rules", "judge_body")
_LONGEST_SHOWN = 100
_MOST_STATEMENTS = 4


class Mark(Strict):
    """Whether a statement holds; the quote comes first."""

    quote: str
    met: bool


@cache
def reply_type(statements: int) -> type[BaseModel]:
    """The type of a reply: a mark for each statement, in the field of its number."""
    fields: dict[str, Any] = {f"statement_{n + 1}": (Mark, ...) for n in range(statements)}
    return create_model("Sheet", __base__=Strict, **fields)


class TalkModelJudge:
    """Judges with a chat model at temperature 0, the note without the talk (STSS section 3.2).

    A statement counts as met only with a quote from the text; a reply with any other quote is
    retried. If it stays wrong, the metrics of that level alone fail. A fatal error (credentials,
    budget) passes through and stops the run.
    """

    def __init__(self, model: ChatModel, texts: PromptSet | None = None) -> None:
        self._model = model
        self._texts = texts or paper_prompts()
        schema = schema_of(reply_type(_MOST_STATEMENTS)).text
        instructions = self._texts.instructions(*_PROMPTS)
        settings = digest(model.label, instructions.hash, conditions_hash(), schema)
        self.id = JudgeId(model.label, "model", settings, prompts=instructions.prompts)

    async def judge(self, episode: Episode, judging: int = 0) -> tuple[Verdict, ...]:
        """SR and GCSR of the talk and of the note; failures where there is nothing to judge.

        A smoke test is Unscored, and no model is asked.
        """
        scenario = parse_scenario(episode.trial.task.content)
        (talk, note), occasion = readable(scenario, episode), scenario.occasion
        reader = self.reader(episode.trial.id, judging)
        return verdicts(
            await self.in_talk(reader, occasion, talk.lines)
            if isinstance(talk, HeldTalk)
            else talk,
            note if isinstance(note, NoValue) else await self.in_note(reader, occasion, note.memo),
        )

    def reader(self, trial: str, judging: int = 0) -> TranscriptReader:
        return TranscriptReader(self._model, trial, judging, self._texts.manifest.temperature.judge)

    async def in_talk(
        self, reader: TranscriptReader, occasion: Occasion, lines: Sequence[Utterance]
    ) -> tuple[ConditionFinding, ...] | MissingValue:
        # On one line, so that nothing that was said or noted can pass for a part of the prompt.
        spoken = [SpokenLine(0, flat(line.name), (flat(line.text),)) for line in lines]
        return await self._find(reader, occasion, "talk", spoken)

    async def in_note(
        self, reader: TranscriptReader, occasion: Occasion, note: str
    ) -> tuple[ConditionFinding, ...] | MissingValue:
        """Which conditions the model finds met in the note of a conversation, read alone."""
        lines = [SpokenLine(0, "", (flat(line),)) for line in note.splitlines() if line.strip()]
        return await self._find(reader, occasion, "note", lines)

    async def _find(
        self,
        reader: TranscriptReader,
        occasion: Occasion,
        what: Literal["talk", "note"],
        lines: Sequence[SpokenLine],
    ) -> tuple[ConditionFinding, ...] | MissingValue:
        task, performer, other = occasion.task, occasion.performer, occasion.other
        conditions, today = occasion.conditions, occasion.now.date()
        body = {
            "type": task.type,
            "activity": flat(task.activity),
            "errands": [{"what": flat(e.what), "place": flat(e.place)} for e in task.errands],
            "place": flat(task.place),
            "when": f"{task.day:%A %Y-%m-%d} {task.start}".rstrip(),
            "today": f"{today:%A %Y-%m-%d}",
            "tomorrow": f"{today + timedelta(days=1):%A %Y-%m-%d}",
            "performer": flat(performer.name),
            "other": flat(other.name),
            "where": f"at {flat(occasion.here)}" if occasion.here else "outdoors",
            "now": now_line(occasion.now),
            "performer_home": flat(performer.living_area),
            "other_home": flat(other.living_area),
            "statements": [flat(condition.text) for condition in conditions],
            "title": f"The {what}",
            "lines": [": ".join(filter(None, (line.speaker, *line.texts))) for line in lines],
        }
        return await reader.ask(
            what,
            self._texts[f"judge_{what}"].render({"rules": self._texts["judge_rules"].render({})}),
            self._texts["judge_body"].render(body),
            reply_type(len(conditions)),
            lambda reply: _findings_in(reply, conditions, lines),
        )


def _findings_in(
    reply: BaseModel, conditions: Sequence[GoalCondition], lines: Sequence[SpokenLine]
) -> tuple[ConditionFinding, ...]:
    """A reply as findings, with quotes as in the text; ReplyError for a quote that is not in it."""
    findings, problems = list[ConditionFinding](), list[str]()
    for condition, (field, mark) in zip(conditions, reply, strict=True):
        words = next(iter(lines_with(mark.quote, lines).values()), "") if mark.met else ""
        findings.append(ConditionFinding(condition, mark.met, words))
        if mark.met and not words:
            problems.append(
                f"{field}: expected as quote {QUOTE_RULE} of one line, word for word, found "
                f'"{mark.quote[:_LONGEST_SHOWN]}"'
            )
    if problems:
        raise ReplyError("; ".join(problems))
    return tuple(findings)


# ------------------------------------------------------------------ labelled conversations


MET, NOT_MET = "met", "not met"


class _Who(BaseModel):
    id: str


class LabelledTalk(BaseModel):
    """A labelled conversation, the other's note of it, or both; one line of a validation set.

    `lines` pair P (the performer) or O (the other) with a text; the labels are by the ids of the
    task's conditions. The two are residents of Alderbrook.
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
        """The conversation task, without what a labelled conversation does not tell."""
        people = {resident.id: resident for resident in own_residents()}
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

    @property
    def utterances(self) -> tuple[Utterance, ...]:
        scenario = self.scenario
        speakers = {"P": scenario.performer.resident, "O": scenario.other.resident}
        return tuple(Utterance(speakers[s].id, speakers[s].name, text) for s, text in self.lines)


def read_labelled(row: Json, id: str) -> Labelled:
    """A row of a validation set, as an item to test a judge with."""
    read = LabelledTalk.model_validate(row)
    id, scenario = read.id or id, read.scenario
    occasion, lines = scenario.occasion, read.utterances
    levels = [
        (level, _labelled_findings(scenario, labels))
        for level, text, labels in (
            ("", lines, read.labels),
            (" (note)", read.note, read.note_labels),
        )
        if text
    ]
    if not levels:
        raise ValueError("expected lines with labels, or a note with note_labels")

    async def ask(model: ChatModel) -> tuple[PointAnswer, ...]:
        judge = TalkModelJudge(model)
        reader, answers = judge.reader(id), list[PointAnswer]()
        for level, labels in levels:
            findings = await (
                judge.in_note(reader, occasion, read.note)
                if level
                else judge.in_talk(reader, occasion, lines)
            )
            if isinstance(findings, MissingValue):
                answers += [PointAnswer(None, findings.problem)] * len(labels)
            else:
                answers += [PointAnswer(_label(finding), finding.quote) for finding in findings]
        return tuple(answers)

    return Labelled(
        id=id,
        kind=read.task.type,
        text=(
            *(f"{line.name}: {line.text}" for line in lines),
            *([f"Note: {read.note}"] if read.note else []),
        ),
        points=tuple(
            LabelledPoint(
                f"{label.condition.kind}{level}",
                f"{label.condition.id}{level}",
                (_label(label),),
                (NOT_MET,),
            )
            for level, labels in levels
            for label in labels
        ),
        ask=ask,
        episode=talk_episode(read, id),
        # The verdicts by the labels, if both levels are labelled.
        expected=(verdicts(levels[0][1], levels[1][1]),) if len(levels) == 2 else (),
    )


def _labelled_findings(
    scenario: TalkScenario, labels: dict[str, bool]
) -> tuple[ConditionFinding, ...]:
    conditions = scenario.occasion.conditions
    ids = [condition.id for condition in conditions]
    if set(ids) != labels.keys():
        raise ValueError(
            f"expected labels of {', '.join(ids)}, found {', '.join(labels) or 'none'}"
        )
    return tuple(ConditionFinding(condition, labels[condition.id]) for condition in conditions)


def _label(finding: ConditionFinding) -> str:
    return MET if finding.met else NOT_MET


def talk_episode(read: LabelledTalk, id: str) -> Episode:
    scenario, lines, note = read.scenario, read.utterances, read.note
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
