"""What seats claim of goods, in words and in forms, and when that is a concession."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sociolab.core import Act, Action, Score
from sociolab.plugin.api import Negotiation
from sociolab.worlds import sotopia

OURS = Path(__file__).parents[2] / "negotiations"
COUNTS = {"food": 3, "water": 3, "firewood": 3}


@pytest.mark.parametrize(
    ("text", "claimed"),
    [
        ("I need two food", {"food": 2}),
        ("You can have 1 water.", {"water": 2}),
        ("Could I get 2 of the firewood, and you take all water?", {"firewood": 2, "water": 0}),
        ("I'll give you 2 packages of food", {"food": 1}),
        ("if you let me have 3 more water", {"water": 3}),
        ("I love food. 2 water would be nice.", {}),
        ("I have 5 food", {}),
        ("It is 3 o'clock, I am hungry", {}),
    ],
)
def test_a_claim_is_a_number_of_a_good_for_whoever_is_named_before(
    text: str, claimed: dict[str, int]
) -> None:
    assert sotopia.read_claims(COUNTS, Action("speak", text)) == claimed
    assert sotopia.read_claims(COUNTS, Action("physical action", text)) == {}


def test_a_form_claims_all_of_its_share() -> None:
    form = Action("submit deal", fields={"food": 2, "water": 1})
    assert sotopia.read_claims(COUNTS, form) == {"food": 2, "water": 1, "firewood": 0}
    form = Action("speak", "Here.", acts=(Act("offer", {"food": 2, "water": 1}),))
    assert sotopia.read_claims(COUNTS, form) == {"food": 2, "water": 1, "firewood": 0}


def test_a_concession_claims_fewer_of_a_good_than_its_seat_last_did() -> None:
    camps = sotopia.import_casino(OURS / "camps.json")
    found = [
        sotopia.negotiation(episode, judging.verdicts)
        for episode, judging in zip(camps.episodes, camps.judgings, strict=True)
    ]
    # 11: Ann claims 3 food and 1 water and submits that with no firewood, of which she had claimed
    #     none; Bea claims 2 water and 3 firewood. No concession.
    # 12: Bea claims 3 water and 3 firewood, then submits it, then takes two firewood: one. Ann
    #     leaves her two firewood, claims 1, and submits 1: none.
    # 14: Bea claims 2 water and, leaving Ann two, 1 food; nobody claims twice.
    assert found == [
        Negotiation(True, False, 0),
        Negotiation(True, False, 1),
        Negotiation(False, True, 0),
        Negotiation(True, False, 0),
    ]
    assert sotopia.negotiation(camps.episodes[0], ()) == Negotiation(None, None, 0)


def test_whether_something_was_agreed_is_in_the_record_and_not_in_the_words() -> None:
    camps = sotopia.import_casino(OURS / "camps.json")
    scores = [one for one in camps.judgings[0].verdicts if isinstance(one, Score)]
    assert scores[0].outcome == {
        "agreed": True,
        "terms": {
            "kim": {"food": 3, "water": 1, "firewood": 0},
            "robin": {"food": 0, "water": 2, "firewood": 3},
        },
    }
    silent = [replace(one, reason="no agreement: this is only a reason") for one in scores]
    assert sotopia.negotiation(camps.episodes[0], silent) == Negotiation(True, False, 0)
    untold = [replace(one, outcome=None) for one in scores]
    assert sotopia.negotiation(camps.episodes[0], untold) == Negotiation(None, None, 0)
    walked = [one for one in camps.judgings[2].verdicts if isinstance(one, Score)]
    assert walked[0].outcome == {"agreed": False}
