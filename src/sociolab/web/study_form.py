"""The form that sets up a study in the browser; its input is kept when something is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_origin

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ValidationError
from starlette.responses import RedirectResponse, Response

from sociolab.app.players.models import names_code
from sociolab.app.registry import worlds_that
from sociolab.core.errors import ConfigError
from sociolab.plugin.world import WorldPlugin
from sociolab.store.store import Store
from sociolab.store.studies import StudyKind
from sociolab.studies.settings import (
    KINDS,
    ImpressionsPlan,
    PlayPlan,
    RatePlan,
    ReviewPlan,
    StudySettings,
    example_values,
    problems,
)
from sociolab.studies.setup import TEXTS, create_study
from sociolab.web.pages import Fields, page
from sociolab.web.site import store_of
from sociolab.web.study_pages import study_row

_YES_NO = ("no", "yes")
Shape: TypeAlias = Literal["line", "area", "number", "lines", "pairs", "choice", "references"]


@dataclass(frozen=True, slots=True)
class SetupField:
    """A field: its place in the settings, its label and help, and what is typed into it.

    "lines" holds one value a line, "pairs" NAME=VALUE lines, "references" one reference a line.
    `choices` are for "choice", or what a "line" suggests. `more`: shown on demand.
    """

    name: str
    label: str
    help: str = ""
    shape: Shape = "line"
    choices: Sequence[str] = ()
    more: bool = False


def _fields(
    model: type[BaseModel], names: Sequence[str] = (), worlds: Sequence[str] = ()
) -> tuple[SetupField, ...]:
    """The fields of a model (those named, or all), as it labels them itself."""
    fields = model.model_fields
    return tuple(
        SetupField(
            name,
            fields[name].title or name,
            fields[name].description or "",
            _shape(name, fields[name].annotation),
            worlds if name == "world" else _YES_NO if fields[name].annotation is bool else (),
            fields[name].json_schema_extra == {"more": True},
        )
        for name in names or fields
    )


def _shape(name: str, kind: Any) -> Shape:
    if name in TEXTS:
        return "line" if name in ("title", "contact") else "area"
    if name in ("world", "references"):
        return "choice" if name == "world" else "references"
    if kind is bool:
        return "choice"
    if {int, float} & {kind, *get_args(kind)}:
        return "number"
    origin = get_origin(kind)
    return "lines" if origin is tuple else "pairs" if origin is dict else "line"


TEXT_FIELDS = _fields(StudySettings, TEXTS)
END_FIELDS = _fields(StudySettings, ("completion_code", "retention_days"))
PLAN_FIELDS: Mapping[StudyKind, Sequence[SetupField]] = {
    "play": _fields(PlayPlan, worlds=worlds_that(lambda plugin: plugin.people)),
    "rate": _fields(RatePlan),
    "impressions": _fields(ImpressionsPlan),
    "review": _fields(ReviewPlan, worlds=worlds_that(lambda plugin: plugin.reviewed is not None)),
}
KIND_WORDS: Mapping[StudyKind, tuple[str, str]] = {
    "play": ("Play", "People take a seat in episodes, with models, rules or each other."),
    "rate": ("Rate", "People rate what was played on SOTOPIA's dimensions, with reasons."),
    "impressions": ("Impressions", "People say in one word what a D&D session is like."),
    "review": ("Review", "People review scenarios: keep, edit or reject."),
}
QUESTIONS = 12
"""Survey questions that the form has room for."""
PARTS = ("name", "text", "kind", "choices", "points", "low", "high", "required")
"""The fields of a survey question."""


def fill_form(values: Mapping[str, Any], kind: StudyKind) -> dict[str, str]:
    """The fields of the form for these settings (as a TOML file holds them)."""
    plan = values.get(kind, {})
    fields = {
        **{f.name: str(values.get(f.name) or "").strip() for f in (*TEXT_FIELDS, *END_FIELDS)},
        **{f"{kind}.{f.name}": _field_text(f.shape, plan.get(f.name)) for f in PLAN_FIELDS[kind]},
    }
    for index, question in enumerate(values.get("survey", ())):
        for part in PARTS:
            fields[f"survey.{index}.{part}"] = _question_field_text(part, question.get(part))
    return fields


def read_form(fields: Mapping[str, str], kind: StudyKind) -> dict[str, Any]:
    """The settings in the form's fields, not validated; an empty field is left out."""
    values: dict[str, Any] = {f.name: _lines(fields.get(f.name, "")) for f in TEXT_FIELDS}
    values |= {f.name: text for f in END_FIELDS if (text := fields.get(f.name, "").strip())}
    plan = {f.name: _parse_field(f, fields.get(f"{kind}.{f.name}", "")) for f in PLAN_FIELDS[kind]}
    values[kind] = {name: value for name, value in plan.items() if value is not None}
    values["survey"] = [_question(fields, index) for index in used_questions(fields)]
    return values


def used_questions(fields: Mapping[str, str]) -> Sequence[int]:
    """The indices of the form's questions that have a text."""
    return [i for i in range(QUESTIONS) if fields.get(f"survey.{i}.text", "").strip()]


def _field_text(shape: Shape, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return _YES_NO[value]
    match shape:
        case "lines":
            return "\n".join(value)
        case "pairs":
            return "\n".join(f"{name}={item}" for name, item in value.items())
        case "references":
            return "\n".join(map(_format_reference, value))
        case _:
            return str(value)


def _parse_field(field: SetupField, text: str) -> Any:
    """A field's value; None if it is empty."""
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
            return list(map(_parse_reference, lines))
        case _:
            return text.strip()


def _parse_reference(line: str) -> dict[str, Any]:
    episode, _, rest = line.partition(" ")
    seat, _, scores = rest.strip().partition(" ")
    pairs = dict(word.partition("=")[::2] for word in scores.split())
    within = {"within": pairs.pop("within")} if "within" in pairs else {}
    return {"episode": episode, "seat": seat, "scores": pairs, **within}


def _format_reference(ref: Mapping[str, Any]) -> str:
    scores = " ".join(f"{name}={value:g}" for name, value in ref["scores"].items())
    return f"{ref['episode']} {ref['seat']} {scores} within={ref.get('within', 2):g}"


def _question(fields: Mapping[str, str], index: int) -> dict[str, Any]:
    part = {name: fields.get(f"survey.{index}.{name}", "").strip() for name in PARTS}
    question: dict[str, Any] = {
        "name": part["name"] or f"q{index + 1}",
        "text": part["text"],
        "kind": part["kind"] or "text",
        "low": part["low"],
        "high": part["high"],
        "required": part["required"] == "yes",
    }
    if part["kind"] == "choice":
        question["choices"] = [line.strip() for line in _lines(part["choices"]).split("\n")
                            if line.strip()]  # fmt: skip
    if part["points"]:
        question["points"] = part["points"]
    return question


def _question_field_text(part: str, value: Any) -> str:
    if part == "choices":
        return "\n".join(value or ())
    if part == "required":
        return "yes" if value else ""
    return "" if value is None else str(value)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n")


_CODE = (
    "classes of one's own are named in a file, not in a form: `sociolab study create FILE`; found "
    '"{}"'
)
_FOLDER = (
    "expected an imported data set by its name, as `sociolab list data` has it; a folder is named "
    "in a file: `sociolab study create FILE`"
)
_RECRUITS = (
    "Recruiting, conditions and attention checks are set in a file, not in a form: edit a copy of "
    "the file that set up this study, then `sociolab study create FILE --name NAME`."
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


def beyond_a_form(settings: StudySettings) -> dict[str, str]:
    """Settings that only a file may set, by field: custom code, and folders of data."""
    wrong: dict[str, str] = {}
    play, review = settings.play, settings.review
    if play is not None:
        specs = {
            "play.partners": play.partners,
            "play.stand_in": (play.stand_in or "",),
            "play.judges": play.judges,
        }
        for place, texts in specs.items():
            code = [text for text in texts if names_code(text)]
            wrong |= {place: _CODE.format(code[0][:80])} if code else {}
    for place, data in (("play.data", play and play.data), ("review.data", review and review.data)):
        if data and not _NAME.fullmatch(data):
            wrong[place] = _FOLDER
    return wrong


router = APIRouter(prefix="/studies", tags=["studies"])


@router.get("/new")
def new(
    request: Request,
    kind: Annotated[str, Query(max_length=20)] = "",
    like: Annotated[str, Query(max_length=80)] = "",
) -> Response:
    """The kinds of studies; for one of them, or for one `like` another, its form."""
    store = store_of(request)
    if like:
        row = study_row(store, like)
        whole = StudySettings.model_validate(row.settings)
        if whole.recruit or whole.conditions or any(each.expected for each in whole.survey):
            raise ConfigError(_RECRUITS)
        settings = whole.model_dump(mode="json")
        return _form(request, store, row.kind, fill_form(settings, row.kind))
    chosen = _kind(kind)
    if chosen is None:
        return page(request, "study/kinds.html", kinds=KIND_WORDS)
    values = {**example_values(chosen), "contact": ""}
    plan = values[chosen]
    if plan.pop("run", None) and (runs := _runs(store, chosen)):
        plan["run"] = runs[0]
    return _form(request, store, chosen, fill_form(values, chosen))


@router.post("/new")
def make(request: Request, fields: Fields) -> Response:
    """Set the study up, or show the form again with what is wrong beside each field."""
    store = store_of(request)
    kind = _kind(fields.get("kind", "")) or "play"
    if "more" in fields:
        return _form(request, store, kind, fields, questions=len(used_questions(fields)) + 2)
    wrong: dict[str, str] = {}
    name = fields.get("name", "").strip()
    if not name:
        wrong["name"] = "give the study a name"
    try:
        settings = StudySettings.model_validate(read_form(fields, kind))
        wrong |= beyond_a_form(settings)
        if not wrong:
            create_study(store, name, settings)
            store.audit_log.add("set up (web app)", name)
            return RedirectResponse(f"/studies/{name}", 303)
    except ValidationError as error:
        for place, message in problems(error):
            wrong.setdefault(_field_at(place, kind, fields), message)
    except ConfigError as error:
        wrong[_field_of_problem(str(error), kind, fields)] = str(error)
    response = _form(request, store, kind, fields, wrong)
    response.status_code = 422
    return response


def _field_of_problem(problem: str, kind: StudyKind, fields: Mapping[str, str]) -> str:
    """The field that a problem is about: the one it begins with, or whose text it quotes."""
    names = {f"{kind}.{field.name}" for field in PLAN_FIELDS[kind]}
    first = problem.partition(":")[0].lstrip("-")
    if first in TEXTS or f"{kind}.{first}" in names:
        return first if first in TEXTS else f"{kind}.{first}"
    for name in sorted(names):
        if any(f'"{line.strip()}"' in problem for line in fields.get(name, "").splitlines()):
            return name
    return "name" if "name" in problem or fields.get("name", "") in problem else ""


def _kind(name: str) -> StudyKind | None:
    return {str(kind): kind for kind in KINDS}.get(name)


def _field_at(place: str, kind: StudyKind, fields: Mapping[str, str]) -> str:
    """The form's field for a place in the settings."""
    parts = place.split(".")
    if parts[0] == "survey" and len(parts) > 1:
        used = used_questions(fields)
        number = used[int(parts[1])] if int(parts[1]) < len(used) else 0
        return f"survey.{number}.{parts[2] if len(parts) > 2 else 'text'}"
    return ".".join(parts[:2]) if parts[0] == kind else parts[0]


def _form(
    request: Request,
    store: Store,
    kind: StudyKind,
    values: Mapping[str, str],
    wrong: Mapping[str, str] | None = None,
    questions: int = 0,
) -> Response:
    used = used_questions(values)
    room = max(questions, len(used) + 1, max(used, default=-1) + 1)
    plan = PLAN_FIELDS[kind]
    return page(
        request,
        "study/new.html",
        kind=kind,
        words=KIND_WORDS[kind],
        texts=TEXT_FIELDS,
        ends=END_FIELDS,
        plan=[field for field in plan if not field.more],
        more=[field for field in plan if field.more],
        values=values,
        wrong=_in_order(wrong or {}, kind),
        labels=_labels(kind),
        questions=range(min(room, QUESTIONS)),
        room=room < QUESTIONS,
        runs=_runs(store, kind),
        worlds=_worlds_for(kind),
    )


def _labels(kind: StudyKind) -> dict[str, str]:
    """The labels of the form's fields, by their places, in order."""
    return {
        "name": "Name",
        **{f"{kind}.{field.name}": field.label for field in PLAN_FIELDS[kind]},
        **{field.name: field.label for field in (*TEXT_FIELDS, *END_FIELDS)},
        **{f"survey.{i}.{part}": f"Question {i + 1}" for i in range(QUESTIONS) for part in PARTS},
        "survey": "Questions",
    }


def _in_order(wrong: Mapping[str, str], kind: StudyKind) -> dict[str, str]:
    """The problems in the order of the form."""
    order = list(_labels(kind))
    places = sorted(wrong, key=lambda place: order.index(place) if place in order else -1)
    return {place: wrong[place] for place in places}


def _worlds_for(kind: StudyKind) -> tuple[str, ...]:
    """The worlds whose runs a study of this kind can be about; empty where it needs no run."""
    offers: dict[StudyKind, Callable[[WorldPlugin], bool]] = {
        "rate": lambda plugin: bool(plugin.guides),
        "impressions": lambda plugin: plugin.impressions,
    }
    return worlds_that(offers[kind]) if kind in offers else ()


def _runs(store: Store, kind: StudyKind) -> tuple[str, ...]:
    """The runs that a study of this kind can be about, newest first."""
    worlds = _worlds_for(kind)
    rows = [row for row in reversed(store.runs()) if row.played and not row.keeps]
    return tuple(row.name for row in rows if row.world in worlds)
