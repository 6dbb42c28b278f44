"""Bradley-Terry ratings of models from comparisons on the same task, seat and partner.

The model: a beats b with probability 1 / (1 + exp(strength of b - strength of a)); a tie is half a
win for each. The strengths maximise the likelihood (Zermelo 1929; Bradley and Terry 1952; Hunter
2004; `stats.strengths`). Only differences of strengths mean anything, and a finite maximum exists
only among models joined by wins in both directions, directly or over others (Ford 1957). So models
are rated apart in such groups, each centred at 0, and a model that won or lost everything against
the others forms a group of its own, without a strength: no data bound it, and no prior does.

Intervals resample whole clusters (tasks) and take percentiles, expanded as Student's t widens the
normal (Hesterberg 2015, "What teachers should know about the bootstrap"): plain ones are too short
with few clusters. A resample may break a group up; there, and where a dropped play does, each
compared pair gets half a virtual win both ways. A model that loses its strength in too many of the
resamples gets no interval.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from sociolab.stats.contests import Contest
from sociolab.stats.strengths import Floats, joined, probabilities, strengths
from sociolab.stats.student import t_critical

POINTS = 400 / math.log(10)
"""Elo points of one unit of strength: 400 points are odds of 10 to 1."""

CENTRE = 1000
"""Elo points of strength 0, the mean of a group."""

LEAST_CLUSTERS = 5
"""With fewer clusters there are too few different resamples for an interval."""

_HALF_WIN = 0.5
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Rating:
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
        """The share of all comparisons that were won, ties half, in 0..1."""
        return (self.won + self.tied / 2) / (self.won + self.tied + self.lost)

    @property
    def points(self) -> tuple[float | None, float | None, float | None]:
        """Elo points: of the strength, of the low and of the high end."""
        return _points(self.strength), _points(self.low), _points(self.high)


@dataclass(frozen=True, slots=True)
class Neighbours:
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
class Ratings:
    """All models, group by group, the strongest first.

    Groups are ordered by the share of comparisons that their models won, which is not a rating:
    strengths of two groups cannot be compared.
    """

    models: tuple[Rating, ...]
    neighbours: tuple[Neighbours, ...]
    clusters: int
    resamples: int


def rate(rows: Iterable[Contest], *, seed: int = 0, resamples: int = 2000) -> Ratings:
    """Strengths of all models in the comparisons, with intervals and the firmness of their order.

    A comparison that names no plays counts as a play of its own when single plays are dropped; a
    dropped play takes its comparisons with it. The order of the rows does not matter, and the same
    seed gives the same intervals. ValueError for no rows, an outcome other than 0, 0.5 and 1, a
    weight that is not positive, a model compared with itself and fewer than 100 resamples.
    """
    if resamples < 100:
        raise ValueError(f"expected 100 resamples or more, found {resamples}")
    ordered = sorted(_turned(row) for row in rows)
    if not ordered:
        raise ValueError("ratings need at least one comparison")
    names = sorted({name for row in ordered for name in row[:2]})
    data = _Data.of(ordered, {name: i for i, name in enumerate(names)})
    ratings: list[Rating] = []
    neighbours: list[Neighbours] = []
    for number, group in enumerate(_groups(data.wins), start=1):
        if len(group) == 1:
            ratings.append(_alone(data, names, number, int(group[0])))
        else:
            fit = _Fit.of(data.only(group), seed, resamples)
            order = np.argsort(-fit.strength, kind="stable").tolist()
            ratings += [_rating(data, names, number, int(group[i]), fit, i) for i in order]
            neighbours += [_neighbours(names, group, fit, i, j) for i, j in pairwise(order)]
    return Ratings(tuple(ratings), tuple(neighbours), len(data.by_cluster), resamples)


def _turned(row: Contest) -> Contest:
    """The same comparison with its models in the order of their names."""
    if row.a == row.b or row.outcome not in (0, 0.5, 1) or not 0 < row.weight < math.inf:
        raise ValueError(
            "a comparison has two models, an outcome of 0, 0.5 or 1 and a positive weight, "
            f"found {row}"
        )
    if row.a < row.b:
        return row
    return row._replace(a=row.b, b=row.a, outcome=1 - row.outcome)


@dataclass(frozen=True, slots=True)
class _Data:
    """Weighted wins of the row's model over the column's, ties half: all, by cluster, by play."""

    wins: Floats
    ties: Floats
    by_cluster: Floats
    by_play: Floats

    @classmethod
    def of(cls, rows: Sequence[Contest], number: dict[str, int]) -> _Data:
        size = len(number)
        cells = np.array([number[row.a] * size + number[row.b] for row in rows], dtype=np.intp)
        back = cells % size * size + cells // size
        weight = np.array([row.weight for row in rows])
        won = weight * np.array([row.outcome for row in rows])
        tied = weight * np.array([row.outcome == 0.5 for row in rows])

        def added(units: Sequence[Sequence[Hashable]]) -> Floats:
            """Wins by unit, for rows that belong to one unit or several."""
            known = {unit: i for i, unit in enumerate(dict.fromkeys(u for us in units for u in us))}
            row = np.array([i for i, us in enumerate(units) for _ in us], dtype=np.intp)
            unit = np.array([known[u] for us in units for u in us], dtype=np.intp) * size * size
            length = len(known) * size * size
            total = np.bincount(unit + cells[row], won[row], length).astype(np.float64)
            total += np.bincount(unit + back[row], (weight - won)[row], length)
            return total.reshape(len(known), size, size)

        ties = np.zeros((size, size))
        np.add.at(ties.reshape(-1), np.append(cells, back), np.append(tied, tied))
        by_cluster = added([(row.cluster,) for row in rows])
        plays = [tuple(dict.fromkeys(row.plays)) or (i,) for i, row in enumerate(rows)]
        return cls(by_cluster.sum(axis=0), ties, by_cluster, added(plays))

    def only(self, group: NDArray[np.intp]) -> _Data:
        """The comparisons among these models, with the clusters and plays that have any."""
        cells = np.ix_(group, group)
        clusters, plays = (
            part[:, group[:, None], group] for part in (self.by_cluster, self.by_play)
        )
        clusters, plays = (part[part.any(axis=(1, 2))] for part in (clusters, plays))
        return _Data(self.wins[cells], self.ties[cells], clusters, plays)


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
    def of(cls, data: _Data, seed: int, resamples: int) -> _Fit:
        compared = data.wins + data.wins.T > 0
        strength = strengths(data.wins[None])[0]
        # Weights of 1/6 and the like leave crumbs where everything was taken away.
        left = data.wins - data.by_play
        left[left < _ROUNDING * data.wins.max()] = 0
        dropped, _ = _mended(left, compared)
        count = len(data.by_cluster)
        if count < LEAST_CLUSTERS:
            return cls(strength, dropped, strength[:0, None], np.zeros_like(strength), 0.0)
        draws = np.random.default_rng(seed).multinomial(count, [1 / count] * count, resamples)
        drawn = np.tensordot(draws.astype(np.float64), data.by_cluster, axes=1)
        resampled, unbound = _mended(drawn, compared)
        wide = math.sqrt(count / (count - 1)) * t_critical(count - 1)
        return cls(strength, dropped, resampled, unbound.mean(axis=0), NormalDist().cdf(-wide))


def _mended(wins: Floats, compared: NDArray[np.bool_]) -> tuple[Floats, NDArray[np.bool_]]:
    """Strengths of each matrix, and which models have none of their own there.

    Where not all models are joined, half a virtual win both ways for each compared pair bounds
    them. Joined to more than half of the models, a model still has a strength of its own.
    """
    sizes = joined(wins).sum(axis=2)
    models = wins.shape[-1]
    broken = (sizes < models).any(axis=1)
    mended = wins + _HALF_WIN * (broken[:, None, None] & compared)
    return strengths(mended), 2 * sizes <= models


def _alone(data: _Data, names: Sequence[str], number: int, model: int) -> Rating:
    won, tied, lost = _record(data, model)
    note = "its wins and losses join it to no other model"
    if not lost + tied:
        note = "won every comparison"
    elif not won + tied:
        note = "lost every comparison"
    return Rating(names[model], number, None, None, None, None, won, tied, lost, note)


def _rating(
    data: _Data, names: Sequence[str], number: int, model: int, fit: _Fit, i: int
) -> Rating:
    chances = probabilities(fit.strength)[i]
    expected = float((chances.sum() - 0.5) / (len(chances) - 1))
    low, high, note = _interval(fit, i)
    strength = float(fit.strength[i])
    record = _record(data, model)
    return Rating(names[model], number, strength, low, high, expected, *record, note)


def _interval(fit: _Fit, i: int) -> tuple[float | None, float | None, str]:
    if not len(fit.resampled):
        return None, None, f"fewer than {LEAST_CLUSTERS} clusters"
    if fit.unbound[i] > fit.tail:
        return None, None, f"no finite strength in {fit.unbound[i] * 100:.1f} % of the resamples"
    low, high = np.quantile(fit.resampled[:, i], [fit.tail, 1 - fit.tail]).tolist()
    if high - low <= _ROUNDING:
        return None, None, "no variation between clusters"
    return low, high, ""


def _record(data: _Data, model: int) -> tuple[float, float, float]:
    tied = float(data.ties[model].sum())
    won, lost = float(data.wins[model].sum()), float(data.wins[:, model].sum())
    return won - tied / 2, tied, lost - tied / 2


def _neighbours(
    names: Sequence[str], group: NDArray[np.intp], fit: _Fit, i: int, j: int
) -> Neighbours:
    """A resample that levels the two does not show the order either: it counts as turning it."""
    flips = int((fit.dropped[:, j] > fit.dropped[:, i] + _ROUNDING).sum())
    flipped = None
    if len(fit.resampled):
        flipped = float((fit.resampled[:, j] >= fit.resampled[:, i] - _ROUNDING).mean())
    return Neighbours(names[group[i]], names[group[j]], flips, len(fit.dropped), flipped)


def _points(strength: float | None) -> float | None:
    return None if strength is None else CENTRE + POINTS * strength


def _groups(wins: Floats) -> list[NDArray[np.intp]]:
    """Models joined by wins both ways, the group that won the largest share first."""
    both_ways = np.unique(joined(wins[None])[0], axis=0)
    groups = [np.flatnonzero(row) for row in both_ways]

    def rank(group: NDArray[np.intp]) -> tuple[float, int]:
        won, lost = wins[group].sum(), wins[:, group].sum()
        return -float(won / (won + lost)), int(group[0])

    return sorted(groups, key=rank)
