"""Pages of raters: the instructions, an episode with its scales, and the end of the test."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import RedirectResponse, Response

from sociolab.store.store import Store
from sociolab.studies.rate_study import (
    Draft,
    Play,
    RateStudy,
    done_by,
    drafts_of,
    given,
    hand_in,
    in_range,
    keep_draft,
    missing,
    next_play,
    places,
    rate_study,
)
from sociolab.studies.rating_guide import ADVICE, guide_of, guides_for, rated_measures
from sociolab.studies.text_rules import LONGEST_REASON
from sociolab.web.pages import page
from sociolab.web.rate.steps import READ, has_read
from sociolab.web.refusals import Missing, Refused
from sociolab.web.site import store_of
from sociolab.web.taking import Bound, Participant, Taking
from sociolab.web.tokens import Item, token

router = APIRouter(prefix="/take/{study}/{participant}/rate", tags=["rating"])

_DAY = 24 * 3600


class DraftIn(BaseModel):
    """One rating as it stands in the form; `score` is None where none is chosen yet."""

    model_config = ConfigDict(extra="forbid")

    seat: Annotated[str, Field(max_length=200)]
    dimension: Annotated[str, Field(max_length=40)]
    score: Annotated[int | None, Field(ge=-10, le=10)] = None
    reason: Annotated[str, Field(max_length=LONGEST_REASON)] = ""
    seconds: Annotated[float, Field(ge=0, le=_DAY)] = 0.0


@router.get("")
def go_on(request: Request, who: Participant) -> Response:
    """To the next episode, dealt to this rater; home where there is none."""
    store = store_of(request)
    if not has_read(store, who):
        return RedirectResponse(f"{who.home}/rate/instructions", 303)
    play = next_play(store, rate_study(store, who.study), who.participant)
    if play is None:
        return RedirectResponse(who.home, 303)
    return RedirectResponse(f"{who.home}/rate/play/{token(who, play.trial)}", 303)


@router.get("/instructions")
def instructions(request: Request, who: Participant) -> Response:
    """What the dimensions mean, with examples."""
    store = store_of(request)
    study = rate_study(store, who.study)
    guide = guide_of(store, study.run)
    return page(
        request,
        "rate/instructions.html",
        who=who,
        plan=study.plan,
        guides=guides_for(guide, study.measures),
        scene=guide.scene,
        knew=guide.knew,
        advice=ADVICE,
        tests=len({one.episode for one in study.plan.references}),
        begun=has_read(store, who),
    )


@router.post("/instructions")
def begin(request: Request, who: Participant) -> Response:
    """Note that the instructions were read, and go on."""
    store_of(request).studies.answer(who.participant.pk, "", READ, True)
    return RedirectResponse(f"{who.home}/rate", 303)


@router.get("/thanks")
def thanks(request: Request, who: Bound) -> Response:
    """The end for those who did not pass the test."""
    if who.participant.state != "refused":
        return RedirectResponse(who.home, 303)
    return page(request, "rate/thanks.html", who=who)


@router.get("/play/{token}")
def play(request: Request, who: Participant, trial: Item) -> Response:
    """An episode with its scales, filled in as far as the rater has come."""
    store = store_of(request)
    study = rate_study(store, who.study)
    found = given(store, study, who.participant, trial)
    if found is None:
        return RedirectResponse(f"{who.home}/rate", 303)
    return page(request, "rate/play.html", **_shown(store, study, who, found))


@router.post("/play/{token}/draft")
def draft(request: Request, who: Participant, trial: Item, rating: DraftIn) -> dict[str, int]:
    """Keep a rating as it stands; the answer says how many of how many are complete."""
    store = store_of(request)
    study, found = _given(store, who, trial)
    asked = places(store, study, found)
    place = (rating.seat, rating.dimension)
    if place not in asked:
        raise Missing("There is no such scale in this episode.")
    measures = rated_measures(store, study.run)
    if rating.score is not None and not in_range(measures[rating.dimension], rating.score):
        raise Refused("That point is not on the scale.", 422)
    kept = Draft(rating.score, rating.reason, rating.seconds)
    keep_draft(store, who.participant.pk, trial, place, kept)
    drafts = drafts_of(store, study.name, who.participant.pk, trial)
    lacking = {
        (m.seat, m.dimension) for m in missing(asked, drafts, study.plan.least_words, measures)
    }
    return {"complete": len(asked) - len(lacking), "of": len(asked)}


@router.post("/play/{token}/submit")
def submit(request: Request, who: Participant, trial: Item) -> dict[str, Any]:
    """Hand the ratings in: where to go next, or what is missing (seat, dimension, what)."""
    store = store_of(request)
    study = rate_study(store, who.study)
    found = given(store, study, who.participant, trial)
    if found is not None:
        lacking = hand_in(store, study, who.participant, found)
        if lacking:
            return {
                "missing": [
                    {"seat": m.seat, "dimension": m.dimension, "what": m.what} for m in lacking
                ]
            }
    now = store.studies.participant(who.study.name, who.participant.id)
    return {"next": f"{who.home}/rate/thanks" if now.state == "refused" else who.home}


def _given(store: Store, who: Taking, trial: str) -> tuple[RateStudy, Play]:
    study = rate_study(store, who.study)
    found = given(store, study, who.participant, trial)
    if found is None:
        raise Refused("This episode is not yours to rate, or its ratings are handed in.", 409)
    return study, found


def _shown(store: Store, study: RateStudy, who: Taking, found: Play) -> dict[str, Any]:
    guide = guide_of(store, study.run)
    scene = guide.shown(store.episode(study.run, found.trial))
    measures = rated_measures(store, study.run)
    asked = places(store, study, found)
    drafts = drafts_of(store, study.name, who.participant.pk, found.trial)
    lacking = {
        (m.seat, m.dimension) for m in missing(asked, drafts, study.plan.least_words, measures)
    }
    return {
        "who": who,
        "scene": scene,
        "token": token(who, found.trial),
        "test": found.stage == "test",
        "asked": frozenset(asked),
        "guides": guides_for(guide, study.measures if found.stage == "rate" else tuple(
            measures[name] for name in dict.fromkeys(name for _, name in asked)
        )),
        "drafts": {place: drafts.get(place, Draft()) for place in asked},
        "complete": len(asked) - len(lacking),
        "done": done_by(store, study, who.participant),
        "plan": study.plan,
        "longest": LONGEST_REASON,
        "knew": guide.knew,
    }  # fmt: skip
