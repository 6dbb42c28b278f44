"""Rows of `sociolab list runs` and `list episodes`: for programs in full, for people short."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby, zip_longest
from textwrap import wrap
from typing import Any

from rich.cells import cell_len, set_cell_size

from sociolab.app.episode_list import ListedEpisode, ScoredMeasure
from sociolab.app.queries import EpisodeMatches, tags_of
from sociolab.app.run.session import MADE_WITH, RESUMED_WITH
from sociolab.core.score import Measure
from sociolab.report.result import means_of
from sociolab.report.run_facts import recorded_labels
from sociolab.report.score_tables import headline, leading_means
from sociolab.report.verdict import enough, scored_of
from sociolab.report.words import about, money, people_of, plural, single
from sociolab.store.store import RunRow, Store

Rows = list[dict[str, Any]]

_FEW_SEATS = 6
_LEAST = 8
"""Characters to which a cell may be cut, however narrow the terminal."""
_BELOW = ("agents", "partner", "judges")
"""Columns of names, which may be long and tell rows apart, so that they are never cut."""


@dataclass(frozen=True, slots=True)
class Table:
    """The same rows twice: as JSON objects, and as cells; `head` stands beside the objects."""

    objects: Rows
    cells: Rows
    head: dict[str, Any]


def run_table(store: Store, runs: Sequence[RunRow], *, everything: bool) -> Table:
    """A row for each run; with `everything`, a column says what each holds."""
    objects = [_run(store, row, everything=everything) for row in runs]
    return Table(objects, _drop_empty_columns([_run_cells(run) for run in objects]), {})


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
        "score": _score(store, row),
        "judges": list(dict.fromkeys(judge.label for judge in store.verdicts.judges(row.name))),
        "cost_usd": totals.usd,
        "estimated_calls": totals.estimated_calls,
        "estimated": totals.estimated,
        "tags": list(tags_of(row)),
        "notes": len(store.notes.of(row.name)),
        "made_with": settings.get(MADE_WITH),
        **({RESUMED_WITH: settings[RESUMED_WITH]} if RESUMED_WITH in settings else {}),
        **({"holds": holds} if everything else {}),
    }


def _score(store: Store, row: RunRow) -> dict[str, Any] | None:
    """The mean of the best agent in the metric that leads; None where too little was scored, and of
    a smoke test."""
    if not row.played or row.keeps:
        return None
    result = means_of(store, row.name)
    leads = headline(result)
    if leads is None or result.smoke or not enough(*scored_of(leading_means(result))):
        return None
    about = {"agent": leads.agent, "metric": leads.metric, "judge": leads.judge}
    return {"value": leads.value, "text": leads.text, **about}


def _run_cells(run: dict[str, Any]) -> dict[str, Any]:
    usd = run["cost_usd"]
    return {
        "run": run["run"],
        "world": run["world"],
        "created": run["created"],
        "agents": ", ".join(run["agents"]),
        "partner": run["partner"] or "",
        "played": f"{run['played']}/{run['trials']}",
        "failed": run["failed"] or "",
        "score": "{text} {metric}".format(**score) if (score := run["score"]) else "",
        "judges": ", ".join(run["judges"]),
        "cost": "" if usd is None else f"{about(run['estimated'])}{money(usd)}",
        "tags": ", ".join(run["tags"]),
        "notes": run["notes"] or "",
        "holds": run.get("holds", ""),
    }


def _drop_empty_columns(cells: Rows) -> Rows:
    empty = {name for name in (cells[0] if cells else ()) if not any(row[name] for row in cells)}
    return [{name: value for name, value in row.items() if name not in empty} for row in cells]


def episode_table(answer: EpisodeMatches) -> Table:
    """A row for each episode, with the scores of one metric if there are any.

    The cells lack agents and repeat where these are the same in every row.
    """
    scored = answer.scored
    head = {
        "of": answer.total,
        "score": scored and {"judge": scored.label, "measure": scored.measure.name},
    }
    cells = [_episode_cells(episode, scored) for episode in answer.episodes]
    objects = [_episode(episode) for episode in answer.episodes]
    return Table(objects, _drop_constant_columns(cells, ("agents", "repeat")), head)


def _drop_constant_columns(cells: Rows, columns: Sequence[str]) -> Rows:
    """The rows without those of these columns that hold the same value throughout; a single row
    keeps them all."""
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
    """The scores in the order of the seats, with a dash for a seat that has none."""
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
    """The agents in the order of the seats; in a large cast, runs of one agent are counted
    ("gpt x 3 / scripted") and seats that are no people left out."""
    if len(cast) <= _FEW_SEATS:
        return " / ".join(agent for _, agent in cast)
    people = people_of(seat for seat, _ in cast)
    agents = groupby(agent for seat, agent in cast if seat in people)
    counted = ((agent, len(list(seats))) for agent, seats in agents)
    return " / ".join(f"{agent} x {count}" if count > 1 else agent for agent, count in counted)


# ------------------------------------------------------------------ as lines


def tabbed(cells: Rows) -> Iterator[str]:
    """Lines of tab-separated values, the first with the names of the columns."""
    for row in ([*cells[0]], *(row.values() for row in cells)):
        yield "\t".join(
            re.sub(r"\s+", " ", str(value)).replace("\N{MINUS SIGN}", "-") for value in row
        )


def aligned(cells: Rows, width: int) -> Iterator[str]:
    """A line for each row, in columns, no wider than a terminal where that can be.

    To make room, agents, partner and judges are written in full in a line below each row; then
    column names are cut, then cells as long as those of a column still differ, then cells further.
    An id, a date or a number is never cut.
    """
    below = list[str]()
    widths, over = _widths(cells, width)
    if over > 0:
        below = [_names_of(row) for row in cells]
        cells = [{name: row[name] for name in row if name not in _BELOW} for row in cells]
        widths, over = _widths(cells, width)
    columns = _columns(cells)
    full = [
        # without letters: a date or a number
        max([_LEAST, *(cell_len(c) for c in column if c.upper() == c.lower())])
        for column in columns
    ]
    unheaded = [max([_LEAST, *map(cell_len, column[1:])]) for column in columns]
    differ = list(map(_distinct_width, columns, full)) if over > 0 else full
    for least in (unheaded, differ, full):
        spare = [max(0, has - room) for has, room in zip(widths, least, strict=True)]
        for _ in range(min(over, sum(spare[1:]))):
            most = spare.index(max(spare[1:]), 1)
            spare[most] -= 1
            widths[most] -= 1
            over -= 1
    for names, line in zip_longest(["", *below], zip(*columns, strict=True)):
        yield "  ".join(map(_fitted, line, widths)).rstrip()
        yield from wrap(names or "", width, initial_indent="  ", subsequent_indent="    ")


def _columns(cells: Rows) -> list[list[str]]:
    return [[name, *(str(row[name]) for row in cells)] for name in cells[0]]


def _widths(cells: Rows, width: int) -> tuple[list[int], int]:
    """The width of each column, and by how much all are wider than the terminal."""
    widths = [max(map(cell_len, column)) for column in _columns(cells)]
    return widths, sum(widths) + 2 * (len(widths) - 1) - width


def _names_of(row: dict[str, Any]) -> str:
    return "; ".join(f"{name}: {row[name]}" for name in _BELOW if row.get(name))


def _distinct_width(column: Sequence[str], least: int) -> int:
    """The smallest width, `least` or more, at which cells that differ still differ when cut."""
    different = set(column[1:])
    room = max(least, *map(cell_len, different))
    while room > least and len({_fitted(c, room - 1) for c in different}) == len(different):
        room -= 1
    return room


def _fitted(cell: str, room: int) -> str:
    if cell_len(cell) > room:
        cell = f"{set_cell_size(cell, room - 1)}…"
    return set_cell_size(cell, room)
