"""How a character shows in scripted play: open, attentive, talkative, restless, each 0 to 1."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from sociolab.core.seeding import digest
from sociolab.worlds.anteval.session import Character


class Temper(NamedTuple):
    """`openness` is how readily one tells, `attention` how much one keeps of what one hears,
    `talk` how often one speaks where a deed would do, `restless` how often one does something."""

    openness: float
    attention: float
    talk: float
    restless: float


def temper(character: Character) -> Temper:
    """From alignment and abilities where they speak of it, else from the character's own words."""
    words = "|".join((character.alignment, *character.personality, character.flaw))
    known = character.abilities
    scores = (known.get(name, 10) for name in ("intelligence", "wisdom", "charisma"))
    return _temper(words, character.alignment.casefold(), *scores)


@lru_cache(maxsize=4096)
def _temper(words: str, alignment: str, intelligence: int, wisdom: int, charisma: int) -> Temper:
    draws = [int(digest(words, trait, size=4), 16) / 2**32 for trait in Temper._fields]
    lean = _lean(alignment, "good", "evil") + 0.5 * _lean(alignment, "lawful", "chaotic")
    keen, sharp, charm = ((score - 10) / 10 for score in (intelligence, wisdom, charisma))
    return Temper(
        openness=_inside(0.35 + 0.5 * draws[0] + 0.12 * lean),
        attention=_inside(0.4 + 0.4 * draws[1] + 0.15 * keen + 0.15 * sharp),
        talk=_inside(0.45 + 0.4 * draws[2] + 0.2 * charm),
        restless=_inside(0.15 + 0.5 * draws[3]),
    )


def _lean(alignment: str, up: str, down: str) -> int:
    return (up in alignment) - (down in alignment)


def _inside(value: float) -> float:
    return min(0.95, max(0.1, value))
