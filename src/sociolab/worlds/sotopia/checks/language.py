"""The phrases by which people offer, agree, refuse, hedge and mock, whatever it is about.

Articles and fillers ("just", "really") are dropped from the words before the tables are used, and
contractions are written out, so the tables hold neither.
"""

from __future__ import annotations

from functools import cache

from sociolab.worlds.sotopia.checks.cues import Cue
from sociolab.worlds.sotopia.checks.phrases import Phrases
from sociolab.worlds.sotopia.checks.said_around import DECOYS, SHAPING
from sociolab.worlds.sotopia.checks.said_in_answer import ASSENT, REFUSAL
from sociolab.worlds.sotopia.checks.said_of_values import BEFORE_VALUES, WITH_VALUES


@cache
def plain_language() -> Phrases[Cue]:
    """The cues of every negotiation. Built once, in some 15 ms."""
    return Phrases(BEFORE_VALUES, WITH_VALUES, ASSENT, REFUSAL, SHAPING, DECOYS)


@cache
def money_language() -> Phrases[Cue]:
    """The cues of a negotiation about money, where "for" and "at" tell of a price."""
    money = {
        Cue.TAKE_NEXT: "for / at",
        Cue.TAKE: "we (did|) (say|said) / we (had|have|) (agreed|settled) (on|at|for)",
        Cue.SOFT: "i (only|) have (only|)",
        Cue.VALUE_TAKEN: "# is (my|our) / # as agreed",
    }
    return plain_language().extended(money)
