"""Everything about how far people and judges agree on the same items, in one record.

An item is what is rated: one character's play in one episode. Per dimension and per group (in
SOTOPIA who played: "model" or "human", as in its Table 1), and for all groups together (None):
people among themselves, each judge against the people, each two judges against each other.

Over all dimensions there are two summaries, as one figure cannot serve both: `OVERALL` treats a
rater's mean over all dimensions of an item as one more score; `POOLED` counts each dimension of an
item as an item of its own, binned by its own range, which is how one kappa for a whole study
(SOTOPIA, appendix D) comes about. Correlation and alpha are not given for `POOLED`: the unlike
ranges would make them high whatever the raters do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean
from typing import TypeAlias

from sociolab.stats.alpha import Alpha, Metric, krippendorff_alpha
from sociolab.stats.binning import Bins
from sociolab.stats.correlation import Correlation, pearson, spearman
from sociolab.stats.intervals import Estimate, mean
from sociolab.stats.kappa import Agreement, agreement
from sociolab.stats.spread import Judged, Spread, spread

OVERALL = "overall"
POOLED = "pooled"

_Sheet: TypeAlias = dict[str, dict[str, dict[str, float | None]]]
"""Values by dimension, item and rater."""


@dataclass(frozen=True, slots=True)
class Rated:
    """One rating: of `item` by `rater` on `dimension`; `value` is None where it is missing.

    All ratings of an item share its `cluster` (the scenario) and its `group` (who played it).
    """

    item: str
    rater: str
    dimension: str
    value: float | None
    cluster: str
    group: str


@dataclass(frozen=True, slots=True)
class AmongPeople:
    """Agreement of people on one dimension, in one group or (None) in all.

    `raters` counts different people. The alphas, by metric, are None for `POOLED`.
    """

    dimension: str
    group: str | None
    raters: int
    agreement: Agreement
    nominal: Alpha | None
    ordinal: Alpha | None
    interval: Alpha | None


@dataclass(frozen=True, slots=True)
class JudgeAndPeople:
    """One judge against the mean of the people, on one dimension, in one group or (None) in all.

    `failed` counts ratings that the judge owes (None), `only_judge` and `only_people` items that
    the other side has not rated, those failures included.
    """

    judge: str
    dimension: str
    group: str | None
    pearson: Correlation
    spearman: Correlation
    spread: Spread
    failed: int
    only_judge: int
    only_people: int


@dataclass(frozen=True, slots=True)
class JudgePair:
    """Two judges as raters of the same items; `difference` is the mean of first minus second.

    All but `agreement` are None for `POOLED`.
    """

    first: str
    second: str
    dimension: str
    group: str | None
    agreement: Agreement
    pearson: Correlation | None
    spearman: Correlation | None
    difference: Estimate | None


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Cells in the order of judges, dimensions (as their ranges; summaries last), groups."""

    people: tuple[AmongPeople, ...]
    judges: tuple[JudgeAndPeople, ...]
    pairs: tuple[JudgePair, ...]


def agreement_report(
    rows: Sequence[Rated],
    judge_rows: Sequence[Rated],
    ranges: Mapping[str, tuple[float, float]],
    *,
    bins: int = 5,
    level: float = 0.95,
    seed: int = 0,
    resamples: int = 5000,
) -> AgreementReport:
    """Compare ratings by people (`rows`) and by judges (`judge_rows`, the judge is the rater).

    `ranges` gives each dimension's low and high end, and with them its equal bins, `bins` in
    number. The order of rows does not matter. The summaries are left out where there is one
    dimension. ValueError for a dimension without a range or named as a summary, a rating outside
    its range, the same rating twice, an item in two clusters or groups.
    """
    if taken := {OVERALL, POOLED} & set(ranges):
        raise ValueError(f"{min(taken)} is the name of a summary, no dimension may have it")
    by_dimension = {name: Bins(low, high, bins) for name, (low, high) in ranges.items()}
    study = _Study(
        people=_sheet(rows, by_dimension),
        judges=_sheet(judge_rows, by_dimension),
        homes=_homes((*rows, *judge_rows)),
        bins=_with_overall(by_dimension),
        level=level,
        seed=seed,
        resamples=resamples,
    )
    names = list(study.bins)
    pooled = [POOLED] if len(ranges) > 1 else []
    groups: list[str | None] = [None, *sorted({group for _, group in study.homes.values()})]
    judges = sorted({row.rater for row in judge_rows})
    return AgreementReport(
        people=tuple(study.among_people(name, g) for name in names + pooled for g in groups),
        judges=tuple(
            study.judge_and_people(judge, name, group)
            for judge in judges
            for name in names
            for group in groups
        ),
        pairs=tuple(
            study.judge_pair(first, second, name, group)
            for first, second in combinations(judges, 2)
            for name in names + pooled
            for group in groups
        ),
    )


@dataclass(frozen=True, slots=True)
class _Study:
    """Both sheets, each item's cluster and group, and how intervals are made."""

    people: _Sheet
    judges: _Sheet
    homes: dict[str, tuple[str, str]]
    bins: dict[str, Bins]
    level: float
    seed: int
    resamples: int

    def among_people(self, dimension: str, group: str | None) -> AmongPeople:
        items = self._items(self.people, dimension, group)
        single = dimension != POOLED
        return AmongPeople(
            dimension,
            group,
            raters=len({rater for item in items for rater in item.values}),
            agreement=self._agreement(items),
            nominal=self._alpha(items, "nominal") if single else None,
            ordinal=self._alpha(items, "ordinal") if single else None,
            interval=self._alpha(items, "interval") if single else None,
        )

    def judge_and_people(self, judge: str, dimension: str, group: str | None) -> JudgeAndPeople:
        people = {item.name: item for item in self._items(self.people, dimension, group)}
        judged = {
            item.name: item
            for item in self._items(self.judges, dimension, group)
            if judge in item.values
        }
        scores = {name: item.values[judge] for name, item in judged.items()}
        present = {name: score for name, score in scores.items() if score is not None}
        rated = {name: item.given for name, item in people.items() if item.given}
        both = [name for name in present if name in rated]
        compared = [Judged(present[name], rated[name], judged[name].cluster) for name in both]
        means = [fmean(rated[name]) for name in both]
        scored = [present[name] for name in both]
        clusters = [judged[name].cluster for name in both]
        return JudgeAndPeople(
            judge,
            dimension,
            group,
            pearson=pearson(scored, means, clusters, level=self.level),
            spearman=spearman(scored, means, clusters, level=self.level),
            spread=spread(compared, level=self.level, seed=self.seed, resamples=self.resamples),
            failed=len(scores) - len(present),
            only_judge=len(present) - len(both),
            only_people=len(rated) - len(both),
        )

    def judge_pair(self, first: str, second: str, dimension: str, group: str | None) -> JudgePair:
        items = [
            replace(item, values={judge: item.values.get(judge) for judge in (first, second)})
            for item in self._items(self.judges, dimension, group)
            if first in item.values or second in item.values
        ]
        found = JudgePair(first, second, dimension, group, self._agreement(items), None, None, None)
        if dimension == POOLED:
            return found
        a, b = ([item.values[judge] for item in items] for judge in (first, second))
        clusters = [item.cluster for item in items]
        gaps = [None if x is None or y is None else x - y for x, y in zip(a, b, strict=True)]
        return replace(
            found,
            pearson=pearson(a, b, clusters, level=self.level),
            spearman=spearman(a, b, clusters, level=self.level),
            difference=mean(
                gaps, clusters, level=self.level, seed=self.seed, resamples=self.resamples
            ),
        )

    def _items(self, sheet: _Sheet, dimension: str, group: str | None) -> list[_Item]:
        """The items of one dimension (of all given ones, for `POOLED`), sorted by name."""
        names = (
            [name for name in self.bins if name != OVERALL] if dimension == POOLED else [dimension]
        )
        return [
            _Item(item, sheet[name][item], self.bins[name], self.homes[item][0])
            for name in names
            for item in sorted(sheet[name])
            if group is None or self.homes[item][1] == group
        ]

    def _agreement(self, items: Sequence[_Item]) -> Agreement:
        return agreement(
            [tuple(item.values.values()) for item in items],
            [item.bins for item in items],
            [item.cluster for item in items],
            level=self.level,
            seed=self.seed,
            resamples=self.resamples,
        )

    def _alpha(self, items: Sequence[_Item], metric: Metric) -> Alpha:
        values = [tuple(item.values.values()) for item in items]
        return krippendorff_alpha(
            values, [item.cluster for item in items], metric, level=self.level
        )


@dataclass(frozen=True, slots=True)
class _Item:
    """One item on one dimension: what each rater gave it."""

    name: str
    values: Mapping[str, float | None]
    bins: Bins
    cluster: str

    @property
    def given(self) -> tuple[float, ...]:
        return tuple(value for value in self.values.values() if value is not None)


def _homes(rows: Sequence[Rated]) -> dict[str, tuple[str, str]]:
    """Each item's cluster and group."""
    homes: dict[str, tuple[str, str]] = {}
    for row in rows:
        home = (row.cluster, row.group)
        if homes.setdefault(row.item, home) != home:
            raise ValueError(
                f"item {row.item} belongs to one cluster and one group, "
                f"found {homes[row.item]} and {home}"
            )
    return homes


def _sheet(rows: Sequence[Rated], bins: Mapping[str, Bins]) -> _Sheet:
    """The rows by dimension, item and rater, with `OVERALL` where there are several dimensions."""
    sheet: _Sheet = {name: {} for name in bins}
    for row in rows:
        if row.dimension not in bins:
            raise ValueError(f"dimension {row.dimension!r} has no range, found {sorted(bins)}")
        what = f"{row.dimension} of item {row.item} by {row.rater}"
        ratings = sheet[row.dimension].setdefault(row.item, {})
        if row.rater in ratings:
            raise ValueError(f"{what} occurs twice")
        if row.value is not None:
            try:
                bins[row.dimension].of(row.value)
            except ValueError as error:
                raise ValueError(f"{what}: {error}") from None
        ratings[row.rater] = row.value
    if len(bins) > 1:
        sheet[OVERALL] = {}
        for item, rater in {(row.item, row.rater): None for row in rows}:
            values = [sheet[name].get(item, {}).get(rater) for name in bins]
            given = [value for value in values if value is not None]
            overall = fmean(given) if len(given) == len(values) else None
            sheet[OVERALL].setdefault(item, {})[rater] = overall
    return sheet


def _with_overall(bins: Mapping[str, Bins]) -> dict[str, Bins]:
    """The bins by dimension, then those of the mean over dimensions."""
    if len(bins) < 2:
        return dict(bins)
    low, high = fmean(b.low for b in bins.values()), fmean(b.high for b in bins.values())
    return {**bins, OVERALL: Bins(low, high, next(iter(bins.values())).count)}
