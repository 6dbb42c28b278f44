"""Occasions to try the rules on, and short ways to write a talk and what it is found to say."""

from __future__ import annotations

from datetime import date, datetime

from sociolab.town.population import own_residents
from sociolab.town.thoughts import Line
from sociolab.worlds.stss.talk.findings import Finding, Occasion
from sociolab.worlds.stss.talk.rules.conversation import findings_in_talk
from sociolab.worlds.stss.talk.rules.note import findings_in_note
from sociolab.worlds.stss.task import Errand, SocialTask, TaskType
from worlds.stss.talk.labelled_talks import town_people, town_places

PEOPLE = {one.id: one for one in own_residents()}
EVE = datetime(2024, 5, 13, 10, 0)
"""A Monday; the tasks are on Tuesday 14 May."""
SAME_DAY = datetime(2024, 5, 14, 9, 30)
_DAY = date(2024, 5, 14)


def _task(
    kind: TaskType,
    activity: str,
    keywords: tuple[str, ...],
    performer: str,
    *,
    place: str = "",
    start: str = "",
    errands: tuple[Errand, ...] = (),
    partner: str = "",
) -> SocialTask:
    return SocialTask(
        id="case",
        type=kind,
        title=activity.capitalize(),
        goal="",
        performer=performer,
        background=("freya-jensen",),
        days=(date(2024, 5, 13), _DAY),
        day=_DAY,
        activity=activity,
        keywords=keywords,
        place=place,
        start=start,
        errands=errands,
        partner=partner,
    )


KITES = _task(
    "public activity",
    "kite evening",
    ("kite", "kites", "kite-flying"),
    "huw-pritchard",
    place="Heron Park: meadow",
    start="17:00",
)
QUIZ = _task(
    "public activity",
    "quiz night",
    ("quiz", "quizzes"),
    "gwen-pritchard",
    place="Copper Kettle Pub: back room",
    start="19:30",
)
BOOKS = _task(
    "online activity",
    "online book circle",
    ("book circle", "online book", "online reading circle"),
    "hana-kimura",
    start="19:30",
)
TEA = _task(
    "inviting companions",
    "strawberry tea",
    ("strawberry tea", "strawberries"),
    "pilar-bell",
    place="Heron Park: bandstand",
)
DUMPLINGS = _task(
    "inviting companions",
    "dumpling supper",
    ("dumpling", "dumplings"),
    "linh-tran",
    place="Student House: kitchen",
)
PORTRAIT = _task(
    "appointment",
    "portrait sitting",
    ("portrait", "portraits"),
    "sefina-tuala",
    partner="freya-jensen",
)
HONEY = _task(
    "asking for help",
    "a large order of cakes",
    (),
    "nkechi-obi",
    errands=(
        Errand(
            what="buy six jars of honey",
            keywords=("honey", "honey jars"),
            place="Greengage Market: shop floor",
        ),
        Errand(
            what="hand over the jars of honey",
            keywords=("honey", "honey jars"),
            place="Lantern Cafe: kitchen",
        ),
    ),
)


def occasion(
    task: SocialTask, now: datetime = EVE, here: str = "Post Office: counter room"
) -> Occasion:
    """A task's performer talks with Freya Jensen."""
    performer, other = PEOPLE[task.performer], PEOPLE["freya-jensen"]
    return Occasion(task, performer, other, now, here, town_places(), town_people())


def lines_of(task: SocialTask, talk: str) -> tuple[Line, ...]:
    """Lines that begin with "P:" for the performer and "O:" for the other."""
    found = []
    for row in talk.strip().splitlines():
        seat, _, text = row.strip().partition(": ")
        who = PEOPLE[task.performer if seat == "P" else "freya-jensen"]
        found.append(Line(who.id, who.name, text))
    return tuple(found)


def talked(
    task: SocialTask, talk: str, now: datetime = EVE, here: str = "Post Office: counter room"
) -> str:
    """The ids of the conditions that the rules find met in a talk, with spaces between."""
    return _met(findings_in_talk(occasion(task, now, here), lines_of(task, talk)))


def noted(
    task: SocialTask, note: str, now: datetime = EVE, here: str = "Post Office: counter room"
) -> str:
    """The same for a note."""
    return _met(findings_in_note(occasion(task, now, here), note))


def _met(findings: tuple[Finding, ...]) -> str:
    return " ".join(one.condition.id for one in findings if one.met)
