"""The advice that raters get, and the rules for a valid reason or word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from sociolab.app.registry import world_plugin
from sociolab.core.score import Measure
from sociolab.judging.quoting import QUOTE_RULE
from sociolab.plugin.shown import DimensionGuide, RatedScene
from sociolab.plugin.world import RatingGuide
from sociolab.report.words import sanitize
from sociolab.store.store import Store

ADVICE = (
    "Read the whole episode before you give the first rating.",
    "Rate each person and each dimension separately: a high rating in one says nothing about "
    "another.",
    "Use the whole scale. If unsure, reread; do not default to the middle.",
    "A reason is a sentence that refers to what was said or done.",
    "There are no right answers to guess. If you are torn between two points, choose the one you "
    "could explain better.",
)


ADVICE_YES_NO = (
    ADVICE[0],
    "Answer for each person and each question separately.",
    "Say yes only if you can quote the turn that shows it. If the transcript does not decide it, "
    "choose cannot tell; if the question does not arise, not applicable.",
    ADVICE[3],
    "There are no right answers to guess.",
)


def guide_of(store: Store, run: str, name: str = "") -> RatingGuide:
    """The run's rating guide of this name, by default its world's first; ConfigError where the
    world has none."""
    return world_plugin(store.run(run).world).guide(name)


def rated_measures(store: Store, run: str) -> Mapping[str, Measure]:
    """The metrics that people rate in this run by any guide, by name."""
    world = world_plugin(store.run(run).world)
    return {d.name: d.measure for name in world.guides for d in world.guide(name).guides}


def guides_for(guide: RatingGuide, measures: tuple[Measure, ...]) -> tuple[DimensionGuide, ...]:
    return tuple(dimension for dimension in guide.guides if dimension.measure in measures)


LONGEST_REASON = 4000
LONGEST_WORD = 30
"""Characters."""

_WORD = re.compile(r"[^\W_]+")
_JOINERS = "'-\N{RIGHT SINGLE QUOTATION MARK}"
_MARKS = 3
"""Most combining accents on a letter; more only serve to overflow into other lines."""


def one_line(text: str) -> str:
    """The text on one line, without control characters and without what cannot be encoded."""
    return " ".join(sanitize(text).replace("\N{REPLACEMENT CHARACTER}", " ").split())


def reason_problem(reason: str, least: int) -> str:
    """What is wrong with a reason that needs at least `least` words (0: optional), or ""."""
    if len(reason) > LONGEST_REASON:
        return f"say why in at most {LONGEST_REASON:,} characters"
    if least == 0:
        return ""
    words = _WORD.findall(reason)
    if not words:
        return "say why in your own words"
    if len(words) < least:
        return f"say why in at least {least} words (so far {len(words)})"
    letters = set("".join(words).casefold())
    if len({word.casefold() for word in words}) < min(least, 2) or len(letters) < 2:
        return "say why, without repeating the same words"
    return ""


_CITED = re.compile(
    r"(\d+)\s*[:.]?\s*[\"\u201c\u201e\u00ab]([^\"\u201c\u201d\u00bb]+)[\"\u201d\u201c\u00bb]"
)
"""A turn's number and quoted words, such as 3: "no, that is mine", in any quotation marks."""


def quote_problem(scene: RatedScene, reason: str, *, needed: bool) -> str:
    """What is wrong with the turns that a reason quotes, as in `3: "no, that is mine"`, or ""."""
    citations = _CITED.findall(reason)
    if needed and not citations:
        return 'quote the turn that shows it, such as 3: "its words"'
    for number, words in citations:
        if scene.match_quote(int(number), words) is None:
            return f"quote {QUOTE_RULE} of turn {number} as they stand there, not “{words}”"
    return ""


def impression_word(text: str) -> tuple[str, str]:
    """The word as it is counted (lower case, NFC), and what is wrong with it, or ""."""
    word = unicodedata.normalize("NFC", text.strip())
    if not word:
        return "", "Write one word."
    if len(word.split()) > 1:
        return "", "Write one word only."
    if len(word) > LONGEST_WORD:
        return "", f"Write a word of at most {LONGEST_WORD} letters."
    if not _is_word(word):
        return "", "Write a word of letters only; a hyphen or an apostrophe may stand inside."
    return unicodedata.normalize("NFC", word.casefold()), ""


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
