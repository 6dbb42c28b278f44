"""The catalogue: what analyses say, each sentence, heading and column once, in a file by analysis.

A file of `report/notes` (or of a world's own package) has [notes], sentences by id, and [tables],
each with a heading, notes and columns: a description of each, or the names of those described in
the file's [columns] and in `shared.toml`. A value stands in braces, with how it is written behind a
colon (`NoteFormatter`).
"""

from __future__ import annotations

import string
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.reading import read_toml
from sociolab.core.score import Measure
from sociolab.report.finding import Count, Finding, FindingTable, Sentence
from sociolab.report.formatting import (
    NOTHING,
    explained,
    figure,
    headed,
    interval_notes,
    p_text,
    plain,
    title_of,
)
from sociolab.report.words import listed, minus, money, percent, symmetric

if TYPE_CHECKING:
    from sociolab.report.finding import Interval

Form: TypeAlias = Literal[
    "",
    "scaled", "signed", "percent", "share", "p", "equals", "points", "number", "stars",
    "money", "~money",
]  # fmt: skip
"""How a number is written: "" with two decimals; "scaled" with three where the metric (of the row,
or the sentence's value of this name) is no wider than 1; "share" in percent with a decimal;
"equals" a p with its sign; "points" whole and with a sign; "number" with as few digits as it has;
"stars", a correlation, with those of its p; "money" in dollars, "~money" where estimated."""

Part: TypeAlias = Literal["", "value", "interval", "margin", "range"]
"""What is written of an estimate: "" both its value and its interval; "margin", the interval as
"±0.41" where it is symmetric; "range", a low and a high end with a dash between them, or one where
both are the same."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, the figure of a finding that it shows, and how; text goes left."""

    name: str
    heading: str
    of: str
    form: Form = ""
    part: Part = ""
    is_text: bool = False


_SHARED = "sociolab.report.notes"


class Catalogue:
    """What one analysis says: calling it with the id of a sentence and the values in it makes a
    `Sentence`, `table` a table of findings."""

    def __init__(self, name: str, source: str | Path | Mapping[str, Any] = _SHARED) -> None:
        """`source`: a package with a file NAME.toml, a file, or what would stand in one."""
        self.name = name
        self._source = source

    def __call__(self, note: str, /, **values: Any) -> Sentence:
        """The sentence of this id with these values; KeyError where the file has none, or a value
        is missing."""
        return self._note(note, self._file()["notes"][note], values)

    def table(
        self,
        table: str,
        findings: Iterable[Finding],
        /,
        *,
        columns: Sequence[str | Column] = (),
        notes: Iterable[str] = (),
        cluster: str = "",
        declared: Declared | None = None,
        **values: Any,
    ) -> FindingTable:
        """The table of this id, a row for each finding.

        `columns` are those to show, in order (none named: all that the file has of the table); a
        `Column` is one whose heading is somebody's name, "counts" all that rows count. Below the
        table stand the notes of the file, then `notes`, and with a `cluster` (what intervals are
        clustered by) how the intervals shown were made. With `declared`, metrics are marked where
        lower is better, and explained.
        """
        file = self._file()
        spec = file["tables"][table]
        own = spec.get("columns", {})
        rows = tuple(findings)
        counts = {count.column: count.column for row in rows for count in row.counts}
        described = (counts, _read(_SHARED, "shared")["columns"], file.get("columns", {}), own)
        selected = tuple(
            name if isinstance(name, Column) else _column(name, described, values)
            for part in columns or tuple(own)
            for name in (counts if part == "counts" else (part,))
        )
        fixed = (
            self._note(f"{table}.{number}", template, values)
            for number, template in enumerate(spec.get("notes", ()))
        )
        intervals = interval_notes(_estimates(rows, selected), cluster) if cluster else ()
        metrics = tuple(dict.fromkeys(row.metric for row in rows if row.metric))
        tips, legend = explained(metrics, declared) if declared else ({}, "")
        return FindingTable(
            self._note(table, spec["heading"], values),
            tuple(column.heading for column in selected),
            tuple(tuple(_cell(row, column, declared) for column in selected) for row in rows),
            (*fixed, *notes, *intervals),
            words=tuple(i for i, column in enumerate(selected) if i and column.is_text),
            tips=tips,
            legend=legend,
            id=f"{self.name}.{table}",
            findings=rows,
        )

    def _note(self, note: str, template: str, values: Mapping[str, Any]) -> Sentence:
        return Sentence(_filled(template, values), f"{self.name}.{note}", values)

    def _file(self) -> Mapping[str, Any]:
        match self._source:
            case str():
                return _read(self._source, self.name)
            case Path():
                return read_toml(self._source)
            case _:
                return self._source


@cache
def _read(package: str, name: str) -> Mapping[str, Any]:
    return tomllib.loads((files(package) / f"{name}.toml").read_text("utf-8"))


def _column(name: str, described: Iterable[Any], values: Mapping[str, Any]) -> Column:
    """The column as the table describes it; what it does not say, as its file does, or all do."""
    row: dict[str, Any] = {}
    for columns in described:
        entry = columns.get(name, {}) if isinstance(columns, Mapping) else {}
        row |= {"heading": entry} if isinstance(entry, str) else entry
    heading = _filled(row["heading"], values)
    form, part = _form(row.get("form", ""))
    return Column(name, heading, row.get("of", name), form, part, row.get("text", False))


def _form(words: str) -> tuple[Form, Part]:
    """Form and part, written with a space between them: "percent interval"."""
    some = words.split()
    part = next((word for word in some if word in ("value", "interval", "margin", "range")), "")
    return " ".join(word for word in some if word != part), part  # type: ignore[return-value]


def _cell(row: Finding, column: Column, declared: Declared | None) -> str:
    if column.of == "metric" and row.metric is not None:
        return headed(row.metric, declared or UNDECLARED)
    figure = row.figure(column.of)
    form = "number" if isinstance(figure, Count) else column.form
    return write(figure, form, column.part, row.metric)


def _estimates(rows: Iterable[Finding], columns: Sequence[Column]) -> Iterator[Any]:
    """The estimates of which intervals are shown."""
    for row in rows:
        for column in columns:
            figure = row.figure(column.of)
            if column.part != "value" and hasattr(figure, "clusters"):
                yield figure


class NoteFormatter(string.Formatter):
    """Writes the values of a note by their type: a count with its noun, an estimate with its
    interval, names as a list, a number with two decimals, a whole number in thousands.

    Behind a colon: a form and a part (`Form`, `Part`); "or", "comma" and "semicolon", how names are
    listed; "was|were", the first word for one, the second for several; or a format of Python's own.
    """

    def __init__(self, metric: Measure | None = None) -> None:
        """`metric`: of whose scale "scaled" numbers are."""
        self._metric = metric

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Values have names; KeyError for one that is not there."""
        return kwargs[str(key)]

    def format_field(self, value: Any, format_spec: str) -> str:
        """The value as text."""
        if "|" in format_spec:
            singular, many = format_spec.split("|")
            size = value.n if isinstance(value, Count) else value
            return singular if (size if isinstance(size, int) else len(size)) == 1 else many
        return write(value, *_form(format_spec), self._metric)


def _filled(template: str, values: Mapping[str, Any]) -> str:
    metric = values.get("metric")
    return NoteFormatter(metric if isinstance(metric, Measure) else None).vformat(
        template, (), values
    )


def write(value: Any, form: str = "", part: Part = "", metric: Measure | None = None) -> str:
    """A figure as text, see `Form` and `NoteFormatter`; a dash for what is not there."""
    match value:
        case None:
            return NOTHING
        case str():
            return value
        case bool():
            return "yes" if value else "no"
        case Measure():
            return title_of(value)
        case Count():
            return f"{value.n:,}" if form == "number" else str(value)
        case int() if not form.endswith("money"):
            return f"{value:,}"
        case int() | float():
            return _number(value, form, metric)
        case (low, high) if part == "range":
            return "\N{EN DASH}".join(dict.fromkeys(write(end, form) for end in (low, high)))
        case (int() | float() as low, int() | float() as high) if form not in ("comma", "or"):
            return f"[{_number(low, form, metric)}, {_number(high, form, metric)}]"
        case Collection():
            names = [write(item) for item in value]
            if form == "comma":
                return ", ".join(names)
            if form == "semicolon":
                return "; ".join(names)
            if form == "or":
                return " or ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
            return listed(names)
        case _:
            return _estimate(value, form, part, metric)


def _number(value: float, form: str, metric: Measure | None) -> str:
    match form:
        case "scaled" if metric is not None:
            return figure(value, metric)
        case "" | "scaled" | "stars":
            return plain(value)
        case "signed":
            return plain(value, sign=True)
        case "percent":
            return percent(value)
        case "share":
            return percent(value, 1)
        case "p":
            return p_text(value)
        case "equals":
            text = p_text(value)
            return text.replace("<", "< ") if text.startswith("<") else f"= {text}"
        case "points":
            return minus(f"{value:+,.0f}") if round(value) else "0"
        case "money" | "~money":
            return form.removesuffix("money") + money(value)
        case "number":
            return minus(f"{value:,.1f}".removesuffix(".0"))
        case _:
            return minus(format(value, form))


def _estimate(value: Interval, form: str, part: Part, metric: Measure | None) -> str:
    """A value with its interval, or one of the two; an interval of shares ends at 0 and 1."""
    stars = getattr(value, "stars", "") if form == "stars" else ""
    text = NOTHING if value.value is None else _number(value.value, form, metric) + stars
    if value.low is None or value.high is None:
        return NOTHING if part == "interval" else text
    if part == "margin" and symmetric(value):
        return f"{text} ±{write((value.high - value.low) / 2, form, metric=metric)}"
    low, high = value.low, value.high
    if form in ("percent", "share"):
        low, high = max(low, 0.0), min(high, 1.0)
    interval = write((low, high), form, metric=metric)
    return {"value": text, "interval": interval}.get(part, f"{text} {interval}")
