"""What each agent's scores vary with, and where more play or judging would help."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sociolab.analysis.agent_names import agent_names
from sociolab.analysis.doublings import (
    JUDGE,
    JUDGINGS,
    PAIRING,
    PARTNER,
    REPEAT,
    SCENARIO,
    SEAT,
    TASK,
    Costs,
    Doubling,
    best_of,
    costs_of,
    steps_of,
)
from sociolab.analysis.panel import method_notes
from sociolab.analysis.values import RunValues, Value, chosen_measure, main_judges, run_values
from sociolab.core.errors import ConfigError, did_you_mean
from sociolab.core.metrics import UNDECLARED, Declared
from sociolab.core.score import (
    RULE_BASED,
    JudgeId,
    Measure,
    foremost,
    judge_called,
    measure_called,
)
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Count, Finding, FindingTable, Sentence
from sociolab.report.section import Section
from sociolab.report.words import listed
from sociolab.stats.crossed import LEAST_RATERS
from sociolab.stats.intervals import t_critical
from sociolab.stats.variance import Component, Components, LeveledScore, components
from sociolab.store.store import Store

SAY = Catalogue("variance")

SETTING = (SCENARIO, TASK, SEAT, PARTNER)
"""What a setting is: its repeats differ by chance alone."""

FEW_LEVELS = 10
"""A component of fewer levels may be off by half of itself or more."""

_HARDLY = 0.05
"""A standard error that shrinks by less than this part of itself hardly shrinks."""

_TIMES = (1, 2, 4)
"""How many times the scenarios, or the raters, a plan has."""


@dataclass(frozen=True, slots=True)
class AgentVariance:
    """The components of one agent's scores, and steps to a smaller standard error of its mean.

    `judged_once`: each play has one judging, so that the residual holds its repeats' chance too.
    `played_once`: no setting was repeated, so that what a partner does in one task only is
    in there as well. `best`: the step that buys most, by dollar where costs are known, else among
    those that take more plays; None where none helps.
    """

    agent: str
    mean: float
    components: Components
    steps: tuple[Doubling, ...]
    judged_once: bool
    played_once: bool
    best: Doubling | None

    @property
    def error(self) -> float | None:
        """The standard error of the mean, for scenarios, partners and judges at large."""
        return self.components.advice.error

    @property
    def parts(self) -> tuple[Component, ...]:
        """All components, the residual last."""
        return (*self.components.factors, self.components.residual)

    @property
    def plays(self) -> int:
        """How many more plays it takes to double what takes new ones."""
        return max((step.plays for step in self.steps), default=0)


@dataclass(frozen=True, slots=True)
class Variances:
    """What varies in the scores of every agent of some runs. `ids`: the judges themselves, by
    label. `left_out`: agents with fewer than two scores. `raters`: how many people scored."""

    world: str
    runs: tuple[str, ...]
    judges: tuple[str, ...]
    ids: Mapping[str, JudgeId]
    measure: Measure
    costs: Costs | None
    agents: tuple[AgentVariance, ...]
    left_out: tuple[str, ...]
    untold: int = 0
    declared: Declared = UNDECLARED
    raters: int = 0

    @property
    def by_people(self) -> bool:
        """Whether people scored, so that a judge is a rater and a judging a rating."""
        return all(judge.method == "people" for judge in self.ids.values())

    @property
    def judging(self) -> str:
        """What a judging is called."""
        return "rating" if self.by_people else "judging"

    @property
    def task(self) -> str:
        """What a task is called in this world, which may call its clusters tasks."""
        return "case" if self.declared.cluster == "task" else "task"

    def noun(self, factor: str) -> str:
        """What a factor is called here: a cluster may be a scenario, session or task."""
        names: dict[str, str] = {SCENARIO: self.declared.cluster, TASK: self.task}
        if factor == PAIRING:
            return SAY("pairing", task=self.task)
        if self.by_people:
            once = all(agent.played_once for agent in self.agents)
            names |= {JUDGE: "rater", REPEAT: "episode" if once else REPEAT}
        return names.get(factor, factor)

    def levels(self, factor: str) -> str:
        """What there are more of where a factor is doubled."""
        if factor == TASK:
            return SAY("tasks_in_each", tasks=_plural(self.task), cluster=self.noun(SCENARIO))
        return SAY("judgings_of_each") if factor == JUDGINGS else _plural(self.noun(factor))


def _plural(noun: str) -> str:
    return Count(noun, 2).column


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
    values = [names.values(run) for run in run_values(store, runs)]
    costs = costs_of(store, [run.run for run in values], per_play, per_judging)
    return variances(values, judges, measure, costs)


def variances(
    runs: Sequence[RunValues],
    judges: Sequence[str] | None,
    measure: str | None,
    costs: Costs | None = None,
) -> Variances:
    """The components of each agent's scores over all its plays in these runs.

    `judges` None: all models and people that gave the measure a value, or all judges where there
    are none. ConfigError for runs of several worlds, a judge or measure that is not there, and
    where no agent has two scores.
    """
    if len({run.world for run in runs}) > 1:
        worlds = ", ".join(f"{run.run} ({run.world})" for run in runs)
        raise ConfigError(f"expected runs of one world, found {worlds}")
    if measure is not None:
        measure = measure_called(measure, [one for run in runs for one in run.measures.values()])
    named = _judges(runs, judges, measure)
    chosen = chosen_measure([run for run in runs if named[0] in run.judges], named[0], measure)
    plays: dict[str, list[tuple[RunValues, Value]]] = {}
    for run in runs:
        for value in run.values:
            if value.judge in named and value.measure == chosen.name and value.agent is not None:
                plays.setdefault(value.agent, []).append((run, value))
    values = [value for agent in plays.values() for _, value in agent]
    gave = {value.judge for value in values}
    used = tuple(name for name in named if name in gave)
    varying = {agent: _varying(agent, plays[agent], costs) for agent in sorted(plays)}
    if not any(varying.values()):
        raise ConfigError(f"no agent has two scores in {chosen.name}; nothing can vary")
    return Variances(
        runs[0].world,
        tuple(run.run for run in runs),
        used,
        {name: run.judges[name] for run in runs for name in used if name in run.judges},
        chosen,
        costs,
        tuple(agent for agent in varying.values() if agent is not None),
        tuple(name for name, agent in varying.items() if agent is None),
        sum(
            value.judge in used and value.measure == chosen.name
            for run in runs
            for value in run.untold
        ),
        runs[0].declared,
        len({(value.judge, rater) for value in values for rater, _ in value.given}),
    )


def variance_document(result: Variances) -> dict[str, Any]:
    """The components as a JSON object: see docs/ranking.md."""
    return {
        "schema": 1,
        "world": result.world,
        "runs": list(result.runs),
        "judges": list(result.judges),
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
            for agent in result.agents
        ],
        "left_out": list(result.left_out),
    }


def _judges(
    runs: Sequence[RunValues], wanted: Sequence[str] | None, measure: str | None
) -> tuple[str, ...]:
    """The judges that are wanted, or all of the kind that counts most."""
    known = {label: judge for run in runs for label, judge in run.judges.items()}
    if wanted:
        return tuple(dict.fromkeys(judge_called(one, known, "these runs") for one in wanted))
    if measure is None:
        scored_any = {v.judge for run in runs for v in run.values if v.value is not None}
        gave = set(main_judges(runs, sorted(scored_any)))
    else:
        gave = {
            v.judge
            for run in runs
            for v in run.values
            if v.measure == measure and v.value is not None
        }
    scored = {label: judge for label, judge in known.items() if label in gave}
    found = foremost(scored, with_people=True)
    if not found:
        raise ConfigError(_no_value(runs, measure))
    asked = [label for label in found if known[label].method not in RULE_BASED]
    return tuple(asked) or found


def _varying(
    agent: str, values: Sequence[tuple[RunValues, Value]], costs: Costs | None
) -> AgentVariance | None:
    rows = [row for run, value in values for row in _rows(run, value)]
    present = [row for row in rows if row.value is not None]
    if len(present) < 2:
        return None
    plays = Counter(_level(row, *SETTING, REPEAT) for row in present)
    settings = Counter(play[:-1] for play in plays)
    judged_once = max(plays.values()) == 1
    played_once = max(settings.values()) == 1
    factors = _factors(present, judged_once=judged_once, played_once=played_once)
    within = {
        TASK: (SCENARIO,),
        SEAT: (SCENARIO, TASK),
        PAIRING: SETTING,
        REPEAT: SETTING,
    }
    parts = components(rows, factors, within=within)
    judgings = Counter((_level(row, *SETTING, REPEAT, JUDGE)) for row in present)
    again = max(judgings.values()) > 1 and len({row.levels[JUDGE] for row in present}) == 1
    steps = steps_of(parts, len(plays), costs, judged_once=judged_once, again=again)
    mean = math.fsum(row.value for row in present if row.value is not None) / len(present)
    best = best_of(parts.advice.error, steps)
    return AgentVariance(agent, mean, parts, steps, judged_once, played_once, best)


def _rows(run: RunValues, value: Value) -> list[LeveledScore]:
    judge = run.judges[value.judge]
    levels = {
        SCENARIO: value.cluster,
        TASK: value.task,
        SEAT: value.seat,
        PARTNER: value.partner,
        PAIRING: 0,
        REPEAT: (value.run, value.repeat),
        JUDGE: judge,
    }
    if value.given and value.value is not None:
        return [
            LeveledScore(score, {**levels, JUDGE: (judge, rater)}) for rater, score in value.given
        ]
    # Where one judging of several failed, the others stand for the play.
    scores = value.judgings if value.value is not None else (None,)
    return [LeveledScore(score, levels) for score in scores]


def _factors(rows: Sequence[LeveledScore], *, judged_once: bool, played_once: bool) -> list[str]:
    """What the design can hold apart: a factor that says the same as another is left out."""
    scenarios, tasks, seats = (
        len({_level(row, *SETTING[:depth]) for row in rows}) for depth in (1, 2, 3)
    )
    partners = len({row.levels[PARTNER] for row in rows})
    found = [SCENARIO]
    found += [TASK] if tasks > scenarios else []
    found += [SEAT] if seats > tasks else []
    found += [PARTNER]
    found += [PAIRING] if not played_once and partners > 1 and seats > 1 else []
    found += [] if judged_once else [REPEAT]
    return [*found, JUDGE]


def _no_value(runs: Sequence[RunValues], measure: str | None) -> str:
    """That nobody scored anything, or not this measure, and which were scored."""
    if measure is None:
        return "no judge gave these runs a value"
    gave = {v.measure for run in runs for v in run.values if v.value is not None}
    known = dict.fromkeys(name for run in runs for name in run.measures if name in gave)
    return (
        f"--metric: no judge gave these runs a value in {measure}{did_you_mean(measure, known)}; "
        f"metrics with values: {', '.join(known) or 'none'}"
    )


def _level(row: LeveledScore, *names: str) -> tuple[object, ...]:
    levels: Mapping[str, object] = row.levels
    return tuple(levels[name] for name in names)


# ------------------------------------------------------------------ what it concludes


def component_findings(result: Variances) -> tuple[Finding, ...]:
    """A finding for each component of each agent, and for those together that the design cannot
    separate: sd and share, and what doubling its levels would do."""
    return tuple(finding for agent in result.agents for finding in _components(result, agent))


def _components(result: Variances, agent: AgentVariance) -> Iterator[Finding]:
    steps = {step.factor: step for step in agent.steps}
    last = steps.get(REPEAT if agent.judged_once else JUDGINGS)
    for part in agent.parts:
        step = last if part.factor == "residual" else steps.get(part.factor)
        yield Finding(
            result.measure,
            {"agent": agent.agent, "component": _component(result, agent, part)},
            counts=(Count("level", part.levels),),
            more={
                "sd": None if part.variance is None else math.sqrt(part.variance),
                "share": part.share,
                **_doubled(agent, step),
            },
        )
    if (share := _joint_share(agent)) is not None:
        together = SAY("together", components=_mixed(result, agent))
        about = {"agent": agent.agent, "component": together}
        yield Finding(result.measure, about, more={"share": share})


def _doubled(agent: AgentVariance, step: Doubling | None) -> dict[str, float | None]:
    """The standard error after a step, its cost, and what a dollar buys there beside the best."""
    if step is None or step.error is None:
        return {}
    best, error, worth = agent.best, agent.error, None
    if best and best.cost and best.error is not None and step.cost and error is not None:
        worth = (error - step.error) / step.cost / ((error - best.error) / best.cost)
    return {"error": step.error, "cost": step.cost, "worth": worth}


def _joint_share(agent: AgentVariance) -> float | None:
    """The share of the components that the design cannot separate; None where there are none, or
    where the total is not known."""
    varied = [part for part in agent.parts if part.levels > 1]
    separate = [part for part in varied if part.variance is not None]
    shares = [part.share for part in separate if part.share is not None]
    if len(separate) == len(varied) or len(shares) < len(separate):
        return None
    return 1 - math.fsum(shares)


def _component(result: Variances, agent: AgentVariance, part: Component) -> str:
    if part.factor == "residual":
        return listed(_rest(result, agent))
    return result.noun(part.factor)


def _mixed(result: Variances, agent: AgentVariance) -> list[str]:
    """The components that the design cannot tell from each other."""
    lost = [part.factor for part in agent.parts if part.variance is None and part.levels > 1]
    names = [result.noun(factor) for factor in lost if factor != "residual"]
    return names + (_rest(result, agent) if "residual" in lost else [])


def _rest(result: Variances, agent: AgentVariance) -> list[str]:
    """What the residual holds."""
    rest = [result.judging, SAY("rest")]
    return ["episode" if agent.played_once else REPEAT, *rest] if agent.judged_once else rest


def plan_findings(result: Variances) -> tuple[Finding, ...]:
    """How wide the interval of an agent's mean would be with more scenarios and more raters: half
    its width, by how many times the raters."""
    return tuple(
        finding for agent in result.agents if result.by_people for finding in _plans(result, agent)
    )


def _plans(result: Variances, agent: AgentVariance) -> Iterator[Finding]:
    levels = {part.factor: part.levels for part in agent.parts}
    if levels[JUDGE] < LEAST_RATERS or levels[SCENARIO] < LEAST_RATERS:
        return
    for more in _TIMES:
        halves: dict[str, float | None] = {}
        for times in _TIMES:
            units = min(more * levels[SCENARIO], times * levels[JUDGE])
            error = agent.components.error_with({SCENARIO: more, "residual": more, JUDGE: times})
            halves[f"raters_{times}"] = None if error is None else t_critical(units - 1) * error
        scenarios = Count(result.noun(SCENARIO), more * levels[SCENARIO])
        episodes = Count("episode", more * agent.plays)
        yield Finding(
            result.measure, {"agent": agent.agent}, counts=(scenarios, episodes), more=halves
        )


def variance_section(result: Variances) -> Section:
    """All agents' components to print, or as a part of a page."""
    findings, plans = component_findings(result), plan_findings(result)
    clusters = _plural(result.noun(SCENARIO))
    tables = [_table(result, agent, findings) for agent in result.agents]
    if plans:
        tables.insert(0, SAY.table("plans", plans, clusters=clusters))
    return Section(
        SAY("title", metric=result.measure, judges=result.judges),
        tuple(sentence for agent in result.agents for sentence in _verdicts(result, agent)),
        tuple(_cautions(result)),
        tuple(tables),
    )


def _table(result: Variances, agent: AgentVariance, findings: Sequence[Finding]) -> FindingTable:
    """Each component of an agent, and what doubling its levels would do."""
    costs = result.costs
    priced: tuple[str, ...] = ()
    if costs is not None:
        priced = ("estimated_cost" if costs.estimated else "cost", "worth")
    return SAY.table(
        "components",
        [finding for finding in findings if finding.about["agent"] == agent.agent],
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
        episodes=Count("more episode", agent.plays),
        judgings=Count(f"more {result.judging}", agent.components.n),
        judges=_plural(result.noun(JUDGE)),
        judged=_plural(result.judging),
    )
    if result.costs is not None:
        yield SAY(
            "costs",
            play=_price(result.costs, result.costs.play),
            judging=_price(result.costs, result.costs.judging),
        )


def _price(costs: Costs, usd: float) -> Sentence:
    return SAY("estimated_price" if costs.estimated else "price", usd=usd)


# ------------------------------------------------------------------ sentences


def _verdicts(result: Variances, agent: AgentVariance) -> Iterator[Sentence]:
    mean, over = agent.mean, Count(result.judging, agent.components.n)
    if agent.error is None:
        yield SAY("no_error", agent=agent.agent, metric=result.measure, mean=mean, over=over)
        return
    large = [
        _plural(result.noun(part.factor))
        for part in agent.components.factors
        if part.levels > 1 and part.factor in (SCENARIO, PARTNER, JUDGE)
    ]
    fixed = [result.noun(factor) for factor in agent.components.advice.fixed]
    yield SAY(
        "mean",
        agent=agent.agent,
        metric=result.measure,
        mean=mean,
        over=over,
        error=agent.error,
        at_large=SAY("at_large", levels=large) if large else "",
        fixed=SAY("fixed", nouns=fixed) if fixed else "",
    )
    if agent.error:
        yield _doubling(result, agent, agent.error)
        yield _advice(result, agent, agent.error)


def _doubling(result: Variances, agent: AgentVariance, error: float) -> Sentence:
    """Of which doublings the standard error would shrink, the most first, and of which not."""
    raters = _more_raters(result, agent)  # `_advice` has them
    steps = [(s.error, s) for s in agent.steps if s.error is not None and s is not raters]
    steps.sort(key=lambda pair: pair[0])
    helpful: list[Sentence] = []
    idle: list[Sentence] = []
    for then, step in steps:
        levels = result.levels(step.factor)
        if error - then < _HARDLY * error:
            idle.append(SAY("the", levels=levels))
        elif not helpful:
            helpful.append(SAY("first_step", levels=levels, metric=result.measure, error=then))
        else:
            helpful.append(SAY("next_step", levels=levels, metric=result.measure, error=then))
    if helpful and idle:
        return SAY("helpful_and_idle", steps=helpful, idle=idle)
    if helpful:
        return SAY("helpful", steps=helpful)
    return SAY("idle", idle=idle) if idle else SAY("doubling_unknown")


def _more_raters(result: Variances, agent: AgentVariance) -> Doubling | None:
    """Twice the raters, where that is weighed against new episodes without their costs."""
    if not result.by_people or result.costs is not None or agent.best is None:
        return None
    return next((step for step in agent.steps if step.factor == JUDGE and step.error), None)


def _advice(result: Variances, agent: AgentVariance, error: float) -> Sentence:
    best = agent.best
    if best is None or best.error is None:
        return SAY("no_doubling")
    raters = _more_raters(result, agent)
    if raters is not None and raters.error is not None:
        return SAY(
            "raters_or_episodes",
            episodes=_new_episodes(result, best.factor),
            more=SAY("more" if raters.error < best.error else "less"),
            metric=result.measure,
            error=raters.error,
        )
    levels = result.levels(best.factor)
    if result.costs is None or not best.cost:
        return SAY("adding", levels=levels)
    return SAY(
        "next_dollar",
        levels=levels,
        cost=_price(result.costs, best.cost),
        metric=result.measure,
        reduction=error - best.error,
    )


def _new_episodes(result: Variances, factor: str) -> Sentence:
    clusters = _plural(result.noun(SCENARIO))
    if factor == SCENARIO:
        return SAY("in_new_clusters", clusters=clusters)
    if factor == TASK:
        return SAY("in_new_tasks", tasks=_plural(result.task), clusters=clusters)
    return SAY("with_new_partners") if factor == PARTNER else SAY("repeating")


# ------------------------------------------------------------------ cautions


def _cautions(result: Variances) -> Iterator[Sentence]:
    agents, costs = result.agents, result.costs
    if result.raters == 1 and not result.by_people:
        yield SAY("one_rater")
    elif result.raters and not result.by_people:
        yield SAY("each_rater", n=result.raters)
    if result.untold:
        judgings = Count("judging", result.untold)
        yield SAY("cannot_tell", judgings=judgings, metric=result.measure)
    for agent in agents:
        if result.declared.agents.get(agent.agent) == "rules":
            what = result.declared.scripted or SAY("rule_based")
            yield SAY("baseline", agent=agent.agent, what=what)
    yield from method_notes(result.declared, result.ids)
    yield from _unknown(result)
    if costs is None:
        yield SAY("no_costs")
    elif costs.estimated:
        yield SAY("estimated_costs")
    if any(part.factor == PARTNER and part.levels > 1 for a in agents for part in a.parts):
        yield SAY("partners_at_random")
    yield from _few_levels(result)
    if any(agent.played_once for agent in agents):
        yield SAY("played_once")
    read = any(judge.method not in RULE_BASED for judge in result.ids.values())
    if read and any(agent.judged_once for agent in agents):
        yield SAY("rated_once" if result.by_people else "judged_once")
    cut = [
        SAY("component_of", component=result.noun(part.factor), agent=agent.agent)
        for agent in agents
        for part in agent.components.factors
        if part.note.startswith("estimated below 0")
    ]
    if cut:
        yield SAY("negative", components=list(dict.fromkeys(cut)))
    missing = sum(agent.components.missing for agent in agents)
    if missing:
        yield SAY("missing", episodes=Count("episode", missing))
    if result.left_out:
        yield SAY("left_out", agents=result.left_out)


def _unknown(result: Variances) -> Iterator[Sentence]:
    """What the design cannot tell, and of whom."""
    agents_by_gap: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for agent in result.agents:
        single = [
            SAY("one", noun=_component(result, agent, part))
            for part in agent.parts
            if part.variance is None and part.levels == 1
        ]
        for gap, names in (("only_one", single), ("inseparable", _mixed(result, agent))):
            if names:
                agents_by_gap.setdefault((gap, tuple(names)), []).append(agent.agent)
    for (gap, names), agents in agents_by_gap.items():
        all_alike = len(agents) == len(result.agents)
        of = "" if all_alike else SAY("of_agents", agents=agents)
        yield SAY(gap, components=names, of=of)


def _few_levels(result: Variances) -> Iterator[Sentence]:
    agents_by_component: dict[tuple[str, int], list[str]] = {}
    for agent in result.agents:
        for part in agent.components.factors:
            if 1 < part.levels < FEW_LEVELS:
                key = (result.noun(part.factor), part.levels)
                agents_by_component.setdefault(key, []).append(agent.agent)
    few = [
        SAY("few", component=component, levels=levels, agents=agents)
        for (component, levels), agents in agents_by_component.items()
    ]
    if few:
        yield SAY("few_levels", components=few, fewest=FEW_LEVELS)
