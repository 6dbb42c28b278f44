"""Bradley-Terry ratings: worked by hand, against scipy's optimiser, and how firm they are."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from sociolab.stats import (
    Contest,
    ModelRating,
    ModelRatings,
    fit_bradley_terry,
    mutually_reachable,
    strengths,
)

names = st.sampled_from("abcd")
row_lists = st.lists(
    st.builds(
        Contest,
        names,
        names,
        st.sampled_from([0.0, 0.5, 1.0]),
        st.sampled_from("uvwxyz"),
        st.sampled_from([1.0, 0.5]),
        ratings=st.just(((), ())),
    ).filter(lambda row: row.a != row.b),
    min_size=1,
    max_size=20,
)


def games(text: str) -> list[Contest]:
    """ "a>b 3, a=b 2": a beat b three times and tied twice, each in a cluster of its own."""
    rows: list[Contest] = []
    for part in text.split(", "):
        who, count = part.split()
        outcome = {">": 1.0, "=": 0.5}[who[1]]
        rows += [
            Contest(who[0], who[2], outcome, f"t{len(rows) + i:03}") for i in range(int(count))
        ]
    return rows


def by_name(found: ModelRatings) -> dict[str, ModelRating]:
    return {rating.model: rating for rating in found.models}


def strength(found: ModelRatings) -> dict[str, float]:
    return {r.model: r.strength for r in found.models if r.strength is not None}


def quick(rows: Sequence[Contest], seed: int = 0) -> ModelRatings:
    return fit_bradley_terry(rows, seed=seed, resamples=100)


def simulated(truth: NDArray[np.float64], tasks: int, seed: int) -> list[Contest]:
    """Every pair once a task; a task favours some models."""
    draw = np.random.default_rng(seed)
    rows = []
    for task in range(tasks):
        here = truth + draw.normal(0, 0.5, len(truth))
        for i in range(len(truth)):
            for j in range(i):
                won = draw.random() < 1 / (1 + math.exp(here[j] - here[i]))
                rows.append(Contest(f"m{i}", f"m{j}", float(won), f"task {task}"))
    return rows


# Worked by hand


def test_two_models_differ_by_the_log_odds_of_their_wins() -> None:
    found = fit_bradley_terry(games("a>b 30, b>a 10"))
    a, b = found.models
    assert (a.model, b.model) == ("a", "b")
    assert strength(found) == pytest.approx({"a": math.log(3) / 2, "b": -math.log(3) / 2})
    assert (a.expected, b.expected) == pytest.approx((0.75, 0.25))
    assert (a.won, a.tied, a.lost, a.share) == (30, 0, 10, 0.75)


def test_elo_points_are_400_for_odds_of_ten_to_one() -> None:
    a, b = fit_bradley_terry(games("a>b 100, b>a 10")).models
    assert a.points[0] == pytest.approx(1200)
    assert b.points[0] == pytest.approx(800)
    assert a.points[1] is not None
    assert b.points[2] is not None
    assert a.points[1] > b.points[2]


def test_a_tie_is_half_a_win_for_each() -> None:
    found = fit_bradley_terry(games("a>b 5, a=b 4, b>a 1"))  # 7 to 3
    assert strength(found)["a"] == pytest.approx(math.log(7 / 3) / 2)
    a = by_name(found)["a"]
    assert (a.won, a.tied, a.lost, a.share) == pytest.approx((5, 4, 1, 0.7))


def test_three_models_worked_by_hand() -> None:
    # Odds 2 to 1 of a over b and of b over c, 4 to 1 of a over c: exactly a Bradley-Terry model
    # with strengths log 2, 0, -log 2. Expected of a: (2/3 + 4/5) / 2; of b: (1/3 + 2/3) / 2.
    found = fit_bradley_terry(games("a>b 20, b>a 10, b>c 20, c>b 10, a>c 40, c>a 10"))
    expected = {"a": math.log(2), "b": 0, "c": -math.log(2)}
    assert strength(found) == pytest.approx(expected, abs=1e-9)
    shares = [rating.expected for rating in found.models]
    assert shares == pytest.approx([11 / 15, 1 / 2, 4 / 15])


def test_models_that_never_met_are_compared_over_a_third() -> None:
    # a:b 3 to 1, b:c 2 to 1, so a:c 6 to 1. Centred: the gaps are log 3 and log 2.
    found = strength(fit_bradley_terry(games("a>b 3, b>a 1, b>c 2, c>b 1")))
    assert found["a"] - found["c"] == pytest.approx(math.log(6))
    assert sum(found.values()) == pytest.approx(0)


def test_weights_count_comparisons() -> None:
    rows = [Contest("a", "b", 1, "s", 1.5), Contest("a", "b", 0, "t", 0.5)]
    assert strength(fit_bradley_terry(rows))["a"] == pytest.approx(math.log(3) / 2)


# Groups: where no finite strength exists


def test_a_model_that_won_everything_has_no_strength_and_the_others_do() -> None:
    found = fit_bradley_terry(games("a>b 5, a>c 5, b>c 6, c>b 3"))
    a, b, c = found.models
    assert (a.model, a.group, a.strength, a.low, a.note) == (
        "a",
        1,
        None,
        None,
        "won every comparison",
    )
    assert (b.group, c.group) == (2, 2)
    assert strength(found) == pytest.approx({"b": math.log(2) / 2, "c": -math.log(2) / 2})
    assert a.points == (None, None, None)


def test_models_alone_in_the_middle_and_at_the_end_say_so() -> None:
    a, b, c = fit_bradley_terry(games("a>b 1, b>c 1, a>c 1")).models
    assert [a.group, b.group, c.group] == [1, 2, 3]
    assert b.note == "its wins and losses join it to no other model"
    assert c.note == "lost every comparison"


def test_groups_are_ordered_by_the_share_of_comparisons_won() -> None:
    found = fit_bradley_terry(games("c>b 1, b>a 1, c>a 1"))
    assert [rating.model for rating in found.models] == ["c", "b", "a"]


def test_models_that_were_never_compared_are_rated_apart() -> None:
    found = fit_bradley_terry(games("a>b 3, b>a 1, c>d 2, d>c 1"))
    assert {rating.model: rating.group for rating in found.models} == {
        "a": 1,
        "b": 1,
        "c": 2,
        "d": 2,
    }
    assert strength(found)["c"] == pytest.approx(math.log(2) / 2)
    assert [(pair.above, pair.below) for pair in found.neighbours] == [("a", "b"), ("c", "d")]


def test_one_tie_joins_two_groups() -> None:
    found = fit_bradley_terry(games("a>b 3, b>a 1, a=c 1, c>d 2, d>c 1"))
    assert {rating.group for rating in found.models} == {1}


# Against others


def test_strengths_maximise_the_likelihood_as_scipy_finds_it() -> None:
    draw = np.random.default_rng(1)
    wins = draw.integers(0, 9, (5, 6, 6)).astype(np.float64)
    wins[0] *= draw.random((6, 6)) * 1000  # steep, and of another scale
    wins *= 1 - np.eye(6)
    found = strengths(wins)
    assert found.sum(axis=1) == pytest.approx(0, abs=1e-9)
    for matrix, ours in zip(wins, found, strict=True):

        def loss(theta: NDArray[np.float64], matrix: NDArray[np.float64] = matrix) -> float:
            gaps = theta[:, None] - theta[None, :]
            return float((matrix * np.logaddexp(0, -gaps)).sum() / matrix.sum())

        theirs = scipy.optimize.minimize(loss, np.zeros(6), method="BFGS", tol=1e-9).x
        assert ours == pytest.approx(theirs - theirs.mean(), abs=1e-4)


def test_a_matrix_without_a_finite_maximum_is_refused() -> None:
    wins = np.array([[[0.0, 3.0], [0.0, 0.0]]])
    assert not mutually_reachable(wins)[0, 0, 1]
    with pytest.raises((ValueError, np.linalg.LinAlgError)):
        strengths(wins)


# Intervals


def test_two_models_interval_is_that_of_a_proportion() -> None:
    # 300 tasks, 60 % won: the log odds have a standard error of 1/sqrt(300 * 0.6 * 0.4) = 0.11785,
    # the strength half of it: 0.2027 +- 1.968 * 0.0589.
    a = fit_bradley_terry(games("a>b 180, b>a 120"), resamples=5000).models[0]
    assert a.strength == pytest.approx(0.20273, abs=1e-5)
    assert (a.low, a.high) == pytest.approx((0.2027 - 0.116, 0.2027 + 0.116), abs=0.008)


def test_the_seed_sets_the_draw() -> None:
    rows = games("a>b 30, b>a 20")
    assert fit_bradley_terry(rows) == fit_bradley_terry(rows, seed=0)
    assert fit_bradley_terry(rows).neighbours != fit_bradley_terry(rows, seed=2).neighbours


def test_tasks_are_resampled_not_rows() -> None:
    rows = games("a>b 12, b>a 8")
    four = [row for row in rows for _ in range(4)]
    once, repeated = fit_bradley_terry(rows).models[0], fit_bradley_terry(four).models[0]
    assert (repeated.low, repeated.high) == pytest.approx((once.low, once.high), rel=0.15)


def test_few_clusters_have_strengths_without_intervals() -> None:
    found = fit_bradley_terry(games("a>b 3, b>a 1"))
    assert [rating.note for rating in found.models] == ["fewer than 5 clusters"] * 2
    assert [rating.low for rating in found.models] == [None, None]
    assert found.neighbours[0].flipped is None


def test_a_single_loss_bounds_a_strength_too_weakly_for_an_interval() -> None:
    # b's only win is missing from (19/20)^20 = 36 % of the resamples.
    a = fit_bradley_terry(games("a>b 19, b>a 1")).models[0]
    assert a.strength == pytest.approx(math.log(19) / 2)
    assert a.low is None
    assert a.note.startswith("no finite strength in 3")


def test_a_weak_model_does_not_take_the_others_intervals() -> None:
    # c won once, so its strength is often not finite; a and b still bound each other.
    found = by_name(fit_bradley_terry(games("a>b 30, b>a 20, a>c 30, b>c 29, c>b 1")))
    assert found["c"].low is None
    assert found["a"].low is not None
    assert found["b"].high is not None


def test_clusters_that_are_all_alike_claim_no_certainty() -> None:
    rows = [Contest("a", "b", float(k > 0), f"t{task}") for task in range(8) for k in range(3)]
    a = fit_bradley_terry(rows).models[0]
    assert a.strength == pytest.approx(math.log(2) / 2)
    assert a.low is None
    assert a.note == "no variation between clusters"


def test_about_95_of_100_intervals_hold_the_true_strength() -> None:
    # What is estimated are the strengths of the odds over all tasks, a little closer together than
    # `truth`: each pair's gap has noise of variance 0.5 from task to task.
    truth = np.array([0.6, 0.0, -0.6])
    noise, weights = np.polynomial.hermite_e.hermegauss(20)
    gaps = truth[:, None, None] - truth[:, None] + math.sqrt(0.5) * noise
    odds = (weights / weights.sum() / (1 + np.exp(-gaps))).sum(axis=2) * (1 - np.eye(3))
    limit = dict(zip(("m0", "m1", "m2"), strengths(odds[None])[0], strict=True))
    held = []
    for seed in range(100):
        for rating in fit_bradley_terry(simulated(truth, 30, seed), resamples=300).models:
            assert rating.low is not None
            assert rating.high is not None
            held.append(rating.low <= limit[rating.model] <= rating.high)
    assert 0.91 <= np.mean(held) <= 0.985


# Stability


def test_plays_that_turn_the_order_round_are_counted() -> None:
    # 3 to 2 for a. Without one of a's wins it is 2 to 2: a tie turns nothing round.
    assert fit_bradley_terry(games("a>b 3, b>a 2")).neighbours[0].flipping_plays == 0
    # A play that carries two of a's wins turns it round when dropped.
    rows = games("a>b 4, b>a 3")
    rows[0], rows[1] = rows[0]._replace(plays=("x", "y")), rows[1]._replace(plays=("x", "z"))
    pair = fit_bradley_terry(rows).neighbours[0]
    assert (pair.above, pair.below) == ("a", "b")
    assert (pair.flipping_plays, pair.plays) == (1, 8)  # x, y, z and five rows


def test_close_models_flip_in_more_resamples_than_distant_ones() -> None:
    found = fit_bradley_terry(games("a>b 21, b>a 20, b>c 40, c>b 10, a>c 40, c>a 10"))
    close, distant = found.neighbours
    assert close.flipped is not None
    assert distant.flipped is not None
    assert 0.3 < close.flipped < 0.5
    assert distant.flipped < 0.01
    assert (close.flipping_plays, close.plays) == (0, 141)


def test_dropping_the_only_win_back_leaves_the_order() -> None:
    pair = fit_bradley_terry(games("a>b 9, b>a 1")).neighbours[0]
    assert (pair.flipping_plays, pair.plays) == (0, 10)


# Properties


@settings(max_examples=25)
@given(row_lists, st.integers(0, 9))
def test_order_of_the_rows_does_not_matter(rows: list[Contest], seed: int) -> None:
    shuffled = random.Random(seed).sample(rows, len(rows))
    assert quick(shuffled) == quick(rows)


@settings(max_examples=25)
@given(row_lists)
def test_naming_the_winner_first_or_second_is_the_same(rows: list[Contest]) -> None:
    turned = [row._replace(a=row.b, b=row.a, outcome=1 - row.outcome) for row in rows]
    assert quick(turned) == quick(rows)


@settings(max_examples=25)
@given(row_lists)
def test_expected_wins_equal_the_wins_within_a_group(rows: list[Contest]) -> None:
    # Where the slope of the likelihood is 0.
    found = quick(rows)
    group = {rating.model: rating.group for rating in found.models}
    theta = strength(found)
    wins, expected = dict.fromkeys(theta, 0.0), dict.fromkeys(theta, 0.0)
    for row in rows:
        if group[row.a] == group[row.b]:
            chance = 1 / (1 + math.exp(theta[row.b] - theta[row.a]))
            for model, won, p in (
                (row.a, row.outcome, chance),
                (row.b, 1 - row.outcome, 1 - chance),
            ):
                wins[model] += row.weight * won
                expected[model] += row.weight * p
    assert expected == pytest.approx(wins, abs=1e-6)


@settings(max_examples=25)
@given(row_lists)
def test_every_model_is_rated_once_and_groups_are_centred(rows: list[Contest]) -> None:
    found = quick(rows)
    assert sorted(r.model for r in found.models) == sorted({m for row in rows for m in row[:2]})
    for number in {rating.group for rating in found.models}:
        members = [r.strength for r in found.models if r.group == number]
        if None not in members:
            values = [value for value in members if value is not None]
            assert sum(values) == pytest.approx(0, abs=1e-6)
            assert values == sorted(values, reverse=True)


# Bad input


@pytest.mark.parametrize(
    "row",
    [
        Contest("a", "a", 1, "t"),
        Contest("a", "b", 0.7, "t"),
        Contest("a", "b", 1, "t", 0),
        Contest("a", "b", 1, "t", math.nan),
    ],
)
def test_bad_comparisons_are_refused(row: Contest) -> None:
    with pytest.raises(ValueError, match="a comparison has two models"):
        fit_bradley_terry([row])


def test_no_comparisons_and_few_resamples_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one comparison"):
        fit_bradley_terry([])
    with pytest.raises(ValueError, match="100 resamples"):
        fit_bradley_terry(games("a>b 1"), resamples=99)
