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
from sociolab.report.charts import Dot, dot_chart
from sociolab.report.figures import Panel, Point, interval_figure
from sociolab.report.formatting import NOTHING
from sociolab.report.plays import PlayKey, asked_in, mean_ends
from sociolab.report.result import outline_of, turns_asked
from sociolab.report.run_facts import FEW_CLUSTERS
from sociolab.report.section import Figure, Section, Spec, TextTable, noted
from sociolab.report.words import (
    failed_of,
    listed,
    minus,
    notes_of_runs,
    notes_of_sets,
    percent,
    plural,
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
    pool = replace(pool, notes=notes, instructions=notes_of_runs(told))
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
    tables = (_ratings(found), *_order(found), *_record_table(found))
    section = Section(
        title=f"Ranking by {found.pool.title} (judge: {found.pool.judge})",
        said=tuple(_said(found)),
        cautions=tuple(_cautions(found)),
        tables=tables,
        figures=tuple(_figures(found)),
    )
    return noted(section, found.pool.instructions)


# ------------------------------------------------------------------ sentences


def _matched(found: Ranking) -> str:
    if found.match == "exact":
        return "two agents in the same seat of the same task, with the same partner"
    why = " (most have no counterpart of the same task)" if found.few else ""
    return (
        "two agents in the same place of the same scenario, with the same partner, whatever the "
        f"cast{why}"
    )


def _said(found: Ranking) -> Iterator[str]:
    agents = len(found.ratings.models)
    yield (
        f"{plural(agents, 'agent')} in {plural(len(found.compared.comparisons), 'comparison')} of "
        f"two episodes: {_matched(found)}. The "
        f"{found.pool.better or 'higher'} {found.pool.title} wins; equal scores tie."
    )
    for group in sorted({one.group for one in found.ratings.models}):
        mine = [one for one in found.ratings.models if one.group == group]
        if mine[0].strength is not None:
            yield _ahead(mine, found)
    yield from (_settled(found, pair) for pair in found.ratings.neighbours)
    for one in found.ratings.models:
        if one.strength is None:
            yield _unrated(one)
    if found.alone:
        verb = "was" if len(found.alone) == 1 else "were"
        yield (
            f"{listed(found.alone)} {verb} not ranked: no other agent has a score in the "
            "same task and seat with the same partner."
        )


def _ahead(mine: list[ModelRating], found: Ranking) -> str:
    first = mine[0]
    span = _span(first)
    interval = f" (95 % interval {span})" if span else f" (no interval: {first.note})"
    whom = mine[1].model if len(mine) == 2 else "an average other agent"
    level = [one.model for one in mine if _level(first, one)]
    if len(level) > 1:
        return f"{listed(level)} are level with {_points(first.strength)} points{interval}."
    lead = next((pair for pair in found.ratings.neighbours if pair.above == first.model), None)
    place = "ranks first" if lead is None or settled(found, lead) else "has the highest rating"
    open_ = "" if place == "ranks first" else ", though the lead is not established"
    share = percent(first.expected or 0.0)
    return (
        f"{first.model} {place} with {_points(first.strength)} points{interval}{open_}; against "
        f"{whom} its expected win rate is {share} (ties count half)."
    )


def _level(one: ModelRating, other: ModelRating) -> bool:
    """Whether two ratings are the same but for rounding."""
    return (
        one.strength is not None
        and other.strength is not None
        and math.isclose(one.strength, other.strength, abs_tol=1e-9)
    )


def _settled(found: Ranking, pair: AdjacentModels) -> str:
    order = f"{pair.above} above {pair.below}"
    if found.undecided(pair.above, pair.below):
        return (
            f"{order} is undecided: outcomes that could not be established could reverse this "
            f"order. The mean {found.pool.title} of {pair.above} lies "
            f"{_between(found, pair.above)}, that of {pair.below} {_between(found, pair.below)}."
        )
    if pair.flipped is None:
        return (
            f"{order} is not tested: too few {found.pool.clusters}s to resample; {_dropped(pair)}."
        )
    share = percent(pair.flipped or 0, 1)
    turned = f"{share} of the resamples reverse" if pair.flipped else "no resample reverses"
    if settled(found, pair):
        return f"{order} is robust: {turned} it, and {_dropped(pair)}."
    but = "and" if pair.flipping_plays else "though"
    return f"{order} is not robust: {turned} it, {but} {_dropped(pair)}."


def _between(found: Ranking, agent: str) -> str:
    bounds = found.bounds.get(agent)
    if bounds is None:
        return "anywhere"
    return minus(f"between {bounds[0]:z.2f} and {bounds[1]:z.2f}")


def settled(found: Ranking, pair: AdjacentModels) -> bool:
    """Whether no single episode turns an order round, no more resamples than a 95 % interval leaves
    out on one side, and nothing that the plays without a score could have come to."""
    if found.undecided(pair.above, pair.below):
        return False
    group = next(one.group for one in found.ratings.models if one.model == pair.above)
    limit = found.ratings.tails.get(group, 0.0)
    return pair.flipped is not None and pair.flipped < limit and not pair.flipping_plays


def _dropped(pair: AdjacentModels) -> str:
    if not pair.flipping_plays:
        return "leaving out no single episode would"
    return (
        f"leaving out any one of {pair.flipping_plays:,} of {plural(pair.plays, 'episode')} would"
    )


def _unrated(one: ModelRating) -> str:
    why = {
        "won every comparison": "it won every comparison, and however high a rating, a higher one "
        "fits better",
        "lost every comparison": "it lost every comparison, and however low a rating, a lower one "
        "fits better",
    }
    return f"No rating for {one.model}: {why.get(one.note, one.note)}."


def _cautions(found: Ranking) -> Iterator[str]:
    pool, ratings = found.pool, found.ratings
    yield (
        f"A rating says how often an agent scores {pool.better or 'higher'} in {pool.title}, not "
        "by how much, and it holds for these tasks, these partners and this judge."
    )
    if not pool.better:
        yield (
            f"Neither end of {pool.title} is declared to be better: who stands first scores "
            "higher, which need not be better."
        )
    if any(one.strength is not None for one in ratings.models):
        yield (
            "Points are relative: 0 is the mean of the agents rated together, so points of "
            "different rankings cannot be compared. Whether two agents differ is tested above; "
            "do not infer it from their two intervals."
        )
    if len({one.group for one in ratings.models}) > 1:
        yield (
            "Not all of these agents are linked by wins in both directions. They form groups, "
            "ordered by the share of comparisons won; ratings of different groups cannot be "
            "compared."
        )
    if ratings.clusters < FEW_CLUSTERS:
        yield (
            f"Based on only {plural(ratings.clusters, pool.clusters)}: other tasks may well "
            "give another order."
        )
    failed = {agent: one for agent, one in found.asked.items() if one.failed}
    if failed:
        told = listed([f"{agent} {failed_of(one)}" for agent, one in failed.items()])
        yield f"Failed turns: {told}. Scores are based on the remaining turns."
    if found.missing:
        told = listed([f"{agent} {count:,}" for agent, count in sorted(found.missing.items())])
        yield (
            f"Episodes without a score are left out ({told}). An agent that fails where it would "
            "have lost is rated too high."
        )
    if pool.judge_id.method == "people" and not ratings.raters:
        yield "Fewer than three people scored these episodes: intervals hold for these raters only."
    yield from judge_caution(pool)
    yield from pool.notes


# ------------------------------------------------------------------ tables


def _ratings(found: Ranking) -> TextTable:
    ratings, pool = found.ratings, found.pool
    groups = len({one.group for one in ratings.models}) > 1
    failed = any(one.failed for one in found.asked.values())
    open_ = any(found.untold.values())
    heads = ("agent", *(["group"] if groups else []), "points", "95 % interval", "expected")
    rows = tuple(
        (
            one.model,
            *([str(one.group)] if groups else []),
            *_cells(one),
            f"{found.plays.get(one.model, 0):,}",
            *(
                [f"{found.untold.get(one.model, 0):,}", _ends_text(found, one.model)]
                if open_
                else []
            ),
            *([failed_of(found.asked[one.model])] if failed else []),
        )
        for one in ratings.models
    )
    return TextTable(
        "Bradley-Terry ratings",
        (
            *(*heads, "won", "tied", "lost", "episodes"),
            *(["not established", "bounds"] if open_ else []),
            *(["invalid turns"] if failed else []),
        ),
        rows,
        tuple(_notes(found, pool.clusters)),
    )


def _notes(found: Ranking, clusters: str) -> Iterator[str]:
    yield (
        "points: Elo points above or below the mean of the agents; a lead of 100 means odds "
        f"of {10**0.25:.1f} to 1, of 400 10 to 1"
    )
    yield "expected: expected share of comparisons won against the others, ties counting half"
    yield (
        "won, tied, lost: comparisons, the repeats of one setting sharing a weight of 1; "
        "episodes: those with a score (what the judge cannot tell has none)"
    )
    reasons = dict.fromkeys(one.note for one in found.ratings.models if one.note)
    raters = f" and raters ({found.ratings.raters})" if found.ratings.raters else ""
    yield (
        f"95 % interval by resampling {clusters}s ({found.ratings.clusters}){raters}, "
        f"{found.ratings.resamples:,} times" + "".join(f"; none: {why}" for why in reasons)
    )
    if any(found.untold.values()):
        yield (
            f"not established: episodes of which {found.pool.title} could not be scored; bounds: "
            "the mean if these, and what failed, had the lowest score that they could, and the "
            "highest"
        )
    if found.compared.unmatched:
        total = sum(found.plays.values())
        yield f"{plural(found.compared.unmatched, 'episode')} of {total:,} could not be paired"
    if found.mixed:
        yield f"left out: {plural(found.mixed, 'episode')} with several partners at once"


def _ends_text(found: Ranking, agent: str) -> str:
    bounds = found.bounds.get(agent)
    return NOTHING if bounds is None else minus(f"[{bounds[0]:z.2f}, {bounds[1]:z.2f}]")


def _cells(one: ModelRating) -> tuple[str, ...]:
    expected = NOTHING if one.expected is None else percent(one.expected)
    record = (_count(one.won), _count(one.tied), _count(one.lost))
    return _points(one.strength), _span(one) or NOTHING, expected, *record


def _order(found: Ranking) -> tuple[TextTable, ...]:
    if not found.ratings.neighbours:
        return ()
    pairs = found.ratings.neighbours
    strength = {one.model: one.strength or 0.0 for one in found.ratings.models}
    rows = tuple(
        (
            pair.above,
            pair.below,
            _points(strength[pair.above] - strength[pair.below]).removeprefix("+"),
            "undecided"
            if found.undecided(pair.above, pair.below)
            else "yes"
            if settled(found, pair)
            else "no",
            f"{pair.flipping_plays:,} of {pair.plays:,}",
            NOTHING if pair.flipped is None else percent(pair.flipped, 1),
        )
        for pair in pairs
    )
    limits = ", ".join(percent(limit, 1) for limit in found.ratings.tails.values())
    heads = ("above", "below", "points", "robust", "reversing episodes", "resamples")
    return (
        TextTable(
            "Robustness of the order",
            heads,
            rows,
            (
                "points: difference of the two; reversing episodes: those that reverse the order "
                "when left out, one at a time; resamples: share of them that reverse the order",
                "robust: no such episode, and a smaller share of resamples than lies outside a "
                f"95 % interval on one side ({limits})",
                *(
                    ["undecided: outcomes that could not be established could reverse it"]
                    if any(found.undecided(pair.above, pair.below) for pair in pairs)
                    else []
                ),
            ),
            (1,),
        ),
    )


def _record_table(found: Ranking) -> tuple[TextTable, ...]:
    """Each against each, where there are more than two."""
    names = [one.model for one in found.ratings.models]
    if len(names) < 3:
        return ()

    def cell(a: str, b: str) -> str:
        record = found.records.get((a, b))
        if record is None:
            return NOTHING
        return f"{_count(record.won)} / {_count(record.tied)} / {_count(record.lost)}"

    rows = tuple((a, *(cell(a, b) for b in names)) for a in names)
    note = "how often the agent of the row won / tied / lost against that of the column"
    return (TextTable("Head-to-head record", ("agent", *names), rows, (note,)),)


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
        title = f"Ratings by {found.pool.title} (judge: {found.pool.judge})"
        caption = (
            f"{title}: Elo points above or below the mean of these agents, with 95 % intervals "
            f"over {found.ratings.clusters} {found.pool.clusters}s."
        )
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
                f"{_points(one.strength)} {_span(one)}".rstrip(),
            )
            for one in found.ratings.models
            if one.group == group and one.strength is not None
        ]  # fmt: skip
        ends = [abs(end) for one in rated for end in (one.value, one.low, one.high) if end]
        most = _STEP * max(1, math.ceil(max(ends, default=0) / _STEP))
        panels.append(Panel(f"{found.pool.title}: Elo points", -most, most, tuple(rated)))
    return interval_figure(panels, [""])


def _points(strength: float | None) -> str:
    found = points(strength)
    if found is None:
        return NOTHING
    return minus(f"{found:+.0f}") if round(found) else "0"


def _span(one: ModelRating) -> str:
    if one.low is None or one.high is None:
        return ""
    return f"[{_points(one.low)}, {_points(one.high)}]"


def _count(weight: float) -> str:
    return f"{weight:,.1f}".removesuffix(".0")
