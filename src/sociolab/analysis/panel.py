"""A panel: several judges of the same plays as one judge, with their disagreement kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median, stdev
from typing import Literal, TypeAlias

from sociolab.analysis.audit import main_measure
from sociolab.analysis.formatting import NOTHING, cell, interval_notes, plain, title_of
from sociolab.analysis.values import RunValues, Value
from sociolab.core.errors import ConfigError
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.score import RULE_BASED, JudgeId, Measure, judge_title
from sociolab.report.section import Section, TextTable
from sociolab.report.words import listed, method_words, plural
from sociolab.stats.intervals import Estimate, means

APART = 2.0
"""Judges who differ by more points than this disagree."""

Lack: TypeAlias = Literal["failed", "not judged", "cannot tell"]
"""Why a judge has no score of a play; the first of these that holds of any judge is the play's."""
LACKS: tuple[Lack, ...] = ("failed", "not judged", "cannot tell")

_Cell: TypeAlias = tuple[str, str, str | None, str]
"""Judge, trial, seat and measure."""

_MOST_SHOWN = 5
_WHY: Mapping[Lack, str] = {
    "failed": "a judge or the episode failed",
    "not judged": "a judge has not judged it",
    "cannot tell": "a judge cannot tell",
}


@dataclass(frozen=True, slots=True)
class PanelPlay:
    """What the judges of a panel gave one play in one measure, in the panel's order.

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
        """Why it is incomplete: that somebody failed comes before that somebody cannot tell."""
        return next((lack for lack in LACKS if lack in self.lacks), None)

    @property
    def complete(self) -> tuple[float, ...] | None:
        """All scores; None where one is missing."""
        present = tuple(score for score in self.scores if score is not None)
        return present if len(present) == len(self.scores) else None

    @property
    def mean(self) -> float | None:
        """The mean of the judges' scores."""
        return fmean(self.complete) if self.complete else None

    @property
    def median(self) -> float | None:
        """Their median; of two judges it is the mean."""
        return median(self.complete) if self.complete else None

    @property
    def range(self) -> float | None:
        """The greatest score minus the least."""
        return max(self.complete) - min(self.complete) if self.complete else None

    @property
    def sd(self) -> float | None:
        """The standard deviation of the scores (n - 1)."""
        return stdev(self.complete) if self.complete else None


@dataclass(frozen=True, slots=True)
class JudgePanel:
    """The plays of one run as several judges scored them, measure by measure.

    `judges` are their labels, `ids` the judges themselves, in the same order. `left_out` are
    measures that not every one of them gives.
    """

    run: str
    world: str
    judges: tuple[str, ...]
    ids: tuple[JudgeId, ...]
    plays: tuple[PanelPlay, ...]
    measures: tuple[Measure, ...]
    left_out: tuple[str, ...]
    declared: Declared = UNDECLARED

    def of(self, measure: str, agent: str | None = None) -> tuple[PanelPlay, ...]:
        """The plays in one measure, of all agents or of one."""
        return tuple(
            play for play in self.plays if play.measure == measure and agent in (None, play.agent)
        )

    @property
    def failed(self) -> int:
        """Plays, in all measures, that a judge failed on, or that failed themselves."""
        return lacking(self.plays)["failed"]

    @property
    def agents(self) -> tuple[str, ...]:
        """Who played, as they come."""
        return tuple(dict.fromkeys(play.agent for play in self.plays if play.agent))


def lacking(plays: Sequence[PanelPlay]) -> Counter[str]:
    """How many plays are incomplete, by why."""
    return Counter(play.lack for play in plays if play.lack is not None)


def panel_of(run: RunValues, judges: Sequence[str]) -> JudgePanel:
    """The panel of these judges of a run.

    A play that none of them can tell of is none of the panel's. ConfigError for fewer than two
    judges, one that is not there, and where rule-based scores would be averaged with scores of
    another method: a mean over judges estimates something only if all of them try to measure the
    same.
    """
    named = tuple(dict.fromkeys(judges))
    for judge in named:
        if judge not in run.judges:
            known = ", ".join(run.judges) or "none"
            raise ConfigError(
                f'--panel: "{judge}" scored nothing in {run.run}; its judges: {known}'
            )
    if len(named) < 2:
        raise ConfigError(f'--panel: expected two judges or more, found "{", ".join(named)}"')
    ids = tuple(run.judges[judge] for judge in named)
    methods = {one.method for one in ids}
    if len(methods) > 1 and methods & RULE_BASED:
        told = listed(judge_title(judge, one.method) for judge, one in zip(named, ids, strict=True))
        raise ConfigError(
            f"--panel: expected judges of one method, or models with people, found {told}: the "
            "mean of such scores has no clear meaning; leave out the rule-based ones, "
            "or see them beside each other with sociolab report"
        )
    untold = {(value.judge, value.trial, value.seat, value.measure) for value in run.untold}
    said: dict[tuple[str, str, str | None], dict[str, Value]] = {}
    for value in run.values:
        if value.judge in named:
            key = (value.measure, value.trial, value.seat)
            said.setdefault(key, {})[value.judge] = value
    gives = {
        name: {judge for (measure, *_), by in said.items() if measure == name for judge in by}
        for name in run.measures
    }
    shared = [name for name in run.measures if len(gives[name]) == len(named)]
    plays = tuple(
        _play(next(iter(by.values())), [by.get(judge) for judge in named], named, untold)
        for (measure, *_), by in said.items()
        if measure in shared
    )
    left = tuple(name for name in run.measures if gives[name] and name not in shared)
    measures = tuple(run.measures[name] for name in shared)
    return JudgePanel(run.run, run.world, named, ids, plays, measures, left, run.declared)


# ------------------------------------------------------------------ figures


@dataclass(frozen=True, slots=True)
class PanelFigures:
    """The panel in one measure: means over complete plays with intervals clustered by scenario.

    `apart` is the share of plays where two judges differ by more than the points asked for;
    `judges` are their own means over the same plays; `lacking` counts incomplete plays by why.
    """

    measure: Measure
    mean: Estimate
    median: Estimate
    range: Estimate
    sd: Estimate
    apart: Estimate
    judges: tuple[Estimate, ...]
    lacking: Mapping[str, int]


def panel_figures(panel: JudgePanel, apart: float = APART) -> tuple[PanelFigures, ...]:
    """The figures of each measure."""
    return tuple(_figures(panel, measure, apart) for measure in panel.measures)


def _figures(panel: JudgePanel, measure: Measure, apart: float) -> PanelFigures:
    plays = panel.of(measure.name)
    whole = [play for play in plays if play.complete]
    columns: dict[str, list[float | None]] = {
        "mean": [play.mean for play in whole],
        "median": [play.median for play in whole],
        "range": [play.range for play in whole],
        "sd": [play.sd for play in whole],
        "apart": [float((play.range or 0) > apart) for play in whole],
    }
    for number, judge in enumerate(panel.judges):
        columns[f"by {judge}"] = [play.scores[number] for play in whole]
    found = means(columns, [play.cluster for play in whole])
    return PanelFigures(
        measure=measure,
        mean=found["mean"],
        median=found["median"],
        range=found["range"],
        sd=found["sd"],
        apart=found["apart"],
        judges=tuple(found[f"by {judge}"] for judge in panel.judges),
        lacking=lacking(plays),
    )


def _play(
    of: Value, said: Sequence[Value | None], judges: Sequence[str], untold: Collection[_Cell]
) -> PanelPlay:
    lacks = tuple(
        _lack(value, (judge, of.trial, of.seat, of.measure) in untold)
        for judge, value in zip(judges, said, strict=True)
    )
    scores = tuple(None if value is None else value.value for value in said)
    play = (of.trial, of.task, of.cluster, of.seat, of.agent, of.measure)
    return PanelPlay(*play, scores, lacks)


def _lack(value: Value | None, cannot_tell: bool) -> Lack | None:
    if value is None:
        return "cannot tell" if cannot_tell else "not judged"
    return "failed" if value.value is None else None


def panel_section(panel: JudgePanel, apart: float) -> Section:
    """What the panel gave, where judges who lie more than `apart` points apart disagree."""
    figures = panel_figures(panel, apart)
    main = main_measure(panel.declared, [one.measure.name for one in figures if one.mean.n])
    of_main = next((one for one in figures if one.measure.name == main), None)
    tables = [
        _scores(panel, figures),
        _disagreement(panel, figures, apart),
        _alone(panel, figures),
    ]
    if of_main is not None:
        tables += [_by_agent(panel, of_main), _apart(panel, of_main)]
    return Section(
        f"A panel of {', '.join(panel.judges)} · run {panel.run}",
        _said(of_main, apart),
        _cautions(panel),
        tuple(table for table in tables if table.rows),
    )


def _said(main: PanelFigures | None, apart: float) -> tuple[str, ...]:
    if main is None or main.mean.value is None:
        return ("No episode was scored by all judges of the panel.",)
    title = title_of(main.measure)
    return (
        f"{title}: {cell(main.mean)} over {plural(main.mean.n, 'episode')}; the judges lie "
        f"{cell(main.range)} points apart on an episode, and more than {apart:g} on "
        f"{cell(main.apart, percent=True)} of the episodes.",
    )


def _cautions(panel: JudgePanel) -> tuple[str, ...]:
    found = [*_methods(panel)]
    why = lacking(panel.plays)
    if why:
        total = len(panel.plays)
        told = ", ".join(f"{_WHY[lack]} {why[lack]:,}" for lack in LACKS if why[lack])
        found.append(
            f"{why.total():,} of {plural(total, 'score')} of the panel are incomplete ({told}): "
            "left out, not averaged over fewer judges."
        )
    if panel.left_out:
        found.append(f"Not given by all of these judges, and left out: {', '.join(panel.left_out)}")
    return tuple(found)


def _methods(panel: JudgePanel) -> Iterator[str]:
    """That models are averaged with people, and what to think of judges that need saying so."""
    labelled = dict(zip(panel.judges, panel.ids, strict=True))
    people = [name for name, one in labelled.items() if one.method == "people"]
    others = [name for name in labelled if name not in people]
    if people and others:
        yield (
            f"Models ({listed(others)}) and people ({listed(people)}) are averaged here, each as "
            "one judge: the mean of all ratings by people counts as much as one model. It is "
            "neither a score by models nor one by people, and a bias of the models is in it. See "
            "each judge alone below, and sociolab agree, before you use it."
        )
    for name, one in labelled.items():
        if one.method in RULE_BASED or one.code:
            yield f"Judge {name}: {method_words(panel.declared, one)}."


def _scores(panel: JudgePanel, figures: Sequence[PanelFigures]) -> TextTable:
    rows = tuple(
        (
            title_of(f.measure),
            cell(f.mean),
            cell(f.median),
            f"{f.mean.n:,}",
            *(f"{f.lacking.get(lack, 0):,}" for lack in LACKS),
        )
        for f in figures
    )
    notes = (
        "over the judges of one episode, then over episodes",
        "failed: a judge failed, or the episode itself; cannot tell: a judge says so, and none "
        "failed",
        *_how(panel, [estimate for f in figures for estimate in (f.mean, f.median)]),
    )
    columns = ("measure", "mean", "median", "plays", *LACKS)
    return TextTable("Scores of the panel", columns, rows, notes)


def _disagreement(panel: JudgePanel, figures: Sequence[PanelFigures], apart: float) -> TextTable:
    rows = tuple(
        (title_of(f.measure), cell(f.range), cell(f.sd), cell(f.apart, percent=True))
        for f in figures
    )
    notes = (
        "range, sd: of the judges' scores of one episode, mean over episodes; more than "
        f"{apart:g}: share of episodes whose range is more than that",
        *_how(panel, [estimate for f in figures for estimate in (f.range, f.sd, f.apart)]),
    )
    columns = ("measure", "range", "sd", f"more than {apart:g}")
    return TextTable("How far its judges lie apart", columns, rows, notes)


def _alone(panel: JudgePanel, figures: Sequence[PanelFigures]) -> TextTable:
    rows = tuple(
        (title_of(f.measure), *(plain(judge.value) for judge in f.judges)) for f in figures
    )
    notes = ("each judge's own mean over the same episodes",)
    return TextTable("Each judge alone", ("measure", *panel.judges), rows, notes)


def _by_agent(panel: JudgePanel, main: PanelFigures) -> TextTable:
    rows, shown = [], []
    for agent in panel.agents:
        plays = panel.of(main.measure.name, agent)
        whole = [play for play in plays if play.complete]
        columns = {"mean": [p.mean for p in whole], "median": [p.median for p in whole]}
        made = means(columns, [play.cluster for play in whole])
        shown += list(made.values())
        why = lacking(plays)
        counts = (f"{len(whole):,}", *(f"{why[lack]:,}" for lack in LACKS))
        rows.append((agent, cell(made["mean"]), cell(made["median"]), *counts))
    names = ("agent", "mean", "median", "plays", *LACKS)
    heading = f"{title_of(main.measure)} by agent"
    return TextTable(heading, names, tuple(rows), _how(panel, shown))


def _apart(panel: JudgePanel, main: PanelFigures) -> TextTable:
    plays = [play for play in panel.of(main.measure.name) if play.complete]
    plays.sort(key=lambda play: (-(play.range or 0), play.trial, play.seat or ""))
    rows = tuple(
        (play.trial[:10], play.seat or NOTHING, *map(plain, play.scores), plain(play.range))
        for play in plays[:_MOST_SHOWN]
    )
    columns = ("episode", "seat", *panel.judges, "range")
    heading = f"{title_of(main.measure)}: where they differ most"
    return TextTable(heading, columns, rows, ("read one: sociolab show EPISODE",), words=(1,))


def _how(panel: JudgePanel, shown: Sequence[Estimate]) -> tuple[str, ...]:
    return interval_notes(shown, panel.declared.cluster)
