"""Runs on a Ray cluster of two nodes, of which one is killed at random moments: nothing is lost and
nothing doubled. Skipped where Ray is not installed: `make test EXTRAS=ray`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from sociolab import JudgeConfig, RunConfig, judge_run, run
from sociolab.app import config_of
from sociolab.core import ConfigError
from sociolab.endpoint import EndpointProcess, EndpointSettings, start_in_process
from sociolab.store import Store

HERE = Path(__file__).parents[2]

with_ray = pytest.mark.skipif(
    find_spec("ray") is None, reason="Ray is not installed: make test EXTRAS=ray"
)


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EndpointProcess]:
    settings = EndpointSettings(leave_rate=0.05, characters=40, latency_ms=100)
    with start_in_process(settings) as process:
        yield process


def on_cluster(kills: int = 0, chance: int = 1, **given: Any) -> dict[str, Any]:
    done = subprocess.run(
        [
            sys.executable,
            HERE / "ray_runs.py",
            json.dumps({**given, "kills": kills, "chance": chance}),
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert "error" not in told, told
    return told


def everything(path: Path) -> tuple[list[Any], list[str]]:
    """Events and scores by trial, in plan order, and the keys of the calls.

    Questions that are asked at the same time are answered in any order, on one machine too.
    """
    with Store.open(path, create=False) as store:
        trials = [
            (
                row.trial.id,
                row.status,
                sorted(map(repr, store.events("big", row.trial.id))),
                list(store.verdicts.judgings("big", trial=row.trial.id)),
            )
            for row in store.trials("big")
        ]
        return trials, sorted(call.key for call in store.calls.all("big"))


@with_ray
@pytest.mark.parametrize(
    ("world", "more"),
    [
        ("sotopia", {"limit": 24, "judges": ["openai/j"]}),
        ("stss-talk", {"limit": 12, "judges": ["openai/j"]}),
        (
            "anteval-information",
            {"settings": {"sessions": "6", "turns": "8"}, "judges": ["openai/j"]},
        ),
        ("stss", {"limit": 1, "settings": {"step": "60"}, "judges": ["rules"]}),
    ],
)
def test_a_run_whose_machines_die_is_the_run_of_one_process(
    tmp_path: Path, endpoint: EndpointProcess, world: str, more: dict[str, Any]
) -> None:
    given = {
        "world": world, "agents": ["openai/a"], "base_url": endpoint.url, "seed": 1, "name": "big",
        **more,
    }  # fmt: skip
    told = on_cluster(2, store=str(tmp_path / "ray.db"), **given)
    run(config_of({**given, "store": tmp_path / "one.db"}, "test"))
    assert everything(tmp_path / "ray.db") == everything(tmp_path / "one.db")
    assert told["stopped"] == ""


@with_ray
def test_judging_on_a_cluster_is_judging_in_one_process_and_the_budget_holds(
    tmp_path: Path, endpoint: EndpointProcess
) -> None:
    models = tmp_path / "models.toml"
    models.write_text(
        f'[endpoints.lab]\nbase_url = "{endpoint.url}"\n'
        '[prices."lab/a"]\ninput = 10.0\noutput = 10.0\n'
    )
    for name in ("one.db", "ray.db"):
        run(RunConfig(limit=8, seed=1, name="big", store=tmp_path / name))
    judging: Any = {"judges": ["openai/k"], "base_url": endpoint.url}
    on_cluster(1, store=str(tmp_path / "ray.db"), name="big", judging=judging)
    judge_run("big", JudgeConfig(**judging, store=tmp_path / "one.db"), repeats=1)
    assert everything(tmp_path / "ray.db") == everything(tmp_path / "one.db")
    told = on_cluster(
        0, agents=["lab/a"], judges=["none"], limit=20, name="dear", budget=0.4,
        models=str(models), store=str(tmp_path / "ray.db"),
    )  # fmt: skip
    assert "the budget of $0.40 is used up" in told["stopped"]
    with Store.open(tmp_path / "ray.db") as store:
        spent = store.calls.totals("dear").usd
    assert spent is not None
    assert 0.3 < spent <= 0.4


def test_people_do_not_play_on_a_cluster(tmp_path: Path) -> None:
    given = {"on": "ray", "agents": ["human"], "judges": ["none"], "store": tmp_path / "s.db"}
    with pytest.raises(ConfigError, match="--on: people play at the machine"):
        run(config_of(given, "test"))


@pytest.mark.parametrize("text", ["slurm", "ray://", "ray://name:secret@host:1", "ray:10001"])
def test_what_is_no_cluster_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="on"):
        config_of({"on": text}, "run")


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is installed")
def test_without_ray_it_is_said_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="make extras EXTRAS=ray"):
        run(RunConfig(on="ray", limit=1, store=tmp_path / "s.db"))
    assert not (tmp_path / "s.db").exists()
