"""The pictures of the documents, made from what `sociolab demo` writes.

`SOCIOLAB_PICTURES=write pytest tests/browser/test_pictures.py` puts them into docs/pictures.
"""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image, ImageChops
from playwright.sync_api import Browser, Page

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
SOCIOLAB = Path(sys.executable).with_name("sociolab")
WIDE = 1100
FILM = (800, 400)
FRAMES, MS, GONE = 130, 120, 240
"""Of the film of the town: how many, for how many milliseconds each is seen, and how many have gone
by on the page: so the film runs at twice the pace of the page."""
CLOCK = """
const asked = [];
let now = 0;
window.requestAnimationFrame = (draw) => asked.push(draw);
window.step = (ms) => { now += ms; for (const draw of asked.splice(0)) draw(now); };
"""
"""Time that goes only when told to, so that the town is the same in every picture of it."""


@dataclass(frozen=True, slots=True)
class Pictured:
    """A page of which the documents show a picture: `path` is a file of the demo, or an address of
    its app; `tall` are the pixels of the picture."""

    name: str
    path: str
    tall: int = 900
    town: bool = False


PAGES = (
    Pictured("demo", "demo-report.html", 1100, town=True),
    Pictured("town-page", "demo-report-town.html", 880, town=True),
    Pictured("runs", "/runs", 800),
    Pictured("run", "/runs/demo-sotopia", 820),
    Pictured("compare", "/compare?run=reminded&run=plain", 580),
    Pictured("transcript", "/runs/demo-sotopia/episodes/{bargain}"),
)


def play_demo(folder: Path) -> Path:
    """Play the demo, and two agents to be compared; the store."""
    calls = (
        ("demo", "--html", "demo-report.html"),
        ("run", "stss-talk", "--limit", "60", "--name", "plain"),
        ("run", "stss-talk", "--limit", "60", "--name", "reminded", "--tdp"),
    )
    for call in calls:
        done = subprocess.run(
            [SOCIOLAB, *call, "--store", "demo.db"], cwd=folder, check=False, capture_output=True
        )
        assert done.returncode == 0, done.stderr.decode()
    return folder / "demo.db"


def bargain(store: Path) -> str:
    """The id of the episode whose transcript is shown."""
    from sociolab.store import Store

    with Store.open(store) as opened:
        rows = opened.trials("demo-sotopia")
        return next(row.trial.id for row in rows if "bicycle" in row.trial.task.id)


def open_page(page: Page, one: Pictured, folder: Path, app: str, episode: str) -> None:
    """Open a page, and wait until it stands still."""
    if one.town:
        page.add_init_script(CLOCK)
    path = one.path.format(bargain=episode)
    page.goto(app + path if path.startswith("/") else (folder / path).as_uri())
    page.wait_for_load_state("networkidle")
    if not one.town:
        page.wait_for_function("!document.querySelector('[data-chart] > script')")
        return
    move_on(page, 20)


def move_on(page: Page, frames: int) -> None:
    """Have the town go on, in the page or in a frame of it."""
    for frame in page.frames:
        if frame.locator("#town .stage").count():
            frame.wait_for_selector("#town .stage:not([hidden])")
            for _ in range(frames):
                frame.evaluate(f"step({GONE})")


def film(browser: Browser, folder: Path, frames: int = FRAMES) -> list[Image.Image]:
    """The town in motion, from the first conversation about the task."""
    page = browser.new_page(viewport={"width": FILM[0], "height": FILM[1]})
    page.add_init_script(CLOCK)
    page.goto(f"{(folder / 'demo-report-town.html').as_uri()}?embed")
    page.wait_for_selector("#town .stage:not([hidden])")
    page.add_style_tag(content=".embed .buttons { display: none !important }")
    found = []
    for _ in range(frames):
        page.evaluate(f"step({GONE})")
        found.append(taken(page))
    page.close()
    return found


def taken(page: Page) -> Image.Image:
    """A picture of what a page shows."""
    return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def few_colours(picture: Image.Image) -> Image.Image:
    """A picture of a page as the documents keep it: so its file is small."""
    return picture.quantize(128, dither=Image.Dither.NONE)


def save_film(frames: list[Image.Image]) -> None:
    """In few colours and without loss. While the map moves on, every other frame: it goes by
    faster, and takes half as much."""
    kept = list(thinned(frames))
    some = kept[::5]
    sheet = Image.new("RGB", (FILM[0], FILM[1] * len(some)))
    for place, frame in enumerate(some):
        sheet.paste(frame, (0, FILM[1] * place))
    colours = sheet.quantize(112, method=Image.Quantize.FASTOCTREE)
    first, *rest = (
        frame.quantize(palette=colours, dither=Image.Dither.NONE).convert("RGB") for frame in kept
    )
    first.save(
        FOLDER / "town.webp",
        save_all=True,
        append_images=rest,
        duration=MS,
        loop=0,
        lossless=True,
        method=4,
        minimize_size=True,
    )


def thinned(frames: list[Image.Image]) -> Iterator[Image.Image]:
    """The frames without every other of those in which a fifth of all changes."""
    last, left_out = None, False
    for frame in frames:
        moved = last is not None and share_changed(last, frame) > 0.2
        left_out = moved and not left_out
        if not left_out:
            last = frame
            yield frame


def share_changed(one: Image.Image, other: Image.Image) -> float:
    """The share of pixels that differ clearly."""
    change = ImageChops.difference(one, other).convert("L").histogram()
    return sum(change[12:]) / (one.width * one.height)


def likeness(one: Image.Image, other: Image.Image) -> float:
    """How far two pictures differ from afar: the mean of 0 to 255 over small squares."""
    small = (one.convert("L").resize((48, 32)), other.convert("L").resize((48, 32)))
    change = ImageChops.difference(*small).histogram()
    return sum(shade * count for shade, count in enumerate(change)) / sum(change)


# ------------------------------------------------------------------ the curves of a training

CURVES = FOLDER.parent.parent / "examples" / "train_a_bargainer.csv"
"""What `examples/train_a_bargainer.py --seeds 5 --control --out FILE` wrote."""


def trainings() -> list[dict[str, str]]:
    """Its rows: seed, rewards ("true" or "shuffled"), step, and the held-out reward."""
    with CURVES.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def learning_curves() -> dict[str, Any]:
    """A figure with a line for each run."""
    colours = {"domain": ["true", "shuffled"], "range": ["#0072b2", "#d55e00"]}
    axis = {"type": "quantitative", "axis": {"grid": False}}
    return {
        "data": {"values": trainings()},
        "width": 300,
        "height": 150,
        "mark": {"type": "line", "point": {"size": 12}, "strokeWidth": 1.2},
        "encoding": {
            "x": {"field": "step", "title": "training steps", **axis},
            "y": {"field": "heldout", "title": "held-out reward (0 to 10)", **axis},
            "detail": {"field": "seed", "type": "nominal"},
            "color": {
                "field": "rewards",
                "type": "nominal",
                "scale": colours,
                "legend": {"title": "rewards", "orient": "top"},
            },
        },
        "config": {"background": "white", "view": {"stroke": None}},
    }
