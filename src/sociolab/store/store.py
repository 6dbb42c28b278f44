"""The store: all that was planned, played, paid for and judged, in one SQLite file."""

from __future__ import annotations

import json
import sqlite3
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias

from sociolab.core.codec import decode_event, decode_trial, encode_event, encode_trial
from sociolab.core.episode import Agent, Episode, Event, Json, Task, Trial
from sociolab.core.errors import Cause, StorageError, StoreError
from sociolab.core.metrics import UNDECLARED, Declared, parse_declared
from sociolab.core.redaction import redact_bytes
from sociolab.core.unpacking import inflate
from sociolab.store.audit_log import AuditLog
from sociolab.store.calls import Calls
from sociolab.store.connect import (
    back_up,
    checked_name,
    connect,
    lock_run,
    storage_error,
    store_path,
)
from sociolab.store.database import Database, as_text
from sociolab.store.notes import Notes
from sociolab.store.recruits import Recruits
from sociolab.store.search import Search
from sociolab.store.studies import Studies
from sociolab.store.verdicts import Verdicts


def world_settings_in(settings: Json) -> dict[str, str]:
    """The settings of the world (`--set`, `--tdp`) among the settings of a run."""
    values = settings.get("world_settings") if isinstance(settings, dict) else None
    return {name: str(value) for name, value in values.items()} if isinstance(values, dict) else {}


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run, with the number of its trials in each state.

    `declared` is what its world declared when the run started, with the kinds of its agents;
    `agents` are these by label. `keeps` is "" for a run of episodes, else the work whose replies it
    holds, such as "audit". `created` is in seconds since 1970 (UTC), `seconds` the wall time of all
    its parts.
    """

    name: str
    world: str
    settings: Json
    declared: Declared
    keeps: str
    created: float
    seconds: float
    planned: int
    playing: int
    played: int
    failed: int
    agents: Mapping[str, Agent] = field(default_factory=dict)

    @property
    def trials(self) -> int:
        return self.planned + self.playing + self.played + self.failed

    @property
    def work(self) -> str:
        """What the run stores the replies of, such as "an audit"; "" for a run of episodes."""
        return self.keeps and f"{'an' if self.keeps[0] in 'aeiou' else 'a'} {self.keeps}"

    @property
    def world_settings(self) -> dict[str, str]:
        return world_settings_in(self.settings)

    @property
    def finished(self) -> bool:
        return not self.planned and not self.playing


Status: TypeAlias = Literal["planned", "playing", "played", "failed"]


@dataclass(frozen=True, slots=True)
class TrialRow:
    """A trial, its place in the plan (from 0), and its status.

    `cause` and `problem` say why it failed; None and "" otherwise.
    """

    trial: Trial
    index: int
    status: Status
    cause: Cause | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class StoreSize:
    """The size of a store's files, and how many of these bytes are free pages."""

    bytes: int
    free: int


class Store(Database):
    """One open store, for one thread; others may read while it writes.

    Runs, trials and events are its own methods; `calls`, `verdicts`, `studies`, `recruits`,
    `notes`, `audit_log` and `search` hold the rest. A write is on disk when its method returns,
    unless that says "soon". `RunReplies` stores the replies of a run; `lock_run` keeps a second
    process off a run.

    >>> from pathlib import Path
    >>> from sociolab import RunConfig, run
    >>> from sociolab.store import Store
    >>> result = run(RunConfig(limit=1, judges="none", name="first", store=f"{folder}/lab.db"))
    >>> with Store.open(Path(folder, "lab.db")) as store:
    ...     [(run.name, run.world) for run in store.runs()], len(store.trials("first"))
    ([('first', 'sotopia')], 1)
    """

    @classmethod
    def open(cls, path: Path, create: bool = True, *, synced: bool = False) -> Self:
        """The store at `path`, created there if missing and `create`; read-only where the disk is.

        `synced`: commits survive a power cut, too. People's answers need that; a model's replies
        can be requested again.

        A store of an earlier version of sociolab is brought up to date, and its copy is kept beside
        it. StoreError if it cannot be opened, is not ours, or is of a version that this sociolab
        does not read.
        """
        return cls(connect(path, create, synced=synced), path)

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        super().__init__(connection, path)
        self.calls = Calls(self)
        self.verdicts = Verdicts(self)
        self._ends: dict[tuple[str, str], tuple[int, int]] = self.new_cache()

    @cached_property
    def studies(self) -> Studies:
        return Studies(self)

    @cached_property
    def notes(self) -> Notes:
        return Notes(self)

    @cached_property
    def recruits(self) -> Recruits:
        return Recruits(self)

    @cached_property
    def audit_log(self) -> AuditLog:
        return AuditLog(self)

    @cached_property
    def search(self) -> Search:
        return Search(self)

    # -------------------------------------------------------------- runs

    def runs(self) -> tuple[RunRow, ...]:
        """All runs, oldest first."""
        rows = self.rows(f"{_ROWS} GROUP BY runs.pk ORDER BY created, runs.pk")
        return tuple(self._run_row(row) for row in rows)

    def run(self, name: str) -> RunRow:
        """StoreError if there is no run of this name."""
        pk = self.run_pk(name)
        row = self.row(f"{_ROWS} WHERE runs.pk = ? GROUP BY runs.pk", (pk,))
        return self._run_row(row)

    def _run_row(self, row: tuple[Any, ...]) -> RunRow:
        pk, name, world, settings, declared, *rest = row
        agents = {agent.label: agent for agent in self.agents(pk).values()}
        kinds = {label: agent.kind for label, agent in agents.items()}
        of_run = replace(parse_declared(as_text(declared)), agents=kinds)
        run_row = RunRow(name, world, json.loads(as_text(settings)), of_run, *rest)
        return replace(run_row, agents=agents)

    def runs_keeping(self, kind: str, world: str) -> tuple[str, ...]:
        """The runs of a world that hold the replies of `kind` (see `RunRow.keeps`),
        oldest first.
        """
        query = "SELECT name FROM runs WHERE keeps = ? AND world = ? ORDER BY created, pk"
        return tuple(as_text(name) for (name,) in self.rows(query, (kind, world)))

    def has_run(self, name: str) -> bool:
        row = self.row("SELECT 1 FROM runs WHERE name = ?", (name,))
        return row is not None

    def create_run(
        self,
        name: str,
        world: str,
        settings: Json,
        trials: Sequence[Trial],
        declared: Declared = UNDECLARED,
        *,
        keeps: str = "",
        created: float | None = None,
        seconds: float = 0.0,
    ) -> None:
        """Store a run with its plan, in order; StoreError if the name is invalid or taken.

        `created` is now by default; `seconds` is the wall time it took elsewhere.
        """
        began = time.time() if created is None else created
        with self.transaction():
            run = self._insert_run(name, world, settings, declared, keeps, began, seconds)
            self._insert_plan(run, trials)

    def set_settings(self, name: str, settings: Json) -> None:
        """Replace the settings of a run; writes only if they differ."""
        text, pk = json.dumps(settings, ensure_ascii=False), self.run_pk(name)
        row = self.row("SELECT settings FROM runs WHERE pk = ?", (pk,))
        if as_text(row[0]) != text:
            self.write("UPDATE runs SET settings = ? WHERE pk = ?", (text, pk))

    def add_seconds(self, run: str, seconds: float) -> None:
        self.write(
            "UPDATE runs SET seconds = seconds + ? WHERE pk = ?", (seconds, self.run_pk(run))
        )

    def set_times(self, run: str, created: float, seconds: float) -> None:
        """Merge the times of a shard: a run was created with its first shard, and took as
        long as its slowest.
        """
        self.write(
            "UPDATE runs SET created = min(created, ?), seconds = max(seconds, ?) WHERE pk = ?",
            (created, seconds, self.run_pk(run)),
        )

    def record_look(self, runs: tuple[str, str], about: str, pairs: int) -> tuple[int, ...]:
        """Record that a comparison of two runs was looked at with so many pairs.

        Returns the number of pairs at each look, in rising order, for sequential tests.
        """
        key = (self.run_pk(runs[0]), self.run_pk(runs[1]), about)
        self.write("INSERT OR IGNORE INTO looks VALUES (?, ?, ?, ?)", (*key, pairs))
        rows = self.rows(
            "SELECT pairs FROM looks WHERE run = ? AND other = ? AND about = ? ORDER BY pairs", key
        )
        return tuple(pairs for (pairs,) in rows)

    def looks(self) -> tuple[tuple[str, str, str, int], ...]:
        """All looks on record: both runs, what was compared how, and the number of pairs."""
        rows = self.rows(
            "SELECT runs.name, others.name, about, pairs FROM looks "
            "JOIN runs ON runs.pk = run JOIN runs AS others ON others.pk = other "
            "ORDER BY looks.rowid"
        )
        return tuple((run, other, as_text(about), pairs) for run, other, about, pairs in rows)

    def rename_run(self, old: str, new: str) -> None:
        """StoreError if the new name is invalid or taken, or the run is being played."""
        pk = self.run_pk(old)
        checked_name(new)
        with lock_run(self.path, old):
            try:
                self.write("UPDATE runs SET name = ? WHERE pk = ?", (new, pk))
            except sqlite3.IntegrityError as error:
                raise _taken(new) from error
        self._forget()

    def delete_run(self, name: str) -> None:
        """Delete a run and all that belongs to it; StoreError if it is being played."""
        pk = self.run_pk(name)
        with lock_run(self.path, name, on_full_disk=True):
            try:
                self.write(_DELETE, (pk,))
            except StorageError as error:
                if not (error.full or self.frozen):
                    raise
                self._delete_in_place(pk)
        self._forget()

    def _delete_in_place(self, pk: int) -> None:
        """Delete a run where the disk has no room for the log of the deletion.

        SQLite's rollback data is in memory only: a process killed meanwhile leaves a damaged store.
        Nobody else may have the store open. StorageError where a log that a killed process left
        does not fit into the store.
        """
        synced = self.row("PRAGMA synchronous") == (2,)
        self._connection.close()
        self._closed = True
        connection = sqlite3.connect(self.path, isolation_level=None)
        try:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("PRAGMA journal_mode = MEMORY")  # takes in what is in the log
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute(_DELETE, (pk,))
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.Error as error:
            raise storage_error(self.path, error) from error
        finally:
            connection.close()
        self._set_connection(connect(self.path, new=False, synced=synced))
        self._closed = False

    def _insert_run(
        self,
        name: str,
        world: str,
        settings: Json,
        declared: Declared,
        keeps: str,
        created: float,
        seconds: float,
    ) -> int:
        text = json.dumps(settings, ensure_ascii=False)
        try:
            return self.insert(
                "INSERT INTO runs (name, world, settings, declared, keeps, created, seconds) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (checked_name(name), world, text, declared.as_json(), keeps, created, seconds),
            )
        except sqlite3.IntegrityError as error:
            raise _taken(name) from error

    # ---------------------------------------- the plan: trials in order, and what became of each

    def trials(self, run: str) -> tuple[TrialRow, ...]:
        """All trials of a run, in plan order."""
        pk = self.run_pk(run)
        tasks, agents = self._tasks(pk), self.agents(pk)
        rows = self.rows(
            "SELECT body, task, status, cause, problem FROM trials WHERE run = ? ORDER BY pk", (pk,)
        )
        return tuple(
            TrialRow(
                decode_trial(as_text(body), tasks[task], agents),
                index,
                status,
                cause,
                as_text(problem),
            )
            for index, (body, task, status, cause, problem) in enumerate(rows)
        )

    def trial_ids(self, run: str, status: Status | None = None) -> tuple[str, ...]:
        """The ids of a run's trials (of one status, if given), in plan order."""
        only, values = ("", ()) if status is None else ("AND status = ?", (status,))
        rows = self.rows(
            f"SELECT id FROM trials WHERE run = ? {only} ORDER BY pk", (self.run_pk(run), *values)
        )
        return tuple(as_text(trial) for (trial,) in rows)

    def runs_with(self, trials: Collection[str]) -> tuple[str, ...]:
        """The runs that have any of these trials, by name."""
        rows = self.rows(
            "SELECT DISTINCT runs.name FROM trials JOIN runs ON runs.pk = trials.run "
            "WHERE trials.id IN (SELECT value FROM json_each(?)) ORDER BY runs.name",
            (json.dumps(sorted(trials)),),
        )
        return tuple(as_text(name) for (name,) in rows)

    def failed_causes(self, run: str) -> Counter[str]:
        rows = self.rows(
            "SELECT ifnull(cause, 'unknown'), count(*) FROM trials "
            "WHERE run = ? AND status = 'failed' GROUP BY cause ORDER BY cause",
            (self.run_pk(run),),
        )
        return Counter(dict(rows))

    def add_trials(self, run: str, trials: Iterable[Trial]) -> None:
        """Append trials to a run's plan; StoreError if one is in it already."""
        with self.transaction():
            self._insert_plan(self.run_pk(run), trials)

    def set_status(
        self, run: str, trial: str, status: Status, cause: Cause | None = None, problem: str = ""
    ) -> None:
        """Set a trial's status. Events of a failed trial are kept."""
        self.write_soon(
            "UPDATE trials SET status = ?, cause = ?, problem = ? WHERE pk = ?",
            (status, cause, problem, self.trial_pk(run, trial)),
        )
        self._ends.pop((run, trial), None)

    def _insert_plan(self, run: int, trials: Iterable[Trial]) -> None:
        """Add trials to a plan, which may have some already; tasks and agents are stored once."""
        tasks: dict[Task, int] = {}
        stored: dict[str, list[int]] = defaultdict(list)
        for pk, id_ in self.rows("SELECT pk, id FROM tasks WHERE run = ?", (run,)):
            stored[as_text(id_)].append(pk)
        agents = {agent: pk for pk, agent in self.agents(run).items()}
        for trial in trials:
            for member in trial.cast:
                if (agent := member.identity) not in agents:
                    columns = (run, *astuple(agent))
                    agents[agent] = self.insert(_INSERT_AGENT, columns)
            task = tasks.get(trial.task)
            if task is None:
                alike = stored.get(trial.task.id, ())
                same = (pk for pk in alike if self._tasks(run, pk)[pk] == trial.task)
                task = next(same, None) or self._insert_task(run, trial.task)
                tasks[trial.task] = task
            body = encode_trial(replace(trial, task=_NO_TASK), agents)
            try:
                self.execute(
                    "INSERT INTO trials (run, id, task, body) VALUES (?, ?, ?, ?)",
                    (run, trial.id, task, body),
                )
            except sqlite3.IntegrityError as error:
                raise StoreError(
                    f'the plan holds trial "{trial.id}" twice; each trial may be planned once'
                ) from error

    def _insert_task(self, run: int, task: Task) -> int:
        return self.insert(
            "INSERT INTO tasks (run, id, seats, cluster, content, tags, roles) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                run,
                task.id,
                json.dumps(task.seats, ensure_ascii=False),
                task.cluster,
                task.content,
                json.dumps(task.tags, ensure_ascii=False),
                json.dumps(dict(task.roles), ensure_ascii=False),
            ),
        )

    def agents(self, run: int) -> Mapping[int, Agent]:
        """The agents of a run, by their primary keys; `run` is that of the run."""
        rows = self.rows(f"SELECT pk, {_AGENT} FROM agents WHERE run = ? ORDER BY pk", (run,))
        return {pk: Agent(*map(_decode, columns)) for pk, *columns in rows}

    def _tasks(self, run: int, only: int | None = None) -> Mapping[int, Task]:
        rows = self.rows(
            "SELECT pk, id, seats, cluster, content, tags, roles FROM tasks "
            "WHERE run = ? AND pk = ifnull(?, pk)",
            (run, only),
        )
        return {
            pk: Task(
                as_text(id_),
                tuple(json.loads(as_text(seats))),
                as_text(cluster),
                as_text(content),
                tuple(json.loads(as_text(tags))),
                json.loads(as_text(roles)),
            )
            for pk, id_, seats, cluster, content, tags, roles in rows
        }

    # -------------------------------------------------------------- what happened in a trial

    def append(self, run: str, trial: str, event: Event) -> None:
        """Append an event to a trial: on disk soon, together with the reply that led to it.

        Only one process may append to a trial, see `lock_run`.
        """
        at = self._ends.get((run, trial))
        if at is None:
            pk = self.trial_pk(run, trial)
            row = self.row("SELECT ifnull(max(n) + 1, 0) FROM events WHERE trial = ?", (pk,))
            at = pk, row[0]
        try:
            self.write_soon("INSERT INTO events VALUES (?, ?, ?)", (*at, encode_event(event)))
        except sqlite3.IntegrityError as error:
            raise StoreError(
                f'another process appends to trial "{trial}" of run "{run}" too; '
                "let only one process play a run"
            ) from error
        self._ends[run, trial] = (at[0], at[1] + 1)

    def events(self, run: str, trial: str) -> tuple[Event, ...]:
        """The events of a trial so far, in order."""
        return self._events(self.trial_pk(run, trial))

    def episode(self, run: str, trial: str) -> Episode:
        """A trial with its events so far."""
        pk = self.trial_pk(run, trial)
        body, task = self.row("SELECT body, task FROM trials WHERE pk = ?", (pk,))
        run_pk = self.run_pk(run)
        tasks, agents = self._tasks(run_pk, task), self.agents(run_pk)
        return Episode(decode_trial(as_text(body), tasks[task], agents), self._events(pk))

    def episodes(self, run: str, status: Status = "played") -> Iterator[Episode]:
        """The episodes whose trial has this status, in plan order, loaded one by one."""
        pk = self.run_pk(run)
        tasks, agents = self._tasks(pk), self.agents(pk)
        rows = self.rows(
            "SELECT pk, body, task FROM trials WHERE run = ? AND status = ? ORDER BY pk",
            (pk, status),
        )
        for trial, body, task in rows:
            yield Episode(decode_trial(as_text(body), tasks[task], agents), self._events(trial))

    def play_anew(self, run: str, trial: str) -> None:
        pk = self.trial_pk(run, trial)
        with self.transaction():
            self.execute("DELETE FROM events WHERE trial = ?", (pk,))
            self.set_status(run, trial, "playing")

    def reset_trial(self, run: str, trial: str) -> None:
        """Remove all events, calls and scores of a trial, and plan it again.

        Make sure that nobody plays this trial meanwhile.
        """
        pk, run_pk = self.trial_pk(run, trial), self.run_pk(run)
        with self.transaction():
            for table in ("events", "judgings", "attachments"):
                self.execute(f"DELETE FROM {table} WHERE trial = ?", (pk,))
            for table in ("calls", "call_failures", "attempts"):
                self.execute(f"DELETE FROM {table} WHERE run = ? AND trial = ?", (run_pk, trial))
            self.execute("DELETE FROM episode_words WHERE rowid = ?", (pk,))
            self.set_status(run, trial, "planned")

    def _events(self, trial: int) -> tuple[Event, ...]:
        rows = self.rows("SELECT body FROM events WHERE trial = ? ORDER BY n", (trial,))
        return tuple(decode_event(as_text(body)) for (body,) in rows)

    # ---------------------- attachments: anything else of a trial, in pieces that are only added to

    def attach(self, run: str, trial: str, name: str, data: bytes) -> None:
        """Append a piece to an attachment; compressed if that is smaller."""
        data = redact_bytes(data)
        packed = zlib.compress(data)
        small = len(packed) < len(data)
        self.write(
            "INSERT INTO attachments (trial, name, packed, data) VALUES (?, ?, ?, ?)",
            (self.trial_pk(run, trial), name, small, packed if small else data),
        )

    def attachment(self, run: str, trial: str, name: str) -> Iterator[bytes]:
        """The pieces of an attachment in order; empty if there is none."""
        pieces = self.rows(
            "SELECT pk FROM attachments WHERE trial = ? AND name = ? ORDER BY pk",
            (self.trial_pk(run, trial), name),
        )
        for piece in pieces:
            packed, data = self.row("SELECT packed, data FROM attachments WHERE pk = ?", piece)
            yield inflate(data) if packed else data

    def attachments(self, run: str, trial: str) -> tuple[str, ...]:
        rows = self.rows(
            "SELECT DISTINCT name FROM attachments WHERE trial = ? ORDER BY name",
            (self.trial_pk(run, trial),),
        )
        return tuple(name for (name,) in rows)

    # -------------------------------------------------------------- the file

    def size(self) -> StoreSize:
        """Bytes on disk, the log included, and bytes in free pages."""
        self.commit()
        pages, free = (
            int(self.row(f"PRAGMA {what}")[0]) for what in ("page_size", "freelist_count")
        )
        files = (self.path, self.path.with_name(f"{self.path.name}-wal"))
        return StoreSize(sum(f.stat().st_size for f in files if f.exists()), pages * free)

    @property
    def salt(self) -> bytes:
        """Random bytes of this store: hashes made with them match those of no other store."""
        return bytes(self.row("SELECT value FROM salt")[0])

    def vacuum(self) -> None:
        """Rewrite the file without the free pages that deletions left.

        This needs as much free disk space as the new file takes. StoreError while a run is being
        played (one that starts meanwhile waits), or where others read for so long that the log
        cannot be emptied.
        """
        for run in self.runs():
            with lock_run(self.path, run.name):
                pass
        if not self._rewrite_file():
            raise StoreError(
                f"another program is reading {self.path}, so its log keeps its size; run the same "
                f"command again when it has finished"
            )

    @contextmanager
    def erasing(self) -> Iterator[None]:
        """A transaction after which deleted content is gone from the file and its log, too.

        The whole file is rewritten: free pages, old versions of rows and the search index may hold
        copies. StoreError where that fails.
        """
        with self.transaction():
            yield
        self.scrub()

    def scrub(self) -> None:
        """Rewrite the file without free pages, and empty its log.

        StoreError where others read for so long that the log cannot be emptied, or where the disk
        is full; no data are lost then.
        """
        # Merges the index's segments: only that removes the words of deleted episodes.
        self.execute("INSERT INTO episode_words (episode_words) VALUES ('optimize')")
        if not self._rewrite_file():
            raise StoreError(
                f"deleted, but another program is reading {self.path}, whose log may still hold "
                "copies; end that program, then run `sociolab study scrub`"
            )

    def back_up(self, file: Path) -> None:
        """Copy the store to a new file, as it is at this moment; others may go on writing.

        StoreError, and no file, where it cannot be written.
        """
        self.commit()
        try:
            back_up(self._connection, self.path, file)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(
                f"the store cannot be copied to {file} ({error}); name a file on a disk with room"
            ) from error

    def _rewrite_file(self) -> bool:
        """Rewrite the file without free pages; whether its log could be emptied."""
        self.commit()
        self.execute("VACUUM")
        return not self.row("PRAGMA wal_checkpoint(TRUNCATE)")[0]


def _decode(value: Any) -> Any:
    return as_text(value) if isinstance(value, bytes) else value


@contextmanager
def open_store(path: Path | str | None = None) -> Iterator[Store]:
    """Open the store at `path` (default: your own), and close it at the end of the `with` block.

    StoreError if there is no such file, or it is no store.

    >>> from sociolab import RunConfig, open_store, run
    >>> result = run(RunConfig(tasks="bargain", limit=2, name="first", store=f"{folder}/lab.db"))
    >>> with open_store(f"{folder}/lab.db") as store:
    ...     [episode.ended.reason for episode in store.episodes("first")]
    ['left', 'left']
    """
    with Store.open(store_path(None if path is None else Path(path)), create=False) as store:
        yield store


def _taken(name: str) -> StoreError:
    return StoreError(f'there is a run "{name}" already; choose another name, or delete that run')


_NO_TASK = Task("", (), "", "")
"""The placeholder in a stored trial: its task is stored once for all its trials."""


_AGENT = ", ".join(column.name for column in fields(Agent))
_INSERT_AGENT = f"INSERT INTO agents (run, {_AGENT}) VALUES (?{', ?' * len(fields(Agent))})"

_DELETE = "DELETE FROM runs WHERE pk = ?"


_ROWS = """
    SELECT runs.pk, name, world, settings, declared, keeps, created, seconds,
        sum(status IS 'planned'), sum(status IS 'playing'),
        sum(status IS 'played'), sum(status IS 'failed')
    FROM runs LEFT JOIN trials ON trials.run = runs.pk
"""
