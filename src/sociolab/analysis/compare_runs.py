"""`sociolab compare`: picks two agents of stored runs, and checks that they can be compared."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from sociolab.analysis.agent_names import AgentNames, agent_names
from sociolab.analysis.all_pairs import AgentPairs, compare_all, pairs_section
from sociolab.analysis.compare import (
    ComparedAgents,
    by_seat,
    compared,
    comparison_document,
    comparison_findings,
    comparison_overview,
    comparison_section,
    failed_turns_notes,
    overview_table,
    seat_section,
)
from sociolab.analysis.consistency import (
    KS,
    Passing,
    consistency_section,
    passing,
    passing_document,
    passing_matched,
    thresholds,
)
from sociolab.analysis.matching import ComparedSide, Match
from sociolab.analysis.values import (
    RunValues,
    chosen_judge,
    settings_apart,
    unscored_hint,
    values_of,
)
from sociolab.core.episode import Trial, TurnsAsked
from sociolab.core.errors import ConfigError, StoreError, did_you_mean
from sociolab.core.instructions import INSTRUCTIONS, instructions_from
from sociolab.core.score import UNTOLD, Measure, label_like, measure_called
from sociolab.report.catalogue import Catalogue
from sociolab.report.difference_charts import forest
from sociolab.report.finding import Count, Note
from sociolab.report.formatting import rounded
from sociolab.report.plays import PlayKey, asked_in
from sociolab.report.result import outline_of, turns_asked
from sociolab.report.run_facts import evaluated
from sociolab.report.schema import RunResult
from sociolab.report.score_tables import judges_of, overview_measures
from sociolab.report.section import Section, Spec, TextTable, noted
from sociolab.report.served import judge_served_apart
from sociolab.report.words import (
    by_rules,
    instructions_notes,
    nature,
    notes_of_runs,
    plural,
    scripted_play,
    stand_in_words,
)
from sociolab.store.store import Store

SCHEMA = 1
SAY = Catalogue("compare_runs")


def compare(
    store: Store,
    runs: str | Sequence[str],
    *,
    agent: str | None = None,
    other: str | None = None,
    judge: str | None = None,
    measures: Sequence[str] = (),
) -> dict[str, Any]:
    """What `sociolab compare --json` prints of two runs, or of two agents of one (`agent` and
    `other`), without its pairs of episodes: see docs/compare.md.

    ConfigError where they cannot be compared, or an agent or a judge must be named.
    """
    names = (runs,) if isinstance(runs, str) else tuple(runs)
    wanted = CompareRequest(names, agent, other, judge, tuple(measures))
    return compare_runs(store, wanted).document()


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """What to compare: one run or two, and of them which agents, judge, measures and k; `rename`
    holds names to be shown by agent or run; `seats` says to compare seat by seat, too. With
    `prompts`, two sets of instructions are compared: of the judge of one run, or of two runs.
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


@dataclass(frozen=True, slots=True)
class Conclusions:
    """What was found: a comparison (None for agents that are only looked at), and pass^k.

    `outlines` are the runs' results without scores, which a comparison has no use for; `seats`
    holds the comparisons seat by seat, where they were wanted; `other_judges` scored the same
    episodes and stand in no table, though nobody asked for one judge or metric.
    """

    outlines: tuple[RunResult, ...]
    comparison: ComparedAgents | None
    passing: tuple[Passing, ...]
    sections: tuple[Section, ...]
    seats: Mapping[str, ComparedAgents] = field(default_factory=dict)
    other_judges: tuple[str, ...] = ()
    every: AgentPairs | None = None

    @property
    def overview(self) -> tuple[Section, ...]:
        """What the terminal shows first: of two agents the findings and the differences, and by
        seat where that was wanted; of agents alone all there is."""
        if self.comparison is None:
            return self.sections
        first, *seats, _ = self.sections
        return (comparison_overview(first), *seats)

    @property
    def paper(self) -> tuple[Section, ...]:
        """What goes into a paper: tables whose columns are named by the agents, and sentences."""
        if self.comparison is None:
            return self.sections
        a, b = self.comparison.a.name, self.comparison.b.name
        heads = {"A": a, "B": b, "A \N{MINUS SIGN} B": "difference"}
        note = SAY("paper", a=a, b=b)
        return tuple(
            replace(
                section,
                tables=tuple(
                    replace(
                        table,
                        columns=tuple(heads.get(head, head) for head in table.columns),
                        heading=table.heading.replace("Differences", f"{a} vs. {b}", 1),
                        notes=(note, *table.notes),
                    )
                    for table in section.tables
                    if "A" in table.columns
                ),
            )
            for section in self.sections
        )

    def forest(self) -> Spec:
        """The differences as a figure for a paper; ConfigError where no two agents are compared."""
        one = self.comparison
        if one is None:
            raise ConfigError(f"--figure is for two agents; {NAME_BOTH}")
        return forest(comparison_findings(one), one.declared, one.a.name, one.b.name)

    def rows(self) -> list[dict[str, Any]]:
        """The comparison as rows of a CSV file: a metric each, of all plays and of single seats."""
        if self.comparison is None:
            if self.every is not None:
                return [
                    {**row, "a": row["a"]["agent"], "b": row["b"]["agent"]}
                    for row in self.every.document()
                ]
            raise ConfigError(f"{NAME_BOTH} to write a comparison as CSV")
        found = {"": self.comparison, **self.seats}
        return [
            {
                "agent_a": one.a.name,
                "agent_b": one.b.name,
                "judge": one.judge,
                "seat": seat,
                "metric": name,
                "better": one.declared.metric(name).better or "neither",
                "mean_a": figures.mean_a,
                "mean_b": figures.mean_b,
                "difference": figures.difference.value,
                "low": figures.difference.low,
                "high": figures.difference.high,
                "p": figures.p,
                "holm_p": figures.holm_p,
                "d_z": figures.effect.d_z,
                "pairs": figures.pairs,
                "clusters": figures.clusters,
            }
            for seat, one in found.items()
            for name, metric in one.metrics.items()
            for figures in (metric.test,)
        ]

    def document(self) -> dict[str, Any]:
        """All of it as one JSON object: see docs/compare.md."""
        said = [sentence for section in self.sections for sentence in section.said]
        cautions = [sentence for section in self.sections for sentence in section.cautions]
        return {
            "schema": SCHEMA,
            "runs": [result.run for result in self.outlines],
            "world": self.outlines[0].world,
            **({"all_pairs": rounded(self.every.document())} if self.every else {}),
            "comparison": self.comparison and rounded(comparison_document(self.comparison)),
            "consistency": rounded([passing_document(one) for one in self.passing]),
            "said": said,
            "cautions": cautions,
            **({"seats": self._seats()} if self.seats else {}),
        }

    def _seats(self) -> Any:
        return rounded({seat: comparison_document(one) for seat, one in self.seats.items()})


NAME_BOTH = "name both: --agent A --with B"


def compare_runs(store: Store, wanted: CompareRequest) -> Conclusions:
    """Compare two agents, or look at the consistency of one run's; ConfigError where it cannot
    be done: the world, tasks or judge differ, or an agent must be named."""
    two_sets = wanted.prompts and len(wanted.runs) == 1
    if two_sets:
        runs, judges, sides = _judged_twice(_read(store, wanted), wanted.judge)
    else:
        runs, judge = opened_runs(store, wanted)
        judges, sides = (judge,), _with_turns(_sides(runs, wanted), _asked(store, wanted.runs))
    judge = judges[0]
    measures = measures_of(runs, wanted.measures)
    if len(sides) > 2 and wanted.agent is None and not two_sets:
        return _all_pairs(store, wanted, runs, judge, sides, measures)
    fixed = held_fixed(runs, sides, judges) if wanted.prompts else ""
    sections: list[Section] = []
    found, seats, alone = None, {}, ""
    if two_sets:
        kinds = [judged_by(runs, judge), fixed]
        by, declared = runs[0].values.judges[judge], runs[0].values.declared
        world = runs[0].result.world
        found = compared(world, sides[0], sides[1], (by.name, by), measures, declared, "exact")
    elif len(sides) == 2 and (len(runs) == 2 or wanted.other or wanted.agent is None):
        a, b = _named(sides, wanted.rename)
        check_tasks(runs)
        kinds = [
            fixed,
            judged_by(runs, judge),
            *_rules_players(runs, (a, b)),
            *same_agent(runs, a, b),
        ]
        try:
            found = _compared(runs[0], judge, (a, b), measures, wanted)
        except ConfigError as error:
            if len(runs) == 2 or wanted.other:
                raise
            alone = SAY("alone", why=str(error))
    if found is not None:
        names = agent_names(store, wanted.runs)
        cautions = (
            *names.notes,
            *cautions_of_runs(runs),
            *_judge_apart(runs, judge),
            *cautions_of(runs, found),
        )
        sections.append(comparison_section(found, " ".join(filter(None, kinds)), cautions))
        if wanted.seats:
            seats = by_seat(found)
            sections += [seat_section(seats)] if seats else []
    elif wanted.seats:
        raise ConfigError(f"{NAME_BOTH}; --by-seat compares two agents seat by seat")
    declared = runs[0].values.declared
    limits = thresholds(measures, wanted.threshold, declared, named=bool(wanted.measures))
    if found is None:
        passed = passing(sides, limits, wanted.ks, declared)
        _check_repeated(runs[0], passed, alone)
    elif found.match == "exact":
        passed = passing_matched(found, limits, wanted.ks)
    else:
        passed = passing(found.matched_sides(), limits, wanted.ks, declared)
    sections.append(consistency_section(passed, measures, declared))
    if found is None:
        judged = SAY("in_run", run=runs[0].result.run, judged=judged_by(runs, judge))
        lost = tuple(failed_turns_notes({side.name: side.asked for side in sides}))
        last = sections[-1]
        said = (judged, *last.said, *([alone] if alone else []))
        sections[-1] = replace(last, said=said, cautions=(*last.cautions, *lost))
    told = _footnotes(runs, judges)
    sections = [noted(section, told) for section in sections]
    outlines = tuple(run.result for run in runs)
    others = () if wanted.judge or wanted.measures or two_sets else _other_judges(runs, judge)
    return Conclusions(outlines, found, tuple(passed), tuple(sections), seats, others)


def with_looks(store: Store, found: Conclusions) -> Conclusions:
    """The conclusions of a comparison whose looks are planned, with a caution where the same two
    agents were compared with more numbers of pairs than that: each look is another chance of a
    false alarm. The look is kept in the store, unless that cannot be written."""
    one = found.comparison
    if one is None:
        return found
    (run, agent), (other, against) = sorted((side.run, side.agent) for side in (one.a, one.b))
    about = json.dumps([agent, against, one.judge, one.match])
    pairs = max(metric.test.pairs for metric in one.metrics.values())
    try:
        sizes = store.look((run, other), about, pairs)
    except StoreError:
        return found
    if len(sizes) <= one.looks:
        return found
    first, *others = found.sections
    planned = Count("look", one.looks)
    caution = SAY("looks", looks=len(sizes), sizes=sizes, planned=planned)
    first = replace(first, cautions=(*first.cautions, caution))
    return replace(found, sections=(first, *others))


def _check_repeated(run: OpenedRun, passed: Sequence[Passing], why_not: str) -> None:
    """ConfigError where there is no second agent and no pass^k either; `why_not` says why the two
    agents of the run are not compared."""
    if any(one.most > 1 for one in passed):
        return
    name, world, (agent, *others) = run.result.run, run.result.world, run.agents
    repeats = (
        "no task was played twice (--repeats 4)"
        if passed
        else "no metric has a threshold of success (set --threshold, for a run with --repeats)"
    )
    if why_not:
        what = why_not.removesuffix(".")
        do = f"name a second run, sociolab compare {name} RUN"
    elif others:
        what = f"{name}: expected two agents to compare, found one"
        do = f"name the second by --with, one of {', '.join(run.agents)}"
    else:
        what = f"{name}: expected two agents to compare, found {agent} alone"
        do = (
            f"play another on the same tasks, sociolab run {world} --agent B --name OTHER, then "
            f"sociolab compare {name} OTHER; sociolab report {name} shows this one"
        )
    raise ConfigError(f"{what}, and no pass^k, since {repeats}; {do}")


def _judged_twice(
    read: _ReadRuns, wanted: str | None
) -> tuple[tuple[OpenedRun, ...], tuple[str, ...], tuple[ComparedSide, ...]]:
    """One judge model's scores of the same episodes under two sets of instructions, as two sides
    whose plays are paired by episode and seat; ConfigError where it has not judged under two."""
    (values,), (result,), (trials,) = read.values, read.outlines, read.trials
    by_model: dict[str, dict[str, str]] = {}
    for label, judge in values.judges.items():
        if judge.prompts and judge.method == "model" and wanted in (None, judge.label, label):
            by_model.setdefault(judge.label, {})[label] = f"set {judge.prompts}"
    twice = {name: sets for name, sets in by_model.items() if len(sets) > 1}
    if len(twice) != 1 or len(next(iter(twice.values()))) != 2:
        known = "; ".join(
            f"{name}: {' and '.join(sets.values())}" for name, sets in by_model.items()
        )
        raise ConfigError(
            "--by prompts: expected one judge model that judged this run under two sets of prompts "
            f"(--judge names it), found {known or 'none'}; sociolab judge {result.run} --judge "
            "MODEL --set prompts=NAME judges it under another"
        )
    (sets,) = twice.values()
    both = tuple(one for one in values.values if one.judge in sets)
    casts = {trial.id: trial.cast for trial in trials}

    def side(label: str, name: str) -> ComparedSide:
        mine, untold = (
            tuple(v._replace(task=v.trial, agent="") for v in some if v.judge == label)
            for some in (values.values, values.untold)
        )
        return ComparedSide(name, result.run, "", mine, casts, untold=untold)

    run = OpenedRun(result, replace(values, values=both), trials)
    return (run,), tuple(sets), tuple(side(label, name) for label, name in sets.items())


def held_fixed(
    runs: Sequence[OpenedRun], sides: Sequence[ComparedSide], judges: Sequence[str]
) -> str:
    """What is the same on both sides of a comparison of instructions, in a sentence; ConfigError
    where two runs were played under the same set, or by different agents."""
    if len(runs) == 1:
        name = runs[0].values.judges[judges[0]].name
        return SAY("prompts_of_judge", run=runs[0].result.run, judge=name)
    a, b = (instructions_from(run.result.recorded.get(INSTRUCTIONS)) for run in runs)
    if a is None or b is None or a.hash == b.hash:
        raise ConfigError(
            "--by prompts: expected two runs that were played under two sets of prompts, found "
            f"{a or 'none'} and {b or 'none'}"
        )
    # Agents of one name that differ otherwise (here by a set's temperature) end in @ and a hash.
    agents = {side.agent.rsplit("@", 1)[0] for side in sides}
    if len(agents) != 1:
        raise ConfigError(
            "--by prompts: expected one agent in both runs, found "
            f"{' and '.join(side.agent for side in sides)}; name it by --agent"
        )
    (agent,) = agents
    return SAY("prompts_of_players", a=str(a), b=str(b), agent=agent, judge=judges[0])


def _all_pairs(
    store: Store,
    wanted: CompareRequest,
    runs: Sequence[OpenedRun],
    judge: str,
    sides: Sequence[ComparedSide],
    measures: Mapping[str, Measure],
) -> Conclusions:
    """Each two of several agents in the world's main metrics, or in those that are named: with
    more, one correction for all would leave little to be shown."""
    if wanted.seats or wanted.prompts:
        raise ConfigError(f"{NAME_BOTH}; --by-seat and --by prompts are for two agents")
    first, *others = runs
    for other in others:
        check_tasks((first, other))
    declared = first.values.declared
    mains = [name for name in declared.main if name in measures] or [*measures][:1]
    chosen = measures if wanted.measures else {name: measures[name] for name in mains}
    named = _all_named(sides, wanted.rename)
    judged = judge, first.values.judges[judge]
    world = first.result.world
    every = compare_all(world, named, judged, chosen, declared, wanted.match, wanted.looks)
    notes = agent_names(store, wanted.runs).notes
    cautions = dict.fromkeys(
        (*notes, *cautions_of_runs(runs), *_judge_apart(runs, judge)),
    )
    by_run = {run.result.run: run for run in runs}
    for one in every.compared:
        of = tuple(by_run[name] for name in dict.fromkeys((one.a.run, one.b.run)))
        cautions |= dict.fromkeys(of_sides(cautions_of(of, one), one.a.name, one.b.name))
    limits = thresholds(chosen, wanted.threshold, declared, named=bool(wanted.measures))
    passed = passing(named, limits, wanted.ks, declared) if len(runs) == 1 else []
    kinds = " ".join((judged_by(runs, judge), *_rules_players(runs, named)))
    lost = tuple(failed_turns_notes({side.name: side.asked for side in named}))
    told = _footnotes(runs, (judge,))
    sections = [
        noted(pairs_section(every, kinds, (*cautions, *lost)), told),
        *([consistency_section(passed, chosen, declared)] if passed else []),
    ]
    outlines = tuple(run.result for run in runs)
    others_ = () if wanted.judge or wanted.measures else _other_judges(runs, judge)
    return Conclusions(outlines, None, tuple(passed), tuple(sections), {}, others_, every)


def two_agents(
    store: Store, result: RunResult, rename: Mapping[str, str] | None = None
) -> TextTable | None:
    """A run's two agents side by side in the main metrics of each judge, the main judge first;
    None where it has not two, or they cannot be compared. `rename`: what the result calls them."""
    agents = evaluated(result)
    if len(agents) != 2:
        return None
    wanted = CompareRequest((result.run,), *agents, rename=rename or {})
    notes = dict[str, None]()
    every: list[ComparedAgents] = []
    with suppress(ConfigError):
        shown = {
            judge: overview_measures(
                result,
                [e for e in result.scores if e.judge == judge and e.agent in agents and not e.by],
            )
            for judge in judges_of(result)
        }
        only = {one.measure for metrics in shown.values() for one in metrics}
        read, asked = _read(store, wanted, only), _asked(store, wanted.runs)
        for judge, metrics in shown.items():
            for metric in metrics:
                with suppress(ConfigError):
                    runs = read.judged_by(judge)
                    sides = _with_turns(_sides(runs, wanted), asked)
                    measures = measures_of(runs, (metric.measure,))
                    found = _compared(
                        runs[0], judge, _named(sides, wanted.rename), measures, wanted
                    )
                    every.append(found)
                    notes |= dict.fromkeys(instructions_notes(result, (judge,)))
    return overview_table(every, *agents, notes=notes) if every else None


def opened_runs(store: Store, wanted: CompareRequest) -> tuple[tuple[OpenedRun, ...], str]:
    """The runs with the values of the one judge, and its label; ConfigError where a run is named
    twice, the worlds differ, or no judge is shared."""
    read = _read(store, wanted)
    wanted_judge = wanted.judge and read.names.judge(wanted.judge)
    judge = chosen_judge(read.values, wanted_judge, wanted.measures)
    return read.judged_by(judge), judge


@dataclass(frozen=True, slots=True)
class _ReadRuns:
    """What the store holds of each run, with the values of all its judges."""

    outlines: tuple[RunResult, ...]
    values: tuple[RunValues, ...]
    trials: tuple[tuple[Trial, ...], ...]
    names: AgentNames

    def judged_by(self, judge: str) -> tuple[OpenedRun, ...]:
        """The runs with the values of one judge; ConfigError where they are no result of it."""
        chosen_judge(self.values, judge)
        runs = tuple(
            OpenedRun(outline, one.of(judge), trials, self.names.shown.get(one.run, {}))
            for outline, one, trials in zip(self.outlines, self.values, self.trials, strict=True)
        )
        check_judge(runs, judge, unscored_hint(self.values))
        return runs


def _read(store: Store, wanted: CompareRequest, only: Collection[str] | None = None) -> _ReadRuns:
    """The runs, each read once, with the values of all measures or of some; ConfigError where one
    is named twice, or the worlds differ."""
    runs = wanted.runs
    twice = next((name for name in runs if runs.count(name) > 1), None)
    if twice is not None:
        raise ConfigError(
            f"expected two runs, found {twice} twice; to compare two agents of one run, name "
            "the run once, and the agents by --agent and --with"
        )
    plans = [store.trials(name) for name in runs]
    values = tuple(
        values_of(store, name, plan, only) for name, plan in zip(runs, plans, strict=True)
    )
    worlds = {one.world for one in values}
    if len(worlds) > 1:
        told = ", ".join(f"{one.run} of {one.world}" for one in values)
        raise ConfigError(f"only runs of one world can be compared, found {told}")
    names = agent_names(store, runs, wanted.rename)
    values = tuple(map(names.values, values))
    both = list(zip(runs, plans, strict=True))
    outlines = tuple(names.result(outline_of(store, name, plan)) for name, plan in both)
    check_no_smoke(outlines)
    trials = tuple(names.trials(name, [row.trial for row in plan]) for name, plan in both)
    return _ReadRuns(outlines, values, trials, names)


def measures_of(runs: Sequence[OpenedRun], wanted: Sequence[str]) -> dict[str, Measure]:
    """The judge's measures, or those of them that are named."""
    judged = {value.measure for run in runs for value in run.values.values}
    found = {
        name: measure
        for run in runs
        for name, measure in run.values.measures.items()
        if name in judged
    }
    told = {name: measure for name, measure in found.items() if measure != UNTOLD}
    wanted = [measure_called(name, told.values()) for name in wanted]
    for name in wanted:
        if name not in told:
            known = ", ".join(told) or "none, since it broke before it named one"
            none = f'the judge has no values of "{name}"{did_you_mean(name, told)}'
            raise ConfigError(f"--metric: {none}; it has {known}")
    return {name: told[name] for name in told if name in wanted} if wanted else told or found


def _sides(runs: Sequence[OpenedRun], wanted: CompareRequest) -> tuple[ComparedSide, ...]:
    """Two agents to compare, or of one run those to look at."""
    if len(runs) > 2:
        if wanted.other:
            raise ConfigError("--with names the second agent of two; of several runs, each is one")
        return tuple(run.side(agent_of(run, wanted.agent, "--agent")) for run in runs)
    if len(runs) == 2:
        first = agent_of(runs[0], wanted.agent, "--agent")
        same = wanted.agent if _like(runs[1], wanted.agent, runs[1].agents) else None
        return runs[0].side(first), runs[1].side(agent_of(runs[1], wanted.other or same, "--with"))
    (run,) = runs
    if wanted.other is None:
        named = (wanted.agent,) if wanted.agent else run.agents
        return tuple(run.side(agent_of(run, agent, "--agent")) for agent in named)
    both = f"to compare two agents of one run, {NAME_BOTH}"
    if wanted.agent is None:
        raise ConfigError(both)
    one, other = agent_of(run, wanted.agent, "--agent"), agent_of(run, wanted.other, "--with")
    if one == other:
        raise ConfigError(f"{both}; found {one} twice")
    return run.side(one), run.side(other)


def agent_of(run: OpenedRun, wanted: str | None, flag: str) -> str:
    """The agent that is named, or the only one."""
    has_values = {value.agent for value in run.values.values if value.agent}
    wanted = _like(run, wanted, has_values, flag) or wanted
    known = ", ".join(run.agents) or "none"
    hint = unscored_hint([run.values], *run.values.judges)
    if wanted is not None and wanted not in has_values:
        raise ConfigError(
            f'{flag}: "{wanted}" has no values in {run.result.run}; it has {known}{hint}'
        )
    if wanted is None and len(run.agents) != 1:
        raise ConfigError(
            f"{run.result.run} has {plural(len(run.agents), 'agent')} with values ({known}); "
            f"name one by {flag}{hint if not run.agents else ''}"
        )
    return wanted or run.agents[0]


def _like(
    run: OpenedRun, wanted: str | None, known: Collection[str], flag: str = "--agent"
) -> str | None:
    """The one of these names that is wanted, be it by a part of it; None if none is."""
    if wanted is None:
        return None
    name = label_like(run.codes.get(wanted, wanted), sorted(known), flag)
    if name not in known:  # by its label, where it is called otherwise here
        name = run.codes.get(label_like(wanted, sorted(run.codes), flag), name)
    return name if name in known else None


def _asked(store: Store, runs: Sequence[str]) -> dict[str, Mapping[PlayKey, TurnsAsked]]:
    return {run: turns_asked(store, run) for run in runs}


def _with_turns(
    sides: Sequence[ComparedSide], asked: Mapping[str, Mapping[PlayKey, TurnsAsked]]
) -> tuple[ComparedSide, ...]:
    """The sides with the turns that their agents were asked for, and failed."""
    return tuple(
        replace(side, asked=asked_in(asked[side.run], {(v.trial, v.seat) for v in side.values}))
        for side in sides
    )


def _compared(
    run: OpenedRun,
    judge: str,
    sides: Sequence[ComparedSide],
    measures: Mapping[str, Measure],
    wanted: CompareRequest,
) -> ComparedAgents:
    """The two sides by the judge's figures; `run` holds the judge, and the world's metrics."""
    a, b = sides
    judged_as = judge, run.values.judges[judge]
    declared = run.values.declared
    return compared(
        run.result.world, a, b, judged_as, measures, declared, wanted.match, wanted.looks
    )


def _all_named(
    sides: Sequence[ComparedSide], rename: Mapping[str, str]
) -> tuple[ComparedSide, ...]:
    """Sides whose names differ, as `_named` says of two."""
    agents = [side.agent for side in sides]
    return tuple(
        replace(
            side,
            name=rename.get(side.run)
            or (f"{side.agent} in {side.run}" if agents.count(side.agent) > 1 else side.agent),
        )
        for side in sides
    )


def _named(
    sides: Sequence[ComparedSide], rename: Mapping[str, str]
) -> tuple[ComparedSide, ComparedSide]:
    """Sides whose names differ: an agent that is on both is named with its run, a side whose run
    was renamed by that name."""
    a, b = _all_named(sides, rename)
    return a, b


def judged_by(runs: Sequence[OpenedRun], judge: str) -> str:
    """What to think of the judge's figures, in sentences."""
    texts = dict.fromkeys(nature(run.result, judge) for run in runs)
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in texts)


def _rules_players(runs: Sequence[OpenedRun], sides: Sequence[ComparedSide]) -> Iterator[Note]:
    rules = sorted({side.agent for side in sides if by_rules(runs[0].result, side.agent)})
    if rules:
        yield SAY("scripted", agents=rules, what=scripted_play(runs[0].result))


def _other_judges(runs: Sequence[OpenedRun], judge: str) -> tuple[str, ...]:
    judges = [[one.judge for one in run.result.judges] for run in runs]
    label_of = {name: label for label, name in runs[0].result.renamed.items()}
    return tuple(
        label_of.get(one, one)
        for one in judges[0]
        if one != judge and all(one in some for some in judges)
    )


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
        found = [agent for agent in evaluated(self.result) if agent in scored]
        return tuple(found or [agent for agent in self.result.agents if agent in scored])

    def side(self, agent: str) -> ComparedSide:
        """One agent's plays."""
        return ComparedSide(
            agent,
            self.result.run,
            agent,
            tuple(value for value in self.values.values if value.agent == agent),
            {trial.id: trial.cast for trial in self.trials},
            untold=tuple(value for value in self.values.untold if value.agent == agent),
        )


def check_judge(runs: Sequence[OpenedRun], judge: str, hint: str) -> None:
    """The judge must have given agents values in each run; ConfigError that says who did, and ends
    with what to do (`hint`)."""
    blank = [run.result.run for run in runs if not run.agents]
    if not blank:
        return
    if len(blank) == len(runs):
        raise ConfigError(
            f"{judge} gave no value to an agent of {' or '.join(blank)}; have them judged by a "
            f"judge that scores such episodes: sociolab judge RUN --judge JUDGE{hint}"
        )
    by = "; ".join(
        f"{run.result.run} by {', '.join(one.judge for one in run.result.judges) or 'nobody'}"
        for run in runs
    )
    raise ConfigError(
        f"the judges differ: {by}. {judge} gave no value to an agent of {blank[0]}; have all "
        f"judged by one judge: sociolab judge RUN --judge JUDGE{hint}"
    )


def check_no_smoke(results: Sequence[RunResult]) -> None:
    """A smoke test is no result: ConfigError that names it."""
    for result in results:
        if result.smoke:
            raise ConfigError(
                f"{result.run} is a smoke test ({result.smoke}), so its scores are not results; "
                "run it with --background openai/MODEL, or leave it out"
            )


def check_tasks(runs: Sequence[OpenedRun]) -> None:
    """Tasks of one id must be the same task: words, seats and scenario."""
    first, *others = ({trial.task.id: trial.task for trial in run.trials} for run in runs)
    for other in others:
        common = [name for name in first if name in other]
        changed = [
            name
            for name in common
            if (first[name].content, first[name].seats, first[name].cluster)
            != (other[name].content, other[name].seats, other[name].cluster)
        ]
        if changed:
            names = " and ".join(run.result.run for run in runs)
            raise ConfigError(
                f"{names} were played on different data: {len(changed)} of "
                f"{plural(len(common), 'common task')} differ, such as {changed[0]}; "
                "play both on the same data"
            )


def cautions_of(runs: Sequence[OpenedRun], found: ComparedAgents) -> Iterator[Note]:
    """What beside the agents differs between the sides."""
    if found.by == "role" or not found.partners:
        yield _partners(found)
    if found.match == "none":
        yield SAY("other_clusters", clusters=found.clusters)
    if len(runs) == 2:
        yield from _settings(runs[0], runs[1], found)


def of_sides(cautions: Iterable[Note], a: str, b: str) -> Iterator[Note]:
    """Cautions that say who A and B are, where several comparisons stand together."""
    return (SAY("of_sides", a=a, b=b, caution=caution) for caution in cautions)


def cautions_of_runs(runs: Sequence[OpenedRun]) -> Iterator[Note]:
    """Whom no language model played, what differs between the runs, and what is not there yet."""
    for words in stand_in_words(*(run.result.settings for run in runs)):
        yield SAY("stand_in", words=words)
    for settings in _conditions(runs):
        yield SAY("runs_differ", settings=settings)
    for result in (run.result for run in runs):
        left = result.trials - result.played - result.failed
        if left:
            yield SAY("unfinished", run=result.run, trials=Count("trial", left))
        if result.failed:
            yield SAY("failed", run=result.run, trials=Count("trial", result.failed))


def _judge_apart(runs: Sequence[OpenedRun], judge: str) -> Iterator[str]:
    """Where the judge's calls were served otherwise in some of the runs."""
    model = runs[0].values.judges[judge].name
    return judge_served_apart({run.result.run: run.result.served for run in runs}, model)


def same_agent(runs: Sequence[OpenedRun], a: ComparedSide, b: ComparedSide) -> Iterator[Note]:
    """That both sides are one agent, played twice: what a difference is then."""
    first, last = runs[0].values.agents, runs[-1].values.agents
    if a.agent != b.agent or first[a.agent] != last[b.agent]:
        return
    seeds = [str(run.result.seed) for run in runs]
    if _conditions(runs):
        yield SAY("same_agent_otherwise", seeds=seeds)
    else:
        yield SAY("same_agent", seeds=seeds)


def _partners(found: ComparedAgents) -> Note:
    a, b = found.a, found.b
    if a.partners == (a.agent,) and b.partners == (b.agent,):
        return SAY("self_play")
    return SAY("other_partners", a=a.partners, b=b.partners)


def _settings(a: OpenedRun, b: OpenedRun, found: ComparedAgents) -> Iterator[Note]:
    ours, theirs = a.values.agents, b.values.agents
    labels = {*found.a.partners, *found.b.partners, found.a.agent, found.b.agent}
    for label in sorted(labels & ours.keys() & theirs.keys()):
        if ours[label] != theirs[label]:
            yield SAY("other_settings", agent=label)


def _conditions(runs: Sequence[OpenedRun]) -> tuple[str, ...]:
    return settings_apart({run.result.run: run.result.settings for run in runs})


def _footnotes(runs: Sequence[OpenedRun], judges: Sequence[str]) -> tuple[str, ...]:
    """What stands below all tables of these runs."""
    return notes_of_runs({r.result.run: instructions_notes(r.result, judges) for r in runs})
