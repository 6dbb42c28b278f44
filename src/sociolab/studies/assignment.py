"""Which item a person gets next: those that fewest people have, nobody more than their share.

An open assignment counts as a person until it has lain idle for `IDLE` seconds or its participant
is gone; then it is given back, and another person may have the item. Work that comes in late is
kept all the same.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sociolab.core.seeding import digest
from sociolab.store.store import Store
from sociolab.store.studies import AssignmentRow, ParticipantRow, Progress

IDLE = 3600.0
"""Seconds without a word after which an open assignment is given back."""

_LIVE = ("waiting", "open")
_BACK: Progress = "given up"

_ONE_AT_A_TIME = threading.Lock()
"""SQLite lets those who find the store busy sleep longer and longer; in line, each waits its turn.
What keeps two from the same place is the transaction."""
_GONE = ("refused", "left", "finished")


@dataclass(frozen=True, slots=True)
class ItemPool:
    """Items to be dealt: each to `people`, at most `each` to one person.

    `more` names an item once for each person that it wants beyond those, such as a third where two
    disagree. `blocks` says by item what each person should get evenly, such as who played.
    """

    items: tuple[str, ...]
    people: int
    each: int
    more: Sequence[str] = ()
    blocks: Mapping[str, str] = field(default_factory=dict)

    def quota(self, item: str) -> int:
        """How many people are to have this item."""
        return self.people + self.more.count(item)


def choose_item(
    pile: ItemPool, rows: Sequence[AssignmentRow], participant: int, barred: Collection[str] = ()
) -> str | None:
    """The item for this participant: what is open already, or what fewest people have.

    `rows` are all assignments of the study, those that were given back as "given up". None if
    there is nothing left, or the participant has had enough. Of equals comes one of the block that
    the participant had least of, in an order of each participant's own.
    """
    own = {row.item: row.state for row in rows if row.participant == participant}
    items = set(pile.items)
    for item, state in own.items():
        if item in items and state in _LIVE:
            return item
    if sum(state == "done" for item, state in own.items() if item in items) >= pile.each:
        return None
    assigned = Counter(row.item for row in rows if row.state != _BACK)
    free = [
        item
        for item in pile.items
        if assigned[item] < pile.quota(item) and own.get(item) != "done" and item not in barred
    ]
    had = Counter(pile.blocks.get(item, "") for item, state in own.items() if state == "done")

    def turn(item: str) -> tuple[int, int, str]:
        return assigned[item], had[pile.blocks.get(item, "")], digest(participant, item)

    return min(free, key=turn, default=None)


def assign_next(
    store: Store,
    study: str,
    participant: int,
    pile: ItemPool,
    barred: Collection[str] = (),
    now: float | None = None,
) -> str | None:
    """Give the participant the next item, or None; what others left idle is given back first.

    `now` is in seconds since 1970; None: the moment.
    """
    with _ONE_AT_A_TIME, store.transaction():
        rows = _standing(store, study, participant, now)
        for before, row in zip(store.studies.assignments(study), rows, strict=True):
            if before.state != row.state:
                store.studies.set_progress(row.pk, row.state)
        item = choose_item(pile, rows, participant, barred)
        if item is not None:
            hold_item(store, study, participant, item)
    return item


def has_next(
    store: Store,
    study: str,
    participant: int,
    pile: ItemPool,
    barred: Collection[str] = (),
    now: float | None = None,
) -> bool:
    """Whether `assign_next` would give the participant something; changes nothing."""
    rows = _standing(store, study, participant, now)
    return choose_item(pile, rows, participant, barred) is not None


def hold_item(store: Store, study: str, participant: int, item: str) -> None:
    """Open the participant's assignment of this item, unless it is done; made if there is none."""
    with store.transaction():
        row = assignment_of(store, study, participant, item)
        if row is None:
            store.studies.assign(participant, item, "", "open")
        elif row.state not in ("open", "done"):
            store.studies.set_progress(row.pk, "open")


def assignment_of(store: Store, study: str, participant: int, item: str) -> AssignmentRow | None:
    """The participant's assignment of this item, if there is one."""
    rows = store.studies.assignments(study, participant)
    return next((row for row in rows if row.item == item), None)


def _standing(
    store: Store, study: str, participant: int, now: float | None
) -> tuple[AssignmentRow, ...]:
    """All assignments of a study as they stand now: those of others that lapsed are given up."""
    people = {row.pk: row for row in store.studies.participants(study)}
    moment = time.time() if now is None else now
    return tuple(
        replace(row, state=_BACK)
        if row.participant != participant and _lapsed(store, people[row.participant], row, moment)
        else row
        for row in store.studies.assignments(study)
    )


def _lapsed(store: Store, who: ParticipantRow, row: AssignmentRow, now: float) -> bool:
    """Whether nobody is at work on an open assignment any more."""
    if row.state not in _LIVE:
        return False
    if who.state in _GONE:
        return True
    if now - row.began < IDLE:
        return False
    answered_at = [a.at for a in store.studies.answers(who.study, who.pk) if a.item == row.item]
    return now - max(answered_at, default=row.began) >= IDLE
