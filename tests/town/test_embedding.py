from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.town import memory as embedding
from sociolab.town.memory import DIMENSIONS, HashingEmbedder

EMBEDDER = HashingEmbedder()


def likeness(one: str, other: str) -> float:
    first, second = EMBEDDER.embed([one, other])
    return float(first @ second)


@given(st.lists(st.text(max_size=40), max_size=6))
def test_rows_have_length_one_or_zero(texts: list[str]) -> None:
    vectors = EMBEDDER.embed(texts)
    assert vectors.shape == (len(texts), DIMENSIONS)
    assert vectors.dtype == np.float32
    for text, length in zip(texts, np.linalg.norm(vectors, axis=1), strict=True):
        assert length == pytest.approx(1, abs=1e-5) or (length == 0 and not text.isalnum())


@given(st.lists(st.text(max_size=20), min_size=1, max_size=6))
def test_a_row_depends_on_its_text_alone(texts: list[str]) -> None:
    together = EMBEDDER.embed(texts)
    for row, text in zip(together, texts, strict=True):
        assert row.tobytes() == HashingEmbedder().embed([text])[0].tobytes()


def test_a_text_about_the_same_thing_is_nearer_than_one_about_another() -> None:
    party = "Ada is preparing the garden party"
    assert likeness(party, "who comes to the party in the garden?") > 0.4
    assert abs(likeness(party, "Tom bakes bread")) < 0.2
    assert likeness(party, party.upper()) == pytest.approx(1)


def test_words_of_one_stem_are_somewhat_alike() -> None:
    assert likeness("painting", "painter") > likeness("painting", "gardener") + 0.1


def test_fillers_hardly_count() -> None:
    assert likeness("the bread that is there", "bread") > 0.9
    assert abs(likeness("he is at the bakery", "she is at the library")) < 0.3


def test_a_text_without_words_is_all_zeros() -> None:
    assert not EMBEDDER.embed(["", " ... !"]).any()


def test_vectors_are_the_same_in_another_process() -> None:
    code = (
        "from sociolab.town.memory import HashingEmbedder as H; "
        "print(H().embed(['Ada sings in the park'])[0].tobytes().hex())"
    )
    there = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert there.strip() == EMBEDDER.embed(["Ada sings in the park"])[0].tobytes().hex()


def test_words_are_forgotten_when_there_are_too_many_without_changing_a_vector(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(embedding, "_MOST_WORDS_KEPT", 5)
    embedder = HashingEmbedder()
    texts = ["one two three four", "five six seven eight", "nine ten eleven", "one two"]
    rows = [embedder.embed([text])[0] for text in texts]
    assert len(embedder._row_of) < 8
    assert np.array_equal(rows, HashingEmbedder().embed(texts))


def test_the_vectors_of_this_version_stay_as_they_are() -> None:
    (row,) = EMBEDDER.embed(["bread"])
    assert EMBEDDER.id == "hashing-256-1"
    whole = {43: 0.429, 103: -0.429, 118: 0.429, 163: 0.429}
    runs = {41: -0.23, 64: 0.23, 83: 0.23, 100: 0.23, 169: -0.23}
    assert {int(i): round(float(row[i]), 3) for i in np.flatnonzero(row)} == whole | runs
