"""Validity of metrics: correlations with people's ratings of what the metric is to measure.

A world declares such pairs (`Declared.measured_by`): people rate informativeness from 1 to 5, a
judge gives IEP from 0 to 1. The two share no scale, so only correlations relate them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from sociolab.analysis.ratings import RatedSeat, StoredRatings, measured_pairs
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Count, Finding, episodes_and_seats
from sociolab.report.formatting import missing_notes
from sociolab.report.section import Section
from sociolab.stats.correlation import Correlation, pearson, spearman

SAY = Catalogue("validity")

FEW_SEATS = 20
"""Below so many seats a correlation says little."""


@dataclass(frozen=True, slots=True)
class Validity:
    """How a judge's metric goes with the mean of the people who rated the same seats.

    A metric of whole episodes stands beside the mean over all that were rated in them. `counts`
    are the episodes and seats that both are of.
    """

    dimension: str
    metric: str
    judge: str
    pearson: Correlation
    spearman: Correlation
    counts: tuple[Count, ...]


def validities(ratings: StoredRatings) -> tuple[Validity, ...]:
    """A record for each pair that the worlds declare, and each judge that scored the metric."""
    return tuple(
        validity
        for dimension, metric in measured_pairs(ratings.worlds, ratings.metrics)
        for validity in _by_judge(ratings, dimension, metric)
    )


def _by_judge(ratings: StoredRatings, dimension: str, metric: str) -> Iterator[Validity]:
    people: dict[RatedSeat, list[float]] = defaultdict(list)
    for rating in ratings.people:
        if rating.dimension == dimension and rating.value is not None:
            people[ratings.seats[rating.item]].append(rating.value)
    wholes: dict[tuple[str, str], list[float]] = defaultdict(list)
    for seat, values in people.items():
        wholes[seat.episode].append(fmean(values))
    points: dict[str, list[tuple[RatedSeat, float, float | None, str]]] = defaultdict(list)
    for row in ratings.measuring:
        seat = ratings.seats[row.item]
        rated = wholes.get(seat.episode) if seat.seat is None else people.get(seat)
        if row.dimension == metric and rated:
            points[row.rater].append((seat, fmean(rated), row.value, row.cluster))
    for judge, rows in points.items():
        seats, means, scores, clusters = zip(*rows, strict=True)
        yield Validity(
            dimension,
            metric,
            judge,
            pearson(means, scores, clusters),
            spearman(means, scores, clusters),
            episodes_and_seats(
                (" ".join(seat.episode), seat.seat)
                for seat, score in zip(seats, scores, strict=True)
                if score is not None
            ),
        )


def validity_section(ratings: StoredRatings, rows: Sequence[Validity]) -> Section:
    """A table with a row for each pair and judge."""
    labels = {
        metric.name: metric.label
        for declared in ratings.worlds.values()
        for metric in declared.metrics
    }
    findings = []
    for row in rows:
        pair = SAY("pair", rated=row.dimension, metric=labels.get(row.metric) or row.metric)
        about, more = {"pair": pair, "judge": row.judge}, {"rho": row.spearman}
        metric, r = ratings.metrics[row.dimension], row.pearson
        findings.append(Finding(metric, about, r, row.counts, p=r.p, more=more))
    why = missing_notes(row.pearson.note for row in rows)
    table = SAY.table("correlation", findings, notes=why)
    few = any(row.pearson.n < FEW_SEATS for row in rows)
    return Section(SAY("title"), (), (SAY("few", few=FEW_SEATS),) if few else (), (table,))
