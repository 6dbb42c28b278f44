"""Whether a note says that an hour or a place was agreed on, as a stranger reads it."""

from __future__ import annotations

from datetime import date

from sociolab.worlds.stss.talk.findings import Occasion
from sociolab.worlds.stss.talk.rules.acts import ABOUT_PLACE, ABOUT_TIME, OPEN
from sociolab.worlds.stss.talk.rules.agreed_spots import spot
from sociolab.worlds.stss.talk.rules.attaching import denied, elsewhere, hours_of, unfit
from sociolab.worlds.stss.talk.rules.clock_words import hours_in
from sociolab.worlds.stss.talk.rules.day_words import days_in
from sociolab.worlds.stss.talk.rules.note_words import (
    AGREED,
    HEARSAY,
    MET,
    NO_PLACE,
    NO_YES,
    UNKNOWN,
    WISH_ONLY,
    YES,
)
from sociolab.worlds.stss.talk.rules.patterns import Pattern, Phrases
from sociolab.worlds.stss.talk.rules.reading import Said
from sociolab.worlds.stss.talk.rules.sites import meant_places

_SAYS_NO = Phrases(
    r"\b(?:lost cause|not a chance|no chance|too \w+ to (?:reply|answer)|before i could|to refuse"
    r"|(?:said|say|told (?:him|her"
    r"|them)) no\b|declined|refused|(?:had|have) to decline"
    r"|turned (?:it|him|her) down)"
)
# What was put off, in the words of who put it off.
_LEFT_OPEN = Phrases(
    r"\bsleep on (?:it|that)\b|\b(?:we'll|we shall|we will|i'll|i shall) see(?=[.,;!]|$)"
    r"|\bsee (?:how|what|whether|if|when|where)\b"
    r"|\b(?:nothing|not|never|hasn't|isn't|wasn't|without)(?: \w+){0,3} "
    r"(?:settled|fixed|agreed|decided|promis\w+|arranged|firm|settling|fixing|final|definite)\b"
    r"|\b(?:settled|fixed|promised|agreed|decided|arranged) (?:on )?nothing\b|\bno promises?\b"
    r"|\b(?:my|a|any|an|no|give) (?:definite |clear |firm )?(?:word|answer|reply)\b"
    r"|\b(?:told|asked|said to|bade) (?:him|her|them|\w+) (?:to|he must|she must|not to) "
    r"(?:ask|leave|send|come back|try|see me|catch|plan|count|rely|wait|put it|write|remind)\b"
    r"|\b(?:not|hardly|isn't) (?:very )?likely\b|\bunlikely\b|\bdoubt\w*\b|\bundecided\b"
    r"|\b(?:left|leave|leaving|kept|keep) (?:it|that|him|her|them|things|the \w+)? ?(?:\w+ )?"
    r"(?:open|hanging|at that|waiting|unanswered|unsettled)\b|\bask(?:s|ing|ed)? (?:me )?again\b"
    r"|\b(?:put|putting) (?:him|her|them|it) off\b|\bcommit(?:ted)?\b|\bnon-?committal\b"
    r"|\b(?:let|tell) (?:him|her|them) (?:know|tomorrow|later|when|whether|if|then|in the)\b"
    r"|\b(?:i'd|i would|i'll|i|must|have to|had to|need to|want to) (?:\w+ )?(?:look|check|think"
    r"|ask"
    r"|see|finish|go through)\b[^.;]*\bfirst\b|\blook (?:at|in|through) my (?:week|diary|calendar"
    r"|timetable|hours|book)\b"
    r"|\b(?:only )?if (?:i|(?:my|the) \w+) (?:can|get|gets|finish|manage|allows?|lets?|permits?)\b"
    r"|\b(?:left|put|leave|putting) (?:it|that|him|her|them) (?:off )?(?:until|till|for (?:later"
    r"|now))\b"
    r"|\b(?:isn't|not|wasn't) (?:really |quite )?for me\b|\btold (?:him|her|them) so\b"
    r"|\bi'm (?:on duty|at work|working|teaching|busy|away|booked)\b"
    r"|\bif (?:i'm (?:back|free|done|not|up|able|there|around)|there's time|nothing)\b"
    r"|\b(?:stayed|stuck) with my no\b|\bwhen it (?:fits|suits)\b|\bone of these days\b"
    r"|\bto be (?:settled|fixed|decided|agreed)\b|\bstill (?:open|undecided|to (?:settle|fix"
    r"|find))\b"
)
# A place that is only one of the wishes: "perhaps in the music room".
_PERHAPS = Phrases(
    r"\b(?:perhaps|maybe|possibly|might|either|somewhere like|or wherever|(?:whose"
    r"|which) \w+ (?:it|we)"
    r"|(?:we'll|we|to|must) (?:decide|choose|pick))\b"
)
_COMES = Phrases(
    r"\b(?:he|she|they|[a-z]+) (?:comes|is coming|sits|visits|drops in|expects me|picks me up)\b"
)
_PERHAPS_IN = Pattern(r"(?:perhaps|maybe) (?:in|at|on) (?:the|my|his|her|our|their)\b")
_IS_HERE = Phrases(r"\b(?:my|his|her|their) \w+ (?:is|are|was|were) here\b")
# Who is sent on to another has been declined.
_SENT_ON = Phrases(
    r"\b(?:sent|send|sending|referred|passed) (?:him|her|them) (?:to|on|away|off|over)\b"
    r"|\bi have to be \w+(?: \w+)? then\b|\btoo \w+ to (?:settle|fix|decide|agree|promise)\b"
    r"|^(?:i )?(?:went|stayed|slept)\b[^.]*\b(?:instead|back|on|in bed)\b|\bwe'd see\b|\bof (?:a"
    r"|some) place\b|\btold (?:him|her|them) (?:he|she|they) (?:just |only )?(?:has|have|had)"
    r" (?:just |only )?to (?:say|ask)\b"
)
_DECLINES = Phrases(r"\b(?:can't|cannot|couldn't|won't|declined|refused|no)\b")
# What the one who proposed has still to do with others does not undo a yes.
_OTHERS = Phrases(
    r"\b(?:he|she|they)(?:'ll| will| still has to| still have to| has to| have to| must"
    r"| wants to)? "
    r"(?:ask|tell|see|find|check|ring|look)\w*\b"
)
# What settles it, whatever else is still to be asked.
_SAID_YES = Phrases(
    r"\b(?:(?<!n't )(?<!not )(?<!never )said yes|agreed(?! nothing)(?! on nothing)|accepted"
    r"|settled (?:on|for)|fixed (?:on|for|it)"
    r"|i'm in\b(?! (?:the|a|two)\b)|i(?:'m| am) (?:coming|going|sitting|joining|playing|expected)"
    r"|said (?:that )?(?:i'd|i would|i'll) (?:come|be there|join|play|do it|sit|go)"
    r"|promised (?:to|i'd)|talked (?:me )?into|told (?:him|her|them) yes|i'll be there)\b"
)


def right_day(occasion: Occasion, said: tuple[Said, ...], with_hour: Said) -> bool:
    """The day said beside the hour, else any day of the note, else today."""
    days = (
        _beside(occasion, with_hour)
        or _days(occasion, (with_hour,))
        or _days(occasion, said)
        or [occasion.now.date()]
    )
    return occasion.task.day in days


def time_in_note(occasion: Occasion, said: tuple[Said, ...]) -> str:
    """The words for an hour that was agreed on, ""; the last that is said of it counts."""
    said_yes = any(YES.search(one.text) for one in said)
    quote, wished, off, agreed = "", False, False, False
    for one in said:
        if UNKNOWN.search(one.text):
            off = True
            continue
        hours = hours_of(one.sentence, one.about)
        agreed = agreed or bool(hours and _SAID_YES.search(one.text))
        if hours and right_day(occasion, said, one) and (said_yes or not HEARSAY.search(one.text)):
            quote = one.quote
            wished = bool(WISH_ONLY.search(_headed(one.text))) and not _arranged(one)
        if _hour_open(one) and not (agreed and _OTHERS.search(one.text)):
            off = not (_SAID_YES.search(one.text) or (hours and AGREED.search(one.text)))
    return "" if off or (wished and not said_yes) else quote


def _headed(text: str) -> str:
    """What a sentence says behind a heading: "Kavya wants no mercy: exam tomorrow at three"."""
    head, mark, rest = text.partition(": ")
    return rest if mark and hours_in(rest) and not hours_in(head) else text


def _arranged(one: Said) -> bool:
    """Whether a sentence has a yes in it, or says what will be: "so he comes to me at five"."""
    return bool(YES.search(one.text) or _COMES.search(one.text))


def _hour_open(one: Said) -> bool:
    """Whether a sentence leaves more open than the place: "She'll tell me where" does not."""
    found = NO_YES.search(one.text) or _LEFT_OPEN.search(one.text)
    of_place = one.places and not hours_in(one.text) and not _DECLINES.search(one.text)
    if found is None or of_place or _PERHAPS_IN.match(one.text, found.start()):
        return False
    return not ABOUT_PLACE.search(one.sentence.clause_at(found.start()))


def place_in_note(occasion: Occasion, said: tuple[Said, ...]) -> str:
    """The words for a place that was agreed on, ""; the hour may be open."""
    quote, wished, unsure = "", False, False
    for one in said:
        place = _fit_place(occasion, one)
        opens = OPEN.search(one.text) or NO_PLACE.search(one.text)
        of_place = ABOUT_PLACE.search(one.text) and not ABOUT_TIME.search(one.text)
        if opens and (place or of_place):
            return ""
        if place and not (HEARSAY.search(one.text) or _PERHAPS.search(one.text)):
            quote = quote or one.quote
            wished = bool(WISH_ONLY.search(one.text)) and not YES.search(one.text)
        if any(words.search(one.text) for words in (_SAYS_NO, _SENT_ON)) or _puts_off_all(one):
            return ""
        if NO_YES.search(one.text) and not _of_time(one):
            unsure = wished and not place
    return "" if unsure else quote


def _puts_off_all(one: Said) -> bool:
    """Whether a sentence leaves more than the hour open."""
    if _of_time(one) or _SAID_YES.search(one.text):
        return False
    return bool(_LEFT_OPEN.search(one.text))


def _of_time(one: Said) -> bool:
    return bool(hours_in(one.text) or ABOUT_TIME.search(one.text))


def _fit_place(occasion: Occasion, one: Said) -> bool:
    """Whether a sentence names a place to meet at: not where they ran into each other."""
    named = spot(one)
    if named is None:
        return bool(meant_places(occasion, one)) and not _IS_HERE.search(one.text)
    clause = one.sentence.clause_at(named[1][0])
    return not (MET.search(clause) or elsewhere(clause, one.about))


def _beside(occasion: Occasion, one: Said) -> list[date]:
    """The days in the clauses of the hours: "on Wednesday at four, as I'm away tomorrow"."""
    clauses = {one.sentence.clause_at(hour.span[0]) for hour in hours_in(one.text)}
    today = occasion.now.date()
    found = [day for day in days_in(one.text, today) if not denied(one.text, day.span)]
    near = [day.date for day in found if one.sentence.clause_at(day.span[0]) in clauses]
    return near if len(clauses) == 1 else []


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
