"""Read SOTOPIA's files as typed rows: JSON lines, arrays, CSV, or a folder of the package's store.

A line that is wrong is an error of one sentence; one that is only odd is a quirk, and counted.
"""

from __future__ import annotations

import ast
import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

from pydantic import BaseModel, model_validator

from sociolab.core.errors import ConfigError
from sociolab.core.names import normalize_text
from sociolab.core.reading import ForeignRecord, json_file, json_lines, read_text, record

R = TypeVar("R", bound=BaseModel)


class PackageRecord(ForeignRecord):
    """A record as the package writes it: null stands for a field that is not there. Texts are in
    one Unicode form."""

    @model_validator(mode="before")
    @classmethod
    def _without_null(cls, fields: Any) -> Any:
        if not isinstance(fields, dict):
            return fields
        return {
            name: normalize_text(value) if isinstance(value, str) else value
            for name, value in fields.items()
            if value is not None
        }


@dataclass(frozen=True, slots=True)
class PlacedRow(Generic[R]):
    """A row with its file and line."""

    place: str
    row: R


@dataclass(frozen=True, slots=True)
class ArchiveTable:
    """A table of the package: the name of its exported file, and of its folder in a local store."""

    name: str
    model: str

    @property
    def file(self) -> str:
        return f"{self.name}.jsonl"

    def find(self, folder: Path) -> Path | None:
        """The table in a folder, in any of its forms; None if there is none."""
        names = (self.file, f"{self.name}.json", f"{self.name}.csv", self.model)
        return next((folder / name for name in names if (folder / name).exists()), None)


def read_rows(path: Path, kind: type[R]) -> tuple[PlacedRow[R], ...]:
    """The rows of JSON lines, an array, a CSV file, or a folder with a JSON file for each.

    ConfigError, with file and line, for a line that is not JSON or not such a row.
    """
    return tuple(PlacedRow(place, record(place, kind, fields)) for place, fields in _rows(path))


def _rows(path: Path) -> Iterator[tuple[str, object]]:
    if path.is_dir():
        for file in sorted(path.glob("*.json")):
            yield str(file), json_file(file)
    elif path.suffix == ".csv" and not read_text(path).startswith(("{", "[")):
        yield from _csv_rows(path)
    elif _DOCUMENT.match(read_text(path)):
        document = json_file(path)
        items = document if isinstance(document, list) else [document]
        yield from ((f"{path}, entry {number}", item) for number, item in enumerate(items, 1))
    else:
        yield from json_lines(path)


_DOCUMENT = re.compile(r"\s*(\[\s*\{|\{\s*\n)")
"""An array of records, or one record over several lines."""


def _csv_rows(path: Path) -> Iterator[tuple[str, object]]:
    """The rows of a CSV file, in which the package writes lists as Python does."""
    csv.field_size_limit(_LONGEST_CELL)
    rows = csv.DictReader(io.StringIO(read_text(path), newline=""), strict=True)
    try:
        for row in rows:
            if None in row:
                raise csv.Error("more cells than columns")
            yield f"{path}, line {rows.line_num}", {name: _cell(text) for name, text in row.items()}
    except csv.Error as error:
        raise ConfigError(f"{path}, line {rows.line_num}: expected CSV ({error})") from error


_LONGEST_CELL = 2**24


def _cell(text: str | None) -> object:
    if text and text[0] in "[{":
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            return ast.literal_eval(text)
    return text or None


def index_by_id(items: Iterable[tuple[str, str, R]], what: str) -> dict[str, R]:
    """Records by id, from (place, id, record); ConfigError for a repeated id."""
    records: dict[str, R] = {}
    for place, key, item in items:
        if key in records:
            raise ConfigError(f"{place}: the {what} {key} comes a second time; remove one of them")
        records[key] = item
    return records


def find_record(place: str, key: str, among: Mapping[str, R], what: str) -> R:
    """The record with this id; ConfigError if there is none."""
    try:
        return among[key]
    except KeyError:
        raise ConfigError(f"{place}: there is no {what} with the id {key!r}") from None


class Quirk(StrEnum):
    """An oddity of the files, and what the import does about it."""

    SPACED_ITEM = "list items with spaces around them, stripped"
    UNREAD_TRAITS = "Big Five texts that could not be read, left out"
    EMPTY_CONSTRAINT = 'constraints written "nan" or "none", read as no constraint'
    AGENT_CONSTRAINT = "agent constraints without a form that could be read, left out"
    ENVIRONMENT_PART = (
        "parts for the environment only, which judges and raters read and no player does"
    )
    SEAT_PART = "parts for one seat only, moved into that seat's goal"
    FOREIGN_PART = "parts of a goal that are for another viewer, left out"
    EXTRA_INFO = "goals with extra information, kept without its tags"
    CLARIFICATION_HINT = "clarification hints, kept without their tags"
    STRATEGY_HINT = "strategy hints, kept without their tags"
    STRATEGY_HINT_DROPPED = "strategy hints, left out"
    ESCAPED_QUOTE = "texts with escaped quotation marks, unescaped"
    GLUED_SENTENCES = "texts with no space between two sentences, parted"
    AGENT_NAMED = "goals that named Agent1 or Agent2, rewritten"
    AGENT_NAME_LEFT = "texts that name Agent1 or Agent2 and could not be rewritten safely"
    FACTS_UNREAD = "bargains, divisions and friend searches whose facts could not be read for sure"
    CONFLICTING_PAIR = "pairs whose relationship rows conflict"
    TASK_OF_CONFLICT = "tasks that cast such a pair, each with its scenario's relationship"
    TASK_DISAGREES = "tasks whose scenario and pair disagree: the scenario's relationship wins"
    PAIR_WITHOUT_ROW = "tasks whose pair has no row: the scenario's relationship is taken"
    OUTSIDE_CONSTRAINT = "tasks that cast somebody outside their scenario's ages or occupations"
    NO_HARD_LIST = "hard lists missing: no task is tagged public-hard"
    NO_GENDER = "characters whose gender or pronouns are not on record, left blank"
    TASK_OF_EPISODES = "tasks taken from episodes, as there are no combinations"

    FOREIGN_PROMPT = "judge's prompts that hold another episode than the messages, not read"
    NOTHING_PLAYED = "episodes without a turn, left out"
    CUSTOM_MODEL = 'seats played by a "custom_model", labelled by the setting or tag'
    UNKNOWN_MODEL = "seats of which no model is known"
    OTHER_SCENARIO = "episodes that name another scenario than they played: what was played counts"
    OWN_TEXT = "episodes whose scenario is not at hand, taken from their own text"
    NO_TASK = "episodes whose cast is not among the tasks of their scenario"
    UNKNOWN_TIE = "episodes without a known relationship, read as acquaintances"
    REBUILT_CHARACTER = "characters rebuilt from the episodes' text"
    EMPTY_TURN = "turns in which nothing is on record, read as doing nothing"
    EMPTY_ACT = "words or gestures without content, read as doing nothing"
    REPEATED_LABEL = "actions with their kind written more than once"
    PAST_LIMIT = "episodes with more turns than the limit"
    NO_SCORE = "scores of the stored judge that are missing or out of range, kept as failures"
    OTHER_SCORE = "scores in dimensions that are none of SOTOPIA's, left out"
    EMPTY_SCORES = "episodes whose stored scores are a bare number, which says of no dimension"
    BARE_SCORE = "agents with a bare number beside another agent's scores by dimension, left out"
    SILENT_END = "episodes that ended because a turn was empty"


Quirks: TypeAlias = Counter[Quirk]
"""How often each quirk occurred; functions add to it."""


def quirk_lines(quirks: Quirks) -> tuple[str, ...]:
    """One line for each quirk that occurred, in the order of `Quirk`."""
    return tuple(f"{quirk}: {quirks[quirk]}" for quirk in Quirk if quirks[quirk])
