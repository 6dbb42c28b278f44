"""From a template to a task: a seeded choice of people, places, times and words."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import date

from sociolab.core.errors import ConfigError
from sociolab.core.seeding import stream
from sociolab.town.map import TownMap
from sociolab.town.residents import Resident, is_known_place
from sociolab.worlds.stss.task import Errand, SocialTask
from sociolab.worlds.stss.templates import Template, goal_text, own_templates

BACKGROUND = (10, 11, 12)
"""How many residents may live beside the performer (STSS section 4.1: 10 to 12)."""


def instantiate(
    template: Template,
    residents: Sequence[Resident],
    town: TownMap,
    seed: int,
    days: tuple[date, ...],
) -> SocialTask:
    """The task that this seed makes of a template; its day is the last of `days`.

    Performer and partner know each other. Partner and staff of the errands are always in the
    cast. Where nobody of the template lives in the town anyone may perform; where fewer than ten
    others live there all of them are in the background.
    ConfigError if none of a choice of places is on the map, or nobody else lives there.
    """
    if len(residents) < 2:
        raise ConfigError(
            f"A task needs a town of at least two residents, found {len(residents)}: add some"
        )
    chance = stream(seed, "task", template.id)
    performer, partner = _people(template, residents, chance)
    errands = tuple(
        Errand(
            what=part.what,
            keywords=part.keywords,
            place=_place(part.places, template, town, chance),
        )
        for part in template.errands
    )
    task = SocialTask(
        id=template.id,
        type=template.type,
        title=template.title,
        goal="",
        performer=performer,
        background=_background(template, residents, performer, partner, chance),
        days=days,
        day=days[-1],
        activity=chance.choice(template.activities),
        keywords=template.keywords,
        place=_place(template.places, template, town, chance) if template.places else "",
        start=chance.choice(template.starts) if template.starts else "",
        minutes=template.minutes,
        partner=partner,
        errands=errands,
    )
    names = {resident.id: resident.name for resident in residents}
    goal = goal_text(task, names, own_templates().goal)
    return task.model_copy(update={"goal": goal})


def _people(
    template: Template, residents: Sequence[Resident], chance: random.Random
) -> tuple[str, str]:
    """The performer, and the partner or ""."""
    fit = [one for one in residents if one.id in template.performers] or list(residents)
    if not template.partners:
        return chance.choice(fit).id, ""
    partners = [one for one in residents if one.id in template.partners] or list(residents)
    pairs = [(one, two) for one in fit for two in partners if one.id != two.id]
    pairs = pairs or [(one, two) for one in residents for two in residents if one.id != two.id]
    known = [(one, two) for one, two in pairs if two.name in one.ties]
    performer, partner = chance.choice(known or pairs)
    return performer.id, partner.id


def _background(
    template: Template,
    residents: Sequence[Resident],
    performer: str,
    partner: str,
    chance: random.Random,
) -> tuple[str, ...]:
    """Who lives beside the performer, in the order of the population."""
    others = [one.id for one in residents if one.id != performer]
    needed = {partner, *(who for errand in template.errands for who in errand.staff)}
    free = [who for who in others if who not in needed]
    wanted = chance.choice(BACKGROUND) - (len(others) - len(free))
    cast = needed.union(chance.sample(free, min(len(free), max(0, wanted))))
    return tuple(who for who in others if who in cast)


def _place(choices: Sequence[str], template: Template, town: TownMap, chance: random.Random) -> str:
    found = [name for name in choices if is_known_place(name, town)]
    if not found:
        raise ConfigError(
            f'template "{template.id}": expected one of its places on the map of {town.name}, '
            f"found none of {list(choices)}; play it in the town for which it was written"
        )
    return chance.choice(found)
