"""Request bodies and reply bodies."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sociolab.core.errors import ModelError
from sociolab.core.ports import ChatReply, Message, Prompt, Schema, Usage
from sociolab.models.wire import Quirks, body_of, read_reply

SCHEMA = Schema("Turn", '{"type":"object","properties":{"z":{"type":"string"},"a":{}}}')
PROMPT = Prompt(
    (Message("system", "Be Ada."), Message("user", "Hé \N{GRINNING FACE}\n")), SCHEMA, 0.5, 100
)


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


def test_a_schema_that_cannot_be_sent_beside_the_prompt_goes_into_its_head() -> None:
    body = sent(PROMPT, Quirks(takes_schema=False))
    assert "response_format" not in body
    assert body["messages"][0]["content"] == (
        f"Reply with one JSON object and nothing else.\nJSON schema: {SCHEMA.text}\n\nBe Ada."
    )


def test_without_a_system_role_its_text_comes_first_in_the_users() -> None:
    body = sent(PROMPT, Quirks(takes_system=False, takes_schema=False))
    (message,) = body["messages"]
    assert message["role"] == "user"
    assert message["content"].startswith("Reply with one JSON object")
    assert message["content"].endswith("\n\nBe Ada.\n\nHé \N{GRINNING FACE}\n")


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
    assert read_reply(data, 0.5, 2) == ChatReply("Hi.", "stop", Usage(50, 7, 40), 0.5, 2)


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
    found = read_reply(completion(message, finish), 0.0, 1)
    assert (found.text, found.finish) == (text, read_as)


@pytest.mark.parametrize(
    "usage", [None, {}, {"prompt_tokens": None, "prompt_tokens_details": None}]
)
def test_missing_usage_counts_as_none(usage: object) -> None:
    assert read_reply(completion({"content": "a"}, usage=usage), 0.0, 1).usage == Usage()


def test_a_text_that_was_cut_in_the_middle_of_a_surrogate_pair_is_read() -> None:
    data = b'{"choices":[{"message":{"content":"a\\ud83d"},"finish_reason":"length"}]}'
    assert read_reply(data, 0.0, 1).text == "a\ud83d"


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
        b'{"choices":[{"message":{"content":"a"}}],"usage":7}',
        b'{"choices":[{"message":{"content":"a"}}],"usage":{"prompt_tokens":"many"}}',
        b"\xff\xfe",
    ],
)
def test_what_is_no_completion_may_be_tried_again(data: bytes) -> None:
    with pytest.raises(ModelError, match="expected a chat completion as JSON") as caught:
        read_reply(data, 0.0, 1)
    assert caught.value.cause == "malformed reply"
    assert caught.value.retryable
