"""Talks held in a test, with minds that say what they are told to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from casts import seated
from sociolab.core import Episode, Player, ReplyError, Task, Trial
from sociolab.engine import FailurePolicy
from sociolab.testing import drive_recorded
from sociolab.town import (
    GeneralPlan,
    Items,
    Lines,
    Mind,
    MindName,
    MindPlayer,
    Said,
    ScriptedMind,
    SpeechAct,
    Summarise,
    Summary,
    TalkReminder,
    Utter,
)
from sociolab.worlds import stss

TRIAL = "trial"
POLICY = FailurePolicy()


def held(
    scenario: stss.TalkScenario,
    performer: Mind,
    other: Mind,
    *,
    tdp: bool = False,
    rounds: int = 8,
    policy: FailurePolicy = POLICY,
    seed: int = 0,
    mind: MindName = "lean",
) -> Episode:
    """The talk as an episode."""
    seats = seats_of(scenario)
    settings = stss.TalkSettings(mind=mind, tdp=tdp, rounds=rounds)
    minds = (performer, other)
    made = [MindPlayer(mind, built_in=isinstance(mind, ScriptedMind)) for mind in minds]
    players: dict[str, Player] = dict(zip(seats, made, strict=True))
    events = drive_recorded(stss.play_talk(scenario, settings, policy, TRIAL, seed), players)
    task = Task(scenario.id, seats, scenario.task.id, scenario.model_dump_json())
    cast = tuple(seated(seat, "tested") for seat in seats)
    return Episode(Trial(TRIAL, "stss-talk", task, cast, 0, seed), events)


def told(scenario: stss.TalkScenario, performer: Mind, other: Mind, **how: Any) -> stss.HeldTalk:
    """What was said."""
    return stss.read_talk(scenario, held(scenario, performer, other, **how))


def seats_of(scenario: stss.TalkScenario) -> tuple[str, str]:
    return scenario.performer.resident.id, scenario.other.resident.id


class Says(ScriptedMind):
    """Says these things one after the other, a "!" at the end being a goodbye; None is a failure.

    What comes after the last of them is the last again. `meant` are the acts of these lines, `kept`
    those of the note; without them it speaks as anybody does who is not built-in.
    """

    def __init__(
        self,
        *texts: str | None,
        memo: str | None = "We talked.",
        meant: Sequence[SpeechAct] = (),
        kept: Sequence[SpeechAct] = (),
    ) -> None:
        self.texts = texts
        self.memo = memo
        self.meant = meant
        self.kept = kept
        self.asked: list[Utter | Summarise | GeneralPlan | TalkReminder] = []

    async def utter(self, question: Utter) -> Said:
        self.asked.append(question)
        mine = sum(line.who == question.me.resident.id for line in question.lines)
        text = self.texts[min(mine, len(self.texts) - 1)]
        if text is None:
            raise ReplyError("lost for words", raw="...")
        return Said(text=text, ends=text.endswith("!"), acts=tuple(self.meant[mine : mine + 1]))

    async def summarise(self, question: Summarise) -> Summary:
        self.asked.append(question)
        if self.memo is None:
            raise ReplyError("forgot it all", raw="...")
        return Summary(memo=self.memo, importance=3, acts=tuple(self.kept))

    async def general_plan(self, question: GeneralPlan) -> Lines:
        self.asked.append(question)
        return await super().general_plan(question)

    async def talk_reminder(self, question: TalkReminder) -> Items:
        self.asked.append(question)
        return await super().talk_reminder(question)


class Unreminded(ScriptedMind):
    """As the scripted mind, but it has no reminder to give."""

    async def talk_reminder(self, question: TalkReminder) -> Items:
        raise ReplyError("no reminder", raw="...")
