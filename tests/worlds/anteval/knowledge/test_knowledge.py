"""The NPC's knowledge: drawn by seed, all kinds, invented names that never come back."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sociolab.core.errors import ConfigError
from sociolab.worlds.anteval.information.knowledge import KINDS, draw_guesses, draw_knowledge
from sociolab.worlds.anteval.information.lexicon import is_known, near
from sociolab.worlds.anteval.session import Fact

SESSIONS = 600


def session(number: int) -> str:
    return f"information-7-{number:04d}"


@cache
def facts() -> tuple[tuple[Fact, ...], ...]:
    return tuple(draw_knowledge(7, session(number), 6) for number in range(SESSIONS))


def names(fact: Fact) -> list[str]:
    words = fact.subject.replace('"', "").split()
    return [word for word in words if word[0].isupper()]


def test_the_same_seed_gives_the_same_facts() -> None:
    assert draw_knowledge(7, session(3), 6) == facts()[3]
    assert draw_guesses(7, session(3), 6) == draw_guesses(7, session(3), 6)
    assert draw_knowledge(8, session(3), 6) != facts()[3]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 9999), st.text(max_size=12), st.integers(1, 12))
def test_any_session_has_so_many_facts_with_ids_in_order(seed: int, name: str, count: int) -> None:
    drawn = draw_knowledge(seed, name, count)
    assert [fact.id for fact in drawn] == [f"F{number}" for number in range(1, count + 1)]
    assert len({fact.kind for fact in drawn}) == min(count, len(KINDS))
    for fact in drawn:
        assert all(name in fact.text for name in names(fact))
        assert fact.value.casefold() in fact.text.casefold()
        assert fact.text[0] == fact.text[0].upper()
        assert fact.text.endswith(".")
    assert len(draw_guesses(seed, name, count)) == count


def test_every_kind_occurs_with_five_facts_or_more() -> None:
    assert all({fact.kind for fact in known} == set(KINDS) for known in facts())


def test_each_kind_has_at_least_eight_attributes() -> None:
    for kind in KINDS:
        found = {fact.attribute for known in facts() for fact in known if fact.kind == kind}
        assert len(found) >= 8


def test_subjects_are_never_shared_between_sessions() -> None:
    used = [name for known in facts() for fact in known for name in names(fact)]
    assert len(used) == len(set(used))


def test_names_of_a_session_cannot_be_taken_for_each_other() -> None:
    for known in facts()[:100]:
        used = [name.casefold() for fact in known for name in names(fact)]
        for i, one in enumerate(used):
            assert not any(near(one, other, 2) for other in used[i + 1 :])


def test_names_are_no_words_that_the_lexicon_knows() -> None:
    used = [name.casefold() for known in facts() for fact in known for name in names(fact)]
    assert [name for name in used if is_known(name)] == []


def test_about_one_fact_in_eight_is_negative() -> None:
    every = [fact for known in facts() for fact in known]
    share = sum(not fact.holds for fact in every) / len(every)
    assert 0.1 < share < 0.15


def test_guesses_use_other_names_than_the_facts() -> None:
    for number in range(100):
        guessed = " ".join(draw_guesses(7, session(number), 6))
        assert not any(name in guessed for fact in facts()[number] for name in names(fact))


def test_more_facts_than_names_are_refused() -> None:
    with pytest.raises(ConfigError, match="ask for fewer facts"):
        draw_knowledge(7, session(1), 200)
