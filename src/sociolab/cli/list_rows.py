"""Rows of `sociolab list runs` and `list episodes`: for programs in full, for people short."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from rich.cells import cell_len, set_cell_size

from sociolab.app.episode_list import ListedEpisode, ScoredMeasure
from sociolab.app.queries import FoundEpisodes, tags_of
from sociolab.app.run.session import MADE_WITH, RESUMED_WITH
from sociolab.core.score import Measure
from sociolab.report.run_facts import recorded_labels
from sociolab.report.terminal import shortened
from sociolab.report.words import about, money, people_of, plural, single
from sociolab.store.store import RunRow, Store

Rows = list[dict[str, Any]]

_FEW_SEATS = 6
_LEAST = 8
"""Columns that are left of a cell, however narrow the terminal."""
_MIDDLE = ("agents", "partner", "judges")
"""Columns of names that differ at their ends, so that the middle is left out."""


@dataclass(frozen=True, slots=True)
class Table:
    """The same rows twice: as JSON objects, and as cells; `head` stands beside the objects."""

    objects: Rows
    cells: Rows
    head: dict[str, Any]


def run_table(store: Store, runs: Sequence[RunRow], *, everything: bool) -> Table:
    """A row for each run; `everything`: with what is kept there."""
    objects = [_run(store, row, everything=everything) for row in runs]
    return Table(objects, _filled([_run_line(run) for run in objects]), {})


def _run(store: Store, row: RunRow, *, everything: bool) -> dict[str, Any]:
    settings = row.settings if isinstance(row.settings, dict) else {}
    work, totals = row.work, store.calls.totals(row.name)
    holds = f"the replies of {work}" if work else "episodes"
    return {
        "run": row.name,
        "world": row.world,
        "created": f"{datetime.fromtimestamp(row.created, UTC):%Y-%m-%d %H:%M}",
        "agents": recorded_labels(settings.get("agents")),
        "partner": next(iter(recorded_labels([settings.get("partner")])), None),
        "trials": row.trials,
        "played": row.played,
        "failed": row.failed,
        "judges": list(dict.fromkeys(judge.label for judge in store.verdicts.judges(row.name))),
        "cost_usd": totals.usd,
        "estimated_calls": totals.estimated_calls,
        "estimated": totals.estimated,
        "tags": list(tags_of(row)),
        "made_with": settings.get(MADE_WITH),
        **({RESUMED_WITH: settings[RESUMED_WITH]} if RESUMED_WITH in settings else {}),
        **({"holds": holds} if everything else {}),
    }


def _run_line(run: dict[str, Any]) -> dict[str, Any]:
    return {
        "run": run["run"],
        "world": run["world"],
        "created": run["created"],
        "agents": ", ".join(run["agents"]),
        "partner": run["partner"] or "",
        "played": f"{run['played']}/{run['trials']}",
        "failed": run["failed"] or "",
        "judges": ", ".join(run["judges"]),
        "cost": _cost(run["cost_usd"], estimated=run["estimated"]),
        "tags": ", ".join(run["tags"]),
        "holds": run.get("holds", ""),
    }


def _cost(usd: float | None, *, estimated: bool) -> str:
    return "" if usd is None else f"{about(estimated)}{money(usd)}"


def _filled(cells: Rows) -> Rows:
    """The rows without columns that hold nothing in any."""
    empty = {name for name in (cells[0] if cells else ()) if not any(row[name] for row in cells)}
    return [{name: value for name, value in row.items() if name not in empty} for row in cells]


def episode_table(answer: FoundEpisodes) -> Table:
    """A row for each episode, with the scores of one measure if there are any.

    People are spared agents and repeats where these are the same in every row.
    """
    scored = answer.scored
    head = {
        "of": answer.fit,
        "score": scored and {"judge": scored.label, "measure": scored.measure.name},
    }
    cells = [_episode_cells(episode, scored) for episode in answer.listed]
    objects = [_episode(episode) for episode in answer.listed]
    return Table(objects, _varied(cells, ("agents", "repeat")), head)


def _varied(cells: Rows, columns: Sequence[str]) -> Rows:
    """The rows without those of these columns that hold the same in all of several."""
    same = {name for name in columns if len(cells) > 1 and len({row[name] for row in cells}) == 1}
    return [{name: value for name, value in row.items() if name not in same} for row in cells]


def _episode(episode: ListedEpisode) -> dict[str, Any]:
    row = episode.row
    return {
        "episode": row.trial,
        "task": row.task,
        "agents": _cast(row.cast),
        "repeat": row.repeat,
        "status": row.status if not row.cause else f"{row.status}: {row.cause}",
        "cast": [{"seat": seat, "agent": agent} for seat, agent in row.cast],
        "ended": row.ended,
        "turns": row.turns or row.answers,
        "failed_turns": row.failed,
        "scores": [{"seat": seat or None, "value": value} for seat, value in episode.scores],
    }


def _episode_cells(episode: ListedEpisode, scored: ScoredMeasure | None) -> dict[str, Any]:
    row = episode.row
    state = row.status if not row.cause else f"{row.status}: {row.cause}"
    values = {scored.title: _values(episode, scored.measure)} if scored else {}
    return {
        "episode": row.trial,
        "task": row.task,
        "agents": _cast(row.cast),
        "repeat": row.repeat,
        "status": f"{state}, {plural(row.failed, 'invalid turn')}" if row.failed else state,
        **values,
    }


def _values(episode: ListedEpisode, measure: Measure) -> str:
    """The values in the order of the seats; a dash for a seat without one."""
    values = dict(episode.scores)
    if "" in values:
        return single(values[""], measure)
    if len(episode.row.cast) > _FEW_SEATS:
        return " / ".join(single(value, measure) for value in values.values())
    seats = [seat for seat, _ in episode.row.cast]
    if not values and episode.row.status == "played":
        return "not scored"
    return " / ".join(single(values[seat], measure) if seat in values else "-" for seat in seats)


def _cast(cast: Sequence[tuple[str, str]]) -> str:
    """Who sits where; in a large cast, neighbours that one agent plays are counted."""
    if len(cast) <= _FEW_SEATS:
        return " / ".join(agent for _, agent in cast)
    people = people_of(seat for seat, _ in cast)
    agents = groupby(agent for seat, agent in cast if seat in people)
    counted = ((agent, len(list(seats))) for agent, seats in agents)
    return " / ".join(f"{agent} x {count}" if count > 1 else agent for agent, count in counted)


# ------------------------------------------------------------------ as lines


def tabbed(cells: Rows) -> Iterator[str]:
    """A line of tab-separated values for each row, below one of names."""
    for row in ([*cells[0]], *(row.values() for row in cells)):
        yield "\t".join(
            re.sub(r"\s+", " ", str(value)).replace("\N{MINUS SIGN}", "-") for value in row
        )


def aligned(cells: Rows, width: int) -> Iterator[str]:
    """A line for each row, in columns, no wider than a terminal where that can be.

    What all labels begin with is left out first ("openai/"). Then heads are cut, then cells as
    far as those of a column still differ, then further; but never an id, a date or a number.
    """
    for rows in (cells, _without_endpoint(cells)):
        columns = [[name, *(str(row[name]) for row in rows)] for name in rows[0]]
        widths = [max(map(cell_len, column)) for column in columns]
        over = sum(widths) + 2 * (len(widths) - 1) - width
        if over <= 0:
            break
    full = [
        max([_LEAST, *(cell_len(c) for c in column if c.upper() == c.lower())])
        for column in columns
    ]
    unheaded = [max([_LEAST, *map(cell_len, column[1:])]) for column in columns]
    differ = list(map(_distinct, columns, full)) if over > 0 else full
    for least in (unheaded, differ, full):
        spare = [max(0, has - room) for has, room in zip(widths, least, strict=True)]
        for _ in range(min(over, sum(spare[1:]))):
            most = spare.index(max(spare[1:]), 1)
            spare[most] -= 1
            widths[most] -= 1
            over -= 1
    for line in zip(*columns, strict=True):
        yield "  ".join(map(_fitted, line, widths, cells[0])).rstrip()


_ENDPOINT = re.compile(r"(?:(?<=^)|(?<=, )|(?<= / ))[^/,\s]+/(?=\S)")


def _without_endpoint(cells: Rows) -> Rows:
    """The rows without the endpoint of every label, where there is but one."""
    labels = [row[name] for row in cells for name in _MIDDLE if name in row]
    if len({head for label in labels for head in _ENDPOINT.findall(label)}) != 1:
        return cells
    return [
        {
            name: _ENDPOINT.sub("", value) if name in _MIDDLE else value
            for name, value in row.items()
        }
        for row in cells
    ]


def _distinct(column: Sequence[str], least: int) -> int:
    """The least room, of `least` or more, in which the different cells of a column differ."""
    name, different = column[0], set(column[1:])
    room = max(least, *map(cell_len, different))
    while room > least and len({_fitted(c, room - 1, name) for c in different}) == len(different):
        room -= 1
    return room


def _fitted(cell: str, room: int, column: str) -> str:
    if cell_len(cell) > room:
        cell = shortened(cell, room) if column in _MIDDLE else f"{set_cell_size(cell, room - 1)}…"
    return set_cell_size(cell, room)
