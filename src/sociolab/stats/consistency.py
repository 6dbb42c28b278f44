"""pass^k: how often an agent succeeds k times out of k on one task.

A mean score hides whether an agent succeeds half the time on every task or always on half of the
tasks. With n plays of a task, c of them successes, C(c, k) / C(n, k) is the share of k plays drawn
from the n that all succeed: an unbiased estimate of the chance that k new plays do.
Source: Yao et al., tau-bench (arXiv 2406.12045).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sociolab.stats.intervals import Estimate, means
from sociolab.stats.scale import bound, on_scale


@dataclass(frozen=True, slots=True)
class Consistency:
    """pass^k for one k, over tasks; each task counts the same.

    `estimate.n` counts the tasks it rests on; `left_out` those with fewer than k plays, about
    which it says nothing. `bound`: where all tasks came out as 1 the least, or as 0 the most, that
    the true pass^k may be (one-sided, 95 %, `stats.scale`); None elsewhere.
    """

    k: int
    estimate: Estimate
    left_out: int
    bound: float | None = None


def pass_hat(
    values: Sequence[float | None],
    tasks: Sequence[str],
    clusters: Sequence[str],
    *,
    threshold: float,
    ks: Sequence[int],
) -> tuple[Consistency, ...]:
    """pass^k for each k of `ks`; a play succeeds if its value is at least the threshold.

    `values[i]` is one play of `tasks[i]`, which lies in `clusters[i]`. A missing value (None) is
    no play: it counts neither as a success nor in n, so that a task which often failed to finish
    may be left out. The interval is that of `stats.intervals` over the tasks'
    estimates, cut to 0..1.
    ValueError for lengths that differ, values that are not finite, a k below 1 and a task in two
    clusters.
    """
    if any(k < 1 for k in ks):
        raise ValueError(f"pass^k needs k of at least 1, found {min(ks)}")
    home = _homes(values, tasks, clusters)
    played: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for value, task in zip(values, tasks, strict=True):
        if value is not None:
            played[task] += 1
            passed[task] += value >= threshold
    columns = {str(k): [_share(passed[task], played[task], k) for task in home] for k in ks}
    found = means(columns, list(home.values()))
    return tuple(
        Consistency(
            k,
            on_scale(found[str(k)], 0.0, 1.0),
            columns[str(k)].count(None),
            bound(found[str(k)], 0.0, 1.0),
        )
        for k in ks
    )


def _homes(
    values: Sequence[float | None], tasks: Sequence[str], clusters: Sequence[str]
) -> dict[str, str]:
    """The cluster of each task."""
    if not len(values) == len(tasks) == len(clusters):
        raise ValueError(
            f"each value needs its task and cluster, found {len(values)} values, "
            f"{len(tasks)} tasks and {len(clusters)} clusters"
        )
    if not all(value is None or math.isfinite(value) for value in values):
        raise ValueError("values are finite numbers, or None where missing; found nan or inf")
    home: dict[str, str] = {}
    for task, cluster in zip(tasks, clusters, strict=True):
        if home.setdefault(task, cluster) != cluster:
            raise ValueError(f"a task lies in one cluster, found {task!r} in two")
    return home


def _share(passed: int, played: int, k: int) -> float | None:
    """C(passed, k) / C(played, k), or None with fewer than k plays."""
    return math.comb(passed, k) / math.comb(played, k) if played >= k else None
