"""Whom an action is meant for: a kind may leave it open, demand it or forbid it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel, Field

from fake_models import FakeModel
from sociolab.agents import (
    PromptedPlayer,
    act_type,
    action_help,
    read_json,
    read_plain,
    typed_action,
    written_turn,
)
from sociolab.core import (
    Action,
    ActionKind,
    ActionSpace,
    Event,
    Moved,
    Player,
    Prompt,
    Reply,
    ReplyError,
    Unusable,
)
from sociolab.engine import FailurePolicy
from sociolab.plugin.api import OpenScene
from sociolab.prompting import schema_of
from sociolab.studies.screen import build_asking
from sociolab.testing import AnyPlayer, OddPlayer, play_scene


class Points(BaseModel):
    points: int = Field(ge=0, le=10)


SAY = ActionKind("say", spoken=True)
PASS = ActionKind("pass", has_text=False)
GIVE = ActionKind("give", fields=Points, recipients="none")
FINE = ActionKind("fine", has_text=False, fields=Points, recipients="required")
SHOUT = ActionKind("shout", recipients="none")
WHISPER = ActionKind("whisper", recipients="required")
SPACE = ActionSpace((SAY, PASS, GIVE, FINE, SHOUT, WHISPER))
NAMES = {"a": "Ada", "b": "Bea", "c": "Cem"}


def scene(seats: str = "abc", limit: int = 1) -> OpenScene:
    return OpenScene({seat: f"You are {NAMES[seat]}." for seat in seats}, SPACE, limit, NAMES)


def played(player: Player, seats: str = "abc") -> tuple[Event, ...]:
    return play_scene(scene(seats), dict.fromkeys(seats, player), policy=FailurePolicy(attempts=1))


class Does:
    """Does this."""

    def __init__(self, action: Action) -> None:
        self._action = action

    async def reply(self, request: Any, memory: Any) -> Any:
        return Reply((self._action,))


def first(action: Action, seats: str = "abc") -> Event:
    return played(Does(action), seats)[0]


def prompt(seats: str = "abc", dialect: Any = "json", space: ActionSpace = SPACE) -> Prompt:
    model = FakeModel('{"turn": {"action": "pass", "text": "", "to": []}}')
    player = PromptedPlayer(model, dialect=dialect)
    one = OpenScene(dict.fromkeys(seats, "Head."), space, 1, NAMES)
    players: dict[str, Player] = dict.fromkeys(seats, AnyPlayer())
    play_scene(one, players | {"a": player}, policy=FailurePolicy(attempts=1))
    return model.calls[0][0]


def test_a_kind_for_everybody_names_nobody() -> None:
    event = first(Action("give", "Here.", ("Bea",), fields={"points": 3}))
    assert isinstance(event, Unusable)
    assert event.problem == '"give" is for everybody, found Bea in `to`; leave it empty'
    event = first(Action("shout", "Hey!", ("Bea", "Cem")))
    assert isinstance(event, Unusable)
    assert "found Bea, Cem" in event.problem


def test_a_kind_that_is_for_somebody_names_them() -> None:
    event = first(Action("fine", fields={"points": 3}))
    assert isinstance(event, Unusable)
    assert event.problem == '"fine" needs somebody it is meant for, of Bea, Cem: `to`'
    event = first(Action("fine", "words", ("Cem",), fields={"points": 3}))
    assert isinstance(event, Moved)
    assert event.actions == (Action("fine", to=("c",), fields={"points": 3}),)


def test_between_two_the_other_is_meant() -> None:
    event = first(Action("whisper", "Psst."), "ab")
    assert isinstance(event, Moved)
    assert event.actions[0].to == ("b",)


def test_where_it_is_left_open_both_are_allowed() -> None:
    for to, seats in (((), ()), (("Bea",), ("b",))):
        event = first(Action("say", "Hm.", to))
        assert isinstance(event, Moved)
        assert event.actions[0].to == seats


def test_the_schema_has_names_where_a_kind_takes_them_and_one_at_least_where_it_must() -> None:
    forms = json.loads(schema_of(act_type(SPACE, True)).text)["$defs"].values()
    found = {
        kind: form["properties"].get("to")
        for form in forms
        for kind in form["properties"]["action"].get(
            "enum", [form["properties"]["action"].get("const")]
        )
    }
    some = {"type": "array", "items": {"type": "string"}}
    assert found == {
        "say": some,
        "pass": some,
        "give": None,
        "shout": None,
        "fine": {**some, "minItems": 1},
        "whisper": {**some, "minItems": 1},
    }
    assert '"to"' not in schema_of(act_type(SPACE, False)).text


def test_a_turn_is_written_as_it_is_read() -> None:
    for action in (
        Action("say", "Hm.", ("Bea",)),
        Action("give", "Here.", fields={"points": 3}),
        Action("fine", to=("Bea",), fields={"points": 3}),
        Action("shout", "Hey!"),
        Action("whisper", "Psst.", ("Bea", "Cem")),
        Action("pass"),
    ):
        text = written_turn((action,), SPACE, True).model_dump_json()
        assert read_json(text, SPACE, True) == (action,)


def test_the_prompt_says_who_learns_of_what() -> None:
    text = prompt().messages[0].text
    forms = {line.split('"')[3]: line for line in text.splitlines() if line.startswith('{"action')}
    alone = '"to": list of the names of those who alone learn of it'
    assert f"{alone}, empty for everybody" in forms["say"]
    assert f"{alone}, at least one" in forms["whisper"]
    assert f"{alone}, at least one" in forms["fine"]
    assert '"to"' not in forms["give"] + forms["shout"]
    assert '"to"' not in prompt("ab").messages[0].text


def test_in_the_plain_format_names_stand_in_brackets() -> None:
    text = prompt(dialect="plain").messages[0].text
    assert "fine [points=<whole number from 0 to 10>] (to <list of the names of those" in text
    assert read_plain("fine [points=3] (to Bea)", SPACE) == (
        Action("fine", to=("Bea",), fields={"points": "3"}),
    )


def test_where_all_may_be_aside_the_prompt_is_as_short_as_it_was() -> None:
    text = prompt(space=ActionSpace((SAY, PASS))).messages[0].text
    assert '"to": names of those who alone learn of it, empty for everybody}' in text


def test_a_person_names_them_in_the_terminal() -> None:
    others = ("Bea", "Cem")
    assert typed_action("/whisper @Bea psst", SPACE, others) == Action("whisper", "psst", ("Bea",))
    assert typed_action("/fine @Cem", SPACE, others) == Action("fine", to=("Cem",))
    assert typed_action("/shout @Bea hey", SPACE, others) == Action("shout", "@Bea hey")
    with pytest.raises(ReplyError, match='takes no words, found "x"'):
        typed_action("/fine @Cem x", SPACE, others)
    help_text = action_help(SPACE, others)
    assert "/4 fine @name (you are then asked for: points)" in help_text
    assert "@name" not in action_help(ActionSpace((GIVE, SHOUT)), others)
    assert "@name" not in action_help(SPACE, others[:1])


def test_a_form_for_people_says_which_kinds_take_names() -> None:
    asked: list[Any] = []

    class Asked(AnyPlayer):
        async def reply(self, request: Any, memory: Any) -> Any:
            asked.append(request)
            return await super().reply(request, memory)

    played(Asked())
    form = build_asking(asked[0], 0.0, "").act
    assert form is not None
    assert {kind.name: kind.aside for kind in form.kinds} == {
        "say": "optional",
        "pass": "",
        "give": "",
        "fine": "required",
        "shout": "",
        "whisper": "required",
    }


@pytest.mark.parametrize("seats", ["ab", "abc"])
def test_players_of_tests_keep_to_it(seats: str) -> None:
    for number in range(12):
        for player in (AnyPlayer(whisper_rate=0.5), OddPlayer(number)):
            events = play_scene(scene(seats, 6), dict.fromkeys(seats, player), seed=number)
            assert not [event for event in events if isinstance(event, Unusable)]
            for move in events:
                for action in move.actions if isinstance(move, Moved) else ():
                    assert bool(action.to) >= (SPACE[action.kind].recipients == "required")


def test_a_line_says_that_nobody_else_learned_of_it() -> None:
    event = first(Action("whisper", "Psst.", ("Bea",)))
    assert isinstance(event, Moved)
    assert scene().line(event).text == "Ada: (to Bea only) whisper: Psst."
