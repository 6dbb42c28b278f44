"""What can be set of a model: where it is served, with which key and limits, and what it is asked
for beside its prompt.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator

from sociolab.core.errors import ConfigError
from sociolab.core.redaction import guard, is_secret, is_secret_name, redact
from sociolab.models.budget import Price

OPENAI = "https://api.openai.com/v1"

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_FRAMING = {"connection", "content-length", "content-type", "host", "transfer-encoding"}
"""Headers that say how a message is to be read; the client sets them."""
_PLAIN_HEADERS = {"accept", "accept-language", "user-agent"}
"""Headers that everybody may see, and whose values are in many texts."""
_LONGEST_PART = 16
"""Characters between two underscores of a variable's name, at most."""


Refusable: TypeAlias = Literal[
    "bounds", "max_tokens", "penalties", "schema", "system", "temperature"
]


class EndpointOptions(BaseModel):
    """What `models.toml` says of an endpoint, `[endpoints.NAME]`.

    `key_env` names the environment variable that holds the key. `headers` go with every request;
    a secret is written as `${NAME}`, the variable that holds it, so that no secret stands in a
    file. `ca_bundle` is a PEM file (or a folder of them) with the certificates to trust there, in
    place of the system's. Secrets go over plain http to this machine alone, unless `key_over_http`
    is set.

    `timeout_s` (seconds) bounds one attempt, `total_s` a call with all its attempts and the pauses
    between them. `max_reply_mb` (megabytes, decompressed) is the largest body that is read.
    `refuses` names what the server is known not to take; whatever else it refuses is found out at
    the first call. Of "max_tokens" it takes OpenAI's other name, `max_completion_tokens`; "bounds"
    are the longest lengths of texts in a schema, which no hosted provider is sent.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str = OPENAI
    key_env: str | None = None
    headers: dict[str, SecretStr] = {}
    ca_bundle: Path | None = None
    key_over_http: bool = False
    in_flight: int = Field(default=32, ge=1)
    requests_per_minute: float | None = Field(default=None, gt=0)
    timeout_s: float = Field(default=120.0, gt=0)
    total_s: float = Field(default=600.0, gt=0)
    tries: int = Field(default=6, ge=1)
    max_reply_mb: float = Field(default=64.0, gt=0)
    refuses: frozenset[Refusable] = frozenset()


class EndpointSpec(EndpointOptions):
    """An endpoint: its name, and what is said of it."""

    name: str


def key_of(spec: EndpointSpec) -> str | None:
    """The key from the environment; ConfigError, without the key, if it is not set or no key."""
    if spec.key_env is None:
        return None
    if not _is_name(spec.key_env):
        guard(spec.key_env)
        raise ConfigError(
            f'endpoint "{spec.name}": expected key_env (--key-env) to name the environment '
            "variable that holds the key, such as LAB_KEY; what was found is not shown, since it "
            "may be the key itself"
        )
    return _secret(spec, f"its key from the environment variable {spec.key_env}", spec.key_env)


def _is_name(text: str) -> bool:
    """Whether a variable may be called so; keys have odd characters, or long parts."""
    longest = max(map(len, text.split("_")))
    return text.isidentifier() and text.isascii() and longest <= _LONGEST_PART


def headers_of(spec: EndpointSpec) -> dict[str, str]:
    """The endpoint's own headers, by name in lower case, with the secrets from the environment.

    ConfigError, without any value, if one cannot be sent, or holds a secret in clear.
    """
    headers: dict[str, str] = {}
    for name, secret in spec.headers.items():
        template, place = secret.get_secret_value(), f'endpoint "{spec.name}": the header "{name}"'
        if not _HEADER.fullmatch(name) or name.lower() in _FRAMING:
            raise ConfigError(f"{place} cannot be set; leave it out")
        if is_secret_name(name) and not _VARIABLE.search(template):
            raise ConfigError(
                f"{place} holds a secret: put it into an environment variable, and write "
                f'"{name}" = "${{NAME}}" with the name of that variable'
            )
        value = _VARIABLE.sub(partial(_filled_in, spec, name), template)
        if not (value.isascii() and value.isprintable()):
            raise ConfigError(f"{place}: expected printable ASCII, found other characters")
        headers[name.lower()] = value
    return headers


def _filled_in(spec: EndpointSpec, header: str, variable: re.Match[str]) -> str:
    takes = f'the header "{header}" from the environment variable {variable[1]}'
    return _secret(spec, takes, variable[1])


def secrets_of(spec: EndpointOptions) -> set[str]:
    """What must not be shown of an endpoint: its key, its headers' values, and what is in them."""
    held = {os.environ.get(name, "") for name in secret_variables(spec)}
    sent = {
        _VARIABLE.sub(lambda match: os.environ.get(match[1], ""), header)
        for header in _secret_headers(spec)
    }
    return held | sent


def secret_variables(spec: EndpointOptions) -> tuple[str, ...]:
    """The environment variables whose values go to an endpoint: its key, and those in headers."""
    named = [name for value in _secret_headers(spec) for name in _VARIABLE.findall(value)]
    return tuple(dict.fromkeys([*([spec.key_env] if spec.key_env else []), *named]))


def _secret_headers(spec: EndpointOptions) -> list[str]:
    """The values of headers that not everybody may see, as they are written."""
    return [
        secret.get_secret_value()
        for name, secret in spec.headers.items()
        if name.lower() not in _PLAIN_HEADERS
    ]


def check_not_in_clear(spec: EndpointSpec, takes: str, value: str) -> None:
    """ConfigError where a secret would leave this machine unencrypted against the settings."""
    if is_secret(value) and not spec.key_over_http and _leaves_in_clear(spec.base_url):
        raise ConfigError(
            f'endpoint "{spec.name}" takes {takes}, and would send it unencrypted to '
            f"{spec.base_url}; use https, or write key_over_http = true under "
            f"[endpoints.{spec.name}] in models.toml"
        )


def _leaves_in_clear(base_url: str) -> bool:
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    if parts.scheme != "http" or host == "localhost":
        return False
    try:
        return not ip_address(host).is_loopback
    except ValueError:
        return True


def _secret(spec: EndpointSpec, takes: str, variable: str) -> str:
    value = os.environ.get(variable, "").strip()
    if not value:
        raise ConfigError(
            f'endpoint "{spec.name}" takes {takes}, which is not set; set it, or name another '
            "endpoint"
        )
    if not (value.isascii() and value.isprintable()):
        raise ConfigError(
            f'endpoint "{spec.name}" takes {takes}, expected printable ASCII there, found other '
            "characters; set it again"
        )
    check_not_in_clear(spec, takes, value)
    return value


class PriceSpec(BaseModel):
    """Dollars for a million tokens of one model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)
    into_cache: float | None = Field(default=None, ge=0)

    @property
    def price(self) -> Price:
        """As the budget uses it."""
        return Price(self.input, self.output, self.cached, self.into_cache)


_OF_THE_PROMPT = frozenset({"temperature", "max_tokens"})
"""Options that a `Prompt` holds: its caller may set them call by call."""

_OURS = frozenset({"model", "messages", "response_format", "stream", "n", "max_completion_tokens"})
"""What the client itself writes into a request, or reads a reply by."""


class Sampling(BaseModel):
    """The options that have a name here, as OpenAI and vLLM call them; unset, none is sent.

    `thinking` is Anthropic's: tokens at most, or "adaptive".
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, gt=0, le=1)
    top_k: int | None = Field(default=None, ge=-1)
    min_p: float | None = Field(default=None, ge=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1)
    seed: int | None = None
    stop: tuple[str, ...] | None = Field(default=None, min_length=1)
    presence_penalty: float | None = Field(default=None, ge=-2, le=2)
    frequency_penalty: float | None = Field(default=None, ge=-2, le=2)
    reasoning_effort: str | None = Field(default=None, min_length=1)
    thinking: Annotated[int, Field(ge=1024)] | Literal["adaptive", "disabled"] | None = None

    @field_validator("stop", mode="before")
    @classmethod
    def _one_or_several(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    @field_validator("stop")
    @classmethod
    def _none_is_empty(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if value is not None and not all(value):
            raise ValueError("a stop sequence cannot be empty")
        return value


class ListedOptions(Sampling):
    """`[options."endpoint/model"]` of models.toml: `extra` is sent as it stands there."""

    extra: dict[str, Any] = {}

    @field_validator("extra")
    @classmethod
    def _sendable(cls, value: dict[str, Any]) -> dict[str, Any]:
        for name in value:
            if name in _OURS:
                raise ValueError(f"{name} is set by the client and cannot be changed")
            if name in Sampling.model_fields and name != "thinking":  # an object to some servers
                raise ValueError(f"{name} is a separate option: write it outside extra")
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ValueError(f"only what JSON can hold can be sent ({error})") from error
        return value


@dataclass(frozen=True, slots=True)
class Options:
    """What holds for every call to one model in one role. A key among the options is sent, but
    neither shown nor a part of who the model is.

    `temperature` and `max_tokens` take the place of those of a prompt, where they are set; `sent`
    goes into each request as it is.
    """

    temperature: float | None = None
    max_tokens: int | None = None
    sent: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """What the keys of replies hold of it: only what no prompt tells; "" for nothing."""
        return redact(json.dumps(self.sent, sort_keys=True)) if self.sent else ""

    @property
    def words(self) -> str:
        """As in a spec: "?temperature=0.5&top_p=0.9"; "" for nothing."""
        values = {"temperature": self.temperature, "max_tokens": self.max_tokens, **self.sent}
        parts = [f"{name}={_write_value(v)}" for name, v in values.items() if v is not None]
        return redact(f"?{'&'.join(parts)}") if parts else ""


def options_of(sampling: Sampling, listed: ListedOptions | None = None) -> Options:
    """The options of a spec, and those that models.toml lists, where the spec sets none."""
    named: dict[str, Any] = {}
    for name in Sampling.model_fields:
        value = getattr(sampling, name)
        if value is None and listed is not None:
            value = getattr(listed, name)
        if value is not None:
            named[name] = list(value) if isinstance(value, tuple) else value
    sent = {name: value for name, value in named.items() if name not in _OF_THE_PROMPT}
    extra = listed.extra if listed is not None else {}
    return Options(named.get("temperature"), named.get("max_tokens"), {**sent, **extra})


def _write_value(value: object) -> str:
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return str(value)
    return json.dumps(value, separators=(",", ":"))
