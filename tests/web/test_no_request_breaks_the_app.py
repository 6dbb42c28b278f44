"""Whatever is sent to whichever address of the app, the answer is no fault of the server (5xx).

The addresses and what they take are read off the app's own OpenAPI document.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings, strategies as st
from schemathesis.schemas import APIOperation

from sociolab.web import Rate
from web_serving import served
from web_stores import Names, filled_store

SAMPLES = 10
"""Requests to each address and method."""


@dataclass(frozen=True)
class Target:
    """A served app with something of everything in its store, and a browser that knows it."""

    address: str
    names: Names
    operations: tuple[APIOperation[Any, Any, Any, Any], ...]
    browser: requests.Session


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    store = tmp_path_factory.mktemp("web") / "store.db"
    names = filled_store(store)
    often = Rate(10**9, 10**9)
    with pytest.MonkeyPatch.context() as patch:
        for limit in ("security.PAGES", "security.ADDRESS", "server.SECRETS"):
            patch.setattr(f"sociolab.web.{limit}", often)
        yield from _opened(store, names)


def _opened(store: Path, names: Names) -> Iterator[Target]:
    with served(store) as address:
        browser = requests.Session()
        page = browser.get(f"{address}/login").text
        browser.headers["X-CSRF-Token"] = page.split('name="csrf" content="')[1].split('"')[0]
        for cookie, path, value in names.cookies:
            browser.cookies.set(cookie, value, domain="127.0.0.1", path=path)
        document = browser.get(f"{address}/api/openapi.json").json()
        schema = schemathesis.openapi.from_dict(document)
        operations = tuple(sorted(_operations(schema), key=_ends_something))
        yield Target(address, names, operations, browser)


def _operations(schema: Any) -> Iterator[APIOperation[Any, Any, Any, Any]]:
    for found in schema.get_all_operations():
        operation: APIOperation[Any, Any, Any, Any] = found.ok()
        yield operation


def test_the_document_names_every_room(target: Target) -> None:
    paths = " ".join(operation.path for operation in target.operations)
    for room in ("/runs", "/search", "/studies", "/take", "/join", "/town", "/login", "/api"):
        assert room in paths


def test_no_request_meets_a_fault_of_the_server(target: Target) -> None:
    faults: dict[str, str] = {}
    for number, operation in enumerate(target.operations):
        _attack(target, operation, number, faults)
    assert not faults, "\n".join(f"{place}: {found}" for place, found in faults.items())


def _attack(
    target: Target, operation: APIOperation[Any, Any, Any, Any], number: int, faults: dict[str, str]
) -> None:
    @seed(number)
    @settings(
        max_examples=SAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(), data=st.data())
    def once(case: Any, data: st.DataObject) -> None:
        _name(case, operation.path, target.names, data)
        answer = case.call(
            base_url=target.address, session=target.browser, timeout=20, allow_redirects=False
        )
        if answer.status_code >= 500:
            asked = f"{case.path_parameters} {case.query} {case.body!r}"
            faults.setdefault(operation.label, f"{answer.status_code} for {asked[:400]}")

    once()


def _name(case: Any, path: str, names: Names, data: st.DataObject) -> None:
    """Put names of what there is into most paths: what is not there is soon refused."""
    wanted = case.path_parameters or {}
    for name in wanted:
        real = names.of(name)
        often = data.draw(st.integers(0, 4)) > 0
        if real and often:
            wanted[name] = data.draw(st.sampled_from(real))
    known = data.draw(st.integers(0, 4)) > 0
    if known and {"run", "trial"} <= set(wanted):
        towns = [one for one in names.episodes if one[0] == "stss"]
        some = towns if "town" in path else names.episodes
        wanted["run"], wanted["trial"] = data.draw(st.sampled_from(some))
    if known and "study" in wanted:
        fitting = [pair for pair in names.pairs if pair[0].removesuffix("s")[:4] in path]
        study, participant = data.draw(st.sampled_from(fitting or names.pairs))
        wanted["study"] = study
        if "participant" in wanted:
            wanted["participant"] = participant


def _ends_something(operation: APIOperation[Any, Any, Any, Any]) -> bool:
    """Whether requests to it end somebody's part or a study: these come last."""
    ends = ("/leave", "/end", "/survey", "/delete", "/state", "/logout")
    return operation.method == "post" and operation.path.endswith(ends)


def test_what_is_too_large_is_refused(target: Target) -> None:
    answer = target.browser.post(f"{target.address}/login", data={"token": "x" * 300_000})
    assert answer.status_code == 413


def test_a_store_that_is_watched_is_not_changed(target: Target, tmp_path: Path) -> None:
    before = target.browser.get(f"{target.address}/api/runs").json()
    target.browser.get(f"{target.address}/runs")
    assert target.browser.get(f"{target.address}/api/runs").json() == before
