"""What a store holds of a trial, as rows that another store can take: this merges the shards of a
run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from sociolab.core.errors import StoreError
from sociolab.core.score import ScoreFailure, Verdict
from sociolab.store.calls import ADD_TOOL_CALLS, CALL, LEDGER, SERVED
from sociolab.store.database import as_text
from sociolab.store.store import Status, Store
from sociolab.store.verdicts import JudgingRow


class Marks(NamedTuple):
    """How far a trial was read: its number of events, and the keys of its last calls."""

    events: int = 0
    calls: int = 0
    failures: int = 0
    attempts: int = 0


START = Marks()


class TrialRows(NamedTuple):
    """What a store holds of a trial; `events` start with number `first`.

    Calls refer to the call whose prompt they extend by its key, and to their schema by name and
    text, so that rows hold no primary key of their own store.
    """

    id: str
    status: Status
    cause: Any
    problem: str
    first: int
    events: tuple[str | bytes, ...]
    calls: tuple[tuple[Any, ...], ...]
    failures: tuple[tuple[Any, ...], ...]
    attempts: tuple[tuple[Any, ...], ...]
    judgings: tuple[JudgingRow, ...]
    attachments: tuple[tuple[Any, ...], ...]


class ConflictError(StoreError):
    """Two stores hold different episodes, or different scores, of the same trial."""


def read_trial(store: Store, run: str, trial: str, after: Marks = START) -> tuple[TrialRows, Marks]:
    """What a store holds of a trial beyond these marks, and the marks to continue from.

    Judgings and attachments are always complete. A trial that was started anew since is read from
    its first event.
    """
    pk, run_pk = store.trial_pk(run, trial), store.run_pk(run)
    status, cause, problem, count = store.row(
        "SELECT status, cause, problem, (SELECT count(*) FROM events WHERE trial = trials.pk) "
        "FROM trials WHERE pk = ?",
        (pk,),
    )
    first = after.events if after.events <= count else 0
    events = store.rows(
        "SELECT body FROM events WHERE trial = ? AND n >= ? ORDER BY n", (pk, first)
    )
    calls = store.rows(_CALLS.format("= ?"), (run_pk, trial, after.calls))
    failures = store.rows(_FAILURES.format("= ?"), (run_pk, trial, after.failures))
    attempts = store.rows(_ATTEMPTS.format("= ?"), (run_pk, trial, after.attempts))
    attachments = store.rows(
        "SELECT name, packed, data FROM attachments WHERE trial = ? ORDER BY pk", (pk,)
    )
    marks = Marks(
        first + len(events),
        calls[-1][0] if calls else after.calls,
        failures[-1][0] if failures else after.failures,
        attempts[-1][0] if attempts else after.attempts,
    )
    rows = TrialRows(
        trial,
        status,
        cause,
        as_text(problem),
        first,
        tuple(body for (body,) in events),
        tuple(row[1:] for row in calls),
        tuple(row[1:] for row in failures),
        tuple(row[1:] for row in attempts),
        tuple(store.verdicts.judgings(run, trial=trial)),
        tuple(attachments),
    )
    return rows, marks


def take_trial(store: Store, run: str, rows: TrialRows) -> bool:
    """Merge rows into a store, within a transaction; whether anything was new.

    Events that continue the stored ones are appended; of two states that differ, the one further on
    wins: played, failed, playing, planned. Paid replies are kept from both. `ConflictError`, with
    nothing written, where both were played and differ.
    """
    pk = store.trial_pk(run, rows.id)
    status, stored = store.row(
        "SELECT status, (SELECT count(*) FROM events WHERE trial = trials.pk) FROM trials "
        "WHERE pk = ?",
        (pk,),
    )
    if stored < rows.first:
        raise StoreError(f'rows of trial "{rows.id}" are missing before event {rows.first}')
    common = min(stored - rows.first, len(rows.events))
    ours = store.rows(
        "SELECT body FROM events WHERE trial = ? AND n >= ? ORDER BY n LIMIT ?",
        (pk, rows.first, common),
    )
    agree = [body for (body,) in ours] == [*rows.events[:common]]
    longer = rows.first + len(rows.events) - stored
    takes = _ORDER[rows.status] > _ORDER[status]
    if status == rows.status == "played" and (longer or not agree):
        raise ConflictError(f"the episode {rows.id} was played in both, in two ways")
    if agree and longer and status != "played":
        takes = longer > 0
    changed = takes
    if takes:
        if not agree:
            for table in ("events", "judgings", "attachments"):
                store.execute(f"DELETE FROM {table} WHERE trial = ?", (pk,))
            store.execute("DELETE FROM episode_words WHERE rowid = ?", (pk,))
            common = 0
        for n, body in enumerate(rows.events[common:], rows.first + common):
            store.execute("INSERT INTO events VALUES (?, ?, ?)", (pk, n, body))
        store.set_status(run, rows.id, rows.status, rows.cause, rows.problem)
    changed |= take_calls(store, run, rows)
    if agree or takes:
        before = store.changes()
        for row in rows.attachments:
            store.execute(_ATTACH, (pk, *row))
        changed |= _take_judgings(store, run, rows) or store.changes() > before
    return changed


def take_calls(store: Store, run: str, rows: TrialRows) -> bool:
    """Add calls, failed calls and attempts that are missing; whether there were any."""
    run_pk, schemas = store.run_pk(run), dict[tuple[str, str], int]()
    before = store.changes()
    for *call, base, schema, text, digest, prompt, reply, tools in rows.calls:
        number = None
        if schema is not None:
            number = schemas.get((schema, text)) or _schema_pk(store, run_pk, schema, text)
            schemas[schema, text] = number
        values = (run_pk, *call, run_pk, base, number, digest, prompt, reply)
        added = store.execute(_TAKE_CALL, values)
        if tools and added.rowcount:
            store.execute(ADD_TOOL_CALLS, (added.lastrowid, tools))
    for row in rows.failures:
        store.execute(_TAKE_FAILURE, (run_pk, *row))
    for row in rows.attempts:
        store.execute(_TAKE_ATTEMPT, (run_pk, *row))
    return store.changes() > before


def read_other_calls(store: Store, run: str) -> TrialRows:
    """The calls of a run that belong to none of its trials, as rows of no trial."""
    values = (run_pk := store.run_pk(run), run_pk, 0)
    of_none = "NOT IN (SELECT id FROM trials WHERE run = ?)"
    calls = tuple(row[1:] for row in store.rows(_CALLS.format(of_none), values))
    failures = tuple(row[1:] for row in store.rows(_FAILURES.format(of_none), values))
    attempts = tuple(row[1:] for row in store.rows(_ATTEMPTS.format(of_none), values))
    return TrialRows("", "planned", None, "", 0, (), calls, failures, attempts, (), ())


def begun_trials(store: Store, run: str) -> Iterator[str]:
    """The trials of which a store holds more than the plan, in plan order."""
    pk = store.run_pk(run)
    for (trial,) in store.rows(
        "SELECT id FROM trials WHERE run = ?1 AND (status != 'planned' "
        "OR EXISTS (SELECT 1 FROM calls WHERE run = ?1 AND calls.trial = trials.id) "
        "OR EXISTS (SELECT 1 FROM attempts WHERE run = ?1 AND attempts.trial = trials.id)) "
        "ORDER BY pk",
        (pk,),
    ):
        yield as_text(trial)


def trial_states(store: Store, run: str) -> dict[str, tuple[Any, ...]]:
    """By trial, a value that changes whenever anything about it is written."""
    rows = store.rows(_STATES, (store.run_pk(run),))
    return {as_text(trial): tuple(state) for trial, *state in rows}


def _take_judgings(store: Store, run: str, rows: TrialRows) -> bool:
    if not rows.judgings:
        return False
    stored = {
        (row.judge, row.judging): row.verdicts
        for row in store.verdicts.judgings(run, trial=rows.id)
    }
    changed = False
    for row in rows.judgings:
        ours = stored.get((row.judge, row.judging))
        if ours == row.verdicts:
            continue
        if ours is not None and (cell := _find_contradiction(ours, row.verdicts)):
            raise ConflictError(
                f"the episode {rows.id} was judged by {row.judge.label} in both, and {cell} differs"
            )
        if ours is not None and all(isinstance(verdict, ScoreFailure) for verdict in row.verdicts):
            continue
        store.verdicts.add(run, row.judge, row.verdicts, trial=rows.id, judging=row.judging)
        changed = True
    return changed


def _find_contradiction(ours: tuple[Verdict, ...], added: tuple[Verdict, ...]) -> str:
    """The metric on which two judgings give different values; "" if they agree."""
    by_place = {(v.measure.name, v.seat): v for v in ours}
    for verdict in added:
        other = by_place.get((verdict.measure.name, verdict.seat))
        failed = isinstance(verdict, ScoreFailure) or isinstance(other, ScoreFailure)
        if other is not None and not failed and other != verdict:
            return verdict.measure.name
    return ""


def _schema_pk(store: Store, run: int, name: str, text: str) -> int:
    row = store.row(
        "SELECT pk FROM schemas WHERE run = ? AND name = ? AND text = ?", (run, name, text)
    )
    if row is not None:
        return int(row[0])
    return store.insert("INSERT INTO schemas (run, name, text) VALUES (?, ?, ?)", (run, name, text))


_STATES = """
    SELECT id, status, (SELECT count(*) FROM events WHERE trial = trials.pk),
        (SELECT max(pk) FROM calls WHERE calls.run = trials.run AND calls.trial = trials.id),
        (SELECT max(pk) FROM call_failures failed
            WHERE failed.run = trials.run AND failed.trial = trials.id),
        (SELECT max(pk) FROM attempts
            WHERE attempts.run = trials.run AND attempts.trial = trials.id),
        (SELECT count(*) FROM judgings WHERE judgings.trial = trials.pk),
        (SELECT sum(verdicts.sum) FROM judgings JOIN verdicts ON judging = judgings.pk
            WHERE judgings.trial = trials.pk)
    FROM trials WHERE run = ? ORDER BY pk
"""

_ORDER = {"planned": 0, "playing": 1, "failed": 2, "played": 3}

_CALL = CALL.removeprefix("run, ")
_PAID = (
    "key, prompt_tokens, completion_tokens, cached_tokens, estimated, usd, finish, fault, " + SERVED
)

_CALLS = f"""
    SELECT own.pk, {", ".join(f"own.{name}" for name in f"{_CALL}, {_PAID}".split(", "))},
        base.key, schemas.name, schemas.text, own.hash, own.prompt, own.reply,
        (SELECT content FROM tool_calls WHERE call = own.pk)
    FROM calls own LEFT JOIN calls base ON base.pk = own.base
        LEFT JOIN schemas ON schemas.pk = own.schema
    WHERE own.run = ? AND own.trial {{}} AND own.pk > ? ORDER BY own.pk
"""

_FAILURES = f"""
    SELECT pk, {_CALL}, cause, problem FROM call_failures
    WHERE run = ? AND trial {{}} AND pk > ? ORDER BY pk
"""

_ATTEMPTS = f"""
    SELECT pk, {LEDGER} FROM attempts WHERE run = ? AND trial {{}} AND pk > ? ORDER BY pk
"""

# A key is a hash of what was sent, so the prompt that one extends is the same under the same key.
_TAKE_CALL = f"""
    INSERT OR IGNORE INTO calls ({CALL}, {_PAID}, base, schema, hash, prompt, reply)
    VALUES ({", ".join("?" * 26)}, (SELECT pk FROM calls WHERE run = ? AND key = ?), ?, ?, ?, ?)
"""

_TAKE_FAILURE = f"""
    INSERT INTO call_failures ({CALL}, cause, problem)
    SELECT {", ".join(f"?{n}" for n in range(1, 15))}
    WHERE NOT EXISTS (SELECT 1 FROM call_failures WHERE run = ?1 AND trial = ?2 AND at = ?12
        AND role = ?3 AND seat = ?4 AND turn = ?5 AND name = ?6)
"""

_TAKE_ATTEMPT = f"""
    INSERT INTO attempts (run, {LEDGER}) SELECT {", ".join(f"?{n}" for n in range(1, 19))}
    WHERE NOT EXISTS (SELECT 1 FROM attempts WHERE run = ?1 AND trial = ?2 AND at = ?12
        AND role = ?3 AND seat = ?4 AND turn = ?5 AND name = ?6 AND attempt = ?7 AND idx = ?8
        AND number = ?10)
"""

_ATTACH = """
    INSERT INTO attachments (trial, name, packed, data) SELECT ?1, ?2, ?3, ?4
    WHERE NOT EXISTS (SELECT 1 FROM attachments WHERE trial = ?1 AND name = ?2 AND data = ?4)
"""
