"""A study is set up in the browser: first its kind, then a form that loses nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import ValidationError
from starlette.responses import RedirectResponse, Response

from sociolab.app.registry import worlds_that
from sociolab.core.errors import ConfigError
from sociolab.plugin.world import WorldPlugin
from sociolab.store.store import Store
from sociolab.store.studies import StudyKind
from sociolab.studies.settings import KINDS, StudySettings, example_values, problems
from sociolab.studies.setup import create
from sociolab.web.pages import page
from sociolab.web.site import store_of
from sociolab.web.study.fields import Fields
from sociolab.web.study.form_fields import (
    CODE_FIELD,
    KIND_WORDS,
    PLAN_FIELDS,
    QUESTIONS,
    TEXT_FIELDS,
)
from sociolab.web.study.form_limits import beyond_a_form
from sociolab.web.study.form_values import PARTS, asked, form_of, settings_in
from sociolab.web.study.names import study_row

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
        settings = StudySettings.model_validate(row.settings).model_dump(mode="json")
        return _form(request, store, row.kind, form_of(settings, row.kind))
    chosen = _kind(kind)
    if chosen is None:
        return page(request, "study/kinds.html", kinds=KIND_WORDS)
    values = {**example_values(chosen), "contact": ""}
    plan = values[chosen]
    if plan.pop("run", None) and (runs := _runs(store, chosen)):
        plan["run"] = runs[0]
    return _form(request, store, chosen, form_of(values, chosen))


@router.post("/new")
def make(request: Request, fields: Fields) -> Response:
    """Set the study up, or show the form again with what is wrong beside each field."""
    store = store_of(request)
    kind = _kind(fields.get("kind", "")) or "play"
    if "more" in fields:
        return _form(request, store, kind, fields, questions=len(asked(fields)) + 2)
    wrong: dict[str, str] = {}
    name = fields.get("name", "").strip()
    if not name:
        wrong["name"] = "give the study a name"
    try:
        settings = StudySettings.model_validate(settings_in(fields, kind))
        wrong |= beyond_a_form(settings)
        if not wrong:
            create(store, name, settings)
            return RedirectResponse(f"/studies/{name}", 303)
    except ValidationError as error:
        for place, said in problems(error):
            wrong.setdefault(_field(place, kind, fields), said)
    except ConfigError as error:
        wrong[_place(str(error), kind, fields)] = str(error)
    made = _form(request, store, kind, fields, wrong)
    made.status_code = 422
    return made


def _place(problem: str, kind: StudyKind, fields: Mapping[str, str]) -> str:
    """The field that a problem is about: the one it begins with, or whose text it quotes."""
    known = {f"{kind}.{one.name}" for one in PLAN_FIELDS[kind]}
    first = f"{kind}.{problem.partition(':')[0].lstrip('-')}"
    if first in known:
        return first
    for name in sorted(known):
        if any(f'"{line.strip()}"' in problem for line in fields.get(name, "").splitlines()):
            return name
    return "name" if "name" in problem or fields.get("name", "") in problem else ""


def _kind(name: str) -> StudyKind | None:
    return {str(known): known for known in KINDS}.get(name)


def _field(place: str, kind: StudyKind, fields: Mapping[str, str]) -> str:
    """The field of the form that a place in the settings came from."""
    parts = place.split(".")
    if parts[0] == "survey" and len(parts) > 1:
        used = asked(fields)
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
    used = asked(values)
    room = max(questions, len(used) + 1, max(used, default=-1) + 1)
    plan = PLAN_FIELDS[kind]
    return page(
        request,
        "study/new.html",
        kind=kind,
        words=KIND_WORDS[kind],
        texts=TEXT_FIELDS,
        code=CODE_FIELD,
        plan=[one for one in plan if not one.more],
        more=[one for one in plan if one.more],
        values=values,
        wrong=_in_order(wrong or {}, kind),
        labels=_labels(kind),
        questions=range(min(room, QUESTIONS)),
        room=room < QUESTIONS,
        runs=_runs(store, kind),
    )


def _labels(kind: StudyKind) -> dict[str, str]:
    """What the form calls its fields, by their places, in their order."""
    return {
        "name": "Name",
        **{f"{kind}.{one.name}": one.label for one in PLAN_FIELDS[kind]},
        **{one.name: one.label for one in (*TEXT_FIELDS, CODE_FIELD)},
        **{f"survey.{i}.{part}": f"Question {i + 1}" for i in range(QUESTIONS) for part in PARTS},
        "survey": "Questions",
    }


def _in_order(wrong: Mapping[str, str], kind: StudyKind) -> dict[str, str]:
    """What is wrong, in the order of the form."""
    known = list(_labels(kind))
    places = sorted(wrong, key=lambda place: known.index(place) if place in known else -1)
    return {place: wrong[place] for place in places}


def _runs(store: Store, kind: StudyKind) -> tuple[str, ...]:
    """The runs that a study of this kind can be about, the newest first."""
    offers: dict[StudyKind, Callable[[WorldPlugin], bool]] = {
        "rate": lambda one: one.rating is not None,
        "impressions": lambda one: one.impressions,
    }
    worlds = worlds_that(offers[kind]) if kind in offers else ()
    return tuple(row.name for row in reversed(store.runs()) if row.world in worlds and row.played)
