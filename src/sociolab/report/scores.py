"""Score entries: means over plays, with clustered intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sociolab.report.columns import Column, Outcome
from sociolab.report.judged import CellValue
from sociolab.report.macro import cluster_means, macro_entry
from sociolab.report.plays import Play
from sociolab.report.schema import ScoreEntry

if TYPE_CHECKING:
    from sociolab.stats.intervals import Estimate


def entries(
    plays: Sequence[Play], columns: Sequence[Column], macro: Sequence[str] = ()
) -> tuple[ScoreEntry, ...]:
    """For each agent: over all its plays, by partner, by type; in each, a judge and measure a row.

    `plays` and `columns` are both of seats, or both of whole episodes. Each measure named in
    `macro` has a second row with its macro average, whose note says what it averages. A play that a
    judge has not seen counts as a failure of its measures if the trial failed and they were due,
    and else (it is still to be played or judged) not at all; an entry that nothing counts for is
    left out.
    """
    never = [never_due(plays, column) for column in columns]
    found: list[ScoreEntry] = []
    for agent in dict.fromkeys(play.agent for play in plays):
        mine = [play for play in plays if play.agent == agent]
        whole = tuple(_group_entries(agent, {}, mine, columns, never, macro))
        found += whole
        for by, some in _groups(mine):
            if len(some) == len(mine):  # an only partner, an only type: the same plays
                found += [entry.model_copy(update={"by": by}) for entry in whole]
            else:
                found += _group_entries(agent, by, some, columns, never, macro)
    return tuple(found)


def _groups(plays: Sequence[Play]) -> Iterable[tuple[dict[str, str], Sequence[Play]]]:
    for partner in dict.fromkeys(play.partner for play in plays):
        if partner is not None:
            yield {"partner": partner}, [play for play in plays if play.partner == partner]
    for kind in dict.fromkeys(play.type for play in plays):
        if kind is not None:
            yield {"type": kind}, [play for play in plays if play.type == kind]


def never_due(plays: Sequence[Play], column: Column) -> frozenset[str | None]:
    """The seats that a column is never for, such as AntEval's NPC: present where it has verdicts,
    and without one each time. All, where nothing is due at all of a failed trial."""
    if not column.due:
        return frozenset(play.key[1] for play in plays)
    if all(play.key in column.outcomes for play in plays):
        return frozenset()
    judged = {key for play in plays if (key := play.key) in column.outcomes}
    trials = {trial for trial, _ in judged}
    present = {play.key[1] for play in plays if play.key[0] in trials and not play.failed}
    return frozenset(present - {seat for _, seat in judged})


def _group_entries(
    agent: str | None,
    by: dict[str, str],
    plays: Sequence[Play],
    columns: Sequence[Column],
    never: Sequence[frozenset[str | None]],
    macro: Sequence[str],
) -> Iterable[ScoreEntry]:
    from sociolab.stats.intervals import mean, means  # numpy: not before there are scores
    from sociolab.stats.scale import on_scale

    outcomes = {str(i): outcomes_of(plays, column, never[i]) for i, column in enumerate(columns)}
    values = {
        i: [found if isinstance(found, float) else None for found in column]
        for i, column in outcomes.items()
    }
    estimates = means(values, [play.cluster for play in plays])
    for i, column in enumerate(columns):
        failures = outcomes[str(i)].count("failed")
        unscored = outcomes[str(i)].count("unscored")
        estimate = estimates[str(i)]
        if not estimate.n + failures + unscored:
            continue
        ends = column.measure.low, column.measure.high
        entry = _entry(agent, by, column, on_scale(estimate, *ends), failures, unscored)
        yield entry
        if column.measure.name in macro:
            over = mean(*cluster_means(outcomes[str(i)], [play.cluster for play in plays]))
            yield macro_entry(entry, on_scale(over, *ends))


def outcomes_of(
    plays: Sequence[Play], column: Column, never: frozenset[str | None]
) -> list[Outcome | None]:
    """What a column says of these plays; None where it says nothing, and nothing was due."""
    return [
        column.outcomes.get(
            play.key, "failed" if play.failed and play.key[1] not in never else None
        )
        for play in plays
    ]


def _entry(
    agent: str | None,
    by: dict[str, str],
    column: Column,
    estimate: Estimate,
    failures: int,
    unscored: int,
) -> ScoreEntry:
    return ScoreEntry(
        agent=agent,
        measure=column.measure.name,
        by=by,
        value=estimate.value,
        n=estimate.n,
        clusters=estimate.clusters,
        failures=failures,
        unscored=unscored,
        low=estimate.low,
        high=estimate.high,
        interval=estimate.method,
        note=estimate.note,
        method=column.judge.method,
        judge=column.label,
    )


def cell_entry(found: CellValue) -> ScoreEntry:
    """A verdict on a cell of the plan, or on the run, as it is: one value, without an interval.

    A cell that is an object becomes `by`, its "agent" the entry's; any other becomes {"cell": ...}.
    """
    by = _by(found)
    scored = isinstance(found.outcome, float)
    return ScoreEntry(
        agent=by.pop("agent", None),
        measure=found.measure.name,
        by=by,
        value=found.outcome if isinstance(found.outcome, float) else None,
        n=int(scored),
        clusters=int(scored),
        failures=int(found.outcome == "failed"),
        unscored=int(found.outcome == "unscored"),
        low=None,
        high=None,
        interval="none",
        note="1 value of a whole cell" if scored else "no values",
        method=found.judge.method,
        judge=found.label,
    )


def _by(found: CellValue) -> dict[str, str]:
    by: dict[str, str] = {}
    if isinstance(found.cell, dict):
        by = {str(key): str(value) for key, value in found.cell.items()}
    elif found.cell is not None:
        by = {"cell": str(found.cell)}
    if found.seat is not None:
        by["seat"] = found.seat
    return by
