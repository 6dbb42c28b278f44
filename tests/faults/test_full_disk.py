"""The disk is full in the midst of a run: it ends at once, and loses no more than is in flight."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from sociolab import JudgeConfig, RunConfig, judge_run, run
from sociolab.cli.run import play_and_show
from sociolab.core import StorageError
from sociolab.endpoint import EndpointProcess, EndpointSettings, start_in_process
from sociolab.store import Store, connect

TASKS, CALLS = 10, 10 * 21
IN_FLIGHT = 8


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EndpointProcess]:
    with start_in_process(EndpointSettings(latency_ms=20, characters=60)) as process:
        yield process


class FullDisk(sqlite3.Connection):
    """Cannot commit from the given commit on; as SQLite does, it undoes the group."""

    left = 0

    def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
        if statement == "COMMIT":
            FullDisk.left -= 1
            if FullDisk.left < 0:
                self.rollback()
                error = sqlite3.OperationalError("database or disk is full")
                error.sqlite_errorcode = sqlite3.SQLITE_FULL
                raise error
        return super().execute(statement, *values)


@pytest.fixture(params=["insert", "commit"])
def full(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A disk that will be full soon: when a page is added, or only when the group is committed."""
    if request.param == "insert":
        pragmas = (*connect._PRAGMAS, "PRAGMA max_page_count = 90")
        monkeypatch.setattr(connect, "_PRAGMAS", pragmas)
    else:
        monkeypatch.setattr(FullDisk, "left", 40)
        monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=FullDisk))
    return monkeypatch


def config(endpoint: EndpointProcess, store: Path) -> RunConfig:
    return RunConfig(
        settings={"closing_question": "off"},
        agents=("openai/x",),
        judges=("openai/j",),
        base_url=endpoint.url,
        limit=TASKS,
        in_flight=IN_FLIGHT,
        name="r",
        store=store,
    )


class Stored(NamedTuple):
    calls: int
    statuses: set[str]
    plays: dict[str, object]


def stored(path: Path) -> Stored:
    with Store.open(path, create=False) as store:
        verdicts: dict[str, list[object]] = {}
        for row in store.verdicts.scores("r"):
            verdicts.setdefault(row.trial or "", []).append(row.verdict)
        rows = store.trials("r")
        plays: dict[str, object] = {
            row.trial.id: (store.events("r", row.trial.id), verdicts.get(row.trial.id))
            for row in rows
        }
        return Stored(len(list(store.calls.all("r"))), {row.status for row in rows}, plays)


@pytest.fixture(scope="module")
def undisturbed(
    endpoint: EndpointProcess, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, object]:
    path = tmp_path_factory.mktemp("undisturbed") / "s.db"
    run(config(endpoint, path))
    return stored(path).plays


def test_a_run_ends_at_once_and_goes_on_as_if_nothing_had_been(
    endpoint: EndpointProcess,
    full: pytest.MonkeyPatch,
    undisturbed: dict[str, object],
    tmp_path: Path,
) -> None:
    path = tmp_path / "s.db"
    endpoint.reset()
    with pytest.raises(StorageError, match=r"the disk of the store .*s\.db is full; free some"):
        run(config(endpoint, path))
    full.undo()
    broken = stored(path)
    paid = endpoint.counters.requests
    assert 0 < broken.calls < CALLS
    assert paid - broken.calls <= 2 * IN_FLIGHT, "in flight, and in the group that was not stored"
    assert "failed" not in broken.statuses, "no trial is to blame for the disk"
    assert run(config(endpoint, path)).played == TASKS
    assert endpoint.counters.requests == CALLS + paid - broken.calls
    assert stored(path).plays == undisturbed


def test_judging_ends_at_once_too(
    endpoint: EndpointProcess, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "s.db"
    run(config(endpoint, path))
    endpoint.reset()
    again = JudgeConfig(
        judges=("openai/other",), base_url=endpoint.url, in_flight=IN_FLIGHT, store=path
    )
    with monkeypatch.context() as patched:
        patched.setattr(FullDisk, "left", 2)
        patched.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=FullDisk))
        with pytest.raises(StorageError, match="is full"):
            judge_run("r", again, repeats=5)
    lost = endpoint.counters.requests - (stored(path).calls - CALLS)
    assert lost <= 2 * IN_FLIGHT
    judge_run("r", again, repeats=5)
    assert endpoint.counters.requests == 5 * TASKS + lost


def test_a_run_stops_before_the_disk_is_full_and_stores_what_is_in_flight(
    endpoint: EndpointProcess, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "s.db"
    endpoint.reset()
    real, asked = shutil.disk_usage(tmp_path), 0

    def usage(folder: Path) -> Any:
        nonlocal asked
        asked += 1
        return real._replace(free=10_000_000 if asked > 100 else 10**9)

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "disk_usage", usage)
        with pytest.raises(StorageError, match=r"nearly full: expected 1\d MB .* found 10\.0 MB"):
            run(config(endpoint, path))
    assert endpoint.counters.requests == stored(path).calls > 50, "nothing is lost"
    assert "failed" not in stored(path).statuses
    run(config(endpoint, path))
    assert endpoint.counters.requests == CALLS, "nothing is paid for twice"


def test_a_run_without_a_name_is_told_how_to_resume_it(
    endpoint: EndpointProcess, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    unnamed = config(endpoint, tmp_path / "s.db").model_copy(update={"name": None})
    monkeypatch.setattr(FullDisk, "left", 10)
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=FullDisk))
    with pytest.raises(StorageError, match=r"where it stopped \(with --name sotopia-\d+-\d+\)$"):
        play_and_show(unnamed, full=False, as_json=True)


def test_a_group_that_cannot_be_committed_ends_what_depends_on_it_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Events are committed some ms after they were written, and nobody may write for a while."""
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=FullDisk))
    monkeypatch.setattr(FullDisk, "left", 100)
    ends: list[str] = []

    async def call() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ends.append("cancelled")
            raise

    async def play(store: Store) -> None:
        with store.failing_fast():
            calls = asyncio.gather(call(), call())
            await asyncio.sleep(0)
            FullDisk.left = 0
            store.begin()
            store.execute("UPDATE runs SET seconds = 1")
            store.commit_soon()
            await calls

    with Store.open(tmp_path / "s.db") as store:
        store.create_run("r", "world", {}, ())
        with pytest.raises(StorageError, match="is full"):
            asyncio.run(asyncio.wait_for(play(store), 30))
        assert ends == ["cancelled"] * 2
        monkeypatch.setattr(FullDisk, "left", 100)
        with store.failing_fast():  # the next part of a run is not ended by it
            assert store.run("r").seconds == 0
