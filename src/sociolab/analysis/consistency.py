"""Consistency over repeats (pass^k): how often an agent succeeds in all k repeats of a task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sociolab.analysis.comparison import ComparedAgents
from sociolab.analysis.matching import ComparedSide, values_by_setting
from sociolab.core.errors import ConfigError
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.score import Measure
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Count, Finding, FindingTable, Sentence
from sociolab.report.section import Section
from sociolab.stats.consistency import Consistency, pass_hat, pass_hat_difference
from sociolab.stats.intervals import as_record

KS = (1, 2, 4)

SAY = Catalogue("consistency")
VERDICT = Catalogue("verdict")


@dataclass(frozen=True, slots=True)
class Passing:
    """pass^k of one agent in one metric; a play succeeds from `threshold` up, or, where lower is
    better, from there down.

    `side` is the agent; None for the difference of two, the first minus the second. `plays` counts
    the plays with a value that it rests on (of a comparison: pairs), `most` how many of them one
    setting (a task with its seat and partner) has at most.
    """

    side: str | None
    measure: str
    threshold: float
    plays: int
    most: int
    estimates: tuple[Consistency, ...]


def thresholds(
    measures: Mapping[str, Measure],
    threshold: float | None,
    declared: Declared = UNDECLARED,
    *,
    named: bool,
) -> dict[str, float]:
    """From which value on a play succeeds, for each metric where that can be said.

    Without `threshold` it is the better end of metrics from 0 to 1, and nothing in others.
    A `threshold` that says nothing of a metric (none, or all of its values reach it) leaves that
    metric out; ConfigError if the metrics were `named` or none is left.
    """
    if threshold is None:
        return {
            name: 0.0 if declared.metric(name).better == "lower" else 1.0
            for name, measure in measures.items()
            if (measure.low, measure.high) == (0, 1)
        }
    fits = {
        name: threshold
        for name, measure in measures.items()
        if measure.low <= threshold <= measure.high
        and threshold != (measure.high if declared.metric(name).better == "lower" else measure.low)
    }
    if len(fits) < (len(measures) if named else 1):
        ranges = [
            SAY("range", metric=name, low=measure.low, high=measure.high)
            for name, measure in measures.items()
            if name not in fits
        ]
        raise ConfigError(SAY("tells_nothing_apart", threshold=threshold, metrics=ranges))
    return fits


def passing(
    sides: Sequence[ComparedSide],
    limits: Mapping[str, float],
    ks: Sequence[int],
    declared: Declared = UNDECLARED,
) -> list[Passing]:
    """pass^k of each side alone in each metric that has a threshold, over all of its plays."""
    passed = []
    for side in sides:
        judged = tuple(value for value in side.values if value.measure in limits)
        keyed = values_by_setting(replace(side, values=judged))
        for name, threshold in limits.items():
            rows = [(value, key.setting) for key, value in keyed.get(name, {}).items()]
            sign = _sign(declared, name)
            settings = [setting for _, setting in rows]
            estimates = pass_hat(
                [_signed(sign, value.value) for value, _ in rows],
                settings,
                [value.cluster for value, _ in rows],
                threshold=sign * threshold,
                ks=ks,
            )
            valued = Counter(setting for value, setting in rows if value.value is not None)
            passed.append(_passing(side.name, name, threshold, valued, estimates))
    return passed


def passing_matched(
    comparison: ComparedAgents, limits: Mapping[str, float], ks: Sequence[int]
) -> list[Passing]:
    """pass^k of both agents of a comparison, and the difference, in each metric with a threshold.

    It rests on the pairs that the means of the comparison rest on and on nothing else: whom one
    agent alone met, and what it alone played, would otherwise be taken for a difference of agents.
    """
    passed = []
    for name, threshold in limits.items():
        pairs = [pair for pair in comparison.pairs(name) if pair.difference is not None]
        sign = _sign(comparison.declared, name)
        a = [_signed(sign, pair.a.value) for pair in pairs]
        b = [_signed(sign, pair.b.value) for pair in pairs]
        limit = sign * threshold
        settings = [pair.key.setting for pair in pairs]
        clusters = [pair.a.cluster for pair in pairs]
        valued = Counter(settings)
        for side, estimates in (
            (comparison.a.name, pass_hat(a, settings, clusters, threshold=limit, ks=ks)),
            (comparison.b.name, pass_hat(b, settings, clusters, threshold=limit, ks=ks)),
            (None, pass_hat_difference(a, b, settings, clusters, threshold=limit, ks=ks)),
        ):
            passed.append(_passing(side, name, threshold, valued, estimates))
    return passed


def _sign(declared: Declared, name: str) -> float:
    """-1 where lower is better, as pass^k asks for values from a threshold up."""
    return -1.0 if declared.metric(name).better == "lower" else 1.0


def _signed(sign: float, value: float | None) -> float | None:
    return None if value is None else sign * value


def _passing(
    side: str | None,
    measure: str,
    threshold: float,
    valued: Counter[str],
    estimates: tuple[Consistency, ...],
) -> Passing:
    """`valued` counts the plays with a value of each setting."""
    most = max(valued.values(), default=0)
    return Passing(side, measure, threshold, valued.total(), most, estimates)


def passing_document(row: Passing) -> dict[str, Any]:
    """One agent's pass^k in one metric, or a difference, as a JSON object."""
    return {
        "side": row.side,
        "measure": row.measure,
        "threshold": row.threshold,
        "plays": row.plays,
        "most_plays": row.most,
        "pass": [as_record(estimate) for estimate in row.estimates],
    }


# ------------------------------------------------------------------ what it concludes


def passing_findings(
    passed: Sequence[Passing], measures: Mapping[str, Measure]
) -> tuple[Finding, ...]:
    """A finding for each metric and k that some task was played often enough for: pass^k of each
    agent alone, or the difference of two with both beside it (`a`, `b`), over so many tasks."""
    most = max((row.most for row in passed), default=0)
    rows = []
    step = 3 if any(row.side is None for row in passed) else 1  # A, B and A - B, or an agent alone
    for first in range(0, len(passed), step):
        *sides, row = passed[first : first + step]
        about = {} if row.side is None else {"agent": row.side}
        for place, passing_k in enumerate(row.estimates):
            beside = {
                name: side.estimates[place].estimate
                for name, side in zip("ab", sides, strict=False)
            }
            estimate = passing_k.estimate
            tasks = (Count("task", estimate.n),)
            more = {"k": passing_k.k, **beside}
            rows.append(Finding(measures[row.measure], about, estimate, tasks, more=more))
    return tuple(row for row in rows if row.more["k"] <= most)


def consistency_section(
    passed: Sequence[Passing], measures: Mapping[str, Measure], declared: Declared = UNDECLARED
) -> Section:
    """pass^k of agents alone, or of the two of a comparison, and where it cannot be computed."""
    often = {row.measure for row in passed if row.most > 1}
    repeated = [row for row in passed if row.measure in often]
    tables = (_table(repeated, measures, declared),) if repeated else ()
    return Section(SAY("title"), tuple(_conclusions(passed, repeated, measures)), tables=tables)


def consistency_verdict(
    passed: Sequence[Passing], measures: Mapping[str, Measure], judge: str, label: str
) -> Sentence:
    """How often the first agent succeeds once, and in as many repeats as can be said of."""
    row = next(row for row in passed if row.most > 1)
    valued = [each for each in row.estimates if each.estimate.value is not None]
    return VERDICT(
        "consistent",
        label=label,
        agent=row.side,
        metric=measures[row.measure],
        k=valued[-1].k,
        once=valued[0].estimate.value,
        all=valued[-1].estimate.value,
        judge=judge,
    )


def _conclusions(
    passed: Sequence[Passing], repeated: Sequence[Passing], measures: Mapping[str, Measure]
) -> Iterator[Sentence]:
    compared = any(row.side is None for row in passed)
    if repeated:
        yield SAY("pass_k")
        if compared:
            yield SAY(
                "on_pairs", metrics=[_basis(measures, row) for row in repeated if not row.side]
            )
    elif passed:
        yield SAY("no_two_pairs") if compared else SAY("played_once")
    limits = {row.measure: row.threshold for row in passed}
    without = [measure for name, measure in measures.items() if name not in limits]
    if without:
        limit = max(limits.values(), default=1.0)
        if limit == 1:
            yield SAY("no_threshold", metrics=without)
        else:
            yield SAY("off_scale", metrics=without, threshold=limit)


def _basis(measures: Mapping[str, Measure], row: Passing) -> Sentence:
    first = row.estimates[0]
    return SAY(
        "pairs_of_tasks",
        metric=measures[row.measure],
        pairs=Count("pair", row.plays),
        tasks=Count("task", first.estimate.n + first.left_out),
    )


def _table(
    passed: Sequence[Passing], measures: Mapping[str, Measure], declared: Declared
) -> FindingTable:
    differences = [row for row in passed if row.side is None]
    most = max(row.most for row in passed)
    limits = [
        SAY("or_less", threshold=row.threshold, metric=measures[row.measure])
        if _sign(declared, row.measure) < 0
        else SAY("or_more", threshold=row.threshold)
        for row in passed
    ]
    never = [each.k for each in passed[0].estimates if each.k > most]
    left_out = (_left_out(row, measures[row.measure]) for row in differences or passed)
    return SAY.table(
        "compared" if differences else "alone",
        passing_findings(passed, measures),
        notes=filter(
            None,
            [
                SAY("paired") if differences else "",
                SAY("never", ks=never) if never else "",
                *left_out,
            ],
        ),
        cluster=declared.cluster,
        limits=tuple(dict.fromkeys(limits)),
    )


def _left_out(row: Passing, metric: Measure) -> Sentence | str:
    """Of how many tasks too few plays have a value; of a comparison it is the same for both."""
    tasks = [
        SAY("at_k", tasks=Count("task", each.left_out), k=each.k)
        for each in row.estimates
        if each.left_out and each.k <= row.most
    ]
    if not tasks:
        return ""
    if row.side is None:
        return SAY("left_out", metric=metric, tasks=tasks)
    return SAY("left_out_of_agent", agent=row.side, metric=metric, tasks=tasks)
