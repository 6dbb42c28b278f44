"""A yes beside which another option is named, and what is said of hours once one is agreed on."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sociolab.core.episode import Moved
from sociolab.worlds.sotopia.checks.option import agreed_option
from sociolab.worlds.sotopia.checks.outcome import Agreed, CannotTell, NoAgreement, Outcome
from sociolab.worlds.sotopia.scenarios import Facts, OptionGoal
from sociolab.worlds.sotopia.scene import Casting

Seating = Callable[[dict[str, Facts | None]], Casting]
Reader = Callable[[str], tuple[Moved, ...]]

WALKS = ("the moor", "the gorge", "the old quarry")
HOURS = ("six in the morning", "ten in the morning", "three in the afternoon")

INSTEAD = [
    "Right, then I count on the gorge.",
    "Good, I'm planning on the gorge.",
    "Done. Put me down for the gorge.",
    "Okay, I've told my sister we'd all turn up in the gorge.",
    "Lovely, so half the club waits in the gorge.",
    "Great, see you at the gorge.",
    "Agreed! My boots are waxed for the gorge.",
]
BESIDE = [
    "Right, I slept in the old quarry last year.",
    "Sure, my father dug in the old quarry back then.",
]
STILL = [
    "Sounds good! The gorge can wait.",
    "Agreed, anywhere rather than the gorge.",
    "That works for me, and the gorge another time.",
    "I had set my heart on the gorge, but fine.",
    "Fine, the moor. My father dug in the old quarry.",
]


def on(cast: Seating, moves: Reader, options: tuple[str, ...], text: str) -> Outcome[str]:
    """What is read where these options are equally good for every seat that speaks."""
    goal = OptionGoal(subject="the outing", options=dict.fromkeys(options, 5.0))
    seats = sorted({move.seat for move in moves(text)})
    return agreed_option(cast(dict.fromkeys(seats, goal)), moves(text))


@pytest.mark.parametrize("answer", [*INSTEAD, *BESIDE])
def test_yes_with_another_option_is_no_yes_to_the_first(
    answer: str, cast: Seating, moves: Reader
) -> None:
    outcome = on(cast, moves, WALKS, f"A: Let's walk across the moor.\nB: {answer}")
    assert not isinstance(outcome, Agreed), outcome


@pytest.mark.parametrize("answer", INSTEAD)
def test_agreement_does_not_outlast_a_yes_to_another_option(
    answer: str, cast: Seating, moves: Reader
) -> None:
    text = f"A: Let's walk across the moor.\nB: The moor, agreed.\nA: {answer}"
    outcome = on(cast, moves, WALKS, text)
    assert not isinstance(outcome, Agreed), outcome


@pytest.mark.parametrize("answer", STILL)
def test_option_that_is_put_off_takes_nothing_from_a_yes(
    answer: str, cast: Seating, moves: Reader
) -> None:
    outcome = on(cast, moves, WALKS, f"A: Let's walk across the moor.\nB: {answer}")
    assert isinstance(outcome, Agreed)
    assert outcome.value == "the moor"


@pytest.mark.parametrize("proposal", ["Let's do the moor and save the gorge for summer."])
def test_option_that_is_saved_for_later_is_not_proposed(
    proposal: str, cast: Seating, moves: Reader
) -> None:
    outcome = on(cast, moves, WALKS, f"A: {proposal}\nB: Perfect, agreed.")
    assert isinstance(outcome, Agreed), outcome
    assert outcome.value == "the moor"


@pytest.mark.parametrize(
    "answer",
    [
        "Fine by me. Last year we settled on the gorge and it rained.",
        "Okay. We save the gorge for next time.",
    ],
)
def test_option_of_another_time_is_not_taken(answer: str, cast: Seating, moves: Reader) -> None:
    outcome = on(cast, moves, WALKS, f"A: Let's walk across the moor.\nB: {answer}")
    assert not isinstance(outcome, Agreed) or outcome.value == "the moor", outcome


def test_other_option_that_is_taken_up_is_what_they_agree_on(cast: Seating, moves: Reader) -> None:
    text = """
    A: Let's walk across the moor.
    B: Right, then I count on the gorge.
    A: All right, the gorge it is.
    """
    outcome = on(cast, moves, WALKS, text)
    assert isinstance(outcome, Agreed)
    assert outcome.value == "the gorge"


@pytest.mark.parametrize(
    "last", ["Right, then I count on the old quarry.", "Good, I'll be packing for the old quarry."]
)
def test_third_seat_that_wants_another_option_has_not_agreed(
    last: str, cast: Seating, moves: Reader
) -> None:
    text = f"A: I'd say the moor.\nB: Agreed, the moor.\nC: {last}"
    assert not isinstance(on(cast, moves, WALKS, text), Agreed)


def test_two_of_three_who_agree_are_told_of(cast: Seating, moves: Reader) -> None:
    text = "A: I'd say the moor.\nB: Agreed, the moor.\nC: I'd say the gorge, and no more.\nA: No."
    outcome = on(cast, moves, WALKS, text)
    assert outcome == NoAgreement("not everybody agreed to the same")


def test_where_nobody_agreed_nobody_is_said_to_have(cast: Seating, moves: Reader) -> None:
    text = "A: I'd say the moor.\nB: I'd say the gorge.\nC: I'd say the old quarry.\nA: No."
    outcome = on(cast, moves, WALKS, text)
    assert outcome == NoAgreement("nobody agreed to what another proposed")


@pytest.mark.parametrize(
    "deed",
    [
        "Good. I will saddle the ponies at half past nine.",
        "You wake the others at eight o'clock, please.",
        "I'll have breakfast ready by nine o'clock.",
    ],
)
def test_hour_of_a_preparation_does_not_reopen_an_agreement(
    deed: str, cast: Seating, moves: Reader
) -> None:
    text = f"A: How about ten in the morning?\nB: Ten in the morning it is.\nA: {deed}"
    outcome = on(cast, moves, HOURS, text)
    assert isinstance(outcome, Agreed), outcome
    assert outcome.value == "ten in the morning"


@pytest.mark.parametrize(
    "change",
    [
        "No wait, I will come at half past nine.",
        "I'd rather set out at nine o'clock.",
        "I will bring the ponies back at half past four.",
    ],
)
def test_hour_at_which_somebody_comes_reopens_it(change: str, cast: Seating, moves: Reader) -> None:
    text = f"A: How about ten in the morning?\nB: Ten in the morning it is.\nA: {change}"
    assert isinstance(on(cast, moves, HOURS, text), CannotTell)
