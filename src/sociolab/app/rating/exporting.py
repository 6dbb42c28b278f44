"""A study's ratings as CSV, as `sociolab import ratings` reads it; see docs/ratings.md."""

from __future__ import annotations

from collections.abc import Iterable

from sociolab.app.rating.keeping import Given

from sociolab.report.export import csv_text

COLUMNS = ("episode", "seat", "rater", "dimension", "score", "reason", "seconds", "when")


def ratings_csv(ratings: Iterable[Given]) -> str:
    """A line a rating, under a head; a reason that a spreadsheet would take for a formula gets an
    apostrophe before it."""
    return csv_text(
        COLUMNS,
        (
            (
                r.trial,
                r.seat,
                r.rater,
                r.dimension,
                int(r.value),
                r.reason,
                r.seconds,
                r.when or None,
            )
            for r in ratings
        ),
    )
