"""The pictures of the documents, made from what `sociolab demo` writes: docs/pictures/.

    .venv/bin/python tools/pictures.py            # plays the demo into a folder that it removes
    .venv/bin/python tools/pictures.py FOLDER     # or takes the demo.db and demo-report*.html there

Needs Debian's chromium (and Playwright, of the dev extra). Pages are pictured at 1440 px in light;
with SOCIOLAB_LOOK=FOLDER also at 390, 900 and 1440 px in light and dark, into that folder, to be
looked at.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from web_serving import served

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "docs" / "pictures"
SOCIOLAB = Path(sys.executable).with_name("sociolab")
FILM = (600, 338)
FRAMES, MS, GONE = 130, 120, 240
"""Of the film of the town: how many, for how many milliseconds each is seen, and how many have gone
by on the page: so the film runs at twice the pace of the page."""
CLOCK = """
const asked = [];
let now = 0;
window.requestAnimationFrame = (draw) => asked.push(draw);
window.step = (ms) => { now += ms; for (const draw of asked.splice(0)) draw(now); };
"""
"""Time that goes only when told to, so that the film is the same every time."""


def demo(folder: Path) -> None:
    """Play the demo and two agents to be compared."""
    calls = (
        ("demo", "--html", "demo-report.html"),
        ("run", "sotopia", "--limit", "60", "--seed", "1", "--name", "plain"),
        ("run", "sotopia", "--limit", "60", "--seed", "2", "--name", "again"),
    )
    for call in calls:
        subprocess.run([SOCIOLAB, *call, "--store", "demo.db"], cwd=folder, check=True)


def film(browser: Browser, page_file: Path) -> None:
    """The town in motion, from the first conversation about the task."""
    page = browser.new_page(viewport={"width": FILM[0], "height": FILM[1]})
    page.add_init_script(CLOCK)
    page.goto(f"{page_file.as_uri()}?embed")
    page.wait_for_function("document.querySelector('#town .stage:not([hidden])')")
    page.add_style_tag(content=".embed .buttons { display: none !important }")
    frames = []
    for _ in range(FRAMES):
        page.evaluate(f"step({GONE})")
        frames.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
    first, *rest = frames
    film_of = {"append_images": rest, "duration": MS, "loop": 0}
    first.save(OUT / "town.webp", save_all=True, quality=28, method=6, **film_of)
    page.close()


def look(browser: Browser, name: str, address: str, signed: str = "", tall: int = 900) -> None:
    """A picture of a page for the documents, and all looks of it where they are wanted."""
    views: list[tuple[int, str, Path]] = [(1440, "light", OUT / f"{name}.png")]
    if folder := os.environ.get("SOCIOLAB_LOOK"):
        views += [
            (width, scheme, Path(folder) / f"{name}-{width}-{scheme}.png")
            for width in (390, 900, 1440)
            for scheme in ("light", "dark")
        ]
    for width, scheme, path in views:
        page = browser.new_page(viewport={"width": width, "height": tall}, color_scheme=scheme)
        if signed:
            page.goto(signed)
        page.goto(address)
        page.wait_for_timeout(6000 if "town" in name else 1500)
        save(page, path)
        page.close()


def save(page: Page, path: Path) -> None:
    """Few colours, so that the file is small."""
    whole = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    whole.quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)


def episodes(store: Path) -> Iterator[tuple[str, str]]:
    """Name and path of the pages of episodes that are pictured."""
    from sociolab.store.store import Store

    with Store.open(store) as opened:
        bargain = next(
            row.trial for row in opened.trials("demo-sotopia") if "bicycle" in row.trial.task.id
        )
    yield "transcript", f"/runs/demo-sotopia/episodes/{bargain.id}"


def main() -> None:
    """Make all pictures."""
    OUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        folder = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else Path(made)
        if len(sys.argv) < 2:
            demo(folder)
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
        )
        film(browser, folder / "demo-report-town.html")
        look(browser, "demo", (folder / "demo-report.html").as_uri(), tall=1100)
        look(browser, "town-page", (folder / "demo-report-town.html").as_uri())
        store = folder / "demo.db"
        with served(store) as address:
            look(browser, "runs", f"{address}/runs", tall=620)
            look(browser, "run", f"{address}/runs/demo-sotopia")
            look(browser, "compare", f"{address}/compare?run=plain&run=again", tall=760)
            for name, path in episodes(store):
                look(browser, name, address + path)
        browser.close()


if __name__ == "__main__":
    main()
