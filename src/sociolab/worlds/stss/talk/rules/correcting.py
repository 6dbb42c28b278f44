"""Whether a sentence sets right what was said before, or only holds a word that could."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sociolab.worlds.stss.talk.rules.acts import CORRECTS
from sociolab.worlds.stss.talk.rules.patterns import Pattern
from sociolab.worlds.stss.talk.rules.reading import Said

# The same words in other senses: "it's not far", "I mean that", "you'll forget", "can't wait".
_IDLE = Pattern(
    r"\b(?:not|isn't) (?:far|bad|much|too|so|yet|only|that|until|till|before|really|quite|very"
    r"|long|for|to (?:worry|mention|push|say|be)|be|have|play|come|like|hard|heavy|small|big"
    r"|surprised|going|leaving|asking"
    r"|pushing|sure|everyone|everybody|all|many|even|just|a (?:problem|bad|bit|chance|soul))\b"
    r"|\b(?:could|would|did|do|does|will|can|should|might|must|may|am|'m|'re|was|were|are) "
    r"(?:\w+ )?not (?!at\b|on\b|in\b|here\b|there\b)"
    r"|\b(?:isn't|is not) (?:it|that|he|she|there)\b"
    r"|\bi mean (?:it|that|to|every|what)\b|\b(?:you|they|he|she) (?:really )?means?\b"
    r"|\b(?:'d|would|i|much) rather (?!it|that|we|have it|do it|make|at|on|in|than)"
    r"|\bor rather\?$|\brather (?:a|an|like|good|nice|fun|well|too|more|late|lot|\w+y)\b"
    r"|(?<=\w )wait\b|\bwait (?:for|till|until|at|and see)\b"
    r"|\b(?:'ll|will|won't|don't|never|to|can't|not|i|you|might|shan't) forget\b"
    r"|\bnow (?:and|that|you|i|we|go|then|off|eat|drink|sit|let|tell|what|where|how)\b"
    r"|\b(?:until|till|by|right|just|for|from|up to|and) now\b|^(?:well|so|and)? ?now,"
    r"|\bnever (?!mind)|\bwhat's wrong\b|\bsorry (?:to|about|for|if|you|i)\b"
    r"|\bchange (?:your|of|my|the|for|into)\b|\bcareful with\b"
    r"|\bnot (?:at all|in the least|a bit|in a hurry|on purpose)\b|\bno (?:\w+ing|more|one"
    r"|\w+ (?:at all|needed|required|necessary))\b|\bno hard\b"
)


_REPAIRS = Pattern(
    r"(?:(?:oh|ah|but|well|er|um),? )*(?:no\b(?= ?[,.!-])|sorry\b|i mean\b|i meant\b|wait\b"
    r"|rather\b|or rather\b"
    r"|what am i saying\b|not there\b|correction\b|silly me\b|scratch that\b|make that\b)"
)


def unrepaired(said: Sequence[Said]) -> Sequence[Said]:
    """The sentences of a line without the places that the speaker corrects in the next breath.

    "It lies in the waiting room... no, at the post office": only the second stands.
    """
    return [
        replace(one, places=()) if one.places and _repaired(said[number + 1 :]) else one
        for number, one in enumerate(said)
    ]


def _repaired(later: Sequence[Said]) -> bool:
    return bool(later and later[0].places and _REPAIRS.match(later[0].text))


def corrects(text: str) -> bool:
    """Whether words (small letters) set something right."""
    found = [match.span() for match in CORRECTS.finditer(text)]
    if not found:
        return False
    idle = [match.span() for match in _IDLE.finditer(text)]
    return any(not any(a < end and begin < b for a, b in idle) for begin, end in found)
