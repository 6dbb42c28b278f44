"""A result as a section of tables of text: what Markdown and LaTeX are made of."""

from __future__ import annotations

from sociolab.report.grids import (
    Grid,
    Row,
    agent_grids,
    other_grids,
    pair_grids,
    play_grid,
    type_grids,
)
from sociolab.report.prose import cautions, findings, summary
from sociolab.report.schema import RunResult, ScoreEntry
from sociolab.report.section import Section, TextTable
from sociolab.report.words import (
    agent_kind,
    failed_share,
    failed_turns,
    failed_unit,
    interval,
    minus,
    number,
    size,
    size_words,
    warnings,
)

_TALL = 3
"""Columns that a page holds beside the labels without turning the table."""


def run_section(result: RunResult, *, details: bool = False) -> Section:
    """A run in words (played, found, went wrong, what it does not show), its scores and its play.

    `details` adds a matrix of agents and partners for every measure, not only the main one.
    """
    grids = [*agent_grids(result), *pair_grids(result, details=details), *other_grids(result)]
    grids += [*type_grids(result), play_grid(result)]
    return Section(
        title=f"{result.run}: {result.world}",
        said=(summary(result), *findings(result), *warnings(result)),
        cautions=cautions(result),
        tables=tuple(grid_text(result, grid) for grid in grids if grid.rows),
    )


def turned(grid: Grid) -> Grid:
    """The grid with its columns for rows, where it would be wider than long."""
    if len(grid.columns) <= max(_TALL, len(grid.rows)):
        return grid
    rows = tuple(
        Row(title, tuple(row.cells[i] for row in grid.rows)) for i, title in enumerate(grid.columns)
    )
    return Grid(grid.heading, "measure", tuple(row.label for row in grid.rows), rows, grid.notes)


def grid_text(result: RunResult, grid: Grid) -> TextTable:
    """A grid as text: values with intervals; n, failures and failed turns in columns of their own
    where all cells of a row share them, else in parentheses. Players by rules are named as such in
    a note."""
    grid = turned(grid)
    unit = failed_unit(result)
    turns = any(map(failed_share, grid.entries))
    counts = [{_counts(result, e) for e in row.cells if e is not None} for row in grid.rows]
    notes = (*_rules_note(result, grid), *grid.notes)
    if all(len(found) <= 1 for found in counts):
        failed = any(entry.failures for entry in grid.entries)
        heads = (grid.corner, *grid.columns, "n", *(["failed"] if failed else []))
        heads = (*heads, *([f"failed {unit}"] if turns else []))
        rows = tuple(
            (
                row.label,
                *(_value(result, e) for e in row.cells),
                *_shared(result, row, failed=failed, turns=turns),
            )
            for row in grid.rows
        )
        return TextTable(grid.heading, heads, rows, notes)
    rows = tuple(
        (row.label, *(_value(result, e) + _in_parentheses(result, e, unit) for e in row.cells))
        for row in grid.rows
    )
    plays = "" if size_words(result, grid.entries) else ", the plays with a value"
    told = f"in parentheses: n{plays}, and how many failed"
    told += f", and the share of {unit} that the agent failed" if turns else ""
    return TextTable(grid.heading, (grid.corner, *grid.columns), rows, (*notes, told))


def value_text(result: RunResult, entry: ScoreEntry) -> str:
    """A value with its interval: "7.33 ±4.41", "7.33 [6.91, 7.70]"; a dash where there is none."""
    if entry.value is None:
        return "\N{EN DASH}"
    shown = number(entry.value, result.measure(entry.measure))
    return minus(f"{shown} {interval(result, entry)}".strip())


def _value(result: RunResult, entry: ScoreEntry | None) -> str:
    return "" if entry is None else value_text(result, entry)


def _counts(result: RunResult, entry: ScoreEntry) -> tuple[int, int, str]:
    return size(result, entry), entry.failures, failed_turns(entry)


def _shared(result: RunResult, row: Row, *, failed: bool, turns: bool) -> tuple[str, ...]:
    none = 0, 0, ""
    n, missing, lost = next((_counts(result, one) for one in row.cells if one is not None), none)
    return (f"{n:,}", *([f"{missing:,}"] if failed else []), *([lost] if turns else []))


def _in_parentheses(result: RunResult, entry: ScoreEntry | None, unit: str) -> str:
    if entry is None:
        return ""
    failed = f", {entry.failures:,} failed" if entry.failures else ""
    lost = failed_share(entry)
    return f" ({size(result, entry):,}{failed}{f', {lost} of its {unit} failed' if lost else ''})"


def _rules_note(result: RunResult, grid: Grid) -> tuple[str, ...]:
    """Says which of the agents that the table names (all, if none) play by rules."""
    rules = [label for label in result.agents if agent_kind(result, label).startswith("rules")]
    labels = {*grid.columns, *(row.label for row in grid.rows)}
    named = [label for label in rules if label in labels or label in grid.heading]
    if not named:
        return ()
    return (f"{', '.join(named)}: plays by rules, a baseline and no language model",)
