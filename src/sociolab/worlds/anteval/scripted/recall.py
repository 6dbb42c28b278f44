"""What a scripted player remembers when it is asked: not all of it, and not all of it right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

from sociolab.worlds.anteval.information.question import Learned
from sociolab.worlds.anteval.scripted.hearing import names_in
from sociolab.worlds.anteval.scripted.moment import Moment

_CONFUSED = 0.08
_REPORTED = 0.3
_SAID = ("says that", "told us that", "knows that", "is sure that")
_LOWERED = ("The", "A", "An", "You", "To", "One", "No", "In", "On")
_OPPOSITE: Mapping[str, str] = {
    a: b
    for one, other in (
        ("north", "south"), ("east", "west"), ("left", "right"), ("above", "below"),
        ("silver", "iron"), ("gold", "silver"), ("red", "green"), ("black", "white"),
        ("two", "three"), ("four", "five"), ("six", "seven"), ("eight", "nine"),
        ("ten", "twelve"), ("twenty", "thirty"), ("forty", "fifty"), ("sixty", "seventy"),
        ("dawn", "dusk"), ("night", "noon"), ("old", "young"), ("under", "behind"),
    )
    for a, b in ((one, other), (other, one))
}  # fmt: skip
_ENDINGS = (
    "andor",
    "urick",
    "ilmus",
    "ethane",
    "ombra",
    "aster",
    "ovine",
    "agrin",
    "ussel",
    "ebrant",
)
_WORD = re.compile(r"[a-z]+")


def remembered(now: Moment) -> Learned:
    """The news that this player kept, one sentence each, in the order in which it was heard.

    How much is kept depends on its attention; what was heard twice or asked about oneself is kept
    more often; now and then a part is confused with another. What was kept once is kept: whoever is
    asked again says the same, and what is new.
    """
    facts = []
    for sentence, times in _heard(now).items():
        chance = now.draws_for(sentence)
        if chance.random() < now.temper.attention * 0.85 + 0.12 * (times - 1):
            if chance.random() < _CONFUSED:
                sentence = blurred(sentence, chance, now.people)
            facts.append(_reported(sentence, now, chance))
    return Learned(facts=facts)


def _reported(sentence: str, now: Moment, chance: Random) -> str:
    """The sentence as it is, or as what the teller said."""
    first, _, rest = sentence.partition(" ")
    if first in _LOWERED and chance.random() < _REPORTED:
        return f"{now.teller} {chance.choice(_SAID)} {first.lower()} {rest}"
    return sentence


def _heard(now: Moment) -> dict[str, int]:
    """Each thing that was said by others, and how often."""
    heard: dict[str, int] = {}
    mine = {line.turn for line in now.lines if line.you}
    for one in now.news:
        if one.turn not in mine:
            heard[one.sentence] = heard.get(one.sentence, 0) + 1
    return heard


def blurred(sentence: str, chance: Random, people: frozenset[str]) -> str:
    """The sentence with one part of it wrong: a word for its opposite, or a name misheard."""
    words = [match for match in _WORD.finditer(sentence) if match[0] in _OPPOSITE]
    if words:
        at = chance.choice(words)
        return sentence[: at.start()] + _OPPOSITE[at[0]] + sentence[at.end() :]
    names = names_in(sentence, people)
    if names:
        name = chance.choice(names)
        return sentence.replace(name, _misheard(name, chance))
    return sentence


def _misheard(name: str, chance: Random) -> str:
    """Another name that begins alike."""
    return name[: max(2, len(name) // 2)] + chance.choice(_ENDINGS)
