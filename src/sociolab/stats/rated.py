"""Ratings of items by raters, sorted into one sheet for each dimension."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from sociolab.stats.binning import Bins

OVERALL = "overall"
POOLED = "pooled"

Given: TypeAlias = dict[str, float | None]
"""What each rater gave an item."""
Sheets: TypeAlias = dict[str, dict[str, Given]]
"""What was given, by dimension and item."""


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


def homes_of(rows: Sequence[ItemRating]) -> dict[str, tuple[str, str]]:
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


def sheets_of(rows: Sequence[ItemRating], bins: Mapping[str, Bins]) -> Sheets:
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


def _overall(sheets: Sequence[dict[str, Given]]) -> dict[str, Given]:
    found: dict[str, Given] = {}
    first, *others = sheets
    for item, given in first.items():
        for rater in given:
            if all(rater in sheet.get(item, ()) for sheet in others):
                values = [sheet[item][rater] for sheet in sheets]
                there = [value for value in values if value is not None]
                overall = fmean(there) if len(there) == len(values) else None
                found.setdefault(item, {})[rater] = overall
    return found


def with_overall(bins: Mapping[str, Bins]) -> dict[str, Bins]:
    """The bins by dimension, then those of the mean over dimensions."""
    if len(bins) < 2:
        return dict(bins)
    low, high = fmean(b.low for b in bins.values()), fmean(b.high for b in bins.values())
    return {**bins, OVERALL: Bins(low, high, next(iter(bins.values())).count)}
