"""How often the 95 % interval of `stats.intervals.mean` holds the true mean, and how often tests
raise a false alarm: recorded experiments.

    OMP_NUM_THREADS=1 .venv/bin/python benchmarks/coverage.py \\
        [shapes] [others] [unseen] [ends] [alarms] [STUDIES]

Data-generating models, 2,000 simulated studies (or so many) for each number of scenarios
(clusters):

- unequal: each scenario has 1 to 20 plays (1 + a rounded exponential), a normal effect of variance
  1 and normal noise of variance 1 on each play; the true mean is 6.
- goal: normal scenarios and plays, rounded on 0..10, four plays a scenario; mean 5.9.
- believability: on 0..10, mostly 9 and 10 and seldom far below; mean 9.1.
- money: on -5..5, nothing to gain in two thirds of the scenarios; mean 0.7.
- success: 5 plays a scenario that succeed with Beta(3.6, 0.4), 0.9 in the mean.
- zero-inflated: 5 plays a scenario on -10..0. In a scenario a play goes wrong with a probability
  that is Beta(0.5, 4.5), 10 % in the mean, and then costs 1 to 10 points, all equally likely; the
  true mean is -0.55. The same with Beta(0.5, 19.5), 2.5 %, is printed below as "rare".
- contaminated: believability that is awful in 15 % of the scenarios; two plays each; mean 8.6.
- crossed: every scenario is played once with each of the same 5 partners; scenario, partner and
  noise are normal with variances 1, 0.25 and 1. The interval is clustered by scenario only. It is
  held against two truths: the mean over scenarios at large with these partners, and the mean over
  partners at large too, of which 5 partners are a sample that the interval knows nothing about.

A study whose scenarios all have the same mean gives no interval; it is counted apart, and coverage
is the share of the intervals that were given. The Monte Carlo error of a coverage of 95 % is 0.5
points. Widths are in those of an interval that knows the distribution (1.96 standard errors to
either side). Intervals are on the scale (`stats.intervals.on_scale`). The second table holds other
intervals against ours: Student's t, Johnson's (both
ends shifted), Hall's transformation (1992), Wilson's score interval with a design effect, scipy's
BCa bootstrap of scenarios (500 studies).

"Unseen" are shapes that played no part in finding the interval's constant: see `UNSEEN`, each with
1 play a cluster, 4, or 1 to 20 (all equally likely), and with a correlation within clusters of 0,
.3 or .8 (of the normal variables that scores are made of). Beside ours stands Student's t on the
plain cluster-robust error. "Ends" are scores of which 70 or 90 % are 10, the others alike from 7 to
9, 0 to 9, or 0 to 2, with plays alike (.5), beside the interval that does not know that clusters
crowd at one end. The last lines are false alarms: of gates on rare measures, and of a
comparison that is looked at six times as it grows.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr
from scipy.stats import bootstrap, gamma, norm, skew, t

from sociolab.stats.intervals import mean, on_scale, t_quantile
from sociolab.stats.paired_tests import sign_flip

SIMULATIONS = 2000
SCENARIOS = (5, 10, 14, 20, 30, 45, 90)
PARTNERS = 5

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Study:
    """The simulated plays of one study, and the means that an interval may be asked to hold."""

    values: Floats
    scenarios: NDArray[np.intp]
    truths: Mapping[str, float]
    scale: tuple[float, float] = (-math.inf, math.inf)


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


def rounded(values: Floats, low: float, high: float) -> Floats:
    return np.clip(np.round(values), low, high)


def study(
    name: str, table: Floats, truth: float, scale: tuple[float, float] = (0.0, 10.0)
) -> Study:
    """A row for each scenario, a column for each of its plays."""
    scenarios = np.repeat(np.arange(len(table)), table.shape[1])
    return Study(table.ravel().astype(np.float64), scenarios, {name: truth}, scale)


def goal(random: np.random.Generator, count: int) -> Study:
    effect = random.normal(6, 1.5, (count, 1))
    return study("goal", rounded(effect + random.normal(0, 2.5, (count, 4)), 0, 10), 5.910)


def believability(random: np.random.Generator, count: int) -> Study:
    lost = random.gamma(1.5, 0.6, (count, 1)) * random.gamma(2, 0.5, (count, 4))
    return study("believability", np.clip(10 - random.poisson(lost), 0, 10), 9.104)


def contaminated(random: np.random.Generator, count: int) -> Study:
    awful = random.random((count, 1)) < 0.15
    base = np.where(awful, random.normal(6.5, 1.5, (count, 1)), random.normal(9, 0.4, (count, 1)))
    table = rounded(base + random.normal(0, 0.7, (count, 2)), 0, 10)
    return study("contaminated", table, 8.597)


def money(random: np.random.Generator, count: int) -> Study:
    gained = rounded(random.normal(2, 1, (count, 1)) + random.normal(0, 1.5, (count, 4)), -5, 5)
    table = np.where(random.random((count, 1)) < 0.35, gained, 0.0)
    return study("money", table, 0.690, (-5, 5))


def success(random: np.random.Generator, count: int) -> Study:
    table = random.random((count, 5)) < random.beta(3.6, 0.4, (count, 1))
    return study("success", table.astype(np.float64), 0.9, (0, 1))


def zero_inflated(random: np.random.Generator, count: int, rate: float = 0.1) -> Study:
    scenarios = np.repeat(np.arange(count), 5)
    risk = random.beta(0.5, 0.5 / rate - 0.5, count)
    wrong = random.random(len(scenarios)) < risk[scenarios]
    values = np.where(wrong, -random.integers(1, 11, len(scenarios)), 0).astype(np.float64)
    return Study(values, scenarios, {"zero-inflated": -5.5 * rate}, (-10, 0))


def rare(random: np.random.Generator, count: int) -> Study:
    study = zero_inflated(random, count, 0.025)
    return replace(study, truths={"zero-inflated, rare": -0.1375})


def crossed(random: np.random.Generator, count: int) -> Study:
    scenario, partner = random.normal(0, 1, (count, 1)), random.normal(0, 0.5, PARTNERS)
    values = 6 + scenario + partner + random.normal(0, 1, (count, PARTNERS))
    truths = {"crossed, these partners": 6 + float(partner.mean()), "crossed, partners at large": 6}
    return Study(values.ravel(), np.repeat(np.arange(count), PARTNERS), truths)


def by_scenario(study: Study, seed: int) -> Limits:
    names = [f"s{i:02}" for i in study.scenarios]
    found = on_scale(mean(study.values.tolist(), names), *study.scale)
    return None if found.low is None or found.high is None else (found.low, found.high)


_QUANTILES = (np.arange(20_001) + 0.5) / 20_001


def _rare(rate: float, quantiles: Floats) -> Floats:
    return (quantiles < rate).astype(np.float64)


UNSEEN: Mapping[str, tuple[Callable[[Floats], Floats], tuple[float, float]]] = {
    "near normal, 0..10": (lambda u: np.round(norm.ppf(u, 5.9, 2.8)), (0, 10)),
    "skewed down, 0..10": (lambda u: np.round(10 - gamma.ppf(u, 0.8, scale=1.4)), (0, 10)),
    "skewed up, 0..10": (lambda u: np.round(gamma.ppf(u, 0.6, scale=2)), (0, 10)),
    "half 1 or 2, half 8 to 10": (
        lambda u: np.where(u < 0.5, 1 + np.round(2 * u), 8 + np.round(4 * (u - 0.5))), (0, 10)
    ),
    "15 % 1 or 2, the rest 9 or 10": (
        lambda u: np.where(u < 0.15, 1 + np.round(6 * u), 9 + np.round(u)), (0, 10)
    ),
    "80 % 0, the rest -1 to -10": (
        lambda u: np.where(u < 0.2, -np.ceil(u / 0.2 * 10), 0), (-10, 0)
    ),
    "90 % 0, the rest to 1": (lambda u: np.where(u < 0.1, np.ceil(u / 0.1 * 4) / 4, 0), (0, 1)),
    "70 % 0, else -3, 2 or 4": (
        lambda u: np.where(u < 0.7, 0, np.where(u < 0.73, -3, np.where(u < 0.9, 2, 4))), (-5, 5)
    ),
    **{
        f"rate {rate}": (partial(_rare, rate), (0, 1))
        for rate in (0.02, 0.1, 0.5, 0.9)
    },
}  # fmt: skip
"""Scores by quantile, and their scale."""


def unseen(name: str, plays: int, alike: float) -> Draw:
    """`plays` in each cluster, or 1 to 20 for 0; `alike`: the correlation within clusters."""
    quantile, scale = UNSEEN[name]
    scores = np.clip(quantile(_QUANTILES), *scale).astype(np.float64)

    def draw(random: np.random.Generator, count: int) -> Study:
        sizes = np.full(count, plays) if plays else random.integers(1, 21, count)
        home = np.repeat(np.arange(count), sizes)
        shared = math.sqrt(alike) * random.normal(size=count)[home]
        place = ndtr(shared + math.sqrt(1 - alike) * random.normal(size=len(home)))
        values = scores[np.minimum((place * len(scores)).astype(int), len(scores) - 1)]
        return Study(values, home, {name: float(scores.mean())}, scale)

    return draw


def plain(study: Study, _seed: int) -> Limits:
    """Student's t on the cluster-robust error with G / (G - 1), cut at the scale."""
    groups = int(study.scenarios.max()) + 1
    away = np.bincount(study.scenarios, weights=study.values - study.values.mean())
    error = math.sqrt(groups / (groups - 1) * float((away**2).sum())) / len(study.values)
    if error < 1e-12:
        return None
    half, centre = t_quantile(0.975, groups - 1) * error, float(study.values.mean())
    return max(centre - half, study.scale[0]), min(centre + half, study.scale[1])


def means_of(study: Study) -> Floats:
    """The mean of each scenario, where all have as many plays."""
    return np.asarray(study.values.reshape(int(study.scenarios.max()) + 1, -1).mean(axis=1))


def other(kind: str, low: float, high: float) -> Interval:
    """Another interval from the scenarios' means, on this scale."""

    def limits(study: Study, seed: int) -> Limits:
        x = means_of(study)
        n, centre, error = len(x), float(x.mean()), float(x.std(ddof=1)) / math.sqrt(len(x))
        if error < 1e-12:
            return None
        edge, root, g = float(t.ppf(0.975, n - 1)), math.sqrt(n), float(skew(x, bias=False))
        if kind == "t":
            return centre - edge * error, centre + edge * error
        if kind == "Johnson":
            shift = error * g / (6 * root) * (1 + 2 * edge**2)
            return centre + shift - edge * error, centre + shift + edge * error
        if kind == "Hall":
            ends = [
                3 * root / g * (np.cbrt(1 + g / root * (q - g / (6 * root))) - 1) if g else q
                for q in (edge, -edge)
            ]
            return centre - error * float(ends[0]), centre - error * float(ends[1])
        if kind == "Wilson":
            p, se = (centre - low) / (high - low), error / (high - low)
            a = edge**2 * se**2 / (p * (1 - p))
            middle, half = (p + a / 2) / (1 + a), math.sqrt(p * (1 - p) * a + a * a / 4) / (1 + a)
            return low + (high - low) * (middle - half), low + (high - low) * (middle + half)
        found = bootstrap((x,), np.mean, n_resamples=2000, rng=np.random.default_rng(seed))
        return float(found.confidence_interval.low), float(found.confidence_interval.high)

    return limits


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


def coverage(
    draw: Draw, interval: Interval, count: int, simulations: int = SIMULATIONS
) -> dict[str, Coverage]:
    """Simulate; the studies depend on their number and size only, so that methods share them."""
    found: dict[str, list[tuple[bool, bool, float]]] = {}
    centres = []
    for number in range(simulations):
        study = draw(np.random.default_rng([number, count]), count)
        limits = interval(study, number)
        centres.append(float(study.values.mean()))
        for name, truth in study.truths.items():
            rows = found.setdefault(name, [])
            if limits is not None:
                low, high = limits
                rows.append((low <= truth <= high, high < truth, high - low))
    oracle = 2 * 1.96 * float(np.std(centres))
    return {name: _summary(rows, oracle) for name, rows in found.items()}


def _summary(rows: list[tuple[bool, bool, float]], oracle: float) -> Coverage:
    held, above, width = np.array(rows, dtype=np.float64).mean(axis=0).tolist()
    return Coverage(len(rows), held, above, width / oracle)


def main() -> None:
    """Print the tables in Markdown."""
    start = time.perf_counter()
    studies = next((int(word) for word in sys.argv[1:] if word.isdigit()), SIMULATIONS)
    print(f"Coverage of the 95 % interval, {studies:,} studies a cell (numpy {np.__version__})")
    parts = {
        "shapes": _shapes,
        "others": _others,
        "unseen": _unseen,
        "ends": _ends,
        "alarms": _false_alarms,
    }
    for name in [word for word in sys.argv[1:] if not word.isdigit()] or parts:
        parts[name](studies)
    print(f"{time.perf_counter() - start:.0f} s")


def _shapes(simulations: int) -> None:
    print("\n| scores | " + " | ".join(f"{count} scenarios" for count in SCENARIOS) + " |")
    print("|---|" + "---|" * len(SCENARIOS))
    shapes = (unequal, goal, believability, money, success, zero_inflated, rare, contaminated)
    for draw in (*shapes, crossed):
        cells = {count: coverage(draw, by_scenario, count, simulations) for count in SCENARIOS}
        for name in cells[SCENARIOS[-1]]:
            row = [cells[count][name] for count in SCENARIOS]
            print(
                f"| {name} | " + " | ".join(_cell(one, simulations) for one in row) + " |",
                flush=True,
            )


def _unseen(simulations: int) -> None:
    counts = (5, 10, 20, 40)
    print("\n| scores | plays a cluster | alike | " + " | ".join(f"{n} clusters" for n in counts))
    print("|---|---|---|" + "---|" * len(counts))
    below: dict[str, list[int]] = {"ours": [0, 0], "t": [0, 0]}
    for name in UNSEEN:
        for plays, alike in ((1, 0.0), *((n, r) for n in (4, 0) for r in (0.0, 0.3, 0.8))):
            draw, cells = unseen(name, plays, alike), []
            for count in counts:
                found = {
                    "ours": coverage(draw, by_scenario, count, simulations)[name],
                    "t": coverage(draw, plain, count, simulations)[name],
                }
                for kind, one in found.items():
                    below[kind][0] += count >= 10
                    below[kind][1] += count >= 10 and one.held < 0.93
                ours, student = found["ours"], found["t"]
                cells.append(f"{ours.held:.1%}, {ours.width:.2f} (t {student.held:.1%})")
            print(f"| {name} | {plays or '1 to 20'} | {alike} | " + " | ".join(cells), flush=True)
    for kind, (many, short) in below.items():
        print(f"{kind}: below 93 % in {short} of {many} cells from 10 clusters on")


def _ends(simulations: int) -> None:
    """Coverage, the share with the truth below them, and the width beside the usual interval's."""
    counts = (3, 5, 8, 10, 14, 20, 40)
    lowest = {"7 to 9": 7, "0 to 9": 0, "0 to 2": 0}
    print("\n| tens | others | plays | " + " | ".join(f"{count} clusters" for count in counts))
    print("|---|---|---|" + "---|" * len(counts))
    for share in (0.7, 0.9):
        for others, low in lowest.items():
            steps = 3 if others != "0 to 9" else 10
            below = np.floor(_QUANTILES / (1 - share) * steps) + low
            scores = np.where(1 - share > _QUANTILES, below, 10.0)
            for plays in (2, 5):
                cells = [_end_cell(scores, plays, count, simulations) for count in counts]
                print(f"| {share:.0%} | {others} | {plays} | " + " | ".join(cells), flush=True)


def _end_cell(scores: Floats, plays: int, count: int, simulations: int) -> str:
    random, truth = np.random.default_rng([count, plays]), float(scores.mean())
    homes = [f"s{i}" for i in range(count) for _ in range(plays)]
    rows: list[tuple[float, float]] = []
    for _ in range(simulations):
        shared = random.normal(size=(count, 1))
        place = ndtr((shared + random.normal(size=(count, plays))) / math.sqrt(2)).ravel()
        values = scores[np.minimum((place * len(scores)).astype(int), len(scores) - 1)]
        found = mean(values.tolist(), homes)
        ours, usual = (on_scale(e, 0, 10) for e in (found, replace(found, by_cluster=None)))
        rows += [(e.low or 0.0, 10.0 if e.high is None else e.high) for e in (ours, usual)]
    limits = np.array(rows).reshape(-1, 2, 2)
    held = ((limits[:, :, 0] <= truth) & (truth <= limits[:, :, 1])).mean(axis=0)
    widths = (limits[:, :, 1] - limits[:, :, 0]).mean(axis=0)
    return f"{held[0]:.1%} ({held[1]:.1%}), {widths[0] / widths[1]:.2f}"


def _cell(found: Coverage, simulations: int) -> str:
    without = 1 - found.given / simulations
    return f"{found.held:.1%}, {found.width:.2f}" + (f" ({without:.1%} none)" if without else "")


def _others(simulations: int) -> None:
    print("\n| scores | scenarios | interval | coverage, width | truth above it | below it |")
    print("|---|---|---|---|---|---|")
    scales: tuple[tuple[Draw, float, float], ...] = (
        (goal, 0, 10), (believability, 0, 10), (money, -5, 5), (success, 0, 1),
    )  # fmt: skip
    for draw, low, high in scales:
        for count in (10, 45):
            _row("ours", count, coverage(draw, by_scenario, count, simulations), simulations)
            for kind in ("t", "Johnson", "Hall", "Wilson", "BCa"):
                many = min(500, simulations) if kind == "BCa" else simulations
                _row(kind, count, coverage(draw, other(kind, low, high), count, many), many)
    _row("two-way t", 90, coverage(crossed, by_both, 90, simulations), simulations)


def _row(label: str, count: int, found: Mapping[str, Coverage], many: int) -> None:
    for name, cell in found.items():
        sides = f"{cell.above:.1%} | {1 - cell.held - cell.above:.1%}"
        none = f" ({1 - cell.given / many:.1%} none)" if cell.given < many else ""
        print(
            f"| {name} | {count} | {label} | {cell.held:.1%}, {cell.width:.2f}{none} | {sides} |",
            flush=True,
        )


def _false_alarms(simulations: int) -> None:
    """Gates at the truth, on measures that are 0 in most plays; and six looks at no difference.

    Single plays, or 3 of a scenario that are alike (Beta, correlation .3). A gate on a difference
    has its limit at 0; one on a mean has it at the true mean.
    """
    counts = (5, 10, 20, 40, 90)
    print("\n| gate on | plays a scenario | " + " | ".join(f"{n} scenarios" for n in counts) + " |")
    print("|---|---|" + "---|" * len(counts))
    for kind in ("difference of costs", "mean cost", "rate"):
        for rate in (0.02, 0.04, 0.1):
            for plays in (1, 3):
                fired = [_fired(kind, rate, plays, count, simulations) for count in counts]
                cells = " | ".join(f"{under:.1%}, {over:.1%}" for under, over in fired)
                print(f"| {kind}, {rate:.0%} not 0 | {plays} | {cells} |", flush=True)
    looks, alarms, random = (10, 20, 30, 45, 60, 90), np.zeros(2), np.random.default_rng(1)
    for _ in range(600):
        gaps = random.normal(0, 1, 90).tolist()
        ps = [sign_flip({"x": gaps[:n]}, [f"s{i}" for i in range(n)])["x"].p or 1.0 for n in looks]
        alarms += (min(ps) < 0.05, min(ps) * len(looks) < 0.05)
    print(
        f"six looks: significant at some look in {alarms[0] / 600:.1%}; corrected for six looks in "
        f"{alarms[1] / 600:.1%}"
    )


def _fired(kind: str, rate: float, plays: int, count: int, simulations: int) -> tuple[float, float]:
    """How often the interval lies below the truth, and above it."""
    random, fired = np.random.default_rng([count, int(100 * rate), plays]), np.zeros(2)
    homes = [f"s{i}" for i in range(count) for _ in range(plays)]

    def drawn() -> Floats:
        odds: Floats = np.full((count, 1), rate)
        if plays > 1:
            odds = random.beta(rate * 7 / 3, (1 - rate) * 7 / 3, (count, 1))
        hits = (random.random((count, plays)) < odds).ravel().astype(np.float64)
        return hits if kind == "rate" else -hits * random.integers(1, 11, len(hits))

    truth, scale = {
        "difference of costs": (0.0, (-10, 10)),
        "mean cost": (-5.5 * rate, (-10, 0)),
        "rate": (rate, (0, 1)),
    }[kind]
    for _ in range(simulations):
        values = drawn() - drawn() if kind.startswith("difference") else drawn()
        found = on_scale(mean(values.tolist(), homes), *scale)
        if found.low is not None and found.high is not None:
            fired += (found.high < truth, found.low > truth)
    under, over = (fired / simulations).tolist()
    return under, over


if __name__ == "__main__":
    main()
