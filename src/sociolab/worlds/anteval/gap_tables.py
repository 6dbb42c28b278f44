"""The tables of an intention gap: a row for each agent, and what its figures rest on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from sociolab.report.formatting import NOTHING, p_text
from sociolab.report.section import Section, TextTable
from sociolab.report.words import minus
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


def gap_section(table: GapTable, play: str, notes: Sequence[str]) -> Section:
    """The tables, and what to know of them; `play` says what the virtual DMs were tested on."""
    tables = [_reading(table, play)]
    if any(row.information for row in table.rows):
        tables.append(_exchange(table))
    tables.append(_gaps(table, "Who makes a check: F_c and G_c in percent", _characters))
    tables.append(_gaps(table, "Who makes which check: F_o and G_o in percent", _tuples))
    if table.difference is not None:
        tables.append(_compared(table.difference))
    tables[-1] = replace(tables[-1], notes=(*_explained(table), *notes))
    return Section(f"Intention gap: virtual DM {table.virtual_dm}", tables=tuple(tables))


def by_dm(tables: Sequence[GapTable]) -> Section:
    """Agents x virtual DMs, as in the paper's Table 2."""
    rows = [
        (
            row.name,
            *(
                _plain(gap.printed)
                for table in tables
                for gap in (table.rows[place].g_c, table.rows[place].g_o)
            ),
        )
        for place, row in enumerate(tables[0].rows)
    ]
    columns = [f"{kind}, {table.virtual_dm}" for table in tables for kind in ("G_c", "G_o")]
    heading = "G in percent, by agent and virtual DM"
    table = TextTable(heading, ("agent", *columns), tuple(rows))
    return Section("Intention gap by virtual DM", tables=(table,))


_FEW_AGENTS = 10


def raters_section(tables: Sequence[GapTable], rated: Mapping[str, Estimate]) -> Section:
    """How expressive people found the play of each agent, beside its gaps: does G measure that?"""
    columns = {
        f"{kind}, {table.virtual_dm}": {row.name: parts(row)[2].printed.value for row in table.rows}
        for table in tables
        for kind, parts in (("G_c", _characters), ("G_o", _tuples))
    }
    rows = tuple(
        (
            name,
            _text(found.value, found.low, found.high, 1),
            f"{found.n}",
            *(
                NOTHING if (g := of[name]) is None else minus(f"{g:z.1f}")
                for of in columns.values()
            ),
        )
        for name, found in rated.items()
    )
    means = [one.value for one in rated.values()]
    found = {
        name: spearman(means, [of[one] for one in rated], list(rated))
        for name, of in columns.items()
    }
    told = [
        f"{name} {minus(f'{rho.value:.2f}')} (n {rho.n})"
        for name, rho in found.items()
        if rho.value is not None
    ]
    notes = ["means of ratings from 1 to 5, 5 being the most expressive; G 0: as real play"]
    if told:
        few = "; so few agents show little" if len(rated) < _FEW_AGENTS else ""
        notes.append(
            f"Spearman's rho over agents, below 0 where ratings and G agree: {'; '.join(told)}{few}"
        )
    heads = ("agent", "expressiveness", "rated", *columns)
    table = TextTable("Mean rating and G in percent, by agent", heads, rows, tuple(notes))
    return Section("Expressiveness as people rate it, and G", tables=(table,))


def csv_rows(tables: Sequence[GapTable]) -> Iterator[dict[str, object]]:
    """A row for each virtual DM, set of play and kind of gap, for programs."""
    for table in tables:
        for row in (*table.rows, *table.controls):
            for kind, (fr, fg, gap, floor, own) in (("c", _characters(row)), ("o", _tuples(row))):
                figures = {"fr": fr, "fg": fg, "g": gap.printed, "signed_g": gap.signed}
                yield {
                    "virtual_dm": table.virtual_dm,
                    "play": row.name,
                    "kind": kind,
                    "n": row.examples,
                    **{
                        f"{name}{end}": getattr(one, of)
                        for name, one in figures.items()
                        for end, of in (("", "value"), ("_low", "low"), ("_high", "high"))
                    },
                    "noise_floor": floor and floor.q95,
                    "own_floor": own and own.q95,
                    "refits": table.refits,
                }


_Parts: TypeAlias = tuple[GapFigure, GapFigure, Gap, NoiseFloor | None, NoiseFloor | None]
"""fr, fg, G, the noise floor, and that between halves of the same set."""


def _reading(table: GapTable, play: str) -> TextTable:
    """How well virtual DM and baselines read the test rows (f0 and fr of the paper's Table 2)."""
    rows = []
    if table.f0 is not None:
        rows.append(("nothing (f0)" + _failed(table.f0), *_scores(table.f0)))
    label = f"{table.real_examples} examples of {play} (fr)"
    rows.append((label + _failed(table.fr), *_scores(table.fr)))
    for row in table.baselines:
        f_c, *others = _scores(row.scores)
        named = others if row.names_skills else [NOTHING, NOTHING]
        rows.append((f"baseline: {row.name}", f_c, *named))
    return TextTable(
        f"Virtual DM {table.virtual_dm} on {play}, {table.measured_on}",
        ("trained on", "F_c %", "F_o %", "F_s %"),
        tuple(rows),
    )


def _exchange(table: GapTable) -> TextTable:
    """IEP beside IEG, as in the paper's Table 1."""
    rows = tuple(
        (row.name, _percent(GapFigure(iep.value, iep.low, iep.high)), f"{iep.n}", f"{iep.clusters}")
        for row in table.rows
        if (iep := row.information) is not None
    )
    return TextTable("Information exchange", ("agent", "IEP %", "answers", "sessions"), rows)


def _gaps(table: GapTable, title: str, parts: Callable[[GapRow], _Parts]) -> TextTable:
    """A row for each agent (the paper's Tables 1 and 2), then the control."""
    rows = []
    for row in (*table.rows, *table.controls):
        real, generated, gap, *floors = parts(row)
        figures = (
            _percent(real) + _failed(row.fr),
            _percent(generated) + _failed(row.fg),
            _plain(gap.printed),
            _plain(gap.signed),
        )
        rows.append((row.name, str(row.examples), *figures, *(_below(gap, one) for one in floors)))
    columns = ("agent", "n", "fr", "fg", "G", "signed G", "noise floor", "own floor")
    return TextTable(title, columns, tuple(rows))


def _below(gap: Gap, floor: NoiseFloor | None) -> str:
    if floor is None or floor.q95 is None:
        return NOTHING
    verdict = against_floor(gap, floor)
    return f"{floor.q95:.1f}" + (f"\n(G {verdict})" if verdict else "")


def _characters(row: GapRow) -> _Parts:
    return row.fr.f_c, row.fg.f_c, row.g_c, row.floor_c, row.own_floor_c


def _tuples(row: GapRow) -> _Parts:
    return row.fr.f_o, row.fg.f_o, row.g_o, row.floor_o, row.own_floor_o


def _compared(found: GapDifference) -> TextTable:
    """One agent against another."""
    rows = tuple(
        (kind, _plain(figure), p_text(p))
        for kind, figure, p in (("G_c", found.g_c, found.p_c), ("G_o", found.g_o, found.p_o))
    )
    heading = f"Signed G of {found.one} less that of {found.other}, paired by session"
    return TextTable(heading, ("gap", "difference", "p"), rows)


def _explained(table: GapTable) -> tuple[str, ...]:
    lines = [
        _of_intervals(table),
        "F1 over the characters who make a check (F_c), over characters with their skills (F_o), "
        "over skills alone (F_s)",
        "G = |fr - fg| / (fr + fg) x 100; signed G: positive where a virtual DM learns more from "
        "real play",
        f"each prediction: at most {table.most} label{'s' if table.most > 1 else ''} a row",
        "an agent plays the NPC, too, unless another one is named in brackets",
    ]
    if table.matched:
        lines.append(
            "fr, fg: F of virtual DMs trained on equally many (n) real and generated examples"
        )
    lines += _of_floors(table)
    if table.controls:
        lines.append(
            f"{IN_FORMAT}: human play with the check moved to mid-window, as in a whole session, "
            "or at the end for as many sessions as were cut; its G is what the format alone does, "
            "and only what exceeds it can be the agent's"
        )
    if table.difference is not None:
        lines.append(
            f"difference: negative where play of {table.difference.one} teaches a virtual DM more; "
            + ("p two-sided" if table.refits else "no p, as the training play was not resampled")
        )
    return tuple(lines)


def _of_intervals(table: GapTable) -> str:
    """What variation the intervals include."""
    if table.test_groups < FEWEST_GROUPS:
        return (
            f"no intervals: {table.test_groups} groups of test rows are too few, expected at least "
            f"{FEWEST_GROUPS}"
        )
    if table.refits:
        return (
            "in brackets, 95 % intervals: for agents they include sampling of the sessions "
            f"and the real play trained on ({table.refits} refits on resampled play) and of the "
            "test rows (bootstrap over groups), elsewhere of the test rows alone"
        )
    return (
        "in brackets, 95 % intervals, which include sampling of the test rows alone "
        "(bootstrap over groups, paired for G), not of the generated sessions and the real play "
        "trained on: too narrow, as only 32 to 85 of 100 such intervals held the truth in "
        "simulated studies; --refits N adds these (N more trainings of each virtual DM)"
    )


def _of_floors(table: GapTable) -> Iterator[str]:
    floors = [row.floor_o for row in table.rows if row.floor_o is not None and row.floor_o.values]
    own = [row.own_floor_o for row in table.rows if row.own_floor_o and row.own_floor_o.values]
    if not floors:
        yield (
            "no noise floor, so these gaps cannot be told from chance in the training samples; "
            "--splits N computes one (two more trainings per split)"
        )
        return
    splits = len(floors[0].values)
    yield (
        f"noise floor: 95 % of the G between two disjoint real samples of {_sizes(floors)} "
        f"examples lie below it ({splits} splits); a G within it shows nothing; undecided: the "
        "signed interval of G holds 0"
    )
    if own:
        yield (
            f"own floor: the same between two halves of one agent's play, of {_sizes(own)} examples"
        )


def _sizes(floors: Sequence[NoiseFloor]) -> str:
    return ", ".join(dict.fromkeys(str(floor.size) for floor in floors))


def _scores(scores: DMScores) -> tuple[str, ...]:
    return tuple(_percent(figure) for figure in (scores.f_c, scores.f_o, scores.f_s))


def _failed(scores: DMScores) -> str:
    """A line of its own for the replies that were of no use."""
    return f"\n({scores.failed} failed)" if scores.failed else ""


def _percent(figure: GapFigure) -> str:
    return _text(figure.value, figure.low, figure.high, 100)


def _plain(figure: GapFigure) -> str:
    return _text(figure.value, figure.low, figure.high, 1)


def _text(value: float | None, low: float | None, high: float | None, by: int) -> str:
    if value is None:
        return NOTHING
    shown = minus(f"{value * by:z.1f}")
    if low is None or high is None:
        return shown
    return minus(f"{shown}\n({low * by:z.0f} to {high * by:z.0f})")
