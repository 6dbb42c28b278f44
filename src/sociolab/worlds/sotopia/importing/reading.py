"""SOTOPIA's public files as typed rows.

Whatever is wrong with a line is told in one sentence; what is only odd is a quirk, and counted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Generic, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from sociolab.core.errors import ConfigError


class RawRow(BaseModel):
    """A row as it stands in a file of somebody else's: fields that we do not know are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class PlacedRow(Generic[R]):
    """A row, and the file and line that it stands on."""

    place: str
    row: R


def rows(path: Path, kind: type[R]) -> tuple[PlacedRow[R], ...]:
    """The rows of a JSON-lines file; blank lines are skipped.

    ConfigError, with file and line, where a line is not JSON or not such a row.
    """
    found = []
    for number, line in enumerate(file_text(path).split("\n"), start=1):
        if line.strip():
            place = f"{path}, line {number}"
            found.append(PlacedRow(place, record(place, kind, _json(place, line))))
    return tuple(found)


def document(path: Path) -> object:
    """A file that is one JSON value; ConfigError where it is not."""
    return _json(str(path), file_text(path))


def record(place: str, kind: type[R], fields: object) -> R:
    """A record built from fields; ConfigError with the place where they do not fit."""
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise ConfigError(f"{place}: {_problem(error)}") from error


def _problem(error: ValidationError) -> str:
    """The first thing that does not fit, in words that name no class of ours."""
    first = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    found = str(first["input"])[:80]
    if not field:
        return f"expected a JSON object, found {found!r}"
    if first["type"] == "missing":
        return f"{field} is missing"
    return f"{field}: {first['msg'][:1].lower()}{first['msg'][1:]}, found {found!r}"


def by_id(items: Iterable[tuple[str, str, R]], what: str) -> dict[str, R]:
    """Records by id, from (place, id, record); ConfigError where an id comes twice."""
    found: dict[str, R] = {}
    for place, key, item in items:
        if key in found:
            raise ConfigError(f"{place}: the {what} {key} comes a second time; remove one of them")
        found[key] = item
    return found


def known(place: str, key: str, among: Mapping[str, R], what: str) -> R:
    """The record of this id; ConfigError where there is none."""
    try:
        return among[key]
    except KeyError:
        raise ConfigError(f"{place}: there is no {what} with the id {key!r}") from None


def file_text(path: Path) -> str:
    """A file as text, without a byte order mark; ConfigError where it cannot be read."""
    try:
        return path.read_text("utf-8-sig")
    except FileNotFoundError as error:
        raise ConfigError(f"expected the file {path}, and there is none") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read as UTF-8 text ({error})") from error


def _json(place: str, text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError(
            f"{place}: expected JSON, found {text.strip()[:60]!r} ({error.msg} at "
            f"character {error.pos + 1}); mend or remove it"
        ) from error


class Quirk(StrEnum):
    """Something in the files that is not as its field says, and what the import does about it."""

    SPACED_ITEM = "list items with spaces around them, stripped"
    UNREAD_TRAITS = "Big Five texts that could not be read, left out"
    EMPTY_CONSTRAINT = 'constraints written "nan" or "none", read as no constraint'
    AGENT_CONSTRAINT = "agent constraints without a form that could be read, left out"
    ENVIRONMENT_PART = "parts for the environment only, kept from the players"
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
    SILENT_END = "episodes that ended because a turn was empty"


Quirks: TypeAlias = Counter[Quirk]
"""How often each quirk was met; passed along and added to."""


def quirk_lines(quirks: Quirks) -> tuple[str, ...]:
    """One line for each quirk that was met, in the order in which they are defined."""
    return tuple(f"{quirk}: {quirks[quirk]}" for quirk in Quirk if quirks[quirk])
