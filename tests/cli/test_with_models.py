"""Runs with models, on the local endpoint: resume, money, doctor, keys."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.conftest import Sociolab, environment
from sociolab.core.episode import Event
from sociolab.models.endpoint.running import EndpointProcess, start_in_process
from sociolab.models.endpoint.settings import EndpointSettings
from sociolab.store.sqlite import Store

KEY = "sk-local-0123456789abcdef"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EndpointProcess]:
    with start_in_process(EndpointSettings(latency_ms=4, characters=60)) as process:
        yield process


def model_run(endpoint: EndpointProcess, name: str, *more: object) -> tuple[object, ...]:
    return (
        "run", "sotopia", "--agent", "openai/x", "--judge", "openai/j",
        "--base-url", endpoint.url, "--name", name, "--json", *more,
    )  # fmt: skip


def everything(store: Path, run: str) -> dict[str, tuple[tuple[Event, ...], object]]:
    """All that was played and judged, by trial."""
    with Store.open(store, create=False) as opened:
        verdicts: dict[str, list[object]] = {}
        for row in opened.verdicts(run):
            verdicts.setdefault(row.trial or "", []).append(row.verdict)
        return {
            row.trial.id: (opened.events(run, row.trial.id), verdicts.get(row.trial.id))
            for row in opened.trials(run)
        }


def test_a_model_plays_and_another_judges(sociolab: Sociolab, endpoint: EndpointProcess) -> None:
    done = sociolab(*model_run(endpoint, "a", "--limit", 2))
    assert done.code == 0, done.err
    result = done.document
    assert (result["trials"], result["calls"]) == (2, 2 * 21)
    overall = [s for s in result["scores"] if s["measure"] == "overall" and not s["by"]]
    assert [(s["method"], s["judge"], s["n"]) for s in overall] == [("model", "openai/j", 4)]
    assert result["tokens"]["cached"] > 0
    assert result["cost_usd"] is None


def test_a_run_killed_at_any_moment_is_completed_with_nothing_lost_and_nothing_doubled(
    sociolab: Sociolab, endpoint: EndpointProcess, tmp_path: Path
) -> None:
    store = tmp_path / "s.db"
    args = (*model_run(endpoint, "killed", "--limit", 12, "--in-flight", 3), "--store", store)
    command = [sys.executable, "-m", "sociolab", *(str(arg) for arg in args)]
    for turns in (20, 60, 130):
        process = subprocess.Popen(
            command,
            cwd=tmp_path,
            env=environment(tmp_path),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_for_turns(store, "killed", turns)
            assert process.poll() is None, "the run was over before it could be killed"
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
    before = endpoint.counters.requests
    done = sociolab(*args)
    assert done.code == 0, done.err
    assert done.document["calls"] == 12 * 21
    assert endpoint.counters.requests - before < 12 * 21, "nothing was resumed"

    other = sociolab(*model_run(endpoint, "undisturbed", "--limit", 12), "--store", store)
    assert other.document["calls"] == 12 * 21
    assert everything(store, "killed") == everything(store, "undisturbed")


def test_ctrl_c_ends_with_a_summary_and_exit_code_130(
    sociolab: Sociolab, endpoint: EndpointProcess, tmp_path: Path
) -> None:
    args = (*model_run(endpoint, "stopped", "--limit", 40, "--in-flight", 1),)
    process = subprocess.Popen(
        [sys.executable, "-m", "sociolab", *(str(arg) for arg in args)],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    store = tmp_path / "lab" / "store.db"
    wait_for_turns(store, "stopped", 3)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "--name stopped goes on" in err
    assert '"stopped": "interrupted"' in out


def wait_for_turns(store: Path, run: str, turns: int) -> None:
    """Until so many turns are on disk."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if store.exists():
            with Store.open(store, create=False) as opened:
                if opened.has_run(run):
                    rows = opened.trials(run)
                    if sum(len(opened.events(run, row.trial.id)) for row in rows) >= turns:
                        return
        time.sleep(0.02)
    raise AssertionError(f"{run} did not get to {turns} turns")


def test_two_processes_are_kept_off_one_run(
    sociolab: Sociolab, endpoint: EndpointProcess, tmp_path: Path
) -> None:
    args = (*model_run(endpoint, "shared", "--limit", 40, "--in-flight", 1),)
    process = subprocess.Popen(
        [sys.executable, "-m", "sociolab", *(str(arg) for arg in args)],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        store = tmp_path / "lab" / "store.db"
        wait_for_turns(store, "shared", 3)
        done = sociolab(*args)
        assert done.code == 2
        assert str(process.pid) in done.sentence
    finally:
        process.kill()
        process.wait()


def prices(folder: Path) -> Path:
    file = folder / "models.toml"
    file.write_text(
        '[prices."openai/x"]\ninput = 10.0\noutput = 30.0\n'
        '[prices."openai/j"]\ninput = 10.0\noutput = 30.0\n',
        "utf-8",
    )
    return file


def test_a_budget_stops_the_run_and_a_larger_one_goes_on(
    sociolab: Sociolab, endpoint: EndpointProcess, tmp_path: Path
) -> None:
    prices(tmp_path)
    short = sociolab(*model_run(endpoint, "poor", "--limit", 3), "--budget", 0.2)
    assert short.code == 1
    result = short.document
    assert "budget" in result["stopped"]
    assert 0 < result["cost_usd"] <= 0.2
    more = sociolab(*model_run(endpoint, "poor", "--limit", 3), "--budget", 100)
    assert more.code == 0, more.err
    assert more.document["calls"] == 3 * 21
    assert more.document["cost_usd"] > 0.2


def test_a_budget_without_a_price_is_refused(sociolab: Sociolab, endpoint: EndpointProcess) -> None:
    done = sociolab(*model_run(endpoint, "a", "--limit", 1), "--budget", 1)
    assert done.code == 2
    assert 'prices."openai/x"' in done.sentence


def test_an_estimate_is_near_what_the_run_then_takes(
    sociolab: Sociolab, endpoint: EndpointProcess, tmp_path: Path
) -> None:
    prices(tmp_path)
    before = endpoint.counters.requests
    estimate = sociolab(*model_run(endpoint, "e", "--limit", 3), "--dry-run").document
    assert endpoint.counters.requests == before
    played = sociolab(*model_run(endpoint, "e", "--limit", 3)).document
    calls = sum(model["calls"] for model in estimate["models"].values())
    tokens = sum(model["prompt_tokens"] for model in estimate["models"].values())
    assert calls == played["calls"]
    assert tokens == pytest.approx(played["tokens"]["prompt"], rel=0.35)


def test_a_stored_run_is_judged_by_another_judge_and_again(
    sociolab: Sociolab, endpoint: EndpointProcess
) -> None:
    sociolab("run", "sotopia", "--limit", 2, "--name", "a")
    done = sociolab(
        "judge", "a", "--judge", "openai/j", "--judge", "openai/k", "--repeats", 2,
        "--base-url", endpoint.url, "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    judges = {judge["judge"]: judge["judgings"] for judge in done.document["judges"]}
    assert judges["openai/j"] == judges["openai/k"] == 2
    assert judges["heuristic"] == 1
    assert done.document["calls"] == 2 * 2 * 2


def test_doctor_says_in_a_sentence_what_works_and_what_does_not(
    sociolab: Sociolab, endpoint: EndpointProcess
) -> None:
    well = sociolab("doctor", "openai/x", "--base-url", endpoint.url)
    assert (well.code, "works" in well.out) == (0, True)
    assert sociolab("doctor", "scripted").code == 0
    ill = sociolab("doctor", "openai/x", "--base-url", f"{endpoint.url}/nowhere")
    assert ill.code == 1
    assert "404" in ill.out


def test_the_address_of_the_environment_is_used_and_shown(
    sociolab: Sociolab, endpoint: EndpointProcess
) -> None:
    here = {"OPENAI_BASE_URL": endpoint.url}
    found = sociolab("doctor", "openai/x", **here)
    assert (found.code, f"from {endpoint.url}" in found.out) == (0, True)
    args = ("run", "sotopia", "--agent", "openai/x", "--judge", "openai/j", "--limit", 1)
    assert f"openai/x at {endpoint.url}: " in sociolab(*args, "--dry-run", **here).out
    models = sociolab(*args, "--dry-run", "--json", **here).document["models"]
    assert {row["address"] for row in models.values()} == {endpoint.url}
    assert sociolab(*args, **here).code == 0


def test_a_header_is_sent_and_appears_nowhere_else(sociolab: Sociolab, tmp_path: Path) -> None:
    with start_in_process(EndpointSettings(api_key=KEY, characters=40)) as locked:
        (tmp_path / "models.toml").write_text(
            f'[endpoints.lab]\nbase_url = "{locked.url}"\n'
            'headers = {authorization = "Bearer ${LAB_HEADER}"}\n'
        )
        args = ("run", "sotopia", "--agent", "lab/x", "--judge", "lab/j", "--limit", 1)
        done = sociolab(*args, LAB_HEADER=KEY)
        assert done.code == 0, done.err
        wrong = sociolab(*args, "--name", "w", LAB_HEADER="wrong header 1")
        assert wrong.code == 1
        assert "wrong header" not in wrong.err + wrong.out
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), path


def test_a_key_is_sent_and_appears_nowhere_else(sociolab: Sociolab, tmp_path: Path) -> None:
    with start_in_process(EndpointSettings(api_key=KEY, characters=40)) as locked:
        args = model_run(locked, "secret", "--limit", 1, "--key-env", "LAB_KEY")
        done = sociolab(*args, LAB_KEY=KEY)
        assert done.code == 0, done.err
        wrong = sociolab(*model_run(locked, "w", "--key-env", "LAB_KEY"), LAB_KEY="sk-wrong-key-1")
        assert wrong.code == 1
        assert "sk-wrong-key-1" not in wrong.err + wrong.out
        assert "LAB_KEY" in wrong.document["stopped"] or "401" in wrong.document["stopped"]
    assert KEY not in done.out + done.err
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert KEY.encode() not in file.read_bytes(), file
