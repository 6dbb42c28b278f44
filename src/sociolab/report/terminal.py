"""Render results, sections and episodes for a terminal."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from textwrap import wrap

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from sociolab.core.ports import Line
from sociolab.report.run_facts import (
    account,
    note_facts,
    outline,
    setting_facts,
    summary,
    warnings,
)
from sociolab.report.schema import RunResult
from sociolab.report.score_tables import MOST_BESIDE, MOST_ROWS, overview_table, run_section
from sociolab.report.section import Section, TextTable, merge_notes
from sociolab.report.transcript_views import EpisodeSide, ScoreSheet, TranscriptView
from sociolab.report.verdict import run_verdict
from sociolab.report.words import plural, sanitize

# ------------------------------------------------------------------ results


MOST_WARNINGS = 3
"""Maximum number of warnings in the overview; the full report has the rest."""


def overview(
    result: RunResult, compared: Section | None = None, *, endless: bool = False
) -> RenderableType:
    """A run in at most 40 lines: its verdict, what went wrong, the comparison of its two agents if
    it has two, the main metrics by agent, what was played, failures and cost."""
    found, most = warnings(result), MOST_WARNINGS - bool(compared)
    more = len(found) - most
    means = overview_table(result, MOST_BESIDE if compared else MOST_ROWS)
    section = Section(
        f"Run {result.run}",
        (summary(result),),
        tables=(*(compared.tables if compared else ()), *([means] if means else [])),
        warnings=found[:most]
        + ((plural(more, "more warning") + " in the full report",) * (more > 0)),
        verdict=run_verdict(result, compared),
    )
    return Group(printed([section], endless=endless), facts(outline(result) + note_facts(result)))


def full_report(
    result: RunResult,
    compared: Section | None = None,
    *,
    details: bool = False,
    endless: bool = False,
) -> RenderableType:
    """The whole report of a run; `details` adds an agent-partner matrix of every metric."""
    whole = run_section(result, details=details, compared=compared)
    verdict = run_verdict(result, compared)
    section = Section(
        f"Run {result.run}", tables=whole.tables, warnings=warnings(result), verdict=verdict
    )
    return Group(
        printed([section], endless=endless),
        facts(setting_facts(result) + note_facts(result)),
        Text(),
        Text("Usage and cost", style="bold"),
        facts(account(result)),
        *(Text(f"! {sanitize(sentence)}", style="bold red") for sentence in section.warnings),
    )


def facts(pairs: Sequence[tuple[str, str]]) -> Table:
    """A grid of labels and values."""
    table = Table.grid(padding=(0, 2), pad_edge=False)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for label, value in pairs:
        table.add_row(Text(label), Text(value))
    return table


# ------------------------------------------------------------------ sections


def printed(sections: Sequence[Section], *, endless: bool = False) -> RenderableType:
    """Sections for the terminal; with `endless`, lines may have any length, and headings are not
    wrapped. What several tables say below is printed once, after all of them."""
    own, merged = merge_notes(sections)
    parts = [part for section in own for part in _section_parts(section, endless)]
    return Group(*parts, *_note_lines(merged), *([Text()] if merged else []))


def _section_parts(section: Section, endless: bool) -> list[RenderableType]:
    title = [Text(sanitize(section.title), style="bold")]
    verdict = [Text(sanitize(section.verdict), style="bold green")] if section.verdict else []
    warned = [Text(f"! {sanitize(sentence)}", style="bold red") for sentence in section.warnings]
    notes = [Text(sanitize(sentence)) for sentence in section.sentences]
    notes += [Text(f"! {sanitize(sentence)}", style="yellow") for sentence in section.cautions]
    tables = list(_tables(section.tables, endless))
    if verdict:
        return [*title, *verdict, *warned, *tables, Text(), *notes, *([Text()] if notes else [])]
    return [*title, *warned, *notes, *tables, Text()]


def _tables(tables: Sequence[TextTable], endless: bool) -> Iterator[RenderableType]:
    for table in tables:
        yield from (Text(), Text(sanitize(table.heading), style="bold"))
        yield _FittedTable(table, endless)
        yield from _note_lines(table.all_notes)


def _note_lines(notes: Iterable[str]) -> Iterator[RenderableType]:
    for note in notes:
        yield Padding(Text(sanitize(note), style="dim italic"), (0, 0, 0, 2), expand=False)


def _heading(title: str, cells: Sequence[str]) -> str:
    """A heading wrapped to the width of the cells below it, so that these need not be folded."""
    widest = max((cell_len(cell) for cell in cells), default=0)
    return "\n".join(wrap(title, max(5, widest, *map(len, title.split()))))


_LABEL = 24
"""Width in columns that labels may take before they are folded."""


@dataclass(frozen=True, slots=True)
class _FittedTable:
    """A table as wide as the console: where its figures do not fit side by side, further columns
    stand in a second table below, beside the same labels. No figure is folded or cut."""

    table: TextTable
    endless: bool

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = self.table
        columns = [
            [title, *(row[i] for row in table.rows)] for i, title in enumerate(table.columns)
        ]
        least = [self._least(i, cells) for i, cells in enumerate(columns)]
        labels = next(i for i in count(1) if i not in table.words)
        room = options.max_width - sum(least[:labels]) - 2 * (labels - 1)
        part, spare = list[int](), room
        for i in range(labels, len(columns)):
            if part and least[i] + 2 > spare:
                yield self._part([*range(labels), *part])
                yield Text()
                part, spare = [], room
            part.append(i)
            spare -= least[i] + 2
        yield self._part([*range(min(labels, len(columns))), *part])

    def _least(self, i: int, cells: Sequence[str]) -> int:
        if self._is_text(i):
            return min(_LABEL, max(map(cell_len, cells)))
        heading, *figures = cells
        figures = [figure.partition(" (")[0] for figure in figures]  # counts may be folded
        return max(map(cell_len, (*_heading(heading, figures).splitlines(), *figures)))

    def _is_text(self, i: int) -> bool:
        return i == 0 or i in self.table.words

    def _part(self, columns: Sequence[int]) -> Table:
        rendered = Table(
            box=box.SIMPLE_HEAD,
            padding=(0, 1),
            pad_edge=False,
            collapse_padding=True,
            show_edge=False,
        )
        for i in columns:
            title, cells = self.table.columns[i], [row[i] for row in self.table.rows]
            rendered.add_column(
                Text(title if self.endless else _heading(title, cells)),
                justify="left" if self._is_text(i) else "right",
                overflow="fold",
                style="red" if title.startswith("failed") else "",
                min_width=self._least(i, (title, *cells)),
            )
        for row in self.table.rows:
            rendered.add_row(*(Text(sanitize(row[i])) for i in columns))
        return rendered


# ------------------------------------------------------------------ episodes


_COLOURS = ("cyan", "magenta", "green", "yellow", "blue")
WIDE = 110
"""Width of a terminal from which two transcripts fit beside each other."""


def play_text(view: TranscriptView, width: int = 80) -> str:
    """The episode as plain text, wrapped at `width` columns."""
    return plain_text(play(view), width)


def plain_text(content: RenderableType, width: int) -> str:
    """What a terminal of so many columns shows, without colours."""
    file = io.StringIO()
    console = Console(
        file=file,
        width=width,
        no_color=True,
        color_system=None,
        highlight=False,
        force_jupyter=False,  # there, it would show the text in place of writing it
    )
    console.print(content)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def play(view: TranscriptView) -> RenderableType:
    """The episode for a console: title, scene, numbered turns with notes in place, scores."""
    first, *rest = play_parts(view)
    return Group(first, *(part for other in rest for part in (Text(), other)))


def play_parts(view: TranscriptView) -> tuple[RenderableType, ...]:
    """The episode in four parts: title and cast, scene, turns, the end with the scores."""
    scene: list[RenderableType] = []
    for heading, text in view.scene:
        scene += [Text(), Text(sanitize(heading), style="bold"), _indented(text, "")]
    end: list[RenderableType] = [Text(f"Ended: {view.ended}.", style="dim")]
    for sheet in view.sheets:
        end += [Text(), *_sheet(sheet)]
    if view.legend:
        end += [Text(), Text(sanitize(view.legend), style="dim italic")]
    cast = f"{', '.join(view.cast)} · episode {view.trial}"
    head = Group(Text(sanitize(view.title), style="bold"), Text(sanitize(cast), style="dim"))
    return head, Group(*scene[1:]), _course(view), Group(*end)


def side_by_side(readers: Sequence[EpisodeSide], width: int | None) -> RenderableType:
    """The episodes for a console: as columns from a `width` of `WIDE`, else, and where there is no
    terminal (None), one below the other."""
    if width is None or width < WIDE:
        return Group(*(part for side in readers for part in (_rule(side), play(side.view), Text())))
    columns = Table.grid(padding=(0, 2), expand=True)
    for _ in readers:
        columns.add_column(ratio=1, overflow="fold")
    columns.add_row(*(_rule(side) for side in readers))
    # Part by part, so that both courses begin at the same height.
    for parts in zip(*(play_parts(side.view) for side in readers), strict=True):
        columns.add_row(*(Padding(part, (0, 0, 1, 0)) for part in parts))
    return columns


def _rule(reader: EpisodeSide) -> Rule:
    return Rule(Text(sanitize(reader.head), style="bold"), align="left", style="dim")


def _indented(text: str, style: str) -> Padding:
    return Padding(Text(sanitize(text), style=style), (0, 0, 0, 2))


def _course(view: TranscriptView) -> Table:
    speakers = dict.fromkeys(item.who for item in view.course if isinstance(item, Line))
    colours = {who: _COLOURS[i % len(_COLOURS)] for i, who in enumerate(speakers)}
    course = Table.grid(padding=(0, 1))
    course.add_column(justify="right", style="dim", no_wrap=True)
    course.add_column(overflow="fold")
    for item in view.course:
        if isinstance(item, Line):
            text = Text(sanitize(item.text))
            if item.text.startswith(item.who):
                text.stylize(f"bold {colours[item.who]}", 0, len(item.who))
            course.add_row(str(item.turn + 1), text)
        else:
            mark, style = ("!", "red") if item.trouble else ("·", "dim")
            course.add_row(mark, Text(sanitize(item.text), style=style))
    return course


def _sheet(sheet: ScoreSheet) -> list[RenderableType]:
    """A table of values, then the reasons. A reason that several metrics share stands once; so does
    one for a missing score that several seats share."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("metric")
    for name in sheet.columns:
        table.add_column(Text(sanitize(name)), justify="right", overflow="fold")
    notes: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for title, remarks in sheet.rows:
        values = (Text("" if remark is None else remark.value) for remark in remarks)
        table.add_row(Text(title), *values)
        for name, remark in zip(sheet.columns, remarks, strict=True):
            if remark is not None and remark.why:
                alone = name if remark.scored else ""
                notes.setdefault((remark.why, alone), []).append((title, name))
    reasons = (_indented(f"{_whose(cells)}: {why}", "dim") for (why, _), cells in notes.items())
    return [Text(f"Scores by {sheet.judge}", style="bold"), table, *reasons]


def _whose(cells: Sequence[tuple[str, str]]) -> str:
    """The metrics that a reason is for, and the seat if it is for a single one."""
    titles = ", ".join(dict.fromkeys(title for title, _ in cells))
    names = dict.fromkeys(name for _, name in cells)
    return f"{titles}, {next(iter(names))}" if len(names) == 1 else titles
