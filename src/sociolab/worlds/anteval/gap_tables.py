"""Tables of the intention gap: the ladder of agents and controls, then the paper's format.

The verdict on whether agents can be put in order is here, too, since it is made of sentences.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from sociolab.report.catalogue import Catalogue, Column, Form
from sociolab.report.finding import Count, Finding, FindingTable, Sentence
from sociolab.report.section import Section
from sociolab.stats.correlation import spearman
from sociolab.stats.intervals import Estimate
from sociolab.worlds.anteval.gap import IN_FORMAT, GapRow, GapTable
from sociolab.worlds.anteval.gap_intervals import (
    FEWEST_GROUPS,
    DMScores,
    Gap,
    GapFigure,
)
from sociolab.worlds.anteval.gap_ladder import Kind, Ladder
from sociolab.worlds.anteval.intention import FEWEST_SESSIONS

SAY = Catalogue("gap", "sociolab.worlds.anteval.notes")
_FEW_AGENTS = 10
_POINT: Form = "z.1f"  # type: ignore[assignment]


def _parts(row: GapRow, kind: str) -> tuple[GapFigure, GapFigure, Gap]:
    """fr, fg and G over characters ("c"), or over characters with their skills ("o")."""
    if kind == "c":
        return row.fr.f_c, row.fg.f_c, row.g_c
    return row.fr.f_o, row.fg.f_o, row.g_o


# ------------------------------------------------------------------ the headline


def gap_sections(table: GapTable, play: str, notes: Sequence[str]) -> Iterator[Section]:
    """The headline of a virtual DM, then its tables in the format of the paper, with notes; `play`
    says what it was tested on."""
    title = SAY("title", dm=table.virtual_dm)
    if (ladder := table.ladder) is None:
        unmarked = {row.name for row in table.rows} <= set(table.unmarked)
        no_play = SAY("no_marks") if unmarked else SAY("no_skills")
        why = no_play if table.refits else SAY("no_refits_no_ladder")
        yield Section(title, (SAY("no_headline", why=why),))
    else:
        tables = [_ladder_table(table, ladder)]
        if ladder.steps and not any(_objections(ladder)):
            tables.append(SAY.table("order", _steps(ladder)))
        flags = [
            SAY("ahead", agent=rung.name, difference=_rounded(rung.behind))
            for rung in ladder.of("agent")
            if rung.ahead
        ]
        there = {rung.name for rung in ladder.rungs}
        flags += [
            SAY("unmarked" if row.name in table.unmarked else "other_skills", agent=row.name)
            for row in table.rows
            if row.name not in there
        ]
        yield Section(title, (verdict(ladder),), tuple(flags), tuple(tables))
    yield _paper_section(table, play, notes)


_BESIDE: tuple[Kind, ...] = ("people", "control")


def verdict(ladder: Ladder) -> Sentence:
    """The order of agents, nearest to people first, without those that score better than people;
    neighbours that are not told apart stand together. Or why there is no order."""
    if objections := tuple(_objections(ladder)):
        return SAY("no_order", why=objections)
    people, controls = (
        [_standing(rung.name, rung.g_o) for rung in ladder.of(kind)] for kind in _BESIDE
    )
    agents = []
    for tied in ladder.tied:
        names = [_standing(rung.name, rung.g_o) for rung in tied if not rung.ahead]
        agents += [SAY("tied", names=names)] if len(names) > 1 else names
    return SAY("order", agents=agents or SAY("nobody"), people=people[0], controls=controls)


def _standing(name: str, gap: Gap) -> Sentence:
    return SAY("standing", name=name, g=gap.signed.value)


def _objections(ladder: Ladder) -> Iterator[Sentence]:
    for rung in ladder.rungs:
        if rung.sessions is not None and rung.sessions < FEWEST_SESSIONS:
            sessions = Count("session", rung.sessions)
            yield SAY("few_sessions", agent=rung.name, sessions=sessions, fewest=FEWEST_SESSIONS)
    if ladder.labels < FEWEST_SESSIONS:
        yield SAY("few_labels", labels=Count("label", ladder.labels), fewest=FEWEST_SESSIONS)
    close = [
        SAY("close", name=rung.name, difference=_rounded(rung.behind))
        for rung in ladder.of("control")
        if not rung.surely_behind
    ]
    if close:
        yield SAY("not_above", controls=close)


def _rounded(figure: GapFigure | None) -> Sentence:
    found = figure or GapFigure(None)
    return SAY("figure", figure=found)


def _ladder_table(table: GapTable, ladder: Ladder) -> FindingTable:
    rungs = ladder.ranked
    if any(_objections(ladder)):  # then no place in the table is an order of agents
        rungs = tuple(rung for rung in ladder.rungs if rung.kind != "control")
        rungs += ladder.of("control")
    rows = (
        Finding(
            about={"play": rung.name, "kind": rung.kind},
            p=rung.p,
            more={
                "sessions": rung.sessions,
                "f_o": _percent(rung.fg.f_o),
                "g_o": rung.g_o.signed,
                "behind": rung.behind,
            },
        )
        for rung in rungs
    )
    return SAY.table("ladder", rows, notes=_explain_ladder(table, ladder), labels=ladder.labels)


def _explain_ladder(table: GapTable, ladder: Ladder) -> Iterator[Sentence]:
    yield SAY("signed", measured_on=table.measured_on, refits=table.refits)
    yield SAY("less_people")
    shares = [SAY("share", skill=skill, share=ladder.skills[skill]) for skill in ladder.skills]
    yield SAY("prior", skills=shares[:3], rest=len(shares[3:]))
    for rung in ladder.of("agent"):
        yield SAY("kept", name=rung.name, shown=rung.shown, assigned=rung.assigned, kept=rung.kept)
    yield SAY("controls")
    g_c = [_standing(rung.name, rung.g_c) for rung in ladder.of("control")]
    yield SAY("no_g_c", controls=g_c)


def _steps(ladder: Ladder) -> Iterator[Finding]:
    for step in ladder.steps:
        about = {"agent": step.one, "next": step.other}
        yield Finding(about=about, more={"difference": step.g_o}, p=step.p_o)


# ------------------------------------------------------------------ the paper's format


def gap_findings(table: GapTable, kind: str) -> tuple[Finding, ...]:
    """A finding for each agent and control: both F and G in percent."""
    return tuple(_gap(row, kind) for row in (*table.rows, *table.controls))


def _gap(row: GapRow, kind: str) -> Finding:
    real, generated, gap = _parts(row, kind)
    return Finding(
        about={"agent": row.name},
        counts=(Count("example", row.examples),),
        more={
            "fr": _percent(real),
            "fg": _percent(generated),
            "G": gap.printed,
            "signed G": gap.signed,
            "failed": row.fr.failed + row.fg.failed,
        },
    )


def _percent(figure: GapFigure) -> GapFigure:
    value, low, high = (
        None if part is None else part * 100 for part in (figure.value, figure.low, figure.high)
    )
    return GapFigure(value, low, high)


def _paper_section(table: GapTable, play: str, notes: Sequence[str]) -> Section:
    tables = [
        SAY.table(
            "reading",
            _reading(table, play),
            dm=table.virtual_dm,
            play=play,
            measured_on=table.measured_on,
        )
    ]
    information = [
        Finding(
            about={"agent": row.name},
            estimate=iep,
            counts=(Count("answer", iep.n), Count("session", iep.clusters)),
        )
        for row in table.rows
        if (iep := row.information)
    ]
    if information:  # IEP beside IEG, as in the paper's Table 1
        tables.append(SAY.table("information", information))
    columns = (
        Column("agent", "agent", "agent"),
        Column("n", "n", "examples"),
        *(Column(name, name, name, _POINT) for name in ("fr", "fg", "G", "signed G", "failed")),
    )
    tables.append(SAY.table("characters", gap_findings(table, "c"), columns=columns))
    tables.append(SAY.table("checks", gap_findings(table, "o"), columns=columns))
    tables[-1] = replace(tables[-1], notes=(*_explain(table), *notes))
    flags = tuple(_flags(table))
    return Section(SAY("paper", dm=table.virtual_dm), (), flags, tuple(tables))


def _flags(table: GapTable) -> Iterator[Sentence]:
    """Agents that are nearer to real play than people are in the format of whole sessions."""
    for row, kind in product(table.rows, ("c", "o")):
        own = _parts(row, kind)[2].signed.value
        sizes = [each for each in table.controls if each.labels == row.labels] or table.controls
        people = _parts(sizes[0], kind)[2].signed.value if sizes else None
        if own is not None and people is not None and own < people:
            yield SAY("below_people", agent=row.name, kind=f"G_{kind}", g=own, people=people)


def _reading(table: GapTable, play: str) -> Iterator[Finding]:
    """How well virtual DM and baselines read the test rows (f0 and fr of the paper's Table 2)."""
    if table.f0 is not None:
        yield _scores(SAY("untrained"), table.f0)
    yield _scores(SAY("trained", n=table.real_examples, play=play), table.fr)
    for row in table.baselines:
        named = ("f_c", "f_o", "f_s") if row.names_skills else ("f_c",)
        yield _scores(SAY("baseline", name=row.name), row.scores, named)


def _scores(
    trained_on: str, scores: DMScores, names: Sequence[str] = ("f_c", "f_o", "f_s")
) -> Finding:
    figures: dict[str, Any] = {name: _percent(getattr(scores, name)) for name in names}
    return Finding(about={"trained_on": trained_on}, more={**figures, "failed": scores.failed})


# ------------------------------------------------------------------ several virtual DMs, raters


def by_dm(tables: Sequence[GapTable]) -> Section:
    """Agents x virtual DMs."""
    gaps = _gaps(tables)
    rows = [
        Finding(about={"agent": row.name}, more={n: _of(by, row.name) for n, by in gaps.items()})
        for row in tables[0].rows
    ]
    columns = (Column("agent", "agent", "agent"), *_columns(gaps))
    return Section(SAY("by_dm"), tables=(SAY.table("by_dm", rows, columns=columns),))


def _gaps(tables: Sequence[GapTable]) -> dict[str, dict[str, GapFigure]]:
    """G of each agent, by column: of each virtual DM G_o of cut play, signed, where there is any,
    then both as the paper prints them."""
    gaps: dict[str, dict[str, GapFigure]] = {}
    for table in tables:
        if table.ladder is not None:
            of_cut = {rung.name: rung.g_o.signed for rung in table.ladder.of("agent")}
            gaps[SAY("gap_column", kind="G_o", dm=table.virtual_dm)] = of_cut
        for kind in ("c", "o"):
            column = SAY("paper_column", kind=f"G_{kind}", dm=table.virtual_dm)
            gaps[column] = {row.name: _parts(row, kind)[2].printed for row in table.rows}
    return gaps


def _of(gaps: Mapping[str, GapFigure], agent: str) -> GapFigure:
    return gaps.get(agent, GapFigure(None))


def _columns(names: Mapping[str, object], **more: Any) -> Iterator[Column]:
    return (Column(name, name, name, _POINT, **more) for name in names)


def raters_section(tables: Sequence[GapTable], rated: Mapping[str, Estimate]) -> Section:
    """The expressiveness that people rated, beside G, with Spearman's rho of the two."""
    gaps = _gaps(tables)
    rows = [
        Finding(
            about={"agent": name},
            estimate=estimate,
            counts=(Count("rating", estimate.n),),
            more={column: _of(by, name) for column, by in gaps.items()},
        )
        for name, estimate in rated.items()
    ]
    columns = (
        Column("agent", "agent", "agent"),
        Column("expressiveness", "expressiveness", "estimate", _POINT),
        Column("rated", "rated", "ratings"),
        *_columns(gaps, part="value"),
    )
    notes = _correlations(gaps, rated)
    table = SAY.table("raters", rows, columns=columns, notes=notes)
    return Section(SAY("raters"), tables=(table,))


def _correlations(
    gaps: Mapping[str, Mapping[str, GapFigure]], rated: Mapping[str, Estimate]
) -> Iterator[Sentence]:
    means = [estimate.value for estimate in rated.values()]
    rhos = {
        name: spearman(means, [_of(by, agent).value for agent in rated], list(rated))
        for name, by in gaps.items()
    }
    correlations = [
        SAY("correlation", gap=name, rho=rho.value, n=rho.n)
        for name, rho in rhos.items()
        if rho.value is not None
    ]
    if correlations:
        few = SAY("few") if len(rated) < _FEW_AGENTS else ""
        yield SAY("rho", correlations="; ".join(correlations), few=few)


def csv_rows(tables: Sequence[GapTable]) -> Iterator[dict[str, object]]:
    """A row for each virtual DM, format, set of play and kind of gap, for programs."""
    for table in tables:
        ladder = table.ladder
        for rung in ladder.rungs if ladder else ():
            assert ladder is not None
            figures = ladder.fr.f_o, rung.fg.f_o, rung.g_o
            yield _csv_row(table, "cut at checks", rung.name, "o", ladder.labels, figures)
        for row in (*table.rows, *table.controls):
            for kind in ("c", "o"):
                figures = _parts(row, kind)
                yield _csv_row(table, "as in the paper", row.name, kind, row.labels, figures)


def _csv_row(
    table: GapTable,
    format: str,
    play: str,
    kind: str,
    labels: int,
    figures: tuple[GapFigure, GapFigure, Gap],
) -> dict[str, object]:
    fr, fg, gap = figures
    named = {"fr": fr, "fg": fg, "g": gap.printed, "signed_g": gap.signed}
    return {
        "virtual_dm": table.virtual_dm,
        "format": format,
        "play": play,
        "kind": kind,
        "labels": labels,
        **{
            f"{name}{end}": getattr(figure, field)
            for name, figure in named.items()
            for end, field in (("", "value"), ("_low", "low"), ("_high", "high"))
        },
        "refits": table.refits,
    }


def _explain(table: GapTable) -> Iterator[Sentence]:
    if table.test_groups < FEWEST_GROUPS:
        yield SAY("few_groups", groups=table.test_groups, fewest=FEWEST_GROUPS)
    else:
        yield SAY("refits", refits=table.refits) if table.refits else SAY("no_refits")
    yield SAY("scores")
    yield SAY("gap")
    yield SAY("most", most=table.most)
    yield SAY("npc")
    if table.matched:
        yield SAY("matched")
    if table.controls:
        yield SAY("control", control=IN_FORMAT)
