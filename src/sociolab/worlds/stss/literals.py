"""Finds times, days, numbers, names and places in a text, and whether they contradict a task.

Only literal values are compared; what else a text says is not checked.
"""

from __future__ import annotations

import re
from calendar import day_name, month_name
from collections.abc import Iterator, Sequence

from sociolab.town.map import TownMap
from sociolab.town.residents import Resident
from sociolab.worlds.stss.task import COUNTED, SocialTask, spoken_place

# "6 pm" and "6:30 p.m.", or "18:30"; no part of a longer number, a date or a time with seconds.
_CLOCK = re.compile(
    r"(?<![\d:.-])(?:(?P<hour>\d{1,2})(?::(?P<minute>[0-5]\d))? ?(?P<half>[ap])\.?m\b"
    r"|(?P<plain>(?:[01]?\d|2[0-3]):[0-5]\d)(?!:?\d))",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(rf"\b({'|'.join(day_name)})\b", re.IGNORECASE)
# "2024-05-14", "14 May", "14th of May", or "May 14th": group names are unique, hence `month2`.
_MONTH = rf"(?P<month>{'|'.join(month_name[1:])})"
_DATE = re.compile(
    rf"\b(?:(?P<iso>\d{{4}}-\d\d-\d\d)|(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}"
    rf"|{_MONTH.replace('month', 'month2')} (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?)\b",
    re.IGNORECASE,
)

NUMBER_WORDS = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty",
)
NUMBER = re.compile(
    rf"(?<![\d:-])\b(\d+|{'|'.join(NUMBER_WORDS)})(?: (?:an)?other)?"
    r"(?= (?:people|persons?|audience|friends|partners|guests)\b)",
    re.IGNORECASE,
)
"""How many should come, in a text, in digits or in words: "6", "at least one another"."""


def clock_times(text: str) -> tuple[str, ...]:
    """The times of day in a text.

    >>> clock_times("from 6 pm, or 6:30 p.m., until 21:00")
    ('18:00', '18:30', '21:00')
    """
    times = []
    for match in _CLOCK.finditer(text):
        if match["plain"]:
            times.append(match["plain"].zfill(5))
        elif 1 <= int(match["hour"]) <= 12:
            hour = int(match["hour"]) % 12 + 12 * (match["half"].lower() == "p")
            times.append(f"{hour:02}:{match['minute'] or '00'}")
    return tuple(times)


def parse_number(word: str) -> int:
    """Read "six" or "6"."""
    return NUMBER_WORDS.index(word.lower()) if word.lower() in NUMBER_WORDS else int(word)


def _dates(text: str) -> Iterator[str]:
    """The dates in a text as "05-14", without their year."""
    months = [name.casefold() for name in month_name]
    for match in _DATE.finditer(text):
        if match["iso"]:
            yield match["iso"][5:]
        else:
            month = months.index((match["month"] or match["month2"]).casefold())
            yield f"{month:02}-{int(match['day'] or match['day2']):02}"


def says_when_and_where(task: SocialTask, text: str) -> bool:
    """Whether a text says when a task is, by its hour or its day, and where, if it has a place."""
    plain = text.casefold()
    when = task.start in clock_times(text) or f"{task.day:%A}".casefold() in plain
    when = when or f"{task.day:%m-%d}" in _dates(text)
    names = [name for place in task.places for name in place.casefold().split(": ")]
    return when and (not names or any(name in plain for name in names))


# ------------------------------------------------------------------ contradictions


def contradictions(
    task: SocialTask, residents: Sequence[Resident], town: TownMap
) -> tuple[str, ...]:
    """What the goal says otherwise than the fields by which the task is scored, a clause each."""
    return (
        *_time_conflicts(task),
        *_number_conflicts(task),
        *_people_conflicts(task, residents),
        *_place_conflicts(task, town),
    )


def _time_conflicts(task: SocialTask) -> Iterator[str]:
    right = (task.start, task.end) if task.start else ()
    for time in dict.fromkeys(clock_times(task.goal)):
        if time not in right:
            yield _describe_conflict(time, f'"{right[0]}" to "{right[1]}"' if right else "no time")
    lived = [f"{day:%A}" for day in task.days]
    days = dict.fromkeys(day.capitalize() for day in _WEEKDAY.findall(task.goal))
    dates = dict.fromkeys(_dates(task.goal))
    for named, right_one, may_be in (
        (days, f"{task.day:%A}", lived),
        (dates, f"{task.day:%m-%d}", [f"{day:%m-%d}" for day in task.days]),
    ):
        for value in named:
            if value not in may_be or (value != right_one and right_one not in named):
                yield _describe_conflict(value, f'the day "{task.day}", a {task.day:%A}')


def _number_conflicts(task: SocialTask) -> Iterator[str]:
    for word in dict.fromkeys(NUMBER.findall(task.goal)):
        if task.type in COUNTED and parse_number(word) != task.expected:
            yield _describe_conflict(
                word, f"{task.expected} expected of {len(task.background)} others"
            )


def _people_conflicts(task: SocialTask, residents: Sequence[Resident]) -> Iterator[str]:
    cast = {task.performer, *([task.partner] if task.partner else task.background)}
    for resident in residents:
        place = re.search(rf"\b{re.escape(resident.name)}\b", task.goal)
        if place is None or resident.id == task.performer:
            continue
        if place.start() == 0:
            yield _describe_conflict(resident.name, f'the performer "{task.performer}"')
        elif resident.id not in cast:
            yield _describe_conflict(
                resident.name, f'"{task.partner}"' if task.partner else "others in town"
            )


def _place_conflicts(task: SocialTask, town: TownMap) -> Iterator[str]:
    names = [*map(str, town.places), *town.sectors]
    pattern = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    right = {*task.places, *map(spoken_place, task.places)}
    for name in dict.fromkeys(re.findall(rf"\b(?:{pattern})\b", task.goal)):
        if name not in right and spoken_place(name) not in task.places:
            yield _describe_conflict(
                name, " and ".join(f'"{place}"' for place in task.places) or "no place"
            )


def _describe_conflict(phrase: str, fields: str) -> str:
    return f'the goal says "{phrase}", and the fields say {fields}; correct one of the two'
