"""What clustered intervals cost: time, memory, and scipy.stats.bootstrap on the same job.

PYTHONPATH=src python benchmarks/bench_stats.py
"""

from __future__ import annotations

import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
import scipy.stats

from sociolab.stats.intervals import mean, means

AGENTS = 6
MEASURES = 8


def main() -> None:
    """Print one line per job: the best of several runs in milliseconds, and its memory peak."""
    print(f"numpy {np.__version__}, scipy {scipy.__version__}")
    seconds = _import_seconds()
    print(
        f"{'import of the module in a fresh process, above bare python':<64}{seconds * 1e3:8.1f} ms"
    )
    values, clusters = _plays(90, 5)
    _report("t: 30 clusters, 150 values", lambda: mean(values[:150], clusters[:150]))
    _report("BCa: 90 clusters, 450 values, 5,000 resamples", lambda: mean(values, clusters))
    many, names = _plays(450, 1)
    _report(
        "BCa: 450 clusters, 450 values, 10,000 resamples",
        lambda: mean(many, names, resamples=10_000),
    )
    columns = {f"measure {i}": _plays(90, 5, seed=i)[0] for i in range(MEASURES)}
    _report(
        f"BCa: {MEASURES} measures of 450 values, 90 clusters, together",
        lambda: means(columns, clusters),
    )
    _report(
        f"BCa: {MEASURES} measures of 450 values, 90 clusters, one by one",
        lambda: [mean(column, clusters) for column in columns.values()],
    )
    _report(
        f"a final table: {AGENTS} agents x {MEASURES} measures, 90 clusters",
        lambda: [means(columns, clusters) for _ in range(AGENTS)],
    )
    one, one_names = _plays(90, 1)
    _report("BCa: 90 clusters, 90 values, 5,000 resamples", lambda: mean(one, one_names))
    _report("peer, same job: scipy.stats.bootstrap", lambda: _peer(one))


def _plays(clusters: int, each: int, seed: int = 0) -> tuple[list[float], list[str]]:
    random = np.random.default_rng(seed)
    scenario = np.repeat(random.normal(6, 1, clusters), each)
    values = np.clip(np.round(scenario + random.normal(0, 2, clusters * each)), 0, 10)
    names = [f"scenario {i}" for i in range(clusters) for _ in range(each)]
    return values.tolist(), names


def _peer(values: list[float]) -> object:
    return scipy.stats.bootstrap(
        (values,), np.mean, n_resamples=5000, method="BCa", rng=np.random.default_rng(0)
    )


def _report(job: str, run: Callable[[], object], repeats: int = 15) -> None:
    took = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        took.append(time.perf_counter() - start)
    tracemalloc.start()
    run()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    print(f"{job:<64}{min(took) * 1e3:8.1f} ms{peak / 2**20:8.1f} MB")


def _import_seconds(repeats: int = 5) -> float:
    def run(code: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - start

    bare = min(run("pass") for _ in range(repeats))
    return min(run("import sociolab.stats.intervals") for _ in range(repeats)) - bare


if __name__ == "__main__":
    main()
