"""What a person types, to actions and answers."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from sociolab.agents import action_help, field_hint, typed_action, typed_answer, typed_field
from sociolab.core import Action, ActionKind, ActionSpace, ReplyError
from sociolab.worlds import sotopia

OTHERS = ("Ann", "Ann Lee", "stranger 1")


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("Hello there.", Action(sotopia.SPEAK, "Hello there.")),
        ("500", Action(sotopia.SPEAK, "500")),
        ("leave me alone", Action(sotopia.SPEAK, "leave me alone")),
        ("/speak leave", Action(sotopia.SPEAK, "leave")),
        ("None.", Action(sotopia.SPEAK, "None.")),
        ("/speak Hello.", Action(sotopia.SPEAK, "Hello.")),
        ("/1 Hello.", Action(sotopia.SPEAK, "Hello.")),
        ("/2 nods", Action(sotopia.NON_VERBAL, "nods")),
        ("/non-verbal communication: nods", Action(sotopia.NON_VERBAL, "nods")),
        ("/Non- nods", Action(sotopia.NON_VERBAL, "nods")),
        ("/physical action opens it", Action(sotopia.PHYSICAL, "opens it")),
        ("/phys opens it", Action(sotopia.PHYSICAL, "opens it")),
        ("/none", Action(sotopia.NONE)),
        ("/4", Action(sotopia.NONE)),
        ("/l", Action(sotopia.LEAVE)),
        (" /leave ", Action(sotopia.LEAVE)),
        ("@Ann Psst.", Action(sotopia.SPEAK, "Psst.", ("Ann",))),
        ("@ann lee: psst.", Action(sotopia.SPEAK, "psst.", ("Ann Lee",))),
        ("@Ann, @stranger 1 Psst.", Action(sotopia.SPEAK, "Psst.", ("Ann", "stranger 1"))),
        ("/2 @Ann winks", Action(sotopia.NON_VERBAL, "winks", ("Ann",))),
    ],
)
def test_a_line_is_an_action(line: str, action: Action) -> None:
    assert typed_action(line, sotopia.ACTIONS, OTHERS) == action


def test_a_typed_name_is_the_same_in_both_unicode_forms() -> None:
    action = typed_action("@zoe\u0308 psst.", sotopia.ACTIONS, ("Ann", "Zo\u00eb"))
    assert action == Action(sotopia.SPEAK, "psst.", ("Zo\u00eb",))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("", '"speak" needs words'),
        ("/2", '"non-verbal communication" needs words'),
        ("/no", "expected one of /1 speak, /2 non-verbal communication"),
        ("/", "expected one of /1 speak"),
        ("/9 hm", "expected one of /1 speak"),
        ("/0 hm", "expected one of /1 speak"),
        ("/sing la", 'found "/sing"'),
        ("leave", 'expected /leave to do that, or "/speak leave" to say the word'),
        (" None ", "expected /none to do that"),
        ("/leave now", '"leave" takes no words, found "now"'),
        ("@Zoe Psst.", "expected @ and one of Ann, Ann Lee, stranger 1"),
        ("@Ann", '"speak" needs words'),
        ("@Annabel hi", "expected @ and one of Ann"),
    ],
)
def test_a_line_that_is_none_says_why(line: str, problem: str) -> None:
    with pytest.raises(ReplyError, match=problem.replace("(", r"\(")):
        typed_action(line, sotopia.ACTIONS, OTHERS)


def test_without_a_spoken_kind_a_bare_line_is_the_first_with_a_text() -> None:
    space = ActionSpace((ActionKind("wait", has_text=False), ActionKind("do")))
    assert typed_action("dig", space, ()) == Action("do", "dig")


def test_the_help_names_every_kind_and_the_others_where_there_are_several() -> None:
    text = action_help(sotopia.ACTIONS, OTHERS)
    assert 'A bare line is "speak"' in text
    for number, kind in enumerate(sotopia.ACTIONS.kinds, start=1):
        assert f"/{number} {kind.name}" in text
    assert "stranger 1" in text
    assert "@name" not in action_help(sotopia.ACTIONS, ("Ann",))


class Survey(BaseModel):
    mood: Annotated[int, Field(ge=0, le=10, description="how you feel")]
    words: str
    agreed: bool = False
    names: list[str]
    side: Literal["yes", "no"]


FIELDS = Survey.model_fields


@pytest.mark.parametrize(
    ("name", "line", "value"),
    [
        ("mood", "7", 7),
        ("words", "7", "7"),
        ("words", '"7"', '"7"'),
        ("agreed", "yes", True),
        ("agreed", "", False),
        ("names", '["Ann"]', ["Ann"]),
        ("side", "no", "no"),
    ],
)
def test_a_field_is_read_by_its_type(name: str, line: str, value: object) -> None:
    assert typed_field(line, FIELDS[name]) == value


@pytest.mark.parametrize(
    ("name", "line"),
    [("mood", "11"), ("mood", "good"), ("mood", ""), ("names", "Ann"), ("side", "?")],
)
def test_a_field_that_does_not_fit_says_why(name: str, line: str) -> None:
    with pytest.raises(ReplyError, match="expected"):
        typed_field(line, FIELDS[name])


def test_a_hint_says_what_is_asked_for() -> None:
    assert field_hint("mood", FIELDS["mood"]) == "mood, how you feel (integer from 0 to 10)"
    assert field_hint("side", FIELDS["side"]) == "side (one of yes, no)"
    assert field_hint("agreed", FIELDS["agreed"]) == "agreed (boolean; Enter: the default)"


def test_an_answer_is_json() -> None:
    line = '{"mood": 3, "words": "ok", "names": [], "side": "yes"}'
    assert typed_answer(line, Survey) == Survey(mood=3, words="ok", names=[], side="yes")
    with pytest.raises(ReplyError, match="mood is missing"):
        typed_answer("{}", Survey)
    with pytest.raises(ReplyError, match="expected a JSON object"):
        typed_answer("fine", Survey)
