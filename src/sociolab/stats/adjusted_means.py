"""People's means adjusted for how severe their raters are, with intervals for other raters too.

One mixed model (`stats.crossed_model`) of all ratings of a metric: a mean for each side (an agent),
perhaps a slope on something known of each play (its length), and random effects of the rater, the
scenario, either for one side, the pair or block that plays were matched in, and the play. Sides may
scatter unequally. Whoever rated several sides tells their severity from the sides' means, so that a
side that severe raters happened to get is not the worse for it, and the interval of a difference
holds other raters and scenarios without paying for the severity that is known.
benchmarks/bench_raters.py holds it against clustering both ways (`stats.crossed_raters`), which
weighs every play alike.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np

from sociolab.stats.crossed_model import CrossedModel, fit_crossed
from sociolab.stats.crossed_raters import LEAST_RATERS, RatedEstimate, RatedPlay
from sociolab.stats.intervals import NO_VARIATION, Counts, Floats, number_clusters, t_critical
from sociolab.stats.paired_tests import Comparison, holm, holm_levels
from sociolab.stats.power import Needed, t_shift

BY_MODEL = "by Student's t in a model with {others}, so for other {others} too"
"""The note of such a p; sign flips would hold the raters fixed."""

NO_SLOPE = "nothing differs between plays of one agent"
"""Why there is no slope."""

_OF_SIDES = ("scenario by side", "rater by side", "play")
"""Factors whose effects vary more where a side's values do; severity is the same for all sides."""

_PRIOR_PLAYS, _ROUNDING = 5, 1e-12


@dataclass(frozen=True, slots=True)
class AdjustedMeans:
    """The fitted means of the sides, in the order of `sides`, then the slope, if any (`fixed`).

    `plays` and `clusters` count them by side. Without a model there is no interval of any, and
    `problem` says why. Fewer than `LEAST_RATERS` raters have no effects of their own, and intervals
    hold for them alone.
    """

    sides: tuple[str, ...]
    plays: Mapping[str, int]
    clusters: Mapping[str, int]
    raters: int
    fixed: Floats
    model: CrossedModel | None = None
    problem: str = ""

    def contrast(self, weights: Mapping[str, float]) -> RatedEstimate:
        """The weighted sum of the sides' means: {"a": 1, "b": -1} is a's less b's."""
        row = np.zeros(len(self.fixed))
        row[: len(self.sides)] = [weights.get(side, 0.0) for side in self.sides]
        involved = [side for side in self.sides if weights.get(side)]
        n = sum(self.plays[side] for side in involved)
        return self._estimate(row, n, min(self.clusters[side] for side in involved))

    def slope(self) -> RatedEstimate:
        """The slope within the sides: points by one of what was given for each play."""
        row = np.eye(len(self.fixed))[-1]
        return self._estimate(row, sum(self.plays.values()), max(self.clusters.values()))

    def _estimate(self, row: Floats, n: int, clusters: int) -> RatedEstimate:
        if self.model is None or clusters < 2:
            value = None if self.problem == NO_SLOPE else float(self.fixed @ row)
            why = self.problem or "1 cluster"
            return RatedEstimate(value, n, clusters, None, None, "none", note=why)
        value, error, freedom = self.model.estimate(row)
        # However many plays, what scenarios and raters add is known from these many, and between
        # sides no less than clustered both ways: whether raters like one side is hard to tell.
        least = min(clusters, self.raters) - 1 if len(self.sides) > 1 else 1
        freedom = max(1.0, least, min(freedom, clusters + self.raters - 2))
        half = t_critical(freedom) * error
        return RatedEstimate(
            value, n, clusters, value - half, value + half, "model",
            error=error, freedom=freedom, raters=self.raters,
        )  # fmt: skip


def adjust_means(plays: Sequence[RatedPlay], along: Sequence[float] | None = None) -> AdjustedMeans:
    """Fit the model to the ratings of these plays, a mean for each `side`; `along`, a number for
    each play, adds a slope. Weights of plays have no part in it.

    ValueError without plays, and for a play without ratings.

    >>> from sociolab.stats import RatedPlay, adjust_means
    >>> plays = []
    >>> for i in range(8):  # "kind" and "mild" rated a alone, "harsh" b alone, which is better by 1
    ...     kind, mild, fair, strict, harsh = (7 - n + (i + n) % 2 for n in range(5))
    ...     given = ("kind", kind), ("mild", mild), ("fair", fair), ("strict", strict)
    ...     plays.append(RatedPlay(f"s{i}", given, side="a"))
    ...     given = ("fair", fair + 1), ("strict", strict + 1), ("harsh", harsh + 1)
    ...     plays.append(RatedPlay(f"s{i}", given, side="b"))
    >>> means = adjust_means(plays)  # the plain means are 6 and 5.5
    >>> means.raters, round(means.contrast({"b": 1, "a": -1}).value, 1)
    (5, 1.0)
    """
    if not plays or not all(play.ratings for play in plays):
        raise ValueError("expected plays with at least a rating each")
    sizes = [len(play.ratings) for play in plays]
    values = np.array([value for play in plays for _, value in play.ratings], dtype=np.float64)
    raters = [name for play in plays for name, _ in play.ratings]
    sides = number_clusters([play.side for play in plays])
    scenarios = number_clusters([play.cluster for play in plays])
    fixed = np.eye(int(sides.max()) + 1)[sides]
    if along is not None:
        fixed = np.column_stack([fixed, np.asarray(along) - np.mean(along)])
    fixed = np.repeat(fixed, sizes, axis=0)
    solved, _, rank, _ = np.linalg.lstsq(fixed, values)
    fitted: Floats = solved.astype(np.float64)
    names = sorted({play.side for play in plays})
    found = AdjustedMeans(
        tuple(names),
        {name: sum(play.side == name for play in plays) for name in names},
        {name: len({play.cluster for play in plays if play.side == name}) for name in names},
        len({*raters}),
        fitted,
    )
    if rank < fixed.shape[1]:
        return replace(found, problem=NO_SLOPE)
    rest = np.abs(values - fixed @ fitted).max()
    if rest <= 1e-9 * max(1.0, float(np.abs(values).max())):
        return replace(found, problem=NO_VARIATION)
    factors = {
        "scenario": np.repeat(scenarios, sizes),
        "block": np.repeat(number_clusters([play.block for play in plays]), sizes),
        "scenario by side": np.repeat(scenarios * len(names) + sides, sizes),
        "play": np.repeat(np.arange(len(plays)), sizes),
    }
    if found.raters >= LEAST_RATERS:
        factors["rater"] = number_clusters(raters)
        factors["rater by side"] = factors["rater"] * len(names) + np.repeat(sides, sizes)
    of_values = np.repeat(sides, sizes)
    drawn = _side_scales(values, of_values, np.bincount(sides))
    return replace(found, model=fit_crossed(values, fixed, factors, drawn[of_values], _OF_SIDES))


def _side_scales(values: Floats, sides: Counts, plays: Counts) -> Floats:
    """How far the values of each side scatter beside those of all: an agent near the top of the
    scale less. Drawn to 1 as by `_PRIOR_PLAYS` plays."""
    n = np.bincount(sides)
    squares = (values - (np.bincount(sides, weights=values) / n)[sides]) ** 2
    if len(plays) == 1 or squares.mean() < _ROUNDING:
        return np.ones(len(plays))
    ratios = np.bincount(sides, weights=squares) / n / squares.mean()
    return np.asarray(np.sqrt((plays * ratios + _PRIOR_PLAYS) / (plays + _PRIOR_PLAYS)))


def mean_across(
    values: Sequence[float], factors: Mapping[str, Sequence[Hashable]]
) -> RatedEstimate | None:
    """The mean of values that cross random factors ("scenario", "prompts"), each given by its level
    for each value, with an interval for other levels of all of them; None where the values are all
    the same. Its `clusters` are the levels of the first factor, its `raters` those of the last.

    >>> from sociolab.stats import mean_across
    >>> scores = [3, 4, 6, 2, 4, 5, 4, 5, 6, 3, 3, 6]
    >>> found = mean_across(scores, {"scenario": [0] * 3 + [1] * 3 + [2] * 3 + [3] * 3,
    ...                              "prompts": ["a", "b", "c"] * 4})
    >>> round(found.value, 2), round(found.low, 1), round(found.high, 1)  # three sets, far apart
    (4.25, 1.1, 7.4)
    """
    if np.ptp(values) <= 1e-9 * max(1.0, float(np.abs(values).max())):
        return None
    codes = {name: number_clusters(list(map(repr, levels))) for name, levels in factors.items()}
    model = fit_crossed(np.array(values, dtype=np.float64), np.ones((len(values), 1)), codes)
    first, *_, last = (len({*levels}) for levels in factors.values())
    found = AdjustedMeans(("",), {"": len(values)}, {"": first}, last, model.fixed, model)
    return found.contrast({"": 1.0})


def for_other_prompts(
    tests: Mapping[str, Comparison],
    gaps: Mapping[str, Sequence[tuple[str, str, float]]],
    looks: int = 1,
    first: str | None = None,
) -> dict[str, Comparison]:
    """Comparisons with interval, p and detectable difference for other prompt sets, too, by a model
    of `gaps`, the differences of matched plays: each with its scenario and prompt set. Those of
    fewer than `LEAST_RATERS` sets hold for these."""
    results: dict[str, RatedEstimate] = {}
    few: dict[str, int] = {}
    for name, some in gaps.items():
        scenarios, sets, values = zip(*some, strict=True) if some else ((), (), ())
        few[name] = len({*sets})
        if few[name] >= LEAST_RATERS:
            found = mean_across(values, {"scenario": scenarios, "prompts": sets})
            if found is not None:
                results[name] = found
    return _replace_estimates(tests, results, few, (looks, first), "prompt sets")


def for_other_raters(
    tests: Mapping[str, Comparison],
    plays: Mapping[str, Sequence[RatedPlay]],
    looks: int = 1,
    first: str | None = None,
) -> dict[str, Comparison]:
    """Comparisons in people's scores with difference, interval, p and detectable difference by the
    model: adjusted for severity, and for other raters too; `plays` are those of both sides, b's
    with negative weights. Those of few raters stay."""
    results: dict[str, RatedEstimate] = {}
    few: dict[str, int] = {}
    for name, some in plays.items():
        if not some:
            continue
        means = adjust_means([play._replace(side="b" if play.weight < 0 else "a") for play in some])
        found = means.contrast({"a": 1.0, "b": -1.0})
        if means.raters >= LEAST_RATERS and found.value is not None:
            results[name] = replace(found, n=tests[name].difference.n)
        else:
            few[name] = means.raters
    return _replace_estimates(tests, results, few, (looks, first), "raters")


def _replace_estimates(
    tests: Mapping[str, Comparison],
    results: Mapping[str, RatedEstimate],
    few: Mapping[str, int],
    family: tuple[int, str | None],
    others: str,
) -> dict[str, Comparison]:
    """The comparisons with the differences of a model; those without one say on how `few` raters
    or prompt sets (`others`) they rest. `family`: the looks, and the metric tested first."""
    ps = {
        name: results[name].p if name in results else test.permutation.testable
        for name, test in tests.items()
    }
    corrected, levels = holm(ps, *family), holm_levels(ps, *family)
    adjusted = {name: replace(test, holm_p=corrected[name]) for name, test in tests.items()}
    note = BY_MODEL.format(others=others)
    for name in few.keys() - results.keys():
        raters = few[name]
        gap = RatedEstimate(**asdict(tests[name].difference), raters=raters)
        adjusted[name] = replace(adjusted[name], difference=gap)
    for name, found in results.items():
        test, error, level = tests[name], found.error or 0.0, levels[name]
        detectable = t_shift(found.freedom or 1.0, level) * error
        adjusted[name] = replace(
            adjusted[name],
            difference=found,
            permutation=replace(test.permutation, p=found.p, smallest=None, exact=False, note=note),
            design=replace(test.design, error=error, detectable=detectable, note="", alpha=level),
            settles=Needed(abs(found.value or 0.0), None, None, f"{others} are needed, too", level),
        )
    return adjusted
