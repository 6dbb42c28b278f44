"""What the participants of studies were given to do, and what they said."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sociolab.core.episode import Json
from sociolab.store.surrogates import as_text
from sociolab.store.withdrawn import WithdrawalTable

Progress: TypeAlias = Literal["waiting", "open", "done", "given up"]
"""How far an assignment has come. "waiting": for others."""


@dataclass(frozen=True, slots=True)
class AssignmentRow:
    """Something that a participant was given to do: an item, and a seat in it or ""."""

    pk: int
    participant: int
    item: str
    seat: str
    state: Progress
    began: float
    ended: float | None


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """What a participant said when asked `name` of an item ("" where of the whole study)."""

    participant: int
    item: str
    name: str
    value: Json
    at: float


_ASSIGNMENT = (
    "SELECT assignments.pk, participant, item, seat, assignments.state, began, ended "
    "FROM assignments JOIN participants ON participants.pk = participant "
)


class AssignmentTable(WithdrawalTable):
    """The assignments and answers of a store's participants, who are known by their keys."""

    def assign(self, participant: int, item: str, seat: str, state: Progress) -> int:
        """Give a participant something to do; the primary key."""
        with self.transaction():
            return self.insert(
                "INSERT INTO assignments (participant, item, seat, state, began) "
                "VALUES (?, ?, ?, ?, ?)",
                (participant, item, seat, state, time.time()),
            )

    def progress(self, assignment: int, state: Progress) -> None:
        """Note how far an assignment has come; what is done or given up has ended."""
        ended = time.time() if state in ("done", "given up") else None
        self.write(
            "UPDATE assignments SET state = ?, ended = ? WHERE pk = ?", (state, ended, assignment)
        )

    def assignments(self, study: str, participant: int | None = None) -> tuple[AssignmentRow, ...]:
        """What the participants of a study (or one of them) were given, in that order."""
        rows = self.rows(
            f"{_ASSIGNMENT} JOIN studies ON studies.pk = study "
            f"WHERE studies.name = ?1 {_only(participant)} ORDER BY assignments.pk",
            (study, *_given(participant)),
        )
        return tuple(_assignment(row) for row in rows)

    def answer(self, participant: int, item: str, name: str, value: Json) -> None:
        """Keep what a participant said; a later answer takes the place of an earlier one."""
        self.write(
            "INSERT INTO answers VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE "
            "SET value = ?4, at = ?5",
            (participant, item, name, json.dumps(value, ensure_ascii=False), time.time()),
        )

    def answers(self, study: str, participant: int | None = None) -> tuple[AnswerRow, ...]:
        """What the participants of a study (or one of them) said, participant by participant."""
        rows = self.rows(
            "SELECT participant, item, answers.name, value, at FROM answers "
            "JOIN participants ON participants.pk = participant "
            "JOIN studies ON studies.pk = study "
            f"WHERE studies.name = ?1 {_only(participant)} "
            "ORDER BY participant, at, item, answers.name",
            (study, *_given(participant)),
        )
        return tuple(
            AnswerRow(who, as_text(item), as_text(name), json.loads(as_text(value)), at)
            for who, item, name, value, at in rows
        )

    def drop_item(self, study: str, item: str) -> None:
        """Remove what the participants of a study said of an item, and that they were given it."""
        people = (
            "SELECT participants.pk FROM participants JOIN studies ON studies.pk = study "
            "WHERE studies.name = ?"
        )
        with self.transaction():
            for table in ("answers", "assignments"):
                self.execute(
                    f"DELETE FROM {table} WHERE item = ? AND participant IN ({people})",
                    (item, study),
                )


def _assignment(row: tuple[Any, ...]) -> AssignmentRow:
    pk, participant, item, seat, state, began, ended = row
    return AssignmentRow(pk, participant, as_text(item), as_text(seat), state, began, ended)


def _only(participant: int | None) -> str:
    """One participant only, found by an index: a study may have many."""
    return "" if participant is None else "AND participant = ?2"


def _given(participant: int | None) -> tuple[int, ...]:
    return () if participant is None else (participant,)
