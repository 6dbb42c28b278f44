from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.worlds.sotopia.manners import (
    falls_out_of_role,
    insults,
    insults_in,
    is_warm,
    names_money,
    out_of_role,
    threats,
    threats_in,
)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("You are an idiot.", ("idiot",)),
        ("Liar!", ("liar",)),
        ("Shut up, you're pathetic.", ("shut up", "pathetic")),
        ("YOU\u2019RE A THIEF", ("thief",)),
        ("I was an idiot to come.", ()),
        ("You're not an idiot.", ()),
        ("I would never call you a liar.", ()),
        ("He said \u201cyou are a fool\u201d and left.", ()),
        ('She wrote "shut up" on the wall.', ()),
        ("That would be a stupid mistake.", ()),
        ("Thank you.", ()),
    ],
)
def test_insults_count_when_they_are_aimed_at_somebody_present(
    line: str, found: tuple[str, ...]
) -> None:
    assert insults(line) == found


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("I'll ruin you.", 1),
        ("You will regret this, so watch your back.", 2),
        ("I won't hurt you, and you will not regret it.", 0),
        ("I will beat you at chess tonight!", 1),
        ('The note said "I will kill you".', 0),
    ],
)
def test_threats_are_found_unless_denied_or_quoted(line: str, count: int) -> None:
    # The fourth is the known price of reading words and not meanings.
    assert len(threats(line)) == count


def test_warm_words_and_gestures() -> None:
    assert is_warm("Thanks a lot!")
    assert is_warm("smiles and nods")
    assert not is_warm("folds the arms")


def test_money_is_named_by_sums_and_by_words() -> None:
    assert names_money("It is $450.")
    assert names_money("Who paid the rent?")
    assert not names_money("They lie side by side at a blood donation.")


def test_talk_of_models_and_private_goals_is_out_of_role() -> None:
    assert falls_out_of_role("As an AI language model, I cannot sell desks.")
    assert falls_out_of_role("My private goal is to get $200.")
    assert not falls_out_of_role("My goal is to swim more.")


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    assert isinstance(insults(text), tuple)
    assert isinstance(threats(text), tuple)
    assert {is_warm(text), names_money(text), falls_out_of_role(text)} <= {True, False}


def test_of_several_lines_all_that_each_holds_counts_in_order() -> None:
    lines = ("Liar!", "Thank you.", "You will regret this.", "Shut up.", "As an AI, I cannot.")
    assert insults_in(lines) == ("liar", "shut up")
    assert threats_in(lines) == ("you will regret",)
    assert out_of_role(lines) == sum(map(falls_out_of_role, lines)) == 1
    assert (insults_in(lines[1:2]), threats_in(lines[1:2]), out_of_role(lines[1:2])) == ((), (), 0)
