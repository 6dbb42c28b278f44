"""Two episodes side by side: in a wide terminal as columns, else one after the other; as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from sociolab.report.html import pages, section_page
from sociolab.report.legible import legible
from sociolab.report.section import Section
from sociolab.report.shown import Shown
from sociolab.report.transcript import play, play_parts

WIDE = 110
"""Columns of a terminal from which two transcripts fit beside each other."""


@dataclass(frozen=True, slots=True)
class Reader:
    """An episode, and what stands above it: whose it is, or where it is from."""

    head: str
    shown: Shown


@dataclass(frozen=True, slots=True)
class PairRow:
    """A row of a table of pairs, as text; `anchor` is where the page shows its episodes."""

    task: str
    seat: str
    a: str
    b: str
    difference: str
    why_a: str
    why_b: str
    anchor: str


@dataclass(frozen=True, slots=True)
class PairTable:
    """The pairs of one measure."""

    heading: str
    rows: tuple[PairRow, ...]


@dataclass(frozen=True, slots=True)
class FoldedPair:
    """A pair of episodes of a page; `command` shows the same in a terminal."""

    anchor: str
    title: str
    command: str
    sides: tuple[Reader, ...]


def side_by_side(readers: Sequence[Reader], width: int | None) -> RenderableType:
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


def _rule(reader: Reader) -> Rule:
    return Rule(Text(legible(reader.head), style="bold"), align="left", style="dim")


def pair_page(readers: Sequence[Reader]) -> str:
    """A page of its own that needs nothing else: the episodes side by side."""
    title = " and ".join(dict.fromkeys(one.shown.title for one in readers))
    body = _macro("beside", FoldedPair("", title, "", tuple(readers)))
    return section_page(title, (Section(title, body=body),))


def pairs_body(tables: Sequence[PairTable], pairs: Sequence[FoldedPair]) -> Markup:
    """Tables of pairs, and below them each pair that they lead to."""
    parts = [_macro("pair_table", table) for table in tables]
    return Markup("\n").join([*parts, *(_macro("folded", pair) for pair in pairs)])


def _macro(name: str, of: object) -> Markup:
    module = pages().get_template("pair.html").module
    return Markup(getattr(module, name)(of))
