"""Days, read out of words: dates, names of days, tomorrow and tonight."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache

from sociolab.town.scripted.when import dates
from sociolab.worlds.stss.talk.rules.patterns import Pattern

_ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth",
    "eighteenth", "nineteenth", "twentieth", "twenty-first", "twenty-second", "twenty-third",
    "twenty-fourth", "twenty-fifth", "twenty-sixth", "twenty-seventh", "twenty-eighth",
    "twenty-ninth", "thirtieth", "thirty-first",
)  # fmt: skip
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september",
           "october", "november", "december")  # fmt: skip
_WEEKDAY = "|".join(_WEEKDAYS)
_NOT_ONCE = Pattern(r"\b(?:last|every|each|since|most|previous|other|another) $")
# What every day holds one of; most sentences have none, and are passed over quickly.
_MAYBE = Pattern(
    r"\d|day|night|morrow|this |later|hour|right now|straight|th\b|st\b|nd\b|rd\b"
    r"|tm"
)
_PATTERN = Pattern(
    r"\b(?:(?P<after>\b(?:the )?day after(?! tomorrow)\b(?: that)?)"
    r"|(?P<yesterday>\byesterday\b|\blast night\b)"
    r"|(?P<tomorrow>\b(?:tomorrow|tmrw|tmw|in a day's time)\b)"
    r"|(?P<today>\b(?:later today|today|tonight|this (?:very )?(?:morning|afternoon|evening|noon"
    r"|lunchtime)|later this|later on today|in (?:an|half an|one|two|three|a couple of) hours?"
    r"|straight away)\b)"
    rf"|(?P<week>\b(?:(?P<ahead>a week on|next week(?: on)?|the following) )?(?P<name>{_WEEKDAY})\b"
    r"(?P<later> week\b| after next\b)?(?!s))"
    r"|(?P<number>\b(?:on |for )?the (?P<n>\d{1,2})(?:st|nd|rd|th)\b"
    rf"|\b(?:on |for )?the (?P<nth>{'|'.join(_ORDINALS[3:])})\b(?! (?:time|of us|person|floor"
    rf"|page))"
    r"|(?<![\d/])(?P<d>\d{1,2})/(?P<m>\d{1,2})(?:/(?P<y>\d{2,4}))?(?![\d/])"
    r"|(?<![\d.])(?P<d2>\d{1,2})\.(?P<m2>0?[1-9]|1[0-2])\.(?P<y2>\d{4})?(?!\d))"
    rf"|(?P<spelt>\bthe (?P<nm>{'|'.join(_ORDINALS)}) of (?P<month>{'|'.join(_MONTHS)})\b"
    rf"|\b(?P<month2>{'|'.join(_MONTHS)}) (?:the )?(?P<nm2>{'|'.join(_ORDINALS)})\b))"
)


_DIGIT = Pattern(r"\d")


@dataclass(frozen=True, slots=True)
class Day:
    """A day that was said; `far` only after the day spoken of before ("the day after")."""

    date: date
    span: tuple[int, int]


@lru_cache(maxsize=8192)
def days_in(text: str, today: date) -> tuple[Day, ...]:
    """Each day in a text (small letters), in order; names of days are the next to come."""
    if not _MAYBE.search(text):
        return ()
    found = [
        Day(day, span)
        for day, span in (dates(text, today) if _DIGIT.search(text) else ())
        if _DIGIT.search(text[span[0] : span[1]])
    ]
    for match in _PATTERN.finditer(text):
        if any(match.start() < one.span[1] and one.span[0] < match.end() for one in found):
            continue
        day = _day(match, text, today)
        if day is not None:
            found.append(Day(day, match.span()))
    return tuple(sorted(found, key=lambda one: one.span))


def _day(match: re.Match[str], text: str, today: date) -> date | None:
    if match["after"]:
        return today + timedelta(days=2)
    if match["yesterday"]:
        return today - timedelta(days=1)
    if match["tomorrow"]:
        beyond = text[: match.start()].endswith("day after ")
        return today + timedelta(days=2 if beyond else 1)
    if match["today"]:
        return today
    if match["week"]:
        return _named(match, text, today)
    if match["spelt"]:
        number = _ORDINALS.index(match["nm"] or match["nm2"]) + 1
        return _valid(today.year, _MONTHS.index(match["month"] or match["month2"]) + 1, number)
    return _numbered(match, today)


def _named(match: re.Match[str], text: str, today: date) -> date | None:
    if _NOT_ONCE.search(text[: match.start()]):
        return None
    ahead = (_WEEKDAYS.index(match["name"]) - today.weekday()) % 7
    return today + timedelta(days=ahead + (7 if match["ahead"] or match["later"] else 0))


def _numbered(match: re.Match[str], today: date) -> date | None:
    if match["d"] or match["d2"]:
        day, month = int(match["d"] or match["d2"]), int(match["m"] or match["m2"])
        if month > 12:
            day, month = month, day
        year = match["y"] or match["y2"]
        return _valid(_year(year, today), month, day)
    number = int(match["n"]) if match["n"] else _ORDINALS.index(match["nth"]) + 1
    this = _valid(today.year, today.month, number)
    if this is not None and this >= today:
        return this
    return _valid(today.year + today.month // 12, today.month % 12 + 1, number)


def _year(said: str | None, today: date) -> int:
    if not said:
        return today.year
    return int(said) if len(said) == 4 else 2000 + int(said)


def _valid(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
