"""The sentence of result with which the text, page and JSON of a run begin."""

from __future__ import annotations

from collections.abc import Iterable

from sociolab.core.metrics import Declared, format_range
from sociolab.core.score import Measure
from sociolab.report.catalogue import Catalogue
from sociolab.report.exam import exam_notes
from sociolab.report.finding import Count, Sentence
from sociolab.report.run_facts import evaluated
from sociolab.report.schema import ESTABLISHED, RunResult, ScoreEntry
from sociolab.report.score_tables import finding_of, leading_means
from sociolab.report.section import Section
from sociolab.report.words import by_rules, stand_ins

VERDICT = Catalogue("verdict")


def run_verdict(result: RunResult, compared: Section | None = None) -> Sentence:
    """What a run shows: the verdict of `compared`, the comparison of its two agents, or the means
    in the metric that leads. Cannot tell where that has less than `ESTABLISHED` of its scores."""
    entries = leading_means(result)
    leads = bool(entries) and entries[0].measure in result.declared.main
    if not leads and (of_main := _means_of_main(result)):
        entries = of_main
    elif compared is not None and isinstance(compared.verdict, Sentence):
        return compared.verdict
    label = caveat([result], evaluated(result), entries[0].judge if entries else "")
    scored, due = scored_of(entries)
    if not due:
        failed = VERDICT("failed", failed=result.failed) if result.failed else ""
        return VERDICT(
            "nothing", label=label, episodes=Count("episode", result.trials), failed=failed
        )
    metric = finding_of(result, entries[0]).metric
    assert metric is not None
    if not enough(scored, due):
        return too_few(label, metric, entries[0].judge, scored, due)
    rows = {entry.agent: finding_of(result, entry) for entry in entries if entry.value is not None}
    first, last = _best_and_worst(result, entries)
    about = scale_of(metric, result.declared)
    if len(rows) == 1:
        return VERDICT(
            "mean",
            label=label,
            agent=first.agent,
            estimate=rows[first.agent].estimate,
            metric=metric,
            judge=first.judge,
            n=first.n,
            ends=VERDICT("no_interval", why=first.note) if first.low is None else "",
            **about,
        )
    return VERDICT(
        "means",
        label=label,
        first=first.agent,
        last=last.agent,
        end="best" if about["better"] else "highest",
        other_end="worst" if about["better"] else "lowest",
        n=len(rows),
        metric=metric,
        high=rows[first.agent].estimate,
        low=rows[last.agent].estimate,
        judge=first.judge,
        run=result.run,
        **about,
    )


def _means_of_main(result: RunResult) -> list[ScoreEntry]:
    """The means of each agent in the world's first main metric that was due, though it may have no
    score."""
    agents, order = evaluated(result), result.declared.main
    means = [e for e in result.scores if e.agent in agents and not e.by and e.measure in order]
    first = min(means, key=lambda entry: order.index(entry.measure), default=None)
    return [e for e in means if first and (e.judge, e.measure) == (first.judge, first.measure)]


def _best_and_worst(
    result: RunResult, entries: Iterable[ScoreEntry]
) -> tuple[ScoreEntry, ScoreEntry]:
    valued = [entry for entry in entries if entry.value is not None]
    ranked = sorted(valued, key=lambda entry: entry.value or 0.0)
    lower = result.declared.metric(valued[0].measure).better == "lower"
    return (ranked[0], ranked[-1]) if lower else (ranked[-1], ranked[0])


def scored_of(entries: Iterable[ScoreEntry]) -> tuple[int, int]:
    """How many scores of these entries there are, and how many there should be."""
    rows = list(entries)
    scored = sum(entry.n for entry in rows)
    return scored, scored + sum(entry.unscored + entry.failures for entry in rows)


def enough(scored: int, due: int) -> bool:
    """Whether a metric with so many of its scores may lead."""
    return scored >= ESTABLISHED * due


def too_few(label: str, metric: Measure, judge: str, scored: int, due: int) -> Sentence:
    """That a metric has too few of its scores to lead."""
    scores = Count("score", due)
    return VERDICT("too_few", label=label, metric=metric, judge=judge, scored=scored, scores=scores)


def scale_of(metric: Measure, declared: Declared) -> dict[str, str]:
    """The values of a sentence on a metric's scale, and on which of its ends is better."""
    better = declared.metric(metric.name).better
    return {
        "scale": format_range(metric.low, metric.high),
        "better": VERDICT("better", better=better) if better else "",
    }


def caveat(results: Iterable[RunResult], agents: Iterable[str], judge: str) -> str:
    """What precedes a figure that is no result: of runs that are smoke tests, of the stand-in
    endpoint, of none but rule-based agents, and by a judge that failed its exam; else ""."""
    runs = list(results)
    smoke = next((run.smoke for run in runs if run.smoke), None)
    if smoke is None and all(any(by_rules(run, agent) for run in runs) for agent in agents):
        smoke = VERDICT("by_rules")
    if smoke is None and stand_ins(*(run.settings for run in runs)):
        smoke = VERDICT("stand_in")
    label = VERDICT("label", why=smoke) if smoke else ""
    failed = exam_notes({run.run: run.judges for run in runs}, (judge,)).failed
    return label + VERDICT("failed_exam") if failed else label
