"""Variance components of each agent's scores, and where more episodes or judgings would help."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, TypeVar

from sociolab.analysis.agent_labels import agent_names
from sociolab.analysis.doublings import (
    JUDGE,
    JUDGINGS,
    PAIRING,
    PARTNER,
    PROMPTS,
    REPEAT,
    SCENARIO,
    SEAT,
    TASK,
    Costs,
    Doubling,
    best_step,
    estimate_costs,
    list_doublings,
    per_dollar,
)
from sociolab.analysis.panel import method_notes
from sociolab.analysis.values import RunValues, Value, choose_metric, main_judges, run_values
from sociolab.core.errors import ConfigError, did_you_mean
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.score import (
    RULE_BASED,
    JudgeId,
    Measure,
    leading_judges,
    resolve_judge,
    resolve_measure,
)
from sociolab.report.catalogue import Catalogue
from sociolab.report.exam import ExamNotes, exam_notes
from sociolab.report.finding import Count, Finding, FindingTable, Sentence
from sociolab.report.section import Section
from sociolab.report.words import join_names
from sociolab.stats.adjusted_means import mean_across
from sociolab.stats.crossed_raters import LEAST_RATERS, RatedEstimate
from sociolab.stats.intervals import on_scale, t_critical
from sociolab.stats.variance import Component, Components, LeveledScore, variance_components
from sociolab.store.store import Store

SAY = Catalogue("variance")

EPISODE = "episode"
"""Of no variance of its own: several scores may be of one."""

SETTING = (SCENARIO, TASK, SEAT, PARTNER)
"""What a setting is: its repeats under one prompt set differ by chance alone."""

FEW_LEVELS = 10
"""A component of fewer levels may be off by half of itself or more."""

_HARDLY = 0.05
"""A standard error that shrinks by less than this part of itself hardly shrinks."""

_MOST_SCENARIOS = 100
"""How many times the scenarios a plan for a wanted width looks at."""

_MOST_REPEATS = 100
"""How many times the repeats it looks at where there are too few scenarios."""

_TIMES = (1, 2, 4)
"""How many times the scenarios, or the raters, a plan has."""

_NEW_EPISODES = {
    SCENARIO: "in_new_clusters",
    TASK: "in_new_tasks",
    PARTNER: "with_new_partners",
}

_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True)
class AgentVariance:
    """The components of one agent's scores, and steps to a smaller standard error of its mean.

    `judged_once`: each play has one judging, so that the residual holds its repeats' chance too.
    `played_once`: no setting was repeated, so that what a partner does in one task only is
    in there as well. `best`: the step that buys most, by dollar where costs are known, else among
    those that take more plays; None where none helps. Several scores may be of one episode, where
    the agent sat in several seats, and of one judging of it. `over_prompts` is the mean with an
    interval for other scenarios and prompt sets, where there are several of these.
    """

    agent: str
    mean: float
    components: Components
    episodes: int
    judgings: int
    steps: tuple[Doubling, ...]
    judged_once: bool
    played_once: bool
    best: Doubling | None
    over_prompts: RatedEstimate | None = None

    @property
    def error(self) -> float | None:
        """The standard error of the mean, for scenarios, partners and judges at large."""
        return self.components.advice.error

    @property
    def parts(self) -> tuple[Component, ...]:
        """All components, the residual last."""
        return (*self.components.factors, self.components.residual)

    def levels(self, factor: str) -> int:
        """How many levels a factor has: 1 where the design has it not."""
        return next((part.levels for part in self.parts if part.factor == factor), 1)


@dataclass(frozen=True, slots=True)
class Variances:
    """What varies in the scores of every agent of some runs. `left_out`: agents with fewer than two
    scores. `raters`: how many people scored."""

    world: str
    runs: tuple[str, ...]
    judges: Mapping[str, JudgeId]
    measure: Measure
    costs: Costs | None
    agents: tuple[AgentVariance, ...]
    left_out: tuple[str, ...]
    unscored: int = 0
    declared: Declared = UNDECLARED
    raters: int = 0
    exams: ExamNotes = field(default_factory=ExamNotes)

    @property
    def by_people(self) -> bool:
        """Whether people scored, so that a judge is a rater and a judging a rating."""
        return all(judge.method == "people" for judge in self.judges.values())

    def noun(self, factor: str) -> str:
        """What a factor is called here: a cluster may be a scenario, session or task."""
        cluster = self.declared.cluster
        task = "case" if cluster == "task" else "task"
        nouns = {SCENARIO: cluster, TASK: task, JUDGINGS: "judging", PROMPTS: "prompt set"}
        if self.by_people:
            once = all(agent.played_once for agent in self.agents)
            nouns |= {JUDGE: "rater", JUDGINGS: "rating", REPEAT: "episode" if once else REPEAT}
        return SAY("pairing", task=task) if factor == PAIRING else nouns.get(factor, factor)

    def plural(self, factor: str) -> str:
        return Count(self.noun(factor), 2).column

    def levels(self, factor: str) -> str:
        """What doubling a factor adds, in words."""
        if factor == TASK:
            return SAY("tasks_in_each", tasks=self.plural(TASK), cluster=self.noun(SCENARIO))
        return SAY("judgings_of_each") if factor == JUDGINGS else self.plural(factor)


def run_variances(
    store: Store,
    runs: Sequence[str],
    judges: Sequence[str] | None = None,
    measure: str | None = None,
    per_play: float | None = None,
    per_judging: float | None = None,
) -> Variances:
    """The components of each agent's scores; costs that are not given are those of the runs."""
    names = agent_names(store, runs)
    values = [names.values(run) for run in run_values(store, runs, over_prompts=True)]
    costs = estimate_costs(store, [run.run for run in values], per_play, per_judging)
    return variances(values, judges, measure, costs)


def variances(
    runs: Sequence[RunValues],
    judges: Sequence[str] | None,
    measure: str | None,
    costs: Costs | None = None,
) -> Variances:
    """The components of each agent's scores over all its plays in these runs.

    `judges` None: all models and people that gave the metric a value, or all judges where there
    are none. ConfigError for runs of several worlds, a judge or metric that is not there, and
    where no agent has two scores.
    """
    if len({run.world for run in runs}) > 1:
        worlds = ", ".join(f"{run.run} ({run.world})" for run in runs)
        raise ConfigError(f"expected runs of one world, found {worlds}")
    if measure is not None:
        measure = resolve_measure(
            measure, [candidate for run in runs for candidate in run.measures.values()]
        )
    ids = {label: judge for run in runs for label, judge in run.judges.items()}
    if judges:
        named = tuple(dict.fromkeys(resolve_judge(judge, ids, "these runs") for judge in judges))
    else:
        named = _scoring_judges(runs, ids, measure)
    chosen = choose_metric([run for run in runs if named[0] in run.judges], named[0], measure)
    rows: dict[str, list[LeveledScore]] = {}
    gave: set[str] = set()
    raters: set[tuple[str, str]] = set()
    for run in runs:
        for value in run.values:
            if value.judge in named and value.measure == chosen.name and value.agent is not None:
                rows.setdefault(value.agent, []).extend(_rows(run, value))
                gave.add(value.judge)
                raters |= {(value.judge, rater) for rater, _ in value.ratings}
    unscored = [value for run in runs for value in run.unscored if value.measure == chosen.name]
    varying = {agent: _estimate_agent(agent, rows[agent], costs) for agent in sorted(rows)}
    if not any(varying.values()):
        raise ConfigError(f"no agent has two scores in {chosen.name}; nothing can vary")
    return Variances(
        world=runs[0].world,
        runs=tuple(run.run for run in runs),
        judges={name: ids[name] for name in named if name in gave},
        measure=chosen,
        costs=costs,
        agents=tuple(agent for agent in varying.values() if agent is not None),
        left_out=tuple(name for name, agent in varying.items() if agent is None),
        unscored=sum(value.judge in gave for value in unscored),
        declared=runs[0].declared,
        raters=len(raters),
        exams=exam_notes({run.run: run.exams for run in runs}, gave),
    )


def _scoring_judges(
    runs: Sequence[RunValues], ids: Mapping[str, JudgeId], measure: str | None
) -> tuple[str, ...]:
    """The judges that scored the metric (None: a main one); people or models before rule-based."""
    valued = [value for run in runs for value in run.values if value.value is not None]
    gave = {value.judge for value in valued if measure in (None, value.measure)}
    if measure is None:
        gave = set(main_judges(runs, sorted(gave)))
    leading = leading_judges({name: ids[name] for name in ids if name in gave}, with_people=True)
    if not leading and measure is None:
        raise ConfigError("no judge gave these runs a value")
    if not leading:
        scored = {value.measure for value in valued}
        choices = dict.fromkeys(name for run in runs for name in run.measures if name in scored)
        raise ConfigError(
            f"--metric: no judge gave these runs a value in {measure}"
            f"{did_you_mean(str(measure), choices)}; "
            f"metrics with values: {', '.join(choices) or 'none'}"
        )
    return tuple(name for name in leading if ids[name].method not in RULE_BASED) or leading


def _estimate_agent(
    agent: str, rows: Sequence[LeveledScore], costs: Costs | None
) -> AgentVariance | None:
    present = [row for row in rows if row.value is not None]
    if len(present) < 2:
        return None
    plays = Counter(_level(row, *SETTING, PROMPTS, REPEAT) for row in present)
    settings = Counter(play[:-1] for play in plays)
    judged_once = max(plays.values()) == 1
    played_once = max(settings.values()) == 1
    factors = _factors(present, judged_once=judged_once, played_once=played_once)
    within = {
        TASK: (SCENARIO,),
        SEAT: (SCENARIO, TASK),
        PAIRING: SETTING,
        REPEAT: (*SETTING, PROMPTS),
    }
    parts = variance_components(rows, factors, within=within)
    episodes = len({row.levels[EPISODE] for row in present})
    judgings = len({_level(row, EPISODE, JUDGE, JUDGINGS) for row in present})
    again = not judged_once and len({row.levels[JUDGE] for row in present}) == 1
    steps = list_doublings(parts, episodes, judgings, costs, judged_once=judged_once, again=again)
    mean = math.fsum(row.value for row in present if row.value is not None) / len(present)
    best = best_step(parts.advice.error, steps)
    over_prompts = _over_prompts(present, factors) if PROMPTS in factors else None
    return AgentVariance(
        agent, mean, parts, episodes, judgings, steps, judged_once, played_once, best, over_prompts
    )


def _over_prompts(rows: Sequence[LeveledScore], factors: Sequence[str]) -> RatedEstimate | None:
    """The mean for other scenarios and prompt sets; partners and judges stay as they are."""
    nested = {name: SETTING[: depth + 1] for depth, name in enumerate(SETTING[:3])}
    nested |= {REPEAT: (*SETTING, PROMPTS, REPEAT), PROMPTS: (PROMPTS,)}
    levels = {
        name: [_level(row, *within) for row in rows]
        for name, within in nested.items()
        if name in factors
    }
    return mean_across([row.value for row in rows if row.value is not None], levels)


def _rows(run: RunValues, value: Value) -> list[LeveledScore]:
    judge = run.judges[value.judge]
    levels = {
        EPISODE: (value.run, value.trial),
        JUDGINGS: 0,
        SCENARIO: value.cluster,
        TASK: value.task,
        SEAT: value.seat,
        PARTNER: value.partner,
        PAIRING: 0,
        PROMPTS: value.prompts,
        REPEAT: (value.run, value.repeat),
        JUDGE: judge,
    }
    if value.ratings and value.value is not None:
        return [
            LeveledScore(score, {**levels, JUDGE: (judge, rater)}) for rater, score in value.ratings
        ]
    # Where one judging of several failed, the others stand for the play.
    scores = value.judgings if value.value is not None else (None,)
    return [LeveledScore(score, {**levels, JUDGINGS: i}) for i, score in enumerate(scores)]


def _factors(rows: Sequence[LeveledScore], *, judged_once: bool, played_once: bool) -> list[str]:
    """What the design can hold apart: a factor that says the same as another is left out."""
    scenarios, tasks, seats = (
        len({_level(row, *SETTING[:depth]) for row in rows}) for depth in (1, 2, 3)
    )
    partners, prompts = (len({row.levels[each] for row in rows}) for each in (PARTNER, PROMPTS))
    factors = [SCENARIO]
    factors += [TASK] if tasks > scenarios else []
    factors += [SEAT] if seats > tasks else []
    factors += [PARTNER]
    factors += [PAIRING] if not played_once and partners > 1 and seats > 1 else []
    factors += [PROMPTS] if prompts > 1 and all(row.levels[PROMPTS] for row in rows) else []
    factors += [] if judged_once else [REPEAT]
    return [*factors, JUDGE]


def _level(row: LeveledScore, *names: str) -> tuple[object, ...]:
    return tuple(row.levels[name] for name in names)


def variance_document(result: Variances, wanted: float | None = None) -> dict[str, Any]:
    """The components as a JSON object, with what a `wanted` width takes: see docs/ranking.md."""
    return {
        "schema": 1,
        "world": result.world,
        "runs": list(result.runs),
        "judges": [*result.judges],
        "measure": result.measure.name,
        "costs": None if result.costs is None else asdict(result.costs),
        "agents": [
            {
                "agent": agent.agent,
                "mean": agent.mean,
                "standard_error": agent.error,
                "n": agent.components.n,
                "missing": agent.components.missing,
                "judged_once": agent.judged_once,
                "played_once": agent.played_once,
                "components": [asdict(part) for part in agent.parts],
                "doublings": [asdict(step) for step in agent.steps],
                "best": None if agent.best is None else agent.best.factor,
            }
            | ({} if wanted is None else {"needed": _needed(result, agent, wanted)})
            for agent in result.agents
        ],
        "left_out": list(result.left_out),
        "notes": [*result.exams.failed, *result.exams.below],
    }


def _needed(result: Variances, agent: AgentVariance, wanted: float) -> list[dict[str, int]]:
    rows = needed_findings(result, agent, wanted)
    return [{count.column: count.n for count in row.counts} for row in rows]


# ------------------------------------------------------------------ what it concludes


def component_findings(result: Variances, agent: AgentVariance) -> Iterator[Finding]:
    """A finding for each component, and for those together that the design cannot separate: sd and
    share, what doubling its levels would do, and what a dollar buys there, relative to the best."""
    steps = {step.factor: step for step in agent.steps}
    last = steps.get(REPEAT if agent.judged_once else JUDGINGS)
    most = per_dollar(agent.error, agent.best)
    for part in agent.parts:
        about = {"agent": agent.agent, "component": join_names(_nouns(result, agent, part))}
        more = {"sd": part.variance and math.sqrt(part.variance), "share": part.share}
        step = last if part.factor == "residual" else steps.get(part.factor)
        if step is not None and step.error is not None:
            worth = per_dollar(agent.error, step)
            more |= {"error": step.error, "cost": step.cost}
            more |= {"worth": worth / most if worth is not None and most else None}
        yield Finding(result.measure, about, counts=(Count("level", part.levels),), more=more)
    varied = [part for part in agent.parts if part.levels > 1]
    shares = [part.share for part in varied if part.variance is not None]
    if len(shares) < len(varied) and None not in shares:
        together = SAY("together", components=_mixed(result, agent))
        about = {"agent": agent.agent, "component": together}
        share = 1 - math.fsum(share for share in shares if share is not None)
        yield Finding(result.measure, about, more={"share": share})


def _mixed(result: Variances, agent: AgentVariance) -> list[str]:
    """The components that the design cannot separate from each other."""
    lost = [part for part in agent.parts if part.variance is None and part.levels > 1]
    return [noun for part in lost for noun in _nouns(result, agent, part)]


def _nouns(result: Variances, agent: AgentVariance, part: Component) -> list[str]:
    """The nouns of a component; for the residual those of all that it holds."""
    if part.factor != "residual":
        return [result.noun(part.factor)]
    rest = [result.noun(JUDGINGS), SAY("rest")]
    return ["episode" if agent.played_once else REPEAT, *rest] if agent.judged_once else rest


def plan_findings(result: Variances, agent: AgentVariance) -> Iterator[Finding]:
    """Half the width of the interval of an agent's mean, by how many times the raters, with more
    and more scenarios; nothing where too few people scored, or too few scenarios."""
    if not result.by_people or not _can_be_planned(result, agent):
        return
    for more in _TIMES:
        scenarios = more * agent.levels(SCENARIO)
        halves = {f"raters_{n}": _half_width(result, agent, scenarios, n) for n in _TIMES}
        counts = Count(result.noun(SCENARIO), scenarios), Count("episode", more * agent.episodes)
        yield Finding(result.measure, {"agent": agent.agent}, counts=counts, more=halves)


def needed_findings(result: Variances, agent: AgentVariance, wanted: float) -> Iterator[Finding]:
    """The fewest scenarios with which the interval of an agent's mean is at most `wanted` to either
    side, and the episodes that this makes, by how many times the raters; None where a hundred times
    as many as now are too few."""
    if not _can_be_planned(result, agent):
        return
    now = agent.levels(SCENARIO)
    for times in _TIMES if result.by_people else _TIMES[:1]:
        choices = range(2, _MOST_SCENARIOS * now + 1)
        halves = partial(_half_width, result, agent, times=times)
        at = bisect_left(choices, True, key=lambda n: _at_most(halves(n), wanted))
        counts: tuple[Count, ...] = ()
        if at < len(choices):
            episodes = math.ceil(choices[at] * agent.episodes / now)
            counts = Count(result.noun(SCENARIO), choices[at]), Count("episode", episodes)
        if result.by_people:
            counts = (Count("rater", times * agent.levels(JUDGE)), *counts)
        yield Finding(result.measure, {"agent": agent.agent}, counts=counts)


def _notes_on_all(result: Variances, wanted: float) -> Iterator[Sentence]:
    """Whether repeats help where there are fewer scenarios than needed, and how many: agents that
    need as many share a sentence."""
    most = result.declared.clusters
    if not most:
        return
    groups: dict[float, list[str]] = {}
    for agent in result.agents:
        row = next(needed_findings(result, agent, wanted), None)
        needed = row and next((n.n for n in row.counts if n.of == result.noun(SCENARIO)), math.inf)
        if needed and needed > most:
            halves = partial(_half_width, result, agent, max(most, agent.levels(SCENARIO)), 1)
            choices = (*range(1, _MOST_REPEATS + 1), math.inf)
            at = bisect_left(choices, True, key=lambda n: _at_most(halves(n), wanted))
            groups.setdefault(choices[at] if at < len(choices) else 0, []).append(agent.agent)
    clusters = Count(result.noun(SCENARIO), most)
    for repeats, agents in groups.items():
        kind = "never_on_all" if not repeats else "repeats_on_all"
        kind = "many_on_all" if repeats == math.inf else kind
        yield SAY(kind, clusters=clusters, agents=agents, factor=repeats, most=_MOST_REPEATS)


def _can_be_planned(result: Variances, agent: AgentVariance) -> bool:
    counted = (SCENARIO, JUDGE) if result.by_people else (SCENARIO,)
    return agent.error is not None and min(map(agent.levels, counted)) >= LEAST_RATERS


def _at_most(half: float | None, wanted: float) -> bool:
    return half is not None and half <= wanted


def _half_width(
    result: Variances, agent: AgentVariance, scenarios: int, times: int, repeats: float = 1
) -> float | None:
    """Half the width of the interval with so many scenarios, and so many times the raters and the
    repeats."""
    more = scenarios / agent.levels(SCENARIO)
    levels = {SCENARIO: more, REPEAT: repeats, "residual": more * repeats, JUDGE: times}
    error = agent.components.error_with(levels)
    raters = times * agent.levels(JUDGE) if result.by_people else scenarios
    return None if error is None else t_critical(min(scenarios, raters) - 1) * error


def variance_section(result: Variances, wanted: float | None = None) -> Section:
    """The components of each agent; with `wanted`, what intervals so wide to either side take."""
    plans = [plan for agent in result.agents for plan in plan_findings(result, agent)]
    tables = [SAY.table("plans", plans, clusters=result.plural(SCENARIO))] if plans else []
    if wanted is not None:
        rows = [row for agent in result.agents for row in needed_findings(result, agent, wanted)]
        columns, notes = ("agent", "counts"), _notes_on_all(result, wanted)
        tables.insert(0, SAY.table("needed", rows, columns=columns, notes=notes, wanted=wanted))
    section = Section(
        SAY("title", metric=result.measure, judges=[*result.judges]),
        tuple(sentence for agent in result.agents for sentence in _verdicts(result, agent)),
        tuple(_cautions(result)),
        (*tables, *(_table(result, agent) for agent in result.agents)),
    )
    return result.exams.on(section)


def _table(result: Variances, agent: AgentVariance) -> FindingTable:
    """The components of one agent, with the standard error after doubling each."""
    priced: tuple[str, ...] = ()
    if result.costs is not None:
        priced = ("estimated_cost" if result.costs.estimated else "cost", "worth")
    return SAY.table(
        "components",
        component_findings(result, agent),
        columns=("component", "sd", "share", "levels", "error", *priced),
        notes=_notes(result, agent),
        agent=agent.agent,
        error=agent.error,
        metric=result.measure,
    )


def _notes(result: Variances, agent: AgentVariance) -> Iterator[Sentence]:
    if any(part.factor == PAIRING for part in agent.parts):
        yield SAY("pairing_is", pairing=result.noun(PAIRING))
    yield SAY(
        "doubled",
        episodes=Count("more episode", agent.episodes),
        judgings=Count(f"more {result.noun(JUDGINGS)}", agent.judgings),
        judges=result.plural(JUDGE),
        judged=result.plural(JUDGINGS),
    )
    if (costs := result.costs) is not None:
        yield SAY("costs", play=_price(costs, costs.play), judging=_price(costs, costs.judging))


def _price(costs: Costs, usd: float) -> Sentence:
    return SAY("estimated_price" if costs.estimated else "price", usd=usd)


# ------------------------------------------------------------------ sentences


def _verdicts(result: Variances, agent: AgentVariance) -> Iterator[Sentence]:
    figures = {
        "agent": agent.agent,
        "metric": result.measure,
        "mean": agent.mean,
        "over": Count("rating" if result.by_people else "score", agent.components.n),
    }
    if agent.error is None:
        yield SAY("no_error", **figures)
        return
    large = [
        result.plural(part.factor)
        for part in agent.components.factors
        if part.levels > 1 and part.factor in (SCENARIO, PARTNER, PROMPTS, JUDGE)
    ]
    fixed = [result.noun(factor) for factor in agent.components.advice.fixed]
    across = SAY("at_large", levels=large) if large else ""
    within = SAY("fixed", nouns=fixed) if fixed else ""
    yield SAY("mean", **figures, error=agent.error, at_large=across, fixed=within)
    if (found := agent.over_prompts) is not None:
        sets = Count("prompt set", found.raters)
        cut = on_scale(found, result.measure.low, result.measure.high)
        note = "few_prompts" if found.raters < LEAST_RATERS else "over_prompts"
        yield SAY(note, metric=result.measure, interval=(cut.low, cut.high), sets=sets)
    if agent.error:
        yield from _doublings(result, agent, agent.error)
        yield _advice(result, agent, agent.error)


def _doublings(result: Variances, agent: AgentVariance, error: float) -> Iterator[Sentence]:
    """Of which doublings the standard error would shrink, the most first, and of which not."""
    raters = _more_raters(result, agent)  # `_advice` has them
    steps = [
        (step.error, result.levels(step.factor))
        for step in agent.steps
        if step.error is not None and step is not raters
    ]
    steps.sort(key=lambda step: step[0])
    helpful = [
        SAY("step", metric=result.measure, error=after, levels=levels)
        for after, levels in steps
        if error - after >= _HARDLY * error
    ]
    idle = [levels for _, levels in steps[len(helpful) :]]
    if helpful:
        yield SAY("helpful", steps=helpful)
    if idle:
        yield SAY("idle", levels=idle)
    if not steps:
        yield SAY("doubling_unknown")


def _more_raters(result: Variances, agent: AgentVariance) -> Doubling | None:
    """Twice the raters, where that is weighed against new episodes without their costs."""
    if not result.by_people or result.costs is not None or agent.best is None:
        return None
    return next((step for step in agent.steps if step.factor == JUDGE and step.error), None)


def _advice(result: Variances, agent: AgentVariance, error: float) -> Sentence:
    best, raters, metric = agent.best, _more_raters(result, agent), result.measure
    if best is None or best.error is None:
        return SAY("no_doubling")
    if raters is not None and raters.error is not None:
        clusters = {"clusters": result.plural(SCENARIO), "tasks": result.plural(TASK)}
        episodes = SAY(_NEW_EPISODES.get(best.factor, "repeating"), **clusters)
        more = SAY("more" if raters.error < best.error else "less")
        return SAY(
            "new_or_rated_again", episodes=episodes, more=more, metric=metric, error=raters.error
        )
    levels = result.levels(best.factor)
    if result.costs is None or not best.cost:
        return SAY("adding", levels=levels)
    cost, reduction = _price(result.costs, best.cost), error - best.error
    return SAY("next_dollar", levels=levels, cost=cost, metric=metric, reduction=reduction)


def _cautions(result: Variances) -> Iterator[Sentence]:
    agents, costs = result.agents, result.costs
    if result.raters and not result.by_people:
        yield SAY("one_rater") if result.raters == 1 else SAY("each_rater", n=result.raters)
    if result.unscored:
        yield SAY("cannot_tell", scores=Count("score", result.unscored), metric=result.measure)
    for agent in agents:
        if result.declared.agents.get(agent.agent) == "rules":
            what = result.declared.scripted or SAY("rule_based")
            yield SAY("baseline", agent=agent.agent, what=what)
    yield from method_notes(result.declared, result.judges)
    yield from _unknown(result)
    if costs is None:
        yield SAY("no_costs")
    elif costs.estimated:
        yield SAY("estimated_costs")
    parts = [(agent, part) for agent in agents for part in agent.components.factors]
    if any(part.factor == PARTNER and part.levels > 1 for _, part in parts):
        yield SAY("partners_at_random")
    few = _group_agents(
        ((result.noun(part.factor), part.levels), agent)
        for agent, part in parts
        if 1 < part.levels < FEW_LEVELS
    )
    if few:
        levels = [
            SAY("few", component=component, n=n, agents=names)
            for (component, n), names in few.items()
        ]
        yield SAY("few_levels", components=levels, fewest=FEW_LEVELS)
    if any(agent.played_once for agent in agents):
        yield SAY("played_once")
    read = any(judge.method not in RULE_BASED for judge in result.judges.values())
    if read and any(agent.judged_once for agent in agents):
        yield SAY("rated_once" if result.by_people else "judged_once")
    cut = [
        SAY("component_of", component=result.noun(part.factor), agent=agent.agent)
        for agent, part in parts
        if part.note.startswith("estimated below 0")
    ]
    if cut:
        yield SAY("negative", components=cut)
    if missing := sum(agent.components.missing for agent in agents):
        yield SAY("missing", scores=Count("score", missing))
    if result.left_out:
        yield SAY("left_out", agents=result.left_out)


def _unknown(result: Variances) -> Iterator[Sentence]:
    """The components that the design cannot estimate, and for which agents."""
    gaps: list[tuple[tuple[str, tuple[str, ...]], AgentVariance]] = []
    for agent in result.agents:
        lost = [part for part in agent.parts if part.variance is None and part.levels == 1]
        single = tuple(SAY("one", noun=join_names(_nouns(result, agent, part))) for part in lost)
        gaps += [(("only_one", single), agent)] if single else []
        mixed = tuple(_mixed(result, agent))
        gaps += [(("inseparable", mixed), agent)] if mixed else []
    for (note, nouns), names in _group_agents(gaps).items():
        of = SAY("of_agents", agents=names) if len(names) < len(result.agents) else ""
        yield SAY(note, components=nouns, of=of)


def _group_agents(pairs: Iterable[tuple[_Key, AgentVariance]]) -> dict[_Key, list[str]]:
    """Group the agents' names by key."""
    agents: dict[_Key, list[str]] = {}
    for key, agent in pairs:
        agents.setdefault(key, []).append(agent.agent)
    return agents
