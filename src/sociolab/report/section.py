"""The result of an analysis for readers: sentences, tables and charts, rendered in every format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
    stand before both, since with them the findings may mean nothing. A `verdict`, the result in one
    sentence, comes first of all, and after it the tables.

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
    verdict: str = ""

    @property
    def all_cautions(self) -> tuple[str, ...]:
        """The warnings, then the cautions."""
        return (*self.warnings, *self.cautions)


def merge_notes(sections: Iterable[Section]) -> tuple[tuple[Section, ...], tuple[str, ...]]:
    """The sections without the notes that all of their tables have, or that several have and that
    explain a judge or a term, and these notes, each once: to be shown below all tables. Legends are
    merged into one."""
    parts = tuple(sections)
    tables = [table for section in parts for table in section.tables]
    counts = Counter(note for table in tables for note in dict.fromkeys(table.notes))
    repeated = tuple(
        note
        for note, count in counts.items()
        if count > 1 and (count == len(tables) or _explains(note))
    )
    legends = [table.legend for table in tables if table.legend]
    if len(legends) < 2:
        legends = []
    merged = "; ".join(dict.fromkeys(item for text in legends for item in text.split("; ")))
    own = tuple(
        replace(
            section,
            tables=tuple(
                replace(
                    table,
                    notes=tuple(note for note in table.notes if note not in repeated),
                    legend="" if legends else table.legend,
                )
                for table in section.tables
            ),
        )
        for section in parts
    )
    return own, (*repeated, *filter(None, [merged]))


_TERMS = frozenset(("run.coverage", "run.bounds", "run.disputed", "run.rules"))


def _explains(note: str) -> bool:
    """Whether a note is on a judge, or on what stands in columns, and not on the figures there."""
    name = getattr(note, "id", "")
    return name in _TERMS or name[-1:].isdigit() or note.startswith("judge ")


def noted(section: Section, notes: Sequence[str]) -> Section:
    """The section with these notes added below each of its tables."""
    tables = (replace(table, notes=(*table.notes, *notes)) for table in section.tables)
    return replace(section, tables=tuple(tables))
