"""The mutual-friend check against transcripts labelled by hand before the rules were written."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sociolab.core.episode import Moved
from sociolab.worlds.sotopia.checks.friend import found_friend
from sociolab.worlds.sotopia.checks.outcome import Agreed, CannotTell, NoAgreement
from sociolab.worlds.sotopia.scene import Casting

Expected = str | None | list[str | None]

# Both know Alvin; A also knows Mable, Lolita and Tara, B also Dave, Timothy and Leona.
CASES: dict[str, tuple[Expected, str]] = {
    "asked and confirmed by name": (
        "Alvin",
        """
        A: Do you happen to know Alvin?
        B: Alvin from Auburn? Yes, he's a good friend of mine!
        """,
    ),
    "confirmed without the name": (
        "Alvin",
        """
        A: Do you know somebody called Alvin?
        B: Yes, I know him too!
        """,
    ),
    "small world": (
        "Alvin",
        """
        A: My friend Alvin studied at Auburn.
        B: No way, that's my friend as well! Small world.
        """,
    ),
    "each says the name in turn": (
        "Alvin",
        """
        A: I know a few people from Auburn.
        B: Me too. There's Alvin.
        A: Alvin, exactly! So he's our mutual friend.
        """,
    ),
    "nods": (
        "Alvin",
        """
        A: Is Alvin a friend of yours as well?
        B * nods eagerly
        """,
    ),
    "nobody in common is found": (
        [None, "?"],
        """
        A: Do you know Mable?
        B: No, sorry. Do you know Dave?
        A: No, I don't.
        """,
    ),
    "denied": (
        None,
        """
        A: Do you know Alvin?
        B: No, I don't know any Alvin.
        """,
    ),
    "does not ring a bell": (
        None,
        """
        A: What about Alvin?
        B: Alvin? Doesn't ring a bell, I'm afraid.
        """,
    ),
    "first denied, then remembered": (
        "Alvin",
        """
        A: Do you know Alvin?
        B: I don't think so.
        A: He went to Auburn and works at Vectren.
        B: Oh, wait! Alvin from Vectren! Of course I know him.
        """,
    ),
    "wrong friend": (
        [None, "?"],
        """
        A: Do you know Tara?
        B: Yes, Tara is a friend of mine!
        A: Great, so Tara is our mutual friend.
        """,
    ),
    "only one names him": (
        [None, "?"],
        """
        A: I'm friends with Alvin.
        B: That's nice. Do you like the music?
        """,
    ),
    "yes to a whole list": (
        "?",
        """
        A: Do you know Mable, Lolita, Alvin or Tara?
        B: Yes, I know one of them.
        """,
    ),
    "lists that hold him, and a wrong conclusion": (
        None,
        """
        A: My friends are Mable, Lolita, Alvin and Tara.
        B: Mine are Dave, Timothy, Alvin and Leona.
        A: Then we have no friends in common.
        B: It seems so.
        """,
    ),
    "lists that hold him, nothing concluded": (
        "Alvin",
        """
        A: My friends are Mable, Lolita, Alvin and Tara.
        B: I know Dave, Timothy, Alvin and Leona.
        """,
    ),
    "puzzled echo": (
        [None, "?"],
        """
        A: Do you know Alvin?
        B: Alvin? Which Alvin?
        """,
    ),
    "found after false starts": (
        "Alvin",
        """
        A: Do you know Lolita?
        B: No, never heard of her. Do you know Timothy?
        A: I don't know a Timothy, no. What about Alvin?
        B: Yes, I do know Alvin! We met at Auburn.
        A: Then he must be our mutual friend!
        """,
    ),
    "name inside another word": (
        [None, "?"],
        """
        A: I like Alvinston, it's a nice town.
        B: Me too, Alvinston is lovely.
        """,
    ),
    "sarcastic": (
        [None, "?"],
        """
        A: You surely know Alvin.
        B: Oh sure, and I know the Queen of England too. As if.
        """,
    ),
    "denied at the end": (
        None,
        """
        A: Do you know Alvin?
        B: Yes, Alvin is my friend!
        A: Alvin from Auburn?
        B: Oh, no, then I was wrong. I don't know that Alvin.
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_transcript_is_read_as_a_person_reads_it(
    name: str, acquaintances: Callable[..., Casting], moves: Callable[[str], tuple[Moved, ...]]
) -> None:
    expected, text = CASES[name]
    outcome = found_friend(acquaintances(), moves(text))
    found: str | None
    match outcome:
        case Agreed(value=friend):
            found = friend
        case NoAgreement():
            found = None
        case CannotTell():
            found = "?"
    assert found in expected if isinstance(expected, list) else found == expected, outcome


def test_first_name_is_enough_where_it_is_unique(
    acquaintances: Callable[..., Casting], moves: Callable[[str], tuple[Moved, ...]]
) -> None:
    casting = acquaintances("Alvin_Frost Mable_Hay", "Alvin_Frost Dave_Low")
    outcome = found_friend(casting, moves("A: Do you know Alvin?\nB: Yes, Alvin is my friend."))
    assert isinstance(outcome, Agreed)
    assert outcome.value == "Alvin Frost"


def test_shared_first_name_needs_the_last_name(
    acquaintances: Callable[..., Casting], moves: Callable[[str], tuple[Moved, ...]]
) -> None:
    casting = acquaintances("Alvin_Frost Mable_Hay", "Alvin_Frost Alvin_Low")
    text = "A: Do you know {0}?\nB: Yes, {0} is my friend."
    assert isinstance(found_friend(casting, moves(text.format("Alvin"))), CannotTell)
    assert isinstance(found_friend(casting, moves(text.format("Alvin Frost"))), Agreed)
