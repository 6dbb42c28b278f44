"""A net under refactoring: what fixed replies of a model come to, in every world, as JSON.

The local endpoint makes its replies up from a hash of the request, so a change of a prompt changes
what is played; a change of structure must change nothing. Whoever means a change writes the files
anew, in a commit of its own that says why: `SOCIOLAB_GOLDEN=write pytest tests/cli -k golden`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Sociolab
from sociolab.endpoint import EndpointProcess, EndpointSettings, start_in_process

FOLDER = Path(__file__).parent / "golden"
REWRITE = os.environ.get("SOCIOLAB_GOLDEN") == "write"
VARYING = {"created", "seconds", "versions", "made_with"}
"""Keys whose values hang on the clock or the machine."""

GRID = ("--agent", "openai/a", "--agent", "openai/b", "--partner", "openai/p")
JUDGED = ("--judge", "openai/j")

RUNS: dict[str, tuple[object, ...]] = {
    "sotopia": (*GRID, *JUDGED, "--limit", 3),
    "anteval-decision": (*GRID, *JUDGED, "--limit", 3, "--set", "rounds=2"),
    "anteval-information": (*GRID, *JUDGED, "--set", "sessions=2", "--set", "turns=6"),
    "anteval-intention": (*GRID, "--judge", "none", "--set", "sessions=2", "--set", "turns=6"),
    "stss-talk": (*GRID, *JUDGED, "--limit", 3),
    "stss": (*GRID, "--judge", "rules", *JUDGED, "--limit", 1, "--set", "step=60"),
}  # fmt: skip


@pytest.fixture
def endpoint() -> Iterator[EndpointProcess]:
    with start_in_process(EndpointSettings(leave_rate=0.05, characters=60)) as process:
        yield process


def steady(value: Any) -> Any:
    """Without what changes from one run to the next."""
    if isinstance(value, dict):
        return {key: steady(item) for key, item in value.items() if key not in VARYING}
    return [steady(item) for item in value] if isinstance(value, list) else value


def hold(name: str, document: Any) -> None:
    """Compare with the file of this name, or write it."""
    found = json.dumps(steady(document), indent=1, ensure_ascii=False) + "\n"
    path = FOLDER / f"{name}.json"
    if REWRITE:
        path.write_text(found, "utf-8")
    assert found == path.read_text("utf-8"), f"{path.name} differs"


@pytest.mark.parametrize("world", RUNS)
def test_a_run_and_what_is_concluded_from_it_stay_as_they_are(
    sociolab: Sociolab, endpoint: EndpointProcess, world: str
) -> None:
    # Who an agent is includes its address: one that never changes, by way of a proxy.
    at = ("--base-url", "http://models.test/v1")
    way = {"HTTP_PROXY": endpoint.url.removesuffix("/v1")}
    run = sociolab("run", world, *RUNS[world], *at, "--seed", 1, "--name", "r", "--json", **way)
    assert run.code in (0, 1), run.err
    hold(f"{world}.run", run.document)
    report = sociolab("report", "r", "--json")
    assert report.document["scores"] == run.document["scores"]
    if world != "anteval-intention":  # which has no judge that could be compared by
        pair = ("--agent", "openai/a", "--with", "openai/b")
        judge = ("--judge", "rules") if "rules" in RUNS[world] else ()
        compared = sociolab("compare", "r", *pair, *judge, "--json")
        assert compared.code == 0, compared.err
        hold(f"{world}.compare", compared.document)
    if "none" not in RUNS[world] and "rules" not in RUNS[world]:
        judged = sociolab("judge", "r", "--judge", "openai/k", *at, "--json", **way)
        assert judged.code in (0, 1), judged.err
        hold(f"{world}.judge", judged.document)
