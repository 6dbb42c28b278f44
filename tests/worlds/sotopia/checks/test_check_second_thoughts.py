"""A bargain called off, one met halfway, and a name that is confirmed in two words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sociolab.core.episode import Moved
from sociolab.worlds.sotopia.checks.friend import found_friend
from sociolab.worlds.sotopia.checks.outcome import Agreed
from sociolab.worlds.sotopia.checks.price import agreed_price
from sociolab.worlds.sotopia.scene import Casting

Table = Callable[..., Casting]
Reader = Callable[[str], tuple[Moved, ...]]

HALFWAY = [
    "S: I'm asking $240.\nB: I offer $200.\nS: Meet me in the middle.\nB: So $220. Done.",
    "S: I'm asking $240.\nB: I offer $200.\nB: Shall we split the difference?\nS: Sure, deal.",
    "S: I'm asking $240.\nB: I offer $200.\nS: Could you meet me halfway?\nB: $220 then. Deal.",
    "S: I'm asking $240.\nB: I offer $200.\nB: Let's meet halfway.\nS: Halfway, hm."
    "\nB: Let's meet in the middle.\nS: Agreed.",
]


@pytest.mark.parametrize(
    "late",
    [
        "On second thought I don't want it.",
        "Hm, on second thoughts, I'd rather not.",
        "Actually, I don't want it any more.",
        "I've thought better of it.",
        "I don't want it.",
    ],
)
def test_deal_does_not_outlast_second_thoughts(late: str, bargain: Table, moves: Reader) -> None:
    text = f"S: You can have it for $210.\nB: Okay.\nS: Great, sold.\nB: {late}"
    assert not isinstance(agreed_price(bargain(), moves(text)), Agreed)


@pytest.mark.parametrize(
    "late",
    [
        "On second thought, I don't need a receipt.",
        "On second thoughts I can't keep the pump past Saturday.",
    ],
)
def test_second_thoughts_about_something_else_call_nothing_off(
    late: str, bargain: Table, moves: Reader
) -> None:
    text = f"S: You can have it for $210.\nB: Okay.\nS: Great, sold.\nB: {late}"
    outcome = agreed_price(bargain(), moves(text))
    assert isinstance(outcome, Agreed), outcome
    assert outcome.value == 210


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("S: That is too low to meet in the middle. I ask $240.\nB: You win, I'll take it.", 240),
        ("S: My uncle told me to split the difference, but no: $240.\nB: Okay, $240.", 240),
    ],
)
def test_the_middle_that_is_only_spoken_of_is_no_offer(
    text: str, price: float, bargain: Table, moves: Reader
) -> None:
    said = f"S: I'm asking $240.\nB: I offer $200.\n{text}"
    outcome = agreed_price(bargain(), moves(said))
    assert isinstance(outcome, Agreed), outcome
    assert outcome.value == price


def test_not_wanting_it_to_be_something_calls_nothing_off(bargain: Table, moves: Reader) -> None:
    text = "S: It's yours for $210.\nB: Deal, $210. I don't want it to rust in your shed."
    assert isinstance(agreed_price(bargain(), moves(text)), Agreed)


@pytest.mark.parametrize("text", HALFWAY)
def test_halfway_is_the_mean_of_the_two_prices(text: str, bargain: Table, moves: Reader) -> None:
    outcome = agreed_price(bargain(), moves(text))
    assert isinstance(outcome, Agreed), outcome
    assert outcome.value == 220


@pytest.mark.parametrize(
    "refusal", ["I can't meet you in the middle.", "I won't split the difference."]
)
def test_refusing_to_meet_halfway_offers_nothing(
    refusal: str, bargain: Table, moves: Reader
) -> None:
    text = f"S: I'm asking $240.\nB: I offer $200.\nS: {refusal}\nB: A pity, so no."
    assert not isinstance(agreed_price(bargain(), moves(text)), Agreed)


def test_halfway_with_a_price_is_that_price(bargain: Table, moves: Reader) -> None:
    text = "S: I'm asking $240.\nB: I offer $200.\nS: Let's meet in the middle at $225.\nB: Deal."
    outcome = agreed_price(bargain(), moves(text))
    assert isinstance(outcome, Agreed)
    assert outcome.value == 225


@pytest.mark.parametrize("yes", ["It is.", "It is!", "Indeed.", "It's him.", "Spot on."])
def test_name_is_confirmed_in_a_word_or_two(yes: str, acquaintances: Table, moves: Reader) -> None:
    outcome = found_friend(acquaintances(), moves(f"A: Is it Alvin?\nB: {yes}"))
    assert isinstance(outcome, Agreed), outcome


@pytest.mark.parametrize("no", ["It is not.", "It is getting late.", "Is it?"])
def test_other_sentences_about_it_confirm_nothing(
    no: str, acquaintances: Table, moves: Reader
) -> None:
    outcome = found_friend(acquaintances(), moves(f"A: Is it Alvin?\nB: {no}"))
    assert not isinstance(outcome, Agreed), outcome
