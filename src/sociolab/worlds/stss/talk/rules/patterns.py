"""Patterns that are compiled when they are first used, and long lists of phrases made quick."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

_LONGEST_TAIL = 40
"""Letters of what follows a group that is still written behind each of its members."""


class Pattern:
    """A regular expression, compiled when it is first used: importing the rules costs nothing."""

    def __init__(self, source: str) -> None:
        self.source = source

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern itself."""
        return re.compile(self.source)

    def search(self, text: str) -> re.Match[str] | None:
        """The first match anywhere in a text."""
        return self.compiled.search(text)

    def match(self, text: str, begin: int = 0) -> re.Match[str] | None:
        """The match at a letter."""
        return self.compiled.match(text, begin)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches, in order."""
        return self.compiled.finditer(text)


class Phrases(Pattern):
    """A list of phrases without groups, of which it only matters whether and where one begins.

    Those that begin at the start of a word are sorted by their first letter, so that most of them
    need not be tried: five times as quick as trying each at every letter.
    """

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The sorted pattern."""
        return re.compile(sorted_by_letter(self.source))


def sorted_by_letter(source: str) -> str:
    """A pattern that matches at the same places."""
    worded: list[str] = []
    others: list[str] = []
    for one in _members(source):
        if one.startswith(r"\b"):
            worded += _spread(one[2:])
        else:
            others.append(one)
    letters: dict[str, list[str]] = {}
    rest: list[str] = []
    for one in worded:
        if one[:1].isalpha() and one[1:2] not in tuple("?*+{"):
            letters.setdefault(one[0], []).append(one[1:])
        else:
            rest.append(one)
    grouped = [f"{letter}(?:{'|'.join(found)})" for letter, found in letters.items()]
    begun = [rf"\b(?:{'|'.join((*grouped, *rest))})"] if worded else []
    return "|".join((*begun, *others))


def _spread(phrase: str) -> list[str]:
    """ "(?:a|b)c" as "ac" and "bc"."""
    if not phrase.startswith("(?:"):
        return [phrase]
    end = _closing(phrase, 0)
    tail = phrase[end + 1 :]
    if tail[:1] in tuple("?*+{") or len(tail) > _LONGEST_TAIL:
        return [phrase]
    return [one + tail for inner in _members(phrase[3:end]) for one in _spread(inner)]


def _members(source: str) -> list[str]:
    """What stands between the bars of the outermost level."""
    found, begin, at = [], 0, 0
    while at < len(source):
        if source[at] in "([":
            at = _closing(source, at)
        elif source[at] == "\\":
            at += 1
        elif source[at] == "|":
            found.append(source[begin:at])
            begin = at + 1
        at += 1
    return [*found, source[begin:]]


def _closing(source: str, begin: int) -> int:
    """Where a bracket that opens at a letter closes."""
    at = begin + 1
    while at < len(source):
        if source[at] == "\\":
            at += 1
        elif source[begin] == "[" and source[at] == "]" and at > begin + 1:
            return at
        elif source[begin] == "(" and source[at] in "([":
            at = _closing(source, at)
        elif source[begin] == "(" and source[at] == ")":
            return at
        at += 1
    raise ValueError(f"a bracket is left open in {source!r}")
