"""The virtual DM "linear" on real play: time and memory of training, F-scores on dev.

    OMP_NUM_THREADS=2 .venv/bin/python benchmarks/bench_virtual_dm.py --data DIR

Trains on DIR/crd3_skill_checks.train.jsonl.gz and predicts ...dev.jsonl.gz, all rows and strict
ones, one label a row, with the baselines beside it. Intervals: bootstrap over episodes.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Sequence
from pathlib import Path

from sociolab.worlds.anteval.gap_intervals import Draws, GapFigure, ScoredDM, Trained
from sociolab.worlds.anteval.importing.dnd import read_examples
from sociolab.worlds.anteval.virtual_dm.example import (
    Example,
    Label,
    LastSpeaker,
    LastSpeakerMajority,
    VirtualDM,
    count_overlaps,
)
from sociolab.worlds.anteval.virtual_dm.linear import LinearDM


def main() -> None:
    """Print what training cost, then a line per virtual DM and set of rows."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    folder = parser.parse_args().data
    train = read_examples(folder / "crd3_skill_checks.train.jsonl.gz")
    dev = read_examples(folder / "crd3_skill_checks.dev.jsonl.gz")
    before = _peak()
    for dm in (LinearDM(), LastSpeaker(), LastSpeakerMajority()):
        _bench(dm, train, dev)
    print(f"peak memory {_peak():.0f} MB, of which {before:.0f} MB before training")


def _bench(dm: VirtualDM, train: Sequence[Example], dev: Sequence[Example]) -> None:
    start, busy = time.perf_counter(), time.process_time()
    dm.fit(train)
    fitted, busy = time.perf_counter() - start, time.process_time() - busy
    start = time.perf_counter()
    predicted = dm.predict(dev)
    print(
        f"{dm.name}: trained on {len(train)} examples in {fitted:.1f} s ({busy:.1f} s of CPU; load "
        f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores), predicted {len(dev)} in "
        f"{time.perf_counter() - start:.1f} s"
    )
    _show("all rows", predicted, dev)
    strict = [(guess, row) for guess, row in zip(predicted, dev, strict=True) if row.strict]
    _show("strict rows", [guess for guess, _ in strict], [row for _, row in strict])


def _show(what: str, predicted: Sequence[frozenset[Label]], rows: Sequence[Example]) -> None:
    draws = Draws(rows, seed=0)
    scores = draws.scores(Trained(ScoredDM(count_overlaps(predicted, rows), 0)))
    print(
        f"  {what} ({len(rows)}, {draws.groups} episodes): F_c {_text(scores.f_c)}, "
        f"F_o {_text(scores.f_o)}, F_s {_text(scores.f_s)}; macro F_c {scores.macro.f_c:.3f}, "
        f"F_o {scores.macro.f_o:.3f}"
    )


def _text(figure: GapFigure) -> str:
    if figure.low is None or figure.high is None:
        return f"{figure.value:.3f}"
    return f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]"


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


if __name__ == "__main__":
    main()
