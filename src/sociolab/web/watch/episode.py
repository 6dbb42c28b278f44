"""The page of one episode: the transcript with scores, reasons and failures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from sociolab.analysis.credit import add_credit, load_credit, with_credit
from sociolab.app.registry import find_world
from sociolab.app.transcripts import transcript_of
from sociolab.core.episode import Answered, Episode, Moved, Unusable
from sociolab.core.ports import Note, Transcript
from sociolab.plugin.shown import FactWay, Sidebar
from sociolab.report.exam import exams_by_judge
from sociolab.report.export import play_markdown
from sociolab.report.transcript_views import (
    TranscriptView,
    goal_part,
    private_part,
    transcript_view,
    views_of,
)
from sociolab.store.overview import TrialPlace, trial_place
from sociolab.store.store import Store
from sociolab.web.pages import page
from sociolab.web.site import Missing, store_of
from sociolab.web.watch.parameters import Label, RunName, TrialId, Words, file_answer, require_trial
from sociolab.web.watch.runs import progress_of

LONGEST = 20_000
"""Characters of one text on a page; downloads have the full text."""
_COLOURS = 6


@dataclass(frozen=True, slots=True)
class Cut:
    """A text as a page shows it; `omitted` counts the characters left out."""

    text: str
    omitted: int = 0


@dataclass(frozen=True, slots=True)
class ScenePart:
    """A section of the scene: its public part, and what is private to a seat."""

    heading: str
    open: Cut
    private: Cut
    goal: Cut


@dataclass(frozen=True, slots=True)
class SaidLine:
    """A line: `number` is its turn from 1, `colour` its speaker's (from 1, repeating).

    `call` is the model call behind it; `matches`: it contains a searched word; `credits` are a
    judge's notes on what it achieved.
    """

    number: int
    who: str
    colour: int
    text: Cut
    call: int | None
    matches: bool
    credits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Aside:
    """A note among the lines; `raw` is the unusable reply that it is about, if any."""

    text: Cut
    trouble: bool
    raw: Cut | None = None
    call: int | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """An episode for a page; with `seat`, only what that seat saw. `events` counts its events."""

    episode: Episode
    place: TrialPlace
    view: TranscriptView
    scene: tuple[ScenePart, ...]
    course: tuple[SaidLine | Aside, ...]
    seat: str | None
    events: int


def read_episode(
    store: Store, run: str, trial: str, seat: str | None = None, words: str = ""
) -> Reading:
    """The whole episode, or what one seat saw; lines that contain one of `words` are marked."""
    episode = store.episode(run, trial)
    transcript = transcript_of(episode, seat)
    judgings = () if seat else tuple(store.verdicts.judgings(run, trial=trial))
    exams = exams_by_judge(store, run, (row.judge for row in judgings))
    read = transcript_view(episode, transcript, judgings, store.run(run).declared, exams)
    parts = ((heading, *private_part(text)) for heading, text in transcript.scene)
    scene = tuple(
        ScenePart(heading, cut(public), cut(private), cut(goal_part(private)))
        for heading, public, private in parts
    )
    places = () if seat else store.calls.player_calls(run, trial)
    calls = {(at.turn, at.seat, at.name, at.attempt): at.pk for at in places}
    credit = {} if seat else _credit_notes(store, run, trial)
    course = tuple(_course(episode, transcript, read, calls, credit, words))
    return Reading(
        episode, trial_place(store, run, trial), read, scene, course, seat, len(episode.events)
    )


def cut(text: str, most: int = LONGEST) -> Cut:
    """The text, truncated where it is too long for a page."""
    return Cut(text[:most], max(0, len(text) - most))


def _credit_notes(store: Store, run: str, trial: str) -> _CreditNotes:
    """Judges' notes on turns, by turn and seat; the sums are under (None, "")."""
    notes: dict[tuple[int | None, str], tuple[str, ...]] = {}
    for note in with_credit(Transcript("", (), ()), load_credit(store, run, trial)).notes:
        key = note.turn, note.seat
        notes[key] = (*notes.get(key, ()), note.text)
    return notes


_CreditNotes: TypeAlias = Mapping[tuple[int | None, str], tuple[str, ...]]


def _course(
    episode: Episode,
    transcript: Transcript,
    read: TranscriptView,
    calls: Mapping[tuple[int, str, str, int], int],
    credit: _CreditNotes,
    words: str,
) -> Iterator[SaidLine | Aside]:
    speakers = list(dict.fromkeys(line.who for line in transcript.lines))
    requests = _line_requests(episode, transcript)
    failed = _failed_replies(episode, transcript)
    searched = [word for word in words.casefold().split() if any(map(str.isalnum, word))]
    spoken = 0
    for item in read.course:
        if isinstance(item, Note):
            yield _aside(item, failed.get(id(item)), calls)
            continue
        call = calls.get(requests[spoken]) if requests else None
        spoken += 1
        folded = item.text.casefold()
        # The page shows the speaker's name by itself.
        named = item.text.startswith(item.who)
        text = item.text[len(item.who) :] if named else f" {item.text}"
        yield SaidLine(
            item.turn + 1,
            item.who,
            speakers.index(item.who) % _COLOURS + 1,
            cut(text),
            call,
            bool(searched) and any(word in folded for word in searched),
            credit.get((item.turn, item.seat), ()),
        )
    yield from (Aside(cut(text), trouble=False) for text in credit.get((None, ""), ()))


def _line_requests(episode: Episode, transcript: Transcript) -> list[tuple[int, str, str, int]]:
    """The request behind each line; empty where lines and requests do not match one to one."""
    moves = [e for e in episode.events if isinstance(e, Moved)]
    if moves and len(moves) == len(transcript.lines):
        return [(e.turn, e.seat, "act", e.attempt) for e in moves]
    spoken = [e for e in episode.events if isinstance(e, Answered) and e.question == "utter"]
    if spoken and len(spoken) == len(transcript.lines):
        return [(e.turn, e.seat, e.question, e.attempt) for e in spoken]
    return []


def _failed_replies(episode: Episode, transcript: Transcript) -> Mapping[int, Unusable]:
    """The reply behind each note of trouble (by `id`): worlds note all of them in order, except
    answers to optional questions, which no transcript has."""
    notes = [note for note in transcript.notes if note.trouble]
    replies = [e for e in episode.events if isinstance(e, Unusable) and not e.optional]
    if len(notes) != len(replies):
        return {}
    return {id(note): reply for note, reply in zip(notes, replies, strict=True)}


def _aside(
    note: Note, failed: Unusable | None, calls: Mapping[tuple[int, str, str, int], int]
) -> Aside:
    if failed is None:
        return Aside(cut(note.text), note.trouble)
    call = calls.get((failed.turn, failed.seat, failed.name, failed.attempt))
    return Aside(cut(note.text), note.trouble, cut(failed.raw) if failed.raw else None, call)


def sidebar(store: Store, run: str, read: Reading) -> Sidebar:
    """What the world shows beside this episode; empty where it is not installed."""
    episode = read.episode
    world = find_world(episode.trial.world)
    if world is None or world.sidebar is None:
        return Sidebar()
    return world.sidebar(episode, tuple(store.verdicts.judgings(run, trial=episode.trial.id)))


def in_town(world: str) -> bool:
    """Whether the episodes of a world take place in a town with a replay."""
    plugin = find_world(world)
    return plugin is not None and plugin.town is not None


def facts_by_turn(facts: tuple[FactWay, ...]) -> dict[tuple[int, str], tuple[str, ...]]:
    """The facts that were mentioned in each turn, by turn (from 1) and speaker."""
    by_turn: dict[tuple[int, str], tuple[str, ...]] = {}
    for way in facts:
        for key in dict.fromkeys((mention.turn + 1, mention.who) for mention in way.mentions):
            by_turn[key] = (*by_turn.get(key, ()), way.fact)
    return by_turn


def find_quote(read: Reading, quote: str) -> int | None:
    """The first turn that contains the quote, ignoring white space."""
    text = " ".join(quote.split())
    if not text:
        return None
    lines = (item for item in read.course if isinstance(item, SaidLine))
    return next((line.number for line in lines if text in " ".join(line.text.text.split())), None)


router = APIRouter(tags=["watch"])


@router.get("/runs/{run}/episodes/{trial}", response_class=HTMLResponse)
def episode(
    request: Request, run: RunName, trial: TrialId, seat: Label = "", q: Words = ""
) -> HTMLResponse:
    """The episode, all of it or as one seat saw it; lines that hold a word of `q` are marked."""
    store = store_of(request)
    row = require_trial(store, run, trial)
    read = _reading(store, run, trial, seat, q)
    panel = Sidebar() if seat else sidebar(store, run, read)
    return page(
        request,
        "watch/episode.html",
        run=run,
        trial=trial,
        read=read,
        seat=seat,
        words=q,
        called=store.calls.has_any(run, trial),
        live=_unfinished(read) and progress_of(store, row).live,
        in_town=in_town(row.world),
        facts=panel.facts,
        told=facts_by_turn(panel.facts),
        conditions=panel.conditions,
        line_of=lambda quote: find_quote(read, quote),
        turns=range(
            1,
            max((item.number for item in read.course if isinstance(item, SaidLine)), default=0) + 1,
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
    row = require_trial(store, run, trial)
    read = _reading(store, run, trial, seat, "")
    live = _unfinished(read) and progress_of(store, row).live
    if live and read.events <= since:
        return Response(status_code=204)
    response = page(
        request, "watch/course.html", run=run, trial=trial, read=read, seat=seat, live=live,
        told={}, words="",
    )  # fmt: skip
    if not live:
        response.headers["HX-Refresh"] = "true"
    return response


@router.get("/runs/{run}/episodes/{trial}/transcript.md", response_class=Response)
def markdown(request: Request, run: RunName, trial: TrialId) -> Response:
    """The episode as Markdown, ready to be pasted into a text."""
    store = store_of(request)
    require_trial(store, run, trial)
    (read,) = views_of(store, run, add_credit(store, run, transcript_of), [trial])
    return file_answer(play_markdown(read), f"{run}-{trial}.md", "text/markdown; charset=utf-8")


def _reading(store: Store, run: str, trial: str, seat: str, words: str) -> Reading:
    if seat and seat not in store.episode(run, trial).trial.task.seats:
        raise Missing(f'The episode {trial} has no seat "{seat}".')
    return read_episode(store, run, trial, seat or None, words)


def _unfinished(read: Reading) -> bool:
    return read.place.status in ("planned", "playing")
