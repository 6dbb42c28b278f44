"""What a server's refusal means: why a call failed, or a quirk that can be met."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pydantic_core

from sociolab.core.errors import ModelError
from sociolab.models.wire import Quirks

_TOO_LONG = (
    "context_length",
    "context length",
    "context size",
    "context window",
    "maximum context",
    "too many tokens",
    "prompt is too long",
    "input is too long",
)
_FILTERED = ("content_filter", "content management policy")
_NO_SYSTEM = ("system role", "'system'", '"system"', "system mess")
_NO_PENALTIES = ("frequency_penalty", "presence_penalty")
_NO_SCHEMA = ("response_format", "json_schema", "guided")


def read_error(
    status: int, data: bytes, model: str, address: str, options: Mapping[str, Any] | None = None
) -> ModelError:
    """What a refusal means: its cause, and whether trying again may help.

    A refusal that names one of the options that are sent with every call is fatal.
    """
    said = _error_message(data)
    where = f"{address} answered {status}: {said}"
    if 300 <= status < 400:
        advice = "redirects are not followed; give the final address as base URL"
        return ModelError(f"{where}; {advice}", cause="refused", fatal=True)
    if status in (401, 403):
        advice = "set the key in the environment variable that models.toml names for this endpoint"
        return ModelError(f"{where}; {advice}", cause="credentials", fatal=True)
    if status == 404:
        advice = f'check the model name "{model}" and the base URL'
        return ModelError(f"{where}; {advice}", cause="unknown model", fatal=True)
    if status == 402 or (status == 429 and "insufficient_quota" in said):
        return ModelError(f"{where}; the account has no credit", cause="refused", fatal=True)
    if status == 429:
        return ModelError(where, cause="rate limit", retryable=True)
    if status >= 500 or status in (408, 409, 425):
        return ModelError(where, cause="server error", retryable=True)
    if status == 413 or _about(said, _TOO_LONG):
        return ModelError(where, cause="context overflow")
    if _about(said, _FILTERED):
        return ModelError(where, cause="content filter")
    for name, value in (options or {}).items():
        if _names(said, name):
            advice = f"it was sent {name} = {json.dumps(value)}, as asked for: leave that out"
            return ModelError(f"{where}; {advice}", cause="refused", fatal=True)
    return ModelError(where, cause="refused")


def learn(quirks: Quirks, status: int, data: bytes) -> Quirks | None:
    """What a refusal teaches about this server; None if it teaches nothing."""
    if status not in (400, 404, 422):
        return None
    said = _error_message(data).lower()
    if _about(said, _TOO_LONG):
        return None  # some servers name every token setting in this message
    if quirks.token_limit_name == "max_tokens" and "max_completion_tokens" in said:
        return replace(quirks, token_limit_name="max_completion_tokens")
    if quirks.takes_temperature and "temperature" in said:
        return replace(quirks, takes_temperature=False)
    if quirks.takes_penalties and _about(said, _NO_PENALTIES):
        return replace(quirks, takes_penalties=False)
    if quirks.takes_schema and _about(said, _NO_SCHEMA):
        return replace(quirks, takes_schema=False)
    if quirks.takes_system and _about(said, _NO_SYSTEM):
        return replace(quirks, takes_system=False)
    return None


def _error_message(data: bytes) -> str:
    """What the server said, on one line; of a body that is no JSON error, its beginning."""
    try:
        error = pydantic_core.from_json(data)["error"]  # json.loads breaks on deep nesting
        if isinstance(error, str):
            error = {"message": error}
        parts = [error.get("message"), error.get("code"), error.get("param")]
        text = " / ".join(str(part) for part in parts if part)
    except (ValueError, KeyError, TypeError, AttributeError):
        text = data[:2000].decode(errors="replace")
    return " ".join(text.split())[:300]


def _about(said: str, words: tuple[str, ...]) -> bool:
    said = said.lower()
    return any(word in said for word in words)


def _names(said: str, option: str) -> bool:
    """Whether a message names an option; one that is an everyday word must stand in quotes."""
    if "_" in option:
        return option in said
    return re.search(rf"""["'`]{re.escape(option)}["'`]|/ {re.escape(option)}$""", said) is not None
