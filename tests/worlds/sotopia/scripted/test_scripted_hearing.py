from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.worlds.sotopia.scripted.hearing import heard


@pytest.mark.parametrize(
    ("line", "sums"),
    [
        ("Would you take $90 for it?", (90,)),
        ("I can't do $90, but $110 would be fine.", (110,)),
        ("$90 is too low for me.", ()),
        ("I can't do better than $110.", (110,)),
        ("How about 1,250 dollars?", (1250,)),
        ("My offer is $1.2k.", (1200,)),
        ("It has twenty-four gears.", ()),
    ],
)
def test_sums_are_those_that_are_not_turned_down(line: str, sums: tuple[float, ...]) -> None:
    assert heard(line).sums == sums


@pytest.mark.parametrize(
    "line",
    [
        "Deal!",
        "Deal, $180.",
        "Okay, agreed.",
        "You've got yourself a deal.",
        "That works for me.",
        "I can live with that.",
        "Then we agree, and I'm glad.",
        "All right, let's do it your way.",
    ],
)
def test_outright_agreement_is_heard(line: str) -> None:
    assert heard(line).agrees


@pytest.mark.parametrize(
    "line",
    [
        "No deal.",
        "Would that be a deal?",
        "It's a deal if you throw in the lamp.",
        "I need you to drive the van, the way we agreed.",
        "We agreed on two days.",
        "Your view counts a good deal with me.",
        "I'm not happy with that.",
        "Tell me what speaks for your way, and I'll listen.",
        "That works, but only on Sundays.",
        "I have done my sums.",
        "If I get $200 by Friday and the rest on the twentieth, I can live with that.",
    ],
)
def test_conditions_questions_denials_and_reports_are_no_agreement(line: str) -> None:
    assert not heard(line).agrees


def test_a_greeting_is_no_farewell() -> None:
    assert not heard("Good to see you, Mina. Good day.").parts
    assert heard("Goodbye, then.").parts
    assert not heard("I would rather stop while we are friends than go on.").parts
    assert heard("We won't agree on this, so I'd rather stop.").parts
    assert not heard("Goodbye to my savings! How about $90?").parts


@given(st.text(max_size=400))
def test_any_text_can_be_heard(text: str) -> None:
    said = heard(text)
    flags = (said.agrees, said.refuses, said.offers, said.invites, said.parts, said.yes, said.no)
    assert all(isinstance(flag, bool) for flag in flags)
    assert all(value >= 0 for value in (*said.sums, *said.numbers))
