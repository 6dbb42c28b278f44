"""Prompt templates: strict about variables."""

from __future__ import annotations

import pytest

from sociolab.core import ConfigError, WorldError
from sociolab.prompting import PromptFile

TAIL = PromptFile("tail", "{# note #}Turn {{ turn }} of {{ limit }}.\n{{ about.mood }}")


def test_a_missing_variable_is_an_error() -> None:
    with pytest.raises(WorldError, match=r"missing \['about', 'limit'\], unused \[\]"):
        TAIL.render({"turn": 1})


def test_an_unused_variable_is_an_error() -> None:
    with pytest.raises(WorldError, match=r"missing \[\], unused \['mood'\]"):
        TAIL.render({"turn": 1, "limit": 2, "about": {}, "mood": 3})


def test_a_missing_attribute_is_an_error() -> None:
    with pytest.raises(WorldError, match="prompt tail"):
        TAIL.render({"turn": 1, "limit": 2, "about": {}})


def test_values_are_not_templates_and_not_escaped_and_comments_are_not_sent() -> None:
    values = {"turn": "{{ goal }} <b>&", "limit": "{% raw %}", "about": {"mood": "calm"}}
    assert TAIL.render(values) == "Turn {{ goal }} <b>& of {% raw %}.\ncalm"


def test_of_known_variables_a_template_may_leave_some_out() -> None:
    short = PromptFile("tail", "Turn {{ turn }}.", ("turn", "limit"))
    assert short.render({"turn": 3, "limit": 20}) == "Turn 3."


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a\n{{ turn", r"set/tail\.md, line 2: expected a Jinja2 template"),
        ("{{ trun }}", r'set/tail\.md: expected variables among limit, turn, found "trun"'),
    ],
)
def test_a_wrong_template_is_refused_with_its_place(text: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        PromptFile("tail", text, ("turn", "limit"), "set/tail.md")


def test_a_template_reaches_nothing_but_its_values() -> None:
    sly = PromptFile("sly", "{{ turn.__class__.__mro__ }}")
    with pytest.raises(WorldError, match="prompt sly"):
        sly.render({"turn": 1})
