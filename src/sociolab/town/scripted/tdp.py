"""Target-driven planning of scripted minds (STSS appendix B), from the task in typed form."""

from __future__ import annotations

from sociolab.town.answers import Items, Lines, Matter, Reminder
from sociolab.town.scripted.matters import key_of, merged, standings, wanted_of, with_choices
from sociolab.town.scripted.wording import facts, lines, listed, places_like
from sociolab.town.thoughts import DayReminder, GeneralPlan, Me, TalkReminder


def general_plan(question: GeneralPlan) -> Lines:
    """Whom to seek and where, what to tell them and when it is: 3 to 5 lines."""
    texts, task = lines()["tdp"], question.me.task
    if task is None:
        return Lines(lines=tuple(texts["aimless"]))
    plan = texts["help_plan" if task.kind == "asking for help" else "plan"]
    words = _facts(task, question.me, question.asked.seed)
    return Lines(lines=tuple(line.format(**words)[:1000] for line in plan))


def day_reminder(question: DayReminder) -> Reminder:
    """Where to seek people, and on the day itself where to be when: 1 to 2 sentences."""
    texts, me = lines()["tdp"], question.me
    task = me.task
    if task is None:
        return Reminder(text=texts["aimless"][0])
    known = standings(me).get(key_of(task))
    found = known is not None and known.said_yes(me.resident.id)
    words = _facts(task, me, question.asked.seed)
    if not question.plan:  # where to seek people is the general plan's to say
        words["points"] = "places where people are"
    today = []
    if not (found and task.kind in ("appointment", "asking for help")):
        today.append(texts["seek"])
    if task.day == question.day.isoformat() and (task.start or found) and not task.chores:
        today.append(texts["be_there"])
    text = " ".join(line.format(**words) for line in today or [texts["settled"]])
    return Reminder(text=text[:1000])


def talk_reminder(question: TalkReminder) -> Items:
    """What to bring up with this person: at most four items."""
    texts, me = lines()["tdp"], question.me
    if me.task is None or wanted_of(me, question.other) is None:
        return Items(items=tuple(texts["brief"]))
    items = texts["help_items" if me.task.kind == "asking for help" else "items"]
    words = _facts(me.task, me, question.asked.seed)
    return Items(items=tuple(item.format(**words)[:1000] for item in items))


def _facts(task: Matter, me: Me, seed: int) -> dict[str, str]:
    """The task's facts, what it leaves open chosen as one would choose it in a talk."""
    points = places_like(me.places, "public")
    known = standings(me).get(key_of(task))
    if known is not None and known.said_yes(me.resident.id):
        task = merged(known.matter, task)
    partner = me.people.get(task.partner, "")
    whom = partner or "as many people as possible"
    chosen = facts(with_choices(task, me, seed, "", points))
    if task.kind == "online activity":
        chosen["where"] = " from home"
    return chosen | {"whom": whom, "points": listed(points[:3]) or "places where people are"}
