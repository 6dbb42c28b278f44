"""Replies of a mock model: random values that a JSON schema allows, with English filler as text.

For dry runs, the local endpoint, and players in tests.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import product
from math import ceil, floor, inf
from random import Random
from typing import Any

from sociolab.prompting.named_choices import NamedChoices, read_choices


class SchemaError(ValueError):
    """A JSON schema that cannot be read, or that no finite value satisfies."""


SPEAK, LEAVE = "speak", "leave"

ENDS = 0.09
"""The probability that a boolean called "ends" is true. A conversation that goes on until then, or
for 16 utterances, has 9.4 on average, with the answer to the last; 154 public SOTOPIA episodes
between models had 9.2."""


@dataclass(slots=True)
class Draw:
    """What shapes one sample: the generator, the length of texts, and options.

    `leave`: an action is "leave" where it may be, else "speak". `stray`: numbers with a bound
    lie outside it, so that the sample is invalid. `clock` is the last time of day that was drawn.
    `keys` are for an object whose schema names no fields; `choices` are what the prompt lists.
    """

    random: Random
    characters: int = 150
    leave: bool = False
    stray: bool = False
    clock: str = ""
    keys: Sequence[str] = ()
    choices: NamedChoices = field(default_factory=NamedChoices)


def sample_value(schema: Mapping[str, Any], draw: Draw) -> Any:
    """A value that the schema allows; SchemaError if it is broken or allows no finite value.

    It supports type, enum, const, anyOf, oneOf, allOf (merged), $ref within the schema, the bounds
    of numbers, texts, arrays and objects, prefixItems, uniqueItems, additionalProperties and
    propertyNames, and ignores anything else (pattern, format, multipleOf, if, not).
    """
    try:
        return _Sampler(schema, draw).value(schema, 0)
    except (TypeError, AttributeError, LookupError, RecursionError) as error:
        raise SchemaError(f"{type(error).__name__}: {error}") from error


_DEEPEST = 4  # from this many levels on, whatever is optional is left out
_BOTTOMLESS = 100
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_TIME = re.compile(r"\d\d:\d\d")
_RANGE = re.compile(r"\bfrom (-?\d+) (?:to|and) (-?\d+)\b")
"""The range of a score in words, where the schema of a list does not bound its numbers."""
_NAMES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_CHOOSING = {"$ref", "const", "enum", "anyOf", "oneOf", "allOf", "properties"}
_MISSING = object()


class _Sampler:
    """Draws the parts of one schema; `depth` counts the levels above a part."""

    def __init__(self, root: Mapping[str, Any], draw: Draw) -> None:
        self._root = root
        self._draw = draw
        self._random = draw.random
        self._place = ""
        """The field of the root that is being drawn."""
        self._cited: list[tuple[int, str]] = []
        """The turns that the list being drawn has cited."""

    def value(self, schema: Any, depth: int) -> Any:
        if depth > _BOTTOMLESS:
            raise SchemaError("a schema that holds itself without end")
        schema = self._normalize(schema)
        if "enum" in schema:
            return self._constant(schema["enum"])
        if "anyOf" in schema:
            return self.value(self._choose_branch(schema["anyOf"], depth), depth)
        match schema["type"]:
            case "object":
                return self._object(schema, depth)
            case "array":
                return self._array(schema, depth)
            case "string":
                return self._text(schema)
            case "integer" | "number":
                return self._number(schema)
            case "boolean":
                return self._random.random() < 0.5
            case "null":
                return None
        raise SchemaError(f"unknown type {schema['type']!r}")

    def _normalize(self, schema: Any) -> dict[str, Any]:
        """The same schema with its $ref resolved, its parts merged, and an `enum`, an `anyOf` or
        one `type`."""
        hops = 0
        while isinstance(schema, dict) and "$ref" in schema and hops < _BOTTOMLESS:
            schema, hops = self._resolve(schema["$ref"]), hops + 1
        if schema is True:
            schema = {}
        if not isinstance(schema, dict) or "$ref" in schema:
            raise SchemaError(f"a schema must be an object, not {schema!r}")
        if "const" in schema:
            return {"enum": [schema["const"]]}
        if "allOf" in schema and not schema.keys() & {"enum", "anyOf", "oneOf"}:
            return self._normalize(self._merge_parts(schema))
        if isinstance(kinds := schema.get("type"), list):
            return {"anyOf": [{**schema, "type": kind} for kind in kinds]}
        if kinds is None and "enum" not in schema:
            if "oneOf" in schema:
                return {"anyOf": schema["oneOf"], **schema}
            is_object = "properties" in schema or "additionalProperties" in schema
            is_array = "items" in schema or "prefixItems" in schema
            return {"type": "object" if is_object else "array" if is_array else "string", **schema}
        return schema

    def _resolve(self, ref: str) -> Any:
        if not ref.startswith("#"):
            raise SchemaError(f"$ref must point into the schema itself, not to {ref!r}")
        part: Any = self._root
        for step in ref[1:].split("/")[1:]:
            part = part[step.replace("~1", "/").replace("~0", "~")]
        return part

    def _merge_parts(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        merged = {keyword: value for keyword, value in schema.items() if keyword != "allOf"}
        for part in schema["allOf"]:
            resolved = self._resolve(part["$ref"]) if "$ref" in part else part
            for keyword, value in resolved.items():
                old = merged.get(keyword)
                if isinstance(old, dict) and isinstance(value, dict):
                    merged[keyword] = old | value
                elif isinstance(old, list) and isinstance(value, list):
                    merged[keyword] = old + value
                else:
                    merged[keyword] = value
        return merged

    # -------------------------------------------------------------- choices

    def _constant(self, values: Sequence[Any]) -> Any:
        """One of the constants of an enum.

        Of dates it is the last, since an earlier one may have passed. Times of day ascend within a
        sample, as those of a plan do.
        """
        if not values:
            raise SchemaError("an enum without a value")
        for act in (LEAVE, SPEAK) if self._draw.leave else (SPEAK,):
            if act in values:
                return act
        if all(isinstance(value, str) and _DAY.fullmatch(value) for value in values):
            return max(values)
        if all(isinstance(value, str) and _TIME.fullmatch(value) for value in values):
            times = sorted(values)
            later = times[bisect_right(times, self._draw.clock) :] or times
            # One of the first third, so that some are left for the next.
            self._draw.clock = later[int(self._random.random() * len(later) / 3)]
            return self._draw.clock
        return self._random.choice([value for value in values if value != LEAVE] or values)

    def _choose_branch(self, branches: Sequence[Any], depth: int) -> Any:
        """A branch with the preferred act, if there is one; deep down, the smallest branch."""
        if not branches:
            raise SchemaError("a choice without a branch")
        preferred = LEAVE if self._draw.leave else SPEAK
        options = [(branch, self._acts(branch, within=True)) for branch in branches]
        if any(acts for _, acts in options):
            branches = (
                [branch for branch, acts in options if preferred in acts]
                or [branch for branch, acts in options if LEAVE not in acts]
                or branches
            )
        if depth >= _DEEPEST:
            return min(branches, key=self._height)
        return self._random.choice(branches)

    def _acts(self, schema: Any, *, within: bool = False) -> set[str]:
        """Which of "speak" and "leave" this may be; `within`: or a property of it."""
        if isinstance(schema, dict) and not schema.keys() & _CHOOSING:
            return set()
        schema = self._normalize(schema)
        if "enum" in schema:
            return {act for act in (SPEAK, LEAVE) if act in schema["enum"]}
        parts = list(schema.get("anyOf", ()))
        if within and schema.get("type") == "object":
            key = self._act_key(schema)
            return self._acts(schema.get("properties", {}).get(key, {"enum": [0]}))
        return set[str]().union(*(self._acts(part, within=within) for part in parts))

    def _act_key(self, schema: Mapping[str, Any]) -> str | None:
        """The property that says which act an object is, if there is one."""
        parts = schema.get("properties", {})
        return next((name for name, part in parts.items() if self._acts(part)), None)

    def _height(self, schema: Any, refs: tuple[Any, ...] = ()) -> float:
        """How many levels the smallest value has; infinite where a schema requires itself."""
        if isinstance(schema, dict) and (ref := schema.get("$ref")) is not None:
            if ref in refs:
                return inf
            refs = (*refs, ref)
        schema = self._normalize(schema)
        if "anyOf" in schema:
            return min(self._height(branch, refs) for branch in schema["anyOf"])
        parts = []
        if schema.get("type") == "object":
            required = set(schema.get("required", ()))
            properties = schema.get("properties", {})
            parts = [part for name, part in properties.items() if name in required]
        elif schema.get("type") == "array":
            parts = list(schema.get("prefixItems", ()))
            parts += [schema["items"]] if schema.get("minItems") and "items" in schema else []
        return max((1 + self._height(part, refs) for part in parts), default=0)

    # -------------------------------------------------------------- texts and numbers

    def _text(self, schema: Mapping[str, Any]) -> str:
        least, most = schema.get("minLength", 0), schema.get("maxLength", inf)
        length = int(min(max(self._draw.characters, least), most))
        text = prose(self._random, length)
        return text if len(text) >= least else exact_prose(self._random, length)

    def _number(self, schema: Mapping[str, Any]) -> float:
        """A number within its bounds, or outside them for a stray draw; two decimals if they fit.

        Without bounds it lies in 0 to 10, with one bound within ten of it.
        """
        is_integer = schema["type"] == "integer"
        low, high = schema.get("minimum", -inf), schema.get("maximum", inf)
        above, below = schema.get("exclusiveMinimum", -inf), schema.get("exclusiveMaximum", inf)
        if is_integer:
            low = max(_rounded(ceil, low), _rounded(floor, above) + 1)
            high = min(_rounded(floor, high), _rounded(ceil, below) - 1)
        else:
            low, high = max(low, above), min(high, below)
        if low > high or (not is_integer and low == high and (low == above or high == below)):
            raise SchemaError(f"no number from {low} to {high}")
        open_end = high == inf
        low = low if low > -inf else 0 if open_end else high - 10
        high = low + 10 if open_end else high
        if self._draw.stray and schema.keys() & _BOUNDS:
            off = self._random.randint(1, 9)
            return low - off if open_end else high + off
        if is_integer:
            return self._random.randint(int(low), int(high))
        exact = self._random.uniform(low, high)
        inside = (round(exact, 2), exact, (low + high) / 2)
        return next(n for n in inside if low <= n <= high and n not in (above, below))

    # -------------------------------------------------------------- arrays and objects

    def _array(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        """As few items as it may hold where it lies deep, else one to three.

        Of actions one, or as few as it may hold: a turn does not do the same thing twice.
        """
        first, items = schema.get("prefixItems", ()), schema.get("items", True)
        if match := _RANGE.search(schema.get("description", "")):
            low, high = int(match[1]), int(match[2])
            bounds = {"type": "integer", "minimum": low, "maximum": high}
            first = [bounds if part == {"type": "integer"} else part for part in first]
        least, most = schema.get("minItems", 0), schema.get("maxItems", inf)
        if items is False:
            most = min(most, len(first))
        if depth >= _DEEPEST:
            count = least
        elif first:
            count = max(least, len(first))
        elif self._acts(items, within=True):
            count = max(least, 1)
        else:
            count = self._random.randint(max(least, 1), max(least, 1) + 2)
        count = min(count, most, self._count_choices(items))
        values: list[Any] = []
        self._cited = []
        texts = set[str]()
        for _ in range(21 * count):  # unique items may take several draws
            if len(values) >= count:
                break
            part = first[len(values)] if len(values) < len(first) else items
            value = self.value(part, depth + 1)
            text = json.dumps(value)
            if not schema.get("uniqueItems") or text not in texts:
                values.append(value)
                texts.add(text)
        return values

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        """All properties; deep down only those that are required.

        An object with an act among its properties is an action: spoken to everybody (its lists stay
        empty where they may), and without text where it is "leave".
        """
        required = schema.get("required", ())
        parts = {**schema.get("properties", {})}
        parts |= {name: {} for name in required if name not in parts}
        act_key = self._act_key(schema)
        act = None if act_key is None else self.value(parts[act_key], depth + 1)
        record: dict[str, Any] = {}
        record |= self._choose(parts, depth)
        for name, part in parts.items():
            if depth == 0:
                self._place = name
            if name in record:
                continue
            if name == act_key:
                record[name] = act
            elif depth < _DEEPEST or name in required:
                # Random names would be nobody's: an action is meant for all.
                is_recipients = name == "to" and "action" in parts
                empty = [] if is_recipients else self._empty_value(part, act)
                record[name] = self.value(part, depth + 1) if empty is _MISSING else empty
                if name == "ends" and isinstance(record[name], bool):
                    record[name] = self._random.random() < ENDS
        self._add_entries(schema, record, depth)
        return record

    def _choose(self, parts: Mapping[str, Any], depth: int) -> dict[str, Any]:
        """The properties whose values the prompt lists.

        Beside a quote, a boolean says whether there is one. Pairs of ids are drawn at random, other
        ids follow their list.
        """
        choices, chosen = self._draw.choices, dict[str, Any]()
        if choices.turns and {"turn", "quote"} <= parts.keys():
            uncited = [turn for turn in choices.turns if turn not in self._cited]
            cited = self._random.choice(uncited or choices.turns)
            chosen["turn"], chosen["quote"] = cited
            self._cited.append(cited)
        elif choices.quotes and "quote" in parts:
            claims = [name for name, part in parts.items() if self._is_boolean(part)]
            stated = not claims or (len(claims) == 1 and self._random.random() < 0.5)
            place = self._place
            chosen["quote"] = choices.take_passage(place, self._random) if stated else ""
            chosen |= dict.fromkeys(claims, bool(chosen["quote"]))
        ids = [name for name in parts if name in choices.id_fields]
        for name in ids:
            if left := choices.list_of(self._place, name):
                at = self._random.randrange(len(left)) if len(ids) > 1 else 0
                chosen[name], text = left.pop(at)
                if f"{name}_text" in parts:
                    chosen[f"{name}_text"] = text
        for name, values in choices.names.items():
            if name in parts and "enum" not in self._normalize(parts[name]):
                chosen[name] = self._random.choice(values)
        for name, numbers in choices.numbers.items():
            if depth == 0 and name in parts and numbers:
                chosen[name] = sorted(self._random.sample(numbers, min(2, len(numbers))))
        return chosen

    def _is_boolean(self, schema: Any) -> bool:
        return bool(self._normalize(schema).get("type") == "boolean")

    def _count_choices(self, items: Any) -> float:
        """How many items of an array the prompt has values for."""
        if not isinstance(items, dict):
            return inf
        parts = self._normalize(items).get("properties", {})
        choices = self._draw.choices
        counts = [
            len(choices.list_of(self._place, name)) for name in parts if name in choices.id_fields
        ]
        if choices.turns is not None and {"turn", "quote"} <= parts.keys():
            counts.append(len(choices.turns))
        elif choices.quotes and "quote" in parts and not any(map(self._is_boolean, parts.values())):
            counts.append(choices.count_passages(self._place))
        return min(counts, default=inf)

    def _empty_value(self, schema: Any, act: Any) -> Any:
        """The empty value of a part of an action; _MISSING where it should or must not be empty."""
        if act not in (SPEAK, LEAVE):
            return _MISSING
        schema = self._normalize(schema)
        branches = [self._normalize(branch) for branch in schema.get("anyOf", (schema,))]
        kinds = {branch.get("type"): branch for branch in branches}
        if act == SPEAK and "array" not in kinds:
            return _MISSING
        for kind, least, value in (
            ("null", "", None),
            ("array", "minItems", []),
            ("string", "minLength", ""),
        ):
            if kind in kinds and not kinds[kind].get(least):
                return value
        return _MISSING

    def _add_entries(self, schema: Mapping[str, Any], record: dict[str, Any], depth: int) -> None:
        """Add entries beyond the named ones, where the schema describes or requires some."""
        values, least = schema.get("additionalProperties", True), schema.get("minProperties", 0)
        if values is False or (values is True and not least):
            return
        if depth < _DEEPEST and not schema.get("properties"):
            most = schema.get("maxProperties", inf)
            least = max(least, min(len(self._draw.keys) or self._random.randint(1, 2), most))
        names = (*self._draw.keys, *_NAMES)
        for attempt in range(20 * least):
            if len(record) >= least:
                return
            key = names[attempt] if attempt < len(names) else f"item {attempt + 1}"
            if "propertyNames" in schema:
                key = self.value(schema["propertyNames"], depth + 1)
            if key not in record:
                record[key] = self.value(values, depth + 1)


def _rounded(how: Callable[[float], int], bound: float) -> float:
    return bound if abs(bound) == inf else how(bound)


_BOUNDS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}


def has_bounds(schema: Any) -> bool:
    """Whether a schema bounds any number, at any depth."""
    parts = schema.values() if isinstance(schema, dict) else schema
    if isinstance(schema, dict) and schema.keys() & _BOUNDS:
        return True
    return any(has_bounds(part) for part in parts if isinstance(part, dict | list))


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


def prose(random: Random, length: int) -> str:
    """English filler of at most `length` characters, and seldom more than ten fewer.

    Below about ten characters it is a word or a part of one.
    """
    sentences = _sentences()
    text = random.choice(sentences)
    while len(text) < length:
        text = f"{text} {random.choice(sentences)}"
    if len(text) == length:
        return text
    cut = text.rfind(" ", 0, length)
    if cut < 1:
        return text[:length]
    return text[:cut].rstrip(",.") + "."


def exact_prose(random: Random, length: int) -> str:
    """English filler of exactly `length` characters, which may end in mid-word."""
    text = prose(random, length + 60)[:length]
    return text[:-1] + "." if text.endswith(" ") else text


# ------------------------------------------------------------------ replies to prompts


def reply_to(texts: Sequence[str], schema: str, draw: Draw, *, as_object: bool = False) -> str:
    """A reply to a prompt of these messages. Text to be reworded is returned as it stands.

    The schema is `schema` or, where that is "", the last that the prompt holds in a ```json-schema
    fence, after a line "JSON schema:", or on a line of its own. Without any, the reply is like the
    turn that the prompt shows as an example (a JSON object, or a line "speak: ..." where it asks
    for lines), else prose (in an object if `as_object`). SchemaError if `schema` is broken.
    """
    target = requested_schema(texts, schema)
    if text := _object_to_reword(texts, target):
        return text
    if (sampled := sample_requested(texts, schema, draw)) is not None:
        return sampled
    if as_object:
        return _encode({"answer": prose(draw.random, draw.characters)})
    if turn := _turn_like_example(texts, draw):
        return turn
    kind = _kind_of_example_line(texts)
    if kind and draw.leave and any(LEAVE in text for text in texts):
        return LEAVE
    text = prose(draw.random, draw.characters)
    return f"{kind}: {text}" if kind else text


def requested_schema(texts: Sequence[str], schema: str) -> Any:
    """The schema that the reply should follow, as `reply_to` looks it up; None without one."""
    return _parsed(schema or _schema_in_prompt(texts) or "null")


@lru_cache(200)
def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def sample_requested(texts: Sequence[str], schema: str, draw: Draw) -> str | None:
    """A JSON value of the requested schema; None without one, or if the prompt's is broken.

    SchemaError if `schema` itself is broken.
    """
    target = requested_schema(texts, schema)
    draw.choices = read_choices(texts)
    if keys := next(filter(None, map(_KEYS.search, reversed(texts))), None):
        draw.keys = json.loads(f"[{keys[1]}]")
    try:
        return None if target is None else _encode(sample_value(target, draw))
    except SchemaError:
        if schema:
            raise
        return None


_FENCE = re.compile(r"```json-schema\s*\n(.*?)\n\s*```", re.DOTALL)

_LINE = re.compile(
    r'^(?:json schema:\s*(?:```\w*\s*)?(?=\{)|(?=\{"(?:\$defs|properties)":))',
    re.IGNORECASE | re.MULTILINE,
)
"""Where a schema may begin in a prompt: after "JSON schema:", or on a line of its own."""

_KEYS = re.compile(r'exactly these keys: \[((?:"\w+"(?:, )?)+)\]')

_JSON_FENCE = re.compile(r"```json\s*\n(.*?)\n\s*```", re.DOTALL)

_decoder = json.JSONDecoder()

_encode = json.JSONEncoder(ensure_ascii=False).encode


def _schema_in_prompt(texts: Sequence[str]) -> str:
    for text in reversed(texts):
        if fences := _FENCE.findall(text):
            return str(fences[-1])
        for line in reversed(list(_LINE.finditer(text))):
            try:
                _, end = _decoder.raw_decode(text, line.end())
            except ValueError:
                continue
            return text[line.end() : end]
    return ""


def _object_to_reword(texts: Sequence[str], schema: Any) -> str:
    """The object in a ```json fence of the last message, if it has just the schema's properties;
    "" without one."""
    fenced = _JSON_FENCE.findall(texts[-1]) if texts else []
    record = _parsed(fenced[-1]) if fenced else None
    fields = schema.get("properties") if isinstance(schema, dict) else None
    same = isinstance(record, dict) and fields is not None and record.keys() == fields.keys()
    return _encode(record) if same else ""


def _kind_of_example_line(texts: Sequence[str]) -> str:
    """The kind of action in the example of a prompt that asks for lines `kind: text`, or ""."""
    for text in reversed(texts):
        example = _EXAMPLE.search(text)
        if example and _REQUEST_FOR_LINES.search(text, 0, example.start()):
            return example["kind"]
    return ""


def _turn_like_example(texts: Sequence[str], draw: Draw) -> str:
    """A turn in the form of the prompt's JSON example; "" without one."""
    for text in reversed(texts):
        if example := _OBJECT_EXAMPLE.search(text):
            turn = json.loads(example[1])
            act = turn.get("actions", [turn])[0]
            act["text"] = prose(draw.random, draw.characters)
            if draw.leave and LEAVE in text:
                act |= {"action": LEAVE, "text": ""}
            return _encode(turn)
    return ""


_EXAMPLE = re.compile(r"[Ff]or example:\s*\n(?P<kind>[^\W\d_][\w -]{0,40}): \S")

_OBJECT_EXAMPLE = re.compile(r'[Ff]or example:\s*\n(\{.*"action": ".*\})$', re.MULTILINE)

_REQUEST_FOR_LINES = re.compile(r"\blines?\b[^\n]*\bcolon\b")
