"""How far somebody has come from their first wish towards the least that they would take."""

from __future__ import annotations

from sociolab.worlds.sotopia.scripted.temper import Temper


def rounds(temper: Temper, habit: float) -> int:
    """How many offers somebody makes before the last word: 4 to 8, more where firm."""
    return 4 + round(3 * temper.firmness) + (habit < 0.3)


def progress(step: int, steps: int, temper: Temper) -> float:
    """The share of the way (0 to 1) that is gone at an own offer, counted from 0.

    The firm move late (a Boulware curve), the soft early: share = (step / last) ** exponent with
    exponents from 0.8 to 2.
    """
    if steps < 2:
        return 1.0
    return float(min(1.0, step / (steps - 1)) ** (0.65 + 1.5 * temper.firmness))
