"""The results of analyses as data: findings, sentences, and the tables they stand in.

A finding holds figures and no text. Texts are in catalogues, one file for each analysis in
`report/notes`; a sentence keeps its id and the values in it. Analyses return nothing else, so
that every medium can render any analysis.

>>> from sociolab.report.catalogue import Catalogue
>>> say = Catalogue("panel")
>>> note = say("left_out", metrics=["believability", "secret"])
>>> note, note.id
('Not given by all of these judges, and left out: believability, secret', 'panel.left_out')
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, is_dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from sociolab.core.score import Measure
from sociolab.report.section import Section, TextTable
from sociolab.report.words import plural

if TYPE_CHECKING:
    from sociolab.stats.correlation import Correlation
    from sociolab.stats.intervals import Estimate

    Interval: TypeAlias = Estimate | Correlation

ALPHA = 0.05
"""The level of significance, after a correction for multiple tests."""

_MANY = {"person": "people", "dummy": "dummies", "history": "histories"}


@dataclass(frozen=True, slots=True)
class Count:
    """A number of things with its noun, so that an n is never copied without saying "n of what".

    `of` is a noun in the singular: "episode", "seat", "rater", "pair", or what a world clusters by.

    >>> from sociolab import Count
    >>> str(Count("episode", 36)), str(Count("person", 2))
    ('36 episodes', '2 people')
    """

    of: str
    n: int

    @property
    def column(self) -> str:
        """The noun in the plural, which is the name of a column of such counts."""
        return _MANY.get(self.of, f"{self.of}s")

    def __str__(self) -> str:
        return plural(self.n, self.of, self.column)


def episodes_and_seats(cells: Iterable[tuple[str, str | None]]) -> tuple[Count, ...]:
    """The number of episodes (by trial id) behind scores and, for scores of seats, of seats.

    >>> list(map(str, episodes_and_seats([("e1", "ann"), ("e1", "bob")])))
    ['1 episode', '2 seats']
    """
    every = list(cells)
    episodes = Count("episode", len({trial for trial, _ in every}))
    seats = Count("seat", sum(seat is not None for _, seat in every))
    return (episodes, seats) if seats.n else (episodes,)


@dataclass(frozen=True, slots=True)
class Finding:
    """A row of a table: figures in one metric about an agent, a pair, or anything else.

    `about` names the subject, by kind: {"agent": "openai/x"}, {"above": ..., "below": ...}.
    `estimate` is the main figure with its interval, `more` has further figures by column. `bounds`
    are the figure if all missing scores had their lowest, and if they had their highest value. `p`
    and `adjusted_p` are before and after the correction for several tests; `coverage` is the share
    that could be scored, from 0 to 1. A missing figure is None, never 0.

    >>> from sociolab import Count, Finding
    >>> row = Finding(about={"agent": "openai/a"}, counts=(Count("seat", 8),), more={"share": 0.5})
    >>> row.figure("agent"), str(row.figure("seats")), row.figure("share"), row.figure("p")
    ('openai/a', '8 seats', 0.5, None)
    """

    metric: Measure | None = None
    about: Mapping[str, str] = field(default_factory=dict)
    estimate: Interval | None = None
    counts: tuple[Count, ...] = ()
    p: float | None = None
    adjusted_p: float | None = None
    coverage: float | None = None
    bounds: tuple[float, float] | None = None
    more: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Sentence, ...] = ()

    @property
    def is_significant(self) -> bool:
        """Whether p is below .05 after the correction for multiple tests."""
        return self.adjusted_p is not None and self.adjusted_p < ALPHA

    def figure(self, name: str) -> Any:
        """The figure in the column with this name; None if there is none."""
        if name in self.more:
            return self.more[name]
        if name in self.about:
            return self.about[name]
        for count in self.counts:
            if name == count.column:
                return count
        return getattr(self, name, None)


class Sentence(str):
    """A sentence from a catalogue, with its id and the values in it."""

    id: str
    values: Mapping[str, Any]

    def __new__(cls, text: str, note: str, values: Mapping[str, Any]) -> Sentence:
        sentence = super().__new__(cls, text)
        sentence.id, sentence.values = note, values
        return sentence

    def __getnewargs__(self) -> tuple[str, str, Mapping[str, Any]]:  # type: ignore[override]
        return str(self), self.id, self.values


@dataclass(frozen=True, slots=True)
class FindingTable(TextTable):
    """A table of findings, as text and as data."""

    id: str = ""
    findings: tuple[Finding, ...] = ()


# ------------------------------------------------------------------ as data


def as_data(value: Any) -> Any:
    """A finding, a sentence or a figure as JSON data."""
    if isinstance(value, Sentence):
        return {"id": value.id, "values": as_data(value.values), "text": str(value)}
    if isinstance(value, Measure):
        return value.name
    if isinstance(value, Finding):
        fields = ("estimate", "p", "adjusted_p", "coverage", "bounds")
        figures = {name: as_data(getattr(value, name)) for name in fields}
        return {
            "metric": value.metric and value.metric.name,
            "about": dict(value.about),
            **{name: figure for name, figure in figures.items() if figure is not None},
            **{count.column: count.n for count in value.counts},
            **as_data(value.more),
            **({"notes": as_data(value.notes)} if value.notes else {}),
        }
    if isinstance(value, Count):
        return {"of": value.of, "n": value.n}
    if is_dataclass(value) and not isinstance(value, type):
        from sociolab.stats.intervals import as_record  # imports numpy, which takes long

        return as_record(value)
    if isinstance(value, Mapping):
        return {str(key): as_data(item) for key, item in value.items()}
    if isinstance(value, Collection) and not isinstance(value, str):
        return [as_data(item) for item in value]
    return value


TIDY = (
    "table", "metric", "about", "figure", "value", "low", "high", "n", "p", "adjusted_p",
    "low_bound", "high_bound",
)  # fmt: skip
"""Columns of `tidy_rows`."""


def tidy_rows(tables: Iterable[TextTable]) -> Iterator[dict[str, Any]]:
    """A row for each figure of each finding in these tables, with the columns `TIDY`; tables
    without findings have none."""
    for table in tables:
        if not isinstance(table, FindingTable):
            continue
        for row in table.findings:
            figures = {"estimate": row.estimate, "coverage": row.coverage, **row.more}
            for name, value in figures.items():
                if value is None or isinstance(value, Sentence):
                    continue
                low_bound, high_bound = row.bounds or (None, None)
                yield {
                    "table": table.id,
                    "metric": row.metric.name if row.metric else "",
                    "about": "; ".join(f"{kind}={name}" for kind, name in row.about.items()),
                    "figure": name,
                    **_value_and_interval(value),
                    "n": "; ".join(map(str, row.counts)),
                    "p": row.p,
                    "adjusted_p": row.adjusted_p,
                    "low_bound": low_bound,
                    "high_bound": high_bound,
                }


def _value_and_interval(figure: Any) -> dict[str, Any]:
    if hasattr(figure, "low"):
        return {"value": figure.value, "low": figure.low, "high": figure.high}
    if isinstance(figure, tuple) and len(figure) == 2:
        return {"value": None, "low": figure[0], "high": figure[1]}
    return {"value": figure.n if isinstance(figure, Count) else figure, "low": None, "high": None}


def documents(sections: Iterable[Section]) -> list[dict[str, Any]]:
    """Sections as JSON objects, without figures; a table of findings has these as data, too."""
    return [
        {
            "title": str(section.title),
            **({"verdict": str(section.verdict)} if section.verdict else {}),
            "said": list(map(str, section.sentences)),
            "cautions": list(map(str, section.all_cautions)),
            "tables": [_table_document(table) for table in section.tables],
        }
        for section in sections
    ]


def _table_document(table: TextTable) -> dict[str, Any]:
    document: dict[str, Any] = {
        "heading": str(table.heading),
        "columns": list(table.columns),
        "rows": [list(row) for row in table.rows],
        "notes": list(map(str, table.notes)),
    }
    if isinstance(table, FindingTable):
        document |= {"id": table.id, "findings": [as_data(row) for row in table.findings]}
    return document
