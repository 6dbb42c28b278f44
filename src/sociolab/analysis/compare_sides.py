"""Select the agents, runs and judge of a comparison; refuse what cannot be compared.

`analysis.run_comparison` says what is concluded of them, `analysis.curve` follows them over runs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sociolab.analysis.agent_labels import AgentNames, agent_names
from sociolab.analysis.consistency import KS
from sociolab.analysis.matching import ComparedSide, Match
from sociolab.analysis.values import (
    RunValues,
    Value,
    check_tasks,
    choose_judge,
    leading_note,
    other_than_prompts,
    prompts_of,
    settings_apart,
    unscored_hint,
    values_of,
)
from sociolab.core.episode import Trial, TurnCounts
from sociolab.core.errors import ConfigError, did_you_mean
from sociolab.core.metrics import TRAINING_PARTNER
from sociolab.core.score import UNNAMED_MEASURE, Measure, match_label, resolve_measure
from sociolab.report.finding import Sentence
from sociolab.report.plays import PlayKey, sum_turn_counts
from sociolab.report.result import outline_of, turns_asked
from sociolab.report.run_facts import evaluated
from sociolab.report.schema import RunResult
from sociolab.report.words import plural
from sociolab.store.checking import verify_runs
from sociolab.store.store import Store

NAME_BOTH = "name both: --agent A --with B"


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """What to compare: one run or two, and of them which agents, judge, metrics and k; `rename`
    holds names to be shown by agent or run; `seats` says to compare seat by seat, too. With
    `prompts`, two sets of instructions are compared: of the judge of one run, or of two runs. With
    `over_prompts`, two agents of runs that were played under a prompt set each.
    `match` is how plays are matched, None what fits; `looks` how often this comparison is planned
    to be made as data come in."""

    runs: tuple[str, ...]
    agent: str | None = None
    other: str | None = None
    judge: str | None = None
    measures: tuple[str, ...] = ()
    ks: tuple[int, ...] = KS
    threshold: float | None = None
    rename: Mapping[str, str] = field(default_factory=dict)
    seats: bool = False
    prompts: bool = False
    match: Match | None = None
    looks: int = 1
    over_prompts: bool = False


@dataclass(frozen=True, slots=True)
class OpenedRun:
    """A run with the outline of its result, the values of the judge, and its plan.

    `codes` has the names of agents whose labels stand for other code in the other run, by label.
    """

    result: RunResult
    values: RunValues
    trials: tuple[Trial, ...]
    codes: Mapping[str, str] = field(default_factory=dict)

    @property
    def agents(self) -> tuple[str, ...]:
        """Whom the run evaluates (`report.run_facts.evaluated`), of those who have values; in the
        order of the plan, so that A is the same agent whichever judge is asked."""
        scored = {value.agent for value in self.values.values if value.agent}
        agents = [agent for agent in evaluated(self.result) if agent in scored]
        return tuple(agents or [agent for agent in self.result.agents if agent in scored])

    def side(self, agent: str) -> ComparedSide:
        return ComparedSide(
            agent,
            self.result.run,
            agent,
            tuple(value for value in self.values.values if value.agent == agent),
            {trial.id: trial.cast for trial in self.trials},
            unscored=tuple(value for value in self.values.unscored if value.agent == agent),
        )


def open_runs(
    store: Store, request: CompareRequest
) -> tuple[tuple[OpenedRun, ...], str, Sentence | str]:
    """The runs with the values of the one judge, its label and, if the request names none, whose
    others there are; ConfigError where a run is named twice, the worlds differ, or no judge is
    shared."""
    read = read_runs(store, request)
    judge_name = request.judge and read.names.judge(request.judge)
    judge = choose_judge(read.values, judge_name, request.measures)
    note = "" if request.judge else leading_note(read.values, judge, request.measures)
    return read.judged_by(judge), judge, note


def pool_prompts(runs: Sequence[OpenedRun]) -> OpenedRun:
    """Runs that were played under a prompt set each as one, with tasks named for their set too, so
    that plays are matched within a set.

    ConfigError where the sets are not different, anything else differs, or people scored.
    """
    first = runs[0].values
    sets = {run.values.run: prompts_of(run.result.settings) for run in runs}
    named = {name: f"{each.name} {each.hash[:8]}" for name, each in sets.items() if each}
    if len({each.hash for each in sets.values() if each}) < max(2, len(runs)):
        found = ", ".join(f"{named.get(name, 'none on record')} in {name}" for name in sets)
        raise ConfigError(
            f"--over prompts: expected runs under a prompt set each, found {found}; "
            "`sociolab run` with --set prompts=A,B,C plays a run under each"
        )
    differing = settings_apart({run.values.run: run.result.settings for run in runs})
    if more := other_than_prompts(differing):
        raise ConfigError(
            f"--over prompts: expected runs that differ in prompts alone, found {more[0]}"
        )
    if any(value.ratings for run in runs for value in run.values.values):
        raise ConfigError("--over prompts: people's scores vary by rater; name a --judge")
    check_tasks({run.values.run: run.trials for run in runs})

    def apart(values: Iterable[Value]) -> tuple[Value, ...]:
        return tuple(v._replace(task=f"{v.task} ({named[v.run]})") for v in values)

    pooled = replace(
        first,
        values=apart(value for run in runs for value in run.values.values),
        unscored=apart(value for run in runs for value in run.values.unscored),
    )
    return replace(runs[0], values=pooled, trials=tuple(t for run in runs for t in run.trials))


@dataclass(frozen=True, slots=True)
class ReadRuns:
    """What the store holds of each run, with the values of all its judges."""

    outlines: tuple[RunResult, ...]
    values: tuple[RunValues, ...]
    trials: tuple[tuple[Trial, ...], ...]
    names: AgentNames

    def judged_by(self, judge: str) -> tuple[OpenedRun, ...]:
        """The runs with the values of one judge; ConfigError where they are no result of it."""
        choose_judge(self.values, judge)
        runs = tuple(
            OpenedRun(
                outline, values.by_judge(judge), trials, self.names.renamed.get(values.run, {})
            )
            for outline, values, trials in zip(self.outlines, self.values, self.trials, strict=True)
        )
        check_judge(runs, judge, unscored_hint(self.values))
        return runs


def read_runs(
    store: Store, request: CompareRequest, only: Collection[str] | None = None
) -> ReadRuns:
    """The runs, each read once, with the values of all metrics or of some; ConfigError where one
    is named twice, or the worlds differ."""
    runs = request.runs
    twice = next((name for name in runs if runs.count(name) > 1), None)
    if twice is not None:
        raise ConfigError(
            f"expected two runs, found {twice} twice; to compare two agents of one run, name "
            "the run once, and the agents by --agent and --with"
        )
    verify_runs(store, *runs)
    plans = [store.trials(name) for name in runs]
    values = tuple(
        values_of(store, name, plan, only) for name, plan in zip(runs, plans, strict=True)
    )
    worlds = {run.world for run in values}
    if len(worlds) > 1:
        listing = ", ".join(f"{run.run} of {run.world}" for run in values)
        raise ConfigError(f"only runs of one world can be compared, found {listing}")
    names = agent_names(store, runs, request.rename)
    values = tuple(map(names.values, values))
    planned = list(zip(runs, plans, strict=True))
    outlines = tuple(names.result(outline_of(store, name, plan)) for name, plan in planned)
    check_no_smoke(outlines)
    trials = tuple(names.trials(name, [row.trial for row in plan]) for name, plan in planned)
    return ReadRuns(outlines, values, trials, names)


def select_metrics(runs: Sequence[OpenedRun], names: Sequence[str]) -> dict[str, Measure]:
    """The judge's metrics, or the named ones among them; ConfigError for an unknown name."""
    judged = {value.measure for run in runs for value in run.values.values}
    measures = {
        name: measure
        for run in runs
        for name, measure in run.values.measures.items()
        if name in judged
    }
    usable = {name: measure for name, measure in measures.items() if measure != UNNAMED_MEASURE}
    names = [resolve_measure(name, usable.values()) for name in names]
    for name in names:
        if name not in usable:
            choices = ", ".join(usable) or "none, since it broke before it named one"
            none = f'the judge has no values of "{name}"{did_you_mean(name, usable)}'
            raise ConfigError(f"--metric: {none}; it has {choices}")
    return {name: usable[name] for name in usable if name in names} if names else usable or measures


def _chosen_sides(runs: Sequence[OpenedRun], request: CompareRequest) -> tuple[ComparedSide, ...]:
    if len(runs) > 2:
        if request.other:
            raise ConfigError("--with names the second agent of two; of several runs, each is one")
        return tuple(run.side(find_agent(run, request.agent, "--agent")) for run in runs)
    if len(runs) == 2:
        first = find_agent(runs[0], request.agent, "--agent")
        same = request.agent if _match_name(runs[1], request.agent, runs[1].agents) else None
        return runs[0].side(first), runs[1].side(
            find_agent(runs[1], request.other or same, "--with")
        )
    (run,) = runs
    if request.other is None:
        named = (request.agent,) if request.agent else run.agents
        return tuple(run.side(find_agent(run, agent, "--agent")) for agent in named)
    advice = f"to compare two agents of one run, {NAME_BOTH}"
    if request.agent is None:
        raise ConfigError(advice)
    agent, other = (
        find_agent(run, request.agent, "--agent"),
        find_agent(run, request.other, "--with"),
    )
    if agent == other:
        raise ConfigError(f"{advice}; found {agent} twice")
    return run.side(agent), run.side(other)


def build_sides(
    runs: Sequence[OpenedRun],
    request: CompareRequest,
    turns: Mapping[str, Mapping[PlayKey, TurnCounts]],
) -> tuple[ComparedSide, ...]:
    """Two agents to compare, or of one run those to look at, with the turns that they were asked
    for, and failed (`turns_by_run`)."""
    return tuple(
        replace(
            side,
            turn_counts=sum_turn_counts(turns[side.run], {(v.trial, v.seat) for v in side.values}),
        )
        for side in _chosen_sides(runs, request)
    )


def find_agent(run: OpenedRun, requested: str | None, flag: str) -> str:
    """The requested agent, or the only one; ConfigError where it has no values or must be named."""
    has_values = {value.agent for value in run.values.values if value.agent}
    requested = _match_name(run, requested, has_values, flag) or requested
    choices = ", ".join(run.agents) or "none"
    hint = unscored_hint([run.values], *run.values.judges)
    if requested is not None and requested not in has_values:
        raise ConfigError(
            f'{flag}: "{requested}" has no values in {run.result.run}; it has {choices}{hint}'
        )
    if requested is None and len(run.agents) != 1:
        raise ConfigError(
            f"{run.result.run} has {plural(len(run.agents), 'agent')} with values ({choices}); "
            f"name one by {flag}{hint if not run.agents else ''}"
        )
    return requested or run.agents[0]


def _match_name(
    run: OpenedRun, requested: str | None, names: Collection[str], flag: str = "--agent"
) -> str | None:
    """The requested name, which may be abbreviated; None if it is not among these."""
    if requested is None:
        return None
    name = match_label(run.codes.get(requested, requested), sorted(names), flag)
    if name not in names:  # by its label, where it is called otherwise here
        name = run.codes.get(match_label(requested, sorted(run.codes), flag), name)
    return name if name in names else None


def turns_by_run(store: Store, runs: Sequence[str]) -> dict[str, Mapping[PlayKey, TurnCounts]]:
    """How many turns each seat was asked for, and failed, by run."""
    return {run: turns_asked(store, run) for run in runs}


def name_sides(
    sides: Sequence[ComparedSide], rename: Mapping[str, str]
) -> tuple[ComparedSide, ...]:
    """Sides whose names differ: an agent that is on several is named with its run, a side whose run
    was renamed by that name."""
    agents = [side.agent for side in sides]
    return tuple(
        replace(
            side,
            name=rename.get(side.run)
            or (f"{side.agent} in {side.run}" if agents.count(side.agent) > 1 else side.agent),
        )
        for side in sides
    )


def check_judge(runs: Sequence[OpenedRun], judge: str, hint: str) -> None:
    """The judge must have given agents values in each run; ConfigError that says who did, and ends
    with what to do (`hint`)."""
    blank = [run.result.run for run in runs if not run.agents]
    if not blank:
        return
    if len(blank) == len(runs):
        raise ConfigError(
            f"no agent of {' or '.join(blank)} has a score by the judge {judge}; have them judged "
            f"by one that scores such episodes: sociolab judge RUN --judge JUDGE{hint}"
        )
    by = "; ".join(
        f"{run.result.run} by {', '.join(entry.judge for entry in run.result.judges) or 'nobody'}"
        for run in runs
    )
    raise ConfigError(
        f"the judges differ: {by}. No agent of {blank[0]} has a score by the judge {judge}; "
        f"have all judged by one judge: sociolab judge RUN --judge JUDGE{hint}"
    )


def check_no_smoke(results: Sequence[RunResult]) -> None:
    """A smoke test is no result: ConfigError that names it."""
    for result in results:
        if result.smoke:
            trainer = result.smoke == TRAINING_PARTNER
            instead = "another partner" if trainer else "--background openai/MODEL"
            raise ConfigError(
                f"{result.run} is a smoke test ({result.smoke}), so its scores are not results; "
                f"run it with {instead}, or leave it out"
            )
