"""Mean by weekday: an analysis as somebody would write it, who knows the documented names alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sociolab import Catalogue, Count, Finding, Section, mean_of, values_of
from sociolab.judging import Measure

SAY = Catalogue(
    "weekdays",
    {
        "notes": {
            "title": "Scores by weekday",
            "verdict": "{metric} was highest on {day}: {mean} over {seats}.",
        },
        "tables": {
            "days": {
                "heading": "Mean by weekday",
                "columns": {
                    "weekday": "weekday",
                    "metric": "metric",
                    "mean": {"heading": "mean", "of": "estimate"},
                    "seats": "seats",
                },
            }
        },
    },
)


def by_weekday(store: Any, runs: Sequence[str]) -> Section:
    """Each metric's mean on each day of the week on which runs were begun."""
    groups: dict[tuple[str, str], list[Any]] = {}
    measures: dict[str, Measure] = {}
    for run in runs:
        day = datetime.fromtimestamp(store.run(run).created, UTC).strftime("%A")
        scores = values_of(store, run)
        measures |= scores.measures
        for value in scores.values:
            groups.setdefault((day, value.measure), []).append(value)
    findings = [
        Finding(
            measures[metric],
            {"weekday": day},
            mean_of(values),
            (Count("seat", len(values)),),
        )
        for (day, metric), values in groups.items()
    ]
    best = max(findings, key=lambda row: row.estimate.value or 0.0)  # type: ignore[union-attr]
    verdict = SAY(
        "verdict",
        metric=best.metric,
        day=best.about["weekday"],
        mean=best.estimate,
        seats=best.counts,
    )
    table = SAY.table("days", findings, cluster="scenario")
    return Section(SAY("title"), (verdict,), tables=(table,))
