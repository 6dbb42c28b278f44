"""Interpret servers' answers: tables from status, code, sentence and finish reason to a cause.

Codes and types decide before statuses, which many servers choose freely; sentences are read only
where a provider sends nothing else. The facts are from the providers' documentation and error
bodies, as of November 2026; the tests hold them by provider.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal, TypeAlias

import pydantic_core

from sociolab.core.errors import Cause, ModelError


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a kind of refusal means for its call and for the run.

    `weather`: whether the server is merely busy or at a limit, so that waiting helps and uses up no
    try; for some, only where the server says how long. In `advice`, {model} stands for the quoted
    name of the model, if it is known.
    """

    cause: Cause
    retryable: bool = False
    fatal: bool = False
    weather: Literal["no", "with a pause", "yes"] = "no"
    advice: str = ""


LIMIT = Meaning("rate limit", retryable=True, weather="yes")
BUSY = Meaning("server error", retryable=True, weather="yes")
BLOCKED = Meaning("server error", retryable=True, weather="with a pause")
BROKEN = Meaning("server error", retryable=True)
GARBLED = Meaning("malformed reply", retryable=True)
TOO_LONG = Meaning("context overflow")
FILTERED = Meaning("content filter")
REFUSED = Meaning("refused")
MOVED = Meaning(
    "refused", fatal=True, advice="redirects are not followed; give the final address as base URL"
)
BAD_KEY = Meaning(
    "credentials", fatal=True,
    advice="check the key in the environment variable that is named for this endpoint",
)  # fmt: skip
NO_MODEL = Meaning(
    "unknown model", fatal=True, advice="check the model name{model} and the base URL"
)
NO_CREDIT = Meaning(
    "refused", fatal=True,
    advice="the account has no credit left or is at its spending limit; once that is settled, the "
    "same command resumes the run",
)  # fmt: skip
STREAM_ONLY = Meaning(
    "refused", fatal=True,
    advice="this model replies only in streams, which are not read here; choose another model",
)  # fmt: skip

_BY_STATUS: Mapping[int, Meaning] = {
    200: BROKEN,  # an error in the body of a success, without a status of its own
    **dict.fromkeys(range(300, 400), MOVED),
    **dict.fromkeys((401, 403, 498), BAD_KEY),
    402: NO_CREDIT,
    **dict.fromkeys((404, 405, 410), NO_MODEL),
    **dict.fromkeys((408, 409, 503), BLOCKED),
    413: TOO_LONG,
    424: BROKEN,
    425: BUSY,
    429: LIMIT,
    499: BROKEN,
    529: BUSY,
}

_BY_NAME: Mapping[str, Meaning] = {
    name: meaning
    for meaning, names in {
        NO_CREDIT: "insufficient_quota exceeded_current_quota_error billing_error credit_limit "
        "billing_not_active billing_hard_limit_reached insufficient_balance payment_required "
        "insufficient_credits enforced_spend_limit_reached arrearage",
        FILTERED: "content_filter content_filter_error content_policy_violation invalid_prompt "
        "responsibleaipolicyviolation data_inspection_failed prompt_blocked moderation_blocked "
        "content_filtered sensitive",
        TOO_LONG: "context_length_exceeded exceed_context_size_error context_exceeded "
        "request_too_large tokens_limit_reached model_max_prompt_tokens_exceeded",
        NO_MODEL: "model_not_found deploymentnotfound not_found not_found_error notfounderror "
        "invalid_model unknown_model model_decommissioned resourcenotfoundexception",
        BAD_KEY: "invalid_api_key api_key_invalid authentication_error unauthenticated "
        "permission_error permission_denied accessdeniedexception unrecognizedclientexception "
        "expiredtokenexception invalid_authentication_error incorrect_api_key_error",
        LIMIT: "rate_limit_exceeded rate_limit_error rate_limited rate_limit_reached_error "
        "too_many_requests_error throttlingexception resource_exhausted model_rate_limit",
        BUSY: "overloaded overloaded_error engine_overloaded_error unavailable unavailable_error "
        "service_unavailable service_unavailable_error serviceunavailableexception queue_exceeded "
        "modelnotreadyexception capacity_exceeded model_capacity_exhausted 3505",
        BROKEN: "deadline_exceeded timeout_error modelerrorexception",
        GARBLED: "json_validate_failed tool_use_failed",
        REFUSED: "not_supported_error",
    }.items()
    for name in names.split()
}
"""Codes, types and reasons in lower case. 3505: Mistral's for a tier without capacity."""

_CALLER = (200, *range(400, 429))

_BY_SENTENCE: tuple[tuple[tuple[int, ...], Meaning, tuple[str, ...]], ...] = (
    ((*_CALLER, 429), NO_CREDIT, (
        "credit balance is too low", "insufficient balance", "insufficient credits",
        "used all available credits", "have any credits", "spending limit",
        "reached your specified api usage limits",
    )),
    ((200, 400, 403, 422), FILTERED, (
        "content management policy", "violates usage guidelines", "violating our usage policy",
        "your input was flagged", "rejected as a result of our safety system",
    )),
    ((200, 400, 422, 500), TOO_LONG, (
        "context length", "context_length", "context size", "context limit", "context window",
        "maximum context", "maximum model length", "maximum prompt length", "too many tokens",
        "number of tokens allowed", "prompt is too long", "input is too long",
        "range of input length", "`inputs` tokens + `max_new_tokens`",
        "`inputs` must have less than",
    )),
    ((200, 400), BAD_KEY, ("incorrect api key provided", "api key not valid")),
    ((200, 400), NO_MODEL, (
        "model not exist", "not a valid model id", "model identifier is invalid",
        "try pulling it first",
    )),
    ((400, 422), STREAM_ONLY, ("only supports stream", "only support stream")),
    ((200, 404, 498, *range(500, 600)), BUSY, (
        "overloaded", "loading model", "currently loading", "server busy",
        "no capacity available", "tier capacity exceeded",
    )),
)  # fmt: skip
"""Statuses, and what they mean with any of these phrases, in lower case, in the message."""

Finish: TypeAlias = Literal["stop", "length", "content filter"]

_FINISH_REASONS: Mapping[Finish | Literal["failed"], str] = {
    "stop": "stop end_turn stop_sequence eos eos_token end complete completed normal tool_calls "
    "tool_call tool_use function_call",
    "length": "length max_tokens max_output_tokens model_length token_limit max_length "
    "not_finished model_context_window_exceeded",
    "content filter": "content_filter content_filtered safety recitation refusal blocklist "
    "prohibited_content spii guardrail_intervened error_toxic sensitive image_safety language",
    "failed": "error error_limit timeout time_limit abort aborted cancelled user_cancel "
    "network_error insufficient_system_resource other malformed_function_call "
    "unexpected_tool_call malformed_model_output",
}
"""The finish reasons that providers document, in lower case."""

_FINISHES = {word: finish for finish, words in _FINISH_REASONS.items() for word in words.split()}


# ------------------------------------------------------------------ bodies


class ShapeError(ValueError):
    """A body is JSON of an unexpected shape; the message says what was found where."""


_BEFORE_JSON = re.compile(rb"(?:\xef\xbb\xbf)?+(?:\s++|:[^\n]*+\n)*+")
"""A byte order mark, whitespace that keeps the connection alive, comments of an event stream."""


def parse_body(data: bytes) -> Any:
    """Parse the JSON of a response body; ValueError or RecursionError if it is none."""
    start = _BEFORE_JSON.match(data)
    data = data[start.end() :] if start else data
    try:
        return pydantic_core.from_json(data)
    except ValueError:
        return json.loads(data)  # accepts half a surrogate pair, which a text that was cut may have


def get_part(document: Any, *path: str | int) -> Any:
    """The value at a path of keys and indices; ShapeError if there is none, or null."""
    node, place = document, "the body"
    for number, step in enumerate(path):
        try:
            node = node[step]
        except (LookupError, TypeError):
            raise ShapeError(f"{_describe_shape(node, step)} as {place}") from None
        place = ".".join(map(str, path[: number + 1]))
    if node is None:
        raise ShapeError(f"null as {place}")
    return node


def _describe_shape(node: object, lacks: str | int) -> str:
    if isinstance(node, dict):
        return f'an object without "{lacks}"'
    if node == []:
        return "an empty list"
    return "null" if node is None else f"a {type(node).__name__}"


def malformed_error(expected: str, data: bytes, error: Exception) -> ModelError:
    """The error for a body that is not as expected; it describes what the body is instead."""
    reason = str(error) if isinstance(error, ShapeError) else _describe_body(data, error)
    problem = f"expected {expected} as JSON, found {reason}"
    return ModelError(problem, cause="malformed reply", retryable=True)


def _describe_body(data: bytes, error: Exception) -> str:
    body = data.strip()
    if not body:
        return "an empty body"
    if body.startswith(b"<"):
        return f"a web page ({body[:60].decode(errors='replace')!r}); check the base URL"
    if body.startswith((b"data:", b"event:")):
        return "a stream of events, which was not requested; turn streaming off at the server"
    try:
        text = body.decode()
    except UnicodeDecodeError as problem:
        odd = f"0x{body[problem.start]:02x} at {problem.start}"
        return f"bytes that are not UTF-8 ({odd}); the server or a proxy before it must send UTF-8"
    if text[0] in "{[":
        return f"JSON that is damaged or incomplete ({str(error)[:80]})"
    return repr(text[:80])


# ------------------------------------------------------------------ refusals


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error document of any provider.

    `layers` are its objects, outermost first; `names` its codes, types and reasons in lower case,
    innermost first; `status` the HTTP status that it names; `text` all of it on one line.
    """

    text: str
    message: str = ""
    names: tuple[str, ...] = ()
    param: str = ""
    status: int | None = None
    layers: tuple[Mapping[str, Any], ...] = ()


def read_refusal(data: bytes, headers: Mapping[str, str] | None = None) -> Refusal:
    """The error in the body of a refusal; for a body that is not JSON, its beginning."""
    try:
        refusal = _refusal_of(parse_body(data))
    except (ValueError, RecursionError):
        refusal = Refusal("")
    if not refusal.text:
        text = _on_a_line(data[:2000].decode(errors="replace"))
        refusal = replace(refusal, text=text, message=text)
    # Bedrock names the kind of its errors in a header.
    kind = _lowered(headers or {}).get("x-amzn-errortype", "").partition(":")[0].lower()
    return replace(refusal, names=(*refusal.names, kind)) if kind else refusal


def _refusal_of(document: Any) -> Refusal:
    layers = tuple(_layers_of(document, 6))
    messages = [
        _on_a_line(text[:2000])
        for layer in layers
        for key in ("message", "msg", "error", "detail", "raw")
        if isinstance(text := layer.get(key), str) and not _is_nested(text)
    ]
    marks = [
        value
        for layer in layers
        for key in ("type", "status", "reason", "error_type", "__type", "code")
        if isinstance(value := layer.get(key), str | int) and value
    ]
    statuses = [int(mark) for mark in marks if _is_status(mark)]
    names = [str(mark).rpartition("#")[2].lower() for mark in marks if not _is_status(mark)]
    codes = [
        str(code) for layer in layers if (code := layer.get("code")) and isinstance(code, _PLAIN)
    ]
    params = [
        str(param)
        for layer in layers
        if (param := layer.get("param")) and isinstance(param, _PLAIN)
    ]
    params += [
        ".".join(map(str, place[1:4]))  # after "body": how FastAPI names a field
        for layer in layers
        if isinstance(place := layer.get("loc"), list)
    ]
    message = ": ".join(filter(None, dict.fromkeys(messages)))
    text = _on_a_line(" / ".join(filter(None, (message, *codes[:1], *params[:1]))))
    status = statuses[0] if statuses else None
    return Refusal(text, message, tuple(reversed(names)), "".join(params[:1]), status, layers)


def _layers_of(node: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    """The objects of an error document; some wrap another provider's error, as JSON or as text."""
    if isinstance(node, str) and _is_nested(node):
        try:
            node = pydantic_core.from_json(node)
        except ValueError:
            return
    for layer in node[:20] if isinstance(node, list) else (node,):
        if isinstance(layer, dict) and depth:
            yield layer
            for key in ("error", "errors", "detail", "details", "message", "metadata", "raw",
                        "innererror"):  # fmt: skip
                yield from _layers_of(layer.get(key), depth - 1)


_PLAIN = (str, int, float)


def _is_nested(text: str) -> bool:
    return text.lstrip()[:1] in ("{", "[")


def _is_status(mark: str | int) -> bool:
    return str(mark).isdecimal() and len(str(mark)) == 3 and 300 <= int(mark) < 600


def _on_a_line(text: str) -> str:
    return " ".join(text.split())[:300]


def _lowered(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def meaning_of(status: int, refusal: Refusal) -> Meaning:
    """What a refusal means; `status` is that of the answer, or the one that the error names."""
    text = refusal.message.lower()
    if any(layer.get("reasons") or layer.get("flagged_input") for layer in refusal.layers):
        return FILTERED  # a router's moderation
    if status == 413 or "request too large for" in text:
        return TOO_LONG  # more tokens than the limit per minute: waiting would never help
    if status >= 400 or status == 200:
        for name in refusal.names:
            if name in _BY_NAME:
                return _BY_NAME[name]
        for statuses, meaning, sentences in _BY_SENTENCE:
            if status in statuses and any(sentence in text for sentence in sentences):
                return meaning
    return _BY_STATUS.get(status, BROKEN if status >= 500 else REFUSED)


def read_error(
    status: int,
    headers: Mapping[str, str],
    data: bytes,
    model: str,
    address: str,
    options: Mapping[str, Any] | None = None,
) -> ModelError:
    """The error for a refusal: its cause, whether a retry may help, and how long to wait.

    A refusal that names one of the options that are sent with every call is fatal.
    """
    refusal = read_refusal(data, headers)
    meaning = meaning_of(status, refusal)
    where = f"{address} answered {status}: {refusal.text}"
    if meaning is REFUSED:
        for name, value in (options or {}).items():
            if refusal.param == name or _mentions(refusal.message, name):
                advice = f"it was sent {name} = {json.dumps(value)}, as configured: leave that out"
                return ModelError(f"{where}; {advice}", cause="refused", fatal=True)
    return _error_of(meaning, where, refusal, headers, f' "{model}"')


def raise_error_inside(document: Any) -> None:
    """ModelError if the body of a success (200) holds an error instead."""
    first = document[0] if isinstance(document, list) and document else document
    if not isinstance(first, dict):
        return
    choices = first.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if isinstance(choice, dict) and choice.get("error"):
        refusal = _refusal_of({"error": choice["error"]})
    elif (
        first.get("error")
        or "error" in (first.get("object"), first.get("type"))
        or (first.keys() & {"detail", "errors", "message"} and not first.keys() & _RESULTS)
    ):
        refusal = _refusal_of(first)
    else:
        return
    status = refusal.status or 200
    named = "an error" if status == 200 else f"the error {status}"
    where = f"the server answered 200 with {named}: {refusal.text or 'without a text'}"
    raise _error_of(meaning_of(status, refusal), where, refusal, {}, "")


_RESULTS = {"choices", "content", "data"}
"""Keys of a body that is a completion, a message or a list of embeddings."""


def _error_of(
    meaning: Meaning, where: str, refusal: Refusal, headers: Mapping[str, str], model: str
) -> ModelError:
    pause = read_pause(headers, refusal) if meaning.retryable else None
    weather = meaning.weather == "yes" or (meaning.weather != "no" and pause is not None)
    return ModelError(
        f"{where}; {meaning.advice.replace('{model}', model)}" if meaning.advice else where,
        cause=meaning.cause,
        retryable=meaning.retryable,
        fatal=meaning.fatal,
        pause=pause,
        weather=weather,
    )


def _mentions(message: str, option: str) -> bool:
    """Whether a message names an option; an everyday word must stand in quotes or in a phrase of
    refusal."""
    message, option = message.lower(), option.lower()
    if "_" in option:
        return option in message
    forms = ("'{}'", '"{}"', "`{}`", "{}: extra inputs", "{} not", "{} is not", "{} is deprecated",
             "support {}", "support the {}", "parameter: {}", "invalid {}")  # fmt: skip
    return any(form.format(option) in message for form in forms)


def read_finish(reason: object) -> Finish:
    """What a finish reason means; ModelError (retryable) for a failure or an unknown one.

    Without a reason, a reply counts as complete.
    """
    if reason is None or reason == "":
        return "stop"
    # Some servers add a detail after a colon.
    finish = _FINISHES.get(str(reason).partition(":")[0].strip().lower().replace("-", "_"))
    if finish is None:
        problem = f"expected a finish reason such as stop or length, found {str(reason)[:40]!r}"
        raise ModelError(problem, cause="malformed reply", retryable=True)
    if finish == "failed":
        problem = f"the server broke the reply off with the finish reason {str(reason)[:40]!r}"
        raise ModelError(problem, cause="server error", retryable=True)
    return finish


# ------------------------------------------------------------------ lessons

Lesson: TypeAlias = Literal["max_tokens", "bounds", "temperature", "penalties", "schema", "system"]

_LESSONS: tuple[tuple[Lesson, tuple[str, ...], tuple[str, ...]], ...] = (
    ("bounds", (), ("maxlength", "minlength", "minitems", "maxitems", "schema keyword", "grammar")),
    ("schema", ("response_format", "output_config"), (
        "json_schema", "response_schema", "response format", "structured output", "grammar",
        "guided_json", "json schema",
    )),
    ("temperature", ("temperature",), ()),
    ("penalties", ("frequency_penalty", "presence_penalty"), ()),
    ("system", ("messages[0].role",), (
        "system role", "'system'", '"system"', "`system`", "system mess", "system prompt",
        "developer instruction", "roles must alternate",
    )),
)  # fmt: skip
"""What can be left out of a request, its parameters, and unmistakable phrases for it."""

_UNSUPPORTED = (
    "unsupported", "not support", "n't support", "not permitted", "not allowed", "not available",
    "not enabled", "not implemented", "deprecated", "unrecognized", "unexpected", "unknown",
    "must alternate", "cannot specify both", "only one of", "is allowed for this model",
)  # fmt: skip

_BOUNDS = ("above_max_value", "below_min_value", "invalid_type", "out_of_range")
"""Endings of codes that concern a value: another value would be accepted, so that the option is not
left out. Nor is one of two that "cannot both be specified": the user wrote the other."""


def read_lesson(status: int, data: bytes) -> Lesson | None:
    """What a refusal says the server does not accept; None if it does not say.

    It is named by a parameter, by the option's name in quotes, or by an unmistakable phrase, with
    words of refusal beside it.
    """
    if status not in (400, 404, 422):
        return None
    refusal = read_refusal(data)
    message = refusal.message.lower()
    if meaning_of(status, refusal) not in (REFUSED, NO_MODEL):
        return None  # some servers list every token setting where a prompt is too long
    if any(name.endswith(_BOUNDS) for name in refusal.names) or "cannot both" in message:
        return None
    refuses = any(word in message for word in _UNSUPPORTED)
    if refuses and "max_completion_tokens" in message:
        return "max_tokens"
    for lesson, params, words in _LESSONS:
        if (refuses or lesson in ("bounds", "schema")) and (
            any(refusal.param.startswith(param) for param in params)
            or any(word in message for word in words)
            or any(_mentions(message, param) for param in params)
        ):
            return lesson
    return None


# ------------------------------------------------------------------ pauses


def limit_pause(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds until all used-up limits are reset; None where something remains of each.

    Providers name these headers differently, but each that says when a limit is reset
    ("x-ratelimit-reset-tokens", "anthropic-ratelimit-requests-reset", "ratelimit-reset") has a
    sibling that says what remains.
    """
    headers = _lowered(headers)
    pauses = []
    for name, value in headers.items():
        if "ratelimit" in name and "reset" in name:
            remaining = headers.get(name.replace("reset", "remaining"), "")
            if re.fullmatch(r"0+(\.0*)?", remaining.strip()):
                pauses.append(seconds_until(value, now))
    return max((pause for pause in pauses if pause is not None), default=None)


def read_pause(
    headers: Mapping[str, str], refusal: Refusal, now: float | None = None
) -> float | None:
    """Seconds to wait before the next attempt, as the server says; None if it does not.

    Retry-After counts first, then a limit that is used up, then fields of the body, then its text.
    """
    lowered = _lowered(headers)
    if (milliseconds := seconds_until(lowered.get("retry-after-ms", ""), now)) is not None:
        return milliseconds / 1000
    if (pause := seconds_until(lowered.get("retry-after", ""), now)) is not None:
        return pause
    if (pause := limit_pause(lowered, now)) is not None:
        return pause
    for layer in refusal.layers:
        nested = layer.get("headers")  # a router's own, inside the body
        if isinstance(nested, dict):
            texts = {str(name): str(value) for name, value in nested.items()}
            if (pause := read_pause(texts, Refusal(""), now)) is not None:
                return pause
        for key in ("retryDelay", "retry_after", "retry_after_seconds", "estimated_time"):
            value = layer.get(key)
            if isinstance(value, _PLAIN) and (pause := seconds_until(str(value), now)) is not None:
                return pause
    if (sentence := _IN_A_SENTENCE.search(refusal.message.lower())) is None:
        return None
    unit = sentence[2].rstrip(".")
    return seconds_until(sentence[1] + _UNIT_WORDS.get(unit, unit), now)


_UNITS: Mapping[str, float] = {
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "h": 3600, "d": 86400,
}  # fmt: skip

_LENGTH = re.compile(r"(\d{1,12}(?:\.\d{1,12})?)(ns|us|µs|ms|s|m|h|d)")

_UNIT_WORDS: Mapping[str, str] = {
    "second": "s", "seconds": "s", "minute": "m", "minutes": "m", "hour": "h", "hours": "h",
}  # fmt: skip

_IN_A_SENTENCE = re.compile(
    r"(?:try again|retry|retry your request) (?:in|after) ([\d.]{1,20}) ?([a-z][a-z\d.]{0,30})"
)
"""Pauses in a message: OpenAI's and Groq's "Please try again in 6m0s.", Azure's "Please retry after
7 seconds.", Google's "Please retry in 11.66s"."""


def seconds_until(text: str, now: float | None = None) -> float | None:
    """Seconds from `now` until a time that a server names; None if it cannot be read.

    It reads "7", "1m30s", "120ms", Unix time in seconds or milliseconds, an HTTP date, and an ISO
    date with its time zone. A time that has passed is 0.

    >>> seconds_until("6m0s"), seconds_until("120ms")
    (360.0, 0.12)
    """
    now = time.time() if now is None else now
    text = text.strip()
    seconds = _read_length(text)
    if seconds is None:
        moment = _read_date(text)
        seconds = None if moment is None else moment - now
    elif seconds > 1e11:  # no pause but Unix time in milliseconds
        seconds = seconds / 1000 - now
    elif seconds > 1e9:
        seconds -= now
    return None if seconds is None or not math.isfinite(seconds) else max(0.0, seconds)


def _read_length(text: str) -> float | None:
    parts = _LENGTH.findall(text)
    if parts and "".join(number + unit for number, unit in parts) == text:
        return math.fsum(float(number) * _UNITS[unit] for number, unit in parts)
    try:
        return float(text)
    except ValueError:
        return None


def _read_date(text: str) -> float | None:
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(text)
        except (ValueError, TypeError, OverflowError):
            continue
        if moment.tzinfo is not None:
            return moment.timestamp()
    return None
