"""How often the 95 % interval of G holds the mean of all trainings: a simulation.

    OMP_NUM_THREADS=1 .venv/bin/python benchmarks/bench_gap_coverage.py --data DIR --n 60

The population: the sessions of one scripted agent (`--pool`, played here), and the episodes of CRD3
in DIR (crd3_skill_checks.train.jsonl.gz), of which three in four are there to learn from and the
rest to test on. A study draws n sessions without replacement, as many episodes as there are to
learn from with replacement, and 32 test episodes with replacement, and measures G as `sociolab gap`
does (linear, matched, strict rows, 12 refits). The truth is the mean signed G of `--trainings` such
trainings, each tested on all test episodes. Printed beside each interval: the one that holds the
test rows alone. The Monte Carlo error is that of a coverage of 90 % in so many studies; that of the
truth stands behind it.
"""

from __future__ import annotations

import argparse
import asyncio
import math
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TypeAlias

import numpy as np

from sociolab.app.run.config import RunConfig
from sociolab.app.run.play import run
from sociolab.core.seeding import stream
from sociolab.store.store import Store
from sociolab.worlds.anteval.gap import Bench, GapSettings, labelled
from sociolab.worlds.anteval.gap_intervals import Draws, Floats, GapFigure, Trained, count_labels
from sociolab.worlds.anteval.importing.dnd import read_examples
from sociolab.worlds.anteval.intention import example_of
from sociolab.worlds.anteval.virtual_dm.example import Example, LocalDM
from sociolab.worlds.anteval.virtual_dm.linear import LinearDM, PlayReader

TEST_EPISODES = 32
WANTED = 0.90


def main() -> None:
    """Play the pool, find the truth, and count the studies that hold it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--n", type=int, required=True)
    parser.add_argument("--studies", type=int, default=100)
    parser.add_argument("--trainings", type=int, default=100)
    parser.add_argument("--pool", type=int, default=1500)
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no study after")
    asked = parser.parse_args()
    real = read_examples(asked.data / "crd3_skill_checks.train.jsonl.gz")
    episodes = sorted({row.group for row in real})
    Random(0).shuffle(episodes)
    held_out = set(episodes[: len(episodes) // 4])
    learn = [row for row in real if row.group not in held_out]
    world = World(
        learn,
        [row for row in real if row.group in held_out and row.strict],
        scripted(asked.pool),
        asked.n,
    )
    asyncio.run(simulate(world, asked.trainings, asked.studies, asked.minutes * 60))


def scripted(sessions: int) -> Sequence[Example]:
    """The sessions of the scripted agent, as examples."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pool.db"
        settings = {"sessions": str(sessions)}
        run(RunConfig(world="anteval-intention", settings=settings, name="pool", store=path))
        with Store.open(path, create=False) as store:
            return labelled([example_of(one) for one in store.episodes("pool", "played")])


class World:
    """A population to draw studies from."""

    def __init__(
        self, real: Sequence[Example], test: Sequence[Example], pool: Sequence[Example], n: int
    ) -> None:
        self.real, self.test, self.pool, self.n = real, test, pool, n
        self._reader = PlayReader()

    async def gaps(
        self, number: str, test: Sequence[Example], refits: int
    ) -> tuple[Trained, Trained, Draws]:
        """What learned from other real play, what from generated play, and the test draws."""
        chance = stream(0, "coverage", number)
        real = episodes_of(self.real, len({row.group for row in self.real}), chance)
        settings = GapSettings(refits=refits, seed=chance.getrandbits(32))
        bench = Bench(
            tuple(real), tuple(test), lambda: LocalDM(LinearDM(self._reader)), settings, len
        )
        mine = chance.sample(list(self.pool), self.n)
        labels = min(count_labels(mine), count_labels(real))
        on_real = await bench.study(real, labels, "")
        return on_real, await bench.study(mine, labels, ""), bench.draws


def episodes_of(examples: Sequence[Example], count: int, chance: Random) -> list[Example]:
    """So many episodes, drawn with replacement, under names of their own."""
    names = sorted({row.group for row in examples})
    return [
        replace(row, group=f"{number}")
        for number, name in enumerate(chance.choices(names, k=count))
        for row in examples
        if row.group == name
    ]


async def simulate(world: World, trainings: int, studies: int, seconds: float) -> None:
    """Print the truth and the coverage."""
    truths = []
    for number in range(trainings):
        real, generated, draws = await world.gaps(f"truth {number}", world.test, 0)
        truths.append([gap.signed.value for gap in draws.gaps(real, generated)])
    every = np.array(truths, dtype=np.float64)
    truth, spread = every.mean(axis=0), every.std(axis=0, ddof=1)
    start = time.monotonic()
    held: list[Held] = []
    for number in range(studies):
        if time.monotonic() - start > seconds:
            break
        chance = stream(0, "coverage", "test", number)
        test = episodes_of(world.test, TEST_EPISODES, chance)
        real, generated, draws = await world.gaps(f"study {number}", test, 12)
        full = draws.gaps(real, generated)
        rows_only = draws.gaps(Trained(real.own), Trained(generated.own))
        held.append(
            [
                holds(one.signed, value)
                for pair in (full, rows_only)
                for one, value in zip(pair, truth, strict=True)
            ]
        )
        if len(held) % 10 == 0 or number == studies - 1:
            show(world.n, truth, spread / math.sqrt(trainings), spread, held)


Held: TypeAlias = "list[tuple[bool, float]]"
"""Whether the intervals of a study hold the truth, and how wide they are: of G_c and G_o with all
chance, then with that of the test rows alone."""


def show(n: int, truth: Floats, error: Floats, spread: Floats, held: Sequence[Held]) -> None:
    """Print the coverage so far."""
    found = np.array([[inside for inside, _ in row] for row in held])
    width = np.median([[wide for _, wide in row] for row in held], axis=0)
    chance = math.sqrt(WANTED * (1 - WANTED) / len(held))
    for place, kind in enumerate(("G_c", "G_o")):
        share = found[:, place].mean()
        good = "ok" if share >= WANTED - chance else "missed"
        print(
            f"n {n} {kind}: truth {truth[place]:.1f} +- {error[place]:.1f} "
            f"(sd over trainings {spread[place]:.1f}); "
            f"{len(held)} studies: coverage {share:.2f}, median width {width[place]:.0f}, wanted "
            f"{WANTED:.2f} less {chance:.2f}: {good}; test rows alone "
            f"{found[:, place + 2].mean():.2f}, width {width[place + 2]:.0f}",
            flush=True,
        )


def holds(figure: GapFigure, truth: float) -> tuple[bool, float]:
    """Whether an interval holds the truth, and how wide it is; one that is missing does not."""
    if figure.low is None or figure.high is None:
        return False, math.nan
    return figure.low <= truth <= figure.high, figure.high - figure.low


if __name__ == "__main__":
    main()
