"""Whether a person has anything (more) to play in a study."""

from __future__ import annotations

from sociolab.app.floor.records import Records
from sociolab.app.study.settings import PlayPlan
from sociolab.store.runs import failed_causes
from sociolab.store.sqlite import Store

MOST_BROKEN = 2
"""Plays in a row whose partner failed: a third would hardly do better."""

SPENT = (
    "No further conversation can be started in this study, so there is nothing left for you to "
    "play. Thank you for coming."
)
BROKEN = "Nothing more can be played at the moment, and nothing more is asked of you here."


def is_over(records: Records, plan: PlayPlan, person: int) -> bool:
    """Whether a person has played all that was asked for, or nothing is left that is new to them.

    Where a stand-in plays, every task can be played once more. Who waited in vain is done; so is
    everybody when the budget is spent, and whose partners fail again and again.
    """
    if records.was_let_go(person) or len(records.ended(person)) >= plan.each:
        return True
    if why_over(records, plan, person):
        return True
    with_stand_in = plan.people > 1 and plan.stand_in is not None
    left = records.tasks() if with_stand_in else records.planned(plan.people)
    return not any(records.ledger.is_new(task, (person,)) for task in left)


def why_over(records: Records, plan: PlayPlan, person: int) -> str:
    """Why a person who has not played all that was planned for them is done, in a sentence for
    them; "" where that has no such reason."""
    if len(records.ended(person)) >= plan.each:
        return ""
    if records.spent:
        return SPENT
    return BROKEN if records.broken(person) >= MOST_BROKEN else ""


def is_spent(store: Store, run: str) -> bool:
    """Whether the budget of a study is spent, so that nobody begins any more."""
    return "budget" in failed_causes(store, run)
