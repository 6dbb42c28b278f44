"""Dates and times of day, read out of words and put into words."""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import lru_cache
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]

_NUMBERS = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_HOUR = "|".join(_NUMBERS)
_MONTH = "|".join(f"{month}|{month[:3]}" for month in _MONTHS)

_ISO = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_DAY_MONTH = re.compile(
    rf"\b(?:(?:{'|'.join(_DAYS)}),? )?(?:the )?(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b"
    r"(?:,? (\d{4})\b)?"
)
_MONTH_DAY = re.compile(
    rf"\b(?:(?:{'|'.join(_DAYS)}),? )?({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (\d{{4}})\b)?"
)
_RELATIVE = re.compile(
    r"\b(?:the )?(day after tomorrow|tomorrow|today|tonight|this (?:morning|afternoon|evening))\b"
)
_WEEKDAY = re.compile(rf"\b(?:next |this )?({'|'.join(_DAYS)})s?\b")

_PART = r"(?:\s+(?:in the (morning|afternoon|evening)|(?:at|this|tomorrow) ?(night|evening)))?"
_HALF = r"(?:\s*(a\.?m\b\.?|p\.?m\b\.?))?"
_DIGITS = re.compile(rf"(?<![\d:.-])(\d{{1,2}})[:.](\d\d)(?!\d|[.-]\d){_HALF}{_PART}")
_BARE = re.compile(
    rf"(?<![\d:.-])(\d{{1,2}})\s?(a\.?m\b\.?|p\.?m\b\.?|o'clock){_PART}"
    rf"|\b({_HOUR})\s(a\.?m\b\.?|p\.?m\b\.?|o'clock){_PART}"
)
_PAST = re.compile(rf"\b(half|(?:a )?quarter) (past|to) (\d{{1,2}}|{_HOUR})\b{_HALF}{_PART}")
_AT = re.compile(
    rf"\b(?:at|from|until|around|about|by) ({_HOUR}|\d{{1,2}})\b"
    r"(?=\s*(?:$|[.,;!?)]|in the|on\b|or\b|to\b|and\b|until|till|sharp|tomorrow|today|tonight|then"
    rf"|at\b)){_PART}"
)
_NAMED = re.compile(r"\b(noon|midday|midnight)\b")


@lru_cache(maxsize=4096)
def dates(text: str, today: date) -> tuple[tuple[date, Span], ...]:
    """Each date that a text names, with its span, in order; weekdays are the next to come.

    A date without a year is this year's. `text` is lower case; what is no date is passed over.
    """
    found: list[tuple[date, Span]] = []
    for pattern, reading in _READINGS:
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for _, (start, end) in found):
                continue
            day = reading(match, today)
            if day is not None:
                found.append((day, match.span()))
    return tuple(sorted(found, key=lambda one: one[1]))


def _iso(match: re.Match[str], today: date) -> date | None:
    return _valid(*(int(match[part]) for part in (1, 2, 3)))


def _day_month(match: re.Match[str], today: date) -> date | None:
    return _valid(int(match[3] or today.year), _month(match[2]), int(match[1]))


def _month_day(match: re.Match[str], today: date) -> date | None:
    return _valid(int(match[3] or today.year), _month(match[1]), int(match[2]))


def _relative(match: re.Match[str], today: date) -> date | None:
    ahead = {"day after tomorrow": 2, "tomorrow": 1}.get(match[1], 0)
    return today + timedelta(days=ahead)


def _weekday(match: re.Match[str], today: date) -> date | None:
    return today + timedelta(days=(_DAYS.index(match[1]) - today.weekday()) % 7)


_READINGS = (
    (_ISO, _iso),
    (_DAY_MONTH, _day_month),
    (_MONTH_DAY, _month_day),
    (_RELATIVE, _relative),
    (_WEEKDAY, _weekday),
)


def _month(word: str) -> int:
    return next(n for n, month in enumerate(_MONTHS, 1) if month[:3] == word[:3])


def _valid(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def times(text: str) -> tuple[tuple[str, Span], ...]:
    """Each time of day that a text names as "HH:MM", with its span, in order.

    An hour from one to seven without morning or evening is meant after noon, as people speak.
    `text` is lower case.
    """
    found: list[tuple[str, Span]] = []
    for pattern in (_DIGITS, _PAST, _BARE, _AT, _NAMED):
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for _, (start, end) in found):
                continue
            moment = _moment(pattern, match)
            if moment is not None:
                found.append((moment, match.span()))
    return tuple(sorted(found, key=lambda one: one[1]))


def _moment(pattern: re.Pattern[str], match: re.Match[str]) -> str | None:
    groups = match.groups()
    if pattern is _NAMED:
        return "00:00" if match[1] == "midnight" else "12:00"
    if pattern is _DIGITS:
        exact = not (groups[2] or groups[3] or groups[4])
        return _clock(int(groups[0]), int(groups[1]), _half(groups[2:]), exact=exact)
    if pattern is _PAST:
        hour = _hour(groups[2]) - (groups[1] == "to")
        minute = 30 if groups[0] == "half" else 15 if groups[1] == "past" else 45
        return _clock(hour, minute, _half(groups[3:]))
    if pattern is _BARE:
        said = groups[:4] if groups[0] else groups[4:]
        return _clock(_hour(said[0] or ""), 0, _half(said[1:]))
    return _clock(_hour(groups[0]), 0, _half(groups[1:]))


def _hour(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS.index(word) + 1


def _half(words: tuple[str | None, ...]) -> str:
    """ "am", "pm" or "" from what was said beside the hour."""
    for word in words:
        if word and ((word[0] == "a" and word != "afternoon") or word == "morning"):
            return "am"
        if word and word != "o'clock":
            return "pm"
    return ""


def _clock(hour: int, minute: int, half: str, *, exact: bool = False) -> str | None:
    if (half == "pm" and hour < 12) or (not half and not exact and 1 <= hour <= 7):
        hour += 12
    elif half == "am" and hour == 12:
        hour = 0
    if hour == 24:
        hour = 0
    return f"{hour:02}:{minute:02}" if hour < 24 and minute < 60 else None


def minutes_of(clock: str) -> int:
    """Minutes since midnight of "HH:MM"."""
    return int(clock[:-3]) * 60 + int(clock[-2:])


def clock_of(minutes: int) -> str:
    """ "HH:MM" of minutes since midnight; those of the next day wrap round."""
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"
