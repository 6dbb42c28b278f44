"""Judge minus people for each agent and type of task, and people's means corrected by the judge.

A judge that favours one agent turns a ranking upside down though it follows people well over all
plays: so its bias is shown by agent, and tested against that for the other agents.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean

import numpy as np

from sociolab.analysis.formatting import NOTHING, cell, ends, listed, p_text, plain
from sociolab.analysis.ratings import StoredRatings
from sociolab.report.section import Section, TextTable
from sociolab.stats.agreement import ItemRating
from sociolab.stats.correlation import correlations
from sociolab.stats.crossed import RatedPlay, crossed, crossed_estimate
from sociolab.stats.intervals import Estimate, two_sided_p
from sociolab.stats.paired import holm
from sociolab.stats.prediction_powered import Corrected, JudgedPlay, corrected

_ALPHA = 0.05
_KINDS = {"agent": "agent", "type": "type of task"}


@dataclass(frozen=True, slots=True)
class GroupBias:
    """A judge minus people in a dimension, of the plays of an agent (or of a type of task).

    `apart`: that minus the bias for all others; `p` of it, Holm-corrected over dimensions and
    groups of a kind. `people` and `judged` are their means over the same plays.
    """

    judge: str
    dimension: str
    kind: str
    group: str
    bias: Estimate
    apart: float | None
    p: float | None
    people: float
    judged: float

    @property
    def differs(self) -> bool:
        """Whether the bias is another than that for the rest."""
        return self.p is not None and self.p <= _ALPHA


@dataclass(frozen=True, slots=True)
class CorrectedMean:
    """People's mean of an agent, or of one minus another, from ratings and a judge's scores."""

    judge: str
    dimension: str
    agent: str
    found: Corrected


@dataclass(frozen=True, slots=True)
class _Play:
    agent: str
    type: str
    cluster: str
    judge: float
    given: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class JudgeByAgent:
    """All of one judge; `orders` is the rank correlation of agents by judge and by people."""

    judge: str
    biases: tuple[GroupBias, ...]
    orders: Mapping[str, float | None]
    corrected: tuple[CorrectedMean, ...]


def judge_by_agent(ratings: StoredRatings, judge: str) -> JudgeByAgent:
    """The judge beside people by agent and by type of task."""
    plays = _plays(ratings, judge)
    biases = [b for kind in ("agent", "type") for b in _biases(judge, kind, plays)]
    orders: dict[str, float | None] = {}
    for name in plays:
        mine = [b for b in biases if (b.dimension, b.kind) == (name, "agent")]
        if len(mine) > 2:
            sides = np.array([b.judged for b in mine]), np.array([b.people for b in mine])
            orders[name] = correlations(*sides, np.arange(len(mine)))[1].value
    made = tuple(one for name, some in plays.items() for one in _corrected(judge, name, some))
    return JudgeByAgent(judge, tuple(biases), orders, made)


def _plays(ratings: StoredRatings, judge: str) -> dict[str, list[_Play]]:
    """By dimension, what the judge scored, and what people gave it."""
    given: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for row in ratings.people:
        if row.value is not None:
            given[row.dimension, row.item][row.rater] = row.value
    found: dict[str, list[_Play]] = {measure.name: [] for measure in ratings.measures}
    for one in ratings.judges:
        if one.rater == judge and one.value is not None and one.dimension in found:
            found[one.dimension].append(
                _play(ratings, one, given.get((one.dimension, one.item), {}))
            )
    return found


def _play(ratings: StoredRatings, row: ItemRating, given: Mapping[str, float]) -> _Play:
    agent, type_ = ratings.played[row.item]
    return _Play(agent, type_, row.cluster, row.value or 0.0, given)


def _biases(judge: str, kind: str, plays: Mapping[str, Sequence[_Play]]) -> list[GroupBias]:
    made: list[GroupBias] = []
    raw: dict[str, float | None] = {}
    for dimension, every in plays.items():
        by: dict[str, list[_Play]] = defaultdict(list)
        for play in every:
            if play.given:
                by[getattr(play, kind)].append(play)
        for group, mine in sorted(by.items()):
            others = [play for name, some in by.items() if name != group for play in some]
            found = crossed_estimate(_rated(mine))
            flipped = replace(
                found,
                value=None if found.value is None else -found.value,
                low=None if found.high is None else -found.high,
                high=None if found.low is None else -found.low,
            )
            both = crossed([*_rated(mine), *_rated(others, -1)]) if others else None
            p = None
            if both is not None and both.error is not None:
                p = two_sided_p(both.value / both.error, min(both.clusters, both.raters) - 1)
            people = fmean(fmean(play.given.values()) for play in mine)
            judged = fmean(play.judge for play in mine)
            apart = None if both is None else -both.value
            made.append(GroupBias(judge, dimension, kind, group, flipped, apart, p, people, judged))
            raw[f"{dimension} {group}"] = p
    told = holm(raw)
    return [replace(one, p=told[f"{one.dimension} {one.group}"]) for one in made]


def _rated(plays: Sequence[_Play], sign: int = 1) -> list[RatedPlay]:
    return [RatedPlay(p.cluster, p.given, 1 if sign > 0 else -1, p.judge) for p in plays]


def _corrected(judge: str, dimension: str, plays: Sequence[_Play]) -> Iterator[CorrectedMean]:
    """Of each agent, then of each two, where some plays are not rated by people."""
    if all(play.given for play in plays) or not any(play.given for play in plays):
        return
    agents = sorted({play.agent for play in plays})
    for sides in [(agent,) for agent in agents] + list(combinations(agents, 2)):
        rows = [
            JudgedPlay(
                play.cluster,
                play.judge,
                fmean(play.given.values()) if play.given else None,
                1 if play.agent == sides[0] else -1,
            )
            for play in plays
            if play.agent in sides
        ]
        if (found := corrected(rows)) is not None:
            yield CorrectedMean(judge, dimension, " \N{MINUS SIGN} ".join(sides), found)


def judge_by_agent_section(found: JudgeByAgent, titles: Mapping[str, str], cluster: str) -> Section:
    """What to know of a judge before its scores rank agents."""
    said: list[str] = []
    cautions = tuple(
        f"Its bias in {titles[one.dimension]} differs by {_KINDS[one.kind]}: for {one.group} it is "
        f"{plain(one.bias.value, sign=True)} {ends(one.bias)}, {plain(one.apart, sign=True)} from "
        f"that for the others (p {p_text(one.p)}). Its scores do not compare them fairly."
        for one in found.biases
        if one.differs
    )
    agents = [one for one in found.biases if one.kind == "agent"]
    if len({one.group for one in agents}) < 2:
        said.append("One agent only was rated: whether the judge favours an agent is not known.")
    elif not any(one.differs for one in agents):
        said.append(
            "No difference of its bias between agents is shown; that does not show there is none."
        )
    for name, r in found.orders.items():
        if r is not None and r < 1:
            said.append(
                f"Agents in {titles[name]}: Spearman's rank correlation of their means by judge "
                f"and by people {plain(r)}."
            )
    same = [titles[name] for name, r in found.orders.items() if r is not None and r >= 1]
    if same:
        said.append(f"Judge and people rank the agents alike in {listed(same)}.")
    tables = [
        _bias_table(title, [one for one in found.biases if one.kind == kind], titles, cluster)
        for kind, title in (
            ("agent", "Judge minus people, by agent"),
            ("type", "Judge minus people, by type of task"),
        )
    ]
    kept = [table for table in tables if len({row[1] for row in table.rows}) > 1]
    kept = kept or [table for table in tables[:1] if table.rows]
    if found.corrected:
        kept.append(_corrected_table(found.corrected, titles, cluster))
    return Section(f"{found.judge}: bias by agent", tuple(said), cautions, tuple(kept))


def _bias_table(
    title: str, rows: Sequence[GroupBias], titles: Mapping[str, str], cluster: str
) -> TextTable:
    return TextTable(
        title,
        ("", "", "n", "people", "judge", "bias", "95 % interval", "from others", "p"),
        tuple(
            (
                titles[one.dimension],
                one.group,
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
            f"bias: judge minus people, in points; interval by Student's t, clustered by {cluster} "
            "and by rater",
            "from others: the bias less that for all others; p: of that, Holm-corrected over this "
            "table",
        ),
    )


def _corrected_table(
    rows: Sequence[CorrectedMean], titles: Mapping[str, str], cluster: str
) -> TextTable:
    return TextTable(
        "People's means, corrected with the judge",
        ("", "", "rated", "people only", "judge only", "corrected", "ratings saved"),
        tuple(
            (
                titles[one.dimension],
                one.agent,
                f"{one.found.people.n:,}",
                cell(one.found.people),
                cell(one.found.judge),
                cell(one.found.corrected),
                NOTHING if one.found.saved is None else f"{one.found.saved:,.0f}",
            )
            for one in rows
        ),
        (
            "corrected: prediction-powered (PPI++, Angelopoulos et al. 2023): all of the judge's "
            "scores, less its bias on what people rated; right whatever the judge, if what people "
            "rated was drawn at random",
            "ratings saved: how many more episodes people would have to rate for as small an error",
            f"intervals by the jackknife over {cluster}s, for these raters",
        ),
    )
