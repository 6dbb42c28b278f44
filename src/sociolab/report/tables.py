"""A result for the terminal: plain tables that read well at 80 columns, in colour or without."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sociolab.report.facts import account, setting
from sociolab.report.grids import (
    Grid,
    Row,
    agent_grids,
    other_grids,
    pair_grids,
    play_grid,
    type_grids,
)
from sociolab.report.schema import RunResult, ScoreEntry
from sociolab.report.section import printed
from sociolab.report.text_tables import outcomes_sections
from sociolab.report.words import (
    covered,
    failed_share,
    failed_unit,
    interval,
    number,
    size,
    symmetric,
    told_of_coverage,
    warnings,
)

_FAILED = "  failed"
_RED = (_FAILED, "  failed turns", "  failed questions")
_Line = tuple[str, list[str]]


def print_report(result: RunResult, console: Console, *, details: bool = False) -> None:
    """Print a result; `details` adds a matrix of agents and partners for every measure."""
    console.print(report(result, console.width, details=details))


def report(result: RunResult, width: int, *, details: bool = False) -> RenderableType:
    """The whole report: what was played, what failed, the scores, what it took."""
    grids = [*agent_grids(result), *pair_grids(result, details=details), *other_grids(result)]
    grids += [*type_grids(result), play_grid(result)]
    parts: list[RenderableType] = [Text(f"Run {result.run}", style="bold"), facts(setting(result))]
    parts += _warnings(result)
    parts += [table(result, grid, width) for grid in grids if grid.rows]
    parts.append(printed(outcomes_sections(result)))
    parts += [Text("Account", style="bold"), facts(account(result)), *_warnings(result)]
    return Group(*parts)


def _warnings(result: RunResult) -> list[Text]:
    return [Text(f"! {sentence}", style="bold red") for sentence in warnings(result)] + [Text()]


def facts(pairs: Sequence[tuple[str, str]]) -> Table:
    """Labels and values side by side."""
    found = Table.grid(padding=(0, 2), pad_edge=False)
    found.add_column(no_wrap=True, style="dim")
    found.add_column(overflow="fold")
    for label, value in pairs:
        found.add_row(Text(label), Text(value))
    return found


def table(result: RunResult, grid: Grid, width: int) -> RenderableType:
    """A grid with heading and notes: intervals beside the values where they fit, else below."""
    lines = [_lines(result, row, beside=True) for row in grid.rows]
    if _width(grid, lines) > width:
        lines = [_lines(result, row, beside=False) for row in grid.rows]
    notes = [
        Padding(Text(note, style="dim italic"), (0, 0, 0, 2), expand=False) for note in grid.notes
    ]
    parts = [_part(grid, lines, columns, width) for columns in _fitting(grid, lines, width)]
    return Group(Text(grid.heading, style="bold"), *parts, *notes, Text())


def _part(
    grid: Grid, lines: Sequence[Sequence[_Line]], columns: Sequence[int], width: int
) -> Table:
    """The table with some of its columns."""
    shown = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, collapse_padding=True)
    shown.add_column(
        Text(grid.corner), overflow="fold", min_width=11, max_width=max(16, width // 4)
    )
    for column in columns:
        shown.add_column(Text(grid.columns[column]), justify="right", overflow="fold")
    for block in lines:
        for i, (label, cells) in enumerate(block):
            style = "" if i == 0 else "red" if label in _RED else "dim"
            texts = (Text(text) for text in (label, *(cells[column] for column in columns)))
            shown.add_row(*texts, style=style, end_section=i == len(block) - 1)
    return shown


def _of_coverage(result: RunResult, word: str) -> Callable[[ScoreEntry], str]:
    return lambda entry: covered(result, entry)[word]


def _lines(result: RunResult, row: Row, *, beside: bool) -> list[_Line]:
    """The lines of a row: values, interval, how many, how many failed, how many could be scored and
    what the others could make of the mean, and how many turns the agent failed."""

    def line(label: str, text: Callable[[ScoreEntry], str]) -> _Line:
        return label, ["" if cell is None else text(cell) for cell in row.cells]

    def value(entry: ScoreEntry) -> str:
        if entry.value is None:
            return "-"
        shown = number(entry.value, result.measure(entry.measure))
        return f"{shown} {interval(result, entry)}".strip() if beside else shown

    present = [cell for cell in row.cells if cell is not None]
    found = [line(row.label, value)]
    if not beside:
        found += _interval_lines(result, row, line)
    found.append(line("  n", lambda entry: f"{size(result, entry):,}"))
    if any(entry.failures for entry in present):
        found.append(line(_FAILED, lambda entry: f"{entry.failures:,}"))
    for word in told_of_coverage(result, present):
        found.append(line(f"  {word}", _of_coverage(result, word)))
    if any(map(failed_share, present)):
        found.append(line(f"  failed {failed_unit(result)}", failed_share))
    return found


def _interval_lines(
    result: RunResult, row: Row, line: Callable[[str, Callable[[ScoreEntry], str]], _Line]
) -> list[_Line]:
    """One line of half widths where all intervals are symmetric, else two lines of limits."""

    def limit(end: float | None, entry: ScoreEntry) -> str:
        return "" if end is None else number(end, result.measure(entry.measure))

    found = [cell for cell in row.cells if cell is not None and cell.interval != "none"]
    if not found:
        return []
    if all(symmetric(entry) for entry in found):
        return [line("  95 % ±", lambda entry: interval(result, entry))]
    return [
        line("  95 % from", lambda entry: limit(entry.low, entry)),
        line("  95 % to", lambda entry: limit(entry.high, entry)),
    ]


def _fitting(
    grid: Grid, lines: Sequence[Sequence[_Line]], width: int
) -> tuple[tuple[int, ...], ...]:
    """The columns in as few tables, one below the other, as the width needs."""
    first, *others = _widths(grid, lines)
    parts: list[list[int]] = [[]]
    room = width - min(first, max(18, width // 4))
    left = room
    for column, needed in enumerate(others):
        if needed > left and parts[-1]:
            parts.append([])
            left = room
        parts[-1].append(column)
        left -= needed
    return tuple(tuple(part) for part in parts)


def _width(grid: Grid, lines: Sequence[Sequence[_Line]]) -> int:
    """How wide the table would be."""
    return sum(_widths(grid, lines))


def _widths(grid: Grid, lines: Sequence[Sequence[_Line]]) -> list[int]:
    rows = [(grid.corner, list(grid.columns))] + [line for block in lines for line in block]
    columns = zip(*((label, *cells) for label, cells in rows), strict=True)
    return [max(cell_len(text) for text in column) + 2 for column in columns]
