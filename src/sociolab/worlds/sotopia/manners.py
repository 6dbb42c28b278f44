"""What single words tell of manners: insults, threats, warmth, falling out of role, money.

Small lists of our own, for the heuristic judge. They miss irony and whatever is put politely.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_QUOTED = re.compile('"[^"]*"|\u201c[^\u201d]*\u201d')
_SENTENCE = re.compile(r"[.!?;\n]+")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_NAMES_TO_CALL = _set(
    "idiot idiots moron morons imbecile imbeciles fool fools stupid dumb pathetic worthless "
    "disgusting liar liars loser losers jerk jerks coward cowards cheat cheats crook crooks thief "
    "thieves scum bastard bastards bitch asshole assholes useless"
)
_AT_SOMEBODY = re.compile(r"\byou(?:'re|r)?\b")
_ABUSE = re.compile(
    r"\b(?:shut up|go to hell|screw you|fuck (?:you|off)|piss off|drop dead|get lost|damn you)\b"
)
_ABUSIVE = frozenset(("shut", "hell", "screw", "fuck", "piss", "drop", "lost", "damn"))
_INSULTING = _NAMES_TO_CALL | _ABUSIVE
_THREAT = re.compile(
    r"\b(?:i(?:'ll| will|'m going to| am going to) (?:kill|hurt|hit|beat|ruin|destroy) you(?:r)?"
    r"|you(?:'ll| will) (?:regret|be sorry|pay for)|watch your back|make you (?:pay for|suffer)"
    r"|i know where you live|if you know what's good for you)\b"
)
_THREATENING = _set("kill hurt hit beat ruin destroy regret sorry pay watch suffer live good")
_DENIED = re.compile(
    r"\b(?:not|never|no|nobody|without|isn't|aren't|wasn't|don't|won't|wouldn't|didn't|can't)\b"
    r"[^,]{0,25}$"
)
_WARM = _set(
    "thank thanks grateful appreciate glad pleased sorry please lovely wonderful kind nice "
    "congratulations proud hug hugs embrace embraces smile smiles smiling beams miss "
    "missed"
)
_OUT_OF_ROLE = re.compile(
    r"\b(?:as an ai|(?:an|large) (?:ai |language )+model|my (?:private|social) goal"
    r"|the other (?:agent|player|character)|role-?play|in this (?:scenario|simulation))\b"
)
_OF_NO_ROLE = _set("ai model goal agent player character role roleplay scenario simulation")
_MONEY = _set(
    "money dollar dollars bucks cent cents price pay pays paying payment paid sell sells selling "
    "sold buy buys buying bought cost costs costly salary wage wages rent loan loans debt debts "
    "fee fees cash budget expensive cheap cheaper bill deposit fund funds funding donate donates "
    "donated donating afford"
)
_CURRENCY = re.compile(r"[$\u20ac\u00a3]\s?\d")


@lru_cache(maxsize=8192)
def vocabulary(text: str) -> frozenset[str]:
    """The different words of a text, in lower case."""
    return frozenset(_WORD.findall(_plain(text)))


@lru_cache(maxsize=256)
def vocabulary_of(lines: tuple[str, ...]) -> frozenset[str]:
    """The different words of all lines of a seat; kept, as several features ask for them."""
    return frozenset[str]().union(*map(vocabulary, lines))


@lru_cache(maxsize=4096)
def insults(line: str) -> tuple[str, ...]:
    """Names that this line calls the one who is spoken to, and outright abuse.

    What is quoted or denied, or said of oneself or of somebody else, does not count.
    """
    if vocabulary(line).isdisjoint(_INSULTING):
        return ()
    return tuple(_insults(_own_words(line)))


def insults_in(lines: tuple[str, ...]) -> tuple[str, ...]:
    """The insults of all lines, in order."""
    if vocabulary_of(lines).isdisjoint(_INSULTING):  # nearly always
        return ()
    return tuple(found for line in lines for found in insults(line))


@lru_cache(maxsize=4096)
def threats(line: str) -> tuple[str, ...]:
    """Threats in this line that are neither quoted nor denied."""
    if vocabulary(line).isdisjoint(_THREATENING):
        return ()
    own = _own_words(line)
    return tuple(
        found.group() for found in _THREAT.finditer(own) if not _denied(own, found.start())
    )


def threats_in(lines: tuple[str, ...]) -> tuple[str, ...]:
    """The threats of all lines, in order."""
    if vocabulary_of(lines).isdisjoint(_THREATENING):  # mostly
        return ()
    return tuple(found for line in lines for found in threats(line))


def is_warm(text: str) -> bool:
    """Whether the words, or what is done, thank, welcome, comfort or please."""
    return not vocabulary(text).isdisjoint(_WARM)


def falls_out_of_role(line: str) -> bool:
    """Whether a line speaks of models, agents, scenarios or private goals."""
    if vocabulary(line).isdisjoint(_OF_NO_ROLE):
        return False
    return _OUT_OF_ROLE.search(_plain(line)) is not None


def out_of_role(lines: tuple[str, ...]) -> int:
    """How many of the lines fall out of role."""
    if vocabulary_of(lines).isdisjoint(_OF_NO_ROLE):  # mostly
        return 0
    return sum(map(falls_out_of_role, lines))


def names_money(text: str) -> bool:
    """Whether a text names money, a price or a payment."""
    return not vocabulary(text).isdisjoint(_MONEY) or _CURRENCY.search(text) is not None


def _own_words(line: str) -> str:
    """The line without what it quotes, in lower case and with straight apostrophes."""
    return _plain(_QUOTED.sub(" ", line))


def _plain(text: str) -> str:
    return text.lower().replace("\u2019", "'")


def _insults(own: str) -> Iterator[str]:
    for found in _ABUSE.finditer(own):
        if not _denied(own, found.start()):
            yield found.group()
    for sentence in _SENTENCE.split(own):
        for found in _WORD.finditer(sentence):
            if found.group() not in _NAMES_TO_CALL:
                continue
            before = sentence[: found.start()]
            alone = len(sentence.split()) <= 2
            if (alone or _AT_SOMEBODY.search(before)) and not _denied(sentence, found.start()):
                yield found.group()


def _denied(text: str, start: int) -> bool:
    return _DENIED.search(text[max(0, start - 40) : start]) is not None
