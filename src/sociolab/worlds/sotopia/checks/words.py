"""Free text as a list of plain lower-case words and punctuation marks."""

from __future__ import annotations

import re
from functools import lru_cache

BREAKS = frozenset({".", "!", "?"})
_MARKS = BREAKS | set(",;:-")


def word_set(text: str) -> frozenset[str]:
    """The words of a text as a set, for tables of words."""
    return frozenset(text.split())


_TOKEN = re.compile(
    r"[a-z][a-z0-9]*(?:'[a-z]+)*"  # words, and names such as s8
    r"|[.!?…;,:%\n\u2014\u2013]"
    r"|\d{1,2}:\d\d(?!\d)"  # 6:30
    r"|(?:[$€£]\s?)?\d+(?:,\d{3})*(?:\.\d+)?[a-z%$€£]*"  # 220, 1,250, $180.50, 1.2k, 64gb, 20%
    r"|(?<=\s)--?(?=\s)|--+"  # a dash, not a hyphen
)
_HALF_OF_DAY = re.compile(r"\b([ap])\.m\b\.?")  # a.m., p.m.
_RANGE = re.compile(r"(?<=\d)\s?[-\u2013]\s?(?=[$€£]?\d)")  # 200-220

_SPLIT = {
    "n't": "not",
    "'m": "am",
    "'ll": "will",
    "'d": "would",
    "'ve": "have",
    "'re": "are",
}
_IS_AFTER = word_set("it that this there here what who where how when he she")

_REWRITE: dict[str, tuple[str, ...]] = {
    "can't": ("can", "not"),
    "cannot": ("can", "not"),
    "won't": ("will", "not"),
    "shan't": ("will", "not"),
    "ain't": ("is", "not"),
    "let's": ("let", "us"),
    "lets": ("let", "us"),
    "y'all": ("you",),
    "gonna": ("going", "to"),
    "wanna": ("want", "to"),
    "gotta": ("have", "to"),
    "lemme": ("let", "me"),
    "ok": ("okay",),
    "okey": ("okay",),
    "yeah": ("yes",),
    "yep": ("yes",),
    "yup": ("yes",),
    "yea": ("yes",),
    "aye": ("yes",),
    "nope": ("no",),
    "nah": ("no",),
    "…": (".",),
    "\n": (".",),
    "\u2014": ("-",),
    "\u2013": ("-",),
    "--": ("-",),
    "---": ("-",),
}

FILLERS = word_set(
    "just really quite very simply probably definitely totally truly honestly gladly "
    "happily please pretty still also maybe perhaps possibly well actually indeed surely "
    "kindly basically literally somewhat fairly a an the"
)
"""Words that change nothing for the rules; some readers keep the articles."""


def words(text: str, dropped: frozenset[str] = FILLERS) -> list[str]:
    """The words and marks of a text, contractions written out, without the `dropped` ones."""
    text = text.lower()
    if "\u2019" in text:
        text = text.replace("\u2019", "'")
    return list(_words(text, dropped))


@lru_cache(maxsize=1024)  # a check reads what a scripted player has heard before
def _words(text: str, dropped: frozenset[str]) -> tuple[str, ...]:
    if ".m" in text:
        text = _HALF_OF_DAY.sub(r"\1m", text)
    if "-" in text or "\u2013" in text:
        text = _RANGE.sub(" to ", text)
    found: list[str] = []
    for token in _TOKEN.findall(text):
        if token in dropped:
            continue
        if token in _REWRITE:
            found += _REWRITE[token]
        elif "'" in token:
            found += _written_out(token)
        else:
            found.append(token)
    if dropped and _MARKS.issuperset(found):  # definitely! indeed.
        return _words(text, frozenset())
    return tuple(found)


def _written_out(token: str) -> tuple[str, ...]:
    """Don't, I'll, it's, and possessives, of which only the noun is kept."""
    for ending, word in _SPLIT.items():
        if token.endswith(ending):
            return (token[: -len(ending)], word)
    stem, _, ending = token.partition("'")
    if ending == "s" and stem in _IS_AFTER:
        return (stem, "is")
    if ending == "clock":
        return ("o'clock",)
    return (stem,)
