"""The scores of a result in tables (as grids of entries, and as text), in sentences and heat
maps."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sociolab.core.score import BASELINES, BY_FORMULA, Measure, Method
from sociolab.report.catalogue import Catalogue
from sociolab.report.exam import exam_notes, judge_notes
from sociolab.report.finding import Count, Finding, FindingTable, Sentence
from sociolab.report.run_facts import cautions, evaluated, partner_last, summary, warnings
from sociolab.report.schema import (
    ESTABLISHED,
    JudgeEntry,
    MeasureEntry,
    ReadingEntry,
    RunResult,
    ScoreEntry,
)
from sociolab.report.section import Section, TextTable, noted
from sociolab.report.words import (
    OWN,
    by_rules,
    coverage_columns,
    covered,
    failed_share,
    failed_turns,
    failed_unit,
    gaps,
    headed,
    interval,
    interval_words,
    legend,
    metric_of,
    minus,
    nature,
    natures,
    number,
    scripted_play,
    size,
    size_words,
    stand_ins,
)

SAY = Catalogue("run")

# ------------------------------------------------------------------ grids of entries


@dataclass(frozen=True, slots=True)
class GridRow:
    """A labelled row with an entry, or None, for each column."""

    label: str
    cells: tuple[ScoreEntry | None, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of entries. `corner` is the heading of the labels, and `legend` spells out
    abbreviations in formats that cannot explain them on hovering."""

    heading: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[GridRow, ...]
    notes: tuple[str, ...]
    legend: str = ""

    @property
    def entries(self) -> tuple[ScoreEntry, ...]:
        """All entries, row by row, without gaps."""
        return tuple(cell for row in self.rows for cell in row.cells if cell is not None)


_ORDER: tuple[Method, ...] = (
    "formula", "reported", "people", "model", "heuristic", "scripted", "rules",
)  # fmt: skip


def judges_of(result: RunResult) -> tuple[str, ...]:
    """The judges of a result, the main one first.

    Readers and formulas, whose scores depend least on a judge, precede people and models, then
    rules. A judge whose main metric is not established (see `ScoreEntry.established`) comes after
    those, one that scored no main metric of the world after these, and sheets are last.
    """

    def place(judge: JudgeEntry) -> tuple[bool, bool, bool, bool, int]:
        entries = _agent_means(result, judge.judge)
        scored = {e.measure for e in entries if e.value is not None}
        no_main = scored.isdisjoint(result.declared.main)
        little = any(not _established_for_all(entries, m) for m in main_measure(result, entries))
        sheet, reader = judge.role == "sheet", judge.role == "reader"
        return sheet, no_main, little, not reader, _ORDER.index(judge.method)

    return tuple(judge.judge for judge in sorted(result.judges, key=place))


def _agent_means(result: RunResult, judge: str) -> list[ScoreEntry]:
    """A judge's mean scores of each evaluated agent over all its plays."""
    agents = evaluated(result)
    return [e for e in result.scores if e.judge == judge and e.agent in agents and not e.by]


def _established_for_all(entries: Iterable[ScoreEntry], measure: MeasureEntry) -> bool:
    return all(entry.established for entry in entries if entry.measure == measure.measure)


def measures_of(result: RunResult, entries: Sequence[ScoreEntry]) -> tuple[MeasureEntry, ...]:
    """The metrics of these entries, in the order of the world's paper."""
    names = {entry.measure for entry in entries}
    metrics = [entry for entry in result.measures if entry.measure in names]
    return result.declared.sort(metrics, lambda entry: entry.measure)


def main_measure(result: RunResult, entries: Sequence[ScoreEntry]) -> tuple[MeasureEntry, ...]:
    """The metric by which agents are compared: of these entries, the first main metric of the world
    that is established for all, or else the first other one that is.

    If none is, the first metric that has a value; () if none has.
    """
    valued = {entry.measure for entry in entries if entry.value is not None}
    mains = [result.measure(name) for name in result.declared.main if name in valued]
    scored = measures_of(result, [entry for entry in entries if entry.value is not None])
    every = list(dict.fromkeys((*mains, *scored)))
    leading = [measure for measure in every if _established_for_all(entries, measure)]
    return tuple((leading or every)[:1])


def overview_measures(result: RunResult, entries: Sequence[ScoreEntry]) -> tuple[MeasureEntry, ...]:
    """The metrics for an overview of these entries: the main one, and all of the world's main
    metrics that have a value, such as Overall and GOAL of SOTOPIA's Table 2.

    Of a sheet all are shown, as none of its questions stands for the others. Metrics that are not
    established come last.
    """
    valued = {entry.measure for entry in entries if entry.value is not None}
    sheets = {judge.judge for judge in result.judges if judge.role == "sheet"}
    if any(entry.judge in sheets for entry in entries):
        metrics = measures_of(result, [entry for entry in entries if entry.value is not None])
    else:
        mains = [result.measure(name) for name in result.declared.main if name in valued]
        metrics = tuple(dict.fromkeys((*mains, *main_measure(result, entries))))
    return tuple(sorted(metrics, key=lambda metric: not _established_for_all(entries, metric)))


def finding_of(result: RunResult, entry: ScoreEntry, **more: Any) -> Finding:
    """A mean as a finding; `more` holds further figures of its row."""
    from sociolab.stats.intervals import Estimate  # imports numpy, which takes long

    metric = result.measure(entry.measure)
    high = math.inf if metric.high is None else metric.high
    estimate = Estimate(
        entry.value,
        entry.n,
        entry.clusters,
        entry.low,
        entry.high,
        entry.interval,
        note=entry.note,
    )
    return Finding(
        Measure(metric.measure, metric.low, high, metric.whole, metric.title),
        {"agent": entry.agent or "", "judge": entry.judge, **entry.by},
        estimate,
        (Count("score", entry.n),),
        coverage=entry.coverage,
        bounds=entry.bounds if entry.unscored else None,
        more={"cannot tell": entry.cannot_tell, "failed": entry.failures, **more},
    )


def little_established(result: RunResult, entries: Iterable[ScoreEntry]) -> Iterator[Sentence]:
    """A sentence naming the metrics that do not lead since too little could be scored; none if
    there are none."""
    titles = dict.fromkeys(
        result.measure(entry.measure).title for entry in entries if not entry.established
    )
    if titles:
        yield SAY("little_established", least=ESTABLISHED, metrics=[*titles])


def grids_of(result: RunResult, *, details: bool) -> tuple[Grid, ...]:
    """All tables of a result that are not empty; `details` adds an agent-partner matrix of every
    metric."""
    grids = [*agent_grids(result), *pair_grids(result, details=details), *other_grids(result)]
    return tuple(grid for grid in (*grids, *type_grids(result), play_grid(result)) if grid.rows)


def agent_grids(result: RunResult) -> tuple[Grid, ...]:
    """For each judge, agents by metrics, over all partners (SOTOPIA's Table 2); and agents in each
    role, if the world has roles."""
    grids = []
    for judge in judges_of(result):
        rows = [entry for entry in result.scores if entry.judge == judge]
        heading = SAY("by_agent", judge=judge)
        grid = _by_measure(result, heading, "agent", _by_agent(result, rows), judge)
        differ = _partners_differ(rows, evaluated(result))
        little = little_established(result, _agent_means(result, judge))
        grids.append(replace(grid, notes=(*grid.notes, *differ, *little)))
        roles = [
            (f"{agent} as {entry.by['role']}", entry)
            for agent in partner_last(result)
            for entry in rows
            if entry.agent == agent and set(entry.by) == {"role"}
        ]
        heading = SAY("by_role", judge=judge)
        grids.append(_by_measure(result, heading, "agent and role", roles, judge))
    return tuple(grid for grid in grids if grid.rows)


def _partners_differ(entries: Sequence[ScoreEntry], evaluated_: Collection[str]) -> Iterator[str]:
    """A sentence on who met whom, if these agents met different partners."""
    met: dict[str, dict[str, None]] = {}
    for entry in entries:
        if entry.agent and entry.agent in evaluated_ and set(entry.by) == {"partner"} and entry.n:
            met.setdefault(entry.agent, {})[entry.by["partner"]] = None
    kinds: dict[tuple[str, ...], list[str]] = {}
    for agent, partners in met.items():
        # Agents in self-play have all met the same: themselves.
        names = tuple(sorted("itself" if name == agent else name for name in partners))
        kinds.setdefault(names, []).append(agent)
    if len(kinds) > 1 and len({frozenset(partners) for partners in met.values()}) > 1:
        text = "; ".join(
            f"{', '.join(agents)} met {', '.join(partners)}" for partners, agents in kinds.items()
        )
        yield SAY("partners_differ", partners=text)


def play_grid(result: RunResult) -> Grid:
    """Agents by the metrics that sociolab counts itself: words, turns, failures and cost."""
    entries = [entry for entry in result.scores if entry.judge in OWN]
    return _by_measure(result, SAY("run_statistics"), "agent", _by_agent(result, entries), *OWN)


def type_grids(result: RunResult) -> tuple[Grid, ...]:
    """For each judge and agent, types of task by metrics.

    A type without any score has a note instead of a row. A metric of a single type has no column:
    its values are in the table by agent.
    """
    grids = []
    for judge in judges_of(result):
        for agent in partner_last(result):
            rows = [
                (entry.by["type"], entry)
                for entry in result.scores
                if entry.judge == judge and entry.agent == agent and set(entry.by) == {"type"}
            ]
            rows = _drop_single_type_metrics(rows)
            heading = SAY("by_type", agent=agent, judge=judge)
            scored = {kind for kind, entry in rows if entry.n or entry.failures}
            dropped = dict.fromkeys(kind for kind, _ in rows if kind not in scored)
            grid = _by_measure(result, heading, "type", [m for m in rows if m[0] in scored], judge)
            if dropped:
                grid = replace(grid, notes=(*grid.notes, SAY("nothing_scored", types=[*dropped])))
            grids.append(grid)
    return tuple(grid for grid in grids if grid.rows)


def _drop_single_type_metrics(
    labelled: list[tuple[str, ScoreEntry]],
) -> list[tuple[str, ScoreEntry]]:
    types: dict[str, set[str]] = {}
    for kind, entry in labelled:
        types.setdefault(entry.measure, set()).add(kind)
    if len({kind for kind, _ in labelled}) < 2:
        return labelled
    return [(kind, entry) for kind, entry in labelled if len(types[entry.measure]) > 1]


def pair_grids(result: RunResult, *, details: bool) -> tuple[Grid, ...]:
    """For each judge, agents by partners in the main metric (SOTOPIA's Figure 3) or, with
    `details`, in all (Figure F.4).

    There are none for a single agent, and where every agent met one partner only: that would repeat
    the table by agent.
    """
    if len(result.agents) < 2:
        return ()
    grids = []
    for judge in judges_of(result):
        entries = [e for e in result.scores if e.judge == judge and set(e.by) == {"partner"}]
        measures = measures_of(result, entries) if details else main_measure(result, entries)
        grids += [_pairs(result, judge, measure, entries) for measure in measures]

    def partners_met(row: GridRow) -> int:
        return sum(cell is not None for cell in row.cells)

    return tuple(grid for grid in grids if any(partners_met(row) > 1 for row in grid.rows))


def other_grids(result: RunResult) -> tuple[Grid, ...]:
    """For each judge, scores that are not by agent, partner, type or role: of episodes without a
    single agent, and of cells."""
    grids = []
    for judge in judges_of(result):
        rows = [
            (", ".join([entry.agent or "all", *(f"{k} {v}" for k, v in entry.by.items())]), entry)
            for entry in result.scores
            if entry.judge == judge
            and (entry.agent is None or not set(entry.by) <= {"partner", "type", "role"})
        ]
        grids.append(_by_measure(result, SAY("other_scores", judge=judge), "of", rows, judge))
    return tuple(grid for grid in grids if grid.rows)


def _by_agent(result: RunResult, entries: Iterable[ScoreEntry]) -> list[tuple[str, ScoreEntry]]:
    rows = [(entry.agent, entry) for entry in entries if entry.agent and not entry.by]
    order = {label: i for i, label in enumerate(partner_last(result))}
    return sorted(rows, key=lambda row: order.get(row[0], len(order)))


def _by_measure(
    result: RunResult,
    heading: str,
    corner: str,
    labelled: Sequence[tuple[str, ScoreEntry]],
    *judges: str,
) -> Grid:
    entries = [entry for _, entry in labelled]
    measures = measures_of(result, entries)
    cells = {(label, entry.measure): entry for label, entry in labelled}
    rows = tuple(
        GridRow(label, tuple(cells.get((label, m.measure)) for m in measures))
        for label in dict.fromkeys(label for label, _ in labelled)
    )
    present = [judge for judge in judges if any(e.judge == judge for e in entries)]
    notes = tuple(nature(result, judge) for judge in present)
    notes += judge_notes(result, present)
    titles = tuple(headed(result, measure) for measure in measures)
    spelt = legend((m.title, m.low, m.high, metric_of(result, m)) for m in measures)
    return Grid(heading, corner, titles, rows, notes + _footnotes(result, entries), spelt)


def _pairs(
    result: RunResult, judge: str, measure: MeasureEntry, entries: Sequence[ScoreEntry]
) -> Grid:
    cells = {
        (entry.agent, entry.by["partner"]): entry
        for entry in entries
        if entry.measure == measure.measure
    }
    partners = tuple(a for a in partner_last(result) if any(partner == a for _, partner in cells))
    rows = tuple(
        GridRow(agent, tuple(cells.get((agent, partner)) for partner in partners))
        for agent in partner_last(result)
        if any(who == agent for who, _ in cells)
    )
    heading = SAY("by_pair", metric=measure.title, judge=judge)
    about_judge = (nature(result, judge), *judge_notes(result, (judge,)))
    notes = (*about_judge, *_footnotes(result, list(cells.values())))
    return Grid(heading, "agent", partners, rows, notes)


def _footnotes(result: RunResult, entries: Sequence[ScoreEntry]) -> tuple[str, ...]:
    how = interval_words(entries, result.declared.cluster)
    what_n_counts = size_words(result, entries)
    return (
        *(note for note in (how, what_n_counts) if note),
        *_agreement(result, entries),
        *_coverage_notes(result, entries),
        *gaps(result, entries),
    )


def _coverage_notes(result: RunResult, entries: Sequence[ScoreEntry]) -> Iterator[str]:
    needed = coverage_columns(result, entries)
    if needed:
        yield SAY("coverage")
    if "bounds" in needed:
        yield SAY("bounds")
    if {"disputed", "unconfirmed"} & {*needed}:
        yield SAY("disputed")


def _agreement(result: RunResult, entries: Sequence[ScoreEntry]) -> Iterator[str]:
    """Cohen's kappa of the two metrics that the world declares as readings of the same thing, with
    equal weight for each episode."""
    names = result.declared.agreement
    for agent in dict.fromkeys(entry.agent for entry in entries if not entry.by):
        values = {e.measure: e.value for e in entries if e.agent == agent and not e.by}
        first, second, same = (values.get(name) for name in names) if names else (None, None, None)
        if first is None or second is None or same is None:
            continue
        chance = first * second + (1 - first) * (1 - second)
        kappa = SAY("no_kappa") if chance == 1 else f"{(same - chance) / (1 - chance):.2f}"
        titles = [result.measure(name).title for name in names[:2]]
        yield SAY("agreement", agent=agent, metrics=titles, share=same, kappa=kappa)


# ------------------------------------------------------------------ text


def run_section(
    result: RunResult, *, details: bool = False, verdict: str = "", compared: Section | None = None
) -> Section:
    """A run as a section: its verdict, the comparison of its two agents if it has two, all tables,
    summary, warnings and limitations.

    `details` adds an agent-partner matrix of every metric, not only of the main one.
    """
    return Section(
        title=f"{result.run}: {result.world}",
        sentences=(summary(result), *warnings(result)),
        cautions=cautions(result),
        tables=(
            *(compared.tables if compared else ()),
            *(grid_text(result, grid) for grid in grids_of(result, details=details)),
            *(table for part in outcomes_sections(result) for table in part.tables),
        ),
        verdict=verdict,
    )


_TALL = 3
"""Number of columns that always fit beside the labels."""


def transpose_wide(grid: Grid) -> Grid:
    """The grid, transposed if it has more columns than rows, and more than `_TALL`."""
    if len(grid.columns) <= max(_TALL, len(grid.rows)):
        return grid
    rows = tuple(
        GridRow(title, tuple(row.cells[i] for row in grid.rows))
        for i, title in enumerate(grid.columns)
    )
    labels = tuple(row.label for row in grid.rows)
    return replace(grid, corner="metric", columns=labels, rows=rows)


def grid_text(result: RunResult, grid: Grid) -> TextTable:
    """A grid as text: values with intervals. n and counts of missing scores have columns of their
    own if all cells of a row share them; otherwise they follow the values in parentheses."""
    grid = transpose_wide(grid)
    heads = _count_columns(result, grid.entries)
    counts = [[_counts(result, e, heads) for e in row.cells if e is not None] for row in grid.rows]
    notes = (*_rules_note(result, grid), *grid.notes)
    if all(cell == some[0] for some in counts for cell in some):
        rows = tuple(
            (
                row.label,
                *(_value(result, e) for e in row.cells),
                *(some[0] if some else [""] * len(heads)),
            )
            for row, some in zip(grid.rows, counts, strict=True)
        )
        columns = (grid.corner, *grid.columns, *heads)
        return TextTable(grid.heading, columns, rows, notes, legend=grid.legend)
    rows = tuple(
        (row.label, *(_value(result, e) + _in_parentheses(result, e, heads) for e in row.cells))
        for row in grid.rows
    )
    plays = "" if size_words(result, grid.entries) else ", the number of scores"
    note = f"in parentheses: n{plays}, and the number of failures"
    if any(map(failed_share, grid.entries)):
        note += f", and the agent's share of {failed_unit(result)}"
    columns = (grid.corner, *grid.columns)
    return TextTable(grid.heading, columns, rows, (*notes, note), legend=grid.legend)


def value_text(result: RunResult, entry: ScoreEntry) -> str:
    """A value with its interval, "7.33 ±4.41" or "7.33 [6.91, 7.70]"; a dash if it is missing."""
    if entry.value is None:
        return "\N{EN DASH}"
    text = number(entry.value, result.measure(entry.measure))
    return minus(f"{text} {interval(result, entry)}".strip())


def _value(result: RunResult, entry: ScoreEntry | None) -> str:
    return "" if entry is None else value_text(result, entry)


def _count_columns(result: RunResult, entries: Sequence[ScoreEntry]) -> tuple[str, ...]:
    """The headings of the columns with counts that these entries need."""
    failed = ["failed"] if any(entry.failures for entry in entries) else []
    turns = [failed_unit(result)] if any(map(failed_share, entries)) else []
    return ("n", *failed, *coverage_columns(result, entries), *turns)


def _counts(result: RunResult, entry: ScoreEntry, heads: Sequence[str]) -> list[str]:
    texts = {
        "n": f"{size(result, entry):,}",
        "failed": f"{entry.failures:,}",
        failed_unit(result): failed_turns(entry),
        **{word: minus(text) for word, text in covered(result, entry).items()},
    }
    return [texts[head] for head in heads]


def _in_parentheses(result: RunResult, entry: ScoreEntry | None, heads: Sequence[str]) -> str:
    if entry is None:
        return ""
    figures = covered(result, entry)
    lost = failed_share(entry)
    texts = {
        "failed": f"{entry.failures:,} failed" if entry.failures else "",
        "coverage": f"{figures['coverage']} coverage" if entry.unscored else "",
        "bounds": minus(f"bounds {figures['bounds']}") if figures["bounds"] else "",
        "disputed": f"{entry.disputed:,} disputed" if entry.disputed else "",
        "unconfirmed": f"{entry.unconfirmed:,} unconfirmed" if entry.unconfirmed else "",
    }
    parts = [texts.get(head, "") for head in heads]
    turns = f"{lost} {failed_unit(result)}" if lost else ""
    return f" ({', '.join(filter(None, (f'{size(result, entry):,}', *parts, turns)))})"


def _rules_note(result: RunResult, grid: Grid) -> tuple[str, ...]:
    """A note naming the rule-based agents in a table; none if there are none."""
    rules = [label for label in result.agents if by_rules(result, label)]
    labels = {*grid.columns, *(row.label for row in grid.rows)}
    agents = [label for label in rules if label in labels or label in grid.heading]
    if not agents:
        return ()
    return (SAY("rules", agents=agents, what=scripted_play(result)),)


# ------------------------------------------------------------------ outcomes


def outcomes_sections(result: RunResult) -> tuple[Section, ...]:
    """A section on whether outcomes could be established, by agent, and whether readers agree; none
    if no score rests on an outcome that the players reported."""
    formulas = {judge.judge for judge in result.judges if judge.method in BY_FORMULA}
    readers = {judge.judge for judge in result.judges if judge.role == "reader"}
    measures = {
        entry.measure
        for entry in result.scores
        if entry.disputed or entry.unconfirmed or (entry.judge in formulas and result.readings)
    }
    tables = [
        _outcomes_table(result, judge, entries, read=judge in readers)
        for judge in judges_of(result)
        if judge in formulas | readers
        and (
            entries := [
                entry
                for entry in result.scores
                if entry.judge == judge and entry.measure in measures
                if entry.agent and not entry.by
            ]
        )
    ]
    tables += [
        _readings_table(reader, [row for row in result.readings if row.reader == reader])
        for reader in dict.fromkeys(row.reader for row in result.readings)
    ]
    notes = (*judge_notes(result), *exam_notes({result.run: result.judges}, readers).below)
    section = noted(Section("Outcomes", tables=tuple(tables)), notes)
    return (section,) if tables else ()


def _outcomes_table(
    result: RunResult, judge: str, entries: Sequence[ScoreEntry], *, read: bool
) -> FindingTable:
    rows = [
        finding_of(result, entry, disputed=entry.disputed, unconfirmed=entry.unconfirmed)
        for entry in entries
    ]
    notes = [SAY("read") if read else SAY("reported")]
    if disputed := next((entry.measure for entry in entries if entry.disputed), ""):
        notes.append(SAY("list_disputed", run=result.run, metric=disputed))
    return SAY.table("outcomes", rows, notes=notes, judge=judge)


def _readings_table(reader: str, entries: Sequence[ReadingEntry]) -> FindingTable:
    figures = ("agree", "differ", "only_judge", "only_reader", "neither")
    rows = [
        Finding(
            about={"agent": entry.agent, "reader": reader},
            more={
                **{name: getattr(entry, name) for name in figures},
                "agreement": compared and entry.agree / compared,
            },
        )
        for entry in entries
        for compared in [entry.agree + entry.differ or None]
    ]
    return SAY.table("reported_and_read", rows, reader=reader)


# ------------------------------------------------------------------ overview


MOST_ROWS = 12
MOST_BESIDE = 6
"""Maximum number of rows in the overview, alone and beside a comparison."""


@dataclass(frozen=True, slots=True)
class Headline:
    """The figure that represents a run: the mean of its best agent in the main metric, or the
    bounds of this mean if it is not established.

    `kind` is the agent's kind if it is rule-based, or says that the stand-in endpoint served a
    model. `value` is for sorting. `of` counts the agents that have this figure.
    """

    metric: str
    text: str
    interval: str
    value: float
    n: int
    agent: str
    judge: str
    kind: str
    of: int


def leading_means(result: RunResult) -> list[ScoreEntry]:
    """The means of each agent in the metric that leads: the world's first main metric in which
    enough is established, by the main judge that scored it, and neither a baseline's nor a sheet's
    if there is another. [] if nothing was scored."""
    kinds = {
        judge.judge: (judge.role == "sheet", judge.method in BASELINES) for judge in result.judges
    }
    order = list(result.declared.main)
    candidates = list[tuple[tuple[Any, ...], list[ScoreEntry]]]()
    for judge in judges_of(result):
        means = _agent_means(result, judge)
        for measure in overview_measures(result, means):
            rows = [entry for entry in means if entry.measure == measure.measure]
            name = measure.measure
            place = order.index(name) if name in order else len(order)
            little = not _established_for_all(rows, measure)
            candidates.append(((little, *kinds[judge], place), rows))
    return min(candidates, key=lambda candidate: candidate[0])[1] if candidates else []


def leading_entries(result: RunResult) -> list[ScoreEntry]:
    """`leading_means`, without agents that have none."""
    return [entry for entry in leading_means(result) if entry.value is not None]


def headline(result: RunResult) -> Headline | None:
    """The headline of a run; None if nothing was scored."""
    entries = leading_entries(result)
    if not entries:
        return None
    measure = result.measure(entries[0].measure)
    lower = metric_of(result, measure).better == "lower"
    best = sorted(entries, key=lambda e: e.value or 0.0, reverse=not lower)[0]
    assert best.value is not None and best.agent is not None  # noqa: PT018
    title = headed(result, measure)
    text, span = minus(number(best.value, measure)), minus(interval(result, best))
    if not _established_for_all(entries, measure):
        title = SAY("bounds_of", metric=title)
        text, span = minus(covered(result, best)["bounds"]) or "\N{EN DASH}", ""
    is_by_rules = by_rules(result, best.agent)
    kind = (result.declared.scripted or "rule-based") if is_by_rules else ""
    if not kind and stand_ins(result.settings):
        kind = str(Catalogue("verdict")("stand_in"))
    return Headline(
        title,
        text,
        span,
        best.value,
        best.n,
        best.agent,
        best.judge,
        kind,
        len(entries),
    )


def overview_table(result: RunResult, most: int = MOST_ROWS) -> FindingTable | None:
    """Means with intervals, n and failures by agent: the main metrics of each judge, the main judge
    first, and all other metrics if these fit into `most` rows, too. None if nothing was scored."""
    agents, chosen, rest = evaluated(result), list[ScoreEntry](), list[ScoreEntry]()
    for judge in judges_of(result):
        scores = _agent_means(result, judge)
        main = overview_measures(result, scores)
        for measure in (*main, *(m for m in measures_of(result, scores) if m not in main)):
            rows = [entry for entry in scores if entry.measure == measure.measure]
            (chosen if measure in main else rest).extend(rows)
    entries = [*chosen, *rest] if len(chosen) + len(rest) <= most else chosen[:most]
    if not entries:
        return None
    figures = coverage_columns(result, entries)
    established = all(entry.established for entry in entries)
    several = len(agents) > 1
    omitted = len(chosen) + len(rest) - len(entries)
    return SAY.table(
        "overview",
        [
            finding_of(result, entry, n=size(result, entry), lost=failed_share(entry))
            for entry in entries
        ],
        columns=(
            *(("agent",) if several else ()),
            *("metric", "judge", "mean", "n"),
            *(("failed",) if any(entry.failures for entry in entries) else ()),
            *(("coverage",) if "coverage" in figures else ()),
            *(("bounds",) if "bounds" in figures and not established else ()),
            # Beside a comparison, a warning has them.
            *(("lost",) if any(map(failed_share, entries)) and most >= MOST_ROWS else ()),
        ),
        notes=(
            *natures(result, [entry.judge for entry in entries]),
            *judge_notes(result, [entry.judge for entry in entries]),
            *filter(None, [interval_words(entries, result.declared.cluster)]),
            *filter(None, [size_words(result, entries)]),
            *little_established(result, entries),
            *gaps(result, entries),
            *([SAY("more_means", means=Count("more mean", omitted))] if omitted else []),
        ),
        declared=result.declared,
        title=SAY("mean_scores") if several else SAY("mean_scores_of", agent=agents[0]),
        unit=failed_unit(result),
    )


# ------------------------------------------------------------------ heat maps


PALEST, STRONGEST = 0.05, 0.55
"""Opacities of cells; text is legible on the strongest (contrast above 5 in both colour
schemes)."""


@dataclass(frozen=True, slots=True)
class Heat:
    """A matrix with the range of its colours: that of its values, not of the metric's scale."""

    grid: Grid
    low: float
    high: float
    legend: tuple[str, str]

    def shade(self, value: float) -> float:
        return shade(value, self.low, self.high)


def heat_of(result: RunResult, grid: Grid) -> Heat:
    """The heat map of a matrix with a single metric."""
    entries = [entry for entry in grid.entries if entry.value is not None]
    values = [entry.value for entry in entries if entry.value is not None]
    low, high = min(values, default=0.0), max(values, default=0.0)
    if not entries:
        return Heat(grid, low, high, ("", ""))
    measure = result.measure(entries[0].measure)
    return Heat(grid, low, high, (minus(number(low, measure)), minus(number(high, measure))))


def shade(value: float, low: float, high: float) -> float:
    """The opacity of a cell for a value in the range from low to high."""
    share = (value - low) / (high - low) if high > low else 0.5
    return round(PALEST + (STRONGEST - PALEST) * share, 3)
