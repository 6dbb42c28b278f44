"""Tables of phrases, and finding them in a list of words.

A phrase is written as words; `(one|other)` are alternatives, `(one|)` may be missing, and `*`
stands for any one word. Of several phrases that begin at a word, the longest is found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Generic, TypeAlias, TypeVar

Tag = TypeVar("Tag")
Mark: TypeAlias = tuple[int, int, Tag]
"""Where a phrase begins, where it ends (exclusive), and what it means."""

_CHOICE = re.compile(r"\(([^()]*)\)")
_END = ""


def spelled_out(phrase: str) -> list[tuple[str, ...]]:
    """All the word sequences that a phrase stands for."""
    choice = _CHOICE.search(phrase) if "(" in phrase else None
    if choice is None:
        return [tuple(phrase.split())]
    before, after = phrase[: choice.start()], phrase[choice.end() :]
    found: list[tuple[str, ...]] = []
    for option in choice.group(1).split("|"):
        found += spelled_out(f"{before}{option}{after}")
    return found


class Phrases(Generic[Tag]):
    """Phrases of several meanings; a phrase that stands in two tables has both."""

    __slots__ = ("_root",)

    def __init__(self, *tables: Mapping[Tag, str]) -> None:
        self._root: dict[str, Any] = {}
        self._learn(tables)

    def extended(self, *tables: Mapping[Tag, str]) -> Phrases[Tag]:
        """These phrases and more, in less time than it takes to spell out all of them again."""
        made: Phrases[Tag] = Phrases()
        made._root = _copied(self._root)
        made._learn(tables)
        return made

    def _learn(self, tables: Iterable[Mapping[Tag, str]]) -> None:
        for table in tables:
            for tag, lines in table.items():
                for line in filter(None, map(str.strip, lines.split("\n"))):
                    for phrase in line.split(" / "):
                        self._add(phrase, tag)

    def _add(self, phrase: str, tag: Tag) -> None:
        for sequence in spelled_out(phrase):
            node = self._root
            for word in sequence:
                node = node.setdefault(word, {})
            tags = node.get(_END, ())
            if tag not in tags:
                node[_END] = (*tags, tag)

    def marks(self, words: list[str]) -> list[Mark[Tag]]:
        """The phrases that occur, in order, none overlapping another."""
        found: list[Mark[Tag]] = []
        root, count, end = self._root, len(words), 0
        for start in [i for i, word in enumerate(words) if word in root]:
            if start < end:
                continue
            node = root[words[start]]
            at = end = start + 1
            tags = node.get(_END)
            while at < count:
                node = node.get(words[at]) or node.get("*")
                if node is None:
                    break
                at += 1
                if _END in node:
                    end, tags = at, node[_END]
            if tags is not None:
                if len(tags) == 1:  # as almost always
                    found.append((start, end, tags[0]))
                else:
                    found += [(start, end, tag) for tag in tags]
        return found


def _copied(node: dict[str, Any]) -> dict[str, Any]:
    return {
        word: following if word == _END else _copied(following) for word, following in node.items()
    }
