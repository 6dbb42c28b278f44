"""Tables of the intention gap: findings, a row for each agent, and notes on how to read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from sociolab.report.catalogue import Catalogue, Column, Form
from sociolab.report.finding import Count, Finding, FindingTable, Sentence
from sociolab.report.section import Section
from sociolab.stats.correlation import spearman
from sociolab.stats.intervals import Estimate
from sociolab.worlds.anteval.gap import IN_FORMAT, GapRow, GapTable, against_floor
from sociolab.worlds.anteval.gap_intervals import (
    FEWEST_GROUPS,
    DMScores,
    Gap,
    GapDifference,
    GapFigure,
    NoiseFloor,
)

SAY = Catalogue("gap", "sociolab.worlds.anteval.notes")
_FEW_AGENTS = 10
_POINT: Form = "z.1f"  # type: ignore[assignment]

_Parts: TypeAlias = tuple[GapFigure, GapFigure, Gap, NoiseFloor | None, NoiseFloor | None]
"""fr, fg, G, the noise floor, and that between halves of the same set."""


def _parts(row: GapRow, kind: str) -> _Parts:
    """Of the gap over characters ("c"), or over characters with their skills ("o")."""
    if kind == "c":
        return row.fr.f_c, row.fg.f_c, row.g_c, row.floor_c, row.own_floor_c
    return row.fr.f_o, row.fg.f_o, row.g_o, row.floor_o, row.own_floor_o


def gap_findings(table: GapTable, kind: str) -> tuple[Finding, ...]:
    """A finding for each agent and control: both F and G in percent, and the floors of G."""
    return tuple(_gap(row, kind) for row in (*table.rows, *table.controls))


def _gap(row: GapRow, kind: str) -> Finding:
    real, generated, gap, floor, own = _parts(row, kind)
    return Finding(
        about={"agent": row.name},
        counts=(Count("example", row.examples),),
        more={
            "fr": _percent(real),
            "fg": _percent(generated),
            "G": gap.printed,
            "signed G": gap.signed,
            "noise floor": _floor(gap, floor),
            "own floor": _floor(gap, own),
            "failed": row.fr.failed + row.fg.failed,
        },
    )


def _floor(gap: Gap, floor: NoiseFloor | None) -> Sentence | float | None:
    """The floor, and whether G is above it where that can be said."""
    if floor is None or floor.q95 is None:
        return None
    verdict = against_floor(gap, floor)
    return SAY("against_floor", q95=floor.q95, verdict=verdict) if verdict else floor.q95


def _percent(figure: GapFigure) -> GapFigure:
    value, low, high = (
        None if part is None else part * 100 for part in (figure.value, figure.low, figure.high)
    )
    return GapFigure(value, low, high)


def gap_section(table: GapTable, play: str, notes: Sequence[str]) -> Section:
    """All tables of one virtual DM, with notes; `play` says what it was tested on."""
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
        *(
            Column(name, name, name, _POINT)
            for name in ("fr", "fg", "G", "signed G", "noise floor", "own floor", "failed")
        ),
    )
    tables.append(SAY.table("characters", gap_findings(table, "c"), columns=columns))
    tables.append(SAY.table("checks", gap_findings(table, "o"), columns=columns))
    if difference := table.difference:
        tables.append(_difference(difference))
    tables[-1] = replace(tables[-1], notes=(*_explain(table), *notes))
    return Section(SAY("title", dm=table.virtual_dm), tables=tuple(tables))


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


def _difference(difference: GapDifference) -> FindingTable:
    rows = (
        Finding(about={"gap": gap}, more={"difference": figure}, p=p)
        for gap, figure, p in (
            ("G_c", difference.g_c, difference.p_c),
            ("G_o", difference.g_o, difference.p_o),
        )
    )
    return SAY.table("difference", rows, agent=difference.one, other=difference.other)


def by_dm(tables: Sequence[GapTable]) -> Section:
    """Agents x virtual DMs, as in the paper's Table 2."""
    gaps = _gaps(tables)
    rows = [
        Finding(about={"agent": row.name}, more={name: by[row.name] for name, by in gaps.items()})
        for row in tables[0].rows
    ]
    columns = (Column("agent", "agent", "agent"), *_columns(gaps))
    return Section(SAY("by_dm"), tables=(SAY.table("by_dm", rows, columns=columns),))


def _gaps(tables: Sequence[GapTable]) -> dict[str, dict[str, GapFigure]]:
    """The printed G of each agent, by column: kind of gap and virtual DM."""
    return {
        SAY("gap_column", kind=f"G_{kind}", dm=table.virtual_dm): {
            row.name: _parts(row, kind)[2].printed for row in table.rows
        }
        for table in tables
        for kind in ("c", "o")
    }


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
            more={column: by[name] for column, by in gaps.items()},
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
        name: spearman(means, [by[agent].value for agent in rated], list(rated))
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
    """A row for each virtual DM, set of play and kind of gap, for programs."""
    for table in tables:
        for row in (*table.rows, *table.controls):
            for kind, (fr, fg, gap, floor, own) in (
                (kind, _parts(row, kind)) for kind in ("c", "o")
            ):
                figures = {"fr": fr, "fg": fg, "g": gap.printed, "signed_g": gap.signed}
                yield {
                    "virtual_dm": table.virtual_dm,
                    "play": row.name,
                    "kind": kind,
                    "n": row.examples,
                    **{
                        f"{name}{end}": getattr(figure, field)
                        for name, figure in figures.items()
                        for end, field in (("", "value"), ("_low", "low"), ("_high", "high"))
                    },
                    "noise_floor": floor and floor.q95,
                    "own_floor": own and own.q95,
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
    floors = [row.floor_o for row in table.rows if row.floor_o and row.floor_o.values]
    own = [row.own_floor_o for row in table.rows if row.own_floor_o and row.own_floor_o.values]
    if floors:
        yield SAY("floor", sizes=_sizes(floors), splits=len(floors[0].values))
        if own:
            yield SAY("own_floor", sizes=_sizes(own))
    else:
        yield SAY("no_floor")
    if table.controls:
        yield SAY("control", control=IN_FORMAT)
    if table.difference is not None:
        p = SAY("two_sided") if table.refits else SAY("no_p")
        yield SAY("difference", agent=table.difference.one, p=p)


def _sizes(floors: Sequence[NoiseFloor]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(floor.size) for floor in floors))
