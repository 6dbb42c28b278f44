"""A file of ratings, CSV or JSON lines, read line by line; see docs/ratings.md."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sociolab.app.rating.rating_record import Rating, quoted, text_of
from sociolab.core.errors import ConfigError

REQUIRED = ("episode", "seat", "rater", "dimension", "score")
OPTIONAL = ("reason", "seconds")
MOMENT = "when"
"""Optional, too: when the rating was given."""
IGNORED = ("agent", "played_by")
"""Who played: a run knows that itself, and better."""

_NUMBER = re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]{1,15})?")
_TEXTS = ("episode", "seat", "rater", "dimension", "reason")
_SEPARATORS = (",", ";", "\t")

_Cells: TypeAlias = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Line:
    """A rating and the number of its line, from 1."""

    number: int
    rating: Rating


@dataclass(frozen=True, slots=True)
class Wrong:
    """What is wrong with a line: what was expected, and what found."""

    line: int
    what: str


def read_lines(data: bytes) -> tuple[tuple[Line, ...], tuple[Wrong, ...]]:
    """The ratings of a file, and what is wrong with its other lines; never an exception.

    A file whose first letter is "{" holds JSON objects, a line each; any other but "[" is CSV with
    a head, its columns parted by commas, semicolons or tabs.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return (), (Wrong(line, f"expected text in UTF-8, found byte 0x{data[error.start]:02x}"),)
    found: list[Line] = []
    wrong: list[Wrong] = []
    for row in _json(text) if text.lstrip()[:1] in ("{", "[") else _csv(text):
        if isinstance(row, Wrong):
            wrong.append(row)
            continue
        made = _line(*row)
        (wrong if isinstance(made, Wrong) else found).append(made)  # type: ignore[arg-type]
    return tuple(found), tuple(wrong)


def _json(text: str) -> Iterator[tuple[int, _Cells] | Wrong]:
    for number, row in enumerate(text.split("\n"), 1):
        if not row.strip():
            continue
        try:
            found = json.loads(row, object_pairs_hook=_Pairs)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, _Pairs):
            yield Wrong(number, f"expected a JSON object, found {quoted(row.strip())}")
        elif problem := _columns([name for name, _ in found]):
            yield Wrong(number, problem)
        else:
            yield number, dict(found)


class _Pairs(list[tuple[str, object]]):
    """A JSON object with all its keys, also those that occur twice."""


def _csv(text: str) -> Iterator[tuple[int, _Cells] | Wrong]:
    head = text.partition("\n")[0]
    separator = max(_SEPARATORS, key=head.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    names: list[str] = []
    began = 1
    try:
        for row in rows:
            number, began = began, rows.line_num + 1
            if not any(cell.strip() for cell in row):
                continue
            if not names:
                names = [cell.strip().lower() for cell in row]
                if problem := _columns(names):
                    yield Wrong(number, problem)
                    return
            elif len(row) != len(names):
                yield Wrong(number, f"expected {len(names)} cells, found {len(row)}")
            else:
                yield number, dict(zip(names, row, strict=True))
    except csv.Error as error:
        yield Wrong(began, f"expected CSV, found what cannot be read as such ({error})")


def _columns(names: Sequence[str]) -> str:
    """What is wrong with these names of columns, or ""."""
    known = (*REQUIRED, *OPTIONAL, MOMENT, *IGNORED)
    if missing := [name for name in REQUIRED if name not in names]:
        found = ", ".join(quoted(name) for name in names[:8]) or "none"
        return f"expected the columns {', '.join(REQUIRED)}, found no {missing[0]} among {found}"
    for i, name in enumerate(names):
        if name not in known:
            return f"expected no columns but {', '.join(known)}, found {quoted(name)}"
        if name in names[:i]:
            return f"expected each column once, found {quoted(name)} twice"
    return ""


def _line(number: int, cells: _Cells) -> Line | Wrong:
    said: dict[str, str] = {}
    for name in (*_TEXTS, MOMENT):
        cell = cells.get(name)
        if isinstance(cell, bool) or not isinstance(cell, (str, int, type(None))):
            return Wrong(number, f"expected text as {name}, found {quoted(cell)}")
        said[name] = text_of(cell)
    score, seconds = _number(cells["score"]), _number(cells.get("seconds"))
    if score is None:
        return Wrong(number, f"expected a number as score, found {quoted(cells['score'])}")
    if text_of(cells.get("seconds")) and seconds is None:
        return Wrong(
            number, f"expected seconds from 0 or nothing, found {quoted(cells['seconds'])}"
        )
    try:
        return Line(number, Rating(score=score, seconds=seconds, **said))
    except ConfigError as error:
        return Wrong(number, str(error))


def _number(cell: object) -> float | None:
    """A finite number, or None."""
    if isinstance(cell, bool):
        return None
    if isinstance(cell, (int, float)):
        try:
            return float(cell) if math.isfinite(cell) else None
        except OverflowError:
            return None
    text = text_of(cell).replace("\N{MINUS SIGN}", "-")
    return float(text) if _NUMBER.fullmatch(text) else None
