"""The JSON schemas that a model is given for a resident's answers.

A provider that follows them can name only known places, times on the quarter hour (getting up in
the morning and to bed at night) and dates that are near, and rate as many texts as there are.
Nothing else in them belongs to one question alone: a schema stands before the prompt where
providers look for a beginning that repeats.
"""

from __future__ import annotations

import json
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

from pydantic import BaseModel

from sociolab.core.ports import Schema
from sociolab.prompting.structured import schema_of
from sociolab.town.answers import DayPlan
from sociolab.town.mind import QUESTIONS
from sociolab.town.thoughts import (
    ChoosePlace,
    PlanDay,
    RateImportance,
    Replan,
    Summarise,
    Thought,
)

MOST_PLACES = 150
"""With more known places than this, a schema takes any text for a place."""

_AT_KNOWN_PLACES = (PlanDay, Replan, ChoosePlace, Summarise)
_TIMES = [f"{hour:02}:{minute:02}" for hour in range(24) for minute in (0, 15, 30, 45)]
_WAKES = [time for time in _TIMES if "03:00" <= time <= "12:00"]
_BEDS = [time for time in _TIMES if time >= "19:00" or time <= "03:00"]
_DAYS = 14
_FEWEST_ENTRIES = 4


def answer_schema(question: Thought) -> Schema:
    """The schema of the answer to a question."""
    _, kind = QUESTIONS[type(question)]
    me = question.me
    wants_place = isinstance(question, _AT_KNOWN_PLACES) and len(me.places) <= MOST_PLACES
    places = me.places if wants_place else ()
    if places and isinstance(question, Summarise):
        places = ("", *places)  # what is agreed may leave the place open
    count = len(question.texts) if isinstance(question, RateImportance) else 0
    today = me.now.date()
    monday = today - timedelta(days=today.weekday())
    return _schema(kind, places, monday, count)


@lru_cache(maxsize=1024)
def _schema(kind: type[BaseModel], places: tuple[str, ...], monday: date, count: int) -> Schema:
    plain = schema_of(kind)
    options: dict[str, Any] = {
        "day": {"enum": [(monday + timedelta(days=day)).isoformat() for day in range(_DAYS)]}
    }
    if places:
        options["place"] = {"enum": list(places)}
    if kind is DayPlan:
        options["entries"] = {"minItems": _FEWEST_ENTRIES}
        options |= {"wake": _one_of(_WAKES), "bed": _one_of(_BEDS)}
    if count:
        options["ratings"] = {"minItems": count, "maxItems": count}
    schema = _narrowed(json.loads(plain.text), options)
    if '"#/$defs/Time"' in json.dumps(schema):
        schema["$defs"] = {"Time": {"enum": _TIMES, "type": "string"}} | schema.get("$defs", {})
    return Schema(plain.name, json.dumps(schema, ensure_ascii=False, separators=(",", ":")))


def _narrowed(node: Any, options: dict[str, Any]) -> Any:
    """The schema with options for its fields; every field wanted and no other allowed.

    Those who offer strict structured output want the latter two.
    """
    if isinstance(node, list):
        return [_narrowed(item, options) for item in node]
    if not isinstance(node, dict):
        return node
    if _is_time(node):
        return {"$ref": "#/$defs/Time"}
    new = {word: _narrowed(part, options) for word, part in node.items()}
    if "properties" in new:
        fields = new["properties"]
        fields |= {name: _with(fields[name], options[name]) for name in options if name in fields}
        new |= {"required": list(fields), "additionalProperties": False}
    return new


def _with(field: dict[str, Any], option: dict[str, Any]) -> dict[str, Any]:
    """A field with an option; a pattern, or what it referred to, is no longer of use then."""
    return {word: field[word] for word in field if word not in ("pattern", "$ref")} | option


def _one_of(texts: list[str]) -> dict[str, Any]:
    return {"type": "string", "enum": texts}


def _is_time(node: dict[str, Any]) -> bool:
    return "([01]" in str(node.get("pattern", ""))
