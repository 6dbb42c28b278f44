"""All worlds are played through the local endpoint: no reply of its is unusable."""

from __future__ import annotations

from pathlib import Path

import pytest

from sociolab import RunConfig, run
from sociolab.endpoint import EndpointSettings, start_in_thread

WORLDS = (
    "sotopia", "anteval-decision", "anteval-information", "anteval-intention", "stss", "stss-talk",
)  # fmt: skip


@pytest.mark.parametrize("dialect", ["json", "plain", "words"])
@pytest.mark.parametrize("world", WORLDS)
def test_no_reply_is_unusable_where_no_fault_is_set(
    world: str, dialect: str, tmp_path: Path
) -> None:
    if (world, dialect) in {("stss", "plain"), ("stss", "words"), ("stss-talk", "words")}:
        pytest.skip("a mind is only asked questions, whose replies are JSON")
    with start_in_thread(EndpointSettings(characters=60)) as server:
        result = run(
            RunConfig(
                world=world,
                agents=(f"openai/a?dialect={dialect}",),
                partner=f"openai/b?dialect={dialect}",
                judges=("none",),
                limit=1,
                base_url=server.url,
                store=tmp_path / "s.db",
            )
        ).result
        assert server.counters.requests >= 3, "the shortest talk, and a note of it"
    failed = result.failures
    assert (result.failed, failed.turns, failed.questions, failed.went_without) == (0, {}, {}, {})
    assert failed.replies_asked_again == 0


def test_the_endpoint_leaves_in_the_plain_dialect_too(tmp_path: Path) -> None:
    with start_in_thread(EndpointSettings(leave_rate=1.0)) as server:
        result = run(
            RunConfig(
                agents=("openai/a?dialect=plain",),
                judges=("none",),
                limit=1,
                base_url=server.url,
                store=tmp_path / "s.db",
            )
        ).result
        assert server.counters.requests == result.trials
    assert result.failures.turns == {}
