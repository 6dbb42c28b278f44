"""A scripted player's answer to a question aside: the smallest value that its type allows."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ValidationError

_DEEPEST = 6


def smallest(reply: type[BaseModel]) -> BaseModel | None:
    """The smallest instance of this type: first choices, lowest numbers, empty lists and texts.

    None where rules cannot tell one (a pattern, a validator, a type that contains itself).
    """
    schema = reply.model_json_schema()
    try:
        return reply.model_validate(_value(schema, schema.get("$defs", {}), 0))
    except ValidationError:
        return None


def _value(schema: dict[str, Any], shared: dict[str, Any], depth: int) -> Any:
    if depth > _DEEPEST:
        return None
    if "$ref" in schema:
        return _value(shared[schema["$ref"].rpartition("/")[2]], shared, depth + 1)
    for key in ("default", "const"):
        if key in schema:
            return schema[key]
    if "enum" in schema:
        return schema["enum"][0]
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return _value(schema[key][0], shared, depth + 1)
    match schema.get("type"):
        case "object":
            wanted = schema.get("required", ())
            fields = schema.get("properties", {})
            return {name: _value(fields[name], shared, depth + 1) for name in wanted}
        case "array":
            items = schema.get("prefixItems") or [schema.get("items", {})] * schema.get(
                "minItems", 0
            )
            return [_value(item, shared, depth + 1) for item in items]
        case "integer" | "number" as kind:
            return _number(schema, whole=kind == "integer")
        case "string":
            return "-" * schema.get("minLength", 0)
        case "boolean":
            return False
        case _:
            return None


def _number(schema: dict[str, Any], *, whole: bool) -> float:
    if "minimum" in schema:
        return float(schema["minimum"]) if not whole else int(schema["minimum"])
    if "exclusiveMinimum" in schema:
        return schema["exclusiveMinimum"] + (1 if whole else 0.5)  # type: ignore[no-any-return]
    highest = schema.get("maximum", schema.get("exclusiveMaximum", 1) - 1)
    return min(0, int(highest)) if whole else min(0.0, float(highest))
