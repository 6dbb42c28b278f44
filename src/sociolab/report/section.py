"""The result of an analysis for readers: sentences, tables and charts, rendered in every format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from markupsafe import Markup

Spec: TypeAlias = dict[str, Any]
"""A Vega-Lite specification without colours and fonts, which the page adds."""


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table of text. The first column holds labels; the others hold figures, aligned right.

    `notes` say how the figures were made and what they rest on. `words` are the indices of columns
    that hold words, aligned left. `tips` explain labels and headings on hovering; `legend` does in
    formats without hovering.

    >>> import sociolab.plugin.api as lab
    >>> lab.TextTable("Turns", ("agent", "turns"), (("openai/a", "12"), ("openai/b",)))
    Traceback (most recent call last):
        ...
    ValueError: expected 2 cells in each row, found ('openai/b',)
    """

    heading: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    words: tuple[int, ...] = ()
    tips: Mapping[str, str] = field(default_factory=dict)
    legend: str = ""

    @property
    def all_notes(self) -> tuple[str, ...]:
        """The notes, then the legend if there is one."""
        return (*self.notes, *filter(None, [self.legend]))

    def __post_init__(self) -> None:
        wrong = [row for row in self.rows if len(row) != len(self.columns)]
        if wrong:
            raise ValueError(f"expected {len(self.columns)} cells in each row, found {wrong[0]}")


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, with a description for readers who cannot see it."""

    title: str
    description: str
    spec: Spec


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with a caption; pages show it, a terminal does not."""

    caption: str
    chart: Chart


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report. `sentences` are its findings, `cautions` its limitations; `warnings`
    stand before both, since with them the findings may mean nothing.

    On a page, `body` replaces the tables: it may have links and folded parts, which a terminal
    cannot show.

    >>> from sociolab import Section, draw
    >>> from sociolab.report import TextTable
    >>> table = TextTable("Turns by agent", ("agent", "turns"), (("openai/a", "12"),))
    >>> section = Section("Who talks", ("openai/a took 12 turns.",), tables=(table,))
    >>> print(draw(section, "markdown"))
    ## Who talks
    <BLANKLINE>
    openai/a took 12 turns.
    <BLANKLINE>
    ### Turns by agent
    <BLANKLINE>
    | agent | turns |
    |---|--:|
    | openai/a | 12 |
    """

    title: str
    sentences: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    tables: tuple[TextTable, ...] = ()
    figures: tuple[Figure, ...] = ()
    body: Markup = field(default_factory=Markup)
    warnings: tuple[str, ...] = ()

    @property
    def all_cautions(self) -> tuple[str, ...]:
        """The warnings, then the cautions."""
        return (*self.warnings, *self.cautions)


def noted(section: Section, notes: Sequence[str]) -> Section:
    """The section with these notes added below each of its tables."""
    tables = (replace(table, notes=(*table.notes, *notes)) for table in section.tables)
    return replace(section, tables=tuple(tables))
