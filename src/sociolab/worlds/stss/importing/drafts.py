"""A public task on its way to ours: what can be mended, beside the record as it stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta

from sociolab.core.errors import ConfigError
from sociolab.worlds.stss.importing.place_names import PlaceNames
from sociolab.worlds.stss.importing.raw_tasks import OPEN, TYPES, Numbered, RawAim, RawTask
from sociolab.worlds.stss.importing.slugs import slug
from sociolab.worlds.stss.task import Errand, SocialTask, TaskType

STAMP = re.compile(r"(\d{4}-\d{2}-\d{2})(?: (\d{2}:\d{2}))?")
"""A date in a text, and the time behind it where there is one."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a task is held against: the map's places, residents' ids by name, start environments.

    `starts`: what the performer's `currently` says in the environment of this name.
    """

    names: PlaceNames
    people: Mapping[str, str]
    starts: Mapping[str, str]


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
    """A task in the public files' own names. `cast` and `needed` include the performer."""

    number: int
    raw: RawTask
    type: TaskType
    performer: str
    cast: tuple[str, ...]
    needed: tuple[str, ...]
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
        needed=tuple(
            dict.fromkeys(
                _name(name)
                for name in (
                    raw.performer,
                    *raw.task.target,
                    *(name for aim in raw.task.goal for name in aim.required_character),
                )
            )
        ),
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
    """Our record of a draft whose people and places exist."""
    first, told = draft.aims[0], draft.texts
    errands = draft.aims if draft.type == "asking for help" else ()
    return SocialTask(
        id=f"stss-{draft.number:02d}-{slug(first.what)}",
        type=draft.type,
        title=first.what[:1].upper() + first.what[1:],
        goal=" ".join(_sentence(text) for text in (told.order, told.promise) if text),
        performer=people[draft.performer],
        background=tuple(people[name] for name in draft.background),
        days=(draft.day - timedelta(days=1), draft.day),
        day=draft.day,
        activity=first.what,
        keywords=() if errands else first.keywords,
        place="" if errands else first.place,
        start=draft.start,
        minutes=max(1, first.minutes) if not errands else 60,
        partner=people[draft.partner] if draft.partner else "",
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
