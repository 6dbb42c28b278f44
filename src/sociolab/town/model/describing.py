"""Questions as the variables of their prompts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sociolab.town.map import OUTDOORS
from sociolab.town.model.wording import (
    LONGEST_FIELD,
    commitment_lines,
    dated,
    memory_lines,
    now_line,
    numbered,
    one_line,
    place_or,
    plan_lines,
    talk_lines,
    text_lines,
)
from sociolab.town.thoughts import (
    Block,
    ChoosePlace,
    DayReminder,
    Decompose,
    GeneralPlan,
    Me,
    Other,
    PlanDay,
    RateImportance,
    Reflect,
    Replan,
    Summarise,
    TalkOrNot,
    TalkReminder,
    Thought,
    Utter,
)

_GROUND = str(OUTDOORS)


def asking(question: Thought) -> dict[str, Any]:
    """The variables of the question's own prompt."""
    values = _of_its_kind(question)
    return values if isinstance(question, RateImportance) else _moment(question.me) | values


def _of_its_kind(question: Thought) -> dict[str, Any]:
    match question:
        case PlanDay():
            return _plan_day(question)
        case Decompose():
            return _decompose(question)
        case ChoosePlace():
            return {"what": one_line(question.what)}
        case RateImportance():
            return {"texts": numbered(question.texts), "count": len(question.texts)}
        case TalkOrNot():
            return _talk_or_not(question)
        case Utter():
            return _utter(question)
        case Summarise():
            return _summarise(question)
        case Replan():
            return _replan(question)
        case Reflect():
            return {"memories": memory_lines(question.memories)}
        case GeneralPlan():
            return _general_plan(question)
        case DayReminder():
            return _day_reminder(question)
        case TalkReminder():
            return _talk_reminder(question)


def _moment(me: Me) -> dict[str, Any]:
    return {"now": now_line(me.now)}


def _here(me: Me) -> str:
    """What one is doing, as others see it, and where."""
    doing = one_line(me.doing)
    where = f"at {one_line(me.place)}" if me.place else "outdoors"
    if doing.startswith("on the way to"):
        return f"{doing}, now {where}"
    return f"{doing}, {where}" if doing else where


def _named(other: Other) -> str:
    return f"{one_line(other.name)} ({one_line(other.tie)})" if other.tie else one_line(other.name)


def _first_name(other: Other) -> str:
    return one_line((other.name.split() or [other.id])[0])


def _doing(other: Other) -> str:
    return one_line(other.doing) or "doing nothing in particular"


def _where(block: Block) -> str:
    return "outdoors" if block.place == _GROUND else place_or(block.place)


def _plan_day(question: PlanDay) -> dict[str, Any]:
    return {
        "day": dated(question.day),
        "memories": memory_lines(question.memories),
        "commitments": commitment_lines(question.me, question.commitments),
        "reminder": one_line(question.reminder, LONGEST_FIELD),
    }


def _decompose(question: Decompose) -> dict[str, Any]:
    block = question.block
    return {
        "start": f"{block.start:%H:%M}",
        "end": f"{block.end:%H:%M}",
        "minutes": round((block.end - block.start) / timedelta(minutes=1)),
        "what": one_line(block.what),
        "place": _where(block),
        "objects": ", ".join(one_line(name) for name in question.objects) or "none",
    }


def _talk_or_not(question: TalkOrNot) -> dict[str, Any]:
    last = question.last_talk
    return {
        "until": f"{question.block.end:%H:%M}",
        "what": one_line(question.block.what),
        "place": _where(question.block),
        "here": _here(question.me),
        "commitments": commitment_lines(question.me, question.commitments),
        "memories": memory_lines(question.memories),
        "other": _named(question.other),
        "doing": _doing(question.other),
        "last_talk": f"You two last talked on {last:%Y-%m-%d at %H:%M}."
        if last
        else "You two have not talked in these days.",
    }


def _utter(question: Utter) -> dict[str, Any]:
    me = question.me
    first = _first_name(question.other)
    return {
        "other": _named(question.other),
        "other_first": first,
        "here": _here(me),
        "doing": _doing(question.other),
        "begun": "You began it." if question.started else f"{first} began it.",
        "memories": memory_lines(question.memories),
        "commitments": commitment_lines(me, question.commitments),
        "ahead": plan_lines(question.ahead),
        "reminder": text_lines(question.reminder.splitlines()),
        "lines": talk_lines(me, question.lines),
        "left": "These are your last words in this talk, so say goodbye."
        if question.left <= 1
        else f"You can speak {question.left} more times, this time included.",
    }


def _summarise(question: Summarise) -> dict[str, Any]:
    me = question.me
    today = me.now.date()
    return {
        "other": _named(question.other),
        "other_first": _first_name(question.other),
        "lines": talk_lines(me, question.lines),
        "commitments": commitment_lines(me, question.commitments),
        "ahead": plan_lines(question.ahead),
        "dates": f"Tomorrow is {dated(today + timedelta(days=1))}.",
    }


def _replan(question: Replan) -> dict[str, Any]:
    return {
        "why": one_line(question.why, LONGEST_FIELD),
        "ahead": plan_lines(question.ahead),
        "commitments": commitment_lines(question.me, question.commitments),
        "reminder": one_line(question.reminder, LONGEST_FIELD),
        "bed": f"{question.bedtime:%H:%M}",
    }


def _general_plan(question: GeneralPlan) -> dict[str, Any]:
    return {
        "goal": one_line(question.goal, LONGEST_FIELD),
        "days": ", ".join(dated(day) for day in question.days),
    }


def _day_reminder(question: DayReminder) -> dict[str, Any]:
    return {
        "goal": one_line(question.goal, LONGEST_FIELD),
        "plan": text_lines(question.plan),
        "memories": memory_lines(question.memories),
        "commitments": commitment_lines(question.me, question.commitments),
        "day": dated(question.day),
    }


def _talk_reminder(question: TalkReminder) -> dict[str, Any]:
    return {
        "goal": one_line(question.goal, LONGEST_FIELD),
        "plan": text_lines(question.plan),
        "memories": memory_lines(question.memories),
        "commitments": commitment_lines(question.me, question.commitments),
        "other": _named(question.other),
        "other_first": _first_name(question.other),
        "doing": _doing(question.other),
    }
