"""What the other noted of a talk, read by rules: the note alone tells, as a stranger reads it."""

from __future__ import annotations

import re
from datetime import date

from sociolab.town.scripted.when import minutes_of
from sociolab.worlds.stss.talk.conditions import Condition
from sociolab.worlds.stss.talk.findings import Finding, Occasion
from sociolab.worlds.stss.talk.rules.acts import ABOUT_PLACE, ABOUT_TIME, OPEN
from sociolab.worlds.stss.talk.rules.attaching import denied, elsewhere, hours_of, unfit
from sociolab.worlds.stss.talk.rules.clock_words import hours_in
from sociolab.worlds.stss.talk.rules.day_words import days_in
from sociolab.worlds.stss.talk.rules.help_asked import Help
from sociolab.worlds.stss.talk.rules.note_words import (
    AGREED,
    ASKED,
    BUSY,
    GOES,
    HEARSAY,
    MET,
    NO_PLACE,
    NO_YES,
    NOT_ASKED,
    REQUESTED,
    UNKNOWN,
    WISH_ONLY,
    YES,
)
from sociolab.worlds.stss.talk.rules.patterns import Phrases
from sociolab.worlds.stss.talk.rules.reading import Said, last_named, matter, said_one
from sociolab.worlds.stss.talk.rules.sentences import sentences
from sociolab.worlds.stss.talk.rules.sites import definite, meant_places
from sociolab.worlds.stss.talk.rules.telling import Told
from sociolab.worlds.stss.talk.rules.told_place import PlaceTold

_SAYS_NO = Phrases(
    r"\b(?:too \w+ to (?:reply|answer)|before i could|to refuse|(?:said|say|told (?:him|her"
    r"|them)) no\b|declined|refused|(?:had|have) to decline"
    r"|turned (?:it|him|her) down)"
)


def findings_in_note(occasion: Occasion, note: str) -> tuple[Finding, ...]:
    """One finding for each condition, in order; a quote is a word-for-word part of the note."""
    about = matter(occasion.task)
    them = occasion.performer.first_name.lower()
    said = tuple(
        said_one(occasion, about, False, 0, one, (last_named(occasion, one.text), them))
        for one in sentences(note)
        if one.text.strip()
    )
    if occasion.task.type == "asking for help":
        return _of_help(occasion, said)
    return tuple(_finding(occasion, one, said) for one in occasion.conditions)


def _of_help(occasion: Occasion, said: tuple[Said, ...]) -> tuple[Finding, ...]:
    found = Help(occasion)
    whose = f"for {occasion.performer.first_name.lower()}"
    asked = not any(NOT_ASKED.search(one.text) for one in said) and any(
        REQUESTED.search(one.text) or whose in one.text for one in said
    )
    found.read_note(said, asked)
    results = []
    for condition in occasion.conditions:
        told = found.places[condition.errand]
        if condition.kind == "request":
            quote = found.asked.get(condition.errand, "")
        else:
            quote = told.quote if told.right else ""
        results.append(Finding(condition, bool(quote), quote))
    return tuple(results)


def _finding(occasion: Occasion, condition: Condition, said: tuple[Said, ...]) -> Finding:
    match condition.kind:
        case "time told":
            quote = _time(occasion, said)
        case "time agreed":
            quote = _time_agreed(occasion, said)
        case "place told":
            quote = _place(occasion, condition.place, said)
        case "place agreed":
            quote = _place_agreed(occasion, said)
        case _:
            quote = _invited(occasion, said)
    return Finding(condition, bool(quote), quote)


def _invited(occasion: Occasion, said: tuple[Said, ...]) -> str:
    if not any(one.about for one in said):
        return ""
    if occasion.task.type == "appointment" and not any(BUSY.search(one.text) for one in said):
        them = rf"\b(?:me|my|i|we|us|with {occasion.performer.first_name.lower()})\b"
        both = next((one.quote for one in said if one.about and re.search(them, one.text)), "")
        if both:
            return both
    together = re.compile(rf"\bwith {occasion.performer.first_name.lower()}\b|\bi'm on \w+'s\b")
    joined = next((one.quote for one in said if one.about and together.search(one.text)), "")
    if joined:
        return joined
    return next((one.quote for one in said if ASKED.search(one.text)), "")


def _days(occasion: Occasion, said: tuple[Said, ...]) -> list[date]:
    today = occasion.now.date()
    return [
        day.date
        for one in said
        for day in days_in(one.text, today)
        if not denied(one.text, day.span)
        and not elsewhere(one.sentence.clause_at(day.span[0]), one.about)
        and not unfit(one.sentence.clause_at(day.span[0]))
    ]


def _right_day(occasion: Occasion, said: tuple[Said, ...], with_hour: Said) -> bool:
    """The day said beside the hour, else any day of the note, else today."""
    days = _days(occasion, (with_hour,)) or _days(occasion, said) or [occasion.now.date()]
    return occasion.task.day in days


def _time(occasion: Occasion, said: tuple[Said, ...]) -> str:
    start = minutes_of(occasion.task.start)
    told = Told()
    for one in said:
        opens = OPEN.search(one.text)
        if UNKNOWN.search(one.text) or (
            opens and (ABOUT_TIME.search(one.text) or hours_in(one.text))
        ):
            told.undo()
            continue
        hours = hours_of(one.sentence, one.about)
        if hours:
            right = any(hour.is_at(start) for hour in hours)
            told.say(right and _right_day(occasion, said, one), one.quote, changes=False)
    return told.quote if told.right else ""


def _time_agreed(occasion: Occasion, said: tuple[Said, ...]) -> str:
    said_yes = any(YES.search(one.text) for one in said)
    quote, wished, denied_ = "", False, False
    for one in said:
        hours = hours_of(one.sentence, one.about)
        if hours and _right_day(occasion, said, one) and (said_yes or not HEARSAY.search(one.text)):
            quote = one.quote
            wished = bool(WISH_ONLY.search(one.text)) and not YES.search(one.text)
        about_place = ABOUT_PLACE.search(one.text) or (one.places and not hours)
        if NO_YES.search(one.text) and not about_place:
            denied_ = not (hours and AGREED.search(one.text))
    if denied_ or (wished and not said_yes):
        return ""
    return quote


def _place(occasion: Occasion, goal: str, said: tuple[Said, ...]) -> str:
    if not any(one.about or ASKED.search(one.text) for one in said):
        return ""
    place = PlaceTold(occasion, goal)
    for one in said:
        if GOES.search(one.text) and not one.about:
            continue
        for right, quote in place.values(one):
            place.place.say(right, quote, changes=False)
        if OPEN.search(one.text) and (
            ABOUT_PLACE.search(one.text) or (place.values(one) and not ABOUT_TIME.search(one.text))
        ):
            place.place.undo()
    return place.place.quote if place.met else ""


def _place_agreed(occasion: Occasion, said: tuple[Said, ...]) -> str:
    if not any(one.about or ASKED.search(one.text) for one in said):
        return ""
    quote, wished, unsure = "", False, False
    for one in said:
        place = _fit_place(occasion, one)
        opens = OPEN.search(one.text) or NO_PLACE.search(one.text)
        of_place = ABOUT_PLACE.search(one.text) and not ABOUT_TIME.search(one.text)
        if opens and (place or of_place):
            return ""
        if place and not HEARSAY.search(one.text):
            quote = quote or one.quote
            wished = bool(WISH_ONLY.search(one.text)) and not YES.search(one.text)
        if _SAYS_NO.search(one.text):
            return ""
        if NO_YES.search(one.text) and not hours_in(one.text) and not ABOUT_TIME.search(one.text):
            unsure = wished and not place
    return "" if unsure else quote


def _fit_place(occasion: Occasion, one: Said) -> bool:
    """Whether a sentence names a place to meet at: not where they ran into each other."""
    named = definite(one)
    if named is None:
        return bool(meant_places(occasion, one))
    clause = one.sentence.clause_at(named[1][0])
    return not (MET.search(clause) or elsewhere(clause, one.about))
