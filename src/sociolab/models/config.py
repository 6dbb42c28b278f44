"""Settings of models: endpoints with their keys and limits, prices, and sampling options."""

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
"""Headers that frame a message; the client sets them itself."""
_PLAIN_HEADERS = {"accept", "accept-language", "user-agent"}
"""Headers that are no secret; to redact their values would redact ordinary text."""
_LONGEST_PART = 16
"""Characters between two underscores of a variable's name, at most; parts of keys are longer."""


Refusable: TypeAlias = Literal[
    "bounds", "max_tokens", "penalties", "schema", "system", "temperature"
]


class EndpointOptions(BaseModel):
    """The section `[endpoints.NAME]` of `models.toml`.

    `key_env` names the environment variable that holds the key. `headers` go with every request;
    a secret is written as `${NAME}`, the variable that holds it, so that no secret stands in a
    file. `ca_bundle` is a PEM file (or a folder of them) with the certificates to trust there, in
    place of the system's. Secrets go over plain http to this machine alone, unless `key_over_http`
    is set.

    `timeout_s` (seconds) bounds one attempt, `total_s` a call with all its attempts and the pauses
    between them. `max_reply_mb` (megabytes, decompressed) is the largest body that is read.
    `refuses` names what the server is known not to accept; whatever else it refuses is found out at
    the first call. Instead of "max_tokens" it is sent OpenAI's other name, `max_completion_tokens`;
    "bounds" are those of texts and lists in a schema, which no hosted provider is sent.
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
    name: str


def key_of(spec: EndpointSpec) -> str | None:
    """The key from the environment; ConfigError, without the key, if it is not set or no key."""
    if spec.key_env is None:
        return None
    longest_part = max(map(len, spec.key_env.split("_")))
    is_name = spec.key_env.isidentifier() and spec.key_env.isascii()
    if not is_name or longest_part > _LONGEST_PART:
        guard(spec.key_env)
        raise ConfigError(
            f'endpoint "{spec.name}": expected key_env (--key-env) to name the environment '
            "variable that holds the key, such as LAB_KEY; what was found is not shown, since it "
            "may be the key itself"
        )
    return _secret(spec, f"its key from the environment variable {spec.key_env}", spec.key_env)


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
        value = _VARIABLE.sub(partial(_header_secret, spec, name), template)
        if not (value.isascii() and value.isprintable()):
            raise ConfigError(f"{place}: expected printable ASCII, found other characters")
        headers[name.lower()] = value
    return headers


def _header_secret(spec: EndpointSpec, header: str, variable: re.Match[str]) -> str:
    takes = f'the header "{header}" from the environment variable {variable[1]}'
    return _secret(spec, takes, variable[1])


def secrets_of(spec: EndpointOptions) -> set[str]:
    """What must be redacted of an endpoint: its key, its headers' values, and secrets in these."""
    variables = {os.environ.get(name, "") for name in secret_variables(spec)}
    headers = {
        _VARIABLE.sub(lambda match: os.environ.get(match[1], ""), header)
        for header in _secret_headers(spec)
    }
    return variables | headers


def secret_variables(spec: EndpointOptions) -> tuple[str, ...]:
    """The environment variables that an endpoint's key and headers are taken from."""
    named = [name for value in _secret_headers(spec) for name in _VARIABLE.findall(value)]
    return tuple(dict.fromkeys([*([spec.key_env] if spec.key_env else []), *named]))


def _secret_headers(spec: EndpointOptions) -> list[str]:
    """The values of headers that may be secret, as they are written, with `${NAME}` in them."""
    return [
        secret.get_secret_value()
        for name, secret in spec.headers.items()
        if name.lower() not in _PLAIN_HEADERS
    ]


def check_not_in_clear(spec: EndpointSpec, takes: str, value: str) -> None:
    """ConfigError where a secret would leave this machine unencrypted without `key_over_http`."""
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
    """US dollars per million tokens of one model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)
    into_cache: float | None = Field(default=None, ge=0)

    @property
    def price(self) -> Price:
        return Price(self.input, self.output, self.cached, self.into_cache)


_OF_THE_PROMPT = frozenset({"temperature", "max_tokens"})
"""Options that a `Prompt` holds, so that they can differ from call to call."""

_OURS = frozenset({"model", "messages", "response_format", "stream", "n", "max_completion_tokens"})
"""Fields of a request that the client itself sets, or relies on when it reads the reply."""


class Sampling(BaseModel):
    """Sampling options, as OpenAI and vLLM call them; one that is None is not sent.

    `thinking` is Anthropic's: a number of tokens, or "adaptive".
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
    """The section `[options."endpoint/model"]` of models.toml; `extra` is sent as it stands."""

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
    """Options of every call to one model in one role.

    `temperature` and `max_tokens`, where they are set, replace those of a prompt; `sent` goes into
    each request as it is. A secret among them is sent, but neither shown nor part of the model's
    identity.
    """

    temperature: float | None = None
    max_tokens: int | None = None
    sent: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Their part of the key of a stored reply: what no prompt holds; "" without any."""
        return redact(json.dumps(self.sent, sort_keys=True)) if self.sent else ""

    @property
    def suffix(self) -> str:
        """Their part of a model spec: "?temperature=0.5&top_p=0.9"; "" without any."""
        values = {"temperature": self.temperature, "max_tokens": self.max_tokens, **self.sent}
        parts = [f"{name}={_write_value(v)}" for name, v in values.items() if v is not None]
        return redact(f"?{'&'.join(parts)}") if parts else ""


def options_of(sampling: Sampling, listed: ListedOptions | None = None) -> Options:
    """The options of a spec, completed by those that models.toml lists for the model."""
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
