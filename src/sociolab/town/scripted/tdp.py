"""Target-driven planning by rules (STSS appendix B): general plan, day reminder, talk reminder."""

from __future__ import annotations

from datetime import date

from sociolab.town.scripted.business import (
    SETTLED,
    concerns,
    own_place,
    own_time,
    talks,
)
from sociolab.town.scripted.free_time import meeting_points
from sociolab.town.scripted.phrases import a, at_place, at_time, errands, is_verbal, purpose
from sociolab.town.scripted.task_reading import Task, read_task
from sociolab.town.scripted.understanding import Heard, read
from sociolab.town.scripted.verbs import plain
from sociolab.town.scripted.when import clock_of, minutes_of
from sociolab.town.thoughts import (
    DayReminder,
    GeneralPlan,
    Items,
    Lines,
    Me,
    Reminder,
    TalkReminder,
)

_EARLY = 15
"""Minutes before the event at which a host should be there."""


def general_plan(question: GeneralPlan) -> Lines:
    """Whom to seek and where, what to tell them, and where to be on the day: 3 to 5 lines."""
    me = question.me
    task = read_task(question.goal, me.now.date(), me.places)
    if task is None:
        return Lines(
            lines=(
                f"Keep the goal in mind: {question.goal}"[:400],
                "Spend time where people are and tell them about it.",
                "Ask each of them for a clear answer.",
            )
        )
    points = _list(meeting_points(me.places)[:3])
    return Lines(
        lines=(
            f"Seek out {_whom(task)} at {points}." if points else f"Seek out {_whom(task)}.",
            f"Tell them what it is about: {_subject(task)}.",
            f"Tell them when and where: {_when_and_where(task, me, question.asked.seed)}.",
            "Ask each of them for a clear answer.",
            _last_line(task, me, question.asked.seed),
        )
    )


def _whom(task: Task) -> str:
    if task.kind == "appointment" and task.partner:
        return task.partner
    return "one person who can help" if task.kind == "help" else "as many people as possible"


def _subject(task: Task) -> str:
    return errands(task.chores) if task.kind == "help" else task.activity


def _when_and_where(task: Task, me: Me, seed: int) -> str:
    start, place = _start(task, me, seed), _place(task, me, seed)
    return f"{_date(task.day)}{at_time(start)}{at_place(place)}"


def _start(task: Task, me: Me, seed: int) -> str:
    """The task's time, that already agreed, or one of one's own choice; "" for errands."""
    if task.kind == "help":
        return ""
    settled = _settled(task, me)
    agreed = settled.start if settled is not None else ""
    return task.start or agreed or own_time(me, task, (), seed, "")


def _place(task: Task, me: Me, seed: int) -> str:
    if task.kind == "appointment":
        return own_place(me, task, seed)
    return "" if task.kind in ("help", "online") else task.place


def _date(day: date) -> str:
    return f"{day:%A} {day.day} {day:%B %Y}"


def _last_line(task: Task, me: Me, seed: int) -> str:
    if task.kind == "help":
        return f"On {_date(task.day)}, ask again whoever might still help."
    start = _start(task, me, seed)
    early = clock_of(minutes_of(start) - _EARLY)
    where = at_place(_place(task, me, seed)) or " at home"
    return f"On {_date(task.day)}, be{where} from {early}."


def day_reminder(question: DayReminder) -> Reminder:
    """Where to seek people today, and on the event's day where to be when: 1 to 2 sentences.

    What is settled, as memories of talks tell, is kept instead of sought.
    """
    me, day = question.me, question.day
    task = read_task(question.goal, me.now.date(), me.places)
    if task is None or day > task.day:
        return Reminder(text="Keep the goal in mind and speak of it to whomever you meet.")
    settled = _settled(task, me)
    event = _event(task, settled, question) if day == task.day else ""
    if settled is not None and task.kind in ("appointment", "help"):
        return Reminder(text=event[:600] or "What you need is settled; live your day as usual.")
    points = _list(meeting_points(me.places)[:4])
    where = f"go to {points}" if points else "go where people are"
    return Reminder(text=f"Today, {where} and {_call(task)}. {event}".strip()[:600])


def _settled(task: Task, me: Me) -> Heard | None:
    """The newest talk in which somebody agreed to the task, read; None if nobody has yet."""
    mark = plain(task.chores[0].what if task.chores else task.activity)
    agreed = (one.text for one in talks(me) if SETTLED in one.text and mark in plain(one.text))
    texts = tuple(agreed)
    return read(texts[-1], me.now, me.places) if texts else None


def _event(task: Task, settled: Heard | None, question: DayReminder) -> str:
    """The sentence that says where to be from when, as far as that is known; or ""."""
    me = question.me
    start = task.start or (settled.start if settled else "")
    if task.kind == "companions" and not start:
        start = own_time(me, task, (), question.asked.seed, "")
    if task.kind == "help" or not start:
        return ""
    early = clock_of(minutes_of(start) - _EARLY)
    place = task.place or (settled.place if settled else "")
    return f"Be there{at_place(place)} from {early} and {_act(task)}."


def _act(task: Task) -> str:
    if task.kind == "appointment":
        return f"meet {task.partner} {purpose(task.activity)}"
    return task.activity if is_verbal(task.activity) else f"hold the {task.activity}"


def _call(task: Task) -> str:
    match task.kind:
        case "help":
            return "ask people to help you"
        case "appointment":
            return f"find {task.partner} to settle when and where to meet"
        case _:
            what = task.activity if is_verbal(task.activity) else a(task.activity)
            return f"invite people to {what}"


def _list(points: tuple[str, ...]) -> str:
    return " and ".join(filter(None, (", ".join(points[:-1]), points[-1]))) if points else ""


def talk_reminder(question: TalkReminder) -> Items:
    """What to bring up with this person: at most four items, from the goal's own facts."""
    me, other = question.me, question.other
    task = read_task(question.goal, me.now.date(), me.places)
    if task is None:
        return Items(items=("tell them about your goal", "ask whether they will take part"))
    if not concerns(task, other):
        return Items(items=("be friendly and brief",))
    if any(
        plain(other.name) in plain(one.text) and SETTLED in one.text
        and plain(task.activity) in plain(one.text)
        for one in talks(me)
    ):  # fmt: skip
        return Items(items=("thank them and be brief",))
    seed = question.asked.seed
    if task.kind == "help":
        return Items(items=_help_items(task))
    start, place = _start(task, me, seed), _place(task, me, seed)
    when = f"{_date(task.day)}{at_time(start, task.minutes if task.start else 0)}"
    return Items(
        items=(
            f"name the activity: {_named(task)}",
            f"say the place: {place}" if place else "say that everyone joins from home",
            f"say the time: {when}",
            "ask whether that suits them" if task.kind == "appointment"
            else "ask whether they will come",
        )
    )  # fmt: skip


def _named(task: Task) -> str:
    if task.kind == "appointment":
        return f"meeting {purpose(task.activity)}"
    return task.activity if is_verbal(task.activity) else f"the {task.activity}"


def _help_items(task: Task) -> tuple[str, ...]:
    what = ", then ".join(chore.what for chore in task.chores)
    where = _list(tuple(chore.place for chore in task.chores if chore.place))
    return (
        f"name the favour: {what}",
        *((f"say the places: {where}",) if where else ()),
        f"say the day: {_date(task.day)}",
        "ask whether they will do it",
    )
