"""How a line answers what was proposed: at once, only along the way, or wavering."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.worlds.stss.talk.rules.acts import ABOUT_PLACE, CORRECTS, DECLINES, HEDGES, OPEN
from sociolab.worlds.stss.talk.rules.attaching import elsewhere, unfit
from sociolab.worlds.stss.talk.rules.clock_words import hours_in
from sociolab.worlds.stss.talk.rules.patterns import Phrases
from sociolab.worlds.stss.talk.rules.reading import Said

FEW = 3
"""Words of half a sentence: "Tomorrow, then." """
# What is said of a meeting that is taken for granted.
_WILL_BE = Phrases(
    r"\b(?:i'll|i will|i shall|i won't be|you'll (?:find|have|see|get|need)"
    r"|don't (?:you )?be late"
    r"|will (?:want|love|like|enjoy|be) |(?:and |just |but |then |you )bring|^bring|expect me"
    r"|wear|i'd better (?:bring|get|dig|dust|practi[sc]e))\b"
)
_HEARSAY = Phrases(
    r"\b(?!(?:i|you|we) )\w+ (?:tells?|told|said|says|mentioned|thinks|thought)\b"
    r"|\bi(?:'ve)? hear\b|\bi(?:'ve)? heard\b"
)


def hearsay(said: Sequence[Said]) -> bool:
    """Whether a line reports what a third person has said."""
    return any(_HEARSAY.search(one.text) for one in said)


def at_once(said: Sequence[Said], number: int) -> bool:
    """Whether a sentence is the first of its line, but for a word or two."""
    return all(len(one.text.split()) <= FEW for one in said[:number])


def lets_stand(said: Sequence[Said]) -> bool:
    """Whether a line takes an offer for granted: words of what will be, and no word against it."""
    return any(_WILL_BE.search(one.text) for one in said) and not any(
        one.sentence.asks
        or DECLINES.search(one.text)
        or HEDGES.search(one.text)
        or OPEN.search(one.text)
        or unfit(one.text)
        or elsewhere(one.text, False)
        for one in said
    )


def goes_along(said: Sequence[Said]) -> bool:
    """Whether a line only asks about a place it names: the hour before it is let stand."""
    return any(one.sentence.asks and one.places for one in said) and not any(
        hours_in(one.text)
        or HEDGES.search(one.text)
        or OPEN.search(one.text)
        or DECLINES.search(one.text)
        or unfit(one.text)
        for one in said
    )


def takes_hour(said: Sequence[Said]) -> bool:
    """Whether a line repeats an hour and has no word against the place."""
    return any(hours_in(one.text) and not one.sentence.asks for one in said) and not any(
        (one.sentence.asks and ABOUT_PLACE.search(one.text))
        or HEDGES.search(one.text)
        or OPEN.search(one.text)
        or DECLINES.search(one.text)
        or CORRECTS.search(one.text)
        or unfit(one.text)
        or elsewhere(one.text, False)
        for one in said
    )


def wavering(one: Said) -> bool:
    """Whether a sentence is a maybe about more than the place."""
    found = HEDGES.search(one.text)
    return bool(found) and not ABOUT_PLACE.search(one.text)
