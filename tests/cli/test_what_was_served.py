"""What really served a run is in its result, its report and a comparison."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.conftest import Sociolab
from report.small_run import ALPHA, RUN, build
from sociolab.core import Attempt, CallKey, ChatReply, Message, Prompt, Role, Served, Usage
from sociolab.endpoint import EndpointSettings, start_in_process
from sociolab.store import RunReplies, Store

JUDGE = "openai/j"


def keep(
    store: Store, number: int, role: Role, model: str, served: Served, tokens: int = 0
) -> None:
    call = CallKey("lamp-AA", role, "", number, "act", 1, index=1)
    reply = ChatReply("{}", usage=Usage(tokens or 100, 10), usd=0.25, served=served)
    prompt = Prompt((Message("user", "word " * (200 * number)),))
    RunReplies(store, RUN).keep(f"{role}/{number}", call, model, prompt, reply)


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """The small run, with a judge without temperature at last, a reply of another model, prompts
    cut at 2,048 tokens, and attempts that brought nothing."""
    build(tmp_path / "s.db")
    with Store.open(tmp_path / "s.db") as store:
        for number in range(4):
            left = ("temperature",) if number else ()
            keep(store, number, "judge", JUDGE, Served("j", f"fp_{number // 3}", left, 512))
        for number in range(1, 21):
            name = "x-2026-01-01" if number > 1 else "cheap-3b"
            keep(store, number, "partner", "openai/x", Served(name), min(200 * number, 2048))
        replies = RunReplies(store, RUN)
        for number, billed in enumerate(("told", "possible", "no"), 1):
            usage = Usage(1000, 100) if billed != "no" else Usage()
            usd = {"told": 0.5, "possible": 0.125}.get(billed)
            attempt = Attempt(number, 1.0, "timeout", billed, usage, usd)  # type: ignore[arg-type]
            replies.keep_attempt(CallKey("lamp-AA", "agent", "ann", 0, "act", 1), ALPHA, attempt)
    return tmp_path / "s.db"


def test_a_result_holds_what_served_the_run_and_what_failed_attempts_cost(
    sociolab: Sociolab, tmp_path: Path, stored: Path
) -> None:
    build(tmp_path / "plain.db")
    plain = sociolab("report", RUN, "--json", "--store", "plain.db").document
    assert plain["failed_attempts"]["count"] == 0
    assert plain["served"] == [
        {
            "model": ALPHA,
            "role": "agent",
            "calls": plain["calls"],
            "returned": {},
            "fingerprints": {},
            "left_out": {},
            "cut": 0,
            "cut_at": None,
        }
    ]
    found = sociolab("report", RUN, "--json", "--store", "s.db").document
    assert found["failed_attempts"] == {
        "count": 3,
        "cost_usd": 0.625,
        "estimated": 0,
        "possible": 1,
        "possible_usd": 0.125,
    }
    assert found["calls"] == plain["calls"] + 24
    assert found["estimated_calls"] == 0
    assert found["cost_usd"] == pytest.approx(plain["cost_usd"] + 24 * 0.25 + 0.625)
    assert found["tokens"]["completion"] == plain["tokens"]["completion"] + 240 + 200
    _, judge, other = found["served"]
    assert (judge["model"], judge["role"], judge["calls"]) == (JUDGE, "judge", 4)
    assert (judge["returned"], judge["left_out"]) == ({"j": 4}, {"temperature": 3})
    assert judge["fingerprints"] == {"fp_0": 3, "fp_1": 1}
    assert other["returned"] == {"x-2026-01-01": 19, "cheap-3b": 1}
    assert (other["cut"], other["cut_at"]) == (10, 2048)


def test_a_report_warns_of_what_was_not_served_as_requested(
    sociolab: Sociolab, stored: Path
) -> None:
    done = sociolab("report", RUN, "--full", "--store", "s.db", COLUMNS="200")
    assert done.code == 0, done.err
    for sentence in (
        "1 attempt may have been billed: ~$0.125, counted at the most that it could cost",
        "temperature left out in 3 of 4 judge calls of openai/j",
        "fingerprint of openai/j changed during the run (fp_0 3 calls, fp_1 1)",
        "openai/x: 1 of 20 calls were answered by cheap-3b",
        "prompts cut at 2,048 tokens: 10 of 20 calls of openai/x",
    ):
        assert f"! {sentence}" in done.out
    assert "Failed attempts" in done.out
    assert "3; ~$0.625 of the cost" in done.out
    assert "openai/j: j 4 calls; openai/x: x-2026-01-01 19 calls, cheap-3b 1" in done.out
    prompts = sociolab("show", "lamp-AA", "--run", RUN, "--prompts", "--store", "s.db")
    assert "answered by j (fp_0), without temperature, at most 512 tokens" in prompts.out


def test_a_comparison_warns_of_a_judge_that_was_served_otherwise(
    sociolab: Sociolab, tmp_path: Path
) -> None:
    with start_in_process(EndpointSettings(leave_rate=0.1, characters=40)) as endpoint:
        for name, seed in (("a", 1), ("b", 2)):
            flags = ("--seed", seed, "--judge", JUDGE, "--base-url", endpoint.url)
            done = sociolab(
                "run", "sotopia", "--limit", 2, "--name", name, "--store", "s.db", *flags
            )
            assert done.code == 0, done.err
    compare = ("compare", "a", "b", "--judge", JUDGE, "--json", "--store", "s.db")
    assert "judge openai/j" not in " ".join(sociolab(*compare).document["cautions"])
    with Store.open(tmp_path / "s.db") as store:
        store.write("UPDATE calls SET served_model = 'j-1', left_out = 'temperature'")
        second = store.run_pk("b")
        store.write("UPDATE calls SET served_model = 'j-2', left_out = '' WHERE run = ?", (second,))
    cautions = sociolab(*compare).document["cautions"]
    assert "Calls of the judge openai/j were answered by j-1 in a and j-2 in b." in cautions
    (without,) = (text for text in cautions if "without temperature" in text)
    assert without.startswith("The judge openai/j was called without temperature in ")
    assert without.endswith(" calls in b.")
