"""Between the fields of the form, all text, and the settings of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sociolab.store.studies import StudyKind
from sociolab.web.study.form_fields import (
    CODE_FIELD,
    PLAN_FIELDS,
    QUESTIONS,
    TEXT_FIELDS,
    FormField,
    Shape,
)

PARTS = ("name", "text", "kind", "choices", "points", "low", "high", "required")
"""What a question of the survey has, each a field."""


def form_of(values: Mapping[str, Any], kind: StudyKind) -> dict[str, str]:
    """The fields of the form, filled with settings such as a TOML file holds."""
    plan = values.get(kind, {})
    fields = {
        **{f.name: str(values.get(f.name, "")).strip() for f in (*TEXT_FIELDS, CODE_FIELD)},
        **{f"{kind}.{f.name}": _typed(f.shape, plan.get(f.name)) for f in PLAN_FIELDS[kind]},
    }
    for index, question in enumerate(values.get("survey", ())):
        for part in PARTS:
            fields[f"survey.{index}.{part}"] = _question_part(part, question.get(part))
    return fields


def settings_in(fields: Mapping[str, str], kind: StudyKind) -> dict[str, Any]:
    """The settings that the fields hold, unchecked; a field that is empty is left out."""
    values: dict[str, Any] = {
        f.name: _lines(fields.get(f.name, "")) for f in (*TEXT_FIELDS, CODE_FIELD)
    }
    plan = {f.name: _value(f, fields.get(f"{kind}.{f.name}", "")) for f in PLAN_FIELDS[kind]}
    values[kind] = {name: value for name, value in plan.items() if value is not None}
    values["survey"] = [_question(fields, index) for index in asked(fields)]
    return values


def asked(fields: Mapping[str, str]) -> Sequence[int]:
    """Which of the form's questions are in use."""
    return [i for i in range(QUESTIONS) if fields.get(f"survey.{i}.text", "").strip()]


def _typed(shape: Shape, value: Any) -> str:
    if value is None:
        return ""
    match shape:
        case "lines":
            return "\n".join(value)
        case "pairs":
            return "\n".join(f"{name}={one}" for name, one in value.items())
        case "references":
            return "\n".join(map(_reference_line, value))
        case _:
            return str(value)


def _value(field: FormField, text: str) -> Any:
    """What a field says; None if it is empty."""
    lines = [line.strip() for line in _lines(text).split("\n") if line.strip()]
    if not lines:
        return None
    match field.shape:
        case "lines":
            return lines
        case "pairs":
            return {name.strip(): value.strip() for name, _, value in
                    (line.partition("=") for line in lines)}  # fmt: skip
        case "references":
            return list(map(_reference, lines))
        case _:
            return text.strip()


def _reference(line: str) -> dict[str, Any]:
    episode, _, rest = line.partition(" ")
    seat, _, scores = rest.strip().partition(" ")
    pairs = dict(word.partition("=")[::2] for word in scores.split())
    within = {"within": pairs.pop("within")} if "within" in pairs else {}
    return {"episode": episode, "seat": seat, "scores": pairs, **within}


def _reference_line(one: Mapping[str, Any]) -> str:
    scores = " ".join(f"{name}={value:g}" for name, value in one["scores"].items())
    return f"{one['episode']} {one['seat']} {scores} within={one.get('within', 2):g}"


def _question(fields: Mapping[str, str], index: int) -> dict[str, Any]:
    part = {name: fields.get(f"survey.{index}.{name}", "").strip() for name in PARTS}
    found: dict[str, Any] = {
        "name": part["name"] or f"q{index + 1}",
        "text": part["text"],
        "kind": part["kind"] or "text",
        "low": part["low"],
        "high": part["high"],
        "required": part["required"] == "yes",
    }
    if part["kind"] == "choice":
        found["choices"] = [line.strip() for line in _lines(part["choices"]).split("\n")
                            if line.strip()]  # fmt: skip
    if part["points"]:
        found["points"] = part["points"]
    return found


def _question_part(part: str, value: Any) -> str:
    if part == "choices":
        return "\n".join(value or ())
    if part == "required":
        return "yes" if value else ""
    return "" if value is None else str(value)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")
