"""The effect of length on a judge's stored scores: the slope per doubling of a seat's words.

Whoever plays well may also say more, so that a slope is no proof of a bias: the kind `padding`
adds words that say nothing. It shows how much of the differences between agents length could be
(Dubois et al., arXiv 2404.04475, correct for it).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sociolab.analysis.values import RunValues, Value
from sociolab.core.episode import Episode
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Count, Finding, episodes_and_seats
from sociolab.report.plays import PlayKey
from sociolab.report.section import Section
from sociolab.stats.intervals import Estimate, left_out_interval

SAY = Catalogue("length")


def words_by_seat(episode: Episode) -> Counter[str]:
    """How many words each seat says, and writes of what it does."""
    counts: Counter[str] = Counter()
    for move in episode.moves:
        counts[move.seat] += sum(len(action.text.split()) for action in move.actions)
    return counts


@dataclass(frozen=True, slots=True)
class LengthEffect:
    """How many points a judge's score rises with twice as many words, in one metric."""

    judge: str
    measure: str
    slope: Estimate
    counts: tuple[Count, ...]


def length_effects(
    values: RunValues, words: Mapping[PlayKey, int], judge: str | None = None
) -> tuple[LengthEffect, ...]:
    """The slopes of each judge by models or people (or of `judge`) in each metric; `words` are
    those that a seat says in a trial, of seat None those of the whole episode. Plays without words
    have no part in it."""
    effects = []
    for label, who in values.judges.items():
        if judge not in (None, label, who.name) or who.method not in ("model", "people"):
            continue
        for name in values.measures:
            rows = [
                value
                for value in values.values
                if (value.judge, value.measure) == (label, name)
                and value.value is not None
                and words.get((value.trial, value.seat))
            ]
            counts = episodes_and_seats((value.trial, value.seat) for value in rows)
            if rows:
                effects.append(LengthEffect(label, name, _slope(rows, words), counts))
    return tuple(effects)


def _slope(rows: Sequence[Value], words: Mapping[PlayKey, int]) -> Estimate:
    """Least squares within clusters, with the interval of leaving out each cluster."""
    points = [(v.cluster, math.log2(words[v.trial, v.seat]), v.value) for v in rows]
    clusters = sorted({cluster for cluster, _, _ in points})
    parts = []
    for cluster in clusters:
        x, y = (
            np.array([row[i] for row in points if row[0] == cluster], dtype=float) for i in (1, 2)
        )
        x -= x.mean()
        parts.append((float(x @ (y - y.mean())), float(x @ x)))
    n, count = len(points), len(clusters)
    along, across = (math.fsum(part[i] for part in parts) for i in (0, 1))
    if across <= 1e-9:
        why = "no seats of one scenario say more than others"
        return Estimate(None, n, count, None, None, "none", note=why)
    slopes = [(along - a) / (across - b) if across - b > 1e-9 else None for a, b in parts]
    ends, why = left_out_interval(along / across, slopes)
    low, high = ends or (None, None)
    return Estimate(along / across, n, count, low, high, "t" if ends else "none", note=why)


def length_section(values: RunValues, effects: Sequence[LengthEffect]) -> Section:
    """The slopes as a table, and which of them differ from 0."""
    if not effects:
        return Section(SAY("title"), (SAY("not_judged", run=values.run),))
    findings = [
        Finding(
            values.measures[effect.measure], {"judge": effect.judge}, effect.slope, effect.counts
        )
        for effect in effects
    ]
    sure = [
        SAY("by", metric=finding.metric, judge=finding.about["judge"])
        for finding in findings
        if (slope := finding.estimate) and slope.low is not None and slope.high is not None
        and not slope.low <= 0 <= slope.high
    ]  # fmt: skip
    verdict = SAY("with_length", metrics=sure) if sure else SAY("no_effect")
    table = SAY.table("slopes", findings, unit=values.declared.cluster)
    return Section(SAY("title"), (verdict,), (), (table,))
