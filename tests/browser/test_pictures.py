"""Every picture of the documents is what the shipped demo shows today; see tests/pictures.py."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from statistics import mean

import pytest
from PIL import Image
from playwright.sync_api import Browser, ConsoleMessage, Page

from looks import PICTURES, overflow, picture
from pictures import (
    FILM,
    FOLDER,
    PAGES,
    WIDE,
    bargain,
    few_colours,
    film,
    learning_curves,
    likeness,
    move_on,
    open_page,
    play_demo,
    save_film,
    taken,
    trainings,
)
from sociolab.report.figures import write_figure
from web_serving import served

ROOT = FOLDER.parent.parent
WRITE = os.environ.get("SOCIOLAB_PICTURES") == "write"
ALIKE = 0.6
"""Between a picture and a fresh one, of `likeness`: another date makes 0.02, a chart that is gone
1.2, the few colours of the film as much."""


def test_the_documents_show_no_other_pictures() -> None:
    shown = {
        Path(link).name
        for file in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
        for link in re.findall(r"!\[[^\]]*\]\((?!https?:)([^)]+)\)", file.read_text("utf-8"))
    }
    assert shown == {*(f"{one.name}.png" for one in PAGES), "bargainer.png", "town.webp"}
    assert shown == {file.name for file in FOLDER.iterdir()}


def test_the_curves_are_those_of_the_kept_runs_which_learn_unless_rewards_are_shuffled(
    tmp_path: Path,
) -> None:
    fresh = tmp_path / "bargainer.png"
    write_figure(fresh, learning_curves())
    if WRITE:
        shutil.copy(fresh, FOLDER)
    kept = Image.open(FOLDER / "bargainer.png")
    assert likeness(kept, Image.open(fresh)) < ALIKE
    gains: dict[str, list[float]] = {"true": [], "shuffled": []}
    for seed, rewards in sorted({(row["seed"], row["rewards"]) for row in trainings()}):
        of_run = [row for row in trainings() if (row["seed"], row["rewards"]) == (seed, rewards)]
        gains[rewards].append(float(of_run[-1]["heldout"]) - float(of_run[0]["heldout"]))
    assert [len(of_kind) for of_kind in gains.values()] == [5, 5]
    assert min(gains["true"]) > 1
    assert max(gains["shuffled"]) < min(gains["true"])
    assert abs(mean(gains["shuffled"])) < 0.5


def faults_of(page: Page) -> list[str]:
    """What goes wrong in a page from now on: errors of its scripts and on its console."""
    found: list[str] = []

    def said(message: ConsoleMessage) -> None:
        if message.type == "error":
            found.append(message.text)

    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("console", said)
    return found


@pytest.fixture
def folder(chromium: Browser, tmp_path: Path) -> Path:
    """What the demo wrote; nothing is played where no browser is."""
    play_demo(tmp_path)
    return tmp_path


def test_the_demo_looks_as_in_the_pictures_and_fits_every_window(
    chromium: Browser, folder: Path
) -> None:
    episode = bargain(folder / "demo.db")
    with served(folder / "demo.db") as app:
        for one in PAGES:
            page = chromium.new_page(viewport={"width": WIDE, "height": one.tall})
            faults = faults_of(page)
            open_page(page, one, folder, app, episode)
            fresh = few_colours(taken(page))
            if WRITE:
                fresh.save(FOLDER / f"{one.name}.png", optimize=True)
            kept = Image.open(FOLDER / f"{one.name}.png").convert("RGB")
            assert kept.size == fresh.size, one.name
            assert likeness(kept, fresh) < ALIKE, f"{one.name}.png is no longer what the page shows"
            for width in (390, 900, 1440):
                for scheme in ("light", "dark"):
                    page.emulate_media(color_scheme=scheme)
                    page.set_viewport_size({"width": width, "height": 900})
                    assert overflow(page) == 0, (one.name, width, scheme)
                    if os.environ.get(PICTURES):
                        page.wait_for_timeout(200)
                        move_on(page, 1)
                        picture(page, f"{one.name}-{width}-{scheme}")
            assert faults == [], one.name
            page.close()
    if WRITE:
        save_film(film(chromium, folder))
    kept = Image.open(FOLDER / "town.webp")
    assert kept.size == FILM
    assert (FOLDER / "town.webp").stat().st_size < 450_000
    assert likeness(kept.convert("RGB"), film(chromium, folder, 1)[0]) < 5 * ALIKE
