"""How a result, a section and an episode look in a terminal, in colour or without."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from textwrap import wrap

from rich import box
from rich.cells import cell_len, set_cell_size
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from sociolab.core.ports import Line
from sociolab.report.run_facts import account, setting, warnings
from sociolab.report.schema import RunResult, ScoreEntry
from sociolab.report.score_tables import Grid, GridRow, grids_of, outcomes_sections
from sociolab.report.section import Section, TextTable
from sociolab.report.transcript_view import UNSCORED, EpisodeSide, ScoreSheet, TranscriptView
from sociolab.report.words import (
    covered,
    failed_share,
    failed_unit,
    interval,
    number,
    sanitize,
    size,
    symmetric,
    told_of_coverage,
)

# ------------------------------------------------------------------ results


_FAILED = "  failed"
_RED = (_FAILED, "  failed turns", "  failed questions")
_Line = tuple[str, list[str]]


def print_report(result: RunResult, console: Console, *, details: bool = False) -> None:
    """Print a result; `details` adds a matrix of agents and partners for every measure."""
    console.print(report(result, console.width, details=details))


def report(result: RunResult, width: int, *, details: bool = False) -> RenderableType:
    """The whole report: what was played, what failed, the scores, what it took."""
    parts: list[RenderableType] = [Text(f"Run {result.run}", style="bold"), facts(setting(result))]
    parts += _warnings(result)
    parts += [table(result, grid, width) for grid in grids_of(result, details=details)]
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
        Padding(Text(note, style="dim italic"), (0, 0, 0, 2), expand=False)
        for note in (*grid.notes, grid.legend)
        if note
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


def _lines(result: RunResult, row: GridRow, *, beside: bool) -> list[_Line]:
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
    result: RunResult, row: GridRow, line: Callable[[str, Callable[[ScoreEntry], str]], _Line]
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


def shortened(text: str, longest: int) -> str:
    """A text of at most so many columns: the middle is left out, as names of models differ at
    their ends. Letters of some scripts take two columns."""
    if cell_len(text) <= longest:
        return text
    if longest < 3:
        return "…"
    first, last = set_cell_size(text, (longest - 1) // 2), text[::-1]
    return f"{first.rstrip()}…{set_cell_size(last, longest - 1 - cell_len(first))[::-1].lstrip()}"


# ------------------------------------------------------------------ sections


def printed(sections: Sequence[Section], *, endless: bool = False) -> RenderableType:
    """Sections for the terminal; `endless`: for lines of any length, so that headings take one."""
    return Group(*(part for section in sections for part in _section_parts(section, endless)))


def _section_parts(section: Section, endless: bool) -> list[RenderableType]:
    found: list[RenderableType] = [Text(sanitize(section.title), style="bold")]
    found += [Text(sanitize(sentence)) for sentence in section.said]
    found += [Text(f"! {sanitize(sentence)}", style="yellow") for sentence in section.cautions]
    for table in section.tables:
        found += [Text(), Text(sanitize(table.heading), style="bold"), _text_table(table, endless)]
        found += [
            Padding(Text(sanitize(note), style="dim italic"), (0, 0, 0, 2), expand=False)
            for note in table.all_notes
        ]
    return [*found, Text()]


def _heading(title: str, cells: Sequence[str]) -> str:
    """A heading in as many lines as it needs to be no wider than the cells below it.

    So that headings make room, and figures and labels need not be folded.
    """
    widest = max((cell_len(cell) for cell in cells), default=0)
    return "\n".join(wrap(title, max(1, widest, *map(len, title.split()))))


def _text_table(table: TextTable, endless: bool) -> Table:
    shown = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, collapse_padding=True)
    for i, title in enumerate(table.columns):
        left = i == 0 or i in table.words
        heading = title if endless else _heading(title, [row[i] for row in table.rows])
        shown.add_column(Text(heading), justify="left" if left else "right", overflow="fold")
    for row in table.rows:
        shown.add_row(*(Text(sanitize(cell)) for cell in row))
    return shown


# ------------------------------------------------------------------ episodes


_COLOURS = ("cyan", "magenta", "green", "yellow", "blue")
WIDE = 110
"""Columns of a terminal from which two transcripts fit beside each other."""


def play_text(shown: TranscriptView, width: int = 80) -> str:
    """The episode as plain text, wrapped at `width` columns."""
    file = io.StringIO()
    console = Console(file=file, width=width, no_color=True, color_system=None, highlight=False)
    console.print(play(shown))
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def play(shown: TranscriptView) -> RenderableType:
    """The episode for a console: title, scene, numbered turns with notes in place, scores."""
    first, *others = play_parts(shown)
    return Group(first, *(part for other in others for part in (Text(), other)))


def play_parts(shown: TranscriptView) -> tuple[RenderableType, ...]:
    """The same in four parts: title and cast, scene, turns, the end with the scores."""
    scene: list[RenderableType] = []
    for heading, text in shown.scene:
        scene += [Text(), Text(sanitize(heading), style="bold"), _indented(text, "")]
    end: list[RenderableType] = [Text(f"The end: {shown.ended}.", style="dim")]
    for sheet in shown.sheets:
        end += [Text(), *_sheet(sheet)]
    head = Group(Text(sanitize(shown.title), style="bold"), _cast(shown))
    return head, Group(*scene[1:]), _course(shown), Group(*end)


def side_by_side(readers: Sequence[EpisodeSide], width: int | None) -> RenderableType:
    """The episodes for a console: as columns from a `width` of `WIDE`, else one below the other.

    `width` None: no terminal.
    """
    if width is None or width < WIDE:
        return Group(*(part for one in readers for part in (_rule(one), play(one.shown), Text())))
    columns = Table.grid(padding=(0, 2), expand=True)
    for _ in readers:
        columns.add_column(ratio=1, overflow="fold")
    columns.add_row(*(_rule(one) for one in readers))
    # Part by part, so that both courses begin at the same height.
    for parts in zip(*(play_parts(one.shown) for one in readers), strict=True):
        columns.add_row(*(Padding(part, (0, 0, 1, 0)) for part in parts))
    return columns


def _rule(reader: EpisodeSide) -> Rule:
    return Rule(Text(sanitize(reader.head), style="bold"), align="left", style="dim")


def _cast(shown: TranscriptView) -> Text:
    seats = ", ".join(shown.cast)
    return Text(sanitize(f"{seats} · episode {shown.trial}"), style="dim")


def _indented(text: str, style: str) -> Padding:
    return Padding(Text(sanitize(text), style=style), (0, 0, 0, 2))


def _course(shown: TranscriptView) -> Table:
    speakers = dict.fromkeys(item.who for item in shown.course if isinstance(item, Line))
    colours = {who: _COLOURS[i % len(_COLOURS)] for i, who in enumerate(speakers)}
    course = Table.grid(padding=(0, 1))
    course.add_column(justify="right", style="dim", no_wrap=True)
    course.add_column(overflow="fold")
    for item in shown.course:
        if isinstance(item, Line):
            course.add_row(str(item.turn + 1), _spoken(item, colours[item.who]))
        else:
            mark, style = ("!", "red") if item.trouble else ("·", "dim")
            course.add_row(mark, Text(sanitize(item.text), style=style))
    return course


def _spoken(line: Line, colour: str) -> Text:
    """A line with its speaker's name in colour."""
    text = Text(sanitize(line.text))
    if line.text.startswith(line.who):
        text.stylize(f"bold {colour}", 0, len(line.who))
    return text


def _sheet(sheet: ScoreSheet) -> list[RenderableType]:
    """A table of values, then the reasons; why there is no score, once for all that it is of."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("measure")
    for name in sheet.columns:
        table.add_column(Text(sanitize(name)), justify="right", overflow="fold")
    given: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for title, remarks in sheet.rows:
        values = (Text("" if remark is None else remark.value) for remark in remarks)
        table.add_row(Text(title), *values)
        for name, remark in zip(sheet.columns, remarks, strict=True):
            if remark is not None and remark.why:
                alone = "" if remark.value == UNSCORED else f"{title}, {name}"
                given.setdefault((remark.why, alone), []).append((title, name))
    reasons = (_indented(f"{_whose(cells)}: {why}", "dim") for (why, _), cells in given.items())
    return [Text(f"Scores by {sheet.judge}", style="bold"), table, *reasons]


def _whose(cells: Sequence[tuple[str, str]]) -> str:
    """The measures of which a reason is given, and the seat where it is of one only."""
    titles = ", ".join(dict.fromkeys(title for title, _ in cells))
    names = dict.fromkeys(name for _, name in cells)
    return f"{titles}, {next(iter(names))}" if len(names) == 1 else titles
