"""How `sociolab gap` is printed: the paper's Tables 1 and 2, a row for each agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from rich.console import Console

from sociolab.analysis.formatting import NOTHING
from sociolab.report.words import minus
from sociolab.worlds.anteval.gap import (
    FEWEST_GROUPS,
    DMScores,
    Gap,
    GapFigure,
    GapRow,
    GapTable,
    NoiseFloor,
)
from sociolab.worlds.anteval.gap_of_runs import GapResult

if TYPE_CHECKING:
    from rich.table import Table


_Parts: TypeAlias = tuple[GapFigure, GapFigure, Gap, NoiseFloor | None, bool | None]
"""fr, fg, G, the noise floor, and whether G is above it."""


def print_gap(found: GapResult, shown: Console) -> None:
    """The tables, and what to know of them."""
    tables = [_reading(found.table, found.play)]
    if any(row.information for row in found.table.rows):
        tables.append(_exchange(found.table))
    tables.append(_gaps(found.table, "Who makes a check: F_c and G_c in percent", _characters))
    tables.append(_gaps(found.table, "Who makes which check: F_o and G_o in percent", _tuples))
    for table in tables:
        shown.print(table)
    for line in (*_explained(found.table), *found.notes):
        shown.print(line, style="dim italic", markup=False)


def _reading(table: GapTable, play: str) -> Table:
    """How well virtual DM and baselines read the test rows (f0 and fr of the paper's Table 2)."""
    shown = _empty(
        f"Virtual DM {table.virtual_dm} on {play}, {table.measured_on}",
        "learned from",
        "F_c %",
        "F_o %",
        "F_s %",
    )
    if table.f0 is not None:
        _add(shown, "nothing (f0)" + _failed(table.f0), _scores(table.f0))
    label = f"{table.real_examples} examples of {play} (fr)"
    _add(shown, label + _failed(table.fr), _scores(table.fr))
    for row in table.baselines:
        f_c, *others = _scores(row.scores)
        cells = (f_c, *(others if row.names_skills else [NOTHING, NOTHING]))
        _add(shown, f"baseline: {row.name}", cells)
    return shown


def _exchange(table: GapTable) -> Table:
    """IEP beside IEG, as in the paper's Table 1."""
    shown = _empty("Information exchange", "agent", "IEP %", "answers", "sessions")
    for row in table.rows:
        iep = row.information
        if iep is not None:
            value = GapFigure(iep.value, iep.low, iep.high)
            _add(shown, row.name, (_percent(value), str(iep.n), str(iep.clusters)))
    return shown


def _gaps(table: GapTable, title: str, parts: Callable[[GapRow], _Parts]) -> Table:
    """A row for each agent (the paper's Tables 1 and 2)."""
    shown = _empty(title, "agent", "n", "fr", "fg", "G", "signed G", "noise floor")
    for row in table.rows:
        real, generated, gap, floor, above = parts(row)
        below = (
            NOTHING
            if floor is None or floor.q95 is None
            else f"{floor.q95:.1f}\nG {'above' if above else 'within'}"
        )
        cells = (
            _percent(real) + _failed(row.fr),
            _percent(generated) + _failed(row.fg),
            _plain(gap.printed),
            _plain(gap.signed),
        )
        _add(shown, row.name, (str(row.examples), *cells, below))
    return shown


def _characters(row: GapRow) -> _Parts:
    return row.fr.f_c, row.fg.f_c, row.g_c, row.floor_c, row.above_floor_c


def _tuples(row: GapRow) -> _Parts:
    return row.fr.f_o, row.fg.f_o, row.g_o, row.floor_o, row.above_floor_o


def _explained(table: GapTable) -> tuple[str, ...]:
    few = table.test_groups < FEWEST_GROUPS
    lines = [
        f"no intervals: {table.test_groups} groups of test rows are too few, expected at least "
        f"{FEWEST_GROUPS}"
        if few
        else "below each figure its 95 % interval: bootstrap over the groups of the test rows, "
        "paired for G; chance in what was learned from is in the noise floor, not here",
        "F1 of who makes a check (F_c), of who makes which (F_o), of the skill alone (F_s)",
        "G = |fr - fg| / (fr + fg) x 100; signed: above 0 where real play teaches more",
        f"each prediction: at most {table.most} label{'s' if table.most > 1 else ''} a row",
    ]
    if table.matched:
        lines.append("fr and fg of a row: virtual DMs that learned from equally many examples (n)")
    floors = [row.floor_o for row in table.rows if row.floor_o is not None and row.floor_o.values]
    if floors:
        sizes = ", ".join(dict.fromkeys(str(floor.size) for floor in floors))
        lines.append(
            f"noise floor: 95 % of the G between two disjoint real samples of {sizes} examples lie "
            f"below it ({len(floors[0].values)} splits); a G below it shows nothing, nor does one "
            "whose signed interval holds 0"
        )
    return tuple(lines)


def _empty(title: str, *columns: str) -> Table:
    from rich import box
    from rich.table import Table

    shown = Table(
        title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False
    )
    for number, column in enumerate(columns):
        shown.add_column(column, justify="right" if number else "left", overflow="fold")
    return shown


def _add(table: Table, label: str, cells: tuple[str, ...]) -> None:
    from rich.text import Text

    table.add_row(Text(label), *map(Text, cells))


def _scores(scores: DMScores) -> tuple[str, ...]:
    return tuple(_percent(figure) for figure in (scores.f_c, scores.f_o, scores.f_s))


def _failed(scores: DMScores) -> str:
    """A line of its own for the replies that were of no use."""
    return f"\n{scores.failed} failed" if scores.failed else ""


def _percent(figure: GapFigure) -> str:
    return _text(figure.value, figure.low, figure.high, 100)


def _plain(figure: GapFigure) -> str:
    return _text(figure.value, figure.low, figure.high, 1)


def _text(value: float | None, low: float | None, high: float | None, by: int) -> str:
    if value is None:
        return NOTHING
    shown = minus(f"{value * by:z.1f}")
    if low is None or high is None:
        return shown
    return minus(f"{shown}\n{low * by:z.0f} to {high * by:z.0f}")
