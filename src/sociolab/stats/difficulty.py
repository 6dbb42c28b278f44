"""How hard a task is for one model: SOTOPIA-hard (SOTOPIA section 7).

Per task, the gap between what some model can reach and what the target may fall to:

    max over models of min(mean + 3 sd, upper bound) - max(target's mean - 3 sd, lower bound)

with the mean and the sample standard deviation (n - 1) of one metric over all plays of the task by
the model: partners, seats and repeats together. The paper takes the maximum over all models, so the
target is one of them; hence a gap is never negative, and it never exceeds upper - lower. With a
spread that fills the scale many tasks reach that limit and tie.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

SPREADS = 3
"""Standard deviations on either side of the mean."""

HARDEST = 20
"""Tasks in SOTOPIA-hard."""


class ScoredPlay(NamedTuple):
    """What a model scored on a task in one play; None where it was not scored."""

    task: str
    model: str
    value: float | None


@dataclass(frozen=True, slots=True)
class TaskReach:
    """A model on a task: n plays, their mean and sample sd, and 3 sd to both sides, in bounds."""

    model: str
    n: int
    mean: float
    sd: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Difficulty:
    """A task's gap: `best.high - target.low`; `models` has the reach of every model, by name."""

    task: str
    gap: float
    target: TaskReach
    best: TaskReach
    models: tuple[TaskReach, ...]


@dataclass(frozen=True, slots=True)
class TaskLeftOut:
    """A task without a gap: the models with fewer than two scored plays, and how many they have."""

    task: str
    plays: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Difficulties:
    """All tasks, the hardest first, those left out, and the number of plays without a score.

    Tasks of the same gap: the one with the lower mean of the target first, then by name. The paper
    does not say how it breaks ties.
    """

    target: str
    tasks: tuple[Difficulty, ...]
    left_out: tuple[TaskLeftOut, ...]
    missing: int

    def hardest(self, most: int = HARDEST) -> tuple[Difficulty, ...]:
        """The `most` tasks of the largest gap, or all where there are fewer."""
        return self.tasks[:most]

    def tied_out(self, most: int = HARDEST) -> int:
        """How many tasks have the same gap as the last of the hardest, yet are not among them."""
        chosen = self.hardest(most)
        return sum(task.gap == chosen[-1].gap for task in self.tasks[most:]) if chosen else 0


def estimate_difficulties(
    plays: Iterable[ScoredPlay], target: str, *, lower: float, upper: float
) -> Difficulties:
    """The gap of every task for `target`, on a metric that lies in lower..upper.

    Every model that occurs in the plays is needed on every task, since a maximum over fewer models
    is not comparable; a task on which one has fewer than two scored plays is left out and listed.
    To do without a model, leave its plays away. The order of the plays does not matter.
    ValueError for a lower bound that is not below the upper one, a value outside the bounds (nan
    too), and a target without any play.
    """
    if not lower < upper:
        raise ValueError(f"the lower bound lies below the upper one, found {lower} and {upper}")
    scored, models, missing = _by_task(plays, lower, upper)
    if target not in models:
        names = ", ".join(sorted(models)) or "none"
        raise ValueError(f"{target!r} played none of the tasks; the models are: {names}")
    ranked, left_out = [], []
    for task, values in sorted(scored.items()):
        few = tuple((name, len(values.get(name, ()))) for name in sorted(models))
        few = tuple((name, n) for name, n in few if n < 2)
        if few:
            left_out.append(TaskLeftOut(task, few))
        else:
            reaches = tuple(_reach(name, values[name], lower, upper) for name in sorted(values))
            own = next(reach for reach in reaches if reach.model == target)
            best = max(reaches, key=lambda reach: reach.high)  # of equals, the first by name
            ranked.append(Difficulty(task, best.high - own.low, own, best, reaches))
    ranked.sort(key=lambda task: (-task.gap, task.target.mean, task.task))
    return Difficulties(target, tuple(ranked), tuple(left_out), missing)


def _by_task(
    plays: Iterable[ScoredPlay], lower: float, upper: float
) -> tuple[dict[str, dict[str, list[float]]], set[str], int]:
    scored: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    models: set[str] = set()
    missing = 0
    for task, model, value in plays:
        models.add(model)
        values = scored[task][model]
        if value is None:
            missing += 1
        elif lower <= value <= upper:
            values.append(value)
        else:
            raise ValueError(
                f"{task}, {model}: expected a value in {lower}..{upper}, found {value}"
            )
    return scored, models, missing


def _reach(model: str, values: Sequence[float], lower: float, upper: float) -> TaskReach:
    n = len(values)
    mean = math.fsum(values) / n
    sd = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    low, high = max(mean - SPREADS * sd, lower), min(mean + SPREADS * sd, upper)
    return TaskReach(model, n, mean, sd, low, high)
