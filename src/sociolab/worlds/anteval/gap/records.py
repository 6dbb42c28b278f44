"""What the comparison of generated with real play found: one record, printed by the CLI."""

from __future__ import annotations

from dataclasses import dataclass

from sociolab.core.errors import Cause
from sociolab.stats.intervals import Estimate
from sociolab.worlds.anteval.virtual_dm.scoring import FScores


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure with its 95 % interval.

    `value` is None where it is not defined, the interval where there are too few groups or no
    variation between them.
    """

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Scores:
    """How well a virtual DM reads the test rows: micro F1 with intervals, macro F1; all 0..1.

    `failed` of its replies could not be used: each was an empty prediction. Where none could, there
    is nothing to score, and no figure has a value.
    """

    f_c: Figure
    f_o: Figure
    f_s: Figure
    macro: FScores
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Gap:
    """G in percent, as the paper prints it (0..100), and signed (positive: real trains better)."""

    printed: Figure
    signed: Figure


@dataclass(frozen=True, slots=True)
class Floor:
    """The printed G between two virtual DMs that both learned from real play: chance alone.

    `values` holds one G a split; `size` is how many examples each of the two learned from.
    """

    size: int
    values: tuple[float, ...]
    mean: float | None
    q95: float | None


@dataclass(frozen=True, slots=True)
class GapRow:
    """One set of generated play beside real play.

    `examples` is what the DM of `fg` learned from, `real_examples` that of `fr`. `information` is
    the agent's IEP, where it was measured.
    """

    name: str
    examples: int
    real_examples: int
    fr: Scores
    fg: Scores
    g_c: Gap
    g_o: Gap
    floor_c: Floor | None
    floor_o: Floor | None
    information: Estimate | None = None

    @property
    def above_floor_c(self) -> bool | None:
        """Whether G_c is larger than 95 % of those between real samples; None if unknown."""
        return _above(self.g_c, self.floor_c)

    @property
    def above_floor_o(self) -> bool | None:
        """Whether G_o is larger than 95 % of those between real samples; None if unknown."""
        return _above(self.g_o, self.floor_o)


@dataclass(frozen=True, slots=True)
class BaselineRow:
    """A virtual DM that learns little or nothing, on the same test rows.

    `names_skills` is False where it guesses characters only, so that just its F_c means anything.
    """

    name: str
    scores: Scores
    names_skills: bool = True


@dataclass(frozen=True, slots=True)
class Unusable:
    """So many (`count`) of the replies (`of`) of a virtual DM could not be used, for one cause.

    `what` says which DM: f0, fr and its size, "noise floor" (all of them), or a set's name.
    """

    what: str
    cause: Cause
    count: int
    of: int


@dataclass(frozen=True, slots=True)
class GapTable:
    """The paper's Tables 1 and 2 for one virtual DM: a row per set of generated play.

    Measured on `test_rows` rows of `test_groups` groups, `strict` or all, with at most `most`
    labels predicted a row. `f0` is the untrained DM, None where there is none (linear); `fr` is
    the DM that learned from all `real_examples`. `failures` are the replies that could not be used.
    """

    virtual_dm: str
    test_rows: int
    test_groups: int
    strict: bool
    most: int
    matched: bool
    real_examples: int
    f0: Scores | None
    fr: Scores
    rows: tuple[GapRow, ...]
    baselines: tuple[BaselineRow, ...]
    failures: tuple[Unusable, ...] = ()

    @property
    def measured_on(self) -> str:
        """What the figures rest on, in words."""
        kind = "strict rows" if self.strict else "rows"
        return f"measured on {self.test_rows} {kind}, {self.test_groups} groups"


def _above(gap: Gap, floor: Floor | None) -> bool | None:
    if floor is None or floor.q95 is None or gap.printed.value is None:
        return None
    return gap.printed.value > floor.q95
