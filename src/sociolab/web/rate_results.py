"""The researcher's pages of ratings, impressions and reviews: progress, agreement,
disagreements."""

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
    add_review_section,
    compare_annotation,
    draw_batch,
    drawn_annotations,
    mark_annotation,
    summarize_review,
    undrawn_distances,
)
from sociolab.studies.impressions import count_words, impression_study, impression_words
from sociolab.studies.progress import rating_progress
from sociolab.studies.rating_rules import guide_of
from sociolab.studies.rating_study import (
    RateStudy,
    decide_dispute,
    find_disputes,
    rate_study,
    ratings_in,
)
from sociolab.studies.reviews import (
    REVIEW_POINTS,
    ReviewStudy,
    review_study,
    reviewer_agreement,
    reviews_csv,
    task_reviews,
    view_task,
)
from sociolab.studies.study_export import ratings_csv
from sociolab.web.pages import page
from sociolab.web.site import store_of
from sociolab.web.study_pages import record_action, study_row
from sociolab.web.watch.parameters import file_answer

ratings_router = APIRouter(prefix="/studies/{study}/ratings", tags=["ratings"])

Study: TypeAlias = Annotated[str, Path(max_length=100)]

_CSV = "text/csv; charset=utf-8"
_SHOWN = 30
"""Disagreements on a page, each with its episode; the others appear as these are decided."""


@ratings_router.get("")
def ratings(request: Request, study: Study) -> Response:
    """How far it has come, by episode and by rater."""
    store = store_of(request)
    rating_study = _rate_study(store, study)
    stored = ratings_in(store, rating_study.run, rating_study.name)
    episodes, raters = rating_progress(store, rating_study, stored)
    return page(
        request,
        "rate/ratings.html",
        study=rating_study,
        episodes=episodes,
        tasks={row.trial.id: row.trial.task.id for row in store.trials(rating_study.run)},
        raters=raters,
        count=len(stored),
        disputes=find_disputes(stored, rating_study.plan),
        full=sum(row.done >= rating_study.plan.raters for row in episodes),
    )


@ratings_router.get("/agreement")
def agreement(request: Request, study: Study) -> Response:
    """The figures of `sociolab agree` for the run as it stands: a part of a page."""
    store = store_of(request)
    rating_study = _rate_study(store, study)
    rated = bool(ratings_in(store, rating_study.run, rating_study.name))
    return page(
        request,
        "rate/agreement.html",
        study=rating_study,
        found=_agreements(store, rating_study.run) if rated else None,
        now=time.time(),
    )


@ratings_router.get("/disagreements")
def disagreements(request: Request, study: Study) -> Response:
    """Ratings that lie too far apart, side by side, with a form to decide."""
    store = store_of(request)
    rating_study = _rate_study(store, study)
    all_ = find_disputes(ratings_in(store, rating_study.run, rating_study.name), rating_study.plan)
    open_ = [dispute for dispute in all_ if dispute.open]
    guides = {guide.name: guide for guide in _guide(store, rating_study).guides}
    return page(
        request,
        "rate/disagreements.html",
        study=rating_study,
        shown=open_[:_SHOWN],
        more=max(0, len(open_) - _SHOWN),
        settled=[dispute for dispute in all_ if not dispute.open],
        scenes=_scenes(store, rating_study, [dispute.trial for dispute in open_[:_SHOWN]]),
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
    rating_study = _rate_study(store, study)
    place = (trial, seat, dimension)
    decide_dispute(
        store, rating_study.run, rating_study.name, rating_study.plan, place, score, reason
    )
    record_action(store, rating_study.name, "settled a disagreement")
    return RedirectResponse(f"/studies/{rating_study.name}/ratings/disagreements", 303)


@ratings_router.get("/annotations")
def reviewed_annotations(request: Request, study: Study) -> Response:
    """The quarter of each batch that agrees least, with the rationales and a form to decide."""
    store = store_of(request)
    rating_study = _rate_study(store, study)
    stored = ratings_in(store, rating_study.run, rating_study.name)
    drawn = drawn_annotations(store, rating_study.name)
    listed = [annotation for annotation in drawn if annotation.listed]
    open_ = [annotation for annotation in listed if annotation.meets is None]
    return page(
        request,
        "rate/annotations.html",
        study=rating_study,
        said=summarize_review(store, rating_study),
        waiting=len(undrawn_distances(store, rating_study, stored)),
        shown=[
            (annotation, compare_annotation(annotation, stored, drawn))
            for annotation in open_[:_SHOWN]
        ],
        more=max(0, len(open_) - _SHOWN),
        decided=[annotation for annotation in listed if annotation.meets is not None],
        scenes=_scenes(store, rating_study, [annotation.episode for annotation in open_[:_SHOWN]]),
        titles={guide.name: guide.title for guide in _guide(store, rating_study).guides},
    )


@ratings_router.post("/annotations/draw", response_class=RedirectResponse)
def draw(request: Request, study: Study) -> Response:
    """Draw the next batch of annotations."""
    store = store_of(request)
    rating_study = _rate_study(store, study)
    draw_batch(store, rating_study)
    record_action(store, rating_study.name, "drew a batch for review")
    return RedirectResponse(f"/studies/{rating_study.name}/ratings/annotations", 303)


@ratings_router.post("/annotations/mark", response_class=RedirectResponse)
def mark(
    request: Request,
    study: Study,
    rater: Annotated[str, Form(max_length=40)],
    episode: Annotated[str, Form(max_length=200)],
    guidelines: Annotated[Literal["meets", "fails"], Form()],
    why: Annotated[str, Form(max_length=4000)] = "",
) -> Response:
    """Keep whether an annotation follows the guidelines."""
    store = store_of(request)
    rating_study = _rate_study(store, study)
    mark_annotation(store, rating_study, rater, episode, meets=guidelines == "meets", why=why)
    record_action(store, rating_study.name, f"marked an annotation: {guidelines}")
    return RedirectResponse(f"/studies/{rating_study.name}/ratings/annotations", 303)


@ratings_router.get("/ratings.csv")
def ratings_file(request: Request, study: Study) -> Response:
    """All ratings as CSV, as `sociolab import ratings` reads them."""
    store = store_of(request)
    rating_study = _rate_study(store, study)
    text = ratings_csv(ratings_in(store, rating_study.run, rating_study.name))
    return file_answer(text, f"{rating_study.name}-ratings.csv", _CSV)


def _rate_study(store: Store, name: str) -> RateStudy:
    return rate_study(store, study_row(store, name, "rate"))


def _guide(store: Store, study: RateStudy) -> RatingGuide:
    return guide_of(store, study.run, study.plan.guide)


def _scenes(store: Store, study: RateStudy, trials: Sequence[str]) -> dict[str, RatedScene]:
    guide = _guide(store, study)
    return {
        trial: guide.rated_scene(store.episode(study.run, trial)) for trial in dict.fromkeys(trials)
    }


def _agreements(store: Store, run: str) -> Agreements:
    """The agreement in a run; computed again when somebody has judged since."""
    computed = RUN_CACHE.get_or_make(store, run, "agreements", lambda: agreements(store, (run,)))
    return add_review_section(store, computed)


impressions_router = APIRouter(prefix="/studies/{study}/impressions", tags=["impressions"])


@impressions_router.get("")
def impressions(request: Request, study: Study) -> Response:
    """The words, large where frequent, and as a table; and how far each session has come."""
    store = store_of(request)
    session_study = impression_study(store, study_row(store, study, "impressions"))
    words = impression_words(store, session_study.name)
    counts = count_words(words)
    by_session = Counter(trial for trial, _, _ in words)
    return page(
        request,
        "rate/impressions.html",
        study=session_study,
        words=words,
        counts=counts,
        sessions=[(trial, by_session[trial]) for trial in session_study.sessions],
        people=len({person for _, person, _ in words}),
    )


@impressions_router.get("/words.csv")
def words_file(request: Request, study: Study) -> Response:
    """Every word as CSV: session, participant, word."""
    store = store_of(request)
    row = study_row(store, study, "impressions")
    text = csv_text(("session", "participant", "word"), impression_words(store, row.name))
    return file_answer(text, f"{row.name}-words.csv", _CSV)


reviews_router = APIRouter(prefix="/studies/{study}/reviews", tags=["reviews"])


@reviews_router.get("")
def reviews(request: Request, study: Study) -> Response:
    """What reviewers decided, scenario by scenario."""
    store = store_of(request)
    reviewing = _review_study(store, study)
    all_ = task_reviews(store, reviewing)
    return page(
        request,
        "rate/reviews.html",
        study=reviewing,
        verdicts=all_,
        shown={entry.task: view_task(reviewing, entry.task) for entry in all_ if entry.reviews},
        agreement=reviewer_agreement(all_),
        points=REVIEW_POINTS,
        count=sum(len(entry.reviews) for entry in all_),
        full=sum(len(entry.reviews) >= reviewing.plan.raters for entry in all_),
    )


@reviews_router.get("/reviews.csv")
def reviews_file(request: Request, study: Study) -> Response:
    """Every review as CSV, with the texts that were proposed."""
    store = store_of(request)
    reviewing = _review_study(store, study)
    text = reviews_csv(task_reviews(store, reviewing))
    return file_answer(text, f"{reviewing.name}-reviews.csv", _CSV)


def _review_study(store: Store, name: str) -> ReviewStudy:
    return review_study(study_row(store, name, "review"))
