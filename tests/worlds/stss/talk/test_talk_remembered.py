"""A side's memories: recall by relevance, the latest in order, reading leaves no mark."""

from __future__ import annotations

from datetime import datetime, timedelta

from hypothesis import given, strategies as st

from sociolab.town import Memory
from sociolab.worlds import stss

FIRST = datetime(2024, 5, 13)
WORDS = st.sampled_from(("kite", "bread", "the", "a walk", "chess at noon", ""))


def memory(minutes: int, text: str) -> Memory:
    return Memory(FIRST + timedelta(minutes=minutes), "seen", text)


KITE, BREAD, CHESS = memory(9, "flew a kite"), memory(3, "baked bread"), memory(5, "played chess")
MINE = stss.FrozenMemory((KITE, BREAD, CHESS))
MEMORIES = st.lists(st.builds(memory, st.integers(0, 50), WORDS), max_size=6).map(tuple)


def test_what_shares_words_with_the_query_comes_first() -> None:
    assert MINE.recall("Who baked the bread?", 1) == (BREAD,)
    assert MINE.recall("chess", 3)[0] == CHESS


def test_a_query_that_says_nothing_gives_the_best_memories_first() -> None:
    assert MINE.recall("", 2) == (KITE, BREAD)


def test_the_latest_come_oldest_first() -> None:
    assert MINE.latest(2) == (CHESS, KITE)
    assert MINE.latest(0) == ()


def test_at_an_earlier_moment_nothing_later_is_remembered() -> None:
    assert MINE.until(CHESS.when).memories == (BREAD, CHESS)
    assert MINE.until(FIRST).memories == ()


@given(MEMORIES, WORDS, st.integers(0, 8))
def test_reading_gives_as_many_as_there_are_and_leaves_no_mark(
    memories: tuple[Memory, ...], query: str, most: int
) -> None:
    mine = stss.FrozenMemory(memories)
    found = mine.recall(query, most)
    assert len(found) == min(most, len(memories))
    assert all(found.count(one) <= memories.count(one) for one in found)
    times = [one.when for one in mine.latest(most)]
    assert times == sorted(one.when for one in memories)[len(memories) - len(times) :]
    assert mine.recall(query, most) == found
