"""Values held against those of people in the same place: a task and a seat, or a whole task.

A value is compared with each of the people's in its place, and these comparisons are averaged: how
much higher it is (`difference`), or how many of them it exceeds, ties counting half (`exceeds`), of
which the mean is its percentile rank. Values without people in their place have no part. The mean
over all values is clustered as any (`stats.intervals`): people's dialogues belong to one place
each, so that the scatter between clusters holds theirs, too.

The floor is what the same figure is between people: in each of `DRAWS` draws, the dialogues of
each task are split in two halves at random, and the first half is held against the second. A
dialogue goes to one half with both its seats. The tasks stay: drawing them anew, too, would add a
scatter between tasks that the difference of two halves of people does not have.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from sociolab.stats.intervals import LEVEL, Estimate, Floats, mean

DRAWS = 1000
"""Splits of a floor: its ends then vary by about a twentieth of its width."""

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


def beside_people(values: Sequence[Placed], people: Sequence[Placed], kernel: Kernel) -> Estimate:
    """The mean comparison of the values with people's in their places, clustered.

    >>> from sociolab.stats import Placed, beside_people, exceeds
    >>> people = [Placed(("t", "1"), "t", f"d{i}", points) for i, points in enumerate([2, 4, 4, 8])]
    >>> beside_people([Placed(("t", "1"), "t", "a", 4)], people, exceeds).value
    50.0
    """
    by_place = _by_place(people)
    held = [value for value in values if value.place in by_place]
    compared = [
        float(kernel(np.array([[value.value]]), by_place[value.place][None, :]).mean())
        for value in held
    ]
    return mean(compared, [value.cluster for value in held])


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


def _by_place(rows: Sequence[Placed]) -> dict[tuple[str, str | None], Floats]:
    values: dict[tuple[str, str | None], list[float]] = defaultdict(list)
    for row in rows:
        values[row.place].append(row.value)
    return {place: np.array(some, dtype=np.float64) for place, some in values.items()}
