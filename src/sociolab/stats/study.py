"""A study of people and judges as arrays: a row per item, the same rows in every dimension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sociolab.stats.binning import Bins
from sociolab.stats.by_cluster import numbered
from sociolab.stats.rated import (
    OVERALL,
    POOLED,
    Given,
    ItemRating,
    Sheets,
    homes_of,
    sheets_of,
    with_overall,
)
from sociolab.stats.rating_table import RatingTable, rating_table
from sociolab.stats.resample import Floats

_NOTHING: Given = {}


@dataclass(frozen=True, slots=True)
class JudgeColumn:
    """A judge's scores of all items on one dimension, nan where it has none; `owed` where it was to
    score."""

    values: Floats
    owed: NDArray[np.bool_]

    @property
    def given(self) -> NDArray[np.bool_]:
        """Where there is a score."""
        return ~np.isnan(self.values)

    def of(self, chosen: NDArray[np.bool_]) -> JudgeColumn:
        """The chosen items."""
        return JudgeColumn(self.values[chosen], self.owed[chosen])


@dataclass(frozen=True, slots=True)
class RatingArrays:
    """Each item's cluster and group, items by name; `people` and `judges` by dimension, with
    `OVERALL` last. `who` holds the raters by dimension and group."""

    clusters: tuple[str, ...]
    cluster_numbers: NDArray[np.intp]
    groups: tuple[str, ...]
    bins: Mapping[str, Bins]
    people: Mapping[str, RatingTable]
    who: Mapping[tuple[str, str], frozenset[str]]
    judges: Mapping[tuple[str, str], JudgeColumn]

    @property
    def categories(self) -> int:
        """The number of bins."""
        return next((each.count for each in self.bins.values()), 2)

    def mask(self, group: str | None) -> NDArray[np.bool_]:
        """Which items are of this group; None: all."""
        return np.array([group in (None, own) for own in self.groups], dtype=bool)

    def clusters_of(self, group: str | None) -> list[str]:
        """The clusters of the items of this group."""
        homes = zip(self.clusters, self.groups, strict=True)
        return [cluster for cluster, own in homes if group in (None, own)]

    def judge(self, name: str, dimension: str) -> JudgeColumn:
        """One judge's scores on one dimension."""
        return self.judges[name, dimension]

    def raters(self, dimension: str, group: str | None) -> int:
        """How many different people rated items of this group; `POOLED`: on any dimension."""
        found: set[str] = set()
        for (name, own), who in self.who.items():
            if group in (None, own) and (dimension == name or dimension == POOLED != name):
                found |= who if name != OVERALL or dimension == OVERALL else set()
        return len(found)


def rating_arrays(
    rows: Sequence[ItemRating], judge_rows: Sequence[ItemRating], bins: Mapping[str, Bins]
) -> RatingArrays:
    """The study of these ratings by people and by judges; ValueError as in `sheets_of`."""
    people, judges = sheets_of(rows, bins), sheets_of(judge_rows, bins)
    homes = homes_of((*rows, *judge_rows))
    items = sorted(homes)
    clusters = tuple(homes[item][0] for item in items)
    groups = tuple(homes[item][1] for item in items)
    names = sorted({row.rater for row in judge_rows})
    dimensions = with_overall(bins)
    return RatingArrays(
        clusters,
        numbered(clusters),
        groups,
        dimensions,
        {name: _table(people.get(name, {}), items) for name in dimensions},
        _who(people, homes),
        {
            (judge, name): _column(judge, judges.get(name, {}), items)
            for name in dimensions
            for judge in names
        },
    )


def _table(sheet: Mapping[str, Given], items: Sequence[str]) -> RatingTable:
    return rating_table([tuple(sheet.get(item, _NOTHING).values()) for item in items])


def _column(judge: str, sheet: Mapping[str, Given], items: Sequence[str]) -> JudgeColumn:
    given = [sheet.get(item, _NOTHING) for item in items]
    values = np.array([each.get(judge) for each in given], dtype=np.float64)
    return JudgeColumn(values, np.array([judge in each for each in given], dtype=bool))


def _who(
    sheets: Sheets, homes: Mapping[str, tuple[str, str]]
) -> dict[tuple[str, str], frozenset[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for name, sheet in sheets.items():
        for item, given in sheet.items():
            found.setdefault((name, homes[item][1]), set()).update(given)
    return {key: frozenset(raters) for key, raters in found.items()}
