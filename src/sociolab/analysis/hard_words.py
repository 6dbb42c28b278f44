"""Hard tasks in words and tables: what makes them hard, and what that does not show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sociolab.analysis.figures import NOTHING, figure, span, title_of
from sociolab.analysis.hard import Hard, scores
from sociolab.analysis.hard_charts import hard_figures
from sociolab.analysis.pooled import Pool, judge_caution
from sociolab.report.section import Section, TextTable
from sociolab.report.words import minus, plural

_FEW = 5
"""Plays of a task and agent below which its spread is little more than a guess."""


def hard_section(found: Hard, name: str, details: Sequence[Pool] = ()) -> Section:
    """The hardest tasks to print, or as a part of a page.

    `details`: the pools of the measures whose matrix of agents and partners is shown.
    """
    return Section(
        title=f"{name}: the hardest tasks for {found.found.target}",
        said=tuple(_said(found, name)),
        cautions=tuple(_cautions(found, name)),
        tables=(_hardest(found), _beside(found), _ingredients(found), *_pairs(found, details)),
        figures=tuple(hard_figures(found, details)),
    )


# ------------------------------------------------------------------ sentences


def _said(found: Hard, name: str) -> Iterator[str]:
    pool, target = found.pool, found.found.target
    low, high = (minus(f"{end:.3g}") for end in (pool.measure.low, pool.measure.high))
    yield (
        f"{name} holds the {len(found.chosen):,} hardest of "
        f"{plural(len(found.found.tasks), 'task')} for {target}, by {pool.title} ({low} to "
        f"{high}) as judged by {pool.judge}."
    )
    yield (
        f"A task is hard where some agent may reach much more than {target} may fall to: the "
        f"highest mean + 3 sd of any agent, at most {high}, minus {target}'s mean \N{MINUS SIGN} 3 "
        f"sd, at least {low} (SOTOPIA, section 7)."
    )
    on, off = scores(found, target, found.ids), scores(found, target, found.others())
    if on.value is not None and off.value is not None:
        yield (
            f"On these tasks {target} scored {figure(on.value, pool.measure)} on average, on the "
            f"other {len(found.others()):,} {figure(off.value, pool.measure)}."
        )
    if found.found.left_out:
        yield (
            f"Left out: {plural(len(found.found.left_out), 'task')} on which an agent has fewer "
            "than two scored plays, so that there is no spread."
        )
    if pool.untold:
        yield _untold(found)
    if tied := found.found.tied_out(found.most):
        verb = "is" if tied == 1 else "are"
        yield (
            f"{plural(tied, 'more task')} {verb} as hard as the last of them, and not in the list: "
            f"of equals, those where {target} has the lower mean come first, then by name. The "
            "paper does not say how it chose."
        )


def _untold(found: Hard) -> str:
    """What the judge could not tell, and the tasks that are lost by it."""
    pool, lost = found.pool, found.untold_tasks
    tasks = len({value.task for value in pool.untold})
    told = (
        f"{pool.judge} could not tell {pool.title} of {plural(len(pool.untold), 'play')} on "
        f"{plural(tasks, 'task')}"
    )
    if not lost:
        return f"{told}; they took no part."
    verb = "has" if len(lost) == 1 else "have"
    return (
        f"{told}; {len(lost):,} of these tasks {verb} no score at all, and so no difficulty: how "
        "hard they are is not known."
    )


def _cautions(found: Hard, name: str) -> Iterator[str]:
    pool, target = found.pool, found.found.target
    if found.others():
        yield (
            "The tasks were chosen by these very plays, so a part of what makes them hard is bad "
            f"luck in these plays. How {target} does on them, new plays must say (--tasks {name})."
        )
    else:
        yield (
            f"The list holds every task that has a difficulty (--most {found.most}): nothing was "
            "chosen. Play more tasks, or ask for fewer."
        )
    fewest = min(reach.n for task in found.chosen for reach in task.models)
    if fewest < _FEW:
        yield (
            f"Some means and spreads rest on {fewest} plays of an agent on a task. With so few, a "
            "task may seem hard by chance; play with more partners or repeats."
        )
    if found.ceiling:
        yield (
            f"{found.ceiling:,} of these {len(found.chosen):,} are as hard as the scale allows, "
            "since three standard deviations reach both ends of it: among them the order says "
            "little."
        )
    own = sum(task.best.model == target for task in found.chosen)
    if len(found.agents) == 1:
        yield (
            f"Only {target} played: what is hard here is where its own scores vary most. Add runs "
            "of other agents on the same tasks."
        )
    elif own:
        yield (
            f"On {own:,} of them it is {target} itself that may reach furthest: its scores vary "
            "much there, which need not mean that others do better."
        )
    if found.found.missing:
        yield (
            f"{plural(found.found.missing, 'play')} without a score took no part. A task on which "
            f"{target} fails rather than scores low does not look hard here."
        )
    yield from judge_caution(pool)
    yield from pool.notes


# ------------------------------------------------------------------ tables


def _hardest(found: Hard) -> TextTable:
    measure, target = found.pool.measure, found.found.target
    rows = tuple(
        (
            str(place),
            task.task,
            figure(task.gap, measure),
            figure(task.best.high, measure),
            task.best.model,
            figure(task.target.low, measure),
            figure(task.target.mean, measure),
        )
        for place, task in enumerate(found.chosen, start=1)
    )
    heads = ("", "task", "difficulty", "may reach", "that is", "may fall to", "mean")
    notes = (
        "difficulty: what some agent may reach, minus what the target may fall to",
        f"may fall to, mean: of {target}; may reach: of all agents, the first by name of equals",
    )
    return TextTable(f"Hardest tasks for {target}", heads, rows, notes, (1, 4))


def _beside(found: Hard) -> TextTable:
    """All agents on the hardest tasks, and on the others."""
    measure, on, off = found.pool.measure, frozenset(found.ids), found.others()

    def cells(agent: str, tasks: frozenset[str]) -> tuple[str, str]:
        one = scores(found, agent, tasks)
        return f"{figure(one.value, measure)} {span(one, measure)}".strip(), f"{one.n:,}"

    heads: tuple[str, ...] = ("agent", f"on these {len(on):,}", "n")
    if off:
        heads = (*heads, f"on the other {len(off):,}", "n")
    rows = tuple(
        (agent, *cells(agent, on), *(cells(agent, off) if off else ())) for agent in found.agents
    )
    note = (
        f"95 % intervals, clustered by {found.pool.clusters} and cut at the ends of the scale; in "
        "the plays that chose the tasks"
    )
    return TextTable(f"{found.pool.title} on hard and on other tasks", heads, rows, (note,))


def _ingredients(found: Hard) -> TextTable:
    measure = found.pool.measure
    rows = tuple(
        (
            str(place),
            reach.model,
            f"{reach.n:,}",
            *(figure(value, measure) for value in (reach.mean, reach.sd, reach.low, reach.high)),
        )
        for place, task in enumerate(found.chosen, start=1)
        for reach in task.models
    )
    heads = ("", "agent", "plays", "mean", "sd", "low", "high")
    notes = (
        "numbered as above; over all scored plays of the task by the agent: partners, seats and "
        "repeats together",
        "sd: sample standard deviation (n \N{MINUS SIGN} 1); low, high: mean \N{PLUS-MINUS SIGN} "
        "3 sd, cut to the scale",
    )
    return TextTable("What the difficulties are made of", heads, rows, notes, (1,))


def _pairs(found: Hard, details: Sequence[Pool]) -> Iterator[TextTable]:
    """Agents with partners on the hardest tasks, for each measure (as Figure F.5)."""
    for pool in details:
        cells: dict[tuple[str, str], list[float]] = {}
        for value in pool.values:
            if value.agent and value.partner and value.task in found.ids:
                mine = cells.setdefault((value.agent, value.partner), [])
                mine += [value.value] if value.value is not None else []
        agents = [agent for agent in found.agents if any(a == agent for a, _ in cells)]
        partners = sorted({partner for _, partner in cells})
        rows = tuple(
            (agent, *(_mean(cells.get((agent, partner)), pool) for partner in partners))
            for agent in agents
        )
        title = f"{title_of(pool.measure)} on these tasks: agent (row) with partner (column)"
        note = "mean over plays, and their number; no interval"
        yield TextTable(title, ("agent", *partners), rows, (note,))


def _mean(values: list[float] | None, pool: Pool) -> str:
    if not values:
        return NOTHING
    return f"{figure(sum(values) / len(values), pool.measure)} ({len(values):,})"
