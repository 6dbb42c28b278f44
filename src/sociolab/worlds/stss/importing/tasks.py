"""The public tasks as they stand, then as ours: checked, corrected if requested, or left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import Field

from sociolab.core.errors import ConfigError
from sociolab.core.reading import ForeignRecord, json_file, record
from sociolab.worlds.stss.importing.village import Defect, DefectKind, PlaceNames, sector_of, slug
from sociolab.worlds.stss.literals import NUMBER, parse_number
from sociolab.worlds.stss.task import (
    COUNTED,
    Errand,
    SocialTask,
    TaskType,
    missed_forms,
    ordinary_matches,
    task_faults,
)

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
    """One task. `goal` is for readers; the performer is given `FPG` and then `Description`."""

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
    """A task with its number over all files, from 1, and its file and index."""

    number: int
    place: str
    raw: RawTask


def read_tasks(files: Sequence[Path]) -> tuple[Numbered, ...]:
    """All tasks in order; ConfigError with file and index (from 1) where one cannot be read."""
    tasks: list[Numbered] = []
    for path in files:
        items = json_file(path)
        if not isinstance(items, list):
            raise ConfigError(f"{path}: expected a list of tasks, found something else; mend it")
        for index, fields in enumerate(items, start=1):
            place = f"{path}, task {index}"
            raw = record(place, RawTask, fields)
            _check(place, raw)
            tasks.append(Numbered(len(tasks) + 1, place, raw))
    return tuple(tasks)


def _check(place: str, raw: RawTask) -> None:
    if not set(raw.all_chars) - {raw.performer}:
        raise ConfigError(f"{place}: all_chars: expected somebody beside the performer; add them")
    goal_count = 2 if raw.task_type == "Ask for others" else 1
    if len(raw.task.goal) != goal_count:
        raise ConfigError(
            f"{place}: task.goal: expected {goal_count} for the type {raw.task_type!r}, found "
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
    """What a task is checked against: the map's places, residents' ids by name, and what is written
    of the ordinary days of each."""

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
    """What a task says of itself: a line for readers, and the two texts that the performer is
    given.

    The public files call them `goal`, `FPG` and `Description`.
    """

    goal: str
    order: str
    promise: str

    @property
    def by_field(self) -> tuple[tuple[str, str], ...]:
        """Each text under its name in the public files."""
        return ("goal", self.goal), ("FPG", self.order), ("Description", self.promise)

    def each(self, change: Callable[[str], str]) -> Texts:
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
    target_num: int

    @property
    def where(self) -> str:
        return f"task {self.number}"

    @property
    def background(self) -> tuple[str, ...]:
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

    def replace_name(self, old: str, new: str) -> Draft:
        """Replace a name in all texts, ignoring case."""
        name = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)", re.IGNORECASE)
        return replace(self, texts=self.texts.each(lambda text: name.sub(lambda _: new, text)))


def make_draft(task: Numbered, names: PlaceNames) -> Draft:
    """The draft of a record; ConfigError where it names no date, or one that does not exist.

    Places are respelled in the texts as on the map.
    """
    raw = task.raw
    aims = tuple(_make_aim(aim, names) for aim in raw.task.goal)
    day, start = _read_time(task)
    draft = Draft(
        number=task.number,
        raw=raw,
        type=TYPES[raw.task_type],
        performer=_clean_name(raw.performer),
        cast=tuple(_clean_name(name) for name in raw.all_chars),
        partner=_clean_name(raw.task.target[0]) if raw.task_type == "Personal appointment" else "",
        aims=aims,
        day=day,
        start=start,
        texts=Texts(raw.goal.strip(), raw.FPG.strip(), raw.Description.strip()),
        target_num=raw.task.target_num,
    )
    for aim, written in zip(aims, raw.task.goal, strict=True):
        if ":" in written.location and ": " in aim.place:
            draft = draft.replace_name(written.location.strip(), aim.place)
    return draft


def make_task(draft: Draft, people: Mapping[str, str]) -> SocialTask:
    """Our record of a draft; somebody who is no resident keeps the name in the file."""
    first, texts = draft.aims[0], draft.texts
    errands = draft.aims if draft.type == "asking for help" else ()
    by_number = draft.type in COUNTED and draft.target_num != draft.expected + 1
    return SocialTask(
        id=f"stss-{draft.number:02d}-{slug(first.what)}",
        type=draft.type,
        title=first.what[:1].upper() + first.what[1:],
        goal=" ".join(
            text if text.endswith((".", "!", "?")) else f"{text}."
            for text in (texts.order, texts.promise)
            if text
        ),
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
        target_num=draft.target_num if by_number else 0,
    )


def _make_aim(raw: RawAim, names: PlaceNames) -> Aim:
    words = [" ".join(word.casefold().split()) for word in (raw.keyword, *raw.alter_kwd)]
    written = "" if raw.location.strip() == OPEN else raw.location.strip()
    return Aim(
        what=" ".join(raw.keyword.split()),
        keywords=tuple(dict.fromkeys(word for word in words if word)),
        place=names.resolve(written) or written,
        minutes=raw.duration_in_minutes,
    )


def _read_time(task: Numbered) -> tuple[date, str]:
    raw = task.raw
    start = raw.task.goal[0].start_time
    stamp = STAMP.search(" ".join((start, raw.FPG, raw.Description, raw.goal)))
    if stamp is None:
        raise ConfigError(f'{task.place}: expected a date "YYYY-MM-DD" in its texts, found none')
    try:
        return date.fromisoformat(stamp[1]), "" if start == OPEN else start.split()[1]
    except ValueError as error:
        raise ConfigError(f"{task.place}: there is no date {stamp[1]!r} ({error})") from error


def _clean_name(written: str) -> str:
    return " ".join(written.split())


@dataclass(frozen=True, slots=True)
class ImportedTasks:
    """The playable tasks, all defects met, and the numbers of tasks left out."""

    tasks: tuple[SocialTask, ...]
    defects: tuple[Defect, ...]
    left_out: tuple[int, ...]


def make_tasks(raw: Sequence[Numbered], facts: TownFacts, *, correct: bool) -> ImportedTasks:
    """Our tasks from the public ones.

    All defects are found in either case. With `correct` the corrected task is taken, else the one
    in the file; a task at a place that does not exist is left out. ConfigError with file and index
    where it cannot be played for another reason.
    """
    tasks: list[SocialTask] = []
    defects: list[Defect] = []
    left_out: list[int] = []
    for numbered in raw:
        draft = make_draft(numbered, facts.names)
        mended, draft_defects = draft, list[Defect]()
        for check in CHECKS:
            mended, more = check(mended, facts)
            draft_defects += more
        defects += draft_defects
        nowhere = [defect for defect in draft_defects if defect.kind is DefectKind.UNKNOWN_PLACE]
        if any(not (correct and defect.correction) for defect in nowhere):
            left_out.append(numbered.number)
            continue
        task = make_task(mended if correct else draft, facts.people)
        for fault in task_faults(task, facts.people.values(), facts.names.town):
            raise ConfigError(f"{numbered.place}: {fault}")
        tasks.append(task)
    return ImportedTasks(tuple(tasks), tuple(defects), tuple(left_out))


# ------------------------------------------------------------------ who takes part


def check_performer(draft: Draft, _: TownFacts) -> tuple[Draft, list[Defect]]:
    """The performer is one of the choices, where the record lists them ("#Any": anybody)."""
    choices = draft.raw.performer_choices
    if not choices or draft.performer in choices or any(c.startswith("#") for c in choices):
        return draft, []
    actual = f"{draft.performer}, not {' or '.join(choices)}"
    remedy = "the performer of the texts stays"
    return draft, [Defect(DefectKind.OTHER_PERFORMER, draft.where, "performer", actual, remedy)]


# ------------------------------------------------------------------ the filter


TELLING = 4
"""Shorter words of a filter do not show what a text is about."""

PLACED = ("public activity", "inviting companions", "asking for help")
"""The types of task that fix a place (STSS Table 2)."""


def check_places(draft: Draft, facts: TownFacts) -> tuple[Draft, list[Defect]]:
    """Every place is on the map; a wrong name becomes the most similar one, also in the texts."""
    defects: list[Defect] = []
    for index, aim in enumerate(draft.aims):
        left_open = not aim.place and draft.type not in PLACED
        if left_open or facts.names.resolve(aim.place):
            continue
        right = facts.names.nearest(aim.place) if aim.place else ""
        field = f"task.goal.{index}.location"
        actual = aim.place or "no place"
        defects.append(Defect(DefectKind.UNKNOWN_PLACE, draft.where, field, actual, right))
        if right:
            draft = draft.replace_name(aim.place, right)
            aims = list(draft.aims)
            aims[index] = replace(aim, place=right)
            draft = replace(draft, aims=tuple(aims))
    return draft, defects


def check_filter(draft: Draft, _: TownFacts) -> tuple[Draft, list[Defect]]:
    """The order mentions what the filter looks for; else the note's words become the filter."""
    defects: list[Defect] = []
    aims: list[Aim] = []
    for index, aim in enumerate(draft.aims):
        if mentions(draft.texts.order, aim.keywords):
            aims.append(aim)
            continue
        right = _filter_from_note(draft)
        actual = f"{', '.join(aim.keywords)} in {draft.texts.order!r}"
        field = f"task.goal.{index}.keyword"
        defects.append(
            Defect(DefectKind.FOREIGN_FILTER, draft.where, field, actual, ", ".join(right))
        )
        aims.append(replace(aim, what=right[0], keywords=right) if right else aim)
    return replace(draft, aims=tuple(aims)), defects


def check_promised_activity(draft: Draft, _: TownFacts) -> tuple[Draft, list[Defect]]:
    """The description mentions what the filter looks for, or no event by name; else it is
    dropped."""
    keywords = [word for aim in draft.aims for word in aim.keywords]
    plain = re.search(r"\bevent\b", draft.texts.promise, re.IGNORECASE)
    if not draft.texts.promise or plain or mentions(draft.texts.promise, keywords):
        return draft, []
    actual, remedy = draft.texts.promise, "the description is not told"
    defect = Defect(DefectKind.OTHER_ACTIVITY, draft.where, "Description", actual, remedy)
    return replace(draft, texts=replace(draft.texts, promise="")), [defect]


def mentions(text: str, keywords: Iterable[str]) -> bool:
    """Whether a text contains one of the distinctive words of a filter, ignoring case."""
    words = {word for keyword in keywords for word in re.findall(r"\w+", keyword.casefold())}
    plain = text.casefold()
    telling = [word for word in words if len(word) >= TELLING]
    return any(word in plain for word in telling or words)


def _filter_from_note(draft: Draft) -> tuple[str, ...]:
    """A filter from a note such as "Online meeting: watching movies"; () where the order does not
    mention it.

    The phrase, its last word, and that without its plural.
    """
    phrase = " ".join(draft.raw.Note.rpartition(":")[2].casefold().split())
    if not phrase or phrase not in draft.texts.order.casefold():
        return ()
    last = phrase.split()[-1]
    return tuple(dict.fromkeys((phrase, last, last.removesuffix("s"))))


# ------------------------------------------------------------------ the texts


EVENT = re.compile(r"\bhold an? (.+?) at ", re.IGNORECASE)
"""What is to be held, in a text."""


def check_event(draft: Draft, facts: TownFacts) -> tuple[Draft, list[Defect]]:
    """The order and the line for readers are about the same event.

    Where they are not, and the order also names another place than is scored while the line does
    not, the order is rewritten from the line.
    """
    order, line = EVENT.search(draft.texts.order), EVENT.search(draft.texts.goal)
    if order is None or line is None or order[1].casefold() == line[1].casefold():
        return draft, []
    foreign = _foreign_places(draft, draft.texts.order, facts)
    if not foreign or _foreign_places(draft, draft.texts.goal, facts):
        remedy = f"the performer is told of the {order[1]}"
        return draft, [Defect(DefectKind.OTHER_EVENT, draft.where, "goal", line[1], remedy)]
    remedy = "told in the words of the goal"
    defects = [Defect(DefectKind.OTHER_EVENT, draft.where, "FPG", order[1], f"{line[1]}, {remedy}")]
    for place in foreign:
        right = f"{draft.aims[0].place}, {remedy}"
        defects.append(Defect(DefectKind.PROMISED_PLACE, draft.where, "FPG", place, right))
    # Some goals give the date twice: "... at 2023-02-14 15:00 on 2023-02-14 15:00".
    sentence = re.sub(rf"({STAMP.pattern}) on \1", r"\1", draft.texts.goal)
    sentence = f"{draft.performer} wants to {sentence[:1].lower()}{sentence[1:]}"
    return replace(draft, texts=replace(draft.texts, order=sentence)), defects


def check_named_places(draft: Draft, facts: TownFacts) -> tuple[Draft, list[Defect]]:
    """The texts of a task with one place name no other."""
    right = draft.aims[0].place
    foreign = [
        (field, place)
        for field, text in draft.texts.by_field
        for place in _foreign_places(draft, text, facts)
    ]
    for place in dict.fromkeys(place for _, place in foreign):
        draft = draft.replace_name(place, right)
    return draft, [
        Defect(DefectKind.PROMISED_PLACE, draft.where, field, place, right)
        for field, place in foreign
    ]


def check_numbers(draft: Draft, _: TownFacts) -> tuple[Draft, list[Defect]]:
    """The record and its texts give the number that the rule gives.

    The record's number includes the performer, except where somebody is asked for help.
    """
    where, expected = draft.where, draft.expected
    required = expected if draft.type == "asking for help" else expected + 1
    defects: list[Defect] = []
    if draft.raw.task.target_num != required:
        actual, remedy = str(draft.raw.task.target_num), f"{required}, by the rule"
        defects.append(Defect(DefectKind.WRONG_NUMBER, where, "task.target_num", actual, remedy))
    if draft.type not in COUNTED:
        return draft, defects
    right, promise = f"{expected}, by the rule", draft.texts.promise
    numbers = [number.lower() for number in NUMBER.findall(promise)]
    wrong = [number for number in numbers if parse_number(number) != expected]
    defects += [Defect(DefectKind.PROMISED_NUMBER, where, "Description", n, right) for n in wrong]
    if not numbers:
        defects.append(Defect(DefectKind.NO_NUMBER, where, "Description", "no number", right))
        promise = f"{promise} At least {expected} others are hoped for.".strip()
    promise = NUMBER.sub(lambda match: match[0].replace(match[1], str(expected), 1), promise)
    promise = promise.replace(f"{expected} another", f"{expected} other")
    texts = replace(draft.texts, promise=promise)
    return replace(draft, texts=texts, target_num=required), defects


def check_ordinary_days(draft: Draft, facts: TownFacts) -> tuple[Draft, list[Defect]]:
    """The filter tells its activity from what people do on any day, and matches other forms of its
    own words. It is reported only, so that scores are those of the public filter."""
    routines = [text for name in draft.background for text in facts.days.get(name, ())]
    defects: list[Defect] = []
    for index, aim in enumerate(draft.aims):
        for kind, texts in (
            (DefectKind.ORDINARY_FILTER, ordinary_matches([aim.keywords], routines)),
            (DefectKind.MISSED_FORM, missed_forms(aim.keywords)),
        ):
            if texts:
                actual = f"{', '.join(aim.keywords)}: {'; '.join(texts)}"
                field, remedy = f"task.goal.{index}.keyword", "the printed filter stays"
                defects.append(Defect(kind, draft.where, field, actual, remedy))
    return draft, defects


def _foreign_places(draft: Draft, text: str, facts: TownFacts) -> tuple[str, ...]:
    """The sectors that a text names and that are not scored; () unless one place is scored."""
    if len(draft.aims) != 1 or not facts.names.resolve(draft.aims[0].place):
        return ()
    right = sector_of(draft.aims[0].place)
    return tuple(sector for sector in facts.names.mentioned(text) if sector != right)


# ------------------------------------------------------------------ all checks


Check: TypeAlias = Callable[[Draft, TownFacts], tuple[Draft, list[Defect]]]
CHECKS: tuple[Check, ...] = (
    check_performer,
    check_places,
    check_filter,
    check_event,
    check_named_places,
    check_promised_activity,
    check_numbers,
    check_ordinary_days,
)
"""In this order: each sees what those before it have mended."""
