"""Tagged text in parts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.core.errors import ConfigError
from sociolab.worlds.sotopia.importing.goals import TaggedPart, parts, without_tags


def test_both_kinds_of_quotation_marks_name_a_viewer() -> None:
    text = """Rain. <p viewer='agent_0'>A</p><p viewer="agent_1">B</p>"""
    assert parts(text, 2, "here") == (
        TaggedPart("Rain. "),
        TaggedPart("A", viewers=("agent_0",)),
        TaggedPart("B", viewers=("agent_1",)),
    )


def test_a_hint_inside_information_is_a_part_of_its_own() -> None:
    text = "Goal (<extra_info>E <strategy_hint>S</strategy_hint> F</extra_info>)"
    assert [(part.kind, part.text) for part in parts(text, 2, "here")] == [
        ("plain", "Goal ("),
        ("extra_info", "E "),
        ("strategy_hint", "S"),
        ("extra_info", " F"),
        ("plain", ")"),
    ]


def test_a_part_for_one_seat_inside_a_part_for_another_is_for_nobody() -> None:
    nested = "<p viewer='agent_0'><p viewer='agent_1'>x</p></p>"
    (part,) = parts(nested, 2, "here")
    assert not part.is_for(0)
    assert not part.is_for(1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a <p viewer='agent_2'>b</p>", "here: the viewer 'agent_2' is not known here"),
        ("a <p>b</p>", "here: the tag <p> is not known"),
        ("a <secret>b</secret>", "here: the tag <secret> is not known"),
        ("a <extra_info>b", "here: <extra_info> is opened and never closed"),
        ("a</p>", "here: </p> closes nothing that is open"),
        ("<extra_info>a</strategy_hint>", "here: </strategy_hint> closes nothing that is open"),
    ],
)
def test_a_tag_that_is_not_understood_is_refused_rather_than_shown(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match="here: ") as caught:
        parts(text, 2, "here")
    assert str(caught.value).startswith(message)


def test_a_smaller_than_sign_is_no_tag() -> None:
    assert parts("3 < 5 and a<3", 2, "here") == (TaggedPart("3 < 5 and a<3"),)


WORDS = st.text("ab (.)\n", max_size=8)
TAGGED = st.recursive(
    WORDS,
    lambda inner: st.builds(
        lambda before, tag, text, after: f"{before}<{tag}>{text}</{tag.split()[0]}>{after}",
        WORDS,
        st.sampled_from(
            ["extra_info", "strategy_hint", "p viewer='agent_0'", 'p viewer="agent_1"']
        ),
        inner,
        WORDS,
    ),
    max_leaves=6,
)


@given(TAGGED)
def test_parts_hold_all_of_the_text_and_nothing_of_the_tags(text: str) -> None:
    found = parts(text, 2, "here")
    assert "".join(part.text for part in found) == without_tags(text)
    assert not any("<" in part.text or ">" in part.text for part in found)
