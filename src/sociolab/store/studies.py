"""Studies with people: who takes part, what they were given to do, what they said.

Nothing here names a person: participants have pseudonyms, and of the secrets in their links and
browsers only hashes are kept.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sociolab.core.episode import Json
from sociolab.core.errors import StoreError
from sociolab.store.connect import checked_name
from sociolab.store.database import Database, as_text

StudyKind: TypeAlias = Literal["play", "rate", "impressions", "review"]


Standing: TypeAlias = Literal["invited", "arrived", "consented", "finished", "refused", "left"]
"""How far a participant has come. "refused": gave no consent, or did not qualify; "left": gave up
or was sent away."""


Progress: TypeAlias = Literal["waiting", "open", "done", "given up"]
"""How far an assignment has come. "waiting": for others."""


@dataclass(frozen=True, slots=True)
class StudyRow:
    """A study; `run` is the run that its episodes or ratings belong to, None if to none."""

    name: str
    kind: StudyKind
    run: str | None
    settings: Json
    created: float
    open: bool


@dataclass(frozen=True, slots=True)
class ParticipantRow:
    """A participant; times are in seconds since 1970 (UTC), None where that has not come yet."""

    pk: int
    study: str
    id: str
    state: Standing
    bound: bool
    created: float
    arrived: float | None
    consented: float | None
    finished: float | None


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


class Studies:
    """The studies of a store; participants are known by their keys."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def create(self, name: str, kind: StudyKind, settings: Json, run: str | None = None) -> None:
        """Write down a new study, which is not open yet; StoreError if the name is taken."""
        with self._db.transaction():
            if self._db.row("SELECT 1 FROM studies WHERE name = ?", (checked_name(name, "study"),)):
                raise StoreError(f'there is a study called "{name}" already; choose another name')
            self._db.insert(
                "INSERT INTO studies (name, kind, run, settings, created) VALUES (?, ?, ?, ?, ?)",
                (
                    name,
                    kind,
                    None if run is None else self._db.run_pk(run),
                    _json(settings),
                    time.time(),
                ),
            )

    def all(self) -> tuple[StudyRow, ...]:
        """All studies, the oldest first."""
        return tuple(self._studies("ORDER BY studies.created, studies.pk"))

    def get(self, name: str) -> StudyRow:
        """The study of this name; StoreError if there is none."""
        for row in self._studies("WHERE studies.name = ?", name):
            return row
        raise StoreError(f'there is no study called "{name}"; `sociolab study list` names all')

    def change(self, name: str, *, open: bool | None = None, settings: Json = None) -> None:
        """Open or close a study, or give it other settings; what is None stays."""
        self.get(name)
        self._db.write(
            "UPDATE studies SET open = ifnull(?, open), settings = ifnull(?, settings) "
            "WHERE name = ?",
            (open, None if settings is None else _json(settings), name),
        )

    def delete(self, name: str) -> None:
        """Remove a study with its participants and all they said; its run stays."""
        self.get(name)
        self._db.write("DELETE FROM studies WHERE name = ?", (name,))

    # -------------------------------------------------------------- participants

    def add_participant(self, study: str, id: str, link: bytes | None) -> int:
        """Write down a participant who is invited; the primary key. StoreError if the id is taken.

        `link` is the SHA-256 of the secret in the link.
        """
        with self._db.transaction():
            if self._db.row(
                f"SELECT 1 FROM ({_PARTICIPANT} WHERE studies.name = ? AND id = ?)", (study, id)
            ):
                raise StoreError(f'the study "{study}" has a participant "{id}" already')
            return self._db.insert(
                "INSERT INTO participants (study, id, link, state, created) "
                "VALUES (?, ?, ?, 'invited', ?)",
                (self._study_pk(study), id, link, time.time()),
            )

    def participants(self, study: str) -> tuple[ParticipantRow, ...]:
        """Who takes part in a study, in the order of the invitations."""
        self.get(study)
        return tuple(self._participants("WHERE studies.name = ? ORDER BY participants.pk", study))

    def participant(self, study: str, id: str) -> ParticipantRow:
        """The participant of this pseudonym; StoreError if there is none."""
        for row in self._participants("WHERE studies.name = ? AND id = ?", study, id):
            return row
        self.get(study)
        raise StoreError(f'the study "{study}" has no participant "{id}"')

    def participant_of_link(self, link: bytes) -> ParticipantRow | None:
        """Whose link has a secret with this SHA-256."""
        return next(self._participants("WHERE link = ?", link), None)

    def participant_of_session(self, session: bytes) -> ParticipantRow | None:
        """Whose browser has a secret with this SHA-256."""
        return next(self._participants("WHERE session = ?", session), None)

    def bind(self, participant: int, session: bytes) -> bool:
        """Give the participant's link to a browser; False if another one has it already.

        Who comes with a second link goes on where the first one was lost.
        """
        with self._db.transaction():
            cursor = self._db.execute(
                "UPDATE participants SET session = ?, arrived = ifnull(arrived, ?), "
                "state = CASE state WHEN 'invited' THEN 'arrived' ELSE state END "
                "WHERE pk = ? AND session IS NULL",
                (session, time.time(), participant),
            )
            return cursor.rowcount == 1

    def reissue(self, participant: int, link: bytes) -> None:
        """A new link for a participant who lost the browser; the old one opens nothing now."""
        self._db.write(
            "UPDATE participants SET link = ?, session = NULL WHERE pk = ?", (link, participant)
        )

    def stand(self, participant: int, state: Standing) -> None:
        """Note how far a participant has come, and when consent was given or the end reached."""
        moment = {"consented": "consented", "finished": "finished"}.get(state)
        when = f", {moment} = ifnull({moment}, ?2)" if moment else ""
        self._db.write(
            f"UPDATE participants SET state = ?1{when} WHERE pk = ?3",
            (state, time.time(), participant),
        )

    def delete_participant(self, study: str, id: str) -> None:
        """Remove a participant, all assignments and all answers.

        What was played or rated lies in the run, and is not touched.
        """
        row = self.participant(study, id)
        self._db.write("DELETE FROM participants WHERE pk = ?", (row.pk,))

    # -------------------------------------------------------------- assignments and answers

    def assign(self, participant: int, item: str, seat: str, state: Progress) -> int:
        """Give a participant something to do; the primary key."""
        with self._db.transaction():
            return self._db.insert(
                "INSERT INTO assignments (participant, item, seat, state, began) "
                "VALUES (?, ?, ?, ?, ?)",
                (participant, item, seat, state, time.time()),
            )

    def progress(self, assignment: int, state: Progress) -> None:
        """Note how far an assignment has come; what is done or given up has ended."""
        ended = time.time() if state in ("done", "given up") else None
        self._db.write(
            "UPDATE assignments SET state = ?, ended = ? WHERE pk = ?", (state, ended, assignment)
        )

    def assignments(self, study: str, participant: int | None = None) -> tuple[AssignmentRow, ...]:
        """What the participants of a study (or one of them) were given, in that order."""
        rows = self._db.rows(
            f"{_ASSIGNMENT} JOIN studies ON studies.pk = study "
            f"WHERE studies.name = ?1 {_only(participant)} ORDER BY assignments.pk",
            (study, *_bind_participant(participant)),
        )
        return tuple(_assignment(row) for row in rows)

    def answer(self, participant: int, item: str, name: str, value: Json) -> None:
        """Keep what a participant said; a later answer takes the place of an earlier one."""
        self._db.write(
            "INSERT INTO answers VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE "
            "SET value = ?4, at = ?5",
            (participant, item, name, json.dumps(value, ensure_ascii=False), time.time()),
        )

    def answers(
        self, study: str, participant: int | None = None, *, name: str | None = None
    ) -> tuple[AnswerRow, ...]:
        """What the participants of a study (or one of them) said, participant by participant;
        with `name`, only what goes by it."""
        rows = self._db.rows(
            "SELECT participant, item, answers.name, value, at FROM answers "
            "JOIN participants ON participants.pk = participant "
            "JOIN studies ON studies.pk = study "
            f"WHERE studies.name = ?1 {_only(participant)} "
            f"{'' if name is None else 'AND answers.name = ?3'} "
            "ORDER BY participant, at, item, answers.name",
            (study, participant, name)
            if name is not None
            else (study, *_bind_participant(participant)),
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
        with self._db.transaction():
            for table in ("answers", "assignments"):
                self._db.execute(
                    f"DELETE FROM {table} WHERE item = ? AND participant IN ({people})",
                    (item, study),
                )

    # -------------------------------------------------------------- inside

    def _study_pk(self, name: str) -> int:
        self.get(name)
        return int(self._db.row("SELECT pk FROM studies WHERE name = ?", (name,))[0])

    def _studies(self, where: str, *values: str) -> Iterator[StudyRow]:
        rows = self._db.rows(
            "SELECT studies.name, kind, runs.name, studies.settings, studies.created, open "
            f"FROM studies LEFT JOIN runs ON runs.pk = run {where}",
            values,
        )
        for name, kind, run, settings, created, is_open in rows:
            loaded = json.loads(as_text(settings))
            yield StudyRow(as_text(name), kind, run, loaded, created, bool(is_open))

    def _participants(self, where: str, *values: str | bytes) -> Iterator[ParticipantRow]:
        for row in self._db.rows(f"{_PARTICIPANT} {where}", values):
            pk, study, id, state, bound, *times = row
            yield ParticipantRow(pk, as_text(study), as_text(id), state, bool(bound), *times)


_ASSIGNMENT = (
    "SELECT assignments.pk, participant, item, seat, assignments.state, began, ended "
    "FROM assignments JOIN participants ON participants.pk = participant "
)


def _assignment(row: tuple[Any, ...]) -> AssignmentRow:
    pk, participant, item, seat, state, began, ended = row
    return AssignmentRow(pk, participant, as_text(item), as_text(seat), state, began, ended)


def _only(participant: int | None) -> str:
    """One participant only, found by an index: a study may have many."""
    return "" if participant is None else "AND participant = ?2"


def _bind_participant(participant: int | None) -> tuple[int, ...]:
    return () if participant is None else (participant,)


_PARTICIPANT = (
    "SELECT participants.pk, studies.name, id, state, session IS NOT NULL, participants.created, "
    "arrived, consented, finished FROM participants JOIN studies ON studies.pk = study "
)


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
