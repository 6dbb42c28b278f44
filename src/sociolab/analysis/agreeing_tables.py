"""Agreement of people among themselves, and of two judges, as tables of text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from sociolab.analysis.agreeing_text import (
    PLAYED,
    Titles,
    correlated,
    ends,
    groups_of,
    intervals_note,
    kappa_ends,
    number,
    reasons,
    share,
)
from sociolab.analysis.figures import NOTHING
from sociolab.analysis.rated import Ratings
from sociolab.report.section import TextTable
from sociolab.stats.agreement import POOLED, AmongPeople, JudgePair
from sociolab.stats.inter_rater import Alpha


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
                kappa_ends(cell.agreement.kappa, bins),
            )
            for cell in rows
        ),
        (
            "exact: the same score; within 1: at most one point apart; same bin: in the same of "
            f"{bins} equal parts of the scale; shares of pairs of raters, averaged over plays",
            f"kappa: Randolph's, of the same bin (chance 1/{bins})",
            *(_summaries(rows)),
            *intervals_note([cell.agreement.kappa for cell in rows], titles.cluster),
        ),
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
            *reasons(cell.interval.note for cell in rows if cell.interval is not None),
        ),
    )


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
            *intervals_note(
                [c.difference for c in rows if c.difference is not None], titles.cluster
            ),
        ),
    )


def _summaries(rows: Iterable[AmongPeople | JudgePair]) -> tuple[str, ...]:
    if POOLED not in {cell.dimension for cell in rows}:
        return ()
    return (
        "mean of all: the mean of a rater's scores of a play, as a score of its own; all scores: "
        "each dimension of a play counts as a play",
    )


def _alpha(found: Alpha | None) -> str:
    return NOTHING if found is None else number(found.value)
