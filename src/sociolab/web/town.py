"""The replay of an episode in town: its page, and its events as compact JSON for the browser."""

from __future__ import annotations

import gzip
import json
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import groupby
from typing import Any

import numpy as np
from fastapi import APIRouter, Request
from numpy.typing import NDArray
from starlette.responses import HTMLResponse, Response

from sociolab.app.registry import town_of, worlds_that
from sociolab.core.episode import Json
from sociolab.core.score import Score, ScoreFailure, judge_title
from sociolab.plugin.town import Replay, ResidentOutcome
from sociolab.report.words import sanitize
from sociolab.store.store import Store
from sociolab.store.verdicts import ScoreRow
from sociolab.town.clock import Clock, spoken_date
from sociolab.town.map import TownMap
from sociolab.town.trace import (
    Did,
    Planned,
    Record,
    Remembered,
    Reminded,
    Stood,
    Talked,
    Walked,
    WentWithout,
)
from sociolab.town.trajectory import Intervals, format_spans
from sociolab.web.pages import STATIC, page
from sociolab.web.site import Missing, store_of
from sociolab.web.watch.parameters import RunName, TrialId, require_trial


@dataclass(frozen=True, slots=True)
class AttendanceRow:
    """A row in the table of residents; `at` is the time that its link jumps to, "" for none."""

    who: str
    name: str
    counts: bool
    since: str
    spans: str
    words: str
    at: str


@dataclass(frozen=True, slots=True)
class ShownScore:
    """A row in the table of scores."""

    measure: str
    value: str
    judge: str
    reason: str
    failed: bool


def replay_texts(replay: Replay) -> dict[str, Any]:
    """The texts of a replay, by the names that its page uses."""
    task, names = replay.task, replay.lived.names
    clock = replay.lived.trajectory.clock
    return {
        "title": task.title,
        "town": replay.lived.town.name,
        "performer": names.get(task.performer, task.performer),
        "performer_id": task.performer,
        "kind": task.type,
        "goal": task.goal,
        "event": _event_time(replay, clock),
        "event_at": link_time(clock, replay.window[0]),
        "place": task.place,
        "expected": task.expected,
        "background": task.background,
        "lived": format_time(clock, replay.lived.trajectory.trace.steps),
        "score": f"{replay.score.goal:.3g}" if replay.score else "",
        "why": replay.why,
        "least": replay.score.least if replay.score else 0,
        "other_rules": replay.other_rules,
        "counted": tuple(_attendance_row(outcome, names, clock) for outcome in replay.outcomes),
        "errands": _errand_rows(replay, clock),
        "verdicts": tuple(_score_row(row) for row in replay.verdicts),
    }


def format_time(clock: Clock, step: int) -> str:
    """A time such as "Tue 14 May 18:30"."""
    at = clock.at(step)
    return f"{at:%a} {at.day} {at:%b %H:%M}"


def link_time(clock: Clock, step: int) -> str:
    """A time as in a link, such as "2024-05-14T18:30:00"."""
    return clock.at(step).isoformat()


def _event_time(replay: Replay, clock: Clock) -> str:
    start, end = replay.window
    if not replay.task.start:
        return f"{format_time(clock, start)[:-6]}, at any time"
    return f"{format_time(clock, start)} to {clock.at(end):%H:%M}"


def _attendance_row(outcome: ResidentOutcome, names: dict[str, str], clock: Clock) -> AttendanceRow:
    times = outcome.when or outcome.near
    day = format_time(clock, times[0][0])[:-6] if times else ""
    at = outcome.since if outcome.since is not None else times[0][0] if times else None
    return AttendanceRow(
        who=outcome.who,
        name=names.get(outcome.who, outcome.who),
        counts=outcome.counts,
        since=format_time(clock, outcome.since) if outcome.since is not None else "",
        spans=f"{day} {format_spans(clock, times)}" if times else "",
        words=outcome.words,
        at=link_time(clock, at) if at is not None else "",
    )


def _errand_rows(replay: Replay, clock: Clock) -> tuple[tuple[str, str], ...]:
    if replay.score is None:
        return ()
    names = replay.lived.names
    return tuple(
        (
            what,
            "nobody who had been told of it"
            if step is None
            else f"{names.get(who, who)}, {format_time(clock, step)}",
        )
        for what, who, step in replay.score.errands
    )


def _score_row(row: ScoreRow) -> ShownScore:
    verdict = row.verdict
    title = verdict.measure.title or verdict.measure.name
    judge = row.judge.label
    if row.judge.label != row.judge.method:
        judge = judge_title(judge, row.judge.method)
    if row.judging:
        judge = f"{judge}, judging {row.judging + 1}"
    match verdict:
        case Score():
            by, reason = verdict.rated_by, verdict.reason
            reason = by.sign(reason) if by else reason
            return ShownScore(title, f"{verdict.value:.3g}", judge, reason, failed=False)
        case ScoreFailure():
            value = f"missing: {verdict.cause}"
            return ShownScore(title, value, judge, verdict.problem, failed=True)
        case _:
            return ShownScore(title, "not scored", judge, verdict.why, failed=False)


@lru_cache(maxsize=8)
def encode_map(town: TownMap) -> Json:
    """The map: ground and arenas in run-length encoding, row by row, with names and where they fit.

    `sectors`: [name, left, right, top, bottom] in tiles. `places`: [sector, name, x, y, width,
    height] of the largest rectangle in it, for its name. `things`: [place, name, x, y, x, y, ...].
    """
    number = {sector: n for n, sector in enumerate(town.sectors)}
    masks = [town.arena == n for n in range(len(town.places))]
    return {
        "name": sanitize(town.name),
        "width": town.width,
        "height": town.height,
        "ground": run_lengths(town.ground),
        "arena": run_lengths(town.arena),
        "sectors": [_sector_box(town, sector) for sector in town.sectors],
        "places": [
            [number[place.sector], sanitize(place.arena), *_largest_rectangle(mask)]
            for place, mask in zip(town.places, masks, strict=True)
        ],
        "things": [
            [n, sanitize(thing), *(at for tile in town.standing(place, thing) for at in tile)]
            for n, place in enumerate(town.places)
            for thing in town.objects(place)
        ],
    }


def run_lengths(tiles: NDArray[Any]) -> Json:
    """Run-length encode a matrix, row by row: each value and how many tiles in a row have it."""
    flat: list[Json] = []
    for value, same in groupby(tiles.ravel().tolist()):
        flat += (value, len(list(same)))
    return flat


def _sector_box(town: TownMap, sector: str) -> Json:
    """[name, left, right, top, bottom], the box of the sector's tiles."""
    tiles = [tile for place in town.sector_places(sector) for tile in town.tiles(place)]
    if not tiles:
        return [sanitize(sector), 0, 0, 0, 0]
    left, right = min(x for x, _ in tiles), max(x for x, _ in tiles) + 1
    rows = [y for _, y in tiles]
    return [sanitize(sector), left, right, min(rows), max(rows) + 1]


def _largest_rectangle(inside: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    """x, y, width and height of the largest rectangle in a mask, in tiles.

    Of equal areas the wider one: names are wider than high.
    """
    best, rectangle = (0, 0), (0, 0, 0, 0)
    rows, columns = np.nonzero(inside)
    heights = np.zeros(inside.shape[1] + 1, dtype=np.int64)
    for y in range(int(rows.min()), int(rows.max()) + 1):
        heights[:-1] = np.where(inside[y], heights[:-1] + 1, 0)
        for x, width, height in _rectangles(heights.tolist(), int(columns.min())):
            if (width * height, width) > best:
                best, rectangle = (width * height, width), (x, y - height + 1, width, height)
    return rectangle


def _rectangles(heights: list[int], start: int) -> list[tuple[int, int, int]]:
    """x, width and height of the maximal rectangles that stand on a row, under these heights."""
    rectangles: list[tuple[int, int, int]] = []
    open_: list[tuple[int, int]] = []
    for x in range(start, len(heights)):
        begin = x
        while open_ and open_[-1][1] >= heights[x]:
            begin, height = open_.pop()
            rectangles.append((begin, x - begin, height))
        open_.append((begin, heights[x]))
    return rectangles


def arenas_of(town: TownMap, name: str) -> list[int]:
    """The indices of the arena of this name, or of all arenas of the sector; empty if neither."""
    place = town.place(name)
    arenas = town.sector_places(name) if place is None else (place,)
    return [town.places.index(arena) for arena in arenas]


STATES = ("asleep", "walking", "at it", "talking")
"""States by their numbers; the browser has the same list (`moments.js`)."""


class NumberedTexts:
    """Numbers each text once, in the order of first use; 0 is ""."""

    def __init__(self) -> None:
        self._number: dict[str, int] = {"": 0}

    def __call__(self, text: str) -> int:
        return self._number.setdefault(text, len(self._number))

    def all(self) -> list[Json]:
        """The texts by number, with invisible characters replaced."""
        return [sanitize(text) for text in self._number]


def encode_replay(replay: Replay) -> dict[str, Json]:
    """The replay as JSON; its fields are documented in `docs/web/town.md`."""
    texts = NumberedTexts()
    trajectory = replay.lived.trajectory
    number = {resident.id: n for n, resident in enumerate(replay.residents)}
    records: list[list[Record]] = [[] for _ in number]
    for record in trajectory.trace.records:
        if record.who in number:
            records[number[record.who]].append(record)
    residents: list[Json] = [
        {
            "id": resident.id,
            "name": sanitize(resident.name),
            "age": resident.age,
            "about": sanitize(resident.learned),
            "currently": sanitize(resident.currently),
            **_encode_life(records[n], texts),
        }
        for n, resident in enumerate(replay.residents)
    ]
    talks, about = trajectory.everybody(Talked), frozenset(replay.about)
    town = replay.lived.town
    things = {thing for place in town.places for thing in town.objects(place)}
    kinds: Json = {sanitize(t): _signs()[t] for t in sorted(things) if t in _signs()}
    return {
        "format": 1,
        "clock": _encode_clock(replay),
        "town": encode_map(replay.lived.town),
        "residents": residents,
        "talks": [_encode_conversation(talk, talk in about, number, texts) for talk in talks],
        "task": _encode_task(replay, number),
        "outcomes": _encode_outcomes(replay, number),
        "kinds": kinds,
        "texts": texts.all(),  # last: by now all texts are numbered
    }


def _encode_clock(replay: Replay) -> Json:
    trace, clock = replay.lived.trajectory.trace, replay.lived.trajectory.clock
    days = max(1, -(-trace.steps // clock.steps_per_day))
    dates: list[Json] = [spoken_date(clock.date(clock.midnight(day))) for day in range(days)]
    first = trace.first.isoformat()
    return {"first": first, "seconds": clock.seconds, "steps": trace.steps, "days": dates}


def _encode_task(replay: Replay, number: dict[str, int]) -> Json:
    task, town = replay.task, replay.lived.town
    return {
        "performer": number.get(task.performer, -1),
        "window": [*replay.window],
        "expected": task.expected,
        "arenas": [
            *dict.fromkeys(arena for name in task.places for arena in arenas_of(town, name))
        ],
    }


@cache
def _signs() -> dict[str, str]:
    """The kind of each object that has a sign on the map."""
    kinds = tomllib.loads((files("sociolab.town.data") / "kinds.toml").read_text("utf-8"))
    return {thing: kind for kind, things in kinds.items() for thing in things}


def _encode_outcomes(replay: Replay, number: dict[str, int]) -> Json:
    return [
        {
            "who": number[outcome.who],
            "counts": outcome.counts,
            "since": outcome.since,
            "words": outcome.words,
            "when": _flat(outcome.when),
            "near": _flat(outcome.near),
        }
        for outcome in replay.outcomes
        if outcome.who in number
    ]


def _encode_conversation(
    talk: Talked, about: bool, number: dict[str, int], texts: NumberedTexts
) -> Json:
    """[step, end, who, other, how, about, [name, text, ...]]; -1 for an unknown person."""
    spoken: list[Json] = []
    for line in talk.lines:
        spoken += (texts(line.name), texts(line.text))
    pair = (number.get(talk.who, -1), number.get(talk.other, -1))
    return [talk.step, talk.end, *pair, texts(talk.how), int(about), spoken]


def _encode_life(records: Iterable[Record], texts: NumberedTexts) -> dict[str, Json]:
    """The records of a resident by kind, each kind flattened into one list."""
    series: dict[str, list[Json]] = {
        name: [] for name in ("stood", "walks", "did", "memories", "plans", "reminders", "without")
    }
    path: list[str] = []
    for record in records:
        if isinstance(record, Walked):
            path.append(record.path)
        for name, values in _encode_record(record, texts):
            series[name] += values
    return {**series, "path": "".join(path)}


def _encode_record(record: Record, texts: NumberedTexts) -> Iterator[tuple[str, tuple[Json, ...]]]:
    match record:
        case Stood(step, _, x, y):
            yield "stood", (step, x, y)
        case Walked(step, _, path):
            yield "walks", (step, len(path))
        case Did(step, _, doing, block, place, thing, state):
            words = (texts(doing), texts(block), texts(place), texts(thing))
            yield "did", (step, *words, STATES.index(state))
        case Remembered(step, _, kind, text, importance):
            yield "memories", (step, texts(kind), texts(text), importance or 0)
        case Planned(step, _, blocks, why):
            parts: list[Json] = []
            for b in blocks:
                parts += (b.start, b.end, texts(b.what), texts(b.place))
            yield "plans", (step, texts(why), parts)
        case Reminded(step, _, kind, text):
            yield "reminders", (step, texts(kind), texts(text))
        case WentWithout(step, _, question, cause, problem):
            yield "without", (step, texts(question), texts(cause), texts(problem))


def _flat(intervals: Intervals) -> Json:
    return [step for pair in intervals for step in pair]


router = APIRouter(tags=["town"])


@router.get("/runs/{run}/episodes/{trial}/town", response_class=HTMLResponse)
def shown(request: Request, run: RunName, trial: TrialId) -> Response:
    """The page on which the days of an episode are played again."""
    replay = _find_replay(request, run, trial)
    store = store_of(request)
    words = replay_texts(replay) | {
        "scripted": scripted_note(store, run, trial),
        "footnote": require_trial(store, run, trial).declared.footnote,
    }
    return page(request, "town/replay.html", run=run, trial=trial, told=words, modules=modules())


@router.get("/runs/{run}/episodes/{trial}/town.json", response_class=Response)
def numbers(request: Request, run: RunName, trial: TrialId) -> Response:
    """The days of an episode as JSON, compressed where the client takes gzip."""
    body = json.dumps(
        encode_replay(_find_replay(request, run, trial)), separators=(",", ":")
    ).encode()
    headers = {"Vary": "Accept-Encoding"}
    if takes_gzip(request.headers.get("accept-encoding", "")):
        body = gzip.compress(body, compresslevel=6, mtime=0)
        headers["Content-Encoding"] = "gzip"
    return Response(body, media_type="application/json", headers=headers)


@cache
def modules() -> tuple[str, ...]:
    """The scripts that the page's first one imports, so that the browser can preload them."""
    names = (path.name for path in (STATIC / "js" / "town").glob("*.js"))
    return tuple(sorted(name for name in names if name != "main.js"))


def takes_gzip(accepted: str) -> bool:
    """Whether a client with this Accept-Encoding accepts gzip."""
    for part in accepted.lower().split(","):
        name, _, weight = part.partition(";")
        if name.strip() == "gzip":
            return weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def scripted_note(store: Store, run: str, trial: str) -> str:
    """The world's note on scripted players, if one plays in this episode; else ""."""
    declared = require_trial(store, run, trial).declared
    casts = (row.trial.cast for row in store.trials(run) if row.trial.id == trial)
    rules = any(declared.agents.get(seat.agent) == "rules" for cast in casts for seat in cast)
    return declared.scripted if rules else ""


def _find_replay(request: Request, run: str, trial: str) -> Replay:
    store = store_of(request)
    world = require_trial(store, run, trial).world
    if world not in worlds_that(lambda plugin: plugin.town is not None):
        raise Missing(f'Nobody lives in a town in the run "{run}"; its episodes are transcripts.')
    return town_of(world).replay(store, run, trial)
