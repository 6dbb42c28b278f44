"""How far labels that rules make can be trusted, as a reader found it."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

Z95 = 1.959964
"""The normal quantile of a two-sided 95 % interval."""


@dataclass(frozen=True, slots=True)
class HandCheck:
    """Of `read` examples, all of two episodes, a reader found no wrong label in `right`."""

    right: int
    read: int

    @property
    def precision(self) -> float:
        """The share of examples without a wrong label; 0-1."""
        return self.right / self.read

    @property
    def limits(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the precision."""
        share = Z95**2 / self.read
        middle = (self.precision + share / 2) / (1 + share)
        spread = self.precision * (1 - self.precision) / self.read + share / (4 * self.read)
        reach = Z95 * sqrt(spread) / (1 + share)
        return middle - reach, middle + reach

    def __str__(self) -> str:
        """One sentence to print after an import."""
        low, high = self.limits
        return (
            f"checked by hand: {self.right} of {self.read} examples had no wrong label "
            f"({self.precision:.1%}, 95 % interval {low:.1%} to {high:.1%})"
        )


CRD3 = HandCheck(right=85, read=88)
"""Episodes 1x49 and 2x12, read in full before the rules that came of their faults were added."""
