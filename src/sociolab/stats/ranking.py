"""Bradley-Terry ratings of models from comparisons on the same task, seat and partner.

Two models are compared over different plays, each in the same place (`make_contests`); never the
two seats of one play, where a kind partner would lose to the one that it was kind to.

The model: a beats b with probability 1 / (1 + exp(strength of b - strength of a)); a tie is half a
win for each. The strengths maximise the likelihood (Zermelo 1929; Bradley and Terry 1952; Hunter
2004; `strengths`). Only differences of strengths mean anything, and a finite maximum exists only
among models joined by wins in both directions, directly or over others (Ford 1957). So models are
rated apart in such groups, each centred at 0, and a model that won or lost everything against the
others forms a group of its own, without a strength: no data bound it, and no prior does.

Intervals resample whole clusters (tasks) and take percentiles, expanded as Student's t widens the
normal (Hesterberg 2015, "What teachers should know about the bootstrap"): plain ones are too short
with few clusters. Of people's scores raters are resampled beside clusters, and each play has the
mean of those drawn (the pigeonhole bootstrap; Owen, Annals of Applied Statistics 1, 2007), so that
intervals hold for other raters too; with fewer than three, for these. A resample may break a group
up; there, and where a dropped play does, each compared pair gets half a virtual win both ways. A
model that loses its strength in too many of the resamples gets no interval.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sociolab.stats.crossed_raters import LEAST_RATERS, RaterScores
from sociolab.stats.intervals import NO_VARIATION, Floats, number_clusters, t_critical

_SAME = 1e-9
"""Values that differ by less than this part of themselves differ by rounding."""

POINTS = 400 / math.log(10)
"""Elo points of one unit of strength: 400 points are odds of 10 to 1."""

CENTRE = 1000
"""Elo points of strength 0, the mean of a group."""

LEAST_CLUSTERS = 5
"""With fewer clusters there are too few different resamples for an interval."""

_HALF_WIN = 0.5
_ROUNDING = 1e-9
_STEPS = 500
_CONVERGED = 1e-9
"""The largest step of any strength at which the maximum is reached; convergence is quadratic."""

_LONGEST = 1.0
"""Longer steps are shortened to this. A guard: Newton's may overshoot far from a maximum."""

_BLOCK = 1 << 17
"""Cells of the matrices worked on at once: a megabyte, and several times that as work space."""


class SeatScore(NamedTuple):
    """What a model scored in one play at a task and seat, with a partner; None if not scored.

    `play` names the episode: repeats of one setting differ in it, both seats of a play share it.
    `ratings` are those by people, by rater.
    """

    model: str
    task: str
    seat: str
    partner: str
    play: str
    cluster: str
    value: float | None
    ratings: RaterScores = ()


class Contest(NamedTuple):
    """One comparison of two models: `outcome` is 1 where a won, 0.5 for a tie, 0 where b won.

    `weight` counts comparisons; `plays` are the episodes it rests on, `ratings` those by people of
    a's play and of b's.
    """

    a: str
    b: str
    outcome: float
    cluster: str
    weight: float = 1.0
    plays: tuple[str, ...] = ()
    ratings: tuple[RaterScores, RaterScores] = ((), ())


@dataclass(frozen=True, slots=True)
class Contests:
    """Comparisons made of scores, how many scores met no counterpart, how many were missing."""

    comparisons: tuple[Contest, ...]
    unmatched: int
    missing: int


def make_contests(scores: Iterable[SeatScore]) -> Contests:
    """Compare every two models at the same task, seat and partner: who scored higher.

    Every repeat of one meets every repeat of the other with a total weight of 1, so that a setting
    counts the same however often it was repeated. Values that differ by rounding only (1e-9) tie.
    The two seats of one play are never compared.

    ValueError where a model has two scores at one seat of a play, a setting is in two clusters, a
    value is not finite, or two models share a seat of a play.

    >>> from sociolab.stats import SeatScore, make_contests
    >>> scores = [SeatScore("x", "task", "ann", "partner", "play-1", "scenario", 8),
    ...           SeatScore("y", "task", "ann", "partner", "play-2", "scenario", 5)]
    >>> (contest,) = make_contests(scores).comparisons
    >>> contest.a, contest.b, contest.outcome, contest.weight
    ('x', 'y', 1.0, 1.0)
    """
    settings: dict[tuple[str, str, str], dict[str, list[SeatScore]]] = defaultdict(
        lambda: defaultdict(list)
    )
    scores = sorted(scores, key=lambda score: score[:6])
    _check_scores(scores)
    present = [score for score in scores if score.value is not None]
    for score in present:
        settings[score.task, score.seat, score.partner][score.model].append(score)
    compared: list[Contest] = []
    unmatched = 0
    for models in settings.values():
        if len(models) == 1:
            unmatched += sum(map(len, models.values()))
        for a, b in combinations(models.values(), 2):
            compared += [_compare(x, y, 1 / (len(a) * len(b))) for x in a for y in b]
    return Contests(tuple(compared), unmatched, len(scores) - len(present))


def _check_scores(scores: Sequence[SeatScore]) -> None:
    seats: set[tuple[str, str, str]] = set()
    clusters: dict[tuple[str, str, str], str] = {}
    for score in scores:
        where = (score.task, score.seat, score.play)
        if where in seats:
            raise ValueError(f"a seat of an episode is scored once, found {where} twice")
        seats.add(where)
        setting = (score.task, score.seat, score.partner)
        if clusters.setdefault(setting, score.cluster) != score.cluster:
            raise ValueError(f"{setting} lies in one cluster, found two")
        if score.value is not None and not math.isfinite(score.value):
            raise ValueError(f"values are finite numbers, or None where missing; found {score}")


def _compare(x: SeatScore, y: SeatScore, weight: float) -> Contest:
    outcome = float(_outcomes(np.array([x.value or 0.0]), np.array([y.value or 0.0]))[0])
    ratings = x.ratings, y.ratings
    return Contest(x.model, y.model, outcome, x.cluster, weight, (x.play, y.play), ratings)


def _outcomes(a: Floats, b: Floats) -> Floats:
    """1 where a is higher, 0.5 where they tie, 0 where b is."""
    tie = np.abs(a - b) <= _SAME * np.maximum(np.abs(a), np.abs(b))
    return np.where(tie, 0.5, (a > b).astype(np.float64))


@dataclass(frozen=True, slots=True)
class ModelRating:
    """A model's strength (log odds, 0 is its group's mean) with its interval.

    `won`, `tied` and `lost` count comparisons by weight, against all models. `expected` is the mean
    probability to beat each other model of the group once. `strength` and `expected` are None for a
    model alone in its group; `low` and `high` are None without an interval; `note` says why.
    """

    model: str
    group: int
    strength: float | None
    low: float | None
    high: float | None
    expected: float | None
    won: float
    tied: float
    lost: float
    note: str = ""

    @property
    def share(self) -> float:
        """Wins and half the ties, over all comparisons; 0..1."""
        return (self.won + self.tied / 2) / (self.won + self.tied + self.lost)

    @property
    def points(self) -> tuple[float | None, float | None, float | None]:
        """Elo points: of the strength, of the low and of the high end."""
        return _points(self.strength), _points(self.low), _points(self.high)


@dataclass(frozen=True, slots=True)
class AdjacentModels:
    """Two models adjacent in a group's order, and how firm that order is.

    `flipping_plays` of `plays` turn it round when dropped alone. `flipped` is the share of the
    resamples in which it is turned round, None where there are none.
    """

    above: str
    below: str
    flipping_plays: int
    plays: int
    flipped: float | None


@dataclass(frozen=True, slots=True)
class ModelRatings:
    """All models, group by group, the strongest first.

    Groups are ordered by the share of comparisons that their models won, which is not a rating:
    strengths of two groups cannot be compared. `tails`: by group, the share of the resamples that
    intervals leave out on either side, fewer than 2.5 % as resamples of few clusters differ too
    little. `raters`: how many were resampled beside the clusters; 0 for none.
    """

    models: tuple[ModelRating, ...]
    neighbours: tuple[AdjacentModels, ...]
    clusters: int
    resamples: int
    tails: Mapping[int, float]
    raters: int = 0


def fit_bradley_terry(
    rows: Iterable[Contest], *, seed: int = 0, resamples: int = 2000
) -> ModelRatings:
    """Bradley-Terry strengths of the models in these contests, with 95 % intervals from resampled
    clusters.

    A model that won or lost everything has no strength (None): nothing bounds it. The order of rows
    does not matter, and the same seed gives the same intervals. A contest without plays counts as a
    play of its own.

    ValueError for no rows, an outcome other than 0, 0.5 and 1, a weight that is not positive, a
    model compared with itself and fewer than 100 resamples.

    >>> from sociolab.stats import Contest, fit_bradley_terry
    >>> outcomes = zip("tuvwz", (1, 1, 0.5, 1, 0), strict=True)
    >>> rows = [Contest("x", "y", outcome, task) for task, outcome in outcomes]
    >>> first, second = fit_bradley_terry(rows, resamples=200).models
    >>> first.model, first.won, first.tied, first.lost, round(first.expected, 2)
    ('x', 3.0, 1.0, 1.0, 0.7)
    """
    if resamples < 100:
        raise ValueError(f"expected 100 resamples or more, found {resamples}")
    ordered = sorted(_order_by_name(row) for row in rows)
    if not ordered:
        raise ValueError("ratings need at least one comparison")
    names = sorted({name for row in ordered for name in row[:2]})
    data = _Data.from_contests(ordered, {name: i for i, name in enumerate(names)})
    ratings: list[ModelRating] = []
    neighbours: list[AdjacentModels] = []
    tails: dict[int, float] = {}
    for number, group in enumerate(_groups(data.wins), start=1):
        if len(group) == 1:
            ratings.append(_alone(data, names, number, int(group[0])))
        else:
            members = {names[i] for i in group}
            of_group = [row for row in ordered if {row.a, row.b} <= members]
            fit = _Fit.from_data(data.only(group), _Rated.from_contests(of_group), seed, resamples)
            tails[number] = fit.tail
            order = np.argsort(-fit.strength, kind="stable").tolist()
            ratings += [_rating(data, names, number, int(group[i]), fit, i) for i in order]
            neighbours += [_neighbours(names, group, fit, i, j) for i, j in pairwise(order)]
    rated = _Rated.from_contests(ordered)
    return ModelRatings(
        tuple(ratings),
        tuple(neighbours),
        len(data.by_cluster),
        resamples,
        tails,
        rated.raters if rated else 0,
    )


def _order_by_name(row: Contest) -> Contest:
    """Order the two models by name; ValueError as in `fit_bradley_terry`."""
    if row.a == row.b or row.outcome not in (0, 0.5, 1) or not 0 < row.weight < math.inf:
        raise ValueError(
            "a comparison has two models, an outcome of 0, 0.5 or 1 and a positive weight, "
            f"found {row}"
        )
    if row.a < row.b:
        return row
    ratings = row.ratings[1], row.ratings[0]
    return row._replace(a=row.b, b=row.a, outcome=1 - row.outcome, ratings=ratings)


@dataclass(frozen=True, slots=True)
class _Data:
    """Weighted wins of the row's model over the column's, ties half: all, by cluster, by play."""

    wins: Floats
    ties: Floats
    by_cluster: Floats
    by_play: Floats

    @classmethod
    def from_contests(cls, rows: Sequence[Contest], number: dict[str, int]) -> _Data:
        size = len(number)
        cells = np.array([number[row.a] * size + number[row.b] for row in rows], dtype=np.intp)
        back = cells % size * size + cells // size
        weight = np.array([row.weight for row in rows])
        won = weight * np.array([row.outcome for row in rows])
        tied = weight * np.array([row.outcome == 0.5 for row in rows])

        def sum_wins(units: Sequence[Sequence[Hashable]]) -> Floats:
            """Wins by unit; a row may belong to several units."""
            index = {unit: i for i, unit in enumerate(dict.fromkeys(u for us in units for u in us))}
            row = np.array([i for i, us in enumerate(units) for _ in us], dtype=np.intp)
            unit = np.array([index[u] for us in units for u in us], dtype=np.intp) * size * size
            length = len(index) * size * size
            total = np.bincount(unit + cells[row], won[row], length).astype(np.float64)
            total += np.bincount(unit + back[row], (weight - won)[row], length)
            return total.reshape(len(index), size, size)

        ties = np.zeros((size, size))
        np.add.at(ties.reshape(-1), np.append(cells, back), np.append(tied, tied))
        by_cluster = sum_wins([(row.cluster,) for row in rows])
        plays = [tuple(dict.fromkeys(row.plays)) or (i,) for i, row in enumerate(rows)]
        return cls(by_cluster.sum(axis=0), ties, by_cluster, sum_wins(plays))

    def only(self, group: NDArray[np.intp]) -> _Data:
        """The comparisons among these models, with the clusters and plays that have any."""
        cells = np.ix_(group, group)
        clusters, plays = (
            part[:, group[:, None], group] for part in (self.by_cluster, self.by_play)
        )
        clusters, plays = (part[part.any(axis=(1, 2))] for part in (clusters, plays))
        return _Data(self.wins[cells], self.ties[cells], clusters, plays)


@dataclass(frozen=True, slots=True)
class _Rated:
    """Comparisons by people's scores: models, cluster and weight of each, and what its two plays
    got by rater; nan where a rater gave nothing. Models and clusters are numbered by name."""

    models: NDArray[np.intp]
    clusters: NDArray[np.intp]
    weights: Floats
    scores: Floats

    @property
    def raters(self) -> int:
        return int(self.scores.shape[2])

    @classmethod
    def from_contests(cls, rows: Sequence[Contest]) -> _Rated | None:
        """None where not all of it is by people, or they are fewer than `LEAST_RATERS`."""
        names = sorted({who for row in rows for ratings in row.ratings for who, _ in ratings})
        if len(names) < LEAST_RATERS or not all(all(row.ratings) for row in rows):
            return None
        place = {name: i for i, name in enumerate(names)}
        scores = np.full((2, len(rows), len(names)), np.nan)
        for i, row in enumerate(rows):
            for side in (0, 1):
                for who, value in row.ratings[side]:
                    scores[side, i, place[who]] = value
        models = number_clusters([*(row.a for row in rows), *(row.b for row in rows)]).reshape(
            2, -1
        )
        clusters = number_clusters([row.cluster for row in rows])
        return cls(models, clusters, np.array([row.weight for row in rows]), scores)

    def resampled(self, draws: Floats, size: int, rng: np.random.Generator) -> Floats:
        """Wins in each draw of clusters, with raters drawn beside; a comparison counts where both
        plays have a rater that was drawn."""
        rated, raters = ~np.isnan(self.scores), self.raters
        values = np.nan_to_num(self.scores)
        cells = np.zeros((2, len(self.weights), size * size))
        for side in (0, 1):
            won = self.models[side] * size + self.models[1 - side]
            cells[side, np.arange(len(won)), won] = self.weights
        wins = []
        for block in np.array_split(draws, max(1, draws.size * len(self.weights) // _BLOCK // 16)):
            drawn = rng.multinomial(raters, [1 / raters] * raters, len(block)).astype(np.float64)
            totals, counts = (drawn @ part.swapaxes(1, 2) for part in (values, rated))
            means = totals / np.maximum(counts, 1)
            outcome = _outcomes(means[0], means[1])
            weight = block[:, self.clusters] * (counts > 0).all(axis=0)
            wins.append((weight * outcome) @ cells[0] + (weight * (1 - outcome)) @ cells[1])
        return np.concatenate(wins).reshape(-1, size, size)


@dataclass(frozen=True, slots=True)
class _Fit:
    """A group's strengths: of all data, without each play, in each resample (or none) and its tail.

    `unbound` is the share of the resamples in which a model's strength has no finite maximum.
    """

    strength: Floats
    dropped: Floats
    resampled: Floats
    unbound: Floats
    tail: float

    @classmethod
    def from_data(cls, data: _Data, rated: _Rated | None, seed: int, resamples: int) -> _Fit:
        compared = data.wins + data.wins.T > 0
        strength = strengths(data.wins[None])[0]
        # Weights of 1/6 and the like leave crumbs where everything was taken away.
        remaining = data.wins - data.by_play
        remaining[remaining < _ROUNDING * data.wins.max()] = 0
        dropped, _ = _regularized_strengths(remaining, compared)
        count = len(data.by_cluster)
        units = min(count, rated.raters) if rated else count
        wide = math.sqrt(units / (units - 1)) * t_critical(units - 1) if units > 1 else math.inf
        tail = NormalDist().cdf(-wide)
        if count < LEAST_CLUSTERS:
            return cls(strength, dropped, strength[:0, None], np.zeros_like(strength), tail)
        rng = np.random.default_rng(seed)
        draws = rng.multinomial(count, [1 / count] * count, resamples).astype(np.float64)
        if rated is None:
            drawn = np.tensordot(draws, data.by_cluster, axes=1)
        else:
            drawn = rated.resampled(draws, len(strength), rng)
        resampled, unbound = _regularized_strengths(drawn, compared)
        return cls(strength, dropped, resampled, unbound.mean(axis=0), tail)


def _regularized_strengths(
    wins: Floats, compared: NDArray[np.bool_]
) -> tuple[Floats, NDArray[np.bool_]]:
    """Strengths of each matrix, and which models have none of their own there.

    Where not all models are joined, half a virtual win both ways for each compared pair bounds
    them. Joined to more than half of the models, a model still has a strength of its own.
    """
    sizes = mutually_reachable(wins).sum(axis=2)
    models = wins.shape[-1]
    broken = (sizes < models).any(axis=1)
    mended = wins + _HALF_WIN * (broken[:, None, None] & compared)
    return strengths(mended), 2 * sizes <= models


def _alone(data: _Data, names: Sequence[str], number: int, model: int) -> ModelRating:
    won, tied, lost = _record(data, model)
    note = "its wins and losses join it to no other model"
    if not lost + tied:
        note = "won every comparison"
    elif not won + tied:
        note = "lost every comparison"
    return ModelRating(names[model], number, None, None, None, None, won, tied, lost, note)


def _rating(
    data: _Data, names: Sequence[str], number: int, model: int, fit: _Fit, i: int
) -> ModelRating:
    chances = probabilities(fit.strength)[i]
    expected = float((chances.sum() - 0.5) / (len(chances) - 1))
    low, high, note = _interval(fit, i)
    strength = float(fit.strength[i])
    record = _record(data, model)
    return ModelRating(names[model], number, strength, low, high, expected, *record, note)


def _interval(fit: _Fit, i: int) -> tuple[float | None, float | None, str]:
    if not len(fit.resampled):
        return None, None, f"fewer than {LEAST_CLUSTERS} clusters"
    if fit.unbound[i] > fit.tail:
        return None, None, f"no finite strength in {fit.unbound[i] * 100:.1f} % of the resamples"
    low, high = np.quantile(fit.resampled[:, i], [fit.tail, 1 - fit.tail]).tolist()
    if high - low <= _ROUNDING:
        return None, None, NO_VARIATION
    return low, high, ""


def _record(data: _Data, model: int) -> tuple[float, float, float]:
    tied = float(data.ties[model].sum())
    won, lost = float(data.wins[model].sum()), float(data.wins[:, model].sum())
    return won - tied / 2, tied, lost - tied / 2


def _neighbours(
    names: Sequence[str], group: NDArray[np.intp], fit: _Fit, i: int, j: int
) -> AdjacentModels:
    """How firm the order of two models is; a resample in which they tie counts as a flip."""
    flips = int((fit.dropped[:, j] > fit.dropped[:, i] + _ROUNDING).sum())
    flipped = None
    if len(fit.resampled):
        flipped = float((fit.resampled[:, j] >= fit.resampled[:, i] - _ROUNDING).mean())
    return AdjacentModels(names[group[i]], names[group[j]], flips, len(fit.dropped), flipped)


def _points(strength: float | None) -> float | None:
    return None if strength is None else CENTRE + POINTS * strength


def _groups(wins: Floats) -> list[NDArray[np.intp]]:
    """Models joined by wins both ways, the group that won the largest share first."""
    both_ways = np.unique(mutually_reachable(wins[None])[0], axis=0)
    groups = [np.flatnonzero(row) for row in both_ways]

    def rank(group: NDArray[np.intp]) -> tuple[float, int]:
        won, lost = wins[group].sum(), wins[:, group].sum()
        return -float(won / (won + lost)), int(group[0])

    return sorted(groups, key=rank)


def strengths(wins: Floats) -> Floats:
    """Strengths (log odds, mean 0), a row for each of the win matrices stacked on the first axis.

    ValueError where a matrix has no finite maximum: all its models must be `mutually_reachable`.
    """
    rows = max(1, _BLOCK // wins[0].size)
    blocks = [_newton(wins[start : start + rows]) for start in range(0, len(wins), rows)]
    return np.concatenate(blocks)


def probabilities(strength: Floats) -> Floats:
    """From [..., n] strengths, [..., n, n]: the chance that the row's model beats the column's."""
    gaps = strength[..., :, None] - strength[..., None, :]
    return np.asarray(1 / (1 + np.exp(-gaps)))


def _newton(wins: Floats) -> Floats:
    size = wins.shape[-1]
    met = wins + wins.swapaxes(1, 2)
    strength = np.zeros(wins.shape[:2])
    for _ in range(_STEPS):
        chance = probabilities(strength)
        slope = (wins - met * chance).sum(axis=2)
        bend = met * chance * (1 - chance)
        total = bend.sum(axis=2)
        # The likelihood is flat where all strengths rise together; the mean of `total` holds that
        # direction, in which the slope is 0, without touching any other.
        hold = total.mean(axis=1)[:, None, None] / size
        step = np.linalg.solve(total[:, :, None] * np.eye(size) - bend + hold, slope[:, :, None])
        longest = np.abs(step).max(axis=(1, 2))
        strength += step[:, :, 0] * (_LONGEST / np.maximum(longest, _LONGEST))[:, None]
        if longest.max() < _CONVERGED:
            return strength
    raise ValueError(f"no maximum of the likelihood within {_STEPS} steps: models are not joined")


def mutually_reachable(wins: Floats) -> NDArray[np.bool_]:
    """Which pairs of models are linked by chains of wins both ways, for a stack of win matrices.

    Only the strengths of such models can be compared.
    """
    size = wins.shape[-1]
    reach = ((wins > 0) | np.eye(size, dtype=bool)).astype(np.float32)
    for _ in range(max(1, (size - 1).bit_length())):
        reach = (reach @ reach > 0).astype(np.float32)
    return (reach > 0) & (reach.swapaxes(1, 2) > 0)
