"""`anthropic/MODEL` as a user has it: doctor, dry run, run, budget, judge."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.conftest import Sociolab
from sociolab.endpoint import EndpointServer, EndpointSettings, start_in_thread
from sociolab.store import Store

KEY = "sk-ant-0123456789abcdef"
NAMES = {"ANTHROPIC_API_KEY": KEY}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EndpointServer]:
    with start_in_thread(EndpointSettings(api_key=KEY, characters=60)) as server:
        yield server


@pytest.fixture(autouse=True)
def _file(endpoint: EndpointServer, tmp_path: Path) -> None:
    endpoint.reset()
    (tmp_path / "models.toml").write_text(
        f'[endpoints.anthropic]\nbase_url = "{endpoint.url}"\nkey_env = "ANTHROPIC_API_KEY"\n'
        '[prices."anthropic/claude-x"]\ninput = 3\noutput = 15\ncached = 0.3\ninto_cache = 3.75\n',
        "utf-8",
    )


def test_doctor_says_that_it_works_and_what_it_costs(sociolab: Sociolab) -> None:
    done = sociolab("doctor", "anthropic/claude-x", **NAMES)
    assert done.code == 0, done.err
    assert "anthropic/claude-x works: a structured reply" in done.out
    assert "$3 per million tokens read, $15 written" in done.out


def test_without_its_key_nothing_is_called(sociolab: Sociolab, tmp_path: Path) -> None:
    (tmp_path / "models.toml").unlink()
    done = sociolab("doctor", "anthropic/claude-sonnet-5")
    assert done.code == 2
    assert "ANTHROPIC_API_KEY, which is not set" in done.sentence
    dry = sociolab(
        "run", "sotopia", "--agent", "anthropic/claude-sonnet-5", "--judge",
        "anthropic/claude-sonnet-5", "--limit", 1, "--dry-run", "--json",
    )  # fmt: skip
    assert dry.code == 0, dry.err
    assert dry.document["no_price"] == []


@pytest.mark.parametrize(
    ("world", "more"),
    [
        ("sotopia", ()), ("stss-talk", ()), ("anteval-information", ()), ("anteval-intention", ()),
        ("stss", ("--background", "scripted")),
    ],
)  # fmt: skip
def test_every_world_is_played_and_judged_under_schemas_that_the_api_takes(
    sociolab: Sociolab, endpoint: EndpointServer, tmp_path: Path, world: str, more: tuple[str, ...]
) -> None:
    judge = "none" if world == "stss" else "anthropic/claude-x"
    done = sociolab(
        "run", world, "--agent", "anthropic/claude-x", "--judge", judge, "--limit", 2,
        "--name", "r", "--store", "s.db", "--json", *more, **NAMES,
    )  # fmt: skip
    assert done.code in (0, 1), done.err
    assert (done.document["played"], done.document["failed"]) == (2, 0)
    assert endpoint.counters.by_status.keys() == {"200"}
    assert done.document["cost_usd"] > 0
    with Store.open(tmp_path / "s.db", create=False) as store:
        assert any(store.calls.prompt(call).schema for call in store.calls.all("r"))


def test_a_budget_holds_and_a_run_is_resumed_and_judged(
    sociolab: Sociolab, endpoint: EndpointServer, tmp_path: Path
) -> None:
    run = ("run", "sotopia", "--agent", "anthropic/claude-x", "--judge", "anthropic/claude-x",
           "--limit", 2, "--name", "r", "--store", "s.db", "--json")  # fmt: skip
    stopped = sociolab(*run, "--budget", "0.05", **NAMES)
    assert stopped.code == 1
    assert 0 < stopped.document["cost_usd"] <= 0.05
    whole = sociolab(*run, "--budget", "5", **NAMES)
    assert whole.code == 0, whole.err
    assert endpoint.counters.requests == whole.document["calls"]
    judged = sociolab("judge", "r", "--judge", "anthropic/claude-j", "--store", "s.db", **NAMES)
    assert judged.code == 0, judged.err
    assert not [path for path in tmp_path.rglob("*") if path.is_file()
                and path.name != "models.toml" and KEY.encode() in path.read_bytes()]  # fmt: skip
