"""Memory: what comes to mind, by recency, importance and relevance, and texts as vectors."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from datetime import date, datetime

import numpy as np
import pytest
from hypothesis import given, strategies as st

from sociolab.core import WorldError
from sociolab.town import Clock, memory as embedding
from sociolab.town.memory import (
    DIMENSIONS,
    PROVISIONAL,
    HashingEmbedder,
    MemoryStream,
    Relevance,
    Vectors,
    scale,
)

CLOCK = Clock(date(2024, 5, 13))
HOUR = 360
"""Steps of 10 seconds."""


class Arrows:
    """Embeds texts as the directions written down for them; counts what it is asked."""

    id = "arrows"

    def __init__(self, **directions: tuple[float, float]) -> None:
        self.directions = directions
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return np.array([self.directions.get(text, (0, 0)) for text in texts], np.float32)


def stream(**directions: tuple[float, float]) -> MemoryStream:
    return MemoryStream(CLOCK, Arrows(**directions))


def texts(memories: Sequence[object]) -> list[str]:
    return [memory.text for memory in memories]  # type: ignore[attr-defined]


def test_a_newer_memory_scores_higher_for_recency() -> None:
    # Hours since the last access: 10, 5 and 0. 0.995**10 = 0.951110, 0.995**5 = 0.975249, and 1:
    # scaled, (0.975249 - 0.951110) / (1 - 0.951110) = 0.493735 for the one in the middle.
    memory = stream()
    for hour in (0, 5, 10):
        memory.add(hour * HOUR, "seen", f"at {hour}", importance=4)
    assert memory.scores(10 * HOUR, "") == pytest.approx([0, 0.493735, 1], abs=1e-6)
    assert texts(memory.retrieve(10 * HOUR, "", 3)) == ["at 10", "at 5", "at 0"]


def test_recency_importance_and_relevance_are_each_scaled_and_added() -> None:
    # recency 0, 0.4937, 1; importance 9, 1, 5 -> 1, 0, 0.5; cosine 1, 0.6, 0 -> the same
    memory = stream(old=(1, 0), middle=(0.6, 0.8), new=(0, 1), query=(1, 0))
    memory.add(0, "seen", "old", 9)
    memory.add(5 * HOUR, "seen", "middle", 1)
    memory.add(10 * HOUR, "seen", "new", 5)
    assert memory.scores(10 * HOUR, "query") == pytest.approx([2, 1.0937, 1.5], abs=2e-4)
    memory.now = 10 * HOUR
    assert texts(memory.recall("query", 2)) == ["old", "new"]


def test_relevance_of_the_opposite_is_the_lowest() -> None:
    memory = stream(same=(1, 0), across=(0, 1), opposite=(-1, 0), query=(1, 0))
    for text in ("across", "opposite", "same"):
        memory.add(0, "seen", text, 3)
    assert memory.scores(0, "query") == pytest.approx([0.5, 0, 1])


def test_what_is_the_same_for_all_memories_counts_nothing() -> None:
    memory = stream()
    assert memory.add(0, "seen", "one", 7) == 0
    assert memory.scores(HOUR, "anything").tolist() == [0]
    memory.add(0, "seen", "two", 7)
    assert memory.scores(HOUR, "anything").tolist() == [0, 0]


def test_retrieval_is_an_access_but_recall_is_not() -> None:
    memory = stream(old=(1, 0), new=(0, 1), query=(1, 0))
    memory.add(0, "seen", "old", 3)
    memory.add(HOUR, "seen", "new", 3)
    memory.now = 2 * HOUR
    assert texts(memory.recall("query", 1)) == ["new"]  # 1 + 0 for each: the newer of two
    before = memory.scores(3 * HOUR, "nothing").tolist()
    memory.recall("query", 1)
    memory.latest(2)
    assert memory.scores(3 * HOUR, "nothing").tolist() == before == [0, 1]
    memory.rate(memory.add(2 * HOUR, "seen", "old"), 3)
    assert texts(memory.retrieve(2 * HOUR, "query", 1)) == ["old"]
    assert memory.scores(2 * HOUR, "nothing").tolist() == [0, pytest.approx(0.4987, abs=1e-3), 1]
    memory.retrieve(3 * HOUR, "nothing", 3)
    assert memory.scores(3 * HOUR, "nothing").tolist() == [0, 0, 0]


def test_of_memories_that_score_the_same_the_newest_comes_first() -> None:
    memory = MemoryStream(CLOCK, HashingEmbedder())
    for _ in range(50):
        memory.add(0, "seen", "Ada sings", 3)
    best = memory._best(HOUR, "who sings?", 5)
    assert best == [49, 48, 47, 46, 45]


def test_an_unrated_memory_counts_as_provisional_until_it_is_rated() -> None:
    memory = stream()
    memory.add(0, "seen", "a one", 1)
    memory.add(0, "seen", "b nine", 1 + 2 * (PROVISIONAL - 1))
    index = memory.add(0, "seen", "c unrated")
    assert memory.unrated() == (index,)
    assert memory.scores(0, "").tolist() == [0, 1, 0.5]
    memory.rate(index, 1)
    assert memory.unrated() == ()
    assert memory.scores(0, "").tolist() == [0, 1, 0]
    assert memory[index].importance == 1


def test_no_text_is_rated_twice() -> None:
    memory = stream()
    first = memory.add(0, "seen", "Ada sings")
    assert memory.add(1, "seen", "Ada sings") == 1
    other = memory.add(2, "seen", "Tom bakes")
    assert memory.unrated() == (first, other)
    memory.rate(first, 4)
    assert memory.unrated() == (other,)
    assert [memory[i].importance for i in range(3)] == [4, 4, None]
    assert memory[memory.add(3, "seen", "Ada sings")].importance == 4
    assert memory.unrated() == (other,)
    with pytest.raises(WorldError, match="expected a rating from 1 to 10 of an unrated memory"):
        memory.rate(first, 5)
    with pytest.raises(WorldError, match="found 11 for number 2"):
        memory.rate(other, 11)


def test_importance_builds_up_from_what_is_lived_through_and_rated() -> None:
    memory = stream()
    memory.add(0, "seen", "a fire", 9)
    memory.add(0, "talk", "a quarrel", 6)
    memory.add(0, "thought", "a thought", 8)
    memory.add(0, "done", "a deed", 1)
    memory.add(0, "known", "a fact", 8)
    late = memory.add(0, "seen", "a cat")
    assert memory.importance_since == 16
    memory.reset_importance()
    assert memory.importance_since == 0
    memory.rate(late, 2)
    memory.add(1, "seen", "a cat")
    assert memory.importance_since == 4


def test_the_latest_memories_come_in_the_order_they_were_made() -> None:
    memory = stream()
    for number in range(100):
        memory.add(number, "seen", str(number))
    assert texts(memory.latest(3)) == ["97", "98", "99"]
    assert len(memory.latest(1000)) == len(memory) == 100
    assert memory.latest(0) == ()
    assert memory.latest(1)[0].when == datetime(2024, 5, 13, 0, 16, 30)


def test_an_empty_memory_recalls_nothing() -> None:
    memory = stream()
    assert memory.retrieve(0, "anything", 5) == memory.recall("anything", 5) == ()
    memory.add(0, "seen", "one")
    assert memory.recall("anything", 0) == ()
    assert len(memory.recall("anything", 5)) == 1


def test_texts_are_embedded_when_first_searched_and_each_once() -> None:
    arrows = Arrows()
    memory = MemoryStream(CLOCK, arrows)
    for text in ("one", "two", "one"):
        memory.add(0, "seen", text)
    assert arrows.asked == []
    memory.recall("query", 1)
    assert arrows.asked == ["one", "two", "query"]
    memory.add(0, "seen", "three")
    memory.recall("two", 1)
    assert arrows.asked == ["one", "two", "query", "three"]


@given(
    st.lists(
        st.tuples(st.sampled_from("abcdef"), st.none() | st.integers(1, 10), st.integers(0, 50)),
        min_size=1,
        max_size=40,
    ),
    st.integers(1, 45),
)
def test_what_is_retrieved_is_what_scores_highest(
    made: list[tuple[str, int | None, int]], most: int
) -> None:
    memory = MemoryStream(CLOCK, HashingEmbedder())
    for step, (text, importance, later) in enumerate(made):
        memory.add(step * 100, "seen", f"{text} sings", importance)
        memory.now = step * 100 + later
    scores = memory.scores(memory.now, "b sings").tolist()
    order = sorted(range(len(made)), key=lambda i: (-scores[i], -i))[:most]
    assert memory._best(memory.now, "b sings", most) == order
    assert all(0 <= score <= 3 for score in scores)


@given(st.lists(st.floats(-5, 5, width=32), max_size=20))
def test_scaled_values_reach_from_zero_to_one(values: list[float]) -> None:
    found = scale(np.array(values)).tolist()
    if len(set(values)) > 1:
        assert (min(found), max(found)) == (0, 1)
        assert [found[i] for i in np.argsort(values)] == sorted(found)
    else:
        assert found == [0] * len(values)


@given(st.integers(1, 30))
def test_relevance_is_exact_whatever_stands_beside_a_text(size: int) -> None:
    words = [f"word{i} and word{i // 2} near word{i // 3}" for i in range(size)]
    query = "word1 word2 word3 word20"
    alone = []
    for text in words:
        relevance = Relevance(HashingEmbedder())
        relevance.add(text)
        alone.append(float(relevance.cosines(query)[0]))
    together = Relevance(HashingEmbedder())
    for number, text in enumerate(words):
        together.add(text)
        if number % 7 == 0:
            together.cosines(query)
    assert together.cosines(query).tolist() == alone


def _stream() -> MemoryStream:
    stream = MemoryStream(Clock(date(2024, 5, 13)), HashingEmbedder())
    for step in range(6):
        stream.add(step, "seen", f"saw Ana Ruiz: bake bread number {step}", 3)
    stream.add(6, "talk", "Ana Ruiz will come to the fair.", 3)
    stream.add(7, "thought", "Bread is what Ana Ruiz cares for.", 3)
    return stream


def test_glimpses_are_limited_and_the_rest_fills_up() -> None:
    found = _stream().retrieve(8, "Ana Ruiz bake bread", 4, glimpses=2)
    kinds = [memory.kind for memory in found]
    assert len(found) == 4
    assert sorted(kinds) == ["seen", "seen", "talk", "thought"]


def test_the_best_glimpses_stay_and_the_order_is_that_of_all() -> None:
    everything = [memory.text for memory in _stream().retrieve(8, "Ana Ruiz bake bread", 8)]
    some = [memory.text for memory in _stream().retrieve(8, "Ana Ruiz bake bread", 4, glimpses=2)]
    assert some == [text for text in everything if text in some]


def test_what_is_left_out_does_not_count_as_accessed() -> None:
    stream = _stream()
    stream.retrieve(9000, "Ana Ruiz bake bread", 3, glimpses=0)
    recency = stream.scores(9001, "").tolist()  # nothing is relevant, all matters the same
    assert min(recency[6:]) > max(recency[:6])


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
