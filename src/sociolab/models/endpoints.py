"""Where a model is served: address, key, limits."""

from __future__ import annotations

import os

from pydantic import BaseModel, ConfigDict, Field

from sociolab.core.errors import ConfigError
from sociolab.models.prices import Price

OPENAI = "https://api.openai.com/v1"


class EndpointSpec(BaseModel):
    """An OpenAI-compatible endpoint, as `models.toml` describes it.

    `key_env` names the environment variable that holds the key; the key itself is never stored.
    `timeout_s` bounds one attempt, `total_s` a call with all its attempts and the pauses between
    them. `structured` says whether a JSON schema may be sent as `response_format`; found out at
    the first call if unset.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    base_url: str = OPENAI
    key_env: str | None = None
    in_flight: int = Field(default=32, ge=1)
    requests_per_minute: float | None = Field(default=None, gt=0)
    timeout_s: float = Field(default=120.0, gt=0)
    total_s: float = Field(default=600.0, gt=0)
    tries: int = Field(default=6, ge=1)
    structured: bool | None = None


def key_of(spec: EndpointSpec) -> str | None:
    """The key from the environment; ConfigError, without the key, if it is not set or no key."""
    if spec.key_env is None:
        return None
    key = os.environ.get(spec.key_env, "").strip()
    if not key:
        raise ConfigError(
            f'endpoint "{spec.name}" takes its key from the environment variable {spec.key_env}, '
            "which is not set; set it, or name another endpoint"
        )
    if not (key.isascii() and key.isprintable()):
        raise ConfigError(
            f'endpoint "{spec.name}" takes its key from the environment variable {spec.key_env}, '
            "expected printable ASCII there, found other characters; set it again"
        )
    return key


class PriceSpec(BaseModel):
    """Dollars for a million tokens of one model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)

    @property
    def price(self) -> Price:
        """As the ledger uses it."""
        return Price(self.input, self.output, self.cached)
