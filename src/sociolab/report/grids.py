"""Tables as data: rows, columns and the score entry of each cell, for the terminal and for HTML."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sociolab.core.score import READER, Method
from sociolab.report.layout import layout_of
from sociolab.report.schema import JudgeEntry, MeasureEntry, RunResult, ScoreEntry
from sociolab.report.words import (
    OWN,
    gaps,
    interval_words,
    nature,
    size_words,
    told_of_coverage,
)

_ORDER: tuple[Method, ...] = ("formula", "people", "model", "heuristic", "scripted", "rules")


@dataclass(frozen=True, slots=True)
class Row:
    """A row's label, and an entry or None for each column."""

    label: str
    cells: tuple[ScoreEntry | None, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of entries. `corner` says what the rows are, `notes` what to think of the figures."""

    heading: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...]

    @property
    def entries(self) -> tuple[ScoreEntry, ...]:
        """All entries, row by row."""
        return tuple(cell for row in self.rows for cell in row.cells if cell is not None)


def judges_of(result: RunResult) -> tuple[str, ...]:
    """The judges whose scores the result holds: readers and formulas, whose measures depend least
    on a judge, then people and models, rules last."""

    def place(judge: JudgeEntry) -> tuple[bool, int]:
        return not judge.judge.startswith(READER), _ORDER.index(judge.method)

    return tuple(judge.judge for judge in sorted(result.judges, key=place))


def agent_grids(result: RunResult) -> tuple[Grid, ...]:
    """For each judge, agents by measures, over all partners (SOTOPIA's Table 2)."""
    found = []
    for judge in judges_of(result):
        mine = [entry for entry in result.scores if entry.judge == judge]
        heading = f"Scores by agent, over all its partners · judge: {judge}"
        found.append(_by_measure(result, heading, "agent", _by_agent(mine), judge))
    return tuple(grid for grid in found if grid.rows)


def play_grid(result: RunResult) -> Grid:
    """Agents by what was counted in their transcripts, and what they cost."""
    mine = [entry for entry in result.scores if entry.judge in OWN]
    return _by_measure(result, "Play by agent", "agent", _by_agent(mine), *OWN)


def type_grids(result: RunResult) -> tuple[Grid, ...]:
    """For each judge and agent, types of task by measures.

    A type of which nothing can be scored has no row, but a note. A measure of one type only has
    no column: its values stand in the table by agent.
    """
    found = []
    for judge in judges_of(result):
        for agent in result.agents:
            mine = [
                (entry.by["type"], entry)
                for entry in result.scores
                if entry.judge == judge and entry.agent == agent and set(entry.by) == {"type"}
            ]
            mine = _of_several_types(mine)
            heading = f"Scores of {agent} by type of task · judge: {judge}"
            told = {kind for kind, entry in mine if entry.n or entry.failures}
            dropped = dict.fromkeys(kind for kind, _ in mine if kind not in told)
            grid = _by_measure(result, heading, "type", [m for m in mine if m[0] in told], judge)
            note = f"nothing to score in: {', '.join(dropped)}"
            found.append(replace(grid, notes=grid.notes + ((note,) if dropped else ())))
    return tuple(grid for grid in found if grid.rows)


def _of_several_types(labelled: list[tuple[str, ScoreEntry]]) -> list[tuple[str, ScoreEntry]]:
    """Without the measures of one type only: these stand in the table by agent."""
    types: dict[str, set[str]] = {}
    for kind, entry in labelled:
        types.setdefault(entry.measure, set()).add(kind)
    if len({kind for kind, _ in labelled}) < 2:
        return labelled
    return [(kind, entry) for kind, entry in labelled if len(types[entry.measure]) > 1]


def pair_grids(result: RunResult, *, details: bool) -> tuple[Grid, ...]:
    """For each judge, agents by partners: the main measure (Figure 3), or all (Figure F.4).

    None where there is only one agent, and none in which every agent met one partner only: it
    would say what the table by agent says.
    """
    if len(result.agents) < 2:
        return ()
    found = []
    for judge in judges_of(result):
        mine = [e for e in result.scores if e.judge == judge and set(e.by) == {"partner"}]
        measures = _measures(result, mine) if details else main_measure(result, mine)
        found += [_pairs(result, judge, measure, mine) for measure in measures]
    return tuple(grid for grid in found if any(_met(row) > 1 for row in grid.rows))


def _met(row: Row) -> int:
    """How many cells of a row are filled: whom the agent met."""
    return sum(cell is not None for cell in row.cells)


def other_grids(result: RunResult) -> tuple[Grid, ...]:
    """For each judge, what is neither by agent, partner nor type: whole episodes and cells."""
    found = []
    for judge in judges_of(result):
        mine = [
            (", ".join([entry.agent or "all", *(f"{k} {v}" for k, v in entry.by.items())]), entry)
            for entry in result.scores
            if entry.judge == judge
            and (entry.agent is None or not set(entry.by) <= {"partner", "type"})
        ]
        found.append(_by_measure(result, f"Other scores · judge: {judge}", "of", mine, judge))
    return tuple(grid for grid in found if grid.rows)


def _by_agent(entries: Iterable[ScoreEntry]) -> list[tuple[str, ScoreEntry]]:
    return [(entry.agent, entry) for entry in entries if entry.agent and not entry.by]


def _by_measure(
    result: RunResult,
    heading: str,
    corner: str,
    labelled: Sequence[tuple[str, ScoreEntry]],
    *judges: str,
) -> Grid:
    entries = [entry for _, entry in labelled]
    measures = _measures(result, entries)
    cells = {(label, entry.measure): entry for label, entry in labelled}
    rows = tuple(
        Row(label, tuple(cells.get((label, m.measure)) for m in measures))
        for label in dict.fromkeys(label for label, _ in labelled)
    )
    present = [judge for judge in judges if any(e.judge == judge for e in entries)]
    notes = tuple(nature(result, judge) for judge in present)
    titles = tuple(measure.title for measure in measures)
    return Grid(heading, corner, titles, rows, notes + _footnotes(result, entries))


def _pairs(
    result: RunResult, judge: str, measure: MeasureEntry, entries: Sequence[ScoreEntry]
) -> Grid:
    cells = {
        (entry.agent, entry.by["partner"]): entry
        for entry in entries
        if entry.measure == measure.measure
    }
    partners = tuple(a for a in result.agents if any(partner == a for _, partner in cells))
    rows = tuple(
        Row(agent, tuple(cells.get((agent, partner)) for partner in partners))
        for agent in result.agents
        if any(who == agent for who, _ in cells)
    )
    heading = f"{measure.title}: agent (row) with partner (column) · judge: {judge}"
    notes = (nature(result, judge), *_footnotes(result, list(cells.values())))
    return Grid(heading, "agent", partners, rows, notes)


def _footnotes(result: RunResult, entries: Sequence[ScoreEntry]) -> tuple[str, ...]:
    how = interval_words(entries, layout_of(result.world).clusters)
    counted = size_words(result, entries)
    return (
        *(note for note in (how, counted) if note),
        *_agreement(result, entries),
        *_coverage_notes(result, entries),
        *gaps(result, entries),
    )


def _coverage_notes(result: RunResult, entries: Sequence[ScoreEntry]) -> Iterator[str]:
    needed = told_of_coverage(result, entries)
    if needed:
        yield "coverage: of the plays judged, the share that could be scored"
    if "bounds" in needed:
        yield (
            "bounds: the mean if everything without a score, failures included, had the lowest "
            "score that it could have, and the highest"
        )
    if {"disputed", "unconfirmed"} & {*needed}:
        yield (
            "disputed: the seats differ on the outcome; unconfirmed: they say the same, but it "
            "stands in no line"
        )


def _agreement(result: RunResult, entries: Sequence[ScoreEntry]) -> Iterator[str]:
    """How far two readings of the same agree beyond chance, each episode with equal weight."""
    names = layout_of(result.world).agreement
    for agent in dict.fromkeys(entry.agent for entry in entries if not entry.by):
        found = {e.measure: e.value for e in entries if e.agent == agent and not e.by}
        one, other, same = (found.get(name) for name in names) if names else (None, None, None)
        if one is None or other is None or same is None:
            continue
        chance = one * other + (1 - one) * (1 - other)
        kappa = "not defined" if chance == 1 else f"{(same - chance) / (1 - chance):.2f}"
        titles = " and ".join(result.measure(name).title for name in names[:2])
        yield f"{agent}: {titles} agree on {same:.0%}, Cohen's kappa {kappa}"


def _measures(result: RunResult, entries: Sequence[ScoreEntry]) -> tuple[MeasureEntry, ...]:
    """The measures of these entries, in the order of the world's paper."""
    named = {entry.measure for entry in entries}
    layout = layout_of(result.world)
    return layout.ordered(entry for entry in result.measures if entry.measure in named)


def main_measure(result: RunResult, entries: Sequence[ScoreEntry]) -> tuple[MeasureEntry, ...]:
    """The measure of these entries that agents are compared by; none where nothing has a value."""
    for name in layout_of(result.world).main:
        if any(entry.measure == name and entry.value is not None for entry in entries):
            return (result.measure(name),)
    return _measures(result, [entry for entry in entries if entry.value is not None])[:1]
