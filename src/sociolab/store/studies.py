"""Studies with people: their participants, what each was assigned, and what each answered.

Nothing here names a person: participants have pseudonyms, and of the secrets in their links and
browsers only hashes are kept.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

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
    """A participant. Times are in seconds since 1970 (UTC), None until they are reached."""

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
    """An item that a participant was assigned, with a seat in it or ""."""

    pk: int
    participant: int
    item: str
    seat: str
    state: Progress
    began: float
    ended: float | None


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """A participant's answer called `name` on an item ("" where it is on the whole study)."""

    participant: int
    item: str
    name: str
    value: Json
    at: float


class Studies:
    """The studies of a store. Methods that take `participant` expect its primary key."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def create(self, name: str, kind: StudyKind, settings: Json, run: str | None = None) -> None:
        """Store a new study, which is closed at first; StoreError if the name is taken."""
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
        return tuple(self._studies("ORDER BY studies.created, studies.pk"))

    def get(self, name: str) -> StudyRow:
        """StoreError if there is no study of this name."""
        for row in self._studies("WHERE studies.name = ?", name):
            return row
        raise StoreError(f'there is no study called "{name}"; `sociolab study list` names all')

    def change(self, name: str, *, open: bool | None = None, settings: Json = None) -> None:
        """Open or close a study, or replace its settings; None leaves a value as it is."""
        self.get(name)
        self._db.write(
            "UPDATE studies SET open = ifnull(?, open), settings = ifnull(?, settings) "
            "WHERE name = ?",
            (open, None if settings is None else _json(settings), name),
        )

    def delete(self, name: str) -> None:
        """Remove a study with its participants and their answers; its run stays."""
        self.get(name)
        self._db.write("DELETE FROM studies WHERE name = ?", (name,))

    # -------------------------------------------------------------- participants

    def add_participant(self, study: str, id: str, link: bytes | None) -> int:
        """Add an invited participant and return its primary key.

        `link` is the SHA-256 of the secret in the link. StoreError if the id is taken.
        """
        with self._db.transaction():
            if self._db.row(
                f"SELECT 1 FROM ({_PARTICIPANT} WHERE studies.name = ? AND id = ?)", (study, id)
            ):
                raise StoreError(f'the study "{study}" has a participant "{id}" already')
            self.get(study)
            (pk,) = self._db.row("SELECT pk FROM studies WHERE name = ?", (study,))
            return self._db.insert(
                "INSERT INTO participants (study, id, link, state, created) "
                "VALUES (?, ?, ?, 'invited', ?)",
                (pk, id, link, time.time()),
            )

    def participants(self, study: str) -> tuple[ParticipantRow, ...]:
        """In the order in which they were added."""
        self.get(study)
        return tuple(self._participants("WHERE studies.name = ? ORDER BY participants.pk", study))

    def participant(self, study: str, id: str) -> ParticipantRow:
        """StoreError if the study has no participant with this pseudonym."""
        for row in self._participants("WHERE studies.name = ? AND id = ?", study, id):
            return row
        self.get(study)
        raise StoreError(f'the study "{study}" has no participant "{id}"')

    def participant_of_link(self, link: bytes) -> ParticipantRow | None:
        """The participant whose link has a secret with this SHA-256."""
        return next(self._participants("WHERE link = ?", link), None)

    def participant_of_session(self, session: bytes) -> ParticipantRow | None:
        """The participant whose browser has a secret with this SHA-256."""
        return next(self._participants("WHERE session = ?", session), None)

    def bind(self, participant: int, session: bytes) -> bool:
        """Bind a participant's link to a browser; False if it is bound to another one.

        A participant who returns with a reissued link resumes where the first one stopped.
        """
        with self._db.transaction():
            cursor = self._db.execute(
                "UPDATE participants SET session = ?, arrived = ifnull(arrived, ?), "
                "state = CASE state WHEN 'invited' THEN 'arrived' ELSE state END "
                "WHERE pk = ? AND session IS NULL",
                (session, time.time(), participant),
            )
            return cursor.rowcount == 1

    def reissue(self, participant: int, link: bytes | None) -> None:
        """Replace the link of a participant who lost the browser; the old one is void. None: the
        open link of the study lets them in again."""
        self._db.write(
            "UPDATE participants SET link = ?, session = NULL WHERE pk = ?", (link, participant)
        )

    def set_state(self, participant: int, state: Standing) -> None:
        """Store how far a participant has come, and the time of consent or of the end."""
        moment = {"consented": "consented", "finished": "finished"}.get(state)
        when = f", {moment} = ifnull({moment}, ?2)" if moment else ""
        self._db.write(
            f"UPDATE participants SET state = ?1{when} WHERE pk = ?3",
            (state, time.time(), participant),
        )

    def delete_participant(self, study: str, id: str) -> None:
        """Remove a participant with all assignments and answers.

        Episodes and ratings belong to the run and stay.
        """
        row = self.participant(study, id)
        self._db.write("DELETE FROM participants WHERE pk = ?", (row.pk,))

    # -------------------------------------------------------------- assignments and answers

    def assign(self, participant: int, item: str, seat: str, state: Progress) -> int:
        """Add an assignment and return its primary key."""
        with self._db.transaction():
            return self._db.insert(
                "INSERT INTO assignments (participant, item, seat, state, began) "
                "VALUES (?, ?, ?, ?, ?)",
                (participant, item, seat, state, time.time()),
            )

    def set_progress(self, assignment: int, state: Progress) -> None:
        """Store an assignment's state, and when it was done or given up."""
        ended = time.time() if state in ("done", "given up") else None
        self._db.write(
            "UPDATE assignments SET state = ?, ended = ? WHERE pk = ?", (state, ended, assignment)
        )

    def assignments(self, study: str, participant: int | None = None) -> tuple[AssignmentRow, ...]:
        """The assignments of a study or of one participant, in the order they were made."""
        rows = self._db.rows(
            f"{_ASSIGNMENT} JOIN studies ON studies.pk = study "
            f"WHERE studies.name = ?1 {_only(participant)} ORDER BY assignments.pk",
            (study, *_bind_participant(participant)),
        )
        return tuple(
            AssignmentRow(pk, participant, as_text(item), as_text(seat), state, began, ended)
            for pk, participant, item, seat, state, began, ended in rows
        )

    def answer(self, participant: int, item: str, name: str, value: Json) -> None:
        """Store an answer; it replaces an earlier one of the same item and name."""
        self._db.write(
            "INSERT INTO answers VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE "
            "SET value = ?4, at = ?5",
            (participant, item, name, json.dumps(value, ensure_ascii=False), time.time()),
        )

    def answers(
        self, study: str, participant: int | None = None, *, name: str | None = None
    ) -> tuple[AnswerRow, ...]:
        """The answers of a study or of one participant, by participant; with `name`,
        only those of that name.
        """
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
        """Remove an item's assignments and answers from a study."""
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

    # -------------------------------------------------------------- of another store

    def take(self, other: Studies, name: str) -> None:
        """Take a study of another store, or what is new there in one that both have, within a
        transaction. Its run must be here.

        Of a participant, an assignment or an answer that both have, the one further on, or later,
        stays. A new study is closed; the settings of one that is here stay.
        """
        study = other.get(name)
        if not self._db.row("SELECT 1 FROM studies WHERE name = ?", (name,)):
            self.create(name, study.kind, study.settings, study.run)
            self._db.execute("UPDATE studies SET created = ? WHERE name = ?", (study.created, name))
        (pk,) = self._db.row("SELECT pk FROM studies WHERE name = ?", (name,))
        for row in other.participants(name):
            (values,) = other._db.rows(f"SELECT id, {_TRACKED} WHERE pk = ?", (row.pk,))
            self._db.execute(_TAKE_PARTICIPANT, (pk, *values))
            here = self.participant(name, row.id).pk
            for columns, take in ((_ASSIGNED, _TAKE_ASSIGNMENT), (_ANSWERED, _TAKE_ANSWER)):
                for values in other._db.rows(f"SELECT {columns} WHERE participant = ?", (row.pk,)):
                    self._db.execute(take, (here, *values))

    # -------------------------------------------------------------- inside

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


def _only(participant: int | None) -> str:
    # Spelled out, not `ifnull(?2, participant)`, so that SQLite uses the index.
    return "" if participant is None else "AND participant = ?2"


def _bind_participant(participant: int | None) -> tuple[int, ...]:
    return () if participant is None else (participant,)


_PARTICIPANT = (
    "SELECT participants.pk, studies.name, id, state, session IS NOT NULL, participants.created, "
    "arrived, consented, finished FROM participants JOIN studies ON studies.pk = study "
)


_TRACKED = "link, session, state, created, arrived, consented, finished FROM participants"
_LAST = "ifnull({0}.finished, ifnull({0}.consented, ifnull({0}.arrived, 0)))"
_TAKE_PARTICIPANT = f"""
    INSERT INTO participants
        (study, id, link, session, state, created, arrived, consented, finished)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (study, id) DO UPDATE
    SET link = excluded.link, session = excluded.session, state = excluded.state,
        arrived = excluded.arrived, consented = excluded.consented, finished = excluded.finished
    WHERE {_LAST.format("excluded")} > {_LAST.format("participants")}
"""

_ASSIGNED = "item, seat, state, began, ended FROM assignments"
_TAKE_ASSIGNMENT = """
    INSERT INTO assignments (participant, item, seat, state, began, ended)
    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (participant, item, seat) DO UPDATE
    SET state = excluded.state, began = excluded.began, ended = excluded.ended
    WHERE excluded.ended NOT NULL AND assignments.ended IS NULL
"""

_ANSWERED = "item, name, value, at FROM answers"
_TAKE_ANSWER = """
    INSERT INTO answers (participant, item, name, value, at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET value = excluded.value, at = excluded.at
    WHERE excluded.at > answers.at
"""


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)
