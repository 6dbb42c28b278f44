"""50 raters at once: how long the server takes for a page, a draft and handing in; nothing lost.

    .venv/bin/python benchmarks/bench_web_rate.py [--raters 50] [--each 2] [--pause 2]

The server runs in a process of its own and times each request from its arrival to the end of its
answer, waiting for a thread or the store included. The raters are in this process: each reads an
episode, saves 14 ratings one by one with a pause of PAUSE seconds (on average)
before each, many times the pace of people, and hands in. At the end the
run is compared with what was sent.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import aiohttp

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from rating_runs import RUN, STUDY, build, link, open_study
from sociolab.store.store import Store
from sociolab.studies.rating_study import ratings_in
from sociolab.worlds.sotopia.evaluation import DIMENSIONS
from web_serving import free_port

SCALES = re.compile(r'id="(r\d+-[a-z_]+)" data-seat="([^"]+)" data-dimension="([^"]+)"')
CSRF = re.compile(r'name="csrf" content="([0-9a-f]+)"')


def serve(store: Path, port: int, file: Path) -> None:
    """Serve until the other process says so, then write down the times."""
    import uvicorn

    from sociolab.web.server import create_app
    from sociolab.web.settings import WebSettings

    app, times = create_app(WebSettings(store, port=port)), []

    async def timed(scope: Any, receive: Any, send: Any) -> None:
        began = time.perf_counter()
        await app(scope, receive, send)
        if scope["type"] == "http":
            times.append((scope["method"], scope["path"], time.perf_counter() - began))

    uvicorn.run(timed, port=port, log_level="error", access_log=False)
    file.write_text(json.dumps(times))


async def rate(
    address: str, number: int, pause: float, sent: dict[tuple[str, str, str, str], int]
) -> None:
    """Rate until there is nothing left."""
    chance = random.Random(number)
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(address, cookie_jar=jar) as http:
        secret = link(STUDY, number)
        page = await (await http.get(f"/join/{secret}")).text()
        csrf = {"csrf": CSRF.search(page)[1]}  # type: ignore[index]
        await (await http.post(f"/join/{secret}", data=csrf)).read()
        home = f"/take/{STUDY}/r{number}"
        async with http.post(f"{home}/rate/instructions", data=csrf) as answer:
            page, path = await answer.text(), answer.url.path
        while "/rate/play/" in path:
            headers = {"X-CSRF-Token": csrf["csrf"]}
            for _, seat, dimension in SCALES.findall(page):
                await asyncio.sleep(chance.uniform(0, 2 * pause))
                measure = {one.name: one for one in DIMENSIONS}[dimension]
                score = chance.randint(int(measure.low), int(measure.high))
                rating = {
                    "seat": seat,
                    "dimension": dimension,
                    "score": score,
                    "reason": "what was said there",
                    "seconds": 20,
                }
                async with http.post(f"{path}/draft", json=rating, headers=headers) as answer:
                    assert answer.status == 200, await answer.text()
                sent[path.rpartition("/")[2], seat, f"r{number}", dimension] = score
            async with http.post(f"{path}/submit", json={}, headers=headers) as answer:
                said = await answer.json()
            async with http.get(said["next"]) as answer:
                page, path = await answer.text(), answer.url.path


async def raters(address: str, count: int, pause: float) -> dict[tuple[str, str, str, str], int]:
    """So many raters at once; what they gave."""
    sent: dict[tuple[str, str, str, str], int] = {}
    await asyncio.gather(*(rate(address, n, pause, sent) for n in range(1, count + 1)))
    return sent


def told(name: str, seconds: Iterable[float]) -> str:
    """A line of the table."""
    found = sorted(1000 * one for one in seconds)
    p95 = found[int(0.95 * (len(found) - 1))]
    return f"{name:28} n {len(found):6,}  p50 {statistics.median(found):7.1f} ms  p95 {p95:7.1f} ms"


def main() -> None:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--raters", type=int, default=50)
    parser.add_argument("--each", type=int, default=2, help="episodes a rater")
    parser.add_argument("--pause", type=float, default=2.0, help="mean seconds before a rating")
    parser.add_argument("--serve", nargs=3, help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.serve:
        serve(Path(wanted.serve[0]), int(wanted.serve[1]), Path(wanted.serve[2]))
        return
    with tempfile.TemporaryDirectory() as folder:
        store, file, port = Path(folder, "store.db"), Path(folder, "times.json"), free_port()
        episodes = wanted.raters * wanted.each // 2
        build(store, episodes)
        with Store.open(store) as opened:
            open_study(opened, wanted.raters, raters=2, each=wanted.each, disagreement=20)
        server = subprocess.Popen([sys.executable, __file__, "--serve", store, str(port), file])
        try:
            address = f"http://127.0.0.1:{port}"
            asyncio.run(_up(address))
            began = time.perf_counter()
            sent = asyncio.run(raters(address, wanted.raters, wanted.pause))
            took = time.perf_counter() - began
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(30)
        times = json.loads(file.read_text())
        with Store.open(store) as opened:
            kept = {
                (r.episode, r.seat, r.rater, r.dimension): int(r.score)
                for r in ratings_in(opened, RUN, STUDY)
            }
    print(f"{wanted.raters} raters, {episodes} episodes, {took:.0f} s, {len(times):,} requests")
    ends = {
        "page": ("GET", "/rate/play/"),
        "draft": ("POST", "/draft"),
        "hand in": ("POST", "/submit"),
    }
    for name, (method, part) in ends.items():
        print(told(name, [s for m, path, s in times if m == method and part in path]))
    print(told("next episode dealt", [s for _, path, s in times if path.endswith("/rate")]))
    lost = sum(kept.get(place) != score for place, score in sent.items())
    print(f"ratings sent {len(sent):,}, in the run {len(kept):,}, lost or changed {lost}")
    if lost or len(kept) != len(sent):
        raise SystemExit("ratings were lost")


async def _up(address: str) -> None:
    async with aiohttp.ClientSession(address) as http:
        for _ in range(300):
            try:
                await (await http.get("/healthz")).read()
                return
            except aiohttp.ClientError:
                await asyncio.sleep(0.1)
    raise SystemExit("the server is not up after 30 s")


if __name__ == "__main__":
    main()
