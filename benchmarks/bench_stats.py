"""What intervals and comparisons cost: time, memory, and scipy.stats.bootstrap on the same job.

    PYTHONPATH=src python benchmarks/bench_stats.py

The exit code is 1 if a target for 10,000 episodes is missed.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
import scipy.stats

from sociolab.stats.intervals import mean, means
from sociolab.stats.paired_tests import KeyedValue, compare

AGENTS = 6
MEASURES = 8

EPISODES = 10_000  # of two seats and seven dimensions: 140,000 scores
DIMENSIONS = 7
MEMORY = 250  # MB, the whole process

# What is made of the scores, clusters, whether each dimension lacks clusters of its own, seconds
# allowed.
LARGE = (
    ("means", 90, False, 3.0),
    ("means", 450, False, 3.0),
    ("means", EPISODES, False, 8.0),
    ("compare", 90, False, 3.0),
    ("compare", 450, False, 3.0),
    ("compare", EPISODES, False, 8.0),
    ("means", 450, True, 3.0),
    ("means", EPISODES, True, 8.0),
)


def main() -> None:
    """Print one line per job: the best of several runs in milliseconds, and its memory peak."""
    print(f"numpy {np.__version__}, scipy {scipy.__version__}")
    seconds = _import_seconds()
    print(
        f"{'import of the module in a fresh process, above bare python':<64}{seconds * 1e3:8.1f} ms"
    )
    values, clusters = _plays(90, 5)
    _report("30 clusters, 150 values", lambda: mean(values[:150], clusters[:150]))
    _report("90 clusters, 450 values", lambda: mean(values, clusters))
    many, names = _plays(450, 1)
    _report(
        "450 clusters, 450 values",
        lambda: mean(many, names),
    )
    columns = {f"measure {i}": _plays(90, 5, seed=i)[0] for i in range(MEASURES)}
    _report(
        f"{MEASURES} measures of 450 values, 90 clusters, together",
        lambda: means(columns, clusters),
    )
    _report(
        f"{MEASURES} measures of 450 values, 90 clusters, one by one",
        lambda: [mean(column, clusters) for column in columns.values()],
    )
    _report(
        f"a final table: {AGENTS} agents x {MEASURES} measures, 90 clusters",
        lambda: [means(columns, clusters) for _ in range(AGENTS)],
    )
    one, one_names = _plays(90, 1)
    _report("90 clusters, 90 values", lambda: mean(one, one_names))
    _report("peer, BCa of the same: scipy.stats.bootstrap, 5,000 resamples", lambda: _peer(one))
    missed = [shape for shape in LARGE if not _met(*shape)]
    sys.exit(1 if missed else 0)


def _met(what: str, clusters: int, ragged: bool, allowed: float) -> bool:
    """One line for 10,000 episodes in a process of its own on one core.

    Its CPU time is held against the target, so that other work on the machine does not count.
    """
    command = [sys.executable, __file__, json.dumps([what, clusters, ragged])]
    env = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    child = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=env)
    seconds, memory = json.loads(child.stdout)
    met = bool(seconds <= allowed and memory <= MEMORY)
    job = f"{what}: {EPISODES:,} episodes, {clusters:,} clusters{', ragged' if ragged else ''}"
    mark = f"at most {allowed:.0f} s, {MEMORY} MB: {'ok' if met else 'missed'}"
    print(f"{job:<64}{seconds:8.2f} s {memory:8.0f} MB   {mark}")
    return met


def _large(what: str, clusters: int, ragged: bool) -> None:
    """Print seconds of CPU and the peak of this process in MB."""
    index = np.arange(2 * EPISODES) // 2 % clusters
    names = [f"scenario {i}" for i in index]
    first, second = (_scores(index, seed, ragged) for seed in (0, 1))
    if what == "means":
        start = time.process_time()
        means(first, names)
    else:
        sides = {name: (_rows(first[name], names), _rows(second[name], names)) for name in first}
        start = time.process_time()
        compare(sides)
    seconds = time.process_time() - start
    print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


def _scores(
    index: np.ndarray[tuple[int, ...], np.dtype[np.int64]], seed: int, ragged: bool
) -> dict[str, list[float | None]]:
    """Seven columns; where ragged, column i lacks the first i clusters."""
    random = np.random.default_rng(seed)
    found: dict[str, list[float | None]] = {}
    for i in range(DIMENSIONS):
        scenario = random.normal(6, 1, index.max() + 1)[index]
        column = np.clip(np.round(scenario + random.normal(0, 2, len(index))), 0, 10).tolist()
        lacking = i if ragged else 0
        found[f"dimension {i}"] = [
            None if c < lacking else value for c, value in zip(index, column, strict=True)
        ]
    return found


def _rows(column: list[float | None], names: list[str]) -> list[KeyedValue]:
    return [
        KeyedValue((i // 2, i % 2), names[i], value)
        for i, value in enumerate(column)
        if value is not None
    ]


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
    if sys.argv[1:]:
        _large(*json.loads(sys.argv[1]))
    else:
        main()
