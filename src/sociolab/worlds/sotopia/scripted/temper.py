"""How a character's personality shows in play: firmness, tone, talkativeness, worry, patience."""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple, TypeAlias

from sociolab.worlds.sotopia.profiles import Character, Level

Tone: TypeAlias = Literal["warm", "plain", "cool"]

_SIGN: dict[Level, int] = {"low": -1, "average": 0, "high": 1}
_TONE: dict[Level, Tone] = {"low": "cool", "average": "plain", "high": "warm"}
_STYLE = {"directive": 0.1, "analytical": 0.05, "behavioral": -0.05}


class Temper(NamedTuple):
    """A character at the table.

    `firmness` runs from 0.1 (gives in) to 0.9 (hardly moves); `talk` and `worry` are the chances
    that a line gets a further sentence; `patience` is the number of own turns that an argument
    may take before it is hopeless.
    """

    firmness: float
    tone: Tone
    talk: float
    worry: float
    patience: int


def temper(character: Character) -> Temper:
    """The temper of a character; an average one where the data gives no traits.

    Firm are the disagreeable, the conscientious, the calm and those who decide in a directive
    way; the agreeable are warm, the extravert add a sentence, the neurotic a worry.
    """
    lean = _STYLE.get(character.decision_style.lower(), 0.0)
    traits = character.big_five
    if traits is None:
        return Temper(0.5 + lean, "plain", 0.2, 0.05, 6)
    return _from_traits(
        lean,
        traits.conscientiousness,
        traits.extraversion,
        traits.agreeableness,
        traits.neuroticism,
    )


@cache
def _from_traits(
    lean: float, conscientious: Level, extravert: Level, agreeable: Level, neurotic: Level
) -> Temper:
    firmness = 0.5 + lean + 0.1 * _SIGN[conscientious]
    firmness -= 0.2 * _SIGN[agreeable] + 0.1 * _SIGN[neurotic]
    firmness = min(0.9, max(0.1, firmness))
    return Temper(
        firmness=firmness,
        tone=_TONE[agreeable],
        talk=0.22 + 0.2 * _SIGN[extravert],
        worry=0.06 + 0.05 * _SIGN[neurotic],
        patience=5 + round(3 * firmness) + (extravert == "high"),
    )
