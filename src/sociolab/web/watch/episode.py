"""One episode: a transcript that reads like a play, with its scores and reasons beside it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from sociolab.analysis.credit import credited
from sociolab.app.transcripts import told
from sociolab.app.watching.reading import Reading, Said, reading
from sociolab.app.watching.special import beside, conditions_of, told_in_turns
from sociolab.plugin.shown import Beside
from sociolab.report.export import play_markdown
from sociolab.report.transcript_view import transcript_view
from sociolab.store.store import Store
from sociolab.web.pages import page
from sociolab.web.refusals import Missing
from sociolab.web.site import store_of
from sociolab.web.watch.parameters import Label, RunName, TrialId, Words, file_answer, known_trial
from sociolab.web.watch.runs import progress_of

router = APIRouter(tags=["watch"])


@router.get("/runs/{run}/episodes/{trial}", response_class=HTMLResponse)
def episode(
    request: Request, run: RunName, trial: TrialId, seat: Label = "", q: Words = ""
) -> HTMLResponse:
    """The episode, all of it or as one seat saw it; lines that hold a word of `q` are marked."""
    store = store_of(request)
    row = known_trial(store, run, trial)
    read = _reading(store, run, trial, seat, q)
    shown = Beside() if seat else beside(store, run, read)
    return page(
        request,
        "watch/episode.html",
        run=run,
        trial=trial,
        read=read,
        seat=seat,
        words=q,
        called=store.calls.any_in(run, trial),
        live=_unfinished(read) and progress_of(store, row).live,
        facts=shown.facts,
        told=told_in_turns(shown.facts),
        conditions=conditions_of(shown, read),
        turns=range(
            1, max((one.number for one in read.course if isinstance(one, Said)), default=0) + 1
        ),
    )


@router.get("/runs/{run}/episodes/{trial}/course", response_class=HTMLResponse)
def course(
    request: Request,
    run: RunName,
    trial: TrialId,
    seat: Label = "",
    since: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
) -> Response:
    """What has been said, as a part of the page; nothing (204) unless more than `since` happened.

    The page is made anew when the episode is over.
    """
    store = store_of(request)
    row = known_trial(store, run, trial)
    read = _reading(store, run, trial, seat, "")
    live = _unfinished(read) and progress_of(store, row).live
    if live and read.events <= since:
        return Response(status_code=204)
    made = page(
        request, "watch/course.html", run=run, trial=trial, read=read, seat=seat, live=live,
        told={}, words="",
    )  # fmt: skip
    if not live:
        made.headers["HX-Refresh"] = "true"
    return made


@router.get("/runs/{run}/episodes/{trial}/transcript.md", response_class=Response)
def markdown(request: Request, run: RunName, trial: TrialId) -> Response:
    """The episode as Markdown, ready to be pasted into a text."""
    store = store_of(request)
    known_trial(store, run, trial)
    found = store.episode(run, trial)
    read = transcript_view(
        found, credited(store, run, told)(found), store.verdicts.judgings(run, trial=trial)
    )
    return file_answer(play_markdown(read), f"{run}-{trial}.md", "text/markdown; charset=utf-8")


def _reading(store: Store, run: str, trial: str, seat: str, words: str) -> Reading:
    if seat and seat not in store.episode(run, trial).trial.task.seats:
        raise Missing(f'The episode {trial} has no seat "{seat}".')
    return reading(store, run, trial, seat or None, words)


def _unfinished(read: Reading) -> bool:
    return read.place.status in ("planned", "playing")
