"""The virtual DM "linear" on real play: time and memory of training, F-scores on dev.

    OMP_NUM_THREADS=2 .venv/bin/python benchmarks/bench_virtual_dm.py --data DIR

With `--embedder MODEL --base-url URL`, "linear" with embeddings of turns from /v1/embeddings there
comes second, and its paired gain over "linear" (bootstrap over episodes); `--cv` scores the two by
five-fold cross-validation over the episodes of train instead, and does not read dev.

Trains on DIR/crd3_skill_checks.train.jsonl.gz and predicts ...dev.jsonl.gz, all rows and strict
ones, one label a row, with the baselines beside it. Intervals: bootstrap over episodes.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sociolab.core.seeding import stream
from sociolab.models import Endpoint, EndpointSpec
from sociolab.models.embeddings import EmbeddingModel
from sociolab.worlds.anteval.gap_intervals import Draws, GapFigure, ScoredDM, Trained
from sociolab.worlds.anteval.importing.dnd import read_examples
from sociolab.worlds.anteval.virtual_dm.embedded import TurnVectors
from sociolab.worlds.anteval.virtual_dm.example import (
    Example,
    Label,
    LastSpeaker,
    LastSpeakerMajority,
    VirtualDM,
    count_overlaps,
)
from sociolab.worlds.anteval.virtual_dm.linear import LinearDM

FOLDS = 5


def main() -> None:
    """Print what training cost, then a line per virtual DM and set of rows."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--embedder")
    parser.add_argument("--base-url", default="")
    parser.add_argument("--cv", action="store_true")
    args = parser.parse_args()
    train = read_examples(args.data / "crd3_skill_checks.train.jsonl.gz")
    dev = [] if args.cv else read_examples(args.data / "crd3_skill_checks.dev.jsonl.gz")
    dms: list[VirtualDM] = [LinearDM()]
    if args.embedder:
        vectors = asyncio.run(_vectors(args.embedder, args.base_url, [*train, *dev]))
        dms.append(LinearDM(embed=vectors.rows))
    if args.cv:
        guesses = [_guess_by_folds(dm, train) for dm in dms]
        _show_all(guesses, train)
        return
    before = _peak()
    guesses = [_bench(dm, train, dev) for dm in (*dms, LastSpeaker(), LastSpeakerMajority())]
    _show_all(guesses, dev)
    print(f"peak memory {_peak():.0f} MB, of which {before:.0f} MB before training")


async def _vectors(model: str, url: str, examples: Sequence[Example]) -> TurnVectors:
    async with Endpoint(EndpointSpec(name="here", base_url=url)) as endpoint:
        vectors = TurnVectors(EmbeddingModel(endpoint, model), print)
        await vectors.load(examples)
        return vectors


def _guess_by_folds(dm: VirtualDM, train: Sequence[Example]) -> Sequence[frozenset[Label]]:
    """What is guessed of each row, each predicted without its episode."""
    episodes = sorted({row.group for row in train})
    stream(0, "folds").shuffle(episodes)
    guesses: dict[str, frozenset[Label]] = {}
    for fold in range(FOLDS):
        held_out = set(episodes[fold::FOLDS])
        rows = [row for row in train if row.group in held_out]
        dm.fit([row for row in train if row.group not in held_out])
        guesses |= {row.id: guess for row, guess in zip(rows, dm.predict(rows), strict=True)}
    return [guesses[row.id] for row in train]


def _show_all(guesses: Sequence[Sequence[frozenset[Label]]], rows: Sequence[Example]) -> None:
    for what, chosen in (
        ("all rows", list(range(len(rows)))),
        ("strict rows", [place for place, row in enumerate(rows) if row.strict]),
    ):
        some = [rows[place] for place in chosen]
        sets = [[guess[place] for place in chosen] for guess in guesses]
        for number, predicted in enumerate(sets, 1):
            _show(f"{number}: {what}", predicted, some)
        gains = [_f_o(predicted, some) for predicted in sets[:2]]
        low, high = np.quantile(gains[-1][1:] - gains[0][1:], (0.025, 0.975))
        gain = gains[-1][0] - gains[0][0]
        print(f"  {what}: F_o of the second less the first {gain:+.3f} [{low:+.3f}, {high:+.3f}]")


def _f_o(predicted: Sequence[frozenset[Label]], rows: Sequence[Example]) -> NDArray[np.float64]:
    """F_o in the rows as they are, and in 2,000 draws of their episodes, alike for every DM."""
    names = sorted({row.group for row in rows})
    counts = np.random.default_rng(0).multinomial(len(names), [1 / len(names)] * len(names), 2000)
    draws = np.vstack([np.ones(len(names)), counts])
    of_row = np.array([names.index(row.group) for row in rows])
    tuples = [overlaps.tuples for overlaps in count_overlaps(predicted, rows)]
    both = np.bincount(of_row, weights=[2 * t.both for t in tuples])
    sizes = np.bincount(of_row, weights=[t.predicted + t.real for t in tuples])
    return np.asarray((draws @ both) / (draws @ sizes))


def _bench(
    dm: VirtualDM, train: Sequence[Example], dev: Sequence[Example]
) -> Sequence[frozenset[Label]]:
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
    return predicted


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
