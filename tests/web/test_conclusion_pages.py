"""Runs are compared and ranked in the browser as by the commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from sociolab import RunConfig, run
from sociolab.analysis import CompareRequest, compare_runs
from sociolab.store import Store
from web_serving import served


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("compared") / "store.db"
    for name, seed in (("first", 1), ("second", 2)):
        run(RunConfig(world="sotopia", limit=6, seed=seed, name=name, store=path))
    return path


@pytest.fixture(scope="module")
def address(store: Path) -> Iterator[str]:
    with served(store) as found:
        yield found


def test_two_runs_are_compared_as_by_the_command(address: str, store: Path) -> None:
    page = requests.get(f"{address}/compare?run=first&run=second", timeout=20)
    assert page.status_code == 200
    with Store.open(store) as opened:
        found = compare_runs(opened, CompareRequest(("first", "second")))
    assert all(cell in page.text for cell in found.overview[0].tables[0].rows[0][1:4])
    assert "sociolab compare first second --store" in page.text


def test_what_cannot_be_compared_or_ranked_is_told_in_a_sentence(address: str) -> None:
    three = requests.get(f"{address}/compare?run=first&run=second&run=first2", timeout=20)
    assert three.status_code == 404
    one = requests.get(f"{address}/rank?run=first", timeout=20)
    assert one.status_code == 200
    assert '<p class="problem said"' in one.text


def test_a_ranking_names_its_judge_in_the_command(tmp_path: Path) -> None:
    path, judge = tmp_path / "store.db", "python:biased_judges:ByWords"
    agents = ("scripted", "python:app.run.test_python_api:Parrot")
    config = RunConfig(world="sotopia", agents=agents, judges=(judge,), limit=6, name="two")
    run(config.model_copy(update={"store": path}))
    with served(path) as found:
        page = requests.get(f"{found}/rank?run=two&judge=by-words", timeout=20)
    assert page.status_code == 200, page.text
    assert "Ranking by" in page.text
    assert "sociolab rank two --judge by-words --store" in page.text


def test_a_run_is_indexed_for_search_when_it_ends(store: Path) -> None:
    with Store.open(store) as opened:
        done, of = opened.search.indexed_share()
    assert done == of == 12


def test_the_main_metric_of_a_run_is_a_cell_of_its_own(address: str) -> None:
    cell = requests.get(f"{address}/runs/first/headline", timeout=20).text
    assert "goal (checked)" in cell
    assert "n = " in cell
    assert "rule-based" in cell


def test_notes_stand_on_the_pages_of_their_run_and_comparison(tmp_path: Path) -> None:
    path, note = tmp_path / "store.db", "<b>Mind</b> the seed."
    for name, seed in (("first", 1), ("second", 2)):
        run(RunConfig(world="sotopia", limit=3, seed=seed, name=name, store=path))
    with served(path) as address, Store.open(path) as opened:
        pages = [f"{address}/runs/first", f"{address}/compare?run=second&run=first"]
        assert not any("the seed." in requests.get(page, timeout=20).text for page in pages)
        opened.notes.add("first", note)
        opened.notes.add("first", note, "second")
        for page in pages:
            assert "&lt;b&gt;Mind&lt;/b&gt; the seed." in requests.get(page, timeout=20).text
        runs = requests.get(f"{address}/runs", timeout=20).text
        assert ("2 notes" in runs, "1 note<" in runs) == (True, True)
