"""`sociolab gap`: how far generated play is from real play (the paper's Tables 1 and 2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from sociolab.app.run.config import ModelAccess, checked
from sociolab.cli.options import Json, OptInt, OptText, OptTexts, option, several, takes
from sociolab.cli.output import console, print_json, say

if TYPE_CHECKING:
    from rich.table import Table

    from sociolab.app.gap import GapResult
    from sociolab.worlds.anteval.gap import DMScores, Gap, GapFigure, GapRow, GapTable, NoiseFloor

    _Parts: TypeAlias = tuple[GapFigure, GapFigure, Gap, NoiseFloor | None, bool | None]
    """fr, fg, G, the noise floor, and whether G is above it."""

verbs = typer.Typer()


@verbs.command(epilog="Example: sociolab gap --real sample --generated tavern")
@takes(ModelAccess)
def gap(
    real: Annotated[str, option("--real", "DATA", "Imported real play, a file, or sample.")],
    generated: Annotated[
        list[str], option("--generated", "RUN", "A run to compare. Repeat it, or use commas.")
    ],
    test: Annotated[
        OptText, option("--test", "DATA", "Real play to test on; default: a fifth.")
    ] = None,
    information: Annotated[
        OptTexts, option("--information", "RUN", "A run with the IEP. Repeat it.")
    ] = None,
    dm: Annotated[
        str,
        option(
            "--dm",
            "SPEC",
            "linear, encoder, lora:DIR, endpoint/model?examples=8, tuned:endpoint/model.",
        ),
    ] = "linear",
    most: Annotated[int, option("--most", "N", "Labels a row at most.", min=1)] = 1,
    all_rows: Annotated[
        bool, typer.Option("--all-rows", help="Test on rows that name the skill, too.")
    ] = False,
    all_real: Annotated[
        bool, typer.Option("--all-real", help="Learn from all real play, whatever the run's size.")
    ] = False,
    splits: Annotated[
        OptInt, option("--splits", "N", "Pairs of real samples: the noise floor.", min=0)
    ] = None,
    seed: Annotated[int, option("--seed", "N", "Of samples and intervals.")] = 0,
    *,
    given: dict[str, Any],
    json: Json = False,
) -> None:
    """Measure how far generated D&D play is from real play (AntEval's IEG).

    Virtual DMs that learned from either see the difference.
    """
    from sociolab.app.gap import GapConfig
    from sociolab.app.gap import gap as measure

    given |= {
        "real": real,
        "test": test,
        "generated": several(generated),
        "information": several(information) or (),
        "dm": dm,
        "most": most,
        "strict": not all_rows,
        "matched": not all_real,
        "splits": splits,
        "seed": seed,
    }
    found = measure(checked(GapConfig, given, "gap"), say)
    if json:
        print_json(_document(found))
    else:
        print_gap(found)


def print_gap(found: GapResult) -> None:
    """The tables, and what to know of them."""
    shown = console()
    tables = [_reading(found.table, found.play)]
    if any(row.information for row in found.table.rows):
        tables.append(_exchange(found.table))
    tables.append(_gaps(found.table, "Who makes a check: F_c and G_c in percent", _characters))
    tables.append(_gaps(found.table, "Who makes which check: F_o and G_o in percent", _tuples))
    for table in tables:
        shown.print(table)
    for line in (*_explained(found.table), *found.notes):
        shown.print(line, style="dim italic", markup=False)


def _document(found: GapResult) -> dict[str, Any]:
    return {
        "schema": 1,
        "kind": "gap",
        "play": found.play,
        "table": asdict(found.table),
        "notes": list(found.notes),
    }


def _reading(table: GapTable, play: str) -> Table:
    """How well virtual DM and baselines read the test rows (f0 and fr of the paper's Table 2)."""
    from sociolab.analysis.formatting import NOTHING

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
    from sociolab.worlds.anteval.gap import GapFigure

    shown = _empty("Information exchange", "agent", "IEP %", "answers", "sessions")
    for row in table.rows:
        iep = row.information
        if iep is not None:
            value = GapFigure(iep.value, iep.low, iep.high)
            _add(shown, row.name, (_percent(value), str(iep.n), str(iep.clusters)))
    return shown


def _gaps(table: GapTable, title: str, parts: Callable[[GapRow], _Parts]) -> Table:
    """A row for each agent (the paper's Tables 1 and 2)."""
    from sociolab.analysis.formatting import NOTHING

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
    from sociolab.worlds.anteval.gap import FEWEST_GROUPS

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
    from sociolab.analysis.formatting import NOTHING
    from sociolab.report.words import minus

    if value is None:
        return NOTHING
    shown = minus(f"{value * by:z.1f}")
    if low is None or high is None:
        return shown
    return minus(f"{shown}\n{low * by:z.0f} to {high * by:z.0f}")
