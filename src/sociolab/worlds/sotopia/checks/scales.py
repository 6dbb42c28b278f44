"""Options on a scale: clock times, days of the week, sums of money.

Where all options lie on one scale, a value that is none of them can be recognised as such.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from sociolab.worlds.sotopia.checks.amounts import COUNTED, SMALL_NUMBERS, numbers
from sociolab.worlds.sotopia.checks.words import word_set

Point: TypeAlias = tuple[float | str, str]
"""A clock time as (minutes after twelve, half of the day), a day as (day, part of it), a sum."""

DAYS = {
    name: day
    for day in sorted(word_set("monday tuesday wednesday thursday friday saturday sunday"))
    for name in (day, f"{day}s")
}
PARTS = {
    "morning": "morning",
    "breakfast": "morning",
    "noon": "noon",
    "midday": "noon",
    "afternoon": "afternoon",
    "evening": "evening",
    "night": "evening",
}
_HALVES = {"am": "am", "pm": "pm", "morning": "am", "afternoon": "pm", "evening": "pm"}
_MINUTES = {"quarter": 15, "half": 30} | {
    word: number for word, number in SMALL_NUMBERS.items() if number in (5, 10, 20)
}
_BEFORE_HOUR = word_set("at by around about until till say before after for to than")


class Spot(NamedTuple):
    """A point on a scale and the words where it stands. `sure`: it can be nothing else."""

    start: int
    end: int
    point: Point
    sure: bool = True


def clock_times(words: list[str]) -> list[Spot]:
    """Times of the day: 6:30, half past six, seven o'clock, 7 am, six thirty, noon, at nine."""
    found = []
    at = 0
    while at < len(words):
        spot = _clock(words, at)
        if spot is None:
            at += 1
        else:
            found.append(spot)
            at = spot.end
    return found


def _clock(words: list[str], at: int) -> Spot | None:
    word = words[at]
    if word in ("noon", "midday"):
        return Spot(at, at + 1, (0.0, "pm"))
    if word == "midnight":
        return Spot(at, at + 1, (0.0, "am"))
    if word in _MINUTES and at + 2 < len(words) and words[at + 1] in ("past", "to", "after"):
        hour = _hour(words[at + 2])
        if hour is not None:
            sign = -1 if words[at + 1] == "to" else 1
            return _timed(words, at, at + 3, hour * 60 + sign * _MINUTES[word])
    for mark in ":.":
        hours, _, minutes = word.partition(mark)
        if hours.isdigit() and len(minutes) == 2 and minutes.isdigit() and int(hours) < 24:
            return _timed(words, at, at + 1, int(hours) * 60 + int(minutes))
    return _hour_alone(words, at)


def _hour_alone(words: list[str], at: int) -> Spot | None:
    """An hour in one word, with minutes (six thirty), or followed by "am" and the like."""
    word = words[at]
    for half in ("am", "pm"):
        if word.endswith(half) and word[:-2].isdigit():
            return Spot(at, at + 1, (float(int(word[:-2]) % 12 * 60), half))
    hour = _hour(word)
    if hour is None:
        return None
    end, minutes = at + 1, 0
    while end < len(words) and words[end] in SMALL_NUMBERS and words[at] in SMALL_NUMBERS:
        minutes += SMALL_NUMBERS[words[end]]
        end += 1
    if end > at + 1 and not 5 <= minutes < 60:
        return None
    if end < len(words) and words[end] in COUNTED:
        return None
    spot = _timed(words, at, end, hour * 60 + minutes)
    told = spot.end > end or end > at + 1 or (at > 0 and words[at - 1] in _BEFORE_HOUR)
    return Spot(spot.start, spot.end, spot.point, sure=told)


def _hour(word: str) -> int | None:
    if word.isdigit() and 0 < int(word) < 24:
        return int(word)
    number = SMALL_NUMBERS.get(word, 99)
    return number if number <= 12 else None


def _timed(words: list[str], start: int, end: int, minutes: int) -> Spot:
    """With what follows: o'clock, am, in the morning."""
    half = "pm" if minutes >= 13 * 60 else ""
    if end < len(words) and words[end] in ("o'clock", "sharp"):
        end += 1
    if end < len(words) and words[end] in ("am", "pm"):
        half, end = words[end], end + 1
    elif words[end : end + 1] == ["in"] and end + 1 < len(words) and words[end + 1] in _HALVES:
        half, end = _HALVES[words[end + 1]], end + 2
    return Spot(start, end, (float(minutes % 720), half))


def days(words: list[str]) -> list[Spot]:
    """Days of the week, with the part of the day: Saturday, Friday evening."""
    found = []
    for at, word in enumerate(words):
        if word not in DAYS:
            continue
        start, end, part = at, at + 1, ""
        if end < len(words) and words[end] in PARTS:
            part, end = PARTS[words[end]], end + 1
        elif at >= 2 and words[at - 1] == "on" and words[at - 2] in PARTS:
            part, start = PARTS[words[at - 2]], at - 2
        found.append(Spot(start, end, (DAYS[word], part)))
    return found


def sums(words: list[str]) -> list[Spot]:
    """Sums of money."""
    return [
        Spot(number.start, number.end, (number.value, ""), sure=number.money)
        for number in numbers(words)
        if not number.percent
    ]


def agrees(point: Point, option: Point) -> bool:
    """Whether a point that was said may be this option's: what is left unsaid fits anything."""
    return point[0] == option[0] and (point[1] == option[1] or not point[1] or not option[1])
