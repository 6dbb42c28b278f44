"""A comparison of two agents as findings, tables and a JSON document: over all episodes, seat by
seat, and beside the scores of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from sociolab.analysis.comparison import ComparedAgents, ComparedMetric
from sociolab.analysis.comparison_notes import (
    caution_notes,
    comparison_verdict,
    conclusion_notes,
    count_range,
    describe_levels,
    matching_notes,
    power_notes,
    summarize_matching,
)
from sociolab.analysis.matching import ComparedSide
from sociolab.report.catalogue import Catalogue
from sociolab.report.difference_charts import difference_figures
from sociolab.report.finding import Count, Finding, FindingTable, Sentence
from sociolab.report.section import Section
from sociolab.report.words import failed_of
from sociolab.stats.intervals import as_record
from sociolab.stats.power import ALPHA, NO_REPEATS, fewest_clusters

SAY = Catalogue("compare")

_COLUMNS = ("metric", "a", "b", "difference", "interval", "p", "adjusted_p")
_DETAILS = (
    "compare.sample_size", "compare.invalid_turns", "compare.untested", "compare.over",
    "compare.over_with_partners",
)  # fmt: skip
"""What the overview leaves out: the rest of the section says it, too."""


def comparison_findings(comparison: ComparedAgents, seat: str = "") -> tuple[Finding, ...]:
    """A finding for each metric: a minus b, over how many pairs (or blocks) and clusters.

    Beside it: the means (`a`, `b`), the effect (`d_z`, `higher`, `equal`, `lower`: clusters by
    their sign), the design (`detectable`, `needed` clusters, `repeats`, `at_most`, `smallest_p`)
    and Student's test (`t`, `df`, `student_p`). `seat`: of which seat's plays these are.
    """
    return tuple(_finding(comparison, metric, seat) for metric in comparison.metrics.values())


def _finding(comparison: ComparedAgents, metric: ComparedMetric, seat: str) -> Finding:
    test, student = metric.test, metric.test.t_test
    pairs = (Count("pair", test.pairs),) if comparison.match != "none" else ()
    factor = test.settles.repeats
    return Finding(
        metric.measure,
        {"seat": seat, "judge": comparison.judge} if seat else {"judge": comparison.judge},
        test.difference,
        (*pairs, Count(comparison.cluster, test.clusters)),
        test.p,
        test.holm_p,
        coverage=metric.coverage,
        bounds=metric.bounds if metric.is_open else None,
        more={
            "a": test.mean_a,
            "b": test.mean_b,
            "unpaired": SAY("unpaired", a=test.only_a, b=test.only_b),
            "higher": test.effect.better,
            "equal": test.effect.equal,
            "lower": test.effect.worse,
            "d_z": test.effect.d_z,
            "detectable": test.design.detectable,
            "needed": test.settles.clusters,
            "repeats": factor and (SAY("enough") if factor == 1 else SAY("times", factor=factor)),
            "at_most": test.at_most,
            "smallest_p": test.permutation.smallest,
            "t": student.t,
            "df": student.freedom,
            "student_p": student.p,
        },
    )


def comparison_section(
    comparison: ComparedAgents, judged: str, cautions: Sequence[str], label: str = ""
) -> Section:
    """What is concluded; `judged` says what to think of the judge's figures, `cautions` what else
    not to conclude, and `label`, before the verdict, that it is no result."""
    findings = comparison_findings(comparison)
    cluster, clusters = comparison.cluster, comparison.clusters
    metrics = comparison.metrics.values()
    concluded = (*conclusion_notes(comparison), *power_notes(comparison))
    return Section(
        SAY("title", a=comparison.a.name, b=comparison.b.name),
        (*matching_notes(comparison), judged, *concluded),
        (*cautions, *caution_notes(comparison)),
        (
            SAY.table(
                "differences",
                findings,
                columns=(*_COLUMNS, *_bounds_column(findings)),
                notes=_differences_notes(comparison),
                cluster=cluster,
                declared=comparison.declared,
                judge=comparison.judged,
            ),
            SAY.table("basis", findings, clusters=clusters),
            SAY.table(
                "design",
                findings,
                notes=_design_notes(comparison),
                level=describe_levels(comparison),
                clusters=clusters,
                fewest=fewest_clusters(max(metric.test.design.alpha for metric in metrics)),
            ),
            SAY.table("student", findings, of=cluster),
        ),
        difference_figures(
            findings, comparison.declared, comparison.a.name, comparison.b.name, comparison.judged
        ),
        verdict=comparison_verdict([comparison], label),
    )


def comparison_overview(section: Section) -> Section:
    """Of the comparison's section what is read first: conclusions, differences and their charts;
    without notes that repeat what these and the cautions say."""

    def leading(notes: Iterable[str]) -> tuple[str, ...]:
        return tuple(note for note in notes if getattr(note, "id", "") not in _DETAILS)

    table = replace(section.tables[0], notes=leading(section.tables[0].notes))
    return replace(section, sentences=leading(section.sentences), tables=(table,))


def seat_section(seats: Mapping[str, ComparedAgents]) -> Section:
    """The same comparison over the plays of each seat, such as buyers and sellers."""
    findings = [row for seat, c in seats.items() for row in comparison_findings(c, seat)]
    columns = ("seat", *_COLUMNS, *_bounds_column(findings))
    declared = next(iter(seats.values())).declared
    table = SAY.table("by_seat", findings, columns=columns, declared=declared)
    return Section(SAY("by_seat"), tables=(table,))


def _bounds_column(findings: Iterable[Finding]) -> tuple[str, ...]:
    return ("bounds",) if any(row.bounds for row in findings) else ()


def _differences_notes(comparison: ComparedAgents) -> Iterator[Sentence]:
    metrics = comparison.metrics.values()
    yield _over(comparison)
    if comparison.tested:
        if any(metric.test.difference.method == "model" for metric in metrics):
            test = SAY("of_model", others=Count(comparison.crossed_with, 0).column)
        else:
            test = SAY("welch") if comparison.match == "none" else SAY("sign_flip")
        if gate := comparison.gate:
            yield SAY("p_first", test=test, metric=gate.measure, family=comparison.family)
        else:
            yield SAY("p", test=test, family=comparison.family)
    if any(metric.is_open for metric in metrics):
        yield SAY("bounds")
    failed_a, failed_b = failed_of(comparison.a.turn_counts), failed_of(comparison.b.turn_counts)
    if failed_a or failed_b:
        yield SAY("invalid_turns", a=failed_a or "none", b=failed_b or "none")
    idle = [m.measure for m in metrics if m.test.pairs and m.test.holm_p is None]
    if idle:
        yield SAY("untested", cluster=comparison.cluster, metrics=idle)


def _design_notes(comparison: ComparedAgents) -> Iterator[Sentence]:
    """In which metrics repeats never suffice, or there are fewer clusters than needed."""
    cluster, metrics = comparison.cluster, comparison.metrics.values()
    never = [metric for metric in metrics if metric.test.settles.note == NO_REPEATS]
    for count in sorted({metric.test.clusters for metric in never}):
        names = [metric.measure for metric in never if metric.test.clusters == count]
        yield SAY("no_repeats", clusters=Count(cluster, count), cluster=cluster, metrics=names)
    if few := [metric.measure for metric in metrics if metric.on_all is not None]:
        clusters = Count(cluster, comparison.declared.clusters or 0)
        yield SAY("too_few", clusters=clusters, metrics=few)


def _over(comparison: ComparedAgents) -> Sentence:
    """How many pairs and clusters the means are over, and whom both agents met."""
    usable = [metric.test for metric in comparison.metrics.values() if metric.test.pairs]
    if not usable:
        return SAY("over_nothing")
    pairs = count_range(comparison.size, [test.pairs for test in usable])
    clusters = count_range(comparison.cluster, [test.clusters for test in usable])
    met = comparison.a.partners
    if met != comparison.b.partners:
        return SAY("over", pairs=pairs, clusters=clusters)
    return SAY("over_with_partners", pairs=pairs, clusters=clusters, partners=met)


# ------------------------------------------------------------------ beside the scores of a run


def overview_table(
    comparisons: Sequence[ComparedAgents], a: str, b: str, notes: Iterable[str] = ()
) -> FindingTable:
    """Two agents side by side, a row for each metric of each comparison."""
    findings = [row for comparison in comparisons for row in comparison_findings(comparison)]
    below = (*_overview_notes(comparisons), *notes)
    declared = comparisons[0].declared
    table = SAY.table("two_agents", findings, notes=below, declared=declared, a=a, b=b)
    marked = any(row.metric and declared.metric(row.metric.name).mark for row in findings)
    return table if marked else replace(table, legend="")  # the scores above have it


def _overview_notes(comparisons: Sequence[ComparedAgents]) -> Iterator[Sentence]:
    """How these figures were made, and what not to conclude from them, in a line each; says of
    which metrics where not all were matched alike."""
    ways: dict[Sentence, list[ComparedAgents]] = {}
    for comparison in comparisons:
        ways.setdefault(summarize_matching(comparison), []).append(comparison)
    cluster = comparisons[0].cluster
    for way, alike in ways.items():
        if len(ways) == 1:
            yield SAY("overview", way=way, cluster=cluster)
        else:
            which = [SAY("by_judge", metrics=[*c.measures.values()], judge=c.judge) for c in alike]
            yield SAY("overview_of_some", which=which, way=way, cluster=cluster)
    metrics = [metric for each in comparisons for metric in each.metrics.values()]
    if not all(metric.test.p is not None and metric.test.p < ALPHA for metric in metrics):
        yield SAY("not_equal")
    if any(metric.is_open for metric in metrics):
        yield SAY("left_out")


# ------------------------------------------------------------------ as a document


def comparison_document(comparison: ComparedAgents) -> dict[str, Any]:
    """The comparison as a JSON object: see docs/compare.md."""
    return {
        "a": _side(comparison.a),
        "b": _side(comparison.b),
        "judge": {"judge": comparison.judge, "method": comparison.judge_id.method},
        "match": comparison.match,
        "matched_by": comparison.matched_by,
        "why": comparison.why,
        "matched": {unit: asdict(count) for unit, count in comparison.counts.items()},
        "measures": {name: _measured(metric) for name, metric in comparison.metrics.items()},
    }


def metric_row(metric: ComparedMetric) -> dict[str, Any]:
    """The difference in a metric as a flat row."""
    test = metric.test
    return {
        "mean_a": test.mean_a,
        "mean_b": test.mean_b,
        "difference": test.difference.value,
        "low": test.difference.low,
        "high": test.difference.high,
        "p": test.p,
        "holm_p": test.holm_p,
        "d_z": test.effect.d_z,
        "pairs": test.pairs,
        "clusters": test.clusters,
    }


def _side(side: ComparedSide) -> dict[str, Any]:
    return {
        "run": side.run,
        "agent": side.agent,
        "partners": list(side.partners),
        "failed_turns": side.turn_counts.failed,
        "turns_asked": side.turn_counts.total,
    }


def _measured(metric: ComparedMetric) -> dict[str, Any]:
    return {
        "pairs": metric.test.pairs,
        "clusters": metric.test.clusters,
        **as_record(metric.test),
        "superiority": metric.test.effect.superiority,
        "at_most_apart": metric.test.at_most,
        "unlike": metric.unlike,
        "missing_a": metric.missing[0],
        "missing_b": metric.missing[1],
        "on_all": metric.on_all and asdict(metric.on_all),
        "not_established_a": metric.unscored[0],
        "not_established_b": metric.unscored[1],
        "bounds": metric.bounds,
    }
