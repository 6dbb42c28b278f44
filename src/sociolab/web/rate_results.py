"""The researcher's pages of ratings, impressions and reviews: progress, agreement, disputes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

from fastapi import APIRouter, Form, Path, Request
from starlette.responses import RedirectResponse, Response

from sociolab.analysis.agreement import Agreements, agreements
from sociolab.app.run_cache import RUN_CACHE
from sociolab.plugin.shown import RatedScene
from sociolab.plugin.world import RatingGuide
from sociolab.report.export import csv_text
from sociolab.store.store import Store
from sociolab.studies.annotations import (
    compared,
    draw_batch,
    drawn_annotations,
    mark,
    review_words,
    waiting,
    with_review,
)
from sociolab.studies.export import ratings_csv
from sociolab.studies.impressions import counted, impression_study, words_of
from sociolab.studies.progress import rating_progress
from sociolab.studies.rate_study import (
    RateStudy,
    found_among,
    rate_study,
    ratings_in,
    settle,
)
from sociolab.studies.rating_rules import guide_of
from sociolab.studies.reviews import (
    POINTS,
    ReviewStudy,
    review_study,
    reviewed,
    reviewer_agreement,
    reviews_csv,
    task_reviews,
)
from sociolab.web.pages import page
from sociolab.web.site import store_of
from sociolab.web.study_pages import study_row
from sociolab.web.watch.parameters import file_answer

ratings_router = APIRouter(prefix="/studies/{study}/ratings", tags=["ratings"])

Study: TypeAlias = Annotated[str, Path(max_length=100)]

_CSV = "text/csv; charset=utf-8"
_SHOWN = 30
"""Disagreements on a page, each with its episode; the others come when these are settled."""


@ratings_router.get("")
def ratings(request: Request, study: Study) -> Response:
    """How far it has come, by episode and by rater."""
    store = store_of(request)
    found = _rate_study(store, study)
    given = ratings_in(store, found.run, found.name)
    episodes, raters = rating_progress(store, found, given)
    return page(
        request,
        "rate/ratings.html",
        study=found,
        episodes=episodes,
        tasks={row.trial.id: row.trial.task.id for row in store.trials(found.run)},
        raters=raters,
        count=len(given),
        disputes=found_among(given, found.plan),
        full=sum(one.done >= found.plan.raters for one in episodes),
    )


@ratings_router.get("/agreement")
def agreement(request: Request, study: Study) -> Response:
    """The figures of `sociolab agree` for the run as it stands: a part of a page."""
    store = store_of(request)
    found = _rate_study(store, study)
    rated = bool(ratings_in(store, found.run, found.name))
    return page(
        request,
        "rate/agreement.html",
        study=found,
        found=_agreements(store, found.run) if rated else None,
        now=time.time(),
    )


@ratings_router.get("/disagreements")
def disagreements(request: Request, study: Study) -> Response:
    """Ratings that lie too far apart, side by side, with a form to decide."""
    store = store_of(request)
    found = _rate_study(store, study)
    all_ = found_among(ratings_in(store, found.run, found.name), found.plan)
    open_ = [one for one in all_ if one.open]
    guides = {guide.name: guide for guide in _guide(store, found).guides}
    return page(
        request,
        "rate/disagreements.html",
        study=found,
        shown=open_[:_SHOWN],
        more=max(0, len(open_) - _SHOWN),
        settled=[one for one in all_ if not one.open],
        scenes=_scenes(store, found, [one.trial for one in open_[:_SHOWN]]),
        guides=guides,
        titles={name: guide.title for name, guide in guides.items()},
    )


@ratings_router.post("/settle", response_class=RedirectResponse)
def decide(
    request: Request,
    study: Study,
    trial: Annotated[str, Form(max_length=200)],
    seat: Annotated[str, Form(max_length=200)],
    dimension: Annotated[str, Form(max_length=40)],
    score: Annotated[int, Form(ge=-10, le=10)],
    reason: Annotated[str, Form(max_length=4000)] = "",
) -> Response:
    """Keep the researcher's decision on a disagreement."""
    store = store_of(request)
    found = _rate_study(store, study)
    place = (trial, seat, dimension)
    settle(store, found.run, found.name, found.plan, place, score, reason)
    return RedirectResponse(f"/studies/{found.name}/ratings/disagreements", 303)


@ratings_router.get("/annotations")
def reviewed_annotations(request: Request, study: Study) -> Response:
    """The quarter of each batch that agrees least, with the rationales and a form to decide."""
    store = store_of(request)
    found = _rate_study(store, study)
    given = ratings_in(store, found.run, found.name)
    drawn = drawn_annotations(store, found.name)
    listed = [one for one in drawn if one.listed]
    open_ = [one for one in listed if one.meets is None]
    return page(
        request,
        "rate/annotations.html",
        study=found,
        said=review_words(store, found),
        waiting=len(waiting(store, found, given)),
        shown=[(one, compared(one, given, drawn)) for one in open_[:_SHOWN]],
        more=max(0, len(open_) - _SHOWN),
        decided=[one for one in listed if one.meets is not None],
        scenes=_scenes(store, found, [one.episode for one in open_[:_SHOWN]]),
        titles={guide.name: guide.title for guide in _guide(store, found).guides},
    )


@ratings_router.post("/annotations/draw", response_class=RedirectResponse)
def draw(request: Request, study: Study) -> Response:
    """Draw the next batch of annotations."""
    store = store_of(request)
    found = _rate_study(store, study)
    draw_batch(store, found)
    return RedirectResponse(f"/studies/{found.name}/ratings/annotations", 303)


@ratings_router.post("/annotations/mark", response_class=RedirectResponse)
def mark_annotation(
    request: Request,
    study: Study,
    rater: Annotated[str, Form(max_length=40)],
    episode: Annotated[str, Form(max_length=200)],
    guidelines: Annotated[Literal["meets", "fails"], Form()],
    why: Annotated[str, Form(max_length=4000)] = "",
) -> Response:
    """Keep whether an annotation follows the guidelines."""
    store = store_of(request)
    found = _rate_study(store, study)
    mark(store, found, rater, episode, meets=guidelines == "meets", why=why)
    return RedirectResponse(f"/studies/{found.name}/ratings/annotations", 303)


@ratings_router.get("/ratings.csv")
def ratings_file(request: Request, study: Study) -> Response:
    """All ratings as CSV, as `sociolab import ratings` reads them."""
    store = store_of(request)
    found = _rate_study(store, study)
    text = ratings_csv(ratings_in(store, found.run, found.name))
    return file_answer(text, f"{found.name}-ratings.csv", _CSV)


def _rate_study(store: Store, name: str) -> RateStudy:
    return rate_study(store, study_row(store, name, "rate"))


def _guide(store: Store, study: RateStudy) -> RatingGuide:
    return guide_of(store, study.run, study.plan.guide)


def _scenes(store: Store, study: RateStudy, trials: Sequence[str]) -> dict[str, RatedScene]:
    guide = _guide(store, study)
    return {one: guide.shown(store.episode(study.run, one)) for one in dict.fromkeys(trials)}


def _agreements(store: Store, run: str) -> Agreements:
    """The agreement in a run; worked out again when somebody has judged since."""
    found = RUN_CACHE.of(store, run, "agreements", lambda: agreements(store, (run,)))
    return with_review(store, found)


impressions_router = APIRouter(prefix="/studies/{study}/impressions", tags=["impressions"])


@impressions_router.get("")
def impressions(request: Request, study: Study) -> Response:
    """The words, large where frequent, and as a table; and how far each session has come."""
    store = store_of(request)
    found = impression_study(store, study_row(store, study, "impressions"))
    words = words_of(store, found.name)
    counts = counted(words)
    given = Counter(trial for trial, _, _ in words)
    return page(
        request,
        "rate/impressions.html",
        study=found,
        words=words,
        counts=counts,
        sessions=[(trial, given[trial]) for trial in found.sessions],
        people=len({person for _, person, _ in words}),
    )


@impressions_router.get("/words.csv")
def words_file(request: Request, study: Study) -> Response:
    """Every word as CSV: session, participant, word."""
    store = store_of(request)
    row = study_row(store, study, "impressions")
    text = csv_text(("session", "participant", "word"), words_of(store, row.name))
    return file_answer(text, f"{row.name}-words.csv", _CSV)


reviews_router = APIRouter(prefix="/studies/{study}/reviews", tags=["reviews"])


@reviews_router.get("")
def reviews(request: Request, study: Study) -> Response:
    """What reviewers decided, scenario by scenario."""
    store = store_of(request)
    found = _review_study(store, study)
    all_ = task_reviews(store, found)
    return page(
        request,
        "rate/reviews.html",
        study=found,
        verdicts=all_,
        shown={one.task: reviewed(found, one.task) for one in all_ if one.reviews},
        agreement=reviewer_agreement(all_),
        points=POINTS,
        count=sum(len(one.reviews) for one in all_),
        full=sum(len(one.reviews) >= found.plan.raters for one in all_),
    )


@reviews_router.get("/reviews.csv")
def reviews_file(request: Request, study: Study) -> Response:
    """Every review as CSV, with the texts that were proposed."""
    store = store_of(request)
    found = _review_study(store, study)
    text = reviews_csv(task_reviews(store, found))
    return file_answer(text, f"{found.name}-reviews.csv", _CSV)


def _review_study(store: Store, name: str) -> ReviewStudy:
    return review_study(study_row(store, name, "review"))
