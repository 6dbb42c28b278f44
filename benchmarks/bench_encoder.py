"""The virtual DM "encoder" on real play: F-scores with intervals, time and peak memory.

    OMP_NUM_THREADS=2 .venv/bin/python benchmarks/bench_encoder.py --data DIR

Trains on DIR/crd3_skill_checks.train.jsonl.gz and reads ...dev.jsonl.gz once. Needs the extra
`finetune`; with --encoder FOLDER it starts from that checkpoint, else at random.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from sociolab.core.seeding import stream
from sociolab.worlds.anteval.importing.dnd import read_examples
from sociolab.worlds.anteval.virtual_dm.example import (
    Example,
    FScores,
    Overlaps,
    count_overlaps,
    micro,
)
from sociolab.worlds.anteval.virtual_dm.finetune import EncoderDM, EncoderSettings

RESAMPLES = 2000
MEASURES = ("f_c", "f_o", "f_s")


def main() -> None:
    """Print a line per measure, for all rows of dev and for the strict ones."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--encoder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    train = read_examples(asked.data / "crd3_skill_checks.train.jsonl.gz")
    dev = read_examples(asked.data / "crd3_skill_checks.dev.jsonl.gz")
    dm = EncoderDM(asked.encoder, EncoderSettings(seed=asked.seed))
    print(f"{dm.name}: {len(train)} examples to learn from, {len(dev)} to predict")
    began = time.perf_counter()
    dm.fit(train)
    trained = time.perf_counter()
    rows = count_overlaps(dm.predict(dev), dev)
    predicted = time.perf_counter()
    _show("all rows", rows, dev)
    strict = [(row, one) for row, one in zip(rows, dev, strict=True) if one.strict]
    _show("strict rows", [row for row, _ in strict], [one for _, one in strict])
    load = os.getloadavg()[0]
    print(f"training {trained - began:.0f} s, predicting {predicted - trained:.0f} s (wall)")
    print(f"{time.process_time():.0f} s of CPU in all; load {load:.1f} on {os.cpu_count()} cores")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"peak memory {peak / 1024:.0f} MiB")


def _show(what: str, rows: Sequence[Overlaps], examples: Sequence[Example]) -> None:
    """Micro F1 at one label each, with the middle 95 % of resampled sets of episodes."""
    episodes: defaultdict[str, list[Overlaps]] = defaultdict(list)
    for row, example in zip(rows, examples, strict=True):
        episodes[example.group].append(row)
    groups, chance = list(episodes.values()), stream(0, "bench-encoder").choices
    drawn = [
        micro([row for group in chance(groups, k=len(groups)) for row in group])
        for _ in range(RESAMPLES)
    ]
    print(f"{what}: {len(rows)} examples of {len(groups)} episodes")
    for measure in MEASURES:
        values = sorted(_value(scores, measure) for scores in drawn)
        low, high = values[int(0.025 * RESAMPLES)], values[int(0.975 * RESAMPLES)]
        print(f"  {measure:<5}{_value(micro(rows), measure):.3f}  ({low:.3f} to {high:.3f})")


def _value(scores: FScores, measure: str) -> float:
    value: float = getattr(scores, measure)
    return value


if __name__ == "__main__":
    main()
