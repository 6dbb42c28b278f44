"""A chat model as a player: what it is sent, and what becomes of its replies."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise

import pytest
from pydantic import BaseModel

from fake_models import FakeModel
from sociolab.agents import Dialect, PromptedPlayer, act_type
from sociolab.core import (
    Action,
    ActionKind,
    ActionSpace,
    CallKey,
    Cause,
    ChatReply,
    Layout,
    Line,
    ModelError,
    Moved,
    NoReply,
    Question,
    Reply,
    Request,
    Served,
    Unusable,
)
from sociolab.prompting import schema_of
from sociolab.testing import STOCK_ACTIONS, StockScene, play_scene

HELLO = '{"action":"speak","text":" Hello. "}'


class Mood(BaseModel):
    mood: int


def request(seats: int = 2) -> Request:
    scene = StockScene(("first", "second", "third")[:seats])
    shown = replace(
        scene.witness("first").observe(2),
        history=(
            Line(0, "Ada", True, (Action("speak", "Hi."),), "You: Hi."),
            Line(1, "Ben", False, (Action("none"),), "Ben does nothing."),
        ),
    )
    return Request("trial", 0, "first", 2, 1, scene.space, shown)


def reply_to(model: FakeModel, asked: Request, dialect: Dialect = "json") -> Reply | NoReply:
    return asyncio.run(PromptedPlayer(model, dialect=dialect).reply(asked, None))


def test_the_prompt_is_head_then_history_then_a_short_tail() -> None:
    model = FakeModel(HELLO)
    reply_to(model, request())
    prompt, key = model.calls[0]
    head, body = prompt.messages
    assert head.role == "system"
    scene, _, how = head.text.partition("\n\n# How to reply\n")
    assert how.startswith('Reply with one JSON object and nothing else: {"action": the kind')
    assert "an empty string for none and leave" in how
    assert how.endswith('\n{"action": "speak", "text": "<your own words>"}')
    assert scene == "You are Ada. Choose a cake together. What you can do: speak, act, none, leave."
    assert (body.role, body.text) == (
        "user",
        "You: Hi.\nBen does nothing.\n\nTurn 3 of 8 is yours.",
    )
    assert prompt.schema == schema_of(act_type(STOCK_ACTIONS, addressed=False))
    assert prompt.temperature == 1.0
    assert key == CallKey("trial", "agent", "first", 2, "act", 1)


def test_prompts_of_an_episode_repeat_each_others_beginning() -> None:
    model = FakeModel(*[HELLO] * 8)
    player = PromptedPlayer(model)
    play_scene(StockScene(), {"first": player, "second": player})
    mine = [prompt.messages for prompt, key in model.calls if key.seat == "first"]
    for before, after in pairwise(mine):
        assert after[0] == before[0]
        history = before[1].text.rpartition("\n\n")[0]
        assert after[1].text.startswith(history)


def test_a_reply_becomes_an_action_with_its_raw_text() -> None:
    assert reply_to(FakeModel(HELLO), request()) == Reply((Action("speak", "Hello."),), raw=HELLO)


def test_among_several_others_words_may_be_aside() -> None:
    model = FakeModel('{"action":"speak","text":"Psst.","to":["Ben"]}')
    assert reply_to(model, request(3)) == Reply(
        (Action("speak", "Psst.", ("Ben",)),), raw='{"action":"speak","text":"Psst.","to":["Ben"]}'
    )
    assert '"to": names of those' in model.calls[0][0].messages[0].text


def test_an_unreadable_reply_is_asked_for_again_with_the_problem_and_counted() -> None:
    model = FakeModel("hm", HELLO)
    scene = StockScene(limit=1)
    events = play_scene(scene, dict.fromkeys(scene.seats, PromptedPlayer(model)))
    assert isinstance(events[0], Unusable)
    assert (events[0].cause, events[0].raw) == ("unreadable", "hm")
    assert events[1] == Moved(0, "first", (Action("speak", "Hello."),), attempt=2)
    prompt, key = model.calls[1]
    assert key.attempt == 2
    assert prompt.messages[1].text.endswith(
        "Turn 1 of 8 is yours.\n".replace("8", "1")
        + "You have already tried to reply to this, but the reply could not be used: "
        'expected a JSON object, found the text "hm". '
        "Reply again, in the form asked for."
    )


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (ChatReply(HELLO, finish="length"), "truncated"),
        (ChatReply("", finish="content filter"), "content filter"),
        (ChatReply(""), "unreadable"),
        (ChatReply('{"action":"sing","text":"la"}'), "unreadable"),
        (ChatReply(f'{{"action":"speak","text":{"9" * 5000}'), "unreadable"),
        (ChatReply(f'{{"action":"speak","text":{"9" * 5000}}}'), "unreadable"),
    ],
)
def test_a_reply_of_no_use_says_why_and_may_be_asked_for_again(
    answer: ChatReply, cause: Cause
) -> None:
    found = reply_to(FakeModel(answer), request())
    assert isinstance(found, NoReply)
    assert (found.cause, found.again, found.raw) == (cause, True, answer.text)


@pytest.mark.parametrize("cause", ["context overflow", "content filter"])
def test_a_prompt_that_the_model_does_not_take_fails_the_turn_for_good(cause: Cause) -> None:
    found = reply_to(FakeModel(ModelError("refused", cause=cause)), request())
    assert found == NoReply(cause, "refused", again=False)


def test_words_alone_are_what_is_said() -> None:
    said = "  Hello.\nI am glad\n to see you.\nBen: And I you."
    found = reply_to(FakeModel(ChatReply(said)), request(), "words")
    assert found == Reply((Action("speak", "Hello. I am glad to see you."),), raw=said)
    empty = reply_to(FakeModel(ChatReply("  ")), request(), "words")
    assert isinstance(empty, NoReply)
    assert (empty.cause, empty.again) == ("unreadable", True)


def test_any_other_failed_call_fails_the_trial() -> None:
    with pytest.raises(ModelError, match="gone"):
        reply_to(FakeModel(ModelError("gone", cause="connection")), request())


def test_the_plain_dialect_sends_no_schema_and_reads_a_line() -> None:
    model = FakeModel("speak: Hello.")
    assert reply_to(model, request(), "plain") == Reply(
        (Action("speak", "Hello."),), raw="speak: Hello."
    )
    prompt = model.calls[0][0]
    assert prompt.schema is None
    assert "\nReply with one line: the kind of action, a colon" in prompt.messages[0].text


def test_a_question_is_asked_with_its_own_schema_and_leaves_no_trace() -> None:
    model = FakeModel('{"mood": 3}')
    asked = replace(request(), expected=Question("mood", "How do you feel?", Mood))
    assert reply_to(model, asked) == Reply(Mood(mood=3), raw='{"mood": 3}')
    prompt, key = model.calls[0]
    assert key.name == "mood"
    assert prompt.schema == schema_of(Mood)
    assert prompt.messages[1].text == "You: Hi.\nBen does nothing.\n\nHow do you feel?"


def test_a_set_may_want_one_message_with_how_to_reply_in_it() -> None:
    """Head, history and tail follow each other in one user message; nothing is added, no schema
    sent, and the reply is read as ever."""
    model, asked = FakeModel(HELLO), request()
    shown = replace(asked.observation, head="You are Ada.", layout=Layout("one", "in prompt"))
    found = reply_to(model, replace(asked, observation=shown))
    (prompt, _), *_ = model.calls
    assert [(one.role, one.text) for one in prompt.messages] == [
        ("user", "You are Ada.\n\nYou: Hi.\nBen does nothing.\n\nTurn 3 of 8 is yours.")
    ]
    assert prompt.schema is None
    assert found == Reply((Action("speak", "Hello."),), raw=HELLO)
    # The prompt says how, whatever the dialect.
    assert reply_to(FakeModel(HELLO), replace(asked, observation=shown), "plain") == found


CUT = ChatReply(HELLO, finish="length", served=Served(cap=300))


def test_a_turn_that_is_cut_off_twice_is_not_asked_for_a_third_time() -> None:
    model = FakeModel(CUT, CUT, HELLO)
    scene = StockScene(limit=1)
    events = play_scene(scene, dict.fromkeys(scene.seats, PromptedPlayer(model)))
    first, second = events[:2]
    assert isinstance(first, Unusable)
    assert isinstance(second, Unusable)
    assert (first.cause, first.final, second.cause, second.final) == (
        "truncated",
        False,
        "truncated",
        True,
    )
    assert "cut off at 300 tokens; write a shorter one" in model.calls[1][0].messages[1].text


def test_a_turn_and_a_question_say_what_their_replies_need() -> None:
    model = FakeModel(HELLO, '{"mood": 3}')
    reply_to(model, request())
    question = Question("mood", "How do you feel?", Mood, needs=90)
    reply_to(model, replace(request(), expected=question))
    assert [prompt.needs for prompt, _ in model.calls] == [300, 90]


def test_the_actions_of_a_turn_are_counted_in_its_schema() -> None:
    space = ActionSpace((ActionKind("speak", has_text=True),), most=2)
    actions = schema_of(act_type(space, addressed=False)).text
    assert '"maxItems":2,"minItems":1' in actions
    model = FakeModel('{"actions":[]}')
    found = reply_to(model, replace(request(), expected=space))
    assert isinstance(found, NoReply)
    assert "at least 1 item" in found.problem
    assert model.calls[0][0].needs == 600
