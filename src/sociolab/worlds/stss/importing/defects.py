"""What is wrong with the public data, each kind with the words that a report tells it in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum


class Kind(StrEnum):
    """A way in which a record contradicts the map, the people, the rule or itself."""

    UNKNOWN_PLACE = "places that are not on the map"
    FOREIGN_FILTER = "filters that look for another activity than the text tells of"
    WRONG_NUMBER = "expected numbers that disagree with the rule"
    PROMISED_NUMBER = "texts that promise another number than the rule scores"
    START_NUMBER = "start environments that promise another number than the task file"
    PROMISED_PLACE = "texts that name another place than is scored"
    PROMISED_TIME = "texts that name another time than is scored"
    OTHER_EVENT = "goals that call the event otherwise than the performer's text"
    OTHER_ACTIVITY = "descriptions of another activity than the filter looks for"
    MISSING_PERSON = "needed people who are missing from the cast"
    UNKNOWN_PERSON = "people who are no residents"
    TWICE_IN_CAST = "people who are in a cast twice"
    CAST_SIZE = "casts of another size than their record says"
    OTHER_PERFORMER = "performers who are none of the choices"
    REPEATED_TASK = "tasks that come a second time"
    CUT_OFF = "walkable tiles that cannot be reached from the town"
    UNKNOWN_KNOWLEDGE = "known places that are not on the map"
    HOME_UNKNOWN = "residents who do not know where they sleep"


UNPLAYABLE = frozenset(
    (Kind.UNKNOWN_PLACE, Kind.UNKNOWN_PERSON, Kind.TWICE_IN_CAST, Kind.MISSING_PERSON)
)
"""Uncorrected, these keep a task from being played."""


@dataclass(frozen=True, slots=True)
class Defect:
    """One thing that is wrong.

    `where`: "task 12" (counted over both files of tasks, from 1), a resident's name, or "map".
    `correction`: what is put right, and how; "" where nothing can be done.
    `count`: how many things this is, where it is about many alike.
    """

    kind: Kind
    where: str
    field: str
    found: str
    correction: str
    count: int = 1

    def __str__(self) -> str:
        """One line: where, what is wrong, what is found, what is made of it."""
        remedy = self.correction or "cannot be corrected"
        return f"{self.where}: {self.field}: {self.found} ({self.kind}): {remedy}"

    def as_fields(self) -> dict[str, object]:
        """For a JSON file."""
        return {**asdict(self), "kind": str(self.kind)}


def told(defects: Iterable[Defect]) -> tuple[str, ...]:
    """One line for each kind that was met, with how often and where, in the order above."""
    by_kind: dict[Kind, list[Defect]] = {kind: [] for kind in Kind}
    for defect in defects:
        by_kind[defect.kind].append(defect)
    return tuple(
        f"{kind}: {sum(d.count for d in found)} ({_wheres(found)})"
        for kind, found in by_kind.items()
        if found
    )


def _wheres(defects: list[Defect]) -> str:
    """ "task 7, 8", each once."""
    wheres = list(dict.fromkeys(defect.where for defect in defects))
    numbers = [where.removeprefix("task ") for where in wheres if where.startswith("task ")]
    others = [where for where in wheres if not where.startswith("task ")]
    tasks = [f"task {', '.join(numbers)}"] if numbers else []
    return "; ".join([*tasks, *others])
