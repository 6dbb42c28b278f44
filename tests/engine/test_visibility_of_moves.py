"""Which seat may see what of a move."""

from __future__ import annotations

from sociolab.core import Action, Moved
from sociolab.engine.visibility import seat_leaves, visible_moves, visible_part
from sociolab.testing import STOCK_ACTIONS

ALOUD = Action("speak", "Hello.")
ASIDE = Action("speak", "Psst.", ("b",))


def test_what_is_meant_for_everybody_is_seen_by_everybody() -> None:
    move = Moved(0, "a", (ALOUD,))
    assert [visible_part(move, seat) for seat in "abc"] == [move] * 3


def test_what_is_meant_for_some_is_seen_by_them_and_by_its_author() -> None:
    move = Moved(0, "a", (ASIDE,))
    assert [visible_part(move, seat) for seat in "abc"] == [move, move, None]


def test_of_a_move_with_both_the_others_see_the_part_for_everybody() -> None:
    move = Moved(0, "a", (ALOUD, ASIDE))
    assert visible_part(move, "c") == Moved(0, "a", (ALOUD,))
    assert visible_part(move, "b") == move


def test_a_seat_witnesses_nothing_after_the_turn_in_which_it_left() -> None:
    moves = (
        Moved(0, "a", (ALOUD,)),
        Moved(1, "b", (Action("leave"),)),
        Moved(1, "c", (ALOUD,)),
        Moved(2, "c", (ALOUD,)),
    )
    assert tuple(visible_moves(moves, "b", STOCK_ACTIONS)) == moves[:3]
    assert tuple(visible_moves(moves, "a", STOCK_ACTIONS)) == moves


def test_leaving_is_a_matter_of_the_kind() -> None:
    assert seat_leaves(Moved(0, "a", (ALOUD, Action("leave"))), STOCK_ACTIONS)
    assert not seat_leaves(Moved(0, "a", (ALOUD,)), STOCK_ACTIONS)
