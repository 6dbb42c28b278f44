"""Actions with fields: one type asks for them, checks them, and makes the forms."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence

import pytest
from pydantic import BaseModel, Field

from sociolab.agents import (
    PromptedPlayer,
    TerminalPlayer,
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
    CallKey,
    ChatReply,
    Moved,
    Prompt,
    Reply,
    ReplyError,
    Unusable,
    WorldError,
    decode_event,
    encode_event,
)
from sociolab.engine import FailurePolicy, play
from sociolab.plugin.api import OpenScene
from sociolab.prompting import schema_of
from sociolab.testing import AnyPlayer, play_scene


class Points(BaseModel):
    points: int = Field(ge=0, le=100, description="for the responder")


class Reason(BaseModel):
    because: str = Field(min_length=3)
    sure: bool


OFFER = ActionKind("offer", fields=Points, spoken=True)
ACCEPT = ActionKind("accept", has_text=False, ends="deal")
DECLINE = ActionKind("decline", has_text=False, fields=Reason)
ALL = ActionSpace((OFFER, ACCEPT, DECLINE))


def acts_of(seat: str, turn: int) -> Sequence[ActionKind]:
    return (OFFER,) if seat == "ann" else (ACCEPT, DECLINE)


SCENE = OpenScene({"ann": "You are Ann.", "ben": "You are Ben."}, ALL, limit=4, acts=acts_of)


class Says:
    """A model, or a player, that gives these replies one after the other."""

    label = "says"
    context = None

    def __init__(self, *replies: object) -> None:
        self._replies = list(replies)
        self.prompts: list[Prompt] = []

    async def complete(self, prompt: Prompt, key: CallKey) -> ChatReply:
        self.prompts.append(prompt)
        return ChatReply(str(self._replies.pop(0)))

    async def reply(self, request: object, memory: object) -> Reply:
        return Reply((self._replies.pop(0),))  # type: ignore[arg-type]


def test_a_model_fills_in_what_its_seat_can_do_now() -> None:
    ann = Says('{"action": "offer", "points": 40, "text": "Half?"}')
    ben = Says('{"turn": {"action": "accept"}}')
    players = {"ann": PromptedPlayer(ann), "ben": PromptedPlayer(ben)}
    events = play_scene(SCENE, players)
    assert [one.actions for one in events if isinstance(one, Moved)] == [
        (Action("offer", "Half?", fields={"points": 40}),),
        (Action("accept"),),
    ]
    how = ann.prompts[0].messages[0].text
    assert '"points": whole number from 0 to 100 (for the responder)' in how
    schema = json.loads(ann.prompts[0].schema.text)["properties"]  # type: ignore[union-attr]
    assert schema["points"] == {"type": "integer", "minimum": 0, "maximum": 100}
    assert "ann: offer (points: 40): Half?" in ben.prompts[0].messages[1].text


def test_a_value_off_the_scale_is_asked_for_again_with_what_is_wrong() -> None:
    ann = Says(*[Action("offer", "x", fields={"points": points}) for points in (101, 40)])
    ben = Says(Action("accept"))
    policy = FailurePolicy(attempts=2)
    events = play_scene(SCENE, {"ann": ann, "ben": ben}, policy=policy)
    (wrong,) = [event for event in events if isinstance(event, Unusable)]
    expected = '"offer": points: expected at most 100, found 101'
    assert (wrong.problem, wrong.final) == (expected, False)
    assert isinstance(events[1], Moved)
    assert events[1].actions[0].fields == {"points": 40}


def test_what_a_kind_does_not_take_is_left_out_and_what_it_lacks_is_named() -> None:
    ann = Says(Action("offer", "y"), Action("offer", "x", fields={"points": "7"}))
    ben = Says(Action("accept", fields={"points": 3}))
    events = play_scene(SCENE, {"ann": ann, "ben": ben})
    (wrong,) = [event for event in events if isinstance(event, Unusable)]
    assert wrong.problem == '"offer": points is missing'
    moves = [event.actions[0] for event in events if isinstance(event, Moved)]
    assert moves == [Action("offer", "x", fields={"points": 7}), Action("accept")]


def test_fields_survive_the_store() -> None:
    move = Moved(0, "ann", (Action("offer", "x", ("ben",), fields={"points": 40}),))
    assert decode_event(encode_event(move)) == move


@pytest.mark.parametrize("most", [1, 2])
def test_a_turn_is_written_as_it_is_read(most: int) -> None:
    space = ActionSpace((OFFER, ACCEPT, DECLINE), most=most)
    for action in (
        Action("offer", "hi", fields={"points": 40}),
        Action("accept"),
        Action("decline", fields={"because": "too little", "sure": True}),
    ):
        text = written_turn((action,), space, False).model_dump_json()
        assert read_json(text, space, False) == (action,)
    forms = schema_of(act_type(space, False)).text
    assert forms.count('"additionalProperties":false') == 4  # three forms and what holds them


def test_in_the_plain_format_fields_stand_in_brackets() -> None:
    text = "offer [points=40]: Half?\ndecline [because=too little; sure=true]"
    assert read_plain(text, ALL) == (
        Action("offer", "Half?", fields={"points": "40"}),
        Action("decline", fields={"because": "too little", "sure": "true"}),
    )
    plain = PromptedPlayer(Says("offer [points=40]: Half?"), dialect="plain")
    events = play_scene(SCENE, {"ann": plain, "ben": Says(Action("accept"))})
    assert events[0] == Moved(0, "ann", (Action("offer", "Half?", fields={"points": 40}),))


def test_a_person_is_asked_for_each_field_in_the_terminal() -> None:
    typed, screen = io.StringIO("Half?\n200\n40\naccept\n"), io.StringIO()
    player = TerminalPlayer(typed, screen)
    events = play_scene(SCENE, {"ann": player, "ben": player})
    assert [one.actions[0] for one in events if isinstance(one, Moved)] == [
        Action("offer", "Half?", fields={"points": 40}),
        Action("accept"),
    ]
    shown = screen.getvalue()
    assert "points, for the responder (integer from 0 to 100)" in shown
    assert "expected at most 100" in shown


def test_where_nothing_can_be_said_the_name_is_enough_and_anything_else_is_no_choice() -> None:
    choice = ActionSpace((ACCEPT, DECLINE))
    assert typed_action("dec", choice, ()) == Action("decline")
    for line in ("", "no"):
        with pytest.raises(ReplyError, match="expected one of /1 accept, /2 decline"):
            typed_action(line, choice, ())
    assert "you are then asked for: because, sure" in action_help(choice, ())


def test_any_player_finds_valid_values() -> None:
    players = dict.fromkeys(SCENE.seats, AnyPlayer())
    for seed in range(20):
        events = play_scene(SCENE, players, seed=seed)
        assert not [event for event in events if isinstance(event, Unusable)]


def test_a_field_that_every_action_has_is_refused() -> None:
    class Text(BaseModel):
        text: str

    with pytest.raises(WorldError, match='the action "say" has a field "text"'):
        ActionKind("say", fields=Text)


def test_a_scene_that_allows_what_is_not_in_its_space_says_so() -> None:
    def odd(seat: str, turn: int) -> Sequence[ActionKind]:
        return (ActionKind("dance"),)

    scene = OpenScene(SCENE.heads, ALL, limit=2, acts=odd)
    with pytest.raises(WorldError, match='lets ann "dance" in turn 1, which is no kind of action'):
        next(play(scene))
