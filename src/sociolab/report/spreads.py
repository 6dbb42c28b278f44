"""How the values that judges gave spread over the plays of each agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from sociolab.report.columns import NotScored
from sociolab.report.distributions import Point, Spread
from sociolab.report.plays import plays_of, whole_plays_of
from sociolab.report.result import judged_of, said_by
from sociolab.report.schema import RunResult
from sociolab.report.scores import Said
from sociolab.store.sqlite import Store


def spreads_of(said: Iterable[Said]) -> tuple[Spread, ...]:
    """The values by judge, measure and agent; those of plays of no single agent are left out, and
    what a judge cannot tell."""
    points: dict[tuple[str, str, str], list[Point]] = {}
    missing: Counter[tuple[str, str, str]] = Counter()
    for one in said:
        judge, measure = one.column.label, one.column.measure.name
        for play, outcome in zip(one.plays, one.outcomes, strict=True):
            if play.agent is None or outcome is None or isinstance(outcome, NotScored):
                continue
            key = judge, measure, play.agent
            mine = points.setdefault(key, [])
            if outcome == "failed":
                missing[key] += 1
            else:
                mine.append(Point._make((outcome, *play.key)))  # half the time of a call
    return tuple(
        Spread(agent, judge, measure, tuple(some), missing[judge, measure, agent])
        for (judge, measure, agent), some in points.items()
    )


def read_spreads(store: Store, result: RunResult) -> tuple[Spread, ...]:
    """The spreads of a run whose `Figures` are not at hand: its judgings are read once more."""
    trials, columns = store.trials(result.run), judged_of(store, result.run).columns()
    return spreads_of(said_by(plays_of(trials), whole_plays_of(trials, result.partner), columns))
