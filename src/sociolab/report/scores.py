"""Score entries: means over plays, with clustered intervals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sociolab.core.episode import Asked
from sociolab.core.score import READER, Measure
from sociolab.report.columns import Column, NotScored, Outcome, bounds
from sociolab.report.judged import CellValue
from sociolab.report.macro import cluster_means, macro_entry
from sociolab.report.plays import Play, PlayKey, asked_in
from sociolab.report.schema import ReadingEntry, ScoreEntry

if TYPE_CHECKING:
    from sociolab.stats.intervals import Estimate


@dataclass(frozen=True, slots=True)
class Said:
    """What a column says of each of these plays, in their order; None where it says nothing, and
    nothing was due. The plays are of seats, or of whole episodes, as the column is."""

    column: Column
    plays: Sequence[Play]
    outcomes: Sequence[Outcome | None]


def said_of(plays: Sequence[Play], column: Column) -> Said:
    """What a column says of these plays.

    A play that a judge has not seen counts as a failure of its measures if the trial failed and
    they were due, and else (it is still to be played or judged) not at all.
    """
    said: list[Outcome | None] = [column.outcomes.get(play.key) for play in plays]
    if None in said:
        said = outcomes_of(plays, column, never_due(plays, column))
    return Said(column, plays, said)


def entries(
    said: Sequence[Said],
    macro: Sequence[str] = (),
    asked: Mapping[PlayKey, Asked] | None = None,
) -> tuple[ScoreEntry, ...]:
    """For each agent: over all its plays, by partner, by type; in each, a judge and measure a row.

    All of `said` is of the same plays; `asked` says how often each was asked for a turn. Each
    measure named in `macro` has a second row with its macro average, whose note says what it
    averages. An entry that nothing counts for is left out.
    """
    plays = said[0].plays if said else ()
    found: list[ScoreEntry] = []
    for agent in dict.fromkeys(play.agent for play in plays):
        mine = [i for i, play in enumerate(plays) if play.agent == agent]
        whole = tuple(_group_entries(agent, {}, mine, said, macro, asked or {}))
        found += whole
        for by, some in _groups(plays, mine):
            if len(some) == len(mine):  # an only partner, an only type: the same plays
                found += [entry.model_copy(update={"by": by}) for entry in whole]
            else:
                found += _group_entries(agent, by, some, said, macro, asked or {})
    return tuple(found)


def _groups(
    plays: Sequence[Play], mine: Sequence[int]
) -> Iterable[tuple[dict[str, str], Sequence[int]]]:
    """The places of an agent's plays with each partner, then of each type."""
    partners: dict[str, list[int]] = {}
    types: dict[str, list[int]] = {}
    for i in mine:
        play = plays[i]
        if play.partner is not None:
            partners.setdefault(play.partner, []).append(i)
        if play.type is not None:
            types.setdefault(play.type, []).append(i)
    yield from (({"partner": partner}, some) for partner, some in partners.items())
    yield from (({"type": kind}, some) for kind, some in types.items())


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
    places: Sequence[int],
    said: Sequence[Said],
    macro: Sequence[str],
    asked: Mapping[PlayKey, Asked],
) -> Iterable[ScoreEntry]:
    from sociolab.stats.intervals import mean, means  # numpy: not before there are scores
    from sociolab.stats.scale import on_scale

    clusters = [said[0].plays[i].cluster for i in places]
    outcomes = [[one.outcomes[i] for i in places] for one in said]
    values = {str(i): _values(column) for i, column in enumerate(outcomes)}
    estimates = means(values, clusters)
    for i, one in enumerate(said):
        column, found = one.column, outcomes[i]
        estimate = estimates[str(i)]
        if all(what is None for what in found):
            continue
        ends = column.measure.low, column.measure.high
        counted = (
            one.plays[i].key for i, what in zip(places, found, strict=True) if what is not None
        )
        turns = asked_in(asked, counted)
        entry = _entry(agent, by, column, on_scale(estimate, *ends), found, turns)
        yield entry
        if column.measure.name in macro:
            over = mean(*cluster_means(found, clusters))
            yield macro_entry(entry, on_scale(over, *ends))


def _values(outcomes: Sequence[Outcome | None]) -> Sequence[float | None]:
    return [found if isinstance(found, float) else None for found in outcomes]


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
    outcomes: Sequence[Outcome | None],
    turns: Asked,
) -> ScoreEntry:
    return ScoreEntry(
        agent=agent,
        measure=column.measure.name,
        by=by,
        value=estimate.value,
        n=estimate.n,
        clusters=estimate.clusters,
        **_without_value(outcomes, column.measure),
        low=estimate.low,
        high=estimate.high,
        interval=estimate.method,
        note=estimate.note,
        method=column.judge.method,
        judge=column.label,
        failed_turns=turns.failed,
        turns_asked=turns.asked,
    )


def _without_value(outcomes: Sequence[Outcome | None], measure: Measure) -> dict[str, Any]:
    """The counts of what has no value, and what it could make of the mean."""
    kinds = Counter(found.kind for found in outcomes if isinstance(found, NotScored))
    return {
        "failures": outcomes.count("failed"),
        "unscored": kinds.total(),
        "disputed": kinds["disputed"],
        "unconfirmed": kinds["unconfirmed"],
        "cannot_tell": kinds["cannot tell"],
        "bounds": bounds(outcomes, measure),
    }


def readings(said: Sequence[Said]) -> tuple[ReadingEntry, ...]:
    """What readers read held against the outcomes by formula, for each agent and reader."""
    asked = [one for one in said if one.column.judge.method == "formula"]
    read = [one for one in said if one.column.judge.name.startswith(READER)]
    return tuple(
        entry
        for own in asked
        for other in read
        if own.column.measure.name == other.column.measure.name
        for entry in _readings(own, other)
    )


def _readings(asked: Said, read: Said) -> Iterable[ReadingEntry]:
    found: dict[str, Counter[str]] = {}
    for play, ours, theirs in zip(asked.plays, asked.outcomes, read.outcomes, strict=True):
        if play.agent is not None and ours is not None and theirs is not None:
            found.setdefault(play.agent, Counter())[_held_against(ours, theirs)] += 1
    for agent, counts in found.items():
        yield ReadingEntry(
            agent=agent,
            measure=asked.column.measure.name,
            judge=asked.column.label,
            reader=read.column.label,
            agree=counts["agree"],
            differ=counts["differ"],
            only_judge=counts["only_judge"],
            only_reader=counts["only_reader"],
            neither=counts["neither"],
        )


def _held_against(asked: Outcome, read: Outcome) -> str:
    if isinstance(asked, float) and isinstance(read, float):
        return "agree" if math.isclose(asked, read, abs_tol=1e-9) else "differ"
    if isinstance(asked, float):
        return "only_judge"
    return "only_reader" if isinstance(read, float) else "neither"


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
        **_without_value([found.outcome], found.measure),
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
