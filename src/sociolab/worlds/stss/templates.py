"""Templates of tasks: what may vary, and the task that a seed makes of one."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from string import Formatter

from pydantic import Field, model_validator

from sociolab.core.errors import ConfigError
from sociolab.core.reading import toml_record
from sociolab.core.seeding import stream
from sociolab.town.clock import TimeOfDay, spoken_date
from sociolab.town.map import TownMap
from sociolab.town.residents import Resident, is_known_place
from sociolab.worlds.stss.task import (
    RULES,
    TASK_TYPES,
    Errand,
    Frozen,
    Keywords,
    SocialTask,
    TaskType,
)

OWN = Path(__file__).parent / "data" / "templates.toml"
BACKGROUND = (10, 11, 12)
"""How many residents may live beside the performer (STSS section 3.1: 10 to 12)."""


class ErrandTemplate(Frozen):
    """A subtask with a choice of places; `staff` are the ids of those who work there."""

    what: str
    keywords: tuple[str, ...] = Field(min_length=1)
    places: tuple[str, ...] = Field(min_length=1)
    staff: tuple[str, ...] = ()


class Template(Frozen):
    """A task with its choices open: one value is drawn from each tuple.

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
        for field, required in (
            ("places", rule.place),
            ("starts", rule.start),
            ("partners", rule.partner),
            ("keywords", rule.keywords),
        ):
            if bool(getattr(self, field)) != required:
                how = "needs" if required else "leaves no room for"
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
            if not Keywords(keywords).matches(text):
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
        for goal in self.goal.values():
            goal_fields(goal)
        ids = [template.id for template in self.template]
        doubles = [name for place, name in enumerate(ids) if name in ids[:place]]
        if doubles:
            raise ValueError(f'the id "{doubles[0]}" occurs twice')
        return self


@cache
def own_templates() -> Templates:
    """The 30 templates of this package."""
    return load_templates(OWN)


def load_templates(path: Path) -> Templates:
    """Read a TOML file of templates; ConfigError names the file, and what is wrong."""
    return toml_record(path, Templates)


def instantiate(
    template: Template,
    residents: Sequence[Resident],
    town: TownMap,
    seed: int,
    days: tuple[date, ...],
) -> SocialTask:
    """The task that this seed makes of a template; its day is the last of `days`.

    Performer and partner know each other. Partner and staff of the errands are always in the cast.
    If nobody of the template lives in the town anyone may perform; if fewer than ten others live
    there all of them are in the background. ConfigError if none of a choice of places is on the
    map, or nobody else lives there.
    """
    if len(residents) < 2:
        raise ConfigError(
            f"A task needs a town of at least two residents, found {len(residents)}: add some"
        )
    chance = stream(seed, "task", template.id)
    performer, partner = _draw_people(template, residents, chance)
    errands = tuple(
        Errand(
            what=part.what,
            keywords=part.keywords,
            place=_draw_place(part.places, template, town, chance),
        )
        for part in template.errands
    )
    task = SocialTask(
        id=template.id,
        type=template.type,
        title=template.title,
        goal="",
        performer=performer,
        background=_draw_background(template, residents, performer, partner, chance),
        days=days,
        day=days[-1],
        activity=chance.choice(template.activities),
        keywords=template.keywords,
        place=_draw_place(template.places, template, town, chance) if template.places else "",
        start=chance.choice(template.starts) if template.starts else "",
        minutes=template.minutes,
        partner=partner,
        errands=errands,
    )
    names = {resident.id: resident.name for resident in residents}
    goal = goal_text(task, names, own_templates().goal)
    return task.model_copy(update={"goal": goal})


def _draw_people(
    template: Template, residents: Sequence[Resident], chance: random.Random
) -> tuple[str, str]:
    """Draw the performer, and the partner or ""."""

    def among(ids: Sequence[str]) -> list[Resident]:
        return [resident for resident in residents if resident.id in ids] or list(residents)

    fit = among(template.performers)
    if not template.partners:
        return chance.choice(fit).id, ""
    partners = among(template.partners)
    pairs = [(first, second) for first in fit for second in partners if first.id != second.id]
    pairs = pairs or [(first, second) for first in fit for second in residents if first != second]
    acquainted = [(first, second) for first, second in pairs if second.name in first.ties]
    performer, partner = chance.choice(acquainted or pairs)
    return performer.id, partner.id


def _draw_background(
    template: Template,
    residents: Sequence[Resident],
    performer: str,
    partner: str,
    chance: random.Random,
) -> tuple[str, ...]:
    """Draw who lives beside the performer, in the order of the population."""
    ids = [resident.id for resident in residents if resident.id != performer]
    needed = {partner, *(who for errand in template.errands for who in errand.staff)}
    free = [who for who in ids if who not in needed]
    count = chance.choice(BACKGROUND) - (len(ids) - len(free))
    cast = needed.union(chance.sample(free, min(len(free), max(0, count))))
    return tuple(who for who in ids if who in cast)


def _draw_place(
    choices: Sequence[str], template: Template, town: TownMap, chance: random.Random
) -> str:
    on_map = [name for name in choices if is_known_place(name, town)]
    if not on_map:
        raise ConfigError(
            f'template "{template.id}": expected one of its places on the map of {town.name}, '
            f"found none of {list(choices)}; play it in the town for which it was written"
        )
    return chance.choice(on_map)


# ------------------------------------------------------------------ the goal in words


GOAL_FIELDS = (
    "performer", "partner", "activity", "date", "start", "end", "place", "expected", "errand",
    "second_errand", "second_place",
)  # fmt: skip
"""What the template of a goal may use, in braces."""


def goal_text(task: SocialTask, names: Mapping[str, str], wording: Mapping[TaskType, str]) -> str:
    return render_goal(wording[task.type], task, names)


def render_goal(template: str, task: SocialTask, names: Mapping[str, str]) -> str:
    """The goal in words, made only from the task's record and the residents' names, so that the
    performer is told what is scored.

    ValueError, with a clause, where the template is malformed or a value is left open.
    """
    used = goal_fields(template)
    first, second = task.errands if len(task.errands) == 2 else (None, None)
    values: dict[str, str | int] = {
        "performer": names[task.performer],
        "partner": names.get(task.partner, ""),
        "activity": task.activity,
        "date": spoken_date(task.day),
        "start": task.start,
        "end": task.end,
        "place": first.place if first else task.place,
        "expected": task.expected,
        "errand": first.what if first else "",
        "second_errand": second.what if second else "",
        "second_place": second.place if second else "",
    }
    if open_ := [name for name in used if values[name] == ""]:
        raise ValueError(
            f'expected a value for {{{open_[0]}}} in the goal, found none, as every "{task.type}" '
            "may leave it open; give it, or leave it out of the goal"
        )
    return template.format_map(values)


def goal_fields(template: str) -> tuple[str, ...]:
    """The fields that the template of a goal uses; ValueError, with a clause, where it uses none,
    or one that is not allowed."""
    try:
        parts = [(name, form, how) for _, name, form, how in Formatter().parse(template)]
    except ValueError as error:
        raise ValueError(
            f"expected the goal as a template, found one that cannot be read ({error}); write "
            "{{ and }} for braces that are no field"
        ) from error
    used = [part for part in parts if part[0] is not None]
    for name, form, how in used:
        if name not in GOAL_FIELDS or form or how:
            raise ValueError(
                f'expected fields among {", ".join(GOAL_FIELDS)} in the goal, found "{name}"'
            )
    if not used:
        raise ValueError(
            "expected a goal that uses the fields of its task, such as {place} and {date}, found "
            'none; write them in braces, or add "wording": "free text"'
        )
    return tuple(str(name) for name, _, _ in used)
