"""The HTML page of some runs, with some of their transcripts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sociolab.analysis.values import RunValues, values_of
from sociolab.app.conclusions.neighbours import with_steps
from sociolab.app.crediting.credited import credited
from sociolab.app.finding.stored import world_of
from sociolab.report.distributions import Point, Spread
from sociolab.report.html import ShownRun, write_html
from sociolab.report.leaderboard import boards, boards_section
from sociolab.report.result import RunResult
from sociolab.report.section import Section
from sociolab.report.shown import evenly_chosen, shown_trials
from sociolab.report.transcript_links import extremes, leading
from sociolab.store.sqlite import Store

EPISODES = 6
"""How many transcripts of a run a page holds, chosen evenly from the plan."""
AGENTS = 4
"""Of how many agents the page also holds the lowest and the highest episode."""


def write_page(
    store: Store, results: Sequence[RunResult], path: Path, sections: Sequence[Section] = ()
) -> None:
    """Write the page: `sections`, which somebody asked for, then several runs side by side where
    they can be compared, then each run. ConfigError where the place cannot be written."""
    values = {result.run: values_of(store, result.run) for result in results}
    several = boards(results) if len(results) > 1 else ()
    ranked = with_steps(store, several, values.__getitem__)
    beside = (boards_section(ranked),) if len(results) > 1 else ()
    runs = [shown_run(store, result, values[result.run]) for result in results]
    write_html(path, runs, (*sections, *beside))


def shown_run(store: Store, result: RunResult, values: RunValues | None = None) -> ShownRun:
    """A run with the values of its plays (read, if they are not at hand), some episodes evenly
    chosen, and its extreme ones."""
    spreads = spreads_of(values_of(store, result.run) if values is None else values)
    picked = [
        *evenly_chosen(store, result.run, EPISODES),
        *(
            point.trial
            for extreme in extremes(leading(result, spreads))[:AGENTS]
            for point in (extreme.lowest, extreme.highest)
        ),
    ]
    in_plan = [trial for trial in store.trial_ids(result.run) if trial in picked]
    transcript = credited(store, result.run, world_of(result.world).transcript)
    return ShownRun(result, shown_trials(store, result.run, transcript, in_plan), spreads)


def spreads_of(values: RunValues) -> tuple[Spread, ...]:
    """The values by judge, measure and agent; those of no single agent are left out."""
    points: dict[tuple[str, str, str], list[Point]] = {}
    missing: dict[tuple[str, str, str], int] = {}
    for value in values.values:
        if value.agent is None:
            continue
        key = value.judge, value.measure, value.agent
        mine = points.setdefault(key, [])
        if value.value is None:
            missing[key] = missing.get(key, 0) + 1
        else:
            mine.append(Point(value.value, value.trial, value.seat))
    return tuple(
        Spread(agent, judge, measure, tuple(some), missing.get((judge, measure, agent), 0))
        for (judge, measure, agent), some in points.items()
    )
