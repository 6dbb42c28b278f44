"""Numbers in a list of words: digits and number words, money, and what is counted otherwise."""

from __future__ import annotations

import re
from typing import NamedTuple

from sociolab.worlds.sotopia.checks.words import word_set

_ONES = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SCALES = {"hundred": 100, "thousand": 1000, "grand": 1000}
SMALL_NUMBERS = {
    **dict(zip(_ONES.split(), range(1, 20), strict=True)),
    **dict(zip(_TENS.split(), range(20, 100, 10), strict=True)),
}
"""The numbers below 100 that are one word."""
_NUMBER_WORDS = frozenset(SMALL_NUMBERS) | frozenset(_SCALES)
_FIRST = frozenset("$€£0123456789")

_DIGITS = re.compile(r"([$€£]?) ?([\d,]+(?:\.\d+)?)(k|usd|dollars|bucks|\$|€|£|%)?")
_CURRENCY = word_set("dollars dollar bucks buck usd euros euro eur quid")
_NAMED = word_set("number size mark iphone galaxy version model series level grade")
_CALENDAR = word_set("in from since year of by until around late early summer spring")

_CLOCK = word_set("am pm o'clock")
# What follows a number that is neither money nor a time of the day.
COUNTED = word_set(
    "gb tb mb ghz mhz mp megapixels inch inches feet foot ft cm mm km kms meters metres kilometers "
    "kilometres mile miles year years yr yrs month months week weeks day days hour hours hrs "
    "minute minutes mins min second seconds percent percentage % people persons "
    "person times time gear gears speed speeds point points watt watts volt volts lb lbs kg kilos "
    "grams ounces items pieces bedrooms bedroom rooms star stars generation owner owners pages "
    "keys drawers strings buttons options reasons things others ways model edition "
    "version degrees acres square liters litres gallons mph cc songs settings seats doors steps "
    "pairs sets copies books chapters rounds attempts calls blocks"
)


class Number(NamedTuple):
    """A number and where it stands; `money` where a currency says so, `percent` where a % does."""

    start: int
    end: int
    value: float
    money: bool
    percent: bool = False


def numbers(words: list[str]) -> list[Number]:
    """The numbers that may be amounts of money or percentages, in order."""
    found = []
    at, count = 0, len(words)
    while at < count:
        word = words[at]
        if word[0] in _FIRST:
            number = _from_digits(words, at)
        elif word in _NUMBER_WORDS:
            number = _from_words(words, at)
        else:
            at += 1
            continue
        if number is None:
            at += 1
            continue
        at = number.end
        if _counts_something(words, number):
            continue
        found.append(number)
    return found


def _from_digits(words: list[str], at: int) -> Number | None:
    if words[at].isdigit():
        return _with_unit(words, at, float(words[at]), "", None)
    match = _DIGITS.fullmatch(words[at])
    if match is None:
        return None  # 64gb, 6:30, 2nd
    sign, digits, unit = match.groups()
    return _with_unit(words, at, float(digits.replace(",", "")), sign, unit)


def _with_unit(words: list[str], at: int, value: float, sign: str, unit: str | None) -> Number:
    """The number at a place, with what is written at it or follows it: k, dollars, percent."""
    end = at + 1
    after = words[end] if end < len(words) else ""
    if unit == "k":
        value *= 1000
    elif after in ("k", "thousand", "grand"):
        value, end = value * 1000, end + 1
        after = words[end] if end < len(words) else ""
    money = bool(sign) or unit not in (None, "k", "%")
    percent = unit == "%"
    if after in _CURRENCY:
        money, end = True, end + 1
    elif after in ("%", "percent"):
        percent, end = True, end + 1
    return Number(at, end, value, money, percent)


def _from_words(words: list[str], at: int) -> Number | None:
    """Two hundred and twenty, twelve hundred, two fifty, a thousand."""
    total, current, end = 0, 0, at
    while end < len(words):
        word = words[end]
        if word in SMALL_NUMBERS:
            step = SMALL_NUMBERS[word]
            if current % 100 and not (current % 10 == 0 and step < 10 and current % 100 >= 20):
                if current >= 100 or step < 10 or total:
                    break
                current *= 100  # two fifty, twelve fifty
            current += step
        elif word in _SCALES:
            if _SCALES[word] == 100 and current < 100:
                current = max(current, 1) * 100
            elif _SCALES[word] == 1000:
                total, current = (total + max(current, 1)) * 1000, 0
            else:
                break
        elif not (word == "and" and _goes_on(words, end, total + current)):
            break
        end += 1
    money = end < len(words) and words[end] in _CURRENCY
    return Number(at, end + money, float(total + current), money)


def _goes_on(words: list[str], at: int, value: int) -> bool:
    """Whether "and" joins two parts of one number: two hundred and twenty."""
    follows = words[at + 1] if at + 1 < len(words) else ""
    return value >= 100 and value % 100 == 0 and follows in SMALL_NUMBERS


def _counts_something(words: list[str], number: Number) -> bool:
    """Whether the number is a year, a size, a duration and the like."""
    if number.money:
        return False
    after = words[number.end] if number.end < len(words) else ""
    if after in COUNTED or after in _CLOCK:
        return True
    before = words[number.start - 1] if number.start else ""
    if before in _NAMED:
        return True
    year = 1900 <= number.value <= 2049 and number.value == int(number.value)
    return year and before in _CALENDAR
