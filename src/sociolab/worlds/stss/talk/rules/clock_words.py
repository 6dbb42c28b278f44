"""Clock times, read out of figures and words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sociolab.worlds.stss.talk.rules.bare_hours import TAIL, is_hour
from sociolab.worlds.stss.talk.rules.patterns import Pattern

_WORDS = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip
_MINUTES = {"five": 5, "ten": 10, "quarter": 15, "a quarter": 15, "twenty": 20, "twenty-five": 25,
            "twenty five": 25, "half": 30, "fifteen": 15, "thirty": 30, "forty-five": 45,
            "forty five": 45, "forty": 40, "fifty": 50}  # fmt: skip
_H = rf"(?:{'|'.join(_WORDS)}|[01]?\d|2[0-3])"
_AP = r"(?: ?(?P<{0}>a\.?m\b\.?|p\.?m\b\.?))"
_NOT_A_PRICE = r"(?! ?(?:pounds?|euros?|dollars?|percent|per cent|%|kilos?|met|km|miles?|m\b|kg))"

_PATTERN = Pattern(
    rf"\b(?=[\doftsenmhqa])(?:(?P<after>(?:half|quarter|ten|twenty) past(?=[.,;!?]|$))"
    rf"|(?P<named>\b(?:twelve )?(?:noon|midday|midnight)\b)"
    rf"|(?<![\d£$€.:/])(?P<h1>[01]?\d|2[0-3])[:.h](?P<m1>[0-5]\d)(?![\d/]|\.\d){_AP.format('p1')}?"
    rf"{_NOT_A_PRICE}"
    r"|(?<=at )(?P<h9>[01]\d|2[0-3])(?P<m9>[0-5]\d)\b(?! \w+s\b)"
    rf"|\b(?:(?P<m2>half|(?:a )?quarter|twenty[- ]five|twenty|ten|five)(?: minutes)?"
    rf"[ -](?P<dir>past|to|after|before|till|of)[ -](?P<h2>{_H})\b(?![:.]\d)"
    rf"(?! (?:minutes|people|of us)\b)|half[ -](?P<h3>{'|'.join(_WORDS)})\b){_AP.format('p2')}?"
    rf"|\b(?P<h4>{'|'.join(_WORDS)})[ -](?P<m4>thirty|fifteen|forty[- ]five|twenty|forty)\b"
    rf"{_AP.format('p4')}?(?! (?:people|minutes|of))"
    rf"|(?<![\d£$€.:/])\b(?P<h5>{_H})(?:{_AP.format('p5')}|(?:[- ]?ish)? ?(?P<oc>o'? ?clock))"
    rf"|(?<![\d£$€.:/])\b(?P<h6>{_H})(?:\b|(?=ish\b))(?![:/]\d|\.\d){TAIL}"
    rf"|(?<=\bat )(?!one )(?P<h7>{_H})\b(?![:/]\d|\.\d| (?:\w+s|different|other|\w+ (?:street"
    rf"|lane|road))\b)"
    rf"{_NOT_A_PRICE})"
)
# "14 May" is a day.
_DATE = Pattern(
    r"(?:st|nd|rd|th)? (?:of )?(?:january|february|march|april|may(?! (?:be|not|work|suit|do)\b)"
    r"|june"
    r"|july|august|september|october|november|december)\b"
)
_PART = Pattern(
    r"(?:,? ?(?:o'?clock|sharp|tomorrow|today|on \w+day|on the dot|tonight)?,? ?"
    r"(?:in the|at|this|tomorrow|\w+day) ?(morning|afternoon|evening|night)\b)"
)
_PART_BEFORE = Pattern(r"\b(morning|afternoon|evening|tonight|night)(?:,)?(?: at| around)? ?$")
_ENDS = Pattern(
    r"(?:\b(?:until|till|'til|to|through|ends?(?: at| by| around)?|finish(?:es|ing)?(?: at| by)?"
    r"|finished by|(?:is |be )?over (?:by|at)|stops?(?: at)?|done by|out by|(?:up )?till about)"
    r"(?: about| around| roughly|,? say,?)?(?: a)?|\d ?-) ?$"
)


@dataclass(frozen=True, slots=True)
class Hour:
    """A clock time that was said: `minute` of the day, 0 to 1439.

    `sure` is whether morning or evening was said; else an hour from one to seven is taken after
    noon and the other half of the day is as possible. `closes` says that it is the end of a span.
    """

    minute: int
    sure: bool
    closes: bool
    span: tuple[int, int]

    def is_at(self, minute: int) -> bool:
        """Whether it may be this minute of the day."""
        away = (self.minute - minute) % 1440
        return away == 0 or (not self.sure and away == 720)

    @property
    def text(self) -> str:
        """ "HH:MM"."""
        return f"{self.minute // 60:02}:{self.minute % 60:02}"


@lru_cache(maxsize=8192)
def hours_in(text: str) -> tuple[Hour, ...]:
    """Each clock time in a text (small letters), in order."""
    found: list[Hour] = []
    for match in _PATTERN.finditer(text):
        hour = _hour(match, text, found)
        if hour is not None:
            found.append(hour)
    return tuple(found)


def _hour(match: re.Match[str], text: str, before: list[Hour]) -> Hour | None:
    if match["after"]:
        # "The doors open at seven and we begin at half past."
        if not before:
            return None
        minute = before[-1].minute // 60 * 60 + _MINUTES[match["after"].split()[0]]
        return Hour(minute, before[-1].sure, False, match.span())
    if match["named"]:
        at = 0 if "night" in match["named"] else 720
        return Hour(at, True, _closes(text, match.start(), before), match.span())
    if match["h6"]:
        if match["h6"].isdigit() and _DATE.match(text, match.end()):
            return None
        last_end = before[-1].span[1] if before else -1
        if not is_hour(text[: match.start()], match["h6"], text[match.end() :], last_end):
            return None
    said = next(
        match[name] for name in ("h1", "h2", "h3", "h4", "h5", "h6", "h7", "h9") if match[name]
    )
    hour = int(said) if said.isdigit() else _WORDS.index(said) + 1
    if hour > 24 or (hour == 0 and said == "0"):
        return None
    begin = match.start()
    if match["m2"] and _is_span(match, text):
        # "five to six": from five o'clock on.
        begin, minutes, hour = match.start(), 0, _number(match["m2"])
    else:
        minutes = _minutes(match)
    half = _half(match, text)
    sure = bool(half) or hour > 12 or (said.startswith("0") and len(said) == 2) or bool(match["h9"])
    if half == "pm" and hour < 12:
        hour += 12
    elif half == "am" and hour == 12:
        hour = 0
    elif not sure and hour <= 7:
        hour += 12
    closes = _closes(text, begin, before)
    return Hour((hour * 60 + minutes) % 1440, sure, closes, match.span())


def _number(word: str) -> int:
    return _WORDS.index(word) + 1


def _minutes(match: re.Match[str]) -> int:
    if match["m1"] or match["m9"]:
        return int(match["m1"] or match["m9"])
    if match["h3"]:
        return 30
    if match["m4"]:
        return _MINUTES[match["m4"]]
    if match["m2"]:
        size = _MINUTES[match["m2"]]
        return -size if match["dir"] in ("to", "before", "till", "of") else size
    return 0


def _is_span(match: re.Match[str], text: str) -> bool:
    """ "five to six" and "ten till twelve" as a span of hours; a quarter or half is none."""
    if match["m2"] not in ("five", "ten") or match["dir"] not in ("to", "till"):
        return False
    lead = text[: match.start()]
    if re.search(r"\b(?:from|between)(?: about| around)? $", lead):
        return True
    return match["m2"] == "ten" and match["h2"] in ("twelve", "eleven", "12", "11")


def _half(match: re.Match[str], text: str) -> str:
    """ "am", "pm" or "" from what was said with the hour."""
    for name in ("p1", "p2", "p4", "p5"):
        if match[name]:
            return "am" if match[name][0] == "a" else "pm"
    after = _PART.match(text, match.end())
    ahead = _PART_BEFORE.search(text[: match.start()])
    part = after or ahead
    if part is None:
        return ""
    return "am" if part[1] == "morning" else "pm"


def _closes(text: str, begin: int, before: list[Hour]) -> bool:
    lead = text[max(0, begin - 32) : begin]
    if before and re.search(r"\bby (?:about |around |roughly )?$", lead):
        return True
    if not _ENDS.search(lead):
        return bool(
            before
            and not before[-1].closes
            and re.search(r"\bbetween\b", text[: before[-1].span[0]])
            and text[before[-1].span[1] : begin].strip() == "and"
        )
    if re.search(r"\b(?:to|\d ?-) ?$", lead):
        # "to" alone closes only what was opened: "six to seven", not "move it to seven".
        return bool(before and begin - before[-1].span[1] < 14)
    return True
