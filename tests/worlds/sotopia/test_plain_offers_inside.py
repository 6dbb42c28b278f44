"""What lines mean beside a haggler: numerals, a few words, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from sociolab.core import Act, Action
from sociolab.worlds.sotopia.plain_offers import hear
from sociolab.worlds.sotopia.scenarios import DivisionGoal, PriceGoal

PRICE = PriceGoal(role="seller", item="a bicycle", listed=340, target=230)
GOODS = DivisionGoal(
    counts={"hats": 3, "bags of soil": 2, "crabs": 1},
    values={"hats": 1, "bags of soil": 2, "crabs": 3},
)


def meaning(goal: Any, text: str, offered: Any = None) -> Act:
    """What a line means after the other seat's offer, if there was one."""
    lines = [("ann", (Action("speak", "I offer.", acts=(Act("offer", offered),)),))]
    *_, (_, (act,)) = hear(goal, [*(lines if offered else ()), ("ben", (Action("speak", text),))])
    return act


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("$250", 250),
        ("I could pay 250.", 250),
        ("What about $1,250.50?", 1250.5),
        ("No, $180, and $180 it stays.", 180),
        ("Deal at 300?", 300),
        ("$0", None),
        ("It cost me 500, I want 300.", None),
        ("20% off", None),
        ("two hundred and fifty", None),
        ("Room B12", None),
    ],
)
def test_one_number_is_a_price(text: str, price: float | None) -> None:
    act = meaning(PRICE, text)
    assert act == (Act("offer", price) if price else Act("unclear"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Deal!", "accept"),
        ("YES.", "accept"),
        ("All right, I accept that.", "accept"),
        ("Fine, $250 it is.", "accept"),
        ("No.", "decline"),
        ("No deal.", "decline"),
        ("I do not accept.", "decline"),
        ("I won't accept that", "decline"),
        ("I can never say yes", "decline"),
        ("I leave.", "leave"),
        ("Do we have a deal?", "unclear"),
        ("Agreed.", "unclear"),
        ("Let me think about it", "unclear"),
        ("", "unclear"),
        ("An ideal dealer", "unclear"),
    ],
)
def test_a_handful_of_words_is_understood(text: str, kind: str) -> None:
    assert meaning(PRICE, text, 250.0).kind == kind


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("No, I won't sell for $250, that is too low.", "decline"),
        ("I can't accept $250.", "decline"),
        ("I can\u2019t accept $250.", "decline"),
        ("I cannot take $250", "decline"),
        ("Never for 250!", "decline"),
        ("Not for 250?", "decline"),
        ("$250?", "unclear"),
        ("Deal at $250?", "unclear"),
        ("$250, or I leave", "unclear"),
        ("No, $180, and $180 it stays.", "offer"),
        ("I can't go below $300.", "offer"),
    ],
)
def test_what_was_offered_is_not_accepted_by_who_refuses_or_asks(text: str, kind: str) -> None:
    assert meaning(PRICE, text, 250.0).kind == kind


def test_a_share_is_refused_as_a_price_is() -> None:
    offered = {"hats": 1, "bags of soil": 2, "crabs": 1}
    assert meaning(GOODS, "I won't keep 2 hats, 0 crabs and 0 bags of soil", offered) == Act(
        "decline"
    )


def test_nothing_is_accepted_where_nothing_is_offered() -> None:
    assert meaning(PRICE, "Deal.").kind == "unclear"
    own = [("ben", (Action("speak", text),)) for text in ("$200", "Deal.")]
    assert [act.kind for _, (act,) in hear(PRICE, own)] == ["offer", "unclear"]
    withdrawn = [
        ("ann", (Action("speak", "$200"),)),
        ("ann", (Action("speak", "No."),)),
        ("ben", (Action("speak", "Deal."),)),
    ]
    assert [act.kind for _, (act,) in hear(PRICE, withdrawn)] == ["offer", "decline", "unclear"]


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("I take 2 hats and 1 bag of soil.", {"hats": 2, "bags of soil": 1}),
        ("1 of the hats, 0 crabs", {"hats": 1, "crabs": 0}),
        ("1 crab for me", {"crabs": 1}),
        ("3 2 1", {"hats": 3, "bags of soil": 2, "crabs": 1}),
        ("0, 0 and 1", {"hats": 0, "bags of soil": 0, "crabs": 1}),
        ("4 hats", None),
        ("2 hats of 3", None),
        ("1 2", None),
        ("all of it", None),
    ],
)
def test_numerals_say_what_the_speaker_keeps(text: str, share: Any) -> None:
    assert meaning(GOODS, text) == (Act("offer", share) if share else Act("unclear"))


def test_the_rest_of_what_was_offered_is_an_acceptance() -> None:
    offered = {"hats": 1, "bags of soil": 2, "crabs": 1}
    assert meaning(GOODS, "2 0 0", offered) == Act("accept")
    assert meaning(GOODS, "2 hats, 0 crabs, 1 bag of soil", offered).kind == "offer"


def test_only_speech_is_read() -> None:
    actions = [
        Action("none"),
        Action("physical action", "shows $250 in bills"),
        Action("leave"),
    ]
    kinds = [act.kind for _, (act,) in hear(PRICE, [("ben", (action,)) for action in actions])]
    assert kinds == ["unclear", "unclear", "leave"]
