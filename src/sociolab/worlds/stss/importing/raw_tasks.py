"""The public task files as they stand: one list of records each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field

from sociolab.core.errors import ConfigError
from sociolab.worlds.stss.importing.reading import RawRecord, json_file, record
from sociolab.worlds.stss.task import TaskType

OPEN = "N/A"
"""What the files write where a time or place is left open."""

RawType = Literal[
    "Party",
    "Public Activity",
    "Personal appointment",
    "Find partner",
    "Online meeting",
    "Ask for others",
]

TYPES: Mapping[RawType, TaskType] = {
    "Party": "public activity",
    "Public Activity": "public activity",
    "Personal appointment": "appointment",
    "Find partner": "inviting companions",
    "Online meeting": "online activity",
    "Ask for others": "asking for help",
}

TIMED: tuple[RawType, ...] = ("Party", "Public Activity", "Online meeting")
"""The types that fix a time (STSS Table 2)."""


class RawAim(RawRecord):
    """One thing that is to happen: the filter for actions, the time, the place, who is needed."""

    keyword: str = Field(min_length=1)
    alter_kwd: tuple[str, ...] = ()
    start_time: str = Field(pattern=r"^(N/A|\d{4}-\d{2}-\d{2} ([01]\d|2[0-3]):[0-5]\d)$")
    duration_in_minutes: int = Field(ge=0)
    location: str
    required_character: tuple[str, ...] = ()


class _Aims(RawRecord):
    target: tuple[str, ...] = ()
    target_num: int
    goal: tuple[RawAim, ...] = Field(min_length=1, max_length=2)


class RawTask(RawRecord):
    """One task. `goal` is for readers; the performer is told `FPG` and then `Description`."""

    goal: str
    FPG: str = Field(min_length=1)
    Description: str
    task_type: RawType
    task: _Aims
    performer: str
    performer_choices: tuple[str, ...] = ()
    all_chars: tuple[str, ...]
    n_characters: int | None = None
    Note: str = ""
    env_name: str = ""
    shared_spatial_mem: dict[str, dict[str, object]] = Field(default_factory=dict)
    required_spatial_mem: dict[str, dict[str, object]] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Numbered:
    """A task with its number over all files, from 1, and the file and index it stands at."""

    number: int
    place: str
    raw: RawTask


def read_tasks(files: Sequence[Path]) -> tuple[Numbered, ...]:
    """All tasks in order; ConfigError with file and index (from 1) where one cannot be read."""
    found: list[Numbered] = []
    for path in files:
        items = json_file(path)
        if not isinstance(items, list):
            raise ConfigError(f"{path}: expected a list of tasks, found something else; mend it")
        for index, fields in enumerate(items, start=1):
            place = f"{path}, task {index}"
            raw = record(place, RawTask, fields)
            _check_aims(place, raw)
            found.append(Numbered(len(found) + 1, place, raw))
    return tuple(found)


def _check_aims(place: str, raw: RawTask) -> None:
    wanted = 2 if raw.task_type == "Ask for others" else 1
    if len(raw.task.goal) != wanted:
        raise ConfigError(
            f"{place}: task.goal: expected {wanted} for the type {raw.task_type!r}, found "
            f"{len(raw.task.goal)}; mend it"
        )
    if raw.task_type in TIMED and raw.task.goal[0].start_time == OPEN:
        raise ConfigError(
            f'{place}: task.goal.0.start_time: expected "YYYY-MM-DD HH:MM" for the type '
            f"{raw.task_type!r}, found {OPEN!r}; mend it"
        )
    if raw.task_type == "Personal appointment" and len(raw.task.target) != 1:
        raise ConfigError(
            f"{place}: task.target: expected the one person to be met, found "
            f"{len(raw.task.target)}; mend it"
        )
