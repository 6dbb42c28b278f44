"""A measure is found by its name, and by what stands over it in tables."""

from __future__ import annotations

import pytest

from sociolab.core import Measure, resolve_measure

TALK = Measure("conversation_sr", 0, 1, title="conversation SR")
GOAL = Measure("goal_checked", 0, 10, title="goal (checked)")
PLAIN = Measure("trust", 0, 1)
SHOUTED = Measure("Trust", 0, 1)
ALL = (TALK, GOAL, PLAIN)


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("conversation_sr", "conversation_sr"),
        ("conversation SR", "conversation_sr"),
        ("Conversation-sr", "conversation_sr"),
        ("  conversation   SR ", "conversation_sr"),
        ("goal (checked)", "goal_checked"),
        ("goal-checked", "goal_checked"),
        ("TRUST", "trust"),
        ("charm", "charm"),
        ("", ""),
    ],
)
def test_it_is_found_as_people_write_it(wanted: str, name: str) -> None:
    assert resolve_measure(wanted, ALL) == name


def test_its_own_name_comes_first() -> None:
    assert resolve_measure("Trust", (PLAIN, SHOUTED)) == "Trust"
    assert resolve_measure("trust", (SHOUTED, PLAIN)) == "trust"
    named_as_another = Measure("goal_checked", 0, 1, title="trust")
    assert resolve_measure("trust", (named_as_another, PLAIN)) == "trust"
