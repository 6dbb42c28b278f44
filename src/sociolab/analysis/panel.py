"""A panel: several judges of the same plays as one judge, with their disagreement kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean, median, stdev
from typing import Literal, TypeAlias

from sociolab.analysis.audit import main_measure
from sociolab.analysis.values import RunValues, Value
from sociolab.core.errors import ConfigError
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.score import RULE_BASED, JudgeId, Measure, judge_title
from sociolab.report.catalogue import Catalogue, Column
from sociolab.report.finding import (
    Count,
    Finding,
    FindingTable,
    Sentence,
    episodes_and_seats,
)
from sociolab.report.formatting import NOTHING
from sociolab.report.section import Section
from sociolab.report.words import join_names, method_words
from sociolab.stats.intervals import means

APART = 2.0
"""Judges who differ by more points than this disagree."""

Lack: TypeAlias = Literal["failed", "not judged", "cannot tell"]
"""Why a judge has no score of a play; the first of these that holds of any judge is the play's."""
LACKS: tuple[Lack, ...] = ("failed", "not judged", "cannot tell")

_Cell: TypeAlias = tuple[str, str, str | None, str]
"""Judge, trial, seat and metric."""

SAY = Catalogue("panel")
_MOST_SHOWN = 5
_WHY: Mapping[Lack, str] = {
    "failed": "lack_failed",
    "not judged": "lack_not_judged",
    "cannot tell": "lack_cannot_tell",
}


@dataclass(frozen=True, slots=True)
class PanelPlay:
    """The judges' scores of one play in one metric, in the panel's order.

    A play that any of them has no score of (None) is incomplete: it has neither mean nor median nor
    spread, since a mean over fewer judges would move with who is missing. `lacks` says of each
    judge why there is none; None where there is one.
    """

    trial: str
    task: str
    cluster: str
    seat: str | None
    agent: str | None
    measure: str
    scores: tuple[float | None, ...]
    lacks: tuple[Lack | None, ...]

    @property
    def lack(self) -> Lack | None:
        """Why the play is incomplete; a judge that failed comes before one that cannot tell."""
        return next((lack for lack in LACKS if lack in self.lacks), None)

    @property
    def complete(self) -> tuple[float, ...] | None:
        """All scores; None where one is missing."""
        present = tuple(score for score in self.scores if score is not None)
        return present if len(present) == len(self.scores) else None

    @property
    def mean(self) -> float | None:
        return fmean(self.complete) if self.complete else None

    @property
    def median(self) -> float | None:
        return median(self.complete) if self.complete else None

    @property
    def range(self) -> float | None:
        return max(self.complete) - min(self.complete) if self.complete else None

    @property
    def sd(self) -> float | None:
        """The sample standard deviation of the judges' scores (n - 1)."""
        return stdev(self.complete) if self.complete else None


@dataclass(frozen=True, slots=True)
class JudgePanel:
    """The plays of one run as several judges scored them, metric by metric.

    `judges` are their labels, `ids` the judges themselves, in the same order. `left_out` are
    metrics that not every one of them gives.
    """

    run: str
    world: str
    judges: tuple[str, ...]
    ids: tuple[JudgeId, ...]
    plays: tuple[PanelPlay, ...]
    measures: tuple[Measure, ...]
    left_out: tuple[str, ...]
    declared: Declared = UNDECLARED

    def select(self, measure: str, agent: str | None = None) -> tuple[PanelPlay, ...]:
        return tuple(
            play for play in self.plays if play.measure == measure and agent in (None, play.agent)
        )

    @property
    def failed(self) -> int:
        """Plays, in all metrics, that a judge failed on, or that failed themselves."""
        return count_lacking(self.plays)["failed"]

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents, in order of appearance."""
        return tuple(dict.fromkeys(play.agent for play in self.plays if play.agent))


def count_lacking(plays: Sequence[PanelPlay]) -> Counter[str]:
    """The number of incomplete plays, by reason."""
    return Counter(play.lack for play in plays if play.lack is not None)


def build_panel(run: RunValues, judges: Sequence[str]) -> JudgePanel:
    """The panel of these judges of a run.

    A play that none of them can tell of is none of the panel's. ConfigError for fewer than two
    judges, one that is not there, and where rule-based scores would be averaged with scores of
    another method: a mean over judges estimates something only if all of them try to measure the
    same.
    """
    named = tuple(dict.fromkeys(judges))
    for judge in named:
        if judge not in run.judges:
            choices = ", ".join(run.judges) or "none"
            raise ConfigError(
                f'--panel: "{judge}" scored nothing in {run.run}; its judges: {choices}'
            )
    if len(named) < 2:
        raise ConfigError(f'--panel: expected two judges or more, found "{", ".join(named)}"')
    ids = tuple(run.judges[judge] for judge in named)
    methods = {judge_id.method for judge_id in ids}
    if len(methods) > 1 and methods & RULE_BASED:
        listing = join_names(
            judge_title(judge, judge_id.method) for judge, judge_id in zip(named, ids, strict=True)
        )
        raise ConfigError(
            f"--panel: expected judges of one method, or models with people, found {listing}: the "
            "mean of such scores has no clear meaning; leave out the rule-based ones, "
            "or see them beside each other with sociolab report"
        )
    unscored = {(value.judge, value.trial, value.seat, value.measure) for value in run.unscored}
    by_cell: dict[tuple[str, str, str | None], dict[str, Value]] = {}
    for value in run.values:
        if value.judge in named:
            key = (value.measure, value.trial, value.seat)
            by_cell.setdefault(key, {})[value.judge] = value
    gives = {
        name: {judge for (measure, *_), by in by_cell.items() if measure == name for judge in by}
        for name in run.measures
    }
    shared = [name for name in run.measures if len(gives[name]) == len(named)]
    plays = tuple(
        _play(next(iter(by.values())), [by.get(judge) for judge in named], named, unscored)
        for (measure, *_), by in by_cell.items()
        if measure in shared
    )
    left_out = tuple(name for name in run.measures if gives[name] and name not in shared)
    measures = tuple(run.measures[name] for name in shared)
    return JudgePanel(run.run, run.world, named, ids, plays, measures, left_out, run.declared)


def _play(
    first: Value,
    values: Sequence[Value | None],
    judges: Sequence[str],
    unscored: Collection[_Cell],
) -> PanelPlay:
    lacks = tuple(
        _lack(value, (judge, first.trial, first.seat, first.measure) in unscored)
        for judge, value in zip(judges, values, strict=True)
    )
    scores = tuple(
        None if value is None or value.value is None else float(value.value) for value in values
    )
    play = (first.trial, first.task, first.cluster, first.seat, first.agent, first.measure)
    return PanelPlay(*play, scores, lacks)


def _lack(value: Value | None, cannot_tell: bool) -> Lack | None:
    if value is None:
        return "cannot tell" if cannot_tell else "not judged"
    return "failed" if value.value is None else None


# ------------------------------------------------------------------ what it concludes


def panel_findings(panel: JudgePanel, apart: float = APART) -> tuple[Finding, ...]:
    """A finding for each metric: the mean over the judges of one episode, then over episodes.

    Beside it: median, range and sd of the judges' scores, `apart`, the share where two judges
    differ by more than so many points, and the mean of each judge, all over complete scores and
    clustered by scenario.
    """
    return tuple(_finding(panel, measure, apart) for measure in panel.measures)


def _finding(
    panel: JudgePanel, measure: Measure, apart: float, agent: str | None = None
) -> Finding:
    plays = panel.select(measure.name, agent)
    complete = [play for play in plays if play.complete]
    columns: dict[str, list[float | None]] = {
        "estimate": [play.mean for play in complete],
        "median": [play.median for play in complete],
        "range": [play.range for play in complete],
        "sd": [play.sd for play in complete],
        "apart": [float((play.range or 0) > apart) for play in complete],
    }
    for number, judge in enumerate(panel.judges):
        columns[f"by {judge}"] = [play.scores[number] for play in complete]
    figures = means(columns, [play.cluster for play in complete])
    incomplete = count_lacking(plays)
    return Finding(
        measure,
        {} if agent is None else {"agent": agent},
        figures.pop("estimate"),
        episodes_and_seats((play.trial, play.seat) for play in complete),
        more={**figures, **{lack: incomplete[lack] for lack in LACKS}},
    )


def panel_section(panel: JudgePanel, apart: float) -> Section:
    """The panel's scores; judges who differ by more than `apart` points disagree."""
    findings = panel_findings(panel, apart)
    main = main_measure(panel.declared, [f.metric.name for f in findings if f.metric and f.counts])
    leading = next((f for f in findings if f.metric and f.metric.name == main), None)
    table = partial(SAY.table, cluster=panel.declared.cluster, apart=apart)
    judges = tuple(Column(judge, judge, f"by {judge}", part="value") for judge in panel.judges)
    tables = [
        table("scores", findings, columns=_scores(findings)),
        table("disagreement", findings),
        table("alone", findings, columns=("metric", *judges)),
    ]
    if leading is not None and leading.metric is not None:
        agents = [_finding(panel, leading.metric, apart, agent) for agent in panel.agents]
        tables += [
            table("by_agent", agents, columns=_scores(agents, "agent"), metric=leading.metric),
            _furthest(panel, leading.metric, judges),
        ]
    return Section(
        SAY("title", judges=panel.judges, run=panel.run),
        (_verdict(leading, apart),),
        tuple(_cautions(panel)),
        tuple(part for part in tables if part.findings),
    )


def _scores(findings: Sequence[Finding], first: str = "metric") -> tuple[str, ...]:
    counts = dict.fromkeys(count.column for finding in findings for count in finding.counts)
    return (first, "mean", "median", *counts, *LACKS)


def _verdict(leading: Finding | None, apart: float) -> Sentence:
    if leading is None or leading.estimate is None or leading.estimate.value is None:
        return SAY("nothing")
    return SAY(
        "verdict",
        metric=leading.metric,
        mean=leading.estimate,
        over=leading.counts,
        range=leading.more["range"],
        apart=apart,
        share=leading.more["apart"],
    )


def _cautions(panel: JudgePanel) -> Iterator[Sentence]:
    labelled = dict(zip(panel.judges, panel.ids, strict=True))
    people = [name for name, judge in labelled.items() if judge.method == "people"]
    models = [name for name in labelled if name not in people]
    if people and models:
        yield SAY("models_and_people", models=models, people=people)
    yield from method_notes(panel.declared, labelled)
    if why := count_lacking(panel.plays):
        reasons = [SAY(_WHY[lack], n=why[lack]) for lack in LACKS if why[lack]]
        scores = Count("score", len(panel.plays))
        yield SAY("incomplete", n=why.total(), scores=scores, reasons=reasons)
    if panel.left_out:
        yield SAY("left_out", metrics=panel.left_out)


def method_notes(declared: Declared, judges: Mapping[str, JudgeId]) -> Iterator[Sentence]:
    """Notes on judges that are rule-based or the user's own code, by label."""
    for name, judge in judges.items():
        if judge.method in RULE_BASED or judge.code:
            yield SAY("judge", judge=name, method=method_words(declared, judge))


def _furthest(panel: JudgePanel, metric: Measure, judges: Sequence[Column]) -> FindingTable:
    plays = [play for play in panel.select(metric.name) if play.complete]
    plays.sort(key=lambda play: (-(play.range or 0), play.trial, play.seat or ""))
    findings = (
        Finding(
            metric,
            {"episode": play.trial[:10], "seat": play.seat or NOTHING},
            more={"range": play.range}
            | {
                f"by {judge}": score for judge, score in zip(panel.judges, play.scores, strict=True)
            },
        )
        for play in plays[:_MOST_SHOWN]
    )
    columns: tuple[str | Column, ...] = ("episode", "seat", *judges, "range")
    return SAY.table("furthest", findings, columns=columns, metric=metric)
