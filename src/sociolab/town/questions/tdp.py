"""What target-driven planning asks of the performer (TDP; STSS section 4 and appendix B)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic import Field

from sociolab.town.questions.base import MindAnswer, MindQuestion, Sentences, some_words
from sociolab.town.questions.wording import LONGEST_FIELD, dated, now_line, one_line, text_lines

_MOST_SENTENCES = 2
_SENTENCE_ENDS = re.compile(r"[.!?]\s+(?=[A-Z])")
"""Between two sentences: "at 5 p.m. in the park" is one."""


class Lines(MindAnswer):
    """TDP's general plan: 3 to 5 lines."""

    lines: tuple[Sentences, ...] = Field(min_length=3, max_length=5)


@dataclass(frozen=True, slots=True)
class GeneralPlan(MindQuestion[Lines]):
    """TDP, step 1: the task in a few subgoals or key points, 3 to 5 sentences."""

    name = "general_plan"
    answer_type = Lines
    exact = True

    goal: str

    def variables(self) -> dict[str, Any]:
        """See `MindQuestion`."""
        return {"now": now_line(self.me.now), "goal": one_line(self.goal, LONGEST_FIELD)}

    def coerced(self, answer: Lines) -> Lines:
        """With single spaces."""
        lines = tuple(some_words("a line", line) for line in answer.lines)
        return answer.model_copy(update={"lines": lines})


class Reminder(MindAnswer):
    """TDP's reminder for a day: 1 to 2 sentences."""

    text: Sentences


@dataclass(frozen=True, slots=True)
class DayReminder(MindQuestion[Reminder]):
    """TDP, step 2: what to keep in mind when planning this day, 1 to 2 sentences."""

    name = "day_reminder"
    answer_type = Reminder
    exact = True

    goal: str
    plan: tuple[str, ...]
    day: date

    def variables(self) -> dict[str, Any]:
        """See `MindQuestion`."""
        return {
            "now": now_line(self.me.now),
            "goal": one_line(self.goal, LONGEST_FIELD),
            "plan": text_lines(self.plan),
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
    """TDP's checklist for conversations: fewer than five items."""

    items: tuple[Sentences, ...] = Field(min_length=1, max_length=4)


@dataclass(frozen=True, slots=True)
class TalkReminder(MindQuestion[Items]):
    """TDP, step 3: what to keep in mind in conversations, whoever with, fewer than 5 items."""

    name = "talk_reminder"
    answer_type = Items
    exact = True

    goal: str
    plan: tuple[str, ...]

    def variables(self) -> dict[str, Any]:
        """See `MindQuestion`."""
        return {
            "now": now_line(self.me.now),
            "goal": one_line(self.goal, LONGEST_FIELD),
            "plan": text_lines(self.plan),
        }

    def coerced(self, answer: Items) -> Items:
        """With single spaces."""
        items = tuple(some_words("an item", item) for item in answer.items)
        return answer.model_copy(update={"items": items})
