"""The public tasks as ours: each checked, mended where that is wanted, or left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from sociolab.worlds.stss.importing.checks_of_cast import check_cast, check_people, check_performer
from sociolab.worlds.stss.importing.checks_of_filter import (
    check_filter,
    check_places,
    check_promised_activity,
)
from sociolab.worlds.stss.importing.checks_of_texts import (
    check_event,
    check_numbers,
    check_told_places,
    check_told_times,
)
from sociolab.worlds.stss.importing.defects import UNPLAYABLE, Defect, Kind
from sociolab.worlds.stss.importing.drafts import Draft, Known, draft_of, task_of
from sociolab.worlds.stss.importing.raw_tasks import Numbered
from sociolab.worlds.stss.task import SocialTask

Check: TypeAlias = Callable[[Draft, Known], tuple[Draft, list[Defect]]]

CHECKS: tuple[Check, ...] = (
    check_people,
    check_cast,
    check_performer,
    check_places,
    check_filter,
    check_event,
    check_told_places,
    check_told_times,
    check_promised_activity,
    check_numbers,
)
"""In this order: each sees what those before it have mended."""


@dataclass(frozen=True, slots=True)
class Tasks:
    """The tasks that can be played, all defects met, and the numbers of those left out."""

    tasks: tuple[SocialTask, ...]
    defects: tuple[Defect, ...]
    left_out: tuple[int, ...]


def make_tasks(raw: Sequence[Numbered], known: Known, *, correct: bool) -> Tasks:
    """Our tasks of the public ones.

    All defects are found in either case. With `correct` the mended task is taken, else the one
    that stands in the file; a task that even so nobody could play is left out.
    """
    tasks: list[SocialTask] = []
    defects: list[Defect] = []
    left_out: list[int] = []
    met: dict[tuple[str, str, tuple[str, ...]], int] = {}
    for one in raw:
        draft = draft_of(one, known.names)
        mended, found = _examined(draft, known)
        first = met.setdefault((draft.performer, draft.texts.order, draft.cast), draft.number)
        if first != draft.number:
            found.append(_repeated(draft, first))
        defects += found
        if _is_playable(found, correct=correct):
            tasks.append(task_of(mended if correct else draft, known.people))
        else:
            left_out.append(one.number)
    return Tasks(tuple(tasks), tuple(defects), tuple(left_out))


def _examined(draft: Draft, known: Known) -> tuple[Draft, list[Defect]]:
    defects: list[Defect] = []
    for check in CHECKS:
        draft, found = check(draft, known)
        defects += found
    return draft, defects


def _repeated(draft: Draft, first: int) -> Defect:
    return Defect(Kind.REPEATED_TASK, draft.where, "FPG", f"that of task {first}", "left out")


def _is_playable(defects: Sequence[Defect], *, correct: bool) -> bool:
    if correct:
        return not any(
            defect.kind is Kind.REPEATED_TASK
            or (defect.kind in UNPLAYABLE and not defect.correction)
            for defect in defects
        )
    return not any(defect.kind in UNPLAYABLE for defect in defects)
