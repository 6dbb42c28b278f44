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
from sociolab.worlds.stss.talk.rules.reading import Said, matter, said_one
from sociolab.worlds.stss.talk.rules.sentences import sentences
from sociolab.worlds.stss.talk.rules.sites import definite, meant_places
from sociolab.worlds.stss.talk.rules.telling import Told
from sociolab.worlds.stss.talk.rules.told_place import PlaceTold

_ASKED = re.compile(
    r"\b(?:invit\w+|ask(?:ed|s|ing)|want(?:s|ed)? (?:me|us|my|our|to)|would (?:like|love)"
    r"|like[sd]? (?:me|us)"
    r"|love[sd]? (?:me|us)|welcome|hop(?:es|ed|ing)|i(?:'m| am| was) (?:going|to\b|invited|asked"
    r"|supposed|expected|joining|coming|meeting|playing|sitting|helping|seeing|bringing|welcome"
    r"|in\b"
    r"|taking|wanted|one of)|i(?:'ll| will| shall| plan| intend| agreed| accepted| promised| said"
    r"| told| can| can't| could| may| might| must| declined| refused| hope| need| have to"
    r"|'ve agreed"
    r"|'ve promised)\b|and i (?:will|are|agreed|have|meet|settled|plan|can|'ll|said)\b|join\w*"
    r"|come\b|if i (?:came|would|could|might|wanted|fancied)|meet(?:ing)?\b|agreed|we(?:'re|'ll"
    r"| are| will| agreed"
    r"| settled| have| plan)\b|told to\b|me (?:to|and|for|in|at|on|there)\b|interview me|for me\b"
    r"|got me"
    r"|put me|me into|persuaded me|talked me|roped"
    r"|i'm (?:having|doing|down|part|signed|on (?:the|her|his)|\w+ing)\b"
    r"|sign(?:ed)? (?:me )?up|see you|proposed|suggested|offered|told me (?:to|i)|let me know"
    r"|count(?:s"
    r"|ing)? on me|looking for|should (?:come|be|manage|go|do))\b|\b(?:with|by) (?:me|us)\b"
)
_BUSY = re.compile(
    r"\b(?:busy|worn out|exhausted|buried|stressed|in a hurry|complained|preparing|worried|swamped"
    r"|rushed off|snowed under|up to (?:his|her) (?:ears|neck|eyes))\b"
)
_REQUESTED = re.compile(
    r"(?:agreed|promised|have|had) to\b|i'm \w+ing\b|errand|(?:^|: |- )(?:buy|fetch|collect|pick"
    r"|get|bring|take|drop|hand|deliver|go)\b|\b(?:ask(?:ed"
    r"|s)|i(?:'m| am) to\b|i promised|i(?:'ll| will| agreed| said| can| can't|'ve agreed"
    r"| told| must| should| need| have to|'m going| was asked| refused| declined| offered| take)\b"
    r"|wants? me|want(?:s|ed)? (?:me|somebody|someone)|would like me|needs? (?:me|somebody"
    r"|someone|my"
    r" help|help)|hop(?:es|ed|ing) i|begged|wanted me|for (?:him|her|them|[a-z]+ (?:today"
    r"|tomorrow))\b|me to\b|help|favou?r|to do"
    r"|errands?|could i|if i|whether i|please|let me|got me|roped me|has me|sent me|sends me)\b"
)
_NO_PLACE = re.compile(
    r"\b(?:tell|know|say|said|forgot|settled|decided?|sure|find|ask|clear|agreed?|remember|open"
    r"|out)"
    r" (?:\w+ )?(?:exactly )?where\b|\bwherever\b|\bwhere (?:to|we'll|we will|is open|exactly)\b"
)
_HEARSAY = re.compile(
    r"\b(?:according to|heard|(?!i\b)\w+ (?:says|said|thinks|told (?:me|him|her|them)) (?:it|that)"
    r"|mentioned|rumou?r|had (?:told|heard))\b"
)
_AGREED = re.compile(r"\b(?:agreed|settled|fixed|decided) (?:on|for|to)\b")
_NO_YES = re.compile(
    r"\b(?:maybe|perhaps|i(?:'ll| will| must| have to| need to| shall| am to|'m to| should"
    r"| can)? ?(?:\w+ )?"
    r"(?:let (?:him|her|them) know|think|see|check|look in my|ask|tell (?:him|her|them))\b"
    r"|think (?:it|about)|not sure|(?:said|told (?:him|her|them)) (?:no|maybe|perhaps|i (?:can't"
    r"|couldn't|might|may|would (?:try|see|think))|that i (?:can't|couldn't|might|may))"
    r"|(?:can't|couldn't|cannot|won't|unable to) (?:come|go|make|join|be|do|play|manage|help)"
    r"|\bdeclined|had to (?:say no|decline|refuse)|turned (?:it|him|her) down|(?:didn't|haven't"
    r"|did not"
    r"|have not|hadn't|never) (?:yet )?(?:answer|agree|said|say|promise|decide|settle|fix|reply"
    r"|get)"
    r"|depends|might|no promise|get(?:ting)? back to|got back to|think it over|thinking (?:it"
    r"|about)|will think|going to think"
    r"|(?:he|she|they)(?:'ll| will) (?:let me know|tell me|think)|left (?:it|that) open"
    r"|still (?:open"
    r"|have to|has to))\b"
)
_WISH_ONLY = re.compile(
    r"\b(?:suggest(?:ed|s)|propos(?:ed|es)|want(?:s|ed)|would like|offered|asked|thought of"
    r"|had in mind"
    r"|mentioned)\b"
)
_YES = re.compile(
    r"\b(?:agreed|settled|i(?:'ll| will| shall) (?!(?:let|think|see|check|tell|ask|try))"
    r"|said (?:yes|i(?:'d|"
    r" would)|that i(?:'d| would))|we(?:'re| are|'ll| will)\b|promised|accepted|i'm (?:going"
    r"|meeting"
    r"|joining|playing|in\b|sitting|coming|to\b|seeing|expected)|i am (?:going|meeting|to\b)"
    r"|meet(?:ing)?"
    r"|fixed|deal|said (?:fine|ok|sure)|told (?:him|her|them) (?:yes|i(?:'d| would))"
    r"|and i (?:will|are|and)"
    r"|i can|i plan|looking forward|i'd (?:be|come)|works for|suits|will (?:interview|meet|play"
    r"|do|draw"
    r"|paint|go|sit|review|rehearse)|\w+ and i)\b"
)


def findings_in_note(occasion: Occasion, note: str) -> tuple[Finding, ...]:
    """One finding for each condition, in order; a quote is a word-for-word part of the note."""
    about = matter(occasion.task)
    said = tuple(
        said_one(occasion, about, False, 0, one) for one in sentences(note) if one.text.strip()
    )
    if occasion.task.type == "asking for help":
        return _of_help(occasion, said)
    return tuple(_finding(occasion, one, said) for one in occasion.conditions)


def _of_help(occasion: Occasion, said: tuple[Said, ...]) -> tuple[Finding, ...]:
    found = Help(occasion)
    asked = any(_REQUESTED.search(one.text) for one in said)
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
    if occasion.task.type == "appointment" and not any(_BUSY.search(one.text) for one in said):
        them = rf"\b(?:me|my|i|we|us|with {occasion.performer.first_name.lower()})\b"
        both = next((one.quote for one in said if one.about and re.search(them, one.text)), "")
        if both:
            return both
    return next((one.quote for one in said if _ASKED.search(one.text)), "")


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
        if opens and (ABOUT_TIME.search(one.text) or hours_in(one.text)):
            told.undo()
            continue
        hours = hours_of(one.sentence, one.about)
        if hours:
            right = any(hour.is_at(start) for hour in hours)
            told.say(right and _right_day(occasion, said, one), one.quote, changes=False)
    return told.quote if told.right else ""


def _time_agreed(occasion: Occasion, said: tuple[Said, ...]) -> str:
    quote, wished, denied_ = "", False, False
    for one in said:
        hours = hours_of(one.sentence, one.about)
        if hours and _right_day(occasion, said, one) and not _HEARSAY.search(one.text):
            quote = one.quote
            wished = bool(_WISH_ONLY.search(one.text)) and not _YES.search(one.text)
        about_place = ABOUT_PLACE.search(one.text) or (one.places and not hours)
        if _NO_YES.search(one.text) and not about_place:
            denied_ = not (hours and _AGREED.search(one.text))
    said_yes = any(_YES.search(one.text) for one in said)
    if denied_ or (wished and not said_yes):
        return ""
    return quote


def _place(occasion: Occasion, goal: str, said: tuple[Said, ...]) -> str:
    place = PlaceTold(occasion, goal)
    for one in said:
        for right, quote in place.values(one):
            place.place.say(right, quote, changes=False)
        if OPEN.search(one.text) and ABOUT_PLACE.search(one.text):
            place.place.undo()
    return place.place.quote if place.met else ""


def _place_agreed(occasion: Occasion, said: tuple[Said, ...]) -> str:
    quote, wished, unsure = "", False, False
    for one in said:
        place = definite(one) or meant_places(occasion, one)
        opens = OPEN.search(one.text) or _NO_PLACE.search(one.text)
        of_place = ABOUT_PLACE.search(one.text) and not ABOUT_TIME.search(one.text)
        if opens and (place or of_place):
            return ""
        if place and not _HEARSAY.search(one.text):
            quote = quote or one.quote
            wished = bool(_WISH_ONLY.search(one.text)) and not _YES.search(one.text)
        if _NO_YES.search(one.text) and not hours_in(one.text) and not ABOUT_TIME.search(one.text):
            unsure = wished and not place
    return "" if unsure else quote
