"""What a social task is, what can be wrong with one, and which words identify its action."""

from __future__ import annotations

import operator
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cache
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from sociolab.town.clock import TimeOfDay, parse_time
from sociolab.town.map import TownMap
from sociolab.town.questions import Chore, Matter
from sociolab.town.residents import Resident, is_known_place

TaskType: TypeAlias = Literal[
    "public activity", "appointment", "inviting companions", "online activity", "asking for help"
]
TASK_TYPES: tuple[TaskType, ...] = (
    "public activity",
    "appointment",
    "inviting companions",
    "online activity",
    "asking for help",
)
"""In the order of Table 4's columns."""


class Frozen(BaseModel):
    """The base of records read from files: immutable, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Errand(Frozen):
    """One of the two subtasks of asking for help: what somebody else does, and where.

    An action that contains one of `keywords`, ignoring case, counts as doing the errand.
    """

    what: str
    keywords: tuple[str, ...] = Field(min_length=1)
    place: str
    minutes: int = Field(default=5, ge=0)


class SocialTask(Frozen):
    """A task with its performer and residents (STSS section 3.1 and Table 2).

    `goal` is the text given to the performer; it names date, time and place as the fields do. An
    action that contains one of `keywords`, ignoring case, counts as taking part. `place` is
    "Sector: arena", or a sector whose every arena counts; "" where the type leaves it open. `start`
    is "" where the type leaves the time open; then the whole `day` counts. `minutes` is how long
    the event lasts from `start`. `partner` is the appointment's. `days` are the dates that are
    simulated, `day` one of them. `target_num` is how many the authors' file wants, the performer
    included, where that is not the number of their rule (0: it is).
    """

    id: str
    type: TaskType
    title: str
    goal: str
    performer: str
    background: tuple[str, ...] = Field(min_length=1)
    days: tuple[date, ...] = Field(min_length=1)
    day: date
    activity: str
    keywords: tuple[str, ...] = Field(default=())
    place: str = ""
    start: Literal[""] | TimeOfDay = ""
    minutes: int = Field(default=60, ge=1)
    partner: str = ""
    errands: tuple[Errand, ...] = ()
    target_num: int = Field(default=0, ge=0, exclude_if=operator.not_)

    @property
    def places(self) -> tuple[str, ...]:
        """The places that the goal names: the event's, or the errands' in order."""
        return tuple(filter(None, (self.place, *(errand.place for errand in self.errands))))

    @property
    def end(self) -> str:
        """The time of day at which the event is over; "" where the time is open."""
        if not self.start:
            return ""
        begins = datetime.combine(self.day, parse_time(self.start))
        return f"{begins + timedelta(minutes=self.minutes):%H:%M}"

    @property
    def matter(self) -> Matter:
        """The task in typed form, for scripted minds."""
        return Matter(
            kind=self.type,
            host=self.performer,
            what=self.activity[:200],  # as long as `Matter.what` may be
            day=self.day.isoformat(),
            start=self.start,
            minutes=min(self.minutes, 24 * 60),
            place=self.place,
            partner=self.partner,
            chores=tuple(
                Chore(what=errand.what[:200], place=errand.place) for errand in self.errands
            ),
        )

    def given_to(self, performer: Resident) -> Resident:
        """The performer with the goal on their mind, knowing the task's places."""
        return performer.model_copy(
            update={
                "currently": f"{performer.currently} {self.goal}".strip(),
                "knows": tuple(dict.fromkeys((*performer.knows, *self.places))),
            }
        )

    @property
    def expected(self) -> int:
        """How many background residents should take part (STSS appendix A.1).

        Half of them, rounded up, for public and online activities; a third for companions; one for
        an appointment and for help.
        """
        present = len(self.background)
        match self.type:
            case "public activity" | "online activity":
                return ceil(present / 2)
            case "inviting companions":
                return ceil(present / 3)
            case _:
                return 1


COUNTED: tuple[TaskType, ...] = ("public activity", "inviting companions", "online activity")
"""The types of task whose score is the number of participants divided by the expected one."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What a type of task fixes (STSS section 3.1); the rest is up to the residents."""

    place: bool = False
    start: bool = False
    partner: bool = False
    errands: int = 0

    @property
    def keywords(self) -> bool:
        """Whether the task itself has a keyword filter; otherwise each errand has one."""
        return not self.errands


RULES: dict[TaskType, Rule] = {
    "public activity": Rule(place=True, start=True),
    "appointment": Rule(partner=True),
    "inviting companions": Rule(place=True),
    "online activity": Rule(start=True),
    "asking for help": Rule(errands=2),
}


# ------------------------------------------------------------------ faults


def task_faults(task: SocialTask, people: Collection[str], town: TownMap) -> tuple[str, ...]:
    """All faults of a task with these residents (ids) on this map; none if it is playable.

    Each is a clause: what was expected, what was found and what to do.
    """
    return (*_people_faults(task, people), *_place_faults(task, town), *_type_faults(task))


def _people_faults(task: SocialTask, people: Collection[str]) -> Iterator[str]:
    named = [("performer", task.performer), *(("background", who) for who in task.background)]
    if task.partner:
        named.append(("partner", task.partner))
    for field, who in named:
        if who not in people:
            yield f'expected a resident in "{field}", found "{who}"; correct the id or add them'
    if task.performer in task.background:
        yield f'expected the performer outside the background, found "{task.performer}" in it too'
    for place, who in enumerate(task.background):
        if who in task.background[:place]:
            yield f'expected everybody once in the background, found "{who}" twice'


def _place_faults(task: SocialTask, town: TownMap) -> Iterator[str]:
    for place in task.places:
        if not is_known_place(place, town):
            yield (
                f'expected a place on the map of {town.name}, found "{place}"; '
                'write a sector or "Sector: arena" as there'
            )


def _type_faults(task: SocialTask) -> Iterator[str]:
    rule = RULES[task.type]
    if task.day not in task.days:
        yield f"expected the day among the simulated days, found {task.day}; add it to them"
    for day, later in pairwise(task.days):
        if later - day != timedelta(days=1):
            yield f"expected days that follow one another, found {later} after {day}; correct them"
    if rule.place and not task.place:
        yield f'expected a place, as every "{task.type}" has one, found none; add it'
    if rule.start and not task.start:
        yield f'expected a start, as every "{task.type}" has one, found none; add it as "HH:MM"'
    if rule.keywords and not any(word.strip() for word in task.keywords):
        yield "expected keywords to know the activity by, found none; add some"
    if rule.partner and not task.partner:
        yield "expected the partner of the appointment, found none; add their id"
    if task.partner and task.partner not in task.background:
        yield f'expected the partner in the background, found "{task.partner}" outside it'
    if len(task.errands) != rule.errands:
        yield (
            f'expected {rule.errands} errands, as for every "{task.type}", '
            f"found {len(task.errands)}; give as many"
        )


# ------------------------------------------------------------------ the filter of keywords


# Curly apostrophes are straight ones, and all hyphens one hyphen.
_PLAIN = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u2010": "-", "\u2011": "-", "\u00ad": None}
)
_BETWEEN = r"[\s-]+"
_LEAST_HALF = 4
"""Letters of either half of a compound that may be written apart ("slideshow", "slide show")."""


class Keywords:
    """A filter of words or phrases, matched whole, ignoring case; without any, nothing matches.

    Hyphen, space and nothing between two words are equal, and so are a word and its plural.

    >>> from sociolab.worlds.stss import Keywords
    >>> Keywords(["slideshow"]).matches("watching the slide-shows")
    True
    """

    def __init__(self, words: Iterable[str]) -> None:
        split = (re.split(_BETWEEN, word.translate(_PLAIN).strip(" \t\n-")) for word in words)
        phrases = sorted({tuple(parts) for parts in split if parts[0]})
        # An empty alternation would match everywhere; a lookahead that fails matches nowhere.
        alternatives = "|".join(map(_pattern, phrases)) or r"(?!)"
        self._pattern = re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)", re.IGNORECASE)
        self._beginnings = tuple({_stem(parts[0]) for parts in phrases})

    def matches(self, text: str) -> bool:
        plain = text.translate(_PLAIN)
        # A quick test first, since most texts contain no beginning of a keyword.
        folded = plain.casefold().replace("-", "")
        if not any(beginning in folded for beginning in self._beginnings):
            return False
        return self._pattern.search(plain) is not None


def spoken_place(place: str) -> str:
    """What people call a place in conversation: its sector, since every home has a kitchen."""
    return place.partition(":")[0]


def keyword_filter(task: SocialTask, errand: Errand | None = None) -> Keywords:
    """The paper's filter: an action that contains one of the keywords (or, without any, the
    activity) counts as taking part, or as doing the errand.

    It looks at nothing else: "skipping the picnic" contains "picnic". So a model may read the
    actions as well.
    """
    if errand is not None:
        return Keywords(errand.keywords)
    return Keywords(task.keywords or (task.activity,))


def _pattern(parts: tuple[str, ...]) -> str:
    *first, last = parts
    if not first and last.isalpha() and len(last) >= 2 * _LEAST_HALF:
        # A long word may be a compound written as two.
        halves = range(_LEAST_HALF, len(last) - _LEAST_HALF + 1)
        apart = (rf"{_letters(last[:at])}\s{_singular_or_plural(last[at:])}" for at in halves)
        return "|".join((_singular_or_plural(last), *apart))
    return r"[\s-]*".join((*map(_letters, first), _singular_or_plural(last)))


def _singular_or_plural(word: str) -> str:
    plain = word.casefold()
    if not plain.isalpha() or plain.endswith("ing"):
        return _letters(word)
    if plain.endswith("y") and plain[-2:-1] not in "aeiou":
        return rf"{_letters(word[:-1])}(?:y|ies)"
    if plain.endswith(("ss", "x", "z", "ch", "sh")):
        return rf"{_letters(word)}(?:es)?"
    return _letters(word) if plain.endswith("s") else rf"{_letters(word)}s?"


def _letters(word: str) -> str:
    """A pattern for the word, with a hyphen allowed anywhere ("on-line")."""
    return "-?".join(map(re.escape, word))


def _stem(word: str) -> str:
    """The letters with which all forms of a word begin."""
    folded = word.casefold()
    return folded[:_LEAST_HALF].removesuffix("y") or folded


FILE = Path(__file__).parent / "data" / "ordinary.toml"

VERBS = frozenset(
    re.findall(
        r"\w+",
        "bring build buy chat clean collect consult cook dance deliver discuss draw exercise fetch "
        "fold interview join make meet pick play practise read rehearse repair restock review "
        "revise send shop sing study swap taste teach walk watch write",
    )
)
"""Verbs of which a filter should match both forms: "deliver", "delivering"."""


@cache
def ordinary_day() -> Mapping[str, tuple[str, ...]]:
    """Activities of ordinary days, by part of the day: `lunch`, `work`, `home`, ..."""
    return {part: tuple(what) for part, what in tomllib.loads(FILE.read_text("utf-8")).items()}


def ordinary_matches(filters: Iterable[Sequence[str]], routines: Iterable[str]) -> tuple[str, ...]:
    """Activities of an ordinary day that pass one of these filters (each a list of keywords), from
    `ordinary_day` and the residents' `routines`."""
    texts = (*(what for part in ordinary_day().values() for what in part), *routines)
    passing = [Keywords(words) for words in filters]
    return tuple(
        dict.fromkeys(text for text in texts if any(keywords.matches(text) for keywords in passing))
    )


def missed_forms(keywords: Sequence[str]) -> tuple[str, ...]:
    """Other forms of a filter's own words that do not pass it.

    >>> missed_forms(["exercise", "board games"])
    ('exercising', 'board game')
    """
    passes = Keywords(keywords)
    return tuple(dict.fromkeys(form for form in _forms(keywords) if not passes.matches(form)))


def _forms(keywords: Iterable[str]) -> Iterator[str]:
    for keyword in keywords:
        first, _, rest = keyword.partition(" ")
        if first in VERBS:
            stem = f"{first}{first[-1]}" if first in ("shop", "swap") else first.removesuffix("e")
            yield f"{stem}ing {rest}".strip()
        if re.fullmatch(r"\w+( \w+)?[^s]s", keyword):
            yield re.sub(r"(ie)?s$", lambda end: "y" if end[1] else "", keyword)


def filter_remarks(tasks: Iterable[SocialTask], residents: Sequence[Resident]) -> tuple[str, ...]:
    """One line for each task whose filter passes an activity of an ordinary day."""
    remarks = []
    for task in tasks:
        routines = [
            text
            for resident in residents
            if resident.id in task.background
            for text in ordinary_activities(resident)
        ]
        filters = [errand.keywords for errand in task.errands] or [task.keywords]
        if texts := ordinary_matches(filters, routines):
            more = f" and {len(texts) - 1} more" if texts[1:] else ""
            remarks.append(
                f'{task.id}: its keywords pass what people do on an ordinary day ("{texts[0]}"'
                f"{more}), so that people who were told of nothing count; choose words that name "
                "the event"
            )
    return tuple(remarks)


def ordinary_activities(resident: Resident) -> tuple[str, ...]:
    """The written activities of a resident's ordinary days."""
    return (*(habit.what for habit in resident.habits), *filter(None, (resident.routine,)))
