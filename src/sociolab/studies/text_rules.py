"""Which free text counts: a reason that says something, and one word for a whole session."""

from __future__ import annotations

import re
import unicodedata

from sociolab.report.words import sanitize

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
        return "say why: the same over and over again tells nothing"
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
