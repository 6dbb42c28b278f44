"""How a line answers what was proposed: at once, only along the way, or wavering."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.worlds.stss.talk.rules.acts import ABOUT_PLACE, CORRECTS, DECLINES, HEDGES, OPEN
from sociolab.worlds.stss.talk.rules.attaching import elsewhere, unfit
from sociolab.worlds.stss.talk.rules.clock_words import hours_in
from sociolab.worlds.stss.talk.rules.patterns import Pattern, Phrases
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
# Who speaks of itself, of the one who asks or of both, without a word against it, goes along.
_PERSONAL = Phrases(r"\b(?:i|i'm|i'll|i'd|me|my|mine|we|we'll|us|let's)\b")
# Words that lead away from what was proposed, or let it down gently.
_DIVERTS = Phrases(
    r"\b(?:look|looks|hello|hi|hey|good (?:morning|evening|afternoon)|listen|hush|shh|careful|watch"
    r"|mind (?:the|your|out)|excuse me|speaking of|by the way|oh dear|dear me|aha|you've"
    r"|goodness|heavens|but"
    r"|there's [a-z]+|here comes|rather|ask \w+|pity|shame|if only|lucky|good luck|enjoy|have fun"
    r"|another|later|earlier|(?:eat|drink|have|save) (?:one|some) for|love to see|wish|think"
    r"|thought|know|hm+"
    r"|too|already|i've|i have|i owe|remind|reminds|how (?:nice|kind"
    r"|sweet|lovely|are)|have you|did you|busy|tired|poor|sorry|i'm \w+ing|must (?:go|run|dash"
    r"|be off)"
    r"|alone|without|instead|not|never mind|don't|can't|won't|couldn't|wouldn't)\b"
)
# What only somebody asks who means to come.
_PRESUPPOSES = Phrases(
    r"\b(?:shall|should|do|must|can|may|am) i (?:\w+ ){0,2}(?:bring|wear|come|sit|dress|knock"
    r"|ring|need)\b"
    r"|\bwhat (?:do|should|shall|must|can) i (?:bring|wear)\b"
)
_HEARSAY = Phrases(
    r"\b(?!(?:i|you|we) )\w+ (?:tells?|told|said|says|mentioned|thinks|thought)\b"
    r"|\bi(?:'ve)? hear\b|\bi(?:'ve)? heard\b"
)


_YES_TO_A_THING = Pattern(r"the \w+, yes\b")


def hearsay(said: Sequence[Said]) -> bool:
    """Whether a line reports what a third person has said."""
    return any(_HEARSAY.search(one.text) for one in said)


def at_once(said: Sequence[Said], number: int) -> bool:
    """Whether a sentence is the first of its line, but for a word or two."""
    return all(len(one.text.split()) <= FEW for one in said[:number])


def of_a_thing(one: Said) -> bool:
    """Whether a yes is to a word only: "The cutter, yes! I got it in Trieste." """
    return bool(_YES_TO_A_THING.match(one.text))


def lets_stand(said: Sequence[Said]) -> bool:
    """Whether a line takes an offer for granted: words of what will be, and no word against it."""
    personal = not said[0].ours and any(_PERSONAL.search(one.text) for one in said)
    if not (personal or any(_WILL_BE.search(one.text) for one in said)):
        return False
    return not any(
        one.sentence.asks
        or DECLINES.search(one.text)
        or HEDGES.search(one.text)
        or OPEN.search(one.text)
        or _DIVERTS.search(one.text)
        or unfit(one.text)
        or elsewhere(one.text, False)
        for one in said
    )


def goes_along(said: Sequence[Said]) -> bool:
    """Whether a line only asks about a place it names, or what to bring: the hour is let stand."""
    return any(
        one.sentence.asks and (one.places or _PRESUPPOSES.search(one.text)) for one in said
    ) and not any(
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
