"""What each agent's scores vary with, and where more play or judging would help."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sociolab.analysis.agent_names import agent_names
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
from sociolab.report.formatting import NOTHING, figure, title_of
from sociolab.report.section import Section, TextTable
from sociolab.report.words import about, listed, method_words, money, percent, plural
from sociolab.stats.crossed import LEAST_RATERS
from sociolab.stats.intervals import t_critical
from sociolab.stats.variance import Component, Components, LeveledScore, components
from sociolab.store.store import Store

SCENARIO, TASK, SEAT, PARTNER = "scenario", "task", "seat", "partner"
PAIRING, REPEAT, JUDGE = "pairing", "repeat", "judge"
JUDGINGS = "judgings"
"""More judgings of each play by the one judge there is."""

SETTING = (SCENARIO, TASK, SEAT, PARTNER)
"""What a setting is: its repeats differ by chance alone."""

GIVEN = (SEAT, PAIRING)
"""What nobody can have more of without more of something else."""

FEW_LEVELS = 10
"""A component of fewer levels may be off by half of itself or more."""

_HARDLY = 0.05
"""A standard error that shrinks by less than this part of itself hardly shrinks."""


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
    found: Components
    steps: tuple[Doubling, ...]
    judged_once: bool
    played_once: bool
    best: Doubling | None

    @property
    def error(self) -> float | None:
        """The standard error of the mean, for scenarios, partners and judges at large."""
        return self.found.advice.error

    @property
    def parts(self) -> tuple[Component, ...]:
        """All components, the residual last."""
        return (*self.found.factors, self.found.residual)


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
        told = ", ".join(f"{run.run} ({run.world})" for run in runs)
        raise ConfigError(f"expected runs of one world, found {told}")
    if measure is not None:
        known = [one for run in runs for one in run.measures.values()]
        measure = measure_called(measure, known)
    named = _judges(runs, judges, measure)
    chosen = chosen_measure([run for run in runs if named[0] in run.judges], named[0], measure)
    mine = [
        (run, value)
        for run in runs
        for value in run.values
        if value.judge in named and value.measure == chosen.name and value.agent is not None
    ]
    used = tuple(name for name in named if any(value.judge == name for _, value in mine))
    agents = sorted({str(value.agent) for _, value in mine})
    found = [
        _varying(name, [one for one in mine if one[1].agent == name], costs) for name in agents
    ]
    if not any(found):
        raise ConfigError(f"no agent has two scores in {chosen.name}; nothing can vary")
    return Variances(
        runs[0].world,
        tuple(run.run for run in runs),
        used,
        {name: run.judges[name] for run in runs for name in used if name in run.judges},
        chosen,
        costs,
        tuple(one for one in found if one is not None),
        tuple(name for name, one in zip(agents, found, strict=True) if one is None),
        sum(
            value.judge in used and value.measure == chosen.name
            for run in runs
            for value in run.untold
        ),
        runs[0].declared,
        len({(value.judge, rater) for _, value in mine for rater, _ in value.given}),
    )


def variance_document(found: Variances) -> dict[str, Any]:
    """The components as a JSON object: see docs/ranking.md."""
    return {
        "schema": 1,
        "world": found.world,
        "runs": list(found.runs),
        "judges": list(found.judges),
        "measure": found.measure.name,
        "costs": None if found.costs is None else asdict(found.costs),
        "agents": [
            {
                "agent": one.agent,
                "mean": one.mean,
                "standard_error": one.error,
                "n": one.found.n,
                "missing": one.found.missing,
                "judged_once": one.judged_once,
                "played_once": one.played_once,
                "components": [asdict(part) for part in one.parts],
                "doublings": [asdict(step) for step in one.steps],
                "best": None if one.best is None else one.best.factor,
            }
            for one in found.agents
        ],
        "left_out": list(found.left_out),
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
    agent: str, mine: Sequence[tuple[RunValues, Value]], costs: Costs | None
) -> AgentVariance | None:
    rows = [row for run, value in mine for row in _rows(run, value)]
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
    found = components(rows, factors, within=within)
    judgings = Counter((_level(row, *SETTING, REPEAT, JUDGE)) for row in present)
    again = max(judgings.values()) > 1 and len({row.levels[JUDGE] for row in present}) == 1
    steps = steps_of(found, len(plays), costs, judged_once=judged_once, again=again)
    mean = math.fsum(row.value for row in present if row.value is not None) / len(present)
    best = best_of(found.advice.error, steps)
    return AgentVariance(agent, mean, found, steps, judged_once, played_once, best)


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
    values = [names.values(one) for one in run_values(store, runs)]
    costs = _costs(store, [run.run for run in values], per_play, per_judging)
    return variances(values, judges, measure, costs)


def _costs(
    store: Store, runs: Sequence[str], per_play: float | None, per_judging: float | None
) -> Costs | None:
    """None where neither is given and no call of the runs had a price.

    Of the runs: the calls of agents and partners by episode played, those of judges by judging.
    """
    played, judged, estimated = _spent(store, runs)
    play = played if per_play is None else per_play
    judging = judged if per_judging is None else per_judging
    if not play and not judging:
        return None
    given = per_play is not None and per_judging is not None
    return Costs(play or 0.0, judging or 0.0, estimated and not given)


def _spent(store: Store, runs: Sequence[str]) -> tuple[float | None, float | None, bool]:
    """Dollars by episode played and by model judging, None where no call had a price; and whether
    the tokens of some calls were estimated."""
    dollars: dict[str, float] = {}
    episodes = judgings = 0
    estimated = False
    for run in runs:
        for role, total in store.calls.totals(run).by_role.items():
            if total.usd is not None:
                dollars[role] = dollars.get(role, 0.0) + total.usd
                estimated = estimated or total.estimated
        episodes += store.run(run).played
        judgings += sum(
            counts.episodes
            for judge, counts in store.verdicts.counts(run).items()
            if judge.method == "model"
        )
    play = [dollars[role] for role in ("agent", "partner", "background") if role in dollars]
    return (
        sum(play) / episodes if play and episodes else None,
        dollars["judge"] / judgings if "judge" in dollars and judgings else None,
        estimated,
    )


@dataclass(frozen=True, slots=True)
class Costs:
    """What one episode costs to play, and one judging of it, in dollars; `estimated` where some
    calls that this is known from had no token count."""

    play: float
    judging: float
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class Doubling:
    """Twice as much of one factor: the standard error then, and what it takes and costs.

    `error` is None where the design cannot tell, `cost` where costs are not known.
    """

    factor: str
    error: float | None
    plays: int
    judgings: int
    cost: float | None


def steps_of(
    found: Components, plays: int, costs: Costs | None, *, judged_once: bool, again: bool
) -> tuple[Doubling, ...]:
    """The doublings of a design of so many plays, in the order of its factors.

    `judged_once`: each play has one judging, so that its repeats double the residual's levels.
    `again`: the one judge judged some plays several times, and could do so more often.
    """

    def step(factor: str, error: float | None, more: int) -> Doubling:
        cost = None if costs is None else more * costs.play + found.n * costs.judging
        return Doubling(factor, error, more, found.n, cost)

    steps = [
        step(factor, error, 0 if factor == JUDGE else plays)
        for factor, error in found.advice.doublings.items()
        if factor not in GIVEN
    ]
    halved = _with_half_the_residual(found)
    if judged_once:
        steps.insert(-1, step(REPEAT, halved, plays))
    if again:
        steps.append(step(JUDGINGS, halved, 0))
    return tuple(steps)


def _with_half_the_residual(found: Components) -> float | None:
    """The standard error where the residual's part is halved; the mean holds 1 / n of it."""
    error, residual = found.advice.error, found.residual.variance
    if error is None or residual is None:
        return None
    return math.sqrt(max(error**2 - residual / (2 * found.n), 0.0))


def best_of(error: float | None, steps: Sequence[Doubling]) -> Doubling | None:
    """The step that takes most off this standard error: by dollar where all costs are known, else
    among those that take more plays. None where none helps."""
    helpful = [
        step
        for step in steps
        if error is not None and step.error is not None and step.error < error
    ]
    if all(step.cost for step in steps):
        return max(
            helpful,
            key=lambda step: ((error or 0) - (step.error or 0)) / (step.cost or 1),
            default=None,
        )
    playing = [step for step in helpful if step.plays]
    return min(playing, key=lambda step: step.error or 0, default=None)


def variance_section(found: Variances) -> Section:
    """All agents' components to print, or as a part of a page."""
    return Section(
        title=f"Variance components of {title_of(found.measure)} "
        f"({'judge' if len(found.judges) == 1 else 'judges'}: {listed(found.judges)})",
        said=tuple(sentence for one in found.agents for sentence in _said(found, one)),
        cautions=tuple(_cautions(found)),
        tables=(*_plans(found), *(_table(found, one) for one in found.agents)),
    )


# ------------------------------------------------------------------ sentences


def _said(found: Variances, one: AgentVariance) -> Iterator[str]:
    measure, error = found.measure, one.error
    n = plural(one.found.n, "rating" if found.by_people else "judging")
    if error is None:
        yield (
            f"{one.agent}: mean {figure(one.mean, measure)} over {n}; this design cannot estimate "
            "its standard error."
        )
    else:
        yield (
            f"{one.agent}: mean {figure(one.mean, measure)} over {n}, standard error "
            f"{figure(error, measure)}{_at_large(found, one)}."
        )
    if error:
        yield _doubling(found, one, error)
        yield _advice(found, one)


def _doubling(found: Variances, one: AgentVariance, error: float) -> str:
    """Of which doublings the standard error would shrink, the most first, and of which not."""
    raters = _more_raters(found, one)  # `_advice` has them
    known = [(s.error, s) for s in one.steps if s.error is not None and s is not raters]
    known = sorted(known, key=lambda pair: pair[0])
    helpful = [(then, step) for then, step in known if error - then >= _HARDLY * error]
    idle = [
        _plural(found, step.factor) for pair in known if pair not in helpful for step in pair[1:]
    ]
    would = ["would reduce it ", *[""] * len(helpful)]
    told = [
        f"oubling {_plural(found, step.factor)} {more}to {figure(then, found.measure)}"
        for more, (then, step) in zip(would, helpful, strict=False)
    ]
    shrunk = f"D{', d'.join(told)}" if told else ""
    hardly = f"oubling {listed(idle)} would hardly change it" if idle else ""
    if shrunk and hardly:
        return f"{shrunk}; d{hardly}."
    return (
        f"{shrunk or 'D' + hardly}." if shrunk or hardly else "What doubling would do is not known."
    )


def _at_large(found: Variances, one: AgentVariance) -> str:
    """Of what the standard error speaks: of everything that has several levels."""
    large = [part for part in one.found.factors if part.levels > 1]
    names = [
        f"{_name(found, part.factor)}s"
        for part in large
        if part.factor in (SCENARIO, PARTNER, JUDGE)
    ]
    fixed = [_name(found, name) for name in one.found.advice.fixed]
    told = f" across {listed(names)} in general" if names else ""
    return told + (f", for this one {listed(fixed)}" if fixed else "")


def _more_raters(found: Variances, one: AgentVariance) -> Doubling | None:
    """Twice the raters, where that is weighed against new episodes without their costs."""
    if not found.by_people or found.costs is not None or one.best is None:
        return None
    return next((step for step in one.steps if step.factor == JUDGE and step.error), None)


def _advice(found: Variances, one: AgentVariance) -> str:
    if one.best is None:
        return "No doubling would reduce it."
    name = _plural(found, one.best.factor)
    raters = _more_raters(found, one)
    if raters is not None:
        cluster = _name(found, SCENARIO)
        new = {
            SCENARIO: f"in new {cluster}s",
            TASK: f"in new {_name(found, TASK)}s of the same {cluster}s",
            PARTNER: "with new partners",
        }.get(one.best.factor, "that repeat the same ones")
        more = "more" if (raters.error or 0) < (one.best.error or 0) else "less"
        return (
            f"Of new episodes, those {new} help most. More raters need no new episodes and help "
            f"{more} here: twice as many would lower the standard error to "
            f"{figure(raters.error, found.measure)}."
        )
    if found.costs is None or not one.best.cost:
        return f"For the same number of episodes, adding {name.removeprefix('the ')} helps most."
    error, then = one.error or 0.0, one.best.error or 0.0
    return (
        f"The next dollar is best spent on {name}: doubling them costs "
        f"{about(found.costs.estimated)}{money(one.best.cost)} and reduces the standard error by "
        f"{figure(error - then, found.measure)}."
    )


def _unknown(found: Variances) -> Iterator[str]:
    """What the design cannot tell, and of whom."""
    whose: dict[str, list[str]] = {}
    for one in found.agents:
        lost = [part for part in one.parts if part.variance is None]
        single = [_part(found, one, part) for part in lost if part.levels == 1]
        mixed = _mixed(found, one)
        if single:
            told = (
                f"There is only one {' and one '.join(single)}: the variance across others "
                "is not known"
            )
            whose.setdefault(told, []).append(one.agent)
        if mixed:
            told = f"This design cannot separate {listed(mixed)}"
            whose.setdefault(told, []).append(one.agent)
    for told, agents in whose.items():
        of = "" if len(agents) == len(found.agents) else f" ({listed(agents)})"
        yield f"{told}{of}."


def _mixed(found: Variances, one: AgentVariance) -> list[str]:
    """The components that the design cannot tell from each other."""
    lost = [part.factor for part in one.parts if part.variance is None and part.levels > 1]
    names = [_name(found, factor) for factor in lost if factor != "residual"]
    return names + (_rest(found, one) if "residual" in lost else [])


def _cautions(found: Variances) -> Iterator[str]:
    if found.raters and not found.by_people:
        each = "The one rater" if found.raters == 1 else f"Each of the {found.raters} raters"
        yield f"{each} counts as a judge; --judge takes the scores of one judge only."
    if found.untold:
        yield (
            f"{plural(found.untold, 'judging')} gave no score, since {title_of(found.measure)} "
            "could not be established there: their variance is not known."
        )
    for one in found.agents:
        if found.declared.agents.get(one.agent) == "rules":
            yield f"{one.agent} is a baseline ({found.declared.scripted or 'rule-based'})."
    for name, judge in found.ids.items():
        if judge.method in RULE_BASED or judge.code:
            yield f"Judge {name}: {method_words(found.declared, judge)}."
    yield from _unknown(found)
    if found.costs is None:
        yield (
            "Costs are not known, so episodes cannot be weighed against judgings: give "
            "--cost-per-play and --cost-per-judging."
        )
    elif found.costs.estimated:
        yield (
            "Some calls of these runs had no usable token count from the provider: costs (~) are "
            "estimated from the texts, rather too high than too low."
        )
    if any(part.factor == PARTNER and part.levels > 1 for o in found.agents for part in o.parts):
        yield (
            "These standard errors treat partners as a random sample. They exceed those behind the "
            "intervals of sociolab report, which treat the partners as fixed. If you care only "
            "about these partners, ignore the partner component."
        )
    parts = [(one, part) for one in found.agents for part in one.found.factors]
    few: dict[str, list[str]] = {}
    for one, part in parts:
        if 1 < part.levels < FEW_LEVELS:
            few.setdefault(f"{_name(found, part.factor)} ({part.levels})", []).append(one.agent)
    if few:
        told = "; ".join(f"{name} of {listed(agents)}" for name, agents in few.items())
        yield (
            f"Few levels: {told}. A component with fewer than {FEW_LEVELS} levels may "
            "be off by half or more, and the advice with it."
        )
    if any(one.played_once for one in found.agents):
        yield (
            "No setting (task, seat and partner) was repeated: chance variation cannot be "
            "separated from what a partner does in one task only, so more repeats would help at "
            "most as much as stated here. Run with --repeats 2."
        )
    read = any(judge.method not in RULE_BASED for judge in found.ids.values())
    if read and any(one.judged_once for one in found.agents):
        again = (
            "Have two people rate each"
            if found.by_people
            else "Judge again with sociolab judge RUN --judge SPEC --repeats 2"
        )
        judged, judgings = ("rated", "ratings") if found.by_people else ("judged", "judgings")
        yield (
            f"Each episode was {judged} once: variation between {judgings} is part of the "
            f"residual. {again}."
        )
    cut = {
        f"{_name(found, part.factor)} of {one.agent}": None
        for one, part in parts
        if part.note.startswith("estimated below 0")
    }
    if cut:
        yield f"Negative estimates set to zero (common for small components): {', '.join(cut)}."
    missing = sum(one.found.missing for one in found.agents)
    if missing:
        yield f"{plural(missing, 'episode')} without a score left out."
    if found.left_out:
        yield f"Fewer than two scores, and left out: {listed(found.left_out)}."


# ------------------------------------------------------------------ tables


_TIMES = (1, 2, 4)
"""How many times the scenarios, or the raters, a plan has."""


def _plans(found: Variances) -> Iterator[TextTable]:
    """How wide the interval of an agent's mean would be with more scenarios and more raters."""
    if not found.by_people:
        return
    rows = []
    for one in found.agents:
        levels = {part.factor: part.levels for part in one.parts}
        if levels[JUDGE] < LEAST_RATERS or levels[SCENARIO] < LEAST_RATERS:
            continue
        for more in _TIMES:
            halves = []
            for times in _TIMES:
                units = min(more * levels[SCENARIO], times * levels[JUDGE])
                error = one.found.error_with({SCENARIO: more, "residual": more, JUDGE: times})
                half = None if error is None else t_critical(units - 1) * error
                halves.append(figure(half, found.measure))
            plays = more * (one.steps[0].plays if one.steps else 0)
            rows.append((one.agent, f"{more * levels[SCENARIO]:,}", f"{plays:,}", *halves))
    if rows:
        name = f"{_name(found, SCENARIO)}s"
        yield TextTable(
            "How many episodes and raters: half the width of the 95 % interval",
            (
                "",
                name,
                "episodes",
                *(f"raters \N{MULTIPLICATION SIGN} {times}" for times in _TIMES),
            ),
            tuple(rows),
            (
                f"of an agent's mean over other {name} and other raters, each episode rated by as "
                "many people as now; twice the raters share the same ratings",
                "planned from the components below: as rough as these",
            ),
        )


def _table(found: Variances, one: AgentVariance) -> TextTable:
    """Each component, and what doubling its levels would do."""
    steps = {step.factor: step for step in one.steps}
    steps["residual"] = steps.get(
        REPEAT if one.judged_once else JUDGINGS, Doubling("", None, 0, 0, None)
    )
    rows = tuple(
        (
            _part(found, one, part),
            NOTHING if part.variance is None else figure(math.sqrt(part.variance), found.measure),
            NOTHING if part.share is None else percent(part.share),
            f"{part.levels:,}",
            *_doubled(found, one, steps.get(part.factor)),
        )
        for part in one.parts
    )
    if (joint := _joint_share(one)) is not None:
        told = (f"{listed(_mixed(found, one))}, together", NOTHING, percent(joint), NOTHING)
        rows += ((*told, *_doubled(found, one, None)),)
    heads = ("component", "sd", "share", "levels", "error if doubled")
    priced = ("cost", "per dollar") if found.costs is not None else ()
    error = figure(one.error, found.measure)
    heading = f"Components of {one.agent} \N{MIDDLE DOT} standard error {error}"
    return TextTable(heading, (*heads, *priced), rows, tuple(_notes(found, one)))


def _joint_share(one: AgentVariance) -> float | None:
    """The share of the components that the design cannot separate; None where there are none, or
    where the total is not known."""
    varied = [part for part in one.parts if part.levels > 1]
    told = [part for part in varied if part.variance is not None]
    shares = [part.share for part in told if part.share is not None]
    if len(told) == len(varied) or len(shares) < len(told):
        return None
    return 1 - math.fsum(shares)


def _notes(found: Variances, one: AgentVariance) -> Iterator[str]:
    yield "sd: standard deviation of this component, in points; share: of the total variance"
    if any(part.factor == PAIRING for part in one.parts):
        yield f"{_name(found, PAIRING)}: what a partner does in that task and seat only"
    plays = max((step.plays for step in one.steps), default=0)
    judges, scored = ("raters", "ratings") if found.by_people else ("judges", "judgings")
    yield (
        f"error if doubled: the standard error with twice as many levels, for {plays:,} more "
        f"episodes and {one.found.n:,} more {scored}; more {judges} or {scored} need no new "
        "episodes"
    )
    if found.costs is not None:
        mark = about(found.costs.estimated)
        yield (
            f"an episode costs {mark}{money(found.costs.play)}, a judging "
            f"{mark}{money(found.costs.judging)}; per dollar: reduction of the standard error per "
            "dollar, relative to the best"
        )


def _doubled(found: Variances, one: AgentVariance, step: Doubling | None) -> tuple[str, ...]:
    empty = (NOTHING, NOTHING) if found.costs is not None else ()
    if step is None or step.error is None:
        return (NOTHING, *empty)
    error = figure(step.error, found.measure)
    if found.costs is None:
        return (error,)
    mark = about(found.costs.estimated)
    cost = NOTHING if step.cost is None else f"{mark}{money(step.cost)}"
    return error, cost, _worth(one, step)


def _worth(one: AgentVariance, step: Doubling) -> str:
    """What a dollar buys here, against the best."""
    if one.best is None or one.error is None or step.error is None:
        return NOTHING
    if not step.cost or not one.best.cost or one.best.error is None:
        return NOTHING
    most = (one.error - one.best.error) / one.best.cost
    return percent((one.error - step.error) / step.cost / most)


def _name(found: Variances, factor: str) -> str:
    """What a factor is called in this world, where a cluster may be a scenario, session or task."""
    cluster = found.declared.cluster
    task = "case" if cluster == "task" else "task"
    names = {SCENARIO: cluster, TASK: task, PAIRING: f"partner in one {task}"}
    if found.by_people:
        once = all(one.played_once for one in found.agents)
        names |= {JUDGE: "rater", REPEAT: "episode" if once else REPEAT}
    return names.get(factor, factor)


def _plural(found: Variances, factor: str) -> str:
    names = {
        TASK: f"the {_name(found, TASK)}s in each {_name(found, SCENARIO)}",
        REPEAT: f"the {_name(found, REPEAT)}s",
        JUDGINGS: "the judgings of each episode",
    }
    return names.get(factor, f"the {_name(found, factor)}s")


def _part(found: Variances, one: AgentVariance, part: Component) -> str:
    return listed(_rest(found, one)) if part.factor == "residual" else _name(found, part.factor)


def _rest(found: Variances, one: AgentVariance) -> list[str]:
    """What the residual holds."""
    rest = ["rating" if found.by_people else "judging", "the rest"]
    return ["episode" if one.played_once else "repeat", *rest] if one.judged_once else rest
