"""The option check against transcripts labelled by hand before the rules were written."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sociolab.core.episode import Moved
from sociolab.worlds.sotopia.checks.option import OTHER, agreed_option
from sociolab.worlds.sotopia.checks.outcome import Agreed, CannotTell, NoAgreement
from sociolab.worlds.sotopia.scene import Casting

Expected = str | None | list[str | None]

PLACES = {
    "the whale hall": (8.0, 2.0),
    "the mineral cabinet": (7.0, 7.0),
    "the bird room": (4.0, 5.0),
    "the roof garden": (0.0, 9.0),
}
PLACE_ALIASES = {
    "the whale hall": ("the whales", "the whale"),
    "the mineral cabinet": ("the minerals", "the stones", "the cabinet"),
    "the bird room": ("the birds",),
    "the roof garden": ("the roof", "the garden"),
}
HOURS = {"6:30": (9.0, 0.0), "6:45": (7.0, 3.0), "7:00": (5.0, 7.0), "7:15": (0.0, 9.0)}
HOUR_ALIASES = {
    "6:30": ("half past six", "six thirty"),
    "6:45": ("quarter to seven",),
    "7:00": ("seven o'clock", "7 am"),
    "7:15": ("quarter past seven",),
}

PLACE_CASES: dict[str, tuple[Expected, str]] = {
    "asked and agreed": (
        "the mineral cabinet",
        """
        A: Shall we see the minerals?
        B: Yes, let's do that.
        """,
    ),
    "by name": (
        "the whale hall",
        """
        A: I'd love to go to the whale hall.
        B: Fine, the whale hall it is.
        """,
    ),
    "counter-proposal taken": (
        "the bird room",
        """
        A: Let's go to the whale hall.
        B: I'd rather see the birds.
        A: Okay, the birds then.
        """,
    ),
    "no agreement": (
        None,
        """
        A: Let's go to the whale hall.
        B: No, I want to see the roof garden.
        A: The roof garden is boring.
        B: I won't go to the whale hall.
        """,
    ),
    "two in one sentence": (
        "the mineral cabinet",
        """
        A: I like the whale hall, but since you like the garden, how about the mineral cabinet?
        B: Sounds good.
        """,
    ),
    "anything but": (
        None,
        """
        A: Let's go to the roof garden.
        B: Anything but the roof garden.
        A: Hm.
        """,
    ),
    "agreement reopened": (
        "the bird room",
        """
        A: The whale hall?
        B: Okay.
        B: Actually, on second thought, could we see the birds instead?
        A: Sure, the bird room works for me.
        """,
    ),
    "either or": (
        "?",
        """
        A: We could see the whales or the birds.
        B: Deal.
        """,
    ),
    "either or, picked": (
        "the bird room",
        """
        A: We could see the whales or the birds.
        B: The birds sound great.
        A: Great, let's go!
        """,
    ),
    "sarcasm": (
        [None, "?"],
        """
        A: Let's go to the roof garden.
        B: Oh sure, the roof garden in this rain, brilliant idea. Not.
        """,
    ),
    "yes to another question": (
        [None, "?"],
        """
        A: I'd like to see the whale hall. Have you been here before?
        B: Yes, once, as a child.
        """,
    ),
    "instead of": (
        "the bird room",
        """
        A: How about the birds instead of the whales?
        B: I'm happy with that.
        """,
    ),
    "condition": (
        "the whale hall",
        """
        A: Let's see the whales.
        B: Only if you buy me an ice cream afterwards.
        A: Agreed, I'll buy you one. Whales it is!
        B: Then we have a deal.
        """,
    ),
    "condition left open": (
        [None, "?"],
        """
        A: Let's see the whales.
        B: The whales, okay, but only if you buy me an ice cream.
        """,
    ),
    "something else": (
        ["?", OTHER],
        """
        A: Forget the rooms, how about we have a coffee in the café?
        B: Great idea, let's do that.
        """,
    ),
    "leaves": (
        None,
        """
        A: The whales?
        B: I'm not interested in whales.
        B -
        """,
    ),
    "both want the same": (
        "the mineral cabinet",
        """
        A: I'd go for the stones.
        B: I was about to suggest the stones as well!
        A: Wonderful.
        """,
    ),
}

HOUR_CASES: dict[str, tuple[Expected, str]] = {
    "in words": (
        "6:30",
        """
        A: Could we leave at half past six?
        B: All right, half past six.
        """,
    ),
    "am": (
        "7:00",
        """
        A: I'd prefer 6:30.
        B: That's too early for me. What about 7 am?
        A: Okay, seven it is.
        """,
    ),
    "between": (
        OTHER,
        """
        A: 6:30?
        B: 7:15.
        A: Let's say 6:50.
        B: 6:50 works for me.
        """,
    ),
    "not before": (
        "6:45",
        """
        A: How about 6:30?
        B: I can't do 6:30, but 6:45 is possible.
        A: 6:45, perfect.
        """,
    ),
    "numbers that are no hours": (
        "7:15",
        """
        A: The drive takes 40 minutes and the meeting is at 8:30.
        B: Then leaving at 7:15 is early enough.
        A: Okay, let's leave at 7:15.
        """,
    ),
}


@pytest.mark.parametrize("name", [*PLACE_CASES, *HOUR_CASES])
def test_transcript_is_read_as_a_person_reads_it(
    name: str, choice: Callable[..., Casting], moves: Callable[[str], tuple[Moved, ...]]
) -> None:
    if name in PLACE_CASES:
        casting, (expected, text) = choice(PLACES, PLACE_ALIASES), PLACE_CASES[name]
    else:
        casting, (expected, text) = choice(HOURS, HOUR_ALIASES), HOUR_CASES[name]
    outcome = agreed_option(casting, moves(text))
    found: str | None
    match outcome:
        case Agreed(value=option):
            found = option
        case NoAgreement():
            found = None
        case CannotTell():
            found = "?"
    assert found in expected if isinstance(expected, list) else found == expected, outcome
