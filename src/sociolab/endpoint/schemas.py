"""JSON schemas read into a tree of nodes, and values that they allow drawn at random, with made-up
English for text.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import ceil, floor, inf
from typing import Any


class SchemaError(ValueError):
    """A JSON schema that cannot be read, or that nothing can satisfy."""


def read_schema(schema: Mapping[str, Any]) -> Node:
    """The node for a schema; SchemaError if it is broken.

    Read are: type, enum, const, anyOf, oneOf, allOf (merged), $ref within the schema, the bounds
    of numbers, texts, arrays and objects, prefixItems, uniqueItems, additionalProperties and
    propertyNames. Anything else (pattern, format, multipleOf, if, not) is passed over.
    """
    try:
        return _Reader(schema).read(schema)
    except (TypeError, AttributeError, LookupError, RecursionError) as error:
        raise SchemaError(f"{type(error).__name__}: {error}") from error


SPEAK, LEAVE = "speak", "leave"

MISSING = object()


@dataclass(slots=True)
class Draw:
    """What shapes one sample: chance, the length of texts, and two wishes.

    `leave`: an action is "leave" where it may be, else "speak". `stray`: numbers with a bound
    lie outside it, so that the sample is not valid. `clock` is the last time of day that was drawn.
    """

    random: Callable[[], float]
    characters: int = 150
    leave: bool = False
    stray: bool = False
    clock: str = ""

    def between(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int(self.random() * (high - low + 1))


_DAY = re.compile(r"\d{4}-\d\d-\d\d")

_TIME = re.compile(r"\d\d:\d\d")


class Node(ABC):
    """One part of a schema.

    `height` is the depth of its smallest value. `acts` are "speak" and "leave" as far as a choice
    holds them, `offers` as far as a choice or the record around it does. `blank` is its empty
    value if it has one; `lists` says whether it may be an array, `bounded` whether a number
    within has a bound.
    """

    height: float = 0
    acts: frozenset[str] = frozenset()
    offers: frozenset[str] = frozenset()
    blank: Any = MISSING
    lists: bool = False
    bounded: bool = False

    @abstractmethod
    def sample(self, draw: Draw, depth: int = 0) -> Any:
        """A value for this part, `depth` levels below the top."""


class ChoiceNode(Node):
    """One of some constants.

    Of days it is the last, since an earlier one may be over when it is said. Times of day follow
    one another within a sample, as those of a plan do.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = tuple(values)
        self.acts = self.offers = frozenset(
            value for value in self.values if isinstance(value, str) and value in (SPEAK, LEAVE)
        )
        self._staying = tuple(value for value in self.values if value != LEAVE) or self.values
        if _all_like(_DAY, self.values):
            self._staying = (max(self.values),)
        self._times: list[str] = sorted(self.values) if _all_like(_TIME, self.values) else []

    def sample(self, draw: Draw, depth: int = 0) -> Any:
        """One of the values."""
        if self.acts:
            if draw.leave and LEAVE in self.acts:
                return LEAVE
            if SPEAK in self.acts:
                return SPEAK
        if self._times:
            draw.clock = self._later(draw)
            return draw.clock
        return self._staying[int(draw.random() * len(self._staying))]

    def _later(self, draw: Draw) -> str:
        """Of the times that are left, one of the first third, so that some are left again."""
        left = self._times[bisect_right(self._times, draw.clock) :] or self._times
        return left[int(draw.random() * len(left) / 3)]


def _all_like(pattern: re.Pattern[str], values: tuple[Any, ...]) -> bool:
    return all(isinstance(value, str) and pattern.fullmatch(value) for value in values)


NULL = ChoiceNode((None,))

FLAG = ChoiceNode((True, False))


class Text(Node):
    """A string of `least` to `most` characters."""

    def __init__(self, least: int = 0, most: float = inf) -> None:
        self.least, self.most = least, most
        self.blank = "" if least == 0 else MISSING

    def sample(self, draw: Draw, depth: int = 0) -> str:
        """Sentences; see `sentences.prose`."""
        length = int(min(max(draw.characters, self.least), self.most))
        text = prose(draw.random, length)
        return text if len(text) >= self.least else exact_prose(draw.random, length)


class Whole(Node):
    """An integer; without bounds 0 to 10, with one the ten beside it."""

    def __init__(self, low: int | None, high: int | None) -> None:
        self.bounded = not (low is None and high is None)
        self._bounds = low, high
        self.low = low if low is not None else 0 if high is None else high - 10
        self.high = high if high is not None else self.low + 10

    def sample(self, draw: Draw, depth: int = 0) -> int:
        """A number of the range; beside it for a stray draw."""
        if draw.stray and self.bounded:
            off = draw.between(1, 9)
            return self.low - off if self._bounds[1] is None else self.high + off
        return draw.between(self.low, self.high)


class Real(Node):
    """A number, with two decimals where they fit; without bounds 0 to 10."""

    def __init__(self, low: float | None, high: float | None, *, open_ends: bool) -> None:
        self.bounded = not (low is None and high is None)
        self._bounds = low, high
        self.low = low if low is not None else 0.0 if high is None else high - 10
        self.high = high if high is not None else self.low + 10
        self._open_ends = open_ends

    def sample(self, draw: Draw, depth: int = 0) -> float:
        """A number of the range; beside it for a stray draw."""
        if draw.stray and self.bounded:
            off = draw.between(1, 9)
            return self.low - off if self._bounds[1] is None else self.high + off
        exact = self.low + (self.high - self.low) * draw.random()
        for value in (round(exact, 2), exact):
            inside = self.low <= value <= self.high
            if inside and not (self._open_ends and value in (self.low, self.high)):
                return value
        return (self.low + self.high) / 2


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


class RecordNode(Node):
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


class _Reader:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._known: dict[str, Node] = {}

    def read(self, schema: Any) -> Node:
        if schema is True:
            return Text()
        if not isinstance(schema, dict):
            raise SchemaError(f"a schema must be an object, not {schema!r}")
        if "$ref" in schema:
            return self._definition(schema["$ref"])
        if "const" in schema:
            return self._constants([schema["const"]])
        if "enum" in schema:
            return self._constants(schema["enum"])
        for word in ("anyOf", "oneOf"):
            if word in schema:
                return _either([self.read(branch) for branch in schema[word]])
        if "allOf" in schema:
            return self.read(self._merged(schema))
        return self._typed(schema)

    def _definition(self, ref: str) -> Node:
        if ref not in self._known:
            self._known[ref] = again = Again()
            self._known[ref] = again.target = self.read(self._find(ref))
        return self._known[ref]

    def _find(self, ref: str) -> Any:
        if not ref.startswith("#"):
            raise SchemaError(f"$ref must point into the schema itself, not to {ref!r}")
        part: Any = self._root
        for step in ref[1:].split("/")[1:]:
            part = part[step.replace("~1", "/").replace("~0", "~")]
        return part

    def _constants(self, values: list[Any]) -> Node:
        if not values:
            raise SchemaError("an enum without a value")
        return NULL if values == [None] else ChoiceNode(values)

    def _merged(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        whole = {word: value for word, value in schema.items() if word != "allOf"}
        for part in schema["allOf"]:
            found = self._find(part["$ref"]) if "$ref" in part else part
            for word, value in found.items():
                old = whole.get(word)
                if isinstance(old, dict) and isinstance(value, dict):
                    whole[word] = old | value
                elif isinstance(old, list) and isinstance(value, list):
                    whole[word] = old + value
                else:
                    whole[word] = value
        return whole

    def _typed(self, schema: Mapping[str, Any]) -> Node:
        kind = schema.get("type")
        if isinstance(kind, list):
            return _either([self.read({**schema, "type": one}) for one in kind])
        match kind:
            case "object":
                return self._record(schema)
            case "array":
                return self._listing(schema)
            case "string":
                return Text(schema.get("minLength", 0), schema.get("maxLength", inf))
            case "integer":
                return _whole(schema)
            case "number":
                return _real(schema)
            case "boolean":
                return FLAG
            case "null":
                return NULL
            case None:
                return self._untyped(schema)
        raise SchemaError(f"unknown type {kind!r}")

    def _untyped(self, schema: Mapping[str, Any]) -> Node:
        if "properties" in schema or "additionalProperties" in schema:
            return self._record(schema)
        if "items" in schema or "prefixItems" in schema:
            return self._listing(schema)
        return Text(schema.get("minLength", 0), schema.get("maxLength", inf))

    def _record(self, schema: Mapping[str, Any]) -> Node:
        properties = {name: self.read(part) for name, part in schema.get("properties", {}).items()}
        required = frozenset(schema.get("required", ()))
        for name in sorted(required - properties.keys()):
            properties[name] = Text()
        return RecordNode(properties, required, self._entries(schema))

    def _entries(self, schema: Mapping[str, Any]) -> Entries | None:
        values = schema.get("additionalProperties", True)
        least = schema.get("minProperties", 0)
        if values is False or (values is True and not least):
            return None
        keys = self.read(schema["propertyNames"]) if "propertyNames" in schema else None
        return Entries(keys, self.read(values), least, schema.get("maxProperties", inf))

    def _listing(self, schema: Mapping[str, Any]) -> Node:
        first = [self.read(part) for part in schema.get("prefixItems", ())]
        items = schema.get("items", True)
        most = schema.get("maxItems", inf)
        if items is False:
            most, items = min(most, len(first)), True
        return Listing(
            first,
            self.read(items),
            schema.get("minItems", 0),
            most,
            unique=bool(schema.get("uniqueItems")),
        )


def _either(branches: list[Node]) -> Node:
    if not branches:
        raise SchemaError("a choice without a branch")
    return branches[0] if len(branches) == 1 else Either(branches)


def _whole(schema: Mapping[str, Any]) -> Node:
    lows = [ceil(schema["minimum"])] if "minimum" in schema else []
    highs = [floor(schema["maximum"])] if "maximum" in schema else []
    if "exclusiveMinimum" in schema:
        lows.append(floor(schema["exclusiveMinimum"]) + 1)
    if "exclusiveMaximum" in schema:
        highs.append(ceil(schema["exclusiveMaximum"]) - 1)
    low, high = max(lows, default=None), min(highs, default=None)
    if low is not None and high is not None and low > high:
        raise SchemaError(f"no integer from {low} to {high}")
    return Whole(low, high)


def _real(schema: Mapping[str, Any]) -> Node:
    lows = [schema[word] for word in ("minimum", "exclusiveMinimum") if word in schema]
    highs = [schema[word] for word in ("maximum", "exclusiveMaximum") if word in schema]
    low, high = max(lows, default=None), min(highs, default=None)
    open_ends = "exclusiveMinimum" in schema or "exclusiveMaximum" in schema
    if low is not None and high is not None and (low > high or (open_ends and low == high)):
        raise SchemaError(f"no number from {low} to {high}")
    return Real(low, high, open_ends=open_ends)


_OPENINGS = (
    "I think", "To be honest,", "For what it is worth,", "As I see it,", "Well,", "Maybe",
    "From where I stand,", "You know,", "Looking back,", "If you ask me,", "Between us,",
    "Since we are both here,", "Before we go on,", "Frankly,", "I would say", "It seems to me",
    "After all that,", "On second thoughts,", "Strange as it sounds,", "All in all,",
)  # fmt: skip

_CLAIMS = (
    "we could meet halfway", "there is room for a fair deal", "this matters to both of us",
    "Saturday would suit me better", "a little patience goes a long way",
    "your point deserves a proper answer", "the price should reflect the work",
    "nobody has to lose here", "I can carry my share of it", "we have been through worse",
    "the neighbours will want to hear about it", "it helps to say it out loud",
    "small steps are still steps", "your idea is better than mine",
    "there must be another way around it", "I was hoping for something simpler",
    "the garden can wait another week", "we should write it down",
    "two heads are better than one", "that story still makes me smile",
)  # fmt: skip

_CLOSINGS = (
    "once the details are clear", "as long as we stay honest", "even if it takes a while",
    "because I trust your judgement", "before it gets too late", "if that works for you",
    "so let us take it slowly", "and I mean that kindly", "without making a fuss",
    "unless you see it differently", "now that we are talking", "whatever the others say",
    "since nothing is settled yet", "and I will not forget it", "when you are ready",
    "after a good cup of tea", "if only for today", "and that is fine with me",
    "while there is still time", "as we did last summer",
)  # fmt: skip


@cache
def _sentences() -> tuple[str, ...]:
    return tuple(" ".join(parts) + "." for parts in product(_OPENINGS, _CLAIMS, _CLOSINGS))


def prose(random: Callable[[], float], length: int) -> str:
    """Sentences of at most `length` characters, and seldom more than ten below it.

    `random` gives numbers in [0, 1). Below about ten characters it is a word or a part of one.
    """
    sentences = _sentences()
    text = sentences[int(random() * len(sentences))]
    while len(text) < length:
        text = f"{text} {sentences[int(random() * len(sentences))]}"
    if len(text) == length:
        return text
    cut = text.rfind(" ", 0, length)
    if cut < 1:
        return text[:length]
    return text[:cut].rstrip(",.") + "."


def exact_prose(random: Callable[[], float], length: int) -> str:
    """Text of exactly `length` characters, cut in mid-word where needed; no space at its end."""
    text = prose(random, length + 60)[:length]
    return text[:-1] + "." if text.endswith(" ") else text
