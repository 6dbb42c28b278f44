"""When and how candidates spoke, as numbers of like size: what the encoder cannot see in tokens.

The tokens hold the end of a play only; the features of the linear virtual DM hold all of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from sociolab.worlds.anteval.virtual_dm.example import Example
from sociolab.worlds.anteval.virtual_dm.features import candidate_features


@dataclass(frozen=True, slots=True)
class Manner:
    """The features that were met in training, each with its deviation there (1 if it was 0)."""

    deviations: dict[str, float]

    def rows(self, example: Example, names: Sequence[str]) -> list[list[float]]:
        """A row for each of these candidates, a column per feature, in deviations."""
        of = dict(zip(example.candidates, candidate_features(example), strict=True))
        return [
            [of[name].get(feature, 0.0) / size for feature, size in self.deviations.items()]
            for name in names
        ]


def manner_in(examples: Sequence[Example]) -> Manner:
    """The features of all candidates of some examples."""
    rows = [row for example in examples for row in candidate_features(example)]
    totals: dict[str, tuple[float, float]] = {}
    for row in rows:
        for feature, value in row.items():
            once, squared = totals.get(feature, (0.0, 0.0))
            totals[feature] = (once + value, squared + value * value)
    return Manner(
        {
            feature: sqrt(max(0.0, squared / len(rows) - (once / len(rows)) ** 2)) or 1.0
            for feature, (once, squared) in sorted(totals.items())
        }
    )
