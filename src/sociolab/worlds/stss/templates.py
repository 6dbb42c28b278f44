"""Task templates: who may perform a task, what may vary, and by which rules it is scored."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

from pydantic import Field, ValidationError, model_validator

from sociolab.core.errors import ConfigError
from sociolab.town.answers import TimeOfDay
from sociolab.town.clock import clock_time, spoken_date
from sociolab.worlds.stss.scoring.keywords import Keywords
from sociolab.worlds.stss.task import TASK_TYPES, Frozen, SocialTask, TaskType

OWN = Path(__file__).parent / "data" / "templates.toml"


@dataclass(frozen=True, slots=True)
class Rule:
    """What a type of task fixes (STSS section 3.1); what it does not fix is for the people."""

    place: bool = False
    start: bool = False
    partner: bool = False
    errands: int = 0

    @property
    def keywords(self) -> bool:
        """Whether the task has a keyword filter itself; with errands each has its own."""
        return not self.errands


RULES: dict[TaskType, Rule] = {
    "public activity": Rule(place=True, start=True),
    "appointment": Rule(partner=True),
    "inviting companions": Rule(place=True),
    "online activity": Rule(start=True),
    "asking for help": Rule(errands=2),
}


class ErrandTemplate(Frozen):
    """A subtask with a choice of places; `staff` are the ids of those who work there."""

    what: str
    keywords: tuple[str, ...] = Field(min_length=1)
    places: tuple[str, ...] = Field(min_length=1)
    staff: tuple[str, ...] = ()


class Template(Frozen):
    """A task before its choices are made: each tuple is what one value is drawn from.

    `performers` and `partners` are residents' ids, `activities` the names of the activity.
    """

    id: str = Field(pattern=r"^[a-z][a-z0-9-]*$")
    type: TaskType
    title: str
    performers: tuple[str, ...] = Field(min_length=2)
    activities: tuple[str, ...] = Field(min_length=1)
    keywords: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    starts: tuple[TimeOfDay, ...] = ()
    minutes: int = Field(default=60, ge=1)
    partners: tuple[str, ...] = ()
    errands: tuple[ErrandTemplate, ...] = ()

    @model_validator(mode="after")
    def _keeps_to_its_type(self) -> Template:
        rule = RULES[self.type]
        for field, wanted in (
            ("places", rule.place),
            ("starts", rule.start),
            ("partners", rule.partner),
            ("keywords", rule.keywords),
        ):
            if bool(getattr(self, field)) != wanted:
                how = "needs" if wanted else "leaves no room for"
                raise ValueError(f'"{self.type}" {how} "{field}"')
        if len(self.errands) != rule.errands:
            raise ValueError(
                f'"{self.type}" has {rule.errands} errands, but {len(self.errands)} are given'
            )
        return self

    @model_validator(mode="after")
    def _is_found_by_its_keywords(self) -> Template:
        """An activity must pass its own filter, or doing what was announced would not count."""
        named = [(name, self.keywords) for name in self.activities if not self.errands]
        for text, keywords in [*named, *((part.what, part.keywords) for part in self.errands)]:
            if not Keywords(keywords).said(text):
                raise ValueError(f'"{text}" holds none of its keywords {list(keywords)}')
        return self


class Templates(Frozen):
    """A file of templates: `goal` words the goal of each type, `template` lists the tasks."""

    goal: dict[TaskType, str]
    template: tuple[Template, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _is_whole(self) -> Templates:
        missing = [kind for kind in TASK_TYPES if kind not in self.goal]
        if missing:
            raise ValueError(f'no goal is worded for "{missing[0]}"')
        ids = [template.id for template in self.template]
        doubles = [one for place, one in enumerate(ids) if one in ids[:place]]
        if doubles:
            raise ValueError(f'the id "{doubles[0]}" occurs twice')
        return self


@cache
def own_templates() -> Templates:
    """The 30 templates of this package."""
    return load_templates(OWN)


def load_templates(path: Path) -> Templates:
    """A TOML file of templates; ConfigError names the file, and the template that is wrong."""
    try:
        with path.open("rb") as file:
            found = tomllib.load(file)
        return Templates.model_validate(found)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from error
    except ValidationError as error:
        item = error.errors(include_url=False)[0]
        where = _where(item["loc"], found)
        said = item["msg"].removeprefix("Value error, ")
        raise ConfigError(f"{path}: {where}{said[:1].lower()}{said[1:]}") from error


def goal_text(task: SocialTask, names: Mapping[str, str], wording: Mapping[TaskType, str]) -> str:
    """The goal in words, made of nothing but the task's record and the residents' names.

    It names the date always, and time, place and how many people are hoped for wherever the type
    fixes them.
    """
    first, second = task.errands if task.errands else (None, None)
    return wording[task.type].format(
        performer=names[task.performer],
        partner=names.get(task.partner, ""),
        activity=task.activity,
        date=spoken_date(task.day),
        start=task.start,
        end=_end(task) if task.start else "",
        place=first.place if first else task.place,
        expected=task.expected,
        errand=first.what if first else "",
        second_errand=second.what if second else "",
        second_place=second.place if second else "",
    )


def _end(task: SocialTask) -> str:
    begins = datetime.combine(task.day, clock_time(task.start))
    return f"{begins + timedelta(minutes=task.minutes):%H:%M}"


def _where(location: tuple[int | str, ...], found: dict[str, object]) -> str:
    """Which template, by its id where it has one, and which of its fields."""
    rows = found.get("template")
    if len(location) < 2 or location[0] != "template" or not isinstance(rows, list):
        return f"{'.'.join(str(part) for part in location)}: " if location else ""
    name = rows[int(location[1])].get("id", f"number {int(location[1]) + 1}")
    field = ".".join(str(part) for part in location[2:])
    return f'template "{name}": ' + (f"{field}: " if field else "")
