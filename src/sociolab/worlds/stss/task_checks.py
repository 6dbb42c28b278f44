"""What is wrong with a task before anybody plays it."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sociolab.town.map import TownMap
from sociolab.town.residents import is_known_place
from sociolab.worlds.stss.task import SocialTask
from sociolab.worlds.stss.templates import RULES


def task_faults(task: SocialTask, people: Collection[str], town: TownMap) -> tuple[str, ...]:
    """Every fault of a task among these residents (ids) on this map; none if it can be played.

    Each is a clause: what was expected, what was found and what to do.
    """
    return (*_of_people(task, people), *_of_places(task, town), *_of_type(task))


def _of_people(task: SocialTask, people: Collection[str]) -> Iterator[str]:
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


def _of_places(task: SocialTask, town: TownMap) -> Iterator[str]:
    for place in task.places:
        if not is_known_place(place, town):
            yield (
                f'expected a place on the map of {town.name}, found "{place}"; '
                'write a sector or "Sector: arena" as there'
            )


def _of_type(task: SocialTask) -> Iterator[str]:
    rule = RULES[task.type]
    if task.day not in task.days:
        yield f"expected the day among the days that are lived, found {task.day}; add it to them"
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
