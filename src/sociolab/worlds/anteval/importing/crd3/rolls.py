"""The total of a roll, as players report it: "16.", "Pretty bad. 7.", "So that makes 22."."""

from __future__ import annotations

import re

from sociolab.worlds.anteval.importing.crd3.turns import sentences
from sociolab.worlds.anteval.skills import SKILLS

HIGHEST = 45
"""No total that is reported for a check is higher."""

_SMALL = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_TENS = {"eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30}
_WORDS = {word: value for value, word in enumerate(_SMALL, start=1)} | _TENS

# What may stand around a total without changing what it is. Nothing that makes it a count of
# something ("feet", "gold"), and no "you", since then it is somebody else's.
_WORDS_AROUND = """
a about actually again ah all alright also altogether an and animal another aw awesome bad be
better big boo boy but call check checks come comes cool crap crit damn dang did dirty dude
equals even exactly excellent finally for from fuck fucking get god goddamn going gonna good got
great gross guess guys ha had hand handling have hey high higher hmm hooray horrible i i'll
i'm i've is it it's its jesus just let's like lot lovely low lower lowly made makes man me meh
mine mm my nat natural nice no nope not now of oh ok okay only oof ooh ooh-hoo out over
perfect pretty really right roll rolled rolls sadly same shit sleight so so-so solid sorry
still straight stupid super sweet terrible thank thanks that that'd that'll that's thats the
then there this to too total ugh uh uh-oh um unfortunately up very was we well which whoa
whopping will with woo would wow yay yeah yep yes yikes
"""
_AROUND = frozenset(_WORDS_AROUND.split()).union(
    (word for skill in SKILLS for word in skill.split()), (f"{skill}'s" for skill in SKILLS)
)
_TOKEN = re.compile(r"[a-z0-9]+(?:['-][a-z0-9]+)*|[+]")
_ASIDE = re.compile(r"\([^)]*\)")
_CLAUSE = re.compile(r",|--|…")
_ROLLED_ONE = re.compile(r"\b(?:natural|nat|a|of) one\b")


def reported_total(text: str) -> int | None:
    """The total that a player's turn reports, the last if several; None if none.

    Of a sum ("eight minus two") the result.
    """
    found = None
    for sentence in sentences(_ASIDE.sub(" ", text)):
        total = _total(sentence.words)
        clauses = _CLAUSE.split(sentence.words)
        if total is None and len(clauses) > 1:
            total = next(
                (t for clause in (clauses[-1], clauses[0]) if (t := _total(clause)) is not None),
                None,
            )
        found = total if total is not None else found
    return found


def _total(words: str) -> int | None:
    """The total, where the words say nothing else."""
    tokens = _TOKEN.findall(words.replace("thank you", "thanks").replace("\u2019", "'"))
    if "one" in tokens and tokens != ["one"] and not _ROLLED_ONE.search(words):
        return None
    return _sum([token for token in tokens if token not in _AROUND])


def _sum(tokens: list[str]) -> int | None:
    """The value of one number, or of numbers joined by "plus" and "minus"; None for all else."""
    if len(tokens) % 2 == 0:
        return None
    total, sign = 0, 1
    for place, token in enumerate(tokens):
        if place % 2:
            if token not in ("plus", "minus", "+"):
                return None
            sign = -1 if token == "minus" else 1
        elif (value := _value(token)) is None:
            return None
        else:
            total += sign * value
    return total if total <= HIGHEST else None


def _value(token: str) -> int | None:
    value = int(token) if token.isdigit() else _WORDS.get(token)
    return value if value is not None and 1 <= value <= HIGHEST else None
