"""Catalogues: the sentences, headings and columns of analyses, in one TOML file for each analysis.

A file in `report/notes` (or in a world's own package) has [notes], sentences by id, and [tables],
each with a heading, notes and columns. A column is described there, or by name in the file's
[columns] or in `shared.toml`. Values stand in braces, with their format after a colon
(`NoteFormatter`).
"""

from __future__ import annotations

import string
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
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
from sociolab.report.words import join_names, minus, money, percent, symmetric

if TYPE_CHECKING:
    from sociolab.report.finding import Interval

Form: TypeAlias = Literal[
    "",
    "scaled", "signed", "percent", "share", "p", "equals", "points", "number", "stars",
    "money", "~money",
]  # fmt: skip
"""The format of a number: "" with two decimals; "scaled" with three if the range of the metric (the
row's, or the sentence's value named "metric") is 1 or less; "share" in percent with one decimal;
"equals" a p-value with "=" or "<"; "points" whole and with a sign; "number" with one decimal unless
that is 0; "stars", a correlation with the stars of its p; "money" in dollars, "~money" where it is
an estimate."""

Part: TypeAlias = Literal["", "value", "interval", "margin", "range"]
"""The part of an estimate to write: "" for value and interval; "margin" for the interval as "±0.41"
if it is symmetric; "range" for a low and a high end with a dash, or a single number if they are
equal."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, the name of the figure that it shows (`Finding.figure`), and its
    format. Text is aligned left."""

    name: str
    heading: str
    of: str
    form: Form = ""
    part: Part = ""
    is_text: bool = False


_SHARED = "sociolab.report.notes"


class Catalogue:
    """The sentences and tables of an analysis, by id: what a `Finding` looks like in words.

    Called with an id and values it returns the sentence, a `Sentence`, which is a str; `table`
    makes a table of findings. A value is rendered by its type: an estimate with its interval, a
    count with its noun, a float by its format ("{share:percent}"). KeyError for an unknown id or a
    missing value.

    >>> from sociolab import Catalogue, Count
    >>> notes = {"busiest": "{agent} played {episodes}, {share:percent} of all."}
    >>> say = Catalogue("talks", {"notes": notes})
    >>> say("busiest", agent="openai/a", episodes=Count("episode", 1), share=0.25)
    'openai/a played 1 episode, 25 % of all.'
    """

    def __init__(self, name: str, source: str | Path | Mapping[str, Any] = _SHARED) -> None:
        """`source` is a package with a file NAME.toml, a file, or the contents of one."""
        self.name = name
        self._source = source

    def __call__(self, note: str, /, **values: Any) -> Sentence:
        """The sentence with this id and these values; KeyError for an unknown id, or a missing
        value."""
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
        """The table with this id, with a row for each finding.

        `columns` names the columns to show, in order, by default all in the file; a `Column` is one
        that the file cannot know, such as one headed by an agent, and "counts" stands for all
        counts of the findings. Below the table are the notes of the file, then `notes`, then, if
        `cluster` says what intervals are clustered by, how they were computed. With `declared`,
        metrics are explained, and marked where lower is better.
        """
        file = self._file()
        spec = file["tables"][table]
        own = spec.get("columns", {})
        rows = tuple(findings)
        counts = {count.column: count.column for row in rows for count in row.counts}
        descriptions = (counts, _read(_SHARED, "shared")["columns"], file.get("columns", {}), own)
        selected = tuple(
            name if isinstance(name, Column) else _column(name, descriptions, values)
            for part in columns or tuple(own)
            for name in (counts if part == "counts" else (part,))
        )
        fixed = (
            self._note(f"{table}.{number}", template, values)
            for number, template in enumerate(spec.get("notes", ()))
        )
        estimates = (
            figure
            for row in rows
            for column in selected
            if column.part != "value" and hasattr(figure := row.figure(column.of), "clusters")
        )
        intervals = interval_notes(estimates, cluster) if cluster else ()
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
        return Sentence(_fill_in(template, values), f"{self.name}.{note}", values)

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


def _column(name: str, descriptions: Iterable[Any], values: Mapping[str, Any]) -> Column:
    """The column with this name, merged from all descriptions; later ones take precedence."""
    row: dict[str, Any] = {}
    for columns in descriptions:
        entry = columns.get(name, {}) if isinstance(columns, Mapping) else {}
        row |= {"heading": entry} if isinstance(entry, str) else entry
    heading = _fill_in(row["heading"], values)
    form, part = _parse_form(row.get("form", ""))
    return Column(name, heading, row.get("of", name), form, part, row.get("text", False))


def _parse_form(words: str) -> tuple[Form, Part]:
    """Form and part of a text such as "percent interval"."""
    some = words.split()
    part = next((word for word in some if word in ("value", "interval", "margin", "range")), "")
    return " ".join(word for word in some if word != part), part  # type: ignore[return-value]


def _cell(row: Finding, column: Column, declared: Declared | None) -> str:
    if column.of == "metric" and row.metric is not None:
        return headed(row.metric, declared or UNDECLARED)
    figure = row.figure(column.of)
    form = "number" if isinstance(figure, Count) else column.form
    return write(figure, form, column.part, row.metric)


class NoteFormatter(string.Formatter):
    """Formats the values of a sentence by type: a count with its noun, an estimate with its
    interval, names as a list, a float with two decimals, an int with thousands separators.

    The format after the colon is a form and a part (`Form`, `Part`); "or", "comma" or "semicolon"
    for the separators of a list; "was|were" for one word if the value is 1 (or has one item) and
    another if not; or a format specification of Python. `metric` has the scale of "scaled" numbers.
    """

    def __init__(self, metric: Measure | None = None) -> None:
        self._metric = metric

    def get_value(self, key: int | str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        return kwargs[str(key)]

    def format_field(self, value: Any, format_spec: str) -> str:
        if "|" in format_spec:
            singular, many = format_spec.split("|")
            size = value.n if isinstance(value, Count) else value
            return singular if (size if isinstance(size, int) else len(size)) == 1 else many
        return write(value, *_parse_form(format_spec), self._metric)


def _fill_in(template: str, values: Mapping[str, Any]) -> str:
    metric = values.get("metric")
    return NoteFormatter(metric if isinstance(metric, Measure) else None).vformat(
        template, (), values
    )


def write(value: Any, form: str = "", part: Part = "", metric: Measure | None = None) -> str:
    """A figure as text, see `Form` and `NoteFormatter`; a dash for None."""
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
            return join_names(names)
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
    """A value with its interval, or one of the two; intervals of shares are truncated to 0 and
    1."""
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
