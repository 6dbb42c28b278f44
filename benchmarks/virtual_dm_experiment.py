"""Cross-validate the virtual DM "linear" on real play.

    OMP_NUM_THREADS=2 .venv/bin/python benchmarks/virtual_dm_experiment.py --data DIR

Five folds over the episodes of train, by which its settings were chosen; dev is not read.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from sociolab.core.seeding import stream
from sociolab.worlds.anteval.gap_intervals import (
    Draws,
    GapFigure,
    ScoredDM,
    Trained,
)
from sociolab.worlds.anteval.importing.dnd import read_examples
from sociolab.worlds.anteval.virtual_dm.example import Example, Label, count_overlaps
from sociolab.worlds.anteval.virtual_dm.linear import LinearDM

FOLDS = 5
SEED = 0


def main() -> None:
    """Cross-validate on train."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    cross_validate(read_examples(parser.parse_args().data / "crd3_skill_checks.train.jsonl.gz"))


def cross_validate(train: Sequence[Example]) -> None:
    """Print F on all rows of train and on the strict ones, each predicted without its episode."""
    episodes = sorted({row.group for row in train})
    stream(SEED, "folds").shuffle(episodes)
    guesses: dict[str, frozenset[Label]] = {}
    for fold in range(FOLDS):
        held_out = set(episodes[fold::FOLDS])
        rows = [row for row in train if row.group in held_out]
        dm = LinearDM()
        dm.fit([row for row in train if row.group not in held_out])
        guesses |= {row.id: guess for row, guess in zip(rows, dm.predict(rows), strict=True)}
    for what, rows in (("all", list(train)), ("strict", [row for row in train if row.strict])):
        draws = Draws(rows, SEED)
        scores = draws.scores(
            Trained(ScoredDM(count_overlaps([guesses[row.id] for row in rows], rows), 0))
        )
        print(
            f"{what} rows ({len(rows)}, {draws.groups} episodes): F_c {_f(scores.f_c)}, "
            f"F_o {_f(scores.f_o)}, F_s {_f(scores.f_s)}"
        )


def _f(figure: GapFigure) -> str:
    return _text(figure, 3)


def _text(figure: GapFigure, digits: int) -> str:
    if figure.value is None:
        return "-"
    if figure.low is None or figure.high is None:
        return f"{figure.value:.{digits}f}"
    return f"{figure.value:.{digits}f} [{figure.low:.{digits}f}, {figure.high:.{digits}f}]"


if __name__ == "__main__":
    main()
