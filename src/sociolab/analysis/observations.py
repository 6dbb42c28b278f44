"""How far do people, and judges beside them, agree on yes/no questions such as those of a behaviour
sheet? Each pair of answers to the same question about the same seat counts once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from sociolab.analysis.ratings import StoredRatings
from sociolab.report.formatting import ends, plain, share, title_of
from sociolab.report.section import Section, TextTable
from sociolab.stats.agreement import ItemRating
from sociolab.stats.inter_rater import YesNoAgreement, yes_no_agreement

AMONG = "people"
"""In the place of a judge: people among themselves."""


@dataclass(frozen=True, slots=True)
class ObservationCell:
    """Agreement of a judge and people, or of people among themselves, on one question."""

    judge: str
    dimension: str
    agreement: YesNoAgreement


def observation_cells(ratings: StoredRatings) -> tuple[ObservationCell, ...]:
    """For each yes/no question people among themselves, then each judge beside them.

    Whoever gave no yes or no is in no pair. Of repeated judgings the majority counts.
    """
    found = []
    for measure in ratings.measures:
        people = _answers(ratings.people, measure.name)
        if not measure.yes_no:
            continue
        pairs = [
            (pair, cluster)
            for cluster, given in people.values()
            for pair in combinations(given.values(), 2)
        ]
        found.append(_cell(AMONG, measure.name, pairs))
        for judge in ratings.judge_ids:
            mine = _answers([row for row in ratings.judges if row.rater == judge], measure.name)
            pairs = [
                ((mine[item][1][judge], answer), cluster)
                for item, (cluster, given) in people.items()
                if item in mine
                for answer in given.values()
            ]
            if mine:
                found.append(_cell(judge, measure.name, pairs))
    return tuple(found)


def _cell(
    judge: str, dimension: str, pairs: Sequence[tuple[tuple[bool, bool], str]]
) -> ObservationCell:
    answers, clusters = [pair for pair, _ in pairs], [cluster for _, cluster in pairs]
    found = yes_no_agreement(answers, clusters, interchangeable=judge == AMONG)
    return ObservationCell(judge, dimension, found)


def _answers(rows: Sequence[ItemRating], dimension: str) -> dict[str, tuple[str, dict[str, bool]]]:
    """By item its cluster, and the answers by rater."""
    found: dict[str, tuple[str, dict[str, bool]]] = {}
    for row in rows:
        if row.dimension == dimension and row.value is not None and row.value != 0.5:
            found.setdefault(row.item, (row.cluster, {}))[1][row.rater] = row.value > 0.5
    return found


def observation_section(ratings: StoredRatings, cells: Sequence[ObservationCell]) -> Section:
    """The agreement on each question, people first."""
    titles = {measure.name: title_of(measure) for measure in ratings.measures}
    tables = tuple(
        TextTable(
            "Among people" if judge == AMONG else f"{judge} and people",
            ("", "pairs", *_sides(judge), "same answer", "kappa", "95 % interval"),
            tuple(_row(one, titles[one.dimension]) for one in cells if one.judge == judge),
        )
        for judge in dict.fromkeys(one.judge for one in cells)
    )
    notes = (
        "pairs: answers of two people, or of the judge and one person, to the same question about "
        "the same seat; whoever could not tell, or found it not applicable, is in none",
        "kappa: Cohen's; among people, who are interchangeable, with the shares of all of them",
    )
    return Section("Agreement on yes/no questions", notes, (), tables)


def _sides(judge: str) -> tuple[str, ...]:
    return ("yes",) if judge == AMONG else ("yes (judge)", "yes (people)")


def _row(one: ObservationCell, title: str) -> tuple[str, ...]:
    found = one.agreement
    shares = (found.first,) if one.judge == AMONG else (found.first, found.second)
    return (
        title,
        f"{found.pairs:,}",
        *map(share, shares),
        share(found.same),
        plain(found.value),
        ends(found),
    )


def observation_rows(cells: Sequence[ObservationCell]) -> Iterator[dict[str, object]]:
    """Every kappa that has a value, as a row of a CSV file."""
    for one in cells:
        found = one.agreement
        if found.value is not None:
            yield {
                "first": one.judge,
                "second": "people",
                "metric": one.dimension,
                "group": "",
                "figure": "Cohen's kappa",
                "value": found.value,
                "low": found.low,
                "high": found.high,
                "n": found.pairs,
                "clusters": found.clusters,
            }
