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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sociolab.stats.agreement_cells import AgreementReport, AmongPeople, JudgeAndPeople, JudgePair
from sociolab.stats.alpha import Alpha, AlphaMetric, alphas
from sociolab.stats.binning import Bins
from sociolab.stats.correlation import Correlation, correlations
from sociolab.stats.intervals import Estimate, means
from sociolab.stats.kappa import Agreement, agreement_of, pair_columns
from sociolab.stats.rated import OVERALL, POOLED, ItemRating
from sociolab.stats.rating_table import RatingTable, present, stacked
from sociolab.stats.resample import Floats
from sociolab.stats.spread import Gaps
from sociolab.stats.study import JudgeColumn, RatingArrays, rating_arrays


def agreement_report(
    rows: Sequence[ItemRating],
    judge_rows: Sequence[ItemRating],
    ranges: Mapping[str, tuple[float, float]],
    *,
    bins: int = 5,
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
    of = {name: Bins(low, high, bins) for name, (low, high) in ranges.items()}
    made = _Means(resamples)
    study = rating_arrays(rows, judge_rows, of)
    groups: list[str | None] = [None, *sorted(set(study.groups))]
    names = sorted({row.rater for row in judge_rows})
    return AgreementReport(
        people=_in_order(_among_people(study, group, made) for group in groups),
        judges=tuple(
            cell
            for judge in names
            for cell in _in_order(_judge_and_people(study, judge, group, made) for group in groups)
        ),
        pairs=tuple(
            cell
            for first, second in combinations(names, 2)
            for cell in _in_order(_judge_pair(study, first, second, g, made) for g in groups)
        ),
    )


_Cell = TypeVar("_Cell")
_METRICS: tuple[AlphaMetric, ...] = ("nominal", "ordinal", "interval")


def _in_order(groups: Iterable[list[_Cell]]) -> tuple[_Cell, ...]:
    """The cells of each group, dimension by dimension, as ordered by dimension, then by group."""
    return tuple(cell for cells in zip(*groups, strict=True) for cell in cells)


@dataclass(frozen=True, slots=True)
class _Means:
    """How means and their intervals are made: of all dimensions at once, as they share resamples,
    which is most of the work."""

    resamples: int

    def of(
        self, columns: Mapping[str, Mapping[str, Floats]], clusters: Sequence[str]
    ) -> dict[str, dict[str, Estimate]]:
        """The means of each dimension's columns; all columns are of the same items."""
        flat = {
            f"{name} {title}": present(column)
            for name, each in columns.items()
            for title, column in each.items()
        }
        found = means(flat, clusters, resamples=self.resamples)
        return {
            name: {title: found[f"{name} {title}"] for title in each}
            for name, each in columns.items()
        }


def _agreements(
    study: RatingArrays, tables: Mapping[str, RatingTable], group: str | None, made: _Means
) -> tuple[dict[str, RatingTable], dict[str, Agreement]]:
    """Agreement by dimension, of tables with a row per item of the group; then of all, pooled.

    A row without ratings, owed or given, is no item of that dimension.
    """
    clusters = study.clusters_of(group)
    columns = {name: pair_columns(table, study.bins[name]) for name, table in tables.items()}
    found = made.of(columns, clusters)
    rated = {name: table.of(table.sizes + table.missing > 0) for name, table in tables.items()}
    count = study.categories
    agreements = {name: agreement_of(found[name], rated[name], count) for name in tables}
    if len(parts := [name for name in tables if name != OVERALL]) > 1:
        pooled = {
            title: np.concatenate([columns[name][title] for name in parts])
            for title in columns[parts[0]]
        }
        shares = made.of({POOLED: pooled}, clusters * len(parts))[POOLED]
        rated[POOLED] = stacked([rated[name] for name in parts])
        agreements[POOLED] = agreement_of(shares, rated[POOLED], count)
    return rated, agreements


def _among_people(study: RatingArrays, group: str | None, made: _Means) -> list[AmongPeople]:
    mask = study.mask(group)
    tables = {name: people.of(mask) for name, people in study.people.items()}
    rated, agreements = _agreements(study, tables, group, made)
    cells = []
    for name, found in agreements.items():
        metrics: Sequence[Alpha | None] = (None, None, None)
        if name != POOLED:
            there = tables[name].sizes + tables[name].missing > 0
            clusters = study.cluster_numbers[mask][there]
            metrics = alphas(rated[name], clusters, _METRICS)
        cells.append(AmongPeople(name, group, study.raters(name, group), found, *metrics))
    return cells


def _judge_and_people(
    study: RatingArrays, judge: str, group: str | None, made: _Means
) -> list[JudgeAndPeople]:
    mask, columns = study.mask(group), {}
    sides: dict[str, tuple[Gaps, Correlation, Correlation, JudgeColumn, NDArray[np.bool_]]] = {}
    for name, people in study.people.items():
        table, column = people.of(mask), study.judge(judge, name).of(mask)
        rated = table.sizes > 0
        both = rated & column.given
        scores, compared, clusters = column.values[both], table.of(both), study.cluster_numbers
        gaps = Gaps.of(scores, compared)
        linear, ranked = correlations(scores, compared.means(), clusters[mask][both])
        sides[name] = gaps, linear, ranked, column, rated
        columns[name] = {title: _scattered(found, both) for title, found in gaps.columns().items()}
    means_of = made.of(columns, study.clusters_of(group))
    return [
        JudgeAndPeople(
            judge,
            name,
            group,
            pearson=linear,
            spearman=ranked,
            spread=gaps.spread(means_of[name]),
            failed=int((column.owed & ~column.given).sum()),
            only_judge=int((column.given & ~rated).sum()),
            only_people=int((rated & ~column.given).sum()),
        )
        for name, (gaps, linear, ranked, column, rated) in sides.items()
    ]


def _judge_pair(
    study: RatingArrays, first: str, second: str, group: str | None, made: _Means
) -> list[JudgePair]:
    mask = study.mask(group)
    sides = {
        name: (study.judge(first, name).of(mask), study.judge(second, name).of(mask))
        for name in study.people
    }
    tables = {name: _beside(*both) for name, both in sides.items()}
    _, agreements = _agreements(study, tables, group, made)
    gaps = {name: {"gap": a.values - b.values} for name, (a, b) in sides.items()}
    differences = made.of(gaps, study.clusters_of(group))
    cells = []
    for name, found in agreements.items():
        if name == POOLED:
            cells.append(JudgePair(first, second, name, group, found, None, None, None))
            continue
        a, b = sides[name]
        either = a.owed | b.owed
        linear, ranked = correlations(
            a.values[either],
            b.values[either],
            study.cluster_numbers[mask][either],
        )
        gap = differences[name]["gap"]
        cells.append(JudgePair(first, second, name, group, found, linear, ranked, gap))
    return cells


def _scattered(column: Floats, where: NDArray[np.bool_]) -> Floats:
    found = np.full(len(where), np.nan)
    found[where] = column
    return found


def _beside(a: JudgeColumn, b: JudgeColumn) -> RatingTable:
    """Two judges as raters: of an item that one of them was to score, the other owes its score."""
    values = np.sort(np.stack([a.values, b.values], axis=1), axis=1)
    owed = np.where(a.owed | b.owed, 2, 0)
    return RatingTable(values, owed - (~np.isnan(values)).sum(axis=1))
