from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.worlds.sotopia.scripted.shares import in_words, rest, speakers_share, spoken_of

COUNTS = {"ropes": 2, "helmets": 3, "ice axes": 4, "sacks of rye": 1}
ITEMS = tuple(COUNTS.items())
SHARES = st.fixed_dictionaries(
    {good: st.integers(min_value=0, max_value=count) for good, count in COUNTS.items()}
)


def test_a_share_is_written_as_it_would_be_said() -> None:
    share = {"ropes": 2, "helmets": 1, "ice axes": 4, "sacks of rye": 1}
    assert in_words(share, COUNTS) == (
        "both ropes, one of the helmets, all four ice axes and the sack of rye"
    )
    assert in_words(dict.fromkeys(COUNTS, 0), COUNTS) == "nothing"


@pytest.mark.parametrize(
    ("good", "one"),
    [
        ("oranges", "orange"),
        ("boxes of nails", "box of nails"),
        ("berries", "berry"),
        ("oat cookies", "oat cookie"),
        ("ice axes", "ice axe"),
        ("piano", "piano"),
        ("dress", "dress"),
    ],
)
def test_a_single_piece_is_spoken_of_as_one(good: str, one: str) -> None:
    assert spoken_of(good, 1) == one
    assert spoken_of(good, 2) == good
    counts = {good: 1, "ropes": 2}
    text = f"I take {in_words({good: 1, 'ropes': 0}, counts)}, and you get both ropes."
    assert text.startswith(f"I take the {one}, ")
    assert speakers_share(text, tuple(counts.items())) == {good: 1, "ropes": 0}


@given(SHARES)
def test_what_is_written_is_read_again(share: dict[str, int]) -> None:
    text = f"How about this: I take {in_words(share, COUNTS)}, and you get "
    text += f"{in_words(rest(share, COUNTS), COUNTS)}."
    assert speakers_share(text, ITEMS) == share


@pytest.mark.parametrize(
    ("text", "ropes"),
    [
        ("You take 1 rope and I keep the rest.", 1),
        ("I get both ropes, all helmets, all the ice axes and the sack of rye.", 2),
        ("You can have the ropes and I'd take everything else.", 0),
    ],
)
def test_other_wordings_are_read_too(text: str, ropes: int) -> None:
    share = speakers_share(text, ITEMS)
    assert share is not None
    assert share["ropes"] == ropes


@pytest.mark.parametrize(
    "text",
    [
        "I care most about the ropes.",
        "I can't give you both ropes and all the helmets.",
        "You get 2 ropes, and I take 2 ropes and everything else.",
        "",
    ],
)
def test_what_divides_nothing_is_no_division(text: str) -> None:
    assert speakers_share(text, ITEMS) is None


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    share = speakers_share(text, ITEMS)
    assert share is None or all(0 <= share[good] <= count for good, count in ITEMS)
