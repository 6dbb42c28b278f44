"""Bare numbers: whether "five" is an hour ("at five", "Tomorrow, five.") or counts something."""

from __future__ import annotations

import re

from sociolab.worlds.stss.talk.rules.patterns import Pattern

# A word that leads to a time, or the start of a clause.
_LEAD = Pattern(
    r"(?:^|[.!?;:,(\"\u2026-] ?|\b(?:at|by|to|or|so|is|it|not|thought|figured|reckon(?:ed)?"
    r"|guess(?:ed)?|say|and|from|till|then|past|that|it's"
    r"|than|make|only|just|sure|well|okay|ok|until|about|since|that's|maybe|isn't|shall|suits"
    r"|around|before|after|toward|towards|starts?|begins?|begin|kick-off|tonight|perhaps|between"
    r"|roughly|exactly|tomorrow|probably|thinking|starting|possibly|actually|today|afternoon"
    r"|evening|morning|suggest(?:ed)?|proposed?|offered|prefer|settled|agreed|mean|meant|said"
    r"|how's|what's|with|for|on|do|done|manage|does|like|yes|no|nearer|closer|approx|unless|as"
    r"|say,|of|\w+day"
    r"|there|still|be|i'd|would|could|can|will|not,|was|sharp|th|st|nd|rd|\d+th))\s?$"
)
# After it: the end of a clause, or a word that cannot belong to a counted thing.
TAIL = (
    r"(?=\s*(?:[.,;:!?)\"\u2026]|$|- )|-?ish\b|'s\b|'d\b|'ll\b|\s+(?:at|in|on|by|then|tomorrow"
    r"|today|tonight|sharp|ish|it|is|isn't|works?|suits?|would|wouldn't|will|won't|might|may|could"
    r"|sounds|should|or|and|to|till|until|so|if|but|as|because|instead|i|i've|i'm|i'd|i'll|we"
    r"|we're|you|you'll|he|she|they|there's|please|than|not|suit|exactly|prompt|promptly|this"
    r"|next|when|though|after|before|okay|ok|was|from|onwards?|does|doesn't|can|can't|shall|here"
    r"|there|over|down|too|for|rather|work|anyway|do|be|seems|fits|feels|starts?|we'll"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|perhaps|maybe|latest|with|my|the"
    r"|again|already|right|still|that|approx|roughly|also|looks|its|because|actually|definitely"
    r"|instead|(?:good|fine|okay|all right|alright|possible|convenient|best|better|ideal|perfect"
    r"|great)"
    r"(?! \w+s\b)|precisely|outside|inside|now|worked|suited|across|under|beside|near|behind)\b)"
)
_STRONG = Pattern(
    r"\b(?:at|from|until|till|around|about|before|after|by|say,?|past|nearer|closer to|between"
    r"|sharp|stroke of|dot of|tonight|tomorrow|starts?|begins?|make it|make that|call it"
    r"|(?:shall|let's"
    r"|could|can"
    r"|should|would) (?:we|you|i) (?:say|do|make it|meet at|manage)|let's (?:do|say|go for)"
    r"|(?:what|how) about|how(?:'s| is| does)|\w+day(?: at)?|thinking(?: of)?|mean|meant|thought"
    r"|figured|reckon"
    r"|guess) $"
)
_COUNTED = Pattern(r"\b(?:and|or|with|for|have|do|like|to|on|of|be|i'd|would|could|can|will"
                      r"|as|there|there's|there are|need|want)\s$")  # fmt: skip
_MOVED = Pattern(
    r"\b(?:aim(?:ing)?|plan(?:ned|ning)?|set|fixed|scheduled|down|agreed|moved?|changed?"
    r"|shift(?:ed)?"
    r"|back|forward|over|brought|push(?:ed)?|switch(?:ed)?|go|went|settled?|stick(?:ing)?|stay|i'm"
    r"|put it|bring it|leave it|keep it|it was|that was) (?:it |that )?(?:for|to|on|with|at) $"
    r"|\b(?:could|can|would|shall|should) (?:we|you|i) do $|\bi (?:can|could) do $|\b(?:live"
    r"|cope|do) with $"
)
_TIMELY = Pattern(
    r"-?ish\b|'s (?:fine|good|ok|great|perfect|better|early|late|lovely|awkward|bad|tricky)"
    r"|,? (?:sharp|do\b|be (?:ok|okay|fine|all right|good|too)|tomorrow|today|tonight|would (?:be"
    r"|suit|work)|works?|suits?|on the dot|for the"
    r"|is (?:fine|good|perfect|great|better|too)|in the (?:after|eve|morn)\w*|(?:this|tomorrow) "
    r"(?:after|eve|morn)\w*|onwards?|instead|rather|prompt)\b"
)
_PERSONS = Pattern(r",? (?:of|more|others?|or (?:two|three|four|five|six|more)|at (?:a"
r"|the) time|"
                      r"at (?:most|least)|at once)\b|'s (?:a|enough|company)\b")  # fmt: skip
_NEAR = 24


def is_hour(lead: str, said: str, tail: str, last_end: int) -> bool:
    """Whether a number is an hour, by what is before and after it.

    `last_end` is where the last clock time before it ends, below 0 where there is none.
    """
    strong = bool(_STRONG.search(lead))
    if (_PERSONS.match(tail) and not strong and lead) or not _LEAD.search(lead):
        return False
    if said == "one":
        if not lead and re.match(
            r",? then\b|[.!?]|,? sharp|, (?:at|in|tomorrow|and|but|so)\b"
            r"|$",
            tail,
        ):
            return True
        return strong and not re.match(r" (?:of|in|that|and|for|the|or|who|with)\b", tail)
    if said.isdigit() and int(said) > 12 and not strong:
        return False
    joined = last_end >= 0 and len(lead) - last_end < _NEAR
    if _COUNTED.search(lead) and not strong:
        return bool(_MOVED.search(lead) or _TIMELY.match(tail)) or (
            joined and bool(re.search(r"\b(?:and|or|to) $", lead))
        )
    return (
        strong
        or not lead
        or bool(_TIMELY.match(tail))
        or not re.match(
            r" (?:with|my|the|that|for|on|from|behind|in\b(?! (?:any|either|that) case))\b", tail
        )
    )
