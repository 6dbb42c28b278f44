"""`sociolab compare`: picks two agents of stored runs, checks that they can be compared."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sociolab.analysis.comparing import Compared, compared, comparison_document
from sociolab.analysis.comparison_section import comparison_section, failed_turns_told
from sociolab.analysis.consistency import (
    KS,
    Passing,
    consistency_section,
    passing,
    passing_document,
    passing_matched,
    thresholds,
)
from sociolab.analysis.figures import rounded
from sociolab.analysis.matching import Side
from sociolab.analysis.values import chosen_judge, unscored_hint, values_of
from sociolab.app.conclusions.comparable import (
    OpenedRun,
    cautions_of,
    check_judge,
    check_no_smoke,
    check_tasks,
    same_agent,
)
from sociolab.app.finding.agent_names import agent_names
from sociolab.app.finding.seat_names import label_like
from sociolab.core.errors import ConfigError
from sociolab.core.score import UNTOLD, Measure, measure_called
from sociolab.report.plays import asked_in
from sociolab.report.result import outline_of, turns_asked
from sociolab.report.schema import RunResult
from sociolab.report.section import Section
from sociolab.report.words import agent_kind, nature, plural
from sociolab.store.sqlite import Store

SCHEMA = 1


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to compare: one run or two, and of them which agents, judge, measures and k."""

    runs: tuple[str, ...]
    agent: str | None = None
    other: str | None = None
    judge: str | None = None
    measures: tuple[str, ...] = ()
    ks: tuple[int, ...] = KS
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class Conclusions:
    """What was found: a comparison (None for agents that are only looked at), and pass^k.

    `outlines` are the runs' results without scores, which a comparison has no use for.
    """

    outlines: tuple[RunResult, ...]
    comparison: Compared | None
    passing: tuple[Passing, ...]
    sections: tuple[Section, ...]

    def document(self) -> dict[str, Any]:
        """All of it as one JSON object: see docs/compare.md."""
        said = [sentence for section in self.sections for sentence in section.said]
        cautions = [sentence for section in self.sections for sentence in section.cautions]
        return {
            "schema": SCHEMA,
            "runs": [result.run for result in self.outlines],
            "world": self.outlines[0].world,
            "comparison": self.comparison and rounded(comparison_document(self.comparison)),
            "consistency": rounded([passing_document(one) for one in self.passing]),
            "said": said,
            "cautions": cautions,
        }


def compare_runs(store: Store, wanted: Wanted) -> Conclusions:
    """Compare two agents, or look at the consistency of one run's; ConfigError where it cannot
    be done: the world, tasks or judge differ, or an agent must be named."""
    if not 1 <= len(wanted.runs) <= 2:
        raise ConfigError(
            f"expected one or two runs to compare, found {len(wanted.runs)}; --curve follows "
            "several in the order given, `sociolab table` shows agents across worlds"
        )
    runs, judge = opened_runs(store, wanted)
    measures = measures_of(runs, wanted.measures)
    sides = _with_turns(store, _sides(runs, wanted))
    sections: list[Section] = []
    found = None
    if len(sides) == 2 and (len(runs) == 2 or wanted.other):
        a, b = _named(sides)
        check_tasks(runs)
        kinds = [judged_by(runs, judge), *_rules_players(runs, (a, b)), *same_agent(runs, a, b)]
        found = compared(
            runs[0].result.world, a, b, (judge, runs[0].values.judges[judge]), measures
        )
        names = agent_names(store, wanted.runs)
        cautions = (*names.notes, *cautions_of(runs, found))
        sections.append(comparison_section(found, " ".join(kinds), cautions))
    limits = thresholds(measures, wanted.threshold, named=bool(wanted.measures))
    if found is None:
        passed = passing(sides, limits, wanted.ks)
    else:
        passed = passing_matched(found, limits, wanted.ks)
    sections.append(consistency_section(passed, measures))
    if found is None:
        judged = f"{runs[0].result.run}: {judged_by(runs, judge)}"
        lost = tuple(failed_turns_told({side.name: side.asked for side in sides}))
        last = sections[-1]
        sections[-1] = replace(last, said=(judged, *last.said), cautions=(*last.cautions, *lost))
    outlines = tuple(run.result for run in runs)
    return Conclusions(outlines, found, tuple(passed), tuple(sections))


def opened_runs(store: Store, wanted: Wanted) -> tuple[tuple[OpenedRun, ...], str]:
    """The runs with the values of the one judge, and its label; ConfigError where a run is named
    twice, the worlds differ, or no judge is shared."""
    names = wanted.runs
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ConfigError(
            f"expected two runs, found {twice} twice; to compare two agents of one run, name "
            "the run once, and the agents by --agent and --with"
        )
    plans = [store.trials(name) for name in names]
    values = [values_of(store, name, plan) for name, plan in zip(names, plans, strict=True)]
    worlds = {one.world for one in values}
    if len(worlds) > 1:
        told = ", ".join(f"{one.run} of {one.world}" for one in values)
        raise ConfigError(f"only runs of one world can be compared, found {told}")
    judge = chosen_judge(values, wanted.judge, wanted.measures)
    codes = agent_names(store, names)
    runs = tuple(
        OpenedRun(
            codes.result(outline_of(store, name, plan)),
            codes.values(one.of(judge)),
            codes.trials(name, [row.trial for row in plan]),
            codes.shown.get(name, {}),
        )
        for name, one, plan in zip(names, values, plans, strict=True)
    )
    check_judge(runs, judge)
    check_no_smoke([run.result for run in runs])
    return runs, judge


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
            raise ConfigError(f'--measure: the judge has no values of "{name}"; it has {known}')
    return {name: told[name] for name in told if name in wanted} if wanted else told or found


def _sides(runs: Sequence[OpenedRun], wanted: Wanted) -> tuple[Side, ...]:
    """Two agents to compare, or of one run those to look at."""
    if len(runs) == 2:
        first = agent_of(runs[0], wanted.agent, "--agent")
        same = wanted.agent if _like(runs[1], wanted.agent, runs[1].agents) else None
        return runs[0].side(first), runs[1].side(agent_of(runs[1], wanted.other or same, "--with"))
    (run,) = runs
    if wanted.other is None:
        named = (wanted.agent,) if wanted.agent else run.agents
        return tuple(run.side(agent_of(run, agent, "--agent")) for agent in named)
    both = "to compare two agents of one run, name both: --agent A --with B"
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
    name = label_like(run.called(wanted) or wanted, sorted(known), flag)
    return name if name in known else None


def _with_turns(store: Store, sides: Sequence[Side]) -> tuple[Side, ...]:
    """The sides with the turns that their agents were asked for, and failed."""
    asked = {run: turns_asked(store, run) for run in dict.fromkeys(side.run for side in sides)}
    return tuple(
        replace(side, asked=asked_in(asked[side.run], {(v.trial, v.seat) for v in side.values}))
        for side in sides
    )


def _named(sides: Sequence[Side]) -> tuple[Side, Side]:
    """Sides whose names differ: an agent that is on both is named with its run."""
    a, b = sides
    if a.agent != b.agent:
        return a, b
    return tuple(replace(side, name=f"{side.agent} in {side.run}") for side in (a, b))  # type: ignore[return-value]


def judged_by(runs: Sequence[OpenedRun], judge: str) -> str:
    """What to think of the judge's figures, in sentences."""
    texts = dict.fromkeys(nature(run.result, judge) for run in runs)
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in texts)


def _rules_players(runs: Sequence[OpenedRun], sides: Sequence[Side]) -> Iterator[str]:
    rules = {
        side.agent for side in sides if agent_kind(runs[0].result, side.agent).startswith("rules")
    }
    if rules:
        plays = "plays" if len(rules) == 1 else "play"
        yield f"{' and '.join(sorted(rules))} {plays} by rules: no language model is compared."
