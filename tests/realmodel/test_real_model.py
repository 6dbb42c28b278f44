"""Every world with a real model in the seats, as judge and as reader: run by `make test-realmodel`.

`SOCIOLAB_REAL_MODEL_URL` names an OpenAI-shaped server (Ollama, llama.cpp, ...), such as
http://127.0.0.1:8080/v1; `SOCIOLAB_REAL_MODEL` the model, else the first that the server lists.
What a small model says is not judged here: nothing may hang, double, get lost or leak.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from sociolab.core.episode import Moved
from sociolab.core.errors import StoreError
from sociolab.store.store import Store

URL = os.environ.get("SOCIOLAB_REAL_MODEL_URL", "").rstrip("/")
LONGEST = 1800.0
"""Seconds that a command may take on a slow machine."""

MARKS = ("<|", "|>", "<think", "</think", "[INST]", "[THINK]")


def first_model() -> str:
    """The model to ask; "" where nobody answers."""
    try:
        with urllib.request.urlopen(f"{URL}/models", timeout=10) as answer:
            return str(json.load(answer)["data"][0]["id"])
    except (OSError, urllib.error.URLError, ValueError, LookupError):
        return ""


MODEL = os.environ.get("SOCIOLAB_REAL_MODEL") or (first_model() if URL else "")
pytestmark = pytest.mark.skipif(
    not MODEL,
    reason="no model answers: set SOCIOLAB_REAL_MODEL_URL to a server such as "
    "http://127.0.0.1:8080/v1 (docs/models.md, A free local model in five minutes)",
)


def command(world: str, store: Path, *options: object) -> list[str]:
    spec = f"openai/{MODEL}"
    words = ["run", world, "--agent", spec, "--judge", spec, "--base-url", URL]
    words += ["--store", str(store), "--name", "real", *map(str, options)]
    return [sys.executable, "-m", "sociolab", *words]


def checked(store: Path) -> Store:
    """The store of a finished run, in which nothing doubled and nothing leaked."""
    opened = Store.open(store, create=False)
    calls = list(opened.calls.all("real"))
    assert calls
    assert len({row.call for row in calls}) == len(calls)
    for trial in opened.trials("real"):
        assert trial.status in ("played", "failed"), trial.problem
        events = opened.events("real", trial.trial.id)
        assert len(set(map(repr, events))) == len(events)
        lines = [action.text for event in events if isinstance(event, Moved)
                 for action in event.actions]  # fmt: skip
        assert not [line for line in lines if any(mark in line for mark in MARKS)]
    return opened


@pytest.mark.parametrize(
    ("world", "options"),
    [
        ("sotopia", ("--limit", 2, "--reader", f"openai/{MODEL}")),
        ("anteval-information", ("--limit", 1)),
        ("anteval-intention", ("--limit", 1)),
        ("stss-talk", ("--limit", 2)),
        ("stss", ("--limit", 1)),
    ],
)
def test_a_world_is_played_and_judged_to_its_end(
    world: str, options: tuple[object, ...], tmp_path: Path
) -> None:
    if world == "anteval-intention":  # its judges are trained on human play
        words = command(world, tmp_path / "s.db", *options)
        at = words.index("--judge")
        words[at + 1] = "none"
    else:
        words = command(world, tmp_path / "s.db", *options)
    done = subprocess.run(words, capture_output=True, text=True, timeout=LONGEST, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    checked(tmp_path / "s.db").close()


def test_a_run_that_was_killed_goes_on_where_it_was(tmp_path: Path) -> None:
    words = command("sotopia", tmp_path / "s.db", "--limit", 2)
    first = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    before = next(
        events for events in growing(tmp_path / "s.db") if sum(map(len, events.values())) > 4
    )
    first.send_signal(signal.SIGKILL)
    first.wait()
    again = subprocess.run(words, capture_output=True, text=True, timeout=LONGEST, check=False)
    assert again.returncode in (0, 1), again.stderr
    with checked(tmp_path / "s.db") as store:
        for trial, events in before.items():
            assert store.events("real", trial)[: len(events)] == events


def growing(path: Path) -> Iterator[dict[str, tuple[object, ...]]]:
    """The events of each trial, again and again while the run goes on."""
    until = time.monotonic() + LONGEST
    while time.monotonic() < until:
        time.sleep(0.5)
        if path.exists():
            try:
                with Store.open(path, create=False) as store:
                    if store.has_run("real"):
                        rows = store.trials("real")
                        yield {row.trial.id: store.events("real", row.trial.id) for row in rows}
            except StoreError:  # it is being made
                continue
    raise AssertionError("nothing was played")
