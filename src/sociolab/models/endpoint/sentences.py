"""Made-up English: harmless sentences of a conversation, about as long as asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import product

_OPENINGS = (
    "I think", "To be honest,", "For what it is worth,", "As I see it,", "Well,", "Maybe",
    "From where I stand,", "You know,", "Looking back,", "If you ask me,", "Between us,",
    "Since we are both here,", "Before we go on,", "Frankly,", "I would say", "It seems to me",
    "After all that,", "On second thoughts,", "Strange as it sounds,", "All in all,",
)  # fmt: skip
_CLAIMS = (
    "we could meet halfway", "there is room for a fair deal", "this matters to both of us",
    "Saturday would suit me better", "a little patience goes a long way",
    "your point deserves a proper answer", "the price should reflect the work",
    "nobody has to lose here", "I can carry my share of it", "we have been through worse",
    "the neighbours will want to hear about it", "it helps to say it out loud",
    "small steps are still steps", "your idea is better than mine",
    "there must be another way around it", "I was hoping for something simpler",
    "the garden can wait another week", "we should write it down",
    "two heads are better than one", "that story still makes me smile",
)  # fmt: skip
_CLOSINGS = (
    "once the details are clear", "as long as we stay honest", "even if it takes a while",
    "because I trust your judgement", "before it gets too late", "if that works for you",
    "so let us take it slowly", "and I mean that kindly", "without making a fuss",
    "unless you see it differently", "now that we are talking", "whatever the others say",
    "since nothing is settled yet", "and I will not forget it", "when you are ready",
    "after a good cup of tea", "if only for today", "and that is fine with me",
    "while there is still time", "as we did last summer",
)  # fmt: skip


@cache
def _sentences() -> tuple[str, ...]:
    return tuple(" ".join(parts) + "." for parts in product(_OPENINGS, _CLAIMS, _CLOSINGS))


def prose(random: Callable[[], float], length: int) -> str:
    """Sentences of at most `length` characters, and seldom more than ten below it.

    `random` gives numbers in [0, 1). Below about ten characters it is a word or a part of one.
    """
    sentences = _sentences()
    text = sentences[int(random() * len(sentences))]
    while len(text) < length:
        text = f"{text} {sentences[int(random() * len(sentences))]}"
    if len(text) == length:
        return text
    cut = text.rfind(" ", 0, length)
    if cut < 1:
        return text[:length]
    return text[:cut].rstrip(",.") + "."


def exact_prose(random: Callable[[], float], length: int) -> str:
    """Text of exactly `length` characters, cut in mid-word where needed; no space at its end."""
    text = prose(random, length + 60)[:length]
    return text[:-1] + "." if text.endswith(" ") else text
