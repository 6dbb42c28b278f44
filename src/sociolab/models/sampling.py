"""What a model is asked for beside its prompt: sampling options, and what else a server takes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from sociolab.core.redaction import redacted

_OF_THE_PROMPT = frozenset({"temperature", "max_tokens"})
"""Options that a `Prompt` holds: its caller may set them call by call."""

_OURS = frozenset({"model", "messages", "response_format", "stream", "n", "max_completion_tokens"})
"""What the client itself writes into a request, or reads a reply by."""


class Sampling(BaseModel):
    """The options that have a name here, as OpenAI and vLLM call them; unset, none is sent."""

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

    @field_validator("stop", mode="before")
    @classmethod
    def _one_or_several(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str) else value

    @field_validator("stop")
    @classmethod
    def _none_is_empty(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if value is not None and not all(value):
            raise ValueError("a text to stop at cannot be empty")
        return value


class ListedOptions(Sampling):
    """`[options."endpoint/model"]` of models.toml: `extra` is sent as it stands there."""

    extra: dict[str, Any] = {}

    @field_validator("extra")
    @classmethod
    def _sendable(cls, value: dict[str, Any]) -> dict[str, Any]:
        for name in value:
            if name in _OURS:
                raise ValueError(f"{name} is written by the client itself and cannot be set")
            if name in Sampling.model_fields:
                raise ValueError(f"{name} is an option of its own: write it outside extra")
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
        return redacted(json.dumps(self.sent, sort_keys=True)) if self.sent else ""

    @property
    def words(self) -> str:
        """As in a spec: "?temperature=0.5&top_p=0.9"; "" for nothing."""
        given = {"temperature": self.temperature, "max_tokens": self.max_tokens, **self.sent}
        told = [f"{name}={_told(value)}" for name, value in given.items() if value is not None]
        return redacted(f"?{'&'.join(told)}") if told else ""


def options_of(asked: Sampling, listed: ListedOptions | None = None) -> Options:
    """The options of a spec, and those that models.toml lists, where the spec sets none."""
    named: dict[str, Any] = {}
    for name in Sampling.model_fields:
        value = getattr(asked, name)
        if value is None and listed is not None:
            value = getattr(listed, name)
        if value is not None:
            named[name] = list(value) if isinstance(value, tuple) else value
    sent = {name: value for name, value in named.items() if name not in _OF_THE_PROMPT}
    extra = listed.extra if listed is not None else {}
    return Options(named.get("temperature"), named.get("max_tokens"), {**sent, **extra})


def _told(value: object) -> str:
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return str(value)
    return json.dumps(value, separators=(",", ":"))
