"""Agreement of people and judges on the same items, in one report.

An item is what is rated: one character's play in one episode. Per dimension and per group (in
SOTOPIA who played: "model" or "human", as in its Table 1), and for all groups together (None):
people among themselves, each judge against the people, each two judges against each other.

Over all dimensions there are two summaries, as one figure cannot serve both: `OVERALL` treats a
rater's mean over all dimensions of an item as one more score; `POOLED` counts each dimension of an
item as an item of its own, binned by its own range, which is how one kappa for a whole study
(SOTOPIA, appendix D) comes about. Correlation and alpha are not given for `POOLED`: the unlike
ranges would make them high whatever the raters do.

How far a judge's scores lie from the ratings that people gave the same items has three views: the
differences from the people's mean (SOTOPIA's Figure 2), the share within one standard deviation of
the people, and the judge against the range that they perceived (SOTOPIA's Figures F.1 to F.3).
SOTOPIA reports 0.74 within one standard deviation and does not say of what. Both readings
are given: of the ratings of the same item (with two raters half of their distance times the square
root of 2; 0 where they agree, so that only a judge at their very score lies within), and of all
people about their items' means, pooled. Both are sample standard deviations.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from sociolab.stats.correlation import Correlation, correlations
from sociolab.stats.inter_rater import (
    Alpha,
    AlphaMetric,
    Bins,
    RaterAgreement,
    RatingTable,
    alphas,
    nan_to_none,
    pair_columns,
    rating_table,
    stack_tables,
    summarize_agreement,
)
from sociolab.stats.intervals import Estimate, Floats, means, number_clusters

OVERALL = "overall"
POOLED = "pooled"

_ROUNDING = 1e-9

_Cell = TypeVar("_Cell")
_METRICS: tuple[AlphaMetric, ...] = ("nominal", "ordinal", "interval")
RatingsByRater: TypeAlias = dict[str, float | None]
"""The ratings of one item, by rater; None where one is missing."""

Sheets: TypeAlias = dict[str, dict[str, RatingsByRater]]
"""Ratings by dimension, item and rater."""


@dataclass(frozen=True, slots=True)
class PeopleAgreement:
    """Agreement of people on one dimension, in one group or (None) in all.

    `raters` counts different people. The alphas, by metric, are None for `POOLED`.
    """

    dimension: str
    group: str | None
    raters: int
    agreement: RaterAgreement
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
    agreement: RaterAgreement
    pearson: Correlation | None
    spearman: Correlation | None
    difference: Estimate | None


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Cells in the order of judges, dimensions (as their ranges; summaries last), groups."""

    people: tuple[PeopleAgreement, ...]
    judges: tuple[JudgeAndPeople, ...]
    pairs: tuple[JudgePair, ...]


def agreement_report(
    rows: Sequence[ItemRating],
    judge_rows: Sequence[ItemRating],
    ranges: Mapping[str, tuple[float, float]],
    *,
    bins: int = 5,
) -> AgreementReport:
    """Compare ratings by people (`rows`) and by judges (`judge_rows`, the judge is the rater).

    `ranges` gives each dimension's low and high end, and with them its equal bins, `bins` in
    number. The order of rows does not matter. The summaries are left out where there is one
    dimension. ValueError for a dimension without a range or named as a summary, a rating outside
    its range, the same rating twice, an item in two clusters or groups.
    """
    if reserved := {OVERALL, POOLED} & set(ranges):
        raise ValueError(f"{min(reserved)} is the name of a summary, no dimension may have it")
    bins_by_name = {name: Bins(low, high, bins) for name, (low, high) in ranges.items()}
    study = rating_arrays(rows, judge_rows, bins_by_name)
    groups: list[str | None] = [None, *sorted(set(study.groups))]
    names = sorted({row.rater for row in judge_rows})
    return AgreementReport(
        people=_order_by_dimension(_compare_people(study, group) for group in groups),
        judges=tuple(
            cell
            for judge in names
            for cell in _order_by_dimension(_compare_judge(study, judge, group) for group in groups)
        ),
        pairs=tuple(
            cell
            for first, second in combinations(names, 2)
            for cell in _order_by_dimension(
                _compare_judges(study, first, second, g) for g in groups
            )
        ),
    )


def _order_by_dimension(groups: Iterable[list[_Cell]]) -> tuple[_Cell, ...]:
    """The cells of each group, dimension by dimension, as ordered by dimension, then by group."""
    return tuple(cell for cells in zip(*groups, strict=True) for cell in cells)


def _mean_columns(
    columns: Mapping[str, Mapping[str, Floats]], clusters: Sequence[str]
) -> dict[str, dict[str, Estimate]]:
    """The mean of each column of each dimension; all columns are of the same items."""
    flat = {
        f"{name} {title}": nan_to_none(column)
        for name, each in columns.items()
        for title, column in each.items()
    }
    estimates = means(flat, clusters)
    return {
        name: {title: estimates[f"{name} {title}"] for title in each}
        for name, each in columns.items()
    }


def _agreements(
    study: RatingArrays, tables: Mapping[str, RatingTable], group: str | None
) -> tuple[dict[str, RatingTable], dict[str, RaterAgreement]]:
    """Agreement by dimension, of tables with a row per item of the group; then of all, pooled.

    A row without ratings, owed or given, is no item of that dimension.
    """
    clusters = study.clusters_in(group)
    columns = {name: pair_columns(table, study.bins[name]) for name, table in tables.items()}
    estimates = _mean_columns(columns, clusters)
    rated = {name: table.select(table.sizes + table.missing > 0) for name, table in tables.items()}
    count = study.categories
    agreements = {name: summarize_agreement(estimates[name], rated[name], count) for name in tables}
    if len(parts := [name for name in tables if name != OVERALL]) > 1:
        pooled = {
            title: np.concatenate([columns[name][title] for name in parts])
            for title in columns[parts[0]]
        }
        shares = _mean_columns({POOLED: pooled}, clusters * len(parts))[POOLED]
        rated[POOLED] = stack_tables([rated[name] for name in parts])
        agreements[POOLED] = summarize_agreement(shares, rated[POOLED], count)
    return rated, agreements


def _compare_people(study: RatingArrays, group: str | None) -> list[PeopleAgreement]:
    mask = study.mask(group)
    tables = {name: people.select(mask) for name, people in study.people.items()}
    rated, agreements = _agreements(study, tables, group)
    cells = []
    for name, agreement in agreements.items():
        metrics: Sequence[Alpha | None] = (None, None, None)
        if name != POOLED:
            is_item = tables[name].sizes + tables[name].missing > 0
            clusters = study.cluster_numbers[mask][is_item]
            metrics = alphas(rated[name], clusters, _METRICS)
        cells.append(PeopleAgreement(name, group, study.raters(name, group), agreement, *metrics))
    return cells


def _compare_judge(study: RatingArrays, judge: str, group: str | None) -> list[JudgeAndPeople]:
    mask, columns = study.mask(group), {}
    sides: dict[
        str, tuple[JudgeGaps, Correlation, Correlation, JudgeColumn, NDArray[np.bool_]]
    ] = {}
    for name, people in study.people.items():
        table, column = people.select(mask), study.judge(judge, name).select(mask)
        rated = table.sizes > 0
        scored = rated & column.scored
        scores, compared, clusters = (
            column.values[scored],
            table.select(scored),
            study.cluster_numbers,
        )
        gaps = JudgeGaps.from_scores(scores, compared)
        linear, ranked = correlations(scores, compared.means(), clusters[mask][scored])
        sides[name] = gaps, linear, ranked, column, rated
        columns[name] = {
            title: _scattered(column, scored) for title, column in gaps.columns().items()
        }
    column_means = _mean_columns(columns, study.clusters_in(group))
    return [
        JudgeAndPeople(
            judge,
            name,
            group,
            pearson=linear,
            spearman=ranked,
            spread=gaps.spread(column_means[name]),
            failed=int((column.owed & ~column.scored).sum()),
            only_judge=int((column.scored & ~rated).sum()),
            only_people=int((rated & ~column.scored).sum()),
        )
        for name, (gaps, linear, ranked, column, rated) in sides.items()
    ]


def _compare_judges(
    study: RatingArrays, first: str, second: str, group: str | None
) -> list[JudgePair]:
    mask = study.mask(group)
    sides = {
        name: (study.judge(first, name).select(mask), study.judge(second, name).select(mask))
        for name in study.people
    }
    tables = {name: _judges_as_raters(*columns) for name, columns in sides.items()}
    _, agreements = _agreements(study, tables, group)
    gaps = {name: {"gap": a.values - b.values} for name, (a, b) in sides.items()}
    differences = _mean_columns(gaps, study.clusters_in(group))
    cells = []
    for name, agreement in agreements.items():
        if name == POOLED:
            cells.append(JudgePair(first, second, name, group, agreement, None, None, None))
            continue
        a, b = sides[name]
        owed = a.owed | b.owed
        linear, ranked = correlations(
            a.values[owed],
            b.values[owed],
            study.cluster_numbers[mask][owed],
        )
        gap = differences[name]["gap"]
        cells.append(JudgePair(first, second, name, group, agreement, linear, ranked, gap))
    return cells


def _scattered(column: Floats, where: NDArray[np.bool_]) -> Floats:
    scattered = np.full(len(where), np.nan)
    scattered[where] = column
    return scattered


def _judges_as_raters(a: JudgeColumn, b: JudgeColumn) -> RatingTable:
    """Two judges as raters: of an item that one of them was to score, the other owes its score."""
    values = np.sort(np.stack([a.values, b.values], axis=1), axis=1)
    owed = np.where(a.owed | b.owed, 2, 0)
    return RatingTable(values, owed - (~np.isnan(values)).sum(axis=1))


@dataclass(frozen=True, slots=True)
class Spread:
    """A judge against people over some items, in points of the scale.

    `bias`: mean of judge minus people's mean; `sd`: sample sd of these differences, None below two
    items. `counts`: (whole number, items) from the least difference to the greatest without gaps,
    each at its nearest whole number and halves away from zero, so that a mirrored scale mirrors
    the counts.

    The rest leaves out items of a single rater, which `single_rater` counts. `within_own_sd`,
    `within_pooled_sd`: share of items with |judge - mean| at most that sd; `pooled_sd`: the latter.
    `inside`: share of scores from the least to the greatest rating of the item, ends included;
    `below`, `above`: how many lie under or over it; `outside_by`: mean distance of those from the
    nearer end.
    """

    bias: Estimate
    sd: float | None
    counts: tuple[tuple[int, int], ...]
    single_rater: int
    within_own_sd: Estimate
    within_pooled_sd: Estimate
    pooled_sd: float | None
    inside: Estimate
    below: int
    above: int
    outside_by: Estimate


@dataclass(frozen=True, slots=True)
class JudgeGaps:
    """Item by item: judge minus people's mean, and how far the judge lies outside their range.

    `squares` and `freedom` are the people's squared deviations from their mean and the ratings
    that these rest on, less one; `outside` is negative below the range, nan for a single rater.
    """

    gaps: Floats
    outside: Floats
    squares: Floats
    freedom: NDArray[np.intp]

    @classmethod
    def from_scores(cls, judge: Floats, people: RatingTable) -> JudgeGaps:
        """Compare a judge's scores with people's ratings; each item has at least one."""
        if not len(judge):
            empty = np.zeros(0)
            return cls(empty, empty, empty, np.zeros(0, dtype=np.intp))
        least, greatest = people.values[:, 0], np.nanmax(people.values, axis=1)
        outside = np.maximum(judge - greatest, 0) + np.minimum(judge - least, 0)
        freedom = people.sizes - 1
        outside = np.where(freedom > 0, outside, np.nan)
        return cls(judge - people.means(), outside, people.squares(), freedom)

    @property
    def pooled_sd(self) -> float | None:
        """The sd of all people about their items' means."""
        return _sd(math.fsum(self.squares.tolist()), int(self.freedom.sum()))

    def columns(self) -> dict[str, Floats]:
        """The columns whose means `spread` takes; nan where an item does not count."""
        several, pooled = self.freedom > 0, self.pooled_sd or 0.0
        own = np.sqrt(self.squares / np.maximum(self.freedom, 1))
        outside = np.abs(self.outside)
        shares = {
            "own": np.abs(self.gaps) <= own + _ROUNDING,
            "pooled": np.abs(self.gaps) <= pooled + _ROUNDING,
            "inside": outside == 0,
        }
        return {
            "bias": self.gaps,
            **{name: np.where(several, share, np.nan) for name, share in shares.items()},
            "outside": np.where(outside > 0, outside, np.nan),
        }

    def spread(self, mean_of: Mapping[str, Estimate]) -> Spread:
        """The summary of these gaps; `mean_of` holds the means of `columns`."""
        gaps = self.gaps.tolist()
        centre = mean_of["bias"].value or 0.0
        return Spread(
            bias=mean_of["bias"],
            sd=_sd(math.fsum((gap - centre) ** 2 for gap in gaps), len(gaps) - 1),
            counts=_counts(self.gaps),
            single_rater=int((self.freedom == 0).sum()),
            within_own_sd=mean_of["own"],
            within_pooled_sd=mean_of["pooled"],
            pooled_sd=self.pooled_sd,
            inside=mean_of["inside"],
            below=int((self.outside < 0).sum()),
            above=int((self.outside > 0).sum()),
            outside_by=mean_of["outside"],
        )


def _sd(squares: float, freedom: int) -> float | None:
    return math.sqrt(squares / freedom) if freedom > 0 else None


def _counts(gaps: Floats) -> tuple[tuple[int, int], ...]:
    """How many lie nearest to each whole number, halves away from zero."""
    if not len(gaps):
        return ()
    nearest = np.copysign(np.floor(np.abs(gaps) + 0.5 + _ROUNDING), gaps).astype(np.intp)
    least = int(nearest.min())
    counts = np.bincount(nearest - least).tolist()
    return tuple((least + i, count) for i, count in enumerate(counts))


@dataclass(frozen=True, slots=True)
class ItemRating:
    """One rating: of `item` by `rater` on `dimension`; `value` is None where it is missing.

    All ratings of an item share its `cluster` (the scenario) and its `group` (who played it).
    """

    item: str
    rater: str
    dimension: str
    value: float | None
    cluster: str
    group: str


def locate_items(rows: Sequence[ItemRating]) -> dict[str, tuple[str, str]]:
    """Each item's cluster and group; ValueError for an item of two."""
    homes: dict[str, tuple[str, str]] = {}
    for row in rows:
        home = (row.cluster, row.group)
        if homes.setdefault(row.item, home) != home:
            raise ValueError(
                f"item {row.item} belongs to one cluster and one group, "
                f"found {homes[row.item]} and {home}"
            )
    return homes


def build_sheets(rows: Sequence[ItemRating], bins: Mapping[str, Bins]) -> Sheets:
    """The rows by dimension and item, with `OVERALL` where there are several dimensions.

    A rater's overall is missing where one of its dimensions is, and is no rating at all where the
    rater was not to rate one of them. ValueError for a dimension without bins, a rating outside its
    range, the same rating twice.
    """
    sheets: Sheets = {name: {} for name in bins}
    for row in rows:
        if row.dimension not in bins:
            raise ValueError(f"dimension {row.dimension!r} has no range, found {sorted(bins)}")
        ratings = sheets[row.dimension].setdefault(row.item, {})
        if row.rater in ratings:
            raise ValueError(f"{row.dimension} of item {row.item} by {row.rater} occurs twice")
        own = bins[row.dimension]
        if row.value is not None and not own.low <= row.value <= own.high:
            raise ValueError(
                f"{row.dimension} of item {row.item} by {row.rater}: expected a value from "
                f"{own.low} to {own.high}, found {row.value}"
            )
        ratings[row.rater] = row.value
    if len(bins) > 1:
        sheets[OVERALL] = _overall(list(sheets.values()))
    return sheets


def _overall(sheets: Sequence[dict[str, RatingsByRater]]) -> dict[str, RatingsByRater]:
    overall: dict[str, RatingsByRater] = {}
    first, *rest = sheets
    for item, ratings in first.items():
        for rater in ratings:
            if all(rater in sheet.get(item, ()) for sheet in rest):
                values = [sheet[item][rater] for sheet in sheets]
                valued = [value for value in values if value is not None]
                mean = fmean(valued) if len(valued) == len(values) else None
                overall.setdefault(item, {})[rater] = mean
    return overall


def with_overall(bins: Mapping[str, Bins]) -> dict[str, Bins]:
    """The bins by dimension, then those of the mean over dimensions."""
    if len(bins) < 2:
        return dict(bins)
    low, high = fmean(b.low for b in bins.values()), fmean(b.high for b in bins.values())
    return {**bins, OVERALL: Bins(low, high, next(iter(bins.values())).count)}


@dataclass(frozen=True, slots=True)
class JudgeColumn:
    """A judge's scores of all items on one dimension, nan where it has none.

    `owed`: where the judge was to give a score.
    """

    values: Floats
    owed: NDArray[np.bool_]

    @property
    def scored(self) -> NDArray[np.bool_]:
        return ~np.isnan(self.values)

    def select(self, chosen: NDArray[np.bool_]) -> JudgeColumn:
        return JudgeColumn(self.values[chosen], self.owed[chosen])


@dataclass(frozen=True, slots=True)
class RatingArrays:
    """Ratings as arrays, an entry for each item, items sorted by name.

    `people` are by dimension, `judges` by judge and dimension, with `OVERALL` last; `who` holds the
    raters by dimension and group.
    """

    clusters: tuple[str, ...]
    cluster_numbers: NDArray[np.intp]
    groups: tuple[str, ...]
    bins: Mapping[str, Bins]
    people: Mapping[str, RatingTable]
    who: Mapping[tuple[str, str], frozenset[str]]
    judges: Mapping[tuple[str, str], JudgeColumn]

    @property
    def categories(self) -> int:
        """The number of bins, the same for all dimensions."""
        return next((each.count for each in self.bins.values()), 2)

    def mask(self, group: str | None) -> NDArray[np.bool_]:
        """Which items are of this group; None: all."""
        return np.array([group in (None, own) for own in self.groups], dtype=bool)

    def clusters_in(self, group: str | None) -> list[str]:
        homes = zip(self.clusters, self.groups, strict=True)
        return [cluster for cluster, own in homes if group in (None, own)]

    def judge(self, name: str, dimension: str) -> JudgeColumn:
        return self.judges[name, dimension]

    def raters(self, dimension: str, group: str | None) -> int:
        """How many different people rated items of this group; `POOLED`: on any dimension."""
        raters: set[str] = set()
        for (name, own), who in self.who.items():
            if group in (None, own) and (dimension == name or dimension == POOLED != name):
                raters |= who if name != OVERALL or dimension == OVERALL else set()
        return len(raters)


def rating_arrays(
    rows: Sequence[ItemRating], judge_rows: Sequence[ItemRating], bins: Mapping[str, Bins]
) -> RatingArrays:
    """Arrange ratings by people and by judges; ValueError as in `build_sheets`."""
    people, judges = build_sheets(rows, bins), build_sheets(judge_rows, bins)
    homes = locate_items((*rows, *judge_rows))
    items = sorted(homes)
    clusters = tuple(homes[item][0] for item in items)
    groups = tuple(homes[item][1] for item in items)
    names = sorted({row.rater for row in judge_rows})
    dimensions = with_overall(bins)
    raters: dict[tuple[str, str], set[str]] = {}
    for name, sheet in people.items():
        for item, ratings in sheet.items():
            raters.setdefault((name, homes[item][1]), set()).update(ratings)
    return RatingArrays(
        clusters,
        number_clusters(clusters),
        groups,
        dimensions,
        {
            name: rating_table(
                [tuple(people.get(name, {}).get(item, {}).values()) for item in items]
            )
            for name in dimensions
        },
        {key: frozenset(names) for key, names in raters.items()},
        {
            (judge, name): _column(judge, judges.get(name, {}), items)
            for name in dimensions
            for judge in names
        },
    )


def _column(judge: str, sheet: Mapping[str, RatingsByRater], items: Sequence[str]) -> JudgeColumn:
    ratings = [sheet.get(item, {}) for item in items]
    values = np.array([each.get(judge) for each in ratings], dtype=np.float64)
    return JudgeColumn(values, np.array([judge in each for each in ratings], dtype=bool))
