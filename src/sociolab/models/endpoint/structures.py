"""Arrays, objects and alternatives that a JSON schema allows, drawn at random."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from sociolab.models.endpoint.sampler import LEAVE, MISSING, NULL, SPEAK, Draw, Node

_DEEPEST = 4  # below this many levels, whatever can be left out is
_BOTTOMLESS = 100
_NAMES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


class BottomlessError(ValueError):
    """A schema that refers to itself and allows no finite value."""


class Listing(Node):
    """An array: `first` its first items one by one, `items` all further ones."""

    def __init__(
        self, first: Sequence[Node], items: Node, least: int, most: float, *, unique: bool
    ) -> None:
        self.first, self.items, self.least, self.most = tuple(first), items, least, most
        self._unique = unique
        self.lists = True
        self.blank = [] if least == 0 else MISSING
        needed = (*self.first[:least], *((items,) if least > len(self.first) else ()))
        self.height = max((1 + node.height for node in needed), default=0)
        self.bounded = items.bounded or any(node.bounded for node in self.first)

    def sample(self, draw: Draw, depth: int = 0) -> list[Any]:
        """The least it may hold where it lies deep, else one to three items where it may.

        Of actions one, or the least: a turn does not do the same thing twice.
        """
        if depth > _BOTTOMLESS:
            raise BottomlessError("an array that holds itself without end")
        count = self._count(draw, depth)
        values = [node.sample(draw, depth + 1) for node in self.first[:count]]
        seen = {json.dumps(value) for value in values} if self._unique else set()
        for _ in range(20 * count):
            if len(values) >= count:
                break
            value = self.items.sample(draw, depth + 1)
            if self._unique:
                text = json.dumps(value)
                if text in seen:
                    continue
                seen.add(text)
            values.append(value)
        return values

    def _count(self, draw: Draw, depth: int) -> int:
        if depth >= _DEEPEST:
            return self.least
        if self.first:
            return int(min(max(self.least, len(self.first)), self.most))
        low = max(self.least, 1)
        if self.items.offers:
            return int(min(low, self.most))
        return int(min(draw.between(low, low + 2), self.most)) if self.most >= 1 else 0


@dataclass(frozen=True, slots=True)
class Entries:
    """The entries that a record may have beyond its named ones: how many, keys and values."""

    keys: Node | None
    values: Node
    least: int
    most: float


class Record(Node):
    """An object with named properties and, if it is a mapping, entries under made-up keys.

    A record with an action kind among its properties is an action: spoken to everybody (its
    lists stay empty where they may), and without text where it is "leave".
    """

    def __init__(
        self, properties: Mapping[str, Node], required: frozenset[str], entries: Entries | None
    ) -> None:
        self._properties = tuple(properties.items())
        self._required = required
        self._entries = entries
        self._kind = next((name for name, node in self._properties if node.acts), None)
        self.offers = properties[self._kind].acts if self._kind else frozenset()
        nodes = [properties[name] for name in properties if name in required]
        if entries is not None and entries.least > len(nodes):
            nodes.append(entries.values)
        self.height = 1 + max((node.height for node in nodes), default=0)
        self.bounded = any(node.bounded for node in properties.values())
        if entries is not None:
            self.bounded = self.bounded or entries.values.bounded

    def sample(self, draw: Draw, depth: int = 0) -> dict[str, Any]:
        """All properties; deep down only those that are required."""
        if depth > _BOTTOMLESS:
            raise BottomlessError("an object that holds itself without end")
        act = self._act(draw, depth)
        record: dict[str, Any] = {}
        for name, node in self._properties:
            if name == self._kind:
                record[name] = act
            elif depth >= _DEEPEST and name not in self._required:
                continue
            elif _stays_blank(node, act):
                record[name] = node.blank
            else:
                record[name] = node.sample(draw, depth + 1)
        if self._entries is not None:
            self._add_entries(self._entries, record, draw, depth)
        return record

    def _act(self, draw: Draw, depth: int) -> Any:
        for name, node in self._properties:
            if name == self._kind:
                return node.sample(draw, depth + 1)
        return None

    def _add_entries(
        self, entries: Entries, record: dict[str, Any], draw: Draw, depth: int
    ) -> None:
        wanted = entries.least
        if depth < _DEEPEST and not self._properties:
            wanted = max(wanted, int(min(draw.between(1, 2), entries.most)))
        for attempt in range(20 * wanted):
            if len(record) >= wanted:
                return
            name = _NAMES[attempt] if attempt < len(_NAMES) else f"item {attempt + 1}"
            key = entries.keys.sample(draw, depth + 1) if entries.keys is not None else name
            if key not in record:
                record[key] = entries.values.sample(draw, depth + 1)


class Either(Node):
    """One of some alternatives."""

    def __init__(self, branches: Sequence[Node]) -> None:
        self.branches = tuple(branches)
        self.acts = frozenset[str]().union(*(branch.acts for branch in branches))
        self.offers = frozenset[str]().union(*(branch.offers for branch in branches))
        self.height = min(branch.height for branch in branches)
        self.lists = any(branch.lists for branch in branches)
        self.bounded = any(branch.bounded for branch in branches)
        blanks = [branch.blank for branch in branches if branch.blank is not MISSING]
        self.blank = None if NULL in branches else blanks[0] if blanks else MISSING

    def sample(self, draw: Draw, depth: int = 0) -> Any:
        """A value of one alternative; deep down of the smallest."""
        branches = self._wished(draw)
        if depth >= _DEEPEST:
            return min(branches, key=lambda branch: branch.height).sample(draw, depth)
        return branches[int(draw.random() * len(branches))].sample(draw, depth)

    def _wished(self, draw: Draw) -> tuple[Node, ...]:
        if not self.offers:
            return self.branches
        act = LEAVE if draw.leave and LEAVE in self.offers else SPEAK
        wished = tuple(branch for branch in self.branches if act in branch.offers)
        staying = tuple(branch for branch in self.branches if LEAVE not in branch.offers)
        return wished or staying or self.branches


class Again(Node):
    """A part of the schema that is being read further up: where it refers to itself."""

    height = inf
    target: Node

    def sample(self, draw: Draw, depth: int = 0) -> Any:
        """A value of what it stands for."""
        if depth > _BOTTOMLESS:
            raise BottomlessError("a definition that is itself without end")
        return self.target.sample(draw, depth + 1)


def _stays_blank(node: Node, act: Any) -> bool:
    if node.blank is MISSING:
        return False
    return act == LEAVE or (act == SPEAK and node.lists)
