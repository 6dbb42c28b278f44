"""A store as version 1 wrote it: schema and rows, written out by hand and never edited again."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from sociolab.core.episode import Action, CastMember, Ended, Episode, Moved, Task, Trial
from sociolab.core.ports import Message, Prompt, Schema
from sociolab.core.score import Measure, Score

EPISODE = Episode(
    Trial(
        "t1",
        "world",
        Task("task", ("ann", "bob"), "scenario", "content", ("hard",)),
        (CastMember("ann", "x", "0a"), CastMember("bob", "scripted")),
        1,
        7,
    ),
    (Moved(0, "ann", (Action("speak", "Hi."),)), Ended("left", 0, "ann")),
)
PROMPT = Prompt((Message("system", "You are Ann."), Message("user", "Go.")), Schema("s", "{}"), 1.0)
SCORE = Score(Measure("goal", 0.0, 10.0, True, "Goal"), "ann", 7.0, "She left with it.")

SCHEMA = """
CREATE TABLE runs (
    pk INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    world TEXT NOT NULL,
    settings TEXT NOT NULL,
    created REAL NOT NULL,
    seconds REAL NOT NULL DEFAULT 0
);

CREATE TABLE tasks (
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    id TEXT NOT NULL,
    seats TEXT NOT NULL,
    cluster TEXT NOT NULL,
    content TEXT NOT NULL,
    tags TEXT NOT NULL
);
CREATE INDEX tasks_by_run ON tasks (run);

CREATE TABLE trials (
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    id TEXT NOT NULL,
    task INTEGER NOT NULL,
    body TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'planned'
        CHECK (status IN ('planned', 'playing', 'played', 'failed')),
    cause TEXT,
    problem TEXT NOT NULL DEFAULT '',
    UNIQUE (run, id)
);
CREATE INDEX trials_by_status ON trials (run, status);

CREATE TABLE events (
    trial INTEGER NOT NULL REFERENCES trials ON DELETE CASCADE,
    n INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (trial, n)
) WITHOUT ROWID;

CREATE TABLE schemas (
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    name TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX schemas_by_run ON schemas (run);

CREATE TABLE calls (
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
    key TEXT NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    usd REAL,
    finish TEXT NOT NULL,
    base INTEGER,
    schema INTEGER,
    hash BLOB NOT NULL,
    prompt BLOB NOT NULL,
    reply TEXT NOT NULL
);
CREATE UNIQUE INDEX calls_by_key ON calls (run, key);
CREATE INDEX calls_by_trial ON calls (run, trial);

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
    problem TEXT NOT NULL
);
CREATE INDEX call_failures_by_trial ON call_failures (run, trial);

CREATE TABLE judges (
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    name TEXT NOT NULL,
    method TEXT NOT NULL,
    settings TEXT NOT NULL,
    UNIQUE (run, name, method, settings)
);

CREATE TABLE measures (
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    name TEXT NOT NULL,
    low REAL NOT NULL,
    high REAL NOT NULL,
    whole INTEGER NOT NULL,
    title TEXT NOT NULL,
    UNIQUE (run, name, low, high, whole, title)
);

CREATE TABLE judgings (
    pk INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
    trial INTEGER REFERENCES trials ON DELETE CASCADE,
    cell TEXT NOT NULL,
    judge INTEGER NOT NULL,
    number INTEGER NOT NULL
);
CREATE UNIQUE INDEX judgings_once
    ON judgings (run, ifnull(trial, 0), cell, judge, number);
CREATE INDEX judgings_by_trial ON judgings (trial);

CREATE TABLE verdicts (
    judging INTEGER NOT NULL REFERENCES judgings ON DELETE CASCADE,
    n INTEGER NOT NULL,
    kind TEXT NOT NULL,
    measure INTEGER NOT NULL,
    seat TEXT,
    value REAL,
    text TEXT NOT NULL,
    cause TEXT,
    raw TEXT,
    attempts INTEGER,
    PRIMARY KEY (judging, n)
) WITHOUT ROWID;

CREATE TABLE attachments (
    pk INTEGER PRIMARY KEY,
    trial INTEGER NOT NULL REFERENCES trials ON DELETE CASCADE,
    name TEXT NOT NULL,
    packed INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE INDEX attachments_by_name ON attachments (trial, name);
"""

ROWS = (
    """INSERT INTO runs VALUES (1, 'old', 'world', '{"a": 1}', 1.0, 2.5)""",
    """INSERT INTO tasks VALUES
        (1, 1, 'task', '["ann", "bob"]', 'scenario', 'content', '["hard"]')""",
    """INSERT INTO trials VALUES (1, 1, 't1', 1, '{"id":"t1","world":"world","task":{"id":"",
        "seats":[],"cluster":"","content":"","tags":[]},"cast":[["ann","x","0a"],
        ["bob","scripted",""]],"repeat":1,"seed":7}', 'played', NULL, '')""",
    """INSERT INTO events VALUES (1, 0, '["moved",0,"ann",[["speak","Hi."]],1,null]')""",
    """INSERT INTO events VALUES (1, 1, '["ended","left",0,"ann"]')""",
    "INSERT INTO schemas VALUES (1, 1, 's', '{}')",
    """INSERT INTO calls VALUES (1, 1, 't1', 'agent', 'ann', 0, 'act', 1, 0, 'openai/x', 1, 0.5,
        3.0, 'key', 10, 5, 0, 0.01, 'stop', NULL, 1, x'7edebd9ad3eb0ba988708d29d2f66829',
        CAST('[1.0,null,[["system",0,"You are Ann."],["user",0,"Go."]]]' AS BLOB), 'Hi.')""",
    """INSERT INTO call_failures VALUES (1, 1, 't1', 'agent', 'ann', 1, 'act', 1, 0, 'openai/x', 3,
        9.0, 4.0, 'timeout', 'no reply in 3 s')""",
    "INSERT INTO judges VALUES (1, 1, 'rules', 'rules', '')",
    "INSERT INTO measures VALUES (1, 1, 'goal', 0.0, 10.0, 1, 'Goal')",
    "INSERT INTO judgings VALUES (1, 1, 1, '', 1, 0)",
    """INSERT INTO verdicts VALUES
        (1, 0, 'score', 1, 'ann', 7.0, 'She left with it.', NULL, NULL, NULL)""",
    "INSERT INTO attachments VALUES (1, 1, 'trace', 0, x'7069656365')",
)


def make_version_1(path: Path) -> None:
    """A store with one run, one episode, one call, one failed call, one score, one attachment."""
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("PRAGMA journal_mode = WAL")
    raw.executescript(SCHEMA)
    for row in ROWS:
        raw.execute(row)
    raw.execute("PRAGMA application_id = 1399811169")
    raw.execute("PRAGMA user_version = 1")
    raw.close()
