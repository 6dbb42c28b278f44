"""How two name where to meet: places of the town, "come to me", "yours", and which are the same."""

from __future__ import annotations

import re

from sociolab.worlds.stss.talk.findings import Occasion
from sociolab.worlds.stss.talk.rules.attaching import denied
from sociolab.worlds.stss.talk.rules.patterns import Pattern, Phrases
from sociolab.worlds.stss.talk.rules.place_words import gazetteer
from sociolab.worlds.stss.talk.rules.reading import Said
from sociolab.worlds.stss.talk.rules.sites import definite

# Beside the places of the town and "my office": where the two would find each other, too.
_SPOT = Pattern(
    r"(?<!it )(?<!that )(?<!idea )(?<!tune )(?<!word )\b(?:come|comes|coming|came|drop in|pop)"
    r" (?:over |round |down |up |along |back )?to (?:me|us|you|him|her|them|mine|yours|ours)"
    r"\b(?! (?:about|as|that|in a|like)\b)"
    r"|\bcome (?:over |round |down )?here\b(?! (?:and (?:look|see)|you|quick|often|every|a lot"
    r"|for))"
    r"|^here(?= (?:is|will|would|suits|please|of course|then)\b|'s (?:best|fine|good|perfect))"
    r"|\b(?:to|round|over|round at|over at) (?:mine|yours|ours|hers)\b"
    r"|\bround (?:mine|yours)\b|\bthe \w+s' (?:house|place|kitchen|shop|flat|home|studio)\b"
    r"|\b(?:at|in|on|to) (?:\w+ )?(?:lane|street|road|square)\b"
    r"|\b(?:at|in|into|to|up in|down in|out in) the (?!(?:next|other|same|whole|very|right|wrong"
    r"|first|last|new)"
    r" )\w+ (?:studio|office|room|hall|workshop|garden|chamber|attic|cellar|archive|chapel)\b"
    r"|\b(?:at|in|into|to) the (?:archive|chapel|greenhouse|attic|cellar|vestry|canteen|staff room"
    r"|reading room|garden|roof)\b"
)
# The answer to "Yours or mine?" and to "Where?".
_WHOSE = Pattern(
    r"(?:at |to |oh,? |well,? |then |rather )*(?P<spot>mine|yours|ours|my place|your place)\b"
)
# The place that was spoken of before.
SAME_PLACE = Phrases(
    r"\b(?:the )?same (?:place|room|stage|spot|table|hall|studio|bench|house|corner|building)\b"
)
# A yes to a place that was named a while ago.
THERE = Phrases(
    r"\b(?:see you|meet you|find you|i'll be|i will be|i shall be) "
    r"(?:(?:up|down|over|out|in) )?there\b"
)
EITHER_OF_US = Phrases(r"\b(?:mine|yours|your place|my place|you or me|here) or\b[^.!]*\?")

_ANYWHERE = frozenset(("shop", "counter", "kitchen", "garden", "hall", "office", "yard", "bar"))
"""Words that people use of any building or of a room in it."""


def spot(one: Said) -> tuple[str, tuple[int, int]] | None:
    """A place at which two can meet, as words and span."""
    found = definite(one)
    if found is not None:
        return found
    match = _SPOT.search(one.text)
    if match and not denied(one.text, match.span()):
        return match[0], match.span()
    return None


def whose(one: Said) -> str | None:
    """What a sentence says to "yours or mine?", None where it is no answer to that."""
    match = None if one.sentence.asks else _WHOSE.match(one.text)
    return match["spot"] if match else None


def alike(occasion: Occasion, one: str, two: str) -> bool:
    """Whether two ways of naming a place may be the same: none of a room and its building."""
    first, second = one.split(": "), two.split(": ")
    if len(first) != len(second):
        return bool(_words(one) & _words(two))
    if len(first) != 2:
        return one.split()[-1] == two.split()[-1]
    if not all(a == b or not a or not b for a, b in zip(first, second, strict=True)):
        return False
    return _has(occasion, first[0], second) and _has(occasion, second[0], first)


def _has(occasion: Occasion, sector: str, room: list[str]) -> bool:
    """Whether a sector may have a room that was said without its building."""
    if not sector or room[0] or not room[1] or room[1] in _ANYWHERE:
        return True
    return room[1] in gazetteer(occasion.places).rooms.get(sector, {})


def _words(place: str) -> set[str]:
    """The words of a place, without an s: "my studio" may be Old Mill Studios."""
    return {word.removesuffix("s") for word in re.findall(r"\w{4,}", place.lower())}
