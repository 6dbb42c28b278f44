"""What a resident is asked about conversations: whether to begin one, what to say, what to keep."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import StringConstraints

from sociolab.town.questions.base import (
    LONGEST_FIELD,
    Acted,
    Block,
    Importance,
    Memory,
    MindAnswer,
    MindQuestion,
    Other,
    Sentences,
    Speech,
    Utterance,
    describe_situation,
    first_name,
    format_block_place,
    one_line,
    visible_activity,
)

MOST_ROUNDS = 8
"""Rounds in a talk, a round being one utterance by each (STSS appendix A.2)."""


class Decision(MindAnswer):
    """What to do about somebody who is near; to wait, until they are done with a thing, only where
    `React` offers it.

    >>> from sociolab.town import Decision
    >>> Decision(do="carry on", why="I would rather be alone.").do
    'carry on'
    """

    do: Literal["talk", "wait", "change plan", "carry on"]
    why: Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000)] = ""


@dataclass(frozen=True, slots=True)
class TalkOrNot(MindQuestion[Decision]):
    """Somebody is near: talk to them, change the plan because of them, or carry on.

    `block` is the planned activity; `last_talk` when the two last talked, if ever.

    >>> from sociolab.testing import stock_questions
    >>> from sociolab.town import TalkOrNot
    >>> question = next(q for q in stock_questions() if isinstance(q, TalkOrNot))
    >>> question.other.name, question.answer_type.__name__
    ('Ben Ashdown', 'Decision')
    """

    name = "talk_or_not"
    answer_type = Decision
    more = "doing here place until"

    other: Other
    block: Block
    memories: tuple[Memory, ...]
    last_talk: datetime | None = None

    def extra_variables(self) -> dict[str, Any]:
        return {
            "until": f"{self.block.end:%H:%M}",
            "place": format_block_place(self.block),
            "here": describe_situation(self.me),
            "doing": visible_activity(self.other),
            "last_talk": format_last_talk(self.last_talk),
        }

    def schema_options(self) -> dict[str, Any]:
        return {"do": {"enum": ["talk", "change plan", "carry on"]}}

    def problem_with(self, answer: Decision) -> str:
        if answer.do != "wait":
            return ""
        return 'expected "talk", "change plan" or "carry on", found "wait"'


def format_last_talk(last: datetime | None) -> str:
    """When the two last talked during the simulation; "" if they have not."""
    return "" if last is None else f"You two last talked on {last:%Y-%m-%d at %H:%M}."


class Said(Acted):
    """What is said, and whether it ends the talk."""

    text: Speech
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Utter(MindQuestion[Said]):
    """Say the next thing in a talk. `lines` is the talk so far; `started` if this resident began
    it.

    `why` is the reason for which it wished to begin one, whoever then did; "" without one. `left`
    counts its remaining utterances, this one included; `closing` if the other has ended the talk,
    so that this is the last word of it. `ahead` is the rest of the day's plan. `plan` and
    `checklist` are TDP's general plan and checklist for conversations, and `goal` is that of the
    task, if there are any. `last_talk` is when the two last talked, None if that is not known.
    """

    name = "utter"
    answer_type = Said
    more = "begun doing here other_first other_name plain"

    other: Other
    started: bool
    lines: tuple[Utterance, ...]
    left: int
    memories: tuple[Memory, ...]
    ahead: tuple[Block, ...]
    plan: tuple[str, ...] = ()
    checklist: tuple[str, ...] = ()
    closing: bool = False
    why: str = ""
    goal: str = ""
    last_talk: datetime | None = None

    def extra_variables(self) -> dict[str, Any]:
        first = first_name(self.other)
        opening = "You began it." if self.started else f"{first} began it."
        if self.why:
            opening = "You began it" if self.started else f"{first} began it, as you were about to"
            opening = f'{opening}. Your reason was: "{one_line(self.why, LONGEST_FIELD)}"'
        if self.closing:
            turns_left = (
                f"{first} has ended the conversation with these words. You can answer once more, "
                "and have the last word."
            )
        elif self.left <= 1:
            turns_left = "You speak for the last time in this conversation."
        else:
            turns_left = (
                f"You can still speak {self.left} times in this conversation, counting what you "
                "say now."
            )
        return {
            "other_first": first,
            "other_name": one_line(self.other.name),
            "last_talk": format_last_talk(self.last_talk),
            "here": describe_situation(self.me),
            "doing": visible_activity(self.other),
            "begun": opening,
            "left": turns_left,
        }


class Memo(Acted):
    """What was talked about; `acts` are those of the conversation as they are remembered."""

    memo: Sentences


class Summary(Memo):
    """What a resident keeps of a talk, and whether its plan for the rest of the day must change."""

    importance: Importance
    changes_plan: bool = False


@dataclass(frozen=True, slots=True)
class Summarise(MindQuestion[Summary]):
    """A talk is over: what to remember of it, and whether the plan must change."""

    name = "summarise"
    answer_type = Summary
    more = "other_first plain"

    other: Other
    lines: tuple[Utterance, ...]
    ahead: tuple[Block, ...]

    def extra_variables(self) -> dict[str, Any]:
        return {"other_first": first_name(self.other)}
