from __future__ import annotations

import pytest

from sociolab.worlds.sotopia.observed import LONG_LINE, Observed, observe, stems
from sociolab.worlds.sotopia.profiles import RelationshipType
from worlds.sotopia.heuristic_samples import casting, episode, failed_turn


def mina(*lines: str, goals: tuple[str, str] = ("You want to talk.", "Listen.")) -> Observed:
    cast = casting(goals=goals)
    return observe(cast, episode(cast, *lines))["mina"]


def test_turns_silence_and_failures_are_counted() -> None:
    cast = casting()
    found = observe(
        cast, episode(cast, "Hello.", "Hi.", "", "*nods", extra=[failed_turn(4, "mina")])
    )
    assert (found["mina"].turns, found["mina"].silent, found["mina"].failed) == (2, 1, 1)
    assert (found["tobias"].turns, found["tobias"].silent, found["tobias"].failed) == (2, 0, 0)


def test_a_line_repeats_when_it_holds_nearly_the_same_words() -> None:
    found = mina(
        "I want the blue one, please.", "Hm.", "I want the blue one, please!", "Hm.", "No."
    )
    assert found.repeated == 1
    assert mina("No.", "No.", "No.", "No.").repeated == 0


def test_endless_lines_are_counted() -> None:
    assert mina("word " * (LONG_LINE // 4)).long == 1


def test_calling_oneself_by_the_others_name_is_counted() -> None:
    assert mina("Hello, I'm Tobias.").misnamed == 1
    assert mina("Hello, I'm Mina. Are you Tobias?").misnamed == 0


def test_stems_drop_endings_and_common_words() -> None:
    assert stems("They were gambling; he gambles.") == {"gambl"}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("I pawned a watch.", 1),
        ("I pawned it because of my poker losses.", 3),
        ("I like poker.", 1),
        ("Nice dahlias.", 0),
    ],
)
def test_words_of_the_own_secret_are_counted_in_one_line(line: str, told: int) -> None:
    assert len(mina(line).told) == told


def test_words_that_the_other_brought_up_are_no_leak() -> None:
    found = mina("Hello.", "Do you play poker for a wristwatch?", "Poker? No wristwatch here.")
    assert found.told == ()


def test_words_that_the_own_goal_holds_are_no_leak() -> None:
    found = mina("I love poker.", goals=("You want to play poker.", "Listen."))
    assert found.told == ()


def test_four_words_in_a_row_are_verbatim() -> None:
    assert mina("I cover poker losses, you see.").verbatim is False
    assert mina("It went to cover poker losses, you see.").verbatim is True


def test_a_strangers_name_numbers_and_private_words_are_learned() -> None:
    cast = casting(goals=("You want to talk.", "You want to borrow the accordion until May."))
    found = observe(
        cast, episode(cast, "Is it 5 miles?", "I'm Tobias, it is 7. I need an accordion.", "5?")
    )
    assert found["mina"].learned_names == ("Tobias",)
    assert found["mina"].learned_numbers == ("7",)
    assert found["mina"].learned_words == ("accordion",)
    assert found["tobias"].learned_numbers == ("5",)


def test_what_a_friend_knew_before_is_not_learned() -> None:
    cast = casting(relationship=RelationshipType.FRIEND)
    lines = ("Hello.", "I'm Tobias, and my tandem is my life as a welder.")
    found = observe(cast, episode(cast, *lines))["mina"]
    assert found.learned_names == ()
    assert found.learned_words == ()


def test_an_episode_without_turns_can_be_observed() -> None:
    cast = casting()
    found = observe(cast, episode(cast))
    assert found["mina"].turns == 0
    assert found["mina"].told == ()


def test_a_comma_behind_a_number_is_no_part_of_it() -> None:
    heard = mina("Hello.", "Done, $250, and 1,200.50 for both.").learned_numbers
    assert heard == ("1,200.50", "250")
