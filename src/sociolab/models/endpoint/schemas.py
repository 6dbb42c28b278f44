"""JSON schemas read into nodes that can be sampled."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, floor, inf
from typing import Any

from sociolab.models.endpoint.sampler import FLAG, NULL, Choice, Node, Real, Text, Whole
from sociolab.models.endpoint.structures import Again, Either, Entries, Listing, Record


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
        return NULL if values == [None] else Choice(values)

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
        return Record(properties, required, self._entries(schema))

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
