"""Judge minus people for each agent, and people's means corrected by the judge.

A judge that favours one agent may reverse a ranking though it follows people well over all
seats: so its bias is shown by agent, and tested against that for the other agents.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean
from typing import TypeAlias

import numpy as np

from sociolab.analysis.ratings import StoredRatings
from sociolab.core.score import Measure
from sociolab.report.catalogue import Catalogue
from sociolab.report.finding import Count, Finding, Note
from sociolab.report.section import Section
from sociolab.stats.correlation import correlations
from sociolab.stats.crossed import Given, RatedPlay, crossed, crossed_estimate
from sociolab.stats.intervals import Estimate, on_scale
from sociolab.stats.paired import holm
from sociolab.stats.power import ALPHA
from sociolab.stats.prediction_powered import FEWEST, Corrected, JudgedPlay, corrected

SAY = Catalogue("judge_by_agent")

JudgedByAgent: TypeAlias = Mapping[str, Mapping[str, Sequence[JudgedPlay]]]
"""The plays that a judge scored, by dimension and agent."""


@dataclass(frozen=True, slots=True)
class AgentBias:
    """A judge minus people in a dimension, over the plays of an agent that both scored.

    `apart`: that minus the bias for all other agents; `p` of it, Holm-corrected over agents and
    dimensions. `people` and `judged` are their means over the same plays.
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
        """Whose plays, as `agree` names groups of plays."""
        return f"agent {self.agent}"

    @property
    def differs(self) -> bool:
        """Whether the bias is shown to be another than that for the others."""
        return self.p is not None and self.p < ALPHA


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
    means by judge and by people."""

    judge: str
    biases: tuple[AgentBias, ...]
    orders: Mapping[str, float | None]
    corrected: tuple[CorrectedMean, ...]


def judge_by_agent(ratings: StoredRatings, judge: str) -> JudgeByAgent:
    """The judge beside people, agent by agent."""
    given: dict[tuple[str, str], Given] = defaultdict(tuple)
    for row in ratings.people:
        if row.value is not None:
            given[row.dimension, row.item] += ((row.rater, row.value),)
    plays: dict[str, dict[str, list[JudgedPlay]]] = {
        measure.name: defaultdict(list) for measure in ratings.measures
    }
    for one in ratings.judges:
        if one.rater == judge and one.value is not None and one.dimension in plays:
            rated = given.get((one.dimension, one.item), ())
            scored = plays[one.dimension][ratings.seats[one.item].agent]
            scored.append(JudgedPlay(one.cluster, one.value, rated))
    made = biases(judge, plays)
    orders: dict[str, float | None] = {}
    for name in plays:
        mine = [one for one in made if one.dimension == name]
        if len(mine) > 2:
            sides = np.array([one.judged for one in mine]), np.array([one.people for one in mine])
            orders[name] = correlations(*sides, np.arange(len(mine)))[1].value
    powered = (_corrected(judge, one, plays[one.name]) for one in ratings.measures)
    return JudgeByAgent(judge, made, orders, tuple(one for some in powered for one in some))


def biases(judge: str, plays: JudgedByAgent) -> tuple[AgentBias, ...]:
    """The bias of a judge for each agent in each dimension, by whose plays people rated, too."""
    made: dict[tuple[str, str], AgentBias] = {}
    ps: dict[tuple[str, str], float | None] = {}
    for dimension, every in plays.items():
        rated = {agent: [one for one in some if one.given] for agent, some in every.items()}
        by = {agent: rated[agent] for agent in sorted(rated) if rated[agent]}
        for agent, mine in by.items():
            others = [play for name, some in by.items() if name != agent for play in some]
            both = crossed([*_gaps(mine), *_gaps(others, -1)]) if others else None
            made[dimension, agent] = AgentBias(
                judge,
                dimension,
                agent,
                crossed_estimate(_gaps(mine)),
                None if both is None else both.value,
                None,
                fmean(fmean(value for _, value in play.given) for play in mine),
                fmean(play.judge for play in mine),
            )
            # Of two agents, each is the other's others: one test.
            ps[dimension, agent] = (
                None if both is None or (len(by) == 2 and agent != min(by)) else both.p
            )
    return tuple(replace(made[key], p=p) for key, p in holm(ps).items())


def _gaps(plays: Sequence[JudgedPlay], sign: int = 1) -> list[RatedPlay]:
    """Judge minus each rater."""
    return [
        RatedPlay(one.cluster, tuple((who, one.judge - value) for who, value in one.given), sign)
        for one in plays
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
        if (found := corrected(rows)) is not None:
            width = measure.high - measure.low
            low, high = (measure.low, measure.high) if len(sides) == 1 else (-width, width)
            people, alone, both = (
                on_scale(one, low, high) for one in (found.people, found.judge, found.corrected)
            )
            told = replace(found, people=people, judge=alone, corrected=both)
            yield CorrectedMean(judge, measure.name, sides, told)


# ------------------------------------------------------------------ what it concludes


def bias_findings(found: JudgeByAgent, ratings: StoredRatings) -> tuple[Finding, ...]:
    """A judge minus people, by metric and agent; p is of its distance from that for the others."""
    metrics = {measure.name: measure for measure in ratings.measures}
    return tuple(
        Finding(
            metrics[bias.dimension],
            {"judge": bias.judge, "agent": bias.agent},
            bias.bias,
            (Count("seat", bias.bias.n),),
            adjusted_p=bias.p,
            more={"people": bias.people, "judged": bias.judged, "apart": bias.apart},
        )
        for bias in found.biases
    )


def corrected_findings(found: JudgeByAgent, ratings: StoredRatings) -> tuple[Finding, ...]:
    """People's mean of each agent, corrected by the judge."""
    metrics = {measure.name: measure for measure in ratings.measures}
    return tuple(
        Finding(
            metrics[one.dimension],
            {"judge": one.judge, "agent": one.agents[0]},
            one.found.corrected,
            more={
                "rated": SAY("rated", rated=one.found.people.n, scored=one.found.judge.n),
                "people": one.found.people,
                "judged": one.found.judge,
                "weight": one.found.weight,
                "saved": one.found.saved,
            },
        )
        for one in found.corrected
        if len(one.agents) == 1
    )


def judge_by_agent_section(found: JudgeByAgent, ratings: StoredRatings) -> Section:
    """What to know of a judge before its scores rank agents."""
    findings, means = bias_findings(found, ratings), corrected_findings(found, ratings)
    tables = [SAY.table("bias", findings, cluster=ratings.cluster)]
    if means:
        tables.append(SAY.table("corrected", means, notes=_left_out(found, ratings.cluster)))
    said, cautions = _sentences(found, ratings), _cautions(found, findings)
    title = SAY("title", judge=found.judge)
    return Section(title, tuple(said), tuple(cautions), tuple(tables))


def _sentences(found: JudgeByAgent, ratings: StoredRatings) -> Iterator[Note]:
    if len({bias.agent for bias in found.biases}) < 2:
        yield SAY("one_agent")
    elif not any(bias.differs for bias in found.biases):
        yield SAY("no_difference")
    orders = [
        (measure, rho)
        for measure in ratings.measures
        if (rho := found.orders.get(measure.name)) is not None
    ]
    if same := [metric for metric, rho in orders if rho >= 1]:
        yield SAY("same_order", metrics=same)
    if other := [SAY("order", metric=metric, rho=rho) for metric, rho in orders if rho < 1]:
        yield SAY("orders", orders=other)


def _cautions(found: JudgeByAgent, findings: Sequence[Finding]) -> Iterator[Note]:
    """Of each agent for which the judge's bias is another."""
    by_agent: dict[str, list[Note]] = defaultdict(list)
    for bias, finding in zip(found.biases, findings, strict=True):
        if bias.differs:
            by_agent[bias.agent].append(
                SAY("favoured", metric=finding.metric, bias=bias.bias, apart=bias.apart, p=bias.p)
            )
    for agent, biases_of in by_agent.items():
        yield SAY("unfair", agent=agent, biases=biases_of)


def _left_out(found: JudgeByAgent, cluster: str) -> Iterator[Note]:
    """Rated agents without a corrected mean, and why."""
    corrected_agents = {one.agents for one in found.corrected}
    most: dict[str, int] = defaultdict(int)
    for bias in found.biases:
        most[bias.agent] = max(most[bias.agent], bias.bias.clusters)
    for agent in sorted(most):
        if (agent,) not in corrected_agents:
            why = "few_rated" if most[agent] < FEWEST else "few_unrated"
            yield SAY(why, agent=agent, clusters=Count(cluster, FEWEST))
