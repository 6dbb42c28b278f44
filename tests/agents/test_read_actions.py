"""From a model's reply to actions, in both dialects."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from sociolab.agents import act_type, read_json, read_plain
from sociolab.core import Action, ActionKind, ActionSpace, ReplyError
from sociolab.prompting import schema_of
from sociolab.worlds import sotopia

TWO = ActionSpace((ActionKind("Say", spoken=True), ActionKind("Do it")), most=2)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("speak: Hello.", (Action(sotopia.SPEAK, "Hello."),)),
        ("Speak: Hello: you!", (Action(sotopia.SPEAK, "Hello: you!"),)),
        ("**speak**: Hello.", (Action(sotopia.SPEAK, "Hello."),)),
        ("- speak (to Ann, Ben): Hello.", (Action(sotopia.SPEAK, "Hello.", ("Ann", "Ben")),)),
        ("speak: Hello.\n\nHow are you?", (Action(sotopia.SPEAK, "Hello. How are you?"),)),
        ("Let me think.\nspeak: Hello.", (Action(sotopia.SPEAK, "Hello."),)),
        ("<think>leave</think>speak: Hello.", (Action(sotopia.SPEAK, "Hello."),)),
        ("non-verbal communication: nods", (Action(sotopia.NON_VERBAL, "nods"),)),
        ("none", (Action(sotopia.NONE),)),
        ("Leave.", (Action(sotopia.LEAVE),)),
        ("speak: None of us will go.", (Action(sotopia.SPEAK, "None of us will go."),)),
        (
            "speak: Well,\nnone of us will go.",
            (Action(sotopia.SPEAK, "Well, none of us will go."),),
        ),
    ],
)
def test_a_plain_reply_is_read(text: str, found: tuple[Action, ...]) -> None:
    assert read_plain(text, sotopia.ACTIONS) == found


@pytest.mark.parametrize(
    "text", ["", "Hello there.", "<think>speak: Hello.</think>", "speaking: hm"]
)
def test_a_plain_reply_without_a_kind_is_a_problem(text: str) -> None:
    with pytest.raises(ReplyError, match="expected a line that begins with one of: speak, non-v"):
        read_plain(text, sotopia.ACTIONS)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # No time is measured: what does not grow with the length alone would take years here.
        (f"speak{' ' * 200_000}x", None),
        (f"speak (to {'a' * 200_000}: Hello.", None),
        (f"{'*' * 200_000}x", None),
        (f"speak{'(' * 200_000}: Hello.", "Hello."),
        (f"speak{' ' * 200_000}: Hello.", "Hello."),
        (f"speak:{' ' * 200_000}Hello.", "Hello."),
        ("speak: so" + "\nso" * 200_000, "so" + " so" * 200_000),
    ],
)
def test_a_plain_reply_that_runs_on_is_read_all_the_same(text: str, found: str | None) -> None:
    if found is None:
        with pytest.raises(ReplyError, match="expected a line that begins with one of"):
            read_plain(text, sotopia.ACTIONS)
    else:
        assert read_plain(text, sotopia.ACTIONS) == (Action(sotopia.SPEAK, found),)


def test_a_plain_turn_may_hold_several_lines() -> None:
    assert read_plain("say: Hello.\nDO IT: waves\nand smiles", TWO) == (
        Action("Say", "Hello."),
        Action("Do it", "waves and smiles"),
    )


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(ReplyError):
        assert read_plain(text, sotopia.ACTIONS)
    with suppress(ReplyError):
        assert read_json(text, sotopia.ACTIONS, True)


def test_several_actions_as_json_are_read_in_order() -> None:
    text = '{"actions":[{"action":"Say","text":"Hi."},{"action":"Do it","text":"bows"}]}'
    assert read_json(text, TWO, False) == (Action("Say", "Hi."), Action("Do it", "bows"))


def test_the_schema_names_kinds_and_forbids_all_else() -> None:
    schema = json.loads(schema_of(act_type(sotopia.ACTIONS, False)).text)
    assert schema["properties"]["action"]["enum"] == [kind.name for kind in sotopia.ACTIONS.kinds]
    assert schema["required"] == ["action", "text"]
    assert schema["additionalProperties"] is False
    assert "to" in json.loads(schema_of(act_type(sotopia.ACTIONS, True)).text)["required"]


def test_a_type_is_made_once() -> None:
    assert act_type(sotopia.ACTIONS, False) is act_type(sotopia.ACTIONS, False)
    assert act_type(sotopia.ACTIONS, False) is not act_type(TWO, False)
