"""Secrets are found however they are written, and nothing else is blacked out."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given, strategies as st

from sociolab.core import redaction
from sociolab.core.redaction import (
    HIDDEN,
    guard,
    guard_environment,
    redact,
    redact_bytes,
    secrets_in,
)

KEY = 'Ab/c+d1e2f3g4"h5=Zq'


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redaction, "_forms", {})


@pytest.mark.parametrize(
    "written",
    [
        KEY,
        KEY.upper(),
        KEY.lower(),
        quote(KEY),
        quote(KEY, safe=""),
        quote(KEY, safe="").lower(),
        json.dumps(KEY)[1:-1],
        json.dumps(KEY)[1:-1].replace("/", "\\/"),
        KEY[:12],
        KEY[:15],
    ],
)
def test_a_secret_is_found_in_whatever_form(written: str) -> None:
    guard(KEY)
    assert redact(f"it is {written}, sir") == f"it is {HIDDEN}, sir"
    assert redact_bytes(f"ü {written} ü".encode()) == f"ü {HIDDEN} ü".encode()


def test_it_is_found_more_than_once_and_among_others() -> None:
    guard(KEY, "another-one-123456")
    text = f"{KEY}{KEY}, another-one-123456 and {KEY[:13]}x"
    assert redact(text) == f"{HIDDEN}{HIDDEN}, {HIDDEN} and {HIDDEN}x"


def test_a_few_first_characters_are_no_secret() -> None:
    guard(KEY, "sk-12345")
    for text in (KEY[:11], KEY[1:], "sk-1234"):
        assert redact(text) == text
    assert redact("sk-12345") == HIDDEN


@pytest.mark.parametrize("placeholder", ["", "EMPTY", "none", "password", "sociolab", "NOTNEEDED"])
def test_a_placeholder_guards_nothing(placeholder: str) -> None:
    guard(placeholder)
    text = f"The {placeholder} of sociolab is none, EMPTY, or password."
    assert redact(text) == text


def test_of_a_header_the_key_alone_is_guarded_too() -> None:
    guard("Bearer abcd-1234-efgh")
    assert redact("got ABCD-1234-efgh") == f"got {HIDDEN}"


@given(st.text(max_size=30), st.text(max_size=30), st.integers(0, len(KEY)))
def test_json_stays_json_and_all_around_a_secret_stays(before: str, after: str, cut: int) -> None:
    redaction._forms = {}
    guard(KEY)
    said = f"{before} {KEY[:cut]} {after}"
    found = json.loads(redact(json.dumps(said)))
    if cut < 12:
        assert found == said
    else:
        assert found.startswith(f"{before} {HIDDEN}")
        assert found.endswith(f" {after}")
        assert KEY[:12] not in found


def test_variables_that_are_named_as_secrets_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(
        "os.environ",
        {
            "MY_API_KEY": "value-one-123",
            "HF_TOKEN": "value-two-123",
            "GOOGLE_APPLICATION_CREDENTIALS": str(tmp_path),
            "KEY_SERVER": "https://keys.example.org",
            "HOME": "value-three-123",
        },
    )
    guard_environment()
    text = f"value-one-123 value-two-123 value-three-123 {tmp_path} https://keys.example.org"
    assert redact(text) == text.replace("value-one-123", HIDDEN).replace("value-two-123", HIDDEN)


def test_options_that_are_named_as_secrets_are() -> None:
    options = {
        "api_key": "a", "X-Token": "b", "inner": {"password": "c", "auth": {"x": "d"}},
        "authorization": "e", "client_secret": "f", "max_tokens": "g", "tokenizer": "h",
        "bos_token": "<|begin_of_text|>", "keyboard": "i", "token": 7, "monkey": "j",
        "apiKey": "k", "access-token": "l", "Cookie": "m", "key_env": "n", "key_points": "o",
    }  # fmt: skip
    assert list(secrets_in(options)) == ["a", "b", "c", "e", "f", "k", "l", "m"]


def test_errors_lose_the_values_of_what_is_named_as_secrets_are() -> None:
    text = (
        "Client(api_key='abcdefgh12', key_points=abcdefgh12) sent "
        '{"Authorization": "abcdefgh12", "token": "short", "max_tokens": "abcdefgh12"}'
    )
    assert redact(text) == text
    assert redact(text, lookalikes=True) == (
        f"Client(api_key='{HIDDEN}', key_points=abcdefgh12) sent "
        f'{{"Authorization": "{HIDDEN}", "token": "short", "max_tokens": "abcdefgh12"}}'
    )


def test_errors_lose_what_looks_like_a_secret_too() -> None:
    text = (
        "sk-0123456789 at https://me:pa/ss@host/v1?a=b&api_key=xyz with Bearer abcdefgh12, "
        "sk-learn in talk"
    )
    assert redact(text) == text
    assert redact(text, lookalikes=True) == (
        f"{HIDDEN} at https://{HIDDEN}@host/v1?a=b&{HIDDEN} with Bearer {HIDDEN}, sk-learn in talk"
    )
