"""Putting off: an answer that leaves the matter for later, which is neither a yes nor a no."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.worlds.stss.talk.rules.acts import ABOUT_PLACE, ABOUT_TIME
from sociolab.worlds.stss.talk.rules.clock_words import hours_in
from sociolab.worlds.stss.talk.rules.patterns import Phrases
from sociolab.worlds.stss.talk.rules.reading import Said

# Said by the one who is asked: later, after something else, by a note, or no promise.
DEFERS = Phrases(
    r"\b(?:ask|catch|try|remind) me (?:again|tomorrow|later|on|in|when|after|then|once|next|some"
    r"|another|about it|nearer)\b|\bask again\b|\bdo ask\b"
    r"|\b(?:i'll|i will|i shall|we'll|we will|we shall|let me|let's|may i|can i|i want to|i'd like"
    r" to|first|have to|need to|must|and) (?:\w+ )?see (?:how|what|whether|if|where|when)\b"
    r"|\bsleep on (?:it|that)\b"
    r"|\b(?:can't|cannot|couldn't|won't|not|wouldn't|don't) (?:\w+ ){0,3}(?:promise|my word"
    r"|tell you"
    r"(?: now| yet)?|say (?:now|yet|anything|either way|for (?:sure|certain)))\b"
    r"|\bpromis(?:e|ed|ing) (?:you )?nothing\b|\bno (?:can't|promise)"
    r"|\bi (?:honestly |really |just )?(?:don't|can't|couldn't) (?:know|say)\b"
    r"(?! (?:no|a thing|anything about|how to|much|what i'd|why)\b)"
    r"|\b(?:leave|send|drop|write|slip) me (?:a|an|some|your|two|three|word|the) "
    r"|\bput (?:it|that|them|your \w+) (?:down )?(?:in a note|in writing|on paper)\b"
    r"|\bwith (?:some|a few|two or three|two|three|a couple of) (?:times|dates|hours|days)\b"
    r"|\b(?:don't|do not|mustn't|better not|not to|please don't) "
    r"(?:plan|count|rely|bank|wait|reckon) (?:on|for|with) me\b"
    r"|\b(?:don't|do not) (?:build|fix|arrange|set|move|hold|keep) (?:it|anything|things) (?:\w+ )?"
    r"(?:around|for|on|with) me\b|\bi never know\b"
    r"|\bif i come,? i come\b|\bi don't see it\b|\b(?:not|hardly|isn't) (?:very )?likely\b"
    r"|\bi (?:very much |rather )?doubt (?:it|that|i|if|whether)\b"
    r"|\bone of these (?:days|evenings|afternoons|mornings)\b|\bsome (?:day|other) soon\b"
    r"|\b(?:tell|let) you (?:know|tomorrow|then|when|later|tonight|after|once)\b"
    r"|\b(?:give|get|have) (?:you )?(?:an|my|your) answer\b(?! now)"
    r"|\b(?:can't|cannot|won't|not) (?:quite )?(?:decide|settle|commit|fix)\b"
    r"|\b(?:leave|keep) (?:it|that) (?:open|with me|at that|there|for now)\b"
    r"|\b(?:ask|check with) (?:her|him|them|[a-z]+) (?:first|before)\b"
    r"|\bwait and see\b|\bwhen i know\b|\bonce i know\b|\bbefore i (?:say|promise|decide|commit)\b"
)
# Said by the one who proposes: it hangs on others.
_OTHERS_FIRST = Phrases(
    r"\blet you (?:all |both )?know\b|\btell you (?:what|how|if|whether|when)\b|\b(?:has"
    r"|have) to (?:tell|ask|say|answer|agree)\b"
    r"|\b(?:have|need|want) to (?:hear from|check with|ask (?:around|the others))\b"
)


# A place that is still to be found.
NOT_FOUND = Phrases(
    r"(?<!couldn't )(?<!can't )(?<!could )\b(?:think of|look for|come up with|hunt for"
    r"|dig up) (?:some(?:where|thing)|an?(?:other)?"
    r" (?:\w+ )?(?:place|room|spot|corner))\b|\bwe'll see where\b"
    r"|\b(?:let's|let us|we'll|we can|we'd better|i'll) (?:decide|choose|pick|settle|sort) "
    r"(?:that|it|which|where|on the spot|then|tomorrow|between)\b"
    r"|\b(?:i'll|we'll) find somewhere\b"
)
# Places from which nobody has chosen: "It could be the studio, or your garden".
SOME_PLACE = Phrases(
    r"\b(?:could|might|may|either|maybe|perhaps)\b[^.?!]*,? or (?:(?:in|at|even|else|maybe"
    r"|perhaps|we could) )*"
    r"(?:the|your|my|our|here|mine|yours)\b|^or (?:in |at )?(?:the|your|my|our|here)\b"
)


def puts_off_hour(said: Sequence[Said]) -> bool:
    """Whether a line leaves more than the place for later: "Where, I'll tell you then".

    The other may do so in many words, the performer by having to ask others first.
    """
    words = _OTHERS_FIRST if said[0].ours else DEFERS
    return any(words.search(one.text) and not ABOUT_PLACE.search(one.text) for one in said)


def puts_off_place(one: Said) -> bool:
    """Whether a sentence of the other leaves all for later, not the hour alone."""
    of_time = hours_in(one.text) or ABOUT_TIME.search(one.text)
    return not (one.ours or of_time or one.places) and bool(DEFERS.search(one.text))
