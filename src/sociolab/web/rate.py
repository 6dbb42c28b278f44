"""Participants' pages to rate episodes, review scenarios and describe sessions in a word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from fastapi import APIRouter, Form, Request
from pydantic import BaseModel, ConfigDict, Field, create_model
from starlette.responses import RedirectResponse, Response

from sociolab.core.score import NO_ANSWERS, NotKnown
from sociolab.store.store import Store
from sociolab.studies.assignment import assign_next, assignment_of, has_next
from sociolab.studies.impressions import (
    impression_study,
    session_pool,
    submit_word,
    view_session,
)
from sociolab.studies.rating_rules import (
    ADVICE,
    ADVICE_YES_NO,
    LONGEST_REASON,
    LONGEST_WORD,
    guide_of,
    guides_for,
    rated_measures,
)
from sociolab.studies.rating_study import (
    RatedEpisode,
    RateStudy,
    RatingDraft,
    SeatDimension,
    assigned_episode,
    done_by,
    drafts_of,
    expected_minutes,
    find_missing,
    has_more,
    keep_draft,
    next_episode,
    rate_study,
    rated_places,
    scene_of,
    submit,
    usual_minutes,
)
from sociolab.studies.ratings import on_scale
from sociolab.studies.reviews import (
    LONGEST_TEXT,
    REVIEW_POINTS,
    Decision,
    Review,
    ReviewStudy,
    keep_review_draft,
    review_draft_of,
    review_study,
    submit_review,
    task_pool,
    view_task,
)
from sociolab.web.pages import page
from sociolab.web.participant_session import Item, Participant, Taking, token
from sociolab.web.site import Missing, Refused, store_of

rating_router = APIRouter(prefix="/take/{study}/{participant}/rate", tags=["rating"])
_DAY = 24 * 3600


class DraftIn(BaseModel):
    """A rating as it stands in the form; `score` is None until one is chosen."""

    model_config = ConfigDict(extra="forbid")

    seat: Annotated[str, Field(max_length=200)]
    dimension: Annotated[str, Field(max_length=40)]
    score: Annotated[int, Field(ge=-10, le=10)] | NotKnown | None = None
    reason: Annotated[str, Field(max_length=LONGEST_REASON)] = ""
    seconds: Annotated[float, Field(ge=0, le=_DAY)] = 0.0


@rating_router.get("")
def to_next_episode(request: Request, who: Participant) -> Response:
    """To the next episode, dealt to this rater; home where there is none."""
    store = store_of(request)
    if not has_read(store, who):
        return RedirectResponse(f"{who.home}/rate/instructions", 303)
    play = next_episode(store, rate_study(store, who.study), who.participant)
    if play is None:
        return RedirectResponse(who.home, 303)
    return RedirectResponse(f"{who.home}/rate/play/{token(who, play.trial)}", 303)


@rating_router.get("/instructions")
def instructions(request: Request, who: Participant) -> Response:
    """What the dimensions mean, with examples."""
    store = store_of(request)
    study = rate_study(store, who.study)
    guide = guide_of(store, study.run, study.plan.guide)
    return page(
        request,
        "rate/instructions.html",
        who=who,
        guides=guides_for(guide, study.measures),
        scene=guide.scene,
        knew=guide.knew,
        advice=ADVICE_YES_NO if study.measures[0].yes_no else ADVICE,
        tests=len(study.test),
        exam=study.exam,
        least_words=study.plan.least_words,
        minutes=usual_minutes(store, study),
        begun=has_read(store, who),
    )


@rating_router.post("/instructions")
def begin(request: Request, who: Participant) -> Response:
    """Note that the instructions were read, and go on."""
    store_of(request).studies.answer(who.participant.pk, "", READ, True)
    return RedirectResponse(f"{who.home}/rate", 303)


@rating_router.get("/play/{token}")
def play(request: Request, who: Participant, trial: Item) -> Response:
    """An episode with its scales, filled in as far as the rater has come."""
    store = store_of(request)
    study = rate_study(store, who.study)
    rated = assigned_episode(store, study, who.participant, trial)
    if rated is None:
        return RedirectResponse(f"{who.home}/rate", 303)
    return page(request, "rate/play.html", **_form_context(store, study, who, rated))


@rating_router.post("/play/{token}/draft")
def draft(request: Request, who: Participant, trial: Item, rating: DraftIn) -> dict[str, int]:
    """Keep a rating as it stands; the answer says how many of how many are complete."""
    store = store_of(request)
    study = rate_study(store, who.study)
    rated = assigned_episode(store, study, who.participant, trial)
    if rated is None:
        raise Refused("This episode is not yours to rate, or its ratings have been submitted.", 409)
    places = rated_places(store, study, rated)
    place = (rating.seat, rating.dimension)
    if place not in places:
        raise Missing("There is no such scale in this episode.")
    measures = rated_measures(store, study.run)
    if rating.score is not None and not on_scale(measures[rating.dimension], rating.score):
        raise Refused("That point is not on the scale.", 422)
    stored = RatingDraft(rating.score, rating.reason, rating.seconds)
    keep_draft(store, who.participant.pk, trial, place, stored)
    drafts = drafts_of(store, study.name, who.participant.pk, trial)
    return {"complete": _count_complete(store, study, rated, places, drafts), "of": len(places)}


def _count_complete(
    store: Store,
    study: RateStudy,
    rated: RatedEpisode,
    places: tuple[SeatDimension, ...],
    drafts: Mapping[SeatDimension, RatingDraft],
) -> int:
    missing = find_missing(store, study, rated, places, drafts)
    return len(places) - len({(item.seat, item.dimension) for item in missing})


@rating_router.post("/play/{token}/submit")
def hand_in(request: Request, who: Participant, trial: Item) -> dict[str, Any]:
    """Hand the ratings in: where to go next, or what is missing (seat, dimension, what)."""
    store = store_of(request)
    study = rate_study(store, who.study)
    rated = assigned_episode(store, study, who.participant, trial)
    if rated is not None:
        missing = submit(store, study, who.participant, rated)
        if missing:
            return {
                "missing": [
                    {"seat": m.seat, "dimension": m.dimension, "what": m.what} for m in missing
                ]
            }
    return {"next": who.home}


def _form_context(
    store: Store, study: RateStudy, who: Taking, rated: RatedEpisode
) -> dict[str, Any]:
    guide = guide_of(store, study.run, study.plan.guide)
    measures = rated_measures(store, study.run)
    places = rated_places(store, study, rated)
    drafts = drafts_of(store, study.name, who.participant.pk, rated.trial)
    scene = scene_of(store, study, rated)
    return {
        "who": who,
        "scene": scene,
        "minutes": expected_minutes(study, rated, scene, len(places)),
        "least_words": study.least_words(rated),
        "token": token(who, rated.trial),
        "test": rated.stage == "test",
        "asked": frozenset(places),
        "guides": guides_for(guide, study.measures if rated.stage == "rate" else tuple(
            measures[name] for name in dict.fromkeys(name for _, name in places)
        )),
        "drafts": {place: drafts.get(place, RatingDraft()) for place in places},
        "complete": _count_complete(store, study, rated, places, drafts),
        "done": done_by(store, study, who.participant),
        "most": min(study.plan.each, len(study.episodes)),
        "longest": LONGEST_REASON,
        "knew": guide.knew,
        "answers": (1, 0, *NO_ANSWERS),
    }  # fmt: skip


review_router = APIRouter(prefix="/take/{study}/{participant}/review", tags=["reviews"])
Holds: TypeAlias = Literal["yes", "no"] | None
LongText: TypeAlias = Annotated[str, Field(max_length=LONGEST_TEXT)]


class _ReviewFields(BaseModel):
    """A submitted review: a field for each of `POINTS`, and the texts in their order."""

    decision: Decision | None = None
    reason: LongText = ""
    texts: Annotated[list[LongText], Field(max_length=20)] = []

    @property
    def points(self) -> dict[str, bool]:
        answers = {key: getattr(self, key) for key in REVIEW_POINTS}
        return {key: value == "yes" for key, value in answers.items() if value}


if TYPE_CHECKING:
    ReviewForm = _ReviewFields
else:
    ReviewForm = create_model(
        "ReviewForm", __base__=_ReviewFields, **dict.fromkeys(REVIEW_POINTS, (Holds, None))
    )


@review_router.get("", response_class=RedirectResponse)
def to_next_scenario(request: Request, who: Participant) -> Response:
    """To the next scenario, dealt to this reviewer; home where there is none."""
    store = store_of(request)
    study = review_study(who.study)
    item = assign_next(store, study.name, who.participant.pk, task_pool(study))
    if item is None:
        return RedirectResponse(who.home, 303)
    return RedirectResponse(f"{who.home}/review/task/{token(who, item)}", 303)


@review_router.get("/task/{token}")
def task(request: Request, who: Participant, task: Item) -> Response:
    """A scenario to review, with what was filled in so far."""
    name, person = who.study.name, who.participant.pk
    stored = review_draft_of(store_of(request), name, person, task)
    form = ReviewForm() if stored is None else ReviewForm.model_validate(stored)
    return _review_page(request, who, task, form, ())


@review_router.post("/task/{token}/draft")
def review_draft(
    request: Request, who: Participant, task: Item, form: ReviewForm
) -> dict[str, bool]:
    """Keep a review as it stands."""
    store = store_of(request)
    if not _is_due(store, who, review_study(who.study), task):
        raise Refused(
            "This scenario is not yours to review, or its review has been submitted.", 409
        )
    keep_review_draft(store, who.participant.pk, task, form.model_dump(mode="json"))
    return {"saved": True}


@review_router.post("/task/{token}")
def decide(
    request: Request, who: Participant, task: Item, form: Annotated[ReviewForm, Form()]
) -> Response:
    """Keep the review, and go on; or say what is wrong with it."""
    store = store_of(request)
    study = review_study(who.study)
    if _is_due(store, who, study, task):
        if form.decision is None:
            return _review_page(request, who, task, form, ("Choose: keep, edit or reject.",))
        texts = tuple(text.replace("\r\n", "\n") for text in form.texts)
        review = Review(form.decision, form.points, form.reason, texts)
        problems = submit_review(store, study, who.participant, task, review)
        if problems:
            return _review_page(request, who, task, form, problems)
    return RedirectResponse(who.home, 303)


def _review_page(
    request: Request, who: Taking, task: str, form: ReviewForm, problems: tuple[str, ...]
) -> Response:
    store = store_of(request)
    study = review_study(who.study)
    if not _is_due(store, who, study, task):
        return RedirectResponse(who.home, 303)
    scenario = view_task(study, task)
    rows = store.studies.assignments(study.name, who.participant.pk)
    response = page(
        request,
        "rate/review.html",
        who=who,
        token=token(who, task),
        shown=scenario,
        texts=form.texts if len(form.texts) == len(scenario.texts) else scenario.texts,
        points=REVIEW_POINTS,
        form=form,
        said=form.points,
        problems=problems,
        number=sum(row.state == "done" for row in rows) + 1,
        most=min(study.plan.each, len(study.tasks)),
        longest=LONGEST_TEXT,
    )
    response.status_code = 422 if problems else 200
    return response


def _is_due(store: Store, who: Taking, study: ReviewStudy, task: str) -> bool:
    return task in study.tasks and _is_open(store, who, task)


def _is_open(store: Store, who: Taking, item: str) -> bool:
    """Whether an item is assigned to this person and not submitted yet."""
    row = assignment_of(store, who.study.name, who.participant.pk, item)
    return row is not None and row.state != "done"


impression_router = APIRouter(prefix="/take/{study}/{participant}/impression", tags=["impressions"])


@impression_router.get("", response_class=RedirectResponse)
def to_next_session(request: Request, who: Participant) -> Response:
    """To the next session, dealt to this person; home where there is none."""
    store = store_of(request)
    study = impression_study(store, who.study)
    item = assign_next(store, study.name, who.participant.pk, session_pool(study))
    if item is None:
        return RedirectResponse(who.home, 303)
    return RedirectResponse(f"{who.home}/impression/session/{token(who, item)}", 303)


@impression_router.get("/session/{token}")
def session(request: Request, who: Participant, trial: Item) -> Response:
    """A session to read, and the question."""
    return _session_page(request, who, trial, "", "")


@impression_router.post("/session/{token}")
def say(
    request: Request,
    who: Participant,
    trial: Item,
    word: Annotated[str, Form(max_length=400)] = "",
) -> Response:
    """Keep the word, and go on; or say what is wrong with it."""
    store = store_of(request)
    if _is_open(store, who, trial):
        problem = submit_word(store, who.study.name, who.participant, trial, word)
        if problem:
            return _session_page(request, who, trial, word, problem)
    return RedirectResponse(who.home, 303)


def _session_page(request: Request, who: Taking, trial: str, word: str, problem: str) -> Response:
    store = store_of(request)
    if not _is_open(store, who, trial):
        return RedirectResponse(who.home, 303)
    study = impression_study(store, who.study)
    rows = store.studies.assignments(study.name, who.participant.pk)
    response = page(
        request,
        "rate/impression.html",
        who=who,
        token=token(who, trial),
        shown=view_session(store, study.run, trial),
        number=sum(row.state == "done" for row in rows) + 1,
        most=min(study.plan.each, len(study.sessions)),
        longest=LONGEST_WORD,
        word=word,
        problem=problem,
    )
    response.status_code = 422 if problem else 200
    return response


READ = "rate.instructions"
"""The name of the answer that records that a rater has read the instructions."""


def next_step(store: Store, who: Taking) -> str | None:
    """The path (under `who.home`) of the participant's next page; None where nothing is left."""
    name, person = who.study.name, who.participant.pk
    if who.study.kind == "impressions":
        sessions = session_pool(impression_study(store, who.study))
        return "/impression" if has_next(store, name, person, sessions) else None
    if who.study.kind == "review":
        tasks = task_pool(review_study(who.study))
        return "/review" if has_next(store, name, person, tasks) else None
    if not has_more(store, rate_study(store, who.study), who.participant):
        return None
    return "/rate" if has_read(store, who) else "/rate/instructions"


def has_read(store: Store, who: Taking) -> bool:
    """Whether the participant has read the instructions."""
    answers = store.studies.answers(who.study.name, who.participant.pk)
    return any(answer.name == READ and answer.item == "" for answer in answers)
