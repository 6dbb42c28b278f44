"""Agreement of people and judges as tables of text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from sociolab.analysis.figures import NOTHING, Interval, p_text, title_of
from sociolab.analysis.rated import MODELS, OTHERS, PEOPLE, RULES, Ratings
from sociolab.report.layout import layout_of
from sociolab.report.section import TextTable
from sociolab.report.words import minus
from sociolab.stats.agreement_cells import AgreementReport, AmongPeople, JudgeAndPeople, JudgePair
from sociolab.stats.alpha import Alpha
from sociolab.stats.correlation import Correlation
from sociolab.stats.intervals import Estimate
from sociolab.stats.rated import OVERALL, POOLED

PLAYED: Mapping[str | None, str] = {
    None: "all",
    MODELS: "models",
    PEOPLE: "people",
    RULES: "rules",
    OTHERS: "others",
}
"""Who played, in the heads of columns."""


@dataclass(frozen=True, slots=True)
class Titles:
    """What dimensions, summaries and clusters are called."""

    measures: Mapping[str, str]
    cluster: str

    @classmethod
    def of(cls, ratings: Ratings) -> Titles:
        """As in the world of these ratings."""
        names = {measure.name: title_of(measure) for measure in ratings.measures}
        clusters = {layout_of(world).clusters for world in ratings.worlds}
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


def correlated(found: Correlation | None) -> str:
    """r with its stars."""
    return NOTHING if found is None else number(found.value) + found.stars


def raters_table(ratings: Ratings) -> TextTable:
    """Who rated how much."""
    return TextTable(
        "Raters",
        ("", "plays", "ratings", "median seconds"),
        tuple(
            (
                rater.name,
                f"{rater.plays:,}",
                f"{rater.ratings:,}",
                f"{median(rater.seconds):.0f}" if rater.seconds else NOTHING,
            )
            for rater in ratings.raters
        ),
        ("seconds for one rating, where the file tells them",)
        if any(rater.seconds for rater in ratings.raters)
        else (),
    )


def agreement_table(cells: Sequence[AmongPeople], titles: Titles, bins: int) -> TextTable:
    """Pairwise agreement and kappa, all groups together."""
    rows = [cell for cell in cells if cell.group is None]
    return TextTable(
        "Two people who rated the same play",
        ("", "plays", "exact", "within 1", "same bin", "kappa", "95 % interval"),
        tuple(
            (
                titles[cell.dimension],
                f"{cell.agreement.kappa.n:,}",
                share(cell.agreement.exact.value),
                share(cell.agreement.near.value),
                share(cell.agreement.binned.value),
                number(cell.agreement.kappa.value),
                ends(cell.agreement.kappa),
            )
            for cell in rows
        ),
        (
            "exact: the same score; within 1: at most one point apart; same bin: in the same of "
            f"{bins} equal parts of the scale; shares of pairs of raters, averaged over plays",
            f"kappa: Randolph's, of the same bin (chance 1/{bins})",
            *(_summaries(rows)),
            *_intervals([cell.agreement.kappa for cell in rows], titles.cluster),
        ),
    )


def _summaries(rows: Iterable[AmongPeople | JudgePair]) -> tuple[str, ...]:
    if POOLED not in {cell.dimension for cell in rows}:
        return ()
    return (
        "mean of all: the mean of a rater's scores of a play, as a score of its own; all scores: "
        "each dimension of a play counts as a play",
    )


def alpha_table(cells: Sequence[AmongPeople], titles: Titles) -> TextTable:
    """Krippendorff's alpha by three metrics, all groups together."""
    rows = [cell for cell in cells if cell.group is None and cell.interval is not None]
    return TextTable(
        "Krippendorff's alpha among people",
        ("", "nominal", "ordinal", "interval", "95 % interval"),
        tuple(
            (
                titles[cell.dimension],
                _alpha(cell.nominal),
                _alpha(cell.ordinal),
                _alpha(cell.interval),
                NOTHING if cell.interval is None else ends(cell.interval),
            )
            for cell in rows
        ),
        (
            "1: full agreement; 0: what chance gives; the 95 % interval is that of the interval "
            f"metric, {titles.cluster}s left out one at a time",
            *_reasons(cell.interval.note for cell in rows if cell.interval is not None),
        ),
    )


def _alpha(found: Alpha | None) -> str:
    return NOTHING if found is None else number(found.value)


def people_by_group(cells: Sequence[AmongPeople], titles: Titles) -> TextTable:
    """Kappa and alpha of plays by models, by people, apart."""
    groups = groups_of(cells)
    rows = []
    for dimension in dict.fromkeys(cell.dimension for cell in cells):
        row = [titles[dimension]]
        for group in groups:
            cell = next(c for c in cells if (c.dimension, c.group) == (dimension, group))
            found = cell.agreement.kappa
            row += [f"{found.n:,}", number(found.value), _alpha(cell.interval)]
        rows.append(tuple(row))
    heads = [head for group in groups for head in (PLAYED[group], "kappa", "alpha")]
    return TextTable(
        "Agreement among people by who played",
        ("", *heads),
        tuple(rows),
        ("below who played: plays that two people or more rated; alpha by the interval metric",),
    )


def groups_of(cells: Iterable[AmongPeople | JudgeAndPeople | JudgePair]) -> tuple[str, ...]:
    """The groups apart, in the order of SOTOPIA's Table 1."""
    there = {cell.group for cell in cells}
    return tuple(group for group in PLAYED if group is not None and group in there)


def correlation_table(cells: Sequence[JudgeAndPeople], titles: Titles) -> TextTable:
    """r of a judge and the people's mean; by who played where that differs (SOTOPIA, Table 1)."""
    groups = groups_of(cells)
    apart = groups if len(groups) > 1 else ()
    by = {(cell.dimension, cell.group): cell for cell in cells}
    dimensions = [cell.dimension for cell in cells if cell.group is None]
    rows = []
    for dimension in dimensions:
        row = [titles[dimension]]
        for group in apart:
            one = by[dimension, group].pearson
            row += [correlated(one), f"{one.n:,}"]
        whole = by[dimension, None]
        row += [correlated(whole.pearson), f"{whole.pearson.n:,}", ends(whole.pearson)]
        row += [p_text(whole.pearson.p), correlated(whole.spearman)]
        rows.append(tuple(row))
    heads = [head for group in apart for head in (PLAYED[group], "n")]
    return TextTable(
        "Correlation with the mean of the people",
        ("", *heads, "all" if apart else "r", "n", "95 % interval", "p", "Spearman"),
        tuple(rows),
        (
            "Pearson's r over plays; ** p <= .01, * p <= .05 by the t test, which takes plays as "
            f"independent; the interval does not: {titles.cluster}s are left out one at a time",
            "where the people agree little (their alpha), no judge can follow their mean closely",
            *_reasons(by[dimension, None].pearson.note for dimension in dimensions),
        ),
    )


def difference_table(cells: Sequence[JudgeAndPeople], titles: Titles) -> TextTable:
    """Judge minus people."""
    rows = [cell for cell in cells if cell.group is None]
    return TextTable(
        "Judge minus the mean of the people, in points",
        ("", "n", "mean", "95 % interval", "sd", "within own sd", "within pooled sd"),
        tuple(
            (
                titles[cell.dimension],
                f"{cell.spread.bias.n:,}",
                number(cell.spread.bias.value, sign=True),
                ends(cell.spread.bias),
                number(cell.spread.sd),
                share(cell.spread.within_own_sd.value),
                share(cell.spread.within_pooled_sd.value),
            )
            for cell in rows
        ),
        (
            "within own sd: plays where the judge lies within one standard deviation of that "
            "play's raters; pooled: of all raters about their plays' means; plays of two raters or "
            "more",
            *_intervals([cell.spread.bias for cell in rows], titles.cluster),
        ),
    )


def range_table(cells: Sequence[JudgeAndPeople], titles: Titles) -> TextTable:
    """The judge against the range that raters perceived (SOTOPIA, Figures F.1 to F.3)."""
    rows = [cell for cell in cells if cell.group is None and cell.spread.inside.n]
    return TextTable(
        "The judge and the range of the people's scores of the same play",
        ("", "n", "inside", "95 % interval", "below", "above", "outside by"),
        tuple(
            (
                titles[cell.dimension],
                f"{cell.spread.inside.n:,}",
                share(cell.spread.inside.value),
                ends(cell.spread.inside, percent=True),
                f"{cell.spread.below:,}",
                f"{cell.spread.above:,}",
                number(cell.spread.outside_by.value),
            )
            for cell in rows
        ),
        (
            "inside: from the lowest to the highest score that a rater gave, ends included; "
            "outside by: points, mean of those outside",
            "of three people like each other, with no ties, each lies between the other two in a "
            "third of the plays: with two raters that is what a judge as good as a person reaches, "
            "with ties more",
            *_intervals([cell.spread.inside for cell in rows], titles.cluster),
        ),
    )


def pair_table(cells: Sequence[JudgePair], titles: Titles) -> TextTable:
    """Two judges as raters of the same plays."""
    rows = [cell for cell in cells if cell.group is None and cell.agreement.kappa.n]
    first, second = cells[0].first, cells[0].second
    return TextTable(
        f"{first} and {second}",
        ("", "plays", "exact", "within 1", "kappa", "r", "difference", "95 % interval"),
        tuple(
            (
                titles[cell.dimension],
                f"{cell.agreement.kappa.n:,}",
                share(cell.agreement.exact.value),
                share(cell.agreement.near.value),
                number(cell.agreement.kappa.value),
                correlated(cell.pearson),
                number(None if cell.difference is None else cell.difference.value, sign=True),
                NOTHING if cell.difference is None else ends(cell.difference),
            )
            for cell in rows
        ),
        (
            f"difference: {first} minus {second}, in points",
            *_intervals([c.difference for c in rows if c.difference is not None], titles.cluster),
        ),
    )


def judged_by(report: AgreementReport, judge: str) -> tuple[JudgeAndPeople, ...]:
    """The cells of one judge, of the dimensions in which it and people rated the same plays."""
    cells = [cell for cell in report.judges if cell.judge == judge]
    there = {cell.dimension for cell in cells if cell.group is None and cell.spread.bias.n}
    return tuple(cell for cell in cells if cell.dimension in there)


def _intervals(found: Sequence[Estimate], cluster: str) -> tuple[str, ...]:
    """How these intervals were made, and why some are missing."""
    made = [estimate for estimate in found if estimate.method != "none"]
    notes = []
    if made:
        counts = sorted({estimate.clusters for estimate in made})
        few_to_many = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        names = {"t": "Student's t", "bca": "BCa bootstrap"}
        how = " and ".join(names[method] for method in sorted({e.method for e in made}))
        notes.append(f"95 % interval, clustered by {cluster} ({few_to_many}): {how}")
    return (*notes, *_reasons(estimate.note for estimate in found))


def _reasons(notes: Iterable[str]) -> tuple[str, ...]:
    reasons = sorted({note for note in notes if note})
    return (f"no interval where there is: {', '.join(reasons)}",) if reasons else ()
