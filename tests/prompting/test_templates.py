"""Prompt files: strict about variables."""

from __future__ import annotations

from importlib.resources import files

import pytest

from sociolab.core.errors import WorldError
from sociolab.prompting.templates import prompt

WORLD = "sociolab.worlds.sotopia"


def test_a_missing_variable_is_an_error() -> None:
    with pytest.raises(WorldError, match=r"missing \['limit'\], unused \[\]"):
        prompt(WORLD, "act_tail").render({"turn": 1})


def test_an_unused_variable_is_an_error() -> None:
    with pytest.raises(WorldError, match=r"missing \[\], unused \['mood'\]"):
        prompt(WORLD, "act_tail").render({"turn": 1, "limit": 2, "mood": 3})


def test_a_missing_attribute_is_an_error() -> None:
    values = {"you": "x", "others": [{}], "context": "y", "goal": "z"}
    with pytest.raises(WorldError, match="prompt act_head"):
        prompt(WORLD, "act_head").render(values)


def test_values_are_not_templates_and_not_escaped() -> None:
    values = {"you": "{{ goal }} <b>&", "others": [], "context": "{% raw %}", "goal": "z"}
    text = prompt(WORLD, "act_head").render(values)
    assert "# You\n{{ goal }} <b>&\n" in text
    assert "# The scene\n{% raw %}\n" in text


def test_a_comment_in_a_prompt_file_is_not_sent() -> None:
    assert "{#" in prompt(WORLD, "judge_head").source
    assert "#}" not in prompt(WORLD, "judge_head").render({})


def test_a_file_has_one_hash_and_others_have_others() -> None:
    names = [path.name[:-3] for path in files(WORLD).joinpath("prompts").iterdir()]
    assert len({prompt(WORLD, name).hash for name in names}) == len(names) >= 4
    assert prompt(WORLD, "act_tail") is prompt(WORLD, "act_tail")
