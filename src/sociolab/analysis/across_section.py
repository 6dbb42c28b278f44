"""Agents across worlds in words and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sociolab.analysis.across import Column, Relation
from sociolab.analysis.figures import NOTHING, in_words, listed
from sociolab.core.score import BASELINES
from sociolab.report.section import Section, TextTable
from sociolab.report.words import failed_share, minus, plural
from sociolab.stats.correlation import Correlation

ABREAST = 3
"""Columns that a terminal holds beside the agents."""
WIDE = 1.0
"""An interval of a correlation from here on says hardly more than nothing."""


def across_section(
    columns: Sequence[Column], worlds: Sequence[Relation], levels: Sequence[Relation]
) -> Section:
    """One section: the table, correlations over agents, and of the two levels of STSS."""
    names = _titles(columns)
    groups = [columns[i : i + ABREAST] for i in range(0, len(columns), ABREAST)]
    heads = [names[i : i + ABREAST] for i in range(0, len(columns), ABREAST)]
    agents = tuple(dict.fromkeys(agent for column in columns for agent in column.places))
    tables = [_agents(agents, group, titles) for group, titles in zip(groups, heads, strict=True)]
    if worlds:
        tables.append(_related("Do worlds go together? A point is an agent", "worlds", worlds))
    if levels:
        heading = "Does what is said go with what comes of it? A point is a social task"
        tables.append(_related(heading, "agent", levels))
    return Section(
        "Across worlds",
        tuple(_said(columns, agents, worlds, levels)),
        tuple(_cautions(columns, [*worlds, *levels])),
        tuple(tables),
    )


def _titles(columns: Sequence[Column]) -> list[str]:
    """Names that tell the columns apart: the judge and the run are added where need be."""
    plain = [column.title for column in columns]
    judges = {name: {c.judge for c in columns if c.title == name} for name in plain}
    judged = [
        f"{name} · {column.judge}" if len(judges[name]) > 1 else name
        for name, column in zip(plain, columns, strict=True)
    ]
    return [
        f"{name} · {', '.join(column.runs)}" if judged.count(name) > 1 else name
        for name, column in zip(judged, columns, strict=True)
    ]


def _said(
    columns: Sequence[Column],
    agents: Sequence[str],
    worlds: Sequence[Relation],
    levels: Sequence[Relation],
) -> Iterator[str]:
    names = list(dict.fromkeys(column.world for column in columns))
    yield (
        f"{plural(len(agents), 'agent')} in {plural(len(names), 'world')} ({listed(names)}). A "
        "column is one measure of one judge on one set of tasks; columns have different scales, so "
        "they are neither averaged nor compared with each other."
    )
    if len(names) > 1 and not worlds:
        yield (
            "No correlation between worlds: that needs 3 agents or more with figures in two worlds."
        )
    for one in (*worlds, *levels):
        yield _in_words(one)


def _in_words(one: Relation) -> str:
    rho = one.spearman
    what = f"{one.what}, {plural(rho.n, one.of)}"
    if rho.value is None:
        return f"{what}: no correlation can be computed ({rho.note})."
    shown = f"{what}: Spearman's rho is {_two(rho.value)}"
    if rho.low is None or rho.high is None:
        return f"{shown}, without an interval ({rho.note}): nothing follows from it."
    ends = f"[{_two(rho.low)}, {_two(rho.high)}]"
    if rho.low <= 0 <= rho.high:
        sign = "not even its sign is known"
    else:
        sign = (
            "both tend to rise together"
            if rho.value > 0
            else "one tends to fall as the other rises"
        )
    wide = ", and how closely is open" if rho.high - rho.low >= WIDE and sign[0] != "n" else ""
    return f"{shown}, 95 % interval {ends}: {sign}{wide}."


def _cautions(columns: Sequence[Column], relations: Sequence[Relation]) -> Iterator[str]:
    rough = {f"{c.judge} in {c.world}" for c in columns if c.method in BASELINES}
    if rough:
        yield (
            f"{listed(sorted(rough))}: judged by rules of thumb, or made up for a test; such "
            "figures rank nobody."
        )
    rules = sorted(
        {
            agent
            for column in columns
            for agent, place in column.places.items()
            if place.kind.startswith("rules")
        }
    )
    if rules:
        yield f"{listed(rules)} {'plays' if len(rules) == 1 else 'play'} by rules: a baseline."
    yield from _failed_turns(columns)
    yield from _coverage(columns)
    if relations:
        least = min(one.pearson.n for one in relations)
        if least < 30:
            yield (
                f"Correlations rest on as few as {plural(least, 'point')}: their intervals are "
                "wide, and a correlation over agents or tasks says nothing of a cause."
            )


def _failed_turns(columns: Sequence[Column]) -> Iterator[str]:
    """Which agents failed turns, each run once."""
    found = {
        (place.run, agent): place.lost
        for column in columns
        for agent, place in column.places.items()
        if place.lost
    }
    if found:
        told = listed([f"{who} {in_words(lost)} in {run}" for (run, who), lost in found.items()])
        yield f"Failed turns: {told}. Scores rest on the turns that did not fail."


def _coverage(columns: Sequence[Column]) -> Iterator[str]:
    """Of which agents some plays could not be scored, each column once."""
    for column in columns:
        told = [
            f"{agent} {in_words(place.covered['coverage'])}"
            for agent, place in column.places.items()
            if place.entry.unscored
        ]
        if told:
            yield (
                f"{column.title} could be scored in a part of the plays only ({listed(told)}): the "
                "others could move these means anywhere within their bounds (sociolab report)."
            )


def _agents(agents: Sequence[str], columns: Sequence[Column], titles: Sequence[str]) -> TextTable:
    rows = tuple(
        (agent, *(_cell(column, agent) for column in columns))
        for agent in agents
        if any(agent in column.places for column in columns)
    )
    notes = ["mean, 95 % interval; in parentheses n, the plays with a value, and how many failed"]
    if any(place.lost for column in columns for place in column.places.values()):
        notes[0] += ", and the share of its turns (in a town: questions) that the agent failed"
    notes += [
        f"{title}: {'; '.join(column.notes)}; {column.terms}; {_runs(column)}"
        for title, column in zip(titles, columns, strict=True)
    ]
    return TextTable("Main measures by agent", ("agent", *titles), rows, tuple(notes))


def _runs(column: Column) -> str:
    return f"{'run' if len(column.runs) == 1 else 'runs'} {', '.join(column.runs)}"


def _cell(column: Column, agent: str) -> str:
    place = column.places.get(agent)
    if place is None:
        return ""
    failed = f", {place.entry.failures:,} failed" if place.entry.failures else ""
    lost = failed_share(place.entry)
    turns = f", {lost} of its turns failed" if lost else ""
    return f"{place.value} ({place.entry.n:,}{failed}{turns})"


def _related(heading: str, corner: str, found: Sequence[Relation]) -> TextTable:
    notes = {f"no interval: {one.pearson.note}" for one in found if one.pearson.low is None}
    notes |= {f"no interval: {one.spearman.note}" for one in found if one.spearman.low is None}
    return TextTable(
        heading,
        (corner, f"{found[0].of}s", "Pearson r", "Spearman rho"),
        tuple(
            (one.what, f"{one.pearson.n:,}", _with(one.pearson), _with(one.spearman))
            for one in found
        ),
        (
            f"95 % interval by leaving out each {found[0].of} in turn (jackknife, on Fisher's z)",
            *sorted(notes),
        ),
    )


def _with(found: Correlation) -> str:
    if found.value is None:
        return NOTHING
    if found.low is None or found.high is None:
        return _two(found.value)
    return f"{_two(found.value)} [{_two(found.low)}, {_two(found.high)}]"


def _two(value: float) -> str:
    return minus(f"{value:z.2f}")
