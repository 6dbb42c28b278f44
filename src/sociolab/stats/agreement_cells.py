"""What `agreement_report` says of people among themselves, of judges and people, of two judges."""

from __future__ import annotations

from dataclasses import dataclass

from sociolab.stats.alpha import Alpha
from sociolab.stats.correlation import Correlation
from sociolab.stats.intervals import Estimate
from sociolab.stats.kappa import Agreement
from sociolab.stats.spread import Spread


@dataclass(frozen=True, slots=True)
class AmongPeople:
    """Agreement of people on one dimension, in one group or (None) in all.

    `raters` counts different people. The alphas, by metric, are None for `POOLED`.
    """

    dimension: str
    group: str | None
    raters: int
    agreement: Agreement
    nominal: Alpha | None
    ordinal: Alpha | None
    interval: Alpha | None


@dataclass(frozen=True, slots=True)
class JudgeAndPeople:
    """One judge against the mean of the people, on one dimension, in one group or (None) in all.

    `failed` counts ratings that the judge owes (None), `only_judge` and `only_people` items that
    the other side has not rated, those failures included.
    """

    judge: str
    dimension: str
    group: str | None
    pearson: Correlation
    spearman: Correlation
    spread: Spread
    failed: int
    only_judge: int
    only_people: int


@dataclass(frozen=True, slots=True)
class JudgePair:
    """Two judges as raters of the same items; `difference` is the mean of first minus second.

    All but `agreement` are None for `POOLED`.
    """

    first: str
    second: str
    dimension: str
    group: str | None
    agreement: Agreement
    pearson: Correlation | None
    spearman: Correlation | None
    difference: Estimate | None


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Cells in the order of judges, dimensions (as their ranges; summaries last), groups."""

    people: tuple[AmongPeople, ...]
    judges: tuple[JudgeAndPeople, ...]
    pairs: tuple[JudgePair, ...]
