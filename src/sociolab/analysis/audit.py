"""Audits of a judge: how far its scores move when nothing moved that should count.

An episode is judged as it is and once more, unchanged (`RepeatedScore`) or as a variant
(`ScoreChange`), and what is compared is the same seat's score in the same measure. Intervals are
clustered by scenario. There is a section for each kind of audit, with findings in sentences and
figures in a table.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil, sqrt
from statistics import fmean, stdev
from typing import Literal, TypeAlias

from sociolab.core.episode import Trial
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.ports import Variant, Way
from sociolab.core.score import UNTOLD, Measure, Score, Unscored, Verdict
from sociolab.report.formatting import NOTHING, cell, interval_notes, title_of
from sociolab.report.section import Section, TextTable
from sociolab.report.words import percent, plural
from sociolab.stats.intervals import NO_VARIATION, Estimate, mean, means, on_scale, sure_from

OVERALL = "overall"
"""The measure that sums the others up; "all" leaves it out, since it would count them twice."""

ALL = "all"
"""Stands for all measures together, in percent of the length of each one's scale."""

ScoreCell: TypeAlias = tuple[Measure, str | None]
"""A measure and a seat, None for the whole episode."""

SD, EQUAL, DIFFERENCE = "sd", "equal", "difference"
CHANGE, MOVED = "change", "absolute change"

_MOST_COLUMNS = 4
_MOST_CONDITIONS = 12
_ALL_TITLE = "all, % of scale"
_ALL_NOTE = (
    f"{_ALL_TITLE}: all metrics except the overall one, each in percent of the length of its scale"
)


@dataclass(frozen=True, slots=True)
class RepeatedScore:
    """The scores of one play in one measure at repeated judgings; None where one is missing."""

    trial: str
    cluster: str
    seat: str | None
    measure: Measure
    scores: tuple[float | None, ...]

    @property
    def missing(self) -> int:
        """How many scores were due and are not there."""
        return self.scores.count(None)


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """The scores of one play in one measure, as it is and as a variant; None where one is missing.

    `was` and `now` are the seat's conditions in the two, "" for nothing out of the ordinary;
    `group` is the variant's.
    """

    trial: str
    cluster: str
    seat: str | None
    measure: Measure
    was: str
    now: str
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
        return self.gap if self.now or self.gap is None else -self.gap

    @property
    def gains(self) -> dict[str, float | None]:
        """For each condition that it is in once: the score in it minus the score out of it."""
        if self.was == self.now:
            return {}
        away = None if self.gap is None else -self.gap
        found = {self.now: self.gap, self.was: away}
        return {name: gain for name, gain in found.items() if name}


@dataclass(frozen=True, slots=True)
class AuditEffect:
    """One figure of an audit, of one measure (by name) or of `ALL` in percent of their scales.

    `what` names it: SD, EQUAL or DIFFERENCE of repeated judgings, CHANGE or MOVED of variants, or a
    condition whose effect it is. Its interval ends where the figure must: a difference of two
    scores lies within the length of the scale. `missing` counts scores, or pairs, that were due and
    have no value.
    """

    what: str
    measure: str
    estimate: Estimate
    missing: int


def repeated_of(
    trial: Trial, judgings: Sequence[Sequence[Verdict]], due: Iterable[ScoreCell] = ()
) -> tuple[RepeatedScore, ...]:
    """The scores of an episode's plays at several judgings; what none of them can tell is left
    out. `due` is what the judge is for: a judging that broke before it told lacks all of that."""
    said = [{(one.measure, one.seat): one for one in verdicts} for verdicts in judgings]
    cells = dict.fromkeys([*(cell for one in said for cell in one), *due])
    found = []
    for measure, seat in cells:
        if measure == UNTOLD:
            continue
        all_ = [one.get((measure, seat)) for one in said]
        if not all(isinstance(verdict, Unscored) for verdict in all_):
            scores = tuple(_value(verdict) for verdict in all_)
            found.append(RepeatedScore(trial.id, trial.task.cluster, seat, measure, scores))
    return tuple(found)


def changes_of(
    trial: Trial,
    variant: Variant,
    as_it_is: Sequence[Verdict],
    changed: Sequence[Verdict],
    due: Iterable[ScoreCell] = (),
) -> tuple[ScoreChange, ...]:
    """The scores of the seats that a variant compares, as the episode is and as it is changed.

    `due` is as in `repeated_of`. Left out is what the judge can tell in neither.
    """
    by_seat = {seat: (was, now) for seat, was, now in variant.changes}
    found = []
    for one in repeated_of(trial, (as_it_is, changed), due):
        if one.seat in by_seat:
            (was, now), (before, after) = by_seat[one.seat], one.scores
            of = (one.trial, one.cluster, one.seat, one.measure)
            found.append(ScoreChange(*of, was, now, before, after, variant.group))
    return tuple(found)


def repeat_effects(cells: Sequence[RepeatedScore]) -> tuple[AuditEffect, ...]:
    """Of each measure: the mean over plays of the standard deviation of their scores (n - 1), of
    the share of equal ones among all pairs of judgings, and of the mean distance of such pairs.

    Plays with fewer than two scores have no part in it. Of `ALL`, distances are in percent of the
    scale; the share is what it is.
    """
    return _effects([_Row(c.measure, c.cluster, _steadiness(c), c.missing) for c in cells])


def change_effects(changes: Sequence[ScoreChange]) -> tuple[AuditEffect, ...]:
    """Of each measure: the mean change of a seat's score, the mean absolute one, and the effect of
    each condition: the mean of its score in it minus its score out of it.

    The mean change is left out where no seat is in a condition before: the effects say it all.
    """
    swapped = any(change.was for change in changes)
    rows = []
    for change in changes:
        moved = None if change.gap is None else abs(change.gap)
        values = ({CHANGE: change.gap} if swapped else {}) | {MOVED: moved} | change.gains
        rows.append(_Row(change.measure, change.cluster, values, int(change.gap is None)))
    return _effects(rows)


def grouped_effects(changes: Sequence[ScoreChange]) -> dict[str, tuple[AuditEffect, ...]]:
    """`change_effects` of each group; nothing where there is one only."""
    groups = sorted({change.group for change in changes})
    if len(groups) < 2:
        return {}
    return {group: change_effects([c for c in changes if c.group == group]) for group in groups}


def conditions_of(effects: Iterable[AuditEffect]) -> tuple[str, ...]:
    """The conditions whose effects are among these, sorted."""
    own = {SD, EQUAL, DIFFERENCE, CHANGE, MOVED}
    return tuple(sorted({effect.what for effect in effects} - own))


# ------------------------------------------------------------------ controls

TOLERANCE = 0.05
"""Of the length of a scale: a score that should stay where it is may move by so much."""

Judgement: TypeAlias = Literal["passes", "fails", "undecided"]


@dataclass(frozen=True, slots=True)
class ControlResult:
    """What a judge made of one control in one metric: the score should go one `way`.

    `moved` is the share of pairs in which it did, of those with room to move; of a score that
    should stay, the share in which it moved at most `TOLERANCE`, and "as again", at most as far as
    two judgings of the same episode differ. `change` is the mean gain; "as again", by how much more
    it moved than that. `room` counts the pairs left out, since the score was at the end of the
    scale already; `clusters` are those of all pairs.
    """

    kind: str
    measure: Measure
    way: Way
    moved: Estimate
    change: Estimate
    room: int
    judgement: Judgement
    clusters: int

    @property
    def needs(self) -> int:
        """From how many clusters on it is decided, if all behave alike and as many have room to
        move as do here; 0 where it can be decided, or none has room."""
        used = self.moved.clusters
        if self.judgement != "undecided" or used >= sure_from() or not used:
            return 0
        return ceil(sure_from() * self.clusters / used)


def control_results(
    kind: str,
    expects: Mapping[str, Way],
    changes: Sequence[ScoreChange],
    repeats: Sequence[RepeatedScore] = (),
) -> tuple[ControlResult, ...]:
    """A judge passes where scores surely move as they should in most pairs: the interval of the
    share lies above a half. It fails where nothing moved or the interval lies below, and else the
    pairs are too few to decide. A score that should stay passes where the interval of its mean
    change lies within the tolerance, and fails where it lies outside 0 and not within.

    "As again", what is compared is the distance of the two scores minus the mean distance of two of
    `repeats` of the same play: 0 is expected of a judge that does not mind the change, and more
    than it fails. There is no result without repeats.
    """
    noise = {(one.trial, one.seat, one.measure.name): _steadiness(one)[DIFFERENCE]
             for one in repeats}  # fmt: skip
    found = []
    for name, way in expects.items():
        told = [(c, c.gain) for c in changes if c.measure.name == name]
        scored = [(c, gain) for c, gain in told if gain is not None]
        if not scored:
            continue
        measure = scored[0][0].measure
        width = measure.high - measure.low
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
            end = {"down": measure.low, "up": measure.high}.get(way)
            used = [(c, gain) for c, gain in scored if c.before != end]
            share = [float(_went(way, gain)) for _, gain in used]
        clusters = [c.cluster for c, _ in used]
        moved = on_scale(mean(share, clusters), 0, 1)
        change = on_scale(mean([gain for _, gain in used], clusters), -width, width)
        if way in ("still", "as again"):
            judged = no_more(change, tolerance, nor_less=way == "still")
        else:
            judged = _moves(moved)
        left = 0 if way == "as again" else len(scored) - len(used)
        audited = len({c.cluster for c, _ in scored})
        found.append(ControlResult(kind, measure, way, moved, change, left, judged, audited))
    return tuple(found)


def _went(way: Way, gain: float) -> bool:
    return gain != 0 if way == "move" else gain < 0 if way == "down" else gain > 0


def _moves(share: Estimate) -> Judgement:
    if share.value is None:
        return "undecided"
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


def controls_section(about: AuditSubject, found: Sequence[ControlResult]) -> Section:
    """Whether the judge notices and ignores what it should: a verdict and a table."""
    words = {"down": "lower", "up": "higher", "move": "differ", "still": "stay",
             "as again": "as when judged again"}  # fmt: skip
    rows = tuple(
        (
            one.kind,
            title_of(one.measure),
            words[one.way],
            cell(one.moved, percent=True),
            cell(one.change, sign=True),
            f"{one.moved.n:,}",
            one.judgement,
        )
        for one in found
    )
    left = sum(one.room for one in found)
    notes = (
        f"as it should: share of pairs whose score moved so, or, where it should stay, moved by at "
        f"most {percent(TOLERANCE)} of its scale; passes if the whole interval lies above 50 %, "
        "or, where it should stay, that of the change within that tolerance",
        *((
            "as when judged again: the share of pairs that moved no further than two judgings of "
            "the same episode differ, and how much further they moved; passes if that interval "
            f"ends below {percent(TOLERANCE)} of the scale, fails if it begins above 0",
        ) if any(one.way == "as again" for one in found) else ()),
        *((f"left out: {plural(left, 'pair')} at the end of the scale, with no room to move",)
          if left else ()),
        *interval_notes([e for one in found for e in (one.moved, one.change)],
                        about.declared.cluster),
    )  # fmt: skip
    columns = ("control", "metric", "should", "as it should", "change", "pairs", "verdict")
    table = TextTable("Controls", columns, rows, notes, (1, 2, 6))
    return Section(
        "Controls: does the judge read?",
        (controls_verdict(found, about.declared.cluster),),
        (),
        (table,),
    )


def controls_verdict(found: Sequence[ControlResult], cluster: str) -> str:
    """One line: how many of the controls that can be decided it passes, which not, and how many
    clusters the others need."""
    few = [one for one in found if one.needs or not one.moved.n]
    tested = [one for one in found if one not in few]
    named = {
        word: [f"{one.kind} ({title_of(one.measure)})" for one in tested if one.judgement == word]
        for word in ("passes", "fails", "undecided")
    }
    told = [f"passes {len(named['passes'])} of {plural(len(tested), 'control')}"] if tested else []
    told += [f"{word}: {', '.join(named[word])}" for word in ("fails", "undecided") if named[word]]
    if few:
        share = f"{len(tested)} of {plural(len(found), 'control')} can be decided"
        needed = max(one.needs for one in few)
        then = f"about {needed} are needed" if needed else "no other score has room to move"
        told.append(f"{plural(max(one.clusters for one in few), cluster)}: {share}; {then}")
    return f"Verdict: {'; '.join(told)}."


# ------------------------------------------------------------------ figures


@dataclass(frozen=True, slots=True)
class _Row:
    """A play's figures in one measure, by what they are, and how many scores are missing."""

    measure: Measure
    cluster: str
    values: Mapping[str, float | None]
    missing: int

    def scaled(self) -> _Row:
        """In percent of the length of the scale, but for shares."""
        by = 100 / (self.measure.high - self.measure.low)
        values = {
            what: value if value is None or what == EQUAL else value * by
            for what, value in self.values.items()
        }
        return _Row(self.measure, self.cluster, values, self.missing)


def _effects(rows: Sequence[_Row]) -> tuple[AuditEffect, ...]:
    """Each figure of each measure, and of all measures but the overall where there are several."""
    found: list[AuditEffect] = []
    for measure in dict.fromkeys(row.measure for row in rows):
        mine = [row for row in rows if row.measure == measure]
        found += _figures(measure.name, mine, measure.high - measure.low)
    parts = [row.scaled() for row in rows if row.measure.name != OVERALL]
    if len({row.measure for row in parts}) > 1:
        found += _figures(ALL, parts, 100.0)
    return tuple(found)


def _figures(name: str, rows: Sequence[_Row], width: float) -> list[AuditEffect]:
    """The figures of scores on a scale of this length."""
    whats = dict.fromkeys(what for row in rows for what in row.values)
    columns = {what: [row.values.get(what) for row in rows] for what in whats}
    made = means(columns, [row.cluster for row in rows])
    return [
        AuditEffect(
            what,
            name,
            on_scale(made[what], *_ends(what, width)),
            sum(row.missing for row in rows if what in row.values),
        )
        for what in whats
    ]


def _ends(what: str, width: float) -> tuple[float, float]:
    """Between what a figure must lie. The standard deviation is largest where half of the scores
    are at either end, and of these where there are two."""
    ends = {EQUAL: (0.0, 1.0), SD: (0.0, width / sqrt(2)), DIFFERENCE: (0.0, width)}
    return (ends | {MOVED: (0.0, width)}).get(what, (-width, width))


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


def _value(verdict: Verdict | None) -> float | None:
    return float(verdict.value) if isinstance(verdict, Score) else None


@dataclass(frozen=True, slots=True)
class AuditSubject:
    """What sections say beside the figures: the run's world and its measures by name."""

    world: str
    measures: Mapping[str, Measure]
    declared: Declared = UNDECLARED

    def title(self, measure: str) -> str:
        """How a measure, or all of them, is called in a table."""
        return _ALL_TITLE if measure == ALL else title_of(self.measures[measure])

    def main(self, measures: Sequence[str]) -> str:
        """The measure, of these, that sentences speak of."""
        return main_measure(self.declared, [name for name in measures if name != ALL])

    def notes(self, measures: Sequence[str], estimates: Sequence[Estimate]) -> tuple[str, ...]:
        """How the figures of a table were made."""
        own = (_ALL_NOTE,) if ALL in measures else ()
        many = ("with this many intervals, about one in 20 misses the true value by chance",)
        how = interval_notes(estimates, self.declared.cluster)
        return (*own, *how, *(many if any(e.low is not None for e in estimates) else ()))


def repeat_section(about: AuditSubject, effects: Sequence[AuditEffect], judgings: int) -> Section:
    """How alike the scores of the same episode are at several judgings."""
    found = _Figures(effects)
    measures, main = found.measures(about, SD), found.main(about, SD)
    said: tuple[str, ...] = ("No episode was scored twice.",)
    if main:
        equal = found.cell(main, EQUAL, percent=True)
        said = (
            f"{about.title(main)}: two scores of the same episode are equal in {equal} of the "
            f"cases, and {found.cell(main, DIFFERENCE)} points apart on average.",
        )
    rows = tuple(
        (
            about.title(name),
            found.cell(name, SD),
            found.cell(name, EQUAL, percent=True),
            found.cell(name, DIFFERENCE),
            *found.counts(name, SD),
        )
        for name in measures
    )
    notes = (
        "sd: of the scores of one seat; equal, apart: over all pairs of judgings of one seat; each "
        "a mean over seats; an episode scored as a whole counts as one seat",
        *about.notes(measures, found.estimates(measures, (SD, EQUAL, DIFFERENCE))),
    )
    columns = ("metric", "sd", "equal", "apart", "seats", "missing")
    heading = f"{plural(judgings, 'judging')} of the same episode"
    table = TextTable(heading, columns, rows, notes)
    return Section("Repeat: judged again as it is", said, (), (table,) if rows else ())


def variant_section(
    about: AuditSubject,
    kind: str,
    changed: str,
    effects: Sequence[AuditEffect],
    *,
    without: int = 0,
    words: tuple[int, int] = (0, 0),
    repeats: Sequence[AuditEffect] = (),
    groups: Mapping[str, Sequence[AuditEffect]] | None = None,
) -> Section:
    """How far scores move between an episode and its variants; `changed` says what these are.

    `without` counts episodes that have no such variant. `words` are those of the seats whose number
    of words is changed, as it is and as changed. `repeats` are the figures of repeated judgings, if
    there are any: what scores move by when nothing is changed. `groups` are those of the variants
    that are told apart.
    """
    found, conditions = _Figures(effects), conditions_of(effects)
    main = found.main(about, MOVED)
    few = conditions if len(conditions) <= _MOST_COLUMNS else ()
    said = _said(about, main, found, few)
    floor, cautions = _floor(about, main, found, _Figures(repeats))
    tables: tuple[TextTable, ...] = (_changes(about, main, found, few),) if effects else ()
    if main and conditions and not few and found[main, MOVED].value:
        tables += _by_condition(about, main, found, conditions)
    if main and groups:
        tables += (_by_group(about, main, groups),)
    if words[0]:
        said += (f"The seats that are changed say {words[1] / words[0]:.1f} times as many words.",)
    if without:
        cautions += (f"{plural(without, 'episode')} without such a variant left out.",)
    return Section(f"{kind.capitalize()}: {changed}", said + floor, cautions, tables)


# ------------------------------------------------------------------ parts


class _Figures:
    """Effects by measure and what they are."""

    def __init__(self, effects: Sequence[AuditEffect]) -> None:
        self._by = {(effect.measure, effect.what): effect for effect in effects}

    def __getitem__(self, key: tuple[str, str]) -> Estimate:
        return self._by[key].estimate

    def get(self, measure: str, what: str) -> Estimate | None:
        """None where there is no such effect, or it has no value."""
        found = self._by.get((measure, what))
        return None if found is None or found.estimate.value is None else found.estimate

    def cell(self, measure: str, what: str, *, percent: bool = False, sign: bool = False) -> str:
        """A cell of a table."""
        found = self.get(measure, what)
        return NOTHING if found is None else cell(found, percent=percent, sign=sign)

    def counts(self, measure: str, what: str) -> tuple[str, str]:
        """How many values there are, and how many are missing; none where none was due."""
        found = self._by.get((measure, what))
        return (f"{found.estimate.n:,}", f"{found.missing:,}") if found else ("0", "0")

    def measures(self, about: AuditSubject, what: str) -> tuple[str, ...]:
        """The measures that are judged, in the order of the world's paper."""
        named = [measure for measure, one in self._by if one == what]
        first = [name for name in about.declared.order if name in named]
        return tuple(dict.fromkeys([*first, *named]))

    def main(self, about: AuditSubject, what: str) -> str:
        """The measure that sentences speak of; "" where nothing has a value."""
        return about.main([m for m in self.measures(about, what) if self.get(m, what)])

    def estimates(self, measures: Sequence[str], whats: Sequence[str]) -> tuple[Estimate, ...]:
        """All that have a value."""
        both = (self.get(measure, what) for measure in measures for what in whats)
        return tuple(found for found in both if found is not None)


def _said(
    about: AuditSubject, main: str, found: _Figures, conditions: Sequence[str]
) -> tuple[str, ...]:
    moved = found.get(main, MOVED)
    if moved is None:
        return ("No episode was scored both ways.",)
    title = about.title(main)
    if moved.value == 0:
        return (f"{title}: no score changes, in {plural(moved.n, 'pair')}.",)
    told = [
        f"{title}, {condition}: {condition_words(effect)}."
        for condition in conditions
        for effect in [found.get(main, condition)]
        if effect is not None
    ]
    told.append(f"{title}: a score moves by {cell(moved)} points on average, up or down.")
    return tuple(told)


def _floor(
    about: AuditSubject, main: str, found: _Figures, repeats: _Figures
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What scores move by when nothing is changed: a finding, or a caution where that is all."""
    moved, again = found.get(main, MOVED), repeats.get(main, DIFFERENCE)
    if moved is None or again is None or not moved.value:
        return (), ()
    least = moved.value if moved.low is None else moved.low
    if least > (again.value or 0):
        return (f"Judged again unchanged, it moves by {cell(again)} points.",), ()
    return (), (
        f"{about.title(main)} moves by {cell(again)} points when the same episode is judged again "
        "as it is: a move of this size, up or down, shows nothing of the change.",
    )


def _changes(about: AuditSubject, main: str, found: _Figures, few: Sequence[str]) -> TextTable:
    measures = found.measures(about, MOVED)
    both_ways = any(found.get(name, CHANGE) for name in measures)
    whats = (*few, *((CHANGE,) if both_ways else ()), MOVED)
    rows = tuple(
        (
            about.title(name),
            *(found.cell(name, what, sign=what != MOVED) for what in whats),
            *found.counts(name, MOVED),
        )
        for name in measures
    )
    in_turn = few and not both_ways
    notes = (
        "change: score of the changed episode minus score of the original, same seat and judge; "
        "other columns: score in that condition minus score outside it; pairs with a missing score "
        "are left out",
        *(("pairs: of all conditions together",) if in_turn else ()),
        *about.notes(measures, found.estimates(measures, whats)),
    )
    columns = ("measure", *whats, "pairs", "missing")
    return TextTable("Change of a seat's score", columns, rows, notes)


def _by_condition(
    about: AuditSubject, main: str, found: _Figures, conditions: Sequence[str]
) -> tuple[TextTable, ...]:
    """The largest effects of many conditions, of those that occur in two clusters or more."""
    all_ = [(name, found[main, name]) for name in conditions if found.get(main, name)]
    known = [(name, effect) for name, effect in all_ if effect.clusters > 1]
    known.sort(key=lambda row: (-abs(row[1].value or 0), row[0]))
    shown = known[:_MOST_CONDITIONS]
    if not shown:
        return ()
    rows = tuple(
        (name, cell(effect, sign=True), f"{effect.n:,}", f"{effect.clusters:,}")
        for name, effect in shown
    )
    cluster, once = about.declared.cluster, len(all_) - len(known)
    notes = (
        "a seat's score in this condition minus its score in the other one",
        f"the {len(shown)} largest of {len(known)}: of so many, some are large by chance"
        if len(shown) < len(known)
        else "of many, some are large by chance",
        *((f"left out: {once} that occur in one {cluster} only",) if once else ()),
        *interval_notes([effect for _, effect in shown], cluster),
    )
    columns = ("condition", "effect", "pairs", f"{cluster}s")
    return (TextTable(f"{about.title(main)} by condition", columns, rows, notes),)


def _by_group(
    about: AuditSubject, main: str, groups: Mapping[str, Sequence[AuditEffect]]
) -> TextTable:
    by_group = {group: _Figures(effects) for group, effects in groups.items()}
    whats = [what for what in (CHANGE, MOVED) if any(f.get(main, what) for f in by_group.values())]
    rows = tuple(
        (
            group,
            *(found.cell(main, what, sign=what == CHANGE) for what in whats),
            *found.counts(main, MOVED),
        )
        for group, found in by_group.items()
    )
    shown = [e for found in by_group.values() for e in found.estimates([main], whats)]
    notes = interval_notes(shown, about.declared.cluster)
    columns = ("group", *whats, "pairs", "missing")
    return TextTable(f"{about.title(main)} by group", columns, rows, notes)


def main_measure(declared: Declared, measures: Collection[str]) -> str:
    """The measure that a world's agents are compared by, of these; "" where there are none."""
    return next((name for name in (*declared.main, *measures) if name in measures), "")


def condition_words(estimate: Estimate) -> str:
    """An effect with what its interval says of it."""
    shown = f"{cell(estimate, sign=True)} points"
    if estimate.value is None:
        return "nothing is known"
    if estimate.low is None or estimate.high is None:
        return f"{shown} (no interval: {estimate.note})"
    if estimate.low <= 0 <= estimate.high:
        return f"{shown}, which is not distinguishable from 0"
    return shown
