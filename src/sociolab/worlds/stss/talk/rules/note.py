"""What the other noted of a talk, read by rules: the note alone tells, as a stranger reads it."""

from __future__ import annotations

import re

from sociolab.town.scripted.when import minutes_of
from sociolab.worlds.stss.talk.conditions import Condition
from sociolab.worlds.stss.talk.findings import Finding, Occasion
from sociolab.worlds.stss.talk.rules.acts import ABOUT_PLACE, ABOUT_TIME, OPEN
from sociolab.worlds.stss.talk.rules.agreed_in_note import (
    place_in_note,
    right_day,
    time_in_note,
)
from sociolab.worlds.stss.talk.rules.attaching import hours_of
from sociolab.worlds.stss.talk.rules.clock_words import hours_in
from sociolab.worlds.stss.talk.rules.day_words import days_in
from sociolab.worlds.stss.talk.rules.help_noted import HelpNoted
from sociolab.worlds.stss.talk.rules.note_words import (
    ANSWERED,
    ASKED,
    BUSY,
    GOES,
    HEARD,
    IMPERSONAL,
    IN_PASSING,
    MENTIONED,
    NOT_ASKED,
    OWN_WORDS,
    REQUESTED,
    STANCE,
    TAKEN_UP,
    UNKNOWN,
)
from sociolab.worlds.stss.talk.rules.parts import jobs_in
from sociolab.worlds.stss.talk.rules.reading import (
    Said,
    last_named,
    matter,
    said_one,
    third_persons,
)
from sociolab.worlds.stss.talk.rules.sentences import sentences
from sociolab.worlds.stss.talk.rules.taken_as_asked import only_some_day
from sociolab.worlds.stss.talk.rules.telling import Told
from sociolab.worlds.stss.talk.rules.told_place import PlaceTold


def findings_in_note(occasion: Occasion, note: str) -> tuple[Finding, ...]:
    """One finding for each condition, in order; a quote is a word-for-word part of the note."""
    about = matter(occasion.task)
    them, others = occasion.performer.first_name.lower(), third_persons(occasion)
    said = tuple(
        said_one(occasion, about, False, 0, one, (last_named(others, one.text), them))
        for one in sentences(note)
        if one.text.strip()
    )
    if occasion.task.type == "asking for help":
        return _of_help(occasion, said)
    return tuple(_finding(occasion, one, said) for one in occasion.conditions)


def _writer_does(found: HelpNoted, one: Said) -> bool:
    """Whether a sentence has an errand of which nobody else is said to do it."""
    errand = bool(jobs_in(found.jobs, one)) or (one.about and bool(one.places))
    return errand and not IMPERSONAL.search(one.text)


def _of_help(occasion: Occasion, said: tuple[Said, ...]) -> tuple[Finding, ...]:
    found = HelpNoted(occasion)
    whose = f"for {occasion.performer.first_name.lower()}"
    # An errand in a note is the writer's; only what is said without anybody doing it needs more.
    asked = not any(NOT_ASKED.search(one.text) for one in said) and any(
        REQUESTED.search(one.text) or whose in one.text or _writer_does(found, one) for one in said
    )
    found.read_note(said, asked)
    results = []
    for condition in occasion.conditions:
        if condition.kind == "request":
            quote = found.requests.get(condition.errand, "")
        else:
            quote = found.told(condition.errand)
        results.append(Finding(condition, bool(quote), quote))
    return tuple(results)


def _finding(occasion: Occasion, condition: Condition, said: tuple[Said, ...]) -> Finding:
    match condition.kind:
        case "time told":
            quote = _time(occasion, said)
        case "time agreed":
            quote = time_in_note(occasion, said)
        case "place told":
            quote = _place(occasion, condition.place, said)
        case "place agreed":
            quote = place_in_note(occasion, said) if _of_matter(said) else ""
        case _:
            if occasion.task.type == "appointment":
                said = tuple(one for one in said if not only_some_day(one.text))
            quote = _invited(occasion, said)
    return Finding(condition, bool(quote), quote)


def _invited(occasion: Occasion, said: tuple[Said, ...]) -> str:
    if not any(one.about for one in said):
        return ""
    if occasion.task.type == "appointment" and (both := _of_both(occasion, said)):
        return both
    together = re.compile(rf"\bwith {occasion.performer.first_name.lower()}\b|\bi'm on \w+'s\b")
    joined = next((one.quote for one in said if one.about and together.search(one.text)), "")
    if joined:
        return joined
    if _only_mentioned(said) or _only_wished(occasion, said):
        return ""
    answered = next(
        (one.quote for one in said if ASKED.search(one.text) or STANCE.search(one.text)), ""
    )
    if answered or occasion.task.type == "appointment":
        return answered
    # Who notes an event with words of their own was to come to it, unless it keeps others busy.
    busy = any(BUSY.search(one.text) for one in said)
    event = any(OWN_WORDS.search(one.text) or _jotted(occasion, one) for one in said)
    return "" if busy or not event else next(one.quote for one in said if one.about)


def _of_both(occasion: Occasion, said: tuple[Said, ...]) -> str:
    """The words that put the matter to the writer and the performer, ""."""
    name = occasion.performer.first_name.lower()
    them = re.compile(
        rf"\b(?:me|my|i|we|us|(?:with|for) {name})\b|^{name}[,:]"
        rf"|\b{name} (?:wants|wanted|would like|asks for|is after|hopes for)\b"
        rf"|\b(?:{name}|he|she)(?:'s| is|'ll| will)? (?:com(?:es|ing|e)|expect(?:s|ing)?) "
    )
    for one in said:
        heard = HEARD.search(one.text) and one.third[0]
        if not one.about or heard or BUSY.search(one.text) or IN_PASSING.search(one.text):
            continue
        if them.search(HEARD.compiled.sub("", one.text)):
            return one.quote
    return ""


def _jotted(occasion: Occasion, one: Said) -> bool:
    """Whether an event is jotted down like a date: "Gwen's quiz, tomorrow at eight"."""
    name = occasion.performer.first_name.lower()
    does = r"(?:'s \w+ing| (?:is|was|has|holds|runs|will)\b)"
    news = re.search(rf"\b(?:{name}|he|she){does}", one.text)
    return one.about and _dated(occasion, one) and news is None


def _only_mentioned(said: tuple[Said, ...]) -> bool:
    """Whether the matter was only spoken of: "She mentioned some quiz; I put her off"."""
    by_the_way = any(
        one.about and (MENTIONED.search(one.text) or IN_PASSING.search(one.text)) for one in said
    )
    return by_the_way and not any(TAKEN_UP.search(one.text) for one in said)


def _only_wished(occasion: Occasion, said: tuple[Said, ...]) -> bool:
    """Whether somebody has a mind to do it on no day, and the writer has not said if it comes."""
    if occasion.task.type == "appointment" or any(_dated(occasion, one) for one in said):
        return False
    return not any(ANSWERED.search(one.text) or STANCE.search(one.text) for one in said)


def _dated(occasion: Occasion, one: Said) -> bool:
    return bool(days_in(one.text, occasion.now.date()) or hours_in(one.text))


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
            told.say(right and right_day(occasion, said, one), one.quote, changes=False)
    return told.quote if told.right else ""


def _place(occasion: Occasion, goal: str, said: tuple[Said, ...]) -> str:
    if not _of_matter(said):
        return ""
    place = PlaceTold(occasion, goal)
    for one in said:
        if GOES.search(one.text) and not one.about:
            continue
        for right, quote in place.values(one):
            place.place.say(right, quote, changes=False)
        if OPEN.search(one.text) and (
            ABOUT_PLACE.search(one.text)
            or (any(right for right, _ in place.values(one)) and not ABOUT_TIME.search(one.text))
        ):
            place.place.undo()
    return place.place.quote if place.met else ""


def _of_matter(said: tuple[Said, ...]) -> bool:
    return any(one.about or ASKED.search(one.text) for one in said)
