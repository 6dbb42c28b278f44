"""Does a metric measure what people see? Their ratings beside the metric that is to measure it.

A world declares such pairs (`Declared.measured_by`): people rate informativeness from 1 to 5, a
judge gives IEP from 0 to 1. The two share no scale, so only correlations relate them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import fmean

from sociolab.analysis.ratings import StoredRatings
from sociolab.report.formatting import ends, missing_notes, p_text, plain
from sociolab.report.section import Section, TextTable
from sociolab.stats.correlation import Correlation, pearson, spearman

FEW_PLAYS = 20
"""Below so many plays a correlation says little."""


@dataclass(frozen=True, slots=True)
class Validity:
    """How a judge's metric goes with the mean of the people who rated the same plays.

    A metric of whole episodes stands beside the mean over all that were rated in them.
    """

    dimension: str
    metric: str
    judge: str
    pearson: Correlation
    spearman: Correlation


def validities(ratings: StoredRatings) -> tuple[Validity, ...]:
    """A record for each pair that the worlds declare and each judge that gave the metric."""
    return tuple(
        Validity(dimension, metric, judge, pearson(*points), spearman(*points))
        for dimension, metric in _pairs(ratings)
        for judge, points in _points(ratings, dimension, metric)
    )


def _pairs(ratings: StoredRatings) -> dict[tuple[str, str], None]:
    rated = {measure.name for measure in ratings.measures}
    return {
        (dimension, metric): None
        for declared in ratings.worlds.values()
        for dimension, metric in declared.measured_by.items()
        if dimension in rated
    }


def _points(
    ratings: StoredRatings, dimension: str, metric: str
) -> Iterator[tuple[str, tuple[list[float], list[float | None], list[str]]]]:
    """By judge: the mean of the people, the metric, and the cluster, of each play with both."""
    people, wholes = defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
    for row in ratings.people:
        if row.dimension == dimension and row.value is not None:
            people[row.item].append(row.value)
    for item, values in people.items():
        wholes[f"{item.rpartition(' ')[0]} "].append(fmean(values))
    means: Mapping[str, float] = {
        item: fmean(values) for item, values in (*people.items(), *wholes.items())
    }
    rows = [row for row in ratings.measuring if row.dimension == metric and row.item in means]
    for judge in dict.fromkeys(row.rater for row in rows):
        mine = [row for row in rows if row.rater == judge]
        yield (
            judge,
            (
                [means[row.item] for row in mine],
                [row.value for row in mine],
                [row.cluster for row in mine],
            ),
        )


def validity_section(ratings: StoredRatings, found: tuple[Validity, ...]) -> Section:
    """A table with a row for each pair and judge."""
    declared = tuple(ratings.worlds.values())
    labels = {m.name: m.label or m.name for one in declared for m in one.metrics}
    rows = tuple(
        (
            f"{one.dimension} and {labels.get(one.metric, one.metric)}",
            one.judge,
            f"{one.pearson.n:,}",
            plain(one.pearson.value) + one.pearson.stars,
            ends(one.pearson),
            p_text(one.pearson.p),
            plain(one.spearman.value),
            ends(one.spearman),
        )
        for one in found
    )
    few = [one for one in found if one.pearson.n < FEW_PLAYS]
    return Section(
        "Ratings beside the metric that is to measure the same",
        cautions=(f"Fewer than {FEW_PLAYS} episodes: these correlations say little.",)
        if few
        else (),
        tables=(
            TextTable(
                "Correlation of a metric with the mean of the people",
                ("", "judge", "n", "r", "95 % interval", "p", "Spearman", "95 % interval"),
                rows,
                (
                    "Pearson's r and Spearman's rho over what was rated; p by the t test, which "
                    "treats episodes as independent; the intervals leave out one cluster at a time",
                    *missing_notes(one.pearson.note for one in found),
                ),
            ),
        ),
    )
