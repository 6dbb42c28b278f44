"""Rank agents by who scores higher at the same task and seat, with the same partner."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import permutations
from typing import Any

from sociolab.analysis.agent_labels import agent_names
from sociolab.analysis.compare_sides import check_no_smoke
from sociolab.analysis.matching import Match, seat_places
from sociolab.analysis.values import Pool, Value, judge_caution, pool_runs, run_values
from sociolab.core.episode import TurnCounts
from sociolab.core.errors import ConfigError
from sociolab.core.metrics import Better
from sociolab.report.catalogue import Catalogue, Column, write
from sociolab.report.charts import Dot, dot_chart
from sociolab.report.figures import Panel, Point, interval_figure
from sociolab.report.finding import Count, Finding, FindingTable, Sentence, episodes_and_seats
from sociolab.report.plays import PlayKey, mean_ends, sum_turn_counts
from sociolab.report.result import outline_of, turns_asked
from sociolab.report.run_facts import FEW_CLUSTERS, evaluated
from sociolab.report.section import Figure, Section, Spec, noted
from sociolab.report.verdict import caveat, enough, too_few
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
    fit_bradley_terry,
    make_contests,
)
from sociolab.store.checking import verify_runs
from sociolab.store.store import Store

WHOLE = ""
"""The seat of a metric of whole episodes."""

ITSELF = ""
"""The partner of an agent that sat in all seats, in a metric of whole episodes."""

SAY = Catalogue("rank")
VERDICT = Catalogue("verdict")
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
    `turn_counts`: how many turns each agent failed, and of how many, in all its plays. `bounds`:
    the least and the greatest that each agent's mean could be, whatever the plays without a score
    came to; None where that is unbounded. `unscored`: how many of each agent's plays could not be
    scored. `match`: how plays were matched; `few`: by scenario, as few had an exact counterpart.
    `label` says that it is no result (`report.verdict.caveat`).
    """

    pool: Pool
    ratings: ModelRatings
    compared: Contests
    plays: dict[str, int]
    missing: dict[str, int]
    mixed: int
    alone: tuple[str, ...]
    records: dict[tuple[str, str], PairRecord]
    turn_counts: Mapping[str, TurnCounts]
    bounds: Mapping[str, tuple[float, float] | None] = field(default_factory=dict)
    unscored: Mapping[str, int] = field(default_factory=dict)
    match: Match = "exact"
    few: bool = False
    label: str = ""

    def undecided(self, above: str, below: str) -> bool:
        """Whether plays that could not be scored could turn the order of two agents round."""
        if self.pool.better == "lower":
            above, below = below, above
        lowest, highest = self.bounds.get(above), self.bounds.get(below)
        open_ = any(self.unscored.get(agent) for agent in (above, below))
        return open_ and (lowest is None or highest is None or lowest[0] < highest[1])


def ranking(
    pool: Pool,
    turns: Mapping[str, Mapping[PlayKey, TurnCounts]] | None = None,
    match: Match | None = None,
    places: Mapping[tuple[str, PlayKey], str] | None = None,
) -> Ranking:
    """Rate the agents of a pool; ConfigError where no two of them can be compared.

    The better value wins: the lower one, where the world declares so of its metric.

    Intervals and the firmness of the order resample clusters of tasks. `turns`: by run, how many
    turns each play was asked for, and failed. `match`: exact, or by scenario, where agents are held
    against each other in the same scenario, place at the table (`places`, by run, trial and seat)
    and with the same partner, whatever the cast; None takes the scenario where more than half of
    the plays have no exact counterpart.
    """
    values = [value for value in pool.values if value.agent is not None]
    placed = [value for value in values if value.partner is not None]
    compared = make_contests([_score(value, pool.better) for value in placed])
    scored = sum(value.value is not None for value in placed)
    few = match is None and 2 * compared.unmatched > scored
    if match == "scenario" or few:
        loose = make_contests([_by_scenario(value, pool.better, places or {}) for value in placed])
        if match == "scenario" or loose.unmatched < compared.unmatched:
            compared, match = loose, "scenario"
    if not compared.comparisons:
        raise ConfigError(
            "no two agents of these runs have a score at the same task and seat with the same "
            f"partner in {pool.title}, so that nothing can be ranked; play several agents "
            f"on the same tasks, with one --partner or among each other{pool.hint}"
        )
    ratings = fit_bradley_terry(compared.comparisons)
    rated = {rating.model for rating in ratings.models}
    return Ranking(
        pool=pool,
        ratings=ratings,
        compared=compared,
        plays=dict(Counter(str(value.agent) for value in placed if value.value is not None)),
        missing=dict(Counter(str(value.agent) for value in placed if value.value is None)),
        mixed=sum(value.partner is None and value.value is not None for value in values),
        alone=tuple(sorted({str(value.agent) for value in values} - rated)),
        records=_records(compared.comparisons),
        turn_counts=_count_turns(pool, turns or {}),
        bounds=_bounds(pool),
        unscored=dict(
            Counter(str(value.agent) for value in pool.unscored if value.agent is not None)
        ),
        match=match or "exact",
        few=few,
    )


def _bounds(pool: Pool) -> dict[str, tuple[float, float] | None]:
    ends: dict[str, list[tuple[float, float]]] = {}
    for value in (*pool.values, *pool.unscored):
        if value.agent is not None:
            ends.setdefault(value.agent, []).append(value.ends)
    return {agent: mean_ends(some) for agent, some in ends.items()}


def _count_turns(
    pool: Pool, turns: Mapping[str, Mapping[PlayKey, TurnCounts]]
) -> dict[str, TurnCounts]:
    every = {
        (run, key): counts for run, by_play in turns.items() for key, counts in by_play.items()
    }
    plays: dict[str, set[tuple[str, PlayKey]]] = {}
    for value in (*pool.values, *pool.unscored):
        plays.setdefault(str(value.agent), set()).add((value.run, (value.trial, value.seat)))
    return {agent: sum_turn_counts(every, keys) for agent, keys in plays.items()}


def points(strength: float | None) -> float | None:
    """Elo points above the mean of the agents rated together."""
    return None if strength is None else POINTS * strength


def ranking_document(ranked: Ranking) -> dict[str, Any]:
    """The ranking as a JSON object: see docs/ranking.md."""
    pool, ratings = ranked.pool, ranked.ratings
    return {
        "schema": 1,
        "world": pool.world,
        "runs": list(pool.runs),
        "judge": {"judge": pool.judge, "method": pool.judge_id.method},
        "measure": pool.measure.name,
        "verdict": str(ranking_verdict(ranked)),
        "plays": ranked.plays,
        "missing": ranked.missing,
        "not_established": dict(ranked.unscored),
        "several_partners": ranked.mixed,
        "unmatched": ranked.compared.unmatched,
        "match": ranked.match,
        "comparisons": len(ranked.compared.comparisons),
        "clusters": ratings.clusters,
        "level": LEVEL,
        "settled_below": {str(group): share for group, share in ranked.ratings.tails.items()},
        "agents": [_agent(ranked, rating) for rating in ratings.models],
        "not_compared": list(ranked.alone),
        "order": [
            {**asdict(pair), "decided": not ranked.undecided(pair.above, pair.below)}
            for pair in ratings.neighbours
        ],
        "records": [
            {"agent": a, "against": b, **asdict(record)}
            for (a, b), record in ranked.records.items()
        ],
        "notes": [*pool.exams.failed, *pool.notes, *pool.exams.below],
    }


def _agent(ranked: Ranking, rating: ModelRating) -> dict[str, Any]:
    turns, bounds = ranked.turn_counts[rating.model], ranked.bounds[rating.model]
    return {
        "agent": rating.model,
        "group": rating.group,
        "points": points(rating.strength),
        "low": points(rating.low),
        "high": points(rating.high),
        "strength": rating.strength,
        "expected": rating.expected,
        "won": rating.won,
        "tied": rating.tied,
        "lost": rating.lost,
        "note": rating.note,
        "failed_turns": turns.failed,
        "turns_asked": turns.total,
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
        ratings=tuple((who, sign * score) for who, score in value.ratings),
    )


def _by_scenario(
    value: Value, better: Better, places: Mapping[tuple[str, PlayKey], str]
) -> SeatScore:
    place = places.get((value.run, (value.trial, value.seat)), value.seat or WHOLE)
    return _score(value, better)._replace(task=value.cluster, seat=place)


def _records(rows: Sequence[Contest]) -> dict[tuple[str, str], PairRecord]:
    tallies: dict[tuple[str, str], list[float]] = {}
    for row in rows:
        # 1, 0.5 and 0 are won, tied and lost; the other side sees them the other way round.
        for pair, outcome in (((row.a, row.b), row.outcome), ((row.b, row.a), 1 - row.outcome)):
            record = tallies.setdefault(pair, [0.0, 0.0, 0.0])
            record[round(2 - 2 * outcome)] += row.weight
    names = sorted({name for pair in tallies for name in pair})
    return {pair: PairRecord(*tallies[pair]) for pair in permutations(names, 2) if pair in tallies}


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
    verify_runs(store, *runs)
    trials = {run: store.trials(run) for run in runs}
    outlines = [outline_of(store, run, plan) for run, plan in trials.items()]
    check_no_smoke(outlines)
    values, names = run_values(store, runs), agent_names(store, runs, rename)
    called = judge and names.judge(judge)
    pool = pool_runs([names.values(run) for run in values], called, measure)
    turns = {run: turns_asked(store, run) for run in runs}
    judged = {pool.judge: pool.judge_id.prompts}
    set_notes = {
        run.run: notes_of_sets(run.declared, store.run(run.run).settings, judged) for run in values
    }
    served = stand_in_words(*(store.run(run).settings for run in runs))
    notes = (*pool.notes, *names.notes, *(f"{words}." for words in served))
    pool = replace(pool, notes=notes, instructions=notes_of_runs(set_notes))
    places = {
        (run, key): place
        for run, plan in trials.items()
        for key, place in seat_places({row.trial.id: row.trial.cast for row in plan}).items()
    }
    agents = [agent for outline in outlines for agent in evaluated(outline)]
    label = caveat(outlines, agents, pool.judge)
    return replace(ranking(pool, turns, match, places), label=label)


def rank(
    store: Store,
    runs: str | Sequence[str],
    *,
    judge: str | None = None,
    measure: str | None = None,
) -> dict[str, Any]:
    """Rank the agents of one or several runs by how often each outscores the others
    (Bradley-Terry).

    Two agents are compared at the same task and seat, with the same partner. `measure` is the
    world's main metric by default. The dict is what `sociolab rank --json` prints
    (docs/ranking.md); `agents` are sorted from the strongest, with comparisons `won`, `tied` and
    `lost`. ConfigError where no two agents can be compared, or a judge must be named.

    >>> from sociolab import Rating, RunConfig, keep_ratings, open_store, rank, run
    >>> from sociolab.agents import Action, Reply
    >>> class Curt:
    ...     async def reply(self, request, memory):
    ...         return Reply((Action("leave"),))
    >>> points = {"scripted": 7, "python:__main__:Curt": 3}
    >>> result = run(RunConfig(agents=tuple(points), partner="scripted", judges="none", limit=1,
    ...                        name="first", store=f"{folder}/lab.db"))
    >>> with open_store(f"{folder}/lab.db") as store:
    ...     ratings = [Rating(row.trial.id, member.seat, "anna", "goal", points[member.agent])
    ...                for row in store.trials("first") for member in row.trial.cast]
    ...     kept = keep_ratings(store, "first", ratings)
    ...     agents = rank(store, "first", judge="people", measure="goal")["agents"]
    >>> [(agent["agent"], agent["won"], agent["lost"]) for agent in agents]
    [('scripted', 2.0, 0.0), ('python:__main__:Curt', 0.0, 2.0)]
    """
    names = (runs,) if isinstance(runs, str) else tuple(runs)
    return ranking_document(rank_runs(store, names, judge, measure))


def ranking_section(ranked: Ranking) -> Section:
    section = Section(
        SAY("title", metric=ranked.pool.title, judge=ranked.pool.judge),
        tuple(_orders(ranked)),
        tuple(_cautions(ranked)),
        (_rating_table(ranked), *_order_table(ranked), *_record_table(ranked)),
        tuple(_figures(ranked)),
        verdict=ranking_verdict(ranked),
    )
    return ranked.pool.exams.on(noted(section, ranked.pool.instructions))


# ------------------------------------------------------------------ what it concludes


@dataclass(frozen=True, slots=True)
class Points:
    """A rating in Elo points above the mean of the agents rated together, with its interval."""

    value: float | None
    low: float | None
    high: float | None


def _elo_points(rating: ModelRating) -> Points:
    return Points(points(rating.strength), points(rating.low), points(rating.high))


def rating_findings(ranked: Ranking) -> tuple[Finding, ...]:
    """A finding for each rated agent: points, record, and how many of its scores could be used."""
    cells: dict[str, list[tuple[str, str | None]]] = {}
    for value in ranked.pool.values:
        if value.agent is not None and value.partner is not None and value.value is not None:
            cells.setdefault(value.agent, []).append((f"{value.run}/{value.trial}", value.seat))
    return tuple(
        Finding(
            ranked.pool.measure,
            {"agent": rating.model},
            counts=episodes_and_seats(cells.get(rating.model, ())),
            bounds=ranked.bounds.get(rating.model),
            more={
                "group": str(rating.group),
                "points": _elo_points(rating),
                "expected": rating.expected,
                "won": rating.won,
                "tied": rating.tied,
                "lost": rating.lost,
                "untold": ranked.unscored.get(rating.model, 0),
                "failed_turns": failed_of(ranked.turn_counts[rating.model]),
            },
        )
        for rating in ranked.ratings.models
    )


def ranking_verdict(ranked: Ranking) -> Sentence:
    """Who ranks first, or has the highest rating; whether the lead is robust is in the words."""
    pool, models = ranked.pool, ranked.ratings.models
    scored = sum(ranked.plays.values())
    due = scored + sum(ranked.missing.values()) + sum(ranked.unscored.values())
    say = partial(VERDICT, label=ranked.label, metric=pool.measure, judge=pool.judge)
    if not enough(scored, due):
        return too_few(ranked.label, pool.measure, pool.judge, scored, due)
    if models[0].strength is not None:
        first = _ahead([model for model in models if model.group == models[0].group], ranked)
        return say("ranked", ahead=first)
    won = models[0].note == "won every comparison"
    return say("won_all", agent=models[0].model) if won else say("no_rating")


def _orders(ranked: Ranking) -> Iterator[Sentence]:
    match = SAY("match_scenario_few" if ranked.few else "match_scenario")
    yield SAY(
        "compared",
        agents=Count("agent", len(ranked.ratings.models)),
        comparisons=Count("comparison", len(ranked.compared.comparisons)),
        match=SAY("match_exact") if ranked.match == "exact" else match,
        better=ranked.pool.better or "higher",
        metric=ranked.pool.title,
    )
    verdict = ranking_verdict(ranked)
    for group in sorted({rating.group for rating in ranked.ratings.models}):
        members = [rating for rating in ranked.ratings.models if rating.group == group]
        if members[0].strength is not None and (ahead := _ahead(members, ranked)) not in verdict:
            yield ahead
    yield from (_order_verdict(ranked, pair) for pair in ranked.ratings.neighbours)
    for rating in ranked.ratings.models:
        if rating.strength is None:
            why = {"won every comparison": "won_all", "lost every comparison": "lost_all"}
            reason = SAY(why[rating.note]) if rating.note in why else rating.note
            yield SAY("unrated", agent=rating.model, why=reason)
    if ranked.alone:
        yield SAY("alone", agents=ranked.alone)


def _ahead(members: list[ModelRating], ranked: Ranking) -> Sentence:
    first, rating = members[0], _elo_points(members[0])
    interval = SAY("no_interval", why=first.note)
    if rating.low is not None and rating.high is not None:
        interval = SAY("with_interval", points=rating)
    level = [member.model for member in members if _tied(first, member)]
    if len(level) > 1:
        return SAY("level", agents=level, points=rating.value, interval=interval)
    lead = next((pair for pair in ranked.ratings.neighbours if pair.above == first.model), None)
    return SAY(
        "first" if lead is None or is_settled(ranked, lead) else "leads",
        agent=first.model,
        points=rating.value,
        interval=interval,
        whom=members[1].model if len(members) == 2 else SAY("average_agent"),
        share=first.expected or 0.0,
    )


def _tied(rating: ModelRating, other: ModelRating) -> bool:
    """Whether two strengths are equal but for rounding."""
    return (
        rating.strength is not None
        and other.strength is not None
        and math.isclose(rating.strength, other.strength, abs_tol=1e-9)
    )


def _order_verdict(ranked: Ranking, pair: AdjacentModels) -> Sentence:
    order = SAY("order", above=pair.above, below=pair.below)
    if ranked.undecided(pair.above, pair.below):
        return SAY(
            "undecided",
            order=order,
            metric=ranked.pool.title,
            above=pair.above,
            above_between=_between(ranked, pair.above),
            below=pair.below,
            below_between=_between(ranked, pair.below),
        )
    dropped = SAY("no_single")
    if pair.flipping_plays:
        episodes = Count("episode", pair.plays)
        dropped = SAY("any_single", n=pair.flipping_plays, episodes=episodes)
    if pair.flipped is None:
        return SAY("untested", order=order, clusters=f"{ranked.pool.clusters}s", dropped=dropped)
    turned = SAY("some_reverse", share=pair.flipped) if pair.flipped else SAY("none_reverses")
    if is_settled(ranked, pair):
        return SAY("robust", order=order, turned=turned, dropped=dropped)
    joined = "and" if pair.flipping_plays else "though"
    return SAY("not_robust", order=order, turned=turned, joined=joined, dropped=dropped)


def _between(ranked: Ranking, agent: str) -> Sentence:
    bounds = ranked.bounds.get(agent)
    return SAY("anywhere") if bounds is None else SAY("between", low=bounds[0], high=bounds[1])


def is_settled(ranked: Ranking, pair: AdjacentModels) -> bool:
    """Whether no single episode turns an order round, no more resamples than a 95 % interval leaves
    out on one side, and nothing that the plays without a score could have come to."""
    if ranked.undecided(pair.above, pair.below):
        return False
    group = next(rating.group for rating in ranked.ratings.models if rating.model == pair.above)
    limit = ranked.ratings.tails.get(group, 0.0)
    return pair.flipped is not None and pair.flipped < limit and not pair.flipping_plays


def _cautions(ranked: Ranking) -> Iterator[str]:
    pool, ratings = ranked.pool, ranked.ratings
    yield SAY("says_how_often", better=pool.better or "higher", metric=pool.title)
    if not pool.better:
        yield SAY("no_better_end", metric=pool.title)
    if any(rating.strength is not None for rating in ratings.models):
        yield SAY("relative")
    if len({rating.group for rating in ratings.models}) > 1:
        yield SAY("groups")
    if ratings.clusters < FEW_CLUSTERS:
        yield SAY("few_clusters", clusters=Count(pool.clusters, ratings.clusters))
    failed = [
        (agent, failed_of(turns)) for agent, turns in ranked.turn_counts.items() if turns.failed
    ]
    if failed:
        agents = [SAY("agent_n", agent=agent, n=share) for agent, share in failed]
        yield SAY("failed_turns", agents=agents)
    if ranked.missing:
        agents = [SAY("agent_n", agent=agent, n=n) for agent, n in sorted(ranked.missing.items())]
        yield SAY("missing", agents=agents)
    if pool.judge_id.method == "people" and not ratings.raters:
        yield SAY("few_raters")
    yield from judge_caution(pool)
    yield from pool.notes


def _rating_table(ranked: Ranking) -> FindingTable:
    findings = rating_findings(ranked)
    groups = len({rating.group for rating in ranked.ratings.models}) > 1
    return SAY.table(
        "ratings",
        findings,
        columns=(
            *("agent", *(["group"] if groups else [])),
            *("points", "interval", "expected", "won", "tied", "lost", "counts"),
            *(["untold", "bounds"] if any(ranked.unscored.values()) else []),
            *(
                ["failed_turns"]
                if any(turns.failed for turns in ranked.turn_counts.values())
                else []
            ),
        ),
        notes=tuple(_rating_notes(ranked, findings)),
    )


def _rating_notes(ranked: Ranking, findings: Sequence[Finding]) -> Iterator[Sentence]:
    ratings = ranked.ratings
    reasons = dict.fromkeys(rating.note for rating in ratings.models if rating.note)
    yield SAY(
        "how",
        clusters=ranked.pool.clusters,
        n=ratings.clusters,
        raters=SAY("and_raters", n=ratings.raters) if ratings.raters else "",
        resamples=ratings.resamples,
        reasons="".join(SAY("none_since", why=why) for why in reasons),
    )
    by_episode = all(count.of == "episode" for row in findings for count in row.counts)
    unit = "episode" if by_episode else "seat"
    if any(ranked.unscored.values()):
        yield SAY("not_established", unit=f"{unit}s", metric=ranked.pool.title)
    if ranked.compared.unmatched:
        scores = Count(unit, ranked.compared.unmatched)
        yield SAY("unpaired", scores=scores, n=sum(ranked.plays.values()))
    if ranked.mixed:
        yield SAY("several_partners", scores=Count(unit, ranked.mixed))


def _order_table(ranked: Ranking) -> Iterator[FindingTable]:
    pairs = ranked.ratings.neighbours
    if not pairs:
        return
    strength = {rating.model: points(rating.strength) or 0.0 for rating in ranked.ratings.models}
    open_ = [ranked.undecided(pair.above, pair.below) for pair in pairs]
    findings = (
        Finding(
            ranked.pool.measure,
            {"above": pair.above, "below": pair.below},
            more={
                "points": strength[pair.above] - strength[pair.below],
                "robust": SAY("undecided_cell") if undecided else is_settled(ranked, pair),
                "reversing": SAY("of", n=pair.flipping_plays, total=pair.plays),
                "resamples": pair.flipped,
            },
        )
        for pair, undecided in zip(pairs, open_, strict=True)
    )
    limits = ", ".join(percent(limit, 1) for limit in ranked.ratings.tails.values())
    notes = [SAY("undecided_means")] if any(open_) else []
    yield SAY.table("order", findings, notes=notes, limits=limits)


def _record_table(ranked: Ranking) -> Iterator[FindingTable]:
    """The record of each pair, where there are more than two agents."""
    names = [rating.model for rating in ranked.ratings.models]
    if len(names) < 3:
        return
    against = {pair: SAY("record", **asdict(record)) for pair, record in ranked.records.items()}
    findings = (
        Finding(
            ranked.pool.measure,
            {"agent": a},
            more={f"against {b}": against.get((a, b)) for b in names},
        )
        for a in names
    )
    columns = [Column(name, name, f"against {name}") for name in names]
    yield SAY.table("record", findings, columns=("agent", *columns))


# ------------------------------------------------------------------ figures


def _figures(ranked: Ranking) -> Iterator[Figure]:
    groups = sorted({rating.group for rating in ranked.ratings.models})
    for group in groups:
        rated = [
            rating
            for rating in ranked.ratings.models
            if rating.group == group and rating.strength is not None
        ]
        if not rated:
            continue
        dots = [
            Dot(rating.model, points(rating.strength), points(rating.low), points(rating.high))
            for rating in rated
        ]
        ends = [abs(end) for dot in dots for end in (dot.value, dot.low, dot.high) if end]
        end = _STEP * max(1, math.ceil(max(ends, default=0) / _STEP))
        title = SAY("ratings_of", metric=ranked.pool.title, judge=ranked.pool.judge)
        clusters = Count(ranked.pool.clusters, ranked.ratings.clusters)
        caption = SAY("caption", title=title, clusters=clusters)
        yield Figure(caption, dot_chart(title, dots, -end, end))


def rating_figure(ranked: Ranking) -> Spec:
    """The ratings and their intervals for a paper, a panel for each group; ConfigError where no
    agent has one."""
    if all(rating.strength is None for rating in ranked.ratings.models):
        raise ConfigError(
            "--figure: no agent has a rating that could be drawn, as each won or lost everything; "
            "the tables say so"
        )
    panels = []
    for group in sorted({rating.group for rating in ranked.ratings.models}):
        rated = [
            Point(
                rating.model, "", points(rating.strength) or 0.0, points(rating.low),
                points(rating.high), write(_elo_points(rating), "points"),
            )
            for rating in ranked.ratings.models
            if rating.group == group and rating.strength is not None
        ]  # fmt: skip
        ends = [abs(end) for point in rated for end in (point.value, point.low, point.high) if end]
        most = _STEP * max(1, math.ceil(max(ends, default=0) / _STEP))
        panels.append(Panel(SAY("axis", metric=ranked.pool.title), -most, most, tuple(rated)))
    return interval_figure(panels, [""])
