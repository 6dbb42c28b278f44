"""What an estimate says of money and time before anything is paid for."""

from __future__ import annotations

from pathlib import Path

import pytest

from sociolab import RunConfig, estimate, run
from sociolab.app.beforehand.estimate_words import Pace, seconds_in_all
from sociolab.models.endpoint.running import start_in_thread
from sociolab.models.endpoint.settings import EndpointSettings

PRICES = """
[endpoints.lab]
base_url = "http://127.0.0.1:9/v1"
in_flight = 4

[prices."openai/m"]
input = 10.0
cached = 1.0
output = 20.0

[prices."lab/j"]
input = 5.0
output = 5.0
"""


def described(folder: Path, **more: object) -> RunConfig:
    (folder / "models.toml").write_text(PRICES, "utf-8")
    values = {"agents": ("openai/m",), "partner": "scripted", "judges": ("openai/m",), "limit": 4,
              "store": folder / "s.db", "models": folder / "models.toml"}  # fmt: skip
    return RunConfig.model_validate(
        {**values, "base_url": "http://127.0.0.1:9/v1", "in_flight": None, **more}
    )


def test_cost_is_told_by_role_with_and_without_the_cache(tmp_path: Path) -> None:
    found = estimate(described(tmp_path))
    said = "\n".join(found.sentences())
    roles = found.parts["openai/m"]
    assert set(roles) == {"agent", "judge"}
    assert roles["judge"].calls == found.trials == 8
    assert roles["agent"].calls == found.models["openai/m"].calls - 8 > 40
    assert 0.5 < roles["agent"].cached / roles["agent"].prompt < 1
    assert sum(part.prompt for part in roles.values()) == found.models["openai/m"].prompt
    row = found.document()["models"]["openai/m"]
    for role in ("agent", "judge"):
        assert row["roles"][role]["cost_usd_cached"] < row["roles"][role]["cost_usd"]
        assert f"  as {role}: {roles[role].calls} calls" in said
    whole = sum(part["cost_usd"] for part in row["roles"].values())
    assert whole == pytest.approx(row["cost_usd"])
    least = sum(part["cost_usd_cached"] for part in row["roles"].values())
    assert f"${whole:.2f}, or ${least:.2f} if all that prompts repeat" in said


def test_without_a_price_for_the_cache_there_is_one_figure(tmp_path: Path) -> None:
    said = " ".join(estimate(described(tmp_path, agents=("lab/j",), judges=("none",))).sentences())
    assert "cache" not in said
    assert "as agent" not in said


def test_time_is_told_from_the_seconds_that_are_given_and_the_places_in_flight(
    tmp_path: Path,
) -> None:
    config = described(tmp_path, agents=("lab/j",), judges=("none",))
    found = estimate(config, latency=60.0)  # 4 at once
    calls = found.models["lab/j"].calls
    assert found.seconds == pytest.approx(calls * 60 / 4)
    told = f"time: about {calls / 4:.0f} min, at 60 s a call as given, 4 at once to lab"
    assert told in found.sentences()[-1]
    alone = estimate(described(tmp_path, agents=("lab/j",), judges=("none",), in_flight=64), 6.0)
    assert alone.seconds == pytest.approx(10 * 6)  # its turns, one after the other


def test_time_is_told_from_what_the_store_has_measured_and_else_not(tmp_path: Path) -> None:
    config = described(tmp_path, agents=("openai/m",), judges=("none",), models=None)
    unknown = estimate(config)
    assert unknown.seconds is None
    assert "the store has no call to openai/m yet" in unknown.sentences()[-1]
    with start_in_thread(EndpointSettings(latency_ms=20)) as server:
        run(config.model_copy(update={"base_url": server.url, "limit": 1}))
    known = estimate(config)
    assert known.seconds is not None
    assert 10 * 0.02 < known.seconds < 10
    assert "at the last measured seconds a call" in known.sentences()[-1]


def test_an_estimate_leaves_no_store(tmp_path: Path) -> None:
    estimate(described(tmp_path))
    assert not (tmp_path / "s.db").exists()


@pytest.mark.parametrize(
    ("per_minute", "at_once", "seconds"),
    [
        (None, None, 600.0),  # 1000 + 200 calls of 2 and 5 s, 5 at once
        (None, 2, 1500.0),  # two trials at once, whose calls wait for one another
        (60.0, None, 1200.0),  # one call a second
        (None, 600, 600.0),
    ],
)
def test_the_slowest_of_what_bounds_a_run_tells_its_time(
    per_minute: float | None, at_once: int | None, seconds: float
) -> None:
    ours = Pace("a/x", "a", 2.0, 5, per_minute, 1000, 40)
    other = Pace("a/j", "a", 5.0, 5, per_minute, 200, 8)
    assert seconds_in_all([ours, other], at_once) == pytest.approx(seconds)
    longest = Pace("b/x", "b", 2.0, 500, None, 1000, 900)
    assert seconds_in_all([ours, longest], 600) == pytest.approx(1880.0)
