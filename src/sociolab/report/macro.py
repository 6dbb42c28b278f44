"""Macro averages: the mean of the means by cluster, where a paper reports both (STSS Table 3).

Micro is over all plays, so that a task with many plays weighs more; macro gives each task (cluster)
the same weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sociolab.report.columns import Outcome
from sociolab.report.schema import MeasureEntry, ScoreEntry

if TYPE_CHECKING:
    from sociolab.stats.intervals import Estimate

_MACRO = "_macro"


def macro_of(measure: str) -> str:
    """The name of a measure's macro average."""
    return measure + _MACRO


def with_macro(measures: Sequence[MeasureEntry], macro: Sequence[str]) -> tuple[MeasureEntry, ...]:
    """The measures, each that has a macro average followed by it; the titles tell them apart."""
    found: list[MeasureEntry] = []
    for entry in measures:
        if entry.measure not in macro:
            found.append(entry)
            continue
        found.append(entry.model_copy(update={"title": f"{entry.title} micro"}))
        name, title = macro_of(entry.measure), f"{entry.title} macro"
        found.append(entry.model_copy(update={"measure": name, "title": title, "whole": False}))
    return tuple(found)


def cluster_means(
    outcomes: Sequence[Outcome | None], clusters: Sequence[str]
) -> tuple[list[float], list[str]]:
    """The mean of each cluster that has a value, and the cluster, in order of appearance."""
    values: dict[str, list[float]] = {}
    for outcome, cluster in zip(outcomes, clusters, strict=True):
        if isinstance(outcome, float):
            values.setdefault(cluster, []).append(outcome)
    return [sum(some) / len(some) for some in values.values()], list(values)


def macro_entry(micro: ScoreEntry, over: Estimate) -> ScoreEntry:
    """The entry of the macro average beside that of the micro average.

    `over` is the mean of the clusters' means. As for every entry `n` counts plays; `clusters` is
    how many means are averaged; `note` says both, and whether the interval was cut, or why there
    is none. It has no bounds.
    """
    means = f"mean of the means of {over.clusters} clusters, over {micro.n} plays"
    notes = (over.note,) if over.method == "none" else (means, over.note)
    changed = {
        "measure": macro_of(micro.measure),
        "value": over.value,
        "clusters": over.clusters,
        "low": over.low,
        "high": over.high,
        "interval": over.method,
        "note": "; ".join(note for note in notes if note),
        "bounds": None,
    }
    return ScoreEntry.model_validate(micro.model_dump() | changed)
