"""The made-up replies of the local endpoint, and the sampler of JSON schemas behind them."""

from __future__ import annotations

import json
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, strategies as st
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from sociolab.endpoint import Chance, ChatBody, EndpointSettings, Replies, read_chat
from sociolab.prompting import Draw, SchemaError, sample_value

KEYS = st.binary(min_size=1, max_size=8)


class Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class Mood(Enum):
    GLAD = "glad"
    GLUM = "glum"


class Person(Strict):
    name: str = Field(min_length=3, max_length=12)
    age: int = Field(ge=18, lt=100)
    weight: float = Field(gt=0, le=1)
    mood: Mood
    nickname: str | None = None


class Tree(Strict):
    label: Literal["leaf", "branch"]
    children: list[Tree] = Field(max_length=4)


class Family(Strict):
    members: list[Person] = Field(min_length=2, max_length=3)
    by_name: dict[str, Person]
    ties: dict[Literal["near", "far"], int] = Field(min_length=2)
    tags: list[str]
    flag: bool
    nothing: None
    pair: tuple[int, str]
    anything: Any
    numbers: Annotated[list[int], Field(min_length=1)] | None
    letters: set[Literal["a", "b", "c"]] = Field(min_length=3)
    long: str = Field(min_length=400)


class Spoken(Strict):
    kind: Literal["speak"]
    words: str
    to: list[Literal["Ann", "Bob"]]


class Gone(Strict):
    kind: Literal["leave"]


class Action(Strict):
    reasoning: str
    action: Literal["none", "leave", "speak", "physical action"]
    argument: str
    to: list[str]


class Turn(Strict):
    act: Annotated[Gone | Spoken, Field(discriminator="kind")]


class Expression(Strict):
    """A type whose every deep value must choose the branch that ends."""

    value: int | Plus | Minus


class Plus(Strict):
    left: Expression
    right: Expression


class Minus(Strict):
    of: Plus


Scores = dict[str, Annotated[int, Field(ge=-5, le=0)]]


@pytest.mark.parametrize(
    "kind", [Person, Tree, Family, Action, Turn, Expression, Scores, list[Person], int | str]
)
@given(key=KEYS)
def test_sample_of_a_schema_is_valid(kind: Any, key: bytes) -> None:
    adapter = TypeAdapter(kind)
    value = sample_value(adapter.json_schema(), Draw(Chance(key).stream("x")))
    adapter.validate_json(json.dumps(value))


@given(
    bounds=st.tuples(st.integers(-9, 9), st.integers(-9, 9)).map(sorted),
    open_low=st.booleans(),
    open_high=st.booleans(),
    kind=st.sampled_from(["integer", "number"]),
    key=KEYS,
)
def test_number_lies_within_its_bounds_and_a_stray_one_beside_them(
    bounds: list[int], open_low: bool, open_high: bool, kind: str, key: bytes
) -> None:
    low, high = bounds
    if open_low or open_high:
        high += 2
    schema: dict[str, Any] = {"type": kind}
    schema["exclusiveMinimum" if open_low else "minimum"] = low
    schema["exclusiveMaximum" if open_high else "maximum"] = high
    value = sample_value(schema, Draw(Chance(key).stream("x")))
    assert low < value if open_low else low <= value
    assert value < high if open_high else value <= high
    stray = sample_value(schema, Draw(Chance(key).stream("x"), stray=True))
    assert not (low < stray < high)
    assert stray != low or open_low
    assert stray != high or open_high


@pytest.mark.parametrize(
    ("schema", "low", "high"),
    [
        ({"type": "integer", "minimum": 100}, 100, 110),
        ({"type": "integer", "maximum": -100}, -110, -100),
        ({"type": "number", "maximum": 1}, -9, 1),
        ({"type": "number"}, 0, 10),
        ({"type": "integer", "minimum": 0.5, "maximum": 1.5}, 1, 1),
    ],
)
def test_number_with_one_bound_stays_near_it(schema: dict[str, Any], low: int, high: int) -> None:
    for key in range(50):
        assert low <= sample_value(schema, Draw(Chance(b"%d" % key).stream("x"))) <= high


def test_merged_and_mixed_schemas_are_read() -> None:
    schema = {
        "allOf": [{"$ref": "#/$defs/a~1b"}, {"required": ["y"]}],
        "properties": {"y": {"type": ["null"]}},
        "$defs": {"a/b": {"properties": {"x": {"const": 1}}, "required": ["x"]}},
    }
    assert sample_value(schema, Draw(Chance(b"").stream("x"))) == {"y": None, "x": 1}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "banana"},
        {"enum": []},
        {"anyOf": []},
        {"$ref": "#/$defs/missing"},
        {"$ref": "http://127.0.0.1/schema"},
        {"properties": {"a": False}},
        {"type": "integer", "minimum": 2, "maximum": 1},
        {"type": "number", "exclusiveMinimum": 1, "maximum": 1},
        {"type": "integer", "minimum": "low"},
        {"type": "object", "properties": 3},
    ],
)
def test_broken_schema_is_an_error(schema: dict[str, Any]) -> None:
    with pytest.raises(SchemaError):
        sample_value(schema, Draw(Chance(b"").stream("x")))


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"properties": {"me": {"$ref": "#"}}, "required": ["me"]},
        {"type": "array", "items": {"$ref": "#"}, "minItems": 1},
    ],
)
def test_schema_without_a_finite_value_is_an_error_when_sampled(schema: dict[str, Any]) -> None:
    with pytest.raises(SchemaError):
        sample_value(schema, Draw(Chance(b"").stream("x")))


# ------------------------------------------------------------------ replies to requests

PLAIN = EndpointSettings()


def request(text: str = "Your turn.", kind: Any = None, **more: Any) -> ChatBody:
    if kind is not None:
        schema = TypeAdapter(kind).json_schema()
        more["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "reply", "schema": schema},
        }
    body = {"model": "m", "messages": [{"role": "user", "content": text}], **more}
    return read_chat(json.dumps(body).encode())


def test_same_request_gets_the_same_reply_and_another_another() -> None:
    one = Replies(PLAIN).valid(request("a", Person))
    assert one == Replies(PLAIN).valid(request("a", Person))
    assert one != Replies(PLAIN).valid(request("b", Person))


def test_action_is_speech_to_everybody_unless_leaving_is_set() -> None:
    for number in range(20):
        action = json.loads(Replies(PLAIN).valid(request(str(number), Action)))
        assert (action["action"], action["to"]) == ("speak", [])
        assert 135 <= len(action["argument"]) <= 150
        turn = json.loads(Replies(PLAIN).valid(request(str(number), Turn)))
        assert (turn["act"]["kind"], turn["act"]["to"]) == ("speak", [])


def test_a_turn_of_several_actions_holds_one() -> None:
    class Turns(Strict):
        actions: list[Action]

    for number in range(20):
        (action,) = json.loads(Replies(PLAIN).valid(request(str(number), Turns)))["actions"]
        assert action["action"] == "speak"


def test_of_several_days_it_is_the_last() -> None:
    schema = {"enum": ["2024-05-13", "2024-05-25", "2024-05-14"]}
    for number in range(20):
        draw = Draw(Chance(b"%d" % number).stream("x"))
        assert sample_value(schema, draw) == "2024-05-25"


def test_times_of_a_day_follow_one_another() -> None:
    hours = [f"{hour:02d}:00" for hour in range(24)]
    plan = {"prefixItems": [{"enum": hours}] * 4, "type": "array"}
    for number in range(20):
        found = sample_value(plan, Draw(Chance(b"%d" % number).stream("x")))
        assert found == sorted(set(found))
    one = {"prefixItems": [{"enum": ["08:00"]}] * 2, "type": "array"}
    assert sample_value(one, Draw(Chance(b"").stream("x"))) == ["08:00", "08:00"]


LINES = """Reply with one line: the kind of action, a colon, and your words or deed; none and leave
stand alone. For example:
talk aloud: <your own words>

You are Ada."""


def test_a_prompt_that_asks_for_a_line_gets_one_of_the_kind_that_it_shows() -> None:
    reply = Replies(PLAIN).valid(request(LINES))
    assert reply.startswith("talk aloud: ")
    assert 150 <= len(reply.removeprefix("talk aloud: ")) + 15 <= 165
    assert Replies(EndpointSettings(leave_rate=1)).valid(request(LINES)) == "leave"
    staying = request(LINES.replace(" and leave", ""))
    assert Replies(EndpointSettings(leave_rate=1)).valid(staying).startswith("talk aloud: ")


@pytest.mark.parametrize(
    "text", ["Things to say. For example:\nspeak: Hello.", "A line with a colon, please."]
)
def test_a_prompt_that_asks_for_no_line_or_shows_none_gets_prose(text: str) -> None:
    assert ": " not in Replies(PLAIN).valid(request(text))


def test_a_schema_on_a_line_of_the_prompt_is_obeyed_with_the_ranges_and_keys_in_words() -> None:
    cell: dict[str, Any] = {"type": "array", "minItems": 2}
    cell["prefixItems"] = [{"type": "string"}, {"type": "integer"}]
    cell["description"] = "Look, then a score ranging from -10 to -5."
    schema = {"properties": {"scores": {"type": "object", "additionalProperties": cell}}}
    text = f'Use exactly these keys: ["agent_1", "agent_2"].\nForm:\n{json.dumps(schema)}\n'
    scores = json.loads(Replies(PLAIN).valid(request(text)))["scores"]
    assert list(scores) == ["agent_1", "agent_2"]
    assert all(-10 <= score <= -5 for _, score in scores.values())


AS_SHOWN = (
    'speak or leave. For example:\n{"actions": [{"action": "speak", "text": "Hi.", "to": []}]}'
)


def test_a_prompt_that_shows_a_turn_as_json_gets_one_of_its_form() -> None:
    (act,) = json.loads(Replies(PLAIN).valid(request(AS_SHOWN)))["actions"]
    assert (act["action"], act["to"], len(act["text"]) > 100) == ("speak", [], True)
    (act,) = json.loads(Replies(EndpointSettings(leave_rate=1)).valid(request(AS_SHOWN)))["actions"]
    assert act == {"action": "leave", "text": "", "to": []}


def test_leaving_action_has_no_text() -> None:
    replies = Replies(EndpointSettings(leave_rate=1))
    assert json.loads(replies.valid(request("x", Action))) == {
        "reasoning": "",
        "action": "leave",
        "argument": "",
        "to": [],
    }
    assert json.loads(replies.valid(request("x", Turn))) == {"act": {"kind": "leave"}}


def test_leave_rate_is_the_share_that_leaves() -> None:
    replies = Replies(EndpointSettings(leave_rate=0.25))
    acts = [
        json.loads(replies.valid(request(str(number), Action)))["action"] for number in range(800)
    ]
    assert set(acts) == {"speak", "leave"}
    assert 160 <= acts.count("leave") <= 240  # 200, with a standard deviation of 12


def test_length_of_texts_is_a_setting() -> None:
    reply = json.loads(Replies(EndpointSettings(characters=40)).valid(request("x", Action)))
    assert 25 <= len(reply["argument"]) <= 40
    assert 25 <= len(Replies(EndpointSettings(characters=40)).valid(request("x"))) <= 40


SCHEMA_TEXT = json.dumps(Person.model_json_schema() | {"$defs": {"Mood": {"enum": ["glad"]}}})


@pytest.mark.parametrize(
    "text",
    [
        f"Answer so:\n```json-schema\n{SCHEMA_TEXT}\n```\nGo.",
        f"Answer so.\nJSON schema: {SCHEMA_TEXT}\nGo.",
        f"JSON schema:\n{json.dumps(json.loads(SCHEMA_TEXT), indent=2)}",
        f"json schema:\n```json\n{SCHEMA_TEXT}\n```",
    ],
)
def test_schema_in_the_prompt_is_obeyed(text: str) -> None:
    Person.model_validate_json(Replies(PLAIN).valid(request(text)))


@pytest.mark.parametrize(
    "text",
    [
        "What is a JSON schema: can you tell me?",
        "JSON schema: {broken",
        '```json-schema\n{"type": "banana"}\n```',
        "Your turn.",
    ],
)
def test_prompt_without_a_readable_schema_gets_prose(text: str) -> None:
    reply = Replies(PLAIN).valid(request(text))
    assert 135 <= len(reply) <= 150
    assert reply.endswith(".")


def test_schema_of_the_response_format_comes_before_that_of_the_prompt() -> None:
    reply = Replies(PLAIN).valid(request(f"```json-schema\n{SCHEMA_TEXT}\n```", Tree))
    Tree.model_validate_json(reply)


def test_json_object_without_a_schema_is_an_object() -> None:
    reply = Replies(PLAIN).valid(request(response_format={"type": "json_object"}))
    assert list(json.loads(reply)) == ["answer"]


@given(key=KEYS)
def test_reply_without_a_number_to_get_wrong_still_goes_astray(key: bytes) -> None:
    text = Replies(PLAIN).invalid(request("x", Action), Chance(key))
    assert "action" not in (json.loads(text) if text.startswith("{") else {})


def test_what_is_to_be_reworded_comes_back_as_it_stands() -> None:
    class Texts(BaseModel):
        first: str
        second: str

    def reply(object_: dict[str, str]) -> Any:
        text = f"As it stands:\n```json\n{json.dumps(object_)}\n```"
        format_ = {"name": "t", "schema": Texts.model_json_schema()}
        body = {
            "model": "m",
            "messages": [{"role": "user", "content": text}],
            "response_format": {"type": "json_schema", "json_schema": format_},
        }
        chat = read_chat(json.dumps(body).encode())
        return json.loads(Replies(EndpointSettings()).valid(chat))

    assert reply({"first": "a", "second": "b"}) == {"first": "a", "second": "b"}
    assert reply({"first": "a"}).keys() == {"first", "second"}  # no draft: made up
