"""How far a judge follows people: findings, and what not to conclude from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sociolab.analysis.agreeing_charts import difference_bars, range_bars
from sociolab.analysis.agreeing_judge_tables import (
    correlation_table,
    difference_table,
    range_table,
)
from sociolab.analysis.agreeing_text import (
    PLAYED,
    Titles,
    correlated,
    ends,
    few_clusters,
    groups_of,
    judged_by,
    number,
    share,
)
from sociolab.analysis.figures import in_words, listed
from sociolab.analysis.rated import MODELS, PEOPLE, Ratings
from sociolab.core.score import Method
from sociolab.report.section import Figure, Section
from sociolab.report.words import plural
from sociolab.stats.agreement_cells import AgreementReport, JudgeAndPeople
from sociolab.stats.rated import OVERALL

FEW_PLAYS = 20
"""Below so many plays a correlation says little."""
_LIFT = 0.25
"""By how much r exceeds rho where a few plays carry it."""
_WIDE = 4
"""Points that a scale is long at least for a chart in whole points."""

_KIND: dict[Method, str] = {
    "model": "a model",
    "heuristic": "the offline judge, no model: this says nothing of a model judge",
    "rules": "rules that read the transcript, no model: this says nothing of a model judge",
    "scripted": "scripted: its figures are made up for a test and say nothing",
}

TABLE_1 = {
    MODELS: "SEC .22, KNO .33, SOC .33, BEL .45, REL .56, FIN .62, GOAL .71",
    PEOPLE: "KNO .19, BEL .27, FIN .34, SOC .42, REL .49, GOAL .78",
}
"""Pearson's r of GPT-4 and people by who played (SOTOPIA, Table 1)."""


def judge_section(
    ratings: Ratings, report: AgreementReport, judge: str, titles: Titles, key: str
) -> Section:
    """The section on one judge; `key` makes the ids of its charts unique in a page."""
    cells = judged_by(report, judge)
    rows = [cell for cell in cells if cell.group is None]
    kind = _KIND.get(ratings.methods[judge], ratings.methods[judge])
    said = [f"{judge}: {kind}."]
    if not rows:
        said.append("It scored no play that people rated.")
        return Section(f"{judge} beside people", tuple(said), tuple(_owed(report, judge)))
    said += [*_following(rows, titles), *_biased(rows, titles), *_inside(rows)]
    tables = [correlation_table(cells, titles), difference_table(cells, titles)]
    ranged = range_table(cells, titles)
    if ranged.rows:
        tables.append(ranged)
    return Section(
        f"{judge} beside people",
        tuple(said),
        tuple(_cautions(ratings, judge, cells, titles)),
        tuple(tables),
        tuple(_figures(ratings, rows, titles, judge, key)),
    )


def _owed(report: AgreementReport, judge: str) -> Iterator[str]:
    """The scores that a judge who gave none owes."""
    mine = [cell for cell in report.judges if (cell.judge, cell.group) == (judge, None)]
    if failed := sum(cell.failed for cell in mine if cell.dimension != OVERALL):
        yield f"{plural(failed, 'score')} that it owes {'is' if failed == 1 else 'are'} missing."


def _following(rows: Sequence[JudgeAndPeople], titles: Titles) -> Iterator[str]:
    parts = [cell for cell in rows if cell.dimension != OVERALL]
    ranked = sorted(
        (cell for cell in parts if cell.pearson.value is not None),
        key=lambda cell: -(cell.pearson.value or 0.0),
    )
    if not ranked:
        return
    best, worst = ranked[0], ranked[-1]
    line = f"It follows the people's mean best in {titles[best.dimension]} (r {_r(best)})"
    if len(ranked) > 1:
        line += f" and least in {titles[worst.dimension]} (r {_r(worst)})"
    yield f"{line}."
    open_ = [
        titles[cell.dimension]
        for cell in ranked
        if cell.pearson.low is None or cell.pearson.low <= 0 <= (cell.pearson.high or 0)
    ]
    if open_:
        yield f"Not shown that it follows them at all: {listed(open_)}."


def _r(cell: JudgeAndPeople) -> str:
    found = cell.pearson
    return f"{correlated(found)} {ends(found)}" if found.low is not None else correlated(found)


def _biased(rows: Sequence[JudgeAndPeople], titles: Titles) -> Iterator[str]:
    above, below = [], []
    for cell in rows:
        bias = cell.spread.bias
        if bias.value is None or bias.low is None or bias.high is None:
            continue
        told = f"{titles[cell.dimension]} ({number(bias.value, sign=True)} {ends(bias)})"
        if bias.low > 0:
            above.append(told)
        elif bias.high < 0:
            below.append(told)
    if above:
        yield f"It scores higher than people in {listed(above)}."
    if below:
        yield f"It scores lower than people in {listed(below)}."
    if not above and not below:
        yield "No dimension shows it scoring higher or lower than people on average."


def _inside(rows: Sequence[JudgeAndPeople]) -> Iterator[str]:
    parts = [cell.spread for cell in rows if cell.dimension != OVERALL]
    total = sum(spread.inside.n for spread in parts)
    if total:
        below, above = sum(s.below for s in parts), sum(s.above for s in parts)
        inside = total - below - above
        yield (
            f"Of {plural(total, 'score')} of plays with two raters or more, {inside:,} "
            f"({in_words(share(inside / total))}) lie in the range that the raters span, "
            f"{below:,} below and {above:,} above."
        )


def _cautions(
    ratings: Ratings, judge: str, cells: Sequence[JudgeAndPeople], titles: Titles
) -> Iterator[str]:
    rows = [cell for cell in cells if cell.group is None]
    there = {cell.dimension for cell in rows}
    left_out = [titles[m.name] for m in ratings.measures if m.name not in there]
    if left_out:
        yield f"It gave no score that can be compared in {listed(left_out)}."
    failed = {titles[cell.dimension]: cell.failed for cell in rows if cell.failed}
    if failed:
        told = ", ".join(f"{name} {count:,}" for name, count in failed.items())
        yield f"Scores that it owes and that are missing: {told}."
    small = [titles[cell.dimension] for cell in rows if cell.pearson.n < FEW_PLAYS]
    if small:
        yield f"Fewer than {FEW_PLAYS} plays: r says little in {listed(small)}."
    undefined = [titles[cell.dimension] for cell in rows if cell.pearson.value is None]
    if undefined:
        yield (
            f"No r for {listed(undefined)}: too few plays, or one side gives all of them the same "
            "score; agreement there shows in the differences only."
        )
    lifted = [titles[cell.dimension] for cell in rows if _lifted(cell)]
    if lifted:
        yield (
            f"In {listed(lifted)} a few plays far from the rest carry r: by ranks (Spearman) the "
            "judge follows people much less."
        )
    doubtful = [titles[cell.dimension] for cell in rows if _doubtful(cell)]
    if doubtful:
        yield (
            f"In {listed(doubtful)} the stars claim more than the interval, which is clustered: "
            "believe the interval."
        )
    if ending := [titles[c.dimension] for c in rows if _at_an_end(ratings, judge, c.dimension)]:
        yield (
            f"In {listed(ending)} it gives every play the same score, an end of the scale: people "
            "can differ from that to one side only, and their noise makes a part of the difference."
        )
    if len(ratings.raters) == 1:
        yield "With one rater there is no range and no standard deviation to hold it against."
    groups = groups_of(cells)
    if PEOPLE not in groups:
        played = listed([PLAYED[group] for group in groups])
        yield f"All of these plays are by {played}: nothing is said of plays by people."
    yield from few_clusters(max(cell.pearson.clusters for cell in rows), titles)
    if ratings.methods[judge] == "model" and set(ratings.worlds) == {"sotopia"}:
        for group in groups:
            if group in TABLE_1:
                yield (
                    f"SOTOPIA's Table 1 (GPT-4 and its raters, plays by {PLAYED[group]}): "
                    f"{TABLE_1[group]}; other plays, raters and prompts: no mark to reach."
                )


def _doubtful(cell: JudgeAndPeople) -> bool:
    found = cell.pearson
    if not found.stars:
        return False
    return found.low is None or found.high is None or found.low <= 0 <= found.high


def _lifted(cell: JudgeAndPeople) -> bool:
    r, rho = cell.pearson.value, cell.spearman.value
    return r is not None and rho is not None and cell.pearson.n >= FEW_PLAYS and r - rho > _LIFT


def _at_an_end(ratings: Ratings, judge: str, dimension: str) -> bool:
    """Whether all that a judge gives in a dimension is the lowest, or the highest, score."""
    ends_of = {m.name: (m.low, m.high) for m in ratings.measures}.get(dimension, ())
    given = {
        row.value
        for row in ratings.judges
        if (row.rater, row.dimension) == (judge, dimension) and row.value is not None
    }
    return len(given) == 1 and given <= set(ends_of)


def _figures(
    ratings: Ratings, rows: Sequence[JudgeAndPeople], titles: Titles, judge: str, key: str
) -> Iterator[Figure]:
    wide = {measure.name for measure in ratings.measures if measure.high - measure.low >= _WIDE}
    drawn = [(titles[c.dimension], c.spread) for c in rows if c.dimension in wide]
    if drawn:
        title = f"{judge} minus people"
        yield Figure(
            f"{judge} minus the mean of the people, plays at each whole number of points",
            difference_bars(f"{key}-d", title, drawn),
        )
    ranged = [
        (titles[c.dimension], c.spread)
        for c in rows
        if c.dimension != OVERALL and c.spread.inside.n
    ]
    if ranged:
        yield Figure(
            f"Share of {judge}'s scores below (left, outlined), in (filled) and above (right, "
            "outlined) the range of the people's scores of the same play, in percent",
            range_bars(f"{key}-r", f"{judge} and the people's range", ranged),
        )
