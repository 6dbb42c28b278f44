"""Every world with a real model in its seats and as its judge, at SOCIOLAB_REAL_MODEL_URL.

Replies differ each time, and a small model's are often useless: what must hold is what holds for
any reply. `make test-realmodel` runs this (see run.py); ordinary tests do not collect it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import environment
from sociolab.core import Answered, Event, Moved, StoreError, Unusable
from sociolab.store import Store

PATIENCE = 1800
"""Seconds after which a command hangs; it takes minutes on a busy processor."""

MARKS = ("<|", "|>", "<think>", "</think>", "[INST]", "[/INST]", "<start_of_turn>", "<end_of_turn>")
"""What chat templates and reasoning put around a reply."""

WORLDS = {
    "sotopia": ("--limit", "1", "--set", "turns=4", "--reader", "MODEL"),
    "anteval-decision": ("--set", "cases=1", "--set", "players=2", "--set", "rounds=1"),
    "anteval-information": ("--set", "sessions=1", "--set", "players=2", "--set", "turns=4",
                            "--set", "facts=3"),
    "anteval-intention": ("--set", "sessions=1", "--set", "players=2", "--set", "turns=4"),
    "stss-talk": ("--limit", "1", "--set", "rounds=2"),
    "stss": ("--tasks", "online-chess", "--set", "step=60", "--background", "scripted"),
}  # fmt: skip
"""The shortest that each world plays, by its options."""


def command(name: str, world: str, *more: str) -> list[str]:
    model = f"openai/{os.environ['SOCIOLAB_REAL_MODEL']}"
    # A weak model writes up to every limit, a judge above all: half of it is enough to see that.
    shared = ("--agent", model, "--judge", model, "--base-url",
              os.environ["SOCIOLAB_REAL_MODEL_URL"], "--attempts", "2", "--reply-room", "0.5",
              "--store", "s.db", "--name", name, "--json")  # fmt: skip
    options = [model if option == "MODEL" else option for option in more]
    return [sys.executable, "-m", "sociolab", "run", world, *shared, *options]


def result_of(folder: Path, words: list[str]) -> Any:
    """What a command printed; it fails the test if it hangs or is stopped.

    Exit code 1 says that episodes or scores failed, which a weak model's do.
    """
    done = subprocess.run(
        words, cwd=folder, env=environment(folder), capture_output=True, text=True, timeout=PATIENCE
    )
    assert done.returncode in (0, 1), done.stderr
    result = json.loads(done.stdout)
    assert not result.get("stopped"), result["stopped"]
    return result


def key_of(event: Event) -> tuple[object, ...]:
    """What no two events of an episode share."""
    match event:
        case Moved(turn, seat):
            return "moved", turn, seat
        case Answered(turn, seat, question):
            return "answered", turn, seat, question
        case Unusable(turn, seat, name, attempt):
            return "unusable", turn, seat, name, attempt
    return type(event).__name__, repr(event)


def doubled(keys: list[Any]) -> list[Any]:
    return [key for key, count in Counter(keys).items() if count > 1]


def events_of(folder: Path, run: str) -> dict[str, tuple[Event, ...]]:
    with Store.open(folder / "s.db", create=False) as store:
        return {row.trial.id: store.events(run, row.trial.id) for row in store.trials(run)}


def calls_of(folder: Path, run: str) -> list[Any]:
    """Each call with its reply, in a form that can be compared."""
    with Store.open(folder / "s.db", create=False) as store:
        return [(row.call, row.model, row.reply.text) for row in store.calls.all(run)]


def spoken(events: tuple[Event, ...]) -> list[str]:
    """What others hear or read of an episode; raw replies that were refused are not part of it."""
    return [repr(event) for event in events if not isinstance(event, Unusable)]


def check(folder: Path, run: str, result: Any) -> None:
    """The store holds every trial whole and once, and what the result counts."""
    episodes, calls = events_of(folder, run), calls_of(folder, run)
    with Store.open(folder / "s.db", create=False) as store:
        assert {row.status for row in store.trials(run)} <= {"played", "failed"}
    assert result["played"] + result["failed"] == result["trials"] == len(episodes) > 0
    assert result["calls"] == len(calls) > 0
    assert doubled([call for call, *_ in calls]) == []
    for events in episodes.values():
        assert doubled([key_of(event) for event in events]) == []
        marked = [text for text in spoken(events) if any(mark in text for mark in MARKS)]
        assert marked == []


@pytest.mark.parametrize("world", WORLDS)
def test_a_real_model_plays_and_judges(world: str, tmp_path: Path) -> None:
    result = result_of(tmp_path, command("played", world, *WORLDS[world]))
    check(tmp_path, "played", result)
    again = result_of(tmp_path, command("played", world, *WORLDS[world]))
    assert again["calls"] == result["calls"], "the finished run called the model again"


def test_a_run_killed_in_its_midst_resumes_with_nothing_lost_and_nothing_doubled(
    tmp_path: Path,
) -> None:
    words = command("killed", "stss-talk", "--limit", "2", "--set", "rounds=2")
    with (tmp_path / "log.txt").open("w") as log:
        process = subprocess.Popen(
            words, cwd=tmp_path, env=environment(tmp_path), stdout=log, stderr=log
        )
        try:
            until = time.monotonic() + PATIENCE
            while sum(map(len, stored(tmp_path).values())) < 2:
                assert process.poll() is None, (tmp_path / "log.txt").read_text("utf-8")
                assert time.monotonic() < until, "hung before its second event"
                time.sleep(0.2)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
    assert process.returncode == -signal.SIGKILL, "it was over before it could be killed"
    events, calls = events_of(tmp_path, "killed"), calls_of(tmp_path, "killed")

    result = result_of(tmp_path, words)
    check(tmp_path, "killed", result)
    resumed = events_of(tmp_path, "killed")
    assert {trial: resumed[trial][: len(kept)] for trial, kept in events.items()} == events
    assert [call for call in calls if call not in calls_of(tmp_path, "killed")] == []


def stored(folder: Path) -> dict[str, tuple[Event, ...]]:
    """The events of the run that is about to be killed; none while it is being made."""
    try:
        return events_of(folder, "killed")
    except StoreError:
        return {}
