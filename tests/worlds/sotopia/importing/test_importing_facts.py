"""The facts of goals with a formula in public texts, and what must not be guessed."""

from __future__ import annotations

import pytest

from sociolab.worlds.sotopia.importing.facts import family_of, read_facts
from sociolab.worlds.sotopia.scenarios import DivisionGoal, FriendGoal, PriceGoal

OFFER = "One person is offering a brass lamp for a price of $1,250.50, and another one wants it."
BUYER = "You are the buyer and your target price is $1,000. Paying more costs you."
SELLER = "As the seller, your target price is set at $1,100.0. Selling for less costs you."
GOODS = "Two people divide 3 saws, 2 planes and 1 vice."
EACH = "A saw is worth 1 point, planes are worth 2 points each, and the vice equals 3 points."


def test_a_bargain_is_read_with_its_item_and_listed_price() -> None:
    assert read_facts("bargain", OFFER, (BUYER, SELLER)) == (
        PriceGoal(role="buyer", item="a brass lamp", listed=1250.5, target=1000),
        PriceGoal(role="seller", item="a brass lamp", listed=1250.5, target=1100),
    )


@pytest.mark.parametrize(
    ("context", "item", "listed"),
    [
        ("One person is selling their lamp for $20, another ...", "the lamp", 20),
        ("One person has put up a lamp for sale at $20.00.", "a lamp", 20),
        (
            "One person is offering a bed, a table, and lamps for $7.",
            "a bed, a table, and lamps",
            7,
        ),
    ],
)
def test_offers_come_in_several_wordings(context: str, item: str, listed: float) -> None:
    facts = read_facts("bargain", context, (BUYER, SELLER))
    assert facts is not None
    assert isinstance(facts[0], PriceGoal)
    assert (facts[0].item, facts[0].listed) == (item, listed)


@pytest.mark.parametrize(
    ("context", "buyer"),
    [
        ("Two people talk about a lamp.", BUYER),
        (OFFER, "You are the buyer and your target price is low."),
        (OFFER, "You are the buyer; your target is $10, or $12 with the shade."),
        (OFFER, "You want the seller to meet you, the buyer, at $10."),
        (OFFER, SELLER),
    ],
)
def test_a_bargain_with_anything_unsure_is_not_read(context: str, buyer: str) -> None:
    assert read_facts("bargain", context, (buyer, SELLER)) is None


def test_goods_are_read_with_their_worth_for_one() -> None:
    goal = DivisionGoal(
        counts={"saws": 3, "planes": 2, "vices": 1}, values={"saws": 1, "planes": 2, "vices": 3}
    )
    assert read_facts("division", GOODS, (EACH, EACH)) == (goal, goal)


@pytest.mark.parametrize(
    "goal",
    [
        "You value each saw as 5 points, each plane as 3 points, and the vice as 7 points.",
        "Saws give you 5 points each, planes give you 3 points each, the vice gives you 7 points.",
        "For you, 1 saw = 5 points, 1 plane equals 3 points, 1 vice = 7 points",
        "You value the saws at 5 points each, a plane is 3 points, and the vice at 7 points.",
    ],
)
def test_worth_comes_in_several_wordings(goal: str) -> None:
    facts = read_facts("division", GOODS, (goal, EACH))
    assert facts is not None
    assert isinstance(facts[0], DivisionGoal)
    assert facts[0].values == {"saws": 5, "planes": 3, "vices": 7}


@pytest.mark.parametrize(
    "goal",
    [
        "Saws are worth 5 points, a plane is 3 points, the vice is 7 points.",  # each, or together?
        "A saw is worth 5 points and a plane 3 points.",  # nothing on the vice
        "A saw is 5 points, a saw is 4 points, a plane is 3 points, the vice is 7 points.",
        "A saw is 5 points, a plane is 3 points, the vice is 7 points; all of them 50 points more.",
        "A saw, a plane or the vice is 5 points.",
    ],
)
def test_worth_that_is_not_plain_is_not_read(goal: str) -> None:
    assert read_facts("division", GOODS, (goal, EACH)) is None


def test_goods_named_twice_or_alone_are_not_read() -> None:
    assert read_facts("division", "They have 3 saws here and 2 saws there.", (EACH, EACH)) is None
    assert read_facts("division", "They have 3 saws.", ("A saw is 1 point.",) * 2) is None


def test_friends_are_read_with_what_is_known_of_them() -> None:
    mine = "Ask.\nYou know:\n- Ida: Hobby: Chess; Job: Cook, baker\n- Bo: Hobby: Golf; Job: Smith"
    yours = "Ask.\nYou know:\n- Ida: Hobby: Chess; Job: Cook, baker\n- Kim: Hobby: Go; Job: Smith"
    facts = read_facts("mutual-friend", "A party.", (mine, yours))
    assert facts is not None
    assert isinstance(facts[0], FriendGoal)
    assert facts[0].friends[0].name == "Ida"
    assert facts[0].friends[0].about == {"hobby": "Chess", "job": "Cook, baker"}


@pytest.mark.parametrize(
    "yours",
    [
        "Ask.\n- Ida: Hobby: Chess",  # one is no list
        "Ask.\n- Kim: Hobby: Go\n- Jo: Hobby: Go",  # nobody in common
        "Ask.\n- Ida: Hobby: Go\n- Bo: Hobby: Go",  # two in common
        "Ask.\n- Ida: Hobby: Chess\n- Kim plays chess",  # a line without attributes
    ],
)
def test_lists_without_one_friend_in_common_are_not_read(yours: str) -> None:
    mine = "Ask.\n- Ida: Hobby: Chess\n- Bo: Hobby: Golf"
    assert read_facts("mutual-friend", "A party.", (mine, yours)) is None


def test_a_family_shows_in_what_can_be_read() -> None:
    assert family_of(OFFER, (BUYER, SELLER)) == "bargain"
    assert family_of(GOODS, (EACH, EACH)) == "division"
    assert family_of(GOODS, ("Take all.", EACH)) == "other"
    assert read_facts("norms", OFFER, (BUYER, SELLER)) is None


def test_what_would_be_no_facts_of_ours_is_left_unread() -> None:
    free = OFFER.replace("$1,250.50", "$0")
    assert read_facts("bargain", free, (BUYER, SELLER)) is None
    assert read_facts("division", GOODS.replace("3 saws", "3000 saws"), (EACH, EACH)) is None
    nothing = EACH.replace("1 point,", "0 points,").replace("2 points", "0 points")
    nothing = nothing.replace("3 points", "0 points")
    assert read_facts("division", GOODS, (EACH, nothing)) is None
    assert read_facts("division", GOODS, (EACH, EACH, EACH)) is None
