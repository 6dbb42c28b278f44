"""What a server's answer means, how long it asks to wait, and what it teaches."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, strategies as st

from hostile_json import bodies
from provider_bodies import CASES, Case, Effect, anthropic, flat, openai
from sociolab.core import Message, ModelError, Prompt, Schema
from sociolab.models.meaning import (
    Refusal,
    limit_pause,
    read_error,
    read_finish,
    read_pause,
    seconds_until,
)
from sociolab.models.wire import CHAT, Quirks, learn, read_reply

URL = "http://127.0.0.1:1/v1/chat/completions"
PROMPT = Prompt((Message("user", "Hi."),))


def effect(error: ModelError) -> Effect:
    if error.fatal:
        return "is fatal"
    if error.weather:
        return "waits"
    return "is retried" if error.retryable else "fails"


def refused(data: bytes, status: int = 400, **options: Any) -> ModelError:
    return read_error(status, {}, data, "m", URL, options)


def encoded(body: Any) -> bytes:
    return json.dumps(body).encode()


# ---------------------------------------------------------------- by provider


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_error_of_a_provider_has_its_cause_effect_and_pause(case: Case) -> None:
    if case.status == 200:
        with pytest.raises(ModelError) as caught:
            read_reply(case.data, PROMPT, 0.0, 1)
        error = caught.value
        assert str(error).startswith("the server answered 200 with ")
    else:
        error = read_error(case.status, case.headers, case.data, "m", URL)
        assert str(error).startswith(f"{URL} answered {case.status}: ")
    assert (error.cause, effect(error), error.pause) == (case.cause, case.effect, case.pause)


def test_the_cases_are_those_of_at_least_fifteen_providers() -> None:
    assert len({case.server for case in CASES} - {"a proxy"}) >= 15


def test_a_refusal_says_what_to_do() -> None:
    assert "check the key in the environment variable" in str(refused(b"", 401))
    assert 'check the model name "m" and the base URL' in str(refused(b"", 404))
    assert "give the final address as base URL" in str(refused(b"", 308))
    assert "the account has no credit" in str(refused(b"", 402))
    assert "choose another model" in str(refused(encoded(openai("It only supports streaming."))))


@pytest.mark.parametrize(
    ("status", "pause"), [(408, 3.0), (409, 3.0), (503, 3.0), (500, 3.0), (502, 3.0)]
)
def test_a_server_that_says_when_to_come_back_uses_up_no_try_where_it_may_be_blocked(
    status: int, pause: float
) -> None:
    error = read_error(status, {"Retry-After": "3"}, b"", "m", URL)
    assert (error.pause, error.weather) == (pause, status in (408, 409, 503))
    assert not read_error(status, {}, b"", "m", URL).weather


def test_an_error_in_a_router_is_shown_with_its_providers_own() -> None:
    raw = json.dumps(openai("No room.", code="x"))
    body = openai("Provider returned error", code=400)
    body["error"]["metadata"] = {"raw": raw}
    assert str(refused(encoded(body))).endswith("400: Provider returned error: No room. / 400")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b'{"error": {"message": "a\\nb", "code": "c", "param": "p"}}', "a b / c / p"),
        (b'{"error": "plain"}', "plain"),
        (b'{"error": 7}', '{"error": 7}'),
        (b'{"detail": "other"}', "other"),
        (b'{"detail": [{"loc": ["body", "x"], "msg": "no"}]}', "no / x"),
        (b"\xff", "\N{REPLACEMENT CHARACTER}"),
        (b"x" * 1000, "x" * 300),
        (b'{"error":' * 9999, ('{"error":' * 9999)[:300]),
        (b'{"error": {"code": 1e999}}', "inf"),
        (b'{"error": {"code": ' + b"9" * 9999 + b"}}", '{"error": {"code": ' + "9" * 281),
    ],
)
def test_what_the_server_wrote_is_shown_on_one_line(data: bytes, text: str) -> None:
    assert str(refused(data)) == f"{URL} answered 400: {text}"


def test_a_refused_option_that_the_user_wrote_is_fatal_and_named() -> None:
    both = "`temperature` and `top_p` cannot both be specified for this model. Use only one."
    for body in (openai(both), openai("Not here", param="top_p")):
        error = refused(encoded(body), top_p=0.5)
        assert error.fatal
        assert str(error).endswith("it was sent top_p = 0.5, as configured: leave that out")
    assert not refused(encoded(openai("Full stop is missing")), stop="END").fatal
    assert refused(encoded(openai("'stop' is not supported")), stop="END").fatal
    assert refused(encoded(openai("stop: Extra inputs are not permitted")), stop="END").fatal
    assert learn(Quirks(), 400, encoded(openai(both))) is None


@given(status=st.integers(300, 599), data=st.binary() | bodies())
def test_any_refusal_has_a_cause_and_one_short_line(status: int, data: bytes) -> None:
    error = read_error(status, {"retry-after": data.decode("latin-1")}, data, "m", URL)
    assert "\n" not in str(error)
    assert len(str(error)) < 600
    learn(Quirks(), status, data)
    CHAT.read_usage(data, PROMPT)


# ---------------------------------------------------------------- pauses

NOW = datetime(2026, 10, 21, 7, 28, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7", 7.0),
        ("0.5", 0.5),
        ("-1", 0.0),
        ("9s", 9.0),
        ("1m30s", 90.0),
        ("6m0s", 360.0),
        ("2m59.56s", 179.56),
        ("120ms", 0.12),
        ("1h", 3600.0),
        ("7200s", 7200.0),
        (str(NOW + 5), 5.0),
        (str(int(NOW + 5) * 1000), 5.0),
        ("Wed, 21 Oct 2026 07:28:12 GMT", 12.0),
        ("Wed, 21 Oct 2026 07:27:00 GMT", 0.0),
        ("2026-10-21T07:29:00Z", 60.0),
        ("2026-10-21T07:29:00", None),
        ("Wed, 21 Oct 2026", None),
        ("Mon, 01 Jan 99999999999 00:00:00 GMT", None),
        ("soon", None),
        ("9x", None),
        ("nan", None),
        ("inf", None),
        ("", None),
    ],
)
def test_a_pause_is_read_in_every_form(text: str, seconds: float | None) -> None:
    expected = None if seconds is None else pytest.approx(seconds)
    assert seconds_until(text, NOW) == expected


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"Retry-After-Ms": "120", "Retry-After": "1"}, {}, 0.12),
        ({"retry-after": "7", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "60"}, {}, 7.0),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "60"}, {}, 60.0),
        ({}, {"error": {"details": [{"retryDelay": "34.5s"}]}}, 34.5),
        ({}, {"error": "loading", "estimated_time": 20}, 20.0),
        ({}, openai("Please retry after 7 seconds."), 7.0),
        ({}, openai("Please try again in 2 minutes."), 120.0),
        ({}, openai("Please try again in 20ms."), 0.02),
        ({}, openai("Please try again later."), None),
        ({}, {}, None),
    ],
)
def test_a_pause_is_read_from_headers_before_the_body(
    headers: dict[str, str], body: Any, seconds: float | None
) -> None:
    error = read_error(429, headers, encoded(body), "m", URL)
    assert error.pause == seconds
    assert error.weather


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "9s",
          "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"}, 360.0),
        ({"x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "9s"}, None),
        ({"x-ratelimit-reset-requests": "9s"}, None),
        ({"Anthropic-Ratelimit-Tokens-Remaining": "0",
          "Anthropic-Ratelimit-Tokens-Reset": "2026-10-21T07:28:30Z"}, 30.0),
        ({"ratelimit-remaining": "0", "ratelimit-reset": "4"}, 4.0),
        ({"x-ratelimit-remaining-requests-day": "0", "x-ratelimit-reset-requests-day": "11.5"},
         11.5),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "soon"}, None),
        ({}, None),
    ],
)  # fmt: skip
def test_a_used_up_limit_in_the_headers_of_any_reply_says_when_it_is_set_back(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert limit_pause(headers, NOW) == seconds
    assert read_pause(headers, Refusal(""), NOW) == seconds


# ---------------------------------------------------------------- finish reasons


@pytest.mark.parametrize(
    ("reasons", "finish"),
    [
        ("stop STOP end_turn stop_sequence eos COMPLETE tool_calls", "stop"),
        ("length max_tokens MAX_TOKENS model_length", "length"),
        ("content_filter SAFETY RECITATION refusal PROHIBITED_CONTENT ERROR_TOXIC",
         "content filter"),
    ],
)  # fmt: skip
def test_finish_reasons_of_all_providers_are_known(reasons: str, finish: str) -> None:
    assert {read_finish(reason) for reason in reasons.split()} == {finish}


def test_without_a_finish_reason_a_reply_is_whole() -> None:
    assert (read_finish(None), read_finish("")) == ("stop", "stop")
    assert read_finish("content_filter: RECITATION") == "content filter"


@pytest.mark.parametrize(
    ("reason", "cause"),
    [("error", "server error"), ("insufficient_system_resource", "server error"),
     ("OTHER", "server error"), ("whim", "malformed reply"), (7, "malformed reply")],
)  # fmt: skip
def test_a_reply_that_broke_off_or_ended_for_no_known_reason_is_not_spoken(
    reason: object, cause: str
) -> None:
    with pytest.raises(ModelError, match=repr(str(reason))) as caught:
        read_finish(reason)
    assert (caught.value.cause, caught.value.retryable) == (cause, True)


# ---------------------------------------------------------------- what is learnt

NO_TEMPERATURE = Quirks(takes_temperature=False)
NO_SCHEMA = Quirks(takes_schema=False)
NO_SYSTEM = Quirks(takes_system=False)
NO_PENALTIES = Quirks(takes_penalties=False)


@pytest.mark.parametrize(
    ("body", "learnt"),
    [
        (openai("Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                "'max_completion_tokens' instead.", code="unsupported_parameter",
                param="max_tokens"), Quirks("max_completion_tokens")),
        (openai("Unsupported value: 'temperature' does not support 0 with this model.",
                code="unsupported_value", param="temperature"), NO_TEMPERATURE),
        (openai("invalid temperature: only 1 is allowed for this model"), NO_TEMPERATURE),
        (anthropic("`temperature` is deprecated for this model.", "invalid_request_error"),
         NO_TEMPERATURE),
        (openai("temperature is not supported"), NO_TEMPERATURE),
        (anthropic("temperature: Extra inputs are not permitted", "invalid_request_error"),
         NO_TEMPERATURE),
        (openai("Unsupported value: 'presence_penalty'"), NO_PENALTIES),
        ({"message": "invalid request: cannot specify both frequency_penalty and "
                     "presence_penalty."}, NO_PENALTIES),
        ({"detail": [{"loc": ["body", "frequency_penalty"], "type": "extra_forbidden",
                      "msg": "Extra inputs are not permitted"}]}, NO_PENALTIES),
        (openai("response_format of type json_schema is not supported"), NO_SCHEMA),
        (openai("This response_format type is unavailable now"), NO_SCHEMA),
        ({"error": "'response_format.type' must be 'json_schema' or 'text'"}, NO_SCHEMA),
        (openai("Not here", param="response_format"), NO_SCHEMA),
        (anthropic("output_config.format.schema: too complex", "invalid_request_error"),
         NO_SCHEMA),
        (openai("Unsupported value: 'messages[0].role' does not support 'system' with this "
                "model.", code="unsupported_value", param="messages[0].role"), NO_SYSTEM),
        (openai("System role not supported"), NO_SYSTEM),
        (openai("Developer instruction is not enabled for models/m"), NO_SYSTEM),
        (openai("Conversation roles must alternate user/assistant/user/assistant/..."), NO_SYSTEM),
    ],
)  # fmt: skip
def test_a_refusal_teaches_what_it_names_beyond_doubt(body: Any, learnt: Quirks) -> None:
    assert learn(Quirks(), 400, encoded(body)) == learnt


@pytest.mark.parametrize(
    "body",
    [
        openai("Something else"),
        openai("The temperature of the talk is not ours; unsupported."),
        openai("Invalid 'temperature': decimal above maximum value. Expected a value <= 2.",
               code="decimal_above_max_value", param="temperature"),
        openai("temperature must be non-negative, got -1"),
        flat("'max_tokens' or 'max_completion_tokens' is too large, unsupported. This model's "
             "maximum context length is 4096 tokens", "BadRequestError", 400),
        openai("Provider returned error: unsupported", code=400),
    ],
)  # fmt: skip
def test_a_word_that_merely_occurs_teaches_nothing(body: Any) -> None:
    assert learn(Quirks(), 400, encoded(body)) is None


def test_what_was_learnt_before_and_a_server_in_trouble_teach_nothing() -> None:
    body = encoded(openai("'temperature' is not supported"))
    assert learn(NO_TEMPERATURE, 400, body) is None
    assert learn(Quirks(), 500, body) is None


def test_what_is_left_out_is_named() -> None:
    assert Quirks("max_completion_tokens").left_out == ()
    everything = Quirks("max_tokens", False, False, False, False)
    assert everything.left_out == ("temperature", "schema", "system", "penalties")


# ---------------------------------------------------------------- what came instead of a text


def completion(message: object, finish: str | None = "stop", **more: object) -> bytes:
    return encoded({"choices": [{"message": message, "finish_reason": finish}], **more})


def test_reasoning_that_was_cut_before_the_answer_is_a_cut_reply() -> None:
    reply = read_reply(completion({"reasoning_content": "Hm. " * 9}, "length"), PROMPT, 0.0, 1)
    assert (reply.text, reply.finish, reply.reasoned) == ("", "length", True)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (completion({"content": "", "reasoning_content": "Hi."}), "turn thinking off"),
        (completion({"tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}, "tool_calls"),
         "found a tool call instead; leave tools out"),
        (encoded({"choices": []}), "found an empty list as choices"),
        (encoded({"choices": None}), "found null as choices"),
        (encoded({"choices": [{"message": None}]}), "found null as choices.0.message"),
        (encoded({"choices": [{"delta": {}}]}), 'found an object without "message" as choices.0'),
        (encoded({"id": "x"}), 'found an object without "choices" as the body'),
        (completion({"content": 7}), "found a int as choices.0.message.content"),
        (b'data: {"choices": []}\n\ndata: [DONE]\n\n', "turn streaming off at the server"),
        (b"<html>Welcome", "found a web page ('<html>Welcome'); check the base URL"),
        (b" \n", "found an empty body"),
        (b'{"choices": [{"message": {"content": "caf\xe9"}}]}', "0xe9 at 41"),
        (b'{"choices": [{"message": {"conte', "JSON that is damaged or incomplete ("),
        (b"upstream error", "found 'upstream error'"),
    ],
)  # fmt: skip
def test_a_body_that_is_no_reply_is_described_with_what_to_do(data: bytes, problem: str) -> None:
    with pytest.raises(ModelError) as caught:
        read_reply(data, PROMPT, 0.0, 1)
    assert problem in str(caught.value)
    assert (caught.value.cause, caught.value.retryable) == ("malformed reply", True)


def test_the_arguments_of_an_only_tool_call_are_the_text_where_a_schema_was_requested() -> None:
    prompt = Prompt(PROMPT.messages, Schema("Turn", "{}"))
    call = {"function": {"name": "json", "arguments": '{"a": 1}'}}
    reply = read_reply(completion({"content": None, "tool_calls": [call]}, "tool_calls"), prompt,
                       0.0, 1)  # fmt: skip
    assert (reply.text, reply.finish) == ('{"a": 1}', "stop")
    with pytest.raises(ModelError, match="found tool calls instead"):
        read_reply(completion({"tool_calls": [call, call]}), prompt, 0.0, 1)


@pytest.mark.parametrize("before", [b"\n   \n  \n", b": PROCESSING\n\n: PROCESSING\n\n",
                                    b"\xef\xbb\xbf"])  # fmt: skip
def test_blanks_and_comments_that_keep_a_connection_alive_are_passed_over(before: bytes) -> None:
    assert read_reply(before + completion({"content": "Hi."}), PROMPT, 0.0, 1).text == "Hi."


def test_of_a_list_of_parts_only_texts_are_spoken() -> None:
    thoughts = {"type": "thinking", "thinking": [{"type": "text", "text": "My secret."}]}
    parts = [thoughts, {"type": "text", "text": "Hi."}]
    reply = read_reply(completion({"content": parts}), PROMPT, 0.0, 1)
    assert (reply.text, reply.reasoned) == ("Hi.", True)


def test_a_reply_says_what_served_it_and_whether_it_thought() -> None:
    usage = {"prompt_tokens": 120.0, "completion_tokens": 30.0,
             "completion_tokens_details": {"reasoning_tokens": 20}}  # fmt: skip
    data = completion({"content": "Hi."}, model="m-\ud83d 2", system_fingerprint="fp", usage=usage)
    reply = read_reply(data, PROMPT, 0.0, 1)
    assert (reply.served.model, reply.served.fingerprint) == ("m-? 2", "fp")
    assert (reply.usage.prompt, reply.usage.completion, reply.usage.estimated) == (120, 30, False)
    assert reply.reasoned
    plain = read_reply(completion({"content": "Hi."}, model=7), PROMPT, 0.0, 1)
    assert (plain.served.model, plain.served.fingerprint, plain.reasoned) == ("", "", False)


@pytest.mark.parametrize(
    ("body", "counts"),
    [
        ({"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4}}, (9, 4)),
        ({"error": {"code": 502}, "usage": {"prompt_tokens": 9}}, (9, 0)),
        ({"usage": {"prompt_tokens": -9}}, None),
        ({"usage": {}}, None),
        ({"usage": None}, None),
        ([], None),
        ("no JSON", None),
    ],
)  # fmt: skip
def test_usage_is_read_from_a_body_that_is_of_no_other_use(
    body: Any, counts: tuple[int, int] | None
) -> None:
    usage = CHAT.read_usage(encoded(body), PROMPT)
    assert (usage and (usage.prompt, usage.completion)) == counts
