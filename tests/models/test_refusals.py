"""What a server's refusal means, and what it teaches."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostile_json import bodies
from sociolab.core.errors import Cause
from sociolab.models.wire import Quirks, learn, read_error

URL = "http://127.0.0.1:1/v1/chat/completions"


def said(message: str, code: str | None = None) -> bytes:
    return json.dumps({"error": {"message": message, "code": code}}).encode()


@pytest.mark.parametrize(
    ("status", "data", "cause", "retryable", "fatal"),
    [
        (401, said("Incorrect API key provided."), "credentials", False, True),
        (403, said("Forbidden"), "credentials", False, True),
        (404, said("The model `m` does not exist"), "unknown model", False, True),
        (402, said("Insufficient credits"), "refused", False, True),
        (429, said("You exceeded your quota", "insufficient_quota"), "refused", False, True),
        (429, said("Rate limit reached"), "rate limit", True, False),
        (500, said("The server had an error"), "server error", True, False),
        (502, b"<html>Bad Gateway</html>", "server error", True, False),
        (503, b"", "server error", True, False),
        (408, b"", "server error", True, False),
        (400, said("too long", "context_length_exceeded"), "context overflow", False, False),
        (
            400,
            said("the request exceeds the available context size"),
            "context overflow",
            False,
            False,
        ),
        (413, b"Payload too large", "context overflow", False, False),
        (400, said("blocked", "content_filter"), "content filter", False, False),
        (400, said("Azure OpenAI's content management policy"), "content filter", False, False),
        (400, said("Unrecognized request argument"), "refused", False, False),
        (301, b"", "refused", False, True),
        (307, b"", "refused", False, True),
    ],
)
def test_each_refusal_has_a_cause(
    status: int, data: bytes, cause: Cause, retryable: bool, fatal: bool
) -> None:
    error = read_error(status, data, "m", URL)
    assert (error.cause, error.retryable, error.fatal) == (cause, retryable, fatal)
    assert str(error).startswith(f"{URL} answered {status}: ")


def test_a_refusal_says_what_to_do() -> None:
    assert "check the key in the environment variable" in str(read_error(401, b"", "m", URL))
    assert 'check the model name "m"' in str(read_error(404, b"", "m", URL))
    assert "give the final address as base URL" in str(read_error(308, b"", "m", URL))
    assert "the account has no credit" in str(read_error(402, b"", "m", URL))


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b'{"error": {"message": "a\\nb", "code": "c", "param": "p"}}', "a b / c / p"),
        (b'{"error": "plain"}', "plain"),
        (b'{"error": 7}', '{"error": 7}'),
        (b'{"detail": "other"}', '{"detail": "other"}'),
        (b"\xff", "\N{REPLACEMENT CHARACTER}"),
        (b"x" * 1000, "x" * 300),
        (b'{"error":' * 9999, ('{"error":' * 9999)[:300]),
        (b'{"error": {"code": 1e999}}', "inf"),
        (b'{"error": {"code": ' + b"9" * 9999 + b"}}", '{"error": {"code": ' + "9" * 281),
    ],
)
def test_what_the_server_said_is_shown_on_one_line(data: bytes, shown: str) -> None:
    assert str(read_error(400, data, "m", URL)) == f"{URL} answered 400: {shown}"


@pytest.mark.parametrize(
    ("message", "learned"),
    [
        (
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            Quirks(token_limit_name="max_completion_tokens"),
        ),
        ("'temperature' does not support 0 with this model.", Quirks(takes_temperature=False)),
        ("'frequency_penalty' is not supported here", Quirks(takes_penalties=False)),
        ("Unsupported value: 'presence_penalty'", Quirks(takes_penalties=False)),
        ("response_format of type json_schema is not supported", Quirks(takes_schema=False)),
        ("does not support 'system' with this model", Quirks(takes_system=False)),
        ("System role not supported", Quirks(takes_system=False)),
        ("Something else", None),
        (
            "'max_tokens' or 'max_completion_tokens' is too large. This model's maximum context "
            "length is 4096 tokens",
            None,
        ),
    ],
)
def test_a_refusal_teaches_one_quirk(message: str, learned: Quirks | None) -> None:
    assert learn(Quirks(), 400, said(message)) == learned


def test_what_is_known_already_teaches_nothing() -> None:
    known = Quirks("max_completion_tokens", False, False, False, False)
    text = "max_completion_tokens temperature presence_penalty response_format 'system'"
    assert learn(known, 400, said(text)) is None


@given(status=st.integers(300, 599), data=st.binary() | bodies())
def test_any_refusal_has_a_cause_and_one_short_line(status: int, data: bytes) -> None:
    error = read_error(status, data, "m", URL)
    assert "\n" not in str(error)
    assert len(str(error)) < 600
    learn(Quirks(), status, data)


def test_a_server_in_trouble_teaches_nothing() -> None:
    assert learn(Quirks(), 500, said("temperature")) is None
