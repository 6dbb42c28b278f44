"""Watching in a browser: every page for everybody, charts that are drawn, plays that go on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from declared_worlds import declared
from looks import held, overflow
from sociolab import RunConfig, run
from sociolab.app import write_page
from sociolab.core import Action, Ended, Moved
from sociolab.endpoint import EndpointSettings, start_in_thread
from sociolab.report import details_of
from sociolab.store import Store, lock_run
from watched_stores import RUN, trial, watched_store
from web_serving import served

PLAIN, HOSTILE, TROUBLED, FAILED, PLANNED = (f"{number:016x}" for number in range(5))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("watch") / "store.db"
    watched_store(path)
    for world, limit in (("sotopia", 4), ("anteval-information", 1), ("stss-talk", 1), ("stss", 1)):
        agents = ("scripted",)
        run(RunConfig(world=world, limit=limit, store=path, name=world, agents=agents))
    return path


@pytest.fixture(scope="module")
def address(store: Path) -> Iterator[str]:
    with served(store) as found:
        yield found


def first(store: Path, name: str) -> str:
    with Store.open(store) as opened:
        return f"/runs/{name}/episodes/{opened.trials(name)[0].trial.id}"


def drawn(tab: Page) -> None:
    tab.wait_for_selector("html[data-charts=drawn]")


def test_the_pages_of_runs_are_usable_by_everybody(tab: Page, address: str, store: Path) -> None:
    tab.goto(f"{address}/runs")
    held(tab, "runs")
    tab.get_by_role("link", name="sotopia", exact=True).click()
    drawn(tab)
    held(tab, "run")
    tab.goto(f"{address}/runs/{RUN}/episodes?failed=1")
    held(tab, "episodes")
    tab.goto(f"{address}/search?q=kite")
    held(tab, "search")


def test_a_run_fits_two_screens_and_the_rest_stands_behind_tabs(tab: Page, address: str) -> None:
    tab.set_viewport_size({"width": 1440, "height": 900})
    tab.goto(f"{address}/runs/sotopia")
    drawn(tab)
    assert tab.evaluate("document.documentElement.scrollHeight") <= 2 * 900
    verdict = tab.locator(".verdict")
    expect(verdict).to_contain_text("Smoke test (rule-based agents only), not a result: ")
    parts = tab.get_by_role("navigation", name="Parts of this page")
    scores, reproduce = parts.get_by_role("link", name="Scores"), parts.get_by_text("Reproduce")
    expect(scores).to_have_attribute("aria-current", "true")
    reproduce.focus()
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("heading", name="Reproduce this run")).to_be_in_viewport()
    expect(tab.get_by_role("heading", name="Scores", exact=True)).to_be_hidden()
    expect(reproduce).to_have_attribute("aria-current", "true")
    expect(scores).not_to_have_attribute("aria-current", "true")
    tab.go_back()
    expect(tab.get_by_role("heading", name="Scores", exact=True)).to_be_visible()


def test_every_part_of_a_run_of_two_models_fits_two_screens(tab: Page, tmp_path: Path) -> None:
    path, agents = tmp_path / "store.db", ("openai/one", "openai/two")
    with start_in_thread(EndpointSettings()) as endpoint:
        config = RunConfig(world="sotopia", agents=agents, judges=("openai/judge", "heuristic"))
        more = {"limit": 12, "name": "two", "store": path, "base_url": endpoint.url}
        run(config.model_copy(update=more))
    tab.set_viewport_size({"width": 1440, "height": 900})
    with served(path) as found:
        tab.goto(f"{found}/runs/two")
        drawn(tab)
        for part in (
            tab.get_by_role("navigation", name="Parts of this page").get_by_role("link").all()
        ):
            part.click()
            height = tab.evaluate("document.documentElement.scrollHeight")
            assert height <= 2 * 900, part.inner_text()
        tab.goto(f"{found}/runs/two#types")
        held(tab, "run-types")
        tab.goto(f"{found}/runs/two#pairs")
        held(tab, "run-pairs")


def test_runs_to_compare_or_rank_are_chosen_on_the_page_itself(
    tab: Page, address: str, store: Path
) -> None:
    run(RunConfig(world="sotopia", limit=4, seed=2, store=store, name="again", agents="scripted"))
    tab.goto(f"{address}/compare")
    held(tab, "compare-choose")
    tab.get_by_label("Run A").select_option("sotopia")
    tab.get_by_label("Run B").select_option("again")
    tab.get_by_role("button", name="Compare").click()
    expect(tab.get_by_role("heading", level=1)).to_have_text("Compare: sotopia, again")
    drawn(tab)
    held(tab, "compare")
    tab.goto(f"{address}/rank")
    held(tab, "rank-choose")
    tab.get_by_role("checkbox", name="again").check()
    tab.get_by_role("button", name="Rank").click()
    expect(tab.get_by_role("heading", level=1)).to_have_text("Rank: again")
    expect(tab.get_by_role("note")).to_contain_text("nothing can be ranked")
    expect(tab.get_by_role("checkbox", name="again")).to_be_checked()  # and others beside it
    held(tab, "rank")


def test_the_tabs_of_a_run_need_no_script(chromium: Browser, address: str) -> None:
    with chromium.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{address}/runs/sotopia#cost")
        expect(page.get_by_role("heading", name="Usage and cost")).to_be_visible()
        expect(page.get_by_role("heading", name="Scores", exact=True)).to_be_hidden()


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("episode", f"/runs/{RUN}/episodes/{TROUBLED}"),
        ("episode-facts", "anteval-information"),
        ("episode-conditions", "stss-talk"),
        ("episode-town", "stss"),
        ("calls", f"/runs/{RUN}/episodes/{PLAIN}/calls"),
    ],
)
def test_the_pages_of_an_episode_are_usable_by_everybody(
    tab: Page, address: str, store: Path, name: str, path: str
) -> None:
    tab.goto(address + (path if path.startswith("/") else first(store, path)))
    held(tab, name)


def test_what_one_seat_saw_is_usable_by_everybody(tab: Page, address: str, store: Path) -> None:
    tab.goto(address + first(store, "sotopia"))
    tab.get_by_role("navigation", name="Perspective").get_by_role("link").nth(1).click()
    expect(tab.get_by_role("complementary")).to_have_count(0)
    held(tab, "episode-seat")


def test_charts_are_drawn_in_the_colours_of_the_page(tab: Page, address: str) -> None:
    tab.goto(f"{address}/runs/sotopia")
    drawn(tab)
    charts = tab.locator(".chart svg")
    assert charts.count() == tab.locator("[data-chart]").count() > 2
    light = charts.first.screenshot()
    tab.get_by_role("button", name="Light or dark").click()
    tab.wait_for_timeout(0)
    expect(tab.locator("html")).to_have_attribute("data-theme", "dark")
    tab.wait_for_function("document.documentElement.dataset.charts === 'drawn'")
    assert charts.first.screenshot() != light
    assert overflow(tab) == 0


def test_the_charts_of_a_report_are_drawn_from_the_file_alone(
    tab: Page, store: Path, tmp_path: Path
) -> None:
    file = tmp_path / "report.html"
    with Store.open(store) as opened:
        write_page(opened, [details_of(opened, "sotopia")], file)
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(file.as_uri())
    drawn(tab)
    assert tab.locator(".chart svg").count() == tab.locator("[data-chart]").count() > 2
    assert asked == [file.as_uri()]
    tab.emulate_media(color_scheme="dark")
    mark = tab.locator(".chart svg .mark-symbol path").first
    assert mark.evaluate("one => getComputedStyle(one).fill") == "rgb(86, 180, 233)"
    tab.emulate_media(color_scheme="light")
    assert mark.evaluate("one => getComputedStyle(one).fill") == "rgb(0, 114, 178)"


def test_private_parts_are_closed_until_they_are_asked_for(tab: Page, address: str) -> None:
    tab.goto(f"{address}/runs/{RUN}/episodes/{PLAIN}")
    secret = tab.get_by_text("secretmark0")
    expect(secret).not_to_be_visible()
    tab.get_by_role("button", name="Profiles and secrets").press("Enter")
    expect(secret).to_be_visible()
    tab.get_by_role("button", name="Hide profiles and secrets").press("Enter")
    expect(secret).not_to_be_visible()


def test_a_hostile_transcript_is_only_read(tab: Page, address: str) -> None:
    for path in (
        f"/{HOSTILE}",
        f"/{HOSTILE}?q=script#found",
        f"/{HOSTILE}/calls",
        "",
        f"/{FAILED}",
    ):
        tab.goto(f"{address}/runs/{RUN}/episodes{path}")
        assert "sociolab" in tab.title()
        assert tab.title() != "taken"
        assert tab.locator("main img, main script:not([type='application/json'])").count() == 0
        assert overflow(tab) == 0, path
    tab.goto(f"{address}/runs/{RUN}")
    drawn(tab)
    assert tab.title() != "taken"
    assert tab.locator("main img").count() == 0


def test_a_play_that_goes_on_shows_what_comes(tab: Page, address: str, store: Path) -> None:
    seats = trial(4).task.seats
    with lock_run(store, RUN), Store.open(store) as opened:
        opened.set_status(RUN, PLANNED, "playing")
        tab.goto(f"{address}/runs/{RUN}/episodes/{PLANNED}")
        expect(tab.get_by_text("This page updates by itself.")).to_be_visible()
        opened.append(RUN, PLANNED, Moved(0, seats[0], (Action("speak", "Here I come."),)))
        expect(tab.get_by_text("Here I come.")).to_be_visible()
        opened.append(RUN, PLANNED, Ended("left", 0, seats[0]))
        opened.set_status(RUN, PLANNED, "played")
        expect(tab.get_by_text("Ended: left")).to_be_visible()
        expect(tab.get_by_text("This page updates by itself.")).to_have_count(0)


def test_progress_goes_on_while_a_run_is_played(tab: Page, address: str, store: Path) -> None:
    with Store.open(store) as opened:
        opened.create_run(
            "going", "sotopia", {}, [trial(7), trial(8)], declared("sotopia", [trial(7), trial(8)])
        )
        with lock_run(store, "going"):
            tab.goto(f"{address}/runs")
            row = tab.get_by_role("row").filter(has_text="going")
            expect(row.get_by_text("0 of 2 played")).to_be_visible()
            begun = row.get_by_role("time").inner_text()
            opened.set_status("going", trial(7).id, "failed", "timeout", "too late")
            expect(row.get_by_text("1 failed")).to_be_visible()
            expect(row.get_by_text("being played")).to_be_visible()
            expect(row.get_by_role("time")).to_have_text(begun)
        expect(row.get_by_text("unfinished")).to_be_visible()
