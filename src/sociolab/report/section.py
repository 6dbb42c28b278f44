"""What an analysis has to show: sentences, tables of text, charts. Printed, or a part of a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any

from markupsafe import Markup
from rich import box
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sociolab.report.legible import legible


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of text. The first column holds labels, the others figures, aligned to the right.

    `notes` say how the figures were made and what they rest on. `words` are the numbers of columns
    that hold words, and are aligned to the left.
    """

    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    words: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        wrong = [row for row in self.rows if len(row) != len(self.columns)]
        if wrong:
            raise ValueError(f"expected {len(self.columns)} cells in each row, found {wrong[0]}")


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart as inline SVG, with a caption; pages show it, a terminal does not."""

    caption: str
    svg: Markup


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report. `said` are its findings in sentences, `cautions` what not to conclude.

    `body` is what a page shows in place of the tables: with links and folded parts, which a
    terminal cannot show.
    """

    title: str
    said: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    tables: tuple[TextTable, ...] = ()
    figures: tuple[Figure, ...] = ()
    body: Markup = field(default_factory=Markup)


def printed(sections: Sequence[Section], *, endless: bool = False) -> RenderableType:
    """Sections for the terminal; `endless`: for lines of any length, so that headings take one."""
    return Group(*(part for section in sections for part in _parts(section, endless)))


def documents(sections: Sequence[Section]) -> list[dict[str, Any]]:
    """Sections as JSON objects: title, said, cautions, tables (figures are left to pages)."""
    return [
        {
            "title": section.title,
            "said": list(section.said),
            "cautions": list(section.cautions),
            "tables": [
                {
                    "heading": table.heading,
                    "columns": list(table.columns),
                    "rows": [list(row) for row in table.rows],
                    "notes": list(table.notes),
                }
                for table in section.tables
            ],
        }
        for section in sections
    ]


def _parts(section: Section, endless: bool) -> list[RenderableType]:
    found: list[RenderableType] = [Text(legible(section.title), style="bold")]
    found += [Text(legible(sentence)) for sentence in section.said]
    found += [Text(f"! {legible(sentence)}", style="yellow") for sentence in section.cautions]
    for table in section.tables:
        found += [Text(), Text(legible(table.heading), style="bold"), _table(table, endless)]
        found += [
            Padding(Text(legible(note), style="dim italic"), (0, 0, 0, 2), expand=False)
            for note in table.notes
        ]
    return [*found, Text()]


def _heading(title: str, cells: Sequence[str]) -> str:
    """A heading in as many lines as it needs to be no wider than the cells below it.

    So that headings make room, and figures and labels need not be folded.
    """
    widest = max((cell_len(cell) for cell in cells), default=0)
    return "\n".join(wrap(title, max(1, widest, *map(len, title.split()))))


def _table(table: TextTable, endless: bool) -> Table:
    shown = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, collapse_padding=True)
    for number, title in enumerate(table.columns):
        left = number == 0 or number in table.words
        heading = title if endless else _heading(title, [row[number] for row in table.rows])
        shown.add_column(Text(heading), justify="left" if left else "right", overflow="fold")
    for row in table.rows:
        shown.add_row(*(Text(legible(cell)) for cell in row))
    return shown
