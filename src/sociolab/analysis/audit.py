"""Audits of a judge: how far its scores move when nothing changed that should count.

An episode is judged as it is and once more, unchanged (`RepeatedScore`) or as a variant
(`ScoreChange`), and what is compared is the same seat's score in the same metric. Intervals are
clustered by scenario. There is a section for each kind of audit, with findings in sentences and
figures in a table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import ceil, sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from sociolab.core.episode import Trial
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.ports import Variant, Way
from sociolab.core.score import UNNAMED_MEASURE, Measure, Score, Unscored, Verdict
from sociolab.report.catalogue import Catalogue, Column
from sociolab.report.finding import Count, Finding, FindingTable, Sentence, episodes_and_seats
from sociolab.report.section import Section
from sociolab.stats.intervals import NO_VARIATION, Estimate, mean, means, on_scale, sure_from

if TYPE_CHECKING:
    from sociolab.report.finding import Interval

OVERALL = "overall"
"""The metric that sums the others up; "all" leaves it out, since it would count them twice."""

ALL = "all"
"""Stands for all metrics together, in percent of the length of each one's scale."""

ScoreCell: TypeAlias = tuple[Measure, str | None]
"""A metric and a seat, None for the whole episode."""

SD, EQUAL, DIFFERENCE = "sd", "equal", "difference"
CHANGE, MOVED = "change", "absolute change"

SAY = Catalogue("audit")
_MOST_COLUMNS = 4
_MOST_CONDITIONS = 12


def all_metrics() -> Measure:
    """What stands for `ALL` metrics together: percent of the length of their scales."""
    return Measure(ALL, 0, 100, title=SAY("all"))


@dataclass(frozen=True, slots=True)
class RepeatedScore:
    """The scores of one play in one metric at repeated judgings; None where one is missing."""

    trial: str
    cluster: str
    seat: str | None
    measure: Measure
    scores: tuple[float | None, ...]

    @property
    def missing(self) -> int:
        """The number of scores that were due and are missing."""
        return self.scores.count(None)


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """The scores of one play in one metric, as it is and as a variant; None where one is missing.

    The conditions are those of the seat in the two, "" for nothing out of the ordinary;
    `group` is the variant's.
    """

    trial: str
    cluster: str
    seat: str | None
    measure: Measure
    old_condition: str
    new_condition: str
    before: float | None
    after: float | None
    group: str = ""

    @property
    def gap(self) -> float | None:
        """After minus before; None where one is missing."""
        if self.before is None or self.after is None:
            return None
        return self.after - self.before

    @property
    def gain(self) -> float | None:
        """The score in the condition minus the score out of it."""
        return self.gap if self.new_condition or self.gap is None else -self.gap

    @property
    def gains(self) -> dict[str, float | None]:
        """For each condition that it is in once: the score in it minus the score out of it."""
        if self.old_condition == self.new_condition:
            return {}
        away = None if self.gap is None else -self.gap
        gains = {self.new_condition: self.gap, self.old_condition: away}
        return {name: gain for name, gain in gains.items() if name}


def repeated_scores(
    trial: Trial, judgings: Sequence[Sequence[Verdict]], expected: Iterable[ScoreCell] = ()
) -> tuple[RepeatedScore, ...]:
    """The scores of an episode's plays at several judgings; what none of them can tell is left
    out. `expected`: what the judge is for; a judging that broke before it told lacks all that."""
    judged = [
        {(verdict.measure, verdict.seat): verdict for verdict in verdicts} for verdicts in judgings
    ]
    cells = dict.fromkeys([*(cell for scores in judged for cell in scores), *expected])
    repeated = []
    for measure, seat in cells:
        if measure == UNNAMED_MEASURE:
            continue
        all_ = [scores.get((measure, seat)) for scores in judged]
        if not all(isinstance(verdict, Unscored) for verdict in all_):
            scores = tuple(float(v.value) if isinstance(v, Score) else None for v in all_)
            repeated.append(RepeatedScore(trial.id, trial.task.cluster, seat, measure, scores))
    return tuple(repeated)


def score_changes(
    trial: Trial,
    variant: Variant,
    as_it_is: Sequence[Verdict],
    changed: Sequence[Verdict],
    expected: Iterable[ScoreCell] = (),
) -> tuple[ScoreChange, ...]:
    """The scores of the seats that a variant compares, as the episode is and as it is changed.

    `expected` is as in `repeated_scores`. Left out is what the judge can tell in neither.
    """
    by_seat = {seat: (old, new) for seat, old, new in variant.changes}
    changes = []
    for repeated in repeated_scores(trial, (as_it_is, changed), expected):
        if repeated.seat in by_seat:
            (old, new), (before, after) = by_seat[repeated.seat], repeated.scores
            of = (repeated.trial, repeated.cluster, repeated.seat, repeated.measure)
            changes.append(ScoreChange(*of, old, new, before, after, variant.group))
    return tuple(changes)


# ------------------------------------------------------------------ findings


def repeat_findings(cells: Sequence[RepeatedScore]) -> tuple[Finding, ...]:
    """Of each metric: the mean over plays of the standard deviation of their scores (n - 1), of
    the share of equal ones among all pairs of judgings, and of the mean distance of such pairs.

    A finding for each figure, about which `figure` it is: SD, EQUAL or DIFFERENCE; `missing` counts
    the scores that were due and have no value. Plays with fewer than two scores have no part in it.
    Of `ALL`, distances are in percent of the scale; the share is what it is.
    """
    rows = [_Row((c.trial, c.seat), c.measure, c.cluster, _steadiness(c), c.missing) for c in cells]
    return tuple(_findings(rows, lambda rows: episodes_and_seats({row.cell for row in rows})))


def change_findings(changes: Sequence[ScoreChange]) -> tuple[Finding, ...]:
    """Of each metric: the mean change of a seat's score, the mean absolute one, and the effect of
    each condition: the mean of its score in it minus its score out of it.

    A finding for each: its `figure` is CHANGE, MOVED or the condition; `missing` counts pairs
    without a value. Intervals end where the figure must: a difference of two scores lies within the
    length of the scale. The mean change is left out where no seat is in a condition before: the
    effects say it all.
    """
    swapped = any(change.old_condition for change in changes)
    rows = []
    for change in changes:
        moved = None if change.gap is None else abs(change.gap)
        values = ({CHANGE: change.gap} if swapped else {}) | {MOVED: moved} | change.gains
        cell = (change.trial, change.seat)
        missing = int(change.gap is None)
        rows.append(_Row(cell, change.measure, change.cluster, values, missing))
    return tuple(_findings(rows, lambda rows: (Count("pair", len(rows)),)))


def grouped_findings(changes: Sequence[ScoreChange]) -> dict[str, tuple[Finding, ...]]:
    """`change_findings` of each group; nothing where there is one only."""
    groups = sorted({change.group for change in changes})
    if len(groups) < 2:
        return {}
    return {group: change_findings([c for c in changes if c.group == group]) for group in groups}


def list_conditions(findings: Iterable[Finding]) -> tuple[str, ...]:
    """The conditions whose effects are among these, sorted."""
    return tuple(sorted({finding.about["figure"] for finding in findings} - {CHANGE, MOVED}))


@dataclass(frozen=True, slots=True)
class _Row:
    """A play's figures in one metric, by what they are, and how many scores are missing."""

    cell: tuple[str, str | None]
    metric: Measure
    cluster: str
    values: Mapping[str, float | None]
    missing: int

    def scaled(self) -> _Row:
        """The row in percent of the length of the scale; shares stay as they are."""
        by = 100 / (self.metric.high - self.metric.low)
        values = {
            figure: value if value is None or figure == EQUAL else value * by
            for figure, value in self.values.items()
        }
        return replace(self, values=values)


_CountRows: TypeAlias = Callable[[Sequence[_Row]], tuple[Count, ...]]


def _findings(rows: Sequence[_Row], count: _CountRows) -> Iterator[Finding]:
    """Each figure of each metric, and of all metrics but the overall where there are several."""
    for metric in dict.fromkeys(row.metric for row in rows):
        yield from _figures(metric, [row for row in rows if row.metric == metric], count)
    parts = [row.scaled() for row in rows if row.metric.name != OVERALL]
    if len({row.metric for row in parts}) > 1:
        yield from _figures(all_metrics(), parts, count)


def _figures(metric: Measure, rows: Sequence[_Row], count: _CountRows) -> Iterator[Finding]:
    figures = dict.fromkeys(figure for row in rows for figure in row.values)
    columns = {figure: [row.values.get(figure) for row in rows] for figure in figures}
    estimates = means(columns, [row.cluster for row in rows])
    for figure in figures:
        yield Finding(
            metric,
            {"figure": figure},
            on_scale(estimates[figure], *_ends(figure, metric.high - metric.low)),
            count([row for row in rows if row.values.get(figure) is not None]),
            more={
                "clusters": estimates[figure].clusters,
                "missing": sum(row.missing for row in rows if figure in row.values),
            },
        )


def _ends(figure: str, width: float) -> tuple[float, float]:
    """The range in which a figure must lie.

    A standard deviation is largest where half of the scores are at either end; of an even number of
    scores it is largest for two.
    """
    ends = {EQUAL: (0.0, 1.0), SD: (0.0, width / sqrt(2)), DIFFERENCE: (0.0, width)}
    return (ends | {MOVED: (0.0, width)}).get(figure, (-width, width))


def _steadiness(cell: RepeatedScore) -> dict[str, float | None]:
    scores = [score for score in cell.scores if score is not None]
    pairs = list(combinations(scores, 2))
    if not pairs:
        return {SD: None, EQUAL: None, DIFFERENCE: None}
    return {
        SD: stdev(scores),
        EQUAL: fmean(a == b for a, b in pairs),
        DIFFERENCE: fmean(abs(a - b) for a, b in pairs),
    }


def _by_metric(findings: Iterable[Finding], lead: str, declared: Declared) -> list[Finding]:
    """A row for each metric, in the order of the world's paper: its figures by their names, and the
    counts of the figure `lead`."""
    by_name: dict[str, list[Finding]] = {}
    for finding in findings:
        by_name.setdefault(finding.metric.name if finding.metric else "", []).append(finding)
    names = dict.fromkeys([*(name for name in declared.order if name in by_name), *by_name])
    return [_row(by_name[name], lead) for name in names]


def _row(findings: Iterable[Finding], lead: str, **about: str) -> Finding:
    figures = {finding.about["figure"]: finding for finding in findings}
    estimates = {figure: finding.estimate for figure, finding in figures.items()}
    leading = figures[lead]
    return Finding(leading.metric, about, counts=leading.counts, more={**estimates, **leading.more})


def _leading(rows: Iterable[Finding], lead: str, declared: Declared) -> Finding | None:
    """The row that sentences speak of; None where the figure `lead` of none has a value."""
    scored = {
        row.metric.name: row
        for row in rows
        if row.metric and row.metric.name != ALL and row.more[lead].value is not None
    }
    return scored.get(main_measure(declared, [*scored]))


def main_measure(declared: Declared, measures: Collection[str]) -> str:
    """The metric that a world's agents are compared by, of these; "" where there are none."""
    return next((name for name in (*declared.main, *measures) if name in measures), "")


# ------------------------------------------------------------------ controls

TOLERANCE = 0.05
"""Of the length of a scale: a score that should stay where it is may move by so much."""

Judgement: TypeAlias = Literal["passes", "fails", "undecided"]

_SHOULD: Mapping[Way, str] = {
    "down": "should_lower",
    "up": "should_higher",
    "move": "should_differ",
    "still": "should_stay",
    "as again": "should_as_again",
}


def control_findings(
    kind: str,
    expects: Mapping[str, Way],
    changes: Sequence[ScoreChange],
    repeats: Sequence[RepeatedScore] = (),
) -> tuple[Finding, ...]:
    """What a judge makes of one control: in each of these metrics the score should go one way.

    The estimate is the share of pairs in which it did, of those with room to move; of a score that
    should stay, the share in which it moved at most `TOLERANCE`. `rate` is the share of all others,
    whose score did not do as it should. `change` is the mean gain,
    `no_room` counts the pairs left out since the score was at the end of the scale already, and
    `clusters` are those of all pairs. `verdict`: a judge passes where scores surely move as they
    should in most pairs: the interval of the share lies above a half. It fails where nothing moved
    or the interval lies below, and else the pairs are too few to decide. A score that should stay
    passes where the interval of its mean change lies within the tolerance, and fails where it lies
    outside 0 and not within.

    "As again", what is compared is the distance of the two scores minus the mean distance of two of
    `repeats` of the same play: 0 is expected of a judge that does not mind the change, and more
    than it fails. There is no result without repeats.
    """
    noise = {(c.trial, c.seat, c.measure.name): _steadiness(c)[DIFFERENCE] for c in repeats}
    findings = []
    for name, way in expects.items():
        own = [(c, c.gain) for c in changes if c.measure.name == name]
        scored = [(c, gain) for c, gain in own if gain is not None]
        if not scored:
            continue
        metric = scored[0][0].measure
        width = metric.high - metric.low
        tolerance = TOLERANCE * width
        if way == "still":
            used, share = scored, [float(abs(gain) <= tolerance) for _, gain in scored]
        elif way == "as again":
            floors = [(c, gain, noise.get((c.trial, c.seat, name))) for c, gain in scored]
            used = [(c, abs(gain) - floor) for c, gain, floor in floors if floor is not None]
            if not used:
                continue
            share = [float(gain <= 0) for _, gain in used]
        else:
            end = {"down": metric.low, "up": metric.high}.get(way)
            used = [(c, gain) for c, gain in scored if c.before != end]
            share = [float(_moved_as_expected(way, gain)) for _, gain in used]
        clusters = [c.cluster for c, _ in used]
        moved = on_scale(mean(share, clusters), 0, 1)
        rate = on_scale(mean([1 - followed for followed in share], clusters), 0, 1)
        change = on_scale(mean([gain for _, gain in used], clusters), -width, width)
        if way in ("still", "as again"):
            verdict = no_more(change, tolerance, nor_less=way == "still")
        else:
            verdict = _judge_moves(moved)
        more = {
            "way": way,
            "should": SAY(_SHOULD[way]),
            "rate": rate,
            "change": change,
            "no_room": 0 if way == "as again" else len(scored) - len(used),
            "clusters": len({c.cluster for c, _ in scored}),
            "verdict": verdict,
        }
        counts = (Count("pair", len(used)),)
        findings.append(Finding(metric, {"control": kind}, moved, counts, more=more))
    return tuple(findings)


def _moved_as_expected(way: Way, gain: float) -> bool:
    return gain != 0 if way == "move" else gain < 0 if way == "down" else gain > 0


def _judge_moves(share: Estimate) -> Judgement:
    if share.value == 0:
        return "fails"
    low, high = share.low, share.high
    if low is None or high is None:
        return "undecided"
    if low > 0.5:
        return "passes"
    return "fails" if high < 0.5 else "undecided"


def no_more(change: Estimate, tolerance: float, *, nor_less: bool = False) -> Judgement:
    """Whether a change is 0 or less (0, if `nor_less`), up to the tolerance."""
    low, high = change.low, change.high
    if change.note == NO_VARIATION and change.clusters >= sure_from():
        low = high = change.value
    if low is None or high is None:
        return "undecided"
    if high <= tolerance and (low >= -tolerance or not nor_less):
        return "passes"
    return "fails" if low > 0 or (nor_less and high < 0) else "undecided"


def controls_section(findings: Sequence[Finding], cluster: str) -> Section:
    """Whether the judge notices and ignores what it should: a verdict and a table."""
    no_room = Count("pair", sum(finding.more["no_room"] for finding in findings))
    notes = []
    if any(finding.more["way"] == "as again" for finding in findings):
        notes.append(SAY("as_again", tolerance=TOLERANCE))
    if no_room.n:
        notes.append(SAY("no_room", pairs=no_room))
    table = SAY.table("controls", findings, notes=notes, cluster=cluster, tolerance=TOLERANCE)
    return Section(SAY("controls_title"), (controls_verdict(findings, cluster),), (), (table,))


def controls_verdict(findings: Sequence[Finding], cluster: str) -> Sentence:
    """One line: how many of the controls that can be decided it passes, which not, and how many
    clusters the others need."""
    few = [finding for finding in findings if _needs(finding) or not finding.counts[0].n]
    tested = [finding for finding in findings if finding not in few]
    by_verdict: dict[Judgement, list[Sentence]] = {"passes": [], "fails": [], "undecided": []}
    for finding in tested:
        name = SAY("control", control=finding.about["control"], metric=finding.metric)
        by_verdict[finding.more["verdict"]].append(name)
    parts = []
    if tested:
        controls = Count("control", len(tested))
        parts.append(SAY("passes", n=len(by_verdict["passes"]), controls=controls))
    if by_verdict["fails"]:
        parts.append(SAY("fails", controls=by_verdict["fails"]))
    if by_verdict["undecided"]:
        parts.append(SAY("undecided", controls=by_verdict["undecided"]))
    if few:
        clusters = Count(cluster, max(finding.more["clusters"] for finding in few))
        controls = Count("control", len(findings))
        parts.append(SAY("decided", clusters=clusters, n=len(tested), controls=controls))
        needed = max(_needs(finding) for finding in few)
        parts.append(SAY("needed", n=needed) if needed else SAY("no_other_room"))
    return SAY("verdict", parts=parts)


def _needs(control: Finding) -> int:
    """From how many clusters on it is decided, if all behave alike and as many have room to move as
    do here; 0 where it can be decided, or none has room."""
    used = control.estimate.clusters if isinstance(control.estimate, Estimate) else 0
    if control.more["verdict"] != "undecided" or used >= sure_from() or not used:
        return 0
    clusters: int = control.more["clusters"]
    return ceil(sure_from() * clusters / used)


# ------------------------------------------------------------------ sections


def repeat_section(
    findings: Sequence[Finding], judgings: int, declared: Declared = UNDECLARED
) -> Section:
    """Consistency of a judge: how close the scores of an episode are at repeated judgings."""
    rows = _by_metric(findings, SD, declared)
    leading = _leading(rows, SD, declared)
    verdict = SAY("not_scored_twice")
    if leading is not None:
        equal, apart = leading.more[EQUAL], leading.more[DIFFERENCE]
        verdict = SAY("repeated", metric=leading.metric, equal=equal, apart=apart)
    table = SAY.table(
        "repeat",
        rows,
        notes=figure_notes(findings),
        cluster=declared.cluster,
        judgings=Count("judging", judgings),
    )
    return Section(SAY("repeat_title"), (verdict,), (), (table,) if rows else ())


def figure_notes(findings: Collection[Finding]) -> Iterator[Sentence]:
    """Notes below a table with these findings."""
    if any(finding.metric and finding.metric.name == ALL for finding in findings):
        yield SAY("of_all")
    if any(finding.estimate and finding.estimate.low is not None for finding in findings):
        yield SAY("many_intervals")


def variant_section(
    kind: str,
    changed: str,
    findings: Sequence[Finding],
    declared: Declared = UNDECLARED,
    *,
    without: int = 0,
    words: tuple[int, int] = (0, 0),
    repeats: Sequence[Finding] = (),
    groups: Mapping[str, Sequence[Finding]] | None = None,
) -> Section:
    """How far scores move between an episode and its variants; `changed` says what these are.

    `without` counts episodes that have no such variant. `words` are those of the seats whose number
    of words is changed, as it is and as changed. `repeats` are the findings on repeated judgings,
    if there are any: what scores move by when nothing is changed. `groups` are those of the
    variants that are told apart.
    """
    conditions = list_conditions(findings)
    few = conditions if len(conditions) <= _MOST_COLUMNS else ()
    rows = _by_metric(findings, MOVED, declared)
    leading = _leading(rows, MOVED, declared)
    sentences, cautions = _state_moves(leading, few), []
    tables = [_changes(rows, findings, few, declared)] if rows else []
    if words[0]:
        sentences.append(SAY("words", ratio=words[1] / words[0]))
    if leading is not None:
        own = [finding for finding in findings if finding.metric == leading.metric]
        moved, again = leading.more[MOVED], _noise(repeats, leading.metric)
        if conditions and not few and moved.value:
            tables += _by_condition(own, declared.cluster)
        if groups:
            tables.append(_by_group(leading.metric, groups, declared.cluster))
        if moved.value and again is not None and again.value is not None:
            if (moved.value if moved.low is None else moved.low) > again.value:
                sentences.append(SAY("moves_again", again=again))
            else:
                cautions.append(SAY("floor", metric=leading.metric, again=again))
    if without:
        cautions.append(SAY("without_variant", episodes=Count("episode", without)))
    title = SAY("variant_title", kind=kind.capitalize(), changed=changed)
    return Section(title, tuple(sentences), tuple(cautions), tuple(tables))


def _noise(repeats: Iterable[Finding], metric: Measure | None) -> Interval | None:
    """The mean distance of two judgings of an episode in this metric; None if not measured."""
    which = (metric, DIFFERENCE)
    return next(
        (
            finding.estimate
            for finding in repeats
            if (finding.metric, finding.about["figure"]) == which
        ),
        None,
    )


def _state_moves(leading: Finding | None, conditions: Iterable[str]) -> list[Sentence]:
    if leading is None:
        return [SAY("not_scored_both_ways")]
    metric, moved = leading.metric, leading.more[MOVED]
    if moved.value == 0:
        return [SAY("no_change", metric=metric, pairs=leading.counts[0])]
    effects = {name: leading.more.get(name) for name in conditions}
    return [
        *(
            SAY("in_condition", metric=metric, condition=name, effect=describe_effect(effect))
            for name, effect in effects.items()
            if effect is not None and effect.value is not None
        ),
        SAY("moves", metric=metric, moved=moved),
    ]


def describe_effect(effect: Estimate) -> Sentence:
    """An effect with what its interval says of it."""
    if effect.value is None:
        return SAY("effect_unknown")
    if effect.low is None or effect.high is None:
        return SAY("effect_without_interval", effect=effect, why=effect.note)
    if effect.low <= 0 <= effect.high:
        return SAY("effect_near_zero", effect=effect)
    return SAY("effect", effect=effect)


def _changes(
    rows: Sequence[Finding], findings: Sequence[Finding], few: Sequence[str], declared: Declared
) -> FindingTable:
    figures = _changed_figures(rows)
    described = [finding for finding in findings if finding.about["figure"] in (*few, *figures)]
    notes = [SAY("all_conditions")] if few and CHANGE not in figures else []
    conditions = (Column(name, name, name, "signed") for name in few)
    return SAY.table(
        "changes",
        rows,
        columns=("metric", *conditions, *figures, "counts", "missing"),
        notes=(*notes, *figure_notes(described)),
        cluster=declared.cluster,
    )


def _changed_figures(rows: Iterable[Finding]) -> tuple[str, ...]:
    """The columns of changes: both, or the absolute ones where no mean change has a value."""
    changes = [row.more[CHANGE].value for row in rows if CHANGE in row.more]
    return (CHANGE, MOVED) if any(change is not None for change in changes) else (MOVED,)


def _by_condition(findings: Iterable[Finding], cluster: str) -> Iterator[FindingTable]:
    """The largest effects of many conditions, of those that occur in two clusters or more."""
    effects = [
        finding
        for finding in findings
        if finding.about["figure"] not in (CHANGE, MOVED) and finding.more["clusters"]
    ]
    several = sorted(
        (effect for effect in effects if effect.more["clusters"] > 1), key=_largest_first
    )
    largest = several[:_MOST_CONDITIONS]
    if not largest:
        return
    notes = [SAY("by_chance")]
    if len(largest) < len(several):
        notes = [SAY("largest", shown=len(largest), conditions=len(several))]
    if once := len(effects) - len(several):
        notes.append(SAY("only_once", n=once, cluster=cluster))
    about: dict[str, Any] = {"metric": largest[0].metric, "unit": cluster}
    yield SAY.table("by_condition", largest, notes=notes, cluster=cluster, **about)


def _largest_first(effect: Finding) -> tuple[float, str]:
    value = effect.estimate.value if effect.estimate else None
    return -abs(value or 0), effect.about["figure"]


def _by_group(
    metric: Measure | None, groups: Mapping[str, Sequence[Finding]], cluster: str
) -> FindingTable:
    rows = []
    for group, findings in groups.items():
        own = [finding for finding in findings if finding.metric == metric]
        nothing = Finding(metric, {"group": group}, counts=(Count("pair", 0),), more={"missing": 0})
        rows.append(_row(own, MOVED, group=group) if own else nothing)
    columns = ("group", *_changed_figures(rows), "counts", "missing")
    return SAY.table("by_group", rows, columns=columns, cluster=cluster, metric=metric)
