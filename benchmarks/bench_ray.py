"""How far a run on Ray scales, and how many episodes a second its driver can store.

Run: python benchmarks/bench_ray.py [--workers 1 2 4] [--latency 2.0] [--episodes 24]

Each worker has 8 calls in flight and as many episodes as the others, so that linear is a constant
time. Models answer from the local endpoint after `--latency` seconds: where they take no time, the
cores of one machine are what is measured.
"""

from __future__ import annotations

import argparse
import logging
import pickle
import tempfile
import time
from pathlib import Path

from sociolab.app.run.config import RunConfig
from sociolab.app.run.play import run
from sociolab.endpoint.server import start_in_process
from sociolab.endpoint.settings import EndpointSettings
from sociolab.store.store import Store
from sociolab.store.trial_rows import read_trial, take_trial

IN_FLIGHT = 8


def scaling(folder: Path, workers: list[int], latency: float, each: int) -> None:
    """Episodes a second by the number of workers."""
    import ray

    first = 0.0
    settings = EndpointSettings(leave_rate=0.25, characters=100, latency_ms=latency * 1e3)
    with start_in_process(settings) as endpoint:
        for count in workers:
            ray.init(
                num_cpus=count,
                include_dashboard=False,
                object_store_memory=100_000_000,
                log_to_driver=False,
                logging_level=logging.ERROR,
            )
            # A worker process takes seconds of CPU to start: not what is measured here.
            run(_config(folder / f"warm{count}.db", endpoint.url, count, 2))
            began = time.perf_counter()
            result = run(_config(folder / f"{count}.db", endpoint.url, count, each)).result
            took = time.perf_counter() - began
            ray.shutdown()
            speed = result.calls / took
            first = first or speed / count
            print(
                f"{count} workers: {result.played} episodes, {result.calls} calls in {took:.1f} s: "
                f"{result.played / took:.2f} episodes/s, {speed:.1f} calls/s, "
                f"{speed / count / first:.0%} of linear",
                flush=True,
            )


def _config(store: Path, url: str, workers: int, each: int) -> RunConfig:
    return RunConfig(
        agents=("openai/a",),
        judges=("openai/j",),
        base_url=url,
        limit=each * workers,
        in_flight=IN_FLIGHT * workers,
        seed=1,
        on="ray",
        store=store,
    )


def storing(folder: Path) -> None:
    """What one driver stores: the rows of episodes as they come from workers."""
    with start_in_process(EndpointSettings(leave_rate=0.0, characters=150)) as endpoint:
        config = RunConfig(
            agents=("openai/a",), judges=("openai/j",), base_url=endpoint.url, limit=100, seed=1,
            name="big", store=folder / "seed.db",
        )  # fmt: skip
        run(config)
    with Store.open(folder / "seed.db") as seed, Store.open(folder / "driver.db") as store:
        row, trials = seed.run("big"), seed.trials("big")
        store.create_run("big", row.world, row.settings, [one.trial for one in trials])
        sent = [pickle.dumps(read_trial(seed, "big", one.trial.id)[0]) for one in trials]
        began = time.perf_counter()
        for parcel in sent:
            with store.transaction():
                take_trial(store, "big", pickle.loads(parcel))
        took = time.perf_counter() - began
        calls = store.calls.totals("big").calls
    print(
        f"one driver stores {len(sent) / took:.0f} episodes/s ({calls / took:,.0f} calls/s, "
        f"{sum(map(len, sent)) / len(sent) / 1e3:.0f} kB an episode)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    parser.add_argument("--latency", type=float, default=2.0)
    parser.add_argument("--episodes", type=int, default=24)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        storing(folder)
        scaling(folder, given.workers, given.latency, given.episodes)


if __name__ == "__main__":
    main()
