from __future__ import annotations

from itertools import pairwise
from statistics import mean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sociolab.core.episode import Ended
from sociolab.worlds.sotopia.profiles import Character
from sociolab.worlds.sotopia.scenarios import PriceGoal
from sociolab.worlds.sotopia.scripted.bargain import money, reservation
from sociolab.worlds.sotopia.scripted.hearing import heard
from sociolab.worlds.sotopia.scripted.temper import temper
from sociolab.worlds.sotopia.scripted.wording import bargain as words
from worlds.sotopia.scripted.scripted_castings import (
    Puppet,
    casting,
    character,
    events,
    firm,
    moves,
    prices,
    said,
    soft,
)


def agreed_price(lines: list[str]) -> float | None:
    """The price of the last line that accepts one."""
    taken = [heard(line).sums[-1] for line in lines if words.ACCEPT.spoke(line)]
    return taken[-1] if taken else None


def test_the_slack_beyond_the_target_shrinks_with_firmness() -> None:
    seller, buyer = prices(100, 100)
    # 5 % + 20 % of (1 - firmness): 0.9 leaves 7 %, 0.15 leaves 22 %
    assert reservation(seller, temper(firm(0))) == pytest.approx(93)
    assert reservation(seller, temper(soft(0))) == pytest.approx(78)
    assert reservation(buyer, temper(soft(0))) == pytest.approx(122)


def test_money_is_written_as_it_is_said() -> None:
    assert [money(1250.0), money(14.5), money(90)] == ["$1,250", "$14.50", "$90"]


@settings(max_examples=60, deadline=None)
@given(seller=st.integers(70, 200), buyer=st.integers(100, 184), seed=st.integers(0, 10_000))
def test_deals_lie_between_the_reservation_prices(seller: int, buyer: int, seed: int) -> None:
    goals = prices(seller, buyer)
    found = events(casting(goals), seed)
    price = agreed_price(said(found))
    assert isinstance(found[-1], Ended)
    if price is not None:
        own = temper(character(0))
        assert reservation(goals[0], own) <= price <= reservation(goals[1], own)


def test_they_agree_where_the_targets_overlap_and_part_where_they_lie_far_apart() -> None:
    near = [agreed_price(said(events(casting(prices(110, 160)), seed))) for seed in range(20)]
    far = [agreed_price(said(events(casting(prices(190, 100)), seed))) for seed in range(20)]
    assert None not in near
    assert set(far) == {None}


def test_who_finds_no_deal_says_so_and_leaves() -> None:
    found = events(casting(prices(190, 100)), seed=3)
    end = found[-1]
    assert isinstance(end, Ended)
    assert end.reason == "left"
    assert any(words.WALK.spoke(line) for line in said(found))


def test_firm_characters_get_better_prices_than_soft_ones() -> None:
    def sold(people: tuple[Character, Character]) -> float:
        cast = [
            agreed_price(said(events(casting(prices(110, 150), people), seed)))
            for seed in range(30)
        ]
        return mean(price for price in cast if price is not None)

    firm_seller = sold((firm(0), soft(1)))
    even = sold((character(0), character(1)))
    firm_buyer = sold((soft(0), firm(1)))
    assert firm_buyer < even < firm_seller


@settings(max_examples=60, deadline=None)
@given(seller=st.integers(70, 200), buyer=st.integers(100, 184), seed=st.integers(0, 10_000))
def test_nobody_names_the_own_target_before_the_other_does(
    seller: int, buyer: int, seed: int
) -> None:
    targets = {"mina": float(seller), "tobias": float(buyer)}
    named: set[float] = set()
    for move in moves(events(casting(prices(seller, buyer)), seed)):
        sums = heard(move.actions[0].text).sums
        assert targets[move.seat] not in set(sums) - named
        named.update(sums)


def test_offers_only_ever_move_towards_the_other() -> None:
    for seed in range(15):
        found = events(casting(prices(140, 120)), seed)
        for seat, sign in (("mina", -1), ("tobias", 1)):
            offers = [heard(line).sums[-1] for line in said(found, seat) if heard(line).sums]
            steps = [sign * (b - a) for a, b in pairwise(offers)]
            assert all(step >= 0 for step in steps)


def test_a_good_offer_of_any_partner_is_taken_and_the_price_is_named() -> None:
    cast = casting(prices(120, 150))
    partner = Puppet("Hey! I could give you 196 dollars for the desk, right now.", "Great.")
    found = events(cast, puppets={"tobias": partner})
    lines = said(found, "mina")
    assert words.ACCEPT.spoke(lines[1])
    assert "$196" in lines[1]


def test_a_yes_of_any_partner_to_the_own_price_ends_the_bargain() -> None:
    cast = casting(prices(120, 150))
    found = events(cast, puppets={"tobias": Puppet("You've got yourself a deal!", "See you.")})
    offer, answer = said(found, "mina")[:2]
    assert "$200" in offer
    assert "$200" in answer
    assert words.SEAL_SELL.spoke(answer)


def test_a_price_that_the_partner_turns_down_is_no_offer() -> None:
    cast = casting(prices(120, 150))
    found = events(cast, puppets={"tobias": Puppet("I can't pay $200, sorry.", "Well?", "Hm.")})
    assert not any(words.ACCEPT.spoke(line) for line in said(found, "mina"))


def test_who_offers_nothing_is_asked_for_a_price_and_not_given_one_discount_after_another() -> None:
    silent = Puppet(*["It is a fine desk indeed."] * 9)
    found = events(casting(prices(120, 150)), puppets={"tobias": silent})
    lines = said(found, "mina")
    assert any(words.INVITE_SELL.spoke(line) for line in lines)
    assert min(heard(line).sums[-1] for line in lines if heard(line).sums) > 150


def test_very_cheap_and_very_dear_things_are_bargained_over_in_fitting_steps() -> None:
    cheap = casting(
        (
            PriceGoal(role="seller", item="a mug", listed=6, target=3),
            PriceGoal(role="buyer", item="a mug", listed=6, target=5),
        )
    )
    dear = casting(
        (
            PriceGoal(role="seller", item="a van", listed=20_000, target=15_000),
            PriceGoal(role="buyer", item="a van", listed=20_000, target=17_000),
        )
    )
    assert agreed_price(said(events(cheap))) is not None
    price = agreed_price(said(events(dear)))
    assert price is not None
    assert price % 100 == 0
