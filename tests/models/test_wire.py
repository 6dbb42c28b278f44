"""Request bodies and reply bodies."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from hostile_json import bodies
from sociolab.core import CallKey, ChatReply, Message, ModelError, Prompt, Schema, Usage
from sociolab.core.ports import MOST_TOKENS
from sociolab.models import reply_key
from sociolab.models.budget import bytes_of
from sociolab.models.wire import Quirks, body_of, bound_schema, learn, quirks_of, read_reply

DEEP = b'{"choices":[{"message":{"content":%b}}]}'
"""A completion whose content is no text."""

SCHEMA = Schema("Turn", '{"type":"object","properties":{"z":{"type":"string"},"a":{}}}')
PROMPT = Prompt(
    (Message("system", "Be Ada."), Message("user", "Hé \N{GRINNING FACE}\n")), SCHEMA, 0.5, 100
)


KEY = CallKey("t", "agent", "first", 0, "act", 1)


def sent(prompt: Prompt, quirks: Quirks | None = None) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(body_of("m", prompt, quirks or Quirks()))
    return found


def test_a_body_holds_messages_settings_and_schema() -> None:
    assert sent(PROMPT) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be Ada."},
            {"role": "user", "content": "Hé \N{GRINNING FACE}\n"},
        ],
        "temperature": 0.5,
        "max_tokens": 100,
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "name": "Turn",
                "strict": True,
                "schema": {"type": "object", "properties": {"z": {"type": "string"}, "a": {}}},
            },
        },
    }


def test_penalties_are_both_of_them_and_0_is_sent() -> None:
    plain = Prompt((Message("user", "Hi."),), penalties=0.0)
    assert set(sent(plain)) == {"model", "messages", "frequency_penalty", "presence_penalty"}
    assert (sent(plain)["frequency_penalty"], sent(plain)["presence_penalty"]) == (0, 0)
    assert set(sent(plain, Quirks(takes_penalties=False))) == {"model", "messages"}


def test_the_order_of_a_schemas_fields_is_kept() -> None:
    body = body_of("m", PROMPT, Quirks()).decode()
    assert body.index('"z"') < body.index('"a"')


def test_what_is_not_set_is_not_sent() -> None:
    plain = Prompt((Message("user", "Hi."),))
    assert set(sent(plain)) == {"model", "messages"}


def test_quirks_change_the_body() -> None:
    quirks = Quirks("max_completion_tokens", takes_temperature=False)
    body = sent(PROMPT, quirks)
    assert body["max_completion_tokens"] == 100
    assert "max_tokens" not in body
    assert "temperature" not in body


WITH_SCHEMA = f"\n\nReply with one JSON object and nothing else.\nJSON schema: {SCHEMA.text}"


def test_a_schema_that_cannot_be_sent_beside_the_prompt_stands_at_its_end() -> None:
    body = sent(PROMPT, Quirks(takes_schema=False))
    assert "response_format" not in body
    assert body["messages"][0]["content"] == "Be Ada."
    assert body["messages"][1]["content"] == f"Hé \N{GRINNING FACE}\n{WITH_SCHEMA}"


def test_a_form_that_the_prompt_tells_is_not_told_again_as_a_schema() -> None:
    told = replace(PROMPT, schema=replace(SCHEMA, in_prompt=True))
    assert sent(told) == sent(PROMPT)
    assert sent(told, Quirks(takes_schema=False))["messages"][1]["content"] == (
        "Hé \N{GRINNING FACE}\n"
    )


def test_without_a_system_role_its_text_comes_first_in_the_users() -> None:
    body = sent(PROMPT, Quirks(takes_system=False, takes_schema=False))
    (message,) = body["messages"]
    assert message["role"] == "user"
    assert message["content"] == f"Be Ada.\n\nHé \N{GRINNING FACE}\n{WITH_SCHEMA}"


@pytest.mark.parametrize("role", ["assistant", None])
def test_a_system_text_without_a_user_to_go_to_becomes_the_users(role: Any) -> None:
    rest = () if role is None else (Message(role, "x"),)
    body = sent(Prompt((Message("system", "Be Ada."), *rest)), Quirks(takes_system=False))
    assert body["messages"][0] == {"role": "user", "content": "Be Ada."}
    assert len(body["messages"]) == 1 + len(rest)


def test_half_a_surrogate_pair_is_sent_as_the_replacement_character() -> None:
    body = sent(Prompt((Message("user", "a\ud83db \N{GRINNING FACE}"),), SCHEMA))
    assert body["messages"][0]["content"] == "a\N{REPLACEMENT CHARACTER}b \N{GRINNING FACE}"
    assert "response_format" in body


@given(st.text())
def test_any_text_arrives_unchanged(text: str) -> None:
    assert sent(Prompt((Message("user", text),)))["messages"][0]["content"] == text


# ---------------------------------------------------------------- replies


def completion(message: object, finish: str | None = "stop", **more: object) -> bytes:
    return json.dumps({"choices": [{"message": message, "finish_reason": finish}], **more}).encode()


def test_a_reply_has_text_finish_and_usage_with_its_cached_part() -> None:
    usage = {
        "prompt_tokens": 50,
        "completion_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 40},
    }
    data = completion({"content": "Hi."}, usage=usage)
    assert read_reply(data, PROMPT, 0.5, 2) == ChatReply("Hi.", "stop", Usage(50, 7, 40), 0.5, 2)


@pytest.mark.parametrize(
    ("message", "finish", "text", "read_as"),
    [
        ({"content": "a"}, "length", "a", "length"),
        ({"content": "a"}, "max_tokens", "a", "length"),
        ({"content": None}, "content_filter", "", "content filter"),
        ({"content": None, "refusal": "I will not."}, "stop", "I will not.", "content filter"),
        ({"content": [{"type": "text", "text": "a"}, {"text": "b"}, {}]}, None, "ab", "stop"),
        ({}, "tool_calls", "", "stop"),
    ],
)
def test_texts_and_finish_reasons_are_read(
    message: object, finish: str | None, text: str, read_as: str
) -> None:
    found = read_reply(completion(message, finish), PROMPT, 0.0, 1)
    assert (found.text, found.finish) == (text, read_as)


PROMPT_BYTES = bytes_of(PROMPT)


@pytest.mark.parametrize(
    ("usage", "message", "found"),
    [
        (None, {"content": "abcd"}, Usage(107, 2, estimated=True)),
        ({}, {"content": "abcd"}, Usage(107, 2, estimated=True)),
        ({"prompt_tokens": None, "prompt_tokens_details": None}, {}, Usage(107, 0, estimated=True)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, {"content": "abcd"}, Usage(107, 2, 0, True)),
        ({"prompt_tokens": 70}, {"content": "h\xe9!!"}, Usage(70, 2, estimated=True)),
        ({"completion_tokens": 9}, {"content": "abcd"}, Usage(107, 9, estimated=True)),
        (None, {"content": "abcd", "reasoning_content": "x" * 299}, Usage(107, 101, 0, True)),
        (None, {"content": "abcd", "reasoning": "x" * 299}, Usage(107, 101, 0, True)),
        ({"prompt_tokens": 70, "completion_tokens": 0}, {"content": ""}, Usage(70, 0)),
        (
            {"prompt_tokens": 2**31, "completion_tokens": 2**31},
            {"content": ""},
            Usage(2**31, 2**31),
        ),
    ],
)
def test_tokens_that_nobody_counted_are_estimated_from_the_bytes_and_marked(
    usage: object, message: object, found: Usage
) -> None:
    prompt = replace(PROMPT, messages=(Message("user", "\xe9" * 130),))
    assert bytes_of(prompt) == 260 + 61 == 3 * 107
    reply = read_reply(completion(message, usage=usage), prompt, 0.0, 1)
    assert (reply.usage, reply.fault) == (found, "")


@pytest.mark.parametrize(
    ("usage", "found"),
    [
        ({"prompt_tokens": -5, "completion_tokens": 1}, "-5 as prompt tokens"),
        ({"prompt_tokens": 9, "completion_tokens": 2**31 + 1}, "2147483649 as completion tokens"),
        ({"prompt_tokens": 2**62}, "4611686018427387904 as prompt tokens"),
        ({"prompt_tokens": 10**30}, "a number beyond 10^20 as prompt tokens"),
        ({"prompt_tokens": float("nan")}, "nan as prompt tokens"),
        ({"prompt_tokens": float("inf")}, "inf as prompt tokens"),
        ({"prompt_tokens": 12.5}, "12.5 as prompt tokens"),
        ({"prompt_tokens": True}, "True as prompt tokens"),
        ({"prompt_tokens": "sk-secret"}, "a str as prompt tokens"),
        ({"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 10}}, "10 as cached"),
        ({"prompt_tokens": 9, "prompt_tokens_details": [1]}, "a list as cached tokens"),
        (7, "7 as usage"),
    ],
)
def test_an_impossible_usage_is_a_fault_and_costs_no_reply(usage: object, found: str) -> None:
    reply = read_reply(completion({"content": "abcd"}, usage=usage), PROMPT, 0.0, 1)
    assert reply.fault.startswith(f"expected token counts from 0 to 2^31, found {found}")
    assert reply.usage == Usage(-(-PROMPT_BYTES // 3), 2, estimated=True)
    assert reply.text == "abcd"


def test_a_text_that_was_cut_in_the_middle_of_a_surrogate_pair_is_read() -> None:
    data = b'{"choices":[{"message":{"content":"a\\ud83d"},"finish_reason":"length"}]}'
    assert read_reply(data, PROMPT, 0.0, 1).text == "a\ud83d"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<html>Bad Gateway</html>",
        b"[]",
        b"null",
        b"{}",
        b'{"choices":[]}',
        b'{"choices":[{}]}',
        b'{"choices":[{"message":null}]}',
        b'{"choices":[{"message":{"content":7}}]}',
        b'{"choices":[{"message":{"content":["a"]}}]}',
        b"\xff\xfe",
        *(DEEP % part for part in (b"[" * 9999, b'{"a":' * 9999, b"[" * 190 + b"]" * 190)),
        b"9" * 9999,
        b'{"choices":[{"message":{"content":%b}}]}' % (b"9" * 9999),
    ],
)
def test_what_is_no_completion_may_be_tried_again(data: bytes) -> None:
    with pytest.raises(ModelError, match="expected a chat completion as JSON") as caught:
        read_reply(data, PROMPT, 0.0, 1)
    assert caught.value.cause == "malformed reply"
    assert caught.value.retryable


@given(data=st.binary() | bodies())
def test_no_bytes_do_worse_than_a_malformed_reply(data: bytes) -> None:
    found = outcome(data)
    if isinstance(found, ModelError):
        inside = b'"error"' in data or b'"message"' in data  # then it has the cause of that error
        assert inside or (found.cause, found.retryable) == ("malformed reply", True)
    else:
        usage = found.usage
        assert all(0 <= n <= MOST_TOKENS for n in (usage.prompt, usage.completion, usage.cached))


def outcome(data: bytes) -> ChatReply | ModelError:
    try:
        return read_reply(data, PROMPT, 0.0, 1)
    except ModelError as error:
        return error


def test_without_a_limit_of_the_users_a_reply_may_take_what_it_needs() -> None:
    free = replace(PROMPT, max_tokens=None, needs=400)
    assert sent(free)["max_tokens"] == 400
    assert sent(replace(free, max_tokens=50))["max_tokens"] == 50
    assert "max_tokens" not in sent(replace(free, needs=None))
    assert sent(free, Quirks("max_completion_tokens"))["max_completion_tokens"] == 400


def test_a_model_that_thinks_has_room_for_its_thoughts() -> None:
    free = replace(PROMPT, max_tokens=None, needs=400)
    assert sent(free, Quirks(thinks=True))["max_tokens"] == 400 + 16_384
    assert sent(replace(free, max_tokens=50), Quirks(thinks=True))["max_tokens"] == 50
    for effort, room in (("low", 16_384), ("none", 0)):
        body = json.loads(body_of("m", free, Quirks(), {"reasoning_effort": effort}))
        assert body["max_tokens"] == 400 + room


def test_needs_are_no_part_of_what_identifies_a_call() -> None:
    other = replace(PROMPT, needs=400)
    assert other == PROMPT
    assert reply_key("a", "m", other, KEY) == reply_key("a", "m", PROMPT, KEY)


SHEET: dict[str, Any] = {
    "$defs": {"Cell": {"type": "object", "properties": {"why": {"type": "string"}}}},
    "type": "object",
    "properties": {
        "first": {"$ref": "#/$defs/Cell"},
        "second": {"$ref": "#/$defs/Cell"},
        "third": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}},
        "mood": {"type": "string", "enum": ["good", "bad"]},
        "name": {"type": "string", "maxLength": 40},
        "day": {"type": "string", "pattern": "[0-9]+"},
    },
}


@pytest.mark.parametrize(
    ("needs", "longest"),
    [(900, 900), (1_500, 1_500), (3_000, 1_900), (100, 600)],
)
def test_texts_that_have_no_bound_get_their_share(needs: int, longest: int) -> None:
    """Three texts at three characters a token, from 600 to 1,900 characters."""
    found = bound_schema(SHEET, needs)
    fields = found["properties"]
    assert found["$defs"]["Cell"]["properties"]["why"] == {"type": "string", "maxLength": longest}
    assert fields["third"]["items"]["anyOf"] == [
        {"type": "string", "maxLength": longest},
        {"type": "null"},
    ]
    assert {name: fields[name] for name in ("mood", "name", "day")} == {
        name: SHEET["properties"][name] for name in ("mood", "name", "day")
    }
    assert "maxLength" not in SHEET["$defs"]["Cell"]["properties"]["why"]


def test_no_bound_is_too_long_for_a_grammar() -> None:
    """llama.cpp drops a schema with a repetition of 2,000 without a word."""
    speech = {"type": "string", "minLength": 1, "maxLength": 2_000}
    reply = {"type": "object", "properties": {"text": speech, "ends": {"type": "boolean"}}}
    assert bound_schema(reply, 300)["properties"]["text"] == {**speech, "maxLength": 1_900}
    assert speech["maxLength"] == 2_000


@pytest.mark.parametrize(("needs", "most"), [(800, 26), (3_000, 100), (100, 10)])
def test_a_list_that_has_no_bound_gets_an_entry_for_each_15_tokens_a_value(
    needs: int, most: int
) -> None:
    """A 135M model told of one check until its reply was cut off."""
    check = {"type": "object", "properties": {"who": {"type": "string"}, "n": {"type": "integer"}}}
    checks = {"type": "array", "items": {"$ref": "#/$defs/Check"}}
    three = {"type": "array", "items": {"type": "integer"}, "maxItems": 3}
    many = {"type": "array", "items": {"type": "integer"}, "minItems": 300}
    lists = {"checks": checks, "three": three, "many": many}
    found = bound_schema({"$defs": {"Check": check}, "properties": lists}, needs)["properties"]
    assert found == {
        "checks": {**checks, "maxItems": most},
        "three": three,
        "many": {**many, "maxItems": 300},
    }


def test_a_schema_that_refers_to_itself_is_bounded() -> None:
    tree = {
        "$defs": {"Node": {"type": "object", "properties": {
            "text": {"type": "string"},
            "more": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
        }}},
        "$ref": "#/$defs/Node",
    }  # fmt: skip
    assert bound_schema(tree, 300)["$defs"]["Node"]["properties"]["text"]["maxLength"] == 1_800


def test_bounds_are_sent_where_they_are_taken() -> None:
    def texts(quirks: Quirks, needs: int | None) -> dict[str, Any]:
        body = sent(replace(PROMPT, needs=needs), quirks)
        found: dict[str, Any] = body["response_format"]["json_schema"]["schema"]["properties"]["z"]
        return found

    assert texts(Quirks(), 100) == {"type": "string", "maxLength": 600}
    assert texts(quirks_of(["bounds"]), 100) == {"type": "string"}
    assert texts(Quirks(), None) == {"type": "string"}


@pytest.mark.parametrize(
    ("refusal", "learned"),
    [
        ("Unknown schema keyword: maxLength", Quirks(takes_bounds=False)),
        ("failed to parse grammar", Quirks(takes_bounds=False)),
        ("'response_format' of type 'json_schema' is not supported", Quirks(takes_schema=False)),
    ],
)
def test_a_refusal_of_bounds_costs_the_bounds_and_not_the_schema(
    refusal: str, learned: Quirks
) -> None:
    assert learn(Quirks(), 400, json.dumps({"error": {"message": refusal}}).encode()) == learned
