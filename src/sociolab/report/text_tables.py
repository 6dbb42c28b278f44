"""A result as a section of tables of text: what Markdown and LaTeX are made of."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.core.score import READER
from sociolab.report.grids import (
    Grid,
    Row,
    agent_grids,
    judges_of,
    other_grids,
    pair_grids,
    play_grid,
    type_grids,
)
from sociolab.report.prose import cautions, findings, summary
from sociolab.report.schema import ReadingEntry, RunResult, ScoreEntry
from sociolab.report.section import Section, TextTable
from sociolab.report.words import (
    agent_kind,
    covered,
    failed_share,
    failed_turns,
    failed_unit,
    interval,
    minus,
    number,
    size,
    size_words,
    told_of_coverage,
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
        tables=(
            *(grid_text(result, grid) for grid in grids if grid.rows),
            *(table for part in outcomes_sections(result) for table in part.tables),
        ),
    )


def outcomes_sections(result: RunResult) -> tuple[Section, ...]:
    """Whether the outcomes of a run could be established, agent by agent, and whether a reader
    agrees; nothing where no score rests on an outcome."""
    formulas = {judge.judge for judge in result.judges if judge.method == "formula"}
    measures = {entry.measure for entry in result.scores if entry.judge in formulas}
    tables = [
        _established(result, judge, entries)
        for judge in judges_of(result)
        if (judge in formulas or judge.startswith(READER))
        and (
            entries := [
                entry
                for entry in result.scores
                if entry.judge == judge and entry.measure in measures
                if entry.agent and not entry.by
            ]
        )
    ]
    tables += [
        _asked_and_read(reader, [one for one in result.readings if one.reader == reader])
        for reader in dict.fromkeys(one.reader for one in result.readings)
    ]
    return (Section("Outcomes", tables=tuple(tables)),) if tables else ()


def _established(result: RunResult, judge: str, entries: Sequence[ScoreEntry]) -> TextTable:
    rows = tuple(
        (
            entry.agent or "",
            f"{entry.n:,}",
            f"{entry.unconfirmed:,}",
            f"{entry.disputed:,}",
            f"{entry.cannot_tell:,}",
            f"{entry.failures:,}",
            covered(result, entry)["coverage"],
        )
        for entry in entries
    )
    how = (
        "read off the transcript, with quotes of the offer and of the acceptance"
        if judge.startswith(READER)
        else "on record, or said alike by all seats and found in the dialogue; unconfirmed: said "
        "alike, but found in no line; disputed: the seats differ"
    )
    notes = [f"established: {how}; means are over what is established"]
    disputed = next((entry.measure for entry in entries if entry.disputed), "")
    if disputed:
        listing = f"sociolab list episodes --run {result.run} --score {disputed}=disputed"
        notes.append(f"the disputed episodes: {listing}")
    heads = ("established", "unconfirmed", "disputed", "cannot tell", "failed", "coverage")
    return TextTable(f"Outcomes by agent · judge: {judge}", ("agent", *heads), rows, tuple(notes))


def _asked_and_read(reader: str, entries: Sequence[ReadingEntry]) -> TextTable:
    rows = tuple(
        (
            one.agent,
            f"{one.agree:,}",
            f"{one.differ:,}",
            f"{one.only_judge:,}",
            f"{one.only_reader:,}",
            f"{one.neither:,}",
            f"{one.agree / (one.agree + one.differ):.0%}" if one.agree + one.differ else "",
        )
        for one in entries
    )
    heads = ("both agree", "differ", "only asked", "only read", "neither", "agreement")
    note = (
        "plays by where their outcome was established; asked: said alike by all seats, or on "
        "record; agreement: of the plays with both, the share in which these are worth the same"
    )
    return TextTable(f"Asked and read · reader: {reader}", ("agent", *heads), rows, (note,))


def turned(grid: Grid) -> Grid:
    """The grid with its columns for rows, where it would be wider than long."""
    if len(grid.columns) <= max(_TALL, len(grid.rows)):
        return grid
    rows = tuple(
        Row(title, tuple(row.cells[i] for row in grid.rows)) for i, title in enumerate(grid.columns)
    )
    return Grid(grid.heading, "measure", tuple(row.label for row in grid.rows), rows, grid.notes)


def grid_text(result: RunResult, grid: Grid) -> TextTable:
    """A grid as text: values with intervals; n, and what has no value, in columns of their own
    where all cells of a row share them, else in parentheses. Players by rules are named as such in
    a note."""
    grid = turned(grid)
    heads = _heads(result, grid.entries)
    told = [[_counts(result, e, heads) for e in row.cells if e is not None] for row in grid.rows]
    notes = (*_rules_note(result, grid), *grid.notes)
    if all(one == some[0] for some in told for one in some):
        rows = tuple(
            (
                row.label,
                *(_value(result, e) for e in row.cells),
                *(some[0] if some else [""] * len(heads)),
            )
            for row, some in zip(grid.rows, told, strict=True)
        )
        return TextTable(grid.heading, (grid.corner, *grid.columns, *heads), rows, notes)
    rows = tuple(
        (row.label, *(_value(result, e) + _in_parentheses(result, e, heads) for e in row.cells))
        for row in grid.rows
    )
    plays = "" if size_words(result, grid.entries) else ", the plays with a value"
    note = f"in parentheses: n{plays}, and how many failed"
    if any(map(failed_share, grid.entries)):
        note += f", and the share of {failed_unit(result)} that the agent failed"
    return TextTable(grid.heading, (grid.corner, *grid.columns), rows, (*notes, note))


def value_text(result: RunResult, entry: ScoreEntry) -> str:
    """A value with its interval: "7.33 ±4.41", "7.33 [6.91, 7.70]"; a dash where there is none."""
    if entry.value is None:
        return "\N{EN DASH}"
    shown = number(entry.value, result.measure(entry.measure))
    return minus(f"{shown} {interval(result, entry)}".strip())


def _value(result: RunResult, entry: ScoreEntry | None) -> str:
    return "" if entry is None else value_text(result, entry)


def _heads(result: RunResult, entries: Sequence[ScoreEntry]) -> tuple[str, ...]:
    """What is told beside these entries, by the heads of its columns."""
    failed = ["failed"] if any(entry.failures for entry in entries) else []
    turns = [f"failed {failed_unit(result)}"] if any(map(failed_share, entries)) else []
    return ("n", *failed, *told_of_coverage(result, entries), *turns)


def _counts(result: RunResult, entry: ScoreEntry, heads: Sequence[str]) -> list[str]:
    found = {
        "n": f"{size(result, entry):,}",
        "failed": f"{entry.failures:,}",
        f"failed {failed_unit(result)}": failed_turns(entry),
        **{word: minus(text) for word, text in covered(result, entry).items()},
    }
    return [found[head] for head in heads]


def _in_parentheses(result: RunResult, entry: ScoreEntry | None, heads: Sequence[str]) -> str:
    if entry is None:
        return ""
    found = covered(result, entry)
    lost = failed_share(entry)
    told = {
        "failed": f"{entry.failures:,} failed" if entry.failures else "",
        "coverage": f"{found['coverage']} coverage" if entry.unscored else "",
        "bounds": minus(f"bounds {found['bounds']}") if found["bounds"] else "",
        "disputed": f"{entry.disputed:,} disputed" if entry.disputed else "",
        "unconfirmed": f"{entry.unconfirmed:,} unconfirmed" if entry.unconfirmed else "",
    }
    parts = [told.get(head, "") for head in heads]
    turns = f"{lost} of its {failed_unit(result)} failed" if lost else ""
    return f" ({', '.join(filter(None, (f'{size(result, entry):,}', *parts, turns)))})"


def _rules_note(result: RunResult, grid: Grid) -> tuple[str, ...]:
    """Says which of the agents that the table names (all, if none) play by rules."""
    rules = [label for label in result.agents if agent_kind(result, label).startswith("rules")]
    labels = {*grid.columns, *(row.label for row in grid.rows)}
    named = [label for label in rules if label in labels or label in grid.heading]
    if not named:
        return ()
    return (f"{', '.join(named)}: plays by rules, a baseline and no language model",)
