"""Figures of agreement as text: names of dimensions, shares, intervals, how these were made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sociolab.analysis.figures import NOTHING, Interval, title_of
from sociolab.analysis.rated import MODELS, OTHERS, PEOPLE, RULES, Ratings
from sociolab.report.words import minus, plural
from sociolab.stats.agreement import (
    OVERALL,
    POOLED,
    AgreementReport,
    AmongPeople,
    JudgeAndPeople,
    JudgePair,
)
from sociolab.stats.correlation import Correlation
from sociolab.stats.intervals import Estimate

PLAYED: Mapping[str | None, str] = {
    None: "all",
    MODELS: "models",
    PEOPLE: "people",
    RULES: "rules",
    OTHERS: "others",
}
"""Who played, in the heads of columns."""

FEW_CLUSTERS = 10
"""Below so many scenarios an interval itself is not to be trusted far."""


@dataclass(frozen=True, slots=True)
class Titles:
    """What dimensions, summaries and clusters are called."""

    measures: Mapping[str, str]
    cluster: str

    @classmethod
    def of(cls, ratings: Ratings) -> Titles:
        """As in the world of these ratings."""
        names = {measure.name: title_of(measure) for measure in ratings.measures}
        clusters = {one.cluster for one in ratings.worlds.values()}
        return cls(names, clusters.pop() if len(clusters) == 1 else "cluster")

    def __getitem__(self, dimension: str) -> str:
        summaries = {OVERALL: "mean of all", POOLED: "all scores"}
        return self.measures.get(dimension) or summaries[dimension]


def number(value: float | None, *, sign: bool = False) -> str:
    """Two decimals; a dash for none."""
    if value is None:
        return NOTHING
    shown = f"{value:{'+' if sign else ''}.2f}"
    return minus(shown.lstrip("+-") if float(shown) == 0 else shown)


def share(value: float | None) -> str:
    """A share in percent; a dash for none."""
    return NOTHING if value is None else f"{value:.0%}"


def ends(found: Interval, *, percent: bool = False) -> str:
    """An interval as "[0.12, 0.30]"; a share's ends at 0 and 1; a dash where there is none."""
    if found.low is None or found.high is None:
        return NOTHING
    if percent:
        return f"[{share(max(found.low, 0.0))}, {share(min(found.high, 1.0))}]"
    return f"[{number(found.low)}, {number(found.high)}]"


def kappa_ends(found: Estimate, bins: int) -> str:
    """A kappa's interval, cut off where kappa ends: at -1 / (bins - 1) and 1."""
    if found.low is None or found.high is None:
        return NOTHING
    low, high = max(found.low, -1 / (bins - 1)), min(found.high, 1.0)
    return f"[{number(low)}, {number(high)}]"


def correlated(found: Correlation | None) -> str:
    """r with its stars."""
    return NOTHING if found is None else number(found.value) + found.stars


def groups_of(cells: Iterable[AmongPeople | JudgeAndPeople | JudgePair]) -> tuple[str, ...]:
    """The groups apart, in the order of SOTOPIA's Table 1."""
    there = {cell.group for cell in cells}
    return tuple(group for group in PLAYED if group is not None and group in there)


def judged_by(report: AgreementReport, judge: str) -> tuple[JudgeAndPeople, ...]:
    """The cells of one judge, of the dimensions in which it and people rated the same plays."""
    cells = [cell for cell in report.judges if cell.judge == judge]
    there = {cell.dimension for cell in cells if cell.group is None and cell.spread.bias.n}
    return tuple(cell for cell in cells if cell.dimension in there)


def intervals_note(found: Sequence[Estimate], cluster: str) -> tuple[str, ...]:
    """How these intervals were made, and why some are missing."""
    made = [estimate for estimate in found if estimate.method != "none"]
    notes = []
    if made:
        counts = sorted({estimate.clusters for estimate in made})
        few_to_many = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        names = {"t": "Student's t", "bca": "BCa bootstrap"}
        how = " and ".join(names[method] for method in sorted({e.method for e in made}))
        notes.append(f"95 % interval, clustered by {cluster} ({few_to_many}): {how}")
    return (*notes, *reasons(estimate.note for estimate in found))


def reasons(notes: Iterable[str]) -> tuple[str, ...]:
    """Why intervals are missing; nothing where none is."""
    found = sorted({note for note in notes if note})
    return (f"no interval where there is: {', '.join(found)}",) if found else ()


def few_clusters(clusters: int, titles: Titles) -> Iterator[str]:
    """What to think of intervals from so few clusters; nothing where there are enough, or none."""
    if 1 < clusters < FEW_CLUSTERS:
        yield (
            f"Only {plural(clusters, titles.cluster)}: an interval from so few is uncertain "
            "itself, and tends to be too short."
        )
