"""Hard tasks as figures: what each agent may reach on each, whom it met there, how scores spread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sociolab.analysis.figures import figure, title_of
from sociolab.analysis.hard import Hard
from sociolab.analysis.pooled_runs import Pool
from sociolab.report.charts import LABEL, STEP, WIDTH, histograms, interval_layers, labels
from sociolab.report.result import PlayValue, ScoreDistribution
from sociolab.report.schema import MeasureEntry
from sociolab.report.score_tables import PALEST, STRONGEST
from sociolab.report.section import Chart, Figure
from sociolab.report.words import minus, plural
from sociolab.stats.difficulty import Difficulty

_HARD, _OTHER = "these tasks", "the other tasks"


def hard_figures(found: Hard, details: Sequence[Pool]) -> Iterator[Figure]:
    """All figures; `details` are the pools whose matrix of agents and partners is drawn."""
    yield _reaches(found)
    for pool in details:
        yield from _met(found, pool)
    if found.others():
        yield _difficulties(found)
        for agent in found.agents:
            yield _scores(found, agent)


def _reaches(found: Hard) -> Figure:
    """What each agent may reach on each task. Ids of tasks are long: they stand above their rows,
    whole."""
    measure = found.pool.measure
    headings = [
        f"{place}. {task.task} (difficulty {figure(task.gap, measure)})"
        for place, task in enumerate(found.chosen, start=1)
    ]
    rows = [
        {
            "task": heading,
            "who": reach.model,
            "value": reach.mean,
            "low": reach.low,
            "high": reach.high,
            "beside": f"{figure(reach.mean, measure)} ({reach.n:,})",
        }
        for heading, task in zip(headings, found.chosen, strict=True)
        for reach in task.models
    ]
    header = {"labelOrient": "top", "labelAnchor": "start", "labelAlign": "left", "labelLimit": 0}
    spec = {
        "data": {"values": rows},
        "facet": {"row": {"field": "task", "title": None, "sort": headings, "header": header}},
        "spacing": 8,
        "spec": {
            "width": WIDTH,
            "height": {"step": STEP},
            "encoding": {"y": labels("who", found.agents)},
            "layer": interval_layers("value", measure.low, measure.high),
        },
    }
    title = f"{found.pool.title} on the hardest tasks for {found.found.target}"
    told = "; ".join(_told(found, task) for task in found.chosen)
    caption = (
        f"{title}, task by task: mean of each agent (dot), and 3 sd to both sides as far as the "
        "scale goes (line)."
    )
    return Figure(caption, Chart(title, told, spec))


def _told(found: Hard, task: Difficulty) -> str:
    measure = found.pool.measure
    return f"{task.task}: difficulty {figure(task.gap, measure)}, " + ", ".join(
        f"{one.model} {figure(one.mean, measure)} "
        f"({figure(one.low, measure)} to {figure(one.high, measure)})"
        for one in task.models
    )


def _met(found: Hard, pool: Pool) -> Iterator[Figure]:
    """A heat map of means, agent by partner (Figure F.5); none of a single cell."""
    cells = pair_means(found, pool)
    if len(cells) < 2:
        return
    values = [mean for mean, _ in cells.values()]
    ends = min(values), max(values)
    rows = [
        {
            "agent": agent,
            "partner": partner,
            "mean": mean,
            "beside": f"{figure(mean, pool.measure)}\nn {n:,}",
        }
        for (agent, partner), (mean, n) in cells.items()
    ]
    partners = labels("partner", sorted({partner for _, partner in cells}))
    across = {"orient": "top", "labelAngle": -30, "labelLimit": 160, "labelExpr": LABEL}
    spec = {
        "data": {"values": rows},
        "width": {"step": 74},
        "height": {"step": 34},
        "encoding": {
            "x": partners | {"axis": across},
            "y": labels("agent", [a for a in found.agents if any(a == b for b, _ in cells)]),
        },
        "layer": [
            {
                "mark": "rect",
                "encoding": {
                    "fillOpacity": {
                        "field": "mean",
                        "type": "quantitative",
                        "scale": {"domain": list(ends), "range": [PALEST, STRONGEST]},
                        "legend": None,
                    }
                },
            },
            {
                "mark": {"type": "text", "lineBreak": "\n", "dy": -5},
                "encoding": {"text": {"field": "beside"}},
            },
        ],
    }
    title = f"{title_of(pool.measure)} on these tasks: agent (row) with partner (column)"
    told = "; ".join(
        f"{a} with {b} {figure(mean, pool.measure)}, {plural(n, 'play')}"
        for (a, b), (mean, n) in cells.items()
    )
    caption = (
        f"{title}: mean over plays, and their number; the darker the higher, from "
        f"{figure(ends[0], pool.measure)} to {figure(ends[1], pool.measure)}."
    )
    yield Figure(caption, Chart(title, told, spec))


def pair_means(found: Hard, pool: Pool) -> dict[tuple[str, str], tuple[float, int]]:
    """The mean and number of an agent's plays with a partner on the hardest tasks."""
    values: dict[tuple[str, str], list[float]] = {}
    for value in pool.values:
        if value.agent and value.partner and value.task in found.ids and value.value is not None:
            values.setdefault((value.agent, value.partner), []).append(value.value)
    return {
        pair: (sum(some) / len(some), len(some))
        for pair, some in values.items()
        if pair[0] in found.agents
    }


def _difficulties(found: Hard) -> Figure:
    """The difficulties of the tasks chosen and of the others. This and what follows
    are ours."""
    measure, target = found.pool.measure, found.found.target
    title = f"Difficulties for {target} of the tasks chosen, and of the others"
    gaps = {
        _HARD: [task.gap for task in found.chosen],
        _OTHER: [task.gap for task in found.found.tasks[found.most :]],
    }
    entry = MeasureEntry(
        measure="difficulty", title=title, low=0, high=measure.high - measure.low, whole=False
    )
    spreads = [
        ScoreDistribution(label, "", "", tuple(PlayValue(gap, "", None) for gap in some))
        for label, some in gaps.items()
    ]
    return Figure(f"{title}.", histograms(title, spreads, entry))


def _scores(found: Hard, agent: str) -> Figure:
    """The single plays of one agent on the tasks chosen and on the others."""
    measure = found.pool.measure
    title = f"{found.pool.title} of the plays of {agent}, on the tasks chosen and on the others"
    entry = MeasureEntry(
        measure=measure.name, title=title, low=measure.low, high=measure.high, whole=measure.whole
    )
    rows = [
        _spread(found, agent, label, tasks)
        for label, tasks in ((_HARD, frozenset(found.ids)), (_OTHER, found.others()))
    ]
    return Figure(minus(f"{title}."), histograms(title, rows, entry))


def _spread(found: Hard, agent: str, label: str, tasks: frozenset[str]) -> ScoreDistribution:
    mine = [v for v in found.pool.values if v.agent == agent and v.task in tasks]
    points = tuple(PlayValue(v.value, v.trial, v.seat) for v in mine if v.value is not None)
    missing = len(mine) - len(points)
    return ScoreDistribution(label, found.pool.judge, found.pool.measure.name, points, missing)
