"""pass^k: how often an agent succeeds k times out of k on one task.

A mean score hides whether an agent succeeds half the time on every task or always on half of the
tasks. With n plays of a task, c of them successes, C(c, k) / C(n, k) is the share of k plays drawn
from the n that all succeed: an unbiased estimate of the chance that k new plays do.
Source: Yao et al., tau-bench (arXiv 2406.12045).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sociolab.stats.intervals import Estimate, means, on_scale


@dataclass(frozen=True, slots=True)
class Consistency:
    """pass^k for one k, over tasks; each task counts the same.

    `estimate.n` counts the tasks it rests on; `left_out` those with fewer than k plays, about
    which it says nothing.
    """

    k: int
    estimate: Estimate
    left_out: int


def pass_hat(
    values: Sequence[float | None],
    tasks: Sequence[str],
    clusters: Sequence[str],
    *,
    threshold: float,
    ks: Sequence[int],
) -> tuple[Consistency, ...]:
    """pass^k for each k of `ks`: the chance, from 0 to 1, that k plays of a task all succeed.

    `values[i]` is one play of `tasks[i]`, which lies in `clusters[i]`; it succeeds if it is at
    least the threshold. With c successes in n plays, a task's share is C(c, k) / C(n, k); tasks
    count the same. None is no play. Tasks with fewer than k plays are left out and counted; without
    any task the value is None. The 95 % interval is clustered.

    ValueError for lengths that differ, values that are not finite, a k below 1 and a task in two
    clusters. Source: Yao et al., tau-bench (arXiv 2406.12045).

    >>> from sociolab.stats import pass_hat
    >>> goal = [9, 8, 8, 9, 4, 2, 8, 9]  # two tasks, played four times each
    >>> tasks = ["t"] * 4 + ["u"] * 4
    >>> found = pass_hat(goal, tasks, tasks, threshold=7, ks=(1, 2, 4))
    >>> [(each.k, round(each.estimate.value, 2)) for each in found]
    [(1, 0.75), (2, 0.58), (4, 0.5)]
    """
    cluster_of_task = _locate_tasks(values, tasks, clusters)
    shares = {k: _shares(values, tasks, cluster_of_task, threshold, k) for k in ks}
    estimates = means(
        {str(k): share for k, share in shares.items()}, list(cluster_of_task.values())
    )
    return tuple(
        Consistency(
            k,
            on_scale(estimates[str(k)], 0.0, 1.0),
            share.count(None),
        )
        for k, share in shares.items()
    )


def pass_hat_difference(
    a: Sequence[float | None],
    b: Sequence[float | None],
    tasks: Sequence[str],
    clusters: Sequence[str],
    *,
    threshold: float,
    ks: Sequence[int],
) -> tuple[Consistency, ...]:
    """pass^k of a minus pass^k of b for each k of `ks`, paired: `a[i]` and `b[i]` are two plays of
    `tasks[i]`, one by each agent.

    The value is the mean over tasks of the difference in a task's share, so that what makes a task
    easy or hard for both cancels out. The interval is that of `stats.intervals` over these
    differences, cut to -1..1. A task in which either side has fewer than k plays with a value is
    left out. ValueError as in `pass_hat`.

    >>> from sociolab.stats import pass_hat_difference
    >>> tasks = ["t", "t", "u", "u"]
    >>> a, b = [9, 8, 8, 3], [9, 2, 1, 3]
    >>> (found,) = pass_hat_difference(a, b, tasks, tasks, threshold=7, ks=(1,))
    >>> found.estimate.value, found.left_out
    (0.5, 0)
    """
    cluster_of_task = _locate_tasks(a, tasks, clusters)
    _locate_tasks(b, tasks, clusters)
    gaps = {
        k: [
            None if x is None or y is None else x - y
            for x, y in zip(
                _shares(a, tasks, cluster_of_task, threshold, k),
                _shares(b, tasks, cluster_of_task, threshold, k),
                strict=True,
            )
        ]
        for k in ks
    }
    estimates = means({str(k): gap for k, gap in gaps.items()}, list(cluster_of_task.values()))
    return tuple(
        Consistency(k, on_scale(estimates[str(k)], -1.0, 1.0), gap.count(None))
        for k, gap in gaps.items()
    )


def _shares(
    values: Sequence[float | None],
    tasks: Sequence[str],
    cluster_of_task: Mapping[str, str],
    threshold: float,
    k: int,
) -> list[float | None]:
    """C(passed, k) / C(played, k) of each task; None for a task with fewer than k episodes."""
    if k < 1:
        raise ValueError(f"pass^k needs k of at least 1, found {k}")
    played: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for value, task in zip(values, tasks, strict=True):
        if value is not None:
            played[task] += 1
            passed[task] += value >= threshold
    return [
        math.comb(passed[task], k) / math.comb(played[task], k) if played[task] >= k else None
        for task in cluster_of_task
    ]


def _locate_tasks(
    values: Sequence[float | None], tasks: Sequence[str], clusters: Sequence[str]
) -> dict[str, str]:
    """The cluster of each task; ValueError as in `pass_hat`."""
    if not len(values) == len(tasks) == len(clusters):
        raise ValueError(
            f"each value needs its task and cluster, found {len(values)} values, "
            f"{len(tasks)} tasks and {len(clusters)} clusters"
        )
    if not all(value is None or math.isfinite(value) for value in values):
        raise ValueError("values are finite numbers, or None where missing; found nan or inf")
    cluster_of_task: dict[str, str] = {}
    for task, cluster in zip(tasks, clusters, strict=True):
        if cluster_of_task.setdefault(task, cluster) != cluster:
            raise ValueError(f"a task lies in one cluster, found {task!r} in two")
    return cluster_of_task
