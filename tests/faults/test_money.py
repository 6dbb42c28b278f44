"""What a run books beside what a server bills, and what a budget buys."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sociolab import RunConfig, RunResult, run
from sociolab.endpoint import Counters, EndpointSettings, start_in_thread
from sociolab.models import traffic


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "LONGEST_PAUSE", 0.01)


READ, WRITTEN = 1.0, 4.0
"""Dollars for a million tokens."""


def play(
    folder: Path,
    settings: EndpointSettings,
    written: float = WRITTEN,
    timeout: float = 10.0,
    **options: Any,
) -> tuple[RunResult, Counters]:
    prices = "".join(
        f'[prices."openai/{name}"]\ninput = {READ}\noutput = {written}\n' for name in "mj"
    )
    limits = f"[endpoints.openai]\ntimeout_s = {timeout}\ntotal_s = 10.0\n"
    (folder / "models.toml").write_text(prices + limits)
    described = {
        "world": "sotopia", "agents": ("openai/m",), "judges": ("openai/j",), "name": "money",
        "store": folder / "s.db", "models": folder / "models.toml", "limit": 4, **options,
    }  # fmt: skip
    with start_in_thread(settings) as server:
        result = run(RunConfig(base_url=server.url, **described)).result
        return result, server.counters


def billed(counters: Counters) -> float:
    return (counters.prompt_tokens * READ + counters.completion_tokens * WRITTEN) / 1e6


@pytest.mark.parametrize("rate", [0.3, 0.9])
@pytest.mark.parametrize("fault", ["no_choices", "truncated_body", "dropped", "hang"])
def test_what_is_booked_is_at_least_what_is_billed(fault: str, rate: float, tmp_path: Path) -> None:
    settings = replace(EndpointSettings(), **{fault: rate})  # type: ignore[arg-type]
    timeout = 0.1 if fault == "hang" else 10.0
    result, counters = play(
        tmp_path, settings, timeout=timeout, limit=2, budget=0.3, episodes=2, in_flight=4
    )
    assert result.cost_usd is not None
    assert result.cost_usd >= 0.95 * billed(counters) > 0
    assert result.cost_usd <= 0.3


@pytest.mark.parametrize("fault", ["no_choices", "truncated_body"])
def test_a_run_that_only_pays_for_failures_stops(fault: str, tmp_path: Path) -> None:
    settings = replace(EndpointSettings(), **{fault: 1.0})  # type: ignore[arg-type]
    result, counters = play(tmp_path, settings, limit=20, budget=5.0, in_flight=2)
    assert counters.requests <= 2 + 5
    assert "the same command resumes it" in result.stopped
    assert result.cost_usd is not None
    assert result.cost_usd >= billed(counters) > 0


def test_half_of_the_money_buys_two_fifths_of_the_episodes_whole_and_judged(
    tmp_path: Path,
) -> None:
    settings = EndpointSettings(leave_rate=0.0)
    for folder in ("all", "half"):
        (tmp_path / folder).mkdir()
    whole, _ = play(tmp_path / "all", settings, limit=40)
    assert whole.cost_usd is not None
    half, _ = play(tmp_path / "half", settings, limit=40, budget=round(whole.cost_usd / 2, 4))
    assert half.played >= 0.4 * whole.played
    assert not half.failures.scores
    assert half.stopped


def test_a_model_that_reasons_at_length_passes_a_budget_by_one_reply_at_most(
    tmp_path: Path,
) -> None:
    usage = '{"prompt_tokens": 800, "completion_tokens": 30000}'
    settings = EndpointSettings(usage=usage)
    result, counters = play(tmp_path, settings, written=100.0, limit=8, budget=2.0)
    assert counters.requests == 1
    assert result.cost_usd == pytest.approx((800 * READ + 30_000 * 100) / 1e6)
    assert "a reply was longer than could be foreseen" in result.stopped
