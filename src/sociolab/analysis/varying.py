"""Where the variance of each agent's scores comes from."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sociolab.analysis.doublings import Costs, Step, best_of, steps_of
from sociolab.analysis.factors import JUDGE, PAIRING, PARTNER, REPEAT, SCENARIO, SEAT, SETTING, TASK
from sociolab.analysis.pooled import chosen_measure
from sociolab.analysis.values import RunValues, Value
from sociolab.core.errors import ConfigError
from sociolab.core.score import RULE_BASED, JudgeId, Measure, foremost, measure_called
from sociolab.stats.variance import Component, Components, Scored, components


@dataclass(frozen=True, slots=True)
class Varying:
    """The components of one agent's scores, and steps to a smaller standard error of its mean.

    `judged_once`: each play has one judging, so that the residual holds its repeats' chance too.
    `played_once`: no setting was repeated, so that what a partner does in one task only is
    in there as well. `best`: the step that buys most, by dollar where costs are known, else among
    those that take more plays; None where none helps.
    """

    agent: str
    mean: float
    found: Components
    steps: tuple[Step, ...]
    judged_once: bool
    played_once: bool
    best: Step | None

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
    label. `left_out`: agents with fewer than two scores."""

    world: str
    runs: tuple[str, ...]
    judges: tuple[str, ...]
    ids: Mapping[str, JudgeId]
    measure: Measure
    costs: Costs | None
    agents: tuple[Varying, ...]
    left_out: tuple[str, ...]
    untold: int = 0


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
    for name in wanted or ():
        if name not in known:
            told = ", ".join(known) or "none"
            raise ConfigError(f'--judge: "{name}" judged none of these runs; the judges: {told}')
    if wanted:
        return tuple(dict.fromkeys(wanted))
    gave = {v.judge for run in runs for v in run.values if v.value is not None}
    if measure is not None:
        gave = {
            v.judge
            for run in runs
            for v in run.values
            if v.measure == measure and v.value is not None
        }
    found = foremost({label: known[label].method for label in known if label in gave})
    if not found:
        raise ConfigError(_no_value(runs, measure))
    asked = [label for label in found if known[label].method not in RULE_BASED]
    return tuple(asked) or found


def _varying(
    agent: str, mine: Sequence[tuple[RunValues, Value]], costs: Costs | None
) -> Varying | None:
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
    return Varying(agent, mean, found, steps, judged_once, played_once, best)


def _rows(run: RunValues, value: Value) -> list[Scored]:
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
    # Where one judging of several failed, the others stand for the play.
    scores = value.judgings if value.value is not None else (None,)
    return [Scored(score, levels) for score in scores]


def _factors(rows: Sequence[Scored], *, judged_once: bool, played_once: bool) -> list[str]:
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
        f"--measure: no judge gave these runs a value in {measure}; measures with values: "
        f"{', '.join(known) or 'none'}"
    )


def _level(row: Scored, *names: str) -> tuple[object, ...]:
    levels: Mapping[str, object] = row.levels
    return tuple(levels[name] for name in names)
