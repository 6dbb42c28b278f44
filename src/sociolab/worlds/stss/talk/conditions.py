"""What a talk must have conveyed, by type of task (STSS section 3.2), and what of it was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, TypeAlias

from sociolab.core.seeding import digest
from sociolab.town.clock import spoken_date
from sociolab.town.residents import Resident
from sociolab.worlds.stss.task import TASK_TYPES, Errand, SocialTask, TaskType

ConditionKind: TypeAlias = Literal[
    "invited", "asked", "request", "place told", "time told", "time agreed", "place agreed"
]


@dataclass(frozen=True, slots=True)
class GoalCondition:
    """One condition, met or not met at the end of a talk.

    `id` is unique within the task. `text` states the condition as met, with the performer and the
    other by name. `place` is the place to be told; `errand` counts from 1 and is 0 where the
    condition is not about an errand.
    """

    id: str
    kind: ConditionKind
    text: str
    place: str = ""
    errand: int = 0


@dataclass(frozen=True, slots=True)
class Occasion:
    """What one must know to read a talk: its task, whose it is, when and where it was held.

    `here` is "Sector: arena", "" outdoors.
    """

    task: SocialTask
    performer: Resident
    other: Resident
    now: datetime
    here: str

    @property
    def conditions(self) -> tuple[GoalCondition, ...]:
        return conditions_of(self.task, self.performer.name, self.other.name)


@dataclass(frozen=True, slots=True)
class ConditionFinding:
    """Whether a condition is met; `quote` is the evidence, verbatim, "" where it is not."""

    condition: GoalCondition
    met: bool
    quote: str = ""


def success_rate(findings: Sequence[ConditionFinding]) -> float:
    """SR of one talk: 1 if all its conditions are met, else 0 (STSS section 3.2).

    ValueError without findings.
    """
    return float(share_met(findings) == 1)


def share_met(findings: Sequence[ConditionFinding]) -> float:
    """GCSR of one talk: the share of its conditions that are met, 0 to 1 (STSS section 3.2).

    ValueError without findings.
    """
    if not findings:
        raise ValueError("a talk without conditions has no rate of success")
    return sum(finding.met for finding in findings) / len(findings)


# ------------------------------------------------------------------ conditions by type


def conditions_of(task: SocialTask, performer: str, other: str) -> tuple[GoalCondition, ...]:
    """The conditions of a task; `performer` and `other` are names."""
    if task.type == "asking for help":
        return tuple(
            condition
            for number, errand in enumerate(task.errands, 1)
            for condition in _errand_conditions(errand, number, performer, other)
        )
    if task.type == "appointment":
        clause = f"{performer} has asked {other} to meet for the {task.activity}"
        first = GoalCondition(
            "asked", "asked", f"{clause}, or has gone along when {other} proposed it."
        )
        where = f"{performer} and {other} have agreed on a definite place to meet at."
        return (
            first,
            _time_agreed(task, performer, other),
            GoalCondition("place", "place agreed", where),
        )
    invited = f"{other} has been asked, or told to be welcome, to take part in {performer}'s"
    first = GoalCondition("invited", "invited", f"{invited} {task.activity}.")
    place_told = GoalCondition(
        "place", "place told", f"{other} has been told that it is at {task.place}.", task.place
    )
    match task.type:
        case "public activity":
            return (first, place_told, _time_told(task, other))
        case "online activity":
            return (first, _time_told(task, other))
        case "inviting companions":
            return (first, _time_agreed(task, performer, other), place_told)


def _time_told(task: SocialTask, other: str) -> GoalCondition:
    when = f"{spoken_date(task.day)} and begins at {task.start}"
    return GoalCondition("time", "time told", f"{other} has been told that it is on {when}.")


def _time_agreed(task: SocialTask, performer: str, other: str) -> GoalCondition:
    when = f"a clock time on {spoken_date(task.day)}"
    return GoalCondition("time", "time agreed", f"{performer} and {other} have agreed on {when}.")


def _errand_conditions(
    errand: Errand, number: int, performer: str, other: str
) -> tuple[GoalCondition, GoalCondition]:
    request = f"{performer} has asked {other} to {errand.what}."
    where = f"{other} has been told that the place to {errand.what} is {errand.place}."
    return (
        GoalCondition(f"request-{number}", "request", request, errand=number),
        GoalCondition(f"place-{number}", "place told", where, errand.place, number),
    )


def conditions_hash() -> str:
    """Identifies the wording of the conditions of all types, which judges are shown."""
    return digest(
        *(
            f"{condition.id}: {condition.text}"
            for kind in TASK_TYPES
            for condition in conditions_of(_any_task(kind), "PERFORMER", "OTHER")
        )
    )


def _any_task(kind: TaskType) -> SocialTask:
    """A task of this type in which each field that conditions mention is its own name."""
    day = date(2024, 5, 14)
    return SocialTask(
        id="ID",
        type=kind,
        title="TITLE",
        goal="GOAL",
        performer="PERFORMER",
        background=("OTHER",),
        days=(day,),
        day=day,
        activity="ACTIVITY",
        place="PLACE",
        start="18:00",
        errands=(Errand(what="ERRAND", keywords=("ERRAND",), place="SHOP"),),
    )
