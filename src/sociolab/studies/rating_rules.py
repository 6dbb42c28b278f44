"""What are raters told, and which of their texts counts as a reason or as a word?"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from sociolab.app.registry import world_plugin
from sociolab.core.errors import ConfigError
from sociolab.core.score import Measure
from sociolab.plugin.shown import DimensionGuide
from sociolab.plugin.world import RatingGuide
from sociolab.report.words import sanitize
from sociolab.store.store import Store

ADVICE = (
    "Read the whole episode before you give the first rating.",
    "Rate each person and each dimension separately: someone may reach the goal and still behave "
    "badly.",
    "Use the whole scale. If unsure, reread; do not default to the middle.",
    "Give your reason in a sentence that refers to what was said or done.",
    "There are no right answers to guess. If you are torn between two points, choose the one you "
    "could explain better.",
)


def guide_of(store: Store, run: str) -> RatingGuide:
    """How people rate this run; ConfigError where its world does not say."""
    row = store.run(run)
    made = world_plugin(row.world).rating
    if made is None:
        raise ConfigError(
            f"the world {row.world} has no guide for people who rate; found {run}, a run of it"
        )
    return made()


def rated_measures(store: Store, run: str) -> Mapping[str, Measure]:
    """The measures that people rate in this run, by name."""
    return {guide.name: guide.measure for guide in guide_of(store, run).guides}


def guides_for(guide: RatingGuide, measures: tuple[Measure, ...]) -> tuple[DimensionGuide, ...]:
    """The guides to these measures."""
    return tuple(one for one in guide.guides if one.measure in measures)


LONGEST_REASON = 4000
LONGEST_WORD = 30
"""Characters."""

_WORD = re.compile(r"[^\W_]+")
_JOINERS = "'-\N{RIGHT SINGLE QUOTATION MARK}"
_MARKS = 3
"""Accents in a row that a letter may carry; more only serve to spill over the lines."""


def one_line(text: str) -> str:
    """The text on one line, without what would steer a terminal or cannot be encoded."""
    return " ".join(sanitize(text).replace("\N{REPLACEMENT CHARACTER}", " ").split())


def reason_problem(reason: str, least: int) -> str:
    """What is wrong with a reason of which at least so many words are asked, or ""."""
    words = _WORD.findall(reason)
    if not words:
        return "say why in your own words"
    if len(words) < least:
        return f"say why in at least {least} words (so far {len(words)})"
    if len({word.casefold() for word in words}) < min(least, 2) or _one_letter(words):
        return "say why, without repeating the same words"
    if len(reason) > LONGEST_REASON:
        return f"say why in at most {LONGEST_REASON:,} characters"
    return ""


def impression_word(given: str) -> tuple[str, str]:
    """The word in its counted form (small letters), and what is wrong with it, or ""."""
    word = unicodedata.normalize("NFC", given.strip())
    if not word:
        return "", "Write one word."
    if len(word.split()) > 1:
        return "", "Write one word only."
    if len(word) > LONGEST_WORD:
        return "", f"Write a word of at most {LONGEST_WORD} letters."
    if not _is_word(word):
        return "", "Write a word of letters only; a hyphen or an apostrophe may stand inside."
    return unicodedata.normalize("NFC", word.casefold()), ""


def _one_letter(words: list[str]) -> bool:
    return len(set("".join(words).casefold())) < 2


def _is_word(word: str) -> bool:
    marks = 0
    before = ""
    for character in word:
        kind = unicodedata.category(character)[0]
        marks = marks + 1 if kind == "M" else 0
        if kind == "M" and (not before or before in _JOINERS or marks > _MARKS):
            return False
        if character in _JOINERS and (not before or before in _JOINERS):
            return False
        if kind not in "LM" and character not in _JOINERS:
            return False
        before = character
    return before not in _JOINERS and any(unicodedata.category(c)[0] == "L" for c in word)
