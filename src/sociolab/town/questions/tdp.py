"""What target-driven planning asks of the performer (TDP; STSS section 4 and appendix B)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic import Field

from sociolab.town.questions.base import (
    Commitment,
    Memory,
    MindAnswer,
    MindQuestion,
    Other,
    Sentences,
    some_words,
)
from sociolab.town.questions.wording import (
    LONGEST_FIELD,
    commitment_lines,
    dated,
    doing_of,
    first_name,
    memory_lines,
    named,
    now_line,
    one_line,
    text_lines,
)

_MOST_SENTENCES = 2
_SENTENCE_ENDS = re.compile(r"[.!?]\s+(?=[A-Z])")
"""Between two sentences: "at 5 p.m. in the park" is one."""


class Lines(MindAnswer):
    """TDP's general plan: 3 to 5 lines."""

    lines: tuple[Sentences, ...] = Field(min_length=3, max_length=5)


@dataclass(frozen=True, slots=True)
class GeneralPlan(MindQuestion[Lines]):
    """TDP: how to go about the social task, in 3 to 5 lines (STSS appendix B).

    `days` are the dates that are lived, the event on the last of them unless the goal says so.
    """

    name = "general_plan"
    answer_type = Lines
    exact = True

    goal: str
    days: tuple[date, ...]

    def variables(self) -> dict[str, Any]:
        """See `MindQuestion`."""
        return {
            "now": now_line(self.me.now),
            "goal": one_line(self.goal, LONGEST_FIELD),
            "days": ", ".join(dated(day) for day in self.days),
        }

    def coerced(self, answer: Lines) -> Lines:
        """With single spaces."""
        lines = tuple(some_words("a line", line) for line in answer.lines)
        return answer.model_copy(update={"lines": lines})


class Reminder(MindAnswer):
    """TDP's reminder for a day: 1 to 2 sentences."""

    text: Sentences


@dataclass(frozen=True, slots=True)
class DayReminder(MindQuestion[Reminder]):
    """TDP: what to keep in mind on this day, in 1 to 2 sentences (STSS appendix B)."""

    name = "day_reminder"
    answer_type = Reminder
    exact = True

    goal: str
    plan: tuple[str, ...]
    day: date
    memories: tuple[Memory, ...] = ()
    commitments: tuple[Commitment, ...] = ()

    def variables(self) -> dict[str, Any]:
        """See `MindQuestion`."""
        return {
            "now": now_line(self.me.now),
            "goal": one_line(self.goal, LONGEST_FIELD),
            "plan": text_lines(self.plan),
            "memories": memory_lines(self.memories),
            "commitments": commitment_lines(self.me, self.commitments),
            "day": dated(self.day),
        }

    def problem_with(self, answer: Reminder) -> str:
        """STSS appendix B: a day's reminder has 1 to 2 sentences."""
        found = len(_SENTENCE_ENDS.findall(answer.text)) + 1
        return "" if found <= _MOST_SENTENCES else f"expected 1 to 2 sentences, found {found}"

    def coerced(self, answer: Reminder) -> Reminder:
        """With single spaces."""
        return answer.model_copy(update={"text": some_words("text", answer.text)})


class Items(MindAnswer):
    """TDP's items for a talk: fewer than five."""

    items: tuple[Sentences, ...] = Field(min_length=1, max_length=4)


@dataclass(frozen=True, slots=True)
class TalkReminder(MindQuestion[Items]):
    """TDP: what to bring up in this talk, fewer than 5 items (STSS appendix B)."""

    name = "talk_reminder"
    answer_type = Items
    exact = True

    goal: str
    plan: tuple[str, ...]
    other: Other
    memories: tuple[Memory, ...]
    commitments: tuple[Commitment, ...] = ()

    def variables(self) -> dict[str, Any]:
        """See `MindQuestion`."""
        return {
            "now": now_line(self.me.now),
            "goal": one_line(self.goal, LONGEST_FIELD),
            "plan": text_lines(self.plan),
            "memories": memory_lines(self.memories),
            "commitments": commitment_lines(self.me, self.commitments),
            "other": named(self.other),
            "other_first": first_name(self.other),
            "doing": doing_of(self.other),
        }

    def coerced(self, answer: Items) -> Items:
        """With single spaces."""
        items = tuple(some_words("an item", item) for item in answer.items)
        return answer.model_copy(update={"items": items})
