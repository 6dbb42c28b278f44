"""Full-text search in episodes: an index that grows when a run ends, and when somebody searches."""

from __future__ import annotations

from dataclasses import dataclass

from sociolab.store.database import Database, as_text

BEGIN, END = "\x02", "\x03"
"""Marks around each match in an excerpt."""


@dataclass(frozen=True, slots=True)
class Hit:
    """An episode in which the words occur; `excerpt` marks them with `BEGIN` and `END`."""

    run: str
    trial: str
    excerpt: str


class Search:
    """The full-text index of a store's episodes."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def find(
        self, words: str, run: str | None = None, limit: int = 50, offset: int = 0
    ) -> tuple[Hit, ...]:
        """The episodes that contain all of these words, best match first.

        The last word may be the beginning of one. Empty where `words` holds no letter or digit.
        """
        terms = [word.replace('"', '""') for word in words.split()]
        terms = [word for word in terms if any(letter.isalnum() for letter in word)]
        if not terms:
            return ()
        # Each word is quoted, so that FTS5 takes none for an operator.
        query = " ".join(f'"{word}"' for word in terms) + "*"
        rows = self._db.rows(
            "SELECT runs.name, trials.id, snippet(episode_words, 0, ?2, ?3, ' … ', 24) "
            "FROM episode_words JOIN trials ON trials.pk = episode_words.rowid "
            "JOIN runs ON runs.pk = trials.run "
            "WHERE episode_words MATCH ?1 AND runs.name = ifnull(?4, runs.name) "
            "ORDER BY rank, trials.pk LIMIT ?5 OFFSET ?6",
            (query, BEGIN, END, run, limit, offset),
        )
        return tuple(
            Hit(as_text(name), as_text(trial), as_text(text)) for name, trial, text in rows
        )

    def index(self, run: str, trial: str, words: str) -> None:
        """Index the words of an episode, instead of those it was indexed with before."""
        pk = self._db.trial_pk(run, trial)
        with self._db.transaction():
            self._db.execute("DELETE FROM episode_words WHERE rowid = ?", (pk,))
            self._db.execute("INSERT INTO episode_words (rowid, body) VALUES (?, ?)", (pk, words))

    def unindexed(self, limit: int, run: str | None = None) -> tuple[tuple[str, str], ...]:
        """Run and trial of played episodes (of a run, or of all) that are not indexed yet."""
        rows = self._db.rows(
            "SELECT runs.name, trials.id FROM trials JOIN runs ON runs.pk = trials.run "
            "WHERE status = 'played' AND trials.pk NOT IN (SELECT rowid FROM episode_words) "
            "AND runs.name = ifnull(?2, runs.name) LIMIT ?1",
            (limit, run),
        )
        return tuple((as_text(run), as_text(trial)) for run, trial in rows)

    def indexed_share(self) -> tuple[int, int]:
        """How many of the played episodes are indexed, and how many there are."""
        row = self._db.row(
            "SELECT count(*), sum(pk IN (SELECT rowid FROM episode_words)) FROM trials "
            "WHERE status = 'played'"
        )
        return int(row[1] or 0), int(row[0])
