"""What one tells in a talk: one's task, news, and when and where if asked."""

from __future__ import annotations

from dataclasses import replace

from sociolab.town.scripted.appointments import is_over
from sociolab.town.scripted.business import News, concerns, noted_time, own_place, own_time
from sociolab.town.scripted.moment import Moment
from sociolab.town.scripted.phrases import a, at_place, at_time, errands, on_day
from sociolab.town.scripted.pitching import (
    Pitch,
    as_reminded,
    bids_remind,
    do_not_forget,
    vague,
    words_of,
)
from sociolab.town.scripted.task_reading import Task, task_of


def reminded_of(moment: Moment) -> str:
    """What a reminder bids one say at once: one's task, or that it is today."""
    question, task = moment.question, task_of(moment.question.me)
    if not question.reminder or task is None:
        return ""
    if moment.task is not None:
        return _pitch(moment, task)
    pitch = as_reminded(question.reminder, task, question.me)
    if not bids_remind(question.reminder) or _is_past(pitch, moment):
        return ""
    return do_not_forget(pitch, question.me.now.date())


def _is_past(pitch: Pitch, moment: Moment) -> bool:
    """Whether the reminder speaks of what is over by now."""
    now = moment.question.me.now
    return pitch.day is not None and is_over(pitch.day, pitch.start, pitch.minutes or 60, now)


def business(moment: Moment) -> tuple[str, bool] | None:
    """One's task, once in a talk; or news, if one feels like it."""
    table, me = moment.table, moment.question.me.resident.id
    if table is not None and table.by == me:
        return None
    if moment.task is not None:
        words = _pitch(moment, moment.task)
        return (words, False) if words and not moment.has_said(words) else None
    if moment.news is not None and table is None and moment.chance.random() < 0.6:
        return _news(moment.news), False
    return None


def _pitch(moment: Moment, task: Task) -> str:
    question = moment.question
    if question.reminder:
        pitch = as_reminded(question.reminder, task, question.me)
        return "" if _is_past(pitch, moment) else words_of(pitch, task)
    pitch = vague(task, moment.chance)
    if task.kind == "appointment" and moment.chance.random() < 0.3:
        start = own_time(
            question.me, task, question.commitments, question.asked.seed, question.other.id
        )
        place = own_place(question.me, task, question.asked.seed)
        pitch = replace(pitch, start=start, day=task.day, place=place)
    return words_of(pitch, task)


def _news(news: News) -> str:
    told = news.told
    details = f"{at_place(told.place)}{on_day(told.day)}{at_time(told.start)}"
    if news.host:
        source = f"{news.host} is holding"
    else:
        source = f"{news.teller} told me about" if news.teller else "There will be"
    return f"Have you heard? {source} {a(news.activity)}{details}. You should come."


def reply_to_asked(moment: Moment) -> tuple[str, bool] | None:
    """When and where, for the other who asks."""
    last, table, question = moment.last, moment.table, moment.question
    if last is None or not last.asks:
        return None
    details = details_of(moment)
    if table is None and task_of(question.me) is None:
        return None
    if table is not None and table.by != question.me.resident.id:
        return None
    if details is None:
        return "I do not know yet, I will tell you.", False
    when, where = details
    words = []
    if "when" in last.asks:
        words.append(f"It is{when}." if when else "Whenever it suits you.")
    if "where" in last.asks:
        words.append(f"{where}." if where else "We can settle that later.")
    if table is None or table.status == "accepted":
        return " ".join(words), False
    ask = "Will you do it?" if table.shape == "errand" else "Will you come?"
    return f"{' '.join(words)} {ask}", False


def details_of(moment: Moment) -> tuple[str, str] | None:
    """When and where what one has told of takes place: " on Tuesday", "It is on the terrace"."""
    task = task_of(moment.question.me)
    if task is not None and concerns(task, moment.question.other):
        return _task_details(task, moment)
    if moment.news is not None:
        told = moment.news.told
        where = f"It is{at_place(told.place)}" if told.place else ""
        return f"{on_day(told.day)}{at_time(told.start)}", where
    return None


def _task_details(task: Task, moment: Moment) -> tuple[str, str]:
    if task.kind == "help":
        chores = task.chores
        if not moment.question.reminder and moment.chance.random() < 0.5:
            # Unreminded, one does not think of where it all ends.
            chores = (*chores[:1], *(replace(one, place="") for one in chores[1:]))
        return f"{on_day(task.day)}, at any time", f"You would {errands(chores)}"
    question = moment.question
    start = task.start
    if not start and task.kind == "companions":
        # Unreminded, one says now this time and now that one until one is noted.
        start = noted_time(task, question.commitments) or own_time(
            question.me, task, question.commitments, question.asked.seed,
            "" if question.reminder else question.other.id,
        )  # fmt: skip
    vague = not question.reminder and moment.chance.random() < 0.35
    if vague and "what time" not in moment.words:
        start = ""  # the day alone comes to mind
    length = task.minutes if task.start else 0
    where = at_place(task.place) if task.kind != "online" else " online, wherever you are"
    return f"{on_day(task.day)}{at_time(start, length)}", f"It is{where}" if where else ""
