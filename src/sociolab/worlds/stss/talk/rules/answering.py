"""How a line answers what was proposed: at once, only along the way, or wavering."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sociolab.worlds.stss.talk.rules.acts import (
    ABOUT_PLACE,
    ABOUT_TIME,
    ACCEPTS,
    CORRECTS,
    DECLINES,
    HEDGES,
    OPEN,
)
from sociolab.worlds.stss.talk.rules.attaching import elsewhere, unfit
from sociolab.worlds.stss.talk.rules.clock_words import Hour, hours_in
from sociolab.worlds.stss.talk.rules.patterns import Pattern, Phrases
from sociolab.worlds.stss.talk.rules.reading import Said

ALONE = 3
"""Words beside an hour, a day and a place that are only repeated: "At six, then, Nkechi." """
_WORDS = re.compile(r"\b(?!(?:a|the|on|at|in|tomorrow|today|tonight|\w+day|s)\b)\w+")
_GOES = Phrases(
    r"\b(?:come|coming|be there|see you|meet|then|done|knock|ready|bring|wait|expect|say|let's|we"
    r"|we'll|i'll|shall|will|can|manage|could|free|prefer|like|please|your|agreed|settled|thank)\b"
)
FEW = 3
"""Words of half a sentence: "Tomorrow, then." """
# What is said of a meeting that is taken for granted.
_WILL_BE = Phrases(
    r"\b(?:i'll|i will|i shall|i won't be|you'll (?:find|have|see|get|need)"
    r"|don't (?:you )?be late"
    r"|will (?:want|love|like|enjoy|be) |(?:and |just |but |then |you )bring|^bring|expect me"
    r"|wear|i'd better (?:bring|get|dig|dust|practi[sc]e))\b"
)
_READY = Pattern(
    r"(?:(?:and|but|just|then|so|now),? )*(?:mind you )?(?:bring|wear|knock|ring (?:the|my) bell"
    r"|i(?:'ll| will| shall) (?:knock|ring|come and find)"
    r"|don't be late|be (?:punctual|on time)|come hungry)\b"
    r"|(?:and|plus|with) (?:an?|the|some|plenty of|two|three|lots of|no) \w"
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
    if _readies(said):
        return True
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


def _readies(said: Sequence[Said]) -> bool:
    """Whether a line says what to bring or how one comes: "Bring a pencil too." """
    return any(_READY.match(one.text) for one in said) and not any(
        one.sentence.asks
        or DECLINES.search(one.text)
        or HEDGES.search(one.text)
        or OPEN.search(one.text)
        or unfit(one.text)
        for one in said
    )


# "Eight in the morning? You're not serious."
_INCREDULOUS = Phrases(
    r"\b(?:(?:not|be|can't be) serious|(?:are you|you're|you must be) (?:mad|joking|kidding|crazy"
    r"|out of"
    r"|dreaming)|middle of the night|have mercy|good grief|ungodly|unholy|civili[sz]ed|human hour"
    r"|so early"
    r"|that early|so late|that late)\b"
)


def objects(said: Sequence[Said]) -> bool:
    """Whether a line has something against an hour: other engagements, or "that's early"."""
    return any(
        elsewhere(one.text, one.about)
        or unfit(one.text)
        or DECLINES.search(one.text)
        or _INCREDULOUS.search(one.text)
        for one in said
    )


def echoes(one: Said, hour: Hour, objects_: bool) -> bool:
    """Whether an hour is repeated as a yes: nearly alone, or with words of coming or approval.

    "Five? I've got members till six" and "Twelve's in the middle of my lesson" are none.
    """
    if one.sentence.asks:
        return not objects_
    if not one.text[: hour.span[0]] and one.text[hour.span[1] : hour.span[1] + 1] == ",":
        return True
    clause = one.sentence.clause_at(hour.span[0])
    rest = len(_WORDS.findall(clause)) - len(_WORDS.findall(one.text[slice(*hour.span)]))
    rest -= sum(len(_WORDS.findall(one.text[slice(*place.span)])) for place in one.places)
    return rest <= ALONE or bool(ACCEPTS.search(one.text) or _GOES.search(one.text))


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


def answers_only(said: Sequence[Said]) -> bool:
    """Whether a line answers what else was asked, with nothing against the hour beside it."""
    return not any(
        one.sentence.asks
        or hours_in(one.text)
        or ABOUT_TIME.search(one.text)
        or HEDGES.search(one.text)
        or OPEN.search(one.text)
        or DECLINES.search(one.text)
        or CORRECTS.search(one.text)
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
