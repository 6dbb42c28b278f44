"""From what a virtual DM predicted to figures: none where not one of its replies could be used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sociolab.worlds.anteval.gap.records import Figure, Floor, Gap, Scores
from sociolab.worlds.anteval.gap.resampling import Draws
from sociolab.worlds.anteval.virtual_dm.scoring import FScores, Overlaps


@dataclass(frozen=True, slots=True)
class Tested:
    """What a virtual DM predicted of the test rows; `failed` of its replies were of no use."""

    rows: tuple[Overlaps, ...]
    failed: int

    @property
    def silent(self) -> bool:
        """Whether not one reply could be used: then nothing was predicted, rightly or wrongly."""
        return self.failed == len(self.rows)


def scores_of(draws: Draws, tested: Tested) -> Scores:
    """The F-scores of a virtual DM, without values where it was silent."""
    if tested.silent:
        nothing = Figure(None)
        return Scores(nothing, nothing, nothing, FScores(None, None, None), tested.failed)
    return replace(draws.scores(tested.rows), failed=tested.failed)


def gaps_of(draws: Draws, real: Tested, generated: Tested) -> tuple[Gap, Gap]:
    """G_c and G_o, without values where one of the two virtual DMs was silent."""
    if real.silent or generated.silent:
        nothing = Gap(Figure(None), Figure(None))
        return nothing, nothing
    sides = real.rows, generated.rows
    return draws.gap_c(*sides), draws.gap_o(*sides)


def floor_of(size: int, gaps: Sequence[Gap]) -> Floor:
    """The noise floor that these gaps between real samples of a size make."""
    values = tuple(gap.printed.value for gap in gaps if gap.printed.value is not None)
    if not values:
        return Floor(size, (), None, None)
    return Floor(size, values, float(np.mean(values)), float(np.quantile(values, 0.95)))
