"""Of several judges of a run the first leads, whatever their names, and whoever comes later."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from cli.conftest import Sociolab
from sociolab import open_run
from sociolab.endpoint import EndpointProcess, EndpointSettings, start_in_process
from web_serving import served

FIRST, SECOND, LATER = "openai/z", "openai/y", "openai/a"


@pytest.fixture
def endpoint() -> Iterator[EndpointProcess]:
    with start_in_process(EndpointSettings(characters=60)) as process:
        yield process


@pytest.fixture
def judged(sociolab: Sociolab, endpoint: EndpointProcess) -> Sociolab:
    at = ("--base-url", endpoint.url)
    agents = ("--agent", "openai/m", "--agent", "openai/n", "--partner", "openai/p")
    judges = ("--judge", FIRST, "--judge", SECOND)
    done = sociolab("run", "sotopia", *agents, *judges, "--limit", 2, "--name", "r", *at)
    assert done.code == 0, done.err
    done = sociolab("judge", "r", "--judge", LATER, *at)
    assert done.code == 0, done.err
    return sociolab


def test_the_first_judge_leads_in_every_verb(judged: Sociolab, tmp_path: Path) -> None:
    report = judged("report", "r")
    assert f"judge: {FIRST}" in " ".join(report.out[:600].split())
    assert [row["judge"] for row in judged("report", "r", "--json").document["judges"]][-3:] == [
        FIRST,
        SECOND,
        LATER,
    ]

    led_by = (
        f"Scores are by {FIRST}, the leading judge; --judge takes those by {SECOND} or {LATER} "
        "instead."
    )
    compared = judged("compare", "r", "--json")
    assert compared.document["comparison"]["judge"]["judge"] == FIRST
    assert led_by in compared.err
    named = judged("compare", "r", "--judge", LATER, "--json")
    assert named.document["comparison"]["judge"]["judge"] == LATER
    assert "Scores are by" not in named.err

    ranked = judged("rank", "r", "--json")
    assert ranked.document["judge"]["judge"] == FIRST
    assert f"Scores are by {FIRST}, the leading judge" in ranked.err

    gate = judged("report", "r", "--fail-if", "overall<-4")
    assert gate.code == 0, gate.err
    assert led_by in gate.err

    listed = next(row for row in judged("list", "--json").document["runs"] if row["run"] == "r")
    assert listed["score"]["judge"] == FIRST
    (path,) = tmp_path.rglob("*.db")
    notebook = open_run("r", path)._repr_html_()
    assert f"judge: {FIRST}" in notebook
    with served(path) as address:
        pages = [f"{address}/runs/r", f"{address}/rank?run=r", f"{address}/compare?run=r"]
        for page in pages:
            text = requests.get(page, timeout=20).text
            assert min(map(text.find, (FIRST, SECOND, LATER))) == text.find(FIRST) > 0, page
