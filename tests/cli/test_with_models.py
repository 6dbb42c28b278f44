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
from sociolab.app import load_world, select_tasks
from sociolab.core import Event, Moved, Unusable
from sociolab.endpoint import EndpointProcess, EndpointSettings, start_in_process
from sociolab.store import Store
from sociolab.worlds import sotopia

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


def calls(limit: int) -> int:
    """Of the first tasks with one judge: 20 turns and the judge's, and a closing question to both
    seats where a goal has a formula."""
    kit = load_world("sotopia")
    tasks = select_tasks("sotopia", kit.world, None, limit)
    return sum(21 + len(sotopia.closing_polls(sotopia.casting_of(task))) for task in tasks)


def everything(store: Path, run: str) -> dict[str, tuple[tuple[Event, ...], object]]:
    """All that was played and judged, by trial."""
    with Store.open(store, create=False) as opened:
        verdicts: dict[str, list[object]] = {}
        for row in opened.verdicts.scores(run):
            verdicts.setdefault(row.trial or "", []).append(row.verdict)
        return {
            row.trial.id: (opened.events(run, row.trial.id), verdicts.get(row.trial.id))
            for row in opened.trials(run)
        }


def test_a_model_plays_and_another_judges(sociolab: Sociolab, endpoint: EndpointProcess) -> None:
    done = sociolab(*model_run(endpoint, "a", "--limit", 2))
    assert done.code == 0, done.err
    result = done.document
    assert (result["trials"], result["calls"]) == (2, calls(2))
    overall = [s for s in result["scores"] if s["measure"] == "overall" and not s["by"]]
    assert [(s["method"], s["judge"], s["n"]) for s in overall] == [("model", "openai/j", 4)]
    assert result["tokens"]["cached"] > 0
    assert result["cost_usd"] is None


def test_a_second_pilot_with_another_seed_gets_other_replies(
    sociolab: Sociolab, endpoint: EndpointProcess, tmp_path: Path
) -> None:
    def speech(run: str, seed: int) -> list[str]:
        more = ("--limit", 1, "--seed", seed)
        done = sociolab(*model_run(endpoint, run, *more), "--store", f"{run}.db")
        assert done.code == 0, done.err
        events = [event for played, _ in everything(tmp_path / f"{run}.db", run).values()
                  for event in played]  # fmt: skip
        return [event.actions[0].text for event in events if isinstance(event, Moved)]

    first, again, second = speech("first", 1), speech("again", 1), speech("second", 2)
    assert len(first) == len(second) == 20
    assert first == again
    # Sentences are drawn from a few hundred, so that one may come twice.
    assert len(set(first) & set(second)) < 5


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
    assert done.document["calls"] >= calls(12)
    assert endpoint.counters.requests - before < calls(12), "nothing was resumed"

    other = sociolab(*model_run(endpoint, "undisturbed", "--limit", 12), "--store", store)
    assert other.document["calls"] == done.document["calls"]
    assert everything(store, "killed") == everything(store, "undisturbed")


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_and_sigterm_end_with_a_summary_and_an_exit_code_of_their_own(
    endpoint: EndpointProcess, tmp_path: Path, sent: signal.Signals, code: int
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
    os.kill(process.pid, sent)
    out, err = process.communicate(timeout=30)
    assert process.returncode == code, err
    assert "Traceback" not in err
    assert "--name stopped resumes" in err
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


def test_a_spent_budget_stays_spent_and_a_larger_one_goes_on_from_there(
    sociolab: Sociolab, endpoint: EndpointProcess, tmp_path: Path
) -> None:
    prices(tmp_path)
    run = model_run(endpoint, "poor", "--limit", 3)
    short = sociolab(*run, "--budget", 0.2)
    assert short.code == 1
    assert "the budget of $0.20 is used up" in short.document["stopped"]
    assert 0.1 < short.document["cost_usd"] <= 0.2

    before = endpoint.counters.requests
    again = sociolab(*run, "--budget", 0.2)
    assert again.code == 1
    assert "the budget of $0.20 is used up" in again.document["stopped"]
    assert endpoint.counters.requests == before
    assert again.document["cost_usd"] == short.document["cost_usd"]

    more = sociolab(*run, "--budget", 0.4)
    assert more.code == 1
    assert endpoint.counters.requests > before
    assert 0.3 < more.document["cost_usd"] <= 0.4

    enough = sociolab(*run, "--budget", 100)
    assert enough.code == 0, enough.err
    again = enough.document["failures"]["replies_asked_again"]
    assert enough.document["calls"] == calls(3) + again
    assert endpoint.counters.requests == calls(3) + again + before - short.document["calls"]


def test_a_budget_that_was_spent_before_a_run_was_killed_stays_spent(
    sociolab: Sociolab, endpoint: EndpointProcess, tmp_path: Path
) -> None:
    prices(tmp_path)
    store = tmp_path / "s.db"
    run = (*model_run(endpoint, "cut", "--limit", 3, "--in-flight", 1), "--store", store)
    process = subprocess.Popen(
        [sys.executable, "-m", "sociolab", *map(str, run), "--budget", "0.2"],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for_turns(store, "cut", 2)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    with Store.open(store, create=False) as opened:
        killed = opened.calls.totals("cut")
    assert killed.usd is not None
    assert 0 < killed.usd < 0.2
    before = endpoint.counters.requests
    nothing = sociolab(*run, "--budget", killed.usd)
    assert (nothing.code, nothing.document["calls"]) == (1, killed.calls)
    assert endpoint.counters.requests == before
    rest = sociolab(*run, "--budget", 0.2)
    assert rest.code == 1
    assert killed.calls < rest.document["calls"]
    assert killed.usd < rest.document["cost_usd"] <= 0.2


@pytest.mark.parametrize(
    ("usage", "faults"),
    [
        ("null", 0),
        ('{"prompt_tokens": 4611686018427387904, "completion_tokens": 4611686018427387904}', 1),
        ('{"prompt_tokens": -1000000000, "completion_tokens": -1000000000}', 1),
    ],
)
def test_a_budget_holds_where_tokens_are_not_counted_or_miscounted(
    sociolab: Sociolab, tmp_path: Path, usage: str, faults: int
) -> None:
    prices(tmp_path)
    with start_in_process(EndpointSettings(characters=60, usage=usage)) as server:
        asked = (*model_run(server, "a", "--limit", 3), "--budget", 0.2)
        done = sociolab(*("none" if one == "openai/j" else one for one in asked))
        requests = server.counters.requests
        doctor = sociolab("doctor", "openai/x", "--base-url", server.url)
    assert done.code == 1, done.err
    found = done.document
    assert "the budget of $0.20 is used up: ~$0." in found["stopped"]
    assert 0.1 < found["cost_usd"] <= 0.2
    assert found["estimated_calls"] == found["calls"] == requests
    assert found["failures"]["usage"] == ({"malformed reply": requests} if faults else {})

    report = " ".join(sociolab("report", "a", "--full").out.split())
    assert f"{requests} of {requests} calls came without a usable token count" in report
    spent = report[report.index("Cost ~$") :].split()[1]
    assert float(spent[2:]) == pytest.approx(found["cost_usd"], rel=0.05)
    assert ("Impossible token counts malformed reply" in report) == bool(faults)
    assert spent in sociolab("list", "runs").out
    assert sociolab("list", "runs", "--json").document["runs"][0]["estimated_calls"] == requests
    episode = sociolab("list", "episodes", "--run", "a", "--json").document["episodes"][0]
    prompts = sociolab("show", episode["episode"], "--run", "a", "--prompts").out
    assert prompts.count(": openai/x, ~") == prompts.count("====") > 0
    assert prompts.count("---- fault\nexpected token counts") == faults * prompts.count("====")
    assert "works" in doctor.out
    assert "tokens and costs are estimated" in doctor.out


def test_a_budget_without_a_price_is_refused(sociolab: Sociolab, endpoint: EndpointProcess) -> None:
    done = sociolab(*model_run(endpoint, "a", "--limit", 1), "--budget", 1)
    assert done.code == 2
    assert 'prices."openai/x"' in done.sentence


def test_an_estimate_is_near_what_the_run_then_takes(sociolab: Sociolab, tmp_path: Path) -> None:
    prices(tmp_path)
    with start_in_process(EndpointSettings(characters=250)) as endpoint:
        estimate = sociolab(*model_run(endpoint, "e", "--limit", 3), "--dry-run").document
        assert endpoint.counters.requests == 0
        played = sociolab(*model_run(endpoint, "e", "--limit", 3)).document
    case = estimate["cases"][-1]  # nobody leaves, and replies are long
    tokens = sum(model["prompt_tokens"] for model in case["models"].values())
    assert case["calls"] >= played["calls"]
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
    assert judges["outcome"] == 1
    assert done.document["calls"] == 2 * 2 * 2


def test_a_judge_fills_in_a_sheet_beside_the_scores(
    sociolab: Sociolab, endpoint: EndpointProcess, tmp_path: Path
) -> None:
    sociolab("run", "sotopia", "--limit", 2, "--name", "s")
    url = ("--base-url", endpoint.url, "--json")
    done = sociolab("judge", "s", "--sheet", "behaviour", "--judge", "openai/j", *url)
    assert done.code == 0, done.err
    said = [one for one in done.document["scores"] if one["judge"] == "sheet:behaviour:openai/j"]
    assert {one["measure"] for one in said} >= {"unanswered", "persistent"}
    assert not [one for one in said if one["failures"]]
    own = tmp_path / "manners.toml"
    own.write_text('[greets]\ntitle = "Greets"\nquestion = "Do they?"\nlook = "A hello."\n')
    sociolab("run", "anteval-information", "--limit", 1, "--name", "d")
    done = sociolab("judge", "d", "--sheet", own, "--judge", "openai/j", *url)
    assert "sheet:manners:openai/j" in {one["judge"] for one in done.document["scores"]}
    done = sociolab("judge", "s", "--sheet", "manners", "--judge", "openai/j", *url)
    assert (done.code, "guide of sotopia (dimensions, behaviour)" in done.sentence) == (
        2,
        True,
    )
    done = sociolab("judge", "s", "--sheet", "behaviour", "--judge", "heuristic")
    assert (done.code, "--sheet: expected --judge endpoint/model" in done.sentence) == (2, True)


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
    assert f"openai/x at {endpoint.url}" in sociolab(*args, "--dry-run", **here).out
    document = sociolab(*args, "--dry-run", "--json", **here).document
    assert set(document["addresses"].values()) == {endpoint.url}
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


@pytest.fixture(scope="module")
def garbling() -> Iterator[EndpointProcess]:
    """An endpoint every second reply of which is of no use."""
    with start_in_process(EndpointSettings(characters=60, ignores_schema=0.5)) as process:
        yield process


def garbled_run(endpoint: EndpointProcess, name: str, *more: object) -> tuple[object, ...]:
    return (
        "run", "sotopia", "--agent", "openai/x", "--partner", "scripted", "--judge",
        "python:biased_judges:ByWords", "--limit", 8, "--attempts", 1, "--base-url", endpoint.url,
        "--name", name, "--json", *more,
    )  # fmt: skip


def spoiled_by_hand(store: Path, run: str) -> set[str]:
    """The trials in which the model failed more than half of what it was asked, counted anew."""
    found = set()
    with Store.open(store, create=False) as opened:
        for row in opened.trials(run):
            (seat,) = (m.seat for m in row.trial.cast if m.agent == "openai/x")
            good = failed = 0
            for event in opened.events(run, row.trial.id):
                good += isinstance(event, Moved) and event.seat == seat
                failed += isinstance(event, Unusable) and (event.seat, event.name) == (seat, "act")
            if 2 * failed > good + failed:
                found.add(row.trial.id)
    return found


def test_trials_in_which_the_model_failed_most_turns_have_failed(
    sociolab: Sociolab, garbling: EndpointProcess, tmp_path: Path
) -> None:
    store = tmp_path / "s.db"
    args = (*garbled_run(garbling, "half"), "--store", store)
    done = sociolab(*args)
    assert done.code == 1, done.err
    spoiled = spoiled_by_hand(store, "half")
    result = done.document
    assert 0 < len(spoiled) < 16
    assert (result["trials"], result["failed"]) == (16, len(spoiled))
    assert result["failures"]["trials"] == {"failed turns": len(spoiled)}
    assert result["settings"]["max_failed_turns"] == 0.5
    with Store.open(store, create=False) as opened:
        failed = {row.trial.id for row in opened.trials("half") if row.status == "failed"}
        judged = {row.trial for row in opened.verdicts.scores("half")}
    assert failed == spoiled
    assert judged.isdisjoint(spoiled)
    (social,) = (
        s
        for s in result["scores"]
        if (s["agent"], s["measure"], s["by"]) == ("openai/x", "overall", {})
    )
    assert (social["n"], social["failures"]) == (16 - len(spoiled), len(spoiled))

    shown = sociolab("show", min(spoiled), "--run", "half", "--store", store)
    assert shown.code == 0, shown.err
    assert "This trial failed: " in shown.out
    assert "(limit: one half)" in shown.out

    # Resumed, nothing is asked for again, and what failed has failed.
    before = garbling.counters.requests
    again = sociolab(*args)
    assert again.code == 1
    assert garbling.counters.requests == before
    assert again.document["failures"] == result["failures"]
    # Another limit is another run; without one the same trials are scored.
    refused = sociolab(*args, "--max-failed-turns", 1)
    assert refused.code == 2
    assert "max_failed_turns 0.5, now 1.0" in refused.sentence
    off = sociolab(*garbled_run(garbling, "off"), "--store", store, "--max-failed-turns", 1)
    assert (off.code, off.document["failed"]) == (0, 0)


def test_such_a_run_killed_at_any_moment_comes_to_the_same(
    sociolab: Sociolab, garbling: EndpointProcess, tmp_path: Path
) -> None:
    store = tmp_path / "s.db"
    args = (*garbled_run(garbling, "killed", "--episodes", 2), "--store", store)
    command = [sys.executable, "-m", "sociolab", *(str(arg) for arg in args)]
    for turns in (15, 60):
        process = subprocess.Popen(
            command,
            cwd=tmp_path,
            env=environment(tmp_path),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_for_turns(store, "killed", turns)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
    killed = sociolab(*args)
    undisturbed = sociolab(*garbled_run(garbling, "undisturbed"), "--store", store)
    assert (killed.code, undisturbed.code) == (1, 1)
    assert killed.document["calls"] == undisturbed.document["calls"]
    assert killed.document["failures"] == undisturbed.document["failures"]
    assert everything(store, "killed") == everything(store, "undisturbed")


def test_show_says_what_was_asked_for_again_in_no_turn(sociolab: Sociolab, tmp_path: Path) -> None:
    with start_in_process(EndpointSettings(characters=60, malformed_json=0.4)) as garbled:
        play = ("run", "sotopia", "--agent", "openai/a", "--judge", "openai/j", "--limit", 20)
        sociolab(*play, "--set", "turns=2", "--base-url", garbled.url, "--name", "a")
    with Store.open(next(tmp_path.rglob("*.db"))) as store:
        again = {
            one: store.calls.count_judge_retries("a", one) for one in store.trial_ids("a", "played")
        }
    with_retries = [trial for trial, judges in again.items() if judges]
    without = [trial for trial, judges in again.items() if not judges]
    assert with_retries
    for trial in (*with_retries[:3], *without[:3]):
        shown = sociolab("show", trial).out
        assert ("judge openai/j: asked again" in shown) == (trial in with_retries)


@pytest.mark.parametrize("share", ["-0.1", "1.1", "nan", "half"])
def test_a_share_of_failed_turns_lies_between_0_and_1(sociolab: Sociolab, share: str) -> None:
    done = sociolab("run", "sotopia", "--max-failed-turns", share)
    assert done.code == 2
    assert "max" in done.err
    assert "Traceback" not in done.err
