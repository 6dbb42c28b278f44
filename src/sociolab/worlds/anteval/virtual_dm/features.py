"""What the linear virtual DM sees of a play: who spoke when and how, and words without names."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from sociolab.worlds.anteval.virtual_dm.example import DM, Example, Turn

STEM = 5
"""Letters of a word that count: "sneaking" and "sneaks" are both "sneak"."""

_NEAR = 8
"""Turns back from the end in which it matters who is named."""

_NOBODY = "someone"

_CAPITALISED = re.compile(r"\b[A-Z][a-z]{2,}(?:['\u2019][a-z]+)?")
_TOKEN = re.compile(r"[\w']+|\?")
_LETTERS = re.compile(r"[^\W\d_]+")

_ATTEMPT = re.compile(
    r"\b(?:(?:can|could|may|do|am|shall) i|i (?:want|wanna|will|try|look|go|attempt|start|just|"
    r"pull|take|do)|i'd like|i would like|i'll|i'm (?:going to|gonna|trying)|let me)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\bI\b")
_PLURAL = re.compile(r"\b(?:we|we're|we'll|us|let's)\b", re.IGNORECASE)
_DICE = re.compile(
    r"\b(?:checks?|roll(?:s|ed)?|(?:dis)?advantage|d20|natural|\d+)\b", re.IGNORECASE
)
_ALL = re.compile(
    r"\b(?:everyone|everybody|you guys|all of you|you all|party|both of you|the rest of you)\b",
    re.IGNORECASE,
)


def stems(text: str) -> list[str]:
    """Its words in lower case, cut to 5 letters, with numbers and question marks."""
    return [token[:STEM] for token in _TOKEN.findall(text.lower().replace("\u2019", "'"))]


def mentioned(text: str, names: Sequence[str]) -> tuple[str, ...]:
    """Who of these is named, in the order of the text; a nickname is the beginning of a name."""
    found = (_meant(match.group(), names) for match in _CAPITALISED.finditer(text))
    return tuple(name for name in found if name is not None)


def masked(text: str, names: Sequence[str]) -> str:
    """The text with these names replaced, so that nobody's name is learned."""

    def replacement(match: re.Match[str]) -> str:
        return match.group() if _meant(match.group(), names) is None else _NOBODY

    return _CAPITALISED.sub(replacement, text)


def candidate_features(example: Example) -> tuple[Mapping[str, float], ...]:
    """Of each candidate, in their order: when and how they spoke, and who spoke to them."""
    back = tuple(reversed(example.turns))
    spoke = {name: _places(back, name) for name in example.candidates}
    ranked = sorted((name for name in spoke if spoke[name]), key=lambda name: spoke[name][0])
    table = _table_features(back)
    named = [mentioned(turn.text, example.candidates) for turn in back[:_NEAR]]
    return tuple(
        {
            **_time_features(spoke[name], ranked.index(name) if name in ranked else None, table),
            **_turn_features(back, spoke[name], ranked.index(name) if name in ranked else None),
            **_share_features(back, name, example.candidates),
            **_named_features(back, named, name),
        }
        for name in example.candidates
    )


def _places(back: Sequence[Turn], name: str) -> tuple[int, ...]:
    """How many turns back from the last one this candidate spoke, the latest first."""
    return tuple(place for place, turn in enumerate(back) if turn.speaker == name)


def _table_features(back: Sequence[Turn]) -> tuple[bool, bool]:
    """Whether the DM has the last word, and whether the DM lately spoke to all."""
    last = bool(back) and back[0].speaker == DM
    to_all = any(turn.speaker == DM and _ALL.search(turn.text[-300:]) for turn in back[:3])
    return last, to_all


def _time_features(
    places: Sequence[int], rank: int | None, table: tuple[bool, bool]
) -> dict[str, float]:
    """When this candidate spoke. `rank` 0 is the one who spoke last, None one who never spoke."""
    dm_last, to_all = table
    order = min(rank, 3) if rank is not None else 4
    first = min(places[0], 10) if places else 11
    return {
        f"rank {order}": 1.0,
        f"rank {order}, dm last {dm_last}": 1.0,
        f"rank {order}, to all {to_all}": 1.0,
        f"last turn {first}": 1.0,
        "turns, fading": sum(0.7**place for place in places),
        **{
            f"turns of {most}": sum(p < most for p in places) / most**0.5 for most in (3, 6, 12, 30)
        },
    }


def _turn_features(
    back: Sequence[Turn], places: Sequence[int], rank: int | None
) -> dict[str, float]:
    """What the candidate's last turns are like, and where the DM spoke next to them."""
    if not places or rank is None:
        return {}
    order = min(rank, 3)
    last = back[places[0]].text
    attempt, question = bool(_ATTEMPT.search(last)), "?" in last
    short = len(last) < 20
    return {
        f"attempt, rank {order}": float(attempt),
        f"question, rank {order}": float(question),
        f"short, rank {order}": float(short),
        "attempt": float(attempt),
        "question": float(question),
        "plural": float(bool(_PLURAL.search(last))),
        "dice": float(bool(_DICE.search(last))),
        "first person": float(bool(_FIRST_PERSON.search(last))),
        "stage direction": float("(" in last),
        "length": math.log1p(len(last)),
        "words, fading": math.log1p(sum(len(back[p].text) * 0.8**p for p in places)),
        "attempts, fading": sum(0.75**p for p in places if _ATTEMPT.search(back[p].text)),
        "questions, fading": sum(0.75**p for p in places if "?" in back[p].text),
        "dice, fading": sum(0.8**p for p in places if _DICE.search(back[p].text)),
        "dm after": sum(0.75**p for p in places if p and back[p - 1].speaker == DM),
        "dm before": sum(
            0.75**p for p in places if p + 1 < len(back) and back[p + 1].speaker == DM
        ),
        "dm after the last": float(places[0] > 0 and back[places[0] - 1].speaker == DM),
    }


def _share_features(back: Sequence[Turn], name: str, candidates: Sequence[str]) -> dict[str, float]:
    """How much of the candidates' latest turns is this one's."""
    recent = [turn.speaker for turn in back[:10] if turn.speaker in candidates]
    return {
        "share of 10": recent.count(name) / max(1, len(recent)),
        "alone": float(bool(recent) and set(recent[:4]) == {name}),
        "at the table": len(candidates) / 6,
    }


def _named_features(
    back: Sequence[Turn], named: Sequence[Sequence[str]], name: str
) -> dict[str, float]:
    """Who named this candidate, and whether the last turn is about others."""
    speakers = [turn.speaker for turn in back[:_NEAR]]
    here = [place for place, names in enumerate(named) if name in names]
    last = named[0] if named else ()
    dm_last = bool(speakers) and speakers[0] == DM
    return {
        "named by dm": sum(0.6**p for p in here if speakers[p] == DM),
        "named by others": sum(0.6**p for p in here if speakers[p] not in (DM, name)),
        "named at last by dm": float(dm_last and name in last),
        "the last one named by dm": float(dm_last and last[-1:] == (name,)),
        "others named at last": float(bool(last) and name not in last),
    }


def _meant(word: str, names: Sequence[str]) -> str | None:
    """The one whose name begins with this word, or who goes by it."""
    spoken = _first_part(word)
    return next((name for name in names if _first_part(name).startswith(spoken)), None)


@lru_cache(maxsize=4096)
def _first_part(name: str) -> str:
    """The name up to its first apostrophe, hyphen or space, in lower case."""
    letters = _LETTERS.search(name)
    return letters.group().casefold() if letters else name.casefold()
