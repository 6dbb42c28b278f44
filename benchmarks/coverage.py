"""How often the 95 % interval of `stats.intervals.mean` holds the true mean: a recorded experiment.

    OMP_NUM_THREADS=1 .venv/bin/python benchmarks/coverage.py

Three data-generating models, 2,000 simulated studies for each number of scenarios (clusters):

- unequal: each scenario has 1 to 20 plays (1 + a rounded exponential), a normal effect of variance
  1 and normal noise of variance 1 on each play; the true mean is 6.
- zero-inflated: 5 plays a scenario on -10..0. In a scenario a play goes wrong with a probability
  that is Beta(0.5, 4.5), 10 % in the mean, and then costs 1 to 10 points, all equally likely; the
  true mean is -0.55. The same with Beta(0.5, 19.5), 2.5 %, is printed below as "rare".
- crossed: every scenario is played once with each of the same 5 partners; scenario, partner and
  noise are normal with variances 1, 0.25 and 1. The interval is clustered by scenario only. It is
  held against two truths: the mean over scenarios at large with these partners, and the mean over
  partners at large too, of which 5 partners are a sample that the interval knows nothing about.

A study whose scenarios all have the same mean gives no interval; it is counted apart, and coverage
is the share of the intervals that were given. The Monte Carlo error of a coverage of 95 % is 0.5
points. The method is the default: t below 40 clusters, BCa with 5,000 resamples above.

The second table tries corrections where the first is short of 95 %, and other methods beside it:
for unequal sizes t on the jackknife's error with as many degrees of freedom as there are scenarios
of equal size to the same effect (Kish), less 1; for zero-inflated scores BCa below 40 scenarios and
t above; for the crossed design t on the two-way clustered error (Cameron, Gelbach and Miller 2011:
scenario + partner - play) with the degrees of freedom of the smaller factor.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sociolab.stats.intervals import Method, mean, t_quantile

SIMULATIONS = 2000
SCENARIOS = (5, 10, 20, 30, 90)
WANTED = (0.93, 0.97)
PARTNERS = 5

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Study:
    """The simulated plays of one study, and the means that an interval may be asked to hold."""

    values: Floats
    scenarios: NDArray[np.intp]
    truths: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many intervals were given, the share that held the truth, the share with it above them,
    and their mean width."""

    given: int
    held: float
    above: float
    width: float


Limits = tuple[float, float] | None
Draw = Callable[[np.random.Generator, int], Study]
Interval = Callable[[Study, int], Limits]


def unequal(random: np.random.Generator, count: int) -> Study:
    sizes = np.minimum(20, 1 + np.floor(random.exponential(4, count)).astype(np.intp))
    scenarios = np.repeat(np.arange(count), sizes)
    effect = random.normal(6, 1, count)
    values = effect[scenarios] + random.normal(0, 1, len(scenarios))
    return Study(values, scenarios, {"unequal": 6.0})


def zero_inflated(random: np.random.Generator, count: int, rate: float = 0.1) -> Study:
    scenarios = np.repeat(np.arange(count), 5)
    risk = random.beta(0.5, 0.5 / rate - 0.5, count)
    wrong = random.random(len(scenarios)) < risk[scenarios]
    values = np.where(wrong, -random.integers(1, 11, len(scenarios)), 0).astype(np.float64)
    return Study(values, scenarios, {"zero-inflated": -5.5 * rate})


def rare(random: np.random.Generator, count: int) -> Study:
    study = zero_inflated(random, count, 0.025)
    return Study(study.values, study.scenarios, {"zero-inflated, rare": -0.1375})


def crossed(random: np.random.Generator, count: int) -> Study:
    scenario, partner = random.normal(0, 1, (count, 1)), random.normal(0, 0.5, PARTNERS)
    values = 6 + scenario + partner + random.normal(0, 1, (count, PARTNERS))
    truths = {"crossed, these partners": 6 + float(partner.mean()), "crossed, partners at large": 6}
    return Study(values.ravel(), np.repeat(np.arange(count), PARTNERS), truths)


def by_scenario(study: Study, seed: int, method: Method | None = None) -> Limits:
    names = [f"s{i:02}" for i in study.scenarios]
    found = mean(study.values.tolist(), names, method=method, seed=seed)
    return None if found.low is None or found.high is None else (found.low, found.high)


def by_scenario_with_t(study: Study, seed: int) -> Limits:
    return by_scenario(study, seed, "t")


def by_scenario_with_bca(study: Study, seed: int) -> Limits:
    return by_scenario(study, seed, "bca")


def by_jackknife(study: Study, _seed: int) -> Limits:
    """t on the error of the delete-one-scenario jackknife, with N^2 / sum of n_g^2 - 1 degrees.

    With equal sizes it is the interval of `by_scenario_with_t`.
    """
    sizes = np.bincount(study.scenarios).astype(np.float64)
    sums = np.bincount(study.scenarios, weights=study.values)
    n, groups, centre = sizes.sum(), len(sizes), float(sums.sum() / sizes.sum())
    without = (sums.sum() - sums) / (n - sizes)
    error = math.sqrt((groups - 1) / groups * float(((without - without.mean()) ** 2).sum()))
    half = t_quantile(0.975, max(1, int(n**2 / (sizes**2).sum()) - 1)) * error
    return (centre - half, centre + half) if half else None


def by_both(study: Study, _seed: int) -> Limits:
    """Two-way clustered t of the crossed design: scenario + partner - play, at least scenario."""
    table = study.values.reshape(-1, PARTNERS)
    away = table - table.mean()
    count, partners = table.shape
    scenario = count / (count - 1) * float((away.sum(axis=1) ** 2).sum())
    partner = partners / (partners - 1) * float((away.sum(axis=0) ** 2).sum())
    play = table.size / (table.size - 1) * float((away**2).sum())
    error = math.sqrt(max(scenario + partner - play, scenario)) / table.size
    half = t_quantile(0.975, min(count, partners) - 1) * error
    return float(table.mean()) - half, float(table.mean()) + half


def coverage(draw: Draw, interval: Interval, count: int) -> dict[str, Coverage]:
    """Simulate; the studies depend on their number and size only, so that methods share them."""
    found: dict[str, list[tuple[bool, bool, float]]] = {}
    for number in range(SIMULATIONS):
        study = draw(np.random.default_rng([number, count]), count)
        limits = interval(study, number)
        for name, truth in study.truths.items():
            rows = found.setdefault(name, [])
            if limits is not None:
                low, high = limits
                rows.append((low <= truth <= high, high < truth, high - low))
    return {name: _summary(rows) for name, rows in found.items()}


def _summary(rows: list[tuple[bool, bool, float]]) -> Coverage:
    held, above, width = np.array(rows, dtype=np.float64).mean(axis=0).tolist()
    return Coverage(len(rows), held, above, width)


def main() -> None:
    """Print both tables in Markdown, then what missed 93 to 97 % at the most scenarios."""
    start = time.perf_counter()
    print(f"Coverage of the 95 % interval, {SIMULATIONS:,} studies a cell (numpy {np.__version__})")
    print("\n| scores | " + " | ".join(f"{count} scenarios" for count in SCENARIOS) + " |")
    print("|---|" + "---|" * len(SCENARIOS))
    missed = []
    for draw in (unequal, zero_inflated, crossed, rare):
        cells = {count: coverage(draw, by_scenario, count) for count in SCENARIOS}
        for name in cells[SCENARIOS[-1]]:
            row = [cells[count][name] for count in SCENARIOS]
            print(f"| {name} | " + " | ".join(map(_cell, row)) + " |", flush=True)
            if not WANTED[0] <= row[-1].held <= WANTED[1]:
                missed.append(f"{name}: {_cell(row[-1])}")
    _corrections()
    print(f"\nOutside 93 to 97 % at {SCENARIOS[-1]} scenarios: {'; '.join(missed) or 'none'}")
    print(f"{time.perf_counter() - start:.0f} s")


def _cell(found: Coverage) -> str:
    without = 1 - found.given / SIMULATIONS
    return f"{found.held:.1%}" + (f" ({without:.2%} no interval)" if without else "")


def _corrections() -> None:
    print("\n| scores | scenarios | interval | coverage | truth above it | below it | mean width |")
    print("|---|---|---|---|---|---|---|")
    tries: tuple[tuple[Draw, tuple[int, ...], str, Interval], ...] = (
        (unequal, SCENARIOS, "jackknife t", by_jackknife),
        (zero_inflated, (10, 20, 30), "BCa", by_scenario_with_bca),
        (zero_inflated, (90,), "t", by_scenario_with_t),
        (rare, (90,), "t", by_scenario_with_t),
        (crossed, (90,), "two-way t", by_both),
    )
    for draw, counts, label, interval in tries:
        for count in counts:
            _rows("default", count, coverage(draw, by_scenario, count))
            _rows(label, count, coverage(draw, interval, count))


def _rows(label: str, count: int, found: Mapping[str, Coverage]) -> None:
    for name, cell in found.items():
        sides = f"{cell.above:.1%} | {1 - cell.held - cell.above:.1%}"
        shares = f"{_cell(cell)} | {sides} | {cell.width:.3f}"
        print(f"| {name} | {count} | {label} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
