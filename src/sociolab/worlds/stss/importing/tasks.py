"""The public tasks as they stand, and on their way to ours."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Literal

from pydantic import Field

from sociolab.core.errors import ConfigError
from sociolab.core.reading import ForeignRecord, json_file, record
from sociolab.worlds.stss.importing.village import PlaceNames, slug
from sociolab.worlds.stss.task import Errand, SocialTask, TaskType

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


class RawAim(ForeignRecord):
    """One thing that is to happen: the filter for actions, the time, and the place."""

    keyword: str = Field(min_length=1)
    alter_kwd: tuple[str, ...] = ()
    start_time: str = Field(pattern=r"^(N/A|\d{4}-\d{2}-\d{2} ([01]\d|2[0-3]):[0-5]\d)$")
    duration_in_minutes: int = Field(ge=0)
    location: str


class _Aims(ForeignRecord):
    target: tuple[str, ...] = ()
    target_num: int
    goal: tuple[RawAim, ...] = Field(min_length=1, max_length=2)


class RawTask(ForeignRecord):
    """One task. `goal` is for readers; the performer is told `FPG` and then `Description`."""

    goal: str
    FPG: str = Field(min_length=1)
    Description: str
    task_type: RawType
    task: _Aims
    performer: str
    performer_choices: tuple[str, ...] = ()
    all_chars: tuple[str, ...]
    Note: str = ""
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
            _check(place, raw)
            found.append(Numbered(len(found) + 1, place, raw))
    return tuple(found)


def _check(place: str, raw: RawTask) -> None:
    if not set(raw.all_chars) - {raw.performer}:
        raise ConfigError(f"{place}: all_chars: expected somebody beside the performer; add them")
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


STAMP = re.compile(r"(\d{4}-\d{2}-\d{2})(?: (\d{2}:\d{2}))?")
"""A date in a text, and the time behind it where there is one."""


@dataclass(frozen=True, slots=True)
class TownFacts:
    """What a task is held against: the map's places, residents' ids by name, and what is written
    of the ordinary days of each.
    """

    names: PlaceNames
    people: Mapping[str, str]
    days: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Aim:
    """What is to be done (the filter's first word), its filter, and where ("" where left open)."""

    what: str
    keywords: tuple[str, ...]
    place: str
    minutes: int


@dataclass(frozen=True, slots=True)
class Texts:
    """What a task says of itself: a line for readers, and the two that the performer is told.

    The public files call them `goal`, `FPG` and `Description`.
    """

    goal: str
    order: str
    promise: str

    @property
    def by_field(self) -> tuple[tuple[str, str], ...]:
        """Each text under the name that it has in the public files."""
        return ("goal", self.goal), ("FPG", self.order), ("Description", self.promise)

    def each(self, change: Callable[[str], str]) -> Texts:
        """All three, changed."""
        return Texts(change(self.goal), change(self.order), change(self.promise))


@dataclass(frozen=True, slots=True)
class Draft:
    """A task in the public files' own names. `cast` includes the performer."""

    number: int
    raw: RawTask
    type: TaskType
    performer: str
    cast: tuple[str, ...]
    partner: str
    aims: tuple[Aim, ...]
    day: date
    start: str
    texts: Texts

    @property
    def where(self) -> str:
        """How a report calls the task."""
        return f"task {self.number}"

    @property
    def background(self) -> tuple[str, ...]:
        """The cast without the performer."""
        return tuple(name for name in self.cast if name != self.performer)

    @property
    def expected(self) -> int:
        """How many others should take part, by the rule of our own tasks; 0 if there are none."""
        if not self.background:
            return 0
        return SocialTask(
            id="",
            type=self.type,
            title="",
            goal="",
            performer=self.performer,
            background=self.background,
            days=(self.day,),
            day=self.day,
            activity="",
        ).expected

    def retold(self, old: str, new: str) -> Draft:
        """The draft with another name in all its texts, whatever its capitals there."""
        name = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)", re.IGNORECASE)
        return replace(self, texts=self.texts.each(lambda text: name.sub(lambda _: new, text)))


def draft_of(task: Numbered, names: PlaceNames) -> Draft:
    """The draft of a record; ConfigError where it names no date, or one that does not exist.

    Places that the map has are spelled in the texts as the map spells them.
    """
    raw = task.raw
    aims = tuple(_aim(aim, names) for aim in raw.task.goal)
    day, start = _when(task)
    draft = Draft(
        number=task.number,
        raw=raw,
        type=TYPES[raw.task_type],
        performer=_name(raw.performer),
        cast=tuple(_name(name) for name in raw.all_chars),
        partner=_name(raw.task.target[0]) if raw.task_type == "Personal appointment" else "",
        aims=aims,
        day=day,
        start=start,
        texts=Texts(raw.goal.strip(), raw.FPG.strip(), raw.Description.strip()),
    )
    for aim, written in zip(aims, raw.task.goal, strict=True):
        if ":" in written.location and ": " in aim.place:
            draft = draft.retold(written.location.strip(), aim.place)
    return draft


def task_of(draft: Draft, people: Mapping[str, str]) -> SocialTask:
    """Our record of a draft; somebody who is no resident goes by the name in the file."""
    first, told = draft.aims[0], draft.texts
    errands = draft.aims if draft.type == "asking for help" else ()
    return SocialTask(
        id=f"stss-{draft.number:02d}-{slug(first.what)}",
        type=draft.type,
        title=first.what[:1].upper() + first.what[1:],
        goal=" ".join(_sentence(text) for text in (told.order, told.promise) if text),
        performer=people.get(draft.performer, draft.performer),
        background=tuple(people.get(name, name) for name in draft.background),
        days=(draft.day - timedelta(days=1), draft.day),
        day=draft.day,
        activity=first.what,
        keywords=() if errands else first.keywords,
        place="" if errands else first.place,
        start=draft.start,
        minutes=max(1, first.minutes) if not errands else 60,
        partner=people.get(draft.partner, draft.partner),
        errands=tuple(
            Errand(what=aim.what, keywords=aim.keywords, place=aim.place, minutes=aim.minutes)
            for aim in errands
        ),
    )


def _aim(raw: RawAim, names: PlaceNames) -> Aim:
    words = [" ".join(word.casefold().split()) for word in (raw.keyword, *raw.alter_kwd)]
    written = "" if raw.location.strip() == OPEN else raw.location.strip()
    return Aim(
        what=" ".join(raw.keyword.split()),
        keywords=tuple(dict.fromkeys(word for word in words if word)),
        place=names.resolve(written) or written,
        minutes=raw.duration_in_minutes,
    )


def _when(task: Numbered) -> tuple[date, str]:
    raw = task.raw
    start = raw.task.goal[0].start_time
    stamp = STAMP.search(" ".join((start, raw.FPG, raw.Description, raw.goal)))
    if stamp is None:
        raise ConfigError(f'{task.place}: expected a date "YYYY-MM-DD" in its texts, found none')
    try:
        return date.fromisoformat(stamp[1]), "" if start == OPEN else start.split()[1]
    except ValueError as error:
        raise ConfigError(f"{task.place}: there is no date {stamp[1]!r} ({error})") from error


def _name(written: str) -> str:
    return " ".join(written.split())


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
