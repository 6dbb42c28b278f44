"""How often intervals of people's scores hold the truth for other scenarios and other raters.

    PYTHONPATH=src python benchmarks/bench_raters.py [RATINGS.csv]

Simulated ratings: five agents of 28 plays in 14 scenarios, two raters a play, of 20 raters who rate
unequally much, and components (shares of variance) as SOTOPIA's public ratings have them. With a
file (columns episode, seat, agent, scenario, rater: a line a rating) its assignment takes the place
of the drawn one. Also the cover of prediction-powered estimates with 60 of 308 plays rated.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict

import numpy as np

from sociolab.stats.crossed import RatedPlay, crossed_estimate
from sociolab.stats.intervals import Estimate, mean
from sociolab.stats.prediction_powered import JudgedPlay, corrected

SHARES = {  # of rater, scenario, play; the rest is the rating's own
    "KNO": (0.37, 0.05, 0.18),
    "SOC": (0.20, 0.10, 0.20),
    "BEL": (0.13, 0.08, 0.29),
    "REL": (0.10, 0.15, 0.40),
    "GOAL": (0.05, 0.20, 0.55),
}
DRAWS = 1000


def holds(made: Estimate) -> bool:
    """Whether an interval holds 0."""
    assert made.low is not None
    assert made.high is not None
    return made.low <= 0 <= made.high


def width(made: Estimate) -> float:
    """How wide an interval is."""
    assert made.low is not None
    assert made.high is not None
    return made.high - made.low


def drawn(seed: int, raters: int = 20) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """By agent, each play's scenario and its raters; some raters do many times what others do."""
    rng = np.random.default_rng(seed)
    eager = 1.0 / np.arange(1, raters + 1)
    found = {}
    for agent in range(5):
        odds = eager * rng.gamma(1.0, size=raters)  # not everybody is there for each batch
        odds /= odds.sum()
        found[f"agent-{agent}"] = [
            (
                f"s{play % 14}",
                tuple(f"r{r}" for r in rng.choice(raters, 2, replace=False, p=odds)),
            )
            for play in range(28)
        ]
    return found


def read(path: str) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """The assignment of a file."""
    plays: dict[tuple[str, str, str, str], list[str]] = defaultdict(list)
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            at = row["agent"], row["scenario"], row["episode"], row["seat"]
            plays[at].append(row["rater"])
    found: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    for (agent, scenario, *_), raters in plays.items():
        found[agent].append((scenario, tuple(dict.fromkeys(raters))))
    return dict(found)


def simulated(
    assigned: dict[str, list[tuple[str, tuple[str, ...]]]],
    shares: tuple[float, float, float],
    rng: np.random.Generator,
) -> dict[str, list[RatedPlay]]:
    """One study; every agent's true mean is 0."""
    sd = {name: np.sqrt(share) for name, share in zip("rsp", shares, strict=True)}
    rest = np.sqrt(1 - sum(shares))
    rater: dict[str, float] = defaultdict(lambda: rng.normal(0, sd["r"]))
    found = {}
    for agent, plays in assigned.items():
        scenario: dict[str, float] = defaultdict(lambda: rng.normal(0, sd["s"]))
        found[agent] = []
        for where, raters in plays:
            play = scenario[where] + rng.normal(0, sd["p"])
            given = {name: play + rater[name] + rng.normal(0, rest) for name in raters}
            found[agent].append(RatedPlay(where, given))
    return found


def cover(
    assigned: dict[str, list[tuple[str, tuple[str, ...]]]], draws: int, seed: int = 1
) -> dict[str, dict[str, float]]:
    """By dimension, the share of intervals of means (and of differences) that hold 0."""
    table = {}
    for name, shares in SHARES.items():
        rng = np.random.default_rng(seed)
        held: dict[str, int] = defaultdict(int)
        tried: dict[str, int] = defaultdict(int)
        widths: dict[str, list[float]] = defaultdict(list)
        for _ in range(draws):
            study = simulated(assigned, shares, rng)
            agents = list(study.values())
            for plays in agents:
                scores = [sum(p.given.values()) / len(p.given) for p in plays]
                one = mean(scores, [p.cluster for p in plays])
                both = crossed_estimate(plays)
                for title, made in (
                    ("scenario only", one),
                    ("both ways", both),
                ):
                    tried[title] += 1
                    held[title] += holds(made)
                    widths[title].append(width(made))
            a, b = agents[0], agents[1]
            gap = crossed_estimate([*a, *(p._replace(sign=-1) for p in b)])
            tried["difference"] += 1
            held["difference"] += holds(gap)
        table[name] = {title: held[title] / tried[title] for title in tried}
        table[name]["width both"] = float(np.median(widths["both ways"]))
        table[name]["width one"] = float(np.median(widths["scenario only"]))
    return table


def powered(draws: int, seed: int = 2, rated: float = 0.3) -> dict[str, float]:
    """The cover of a corrected mean and difference of 56 plays an agent in 14 scenarios, of which
    people rated some; the judge is 1 too high for one agent. And the median width, of people's."""
    rng, widths = np.random.default_rng(seed), list[float]()
    held: dict[str, int] = defaultdict(int)
    for _ in range(draws):
        sides = []
        for sign, bias in ((1, 1.0), (-1, 0.0)):
            scenario = rng.normal(0, 0.45, 14)
            rows = []
            for play in range(56):
                truth = scenario[play % 14] + rng.normal(0, 0.75)
                people = truth + rng.normal(0, 0.4) if rng.random() < rated else None
                judge = truth + bias + rng.normal(0, 0.4)
                rows.append(JudgedPlay(f"s{play % 14}", judge, people, 1 if sign > 0 else -1))
            sides.append(rows)
        for title, rows in (
            ("mean", sides[0]),
            ("difference", [*sides[0], *sides[1]]),
        ):
            found = corrected(rows)
            assert found is not None
            held["tried"] += title == "mean"
            for name in ("people", "judge", "corrected"):
                one = getattr(found, name)
                held[f"{title} {name}"] += holds(one)
        widths.append(
            (found.corrected.high - found.corrected.low) / (found.people.high - found.people.low)
        )
    tried = held.pop("tried")
    return {name: count / tried for name, count in held.items()} | {
        "width": float(np.median(widths))
    }


def main() -> None:
    """Print the tables."""
    assigned = read(sys.argv[1]) if len(sys.argv) > 1 else drawn(0)
    for agent, plays in assigned.items():
        print(agent, len(plays), "plays", len({r for _, some in plays for r in some}), "raters")
    for name, row in cover(assigned, DRAWS).items():
        print(name, "  ".join(f"{title} {value:.3f}" for title, value in row.items()))
    for share in (0.2, 0.3, 0.5):
        row = powered(DRAWS, rated=share)
        print(share, "rated:", "  ".join(f"{title} {value:.3f}" for title, value in row.items()))


if __name__ == "__main__":
    main()
