"""Agents ranked by who scores higher at the same task and seat with the same partner."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import permutations
from statistics import NormalDist
from typing import Any

from sociolab.analysis.pooled import Pool
from sociolab.analysis.values import Value
from sociolab.core.episode import Asked
from sociolab.core.errors import ConfigError
from sociolab.report.columns import mean_ends
from sociolab.report.plays import PlayKey, asked_in
from sociolab.stats.bradley_terry import POINTS, Rating, Ratings, rate
from sociolab.stats.contests import Compared, Comparison, Score, comparisons
from sociolab.stats.student import LEVEL, reach

WHOLE = ""
"""The seat of a measure of whole episodes."""

ITSELF = ""
"""The partner of an agent that sat in all seats, in a measure of whole episodes."""


@dataclass(frozen=True, slots=True)
class Record:
    """What became of the comparisons of two agents, by weight, as the first one sees it."""

    won: float
    tied: float
    lost: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """Ratings of all agents that met a counterpart.

    `plays` counts each agent's scored plays, `missing` those whose score is missing, `mixed` the
    scored plays with several partners at once, which answer to no other play; `alone` are the
    agents that were never compared. `records` has both orders of each two agents that were.
    `firm`: by group, the share of the resamples below which an order that they turn is settled.
    `asked`: how many turns each agent failed, and of how many, in all its plays. `bounds`: between
    what each agent's mean lies, whatever the plays without a score came to; None where that is
    without end. `untold`: how many of each agent's plays could not be scored.
    """

    pool: Pool
    ratings: Ratings
    compared: Compared
    plays: dict[str, int]
    missing: dict[str, int]
    mixed: int
    alone: tuple[str, ...]
    records: dict[tuple[str, str], Record]
    firm: dict[int, float]
    asked: Mapping[str, Asked]
    bounds: Mapping[str, tuple[float, float] | None] = field(default_factory=dict)
    untold: Mapping[str, int] = field(default_factory=dict)

    def undecided(self, above: str, below: str) -> bool:
        """Whether plays that could not be scored could turn the order of two agents round."""
        lowest, highest = self.bounds.get(above), self.bounds.get(below)
        open_ = any(self.untold.get(one) for one in (above, below))
        return open_ and (lowest is None or highest is None or lowest[0] < highest[1])


def ranking(pool: Pool, asked: Mapping[str, Mapping[PlayKey, Asked]] | None = None) -> Ranking:
    """Rate the agents of a pool; ConfigError where no two of them can be compared.

    Intervals and the firmness of the order resample clusters of tasks. `asked`: by run, how many
    turns each play was asked for, and failed.
    """
    mine = [value for value in pool.values if value.agent is not None]
    placed = [value for value in mine if value.partner is not None]
    compared = comparisons([_score(value) for value in placed])
    if not compared.comparisons:
        raise ConfigError(
            "no two agents of these runs have a score at the same task and seat with the same "
            f"partner in {pool.measure.name}, so that nothing can be ranked; play several agents "
            f"on the same tasks, with one --partner or among each other{pool.hint}"
        )
    ratings = rate(compared.comparisons)
    rated = {one.model for one in ratings.models}
    return Ranking(
        pool=pool,
        ratings=ratings,
        compared=compared,
        plays=dict(Counter(str(value.agent) for value in placed if value.value is not None)),
        missing=dict(Counter(str(value.agent) for value in placed if value.value is None)),
        mixed=sum(value.partner is None and value.value is not None for value in mine),
        alone=tuple(sorted({str(value.agent) for value in mine} - rated)),
        records=_records(compared.comparisons),
        firm=_firm(ratings, compared.comparisons),
        asked=_asked(pool, asked or {}),
        bounds=_bounds(pool),
        untold=dict(Counter(str(one.agent) for one in pool.untold if one.agent is not None)),
    )


def _bounds(pool: Pool) -> dict[str, tuple[float, float] | None]:
    ends: dict[str, list[tuple[float, float]]] = {}
    for value in (*pool.values, *pool.untold):
        if value.agent is not None:
            ends.setdefault(value.agent, []).append(value.ends)
    return {agent: mean_ends(some) for agent, some in ends.items()}


def _asked(pool: Pool, asked: Mapping[str, Mapping[PlayKey, Asked]]) -> dict[str, Asked]:
    every = {(run, key): one for run, found in asked.items() for key, one in found.items()}
    plays: dict[str, set[tuple[str, PlayKey]]] = {}
    for value in (*pool.values, *pool.untold):
        plays.setdefault(str(value.agent), set()).add((value.run, (value.trial, value.seat)))
    return {agent: asked_in(every, keys) for agent, keys in plays.items()}


def points(strength: float | None) -> float | None:
    """Elo points above the mean of the agents rated together."""
    return None if strength is None else POINTS * strength


def ranking_document(found: Ranking) -> dict[str, Any]:
    """The ranking as a JSON object: see docs/ranking.md."""
    pool, ratings = found.pool, found.ratings
    return {
        "schema": 1,
        "world": pool.world,
        "runs": list(pool.runs),
        "judge": {"judge": pool.judge, "method": pool.judge_id.method},
        "measure": pool.measure.name,
        "plays": found.plays,
        "missing": found.missing,
        "not_established": dict(found.untold),
        "several_partners": found.mixed,
        "unmatched": found.compared.unmatched,
        "comparisons": len(found.compared.comparisons),
        "clusters": ratings.clusters,
        "level": LEVEL,
        "settled_below": {str(group): share for group, share in found.firm.items()},
        "agents": [_agent(found, one) for one in ratings.models],
        "not_compared": list(found.alone),
        "order": [
            {**asdict(one), "decided": not found.undecided(one.above, one.below)}
            for one in ratings.neighbours
        ],
        "records": [
            {"agent": a, "against": b, **asdict(one)} for (a, b), one in found.records.items()
        ],
        "notes": list(pool.notes),
    }


def _agent(found: Ranking, one: Rating) -> dict[str, Any]:
    asked, bounds = found.asked[one.model], found.bounds[one.model]
    return {
        "agent": one.model,
        "group": one.group,
        "points": points(one.strength),
        "low": points(one.low),
        "high": points(one.high),
        "strength": one.strength,
        "expected": one.expected,
        "won": one.won,
        "tied": one.tied,
        "lost": one.lost,
        "note": one.note,
        "failed_turns": asked.failed,
        "turns_asked": asked.asked,
        "bounds": bounds and list(bounds),
    }


def _firm(ratings: Ratings, rows: Sequence[Comparison]) -> dict[int, float]:
    """By group, the tail that the intervals leave out on one side: less than 2.5 %, since resamples
    of few clusters differ too little from each other (`stats.bradley_terry`)."""
    group = {one.model: one.group for one in ratings.models}
    clusters: dict[int, set[str]] = {}
    for row in rows:
        if group[row.a] == group[row.b]:
            clusters.setdefault(group[row.a], set()).add(row.cluster)
    counts = {number: len(found) for number, found in clusters.items() if len(found) > 1}
    return {
        number: NormalDist().cdf(-math.sqrt(n / (n - 1)) * reach(n - 1))
        for number, n in counts.items()
    }


def _score(value: Value) -> Score:
    """Of a whole episode that one agent played alone, the partner is no other agent, but the
    design: it answers to any other agent's that did the same."""
    alone = value.seat is None and value.partner == value.agent
    return Score(
        model=str(value.agent),
        task=value.task,
        seat=WHOLE if value.seat is None else value.seat,
        partner=ITSELF if alone else str(value.partner),
        play=f"{value.run}/{value.trial}",
        cluster=value.cluster,
        value=value.value,
    )


def _records(rows: Sequence[Comparison]) -> dict[tuple[str, str], Record]:
    found: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        # 1, 0.5 and 0 are won, tied and lost; the other side sees them the other way round.
        for pair, outcome in (((row.a, row.b), row.outcome), ((row.b, row.a), 1 - row.outcome)):
            record = found.setdefault(pair, [0.0, 0.0, 0.0])
            record[round(2 - 2 * outcome)] += row.weight
    names = sorted({name for pair in found for name in pair})
    return {pair: Record(*found[pair]) for pair in permutations(names, 2) if pair in found}
