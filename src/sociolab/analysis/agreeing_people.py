"""How far people agree with each other: findings, and what not to conclude from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sociolab.analysis.agreeing_tables import (
    agreement_table,
    alpha_table,
    people_by_group,
    raters_table,
)
from sociolab.analysis.agreeing_text import (
    Titles,
    few_clusters,
    groups_of,
    kappa_ends,
    number,
    share,
)
from sociolab.analysis.figures import in_words, listed
from sociolab.analysis.rated import RULES, Ratings
from sociolab.report.section import Section
from sociolab.report.words import plural
from sociolab.stats.agreement import OVERALL, POOLED, AmongPeople
from sociolab.stats.intervals import Estimate


def people_section(
    ratings: Ratings, cells: Sequence[AmongPeople], titles: Titles, bins: int
) -> Section:
    """The section on people among themselves."""
    plays = len({row.item for row in ratings.people})
    clusters = len({row.cluster for row in ratings.people})
    said = [
        f"{plural(len(ratings.raters), 'person', 'people')} gave "
        f"{plural(len(ratings.people), 'rating')} in "
        f"{plural(len(ratings.measures), 'dimension')} of {plural(plays, 'play')} in "
        f"{plural(clusters, titles.cluster)} ({'run' if len(ratings.runs) == 1 else 'runs'} "
        f"{listed(ratings.runs)})."
    ]
    tables = [raters_table(ratings)]
    if any(cell.agreement.kappa.n for cell in cells):
        said += _agreeing(cells, titles, bins)
        tables += [agreement_table(cells, titles, bins), alpha_table(cells, titles)]
        if len(groups_of(cells)) > 1:
            tables.append(people_by_group(cells, titles))
    return Section(
        "How far people agree",
        tuple(said),
        tuple(_cautions(ratings, cells, titles, clusters)),
        tuple(tables),
    )


def _agreeing(cells: Sequence[AmongPeople], titles: Titles, bins: int) -> Iterator[str]:
    rows = [cell for cell in cells if cell.group is None]
    main = next((cell for cell in rows if cell.dimension == POOLED), rows[0])
    of = "Over all dimensions" if main.dimension == POOLED else f"On {titles[main.dimension]}"
    found = main.agreement
    yield (
        f"{of}, two people who rate the same play choose the same of {bins} bins in "
        f"{in_words(share(found.binned.value))} of cases (Randolph's kappa "
        f"{_kappa(found.kappa, bins)}), the same score in {in_words(share(found.exact.value))}, "
        f"scores at most one point apart in {in_words(share(found.near.value))}."
    )
    alphas = sorted(
        (cell.interval.value, titles[cell.dimension])
        for cell in rows
        if cell.interval is not None
        and cell.interval.value is not None
        and cell.dimension != OVERALL
    )
    if len(alphas) > 1:
        (low, worst), (high, best) = alphas[0], alphas[-1]
        span = f"runs from {number(low)} ({worst}) to {number(high)} ({best})"
        if number(low) == number(high):
            span = f"is {number(low)} in each of {plural(len(alphas), 'dimension')}"
        yield f"Krippendorff's alpha (interval) {span}."


def _kappa(found: Estimate, bins: int) -> str:
    span = kappa_ends(found, bins) if found.low is not None else "without an interval"
    return f"{number(found.value)} {span}"


def _cautions(
    ratings: Ratings, cells: Sequence[AmongPeople], titles: Titles, clusters: int
) -> Iterator[str]:
    raters = len(ratings.raters)
    if raters == 1:
        yield (
            "One rater only: nothing here tells how far people agree, and where a judge differs "
            "from this person, others might side with the judge."
        )
    elif not any(cell.agreement.kappa.n for cell in cells):
        yield "No play was rated by two people: nothing here tells how far people agree."
    elif raters < 4:
        yield (
            f"{raters} raters: the intervals are over {titles.cluster}s, not over people; other "
            "people may agree more or less."
        )
    rated = {row.item.partition(" ")[0] for row in ratings.people}
    if unrated := [run for run in ratings.runs if run not in rated]:
        yield f"Nobody rated a play of {listed(unrated)}: nothing here is about it."
    if len(ratings.sets) > 1:
        yield f"Ratings of several sets count as one: {listed(ratings.sets)}."
    rows = [cell for cell in cells if cell.group is None and cell.dimension != POOLED]
    lone = {titles[c.dimension]: c.agreement.left_out for c in rows if c.agreement.left_out}
    if raters > 1 and lone:
        told = ", ".join(f"{name} {count:,}" for name, count in lone.items())
        yield f"Plays with a single rating are left out of agreement: {told}."
    if flat := [titles[cell.dimension] for cell in rows if _flat(cell)]:
        yield (
            f"In {listed(flat)} nearly all scores fall in one bin: kappa is high there though the "
            "raters tell hardly any plays apart, which alpha shows."
        )
    yield from few_clusters(clusters, titles)
    rules = len({row.item for row in ratings.people if row.group == RULES})
    if rules:
        yield (
            f"{plural(rules, 'play')} rated here are by rules (scripted agents): agreement on "
            "them says little of agreement on plays by models or people."
        )


def _flat(cell: AmongPeople) -> bool:
    same, alpha = cell.agreement.binned.value, cell.interval
    if same is None or alpha is None or same < 0.8:
        return False
    return alpha.value is None or alpha.value < 0.4
