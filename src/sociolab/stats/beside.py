"""Values held against those of people in the same place: a task and a seat, or a whole task.

A value is compared with each of the people's in its place, and these comparisons are averaged: how
much higher it is (`difference`), or how many of them it exceeds, ties counting half (`exceeds`), of
which the mean is its percentile rank. Values without people in their place have no part.

Intervals are bootstrapped over dialogues, each with both its seats: the agent's are drawn from all
of its tasks, since it may have played each but once, and people's within a task, so that no task
loses them. So they hold for other dialogues of both, on these tasks, and are rather too wide for
that: the scatter between tasks counts, too. Percentiles are expanded as Student's t widens the
normal (Hesterberg 2015): plain ones are too short with few dialogues.

The floor is what the same figure is between people: in each of `DRAWS` draws, the dialogues of
each task are split in two halves at random, and the first half is held against the second. A
dialogue goes to one half with both its seats. The tasks stay: drawing them anew, too, would add a
scatter between tasks that the difference of two halves of people does not have.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeAlias

import numpy as np

from sociolab.stats.intervals import (
    LEVEL,
    NO_VARIATION,
    Estimate,
    Floats,
    t_critical,
)

DRAWS = 1000
"""Splits of a floor: its ends then vary by about a twentieth of its width."""

RESAMPLES = 2000
"""Draws of the dialogues for an interval."""

FEWEST = 5
"""Dialogues of an agent below which there is no interval: resamples of fewer are all alike."""

_SAME = 1e-9
"""Values that differ by less are the same, but for rounding."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A value of a dialogue in its place, such as (task, seat), and the place's cluster."""

    place: tuple[str, str | None]
    cluster: str
    dialogue: str
    value: float


Kernel: TypeAlias = Callable[[Floats, Floats], Floats]
"""Compares values (a column) with people's values (a row)."""


def difference(values: Floats, people: Floats) -> Floats:
    """How much higher each value is than each of the people's."""
    return values - people


def exceeds(values: Floats, people: Floats) -> Floats:
    """100 where a value is higher than one of the people's, 50 where they are equal, else 0."""
    higher = values - people
    return 100 * (higher > _SAME) + 50 * (np.abs(higher) <= _SAME)


def mean_beside(values: Sequence[Placed], people: Sequence[Placed], kernel: Kernel) -> float | None:
    """`beside_people` without its interval: the mean alone; None without a value to compare."""
    places = {row.place for row in people}
    held = [value for value in values if value.place in places]
    return float(_drawn_means(held, people, kernel, None)[0]) if held else None


def beside_people(
    values: Sequence[Placed], people: Sequence[Placed], kernel: Kernel, seed: int = 0
) -> Estimate:
    """The mean comparison of the values with people's in their places, with its bootstrap interval.

    There is no interval, and `note` says why, with fewer than `FEWEST` dialogues of the agent, and
    where no draw differs. The units of the estimate (`clusters`) are the agent's dialogues.

    >>> from sociolab.stats import Placed, beside_people, exceeds
    >>> people = [Placed(("t", "1"), "t", f"d{i}", points) for i, points in enumerate([2, 4, 4, 8])]
    >>> beside_people([Placed(("t", "1"), "t", "a", 4)], people, exceeds).value
    50.0
    """
    places = {row.place for row in people}
    held = [value for value in values if value.place in places]
    count = len({value.dialogue for value in held})
    if not held:
        return Estimate(None, 0, 0, None, None, "none", note="no values")
    value = float(_drawn_means(held, people, kernel, None)[0])
    if count < FEWEST:
        note = f"{count} dialogue{'s' * (count > 1)}, at least {FEWEST} needed"
        return Estimate(value, len(held), count, None, None, "none", note=note)
    drawn = _drawn_means(held, people, kernel, np.random.default_rng(seed))
    wide = math.sqrt(count / (count - 1)) * t_critical(count - 1)
    tail = NormalDist().cdf(-wide)
    low, high = (float(end) for end in np.quantile(drawn, [tail, 1 - tail]))
    if high - low <= _SAME:
        return Estimate(value, len(held), count, None, None, "none", note=NO_VARIATION)
    return Estimate(value, len(held), count, low, high, "bootstrap")


def _drawn_means(
    values: Sequence[Placed],
    people: Sequence[Placed],
    kernel: Kernel,
    rng: np.random.Generator | None,
) -> Floats:
    """The mean comparison in each draw of the dialogues; without `rng`, of all dialogues once."""
    own = _counts([[row.dialogue for row in values]], rng)
    tasks: dict[str, list[str]] = defaultdict(list)
    for row in people:
        tasks[row.place[0]].append(row.dialogue)
    others = _counts(list(tasks.values()), rng)
    sums, sizes = 0.0, 0.0
    for place in dict.fromkeys(row.place for row in values):
        here = [row for row in values if row.place == place]
        met = [row for row in people if row.place == place]
        weights = np.stack([others[row.dialogue] for row in met], axis=1)
        points = np.array([row.value for row in here]), np.array([row.value for row in met])
        compared = weights @ kernel(points[0][:, None], points[1][None, :]).T
        number = weights.sum(axis=1, keepdims=True)
        counts = np.stack([own[row.dialogue] for row in here], axis=1) * (number > 0)
        sums = sums + (counts * compared / np.maximum(number, 1)).sum(axis=1)
        sizes = sizes + counts.sum(axis=1)
    drawn: Floats = (sums / np.maximum(sizes, 1))[np.asarray(sizes) > 0]
    return drawn


def _counts(
    groups: Sequence[Sequence[str]], rng: np.random.Generator | None
) -> Mapping[str, Floats]:
    """How often each dialogue is drawn, in each draw: within its group, as many as there are."""
    found: dict[str, Floats] = {}
    for group in groups:
        names = [*dict.fromkeys(group)]
        shares = np.full(len(names), 1 / len(names))
        drawn = (
            np.ones((1, len(names)))
            if rng is None
            else rng.multinomial(len(names), shares, size=RESAMPLES).astype(float)
        )
        found |= dict(zip(names, drawn.T, strict=True))
    return found


def halves_floor(
    people: Sequence[Placed], kernel: Kernel, seed: int = 0
) -> tuple[float, float] | None:
    """The central 95 % of the comparisons of half of the people with the other half.

    None where no place has two dialogues.
    """
    rng = np.random.default_rng(seed)
    by_task: dict[str, list[Placed]] = defaultdict(list)
    for row in people:
        by_task[row.place[0]].append(row)
    sums, sizes = np.zeros(DRAWS), np.zeros(DRAWS)
    for rows in by_task.values():
        dialogues = {name: i for i, name in enumerate(dict.fromkeys(row.dialogue for row in rows))}
        order = rng.permuted(np.tile(np.arange(len(dialogues)), (DRAWS, 1)), axis=1)
        odd = rng.integers(2, size=(DRAWS, 1)) if len(dialogues) % 2 else 0
        first = order < (len(dialogues) + odd) // 2
        for seat in dict.fromkeys(row.place for row in rows):
            own = [row for row in rows if row.place == seat]
            values = np.array([row.value for row in own])
            in_first = first[:, [dialogues[row.dialogue] for row in own]].astype(float)
            others = (1 - in_first).sum(axis=1)
            held = in_first @ kernel(values[:, None], values[None, :])
            with np.errstate(invalid="ignore"):
                means = np.nan_to_num((held * (1 - in_first)).sum(axis=1) / others)
            sums += means
            sizes += in_first.sum(axis=1) * (others > 0)
    if not sizes.any():
        return None
    figures = sums[sizes > 0] / sizes[sizes > 0]
    low, high = np.quantile(figures, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(low), float(high)
