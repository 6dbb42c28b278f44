"""How often intervals of people's scores hold the truth for other scenarios and other raters.

    PYTHONPATH=src OMP_NUM_THREADS=1 python benchmarks/bench_raters.py \\
        [oracle] [bias] [coverage] [judge]

Simulated studies: five agents of 28 plays in 14 scenarios, each beside a partner who is rated too,
two of 20 raters an episode, and variance components (shares) as SOTOPIA's public ratings have them.
Who rates what is dealt by the assignment of the project's own studies, to raters of whom some come
back many times and others do two episodes; or, as recruited without such dealing, at random, where
an agent's raters are fewer and weigh more unequally. Also the coverage of estimates corrected by a
judge (PPI++), of which people rated some plays only, and how often a judge is warned of that
favours no agent, and one.
"Both ways" is the error clustered by scenario and by rater, "model" the mixed model, "oracle" the
same model if told the true variances (generalised least squares, 1.96 errors to either side): no
interval that holds the truth can be shorter in the mean. Ten minutes of one core.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from sociolab.analysis.judge_by_agent import biases
from sociolab.stats.adjusted_means import adjust_means
from sociolab.stats.crossed_raters import RatedPlay, crossed_estimate
from sociolab.stats.intervals import Estimate, mean
from sociolab.stats.paired_tests import holm
from sociolab.stats.prediction_powered import JudgedPlay, correct_means
from sociolab.store.studies import AssignmentRow
from sociolab.studies.assignment import ItemPool, choose_item

SHARES = {  # of rater, scenario, play; the rest is the rating's own
    "KNO": (0.37, 0.05, 0.18),
    "SOC": (0.20, 0.10, 0.20),
    "BEL": (0.13, 0.08, 0.29),
    "REL": (0.10, 0.15, 0.40),
    "GOAL": (0.05, 0.20, 0.55),
}
AGENTS, SCENARIOS, PLAYS, RATERS = 5, 14, 28, 20
DRAWS = 40
PARTNER = "partner"
"""Who played the other seat beside every agent, and was rated by the same people."""

Assigned: TypeAlias = Mapping[str, Sequence[tuple[str, tuple[str, ...]]]]
"""By agent, each play's scenario and its raters."""


def dealt(seed: int) -> Assigned:
    """By the assignment of the project's studies, raters coming in an uneven order."""
    plays = {
        f"{agent} {play}": (f"agent-{agent}", f"s{play % SCENARIOS}")
        for agent in range(AGENTS)
        for play in range(PLAYS)
    }
    blocks = {item: agent for item, (agent, _) in plays.items()}
    pool = ItemPool(tuple(plays), people=2, each=60, blocks=blocks)
    rng, odds = np.random.default_rng(seed), 1.0 / np.arange(1, RATERS + 1)
    rows: list[AssignmentRow] = []
    while len(rows) < 2 * len(plays):
        rater = int(rng.choice(RATERS, p=odds / odds.sum()))
        item = choose_item(pool, rows, rater)
        if item is None:
            odds[rater] = 0.0
        else:
            rows.append(AssignmentRow(len(rows), rater, item, "", "done", 0.0, 0.0))
    raters: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        raters[row.item].append(f"r{row.participant}")
    found: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    for item, (agent, scenario) in plays.items():
        found[agent].append((scenario, tuple(raters[item])))
    return found


def at_random(seed: int) -> Assigned:
    """Each agent's plays rated by whoever was there, some of them much more often than others."""
    rng = np.random.default_rng(seed)
    eager = 1.0 / np.arange(1, RATERS + 1)
    found = {}
    for agent in range(AGENTS):
        odds = eager * rng.gamma(1.0, size=RATERS)
        two = [rng.choice(RATERS, 2, replace=False, p=odds / odds.sum()) for _ in range(PLAYS)]
        found[f"agent-{agent}"] = [
            (f"s{play % SCENARIOS}", tuple(f"r{rater}" for rater in raters))
            for play, raters in enumerate(two)
        ]
    return found


def simulated(
    assigned: Assigned,
    shares: tuple[float, float, float],
    rng: np.random.Generator,
    common: bool = False,
) -> dict[str, list[RatedPlay]]:
    """One study; every agent's true mean is 0. A scenario is as hard for each agent, or (unless
    `common`) for each agent by its own draw."""
    by_rater, by_scenario, by_play = np.sqrt(shares)
    rest = np.sqrt(1 - sum(shares))
    severity: dict[str, float] = defaultdict(lambda: rng.normal(0, by_rater))
    found: dict[str, list[RatedPlay]] = {}
    scenario: dict[str, float] = defaultdict(lambda: rng.normal(0, by_scenario))
    for agent, plays in assigned.items():
        if not common:
            scenario.clear()
        for where, raters in plays:
            for who in (agent, PARTNER):
                play = scenario[where] + rng.normal(0, by_play)
                given = tuple(
                    (name, play + severity[name] + rng.normal(0, rest)) for name in raters
                )
                found.setdefault(who, []).append(RatedPlay(where, given, side=who))
    return found


def holds(made: Estimate) -> bool:
    """Whether an interval holds 0."""
    return made.low is not None and made.high is not None and made.low <= 0 <= made.high


def width(made: Estimate) -> float:
    """How wide an interval is."""
    return (made.high or 0.0) - (made.low or 0.0)


def oracle_error(
    assigned: Assigned, shares: tuple[float, float, float], common: bool = False
) -> float:
    """The standard error of the difference of the first two agents for who knows the variances."""
    rows = [
        (who, rater, where if common else f"{agent} {where}", f"{agent} {number} {who}")
        for agent, plays in assigned.items()
        for number, (where, raters) in enumerate(plays)
        for who in (agent, PARTNER)
        for rater in raters
    ]
    sides, *factors = (
        np.unique(column, return_inverse=True)[1] for column in zip(*rows, strict=True)
    )
    variance = np.eye(len(rows)) * (1 - sum(shares))
    for share, codes in zip(shares, factors, strict=True):
        variance += share * (codes[:, None] == codes)
    design = np.eye(sides.max() + 1)[sides]
    spread = np.linalg.inv(design.T @ np.linalg.solve(variance, design))
    return float(np.sqrt(spread[0, 0] + spread[1, 1] - 2 * spread[0, 1]))


def reachable(deals: Sequence[Assigned], draws: int, seed: int = 4) -> Iterator[str]:
    """How many times as wide intervals both ways are as the oracle's (medians), by dimension."""
    for name, shares in SHARES.items():
        times = []
        for common in (False, True):
            rng, found = np.random.default_rng(seed), list[float]()
            for draw in range(draws):
                assigned = deals[draw % len(deals)]
                agents = simulated(assigned, shares, rng, common)
                first, second = (agents[f"agent-{i}"] for i in (0, 1))
                turned = [play._replace(weight=-1.0) for play in second]
                both = crossed_estimate([*first, *turned])
                found.append(width(both) / 3.92 / oracle_error(assigned, shares, common))
            times.append(float(np.median(found)))
        yield f"  {name:5} scenarios by agent {times[0]:.2f}  in common {times[1]:.2f}"


def coverage(deals: Sequence[Assigned], draws: int, seed: int = 1) -> dict[str, dict[str, float]]:
    """By dimension, how often intervals of a mean and of a difference hold the truth, both ways and
    by the model, how often a difference of two equal agents has a p below .05 by the model, and how
    many times as wide the intervals both ways are (medians)."""
    table = {}
    for name, shares in SHARES.items():
        rng, held, widths = np.random.default_rng(seed), Counter[str](), defaultdict(list)
        for draw in range(draws):
            agents = simulated(deals[draw % len(deals)], shares, rng)
            means = adjust_means([play for plays in agents.values() for play in plays])
            first, second, *_ = agents
            scores = [sum(v for _, v in p.ratings) / len(p.ratings) for p in agents[first]]
            one = mean(scores, [p.cluster for p in agents[first]])
            turned = [p._replace(weight=-1.0) for p in agents[second]]
            pairs = {
                "mean": (crossed_estimate(agents[first]), means.contrast({first: 1})),
                "difference": (
                    crossed_estimate([*agents[first], *turned]),
                    means.contrast({first: 1, second: -1}),
                ),
            }
            held["by scenario"] += holds(one)
            for title, (both, model) in pairs.items():
                held[f"{title} both ways"] += holds(both)
                held[f"{title} model"] += holds(model)
                widths[title].append(width(both) / width(model))
            held["p < .05"] += (pairs["difference"][1].p or 1.0) < 0.05
        table[name] = {title: count / draws for title, count in held.items()}
        table[name] |= {f"{title} times": float(np.median(each)) for title, each in widths.items()}
    return table


def powered(draws: int, rated: float, raters: int, seed: int = 2) -> dict[str, float]:
    """The coverage of the corrected mean, and difference, of 56 plays an agent in 14 scenarios, of
    which one of the raters rated some; the judge is 1 too high for one agent. And how wide the
    intervals are beside those of people alone, and the plays that a judge saves."""
    rng, held = np.random.default_rng(seed), Counter[str]()
    widths, saved = list[float](), list[float]()
    for _ in range(draws):
        sides = []
        severity = rng.normal(0, 0.3, raters)
        for sign, bias in ((1.0, 1.0), (-1.0, 0.0)):
            scenario, rows = rng.normal(0, 0.45, 14), []
            people = rng.permutation(56) < rated * 56
            for play in range(56):
                truth, rater = scenario[play % 14] + rng.normal(0, 0.75), int(rng.integers(raters))
                score = truth + severity[rater] + rng.normal(0, 0.4)
                given = ((f"r{rater}", score),) if people[play] else ()
                judge = truth + bias + rng.normal(0, 0.4)
                rows.append(JudgedPlay(f"s{play % 14}", judge, given, sign))
            sides.append(rows)
        for title, rows in (("mean", sides[0]), ("difference", [*sides[0], *sides[1]])):
            found = correct_means(rows)
            assert found is not None
            for name in ("people", "judge", "corrected"):
                held[f"{title} {name}"] += holds(getattr(found, name))
            if title == "mean":
                widths.append(width(found.corrected) / width(found.people))
                saved.append(found.saved or 0.0)
    return {name: count / draws for name, count in held.items()} | {
        "times as wide": float(np.median(widths)),
        "saved": float(np.median(saved)),
    }


def accused_both_ways(plays: Mapping[str, Mapping[str, Sequence[JudgedPlay]]]) -> set[str]:
    """Agents whose bias differs from that for all others, by the error clustered both ways."""
    ps = {}
    for name, by_agent in plays.items():
        gaps = {
            agent: [
                RatedPlay(p.cluster, tuple((who, p.judge - v) for who, v in p.ratings)) for p in own
            ]
            for agent, own in by_agent.items()
        }
        for agent, own in gaps.items():
            rest = [p._replace(weight=-1.0) for who in gaps if who != agent for p in gaps[who]]
            ps[name, agent] = crossed_estimate([*own, *rest]).p
    return {agent for (_, agent), p in holm(ps).items() if p is not None and p < 0.05}


def warned(
    assigned: Assigned, draws: int, planted: float, seed: int = 3
) -> dict[str, tuple[float, float]]:
    """How often a judge is found that is as high as people with one scale (0 to 10) for all agents,
    but `planted` higher for the first, and how often a bystander is accused: against the median
    agent by the model, and against all others both ways."""
    rng, found = np.random.default_rng(seed), {"model": [0, 0], "both ways": [0, 0]}
    for _ in range(draws):
        plays: dict[str, dict[str, list[JudgedPlay]]] = {name: {} for name in SHARES}
        for name, shares in SHARES.items():
            for agent, rows in simulated(assigned, shares, rng).items():
                mine = plays[name].setdefault(agent, [])
                for row in rows:
                    people = sum(v for _, v in row.ratings) / len(row.ratings)
                    judge = 5 + 2.5 * (people + rng.normal(0, 0.6))
                    judge += planted * (agent == "agent-0")
                    given = tuple((who, 5 + 2.5 * value) for who, value in row.ratings)
                    mine.append(JudgedPlay(row.cluster, judge, given))
        accused = {
            "model": {one.agent for one in biases("judge", plays) if one.differs},
            "both ways": accused_both_ways(plays),
        }
        for title, agents in accused.items():
            found[title][0] += "agent-0" in agents
            found[title][1] += bool(agents - {"agent-0"})
    return {title: (hit / draws, other / draws) for title, (hit, other) in found.items()}


def main() -> None:
    """Print the tables."""
    parts = sys.argv[1:] or ("oracle", "bias", "coverage", "judge")
    ways = {"dealt by a study": [dealt(0)], "at random": [at_random(seed) for seed in range(20)]}
    for title, deals in ways.items():
        each = [len({r for _, some in plays for r in some}) for plays in deals[0].values()]
        print(f"{title}: {min(each)} to {max(each)} raters an agent")
        if "oracle" in parts:
            print(*reachable(deals, DRAWS), sep="\n", flush=True)
        if "bias" in parts:
            for name, (hit, other) in warned(deals[0], DRAWS, 1.0).items():
                print(f"  judge 1 higher, {name}: found {hit:.3f}, others {other:.3f}", flush=True)
        if "coverage" in parts:
            for name, row in coverage(deals, DRAWS).items():
                print(f"  {name:5}", "  ".join(f"{k} {v:.3f}" for k, v in row.items()), flush=True)
    for raters in (6, 20) if "judge" in parts else ():
        for share in (0.2, 0.3, 0.5):
            found = powered(10 * DRAWS, share, raters)
            told = "  ".join(f"{key} {value:.3f}" for key, value in found.items())
            print(f"PPI++, {raters} raters, {share:.0%} rated: {told}", flush=True)


if __name__ == "__main__":
    main()
