"""What is asked of a resident in a conversation: to begin one, what to say, what to keep of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from sociolab.town.clock import TimeOfDay
from sociolab.town.questions.base import (
    Acted,
    Block,
    Commitment,
    Day,
    Importance,
    Memory,
    MindAnswer,
    MindQuestion,
    Name,
    Other,
    Sentences,
    Speech,
    UnfitError,
    Utterance,
    Words,
    meant_place,
    some_words,
    unknown_place,
)
from sociolab.town.questions.day import place_options
from sociolab.town.questions.wording import (
    commitment_lines,
    dated,
    doing_of,
    first_name,
    here,
    memory_lines,
    named,
    now_line,
    one_line,
    plan_lines,
    talk_lines,
    text_lines,
    where,
)

MOST_ROUNDS = 8
"""Rounds in a talk, a round being one utterance by each (STSS appendix A.2)."""

_DAYS = 14
"""Dates that a schema offers for what is agreed, from this week's Monday on."""


class Decision(MindAnswer):
    """What to do about somebody who is near."""

    do: Literal["talk", "change plan", "carry on"]
    why: Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000)] = ""


@dataclass(frozen=True, slots=True)
class TalkOrNot(MindQuestion[Decision]):
    """Somebody is near: talk to them, change one's plan for what they do, or carry on.

    `block` is what one is doing, by plan; `last_talk` when the two last talked, if ever.
    """

    name = "talk_or_not"
    answer_type = Decision

    other: Other
    block: Block
    memories: tuple[Memory, ...]
    commitments: tuple[Commitment, ...]
    last_talk: datetime | None = None

    def variables(self) -> dict[str, Any]:
        """See `MindQuestion`."""
        last = self.last_talk
        return {
            "now": now_line(self.me.now),
            "until": f"{self.block.end:%H:%M}",
            "what": one_line(self.block.what),
            "place": where(self.block),
            "here": here(self.me),
            "commitments": commitment_lines(self.me, self.commitments),
            "memories": memory_lines(self.memories),
            "other": named(self.other),
            "doing": doing_of(self.other),
            "last_talk": f"You two last talked on {last:%Y-%m-%d at %H:%M}."
            if last
            else "You two have not talked in these days.",
        }


class Said(Acted):
    """What is said, and whether it ends the talk."""

    text: Speech
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Utter(MindQuestion[Said]):
    """Say the next thing in a talk. `lines` is the talk so far; `started` if one began it.

    `left` counts one's utterances left, this one included. `ahead` is the rest of the day's plan.
    `reminder` holds TDP's items for this talk, one a line, "" without them.
    """

    name = "utter"
    answer_type = Said

    other: Other
    started: bool
    lines: tuple[Utterance, ...]
    left: int
    memories: tuple[Memory, ...]
    commitments: tuple[Commitment, ...]
    ahead: tuple[Block, ...]
    reminder: str = ""

    def variables(self) -> dict[str, Any]:
        """See `MindQuestion`."""
        me, first = self.me, first_name(self.other)
        return {
            "now": now_line(me.now),
            "other": named(self.other),
            "other_first": first,
            "here": here(me),
            "doing": doing_of(self.other),
            "begun": "You began it." if self.started else f"{first} began it.",
            "memories": memory_lines(self.memories),
            "commitments": commitment_lines(me, self.commitments),
            "ahead": plan_lines(self.ahead),
            "reminder": text_lines(self.reminder.splitlines()),
            "lines": talk_lines(me, self.lines),
            "left": "These are your last words in this talk, so say goodbye."
            if self.left <= 1
            else f"You can speak {self.left} more times, this time included.",
        }

    def coerced(self, answer: Said) -> Said:
        """With single spaces."""
        return answer.model_copy(update={"text": some_words("text", answer.text)})


class Agreed(MindAnswer):
    """Something agreed or promised in a talk; "" for what was left open.

    `place` is one that the resident knows; whoever has been told of a place knows it.
    """

    what: Words
    day: Day
    start: Literal[""] | TimeOfDay = ""
    minutes: int = Field(default=60, ge=1, le=24 * 60)
    place: Name = ""


class Summary(Acted):
    """What a resident keeps of a talk; `acts` are those of the talk as it remembers them."""

    memo: Sentences
    importance: Importance
    agreed: tuple[Agreed, ...] = Field(default=(), max_length=20)
    changes_plan: bool = False


@dataclass(frozen=True, slots=True)
class Summarise(MindQuestion[Summary]):
    """A talk is over: what to remember of it, what was agreed, whether the plan must change."""

    name = "summarise"
    answer_type = Summary

    other: Other
    lines: tuple[Utterance, ...]
    commitments: tuple[Commitment, ...]
    ahead: tuple[Block, ...]

    def variables(self) -> dict[str, Any]:
        """See `MindQuestion`."""
        me = self.me
        return {
            "now": now_line(me.now),
            "other": named(self.other),
            "other_first": first_name(self.other),
            "lines": talk_lines(me, self.lines),
            "commitments": commitment_lines(me, self.commitments),
            "ahead": plan_lines(self.ahead),
            "dates": f"Tomorrow is {dated(me.now.date() + timedelta(days=1))}.",
        }

    def schema_options(self) -> dict[str, Any]:
        """Dates that are near, and known places; what is agreed may leave the place open."""
        today = self.me.now.date()
        monday = today - timedelta(days=today.weekday())
        dates = [(monday + timedelta(days=day)).isoformat() for day in range(_DAYS)]
        return {"day": {"enum": dates}} | place_options(self.me, "")

    def problem_with(self, answer: Summary) -> str:
        """Unknown places, and dates that do not exist."""
        for agreed in answer.agreed:
            problem = unknown_place(self.me, agreed.place) if agreed.place else ""
            if problem:
                return problem
        for agreed in answer.agreed:
            try:
                date.fromisoformat(agreed.day)
            except ValueError:
                return f'expected a date of the calendar, found "{agreed.day}"'
        return ""

    def coerced(self, answer: Summary) -> Summary:
        """Known places in what was agreed; nothing can be agreed for a day that is gone."""
        agreed = tuple(self._coerced(one) for one in answer.agreed)
        return answer.model_copy(update={"memo": some_words("memo", answer.memo), "agreed": agreed})

    def _coerced(self, one: Agreed) -> Agreed:
        today = self.me.now.date()
        try:
            day = date.fromisoformat(one.day)
        except ValueError:
            raise UnfitError(f'expected a date for what was agreed, found "{one.day}"') from None
        if day < today:
            raise UnfitError(f"expected a day from {today.isoformat()} on, found {one.day}")
        none = ', or "" for none of them'
        place = meant_place(one.place, self.me.places, none) if one.place.strip() else ""
        return one.model_copy(update={"what": some_words("what", one.what), "place": place})
