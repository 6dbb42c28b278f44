"""The replay as one file: it plays from a disk, by itself, and asks for nothing."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from looks import overflow
from sociolab.store import Store
from sociolab.web import town_page, write_town_page
from sociolab.worlds import stss
from web_towns import HOSTILE, WHOLE, first_trial, town_store


def written(folder: Path, run: str = WHOLE, url: str = "") -> Path:
    store = town_store(folder)
    with Store.open(store) as opened:
        made = town_page(stss.replay(opened, run, first_trial(store)), url=url)
    return write_town_page(folder / "town.html", made, beside=bool(url))[0]


def test_it_opens_at_the_first_scene_and_plays_from_a_disk(tab: Page, tmp_path: Path) -> None:
    file, asked = written(tmp_path), list[str]()
    tab.on("request", lambda one: asked.append(one.url))
    tab.goto(file.as_uri())
    expect(tab.locator("#town")).to_have_attribute("aria-busy", "false")
    expect(tab.locator("[data-do=play]")).to_have_text("Pause")
    assert not tab.locator("[data-clock]").inner_text().endswith("05:00")
    assert [one for one in asked if not one.startswith(("data:", file.as_uri()))] == []
    for width in (390, 900, 1440):
        tab.set_viewport_size({"width": width, "height": 900})
        assert overflow(tab) == 0, width
    before = tab.locator("[data-clock]").inner_text()
    tab.keyboard.press("n")
    expect(tab.locator("[data-clock]")).not_to_have_text(before)


def test_hostile_texts_stay_texts_in_the_file(tab: Page, tmp_path: Path) -> None:
    tab.goto(written(tmp_path, HOSTILE).as_uri())
    expect(tab.locator("#town")).to_have_attribute("aria-busy", "false")
    assert tab.title() != "1"


def test_previews_of_links_find_a_title_and_a_picture(tmp_path: Path) -> None:
    inside = written(tmp_path).read_text("utf-8")
    assert 'property="og:title"' in inside
    assert 'property="og:image" content="data:image/png;base64,' in inside
    assert not (tmp_path / "town.png").exists()
    outside = written(tmp_path, url="https://example.org/town.html").read_text("utf-8")
    assert 'property="og:image" content="https://example.org/town.png"' in outside
    assert (tmp_path / "town.png").read_bytes().startswith(b"\x89PNG")
