"""Whether a sentence puts a place forward to meet at, or only speaks of one."""

from __future__ import annotations

from sociolab.worlds.stss.talk.findings import Occasion
from sociolab.worlds.stss.talk.rules.agreed_spots import spot
from sociolab.worlds.stss.talk.rules.answering import hearsay
from sociolab.worlds.stss.talk.rules.attaching import elsewhere, taken
from sociolab.worlds.stss.talk.rules.clock_words import hours_in
from sociolab.worlds.stss.talk.rules.patterns import Pattern, Phrases
from sociolab.worlds.stss.talk.rules.place_words import Mention
from sociolab.worlds.stss.talk.rules.reading import Said
from sociolab.worlds.stss.talk.rules.sites import meant_places

BRIEF = 8
"""Words of a sentence that has room for little but the place: "In your workshop, then?" """
# What is done where one meets, and how one proposes it.
_MEETS = Phrases(
    r"\b(?:com(?:e|es|ing)|meet(?:ing)?|sit(?:ting)?|be|do (?:it|that|this)|see you|start|begin"
    r"|play|rehearse|gather|drop|pop|call|shall|how about|what about|let's|let us|could|would"
    r"|should|might|may|can|suits?|works?|stay|have it|hold it|host|over|round|wait|bring|find"
    r"|settled|agreed|suggest\w*|propos\w+|there'll|we'll|we|i'll|you'll|fine|good|better|best"
    r"|perfect|ideal|quiet"
    r"|quieter|empty|free|then|use|prefer|rather|happily|yes|no|not|want|like|paint|draw"
    r"|interview|join|help|please|make it|same|said|knock|spread|take|look|go|meant|mean)\b"
)
# "free from the counter", "after the gym": where one comes from.
_FROM = Pattern(
    r"\b(?:(?:free|away|off|back|come|coming|straight|home|out|loose) (?:from|of)|out of|leave"
    r"|leaving|lock|locking|lock up|close|closing|shut|after|before|until|till) (?:the |my |your )?"
    r"(?:\w+ )?$"
)
# What is said of oneself, not of the meeting: "at ten I've half the town at the counter".
_OCCUPIED = Phrases(
    r"\b(?:i've|i have)(?! (?:time|room|space|a (?:table|good|big|quiet|free|spare|room|lamp"
    r"|stove|kettle))\b)\b|\bi am (?!free|happy|glad|fine|sure|there|here)"
    r"|\bi'm (?:by|near|down|over|out|up|usually|always)\b"
    r"|\b(?:have|has|had|did|were|was) (?:you|he|she|they|it)\b"
)
# "Where we were last time, the music room."
_SAME = Pattern(r"(?:well,? |oh,? )?(?:where we|the same|same)\b")
# "You know where I am": no place to meet at.
_KNOWN = Pattern(r"where (?:i|you|we|he|she)(?: am|'m| are)\b(?=[.,!?]|$)")
# "I've the studio to myself": an offer, though it is said of oneself.
_FREE = Phrases(r"\b(?:to myself|to ourselves|free|empty|the keys?)\b")
# Why an hour suits: "when I'm here anyway".
_AT_HOME = Phrases(
    r"\bi'm (?:at home|here|home) (?:\w+ing|with|for)\b"
    r"|\bi(?:'m| am) (?:always|usually|mostly|often) (?:at home|here|in)\b"
)
_ANYWAY = Pattern(r"(?:when|while|as|since|because) (?:i'm|i am|you're|you are|we're|we are)\b")
# What a place stands after where one meets there: not "the boy can mind the counter".
_LED_TO = Pattern(
    r"(?:^|[,.;:!?(\u2014-] ?|\b(?:in|at|to|into|by|behind|inside|outside|near|over|on|onto|round"
    r"|around|of|up|under|about|suggest|prefer|say|then|or|and|but|is|was|it's|not|yes|no|so|mean"
    r"|meant"
    r"|there's|rather|use|have|take|make|be|than|that|if|because|only|perhaps|maybe|with|for|from"
    r"|down|off|across|through|beside|opposite|via|has|got|called|as|does|do|would|well)"
    r" )(?:(?:the|your|my|our|his|her|their|this|that|its|same|own|old|new|big|little|small|back"
    r"|front|quiet|usual|nice|empty|good|warm|\w+'s|s') )*$"
)
# "that's where I fall apart" is no place; "where you keep the tools" is one.
_DOES_THERE = Pattern(
    r"where (?:you|we|i|he|she)(?:'re|'ve)?(?: (?:always|usually|first|all|once|both|normally))?"
    r" (?:work|live|sit|stand|teach|play|keep|paint|draw|eat|meet|met|sat|stood|first|were|are|met"
    r"|have (?:lunch|tea|coffee|breakfast|supper)|had|practi[sc]e|rehearse|always|usually|run|serve"
    r"|sleep|train|record|feed|park|sell|store|bake|cook|sew|throw|read|write|fix|mend|sorts?|stay"
    r"|do (?:the|your|my|our))\w*"
)


def offered_place(occasion: Occasion, one: Said, asked: bool = False) -> str | None:
    """The place that a sentence puts forward, in words; None where it only speaks of one.

    `asked` says that the other has just asked where.
    """
    found = spot(one)
    known = found is not None and ": " in found[0]
    if not known and not hearsay((one,)) and (meant := _meant(occasion, one)):
        return f"{meant[0].sector}: {meant[0].arena}"
    if found is None:
        return None
    place, span = found
    if place.endswith("here") and occasion.here:
        return f"{occasion.here.partition(': ')[0]}: "
    clause = one.sentence.clause_at(span[0])
    if place.startswith("where "):
        return None if taken(clause) or not _DOES_THERE.match(place) else place
    if (
        (
            elsewhere(clause, one.about or bool(_FREE.search(clause)))
            and not (asked and _SAME.match(clause))
        )
        or taken(clause)
        or not (asked or _proposes(one, clause, span[0]))
    ):
        return None
    return place


def _meant(occasion: Occasion, one: Said) -> tuple[Mention, ...]:
    """What "here" or "my place" means, but for "when I'm here anyway"."""
    return tuple(
        place
        for place in meant_places(occasion, one)
        if not _ANYWAY.match(one.sentence.clause_at(place.span[0]))
        and not _AT_HOME.search(one.text)
        and not _KNOWN.match(one.text[place.span[0] :])
    )


def _proposes(one: Said, clause: str, begin: int) -> bool:
    if _FROM.search(one.text[:begin]):
        return False
    if one.about or _FREE.search(clause):
        return True
    if _OCCUPIED.search(clause):
        return False
    if len(one.text.split()) <= BRIEF:
        return True
    return bool(_LED_TO.search(one.text[:begin])) and bool(
        _MEETS.search(one.text) or hours_in(one.text)
    )
