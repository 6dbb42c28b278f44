"""What the encoder reads: the last tokens, who they belong to, and nobody's name."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.worlds.anteval.virtual_dm.encoder_input import (
    manner_in,
    masked,
    names_in_play,
    reading,
    seated_candidates,
)
from sociolab.worlds.anteval.virtual_dm.example import DM, Example, Turn


def table(*turns: tuple[str, str], candidates: Sequence[str]) -> Example:
    spoken = tuple(Turn(*turn) for turn in turns)
    return Example("e", "g", spoken, tuple(candidates), frozenset())


class Words:
    """Every word is a token; ids in the order in which words are first met."""

    def __init__(self) -> None:
        self.known: list[str] = []

    def ids_of(self, text: str) -> list[int]:
        words = text.split()
        self.known += [word for word in dict.fromkeys(words) if word not in self.known]
        return [self.known.index(word) for word in words]

    def text(self, tokens: Sequence[int]) -> str:
        return " ".join(self.known[token] for token in tokens)


PLAY = table(
    ("Ysolde", "I wait ."),
    (DM, "Rain falls on Bram Oakhand ."),
    ("Kip", "Where is Ysolde ?"),
    ("a passer-by", "Good day !"),
    candidates=("Bram Oakhand", "Kip", "Ysolde"),
)


def test_whoever_spoke_last_comes_first_and_the_silent_come_last() -> None:
    assert seated_candidates(PLAY) == ("Kip", "Ysolde", "Bram Oakhand")


def test_speakers_and_names_become_numbers_and_every_token_has_a_seat() -> None:
    words = Words()
    read = reading(PLAY, words.ids_of, 100)
    assert words.text(read.tokens) == (
        "two : I wait . master : Rain falls on three three . one : Where is two ? "
        "guest : Good day !"
    )
    assert read.seats == (3,) * 5 + (0,) * 8 + (2,) * 6 + (1,) * 5
    assert read.seated == ("Kip", "Ysolde", "Bram Oakhand")


def test_what_does_not_fit_is_cut_from_the_front_and_the_speaker_stays_marked() -> None:
    words = Words()
    assert words.text(reading(PLAY, words.ids_of, 9).tokens) == ("one : two ? guest : Good day !")
    # Two tokens more would hold a mark and nothing said.
    assert len(reading(PLAY, words.ids_of, 13).tokens) == 11


def test_nicknames_are_parts_and_long_starts_that_only_one_can_mean() -> None:
    names = names_in_play(["Vael'tharin", "Valdemar Brook", "Brooke", "The Crow"])
    assert names["vael"] == names["vael'tharin"] == names["thar"] == "Vael'tharin"
    assert names["vald"] == "Valdemar Brook"
    assert names["brooke"] == "Brooke"
    assert "brook" not in names  # either could be meant
    assert "val" not in names  # too short a start


def test_only_capitalised_names_are_masked_and_possessives_keep_their_owner() -> None:
    names, called = names_in_play(["Rose", "Kip"]), {"Rose": "one", "Kip": "two"}
    assert masked("A rose for Rose's sword, Kip\u2019s!", names, called) == (
        "A rose for one sword, two!"
    )


@given(st.permutations(["Orla", "Finn", "Maeve"]), st.permutations(["Zed", "Quill", "Hobb"]))
def test_other_names_in_the_same_places_read_the_same(old: list[str], new: list[str]) -> None:
    def play(names: Sequence[str]) -> Example:
        return table(
            (names[0], f"{names[1]} , come !"),
            (DM, f"{names[2]} hears it ."),
            (names[1], "On my way ."),
            candidates=tuple(names),
        )

    words = Words()
    one, other = (reading(play(names), words.ids_of, 12) for names in (old, new))
    assert (one.tokens, one.seats) == (other.tokens, other.seats)


def test_manner_is_counted_in_deviations_in_the_order_asked_for() -> None:
    manner = manner_in([PLAY])
    features = list(manner.deviations)
    kip, bram = manner.rows(PLAY, ("Kip", "Bram Oakhand"))
    # "rank 0" is 1 for one of three: a deviation of sqrt(1/3 - 1/9).
    assert kip[features.index("rank 0")] == pytest.approx(1 / (2 / 9) ** 0.5)
    assert bram[features.index("rank 0")] == 0
    assert bram[features.index("rank 4")] == pytest.approx(1 / (2 / 9) ** 0.5)
    assert manner.deviations["at the table"] == 1  # alike for all: as it is
    assert kip[features.index("at the table")] == 0.5
