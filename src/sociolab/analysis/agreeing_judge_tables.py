"""A judge beside people as tables of text: correlation, differences, the range of the people."""

from __future__ import annotations

from collections.abc import Sequence

from sociolab.analysis.agreeing_text import (
    PLAYED,
    Titles,
    correlated,
    ends,
    groups_of,
    intervals_note,
    number,
    reasons,
    share,
)
from sociolab.analysis.figures import p_text
from sociolab.report.section import TextTable
from sociolab.stats.agreement import JudgeAndPeople


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
        row += [*([] if apart else [p_text(whole.pearson.p)]), correlated(whole.spearman)]
        rows.append(tuple(row))
    heads = [head for group in apart for head in (PLAYED[group], "n")]
    heads += ["all", "n", "95 % interval"] if apart else ["r", "n", "95 % interval", "p"]
    return TextTable(
        "Correlation with the mean of the people",
        ("", *heads, "Spearman"),
        tuple(rows),
        (
            "Pearson's r over plays; ** p <= .01, * p <= .05 by the t test, which takes plays as "
            f"independent; the interval does not: {titles.cluster}s are left out one at a time",
            "where the people agree little (their alpha), no judge can follow their mean closely",
            *reasons(by[dimension, None].pearson.note for dimension in dimensions),
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
            *intervals_note([cell.spread.bias for cell in rows], titles.cluster),
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
            *intervals_note([cell.spread.inside for cell in rows], titles.cluster),
        ),
    )
