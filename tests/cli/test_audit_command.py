"""`sociolab audit`, on the local endpoint: paid once, resumed, told in sentences."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.conftest import Sociolab
from sociolab.app.config import RunConfig
from sociolab.app.play import run
from sociolab.models.endpoint.running import EndpointProcess, start_in_process
from sociolab.models.endpoint.settings import EndpointSettings
from sociolab.store.sqlite import Store


@pytest.fixture(scope="module")
def endpoint() -> Iterator[EndpointProcess]:
    with start_in_process(EndpointSettings(characters=60)) as process:
        yield process


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("audit") / "s.db"
    run(RunConfig(tasks="bargain", limit=3, name="r", store=path))
    return path


@pytest.fixture
def played(sociolab: Sociolab, stored: Path, tmp_path: Path) -> Sociolab:
    shutil.copy(stored, tmp_path / "s.db")
    return sociolab


def test_an_audit_by_a_model_prints_every_kind_and_is_paid_once(
    played: Sociolab, endpoint: EndpointProcess, tmp_path: Path
) -> None:
    command = (
        "audit", "r", "--judge", "openai/j", "--repeats", 1, "--base-url", endpoint.url,
        "--panel", "heuristic,rules:goal", "--store", "s.db",
    )  # fmt: skip
    first = played(*command)
    assert first.code == 0, first.err
    kinds = ("Repeat:", "Order:", "Names:", "Padding:", "Family:", "A panel of")
    for heading in ("Audit of openai/j", *kinds):
        assert heading in first.out
    asked = endpoint.counters.requests
    again = played(*command, "--json")
    assert again.code == 0, again.err
    assert endpoint.counters.requests == asked, "a reply was paid for twice"
    with Store.open(tmp_path / "s.db", create=False) as store:
        (name,) = [row.name for row in store.runs() if row.name.startswith("audit-")]
        # As it is, once more, reversed, swapped, and each of two seats padded.
        assert store.totals(name).calls == 3 * 6
        assert not list(store.verdicts(name))
        assert store.totals("r").calls == 0
    document = again.document
    assert list(document["audits"]) == ["repeat", "order", "names", "padding"]
    overall = [e for e in document["audits"]["order"] if e["measure"] == "overall"]
    assert {e["what"] for e in overall} == {"listed first", "change", "absolute change"}
    assert all((e["n"], e["clusters"], e["missing"]) == (6, 3, 0) for e in overall)
    assert "no model judged r" in document["family"]["why_not"]
    assert document["panel"]["judges"] == ["heuristic", "rules:goal"]
    assert document["sections"][0]["title"] == "Audit of openai/j · run r"


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (("audit", "r"), "--judge: expected the judge to audit"),
        (("audit", "r", "--judge", "heuristic", "--kind", "shout"), "--kind shout: sotopia has no"),
        (("audit", "r", "--kind", "family", "--family", "gpt"), "--family: expected NAME=PATTERN"),
    ],
)
def test_what_is_wrong_is_named_in_a_sentence(
    played: Sociolab, args: tuple[str, ...], problem: str
) -> None:
    done = played(*args, "--store", "s.db")
    assert done.code == 2
    assert problem in done.sentence
