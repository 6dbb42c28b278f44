"""The NPC's knowledge: drawn by seed, all kinds, invented names."""

from __future__ import annotations

import re
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from sociolab.worlds.anteval.information.knowledge import KINDS, draw_knowledge
from sociolab.worlds.anteval.session import Fact

SESSIONS = 300


def session(number: int) -> str:
    return f"information-7-{number:04d}"


@cache
def facts() -> tuple[tuple[Fact, ...], ...]:
    return tuple(draw_knowledge(7, session(number), 10) for number in range(SESSIONS))


def test_the_same_seed_gives_the_same_facts() -> None:
    assert draw_knowledge(7, session(3), 10) == facts()[3]
    assert draw_knowledge(8, session(3), 10) != facts()[3]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 9999), st.text(max_size=12), st.integers(1, 100))
def test_any_session_has_so_many_facts_with_ids_in_order(seed: int, name: str, count: int) -> None:
    drawn = draw_knowledge(seed, name, count)
    assert [fact.id for fact in drawn] == [f"F{number}" for number in range(1, count + 1)]
    assert len({fact.kind for fact in drawn}) == min(count, len(KINDS))
    assert len({fact.text for fact in drawn}) == count
    for fact in drawn:
        assert fact.text[0] == fact.text[0].upper()
        assert fact.text.endswith(".")
        assert not re.search(r"[{}]|  ", fact.text)


def test_facts_are_shared_by_no_two_sessions() -> None:
    texts = [fact.text for known in facts() for fact in known]
    assert len(texts) == len(set(texts))


def test_some_facts_say_that_something_is_not_so() -> None:
    every = [fact.text for known in facts() for fact in known]
    denied = [text for text in every if re.search(r"\b(not|never|no|cannot|nobody)\b", text)]
    assert 0.09 < len(denied) / len(every) < 0.3
