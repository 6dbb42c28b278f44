"""What a resident is asked, and what it may answer.

A question is declared once, in a module of this package: what it shows, the form of its answer, how
the answer is checked and put right, and the variables of its prompt, which is the file
`prompts/SET/NAME.md`. To add one, write both, put it into `QUESTIONS`, and give the scripted mind a
method of that name. Those of the mind of Generative Agents stand in `questions.generative`. Any
mind answers it by such a method, or by `answer` (see `sociolab.town.mind`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from sociolab.town.questions.base import (
    Acted,
    Block,
    Chore,
    Heard,
    Matter,
    Me,
    Memory,
    MindAnswer,
    MindQuestion,
    Other,
    QuestionMeta,
    Recall,
    SpeechAct,
    UnfitError,
    Utterance,
)
from sociolab.town.questions.conversation import (
    MOST_ROUNDS,
    Decision,
    Memo,
    Said,
    Summarise,
    Summary,
    TalkOrNot,
    Utter,
)
from sociolab.town.questions.day import (
    MOST_PLACES,
    Choice,
    ChoosePlace,
    DayPlan,
    DayReminder,
    Decompose,
    Entry,
    GeneralPlan,
    Insight,
    Insights,
    Items,
    Lines,
    NewPlan,
    Part,
    Parts,
    PlanDay,
    RateImportance,
    Ratings,
    Reflect,
    Reminder,
    Replan,
    ScheduleEntry,
    TalkReminder,
)
from sociolab.town.questions.generative import GENERATIVE

QUESTIONS: tuple[type[MindQuestion[Any]], ...] = (
    PlanDay,
    Decompose,
    ChoosePlace,
    RateImportance,
    TalkOrNot,
    Utter,
    Summarise,
    Replan,
    Reflect,
    GeneralPlan,
    DayReminder,
    TalkReminder,
)
"""The questions of the lean mind, in the order in which their prompts are hashed."""

MindName: TypeAlias = Literal["lean", "generative-agents"]

QUESTIONS_OF: Mapping[MindName, tuple[type[MindQuestion[Any]], ...]] = {
    "lean": QUESTIONS,
    "generative-agents": (
        Summarise,
        GeneralPlan,
        DayReminder,
        TalkReminder,
        *GENERATIVE,
    ),
}
"""The questions of each mind; the first four of the second are also the first mind's."""

__all__ = [
    "GENERATIVE",
    "MOST_PLACES",
    "MOST_ROUNDS",
    "QUESTIONS",
    "QUESTIONS_OF",
    "Acted",
    "Block",
    "Choice",
    "ChoosePlace",
    "Chore",
    "DayPlan",
    "DayReminder",
    "Decision",
    "Decompose",
    "Entry",
    "GeneralPlan",
    "Heard",
    "Insight",
    "Insights",
    "Items",
    "Lines",
    "Matter",
    "Me",
    "Memo",
    "Memory",
    "MindAnswer",
    "MindName",
    "MindQuestion",
    "NewPlan",
    "Other",
    "Part",
    "Parts",
    "PlanDay",
    "QuestionMeta",
    "RateImportance",
    "Ratings",
    "Recall",
    "Reflect",
    "Reminder",
    "Replan",
    "Said",
    "ScheduleEntry",
    "SpeechAct",
    "Summarise",
    "Summary",
    "TalkOrNot",
    "TalkReminder",
    "UnfitError",
    "Utter",
    "Utterance",
]
