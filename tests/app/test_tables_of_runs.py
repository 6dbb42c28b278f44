"""Scores and turns as rows; conclusions as plain records; what was sent to models."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from analysis.stored.comparing_runs import add_run
from sociolab import (
    RunConfig as Config,
    calls_of,
    compare,
    open_store,
    rank,
    run,
    scores_table,
    turns_table,
)
from sociolab.core import CallKey, ChatReply, ConfigError, Message, Prompt, Role, StoreError, Usage
from sociolab.store import SCORES, TURNS, RunReplies, Store


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("tables") / "s.db"
    for name in ("a", "b"):
        run(Config(tasks="bargain", limit=2, name=name, store=made))
    return made


def test_a_store_is_opened_by_a_path_or_its_text(path: Path) -> None:
    for one in (path, str(path)):
        with open_store(one) as store:
            assert [row.name for row in store.runs()] == ["a", "b"]


def test_the_users_own_store_is_opened_where_none_is_named(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOCIOLAB_STORE", str(path))
    with open_store() as store:
        assert store.has_run("a")


def test_every_verdict_is_a_row_of_plain_values(path: Path) -> None:
    with open_store(path) as store:
        rows = scores_table(store, "a")
        verdicts = list(store.verdicts.scores("a"))
    assert len(rows) == len(verdicts) > 0
    assert all(type(row) is dict and tuple(row) == rows.columns for row in rows)
    assert json.loads(json.dumps(rows)) == rows
    assert {row["kind"] for row in rows} == {"score"}
    assert {row["agent"] for row in rows} == {"scripted"}


def test_several_runs_are_one_table_and_each_is_named(path: Path) -> None:
    with open_store(path) as store:
        both, alone = turns_table(store, ["a", "b"]), turns_table(store, "b")
    assert [row for row in both if row["run"] == "b"] == alone
    assert [row["event"] for row in alone].count("ended") == 2


def test_an_empty_table_has_its_columns(path: Path) -> None:
    with open_store(path) as store:
        assert scores_table(store, []).columns == tuple(SCORES)
        frame = turns_table(store, []).to_frame()
    assert list(frame.columns) == list(TURNS)


def test_a_data_frame_holds_the_same(path: Path) -> None:
    with open_store(path) as store:
        rows = scores_table(store, ["a", "b"])
    frame = rows.to_frame()
    assert list(frame.columns) == list(rows.columns)
    assert frame["value"].tolist() == [row["value"] for row in rows]


def test_where_pandas_is_missing_it_is_said(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with open_store(path) as store, pytest.raises(ConfigError, match="pip install pandas"):
        scores_table(store, "a").to_frame()


def test_a_run_that_is_not_there_is_refused(path: Path) -> None:
    with open_store(path) as store, pytest.raises(StoreError, match='no run "z"'):
        scores_table(store, ["a", "z"])


def test_conclusions_are_plain_records(tmp_path: Path) -> None:
    with Store.open(tmp_path / "s.db") as store:
        for name, agent, goals in (("x", "A", (3, 5, 4)), ("y", "B", (6, 5, 9))):
            tasks = {f"t{n}": (goal,) for n, goal in enumerate(goals)}
            add_run(store, name, agent, tasks, partner="P")
        found = compare(store, ["x", "y"])
        order = rank(store, ["x", "y"])
    assert json.loads(json.dumps(found)) == found
    assert found["runs"] == ["x", "y"]
    measure = found["comparison"]["measures"]["goal"]
    assert (measure["pairs"], measure["mean_a"]) == (3, 4)
    assert [one["agent"] for one in order["agents"]] == ["B", "A"]
    assert json.loads(json.dumps(order))["runs"] == ["x", "y"]


def test_a_turn_has_the_calls_of_its_players_and_an_episode_those_of_its_judges_too(
    tmp_path: Path,
) -> None:
    def call(role: Role, turn: int) -> CallKey:
        return CallKey(trial, role, "", turn, "act", 1)

    with Store.open(tmp_path / "s.db") as store:
        add_run(store, "x", "A", {"t": (3,)})
        trial = store.trials("x")[0].trial.id
        replies = RunReplies(store, "x")
        for key, one in enumerate((call("agent", 0), call("agent", 1), call("judge", 0))):
            prompt = Prompt((Message("system", "Rules."), Message("user", f"Call {key}.")))
            replies.keep(str(key), one, "m", prompt, ChatReply(f"reply {key}", "stop", Usage()))
        every, first = calls_of(store, "x", trial), calls_of(store, "x", trial[:5], turn=0)
    assert [(one.role, one.turn, one.reply) for one in every] == [
        ("agent", 0, "reply 0"),
        ("agent", 1, "reply 1"),
        ("judge", None, "reply 2"),
    ]
    assert first == every[:1]
    assert first[0].messages == (("system", "Rules."), ("user", "Call 0."))
