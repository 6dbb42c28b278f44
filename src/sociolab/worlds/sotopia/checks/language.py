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
def _common_language() -> Phrases[Cue]:
    """What the languages below have in common. Built once, in some 15 ms."""
    return Phrases(BEFORE_VALUES, WITH_VALUES, ASSENT, REFUSAL, SHAPING, DECOYS)


@cache
def plain_language() -> Phrases[Cue]:
    """The cues of a talk about options, to which people come, or about goods."""
    options = {
        Cue.TAKE: """
            (count|counting|plan|planning|rely|relying|bank|banking) on
            (put|putting|note|noting|mark|marking|write|writing) (it|us|me|) down (as|for|)
            put down / putting down / (pencil|penciling|pencilling) (it|us|me|) in (as|for|)
            (book|booking|reserve|reserving) / (head|heading) (to|for|over to)
            let us meet (at|on|in) / look forward to / looking forward to
            (everybody|everyone|all of us) (meets|meet|comes|come|goes|go) (at|to|on|in)
            """,
        Cue.TAKE_NEXT: "see you (at|on)",
        Cue.VALUE_REFUSED: """
            # (can|could|must|will have to) wait / # would have / # would only / # bores me
            # (some other|another) (day|time)
            """,
    }
    return _common_language().extended(options)


@cache
def money_language() -> Phrases[Cue]:
    """The cues of a negotiation about money, where "for" and "at" tell of a price."""
    money = {
        Cue.TAKE_NEXT: "for / at",
        Cue.TAKE: "we (did|) (say|said) / we (had|have|) (agreed|settled) (on|at|for)",
        Cue.SOFT: "i (only|) have (only|)",
        Cue.VALUE_TAKEN: "# is (my|our) / # as agreed",
        Cue.ASK: "(can|could|would|will) (we|you) meet (me|) (halfway|half way|in middle)",
        Cue.MIDDLE: """
            meet (me|you|each other|) (halfway|half way|in middle) / (split|halve) difference
            (can|could|would|will) (we|you) meet (me|) (halfway|half way|in middle)
            """,
    }
    return _common_language().extended(money)
