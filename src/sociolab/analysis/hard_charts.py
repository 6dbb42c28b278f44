"""Hard tasks as figures: what each agent may reach on each, whom it met there, how scores spread.

Ids of tasks are long, and stand whole above their rows; agents are numbered, and the caption says
who is who, so that no label is cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup

from sociolab.analysis.figures import figure, title_of
from sociolab.analysis.hard import Hard
from sociolab.analysis.pooled import Pool
from sociolab.report.charts import FOOT, TOP, WIDTH, chart, tick
from sociolab.report.distributions import Point, Spread, histograms
from sociolab.report.heat import shade
from sociolab.report.schema import MeasureEntry
from sociolab.report.section import Figure
from sociolab.report.words import minus, plural
from sociolab.stats.difficulty import Difficulty, Reach

_LEFT, _RIGHT = 24, 62
_LINE, _ROW, _GAP = 15, 15, 9
_LONGEST = 62
"""Characters of an id that fit in one line."""

_CELL_HEIGHT, _CELL_WIDTH = 34, 74
_HARD, _OTHER = "these tasks", "the other tasks"


def hard_figures(found: Hard, details: Sequence[Pool]) -> Iterator[Figure]:
    """All figures; `details` are the pools whose matrix of agents and partners is drawn."""
    numbers = {name: i for i, name in enumerate(_names(found, details), start=1)}
    yield _reaches(found, numbers)
    for i, pool in enumerate(details):
        yield from _met(found, pool, numbers, f"hard-met-{i}")
    if found.others():
        yield _difficulties(found)
        for i, agent in enumerate(found.agents):
            yield _scores(found, agent, f"hard-scores-{i}")


def _names(found: Hard, details: Sequence[Pool]) -> list[str]:
    """The agents as the tables order them, then those that were only met."""
    met = {str(v.partner) for pool in details for v in pool.values if v.agent and v.partner}
    return [*found.agents, *sorted(met - {*found.agents})]


def _key(numbers: Mapping[str, int], names: Sequence[str]) -> str:
    return "; ".join(f"{numbers[name]}: {name}" for name in names)


# ------------------------------------------------------------------ reach by task and agent


def _reaches(found: Hard, numbers: Mapping[str, int]) -> Figure:
    measure = found.pool.measure
    parts: list[Markup] = []
    y = TOP
    for place, task in enumerate(found.chosen, start=1):
        for line in _lines(f"{place}. {task.task} (difficulty {figure(task.gap, measure)})"):
            y += _LINE
            parts.append(_text(0, y - 3, line))
        for reach in task.models:
            parts.append(_reach(found, reach, numbers[reach.model], y + _ROW // 2))
            y += _ROW
        y += _GAP
    height = y + FOOT
    ends = (measure.low, measure.high)
    grid = [_gridline(_x(found, end), height) + tick(_x(found, end), end, height) for end in ends]
    title = f"{found.pool.title} on the hardest tasks for {found.found.target}"
    told = "; ".join(_told(found, task) for task in found.chosen)
    caption = (
        f"{title}, task by task: mean of each agent (dot), and 3 sd to both sides as far as the "
        f"scale goes (line). {_key(numbers, found.agents)}."
    )
    return Figure(caption, chart("dots", "hard-tasks", title, told, height, [*grid, *parts]))


def _lines(text: str) -> list[str]:
    """The text in lines that fit, broken after a dot, dash or space."""
    lines = [""]
    for piece in _pieces(text):
        if lines[-1] and len(lines[-1]) + len(piece) > _LONGEST:
            lines.append("")
        lines[-1] += piece
    return lines


def _pieces(text: str) -> Iterator[str]:
    start = 0
    for i, letter in enumerate(text, start=1):
        if letter in ".- " or i - start == _LONGEST:
            yield text[start:i]
            start = i
    yield text[start:]


def _x(found: Hard, value: float) -> float:
    low, high = found.pool.measure.low, found.pool.measure.high
    return round(_LEFT + (value - low) / (high - low) * (WIDTH - _LEFT - _RIGHT), 1)


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "start") -> Markup:
    return Markup(
        '<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}">{text}</text>'
    ).format(kind=kind, x=x, y=y, anchor=anchor, text=text)


def _gridline(x: float, height: int) -> Markup:
    return Markup('<line class="grid" x1="{x}" y1="{top}" x2="{x}" y2="{end}"/>').format(
        x=x, top=TOP, end=height - FOOT
    )


def _reach(found: Hard, reach: Reach, number: int, y: int) -> Markup:
    line = Markup('<line class="ci" x1="{a}" y1="{y}" x2="{b}" y2="{y}"/>').format(
        a=_x(found, reach.low), b=_x(found, reach.high), y=y
    )
    dot = Markup('<circle class="dot" cx="{x}" cy="{y}" r="3.2"/>').format(
        x=_x(found, reach.mean), y=y
    )
    value = figure(reach.mean, found.pool.measure)
    return Markup("").join(
        [
            _text(_LEFT - 8, y + 4, str(number), "tick", "end"),
            line,
            dot,
            _text(WIDTH, y + 4, f"{value} ({reach.n:,})", "tick", "end"),
        ]
    )


def _told(found: Hard, task: Difficulty) -> str:
    measure = found.pool.measure
    return f"{task.task}: difficulty {figure(task.gap, measure)}, " + ", ".join(
        f"{one.model} {figure(one.mean, measure)} "
        f"({figure(one.low, measure)} to {figure(one.high, measure)})"
        for one in task.models
    )


# ------------------------------------------------------------------ agents and partners


def _met(found: Hard, pool: Pool, numbers: Mapping[str, int], key: str) -> Iterator[Figure]:
    """A heat map of means, agent by partner (Figure F.5); none of a single cell."""
    cells = pair_means(found, pool)
    agents = [name for name in found.agents if any(a == name for a, _ in cells)]
    partners = [name for name in numbers if any(b == name for _, b in cells)]
    if len(cells) < 2:
        return
    values = [mean for mean, _ in cells.values()]
    ends = min(values), max(values)
    heads = [
        _text(_cell_x(i) + _CELL_WIDTH / 2, TOP + 12, str(numbers[name]), "tick", "middle")
        for i, name in enumerate(partners)
    ]
    rows = [
        _heat_row(
            pool, cells, agent, partners, ends, str(numbers[agent]), TOP + 20 + _CELL_HEIGHT * i
        )
        for i, agent in enumerate(agents)
    ]
    title = f"{title_of(pool.measure)} on these tasks: agent (row) with partner (column)"
    told = "; ".join(
        f"{a} with {b} {figure(mean, pool.measure)}, {plural(n, 'play')}"
        for (a, b), (mean, n) in cells.items()
    )
    caption = (
        f"{title}: mean over plays, and their number; the darker the higher, from "
        f"{figure(ends[0], pool.measure)} to {figure(ends[1], pool.measure)}. "
        f"{_key(numbers, list(dict.fromkeys([*agents, *partners])))}."
    )
    height = TOP + 20 + _CELL_HEIGHT * len(agents) + 4
    yield Figure(caption, chart("heat", key, title, told, height, [*heads, *rows]))


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


def _cell_x(column: int) -> float:
    return _LEFT + 8 + column * _CELL_WIDTH


def _heat_row(
    pool: Pool,
    cells: Mapping[tuple[str, str], tuple[float, int]],
    agent: str,
    partners: Sequence[str],
    ends: tuple[float, float],
    number: str,
    y: float,
) -> Markup:
    found = [_text(_LEFT - 2, y + _CELL_HEIGHT / 2 + 4, number, "tick", "end")]
    for i, partner in enumerate(partners):
        if (agent, partner) in cells:
            mean, n = cells[agent, partner]
            found.append(
                Markup(
                    '<rect class="bar" x="{x}" y="{y}" width="{w}" height="{h}" '
                    'fill-opacity="{o}"/>'
                ).format(
                    x=_cell_x(i), y=y, w=_CELL_WIDTH - 2, h=_CELL_HEIGHT - 2, o=shade(mean, *ends)
                )
            )
            middle = _cell_x(i) + _CELL_WIDTH / 2 - 1
            found.append(_text(middle, y + 14, figure(mean, pool.measure), "", "middle"))
            found.append(_text(middle, y + 27, f"n {n:,}", "", "middle"))
    return Markup("").join(found)


# ------------------------------------------------------------------ how they spread


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
        Spread(label, "", "", tuple(Point(gap, "", None) for gap in some))
        for label, some in gaps.items()
    ]
    return Figure(f"{title}.", histograms("hard-gaps", title, spreads, entry))


def _scores(found: Hard, agent: str, key: str) -> Figure:
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
    return Figure(minus(f"{title}."), histograms(key, title, rows, entry))


def _spread(found: Hard, agent: str, label: str, tasks: frozenset[str]) -> Spread:
    mine = [v for v in found.pool.values if v.agent == agent and v.task in tasks]
    points = tuple(Point(v.value, v.trial, v.seat) for v in mine if v.value is not None)
    missing = len(mine) - len(points)
    return Spread(label, found.pool.judge, found.pool.measure.name, points, missing)
