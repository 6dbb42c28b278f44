"""The three Parquet tables of a run, and what happens without pyarrow."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from sociolab.core import (
    Action,
    Answered,
    ConfigError,
    Ended,
    Moved,
    Score,
    ScoreFailure,
    StoreError,
    Unscored,
    Unusable,
    Verdict,
)
from sociolab.store import CALLS, LEDGER, SCORES, TURNS, RunReplies, Store, export_parquet

from . import samples
from .test_export import fill


@pytest.fixture
def played(store: Store) -> Store:
    store.create_run("r", "world", {}, samples.plan(2))
    return store


def table(folder: Path, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = parquet.read_table(folder / f"{name}.parquet").to_pylist()
    return rows


def test_every_action_answer_and_failure_is_a_row_of_turns(played: Store, tmp_path: Path) -> None:
    two = (Action("speak", "Hi \ud83d", ("bob",)), Action("leave"))
    for event in (
        Moved(0, "ann", two, 2),
        Answered(1, "bob", "trust", {"level": 3}),
        Unusable(2, "bob", "act", 1, "unreadable", "no JSON", "{", final=True),
        Ended("left", 2, "ann"),
    ):
        played.append("r", "t2", event)
    export_parquet(played, "r", tmp_path / "out")
    rows = table(tmp_path / "out", "turns")
    assert [(row["n"], row["event"], row["turn"], row["seat"], row["agent"]) for row in rows] == [
        (0, "moved", 0, "ann", "openai/x"),
        (0, "moved", 0, "ann", "openai/x"),
        (1, "answered", 1, "bob", "scripted"),
        (2, "unusable", 2, "bob", "scripted"),
        (3, "ended", 2, "ann", "openai/x"),
    ]
    assert [row["name"] for row in rows] == ["speak", "leave", "trust", "act", "left"]
    assert [row["text"] for row in rows] == ["Hi ���", "", '{"level": 3}', "{", None]
    assert (rows[0]["to"], rows[0]["attempt"]) == ("bob", 2)
    assert (rows[3]["cause"], rows[3]["problem"], rows[3]["final"]) == (
        "unreadable",
        "no JSON",
        True,
    )
    assert {(row["run"], row["trial"], row["cluster"]) for row in rows} == {
        ("r", "t2", "scenario 0")
    }


def test_every_verdict_is_a_row_of_scores(played: Store, tmp_path: Path) -> None:
    verdicts: list[Verdict] = [
        Score(samples.MEASURE, "bob", 7, "He was himself."),
        ScoreFailure(samples.MEASURE, "ann", "incomplete", "no number", "{}", 2),
        Unscored(samples.MEASURE, None, "no rule"),
        Unscored(samples.MEASURE, "bob", "they differ", "disputed", 1, 7.5),
    ]
    played.verdicts.add("r", samples.JUDGE, verdicts, trial="t1")
    played.verdicts.add("r", samples.JUDGE, verdicts[:1], cell={"agent": "x"})
    export_parquet(played, "r", tmp_path)
    cell, *rows = table(tmp_path, "scores")
    assert (cell["trial"], cell["cell"], cell["value"]) == (None, '{"agent": "x"}', 7.0)
    assert [row["kind"] for row in rows] == ["score", "failure", "unscored", "unscored"]
    assert [row["value"] for row in rows] == [7.0, None, None, None]
    assert [row["text"] for row in rows] == [
        "He was himself.",
        "no number",
        "no rule",
        "they differ",
    ]
    assert [row["agent"] for row in rows] == ["scripted", "openai/x", None, "scripted"]
    assert [(row["unscored"], row["least"], row["most"]) for row in rows[2:]] == [
        ("cannot tell", 0.0, 10.0),
        ("disputed", 1.0, 7.5),
    ]
    assert {(row["trial"], row["low"], row["high"], row["judge"]) for row in rows} == {
        ("t1", 0.0, 10.0, "openai/judge")
    }


def test_every_call_is_a_row_of_calls(played: Store, tmp_path: Path) -> None:
    replies = RunReplies(played, "r")
    for turn, usd in enumerate((0.25, None)):
        call = samples.call(turn=turn)
        replies.keep(f"k{turn}", call, "m", samples.prompt("Go."), samples.reply(usd=usd), at=9.0)
    export_parquet(played, "r", tmp_path)
    rows = table(tmp_path, "calls")
    assert [(row["turn"], row["usd"], row["reply"]) for row in rows] == [
        (0, 0.25, "Hi."),
        (1, None, "Hi."),
    ]
    assert rows[0]["prompt_tokens"] == 100
    assert rows[0]["at"] == 9.0
    assert rows[0]["prompt_bytes"] == len('You are Ann.Go.{"type":"object"}')
    assert [rows[0][name] for name in ("served_model", "fingerprint", "left_out", "cap")] == [
        "x-2026-01-01",
        "fp_a",
        "temperature,schema",
        512,
    ]
    assert rows[0]["reasoned"] is True
    sent = samples.prompt("Go.")
    assert rows[0]["messages"] == [
        {"role": message.role, "content": message.text} for message in sent.messages
    ]
    assert rows[0]["schema"] == (sent.schema.text if sent.schema else None)
    assert rows[0]["temperature"] == sent.temperature


def test_tables_longer_than_a_batch_are_whole(
    played: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sociolab.store.parquet._BATCH", 2)
    for turn in range(5):
        played.append("r", "t1", samples.moved(turn))
    export_parquet(played, "r", tmp_path)
    assert [row["turn"] for row in table(tmp_path, "turns")] == [0, 1, 2, 3, 4]
    assert table(tmp_path, "calls") == []


def test_without_pyarrow_the_extra_is_named(
    played: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ConfigError, match="make extras EXTRAS=parquet"):
        export_parquet(played, "r", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_an_unknown_run_and_an_unwritable_folder_are_sentences(
    played: Store, tmp_path: Path
) -> None:
    with pytest.raises(StoreError, match='there is no run "x"'):
        export_parquet(played, "x", tmp_path)
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be written to"):
        export_parquet(played, "r", tmp_path / "file" / "out")


def test_a_table_that_cannot_be_finished_leaves_the_old_one(
    played: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export_parquet(played, "r", tmp_path)
    before = (tmp_path / "turns.parquet").read_bytes()
    played.append("r", "t1", samples.moved(0))

    def broken(event: object) -> object:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("sociolab.store.parquet._event_rows", broken)
    with pytest.raises(StoreError, match="No space left"):
        export_parquet(played, "r", tmp_path)
    assert (tmp_path / "turns.parquet").read_bytes() == before
    assert {file.suffix for file in tmp_path.iterdir()} <= {".parquet", ".db", ".db-wal", ".db-shm"}


def test_half_a_pair_in_a_prompt_is_replaced(played: Store, tmp_path: Path) -> None:
    replies = RunReplies(played, "r")
    replies.keep("k", samples.call(), "m", samples.prompt("Go \ud83d"), samples.reply())
    export_parquet(played, "r", tmp_path)
    (row,) = table(tmp_path, "calls")
    assert "\ufffd" in row["messages"][-1]["content"] or "\ufffd" in str(row["messages"])


def test_every_attempt_is_a_row_of_the_ledger(played: Store, tmp_path: Path) -> None:
    replies, call = RunReplies(played, "r"), samples.call()
    replies.keep_attempt(call, "m", samples.attempt("possible"), at=8.0)
    replies.keep("k", call, "m", samples.prompt("Go."), samples.reply(), at=9.0)
    export_parquet(played, "r", tmp_path)
    names = ("seat", "number", "cause", "billed", "prompt_tokens", "usd", "seconds", "at")
    assert [tuple(row[name] for name in names) for row in table(tmp_path, "ledger")] == [
        ("ann", 1, "malformed reply", "possible", 60, 0.125, 0.5, 8.0),
        ("ann", 2, None, "told", 100, 0.25, 1.5, 9.0),
    ]


def test_a_column_is_null_only_where_its_meaning_says_so(store: Store, tmp_path: Path) -> None:
    fill(store, "r")
    two = (Action("speak", "Hi.", ("bob",)), Action("leave"))
    for event in (
        Moved(0, "ann", two, 2),
        Answered(1, "bob", "trust", {"level": 3}),
        Unusable(2, "bob", "act", 1, "unreadable", "no JSON", "{", final=True),
        Ended("left", 2, None),
    ):
        store.append("r", "t4", event)
    export_parquet(store, "r", tmp_path)
    tables = {"scores": SCORES, "turns": TURNS, "calls": CALLS, "ledger": LEDGER}
    for name, columns in tables.items():
        read = parquet.read_table(tmp_path / f"{name}.parquet")
        assert read.num_rows > 3
        nulls = {column for column in read.column_names if read[column].null_count}
        assert nulls <= {name for name, column in columns.items() if "null" in column.meaning}
