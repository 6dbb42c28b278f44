"""Judges' scores by episode, seat and metric: the table that every analysis starts from; and the
pools of runs whose scores may be analysed together."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from sociolab.core.episode import Agent, Json, Trial
from sociolab.core.errors import ConfigError, did_you_mean
from sociolab.core.instructions import INSTRUCTIONS, Instructions, parse_instructions
from sociolab.core.metrics import UNDECLARED, Better, Declared
from sociolab.core.score import (
    RULE_BASED,
    JudgeId,
    Measure,
    NotKnown,
    leading_judge,
    match_label,
    resolve_judge,
    resolve_measure,
)
from sociolab.report.catalogue import Catalogue
from sociolab.report.exam import ExamNotes, JudgeExam, exam_notes, exams_of
from sociolab.report.formatting import title_of
from sociolab.report.plays import (
    NotScored,
    PlayKey,
    PlayOutcome,
    PlayRow,
    ScoreColumn,
    ends_of,
    episode_plays_of,
    plays_of,
)
from sociolab.report.result import each_once, judged_of, never_due, outcomes_of, run_of_episodes
from sociolab.report.words import join_names, plural
from sociolab.store.checking import verify_runs
from sociolab.store.store import RunRow, Store, TrialRow, world_settings_in

if TYPE_CHECKING:
    from sociolab.report.finding import Sentence
    from sociolab.stats.intervals import Estimate

SAY = Catalogue("judges")


class Value(NamedTuple):
    """One judge's score of one seat of an episode (or of the whole) in one metric.

    `seat` is None for a metric of whole episodes. `value` is the mean of `judgings` (one for each
    time that the judge judged the episode), None where a value was due and is missing; what a judge
    cannot tell is among `RunValues.unscored`. `agent` played the seat, `partner` the other one
    (None if several did), `cluster` is what intervals cluster by, `type` the task's first tag.
    `bounds` are the least and the most that the value could be where there is none. `unscored` is
    why, where the judge could not tell or nothing was established, and `lower` the least that it
    could be, if the judge said so. `ratings` are those by people, by rater. `prompts` is the hash
    of the prompt set that was played with, "" where it is not on record.
    """

    run: str
    world: str
    trial: str
    task: str
    cluster: str
    type: str | None
    repeat: int
    seat: str | None
    agent: str | None
    partner: str | None
    judge: str
    measure: str
    value: float | None
    judgings: tuple[float, ...] = ()
    bounds: tuple[float, float] = (-math.inf, math.inf)
    unscored: NotKnown | None = None
    lower: float | None = None
    ratings: tuple[tuple[str, float], ...] = ()
    prompts: str = ""

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest that the value could be; equal where there is one."""
        return self.bounds if self.value is None else (self.value, self.value)


def mean_of(values: Sequence[Value]) -> Estimate:
    """The mean of values, all of one judge in one metric, with its 95 % interval.

    The interval is clustered by scenario (`stats.mean`); for ratings by people it also holds for
    other raters. Missing values are not counted; the mean of none is None.

    >>> from sociolab import Rating, RunConfig, keep_ratings, mean_of, open_store, run, values_of
    >>> result = run(RunConfig(limit=2, judges="none", name="first", store=f"{folder}/lab.db"))
    >>> with open_store(f"{folder}/lab.db") as store:
    ...     points = zip(store.trials("first"), (4, 7), strict=True)
    ...     ratings = [Rating(row.trial.id, "1", "anna", "goal", given) for row, given in points]
    ...     kept = keep_ratings(store, "first", ratings)
    ...     goal = mean_of(values_of(store, "first", only=["goal"]).values)
    >>> goal.value, goal.n, goal.clusters
    (5.5, 2, 2)
    """
    from sociolab.stats.crossed_raters import RatedPlay, crossed_estimate
    from sociolab.stats.intervals import mean

    rated = [RatedPlay(value.cluster, value.ratings) for value in values if value.ratings]
    if rated:
        return crossed_estimate(rated)
    return mean([value.value for value in values], [value.cluster for value in values])


@dataclass(frozen=True, slots=True)
class RunValues:
    """All values of one run: its judges by the label that values carry, its metrics in order.

    `unscored`: what a judge cannot tell, or what is not established; no values, and not missing
    either. `agents` are who played, by the label that values carry. `exams` are those of the judges
    that sat any. `others` are the judges that `by_judge` left out.
    """

    run: str
    world: str
    values: tuple[Value, ...]
    judges: dict[str, JudgeId]
    measures: dict[str, Measure]
    unscored: tuple[Value, ...] = ()
    agents: Mapping[str, Agent] = field(default_factory=dict)
    declared: Declared = UNDECLARED
    exams: tuple[JudgeExam, ...] = ()
    others: tuple[str, ...] = ()

    def by_judge(self, judge: str) -> RunValues:
        values = tuple(value for value in self.values if value.judge == judge)
        unscored = tuple(value for value in self.unscored if value.judge == judge)
        judges = {judge: self.judges[judge]}
        others = tuple(label for label in self.judges if label != judge)
        return replace(self, values=values, judges=judges, unscored=unscored, others=others)


def values_of(
    store: Store,
    run: str,
    plan: Sequence[TrialRow] | None = None,
    only: Collection[str] | None = None,
) -> RunValues:
    """The single scores of a run, before any averaging: `.values`, in order of judge, metric and
    plan.

    A score that was due and is missing, as in a failed trial, has the value None; what a judge
    could not tell is in `.unscored`. `only` limits the metrics; `plan` saves reading the trials
    again. StoreError if there is no such run, ConfigError if it holds no episodes.

    >>> from sociolab import Rating, RunConfig, keep_ratings, open_store, run, values_of
    >>> result = run(RunConfig(limit=1, judges="none", name="first", store=f"{folder}/lab.db"))
    >>> with open_store(f"{folder}/lab.db") as store:
    ...     trial = store.trials("first")[0].trial
    ...     ratings = [Rating(trial.id, seat, "anna", "goal", 7) for seat in ("1", "2")]
    ...     kept = keep_ratings(store, "first", ratings)
    ...     scores = values_of(store, "first", only=["goal"])
    >>> [(value.judge, value.agent, value.value) for value in scores.values]
    [('people', 'scripted', 7.0), ('people', 'scripted', 7.0)]
    """
    verify_runs(store, run)
    row = run_of_episodes(store, run)
    trials = store.trials(run) if plan is None else plan
    judged = judged_of(store, run)
    rows = {trial.trial.id: trial.trial for trial in trials}
    seats, wholes = plays_of(trials), episode_plays_of(trials, _partner(row.settings))
    values: list[Value] = []
    unscored: list[Value] = []
    for column in judged.columns():
        if only is not None and column.measure.name not in only:
            continue
        plays = wholes if column.per_episode else seats
        for value, established in _values(row, rows, plays, column, judged.values(column)):
            (values if established else unscored).append(value)
    labels = judged.labels()
    scoring = {value.judge for value in (*values, *unscored)}
    order = [name for name in row.declared.order if name in judged.measures]
    judges = {judge: labels[judge] for judge in judged.judgings if labels[judge] in scoring}
    return RunValues(
        row.name,
        row.world,
        tuple(values),
        {label: judge for judge, label in judges.items()},
        {name: judged.measures[name] for name in dict.fromkeys([*order, *judged.measures])},
        tuple(unscored),
        row.agents,
        row.declared,
        exams_of(store, row.name, row.world, judges),
    )


def choose_judge(
    runs: Sequence[RunValues], requested: str | None, measures: Sequence[str] = ()
) -> str:
    """The judge whose values all runs hold: the requested one, or the leading one of those that
    scored these metrics, or a main one of the world if none is named (see `leading_judge`).

    ConfigError where the runs share none, or where the judges of that label differ in prompt or
    settings: their figures are not comparable.
    """
    if requested is not None:
        label = match_label(requested, [name for run in runs for name in run.judges], "--judge")
        for run in runs:
            resolve_judge(label, run.judges, run.run)
    else:
        leading = _leading(runs, measures)
        if leading is None:
            by = "; ".join(f"{run.run} by {', '.join(run.judges) or 'nobody'}" for run in runs)
            raise ConfigError(
                f"the judges differ: {by}; have all judged by one: sociolab judge RUN --judge JUDGE"
            )
        label = leading
    ids = {run.judges[label] for run in runs}
    if len(ids) > 1:
        raise ConfigError(
            f"{label} judged these runs with different prompts or settings, so that the figures "
            "cannot be compared; judge them anew with `sociolab judge`"
        )
    return label


def _leading(runs: Sequence[RunValues], measures: Sequence[str]) -> str | None:
    """The judge that leads among those of all these runs that scored the metrics, or a main one."""
    shared = _shared_judges(runs)
    gave = _shared_judges(runs, measures)
    leading = gave if measures else main_judges(runs, gave)
    return leading_judge({name: runs[0].judges[name] for name in leading or shared})


def _shared_judges(runs: Sequence[RunValues], measures: Sequence[str] | None = None) -> list[str]:
    """The judges of all these runs; with `measures`, those that scored them all (or any)."""
    return [
        name
        for name in runs[0].judges
        if all(name in run.judges for run in runs)
        if measures is None or all(_has_scored(run, name, measures) for run in runs)
    ]


def leading_note(
    runs: Sequence[RunValues], judge: str, measures: Sequence[str] = ()
) -> Sentence | str:
    """Whose scores lead where nobody named a judge, whether that judge leads in each of the runs,
    and which others scored these metrics in all of them; "" if there is nothing to choose."""
    others = [name for name in _shared_judges(runs, measures) if name != judge]
    of_each = {run.run: _leading((run,), measures) for run in runs}
    if {*of_each.values()} != {judge}:
        each = [SAY("judge_of_run", run=run, judge=first) for run, first in of_each.items()]
        more = SAY("more_judges", others=others) if others else ""
        return SAY("common_judge", judge=judge, each=each, more=more)
    return SAY("leading_judge", judge=judge, others=others) if others else ""


def main_judges(runs: Sequence[RunValues], judges: Sequence[str]) -> list[str]:
    """The judges that scored a main metric of the world; all of them where none did.

    Whoever leads without being named is chosen among these, so that a judge of a side metric
    neither leads nor stands in the way.
    """
    main = set(runs[0].declared.main)
    scored = {
        value.judge
        for run in runs
        for value in run.values
        if value.measure in main and value.value is not None
    }
    return [judge for judge in judges if judge in scored] or list(judges)


def why_not_compared(store: Store, runs: Sequence[str], measure: str) -> str:
    """Why a judge's scores lack a metric, and what to do, to end a sentence; "" where no judge of
    these runs and none of their world's metrics is called so."""
    by_run = [values_of(store, run) for run in runs]
    measure = resolve_measure(
        measure, [candidate for run in by_run for candidate in run.measures.values()]
    )
    gave = [{v.judge for v in run.values if v.measure == measure} for run in by_run]
    if common := sorted(set.intersection(*gave)):
        return f"; compare by another judge: --judge {' or --judge '.join(common)}"
    unable = next((v.judge for run in by_run for v in run.unscored if v.measure == measure), None)
    if unable is not None:
        return f"; {unable} was to score it{unscored_hint(by_run, unable, measure)}"
    if not any(gave) and measure not in {metric.name for metric in by_run[0].declared.metrics}:
        return ""
    without = [run.run for run, judges in zip(by_run, gave, strict=True) if not judges]
    if not without:
        return "; different judges scored it in these runs: sociolab judge RUN --judge JUDGE"
    commands = " and ".join(f"sociolab judge {run} --judge JUDGE" for run in without)
    return f"; no judge scored it in {' and '.join(without)}: {commands}"


def unscored_hint(
    runs: Sequence[RunValues], judge: str | None = None, measure: str | None = None
) -> str:
    """What to do about plays that a judge (None: any) could not score, to end a sentence; ""
    without any."""
    plays = [
        value
        for run in runs
        for value in run.unscored
        if judge in (None, value.judge) and measure in (None, value.measure)
    ]
    if not plays:
        return ""
    read = "have a model read what was agreed (sociolab judge RUN --reader endpoint/model), or "
    episodes = plural(len({(value.run, value.trial) for value in plays}), "episode")
    return (
        f"; {episodes} could not be scored: "
        f"{read if any(value.lower is not None for value in plays) else ''}name another --judge"
    )


def _has_scored(run: RunValues, judge: str, measures: Sequence[str]) -> bool:
    """Whether a judge scored each of these metrics, or any if none is named."""
    scored = {value.measure for value in run.values if value.judge == judge}
    named = {resolve_measure(name, run.measures.values()) for name in measures}
    return named <= scored if named else bool(scored)


def _values(
    run: RunRow,
    trials: Mapping[str, Trial],
    plays: Sequence[PlayRow],
    column: ScoreColumn,
    judgings: Mapping[PlayKey, Sequence[PlayOutcome]],
) -> Iterator[tuple[Value, bool]]:
    """Each play that was due and was judged or failed, and whether the judge could tell it."""
    name, world, label, measure = run.name, run.world, column.label, column.measure.name
    prompts = prompts_of(run.settings)
    outcomes = outcomes_of(plays, column, never_due(plays, column))
    for play, outcome in zip(plays, outcomes, strict=True):
        if outcome is None:
            continue
        trial = trials[play.key[0]]
        value = Value(
            name,
            world,
            trial.id,
            trial.task.id,
            play.cluster,
            play.type,
            trial.repeat,
            play.key[1],
            play.agent,
            play.partner,
            label,
            measure,
            outcome if isinstance(outcome, float) else None,
            tuple(score for score in judgings.get(play.key, ()) if isinstance(score, float)),
            ends_of(outcome, column.measure),
            outcome.kind if isinstance(outcome, NotScored) else None,
            outcome.low if isinstance(outcome, NotScored) and outcome.bounded else None,
            column.ratings.get(play.key, ()),
            prompts.hash if prompts else "",
        )
        yield value, value.unscored is None


def _partner(settings: object) -> str | None:
    partners = settings.get("partner") if isinstance(settings, dict) else None
    return str(partners[0]) if isinstance(partners, list) and partners else None


# ------------------------------------------------------------------ of several runs in one pool


@dataclass(frozen=True, slots=True)
class Pool:
    """What one judge gave the plays of some runs in one metric. `clusters` names what intervals
    cluster by; `notes` say what is odd about the runs beside each other; `unscored` are plays that
    the judge cannot tell, and `hint` what to do about them; `instructions` says below tables from
    which instructions the values are, `exams` how the judge did in its exam. `led_by`
    says whose values these are, and whose others there are, if no judge was asked for."""

    world: str
    runs: tuple[str, ...]
    judge: str
    judge_id: JudgeId
    measure: Measure
    values: tuple[Value, ...]
    notes: tuple[str, ...] = ()
    unscored: tuple[Value, ...] = ()
    hint: str = ""
    declared: Declared = UNDECLARED
    instructions: tuple[str, ...] = ()
    exams: ExamNotes = field(default_factory=ExamNotes)
    led_by: str = ""

    @property
    def clusters(self) -> str:
        """The world's noun for a cluster, such as "scenario"."""
        return self.declared.cluster

    @property
    def better(self) -> Better:
        """Which end of the scale is better; "" where neither is."""
        return self.declared.metric(self.measure.name).better

    @property
    def title(self) -> str:
        return title_of(self.measure)


def pool_runs(
    runs: Sequence[RunValues],
    judge: str | None,
    measure: str | None,
) -> Pool:
    """The values of runs of one world; ConfigError where these, judge or metric do not agree.

    An agent that played with other settings in another run is another agent, and is told apart by
    its run.
    """
    if len({run.world for run in runs}) > 1:
        worlds = ", ".join(f"{run.run} ({run.world})" for run in runs)
        raise ConfigError(f"expected runs of one world, found {worlds}")
    apart, odd = _distinguish_agents(runs)
    measures = () if measure is None else (measure,)
    label = choose_judge(apart, judge, measures)
    chosen = choose_metric(apart, label, measure)
    return Pool(
        apart[0].world,
        tuple(run.run for run in apart),
        label,
        apart[0].judges[label],
        chosen,
        _filter_values((value for run in apart for value in run.values), label, chosen),
        (*odd, *_note_duplicates(apart)),
        _filter_values((value for run in apart for value in run.unscored), label, chosen),
        unscored_hint(apart, label, chosen.name),
        apart[0].declared,
        exams=exam_notes({run.run: run.exams for run in apart}, (label,)),
        led_by="" if judge else leading_note(apart, label, measures),
    )


def _filter_values(values: Iterable[Value], judge: str, measure: Measure) -> tuple[Value, ...]:
    return tuple(v for v in values if v.judge == judge and v.measure == measure.name)


def choose_metric(runs: Sequence[RunValues], judge: str, requested: str | None) -> Measure:
    """The requested metric or, by default, the world's first main metric that the judge scored.

    ConfigError where a run has none by this judge, or its scale differs between runs.
    """
    scored = [_scored(run, judge) for run in runs]
    shared = [name for name in scored[0] if all(name in measures for measures in scored)]
    if requested is not None:
        requested = resolve_measure(requested, (runs[0].measures[name] for name in shared))
    if requested is not None and requested not in shared:
        choices = ", ".join(shared) or "none"
        hint, near = unscored_hint(runs, judge, requested), did_you_mean(requested, shared)
        raise ConfigError(
            f'--metric: {judge} gave nothing in "{requested}"{near} in all these runs; it gave: '
            f"{choices}{hint}"
        )
    if not shared:
        hint = unscored_hint(runs, judge)
        raise ConfigError(f"{judge} gave no metric a value in all these runs{hint}")
    name = requested or next((n for n in runs[0].declared.main if n in shared), "")
    if not name:
        main = " or ".join(runs[0].declared.main)
        raise ConfigError(
            f"{judge} gave nothing in {main} in all these runs; name a metric by --metric: "
            f"{', '.join(shared)}"
        )
    if len({run.measures[name] for run in runs}) > 1:
        raise ConfigError(f"the scale of {name} is not the same in all these runs")
    return runs[0].measures[name]


def judge_caution(pool: Pool) -> tuple[str, ...]:
    """A caution for a rule-based judge; empty for people and models."""
    if pool.judge_id.method not in RULE_BASED:
        return ()
    return (
        f"The judge ({pool.judge}) goes by rules, which see a part of what people see; a model "
        "judge or people may find otherwise.",
    )


def _scored(run: RunValues, judge: str) -> tuple[str, ...]:
    """The metrics that a judge scored, in the run's order."""
    valued = {v.measure for v in run.values if v.judge == judge and v.value is not None}
    return tuple(name for name in run.measures if name in valued)


def _distinguish_agents(runs: Sequence[RunValues]) -> tuple[list[RunValues], tuple[str, ...]]:
    """The runs, with agents of several settings named for their runs, and a note on these."""
    identities: dict[str, set[Agent]] = {}
    for label, agent in (pair for run in runs for pair in run.agents.items()):
        identities.setdefault(label, set()).add(agent)
    several = {label for label, agents in identities.items() if len(agents) > 1}
    if not several:
        return list(runs), ()

    def named(agent: str | None, run: str) -> str | None:
        return f"{agent} ({run})" if agent in several else agent

    def renamed(values: Sequence[Value]) -> tuple[Value, ...]:
        return tuple(
            v._replace(agent=named(v.agent, v.run), partner=named(v.partner, v.run)) for v in values
        )

    apart = [
        replace(run, values=renamed(run.values), unscored=renamed(run.unscored)) for run in runs
    ]
    clause = f"{join_names(sorted(several))} has different settings across these runs, so"
    return apart, (f"{clause} each run's stands for itself, as agent and as partner.",)


def _note_duplicates(runs: Sequence[RunValues]) -> tuple[str, ...]:
    trials = Counter(trial for run in runs for trial in {value.trial for value in run.values})
    twice = sum(count > 1 for count in trials.values())
    if not twice:
        return ()
    return (
        f"{plural(twice, 'trial')} of the same task, cast, repeat and seed stand in several of "
        "these runs and count each time; if one run is a copy of another, leave it out.",
    )


def run_values(
    store: Store, runs: Sequence[str], *, over_prompts: bool = False
) -> tuple[RunValues, ...]:
    """The values of each run; ConfigError for one named twice, or different data sets.

    Runs whose data are not known (imported ones) pass: their tasks carry their own ids. With
    `over_prompts` data may differ by the prompts they were played with.
    """
    names = each_once(runs)
    verify_runs(store, *names)
    data_by_run = {name: recorded_data(store.run(name).settings) for name in names}
    recorded = {name: data for name, data in data_by_run.items() if data is not None}
    if len({data[2] for data in recorded.values()}) > 1:
        apart = settings_apart({name: store.run(name).settings for name in recorded})
        one_name = len({data[:2] for data in recorded.values()}) == 1
        if over_prompts and one_name and apart and not other_than_prompts(apart):
            check_tasks({name: [row.trial for row in store.trials(name)] for name in names})
            return tuple(values_of(store, name) for name in names)
        listing = "; ".join(apart if one_name else ()) or ", ".join(
            f"{run} {data[0]} {data[1]} ({data[2]})" for run, data in recorded.items()
        )
        raise ConfigError(
            f"expected runs that played the same data, found {listing}; tasks of one id may differ"
        )
    return tuple(values_of(store, name) for name in names)


def check_tasks(trials: Mapping[str, Sequence[Trial]]) -> None:
    """Tasks of one id must be the same task in each run: words, seats and scenario."""
    first, *rest = ({trial.task.id: trial.task for trial in some} for some in trials.values())
    for other in rest:
        common = [name for name in first if name in other]
        changed = [
            name
            for name in common
            if (first[name].content, first[name].seats, first[name].cluster)
            != (other[name].content, other[name].seats, other[name].cluster)
        ]
        if changed:
            raise ConfigError(
                f"{' and '.join(trials)} were played on different data: {len(changed)} of "
                f"{plural(len(common), 'common task')} differ, such as {changed[0]}; "
                "play both on the same data"
            )


def prompts_of(settings: Json) -> Instructions | None:
    """The prompt set that a run was played with; None where it is not on record."""
    return parse_instructions(settings.get(INSTRUCTIONS) if isinstance(settings, dict) else None)


def other_than_prompts(apart: Sequence[str]) -> tuple[str, ...]:
    """Of clauses of `settings_apart` those on something else than the prompt set."""
    return tuple(each for each in apart if not each.startswith(("prompts: ", f"{INSTRUCTIONS}: ")))


_PLAYED = (INSTRUCTIONS, "attempts", "on_failed_turn", "max_failed_turns")


def settings_apart(runs: Mapping[str, Json]) -> tuple[str, ...]:
    """What was set otherwise in some of these runs, whose settings are given by name, a clause
    each: "mind: not set in a and c | generative-agents in b"."""
    by_run: dict[str, dict[str, str]] = {}
    for run, settings in runs.items():
        options = settings if isinstance(settings, dict) else {}
        played = {key: options[key] for key in _PLAYED if options.get(key) is not None}
        items = (world_settings_in(settings) | played).items()
        by_run[run] = {key: str(parse_instructions(value) or value) for key, value in items}
    apart = list[str]()
    for key in dict.fromkeys(key for row in by_run.values() for key in row):
        values: dict[str, list[str]] = {}
        for run, texts in by_run.items():
            values.setdefault(texts.get(key, "not set"), []).append(run)
        each = " | ".join(f"{value} in {join_names(some)}" for value, some in values.items())
        apart += [f"{key.replace('_', ' ')}: {each}"] if len(values) > 1 else []
    return tuple(apart)


def recorded_data(settings: Json) -> tuple[str, str, str] | None:
    """Name, version and hash of the data set that a run played; None where it is not known."""
    data = settings.get("data") if isinstance(settings, dict) else None
    if isinstance(data, list) and len(data) == 3:
        return str(data[0]), str(data[1]), str(data[2])
    return None
