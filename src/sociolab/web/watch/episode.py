"""One episode: a transcript that reads like a play, with its scores, reasons and what was wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from sociolab.analysis.credit import add_credit, load_credit, with_credit
from sociolab.app.registry import find_world
from sociolab.app.transcripts import transcript_of
from sociolab.core.episode import Answered, Episode, Moved, Unusable
from sociolab.core.ports import Line, Note, Transcript
from sociolab.plugin.shown import FactWay, Sidebar
from sociolab.report.export import play_markdown
from sociolab.report.transcript_views import (
    TranscriptView,
    goal_part,
    private_part,
    transcript_view,
)
from sociolab.store.calls import CallPlace
from sociolab.store.overview import TrialPlace, trial_place
from sociolab.store.store import Store
from sociolab.web.pages import page
from sociolab.web.site import Missing, store_of
from sociolab.web.watch.parameters import Label, RunName, TrialId, Words, file_answer, known_trial
from sociolab.web.watch.runs import progress_of

LONGEST = 20_000
"""Characters of one text on a page; downloads hold all of it."""
_COLOURS = 6


@dataclass(frozen=True, slots=True)
class Cut:
    """A text as a page shows it, and how many characters it leaves out."""

    text: str
    left: int = 0


@dataclass(frozen=True, slots=True)
class ScenePart:
    """A paragraph of the scene: what lies open, and what is private to somebody."""

    heading: str
    open: Cut
    private: Cut
    goal: Cut


@dataclass(frozen=True, slots=True)
class SaidLine:
    """A line: `number` counts turns from 1, `colour` speakers from 1, round and round.

    `call` is the model call that it came from; `found`: holds what was searched for; `credits` are
    what a judge thinks that it moved, in words.
    """

    number: int
    who: str
    colour: int
    text: Cut
    call: int | None
    found: bool
    credits: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Aside:
    """A note among the lines. `raw` is the reply that could not be used, if it is of one."""

    text: Cut
    trouble: bool
    raw: Cut | None = None
    call: int | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """An episode to read; `seat`: only what that seat saw. `events` counts what has happened."""

    episode: Episode
    place: TrialPlace
    shown: TranscriptView
    scene: tuple[ScenePart, ...]
    course: tuple[SaidLine | Aside, ...]
    seat: str | None
    events: int


def reading(
    store: Store, run: str, trial: str, seat: str | None = None, words: str = ""
) -> Reading:
    """The episode as all of it happened, or as one of its seats saw it; `words` are marked."""
    episode = store.episode(run, trial)
    transcript = transcript_of(episode, seat)
    judgings = () if seat else store.verdicts.judgings(run, trial=trial)
    read = transcript_view(episode, transcript, judgings, store.run(run).declared)
    scene = tuple(_part(heading, text) for heading, text in transcript.scene)
    calls = {} if seat else _calls(store.calls.player_calls(run, trial))
    credit = {} if seat else _credit(store, run, trial)
    course = tuple(_course(episode, transcript, read, calls, credit, words))
    return Reading(
        episode, trial_place(store, run, trial), read, scene, course, seat, len(episode.events)
    )


def cut(text: str, most: int = LONGEST) -> Cut:
    """The text, its end left out where it is too long for a page."""
    return Cut(text[:most], max(0, len(text) - most))


def _part(heading: str, text: str) -> ScenePart:
    lies_open, private = private_part(text)
    return ScenePart(heading, cut(lies_open), cut(private), cut(goal_part(private)))


def _calls(places: Sequence[CallPlace]) -> Mapping[tuple[int, str, str, int], int]:
    return {(place.turn, place.seat, place.name, place.attempt): place.pk for place in places}


def _credit(store: Store, run: str, trial: str) -> _CreditNotes:
    """What judges of turns said, by turn and seat; by None for the sums."""
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
    came_from = _came_from(episode, transcript)
    failed = _failed(episode, transcript)
    searched = [word for word in words.casefold().split() if any(map(str.isalnum, word))]
    spoken = 0
    for item in read.course:
        if isinstance(item, Note):
            yield _aside(item, failed.get(id(item)), calls)
            continue
        call = calls.get(came_from[spoken]) if came_from else None
        spoken += 1
        folded = item.text.casefold()
        yield SaidLine(
            item.turn + 1,
            item.who,
            speakers.index(item.who) % _COLOURS + 1,
            cut(_without_name(item)),
            call,
            bool(searched) and any(word in folded for word in searched),
            credit.get((item.turn, item.seat), ()),
        )
    yield from (Aside(cut(text), trouble=False) for text in credit.get((None, ""), ()))


def _without_name(line: Line) -> str:
    """What follows the speaker's name, as the page shows that by itself."""
    return line.text[len(line.who) :] if line.text.startswith(line.who) else f" {line.text}"


def _came_from(episode: Episode, transcript: Transcript) -> list[tuple[int, str, str, int]]:
    """The request behind each line; nothing where lines cannot be told to be of requests."""
    moves = [e for e in episode.events if isinstance(e, Moved)]
    if moves and len(moves) == len(transcript.lines):
        return [(e.turn, e.seat, "act", e.attempt) for e in moves]
    spoken = [e for e in episode.events if isinstance(e, Answered) and e.question == "utter"]
    if spoken and len(spoken) == len(transcript.lines):
        return [(e.turn, e.seat, e.question, e.attempt) for e in spoken]
    return []


def _failed(episode: Episode, transcript: Transcript) -> Mapping[int, Unusable]:
    """The reply behind each note of trouble (by `id`): worlds note them all, as they came, but for
    answers to optional questions, which no transcript holds."""
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
    """What the world has to show beside this episode; nothing where it is not installed."""
    episode = read.episode
    world = find_world(episode.trial.world)
    if world is None or world.sidebar is None:
        return Sidebar()
    return world.sidebar(episode, tuple(store.verdicts.judgings(run, trial=episode.trial.id)))


def in_town(world: str) -> bool:
    """Whether the episodes of a world are lived in a town that can be looked at."""
    plugin = find_world(world)
    return plugin is not None and plugin.town is not None


def told_in_turns(facts: tuple[FactWay, ...]) -> dict[tuple[int, str], tuple[str, ...]]:
    """The facts that were said in each turn, which counts from 1, and by whom."""
    by_turn: dict[tuple[int, str], tuple[str, ...]] = {}
    for way in facts:
        for key in dict.fromkeys((mention.turn + 1, mention.who) for mention in way.mentions):
            by_turn[key] = (*by_turn.get(key, ()), way.fact)
    return by_turn


def line_of(read: Reading, quote: str) -> int | None:
    """The first turn whose words hold the quote, whatever the white space."""
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
    row = known_trial(store, run, trial)
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
        told=told_in_turns(panel.facts),
        conditions=panel.conditions,
        line_of=lambda quote: line_of(read, quote),
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
    row = known_trial(store, run, trial)
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
    known_trial(store, run, trial)
    played = store.episode(run, trial)
    read = transcript_view(
        played,
        add_credit(store, run, transcript_of)(played),
        store.verdicts.judgings(run, trial=trial),
        store.run(run).declared,
    )
    return file_answer(play_markdown(read), f"{run}-{trial}.md", "text/markdown; charset=utf-8")


def _reading(store: Store, run: str, trial: str, seat: str, words: str) -> Reading:
    if seat and seat not in store.episode(run, trial).trial.task.seats:
        raise Missing(f'The episode {trial} has no seat "{seat}".')
    return reading(store, run, trial, seat or None, words)


def _unfinished(read: Reading) -> bool:
    return read.place.status in ("planned", "playing")
