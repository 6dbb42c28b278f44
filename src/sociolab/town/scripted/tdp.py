"""Target-driven planning by rules (STSS appendix B): general plan, day reminder, talk reminder."""

from __future__ import annotations

from datetime import date

from sociolab.town.answers import Items, Lines, Reminder
from sociolab.town.scripted.business import concerns, own_place, own_time, time_to_come
from sociolab.town.scripted.free_time import meeting_points
from sociolab.town.scripted.phrases import a, at_place, at_time, errands, is_verbal, listed, purpose
from sociolab.town.scripted.settled import Answers, answers, is_about, talks
from sociolab.town.scripted.task_reading import Task, read_task
from sociolab.town.scripted.understanding import Heard, read
from sociolab.town.scripted.when import clock_of, minutes_of
from sociolab.town.scripted.where import town_of
from sociolab.town.thoughts import DayReminder, GeneralPlan, Me, TalkReminder

_EARLY = 15
"""Minutes before the event at which a host should be there."""


def general_plan(question: GeneralPlan) -> Lines:
    """Whom to seek and where, what to tell them, and where to be on the day: 3 to 5 lines."""
    me = question.me
    task = read_task(question.goal, me.now.date(), town_of(me))
    if task is None:
        return Lines(
            lines=(
                f"Keep the goal in mind: {question.goal}"[:400],
                "Spend time where people are and tell them about it.",
                "Ask each of them for a clear answer.",
            )
        )
    points = listed(meeting_points(me.places)[:4])
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
    start, place = _chosen(task, me, seed)
    return f"{_date(task.day)}{at_time(start)}{at_place(place)}"


def _chosen(task: Task, me: Me, seed: int) -> tuple[str, str]:
    """Time and place: the task's own, or of one's own choice where it leaves them open."""
    if task.kind == "help":
        return "", ""
    place = own_place(me, task, seed) if task.kind == "appointment" else task.place
    return task.start or own_time(me, task, (), seed, ""), place


def _date(day: date) -> str:
    return f"{day:%A} {day.day} {day:%B %Y}"


def _last_line(task: Task, me: Me, seed: int) -> str:
    if task.kind == "help":
        return f"On {_date(task.day)}, ask again whoever might still help."
    start, place = _chosen(task, me, seed)
    early = clock_of(minutes_of(start) - _EARLY)
    where = at_place(place) or " at home"
    return f"On {_date(task.day)}, be{where} from {early}."


def day_reminder(question: DayReminder) -> Reminder:
    """Where to seek people today, and on the event's day where to be when: 1 to 2 sentences.

    Where to seek them, and what the goal leaves open, is read from the general plan. What is
    settled, as memories of talks tell, is kept instead of sought.
    """
    me, day = question.me, question.day
    task = read_task(question.goal, me.now.date(), town_of(me))
    if task is None or day > task.day:
        return Reminder(text="Keep the goal in mind and speak of it to whomever you meet.")
    settled = _agreed(question, task)
    event = _event(task, *_known(question, task, settled)) if day == task.day else ""
    if settled is not None and task.kind in ("appointment", "help"):
        return Reminder(text=event[:600] or "What you need is settled; live your day as usual.")
    points = listed(_meeting_places(question))
    where = f"go to {points}" if points else "go where people are"
    call = f"Today, {where} and {_call(task)}{_so_far(_answers(question, task))}."
    return Reminder(text=f"{call} {event}".strip()[:600])


def _so_far(found: Answers) -> str:
    """Who need not be asked any more, such as ", but not Ana Ruiz, who has said yes"."""
    yes = f"{listed(found.yes[:8])}, who said yes" if found.yes else ""
    no = f"{listed(found.no[:8])}, who said no" if found.no else ""
    return f", but not {' and '.join(filter(None, (yes, no)))}" if yes or no else ""


def _answers(question: DayReminder | TalkReminder, task: Task) -> Answers:
    """Who has said yes and no, by what the question shows and what one remembers of talks."""
    me = question.me
    return answers(me, task, talks(me, question.memories), question.commitments)


def _agreed(question: DayReminder | TalkReminder, task: Task) -> Heard | None:
    """What was agreed last with those who said yes, read; None if nobody has yet."""
    me, yes = question.me, _answers(question, task).yes
    if not yes:
        return None
    noted = [c for c in question.commitments if c.day == task.day and is_about(task, c.what)]
    if noted and noted[-1].start:
        one = noted[-1]
        return Heard(days=(one.day,), starts=(one.start,), places=(one.place,) if one.place else ())
    told = [one.text for one in talks(me, question.memories) if is_about(task, one.text)]
    read_all = (read(text, me.now, town_of(me)) for text in reversed(told)
                if any(name.split()[0] in text for name in yes))  # fmt: skip
    return next(read_all, Heard())


def _meeting_places(question: DayReminder) -> tuple[str, ...]:
    """The places of the plan's first line that names places and no date."""
    me = question.me
    lines = (read(line, me.now, town_of(me)) for line in question.plan)
    return next((heard.places for heard in lines if heard.places and not heard.days), ())


def _known(
    question: DayReminder | TalkReminder, task: Task, settled: Heard | None
) -> tuple[str, str]:
    """Time and place as the goal has them, as was agreed, or as the plan says; "" if open."""
    if settled is None:
        me = question.me
        lines = (read(line, me.now, town_of(me)) for line in question.plan)
        settled = next((heard for heard in lines if heard.day == task.day and heard.start), Heard())
    place = settled.place if task.kind == "appointment" else ""
    return task.start or settled.start, task.place or place


def _event(task: Task, start: str, place: str) -> str:
    """The sentence that says where to be from when; "" if that is still open."""
    if task.kind == "help" or not start:
        return ""
    early = clock_of(minutes_of(start) - _EARLY)
    return f"Be{at_place(place) or ' there'} from {early} and {_act(task)}."


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


def talk_reminder(question: TalkReminder) -> Items:
    """What to bring up with this person: at most four items, from the goal's own facts."""
    me, other = question.me, question.other
    task = read_task(question.goal, me.now.date(), town_of(me))
    if task is None:
        return Items(items=("tell them about your goal", "ask whether they will take part"))
    if not concerns(task, other):
        return Items(items=("be friendly and brief",))
    found = _answers(question, task)
    settled = _agreed(question, task)
    known = start, place = _known(question, task, settled)
    if settled is None:  # an hour that nobody has agreed to may be moved
        known = time_to_come(me, task, question.commitments, question.asked.seed, start), place
    if other.name in found.no:
        return Items(items=("be friendly and brief: they have said no",))
    if other.name in found.yes:
        today = _is_to_come_today(task, known[0], me) and not _spoken_today(question, task)
        return Items(items=_reminding(task, *known) if today else ("thank them and be brief",))
    if task.kind == "help":
        return Items(items=_help_items(task))
    return Items(items=_items(task, *known))


def _is_to_come_today(task: Task, start: str, me: Me) -> bool:
    return task.kind != "help" and me.now.date() == task.day and f"{me.now:%H:%M}" < start


def _spoken_today(question: TalkReminder, task: Task) -> bool:
    """Whether the two have spoken about it today already."""
    me = question.me
    return any(
        question.other.name in one.text and is_about(task, one.text)
        for one in talks(me, question.memories)
        if one.when.date() == me.now.date()
    )


def _reminding(task: Task, start: str, place: str) -> tuple[str, ...]:
    """For those who have said yes, on the day itself."""
    return (
        f"remind them of {_named(task)}",
        *((f"say the place: {place}",) if place else ()),
        f"say the time: {_date(task.day)}{at_time(start)}",
    )


def _items(task: Task, start: str, place: str) -> tuple[str, ...]:
    when = f"{_date(task.day)}{at_time(start, task.minutes if task.start else 0)}"
    where = (f"say the place: {place}",) if place else ()
    if task.kind == "online":
        where = ("say that everyone joins from home",)
    suits = "that suits them" if task.kind == "appointment" else "they will come"
    return (
        f"name the activity: {_named(task)}",
        *where,
        f"say the time: {when}",
        f"ask whether {suits}",
    )


def _named(task: Task) -> str:
    if task.kind == "appointment":
        return f"meeting {purpose(task.activity)}"
    return task.activity if is_verbal(task.activity) else f"the {task.activity}"


def _help_items(task: Task) -> tuple[str, ...]:
    what = ", then ".join(chore.what for chore in task.chores)
    where = listed(tuple(chore.place for chore in task.chores if chore.place))
    return (
        f"name the favour: {what}",
        *((f"say the places: {where}",) if where else ()),
        f"say the day: {_date(task.day)}",
        "ask whether they will do it",
    )
