"""F_c, F_o and F_s, worked by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.worlds.anteval.session import SKILLS
from sociolab.worlds.anteval.virtual_dm.example import (
    NO_SKILL,
    Example,
    FScores,
    Label,
    macro,
    micro,
    overlaps,
)

A_STEALTH, A_INSIGHT = Label("a", "stealth"), Label("a", "insight")
B_STEALTH, B_NATURE = Label("b", "stealth"), Label("b", "nature")


def example(*labels: Label) -> Example:
    return Example("e", "g", (), ("a", "b"), frozenset(labels))


def scored(*pairs: tuple[set[Label], set[Label]]) -> tuple[FScores, FScores]:
    """Micro and macro of (predicted, real) pairs."""
    rows = overlaps([guess for guess, _ in pairs], [example(*real) for _, real in pairs])
    return micro(rows), macro(rows)


def test_each_score_compares_its_own_sets() -> None:
    # Predicted a+stealth, a+insight; real a+stealth, b+nature. Characters {a} and {a, b}: 2/3.
    # Tuples share one of two and two: 1/2. Skills {stealth, insight}, {stealth, nature}: 1/2.
    small, large = scored(({A_STEALTH, A_INSIGHT}, {A_STEALTH, B_NATURE}))
    assert small == large == FScores(2 / 3, 0.5, 0.5)


def test_the_right_skill_of_the_wrong_character_counts_in_f_s_only() -> None:
    small, _ = scored(({A_STEALTH}, {B_STEALTH}))
    assert small == FScores(0.0, 0.0, 1.0)


def test_micro_adds_up_before_dividing_and_macro_afterwards() -> None:
    # Tuples: |P & G| 1 + 0, |P| 1 + 1, |G| 1 + 2: micro 2 * 1 / 5; macro (1 + 0) / 2.
    small, large = scored(({A_STEALTH}, {A_STEALTH}), ({A_INSIGHT}, {B_STEALTH, B_NATURE}))
    assert small.f_o == pytest.approx(0.4)
    assert large.f_o == 0.5


def test_an_example_without_labels_that_is_predicted_to_have_none_counts_as_1_in_macro() -> None:
    small, large = scored((set(), set()), ({A_STEALTH}, {B_NATURE}))
    assert large == FScores(0.5, 0.5, 0.5)
    assert small == FScores(0.0, 0.0, 0.0)


def test_a_prediction_too_many_costs_precision_and_one_too_few_recall() -> None:
    assert scored(({A_STEALTH}, set()))[0].f_o == 0.0
    assert scored(({A_STEALTH, B_STEALTH}, {A_STEALTH}))[0].f_o == pytest.approx(2 / 3)
    assert scored(({A_STEALTH}, {A_STEALTH, B_STEALTH}))[0].f_o == pytest.approx(2 / 3)


def test_a_guess_of_nobody_s_skill_is_right_in_f_c_and_counts_as_a_guess_in_f_o() -> None:
    small, _ = scored(({Label("a", NO_SKILL)}, {A_STEALTH}))
    assert small == FScores(1.0, 0.0, 0.0)


def test_no_examples_have_no_score() -> None:
    assert micro(()) == macro(()) == FScores(None, None, None)


def test_a_prediction_is_needed_for_each_example() -> None:
    with pytest.raises(ValueError, match="found 2 examples and 1 predictions"):
        overlaps([set()], [example(), example()])


labels = st.builds(Label, st.sampled_from("abc"), st.sampled_from(SKILLS[:4]))
sets = st.lists(st.tuples(st.sets(labels), st.sets(labels)), min_size=1, max_size=8)


@given(sets)
def test_scores_stay_in_0_to_1_and_do_not_care_which_side_is_which(
    pairs: list[tuple[set[Label], set[Label]]],
) -> None:
    one = scored(*pairs)
    other = scored(*[(real, guess) for guess, real in pairs])
    for mine, theirs in zip(one, other, strict=True):
        for a, b in ((mine.f_c, theirs.f_c), (mine.f_o, theirs.f_o), (mine.f_s, theirs.f_s)):
            assert a is not None
            assert 0 <= a <= 1
            assert a == b


@given(sets)
def test_only_the_same_tuples_everywhere_score_1(
    pairs: list[tuple[set[Label], set[Label]]],
) -> None:
    assert (scored(*pairs)[0].f_o == 1) == all(guess == real for guess, real in pairs)
