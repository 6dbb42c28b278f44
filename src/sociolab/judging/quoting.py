"""Find a quote in the text that it is said to be from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

FEWEST_WORDS = 3
"""The fewest words of a quote, unless its line has fewer."""
QUOTE_RULE = "at least three words (or all, if it has fewer)"
"""The same in an error message, before "of" what is quoted."""

_SINGLE = "'\u2018\u2019\u02bc"
_DOUBLE = '"\u201c\u201d\u201e\u00ab\u00bb'
_STRAIGHT = str.maketrans(dict.fromkeys(_SINGLE, "'") | dict.fromkeys(_DOUBLE, '"'))
_BEFORE = f".\u2026 {_SINGLE}{_DOUBLE}"
_AFTER = f".,;:!?\u2026 {_SINGLE}{_DOUBLE}"


def match_quote(quote: str, lines: Iterable[str]) -> str | None:
    """The words of the first line that contains this quote, as they stand there; None if none does.

    A quote has at least three words, or is a shorter line as a whole: a single common word occurs
    in any conversation, and proves nothing. Spacing, case, the form of quotation marks, and marks
    around the quote or at its end are ignored; whole words must match. The result has single
    spaces.

    >>> from sociolab.judging import match_quote
    >>> lines = ["Hello, Ben.", "I could pay two hundred for it."]
    >>> match_quote("“Could pay TWO hundred”", lines), match_quote("hundred", lines)
    ('could pay two hundred', None)
    """
    folded = _fold(flat(quote).lstrip(_BEFORE).rstrip(_AFTER))
    if not folded:
        return None
    for line in lines:
        text = flat(line)
        at = _find_whole_words(folded, _fold(text))
        if at >= 0 and _count_words(folded) >= min(FEWEST_WORDS, _count_words(text)):
            return text[at : at + len(folded)]
    return None


class SpokenLine(NamedTuple):
    """What somebody said in a turn; `speaker` is the name that precedes it, or ""."""

    turn: int
    speaker: str
    texts: tuple[str, ...]


_NUMBER = re.compile(r"^\W*\d+\.\s+")


def lines_with(quote: str, lines: Sequence[SpokenLine]) -> dict[int, str]:
    """The indices of the lines that contain a quote (`match_quote`), with its words there.

    A quote may begin with the number and the speaker of its line, but with no other speaker:
    wording somebody else's line does not make them say it.
    """
    begins = _NUMBER.sub("", flat(quote))
    named = {line.speaker for line in lines if line.speaker}
    named = {speaker for speaker in named if begins.startswith(f"{flat(speaker)}:")}
    places = {}
    for at, line in enumerate(lines):
        bare = without_name(begins, line.speaker)
        words = match_quote(quote, line.texts) or match_quote(bare, line.texts)
        if words and named <= {line.speaker}:
            places[at] = words
    return places


def without_name(text: str, who: str) -> str:
    """The text without the name at its beginning, if it has that."""
    name = re.escape(flat(who))
    return re.sub(rf"^{name}(?!\w)[: ]*", "", text)


def _count_words(flat: str) -> int:
    """The number of words; a punctuation mark that stands alone is none."""
    return sum(any(map(_in_word, part)) for part in flat.split())


def _find_whole_words(quote: str, text: str) -> int:
    """The index of the quote as whole words; -1 if it does not occur."""
    at = text.find(quote)
    while at >= 0:
        end = at + len(quote)
        starts_inside = at > 0 and _in_word(text[at - 1]) and _in_word(quote[0])
        cut = end < len(text) and _in_word(text[end]) and _in_word(quote[-1])
        if not starts_inside and not cut:
            return at
        at = text.find(quote, at + 1)
    return -1


def _in_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


@lru_cache(maxsize=1024)  # each line of a talk is held against several quotes
def _fold(flat: str) -> str:
    """In lower case with straight quotation marks, and of the same length."""
    straight = flat.translate(_STRAIGHT)
    small = straight.lower()
    if len(small) == len(flat):
        return small
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in straight)


def flat(text: str) -> str:
    """The text on one line, with single spaces."""
    return " ".join(text.split())
