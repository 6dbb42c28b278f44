"""Prediction-powered means: few ratings by people, corrected by a judge's scores of all episodes.

Prediction-powered inference with power tuning (PPI++; Angelopoulos, Duchi and Zrnic,
arXiv 2311.01453, 2023): of plays that people rated (y and f) and of those that only the judge
scored (f alone),

    estimate = mean(y - w f) + w * mean(f of the others)

which is unbiased whatever the judge's bias; w, from 0 to 1, minimises the variance, so that a
useless judge gets weight 0. That holds where the rated plays are drawn
at random from all. Plays of one scenario are alike, and so are ratings by one rater: w is that of
sums over scenarios, and the interval is clustered both ways (`stats.crossed_raters`). The authors'
package ppi-python has no clusters: benchmarks/bench_raters.py shows how often these intervals hold.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from sociolab.stats.crossed_raters import RatedPlay, RaterScores, crossed_estimate
from sociolab.stats.intervals import Estimate

FEWEST = 5
"""Scenarios with rated plays, and with others, of each agent, below which nothing is corrected: a
weight would be noise, and the error of a mean over a play or two is not known."""


@dataclass(frozen=True, slots=True)
class JudgedPlay:
    """A play that a judge scored, with its ratings, if any.

    `sign` is -1 for plays of the agent that is taken off in a difference; `words` are those said in
    it, 0 where that is not known.
    """

    cluster: str
    judge: float
    ratings: RaterScores = ()
    sign: float = 1.0
    words: int = 0


@dataclass(frozen=True, slots=True)
class Corrected:
    """The mean (or difference of means) by people alone, by the judge alone, and the corrected one.

    `weight` is that of the judge. `saved`: how many more plays people would have to rate for an
    equally short interval; 0 if the judge does not help, None without an interval.
    """

    people: Estimate
    judge: Estimate
    corrected: Estimate
    weight: float
    saved: float | None


def _width(estimate: Estimate) -> float | None:
    return None if estimate.low is None or estimate.high is None else estimate.high - estimate.low


def correct_means(plays: Sequence[JudgedPlay]) -> Corrected | None:
    """The three estimates; None where the rated plays of a side, or its others, lie in fewer than
    `FEWEST` clusters."""
    rated = [play for play in plays if play.ratings]
    rest = [play for play in plays if not play.ratings]
    for sign in {play.sign for play in plays}:
        for some in (rated, rest):
            if len({play.cluster for play in some if play.sign == sign}) < FEWEST:
                return None
    weight = _weight(rated, rest)
    by_people = [RatedPlay(play.cluster, play.ratings, play.sign) for play in rated]
    less = [
        play._replace(
            ratings=tuple((who, value - weight * judged.judge) for who, value in judged.ratings)
        )
        for play, judged in zip(by_people, rated, strict=True)
    ]
    people = crossed_estimate(by_people)
    unrated = [_scored(play, weight, "others") for play in rest]
    pooled = replace(crossed_estimate([*less, *unrated]), n=len(rated))
    judge = crossed_estimate([_scored(play) for play in plays])
    alone, combined = _width(people), _width(pooled)
    saved = people.n * max((alone / combined) ** 2 - 1, 0.0) if alone and combined else None
    return Corrected(people, judge, pooled, weight, saved)


def _scored(play: JudgedPlay, weight: float = 1.0, side: str = "") -> RatedPlay:
    return RatedPlay(play.cluster, (("", weight * play.judge),), play.sign, side=side)


def _weight(rated: Sequence[JudgedPlay], rest: Sequence[JudgedPlay]) -> float:
    """The slope, cut to 0..1, of clusters' shares in people's mean on those in the judge's.

    The judge's mean is that of the rated plays less that of the others.
    """
    people, judge = defaultdict[str, float](float), defaultdict[str, float](float)
    for sign in {play.sign for play in rated}:
        own = [play for play in rated if play.sign == sign]
        unrated = [play for play in rest if play.sign == sign]
        scores = [fmean(value for _, value in play.ratings) for play in own]
        for play, score in zip(own, scores, strict=True):
            people[play.cluster] += sign * (score - fmean(scores)) / len(own)
        for some, part in ((own, sign), (unrated, -sign)):
            centre = fmean(play.judge for play in some)
            for play in some:
                judge[play.cluster] += part * (play.judge - centre) / len(some)
    square = sum(value**2 for value in judge.values())
    if square <= 1e-18:
        return 0.0
    return min(max(sum(people[name] * value for name, value in judge.items()) / square, 0.0), 1.0)
