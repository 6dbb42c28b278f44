"""The fold from acts to an agreement, on acts given directly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.core.episode import Action, Moved
from sociolab.worlds.sotopia.checks.acts import (
    Act,
    Assent,
    Level,
    Reading,
    Refuse,
    Sign,
    Take,
)
from sociolab.worlds.sotopia.checks.agreement import Talk
from sociolab.worlds.sotopia.checks.outcome import Agreed, CannotTell, NoAgreement, Outcome

Turn = tuple[str, list[Act[int]]]

DEAL = Assent(Level.DEAL)
YES = Assent(Level.YES)
NO: Refuse[int] = Refuse()


def offer(*values: int, asked: bool = False, tied: bool = False) -> Take[int]:
    return Take(values, asked=asked, tied=tied)


def follow(turns: list[Turn], seats: str = "AB") -> Outcome[dict[str, int]]:
    talk: Talk[int] = Talk(seats)
    for turn, (seat, acts) in enumerate(turns):
        text = f"words of turn {turn}"
        talk.hear(Moved(turn, seat, (Action("speak", text),)), text, Reading(tuple(acts)))
    return talk.outcome()


def agreed(turns: list[Turn], seats: str = "AB") -> int:
    outcome = follow(turns, seats)
    assert isinstance(outcome, Agreed), outcome
    return outcome.value[""]


def test_offer_and_deal_make_an_agreement() -> None:
    assert agreed([("A", [offer(220)]), ("B", [DEAL])]) == 220


def test_the_same_value_from_both_is_an_agreement() -> None:
    assert agreed([("A", [offer(220)]), ("B", [offer(220)])]) == 220


def test_a_question_about_the_same_value_is_not_yet_one() -> None:
    turns: list[Turn] = [("A", [offer(220)]), ("B", [offer(220, asked=True)])]
    assert isinstance(follow(turns), CannotTell)
    assert agreed([*turns, ("A", [YES])]) == 220


def test_a_condition_needs_the_others_assent() -> None:
    turns: list[Turn] = [("A", [offer(220)]), ("B", [offer(220, tied=True)])]
    assert isinstance(follow(turns), CannotTell)
    assert agreed([*turns, ("A", [YES])]) == 220
    assert isinstance(follow([*turns, ("A", [NO])]), NoAgreement)


def test_assent_takes_the_newest_offer() -> None:
    turns: list[Turn] = [("A", [offer(230)]), ("B", [offer(200)]), ("A", [offer(220)])]
    assert agreed([*turns, ("B", [DEAL])]) == 220


def test_own_offer_is_not_accepted_by_oneself() -> None:
    assert not isinstance(follow([("A", [offer(230)]), ("A", [DEAL])]), Agreed)


def test_a_refusal_upholds_the_own_offer() -> None:
    turns: list[Turn] = [("A", [offer(230)]), ("B", [offer(210)]), ("A", [NO])]
    assert agreed([*turns, ("B", [DEAL])]) == 230


def test_a_bare_yes_counts_only_right_after_the_offer() -> None:
    turns: list[Turn] = [("A", [offer(230)]), ("B", []), ("A", [])]
    assert not isinstance(follow([*turns, ("B", [YES])]), Agreed)


def test_withdrawn_offer_cannot_be_accepted() -> None:
    turns: list[Turn] = [("A", [offer(230)]), ("B", []), ("A", [Sign.WITHDRAW]), ("B", [DEAL])]
    assert not isinstance(follow(turns), Agreed)


def test_agreement_that_is_called_off_is_none_and_no_failure_either() -> None:
    # "Take it before I change my mind" reads like a withdrawal, too.
    turns: list[Turn] = [("A", [offer(230)]), ("B", [DEAL]), ("A", [Sign.WITHDRAW])]
    assert isinstance(follow(turns), CannotTell)


def test_reopened_agreement_holds_at_the_new_value_or_not_at_all() -> None:
    turns: list[Turn] = [("A", [offer(230)]), ("B", [DEAL]), ("B", [offer(200, asked=True)])]
    assert isinstance(follow(turns), CannotTell)
    assert agreed([*turns, ("A", [YES])]) == 200
    assert agreed([*turns, ("A", [NO]), ("B", [offer(230)])]) == 230


def test_yes_and_a_counter_offer_is_a_counter_offer() -> None:
    outcome = follow([("A", [offer(230)]), ("B", [YES, offer(210)])])
    assert not isinstance(outcome, Agreed)


def test_mockery_turns_the_assent_around() -> None:
    assert isinstance(follow([("A", [offer(500)]), ("B", [YES, Sign.MOCK])]), NoAgreement)


def test_alternatives_must_be_chosen_from() -> None:
    turns: list[Turn] = [("A", [offer(220, 205)])]
    assert isinstance(follow([*turns, ("B", [DEAL])]), CannotTell)
    assert agreed([*turns, ("B", [offer(205)])]) == 205


def test_three_seats_must_all_agree() -> None:
    turns: list[Turn] = [("A", [offer(220)]), ("B", [DEAL])]
    assert not isinstance(follow(turns, "ABC"), Agreed)
    assert agreed([*turns, ("C", [DEAL])], "ABC") == 220


def test_all_issues_must_be_settled() -> None:
    talk: Talk[int] = Talk("AB", issues=("books", "hats"))
    turns: list[Turn] = [
        ("A", [Take((3,), issue="books")]),
        ("B", [YES, Take((0,), issue="hats")]),
    ]
    for turn, (seat, acts) in enumerate(turns):
        talk.hear(Moved(turn, seat, ()), "some words", Reading(tuple(acts)))
    assert not isinstance(talk.outcome(), Agreed)
    talk.hear(Moved(2, "A", ()), "some words", Reading((DEAL,)))
    outcome = talk.outcome()
    assert isinstance(outcome, Agreed)
    assert outcome.value == {"books": 3, "hats": 0}


def test_only_a_refusal_of_the_last_proposal_makes_no_agreement() -> None:
    turns: list[Turn] = [("A", [offer(230)])]
    assert isinstance(follow(turns), CannotTell)  # nobody answered
    assert isinstance(follow([*turns, ("B", [])]), CannotTell)  # the answer cannot be read
    assert isinstance(follow([*turns, ("A", [NO])]), CannotTell)  # one's own proposal
    assert isinstance(follow([*turns, ("B", [NO, offer(200)])]), CannotTell)  # a newer one
    assert isinstance(follow([*turns, ("B", [NO])]), NoAgreement)
    assert isinstance(follow([*turns, ("B", [NO]), ("A", [])]), NoAgreement)


def test_whoever_refused_and_then_says_something_else_may_have_come_round() -> None:
    turns: list[Turn] = [("A", [offer(230)]), ("B", [NO]), ("A", [Sign.INSIST]), ("B", [])]
    assert isinstance(follow(turns), CannotTell)


def test_no_to_a_question_about_something_else_refuses_nothing() -> None:
    talk: Talk[int] = Talk("AB")
    talk.hear(Moved(0, "A", ()), "230. Is it raining?", Reading((offer(230),), asks_else=True))
    talk.hear(Moved(1, "B", ()), "No.", Reading((NO,)))
    assert isinstance(talk.outcome(), CannotTell)


def test_refusing_another_value_does_not_refuse_the_proposal() -> None:
    turns: list[Turn] = [("A", [offer(230)])]
    assert isinstance(follow([*turns, ("B", [Refuse((300,))])]), CannotTell)
    assert isinstance(follow([*turns, ("B", [Refuse((230,))])]), NoAgreement)


LEAVES = None


@pytest.mark.parametrize(
    ("turns", "outcome"),
    [
        ([("A", [offer(230)]), ("B", LEAVES)], NoAgreement),  # instead of an answer
        ([("A", [offer(230)]), ("B", [Sign.DEFER]), ("B", LEAVES)], NoAgreement),
        ([("A", []), ("B", LEAVES)], NoAgreement),  # B never said a word
        ([("A", [offer(230)]), ("A", LEAVES)], CannotTell),  # B's turn may have failed
        ([("A", []), ("B", []), ("A", LEAVES)], CannotTell),  # whatever they talked about
        ([("A", [offer(230)]), ("B", []), ("A", LEAVES)], CannotTell),  # that may have been a yes
        ([("A", [offer(230)]), ("B", []), ("B", LEAVES)], CannotTell),
        ([("A", []), ("B", [offer(230)]), ("B", LEAVES)], CannotTell),  # that may be an answer
        ([("A", [offer(230)]), ("B", [NO]), ("A", LEAVES)], NoAgreement),
        ([("A", [offer(230)]), ("B", [DEAL]), ("A", LEAVES)], Agreed),
    ],
)
def test_leaving_refuses_a_proposal_only_where_it_stands_for_an_answer(
    turns: list[tuple[str, list[Act[int]] | None]], outcome: type
) -> None:
    talk: Talk[int] = Talk("AB")
    for turn, (seat, acts) in enumerate(turns):
        if acts is None:
            talk.see_off(Moved(turn, seat, (Action("leave", ""),)))
        else:
            talk.hear(Moved(turn, seat, ()), f"words of turn {turn}", Reading(tuple(acts)))
    assert isinstance(talk.outcome(), outcome)


HARMLESS: st.SearchStrategy[Act[int]] = st.one_of(
    st.builds(
        Take[int],
        st.lists(st.integers(1, 3), max_size=2, unique=True).map(tuple),
        asked=st.booleans(),
        tied=st.booleans(),
        mention=st.booleans(),
    ),
    st.builds(Assent, st.sampled_from(Level), asked=st.booleans(), tied=st.booleans()),
    st.sampled_from([sign for sign in Sign if sign is not Sign.MOCK]),  # which is a refusal
)


@given(
    st.lists(
        st.tuples(st.sampled_from("ABC"), st.lists(HARMLESS, max_size=3), st.booleans()),
        max_size=8,
    ),
    st.sampled_from(["AB", "ABC"]),
)
def test_without_refusal_or_leave_there_is_never_no_agreement(
    turns: list[tuple[str, list[Act[int]], bool]], seats: str
) -> None:
    talk: Talk[int] = Talk(seats)
    for turn, (seat, acts, asks) in enumerate(turns):
        if seat in seats:
            text = f"words of turn {turn}"
            talk.hear(Moved(turn, seat, (Action("speak", text),)), text, Reading(tuple(acts), asks))
    assert not isinstance(talk.outcome(), NoAgreement)


@pytest.mark.parametrize("seats", ["AB", "BA"])
def test_order_of_the_seats_does_not_matter(seats: str) -> None:
    turns: list[Turn] = [("A", [offer(230)]), ("B", [offer(200)]), ("A", [DEAL])]
    assert agreed(turns, seats) == 200
