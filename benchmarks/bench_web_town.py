"""The replay of a town in a browser: how soon it is there, and what a frame costs in script.

    .venv/bin/python benchmarks/bench_web_town.py

Lives two days of 13 residents with the scripted mind, serves them on 127.0.0.1 and opens the page
in headless Chromium. Loading runs from navigation to the frame after the first that was drawn; a
frame's script is timed around the page's own frame function. Prints figures beside their targets;
the exit code is 1 if one is missed.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from statistics import median, quantiles

from bench_sotopia import Report
from playwright.sync_api import Browser, Page, sync_playwright

from sociolab.app.run.config import RunConfig
from sociolab.app.run.play import run
from sociolab.store.store import Store

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from web_serving import served

FRAMES = 300
RESIDENTS = 13
WATCH = """
const ask = requestAnimationFrame.bind(window);
window.frames_ms = [];
window.requestAnimationFrame = (draw) => ask((now) => {
  const began = performance.now();
  draw(now);
  frames_ms.push(performance.now() - began);
  if (!window.first_ms && document.querySelector("#town[aria-busy=false]")) {
    ask(() => { window.first_ms ??= performance.now(); });
  }
});
"""


def lived(store: Path) -> str:
    """Two days lived by rules; the path of the replay of the first episode with 13 residents."""
    run(RunConfig(world="stss", agents=("scripted",), limit=2, seed=1, name="town", store=store))
    with Store.open(store) as found:
        trials = [row.trial for row in found.trials("town")]
    # Two seats are the performer's: its own, and that of its low-level questions.
    trial = next(one for one in trials if len(one.task.seats) == RESIDENTS + 1)
    return f"/runs/town/episodes/{trial.id}/town"


def wait(page: Page, condition: str) -> None:
    """Until something holds on the page, whose policy lets no text be evaluated in it."""
    page.evaluate(
        "() => new Promise((done) => { const look = () => "
        f"({condition}) ? done() : setTimeout(look, 20); look(); }})"
    )


def opened(browser: Browser, address: str) -> tuple[Page, float]:
    """The page in a fresh window, and the milliseconds until it was drawn."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.add_init_script(WATCH)
    page.goto(address)
    wait(page, "window.first_ms")
    return page, float(page.evaluate("first_ms"))


def frames(page: Page, speed: int) -> list[float]:
    """The milliseconds of script of so many frames at a speed."""
    page.select_option("[data-speed]", str(speed))
    page.get_by_role("button", name="Play").click()
    page.evaluate("frames_ms.length = 0")
    wait(page, f"frames_ms.length >= {FRAMES}")
    found: list[float] = page.evaluate(f"frames_ms.slice(0, {FRAMES})")
    page.get_by_role("button", name="Pause").click()
    return found


def main() -> int:
    """Measure all of it."""
    report = Report()
    path = shutil.which("chromium")
    if path is None:
        print("chromium is not installed: apt-get install chromium fonts-dejavu-core")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "town.db"
        place = lived(store)
        with served(store) as address, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=path, args=["--no-sandbox", "--disable-gpu"]
            )
            loads = [opened(browser, address + place)[1] / 1000 for _ in range(5)]
            report.most(f"{RESIDENTS} residents, two days: first load", loads[0], 2.0, "s")
            report.most("median of 5 loads", median(loads), 2.0, "s")
            for who, hash in (("the whole town", ""), ("following one", "&who=tomas-lindqvist")):
                for speed in (0, 60, 600):
                    page, _ = opened(browser, f"{address}{place}#t=2024-05-14T08:00:00{hash}")
                    script = frames(page, speed)
                    p95, p99 = quantiles(script, n=20)[-1], quantiles(script, n=100)[-1]
                    pace = f"{speed}x" if speed else "by scene"
                    named = f"script a frame, {pace}, {who}"
                    report.most(f"{named}: median of {FRAMES}", median(script), 8.0, "ms")
                    report.most(f"{named}: p95", p95, 8.0, "ms")
                    report.most(f"{named}: p99", p99, 8.0, "ms")
                    page.context.close()
            browser.close()
    return 1 if report.missed else 0


if __name__ == "__main__":
    sys.exit(main())
