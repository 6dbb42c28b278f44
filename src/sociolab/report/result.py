"""Compute the result of a run from the store: means with intervals, and all failures."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from sociolab.core import __version__
from sociolab.core.episode import Json, TurnCounts
from sociolab.core.errors import Cause, ConfigError, did_you_mean
from sociolab.core.instructions import ADDRESSES
from sociolab.core.score import (
    BY_FORMULA,
    JudgeId,
    Measure,
    leading_judge,
    resolve_judge,
    resolve_measure,
)
from sociolab.report.exam import exam_of
from sociolab.report.plays import (
    CellValue,
    Judged,
    NotScored,
    PlayKey,
    PlayOutcome,
    PlayRow,
    ScoreColumn,
    TranscriptCounts,
    bounds,
    cost_column,
    episode_plays_of,
    labels_of,
    plays_of,
    seat_roles,
    sum_turn_counts,
    with_episode_counts,
)
from sociolab.report.run_facts import evaluated
from sociolab.report.schema import (
    SCHEMA,
    AgentFailures,
    Data,
    FailedAttempts,
    FailedKind,
    Failures,
    FirstFailure,
    JudgeEntry,
    MeasureEntry,
    ReadingEntry,
    RunNote,
    RunResult,
    ScoreEntry,
    ServedEntry,
    TokenTotals,
    macro_of,
)
from sociolab.report.served import served_entries
from sociolab.store.checking import verify_runs
from sociolab.store.overview import run_turns
from sociolab.store.store import RunRow, Store, TrialRow
from sociolab.store.verdicts import JudgingCounts, ScoreRow

if TYPE_CHECKING:
    from sociolab.stats.intervals import Estimate


__all__ = ["ResultDetails", "RunResult", "details_of", "outline_of", "result_of"]


@dataclass(frozen=True, slots=True)
class ResultDetails:
    """A result, with the judges' scores of all plays from which its means were computed."""

    result: RunResult
    columns: tuple[ColumnOutcomes, ...]


def result_of(store: Store, run: str, *, stopped: str = "") -> RunResult:
    """Compute the result of a run, finished or not; `stopped` says why it ended early, if it did.

    The same store gives the same result, byte for byte. StoreError if there is no such run or a
    row of it is damaged, ConfigError if the run only stores replies.

    >>> from sociolab import RunConfig, open_store, result_of, run
    >>> first = run(RunConfig(limit=1, name="first", store=f"{folder}/lab.db"))
    >>> with open_store(f"{folder}/lab.db") as store:
    ...     result_of(store, "first") == first.result
    True
    """
    return details_of(store, run, stopped=stopped).result


def details_of(store: Store, run: str, *, stopped: str = "", seats: bool = False) -> ResultDetails:
    """`result_of`, with the scores of all plays; with `seats`, each seat is a role even if the
    world declares no roles."""
    verify_runs(store, run)
    row, trials = run_of_episodes(store, run), store.trials(run)
    outline = outline_of(store, run, trials)
    judged, observed = judged_of(store, run), _observed(store, row, trials)
    plays = plays_of(trials, row.declared.roles)
    if seats and not row.declared.roles:
        roles = seat_roles(play.key for play in plays)
        plays = tuple(replace(play, role=roles[play.key]) for play in plays)
    own = (
        *observed.columns(),
        *cost_column(store.calls.seat_costs(run), plays, observed.played),
    )
    episodes = episode_plays_of(trials, outline.partner)
    columns = all_column_outcomes(plays, episodes, (*judged.columns(last=True), *own))
    macro = row.declared.macro
    in_roles = None if row.declared.roles or seats else row.declared.main
    turn_counts = with_episode_counts(trials, outline.partner, observed.turn_counts)
    failures = outline.failures.model_copy(
        update={
            "turns": _counts(observed.failed_turns),
            "questions": _counts(observed.failed_questions),
            "went_without": _counts(observed.went_without),
            "replies_asked_again": observed.asked_again,
            "agents": _failed_agents(plays, observed),
            "scores": _counts(judged.causes),
            "first": first_failures(store, run, trials, observed),
        }
    )
    result = outline.model_copy(
        update={
            "stopped": stopped,
            "ends": _counts(observed.ends),
            "failures": failures,
            "measures": with_macro(_measure_entries(judged, own), macro),
            "scores": _score_entries(columns, judged.cells(), macro, turn_counts, in_roles),
            "readings": readings(columns),
        }
    )
    return ResultDetails(result, columns[: len(columns) - len(own)])


def means_of(store: Store, run: str) -> RunResult:
    """The outline of a run with the means of its agents over all their plays, without reading its
    episodes. StoreError if there is no such run."""
    row, trials = run_of_episodes(store, run), store.trials(run)
    outline, judged = outline_of(store, run, trials), judged_of(store, run)
    # Without partner, type and role there is nothing but the whole to take means over.
    seats, episodes = (
        [replace(play, partner=None, type=None, role=None) for play in plays]
        for plays in (plays_of(trials), episode_plays_of(trials, outline.partner))
    )
    columns = all_column_outcomes(seats, episodes, judged.columns(last=True))
    macro = row.declared.macro
    scores = _score_entries(columns, judged.cells(), macro, {}, None)
    measures = with_macro(_measure_entries(judged, ()), macro)
    return outline.model_copy(update={"measures": measures, "scores": scores})


def outline_of(store: Store, run: str, trials: Sequence[TrialRow]) -> RunResult:
    """The parts of a result that need neither episodes nor scores: agents, progress and usage.

    Scores, metrics and ends are empty, and failures are those of trials and calls alone. `trials`
    is the run's plan. StoreError if there is no such run.
    """
    row, totals = run_of_episodes(store, run), store.calls.totals(run)
    settings: dict[str, Any] = row.settings if isinstance(row.settings, dict) else {}
    served = served_entries(store.calls.served(run))
    return RunResult(
        schema=SCHEMA,
        run=row.name,
        world=row.world,
        data=_data(settings),
        seed=settings.get("seed"),
        created=_utc(row.created),
        agents=tuple(dict.fromkeys(m.agent for t in trials for m in t.trial.cast)),
        identities=tuple(row.agents.values()),
        partner=_partner(settings),
        trials=row.trials,
        played=row.played,
        failed=row.failed,
        stopped="",
        calls=totals.calls,
        estimated_calls=totals.estimated_calls,
        tokens=TokenTotals(
            prompt=totals.prompt_tokens,
            completion=totals.completion_tokens,
            cached=totals.cached_tokens,
        ),
        cost_usd=totals.usd,
        failed_attempts=FailedAttempts(
            count=totals.failed_attempts,
            cost_usd=totals.failed_usd,
            estimated=totals.estimated_attempts,
            possible=totals.possible_attempts,
            possible_usd=totals.possible_usd,
        ),
        served=served,
        seconds=row.seconds,
        ends={},
        failures=Failures(
            trials=_counts(Counter(t.cause or "unknown" for t in trials if t.status == "failed")),
            problems=_problems(trials),
            calls=_counts(Counter(failure.cause for failure in store.calls.failures(run))),
            usage={FAULT: faults} if (faults := len(store.calls.faults(run))) else {},
        ),
        judges=_judges(store, row, served),
        measures=(),
        scores=(),
        settings=_published(row.settings),
        smoke=settings.get("smoke"),
        versions={"sociolab": __version__},
        notes=notes_on(store, run),
        declared=row.declared,
    )


def notes_on(store: Store, run: str, other: str | None = None) -> tuple[RunNote, ...]:
    """The notes on a run, or on its comparison with `other`, oldest first."""
    return tuple(
        RunNote(at=_utc(note.at), text=note.text)
        for note in store.notes.of(run, other)
        if other is not None or note.other is None
    )


def _utc(seconds: float) -> str:
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def turns_asked(store: Store, run: str) -> dict[PlayKey, TurnCounts]:
    """The turns that each seat, and each whole episode (seat None), was asked for, and how many of
    them failed (see `Episode.turns_by_seat`)."""
    trials, settings = store.trials(run), store.run(run).settings
    partner = _partner(settings) if isinstance(settings, dict) else None
    turn_counts = _observed(store, store.run(run), trials).turn_counts
    return with_episode_counts(trials, partner, turn_counts)


def judged_of(store: Store, run: str) -> Judged:
    judged = Judged({judge: counts.most for judge, counts in store.verdicts.counts(run).items()})
    for row in store.verdicts.scores(run, texts=False):
        judged.take(row)
    return judged


def _observed(store: Store, run: RunRow, trials: Sequence[TrialRow]) -> TranscriptCounts:
    observed = TranscriptCounts()
    seats = {row.trial.id: row.trial.task.seats for row in trials}
    for turns in run_turns(store, run.name, run.declared.spoken):
        observed.take(seats[turns.trial], turns)
        if turns.troubled:
            observed.take_trouble(store.episode(run.name, turns.trial))
    for episode in store.episodes(run.name, "failed"):
        observed.count_failures(episode)
    return observed


def _failed_agents(
    plays: Sequence[PlayRow], observed: TranscriptCounts
) -> tuple[AgentFailures, ...]:
    """The agents that failed turns, in the order of the plan."""
    plays_by_agent: dict[str, list[PlayKey]] = {}
    for play in plays:
        plays_by_agent.setdefault(str(play.agent), []).append(play.key)
    turn_counts = {
        agent: sum_turn_counts(observed.turn_counts, keys) for agent, keys in plays_by_agent.items()
    }
    return tuple(
        AgentFailures(
            agent=agent, failed_turns=turns.failed, turns_asked=turns.total, of=observed.unit
        )
        for agent, turns in turn_counts.items()
        if turns.failed
    )


def _score_entries(
    columns: Sequence[ColumnOutcomes],
    cells: Sequence[CellValue],
    macro: Sequence[str],
    turn_counts: Mapping[PlayKey, TurnCounts],
    in_roles: Collection[str] | None,
) -> tuple[ScoreEntry, ...]:
    per_seat = [scores for scores in columns if not scores.column.per_episode]
    per_episode = [scores for scores in columns if scores.column.per_episode]
    return (
        *entries(per_seat, macro, turn_counts, in_roles),
        *entries(per_episode, macro, turn_counts),
        *(cell_entry(cell) for cell in cells),
    )


def _judges(store: Store, run: RunRow, served: Sequence[ServedEntry]) -> tuple[JudgeEntry, ...]:
    judgings = store.verdicts.counts(run.name)
    labels = labels_of(judgings)
    by_model = {row.model: tuple(row.returned) for row in served if row.role == "judge"}

    def entry(judge: JudgeId, counts: JudgingCounts) -> JudgeEntry:
        returned = by_model.get(judge.name, ()) if judge.method == "model" else ()
        return JudgeEntry(
            judge=labels[judge],
            settings=judge.settings,
            judgings=counts.most,
            served=returned,
            exam=exam_of(store, run.world, judge, returned),
            **judge.as_json(),
        )

    return tuple(entry(judge, counts) for judge, counts in judgings.items())


def _measure_entries(judged: Judged, own: Sequence[ScoreColumn]) -> tuple[MeasureEntry, ...]:
    metrics = judged.measures | {column.measure.name: column.measure for column in own}
    return tuple(
        MeasureEntry(
            measure=metric.name,
            title=metric.title or metric.name.replace("_", " "),
            low=metric.low,
            high=metric.high if metric.high < math.inf else None,
            whole=metric.whole,
        )
        for metric in metrics.values()
    )


def _published(settings: Json) -> Json:
    """The settings without the hashes of addresses, which say nothing about the figures."""
    if not isinstance(settings, dict):
        return settings
    return {key: value for key, value in settings.items() if key != ADDRESSES}


def _data(settings: dict[str, Any]) -> Data | None:
    match settings.get("data"):
        case [str(name), str(its_version), str(its_hash)]:
            return Data(name=name, version=its_version, hash=its_hash)
        case _:
            return None


def _partner(settings: dict[str, Any]) -> str | None:
    match settings.get("partner"):
        case [str(label), *_]:
            return label
        case _:
            return None


def _problems(trials: Sequence[TrialRow]) -> dict[str, str]:
    """The first problem of each cause of failed trials, in the order of the plan."""
    problems: dict[str, str] = {}
    for row in trials:
        if row.status == "failed" and row.problem:
            problems.setdefault(row.cause or "unknown", row.problem)
    return problems


def _counts(counter: Counter[str]) -> dict[str, int]:
    """By descending count, ties in alphabetical order."""
    return dict(sorted(counter.items(), key=lambda item: (-item[1], item[0])))


# ------------------------------------------------------------------ runs


def each_once(runs: Sequence[str]) -> tuple[str, ...]:
    """The runs as a tuple; ConfigError for one that is named twice."""
    twice = [run for run, count in Counter(runs).items() if count > 1]
    if twice:
        raise ConfigError(
            f"expected each run once, found {' and '.join(twice)} more than once; a run counts "
            "once, name it once"
        )
    return tuple(runs)


def run_of_episodes(store: Store, run: str) -> RunRow:
    """The row of a run; StoreError if there is none, ConfigError if it only stores replies."""
    row = store.run(run)
    if row.keeps:
        raise ConfigError(
            f"expected a run of episodes, found {run}, which only keeps the replies of {row.work}; "
            "`sociolab list runs` names those of episodes"
        )
    return row


# ------------------------------------------------------------------ parts of a result


SEVERAL = 3
"""Maximum number of judges whose scores a report shows where none is named."""


def select_scores(
    result: RunResult,
    judges: Sequence[str] = (),
    metrics: Sequence[str] = (),
    *,
    partner: bool = True,
) -> RunResult:
    """The result with the scores of these judges and metrics only; none, or "all" as a judge,
    stands for all. With `partner` False, scores of an agent that is only a partner are left out.

    ConfigError for a judge or a metric that has no score in the result.
    """
    labels = list(dict.fromkeys(entry.judge for entry in result.scores))
    requested = [] if "all" in judges else judges
    selected = [resolve_judge(judge, labels, result.run) for judge in requested]
    measures = [Measure(m.measure, m.low, math.inf, title=m.title) for m in result.measures]
    metric_names = {resolve_measure(name, measures) for name in metrics}
    for name in sorted(metric_names - {measure.name for measure in measures}):
        near = did_you_mean(name, (measure.name for measure in measures))
        raise ConfigError(
            f'--metric: nothing in {result.run} was scored in "{name}"{near}; expected one of '
            f"{', '.join(measure.name for measure in measures) or 'none'}"
        )
    judged = {judge.judge for judge in result.judges}
    dropped = [label for label in labels if selected and label in judged and label not in selected]
    hidden = (*result.other_judges, *dropped)
    agents = {*result.agents} if partner else {*evaluated(result)}
    scores = tuple(
        entry
        for entry in result.scores
        if (not selected or entry.judge in selected or entry.judge not in judged)
        and (not metric_names or entry.measure in metric_names)
        and (entry.agent is None or entry.agent in agents)
    )
    readings_ = tuple(
        entry for entry in result.readings if not selected or entry.reader in selected
    )
    return result.model_copy(
        update={"scores": scores, "readings": readings_, "other_judges": hidden}
    )


def by_main_judge(result: RunResult) -> RunResult:
    """The result narrowed to its main judge and to sheets, if more than `SEVERAL` judges scored it;
    else the result itself."""
    scored = {entry.judge for entry in result.scores if entry.n or entry.failures}
    judges = {entry.judge: entry.id for entry in result.judges if entry.judge in scored}
    sheets = [label for label, judge in judges.items() if judge.role == "sheet"]
    main_judges = {label: judge for label, judge in judges.items() if label not in sheets}
    if len(main_judges) <= SEVERAL:
        return result
    return select_scores(result, [str(leading_judge(main_judges)), *sheets])


# ------------------------------------------------------------------ means over plays


@dataclass(frozen=True, slots=True)
class ColumnOutcomes:
    """The outcomes of these plays in a column; None where it has none, and none was due. The plays
    are seats, or whole episodes if the column is per episode."""

    column: ScoreColumn
    plays: Sequence[PlayRow]
    outcomes: Sequence[PlayOutcome | None]


def column_outcomes(plays: Sequence[PlayRow], column: ScoreColumn) -> ColumnOutcomes:
    """The outcomes of these plays in a column.

    A play without a verdict is a failure if its trial failed and the metric was due; otherwise
    (it is still to be played or judged) it does not count.
    """
    outcomes: list[PlayOutcome | None] = [column.outcomes.get(play.key) for play in plays]
    if None in outcomes:
        outcomes = outcomes_of(plays, column, never_due(plays, column))
    return ColumnOutcomes(column, plays, outcomes)


def all_column_outcomes(
    seats: Sequence[PlayRow], episodes: Sequence[PlayRow], columns: Sequence[ScoreColumn]
) -> tuple[ColumnOutcomes, ...]:
    """The outcomes of the seats and episodes of a plan in these columns."""
    return tuple(
        column_outcomes(episodes if column.per_episode else seats, column) for column in columns
    )


def outcomes_of(
    plays: Sequence[PlayRow], column: ScoreColumn, never: frozenset[str | None]
) -> list[PlayOutcome | None]:
    """The outcome of each play; None where the column has none, and none was due. `never` are seats
    for which none ever is (`never_due`)."""
    return [
        column.outcomes.get(
            play.key, "failed" if play.failed and play.key[1] not in never else None
        )
        for play in plays
    ]


def never_due(plays: Sequence[PlayRow], column: ScoreColumn) -> frozenset[str | None]:
    """The seats that a column never scores, such as AntEval's NPC: in every trial that has verdicts
    they lack one. All seats, if the column expects nothing of failed trials."""
    if not column.due:
        return frozenset(play.key[1] for play in plays)
    if all(play.key in column.outcomes for play in plays):
        return frozenset()
    judged = {key for play in plays if (key := play.key) in column.outcomes}
    trials = {trial for trial, _ in judged}
    present = {play.key[1] for play in plays if play.key[0] in trials and not play.failed}
    return frozenset(present - {seat for _, seat in judged})


def entries(
    columns: Sequence[ColumnOutcomes],
    macro: Sequence[str] = (),
    turn_counts: Mapping[PlayKey, TurnCounts] | None = None,
    in_roles: Collection[str] | None = None,
) -> tuple[ScoreEntry, ...]:
    """The entries of each agent: over all its plays, then by partner, type and role; in each, one
    for each judge and metric.

    All `columns` are of the same plays. Each metric named in `macro` has a second entry with its
    macro average, whose note says what it averages. Entries by role are for all metrics, or for
    those named in `in_roles`. An entry for which no play counts is left out.
    """
    chosen = [
        scores for scores in columns if in_roles is None or scores.column.measure.name in in_roles
    ]
    plays = columns[0].plays if columns else ()
    rows: list[ScoreEntry] = []
    for agent in dict.fromkeys(play.agent for play in plays):
        places = [i for i, play in enumerate(plays) if play.agent == agent]
        overall = tuple(_group_entries(agent, {}, places, columns, macro, turn_counts or {}))
        rows += overall
        for by, some in _groups(plays, places):
            if len(some) == len(places):  # an only partner, an only type: the same plays
                rows += [entry.model_copy(update={"by": by}) for entry in overall]
            elif group_columns := chosen if "role" in by else columns:
                rows += _group_entries(agent, by, some, group_columns, macro, turn_counts or {})
    return tuple(rows)


def _groups(
    plays: Sequence[PlayRow], places: Sequence[int]
) -> Iterable[tuple[dict[str, str], Sequence[int]]]:
    """The indices of an agent's plays with each partner, then of each type, then in each role."""
    for by in ("partner", "type", "role"):
        groups: dict[str, list[int]] = {}
        for i in places:
            group = getattr(plays[i], by)
            if group is not None:
                groups.setdefault(group, []).append(i)
        yield from (({by: group}, some) for group, some in groups.items())


def _group_entries(
    agent: str | None,
    by: dict[str, str],
    places: Sequence[int],
    columns: Sequence[ColumnOutcomes],
    macro: Sequence[str],
    turn_counts: Mapping[PlayKey, TurnCounts],
) -> Iterable[ScoreEntry]:
    from sociolab.stats.intervals import mean, means, on_scale  # imports numpy, which takes long

    clusters = [columns[0].plays[i].cluster for i in places]
    outcomes = [[scores.outcomes[i] for i in places] for scores in columns]
    values = {
        str(i): [what if isinstance(what, float) else None for what in column]
        for i, column in enumerate(outcomes)
    }
    estimates = means(values, clusters)
    for i, scores in enumerate(columns):
        column, group_outcomes = scores.column, outcomes[i]
        estimate = estimates[str(i)]
        if all(what is None for what in group_outcomes):
            continue
        ends = column.measure.low, column.measure.high
        if column.ratings:
            estimate = _crossed_estimate(scores, places)
        keys = (
            scores.plays[i].key
            for i, what in zip(places, group_outcomes, strict=True)
            if what is not None
        )
        turns = sum_turn_counts(turn_counts, keys)
        entry = _entry(agent, by, column, on_scale(estimate, *ends), group_outcomes, turns)
        yield entry
        if column.measure.name in macro:
            over = mean(*cluster_means(group_outcomes, clusters))
            if column.ratings:
                over = replace(_crossed_estimate(scores, places, macro=True), n=over.n)
            yield macro_entry(entry, on_scale(over, *ends))


def _crossed_estimate(
    scores: ColumnOutcomes, places: Sequence[int], *, macro: bool = False
) -> Estimate:
    """The mean of people's scores, with an interval that generalizes to other raters; with `macro`,
    all clusters have equal weight."""
    from sociolab.stats.crossed_raters import RatedPlay, crossed_estimate

    ratings = scores.column.ratings
    plays = [scores.plays[i] for i in places if scores.plays[i].key in ratings]
    sizes = Counter(play.cluster for play in plays)
    return crossed_estimate(
        [
            RatedPlay(play.cluster, ratings[play.key], 1 / sizes[play.cluster] if macro else 1.0)
            for play in plays
        ]
    )


def _entry(
    agent: str | None,
    by: dict[str, str],
    column: ScoreColumn,
    estimate: Estimate,
    outcomes: Sequence[PlayOutcome | None],
    turns: TurnCounts,
) -> ScoreEntry:
    return ScoreEntry(
        agent=agent,
        measure=column.measure.name,
        by=by,
        value=estimate.value,
        n=estimate.n,
        clusters=estimate.clusters,
        **_without_value(outcomes, column.measure),
        low=estimate.low,
        high=estimate.high,
        interval=estimate.method,
        note=estimate.note,
        method=column.judge.method,
        judge=column.label,
        failed_turns=turns.failed,
        turns_asked=turns.total,
    )


def _without_value(outcomes: Sequence[PlayOutcome | None], measure: Measure) -> dict[str, Any]:
    """The fields of an entry on missing scores: their counts, and the bounds of the mean."""
    kinds = Counter(outcome.kind for outcome in outcomes if isinstance(outcome, NotScored))
    return {
        "failures": outcomes.count("failed"),
        "unscored": kinds.total(),
        "disputed": kinds["disputed"],
        "unconfirmed": kinds["unconfirmed"],
        "cannot_tell": kinds["cannot tell"],
        "bounds": bounds(outcomes, measure),
    }


def cell_entry(cell_value: CellValue) -> ScoreEntry:
    """The entry for a score of a cell of the plan, or of the run: one value, without an interval.

    A cell that is an object becomes `by`, and its "agent" the agent of the entry; any other cell
    becomes {"cell": ...}.
    """
    by: dict[str, str] = {}
    if isinstance(cell_value.cell, dict):
        by = {str(key): str(value) for key, value in cell_value.cell.items()}
    elif cell_value.cell is not None:
        by = {"cell": str(cell_value.cell)}
    if cell_value.seat is not None:
        by["seat"] = cell_value.seat
    scored = isinstance(cell_value.outcome, float)
    return ScoreEntry(
        agent=by.pop("agent", None),
        measure=cell_value.measure.name,
        by=by,
        value=cell_value.outcome if isinstance(cell_value.outcome, float) else None,
        n=int(scored),
        clusters=int(scored),
        **_without_value([cell_value.outcome], cell_value.measure),
        low=None,
        high=None,
        interval="none",
        note="1 value of a whole cell" if scored else "no values",
        method=cell_value.judge.method,
        judge=cell_value.label,
    )


# ------------------------------------------------------------------ macro averages


def with_macro(measures: Sequence[MeasureEntry], macro: Sequence[str]) -> tuple[MeasureEntry, ...]:
    """The metrics, each followed by its macro average if it has one; the titles of these two end in
    "micro" and "macro"."""
    metrics: list[MeasureEntry] = []
    for entry in measures:
        if entry.measure not in macro:
            metrics.append(entry)
            continue
        metrics.append(entry.model_copy(update={"title": f"{entry.title} micro"}))
        name, title = macro_of(entry.measure), f"{entry.title} macro"
        metrics.append(entry.model_copy(update={"measure": name, "title": title, "whole": False}))
    return tuple(metrics)


def cluster_means(
    outcomes: Sequence[PlayOutcome | None], clusters: Sequence[str]
) -> tuple[list[float], list[str]]:
    """The mean of each cluster that has a value, and the clusters, in order of appearance."""
    values: dict[str, list[float]] = {}
    for outcome, cluster in zip(outcomes, clusters, strict=True):
        if isinstance(outcome, float):
            values.setdefault(cluster, []).append(outcome)
    return [sum(some) / len(some) for some in values.values()], list(values)


def macro_entry(micro: ScoreEntry, over: Estimate) -> ScoreEntry:
    """The entry of a macro average, from that of the micro average and the mean `over` the
    clusters' means.

    `n` counts plays, as in every entry, and `clusters` the means that are averaged; `note` says
    both, and whether the interval was truncated, or why there is none. There are no bounds.
    """
    means = f"mean of the means of {over.clusters} clusters, over {micro.n} episodes"
    notes = (over.note,) if over.method == "none" else (means, over.note)
    changed = {
        "measure": macro_of(micro.measure),
        "value": over.value,
        "clusters": over.clusters,
        "low": over.low,
        "high": over.high,
        "interval": over.method,
        "note": "; ".join(note for note in notes if note),
        "bounds": None,
    }
    return ScoreEntry.model_validate(micro.model_dump() | changed)


# ------------------------------------------------------------------ outcomes by formula and reader


def readings(columns: Sequence[ColumnOutcomes]) -> tuple[ReadingEntry, ...]:
    """The agreement of readers with outcomes by formula, for each agent and reader."""
    by_formula = [scores for scores in columns if scores.column.judge.method in BY_FORMULA]
    read = [scores for scores in columns if scores.column.judge.role == "reader"]
    return tuple(
        entry
        for own in by_formula
        for other in read
        if own.column.measure.name == other.column.measure.name
        for entry in _readings(own, other)
    )


def _readings(judged: ColumnOutcomes, read: ColumnOutcomes) -> Iterable[ReadingEntry]:
    tallies: dict[str, Counter[str]] = {}
    for play, own, other in zip(judged.plays, judged.outcomes, read.outcomes, strict=True):
        if play.agent is not None and own is not None and other is not None:
            tallies.setdefault(play.agent, Counter())[_compare_outcomes(own, other)] += 1
    for agent, counts in tallies.items():
        yield ReadingEntry(
            agent=agent,
            measure=judged.column.measure.name,
            judge=judged.column.label,
            reader=read.column.label,
            **{name: counts[name] for name in _COMPARISONS},
        )


_COMPARISONS = ("agree", "differ", "only_judge", "only_reader", "neither")


def _compare_outcomes(judged: PlayOutcome, read: PlayOutcome) -> str:
    if isinstance(judged, float) and isinstance(read, float):
        return "agree" if math.isclose(judged, read, abs_tol=1e-9) else "differ"
    if isinstance(judged, float):
        return "only_judge"
    return "only_reader" if isinstance(read, float) else "neither"


# ------------------------------------------------------------------ failures


LONGEST = 400
"""Maximum number of characters of a problem, which may quote a page of a model's reply."""
FAULT: Cause = "malformed reply"
"""The cause of impossible token counts of a reply that was used."""


def first_failures(
    store: Store, run: str, trials: Sequence[TrialRow], observed: TranscriptCounts
) -> tuple[FirstFailure, ...]:
    """The first failure of every kind and cause, in plan order; of scores, for each judge.

    `trials` is the run's plan, and `observed` has the counts of its episodes.
    """
    return (
        *_first(
            "trials",
            (
                (row.cause or "unknown", row.problem or "no reason on record", row.trial.id)
                for row in trials
                if row.status == "failed"
            ),
        ),
        *_first("turns", observed.first_turns.values(), observed.failed_turns),
        *_first("questions", observed.first_questions.values(), observed.failed_questions),
        *_first_scores(store, run),
        *_first(
            "calls", ((row.cause, row.problem, row.call.trial) for row in store.calls.failures(run))
        ),
        *_first("usage", ((FAULT, why, trial) for trial, why in store.calls.faults(run))),
    )


def _first_scores(store: Store, run: str) -> Iterator[FirstFailure]:
    """The first failed score of each judge and cause, one of an episode if there is any."""
    labels = labels_of(store.verdicts.judges(run))
    first: dict[tuple[JudgeId, Cause], ScoreRow] = {}
    counts: Counter[tuple[JudgeId, Cause]] = Counter()
    for row in store.verdicts.scores(run, kind="failure"):
        assert row.cause is not None
        kind = row.judge, row.cause
        counts[kind] += 1
        if kind not in first or first[kind].trial is None is not row.trial:
            first[kind] = row
    for judge, cause in sorted(first, key=lambda kind: (labels[kind[0]], -counts[kind], kind[1])):
        row = first[judge, cause]
        yield FirstFailure(
            kind="scores",
            cause=cause,
            count=counts[judge, cause],
            problem=short(row.text),
            episode=row.trial,
            judge=labels[judge],
        )


def short(text: str) -> str:
    """A problem on one line, of `LONGEST` characters at most."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST].rstrip()}..."


def _first(
    kind: FailedKind,
    cases: Iterable[tuple[str, str, str]],
    counts: Mapping[str, int] | None = None,
) -> Iterator[FirstFailure]:
    """The first failure of each cause. `cases` are (cause, problem, episode): all or, with `counts`
    by cause, at least the first of each cause."""
    first: dict[str, tuple[str, str]] = {}
    tally: Counter[str] = Counter()
    for cause, problem, episode in cases:
        first.setdefault(cause, (problem, episode))
        tally[cause] += 1
    totals = tally if counts is None else counts
    for cause, (problem, episode) in sorted(
        first.items(), key=lambda item: (-totals[item[0]], item[0])
    ):
        yield FirstFailure(
            kind=kind, cause=cause, count=totals[cause], problem=short(problem), episode=episode
        )


# ------------------------------------------------------------------ distributions


class PlayValue(NamedTuple):
    """A score and its play; the seat is None for a score of the whole episode."""

    value: float
    trial: str
    seat: str | None


@dataclass(frozen=True, slots=True)
class ScoreDistribution:
    """The scores of one judge for one agent in one metric; `missing` counts failures."""

    agent: str
    judge: str
    measure: str
    points: tuple[PlayValue, ...]
    missing: int = 0

    @property
    def values(self) -> tuple[float, ...]:
        return tuple(map(itemgetter(0), self.points))


def distributions_of(columns: Iterable[ColumnOutcomes]) -> tuple[ScoreDistribution, ...]:
    """The scores by judge, metric and agent. Plays of no single agent are left out, as are plays
    that a judge could not score."""
    points: dict[tuple[str, str, str], list[PlayValue]] = {}
    missing: Counter[tuple[str, str, str]] = Counter()
    for scores in columns:
        judge, measure = scores.column.label, scores.column.measure.name
        for play, outcome in zip(scores.plays, scores.outcomes, strict=True):
            if play.agent is None or outcome is None or isinstance(outcome, NotScored):
                continue
            key = judge, measure, play.agent
            values = points.setdefault(key, [])
            if outcome == "failed":
                missing[key] += 1
            else:
                values.append(PlayValue(outcome, *play.key))
    return tuple(
        ScoreDistribution(agent, judge, measure, tuple(some), missing[judge, measure, agent])
        for (judge, measure, agent), some in points.items()
    )


def read_distributions(store: Store, result: RunResult) -> tuple[ScoreDistribution, ...]:
    """`distributions_of` for a result without `ResultDetails`: reads all scores again."""
    trials, columns = store.trials(result.run), judged_of(store, result.run).columns()
    return distributions_of(
        all_column_outcomes(plays_of(trials), episode_plays_of(trials, result.partner), columns)
    )
