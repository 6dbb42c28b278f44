"""A participant's pages around the study's activity: link, consent, screening, instructions,
survey, leaving."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, TypeAlias

from fastapi import APIRouter, Form, Path, Request
from starlette.responses import RedirectResponse, Response

from sociolab.core.errors import ConfigError
from sociolab.store.store import Store
from sociolab.store.studies import ParticipantRow, StudyRow
from sociolab.studies.participants import (
    CONDITION,
    INSTRUCTIONS,
    OUTCOME,
    REASON,
    WHOLE,
    earned_code,
    fails_checks,
    forget,
    hash_secret,
    keep_survey,
    read_survey,
    study_answers,
    survey_done,
)
from sociolab.studies.play_records import ALL_TAKEN_TEXT, BUDGET_SPENT_TEXT, is_spent
from sociolab.studies.recruiting import (
    assign_condition,
    find_recruit,
    is_to_be_screened,
    places_of,
    platform_ids,
    recruiting_study,
    return_address,
    return_to_place,
    screen,
    take_place,
)
from sociolab.studies.settings import RecruitPlan, StudySettings, filled_address
from sociolab.web import play, rate
from sociolab.web.pages import Fields, page
from sociolab.web.participant_session import (
    OVER,
    Bound,
    Taking,
    bind,
    home,
    keep_platform_ids,
    platform_ids_in,
)
from sociolab.web.play import leave_episode, set_aside
from sociolab.web.site import Missing, Refused, store_of

router = APIRouter(tags=["taking part"])

_HOME = "/take/{study}/{participant}"

Secret = Annotated[str, Path(max_length=100)]


@router.get("/join/{secret}")
def join(request: Request, secret: Secret) -> Response:
    """What the link is for, and a button to begin."""
    row, study = _find_invited(store_of(request), secret)
    if row.bound:
        response = page(request, "study/used.html", home=home(row.study, row.id))
        response.status_code = 410
        return response
    _check_open(store_of(request), study)
    settings = StudySettings.model_validate(study.settings)
    return page(request, "study/join.html", settings=settings, secret=secret)


@router.post("/join/{secret}", response_class=RedirectResponse)
def begin(request: Request, secret: Secret) -> Response:
    """Give the link to this browser."""
    store = store_of(request)
    row, study = _find_invited(store, secret)
    _check_open(store, study)
    answer = RedirectResponse(home(row.study, row.id), 303)
    if not bind(request, row, answer):
        return RedirectResponse(f"/join/{secret}", 303)
    _let_in(store, replace(row, state="arrived"), study)
    return answer


@router.get("/recruit/{secret}")
def recruit(request: Request, secret: Secret) -> Response:
    """The open link of a study, to which a recruiting platform has added who comes."""
    store = store_of(request)
    study, plan, ids = _find_recruiting(request, request.query_params)
    who = find_recruit(store, study, ids[plan.parameters[0]])
    if who is None:
        _check_open(store, study)
        if not places_of(store, study, plan).free:
            if plan.full:
                return RedirectResponse(filled_address(plan.full, ids), 303)
            return page(request, "study/full.html", back="")
    return page(
        request,
        "study/recruit.html",
        settings=StudySettings.model_validate(study.settings),
        path=request.url.path,
        ids=ids,
        came=who is not None,
        over=who is not None and who.state in OVER,
    )


@router.post("/recruit/{secret}", response_class=RedirectResponse)
def begin_recruit(request: Request, secret: Secret, fields: Fields) -> Response:
    """Give the person a place, once, and the place to this browser."""
    store = store_of(request)
    study, plan, ids = _find_recruiting(request, fields)
    if find_recruit(store, study, ids[plan.parameters[0]]) is None:
        _check_open(store, study)
    who = take_place(store, study, plan, ids)
    if who is None:  # browsers follow no redirect of a form to another site
        return page(request, "study/full.html", back=filled_address(plan.full, ids))
    answer = RedirectResponse(home(study.name, who.id), 303)
    if bind(request, who, answer):
        if plan.echoed:
            keep_platform_ids(request, who, answer, {name: ids[name] for name in plan.echoed})
        _let_in(store, store.studies.participant(study.name, who.id), study)
    return answer


def _find_recruiting(
    request: Request, fields: Mapping[str, str]
) -> tuple[StudyRow, RecruitPlan, dict[str, str]]:
    found = recruiting_study(store_of(request), request.url.path)
    if found is None:
        raise Missing("This link leads nowhere. Please open the study from where you found it.")
    study, plan = found
    if store_of(request).recruits.ids_were_deleted(study.name):
        raise Refused(
            "This study takes nobody in any more. Thank you for coming. If you have not taken part "
            "yet, please return your place on the site that recruited you.",
            410,
        )
    try:
        return study, plan, platform_ids(plan, fields)
    except ConfigError as error:
        raise Refused(str(error), 400) from error


def _let_in(store: Store, who: ParticipantRow, study: StudyRow) -> None:
    """Give a participant a condition as soon as consent and screening are past."""
    settings = StudySettings.model_validate(study.settings)
    agreed = who.state == "consented" or (who.state == "arrived" and not settings.consent)
    if agreed and not is_to_be_screened(store, settings, who):
        assign_condition(store, settings, who)


@router.get("/deleted")
def deleted(request: Request) -> Response:
    """What somebody sees whose data were deleted at their wish."""
    return page(request, "study/deleted.html")


def _find_invited(store: Store, secret: str) -> tuple[ParticipantRow, StudyRow]:
    row = store.studies.participant_of_link(hash_secret(secret))
    if row is None:
        raise Missing(
            "This link leads nowhere: it is incomplete, or a newer one took its place. Copy the "
            "whole link, or ask those who sent it for a new one."
        )
    return row, store.studies.get(row.study)


def _check_open(store: Store, study: StudyRow) -> None:
    if not study.open:
        raise Refused("This study is not open at the moment. Your link is kept for you.")
    if study.kind == "play" and study.run is not None and is_spent(store, study.run):
        raise Refused(f"{BUDGET_SPENT_TEXT} Your link was not used up.")


Step: TypeAlias = Literal["consent", "screening", "instructions", "activity", "survey", "end"]


@router.get(_HOME, response_class=RedirectResponse)
def hub(request: Request, who: Bound) -> Response:
    """Lead the participant to what is next."""
    if not who.over and not return_to_place(
        store_of(request), who.study, who.settings, who.participant
    ):
        return RedirectResponse(f"{who.home}/end", 303)
    step, path = next_step(store_of(request), who)
    return RedirectResponse(who.home + (path if step == "activity" else f"/{step}"), 303)


def next_step(store: Store, who: Taking) -> tuple[Step, str]:
    """The participant's next step, and its path if it is the study's activity.

    Refused where the study is closed and the participant is not done.
    """
    if who.over:
        return "end", ""
    if not who.study.open:
        raise Refused("This study is closed at the moment. What you did so far is kept.")
    if not who.agreed:
        return "consent", ""
    if is_to_be_screened(store, who.settings, who.participant):
        return "screening", ""
    answers = study_answers(store, who.participant)
    settings = who.settings.in_condition(answers.get(CONDITION))
    if settings.instructions and INSTRUCTIONS not in answers:
        return "instructions", ""
    path = (play if who.study.kind == "play" else rate).next_step(store, who)
    if path is not None:
        return "activity", path
    if survey_done(who.settings, answers) or play.note(store, who) == ALL_TAKEN_TEXT:
        return "end", ""  # the questions are on what was played
    return "survey", ""


@router.get(f"{_HOME}/consent")
def consent(request: Request, who: Bound) -> Response:
    """What taking part means, to agree to or to decline."""
    return _step_page(request, who, "consent")


@router.post(f"{_HOME}/consent", response_class=RedirectResponse)
def decide(
    request: Request, who: Bound, choice: Annotated[Literal["agree", "decline"], Form()]
) -> Response:
    """Note what the participant decided, once."""
    if _is_due(store_of(request), who, "consent"):
        state: Literal["consented", "refused"] = "consented" if choice == "agree" else "refused"
        store_of(request).studies.set_state(who.participant.pk, state)
        _let_in(store_of(request), replace(who.participant, state=state), who.study)
    return _home(who)


@router.get(f"{_HOME}/screening")
def screening(request: Request, who: Bound) -> Response:
    """The questions that decide who takes part."""
    questions = who.settings.recruit.questions if who.settings.recruit else ()
    return _step_page(request, who, "screening", questions=questions, values={}, problems={})


@router.post(f"{_HOME}/screening")
def answer_screening(request: Request, who: Bound, fields: Fields) -> Response:
    """Admit the participant, or say why not; a form with a gap is shown again."""
    store = store_of(request)
    if not _is_due(store, who, "screening") or who.settings.recruit is None:
        return _home(who)
    questions = who.settings.recruit.questions
    form = read_survey(questions, fields)
    if form.problems:
        response = _step_page(
            request, who, "screening", questions=questions, values=fields, problems=form.problems
        )
        response.status_code = 422
        return response
    answers = {name: str(value) for name, value in form.values.items()}
    if screen(store, who.settings, who.participant, answers) is None:
        _let_in(store, who.participant, who.study)
    return _home(who)


@router.get(f"{_HOME}/instructions")
def instructions(request: Request, who: Bound) -> Response:
    """What the participant will do."""
    answers = study_answers(store_of(request), who.participant)
    text = who.settings.in_condition(answers.get(CONDITION)).instructions
    return _step_page(request, who, "instructions", text=text)


@router.post(f"{_HOME}/instructions", response_class=RedirectResponse)
def understood(request: Request, who: Bound) -> Response:
    """Note that the instructions were read."""
    if _is_due(store_of(request), who, "instructions"):
        store_of(request).studies.answer(who.participant.pk, WHOLE, INSTRUCTIONS, True)
    return _home(who)


@router.get(f"{_HOME}/survey")
def survey(request: Request, who: Bound) -> Response:
    """The questions at the end."""
    note = play.note(store_of(request), who)
    return _step_page(request, who, "survey", values={}, problems={}, note=note)


@router.post(f"{_HOME}/survey")
def answer(request: Request, who: Bound, fields: Fields) -> Response:
    """Keep the answers, or show what is missing with all that was filled in."""
    store = store_of(request)
    if not _is_due(store, who, "survey"):
        return _home(who)
    form = read_survey(who.settings.survey, fields)
    if form.problems:
        response = _step_page(
            request, who, "survey", values=fields, problems=form.problems, note=""
        )
        response.status_code = 422
        return response
    keep_survey(store, who.participant, form.values)
    return _home(who)


@router.get(f"{_HOME}/end")
def end(request: Request, who: Bound) -> Response:
    """Thanks, and the completion code for those who came to the end."""
    store = store_of(request)
    if not _is_due(store, who, "end"):
        return _home(who)
    if not who.over:
        store.studies.set_state(who.participant.pk, "finished")
        who = replace(
            who, participant=store.studies.participant(who.study.name, who.participant.id)
        )
    finished = who.participant.state == "finished"
    answers = study_answers(store, who.participant)
    done = who.settings.survey and survey_done(who.settings, answers)
    note = play.note(store, who) if finished and not done else ""
    code, back = _code_or_return(request, who)
    return page(
        request,
        "study/end.html",
        who=who,
        code=code,
        failed=finished and not back and fails_checks(who.settings, answers),
        note=note,
        back=back,
        outcome=answers.get(OUTCOME, ""),
    )


def _code_or_return(request: Request, who: Taking) -> tuple[str, str]:
    """The completion code and the platform's address that the last page has: one at most, since the
    address holds a code of its own."""
    store = store_of(request)
    back = return_address(store, who.settings, who.participant, platform_ids_in(request))
    if back:
        return "", back
    return earned_code(who.settings, who.participant, study_answers(store, who.participant)), ""


@router.get(f"{_HOME}/leave")
def leaving(request: Request, who: Bound) -> Response:
    """Whether to leave, and what becomes of the participant's data then."""
    code, _ = _code_or_return(request, who)
    return page(request, "study/leave.html", who=who, code=code)


@router.post(f"{_HOME}/leave", response_class=RedirectResponse)
def leave(
    request: Request,
    who: Bound,
    data: Annotated[Literal["keep", "delete"], Form()],
    reason: Annotated[str, Form(max_length=1000)] = "",
) -> Response:
    """Leave the study; with "delete", all that the participant did goes too."""
    store = store_of(request)
    if data == "delete":
        with set_aside(request, who.study):
            forget(store, who.study.name, who.participant.id)
        return RedirectResponse("/deleted", 303)
    if not who.over:
        store.studies.set_state(who.participant.pk, "left")
        leave_episode(request, who.study.name, who.participant.pk)
        if reason.strip():
            store.studies.answer(who.participant.pk, WHOLE, REASON, reason.strip())
    return _home(who)


def _step_page(request: Request, who: Taking, step: Step, **values: Any) -> Response:
    """The page of a step if it is due; else a redirect to the one that is."""
    if not _is_due(store_of(request), who, step):
        return _home(who)
    return page(request, f"study/{step}.html", who=who, **values)


def _is_due(store: Store, who: Taking, step: Step) -> bool:
    return next_step(store, who)[0] == step


def _home(who: Taking) -> Response:
    return RedirectResponse(who.home, 303)
