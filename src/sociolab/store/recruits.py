"""Who came to a study by its open link: keyed hashes, and apart from these the platform's own ids.

The key of the hashes is drawn by SQLite, read here alone, and copied into no other store. With the
ids it is deleted; nobody can tell then whose hash is whose.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Mapping

from sociolab.core.errors import StoreError
from sociolab.store.database import Database, as_text


class Recruits:
    """The recruits of a store. Participants are their primary keys."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def find(self, study: str, person: str) -> int | None:
        """The participant whom the platform calls `person`; None where none came yet.

        StoreError where the ids were deleted, so that nobody can be told from anybody else.
        """
        row = self._db.row(
            "SELECT participant FROM recruits WHERE person = ?", (self._hash(study, person),)
        )
        return None if row is None else int(row[0])

    def add(self, study: str, participant: int, person: str, ids: Mapping[str, str]) -> None:
        """Record a participant as this person; StoreError where the ids were deleted."""
        with self._db.transaction():
            self._db.execute(
                "INSERT INTO recruits (participant, person, since) VALUES (?, ?, ?)",
                (participant, self._hash(study, person), time.time()),
            )
            self._db.execute(
                "INSERT INTO platform_ids (participant, content) VALUES (?, ?)",
                (participant, json.dumps(dict(ids), ensure_ascii=False)),
            )

    def has(self, participant: int) -> bool:
        """Whether a participant came by the open link."""
        query = "SELECT 1 FROM recruits WHERE participant = ?"
        return self._db.row(query, (participant,)) is not None

    def since(self, study: str) -> Mapping[int, float]:
        """From when the place of each recruit of a study counts, in seconds since 1970."""
        return dict(self._db.rows(f"SELECT participant, since FROM recruits {_OF}", (study,)))

    def renew(self, participant: int) -> None:
        """Let a recruit's place count from now on."""
        self._db.write(
            "UPDATE recruits SET since = ? WHERE participant = ?", (time.time(), participant)
        )

    def ids(self, study: str) -> Mapping[int, Mapping[str, str]]:
        """The parameters that each recruit of a study came with: for bonuses and deletion only."""
        rows = self._db.rows(f"SELECT participant, content FROM platform_ids {_OF}", (study,))
        return {participant: json.loads(as_text(content)) for participant, content in rows}

    def who_has_ids(self, study: str) -> frozenset[int]:
        """The recruits of a study whose ids are stored; not which these are."""
        rows = self._db.rows(f"SELECT participant FROM platform_ids {_OF}", (study,))
        return frozenset(participant for (participant,) in rows)

    def ids_were_deleted(self, study: str) -> bool:
        row = self._db.row(f"SELECT key FROM recruiting {_KEY_OF}", (study,))
        return row is not None and row[0] is None

    def delete_ids(self, study: str) -> int:
        """Delete the ids of a study and the key of their hashes; returns how many there were."""
        self._key_row(study)
        with self._db.transaction():
            count = self._db.execute(f"DELETE FROM platform_ids {_OF}", (study,)).rowcount
            self._db.execute(f"UPDATE recruiting SET key = NULL {_KEY_OF}", (study,))
        return count

    def delete_ids_of(self, participant: int) -> bool:
        """Delete one recruit's ids; whether there were any. Who this is can still be told."""
        deleted = self._db.execute(
            "DELETE FROM platform_ids WHERE participant = ?", (participant,)
        ).rowcount
        self._db.commit()
        return bool(deleted)

    def _hash(self, study: str, person: str) -> bytes:
        key = self._key_row(study)
        if key is None:
            raise StoreError(
                f'the ids of the study "{study}" were deleted, so that nobody new can be let in by '
                "its open link; set up another study"
            )
        return hmac.new(key, person.encode(), hashlib.sha256).digest()

    def _key_row(self, study: str) -> bytes | None:
        query = f"SELECT key FROM recruiting {_KEY_OF}"
        if (row := self._db.row(query, (study,))) is None:
            self._db.write(
                "INSERT OR IGNORE INTO recruiting (study) SELECT pk FROM studies WHERE name = ?",
                (study,),
            )
            row = self._db.row(query, (study,))
        if row is None:
            raise StoreError(f'there is no study called "{study}"')
        return None if row[0] is None else bytes(row[0])


_KEY_OF = "WHERE study = (SELECT pk FROM studies WHERE name = ?)"
_OF = f"WHERE participant IN (SELECT pk FROM participants {_KEY_OF})"
