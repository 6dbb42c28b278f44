"""Who scores higher at the same task and seat, with the same partner: agents ranked."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import permutations
from typing import Any

from sociolab.analysis.agent_names import agent_names
from sociolab.analysis.compare_sides import check_no_smoke
from sociolab.analysis.matching import Match, places_of
from sociolab.analysis.values import Pool, Value, judge_caution, pooled, run_values
from sociolab.core.episode import TurnsAsked
from sociolab.core.errors import ConfigError
from sociolab.core.metrics import Better
from sociolab.report.catalogue import Catalogue, Column, write
from sociolab.report.charts import Dot, dot_chart
from sociolab.report.exam import exam_note, exam_of, exam_warnings
from sociolab.report.figures import Panel, Point, interval_figure
from sociolab.report.finding import Count, Finding, FindingTable, Sentence, episodes_and_seats
from sociolab.report.plays import PlayKey, asked_in, mean_ends
from sociolab.report.result import outline_of, turns_asked
from sociolab.report.run_facts import FEW_CLUSTERS
from sociolab.report.section import Figure, Section, Spec, noted
from sociolab.report.words import (
    failed_of,
    notes_of_runs,
    notes_of_sets,
    percent,
    stand_in_words,
)
from sociolab.stats.intervals import LEVEL
from sociolab.stats.ranking import (
    POINTS,
    AdjacentModels,
    Contest,
    Contests,
    ModelRating,
    ModelRatings,
    SeatScore,
    contests,
    rate,
)
from sociolab.store.store import Store

WHOLE = ""
"""The seat of a measure of whole episodes."""

ITSELF = ""
"""The partner of an agent that sat in all seats, in a measure of whole episodes."""

SAY = Catalogue("rank")
_STEP = 100
"""The ends of the figure's axis are whole multiples of so many points."""


@dataclass(frozen=True, slots=True)
class PairRecord:
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
    `asked`: how many turns each agent failed, and of how many, in all its plays. `bounds`: between
    what each agent's mean lies, whatever the plays without a score came to; None where that is
    without end. `untold`: how many of each agent's plays could not be scored. `match`: how plays
    were set against each other; `few`: since few had an exact counterpart.
    """

    pool: Pool
    ratings: ModelRatings
    compared: Contests
    plays: dict[str, int]
    missing: dict[str, int]
    mixed: int
    alone: tuple[str, ...]
    records: dict[tuple[str, str], PairRecord]
    asked: Mapping[str, TurnsAsked]
    bounds: Mapping[str, tuple[float, float] | None] = field(default_factory=dict)
    untold: Mapping[str, int] = field(default_factory=dict)
    match: Match = "exact"
    few: bool = False

    def undecided(self, above: str, below: str) -> bool:
        """Whether plays that could not be scored could turn the order of two agents round."""
        if self.pool.better == "lower":
            above, below = below, above
        lowest, highest = self.bounds.get(above), self.bounds.get(below)
        open_ = any(self.untold.get(one) for one in (above, below))
        return open_ and (lowest is None or highest is None or lowest[0] < highest[1])


def ranking(
    pool: Pool,
    asked: Mapping[str, Mapping[PlayKey, TurnsAsked]] | None = None,
    match: Match | None = None,
    places: Mapping[tuple[str, PlayKey], str] | None = None,
) -> Ranking:
    """Rate the agents of a pool; ConfigError where no two of them can be compared.

    The better value wins: the lower one, where the world declares so of its metric.

    Intervals and the firmness of the order resample clusters of tasks. `asked`: by run, how many
    turns each play was asked for, and failed. `match`: exact, or by scenario, where agents are held
    against each other in the same scenario, place at the table (`places`, by run, trial and seat)
    and with the same partner, whatever the cast; None takes the scenario where more than half of
    the plays have no exact counterpart.
    """
    mine = [value for value in pool.values if value.agent is not None]
    placed = [value for value in mine if value.partner is not None]
    compared = contests([_score(value, pool.better) for value in placed])
    scored = sum(value.value is not None for value in placed)
    few = match is None and 2 * compared.unmatched > scored
    if match == "scenario" or few:
        loose = contests([_by_scenario(value, pool.better, places or {}) for value in placed])
        if match == "scenario" or loose.unmatched < compared.unmatched:
            compared, match = loose, "scenario"
    if not compared.comparisons:
        raise ConfigError(
            "no two agents of these runs have a score at the same task and seat with the same "
            f"partner in {pool.title}, so that nothing can be ranked; play several agents "
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
        asked=_asked(pool, asked or {}),
        bounds=_bounds(pool),
        untold=dict(Counter(str(one.agent) for one in pool.untold if one.agent is not None)),
        match=match or "exact",
        few=few,
    )


def _bounds(pool: Pool) -> dict[str, tuple[float, float] | None]:
    ends: dict[str, list[tuple[float, float]]] = {}
    for value in (*pool.values, *pool.untold):
        if value.agent is not None:
            ends.setdefault(value.agent, []).append(value.ends)
    return {agent: mean_ends(some) for agent, some in ends.items()}


def _asked(pool: Pool, asked: Mapping[str, Mapping[PlayKey, TurnsAsked]]) -> dict[str, TurnsAsked]:
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
        "match": found.match,
        "comparisons": len(found.compared.comparisons),
        "clusters": ratings.clusters,
        "level": LEVEL,
        "settled_below": {str(group): share for group, share in found.ratings.tails.items()},
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


def _agent(found: Ranking, one: ModelRating) -> dict[str, Any]:
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


def _score(value: Value, better: Better) -> SeatScore:
    """Where lower is better, the value with the other sign, since the higher one wins.

    Of a whole episode that one agent played alone, the partner is no other agent, but the design:
    it answers to any other agent's that did the same.
    """
    alone = value.seat is None and value.partner == value.agent
    sign = -1 if better == "lower" else 1
    return SeatScore(
        model=str(value.agent),
        task=value.task,
        seat=WHOLE if value.seat is None else value.seat,
        partner=ITSELF if alone else str(value.partner),
        play=f"{value.run}/{value.trial}",
        cluster=value.cluster,
        value=None if value.value is None else sign * value.value,
        given=tuple((who, sign * one) for who, one in value.given),
    )


def _by_scenario(
    value: Value, better: Better, places: Mapping[tuple[str, PlayKey], str]
) -> SeatScore:
    place = places.get((value.run, (value.trial, value.seat)), value.seat or WHOLE)
    return _score(value, better)._replace(task=value.cluster, seat=place)


def _records(rows: Sequence[Contest]) -> dict[tuple[str, str], PairRecord]:
    found: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        # 1, 0.5 and 0 are won, tied and lost; the other side sees them the other way round.
        for pair, outcome in (((row.a, row.b), row.outcome), ((row.b, row.a), 1 - row.outcome)):
            record = found.setdefault(pair, [0.0, 0.0, 0.0])
            record[round(2 - 2 * outcome)] += row.weight
    names = sorted({name for pair in found for name in pair})
    return {pair: PairRecord(*found[pair]) for pair in permutations(names, 2) if pair in found}


def rank_runs(
    store: Store,
    runs: Sequence[str],
    judge: str | None = None,
    measure: str | None = None,
    rename: Mapping[str, str] | None = None,
    match: Match | None = None,
) -> Ranking:
    """Rank the agents of these runs together, under the names of `rename`; ConfigError where they
    cannot be compared."""
    trials = {run: store.trials(run) for run in runs}
    check_no_smoke([outline_of(store, run, plan) for run, plan in trials.items()])
    values, names = run_values(store, runs), agent_names(store, runs, rename)
    called = judge and names.judge(judge)
    pool = pooled([names.values(one) for one in values], called, measure)
    asked = {run: turns_asked(store, run) for run in runs}
    judged = {pool.judge: pool.judge_id.prompts}
    told = {
        run.run: notes_of_sets(run.declared, store.run(run.run).settings, judged) for run in values
    }
    served = stand_in_words(*(store.run(run).settings for run in runs))
    notes = (*pool.notes, *names.notes, *(f"{words}." for words in served))
    exam = exam_of(store, pool.world, pool.judge_id)
    below = (*notes_of_runs(told), *([exam_note(pool.judge, exam)] if exam else []))
    pool = replace(pool, notes=notes, instructions=below, exam=exam)
    places = {
        (run, key): place
        for run, plan in trials.items()
        for key, place in places_of({row.trial.id: row.trial.cast for row in plan}).items()
    }
    return ranking(pool, asked, match, places)


def rank(
    store: Store,
    runs: str | Sequence[str],
    *,
    judge: str | None = None,
    measure: str | None = None,
) -> dict[str, Any]:
    """What `sociolab rank --json` prints of the agents of these runs: see docs/ranking.md.

    ConfigError where they cannot be ranked together.
    """
    names = (runs,) if isinstance(runs, str) else tuple(runs)
    return ranking_document(rank_runs(store, names, judge, measure))


def ranking_section(found: Ranking) -> Section:
    """The ranking to print, or as a part of a page."""
    section = Section(
        SAY("title", metric=found.pool.title, judge=found.pool.judge),
        tuple(_verdicts(found)),
        tuple(_cautions(found)),
        (_rating_table(found), *_order_table(found), *_record_table(found)),
        tuple(_figures(found)),
    )
    return noted(section, found.pool.instructions)


# ------------------------------------------------------------------ what it concludes


@dataclass(frozen=True, slots=True)
class Points:
    """A rating in Elo points above the mean of the agents rated together, with its interval."""

    value: float | None
    low: float | None
    high: float | None


def _points_of(one: ModelRating) -> Points:
    return Points(points(one.strength), points(one.low), points(one.high))


def rating_findings(found: Ranking) -> tuple[Finding, ...]:
    """A finding for each rated agent: points, record, and how many of its scores could be used."""
    cells: dict[str, list[tuple[str, str | None]]] = {}
    for value in found.pool.values:
        if value.agent is not None and value.partner is not None and value.value is not None:
            cells.setdefault(value.agent, []).append((f"{value.run}/{value.trial}", value.seat))
    return tuple(
        Finding(
            found.pool.measure,
            {"agent": one.model},
            counts=episodes_and_seats(cells.get(one.model, ())),
            bounds=found.bounds.get(one.model),
            more={
                "group": str(one.group),
                "points": _points_of(one),
                "expected": one.expected,
                "won": one.won,
                "tied": one.tied,
                "lost": one.lost,
                "untold": found.untold.get(one.model, 0),
                "failed_turns": failed_of(found.asked[one.model]),
            },
        )
        for one in found.ratings.models
    )


def _verdicts(found: Ranking) -> Iterator[Sentence]:
    match = SAY("match_scenario_few" if found.few else "match_scenario")
    yield SAY(
        "compared",
        agents=Count("agent", len(found.ratings.models)),
        comparisons=Count("comparison", len(found.compared.comparisons)),
        match=SAY("match_exact") if found.match == "exact" else match,
        better=found.pool.better or "higher",
        metric=found.pool.title,
    )
    for group in sorted({one.group for one in found.ratings.models}):
        mine = [one for one in found.ratings.models if one.group == group]
        if mine[0].strength is not None:
            yield _ahead(mine, found)
    yield from (_order_verdict(found, pair) for pair in found.ratings.neighbours)
    for one in found.ratings.models:
        if one.strength is None:
            why = {"won every comparison": "won_all", "lost every comparison": "lost_all"}
            reason = SAY(why[one.note]) if one.note in why else one.note
            yield SAY("unrated", agent=one.model, why=reason)
    if found.alone:
        yield SAY("alone", agents=found.alone)


def _ahead(mine: list[ModelRating], found: Ranking) -> Sentence:
    first, rating = mine[0], _points_of(mine[0])
    interval = SAY("no_interval", why=first.note)
    if rating.low is not None and rating.high is not None:
        interval = SAY("with_interval", points=rating)
    level = [one.model for one in mine if _level(first, one)]
    if len(level) > 1:
        return SAY("level", agents=level, points=rating.value, interval=interval)
    lead = next((pair for pair in found.ratings.neighbours if pair.above == first.model), None)
    return SAY(
        "first" if lead is None or settled(found, lead) else "leads",
        agent=first.model,
        points=rating.value,
        interval=interval,
        whom=mine[1].model if len(mine) == 2 else SAY("average_agent"),
        share=first.expected or 0.0,
    )


def _level(one: ModelRating, other: ModelRating) -> bool:
    """Whether two ratings are the same but for rounding."""
    return (
        one.strength is not None
        and other.strength is not None
        and math.isclose(one.strength, other.strength, abs_tol=1e-9)
    )


def _order_verdict(found: Ranking, pair: AdjacentModels) -> Sentence:
    order = SAY("order", above=pair.above, below=pair.below)
    if found.undecided(pair.above, pair.below):
        return SAY(
            "undecided",
            order=order,
            metric=found.pool.title,
            above=pair.above,
            above_between=_between(found, pair.above),
            below=pair.below,
            below_between=_between(found, pair.below),
        )
    dropped = SAY("no_single")
    if pair.flipping_plays:
        episodes = Count("episode", pair.plays)
        dropped = SAY("any_single", n=pair.flipping_plays, episodes=episodes)
    if pair.flipped is None:
        return SAY("untested", order=order, clusters=f"{found.pool.clusters}s", dropped=dropped)
    turned = SAY("some_reverse", share=pair.flipped) if pair.flipped else SAY("none_reverses")
    if settled(found, pair):
        return SAY("robust", order=order, turned=turned, dropped=dropped)
    joined = "and" if pair.flipping_plays else "though"
    return SAY("not_robust", order=order, turned=turned, joined=joined, dropped=dropped)


def _between(found: Ranking, agent: str) -> Sentence:
    bounds = found.bounds.get(agent)
    return SAY("anywhere") if bounds is None else SAY("between", low=bounds[0], high=bounds[1])


def settled(found: Ranking, pair: AdjacentModels) -> bool:
    """Whether no single episode turns an order round, no more resamples than a 95 % interval leaves
    out on one side, and nothing that the plays without a score could have come to."""
    if found.undecided(pair.above, pair.below):
        return False
    group = next(one.group for one in found.ratings.models if one.model == pair.above)
    limit = found.ratings.tails.get(group, 0.0)
    return pair.flipped is not None and pair.flipped < limit and not pair.flipping_plays


def _cautions(found: Ranking) -> Iterator[str]:
    pool, ratings = found.pool, found.ratings
    yield from exam_warnings({pool.judge: pool.exam})
    yield SAY("says_how_often", better=pool.better or "higher", metric=pool.title)
    if not pool.better:
        yield SAY("no_better_end", metric=pool.title)
    if any(one.strength is not None for one in ratings.models):
        yield SAY("relative")
    if len({one.group for one in ratings.models}) > 1:
        yield SAY("groups")
    if ratings.clusters < FEW_CLUSTERS:
        yield SAY("few_clusters", clusters=Count(pool.clusters, ratings.clusters))
    failed = [(agent, failed_of(one)) for agent, one in found.asked.items() if one.failed]
    if failed:
        agents = [SAY("agent_n", agent=agent, n=share) for agent, share in failed]
        yield SAY("failed_turns", agents=agents)
    if found.missing:
        agents = [SAY("agent_n", agent=agent, n=n) for agent, n in sorted(found.missing.items())]
        yield SAY("missing", agents=agents)
    if pool.judge_id.method == "people" and not ratings.raters:
        yield SAY("few_raters")
    yield from judge_caution(pool)
    yield from pool.notes


def _rating_table(found: Ranking) -> FindingTable:
    findings = rating_findings(found)
    groups = len({one.group for one in found.ratings.models}) > 1
    return SAY.table(
        "ratings",
        findings,
        columns=(
            *("agent", *(["group"] if groups else [])),
            *("points", "interval", "expected", "won", "tied", "lost", "counts"),
            *(["untold", "bounds"] if any(found.untold.values()) else []),
            *(["failed_turns"] if any(one.failed for one in found.asked.values()) else []),
        ),
        notes=tuple(_rating_notes(found, findings)),
    )


def _rating_notes(found: Ranking, findings: Sequence[Finding]) -> Iterator[Sentence]:
    ratings = found.ratings
    reasons = dict.fromkeys(one.note for one in ratings.models if one.note)
    yield SAY(
        "how",
        clusters=found.pool.clusters,
        n=ratings.clusters,
        raters=SAY("and_raters", n=ratings.raters) if ratings.raters else "",
        resamples=ratings.resamples,
        reasons="".join(SAY("none_since", why=why) for why in reasons),
    )
    whole = all(count.of == "episode" for row in findings for count in row.counts)
    unit = "episode" if whole else "seat"
    if any(found.untold.values()):
        yield SAY("not_established", unit=f"{unit}s", metric=found.pool.title)
    if found.compared.unmatched:
        scores = Count(unit, found.compared.unmatched)
        yield SAY("unpaired", scores=scores, n=sum(found.plays.values()))
    if found.mixed:
        yield SAY("several_partners", scores=Count(unit, found.mixed))


def _order_table(found: Ranking) -> Iterator[FindingTable]:
    pairs = found.ratings.neighbours
    if not pairs:
        return
    strength = {one.model: points(one.strength) or 0.0 for one in found.ratings.models}
    open_ = [found.undecided(pair.above, pair.below) for pair in pairs]
    findings = (
        Finding(
            found.pool.measure,
            {"above": pair.above, "below": pair.below},
            more={
                "points": strength[pair.above] - strength[pair.below],
                "robust": SAY("undecided_cell") if undecided else settled(found, pair),
                "reversing": SAY("of", n=pair.flipping_plays, total=pair.plays),
                "resamples": pair.flipped,
            },
        )
        for pair, undecided in zip(pairs, open_, strict=True)
    )
    limits = ", ".join(percent(limit, 1) for limit in found.ratings.tails.values())
    notes = [SAY("undecided_means")] if any(open_) else []
    yield SAY.table("order", findings, notes=notes, limits=limits)


def _record_table(found: Ranking) -> Iterator[FindingTable]:
    """Each against each, where there are more than two."""
    names = [one.model for one in found.ratings.models]
    if len(names) < 3:
        return
    against = {pair: SAY("record", **asdict(one)) for pair, one in found.records.items()}
    findings = (
        Finding(
            found.pool.measure,
            {"agent": a},
            more={f"against {b}": against.get((a, b)) for b in names},
        )
        for a in names
    )
    columns = [Column(name, name, f"against {name}") for name in names]
    yield SAY.table("record", findings, columns=("agent", *columns))


# ------------------------------------------------------------------ figures


def _figures(found: Ranking) -> Iterator[Figure]:
    groups = sorted({one.group for one in found.ratings.models})
    for group in groups:
        rated = [
            one for one in found.ratings.models if one.group == group and one.strength is not None
        ]
        if not rated:
            continue
        dots = [
            Dot(one.model, points(one.strength), points(one.low), points(one.high)) for one in rated
        ]
        ends = [abs(end) for dot in dots for end in (dot.value, dot.low, dot.high) if end]
        end = _STEP * max(1, math.ceil(max(ends, default=0) / _STEP))
        title = SAY("ratings_of", metric=found.pool.title, judge=found.pool.judge)
        clusters = Count(found.pool.clusters, found.ratings.clusters)
        caption = SAY("caption", title=title, clusters=clusters)
        yield Figure(caption, dot_chart(title, dots, -end, end))


def rating_figure(found: Ranking) -> Spec:
    """The ratings and their intervals for a paper, a panel for each group; ConfigError where no
    agent has one."""
    if all(one.strength is None for one in found.ratings.models):
        raise ConfigError(
            "--figure: no agent has a rating that could be drawn, as each won or lost everything; "
            "the tables say so"
        )
    panels = []
    for group in sorted({one.group for one in found.ratings.models}):
        rated = [
            Point(
                one.model, "", points(one.strength) or 0.0, points(one.low), points(one.high),
                write(_points_of(one), "points"),
            )
            for one in found.ratings.models
            if one.group == group and one.strength is not None
        ]  # fmt: skip
        ends = [abs(end) for one in rated for end in (one.value, one.low, one.high) if end]
        most = _STEP * max(1, math.ceil(max(ends, default=0) / _STEP))
        panels.append(Panel(SAY("axis", metric=found.pool.title), -most, most, tuple(rated)))
    return interval_figure(panels, [""])
