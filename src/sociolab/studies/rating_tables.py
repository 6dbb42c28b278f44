"""A file of ratings as rows of named cells, whichever program wrote it.

CSV, JSON lines or an array, a spreadsheet; exports of Qualtrics, Mechanical Turk and Label Studio,
of which previews, unfinished, rejected and skipped answers are left out and counted.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import dropwhile
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

from pydantic import BaseModel

from sociolab.core.errors import ConfigError
from sociolab.core.foreign_formats import recognize_table
from sociolab.core.reading import record
from sociolab.core.unpacking import open_zip
from sociolab.report.words import join_names, plural
from sociolab.studies.ratings import WrongLine, cell_text, quote

_SEPARATORS = (",", ";", "\t")
_SEPARATOR_LINE = re.compile(r'\A"?sep=(?P<separator>[^\r\n"])"?[^\S\n]*$', re.IGNORECASE | re.M)
"""The first line with which Excel says what separates cells."""
_ZIP = b"PK\x03\x04"


class Row(NamedTuple):
    """The row's number, the names of the columns, and the cells (None for a header)."""

    number: int
    names: tuple[str, ...]
    cells: Sequence[object] | None

    def by_name(self) -> dict[str, object]:
        return dict(zip(self.names, self.cells or (), strict=False))


@dataclass(slots=True)
class RatingSheet:
    """The rows of a file, those that cannot be read, sentences on how it was read, and what the
    numbers of rows count: "line", "row" or "record"."""

    rows: list[Row] = field(default_factory=list)
    wrong: list[WrongLine] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    unit: str = "line"


def read_table(data: bytes, path: Path = Path("the file")) -> RatingSheet:
    """Read all rows; `path` is the file's, for errors. ConfigError for what is no table."""
    table = RatingSheet()
    if data.startswith(_ZIP):
        _read_sheet(path, table)
    else:
        text, encoding = _decode(data)
        if "\0" in text:
            raise ConfigError(
                f"{path}: expected text in UTF-8, or in UTF-16 with a byte order mark, found zero "
                "bytes; save it as CSV in UTF-8"
            )
        table.lines += [f"read as {encoding}"] if encoding else []
        {"[": _read_array, "{": _read_json_lines}.get(text.lstrip()[:1], _read_csv)(text, table)
    program = recognize_table(table.rows[0].names) if table.rows else None
    if program and program.id in _EXPORTS:
        prepare, find_flaw = _EXPORTS[program.id]
        prepare(table)
        flaws = [find_flaw(row.by_name()) if row.cells else "" for row in table.rows]
        table.rows = [row for row, flaw in zip(table.rows, flaws, strict=True) if not flaw]
        many = Counter(filter(None, flaws)).items()
        counts = (plural(n, flaw) if flaw in _NOUNS else f"{n} {flaw}" for flaw, n in many)
        left_out = f", leaving out {join_names(counts)}" if many else ""
        table.lines.append(f"recognised as {program.name}{left_out}")
    return table


def _decode(data: bytes) -> tuple[str, str]:
    """The text, and its encoding where that is not UTF-8."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace"), "UTF-16"
    for encoding, called in (("utf-8-sig", ""), ("cp1252", "Latin-1 (Windows-1252)")):
        try:
            return data.decode(encoding), called
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1"), "Latin-1"


# ------------------------------------------------------------------ JSON, CSV and spreadsheets


class _Repeating(list[tuple[str, object]]):
    """A JSON object in which a key comes twice."""


def _parse_json(text: str) -> object:
    """Parsed JSON; None where it is invalid."""

    def build(pairs: list[tuple[str, object]]) -> object:
        fields = dict(pairs)
        return fields if len(fields) == len(pairs) else _Repeating(pairs)

    try:
        return json.loads(text, object_pairs_hook=build)
    except (ValueError, RecursionError):
        return None


def _add_record(table: RatingSheet, number: int, fields: object, found: object) -> None:
    if not isinstance(fields, dict | _Repeating):
        problem = f"expected a JSON object, found {quote(found)}"
        table.wrong.append(WrongLine(number, problem))
        return
    pairs = [*fields.items()] if isinstance(fields, dict) else fields
    table.rows.append(Row(number, tuple(name for name, _ in pairs), [cell for _, cell in pairs]))


def _read_json_lines(text: str, table: RatingSheet) -> None:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            _add_record(table, number, _parse_json(line), line)


def _read_array(text: str, table: RatingSheet) -> None:
    table.unit = "record"
    records = _parse_json(text)
    if not isinstance(records, list):
        problem = f"expected a JSON array of objects, found {quote(text.strip())}"
        table.wrong.append(WrongLine(1, problem))
        return
    for number, fields in enumerate(records, 1):
        _add_record(table, number, fields, fields)


def _read_csv(text: str, table: RatingSheet) -> None:
    if declared := _SEPARATOR_LINE.match(text):
        separator, text = declared["separator"], text[declared.end() :]
    else:
        separator = max(_SEPARATORS, key=text.lstrip("\r\n").partition("\n")[0].count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    names: tuple[str, ...] = ()
    began = 1
    try:
        for row in rows:
            number, began = began, rows.line_num + 1
            if not any(cell.strip() for cell in row):
                continue
            if not names:
                names = tuple(cell.strip() for cell in row)
                table.rows.append(Row(number, names, None))
            elif len(row) != len(names):
                problem = f"expected {len(names)} cells, found {len(row)}"
                table.wrong.append(WrongLine(number, problem))
            else:
                table.rows.append(Row(number, names, row))
    except csv.Error as error:
        problem = f"expected CSV, found what cannot be read as such ({error})"
        table.wrong.append(WrongLine(began, problem))


def _read_sheet(path: Path, table: RatingSheet) -> None:
    """The first sheet of an .xlsx file."""
    try:
        from openpyxl import load_workbook
        from openpyxl.utils.exceptions import InvalidFileException
    except ImportError as error:
        raise ConfigError(
            f"{path}: reading .xlsx needs openpyxl; run: pip install openpyxl, or save it as CSV"
        ) from error
    open_zip(path).close()  # not too large
    try:
        with path.open("rb") as file:  # which openpyxl leaves open where it fails
            book = load_workbook(file, read_only=True, data_only=True)
            first, *more = book.worksheets
            rows = [tuple(map(_sheet_cell, row)) for row in first.values]
    except (
        InvalidFileException, BadZipFile, zlib.error, LookupError, SyntaxError, ValueError, OSError,
    ) as error:  # fmt: skip
        raise ConfigError(
            f"{path}: expected a spreadsheet (.xlsx), found another file, or a damaged one"
        ) from error
    table.unit = "row"
    if more:
        table.lines.append(f'read the sheet "{first.title}", the first of {len(more) + 1}')
    names: tuple[str, ...] = ()
    for number, row in enumerate(rows, 1):
        if not any(map(cell_text, row)):
            continue
        if not names:
            names = tuple(map(cell_text, row))
            table.rows.append(Row(number, names, None))
        else:
            table.rows.append(Row(number, names, [*row, *[None] * (len(names) - len(row))]))


def _sheet_cell(cell: object) -> object:
    """Whole numbers as such, unless they have lost digits."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < _EXACT:
        return int(cell)
    if isinstance(cell, int) and abs(cell) >= _EXACT:
        return float(cell)
    return cell.isoformat() if isinstance(cell, datetime) else cell


_EXACT = 10**15
"""A spreadsheet keeps 15 digits of a number."""


# ------------------------------------------------------------------ programs' exports


def _drop_question_rows(table: RatingSheet) -> None:
    """Without the rows of questions and of ids, below the header, which tell no time of start."""

    def is_question(row: Row) -> bool:
        start = cell_text(row.by_name().get("StartDate"))
        return start.startswith("{") or not any(map(str.isdigit, start))

    header, *rows = table.rows
    table.rows = [header, *dropwhile(is_question, rows)]


def _find_flaw_of_response(cells: Mapping[str, object]) -> str:
    """By Qualtrics's status, a sum of 1 (preview), 2 (test), 8 (spam) and others, or its label."""
    status = cell_text(cells.get("Status")).casefold()
    bits = int(status) if status.isdecimal() else 0
    for bit, label in ((1, "preview"), (2, "test"), (8, "spam")):
        if bits & bit or label in status:
            return label
    finished = cell_text(cells.get("Finished")).casefold()
    return "unfinished" if finished in ("0", "false") else ""


def _merge_radio_buttons(table: RatingSheet) -> None:
    """Make Answer.goal of Answer.goal.1, Answer.goal.2 and so on, one of which is true in a row."""
    texts: dict[str, set[str]] = {}
    for row in table.rows:
        for name, cell in row.by_name().items():
            texts.setdefault(name, set()).add(cell_text(cell).casefold())
    buttons = {
        name: match
        for name, cells in texts.items()
        if (match := _BUTTON.fullmatch(name)) and cells != {""} and cells <= {"true", "false", ""}
    }

    def merge(row: Row) -> Row:
        names = (buttons[name]["name"] if name in buttons else name for name in row.names)
        merged = dict.fromkeys(names, row.cells and "") | row.by_name()
        for name, match in buttons.items():
            if cell_text(merged.pop(name, "")).casefold() == "true":
                merged[match["name"]] = match["value"]
        return Row(row.number, tuple(merged), row.cells and [*merged.values()])

    table.rows = [merge(row) for row in table.rows]


_BUTTON = re.compile(r"(?P<name>Answer\..+)\.(?P<value>-?\w+)")


def _find_flaw_of_assignment(cells: Mapping[str, object]) -> str:
    status, reason = cell_text(cells.get("AssignmentStatus")), cell_text(cells.get("Reject"))
    return "rejected" if status.casefold() == "rejected" or reason else ""


class _Annotation(BaseModel):
    completed_by: int | str | dict[str, Any] | None = None
    was_cancelled: bool = False
    lead_time: float | None = None
    created_at: str = ""
    result: tuple[dict[str, Any], ...] = ()

    def cells(self) -> dict[str, object]:
        by = self.completed_by
        who = by.get("email") or by.get("id") if isinstance(by, dict) else by
        own = {"annotator": who} | self.model_dump(exclude={"completed_by", "result"})
        return own | {
            each["from_name"]: each.get("value") for each in self.result if "from_name" in each
        }


class _LabelledTask(BaseModel):
    data: dict[str, Any]
    annotations: tuple[_Annotation, ...]


def _flatten_tasks(table: RatingSheet) -> None:
    """A row for each annotation of Label Studio, all with the same columns, with bare answers."""
    flat: list[tuple[int, dict[str, object] | None]] = []
    for row in table.rows:
        fields = row.by_name()
        if row.cells is None:
            flat.append((row.number, None))
        elif "annotations" not in fields:
            flat.append((row.number, fields))
        else:
            try:
                task = record("a task", _LabelledTask, fields)
            except ConfigError as error:
                table.wrong.append(WrongLine(row.number, str(error)))
            else:
                flat += [(row.number, task.data | each.cells()) for each in task.annotations]
    header = table.rows[0].names if table.rows[0].cells is None else ()
    names = tuple(dict.fromkeys([*header, *(name for _, cells in flat for name in cells or ())]))
    columns = tuple("when" if name == "created_at" else name for name in names)
    table.rows = [
        Row(number, columns, [_bare_answer(cells.get(name)) for name in names] if cells else None)
        for number, cells in flat
    ]


def _bare_answer(cell: object) -> object:
    """The answer of [{"rating": 4}], {"choices": ["yes"]} and the like, also as text."""
    if isinstance(cell, str) and cell.startswith(("[", "{")):
        parsed = _parse_json(cell)
        cell = cell if parsed is None else parsed
    while True:
        match cell:
            case (
                [inner]
                | {"rating": inner}
                | {"number": inner}
                | {"choices": inner}
                | {"text": inner}
            ):
                cell = inner
            case [*several]:
                return "\n".join(map(cell_text, several))
            case _:
                return cell


_EXPORTS: Mapping[
    str, tuple[Callable[[RatingSheet], None], Callable[[Mapping[str, object]], str]]
] = {
    "qualtrics": (_drop_question_rows, _find_flaw_of_response),
    "mturk": (_merge_radio_buttons, _find_flaw_of_assignment),
    "label-studio": (
        _flatten_tasks,
        lambda cells: "skipped" if cells.get("was_cancelled") is True else "",
    ),
}
"""How exports become tables, and which of their rows are no answers (see foreign_formats.toml)."""
_NOUNS = frozenset({"preview", "test"})
