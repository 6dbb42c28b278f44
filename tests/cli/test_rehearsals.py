"""A pipeline can be rehearsed without a key: the stand-in endpoint plays and judges every world to
a whole report, which says that it is a smoke test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cli.conftest import Sociolab
from sociolab.app import world_names
from sociolab.endpoint import EndpointProcess, EndpointSettings, start_in_process

ALL = ("--agent", "openai/stand-in", "--judge", "openai/stand-in")
MORE = {
    "stss": ("--background", "openai/stand-in"),
    "anteval-information": ("--set", "snapshots=2"),
}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EndpointProcess]:
    with start_in_process(EndpointSettings()) as process:
        yield process


def rehearsed(sociolab: Sociolab, endpoint: EndpointProcess, world: str, *more: str) -> None:
    access = ("--base-url", endpoint.url, "--store", "s.db")
    limit = "1" if world == "stss" else "2"
    done = sociolab("run", world, *ALL, "--limit", limit, *more, *access, "--json")
    assert done.code == 0, done.err
    result = done.document
    assert result["failures"]["scores"] == {}
    scores = [row for row in result["scores"] if row["n"]]
    judges = {judge["judge"] for judge in result["judges"] if judge["method"] == "model"}
    assert judges <= {row["judge"] for row in scores}
    assert result["verdict"].startswith("Smoke test (stand-in endpoint), not a result:")
    assert "Cannot tell" not in result["verdict"]
    assert result["settings"]["stand_ins"] == ["openai/stand-in"]


@pytest.mark.parametrize("world", sorted(world_names()))
def test_every_world_is_rehearsed_to_a_whole_report(
    sociolab: Sociolab, endpoint: EndpointProcess, world: str
) -> None:
    rehearsed(sociolab, endpoint, world, *MORE.get(world, ()))


def test_a_reserved_npc_and_its_falsehoods_are_rehearsed_too(
    sociolab: Sociolab, endpoint: EndpointProcess
) -> None:
    rehearsed(sociolab, endpoint, "anteval-information", "--set", "preset=hard")


def test_an_audit_and_credit_by_the_stand_in_say_so(
    sociolab: Sociolab, endpoint: EndpointProcess
) -> None:
    sociolab("run", "sotopia", "--limit", 2, "--name", "r", "--store", "s.db")
    judge = ("--judge", "openai/j", "--base-url", endpoint.url, "--store", "s.db", "--json")
    served = "openai/j was served by the stand-in endpoint, not by a language model"
    audit = sociolab("audit", "r", "--kind", "repeat", *judge).document
    assert served in audit["sections"][0]["cautions"]
    credit = sociolab("credit", "r", *judge).document
    assert served in credit["notes"]
    assert all(play["failure"] is None for play in credit["plays"])
    report = sociolab("report", "r", "--store", "s.db", "--json").document
    assert "stand_ins" not in report["settings"], "its own figures are not of the stand-in"
