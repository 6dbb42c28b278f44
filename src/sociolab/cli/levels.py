"""`sociolab town levels`: the language level beside the action level."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import typer
from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from sociolab.app.levels import ALL, GOAL, AgentLevels, Levels, levels
from sociolab.app.stored import open_store
from sociolab.report.grids import Grid, Row
from sociolab.report.tables import table
from sociolab.report.words import nature
from sociolab.worlds.stss.talk.losses import OUTCOMES
from sociolab.worlds.stss.talk.measures import MEASURES

_NOTE = (
    "counted over those who were to take part: all residents in the background, of an appointment "
    "the partner, of help the errands; what was conveyed is read by rules, whoever judged the talks"
)


def show_levels(talk: str, action: str, *, store: Path | None, as_json: bool) -> None:
    """Print what an agent's talks conveyed, beside what came of its tasks and where they failed."""
    with open_store(store) as opened:
        found = levels(opened, talk, action)
    if as_json:
        typer.echo(json.dumps(_document(found), ensure_ascii=False, indent=2))
        return
    console = Console()
    for one in found.agents:
        console.print(Group(*_tables(found, one, console.width)))


def _tables(found: Levels, one: AgentLevels, width: int) -> Iterator[RenderableType]:
    both = found.talk.model_copy(update={"measures": found.talk.measures + found.action.measures})
    names = [*(measure.name for measure in MEASURES), GOAL]
    grid = Grid(
        heading=f"{one.agent} at both levels · judge of the talks: {one.judge}",
        corner="type",
        columns=(*(measure.title for measure in MEASURES), "goal in town"),
        rows=tuple(
            Row(row.type, tuple(row.scores.get(name) for name in names)) for row in one.rows
        ),
        notes=(
            nature(found.talk, one.judge),
            "n: conversations, and tasks; 95 % intervals clustered by task",
        ),
    )
    yield table(both, grid, width)
    yield Text(f"{one.agent} in town: where tasks were lost", style="bold")
    yield _losses(one)
    yield Text(f"  {_NOTE}\n", style="dim italic")


def _losses(one: AgentLevels) -> Table:
    shown = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, collapse_padding=True)
    shown.add_column("type")
    for heading in (*OUTCOMES, "of", "not scored"):
        shown.add_column(heading, justify="right")
    for row in one.rows:
        total = sum(row.fates.values())
        cells = [
            f"{row.fates.get(outcome, 0)} ({row.fates.get(outcome, 0) / total:.0%})"
            if total
            else "-"
            for outcome in OUTCOMES
        ]
        end = row.type != ALL and row is one.rows[-2]
        shown.add_row(row.type, *cells, str(total), str(row.left_out), end_section=end)
    return shown


def _document(found: Levels) -> dict[str, object]:
    return {
        "talk": found.talk.run,
        "action": found.action.run,
        "agents": [
            {
                "agent": one.agent,
                "judge": one.judge,
                "types": [
                    {
                        "type": row.type,
                        "scores": {
                            name: entry.model_dump(mode="json")
                            for name, entry in row.scores.items()
                        },
                        "fates": {outcome: row.fates.get(outcome, 0) for outcome in OUTCOMES},
                        "not_scored": row.left_out,
                    }
                    for row in one.rows
                ],
            }
            for one in found.agents
        ],
    }
