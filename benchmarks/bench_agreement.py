"""What an agreement report costs: people and judges on SOTOPIA's seven dimensions.

    PYTHONPATH=src OPENBLAS_NUM_THREADS=1 python benchmarks/bench_agreement.py

One thread, so that the processor time is that of the work. The exit code is 1 if the report on
10,000 items takes more than 5 s of it.
"""

from __future__ import annotations

import random
import resource
import sys
import time

from sociolab.stats.agreement import ItemRating, agreement_report
from sociolab.worlds.sotopia.evaluation import DIMENSIONS

ITEMS = 10_000
CLUSTERS = 450
TARGET = 5.0  # seconds of processor time


def main() -> None:
    """Print a line per size."""
    missed = False
    for items in (444, 2_000, ITEMS):
        people, judges = _ratings(items)
        ranges = {measure.name: (measure.low, measure.high) for measure in DIMENSIONS}
        began = time.process_time()
        agreement_report(people, judges, ranges)
        seconds = time.process_time() - began
        missed = missed or seconds > TARGET
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"{items:6,} items of {CLUSTERS} scenarios x {len(ranges)} dimensions x 2 people x "
            f"2 judges: {seconds:5.2f} s, {memory:4.0f} MB the whole process"
        )
    sys.exit(1 if missed else 0)


def _ratings(items: int) -> tuple[list[ItemRating], list[ItemRating]]:
    """Ratings about one truth per item; one item of three is played by people."""
    chance = random.Random(1)
    people: list[ItemRating] = []
    judges: list[ItemRating] = []
    for i in range(items):
        group = "models" if i % 3 else "people"
        for measure in DIMENSIONS:
            truth = chance.randint(int(measure.low), int(measure.high))
            for rater, rows in (("P", people), ("Q", people), ("J", judges), ("K", judges)):
                near = truth + chance.choice((-2, -1, 0, 0, 1, 2))
                value = float(min(measure.high, max(measure.low, near)))
                rows.append(
                    ItemRating(f"e{i}", rater, measure.name, value, f"s{i % CLUSTERS}", group)
                )
    return people, judges


if __name__ == "__main__":
    main()
