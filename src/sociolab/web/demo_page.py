"""The first page of `sociolab demo`, and replays of the town as files for pages and sites."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sociolab.app.registry import town_of, world_plugin, worlds_that
from sociolab.app.transcripts import transcript_of
from sociolab.plugin.town import Replay
from sociolab.report.export import write_report
from sociolab.report.html import pages
from sociolab.report.result import RunResult, read_distributions
from sociolab.report.score_tables import headline
from sociolab.report.transcript_view import TranscriptView, extremes, goal_part, leading, views_of
from sociolab.report.words import sanitize
from sociolab.store.store import Store
from sociolab.web.town import scripted_words
from sociolab.web.town_page import town_page

CONSIDERED = 8
"""Of how many best episodes the one with most conversations about its task is shown."""
FOR_SITE = 4
"""Agents of whom a site shows the best days in town."""
LINES = (6, 14)
"""Turns of an episode that is read at a glance."""


@dataclass(frozen=True, slots=True)
class ReplayFile:
    """A replay as a file: its page, and what a page that leads to it says."""

    trial: str
    title: str
    goal: str
    people: int
    html: str


def town_files(store: Store, result: RunResult) -> Iterator[ReplayFile]:
    """The best days in town of each of the first agents of a run; none of another world."""
    if result.world not in worlds_that(lambda one: one.town is not None):
        return
    seen: set[str] = set()
    for spread in leading(result, read_distributions(store, result))[:FOR_SITE]:
        top = max(point.value for point in spread.points)
        best = [point.trial for point in spread.points if point.value == top][:CONSIDERED]
        town = town_of(result.world)
        found = [(town.replay(store, result.run, trial), trial) for trial in best]
        replay, trial = max(found, key=lambda one: len(one[0].about))
        if trial not in seen:
            seen.add(trial)
            yield _file(store, result.run, trial, replay)


def _file(store: Store, run: str, trial: str, replay: Replay) -> ReplayFile:
    html = town_page(replay, scripted_words(store, run, trial)).html
    task = replay.task
    return ReplayFile(trial, sanitize(task.title), sanitize(task.goal), len(replay.residents), html)


def write_demo_page(
    store: Store, results: Sequence[RunResult], path: Path, tables: Path, option: str
) -> None:
    """Write the page, and the replay of the town beside it. `tables` is the page that holds all
    tables of these runs, in this order; `option` is what commands need to find the store."""
    town = next((one for result in results for one in town_files(store, result)), None)
    beside = path.with_stem(f"{path.stem}-town")
    if town is not None:
        write_report(beside, town.html)
    cards = [
        {
            "world": result.world,
            "about": world_plugin(result.world).about,
            "headline": headline(result),
            "run": result.run,
            "played": result.played,
            "anchor": f"run-{i}",
        }
        for i, result in enumerate(results, 1)
    ]
    shown = next((one for result in results if (one := _to_read(store, result))), None)
    text = (
        pages()
        .get_template("demo.html")
        .render(
            worlds=len(results),
            tables=tables.name,
            town=None
            if town is None
            else {
                "title": town.title,
                "goal": town.goal,
                "people": town.people,
                "file": beside.name,
            },
            cards=cards,
            episode=shown,
            scene=[text for _, text in shown.scene if not goal_part(text)][:1] if shown else (),
            goals=list(_goals(shown)) if shown else (),
            store=option,
        )
    )
    write_report(path, sanitize(text))


def _to_read(store: Store, result: RunResult) -> TranscriptView | None:
    """The best episode of a few turns in which the seats have goals of their own; None if none."""
    main = leading(result, read_distributions(store, result))
    best = [one.highest.trial for one in extremes(main)]
    points = [point for spread in main for point in spread.points]
    order = [*best, *(p.trial for p in sorted(points, key=lambda p: -p.value)[:40])]
    for view in views_of(store, result.run, transcript_of, list(dict.fromkeys(order))):
        if LINES[0] <= len(view.course) <= LINES[1] and len(list(_goals(view))) > 1:
            return view
    return None


def _goals(view: TranscriptView) -> Iterator[tuple[str, str]]:
    for heading, text in view.scene:
        if goal := goal_part(text):
            yield heading, goal
