"""The report on people and judges: a small study worked by hand, what it refuses, properties."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import pytest

from sociolab.stats import PeopleAgreement, agreement_report
from sociolab.stats.agreement import (
    OVERALL,
    POOLED,
    AgreementReport,
    ItemRating,
    JudgeAndPeople,
    JudgePair,
)
from stats.judged_items import Judged, spread

RANGES = {"goal": (0.0, 10.0), "secret": (-10.0, 0.0)}

# Item: cluster, who played, goal and secret by people P and Q and by judges J and K.
STUDY = {
    "e1": ("s1", "model", (4, 6, 7, 8), (0, 0, 0, 0)),
    "e2": ("s1", "human", (5, 5, 5, 4), (-2, -8, -5, 0)),
    "e3": ("s2", "model", (8, 9, 9, 10), (0, 0, 0, -1)),
    "e4": ("s2", "human", (1, 4, 2, 2), (0, -1, 0, 0)),
    "e5": ("s3", "model", (2, 2, 1, 3), (0, 0, None, 0)),
    "e6": ("s3", "model", (9, None, 8, 8), (-3, None, -1, 0)),
}


def rows(*raters: str) -> list[ItemRating]:
    return [
        ItemRating(item, rater, dimension, scores["PQJK".index(rater)], cluster, group)
        for item, (cluster, group, *both) in STUDY.items()
        for dimension, scores in zip(RANGES, both, strict=True)
        for rater in raters
    ]


@cache
def whole() -> AgreementReport:
    return agreement_report(rows("P", "Q"), rows("J", "K"), RANGES)


def report(
    people: list[ItemRating] | None = None, judges: list[ItemRating] | None = None
) -> AgreementReport:
    if people is judges is None:
        return whole()
    people = rows("P", "Q") if people is None else people
    judges = rows("J", "K") if judges is None else judges
    return agreement_report(people, judges, RANGES)


def among(found: AgreementReport, dimension: str, group: str | None = None) -> PeopleAgreement:
    (cell,) = (c for c in found.people if (c.dimension, c.group) == (dimension, group))
    return cell


def judged(
    found: AgreementReport, judge: str, dimension: str, group: str | None = None
) -> JudgeAndPeople:
    wanted = (judge, dimension, group)
    (cell,) = (c for c in found.judges if (c.judge, c.dimension, c.group) == wanted)
    return cell


def pair(found: AgreementReport, dimension: str, group: str | None = None) -> JudgePair:
    (cell,) = (c for c in found.pairs if (c.dimension, c.group) == (dimension, group))
    return cell


# Worked by hand


def test_people_among_themselves_worked_by_hand() -> None:
    # Goal, five items with both: 4-6, 5-5, 8-9, 1-4, 2-2. Exact 2/5, within one 3/5, in bins of
    # width 2 (2-3, 2-2, 4-4, 0-2, 1-1) 3/5; kappa (0.6 - 0.2) / 0.8 = 0.5.
    cell = among(report(), "goal")
    found = cell.agreement
    assert [each.value for each in (found.exact, found.near, found.binned)] == [0.4, 0.6, 0.6]
    assert found.kappa.value == pytest.approx(0.5)
    assert (found.pairs, found.left_out, found.missing) == (5, 1, 1)
    assert (cell.raters, found.kappa.clusters) == (2, 3)
    # Interval alpha: squares within 2 + 0 + 0.5 + 4.5 + 0 = 7, times 2 / 1, over n = 10: 1.4. The
    # ten values have sum 46 and squares 272: variance (272 - 211.6) / 9 = 6.711. 1 - 1.4 / 6.711.
    assert cell.interval is not None
    assert cell.interval.value == pytest.approx(1 - 1.4 / (60.4 / 9))


def test_people_by_who_played() -> None:
    # Played by models: 4-6, 8-9, 2-2; by people: 5-5, 1-4.
    assert among(report(), "goal", "model").agreement.exact.value == pytest.approx(1 / 3)
    assert among(report(), "goal", "human").agreement.exact.value == pytest.approx(1 / 2)


def test_pooled_agreement_bins_each_dimension_by_its_own_range() -> None:
    # Goal 3 of 5 as above. Secret in bins of width 2: 0-0, -2 -8 (4, 1), 0-0, 0 -1, 0-0: 4 of 5.
    # Together 7 of 10, kappa (0.7 - 0.2) / 0.8 = 0.625; alpha over unlike ranges is not given.
    cell = among(report(), POOLED)
    assert cell.agreement.binned.value == pytest.approx(0.7)
    assert cell.agreement.kappa.value == pytest.approx(0.625)
    assert (cell.agreement.pairs, cell.raters) == (10, 2)
    assert cell.nominal is cell.ordinal is cell.interval is None


def test_overall_is_the_mean_of_the_dimensions_where_all_are_there() -> None:
    # P and Q: 2 3, 1.5 -1.5, 4 4.5, 0.5 1.5, 1 1, 3 -: within one 4 of 5, exact 1 of 5.
    cell = among(report(), OVERALL)
    assert cell.agreement.exact.value == pytest.approx(0.2)
    assert cell.agreement.near.value == pytest.approx(0.8)
    # Judge J has no secret for e5, so no overall either: five items remain.
    found = judged(report(), "J", OVERALL)
    assert (found.pearson.n, found.failed) == (5, 1)


def test_who_was_not_to_rate_a_dimension_owes_no_overall() -> None:
    # Without any row of J on secret of e5 (not None: not asked), nothing is missing.
    judges = [r for r in rows("J", "K") if (r.item, r.rater, r.dimension) != ("e5", "J", "secret")]
    found = judged(report(judges=judges), "J", OVERALL)
    assert (found.pearson.n, found.failed) == (5, 0)
    assert judged(report(judges=judges), "J", "secret").failed == 0


def test_a_judge_is_compared_with_the_mean_of_the_people() -> None:
    # Means of the people 5, 5, 8.5, 2.5, 2, 9 and judge J 7, 5, 9, 2, 1, 8: both have mean 16/3,
    # deviations -1/3, -1/3, 19/6, -17/6, -10/3, 11/3 and 5/3, -1/3, 11/3, -10/3, -13/3, 8/3.
    # Products add up to 807/18, squares to 1542/36 and 480/9. Ranks: 3.5, 3.5, 5, 2, 1, 6 and
    # 4, 3, 6, 2, 1, 5: products 16, squares 17 and 17.5.
    found = judged(report(), "J", "goal")
    assert found.pearson.value == pytest.approx(807 / 18 / (1542 / 36 * 480 / 9) ** 0.5)
    assert (found.pearson.n, found.pearson.clusters) == (6, 3)
    assert found.spearman.value == pytest.approx(16 / (17 * 17.5) ** 0.5)
    table = [
        Judged(scores[2], tuple(x for x in scores[:2] if x is not None), cluster)
        for cluster, _, scores, _ in STUDY.values()
    ]
    assert found.spread == spread(table)


def test_a_judge_by_who_played() -> None:
    # Human-played items are two, e2 and e4: too few for a correlation; the bias is there.
    found = judged(report(), "J", "goal", "human")
    assert (found.pearson.value, found.pearson.note) == (None, "fewer than 3 pairs")
    assert found.spread.bias.value == pytest.approx((0 - 0.5) / 2)


def test_two_judges_are_compared_as_raters_of_the_same_items() -> None:
    # J - K on goal: -1, 1, -1, 0, -2, 0: exact 2/6, within one 5/6, mean -1/2.
    found = pair(report(), "goal")
    assert (found.first, found.second) == ("J", "K")
    assert found.agreement.exact.value == pytest.approx(1 / 3)
    assert found.agreement.near.value == pytest.approx(5 / 6)
    assert found.difference is not None
    assert found.difference.value == pytest.approx(-0.5)
    assert found.pearson is not None
    assert found.pearson.n == 6
    assert pair(report(), POOLED).pearson is None


# What was not rated


def test_items_that_one_side_lacks_are_counted() -> None:
    found = judged(report(judges=rows("J")[2:]), "J", "goal")
    assert (found.pearson.n, found.only_judge, found.only_people) == (5, 0, 1)
    found = judged(report(people=rows("P", "Q")[4:]), "J", "goal")
    assert (found.pearson.n, found.only_judge, found.only_people) == (5, 1, 0)
    found = judged(report(), "J", "secret")
    assert (found.pearson.n, found.failed, found.only_people) == (5, 1, 1)
    assert found.only_judge == 0  # what the judge failed to score is not a score of its own


def test_a_study_without_judges_reports_its_people() -> None:
    found = report(judges=[])
    assert found.judges == ()
    assert found.pairs == ()
    assert found.people == report().people


def test_a_study_without_people_reports_its_judges() -> None:
    found = report(people=[])
    assert among(found, "goal").agreement.kappa.value is None
    assert judged(found, "K", "goal").only_judge == 6
    assert pair(found, "goal") == pair(report(), "goal")


def test_a_single_dimension_needs_no_overall() -> None:
    goal = [row for row in rows("P", "Q") if row.dimension == "goal"]
    found = agreement_report(goal, [], {"goal": (0, 10)})
    assert {cell.dimension for cell in found.people} == {"goal"}


def test_another_number_of_bins_changes_kappa_only() -> None:
    # Ten bins of width 1: 4-6, 5-5, 8-9, 1-4, 2-2 leave 2/5 in one bin; kappa (0.4 - 0.1) / 0.9.
    found = agreement_report(rows("P", "Q"), [], RANGES, bins=10)
    cell = among(found, "goal")
    assert cell.agreement.kappa.value == pytest.approx(1 / 3)
    assert cell.agreement.exact == among(report(), "goal").agreement.exact


# What is refused


def test_a_dimension_without_a_range_is_refused() -> None:
    with pytest.raises(ValueError, match="'mood' has no range"):
        report(people=[ItemRating("e1", "P", "mood", 3, "s1", "model")])


def test_a_dimension_may_not_take_the_name_of_a_summary() -> None:
    for name in (OVERALL, POOLED):
        with pytest.raises(ValueError, match=name):
            agreement_report([], [], {name: (0, 10)})


def test_a_rating_outside_its_range_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="goal of item e1 by P: expected a value from 0"):
        report(people=[ItemRating("e1", "P", "goal", 11, "s1", "model")])


def test_two_ratings_by_one_rater_are_refused() -> None:
    with pytest.raises(ValueError, match="goal of item e1 by P occurs twice"):
        report(people=[*rows("P"), rows("P")[0]])


def test_an_item_in_two_clusters_or_groups_is_refused() -> None:
    row = rows("J")[0]
    for moved in (replace(row, cluster="s9"), replace(row, group="human")):
        with pytest.raises(ValueError, match="item e1 belongs to one cluster and one group"):
            report(judges=[moved])


# Properties


@pytest.mark.parametrize("seed", range(4))
def test_order_of_the_rows_does_not_matter(seed: int) -> None:
    chance = random.Random(seed)
    people, judges = rows("P", "Q"), rows("J", "K")
    shuffled = report(chance.sample(people, len(people)), chance.sample(judges, len(judges)))
    assert shuffled == report()


def test_a_judge_who_copies_a_lone_rater_agrees_fully() -> None:
    copied = [replace(row, rater="J") for row in rows("P")]
    found = judged(report(people=rows("P"), judges=copied), "J", "goal")
    assert found.pearson.value == 1
    assert (found.spread.bias.value, found.spread.counts) == (0, ((0, 6),))
