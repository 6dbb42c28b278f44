"""How often the 95 % interval of `stats.beside.beside_people` holds the truth.

    OMP_NUM_THREADS=1 .venv/bin/python benchmarks/bench_beside_people.py [STUDIES]

In each simulated study (200, or so many) an agent plays tasks that people have played. Task effects
are normal with sd 1; the agent is better by 0.4, with an sd of 0.5 between tasks; a dialogue moves
its two seats apart by a normal with sd 1, and each seat by one with sd 0.6. "Same tasks": the truth
is that of the tasks at hand, for other dialogues of the agent and other people; "new tasks": that
of all tasks.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from sociolab.stats import Placed, beside_people, difference, exceeds

BETTER, BETWEEN, APART, SEAT = 0.4, 0.5, 1.0, 0.6
SHAPES = ((10, 1, 20), (60, 1, 2), (36, 1, 26), (6, 1, 10), (36, 3, 26))
"""Tasks, dialogues of the agent in each, and people's."""


def drawn(rng: np.random.Generator, means: NDArray[np.float64], count: int) -> list[list[float]]:
    """So many dialogues in each task: both seats of one after the other, by task."""
    shape = (len(means), count)
    apart = rng.normal(0, APART, shape)
    seats = [means[:, None] + sign * apart + rng.normal(0, SEAT, shape) for sign in (1, -1)]
    rows: list[list[float]] = np.stack(seats, axis=2).reshape(len(means), -1).tolist()
    return rows


def placed(rows: list[list[float]], who: str) -> list[Placed]:
    return [
        Placed((f"{task}", f"{i % 2}"), f"{task}", f"{who}{task}.{i // 2}", value)
        for task, values in enumerate(rows)
        for i, value in enumerate(values)
    ]


def truth(gaps: NDArray[np.float64], *, ranks: bool) -> float:
    """The mean gap, or the percentile of the agent, in tasks with these gaps."""
    spread = np.sqrt(2 * (APART**2 + SEAT**2))
    return float(np.mean(100 * norm.cdf(gaps / spread) if ranks else gaps))


def coverage(shape: tuple[int, int, int], studies: int, *, ranks: bool, new: bool) -> float:
    tasks, plays, people = shape
    rng = np.random.default_rng(7)
    means, gaps = rng.normal(0, 1, tasks), rng.normal(BETTER, BETWEEN, tasks)
    everywhere = BETTER + BETWEEN * norm.ppf((np.arange(4000) + 0.5) / 4000)
    expected = truth(everywhere if new else gaps, ranks=ranks)
    held = 0
    for study in range(studies):
        if new:
            means, gaps = rng.normal(0, 1, tasks), rng.normal(BETTER, BETWEEN, tasks)
        own = placed(drawn(rng, means + gaps, plays), "a")
        others = placed(drawn(rng, means, people), "p")
        found = beside_people(own, others, exceeds if ranks else difference, seed=study)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= expected <= found.high
    return held / studies


if __name__ == "__main__":
    studies = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print("tasks, agent's and people's dialogues | percentile: same, new tasks | gap: same, new")
    for shape in SHAPES:
        found = [
            coverage(shape, studies, ranks=ranks, new=new)
            for ranks in (True, False)
            for new in (False, True)
        ]
        print(*shape, "|", *(f"{100 * share:.1f} %" for share in found), flush=True)
