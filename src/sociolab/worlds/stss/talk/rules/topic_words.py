"""Whether words are about an activity or an errand: by its keywords and their stems."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

# Words that many activities share, and small words.
_PLAIN = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "in",
        "on",
        "at",
        "for",
        "to",
        "with",
        "and",
        "by",
        "from",
        "any",
        "all",
        "our",
        "my",
        "your",
        "his",
        "her",
        "their",
        "about",
        "into",
        "out",
        "open",
        "air",
        "old",
        "live",
        "other",
        "others",
        "friends",
        "together",
        "friendly",
        "around",
        "different",
        "evening",
        "afternoon",
        "morning",
        "night",
        "day",
        "hour",
        "time",
        "week",
        "session",
        "class",
        "classes",
        "course",
        "lesson",
        "circle",
        "club",
        "group",
        "practice",
        "practise",
        "practising",
        "practicing",
        "event",
        "party",
        "meeting",
        "game",
        "match",
        "exchange",
        "online",
        "internet",
        "web",
        "video",
        "workshop",
        "contest",
        "competition",
        "tournament",
        "review",
        "check",
        "show",
        "talk",
        "walk",
        "supper",
        "parcel",
        "sample",
        "bring",
        "take",
        "collect",
        "fetch",
        "buy",
        "drop",
        "off",
        "hand",
        "over",
        "pick",
        "pick-up",
        "up",
        "mended",
        "jars",
        "jar",
        "six",
        "five",
        "travellers",
        "beginners",
        "back",
        "water",
        "stiff",
        "town",
        "table",
    ]
)
_SUFFIX = re.compile(r"(?:'s|ings?|ers?|ed|ies|es|s|y|e)$")


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A word without its ending: "kites" and "kite", "folding" and "fold" are one."""
    short = word.lower().strip("'-")
    while len(short) > 4 and (cut := _SUFFIX.sub("", short)) != short and len(cut) >= 3:
        short = cut
    if len(short) > 3 and short[-1] == short[-2]:
        short = short[:-1]
    return short


_PLAIN_STEMS = frozenset(stem(word) for word in _PLAIN) | _PLAIN
_WORD = re.compile(r"[a-z0-9][a-z0-9'é-]*")


@lru_cache(maxsize=8192)
def _stems(text: str) -> tuple[str, ...]:
    return tuple(
        stem(part)
        for word in _WORD.findall(text)
        for part in ((word, *word.split("-")) if "-" in word else (word,))
    )


class Topic:
    """What an activity or a thing is called, as stems with weights.

    A stem that stands in many of its names weighs 1, a rarer one less; `said` wants 1.
    """

    def __init__(self, names: Iterable[str], extra: Iterable[str] = ()) -> None:
        phrases = [name.lower() for name in names if name]
        counts = Counter(
            one
            for phrase in phrases
            for one in dict.fromkeys(_stems(phrase))
            if one not in _PLAIN_STEMS and len(one) > 2
        )
        most = max(counts.values(), default=1)
        self._weights = {
            one: 1.0 if count >= most / 4 or count >= 3 else 0.5 for one, count in counts.items()
        }
        self._weights.update((stem(word), 1.0) for word in extra)
        self._whole = re.compile(
            rf"\b(?:{'|'.join(re.escape(one) for one in dict.fromkeys(phrases)) or '(?!)'})s?\b"
        )

    def weight(self, text: str) -> float:
        """How much of the topic is in words (small letters): 1 or more is enough."""
        if self._whole.search(text):
            return 2.0
        stems = set(_stems(text))
        return sum(weight for one, weight in self._weights.items() if one in stems)

    def said(self, text: str) -> bool:
        """Whether words (small letters) are about it."""
        return self.weight(text) >= 1


@lru_cache(maxsize=512)
def topic(names: tuple[str, ...], extra: tuple[str, ...] = ()) -> Topic:
    """The topic of these names, remembered."""
    return Topic(names, extra)
