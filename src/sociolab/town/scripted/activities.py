"""What is to be done, found in words: events, company sought, meetings and errands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sociolab.town.scripted.when import Span

Shape: TypeAlias = Literal["", "event", "companions", "meeting", "errand"]


@dataclass(frozen=True, slots=True)
class Chore:
    """One of the steps of an errand, such as "pick up flour", and where ("" if unsaid)."""

    what: str
    place: str = ""


_LEADS_IN = re.compile(
    r"(?:\b(?:at|on|in|from|to|by|around|about|until|till|of|sometime|some time)\s+){0,3}"
    r"(?:the\s+)?$",
    re.IGNORECASE,
)
_STOP = (
    r"(?=\s*(?:\||[.,;:!?()\"]|$|\bat\b|\bwith (?:me|us|you|somebody|someone|him|her|them)\b"
    r"|\btogether\b|\band (?:hopes?|i|you|we|would|will|then|it|everyone|they|bring|invites?|asks?"
    r"|wants?|needs?)\b|\bso\b|\bbut\b|\bbecause\b|\bif\b|\bwhich\b|\bthat\b|\bwhere\b|\bwho\b"
    r"|\bsome ?time\b|\bwould\b|\bwill\b|\bis\b|\bstarts?\b|\bwhen\b|\bas well\b|\btoo\b))"
)
_ACT = r"([\w'-][^|.,;:!?()]*?)"
_THE = r"(?:an?|the|my|our|his|her|their|some|this) "

_EVENT = tuple(
    re.compile(pattern + _ACT + _STOP, re.IGNORECASE)
    for pattern in (
        r"\b(?:hold|host|organi[sz]e|throw|put on|arrange|give|set up|run|plan|stage|have|having)"
        rf"(?:ing|s)? {_THE}",
        r"\b(?:holding|hosting|organi[sz]ing|throwing|putting (?:on|together)|arranging|giving|"
        rf"setting up|running|planning|staging) {_THE}",
        rf"\b(?:invit\w+ (?:[\w']+ ){{0,3}}?(?:to|for)|(?:come|coming|came)(?: along)? to"
        r"|(?:take|taking|takes|took) part in|(?:join|joining|joins) (?:me |us |them )?"
        r"(?:for |at |in )?|(?:attend|attending|attends)"
        rf"|(?:audience|guests|players|people|visitors) for|name the activity:|go to|going to"
        rf"|told (?:[\w']+ ){{1,4}}?about|be (?:there for|part of)) ?{_THE}",
        rf"\bthere(?:'s| is| will be)(?: going to be)? {_THE}",
        rf"\b(?:name|mention|announce) {_THE}(?:activity:? (?:the |an? )?)?",
        rf"\b(?:enjoying|happy about|looking forward to|is about) {_THE}",
    )
)
_MEETING = tuple(
    re.compile(pattern + _ACT + _STOP, re.IGNORECASE)
    for pattern in (r"\bmeet(?:ing|s)?\b(?! new).{0,90}? (?:to|for|about) (?:the )?(?=\w)",)
)
_COMPANIONS = tuple(
    re.compile(pattern + _ACT + _STOP, re.IGNORECASE)
    for pattern in (
        r"\b(?:company|partners?|companions?|somebody|someone|people|anyone|others|friends)"
        r" (?:for|to) ",
        r"\b(?:join (?:me|us) (?:for|in)|invit\w+ (?:[\w']+ ){0,3}?(?:to|for)|feel like"
        r"|interested in"
        r"|thinking of|keep me company(?: for| while)?) ",
        r"\b(?:would you (?:like|care|love)|do you want|fancy|shall we|let's|let us|care|want to)"
        r"(?: to)?(?: come)? ",
    )
)
NOMINAL = ("evening", "class", "circle", "club", "session", "hour", "night", "workshop", "morning",
           "party", "contest", "competition", "lesson", "course", "group")  # fmt: skip
"""What makes a noun of the word in -ing before it: a stretching class is not stretching."""
_GERUND = re.compile(
    r"(?!evening|morning|upcoming|interesting|spring)[a-z]{2,}ing "
    rf"(?!(?:{'|'.join(NOMINAL)})\b)"
)
# Words that begin no activity of their own: what follows "would you like to ..." and the like.
_EMPTY = re.compile(
    r"^(?:come|coming|join|joining|be|know|hear|help|meet|meeting|tell|take part|taking part|see"
    r"|attend|go there|do (?:it|that|so)|it|that|this|there|invite|you|me|us|say|make it|have you"
    r"|get|know|talk$|chat|look|nice|good|great|lovely|pleasant|happy"
    r"|drop by|participate|ask|just|one|all|the same)\b",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s+(?:with|at|on|in|for|and|to|of|the|a|by|around|from|tomorrow|today)$|\s+$", re.IGNORECASE
)


def masked(words: str, spans: tuple[Span, ...]) -> str:
    """The words with each span, and the prepositions that lead to it, made a bar."""
    text = words
    for start, end in sorted(spans, reverse=True):
        lead = _LEADS_IN.search(text[:start])
        begin = lead.start() if lead else start
        text = f"{text[:begin]} | {text[end:]}"
    return text


def activity_in(text: str) -> tuple[Shape, str]:
    """The kind and the words of the activity spoken of, or two empty strings."""
    if "meet" in text:
        for found in _hits(_MEETING, text, ("help", "talk", "chat")):
            return "meeting", found
    for found in _hits(_EVENT, text):
        return ("companions" if _gerund(found) else "event"), found
    for found in _hits(_COMPANIONS, text):
        return "companions", found
    return "", ""


def _hits(
    patterns: tuple[re.Pattern[str], ...], text: str, also: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """What the patterns find, but for words that are no activity; `also` may begin one here."""
    found = []
    for pattern in patterns:
        for match in pattern.finditer(text):
            activity = trimmed(match[1])
            if activity and (activity.startswith(also) or not _EMPTY.match(activity)):
                found.append(activity)
    return tuple(found)


def trimmed(phrase: str) -> str:
    """A phrase without an article before it and small words after it."""
    return trimmed_end(
        re.sub(r"^(?:an?|the|my|our|some) ", "", phrase.strip(), flags=re.IGNORECASE)
    )


def trimmed_end(phrase: str) -> str:
    """A phrase without small words after it, its articles kept."""
    words = phrase.strip()
    while (shorter := _TAIL.sub("", words)) != words:
        words = shorter
    return words[:120].strip()


def _gerund(phrase: str) -> bool:
    """Whether a phrase is told by a verb in -ing, as "playing chess" and not "stretching class"."""
    return bool(_GERUND.match(phrase))


_FETCH = re.compile(
    r"\b(pick(?:ing)? up|fetch(?:ing)?|collect(?:ing)?|buy(?:ing)?|borrow(?:ing)?(?! you\b)"
    r"|ask for(?= the))"
    r" (?:(?:me|him/her|him|her|them|us|you) )?([^.,;:!?]*?)"
    r"(?=\s*(?:[.,;:!?]|$|\bat\b|\bfrom\b|\bon\b|\bin\b|\band (?:then )?(?:deliver|bring|take"
    r"|carry|send|drop|to (?:deliver|bring|take))|\bfor (?:me|him|her|us|them)\b|\btomorrow|\btoday"
    r"|\bthen\b|\bto\b))",
    re.IGNORECASE,
)
_DELIVER = re.compile(
    r"\b(deliver(?:ing)?|bring(?:ing)?|carry(?:ing)?|tak(?:e|ing)|send(?:ing)?|drop(?:ping)? off"
    r"|hand(?:ing)? (?:over|in)|return(?:ing)?)"
    r" (it|them|this|these|everything|(?!part|place|care|a walk)[^.,;:!?|]*?)"
    r"(?=\s*(?:[.,;:!?]|$|\bat\b|\bto\b|\binto\b|\bback\b|\bon\b|\bin\b|\band\b|\btomorrow|\btoday))",
    re.IGNORECASE,
)
_FIRST_THEN = re.compile(
    r"\bfirst,? (?:to )?(?=[a-z])([^.;!?]+?),?(?: and)? then,? (?:to )?([^.;!?]+)"
)
_STEM = {
    "picking up": "pick up", "fetching": "fetch", "collecting": "collect", "buying": "buy",
    "borrowing": "borrow", "delivering": "deliver", "bringing": "bring", "carrying": "carry",
    "taking": "take", "sending": "send", "dropping off": "drop off",
}  # fmt: skip


def chores_in(words: str, named: tuple[tuple[str, Span], ...]) -> tuple[Chore, ...]:
    """The steps of an errand in the order fetch, deliver; () where none is spoken of.

    A thing that is only to be bought is an errand; one that is only to be brought is not. "First
    A at P, then B at Q" are two steps whatever they are.
    """
    if both := _FIRST_THEN.search(words):
        return tuple(_step(words, both.span(group), named) for group in (1, 2))
    fetch = _FETCH.search(words)
    if fetch is None or not (thing := _thing(fetch[2])):
        return ()
    deliver = _DELIVER.search(words, fetch.end())
    first = Chore(f"{_stem(fetch[1])} {thing}", _next(named, fetch.end(), deliver))
    if deliver is None:
        return (first,)
    said = _thing(deliver[2])
    carried = thing if _pronoun(said) or not said else said
    return first, Chore(f"{_stem(deliver[1])} {carried}", _next(named, deliver.end(), None))


def _step(words: str, span: Span, named: tuple[tuple[str, Span], ...]) -> Chore:
    inside = tuple(one for one in named if span[0] <= one[1][0] < span[1])
    end = inside[0][1][0] if inside else span[1]
    what = re.split(r" (?:for me|please|on \w+day|tomorrow|today)\b|,", words[span[0] : end])[0]
    return Chore(trimmed_end(what), inside[0][0] if inside else "")


def _thing(words: str) -> str:
    return re.sub(r"^(?:some|my|our|his|her|their) ", "", words.strip(), flags=re.I)[:100]


def _pronoun(word: str) -> bool:
    return word.lower() in ("it", "them", "this", "these", "everything", "me", "him", "her", "us")


def _stem(verb: str) -> str:
    return _STEM.get(verb.lower(), verb.lower())


def _next(named: tuple[tuple[str, Span], ...], start: int, before: re.Match[str] | None) -> str:
    """The first place named from `start` on, before the match `before` if there is one."""
    limit = before.start() if before else 1 << 30
    return next((place for place, span in named if start <= span[0] < limit), "")
