"""How much memories matter, and what follows from them (`rate_importance`, `reflect`)."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from sociolab.town.answers import Insight, Insights, Ratings
from sociolab.town.thoughts import RateImportance, Reflect

_RATES = (
    (re.compile(r"\b(?:died?|death|fire|accident|wedding|marr|born|divorc)", re.I), 9),
    (re.compile(r"\b(?:agreed|appointment|promis|invit|wants to meet|asked me)", re.I), 7),
    (re.compile(r"\b(?:party|holding|taking part in|told me about|told .* about)", re.I), 6),
    (re.compile(r"\b(?:talk|chat|convers|said)", re.I), 4),
    (re.compile(r"\b(?:plan|hopes?|wants?|learn|exam|paper)", re.I), 3),
    (re.compile(r"\b(?:asleep|sleeping|washing|idle|resting|having breakfast)", re.I), 1),
)


def ratings(question: RateImportance) -> Ratings:
    """Routine 1 to 2, talk 4, invitations and appointments 6 to 7, what changes a life 9."""
    return Ratings(ratings=tuple(_rate(text) for text in question.texts))


@lru_cache(maxsize=8192)
def _rate(text: str) -> int:
    return next((rate for pattern, rate in _RATES if pattern.search(text)), 2)


_NAME = re.compile(r"\b([A-Z][\w'-]+ [A-Z][\w'-]+)\b")
_MATTER = re.compile(r"\b(?:told me about|told .+? about|invited me to) (.+?)(?: on | at |\.|$)")


def insights(question: Reflect) -> Insights:
    """Whom one has to do with, what is going on in town, and what one is busy with."""
    texts = tuple(memory.text for memory in question.memories)
    own = question.me.resident.name
    names = Counter(name for text in texts for name in _NAME.findall(text) if name != own)
    matters = Counter(match for text in texts for match in _MATTER.findall(text))
    found = [
        Insight(text=f"I have a lot to do with {name} these days."[:400], importance=5)
        for name, times in _first(names)
        if times > 1
    ]
    found += [
        Insight(text=f"People in town speak about {matter}."[:400], importance=6)
        for matter, _ in _first(matters)
    ]
    name = question.me.resident.first_name
    if not found:
        found = [Insight(text=f"These are quiet days for me, {name}.", importance=3)]
    return Insights(insights=tuple(found[:5]))


def _first(counted: Counter[str]) -> list[tuple[str, int]]:
    """The two most frequent; names decide between equals, so that order never varies."""
    return sorted(counted.items(), key=lambda item: (-item[1], item[0]))[:2]
