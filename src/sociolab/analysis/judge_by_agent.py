"""Judge minus people for each agent, and people's means corrected by the judge.

A judge that favours one agent may reverse a ranking though it follows people well over all
seats: so its bias is shown by agent, and tested against that for the median agent. (Against the
mean of the others, agents would be accused that a bias for somebody else moves.)
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from statistics import fmean
from typing import TypeAlias

import numpy as np

from sociolab.analysis.ratings import StoredRatings
from sociolab.core.score import Measure
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Count, Finding, Sentence
from sociolab.report.section import Section
from sociolab.stats.adjusted_means import adjust_means
from sociolab.stats.alternative_annotator import (
    CROWD,
    EXPERTS,
    LEAST_ITEMS,
    LEAST_TESTED,
    AlternativeTest,
    alternative_test,
)
from sociolab.stats.correlation import correlations
from sociolab.stats.crossed_raters import RatedEstimate, RatedPlay, RaterScores
from sociolab.stats.intervals import Estimate, on_scale
from sociolab.stats.paired_tests import holm
from sociolab.stats.power import ALPHA
from sociolab.stats.prediction_powered import FEWEST, Corrected, JudgedPlay, correct_means

SAY = Catalogue("judge_by_agent")

JudgedByAgent: TypeAlias = Mapping[str, Mapping[str, Sequence[JudgedPlay]]]
"""The plays that a judge scored, by dimension and agent."""


@dataclass(frozen=True, slots=True)
class AgentBias:
    """A judge minus people in a dimension, over the plays of an agent that both scored.

    `bias` is adjusted for the severity of the agent's raters, so that it need not be `judged` less
    `people`, their means over the same plays. `apart`: it minus the median of the agents' biases;
    `p` of that, Holm-corrected over agents and dimensions; None for the median agent itself.
    """

    judge: str
    dimension: str
    agent: str
    bias: Estimate
    apart: float | None
    p: float | None
    people: float
    judged: float

    @property
    def group(self) -> str:
        """The group's name in the output of `agree`."""
        return f"agent {self.agent}"

    @property
    def differs(self) -> bool:
        """Whether the bias is shown to be another than the median agent's."""
        return self.p is not None and self.p < ALPHA


@dataclass(frozen=True, slots=True)
class Calibration:
    """How a judge goes with people within agents, in a dimension, adjusted for severity.

    `slope`: people's points by one of the judge's: 1 where they rise alike, 0 where people do not
    care what the judge gives. `length`: points by which judge minus people rises with twice the
    words; `p` of it, Holm-corrected over dimensions. `constant`: it gave all seats the same score.
    """

    judge: str
    dimension: str
    slope: Estimate
    length: Estimate
    p: float | None
    constant: bool

    @property
    def follows(self) -> bool:
        """Whether people are shown to give more where the judge does."""
        return self.slope.low is not None and self.slope.low > 0


@dataclass(frozen=True, slots=True)
class CorrectedMean:
    """People's mean of an agent (or of two, the first less the second), corrected by a judge."""

    judge: str
    dimension: str
    agents: tuple[str, ...]
    found: Corrected


@dataclass(frozen=True, slots=True)
class JudgeByAgent:
    """All of one judge; `orders`: by dimension, the rank correlation of at least three agents'
    means by judge and by people; `alternative`: whether it may take a person's place."""

    judge: str
    biases: tuple[AgentBias, ...]
    orders: Mapping[str, float | None]
    corrected: tuple[CorrectedMean, ...]
    calibrations: tuple[Calibration, ...] = ()
    alternative: Mapping[str, AlternativeTest] = field(default_factory=dict)


def judge_by_agent(ratings: StoredRatings, judge: str) -> JudgeByAgent:
    """Bias, rank order and corrected means of a judge, and how it follows people."""
    rated: dict[tuple[str, str], RaterScores] = defaultdict(tuple)
    for rating in ratings.people:
        if rating.value is not None:
            rated[rating.dimension, rating.item] += ((rating.rater, rating.value),)
    plays: dict[str, dict[str, list[JudgedPlay]]] = {
        measure.name: defaultdict(list) for measure in ratings.measures
    }
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for row in ratings.judges:
        if row.rater == judge and row.value is not None and row.dimension in plays:
            given, words = rated.get((row.dimension, row.item), ()), ratings.words.get(row.item, 0)
            play = JudgedPlay(row.cluster, row.value, given, words=words)
            plays[row.dimension][ratings.seats[row.item].agent].append(play)
            scores[row.dimension][row.item] = row.value
    clusters = {item: seat.cluster for item, seat in ratings.seats.items()}
    people: dict[str, dict[str, dict[str, float]]] = defaultdict(dict)
    for (name, item), both in rated.items():
        people[name][item] = dict(both)
    by_agent = biases(judge, plays)
    orders: dict[str, float | None] = {}
    for name in plays:
        pairs = [(bias.judged, bias.people) for bias in by_agent if bias.dimension == name]
        if len(pairs) > 2:
            by_judge, by_people = np.array(pairs).T
            orders[name] = correlations(by_judge, by_people, np.arange(len(pairs)))[1].value
    means = (
        mean
        for measure in ratings.measures
        for mean in _corrected(judge, measure, plays[measure.name])
    )
    return JudgeByAgent(
        judge,
        by_agent,
        orders,
        tuple(means),
        calibrations(judge, plays),
        {name: alternative_test(scores[name], people[name], clusters) for name in scores},
    )


def biases(judge: str, plays: JudgedByAgent) -> tuple[AgentBias, ...]:
    """The bias of a judge for each agent in each dimension, by whose plays people rated, too.

    The biases of a dimension are those of one model, adjusted for the severity of each agent's
    raters; each is held against their median, which one biased agent does not move far.
    """
    by_agent: dict[tuple[str, str], AgentBias] = {}
    ps: dict[tuple[str, str], float | None] = {}
    for dimension, scored in plays.items():
        rated = _rated(scored)
        if not rated:
            continue
        means = adjust_means(_gaps(rated))
        found = {agent: means.contrast({agent: 1.0}) for agent in rated}
        order = sorted(rated, key=lambda agent: found[agent].value or 0.0)
        middle = order[(len(order) - 1) // 2 : len(order) // 2 + 1]
        for agent, own in rated.items():
            away = Counter({agent: 1.0})
            away.subtract({name: 1 / len(middle) for name in middle})
            apart = means.contrast(away) if any(away.values()) else None
            by_agent[dimension, agent] = AgentBias(
                judge,
                dimension,
                agent,
                bias=found[agent],
                apart=0.0 if apart is None else apart.value,
                p=None,
                people=fmean(fmean(value for _, value in play.ratings) for play in own),
                judged=fmean(play.judge for play in own),
            )
            # Two agents are as far from the middle between them: one test.
            twice = len(middle) == 2 and agent == max(middle)
            ps[dimension, agent] = None if apart is None or twice else apart.p
    return tuple(replace(by_agent[key], p=p) for key, p in holm(ps).items())


def calibrations(judge: str, plays: JudgedByAgent) -> tuple[Calibration, ...]:
    """How a judge follows people, and how far from them it goes with length, by dimension."""
    found: dict[str, Calibration] = {}
    for dimension, scored in plays.items():
        rated = _rated(scored)
        if not rated:
            continue
        rows = [(agent, play) for agent, own in rated.items() for play in own]
        people = [RatedPlay(play.cluster, play.ratings, side=agent) for agent, play in rows]
        slope = adjust_means(people, [play.judge for _, play in rows]).slope()
        gaps = zip(_gaps(rated), rows, strict=True)
        said = [(gap, math.log2(play.words)) for gap, (_, play) in gaps if play.words]
        length = RatedEstimate(None, 0, 0, None, None, "none", note="no words")
        if said:
            length = adjust_means([gap for gap, _ in said], [words for _, words in said]).slope()
        constant = len(rows) > 1 and len({play.judge for _, play in rows}) == 1
        found[dimension] = Calibration(judge, dimension, slope, length, length.p, constant)
    ps = holm({name: calibration.p for name, calibration in found.items()})
    return tuple(replace(calibration, p=ps[name]) for name, calibration in found.items())


def _rated(scored: Mapping[str, Sequence[JudgedPlay]]) -> dict[str, list[JudgedPlay]]:
    """By agent, in the order of their names, the plays that people rated, too."""
    plays = {agent: [play for play in scored[agent] if play.ratings] for agent in sorted(scored)}
    return {agent: own for agent, own in plays.items() if own}


def _gaps(rated: Mapping[str, Sequence[JudgedPlay]]) -> list[RatedPlay]:
    """The differences of the judge's score and each rating, as ratings of the same episodes."""
    return [
        RatedPlay(play.cluster, tuple((who, play.judge - v) for who, v in play.ratings), side=agent)
        for agent, own in rated.items()
        for play in own
    ]


def _corrected(
    judge: str, measure: Measure, plays: Mapping[str, Sequence[JudgedPlay]]
) -> Iterator[CorrectedMean]:
    """Of each agent, then of each two, where people rated some of the plays."""
    agents = sorted(plays)
    for sides in [(agent,) for agent in agents] + list(combinations(agents, 2)):
        rows = [
            replace(play, sign=sign)
            for agent, sign in zip(sides, (1.0, -1.0), strict=False)
            for play in plays[agent]
        ]
        if (means := correct_means(rows)) is not None:
            width = measure.high - measure.low
            low, high = (measure.low, measure.high) if len(sides) == 1 else (-width, width)
            cut = replace(
                means,
                people=on_scale(means.people, low, high),
                judge=on_scale(means.judge, low, high),
                corrected=on_scale(means.corrected, low, high),
            )
            yield CorrectedMean(judge, measure.name, sides, cut)


# ------------------------------------------------------------------ what it concludes


def bias_findings(ratings: StoredRatings, judge: JudgeByAgent) -> tuple[Finding, ...]:
    """A judge minus people, by metric and agent; p is of its distance from the median."""
    return tuple(
        Finding(
            ratings.metrics[bias.dimension],
            {"judge": bias.judge, "agent": bias.agent},
            bias.bias,
            (Count("seat", bias.bias.n),),
            adjusted_p=bias.p,
            more={"people": bias.people, "judged": bias.judged, "apart": bias.apart},
        )
        for bias in judge.biases
    )


def corrected_findings(ratings: StoredRatings, judge: JudgeByAgent) -> tuple[Finding, ...]:
    """Prediction-powered means of each agent; beside them people's and the judge's own."""
    return tuple(
        Finding(
            ratings.metrics[mean.dimension],
            {"judge": mean.judge, "agent": mean.agents[0]},
            mean.found.corrected,
            more={
                "rated": SAY("rated", rated=mean.found.people.n, scored=mean.found.judge.n),
                "people": mean.found.people,
                "judged": mean.found.judge,
                "weight": mean.found.weight,
                "saved": mean.found.saved,
            },
        )
        for mean in judge.corrected
        if len(mean.agents) == 1
    )


def calibration_findings(ratings: StoredRatings, judge: JudgeByAgent) -> tuple[Finding, ...]:
    """How people's scores rise with the judge's; beside it how far the judge goes with length."""
    return tuple(
        Finding(
            ratings.metrics[row.dimension],
            {"judge": row.judge},
            row.slope,
            (Count("seat", row.slope.n),),
            adjusted_p=row.p,
            more={"length": row.length},
        )
        for row in judge.calibrations
    )


def alternative_findings(ratings: StoredRatings, judge: JudgeByAgent) -> tuple[Finding, ...]:
    """Over how many raters the judge wins, of the metrics in which enough could be tested."""
    return tuple(
        Finding(
            ratings.metrics[name],
            {"judge": judge.judge},
            counts=(Count("rater", test.tested),),
            more={
                "advantage": test.advantage,
                "crowd": test.wins[CROWD],
                "experts": test.wins[EXPERTS],
            },
        )
        for name, test in judge.alternative.items()
        if test.wins is not None
    )


def judge_by_agent_section(ratings: StoredRatings, judge: JudgeByAgent) -> Section:
    """The judge's bias for each agent, to be read before its scores rank agents."""
    findings, means = bias_findings(ratings, judge), corrected_findings(ratings, judge)
    tables = [SAY.table("bias", findings, cluster=ratings.cluster)]
    if calibrated := calibration_findings(ratings, judge):
        tables.append(SAY.table("calibration", calibrated))
    if tested := alternative_findings(ratings, judge):
        tables.append(SAY.table("alternative", tested, least=LEAST_ITEMS))
    if means:
        tables.append(SAY.table("corrected", means, notes=_left_out(ratings, judge)))
    sentences = (*_following(ratings, judge), *_sentences(ratings, judge))
    cautions = (*_cautions(findings), *_length_cautions(calibrated))
    title = SAY("title", judge=judge.judge)
    return Section(title, sentences, cautions, tuple(tables))


def constant_judge(metrics: Sequence[Measure | None]) -> Sentence:
    """That a judge whose scores are all one follows nobody."""
    return SAY("constant", metrics=metrics)


def _following(ratings: StoredRatings, judge: JudgeByAgent) -> Iterator[Sentence]:
    """Where the judge does not follow people, before anything else; then whether it may take their
    place."""
    metric = ratings.metrics
    if constant := [metric[row.dimension] for row in judge.calibrations if row.constant]:
        yield constant_judge(constant)
    unclear = [row for row in judge.calibrations if not (row.follows or row.constant)]
    if unclear:
        yield SAY("not_following", metrics=[metric[row.dimension] for row in unclear])
    tests = {metric[name]: test for name, test in judge.alternative.items() if test.raters}
    passed = [name for name, test in tests.items() if test.passes(CROWD)]
    failed = [name for name, test in tests.items() if test.passes(CROWD) is False]
    unfair = {metric[bias.dimension] for bias in judge.biases if bias.differs}
    if fair := [name for name in passed if name not in unfair]:
        yield SAY("may_replace", metrics=fair)
    if biased := [name for name in passed if name in unfair]:
        yield SAY("may_not_compare", metrics=biased)
    if failed:
        yield SAY("may_not_replace", metrics=failed)
    if tests and not passed and not failed:
        most = max(test.tested for test in tests.values())
        raters = Count("rater", max(test.raters for test in tests.values()))
        yield SAY("not_tested", n=most, raters=raters, items=LEAST_ITEMS, least=LEAST_TESTED)


def _sentences(ratings: StoredRatings, judge: JudgeByAgent) -> Iterator[Sentence]:
    if len({bias.agent for bias in judge.biases}) < 2:
        yield SAY("one_agent")
    elif not any(bias.differs for bias in judge.biases) and any(
        row.follows for row in judge.calibrations
    ):
        yield SAY("no_difference")
    orders = [(ratings.metrics[name], rho) for name, rho in judge.orders.items() if rho is not None]
    if same := [metric for metric, rho in orders if rho >= 1]:
        yield SAY("same_order", metrics=same)
    if other := [SAY("order", metric=metric, rho=rho) for metric, rho in orders if rho < 1]:
        yield SAY("orders", orders=other)


def _cautions(findings: Sequence[Finding]) -> Iterator[Sentence]:
    """A caution for each agent whose bias differs significantly from that of the others."""
    by_agent: dict[str, list[Sentence]] = defaultdict(list)
    for finding in findings:
        if finding.adjusted_p is not None and finding.adjusted_p < ALPHA:
            bias, apart, p = finding.estimate, finding.more["apart"], finding.adjusted_p
            differs = SAY("favoured", metric=finding.metric, bias=bias, apart=apart, p=p)
            by_agent[finding.about["agent"]].append(differs)
    for agent, notes in by_agent.items():
        yield SAY("unfair", agent=agent, biases=notes)


def _length_cautions(findings: Sequence[Finding]) -> Iterator[Sentence]:
    slopes = [
        SAY("by_length", metric=finding.metric, slope=finding.more["length"], p=finding.adjusted_p)
        for finding in findings
        if finding.adjusted_p is not None and finding.adjusted_p < ALPHA
    ]
    if slopes:
        yield SAY("with_length", slopes=slopes)


def _left_out(ratings: StoredRatings, judge: JudgeByAgent) -> Iterator[Sentence]:
    """Rated agents without a corrected mean, and why."""
    present = {mean.agents for mean in judge.corrected}
    most: dict[str, int] = defaultdict(int)
    for bias in judge.biases:
        most[bias.agent] = max(most[bias.agent], bias.bias.clusters)
    for agent in sorted(most):
        if (agent,) not in present:
            why = "few_rated" if most[agent] < FEWEST else "few_unrated"
            yield SAY(why, agent=agent, clusters=Count(ratings.cluster, FEWEST))
