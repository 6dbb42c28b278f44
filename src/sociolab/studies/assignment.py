"""Which item a participant gets next: one that fewest people have, up to each participant's share.

An open assignment counts until it has been idle for `IDLE` seconds or its participant is gone; then
it is given up, and another person may have the item. Work that arrives late is kept.
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
"""Seconds without an answer after which an open assignment is given up."""

_LIVE = ("waiting", "open")
_GIVEN_UP: Progress = "given up"

_ONE_AT_A_TIME = threading.Lock()
"""For speed only: SQLite lets those who find the store busy sleep longer and longer. The
transaction keeps two participants from the same place."""
_GONE = ("refused", "left", "finished")


@dataclass(frozen=True, slots=True)
class ItemPool:
    """Items to be assigned: each to `people`, at most `each` to one person.

    `more` repeats an item for each further person that it needs, such as a third rater where two
    disagree. `blocks` maps items to what each person should get evenly, such as who played.
    """

    items: tuple[str, ...]
    people: int
    each: int
    more: Sequence[str] = ()
    blocks: Mapping[str, str] = field(default_factory=dict)

    def quota(self, item: str) -> int:
        return self.people + self.more.count(item)


def choose_item(
    pool: ItemPool, rows: Sequence[AssignmentRow], participant: int, barred: Collection[str] = ()
) -> str | None:
    """The item for this participant: one that is open already, or one that fewest people have.

    `rows` are all assignments of the study. None if nothing is left, or the participant has had
    enough. Ties go to the block that the participant had least of, then to an order of each
    participant's own.
    """
    own = {row.item: row.state for row in rows if row.participant == participant}
    items = set(pool.items)
    for item, state in own.items():
        if item in items and state in _LIVE:
            return item
    if sum(state == "done" for item, state in own.items() if item in items) >= pool.each:
        return None
    assigned = Counter(row.item for row in rows if row.state != _GIVEN_UP)
    free = [
        item
        for item in pool.items
        if assigned[item] < pool.quota(item) and own.get(item) != "done" and item not in barred
    ]
    had = Counter(pool.blocks.get(item, "") for item, state in own.items() if state == "done")

    def turn(item: str) -> tuple[int, int, str]:
        return assigned[item], had[pool.blocks.get(item, "")], digest(participant, item)

    return min(free, key=turn, default=None)


def assign_next(
    store: Store,
    study: str,
    participant: int,
    pool: ItemPool,
    barred: Collection[str] = (),
    now: float | None = None,
) -> str | None:
    """Assign the participant the next item, or None; idle assignments of others are given up first.

    `now` is in seconds since 1970, by default the current time.
    """
    with _ONE_AT_A_TIME, store.transaction():
        rows = _current_assignments(store, study, participant, now)
        for before, row in zip(store.studies.assignments(study), rows, strict=True):
            if before.state != row.state:
                store.studies.set_progress(row.pk, row.state)
        item = choose_item(pool, rows, participant, barred)
        if item is not None:
            hold_item(store, study, participant, item)
    return item


def has_next(
    store: Store,
    study: str,
    participant: int,
    pool: ItemPool,
    barred: Collection[str] = (),
    now: float | None = None,
) -> bool:
    """Whether `assign_next` would assign something; changes nothing."""
    rows = _current_assignments(store, study, participant, now)
    return choose_item(pool, rows, participant, barred) is not None


def hold_item(store: Store, study: str, participant: int, item: str) -> None:
    """Open the participant's assignment of this item, unless it is done; create it if needed."""
    with store.transaction():
        row = assignment_of(store, study, participant, item)
        if row is None:
            store.studies.assign(participant, item, "", "open")
        elif row.state not in ("open", "done"):
            store.studies.set_progress(row.pk, "open")


def assignment_of(store: Store, study: str, participant: int, item: str) -> AssignmentRow | None:
    rows = store.studies.assignments(study, participant)
    return next((row for row in rows if row.item == item), None)


def _current_assignments(
    store: Store, study: str, participant: int, now: float | None
) -> tuple[AssignmentRow, ...]:
    """All assignments of a study, with those of others that lapsed as given up."""
    people = {row.pk: row for row in store.studies.participants(study)}
    moment = time.time() if now is None else now
    return tuple(
        replace(row, state=_GIVEN_UP)
        if row.participant != participant and _lapsed(store, people[row.participant], row, moment)
        else row
        for row in store.studies.assignments(study)
    )


def _lapsed(store: Store, who: ParticipantRow, row: AssignmentRow, now: float) -> bool:
    """Whether nobody works on an open assignment any more."""
    if row.state not in _LIVE:
        return False
    if who.state in _GONE:
        return True
    if now - row.began < IDLE:
        return False
    answered_at = [a.at for a in store.studies.answers(who.study, who.pk) if a.item == row.item]
    return now - max(answered_at, default=row.began) >= IDLE
