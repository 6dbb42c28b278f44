"""What single words tell of manners: insults, threats, warmth, falling out of role, money.

Small lists of our own, for the heuristic judge. They miss irony and whatever is put politely.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_QUOTED = re.compile('"[^"]*"|\u201c[^\u201d]*\u201d')
_SENTENCE = re.compile(r"[.!?;\n]+")
_NAME_CALLING = re.compile(
    r"\b(?:idiots?|morons?|imbeciles?|fools?|stupid|dumb|pathetic|worthless|disgusting|liars?"
    r"|losers?|jerks?|cowards?|cheats?|crooks?|thie(?:f|ves)|scum|bastards?|bitch|assholes?"
    r"|useless)\b"
)
_AT_SOMEBODY = re.compile(r"\byou(?:'re|r)?\b")
_ABUSE = re.compile(
    r"\b(?:shut up|go to hell|screw you|fuck (?:you|off)|piss off|drop dead|get lost|damn you)\b"
)
_THREAT = re.compile(
    r"\b(?:i(?:'ll| will|'m going to| am going to) (?:kill|hurt|hit|beat|ruin|destroy) you(?:r)?"
    r"|you(?:'ll| will) (?:regret|be sorry|pay for)|watch your back|make you (?:pay for|suffer)"
    r"|i know where you live|if you know what's good for you)\b"
)
_DENIED = re.compile(
    r"\b(?:not|never|no|nobody|without|isn't|aren't|wasn't|don't|won't|wouldn't|didn't|can't)\b"
    r"[^,]{0,25}$"
)
_WARM = re.compile(
    r"\b(?:thanks?|grateful|appreciate|glad|pleased|sorry|please|lovely|wonderful|kind of you"
    r"|nice (?:to|of)|good to see|happy for|well done|congratulations|proud of you|love you"
    r"|miss(?:ed)? you|take (?:good )?care|hugs?|embraces?|smiles?|smiling|beams"
    r"|shakes hands)\b"
)
_OUT_OF_ROLE = re.compile(
    r"\b(?:as an ai|(?:an|large) (?:ai |language )+model|my (?:private|social) goal"
    r"|the other (?:agent|player|character)|role-?play|in this (?:scenario|simulation))\b"
)
_MONEY = re.compile(
    r"[$\u20ac\u00a3]\s?\d|\b(?:money|dollars?|bucks|cents?|price|pay(?:s|ing|ment)?|paid"
    r"|sell(?:s|ing)?|sold|buy(?:s|ing)?|bought|costs?|costly|salary|wages?|rent|loans?|debts?"
    r"|fees?|cash|budget|expensive|cheap(?:er)?|bill|deposit|funds?|funding|donat(?:e|es|ed|ing)|afford)\b"
)


@lru_cache(maxsize=4096)
def insults(line: str) -> tuple[str, ...]:
    """Names that this line calls the one who is spoken to, and outright abuse.

    What is quoted or denied, or said of oneself or of somebody else, does not count.
    """
    return tuple(_insults(_own_words(line)))


@lru_cache(maxsize=4096)
def threats(line: str) -> tuple[str, ...]:
    """Threats in this line that are neither quoted nor denied."""
    own = _own_words(line)
    return tuple(
        found.group() for found in _THREAT.finditer(own) if not _denied(own, found.start())
    )


def is_warm(text: str) -> bool:
    """Whether the words, or what is done, thank, welcome, comfort or please."""
    return _WARM.search(text.lower()) is not None


def falls_out_of_role(line: str) -> bool:
    """Whether a line speaks of models, agents, scenarios or private goals."""
    return _OUT_OF_ROLE.search(line.lower()) is not None


@lru_cache(maxsize=4096)
def names_money(text: str) -> bool:
    """Whether a text names money, a price or a payment."""
    return _MONEY.search(text.lower()) is not None


def _own_words(line: str) -> str:
    """The line without what it quotes, in lower case and with straight apostrophes."""
    return _QUOTED.sub(" ", line).lower().replace("\u2019", "'")


def _insults(own: str) -> Iterator[str]:
    for found in _ABUSE.finditer(own):
        if not _denied(own, found.start()):
            yield found.group()
    if not _NAME_CALLING.search(own):
        return
    for sentence in _SENTENCE.split(own):
        for found in _NAME_CALLING.finditer(sentence):
            before = sentence[: found.start()]
            alone = len(sentence.split()) <= 2
            if (alone or _AT_SOMEBODY.search(before)) and not _denied(sentence, found.start()):
                yield found.group()


def _denied(text: str, start: int) -> bool:
    return _DENIED.search(text[max(0, start - 40) : start]) is not None
