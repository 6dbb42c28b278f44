"""A run in one table: each measure's mean, its interval, on how much it rests, what failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sociolab.report.grids import Grid, agent_grids
from sociolab.report.prose import summary
from sociolab.report.schema import RunResult, ScoreEntry
from sociolab.report.section import Section, TextTable
from sociolab.report.words import (
    covered,
    failed_turns,
    failed_unit,
    interval,
    minus,
    number,
    size,
    told_of_coverage,
    warnings,
)

_COLUMNS = ("mean", "95 % interval", "n", "failed")


def brief_section(result: RunResult) -> Section:
    """What was played and what went wrong in sentences, and one table over judges and agents.

    A partner is left out where others are evaluated; types and pairs are for the whole report.
    """
    lost = bool(result.failures.agents)
    grids = agent_grids(result)
    every = [entry for grid in grids for entry in grid.entries]
    words = [w for w in told_of_coverage(result, every) if w in ("coverage", "bounds")]
    told = [row for grid in grids for row in _rows(result, grid, words, lost=lost)]
    several = len({who for who, _, _ in told}) > 1
    rows = tuple((*((who,) if several else ()), *cells) for who, _, cells in told)
    heads = (*(("agent",) if several else ()), "measure", "judge", *_COLUMNS, *words)
    heads = (*heads, *([f"failed {failed_unit(result)}"] if lost else []))
    agents = dict.fromkeys(who for who, _, _ in told)
    heading = "Means" if several or not agents else f"Means of {next(iter(agents))}"
    tables = (TextTable(heading, heads, rows, _notes(result), _words(heads)),) if rows else ()
    said = (summary(result), *(() if rows else ("Nothing was scored.",)))
    return Section(f"Run {result.run}", said, warnings(result), tables)


def _words(heads: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(range(heads.index("judge") + 1))


def _rows(
    result: RunResult, grid: Grid, words: Sequence[str], *, lost: bool
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for row in grid.rows:
        if row.label == result.partner and len(result.agents) > 1:
            continue
        for title, entry in zip(grid.columns, row.cells, strict=True):
            if entry is not None:
                found = covered(result, entry) if entry.unscored else {}
                beside = [minus(found.get(word, "")) for word in words]
                beside += [failed_turns(entry)] if lost else []
                figures = _figures(result, entry)
                yield row.label, entry.judge, (title, entry.judge, *figures, *beside)


def _figures(result: RunResult, entry: ScoreEntry) -> tuple[str, str, str, str]:
    failed = f"{entry.failures:,}" if entry.failures else ""
    if entry.value is None:
        return "\N{EN DASH}", "", f"{size(result, entry):,}", failed
    shown = minus(number(entry.value, result.measure(entry.measure)))
    return shown, minus(interval(result, entry)), f"{size(result, entry):,}", failed


def _notes(result: RunResult) -> tuple[str, ...]:
    """What to think of each judge's figures: those of rules and scripts are named as such."""
    notes = [note for grid in agent_grids(result) for note in grid.notes]
    left = result.partner if result.partner and len(result.agents) > 1 else None
    out = [f"left out: {left}, the partner"] if left else []
    return (*dict.fromkeys(notes), *out, f"all tables: sociolab report {result.run}")
