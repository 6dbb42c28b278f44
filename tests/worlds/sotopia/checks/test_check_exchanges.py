"""Goods that are given for others, shared by a ratio, left over, or handed over one by one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sociolab.core.episode import Moved
from sociolab.worlds.sotopia.checks.division import agreed_division
from sociolab.worlds.sotopia.checks.outcome import Agreed, CannotTell, NoAgreement
from sociolab.worlds.sotopia.scene import Casting

Sharing = Callable[..., Casting]
Reader = Callable[[str], tuple[Moved, ...]]

COUNTS = {"lamps": 4, "rugs": 3, "vases": 5}

# What A gets of four lamps, three rugs and five vases.
READ: dict[str, tuple[int, int, int]] = {
    "You could have the rugs for the lamps, and the vases are mine.": (4, 0, 5),
    "I'd give you two rugs and a vase for the lamps and the rest of the vases. I keep one rug.": (
        (4, 1, 4)
    ),
    "I'd give you the rugs in exchange for the lamps, and you keep the vases.": (4, 0, 0),
    "I'll swap you the rugs for the lamps. The vases are mine.": (4, 0, 5),
    "I'll trade my lamps for your rugs, and the vases are yours.": (0, 3, 0),
    "I give up the rugs and keep everything else.": (4, 0, 5),
    "I take the lamps for my hall and two of the vases. You get the rest.": (4, 0, 2),
    "Leave me the lamps and take everything else.": (4, 0, 0),
    "Give me the vases and keep the rest.": (0, 0, 5),
    "I'll leave you the rugs and take the rest.": (4, 0, 5),
    "I get the lamps, you get the rugs, and the vases are shared 3 to 2 in my favour.": (4, 0, 3),
    "You get the lamps, I get the rugs, and we split the vases four to one in your favor.": (
        (0, 3, 1)
    ),
    "I get the rugs, you get the vases, and the lamps are divided evenly.": (2, 3, 0),
    "You take everything but the vases.": (0, 0, 5),
    "I take everything except two of the vases.": (4, 3, 3),
    "I take one vase, you the rest of them and the lamps. The rugs are mine.": (0, 3, 1),
    "I take three vases and you the rest of the vases, the lamps are yours, the rugs mine.": (
        (0, 3, 3)
    ),
    "I part with the lamps and get the rugs and the vases.": (0, 3, 5),
    "I give up the lamps and three vases to have all the rugs and two vases.": (0, 3, 2),
    "Everything but the lamps and two vases is mine.": (0, 3, 3),
    "Everything except the lamps for me.": (0, 3, 5),
    "All except the rugs is for you.": (0, 3, 0),
    "Here's a fair swap: you take the vases and the rugs, I take the lamps.": (4, 0, 0),
}
UNCLEAR = [
    "Let me have the rugs and take everything else.",
    "I'll let you have the rugs and keep the vases and lamps.",
    "You take the lamps, I take the rugs, and we split the vases 3-2.",
    "I take two thirds of the vases and the rugs, you take the lamps.",
    "You get the bulk of the vases, I get the rugs and the lamps.",
]


@pytest.mark.parametrize("offer", READ)
def test_what_is_given_for_what_goes_to_the_right_side(
    offer: str, sharing: Sharing, moves: Reader
) -> None:
    outcome = agreed_division(sharing(COUNTS), moves(f"A: {offer}\nB: Deal."))
    assert isinstance(outcome, Agreed), outcome
    assert tuple(outcome.value["A"].values()) == READ[offer]


@pytest.mark.parametrize("offer", UNCLEAR)
def test_offer_that_may_mean_two_things_is_not_guessed_at(
    offer: str, sharing: Sharing, moves: Reader
) -> None:
    outcome = agreed_division(sharing(COUNTS), moves(f"A: {offer}\nB: Deal."))
    assert isinstance(outcome, CannotTell), outcome


def test_goods_that_are_claimed_in_answer_to_a_question_are_the_speakers(
    sharing: Sharing, moves: Reader
) -> None:
    text = """
    A: I'll swap you the rugs for the lamps.
    B: Agreed. What about the vases?
    A: All mine.
    B: Agreed.
    """
    outcome = agreed_division(sharing(COUNTS), moves(text))
    assert isinstance(outcome, Agreed), outcome
    assert outcome.value["A"] == {"lamps": 4, "rugs": 0, "vases": 5}


@pytest.mark.parametrize(
    "answer", ["I can be happy with that.", "I could be content with that.", "Gladly."]
)
def test_being_content_is_a_yes(answer: str, sharing: Sharing, moves: Reader) -> None:
    text = f"A: I take the lamps and the rugs, and you get the vases.\nB: {answer}"
    assert isinstance(agreed_division(sharing(COUNTS), moves(text)), Agreed)


def test_goods_that_go_from_hand_to_hand_are_not_counted_as_a_failure(
    sharing: Sharing, moves: Reader
) -> None:
    text = """
    A: Let's go round in turns.
    B > take the first lamp
    A > I'll choose the green vase.
    B > I'll let you have the small rug.
    A > take the last lamp
    """
    assert isinstance(agreed_division(sharing(COUNTS), moves(text)), CannotTell)


def test_proposals_that_meet_on_some_goods_are_told_of(sharing: Sharing, moves: Reader) -> None:
    text = """
    A: I take the lamps and the vases, and you get the rugs.
    B: You take the lamps, I take the rugs and the vases.
    A: No.
    """
    outcome = agreed_division(sharing(COUNTS), moves(text))
    assert outcome == NoAgreement("their last proposals are alike in part only")


@pytest.mark.parametrize("offer", ["We shared the rugs for years.", "As you shared, the rugs."])
def test_what_was_shared_before_is_no_proposal(offer: str, sharing: Sharing, moves: Reader) -> None:
    outcome = agreed_division(sharing({"rugs": 2}), moves(f"A: {offer}\nB: Deal."))
    assert not isinstance(outcome, Agreed)
