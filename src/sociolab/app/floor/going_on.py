"""Whether a person has anything (more) to play in a study."""

from __future__ import annotations

from sociolab.app.floor.records import Records
from sociolab.app.study.settings import PlayPlan


def is_over(records: Records, plan: PlayPlan, person: int) -> bool:
    """Whether a person has played all that was asked for, or nothing is left that is new to them.

    Where a stand-in plays, every task can be played once more. Who waited in vain is done.
    """
    if records.was_let_go(person) or len(records.ended(person)) >= plan.each:
        return True
    with_stand_in = plan.people > 1 and plan.stand_in is not None
    left = records.tasks() if with_stand_in else records.planned(plan.people)
    return not any(records.ledger.is_new(task, (person,)) for task in left)
