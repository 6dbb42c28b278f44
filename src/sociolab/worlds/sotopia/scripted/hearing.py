"""What a line says, as far as simple rules can hear it: sums, agreement, refusal, farewell.

Any text may come in (the partner may be a model or a person), so nothing here expects a form.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from sociolab.worlds.sotopia.checks.amounts import Number, numbers
from sociolab.worlds.sotopia.checks.words import words

_LONGEST = 2000
"""Only this much of a line is listened to, in characters."""

_STARTS = r"(?:^|(?<=[.!?;:,\n] ))"
_AGREE = re.compile(
    rf"{_STARTS}(?:deal|done|sold|agreed)\b(?! (?:on|with))"
    r"|(?:(?<=is )|(?<=are )|(?<='s )|(?<='re )|(?<=so )|(?<=then ))agreed\b(?! on)"
    r"|\b(?:i|we) agree\b(?! (?:on|that|about))"
    r"|\b(?:it'?s|that'?s|is|we have|we'?ve got|you have|you'?ve got|got|call (?:it|that))"
    r" (?:yourself )?a deal\b"
    r"|\b(?:i accept|i'?ll take it|it'?s settled|(?:that|it) works|works for me"
    r"|i can live with (?:that|it)|sounds (?:good|fair|great|perfect|reasonable)"
    r"|sounds like a (?:fair |good |great )?(?:deal|plan|compromise)"
    r"|(?:fine|okay|good) (?:by|with) me|let'?s do (?:that|it)"
    r"|(?:do|have) it your way|your way(?: it is|, then)"
    r"|shake on (?:it|that)|count me in|i'?ll give in|that'?s fair|happy with that)\b"
)
# Most lines hold none of these words, and the full expression takes 40 microseconds.
_AGREE_AT_ALL = re.compile(
    r"\b(?:deal|done|sold|agreed?|accept|settled|works|live with|sounds|with me|by me|take it"
    r"|do it|do that|your way|shake on|count me|give in|that'?s fair|happy)\b"
)
_DENIAL = re.compile(
    r"\b(?:suppose|what if|how about|shall we|should we|maybe|perhaps|no|not|never|nor|cannot"
    r"|hardly|if|unless|before|until|without|could|can we|would"
    r"|wouldn'?t|isn'?t|don'?t|didn'?t|won'?t|can'?t|haven'?t|doesn'?t|wasn'?t)\b[^.!?;\n]*$"
)
_CONDITION = re.compile(r"\b(?:if|unless|provided)\b[^.!?;\n]*$")
_HEDGE = re.compile(r"[^.!;\n]{0,40}\?|,? (?:if|but|only|unless|provided|breaker|as long as)\b")
_REFUSE = re.compile(
    r"\bno\b(?! (?:problem|worries|hurry|rush))|\b(?:can'?t|cannot|won'?t|couldn'?t|not|never"
    r"|refuse|afraid|impossible|unacceptable|don'?t|doesn'?t|isn'?t)\b"
)
_OFFER = re.compile(
    r"\b(?:compromise|half ?way|in between|in the middle|what if|how about|suppose"
    r"|this would suit|towards you|each give|in return|in exchange"
    r"|meet you (?:half|in the|there|part)"
    r"|would it help|why don'?t we|take turns)\b"
)
_PART = re.compile(
    r"\b(?:good ?bye|bye|take care|see you (?:around|later|soon|tomorrow)|good luck"
    r"|have a (?:good|nice|great|lovely) (?:day|evening|night|time|one|weekend|trip)"
    r"|no deal|too far apart|going to agree|no agreement|i'?ll leave it|rather leave"
    r"|all the best|leave it there|leave it unsettled|undecided|any further|leads nowhere"
    r"|(?:could|can)n?'?t (?:find a way|make (?:this|it) work)|won'?t do business|sleep on it"
    r"|(?:no|share a) friend in common|don'?t think we(?: share|'?ll find)|haven'?t crossed"
    r"|won'?t agree|can'?t agree|i have to go|rather stop(?! while)|better stop"
    r"|as it is for today)\b"
)
_INVITE = re.compile(
    r"\b(?:suggest|propose|solve|in my place|give a little|something that would|any idea"
    r"|meet me|work for you|what would you)\b[^.!]*\?"
)
_YES = re.compile(r"^\W*(?:yes|yeah|yep|oh yes|i do|indeed|as it happens|exactly|it is|correct)\b")
_NO = re.compile(r"^\W*(?:hm,? )?(?:no|nope|nobody|none|sorry|i'?m afraid|i don'?t|not)\b")
_DENIED = frozenset(("no", "not", "never", "cannot"))
_LIMITS = frozenset(("better", "lower", "higher", "more", "less", "than", "further"))
_CLAUSE = frozenset((",", ".", "!", "?", ";", "but"))


class Heard:
    """What one line says, worked out where it is asked for. It never changes."""

    def __init__(self, text: str) -> None:
        self._text = plain(text)

    @cached_property
    def sums(self) -> tuple[float, ...]:
        """The amounts of money that it names and does not turn down, in order."""
        said, found = self._amounts
        return tuple(n.value for n in found if n.money and not _turned_down(said, n))

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The bare numbers that may be amounts of money, in order."""
        return tuple(n.value for n in self._amounts[1] if not n.money and not n.percent)

    @cached_property
    def _amounts(self) -> tuple[list[str], list[Number]]:
        said = words(self._text)
        return said, numbers(said)

    @cached_property
    def agrees(self) -> bool:
        """It agrees outright, with no condition and no question."""
        text = self._text
        if not _AGREE_AT_ALL.search(text):
            return False
        return any(_outright(text, match) for match in _AGREE.finditer(text))

    @cached_property
    def refuses(self) -> bool:
        """Some word in it denies something."""
        return _REFUSE.search(self._text) is not None

    @cached_property
    def offers(self) -> bool:
        """It makes a proposal for a compromise."""
        return _OFFER.search(self._text) is not None

    @cached_property
    def invites(self) -> bool:
        """It asks for a proposal."""
        return self.asks and _INVITE.search(self._text) is not None

    @cached_property
    def parts(self) -> bool:
        """It gives up or says goodbye, and asks nothing more."""
        return not self.asks and _PART.search(self._text) is not None

    @cached_property
    def yes(self) -> bool:
        """It begins with a yes."""
        return _YES.search(self._text) is not None

    @cached_property
    def no(self) -> bool:
        """It begins with a no."""
        return _NO.search(self._text) is not None

    @cached_property
    def asks(self) -> bool:
        """It holds a question."""
        return "?" in self._text


def plain(text: str) -> str:
    """The part of a text that is listened to, in lower case and with straight apostrophes."""
    return text[:_LONGEST].lower().replace("\u2019", "'")


@lru_cache(maxsize=4096)
def heard(text: str) -> Heard:
    """What this line says; the same text always says the same."""
    return Heard(text)


def _turned_down(said: list[str], number: Number) -> bool:
    """ "I can't do $90", "$90 is too low"; but not "I can't do better than $90"."""
    if said[number.end : number.end + 2] in (["is", "too"], ["is", "not"]):
        return True
    for at in range(number.start - 1, max(-1, number.start - 7), -1):
        if said[at] in _CLAUSE or said[at] in _LIMITS:
            return False
        if said[at] in _DENIED:
            return True
    return False


def _outright(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - 40) : match.start()]
    if _DENIAL.search(before) or _HEDGE.match(text, match.end()):
        return False
    # "If I get $200 by Friday and the rest on the twentieth, I can live with that."
    return not _CONDITION.search(text, max(0, match.start() - 160), match.start())
