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
from sociolab.report.formatting import NOTHING, cell, ends, interval_notes, p_text, plain
from sociolab.report.section import Section, TextTable
from sociolab.report.words import listed
from sociolab.stats.correlation import correlations
from sociolab.stats.crossed import Given, RatedPlay, crossed, crossed_estimate
from sociolab.stats.intervals import Estimate, on_scale
from sociolab.stats.paired import holm
from sociolab.stats.power import ALPHA
from sociolab.stats.prediction_powered import FEWEST, Corrected, JudgedPlay, corrected

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
            scored = plays[one.dimension][ratings.played[one.item]]
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


def judge_by_agent_section(found: JudgeByAgent, titles: Mapping[str, str], cluster: str) -> Section:
    """What to know of a judge before its scores rank agents."""
    said: list[str] = []
    if len({one.agent for one in found.biases}) < 2:
        said.append("People rated one agent only: whether the judge favours any is not known.")
    elif not any(one.differs for one in found.biases):
        said.append(
            "The judge's bias is not shown to differ between agents. This is no evidence that it "
            "is the same: see the intervals."
        )
    same = [titles[name] for name, r in found.orders.items() if r is not None and r >= 1]
    if same:
        said.append(f"Judge and people rank the agents alike in {listed(same)}.")
    other = [
        f"{titles[name]} {plain(r)}" for name, r in found.orders.items() if r is not None and r < 1
    ]
    if other:
        said.append(
            "Spearman's rank correlation of the agents' means by judge and by people: "
            f"{', '.join(other)}."
        )
    tables = [_bias_table(found.biases, titles, cluster)]
    means = [one for one in found.corrected if len(one.agents) == 1]
    if means:
        tables.append(_corrected_table(found, means, titles, cluster))
    cautions = tuple(_cautions(found.biases, titles))
    return Section(f"Judge minus people: {found.judge}", tuple(said), cautions, tuple(tables))


def _cautions(found: Sequence[AgentBias], titles: Mapping[str, str]) -> Iterator[str]:
    """Of each agent for which the judge's bias is another."""
    by: dict[str, list[AgentBias]] = defaultdict(list)
    for one in found:
        if one.differs:
            by[one.agent].append(one)
    for agent, some in by.items():
        told = [
            f"{titles[one.dimension]} {plain(one.bias.value, sign=True)} {ends(one.bias)}, which "
            f"is {plain(one.apart, sign=True)} from the bias for others (Holm p {p_text(one.p)})"
            for one in some
        ]
        yield (
            f"The judge's bias for {agent} differs from that for other agents: {listed(told)}. Its "
            "scores do not compare these agents fairly."
        )


def _bias_table(rows: Sequence[AgentBias], titles: Mapping[str, str], cluster: str) -> TextTable:
    """A row for each dimension and agent."""
    return TextTable(
        "Judge minus people, by agent",
        ("", "agent", "n", "people", "judge", "bias", "95 % interval", "from others", "Holm p"),
        tuple(
            (
                titles[one.dimension],
                one.agent,
                f"{one.bias.n:,}",
                plain(one.people),
                plain(one.judged),
                plain(one.bias.value, sign=True),
                ends(one.bias),
                plain(one.apart, sign=True),
                NOTHING if one.p is None else p_text(one.p),
            )
            for one in rows
        ),
        (
            "n: seats that both scored; bias: judge minus people, in points",
            *interval_notes([one.bias for one in rows], cluster),
            "from others: this bias minus the bias for all other agents; Holm p: for that "
            "difference, corrected for all rows",
        ),
        words=(1,),
    )


def _corrected_table(
    found: JudgeByAgent, rows: Sequence[CorrectedMean], titles: Mapping[str, str], cluster: str
) -> TextTable:
    return TextTable(
        "People's means, corrected with the judge (PPI++)",
        ("", "agent", "rated", "people alone", "judge alone", "corrected", "weight", "saved"),
        tuple(
            (
                titles[one.dimension],
                one.agents[0],
                f"{one.found.people.n:,} of {one.found.judge.n:,}",
                cell(one.found.people),
                cell(one.found.judge),
                cell(one.found.corrected),
                plain(one.found.weight),
                NOTHING if one.found.saved is None else f"{one.found.saved:,.0f}",
            )
            for one in rows
        ),
        (
            "corrected: the people's mean, adjusted by the difference between the judge's mean for "
            "unrated and for rated seats (Angelopoulos et al., arXiv 2311.01453); unbiased if the "
            "rated ones are a random sample, however biased the judge",
            "weight: how much the judge counts, 0 to 1; saved: how many more seats people would "
            "have to rate for an interval as short",
            *_left_out(found, cluster),
        ),
        words=(1,),
    )


def _left_out(found: JudgeByAgent, cluster: str) -> Iterator[str]:
    """Rated agents without a corrected mean, and why."""
    there = {one.agents for one in found.corrected}
    most: dict[str, int] = defaultdict(int)
    for one in found.biases:
        most[one.agent] = max(most[one.agent], one.bias.clusters)
    for agent in sorted(most):
        if (agent,) not in there:
            which = "rated" if most[agent] < FEWEST else "unrated"
            yield f"left out: {agent} ({which} seats in fewer than {FEWEST} {cluster}s)"
