"""A ranking in words: who is ahead, how firm that is, and what it does not show."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sociolab.analysis.figures import NOTHING, in_words, listed
from sociolab.analysis.pooled import judge_caution
from sociolab.analysis.ranking import Ranking, points
from sociolab.report.charts import Dot, dot_plot
from sociolab.report.prose import FEW_CLUSTERS
from sociolab.report.section import Figure, Section, TextTable
from sociolab.report.words import failed_of, minus, plural
from sociolab.stats.bradley_terry import Neighbours, Rating

_STEP = 100
"""The ends of the figure's axis are whole multiples of so many points."""


def ranking_section(found: Ranking) -> Section:
    """The ranking to print, or as a part of a page."""
    tables = (_ratings(found), *_order(found), *_records(found))
    return Section(
        title=f"Ranking by {found.pool.title}, judged by {found.pool.judge}",
        said=tuple(_said(found)),
        cautions=tuple(_cautions(found)),
        tables=tables,
        figures=tuple(_figures(found)),
    )


# ------------------------------------------------------------------ sentences


def _said(found: Ranking) -> Iterator[str]:
    agents = len(found.ratings.models)
    yield (
        f"{plural(agents, 'agent')} in {plural(len(found.compared.comparisons), 'comparison')} of "
        "two plays: two agents in the same seat of the same task, with the same partner. The "
        f"higher {found.pool.title} wins, equal ones tie. The two seats of one episode are never "
        "compared."
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
            f"{listed(found.alone)} {verb} compared with nobody: no other agent has a score at the "
            "same task and seat with the same partner."
        )


def _ahead(mine: list[Rating], found: Ranking) -> str:
    first = mine[0]
    span = _span(first)
    interval = f" (95 % interval {span})" if span else f" (no interval: {first.note})"
    whom = mine[1].model if len(mine) == 2 else "an average other agent"
    level = [one.model for one in mine if _level(first, one)]
    if len(level) > 1:
        return f"{listed(level)} are level with {_points(first.strength)} points{interval}."
    lead = next((pair for pair in found.ratings.neighbours if pair.above == first.model), None)
    place = "is ahead" if lead is None or settled(found, lead) else "has the highest rating"
    open_ = "" if place == "is ahead" else ", a lead that is not settled"
    share = in_words(f"{first.expected:.0%}")
    return (
        f"{first.model} {place} with {_points(first.strength)} points{interval}{open_}; against "
        f"{whom} it is expected to win {share} of such comparisons, a tie counting half."
    )


def _level(one: Rating, other: Rating) -> bool:
    """Whether two ratings are the same but for rounding."""
    return (
        one.strength is not None
        and other.strength is not None
        and math.isclose(one.strength, other.strength, abs_tol=1e-9)
    )


def _settled(found: Ranking, pair: Neighbours) -> str:
    order = f"{pair.above} above {pair.below}"
    if found.undecided(pair.above, pair.below):
        return (
            f"{order} is not decided: the outcomes that could not be established could turn this "
            f"order round. The mean {found.pool.title} of {pair.above} lies "
            f"{_between(found, pair.above)}, that of {pair.below} {_between(found, pair.below)}."
        )
    if pair.flipped is None:
        return (
            f"{order} is not tested: too few {found.pool.clusters}s to resample; {_dropped(pair)}."
        )
    share = in_words(f"{pair.flipped or 0:.1%}")
    turned = f"{share} of the resamples turn" if pair.flipped else "no resample turns"
    if settled(found, pair):
        return f"{order} is settled: {turned} it round, and {_dropped(pair)}."
    but = "and" if pair.flipping_plays else "though"
    return f"{order} is not settled: {turned} it round, {but} {_dropped(pair)}."


def _between(found: Ranking, agent: str) -> str:
    bounds = found.bounds.get(agent)
    if bounds is None:
        return "nobody knows where"
    return minus(f"between {bounds[0]:z.2f} and {bounds[1]:z.2f}")


def settled(found: Ranking, pair: Neighbours) -> bool:
    """Whether no single episode turns an order round, no more resamples than a 95 % interval leaves
    out on one side, and nothing that the plays without a score could have come to."""
    if found.undecided(pair.above, pair.below):
        return False
    group = next(one.group for one in found.ratings.models if one.model == pair.above)
    limit = found.firm.get(group, 0.0)
    return pair.flipped is not None and pair.flipped < limit and not pair.flipping_plays


def _dropped(pair: Neighbours) -> str:
    if not pair.flipping_plays:
        return "no single episode would when left out"
    return (
        f"{pair.flipping_plays:,} of {plural(pair.plays, 'episode')} would, each if left out alone"
    )


def _unrated(one: Rating) -> str:
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
        f"A rating says how often an agent scores higher in {pool.title}, not by how much, and it "
        "holds for these tasks, these partners and this judge."
    )
    if any(one.strength is not None for one in ratings.models):
        yield (
            "Points are relative: 0 is the mean of the agents rated together here, so the points "
            "of two rankings cannot be compared. Whether two agents differ is said by the order "
            "above, not by their two intervals."
        )
    if len({one.group for one in ratings.models}) > 1:
        yield (
            "No wins in both directions join all these agents. They stand in groups, ordered by "
            "the share of comparisons won; ratings of two groups cannot be compared."
        )
    if ratings.clusters < FEW_CLUSTERS:
        yield (
            f"All of it rests on {plural(ratings.clusters, pool.clusters)}: other tasks may well "
            "give another order."
        )
    failed = {agent: one for agent, one in found.asked.items() if one.failed}
    if failed:
        told = listed([f"{agent} {in_words(failed_of(one))}" for agent, one in failed.items()])
        yield f"Failed turns: {told}. Scores rest on the turns that did not fail."
    if found.missing:
        told = listed([f"{agent} {count:,}" for agent, count in sorted(found.missing.items())])
        yield (
            f"Plays without a score take no part ({told}). An agent that fails where it would "
            "have lost is rated too high."
        )
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
            *([f"{found.untold.get(one.model, 0):,}", _bounds(found, one.model)] if open_ else []),
            *([failed_of(found.asked[one.model])] if failed else []),
        )
        for one in ratings.models
    )
    return TextTable(
        "Bradley-Terry ratings",
        (
            *(*heads, "won", "tied", "lost", "plays"),
            *(["not established", "bounds"] if open_ else []),
            *(["failed turns"] if failed else []),
        ),
        rows,
        tuple(_notes(found, pool.clusters)),
    )


def _notes(found: Ranking, clusters: str) -> Iterator[str]:
    yield (
        "points: Elo points above or below the mean of the agents; 100 more are odds of "
        f"{10**0.25:.1f} to 1, 400 more of 10 to 1"
    )
    yield "expected: the share of comparisons with the others that it should win, ties half"
    yield (
        "won, tied, lost: comparisons; repeats of one setting share a weight of 1; plays: those "
        "with a score, what the judge could not tell not among them"
    )
    reasons = dict.fromkeys(one.note for one in found.ratings.models if one.note)
    yield (
        f"95 % interval by resampling {clusters}s ({found.ratings.clusters}), "
        f"{found.ratings.resamples:,} times" + "".join(f"; none: {why}" for why in reasons)
    )
    if any(found.untold.values()):
        yield (
            f"not established: plays of which {found.pool.title} could not be scored; bounds: the "
            "mean if these, and what failed, had the lowest score that they could, and the highest"
        )
    if found.compared.unmatched:
        total = sum(found.plays.values())
        yield f"{plural(found.compared.unmatched, 'play')} of {total:,} met no counterpart"
    if found.mixed:
        yield f"left out: {plural(found.mixed, 'play')} with several partners at once"


def _bounds(found: Ranking, agent: str) -> str:
    bounds = found.bounds.get(agent)
    return NOTHING if bounds is None else minus(f"[{bounds[0]:z.2f}, {bounds[1]:z.2f}]")


def _cells(one: Rating) -> tuple[str, ...]:
    expected = NOTHING if one.expected is None else f"{one.expected:.0%}"
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
            "not decided"
            if found.undecided(pair.above, pair.below)
            else "yes"
            if settled(found, pair)
            else "no",
            f"{pair.flipping_plays:,} of {pair.plays:,}",
            NOTHING if pair.flipped is None else f"{pair.flipped:.1%}",
        )
        for pair in pairs
    )
    limits = in_words(", ".join(f"{limit:.1%}" for limit in found.firm.values()))
    heads = ("above", "below", "points", "settled", "episodes that turn it", "resamples")
    return (
        TextTable(
            "How firm the order is",
            heads,
            rows,
            (
                "episodes that turn it: left out one at a time, these would turn the order round",
                "points: between the two; resamples: the share of them that turn the order round",
                "settled: no such episode, and fewer of the resamples than a 95 % interval leaves "
                f"out on one side ({limits})",
                *(
                    ["not decided: the outcomes that could not be established could turn it round"]
                    if any(found.undecided(pair.above, pair.below) for pair in pairs)
                    else []
                ),
            ),
            (1,),
        ),
    )


def _records(found: Ranking) -> tuple[TextTable, ...]:
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
    return (TextTable("Agent against agent", ("agent", *names), rows, (note,)),)


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
        title = f"Ratings by {found.pool.title}, judged by {found.pool.judge}"
        key = f"rank-{found.pool.measure.name}-{group}"
        caption = (
            f"{title}: Elo points above or below the mean of these agents, with 95 % intervals "
            f"over {found.ratings.clusters} {found.pool.clusters}s."
        )
        yield Figure(caption, dot_plot(key, title, dots, -end, end))


def _points(strength: float | None) -> str:
    found = points(strength)
    if found is None:
        return NOTHING
    return minus(f"{found:+.0f}") if round(found) else "0"


def _span(one: Rating) -> str:
    if one.low is None or one.high is None:
        return ""
    return f"[{_points(one.low)}, {_points(one.high)}]"


def _count(weight: float) -> str:
    return f"{weight:,.1f}".removesuffix(".0")
