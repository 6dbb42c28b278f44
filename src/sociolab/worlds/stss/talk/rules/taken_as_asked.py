"""Whether somebody is asked to meet by a hint, or only told of a wish for some day."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.worlds.stss.talk.rules.deferring import DEFERS
from sociolab.worlds.stss.talk.rules.patterns import Phrases
from sociolab.worlds.stss.talk.rules.reading import Said

_SCHEDULES = Phrases(
    r"\bwhen (?:were|are|did|would|shall|should|could|can|do|might) (?:you|we|it|i)\b[^.!]*\?"
    r"|\b(?:what|which) (?:day|time|hour)\b[^.!]*\?|^(?:and |so )?when(?:,? then)?\?"
    r"|\bwhen it (?:fits|suits)\b|\b(?:come|stop|drop) (?:by|round|over|in|to me|and see me)\b"
    r"|\byou(?:'d| would|'ll| will|'re| are)? (?:be )?(?:\w+ )?welcome\b(?! back| home)"
    r"|\bwe(?:'ll| will| shall) find (?:an?|another|some|the)\b|\bthat's what i'm for\b"
    r"|\b(?:whenever|any time) you\b|\bi(?:'m| am) (?:\w+ )?(?:honou?red|flattered|touched)\b"
    r"|(?:^|\b(?:then|so|and|just),? )come (?:and|to|round|over|by)\b|\b(?:all )?of me\?"
    r"|\bit can be (?:done|arranged|managed)\b|\btalked into it\b"
    r"|\byou(?:'d| would) like (?:me|us|to be)\b"
    r"|\byou want (?:me|us) (?:to|for|with)\b|\bare you asking (?:me|us)\b"
    r"|\bi (?:can|could|might) (?:spare|find|make) (?:you )?(?:an|half an|some|the) (?:hour|time)\b"
)
_SOME_DAY = Phrases(r"\b(?:one|some) (?:fine )?day\b|\bone of these (?:days|years)\b")
_TOGETHER = Phrases(
    r"\b(?:we|us|you and i|together|should \w+ for|sit for|would you|will you|could you|can you"
    r"|do you|ask(?:s|ed)?|shall"
    r"|let me|let's|may i|invit\w+|we'd|we'll|if you)\b"
    r"|\b(?:wants?|wanted|would like) (?:to \w+ )?(?:me|my)\b"
)


def only_some_day(text: str) -> bool:
    """Whether words (small letters) tell of a wish without asking: "One day I'll draw you." """
    return bool(_SOME_DAY.search(text)) and not ("?" in text or _TOGETHER.search(text))


def serious(turns: Sequence[Sequence[Said]]) -> list[list[Said]]:
    """A talk without the sentences that only tell of some day."""
    kept = [[one for one in turn if not only_some_day(one.text)] for turn in turns]
    return [turn for turn in kept if turn]


def taken_as_asked(turns: Sequence[Sequence[Said]]) -> str:
    """The words with which the other takes a hint at the matter for a question, ""."""
    named = False
    for turn in turns:
        if named and not turn[0].ours:
            for one in turn:
                if _SCHEDULES.search(one.text) or (DEFERS.search(one.text) and one.about):
                    return one.quote
        named = named or any(one.about for one in turn)
    return ""
