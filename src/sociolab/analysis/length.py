"""Do a judge's stored scores go with how much a seat says? Within scenarios, per doubling of words.

Whoever plays well may also say more, so that a slope is no proof of a bias: the kind `padding`
adds words that say nothing. It shows how much of the differences between agents length could be
(Dubois et al., arXiv 2404.04475, correct for it).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sociolab.analysis.audit import AuditSubject
from sociolab.analysis.values import RunValues, Value
from sociolab.report.formatting import cell
from sociolab.report.plays import PlayKey
from sociolab.report.section import Section, TextTable
from sociolab.stats.intervals import Estimate, left_out_interval


@dataclass(frozen=True, slots=True)
class LengthEffect:
    """How many points a judge's score rises with twice as many words, in one measure."""

    judge: str
    measure: str
    slope: Estimate


def length_effects(
    values: RunValues, words: Mapping[PlayKey, int], judge: str | None = None
) -> tuple[LengthEffect, ...]:
    """The slopes of each judge by models or people (or of `judge`) in each measure; `words` are
    those that a seat says in a trial, of seat None those of the whole episode. Plays without words
    have no part in it."""
    found = []
    for label, who in values.judges.items():
        if judge not in (None, label, who.name) or who.method not in ("model", "people"):
            continue
        for name in values.measures:
            rows = [v for v in values.values if (v.judge, v.measure) == (label, name)]
            found.append(LengthEffect(label, name, _slope(rows, words)))
    return tuple(one for one in found if one.slope.n)


def _slope(rows: Sequence[Value], words: Mapping[PlayKey, int]) -> Estimate:
    """Least squares within clusters, with the interval of leaving out each cluster."""
    told = [
        (v.cluster, math.log2(count), v.value)
        for v in rows
        if v.value is not None and (count := words.get((v.trial, v.seat), 0))
    ]
    clusters = sorted({cluster for cluster, _, _ in told})
    parts = []
    for one in clusters:
        x, y = (np.array([row[i] for row in told if row[0] == one], dtype=float) for i in (1, 2))
        x -= x.mean()
        parts.append((float(x @ (y - y.mean())), float(x @ x)))
    n, count = len(told), len(clusters)
    along, across = (math.fsum(part[i] for part in parts) for i in (0, 1))
    if across <= 1e-9:
        why = "no seats of one scenario say more than others" if n else "no values"
        return Estimate(None, n, count, None, None, "none", note=why)
    left = [(along - a) / (across - b) if across - b > 1e-9 else None for a, b in parts]
    ends, why = left_out_interval(along / across, left)
    low, high = ends or (None, None)
    return Estimate(along / across, n, count, low, high, "t" if ends else "none", note=why)


def length_section(about: AuditSubject, found: Sequence[LengthEffect], run: str) -> Section:
    """The slopes, and what to think of them."""
    if not found:
        return Section(
            "Length: scores by the number of words",
            (f"Cannot be computed: no model or person judged {run}.",),
        )
    rows = tuple(
        (one.judge, about.title(one.measure), cell(one.slope, sign=True), f"{one.slope.n:,}")
        for one in found
    )
    sure = [
        f"{about.title(one.measure)} by {one.judge}"
        for one in found
        if one.slope.low is not None and one.slope.high is not None
        and not one.slope.low <= 0 <= one.slope.high
    ]  # fmt: skip
    said = (
        f"Scores go with length in: {', '.join(sure)}. Better play may be longer: padding shows "
        "whether words alone do it."
        if sure
        else "No score is shown to go with length."
    )
    notes = (
        f"points for twice as many words, among the plays of one {about.declared.cluster}; 95 % "
        f"interval: leaving out each {about.declared.cluster} in turn",
    )
    table = TextTable("Stored scores by length", ("judge", "metric", "slope", "plays"), rows, notes)
    return Section("Length: scores by the number of words", (said,), (), (table,))
