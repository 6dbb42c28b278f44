"""The schema of a store: its tables, version by version, and the checksum of each row."""

from __future__ import annotations

import re
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator

from sociolab.core import __version__

APPLICATION_ID = 0x536F6C61
"""Marks a SQLite file as ours ("Sola")."""


class Undecoded(bytes):
    """The raw bytes of a text; `checksum` treats them as that text."""


def checksum(*values: str | bytes | float | None) -> int:
    """The CRC-32 of a row's values, told apart by bytes that UTF-8 never contains."""
    return zlib.crc32(b"\xfc".join(map(_bytes_of, values)))


def _bytes_of(value: str | bytes | float | None) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, Undecoded):
        return value
    return b"\xff" + value if isinstance(value, bytes) else b"\xfd%a" % value


_VERSION_1 = """
CREATE TABLE salt (                  -- one row: what makes hashes of this store its own
    value BLOB NOT NULL DEFAULT (randomblob(16)),
    sum INTEGER AS (checksum(value)) STORED
);
INSERT INTO salt DEFAULT VALUES;

CREATE TABLE runs (
    pk INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    world TEXT NOT NULL,
    settings TEXT NOT NULL,          -- JSON
    declared TEXT NOT NULL,          -- JSON, see core/metrics.py
    keeps TEXT NOT NULL DEFAULT '',  -- the work whose replies it holds, as "audit"; of episodes: ''
    created REAL NOT NULL,           -- seconds since 1970, UTC
    seconds REAL NOT NULL DEFAULT 0, -- wall time, all resumed parts together
    sum INTEGER AS (checksum(name, world, settings, declared, keeps, created, seconds)) STORED
);

CREATE TABLE tasks (                 -- the task records of a run, each once
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    id TEXT NOT NULL,
    seats TEXT NOT NULL,             -- JSON list
    cluster TEXT NOT NULL,
    content TEXT NOT NULL,           -- the world's own record
    tags TEXT NOT NULL,              -- JSON list
    roles TEXT NOT NULL,             -- JSON object: what seats are
    sum INTEGER AS (checksum(run, id, seats, cluster, content, tags, roles)) STORED
);
CREATE INDEX tasks_by_run ON tasks (run);

CREATE TABLE agents (                -- who plays in a run, each once; see core/episode.py
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    label TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    endpoint TEXT NOT NULL,
    settings TEXT NOT NULL,
    temperature REAL,                -- NULL: nobody chose one
    code TEXT,                       -- NULL: of no Python class
    sum INTEGER AS (checksum(run, label, kind, name, endpoint, settings, temperature, code)) STORED
);
CREATE INDEX agents_by_run ON agents (run);

CREATE TABLE trials (                -- the plan: pk order is plan order
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    id TEXT NOT NULL,
    task INTEGER NOT NULL,           -- tasks.pk; a foreign key would only slow deletion
    body TEXT NOT NULL,              -- the trial without its task, its agents by agents.pk
    status TEXT NOT NULL DEFAULT 'planned'
        CHECK (status IN ('planned', 'playing', 'played', 'failed')),
    cause TEXT,
    problem TEXT NOT NULL DEFAULT '',
    sum INTEGER AS (checksum(run, id, task, body, status, cause, problem)) STORED,
    UNIQUE (run, id)
);
CREATE INDEX trials_by_status ON trials (run, status);

CREATE TABLE events (                -- n counts from 0 in each trial
    trial INTEGER NOT NULL REFERENCES trials ON DELETE CASCADE,
    n INTEGER NOT NULL,
    body TEXT NOT NULL,
    sum INTEGER AS (checksum(trial, n, body)) STORED,
    PRIMARY KEY (trial, n)
) WITHOUT ROWID;

CREATE TABLE schemas (               -- the reply schemas of a run, each once
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    sum INTEGER AS (checksum(run, name, text)) STORED
);
CREATE INDEX schemas_by_run ON schemas (run);

CREATE TABLE calls (
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    trial TEXT NOT NULL,             -- as the caller named it: a judging has a name of its own
    role TEXT NOT NULL,
    seat TEXT NOT NULL,
    turn INTEGER NOT NULL,
    name TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    model TEXT NOT NULL,
    tries INTEGER NOT NULL,
    seconds REAL NOT NULL,
    at REAL NOT NULL,                -- when it was stored, in seconds since 1970, UTC
    key TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    estimated INTEGER NOT NULL,      -- whether the tokens, and so usd, are an estimate of ours
    usd REAL,                        -- NULL: no price known
    finish TEXT NOT NULL,
    fault TEXT NOT NULL,             -- what was wrong with a reply that was used; '': nothing
    served_model TEXT NOT NULL,      -- as the server returned it; '': it did not
    fingerprint TEXT NOT NULL,
    left_out TEXT NOT NULL,          -- options that were not sent, with commas between
    cap INTEGER,                     -- the token limit that was sent
    reasoned INTEGER NOT NULL,
    prompt_bytes INTEGER NOT NULL,   -- UTF-8, the schema included
    base INTEGER,                    -- calls.pk of the prompt that this one extends
    schema INTEGER,                  -- schemas.pk
    hash BLOB NOT NULL,              -- of the rendered messages and the schema
    prompt BLOB NOT NULL,            -- see calls.py
    reply TEXT NOT NULL,
    sum INTEGER AS (checksum(
        run, trial, role, seat, turn, name, attempt, idx, model, tries, seconds, at,
        key, prompt_tokens, completion_tokens, cached_tokens, estimated, usd, finish,
        fault, served_model, fingerprint, left_out, cap, reasoned, prompt_bytes,
        base, schema, hash, prompt, reply
    )) STORED
);
CREATE UNIQUE INDEX calls_by_key ON calls (run, key);
CREATE INDEX calls_by_trial ON calls (run, trial);
CREATE INDEX calls_by_run ON calls (run); -- in the order of the table: see calls.py

CREATE TABLE call_failures (
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    trial TEXT NOT NULL,
    role TEXT NOT NULL,
    seat TEXT NOT NULL,
    turn INTEGER NOT NULL,
    name TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    idx INTEGER NOT NULL,
    model TEXT NOT NULL,
    tries INTEGER NOT NULL,
    seconds REAL NOT NULL,
    at REAL NOT NULL,
    cause TEXT NOT NULL,
    problem TEXT NOT NULL,
    sum INTEGER AS (checksum(
        run, trial, role, seat, turn, name, attempt, idx, model, tries, seconds, at,
        cause, problem
    )) STORED
);
CREATE INDEX call_failures_by_trial ON call_failures (run, trial);

CREATE TABLE attempts (              -- those that brought no reply
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    trial TEXT NOT NULL,
    role TEXT NOT NULL,
    seat TEXT NOT NULL,
    turn INTEGER NOT NULL,
    name TEXT NOT NULL,
    attempt INTEGER NOT NULL,        -- of the player; see number
    idx INTEGER NOT NULL,
    model TEXT NOT NULL,
    number INTEGER NOT NULL,         -- of the request, from 1 in each call
    seconds REAL NOT NULL,
    at REAL NOT NULL,
    cause TEXT NOT NULL,
    billed TEXT NOT NULL CHECK (billed IN ('told', 'estimated', 'possible', 'no')),
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    usd REAL,                        -- what is booked; NULL: no price known
    sum INTEGER AS (checksum(
        run, trial, role, seat, turn, name, attempt, idx, model, number, seconds, at,
        cause, billed, prompt_tokens, completion_tokens, cached_tokens, usd
    )) STORED
);
CREATE INDEX attempts_by_trial ON attempts (run, trial);

CREATE VIEW ledger (                 -- each attempt; of one with a reply, seconds are the call's
    run, trial, role, seat, turn, name, attempt, idx, model, number, seconds, at,
    cause, billed, prompt_tokens, completion_tokens, cached_tokens, usd
) AS
    SELECT run, trial, role, seat, turn, name, attempt, idx, model, tries, seconds, at,
        NULL, CASE WHEN estimated THEN 'estimated' ELSE 'told' END,
        prompt_tokens, completion_tokens, cached_tokens, usd
    FROM calls
    UNION ALL
    SELECT run, trial, role, seat, turn, name, attempt, idx, model, number, seconds, at,
        cause, billed, prompt_tokens, completion_tokens, cached_tokens, usd
    FROM attempts;

CREATE TABLE judges (
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    label TEXT NOT NULL,             -- made of role, sheet and name, to sort by
    role TEXT NOT NULL,
    name TEXT NOT NULL,
    sheet TEXT NOT NULL,             -- '': none
    method TEXT NOT NULL,
    settings TEXT NOT NULL,
    code TEXT NOT NULL,              -- '': no Python class
    standing TEXT NOT NULL,          -- '': no set of prompts
    prompts TEXT NOT NULL,           -- the hash of their texts
    sum INTEGER AS (checksum(
        run, label, role, name, sheet, method, settings, code, standing, prompts
    )) STORED,
    UNIQUE (run, role, name, sheet, method, settings, code, standing, prompts)
);

CREATE TABLE measures (
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    name TEXT NOT NULL,
    low REAL NOT NULL,
    high REAL NOT NULL,
    whole INTEGER NOT NULL,
    title TEXT NOT NULL,
    sum INTEGER AS (checksum(run, name, low, high, whole, title)) STORED,
    UNIQUE (run, name, low, high, whole, title)
);

CREATE TABLE judgings (              -- one judge, once, on an episode, a cell or the run
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    trial INTEGER REFERENCES trials ON DELETE CASCADE,  -- NULL: a cell, or the run
    cell TEXT NOT NULL,              -- JSON with sorted keys; '': no cell
    judge INTEGER NOT NULL,          -- judges.pk
    number INTEGER NOT NULL,         -- of repeated judgings, from 0
    sum INTEGER AS (checksum(run, trial, cell, judge, number)) STORED
);
CREATE UNIQUE INDEX judgings_once
    ON judgings (run, ifnull(trial, 0), cell, judge, number);
CREATE INDEX judgings_by_trial ON judgings (trial);

CREATE TABLE verdicts (
    judging INTEGER NOT NULL REFERENCES judgings ON DELETE CASCADE,
    n INTEGER NOT NULL,
    kind TEXT NOT NULL,              -- score, failure or unscored
    measure INTEGER NOT NULL,        -- measures.pk
    seat TEXT,                       -- NULL: the whole episode
    value REAL,                      -- of a score
    text TEXT NOT NULL,              -- a score's reason, a failure's problem, or why not
    cause TEXT,                      -- of a failure, as are raw and attempts
    raw TEXT,
    attempts INTEGER,
    unscored TEXT,                   -- of an unscored one: why (core.score.NotKnown)
    low REAL,                        -- and between what its value lies; NULL: the measure's range
    high REAL,
    rater TEXT,                      -- of a rating, as are seconds and rated; NULL: not known
    seconds REAL,
    rated TEXT,                      -- when, in UTC, as ISO 8601
    sum INTEGER AS (checksum(
        judging, n, kind, measure, seat, value, text, cause, raw, attempts, unscored,
        low, high, rater, seconds, rated
    )) STORED,
    PRIMARY KEY (judging, n)
) WITHOUT ROWID;

CREATE TABLE attachments (           -- pieces; pk order is the order of writing
    pk INTEGER PRIMARY KEY,
    trial INTEGER NOT NULL REFERENCES trials ON DELETE CASCADE,
    name TEXT NOT NULL,
    packed INTEGER NOT NULL,         -- whether data is compressed
    data BLOB NOT NULL,
    sum INTEGER AS (checksum(trial, name, packed, data)) STORED
);
CREATE INDEX attachments_by_name ON attachments (trial, name);

CREATE TABLE looks (                 -- at what size a comparison of two runs was looked at
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    other INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    about TEXT NOT NULL,             -- JSON: both agents, the judge, how plays are matched
    pairs INTEGER NOT NULL,
    sum INTEGER AS (checksum(run, other, about, pairs)) STORED,
    UNIQUE (run, other, about, pairs)
);
CREATE INDEX looks_by_other ON looks (other);

CREATE TABLE studies (
    pk INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    run INTEGER REFERENCES runs ON DELETE CASCADE,  -- NULL: of no run
    settings TEXT NOT NULL,          -- JSON
    created REAL NOT NULL,           -- seconds since 1970, UTC, as are all times here
    open INTEGER NOT NULL DEFAULT 0,
    sum INTEGER AS (checksum(name, kind, run, settings, created, open)) STORED
);
CREATE INDEX studies_by_run ON studies (run);

CREATE TABLE participants (
    pk INTEGER PRIMARY KEY,
    study INTEGER NOT NULL REFERENCES studies ON DELETE CASCADE,
    id TEXT NOT NULL,                -- a pseudonym
    link BLOB UNIQUE,                -- SHA-256 of the secret in the link
    session BLOB UNIQUE,             -- SHA-256 of the browser's secret; NULL: link not used
    state TEXT NOT NULL,
    created REAL NOT NULL,
    arrived REAL,
    consented REAL,
    finished REAL,
    sum INTEGER AS (checksum(
        study, id, link, session, state, created, arrived, consented, finished
    )) STORED,
    UNIQUE (study, id)
);

CREATE TABLE assignments (           -- what a participant was given to do
    pk INTEGER PRIMARY KEY,
    participant INTEGER NOT NULL REFERENCES participants ON DELETE CASCADE,
    item TEXT NOT NULL,              -- a trial, task or scenario, by its id
    seat TEXT NOT NULL,              -- '': none in particular
    state TEXT NOT NULL,
    began REAL NOT NULL,
    ended REAL,
    sum INTEGER AS (checksum(participant, item, seat, state, began, ended)) STORED,
    UNIQUE (participant, item, seat)
);
CREATE INDEX assignments_by_item ON assignments (item);

CREATE TABLE answers (               -- what a participant said, by what was asked
    participant INTEGER NOT NULL REFERENCES participants ON DELETE CASCADE,
    item TEXT NOT NULL,              -- '': of the whole study
    name TEXT NOT NULL,
    value TEXT NOT NULL,             -- JSON
    at REAL NOT NULL,
    sum INTEGER AS (checksum(participant, item, name, value, at)) STORED,
    PRIMARY KEY (participant, item, name)
) WITHOUT ROWID;

CREATE VIRTUAL TABLE episode_words   -- rowid: trials.pk
    USING fts5 (body, tokenize = 'unicode61 remove_diacritics 2');
CREATE TRIGGER words_go_with_trial AFTER DELETE ON trials BEGIN
    DELETE FROM episode_words WHERE rowid = old.pk;
END;
"""


_VERSION_2 = """
CREATE TABLE versions (              -- which sociolab brought the store to which version
    version INTEGER NOT NULL,
    sociolab TEXT NOT NULL,
    at REAL NOT NULL,                -- seconds since 1970, UTC
    sum INTEGER AS (checksum(version, sociolab, at)) STORED
);

CREATE TABLE notes (                 -- what people wrote beside a run, or beside two
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    other INTEGER REFERENCES runs ON DELETE CASCADE,  -- of a comparison; NULL: of the run alone
    text TEXT NOT NULL,
    at REAL NOT NULL,                -- seconds since 1970, UTC
    sum INTEGER AS (checksum(run, other, text, at)) STORED
);
CREATE INDEX notes_by_run ON notes (run);
CREATE INDEX notes_by_other ON notes (other);
"""

_VERSION_3 = """
CREATE TABLE tool_calls (            -- the tools that replies ask for; most ask for none
    call INTEGER PRIMARY KEY REFERENCES calls ON DELETE CASCADE,
    content TEXT NOT NULL,           -- JSON list of [id, name, arguments]
    sum INTEGER AS (checksum(call, content)) STORED
);
"""


_VERSION_4 = """
CREATE TABLE recruiting (            -- a study with an open link
    study INTEGER PRIMARY KEY REFERENCES studies ON DELETE CASCADE,
    key BLOB DEFAULT (randomblob(32)),  -- of the hashes below; NULL: the ids were deleted
    sum INTEGER AS (checksum(study, key)) STORED
);

CREATE TABLE recruits (              -- the participants who came by it
    participant INTEGER PRIMARY KEY REFERENCES participants ON DELETE CASCADE,
    person BLOB NOT NULL UNIQUE,     -- keyed hash of the id that the platform gives a person
    since REAL NOT NULL,             -- from when their place counts, in seconds since 1970, UTC
    sum INTEGER AS (checksum(participant, person, since)) STORED
);

CREATE TABLE platform_ids (          -- who they are to the platform: for bonuses and deletion only
    participant INTEGER PRIMARY KEY REFERENCES participants ON DELETE CASCADE,
    content TEXT NOT NULL,           -- JSON: the parameters of the address, by name
    sum INTEGER AS (checksum(participant, content)) STORED
);
"""


_VERSION_5 = """
CREATE TABLE audit_log (             -- what researchers did with studies
    pk INTEGER PRIMARY KEY,
    at REAL NOT NULL,                -- seconds since 1970, UTC
    who TEXT NOT NULL,               -- user@host of the operating system
    study TEXT NOT NULL,             -- a name, which outlives the study; '': of the whole store
    action TEXT NOT NULL,
    sum INTEGER AS (checksum(at, who, study, action)) STORED
);
"""


OUTCOMES_OF_REASONS = """
INSERT INTO outcomes (judging, n, content)  -- until here the reason began with what was agreed
    SELECT judging, n, iif(text LIKE 'no agreement%', '{"agreed": false}', '{"agreed": true}')
    FROM verdicts JOIN measures ON measures.pk = measure
    WHERE kind = 'score' AND measures.name = 'goal_checked'"""

_VERSION_6 = f"""
CREATE TABLE outcomes (              -- what a judge found to have come of an episode, with a score
    judging INTEGER NOT NULL,
    n INTEGER NOT NULL,
    content TEXT NOT NULL,           -- JSON, in the terms of the world
    sum INTEGER AS (checksum(judging, n, content)) STORED,
    PRIMARY KEY (judging, n),
    FOREIGN KEY (judging, n) REFERENCES verdicts ON DELETE CASCADE
) WITHOUT ROWID;
{OUTCOMES_OF_REASONS.strip()};
"""


MIGRATIONS = (_VERSION_1, _VERSION_2, _VERSION_3, _VERSION_4, _VERSION_5, _VERSION_6)
"""What leads from each version to the next, from an empty file on. Stores have gone through them:
add one, and change none."""

VERSION = len(MIGRATIONS)
"""The version that this sociolab reads and writes; earlier ones are brought up to it."""

_MARK_OF_1 = 0x7D4BBD5F
"""The `user_version` of version 1; all later ones have their number."""

_HIGHEST = 0xFFFF
"""Above are the marks of schemas that were never numbered: hashes of their text."""

CHECKED = dict(
    re.findall(
        r"CREATE TABLE (\w+) \(.*?checksum\(\s*([^)]+?)\s*\)", "".join(MIGRATIONS), re.DOTALL
    )
)
"""The columns that the `sum` of each table's rows is made of: all but those that only count. SQLite
makes it anew whenever it writes a row, and never when it reads one."""


def version_in(connection: sqlite3.Connection) -> int | None:
    """The version of a store: 0 for an empty file, None for what is older than version 1."""
    mark = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if mark == _MARK_OF_1:
        return 1
    return mark if mark == 0 or 1 < mark <= _HIGHEST else None


def bring_up_to_date(
    connection: sqlite3.Connection, before: Callable[[int], object] | None = None
) -> None:
    """Make a store of an empty file, or one of `VERSION` of an earlier one, in one transaction.

    `before` is called with the version that is there, if any, before anything is changed; nobody
    else writes meanwhile. Foreign keys must be off, so that a migration may make a table anew.
    """
    if version_in(connection) == VERSION:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = version_in(connection) or 0  # again: another process may have been faster
        if before and 0 < version < VERSION:
            before(version)
        for migration in MIGRATIONS[version:]:
            for statement in statements(migration):
                connection.execute(statement)
        if version < VERSION:
            row = (VERSION, __version__, time.time())
            connection.execute("INSERT INTO versions VALUES (?, ?, ?)", row)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:  # Ctrl-C, too: all or nothing
        connection.rollback()
        raise


def statements(script: str) -> Iterator[str]:
    """The statements of a script, one by one: `executescript` would commit first."""
    statement = ""
    for piece in script.split(";"):
        statement += piece + ";"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
