"""The settings of the local endpoint."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from sociolab.core.errors import ConfigError
from sociolab.endpoint.chat import ChatBody

Distribution = Literal["constant", "lognormal", "uniform"]

Fault = Literal[
    "rate_limited",
    "server_error",
    "dropped",
    "hang",
    "truncated_body",
    "malformed_body",
    "no_choices",
    "truncated_text",
    "malformed_json",
    "ignores_schema",
    "content_filter",
    "empty",
]
FAULTS: tuple[Fault, ...] = get_args(Fault)
"""Every way in which a reply can fail; a request gets at most one of them."""


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """What the endpoint replies, how late, and what goes wrong; by default nothing does.

    Rates are shares of the requests, 0 to 1; those of the faults add up to at most 1. All draws
    come from a hash of `seed`, the request's body and its attempt.

    >>> from sociolab.endpoint import EndpointSettings
    >>> EndpointSettings(rate_limited=0.2, latency_ms=800).rate_limited
    0.2
    >>> EndpointSettings(rate_limited=1.2)
    Traceback (most recent call last):
        ...
    sociolab.core.errors.ConfigError: Endpoint settings: rate_limited must be a rate from 0 to 1...
    """

    seed: int = 0

    latency_ms: float = 0.0
    """Mean time from a request to its reply. Refusals (4xx) never wait."""
    latency_shape: Distribution = "constant"
    """`uniform` lies between 0 and twice the mean; `lognormal` has a long tail."""
    latency_sigma: float = 0.5
    """Standard deviation of the logarithm, for `lognormal`."""

    rate_limited: float = 0.0
    """429 with a Retry-After header of `retry_after` seconds."""
    server_error: float = 0.0
    """500."""
    dropped: float = 0.0
    """The connection is closed without a reply."""
    hang: float = 0.0
    """No reply until the client gives up, or ten minutes have passed."""
    truncated_body: float = 0.0
    """The connection is closed in the middle of the body."""
    malformed_body: float = 0.0
    """200, but the body is no JSON, or no chat completion."""
    no_choices: float = 0.0
    """200, and the tokens of a reply, but no reply."""
    truncated_text: float = 0.0
    """The text stops in the middle, with finish_reason "length"."""
    malformed_json: float = 0.0
    """The text is nearly JSON."""
    ignores_schema: float = 0.0
    """The text is prose, JSON of another shape, or holds numbers out of their range."""
    content_filter: float = 0.0
    """No text, with finish_reason "content_filter"."""
    empty: float = 0.0
    """No text, with finish_reason "stop"."""
    retry_after: float = 0.05

    think: float = 0.0
    """A good reply after a <think> block: a quirk, not a fault."""
    fenced: float = 0.0
    """A good JSON reply in a ```json fence with chatter around it: a quirk, not a fault."""

    wants_max_completion_tokens: bool = False
    """400 for `max_tokens`."""
    fixed_temperature: bool = False
    """400 for any temperature but 1."""
    no_penalties: bool = False
    """400 for a frequency or presence penalty, whatever its value."""
    no_system_role: bool = False
    """400 for a system message."""
    no_json_schema: bool = False
    """400 for a response_format of type json_schema."""
    context_characters: int | None = None
    """400 for a longer prompt (messages and schema)."""

    requests_per_minute: float | None = None
    """A token bucket: requests beyond it are refused at once (429), with the pause in headers."""
    burst: int | None = None
    """Requests that a full bucket holds; an eighth of a minute's unless set, at least 1."""
    context_tokens: int | None = None
    """The beginning of a longer prompt is silently cut off, and the usage reports this many."""
    loops: float = 0.0
    """A model that never ends: replies that go on until max_tokens. Without a cap, nothing comes
    before the client gives up, or ten minutes have passed."""

    api_key: str | None = None
    """The bearer token that requests need; without it they need none."""
    usage: str = ""
    """JSON in place of the token counts, such as "null"; "" for the counts themselves."""
    models: tuple[str, ...] = ()
    """The models that exist; without any, every name is accepted."""

    characters: int = 150
    """The approximate length of each text in mock replies."""
    leave_rate: float = 0.0
    """How often a mock action is "leave" where the schema allows it; otherwise "speak"."""
    tuning_polls: int = 2
    """How many times a fine-tuning job must be polled until it is done."""
    by_hand: Path | None = None
    """A folder where every request waits for a person's reply."""
    responder: Callable[[ChatBody], str] | None = None
    """Writes the replies in place of the mock ones."""

    def __post_init__(self) -> None:
        for name in (*FAULTS, "think", "fenced", "leave_rate", "loops"):
            _require(0 <= getattr(self, name) <= 1, name, "a rate from 0 to 1", getattr(self, name))
        total = sum(getattr(self, name) for name in FAULTS)
        _require(total <= 1 + 1e-9, "the sum of all fault rates", "at most 1", total)
        for name in ("latency_ms", "latency_sigma", "retry_after"):
            _require(getattr(self, name) >= 0, name, "0 or more", getattr(self, name))
        for name in ("requests_per_minute", "burst", "context_tokens"):
            limit = getattr(self, name)
            _require(limit is None or limit >= 1, name, "1 or more", limit)
        shapes = get_args(Distribution)
        shape = self.latency_shape
        _require(shape in shapes, "latency_shape", f"one of {', '.join(shapes)}", shape)
        _require(self.characters >= 1, "characters", "1 or more", self.characters)
        _require(self.tuning_polls >= 1, "tuning_polls", "1 or more", self.tuning_polls)
        if self.by_hand is not None and self.responder is not None:
            raise ConfigError("An endpoint answers by hand or by a responder: set one of the two.")

    @classmethod
    def with_faults(cls, total: float = 0.2, *, seed: int = 0) -> EndpointSettings:
        """Settings with which this share of the requests fails, equally for all kinds of fault."""
        share = total / len(FAULTS)
        rates: dict[str, Any] = dict.fromkeys(FAULTS, share)
        return cls(seed=seed, **rates)

    def with_weather(self, *weather: str) -> EndpointSettings:
        """These settings with kinds of weather, such as "bucket:500", "bucket:500,20", "cut:2048",
        "loop" or "loop:0.3"; ConfigError for an unknown one.

        >>> from sociolab.endpoint import EndpointSettings
        >>> EndpointSettings().with_weather("bucket:500", "loop:0.3").loops
        0.3
        """
        changes: dict[str, Any] = {}
        for text in weather:
            kind, _, amount = text.partition(":")
            try:
                match kind, amount.split(","):
                    case "bucket", [limit, *burst] if len(burst) <= 1:
                        changes["requests_per_minute"] = float(limit)
                        changes["burst"] = int(burst[0]) if burst else None
                    case "cut", [tokens]:
                        changes["context_tokens"] = int(tokens)
                    case "loop", [share]:
                        changes["loops"] = float(share or 1)
                    case _:
                        raise ValueError(text)
            except ValueError:
                raise ConfigError(
                    "--weather: expected bucket:N or bucket:N,BURST (requests a minute), cut:N "
                    f'(tokens of context), loop or loop:SHARE, found "{text}"'
                ) from None
        return replace(self, **changes)


def settings_as_json(settings: EndpointSettings) -> str:
    """The settings as JSON text for another process; ConfigError if they hold a responder."""
    if settings.responder is not None:
        raise ConfigError(
            "An endpoint in a process of its own cannot be given a responder, which is a function "
            "of this process: start it in a thread."
        )
    row = {field.name: getattr(settings, field.name) for field in fields(settings)}
    row["by_hand"] = None if settings.by_hand is None else str(settings.by_hand)
    return json.dumps(row)


def settings_from_json(text: str) -> EndpointSettings:
    """The inverse of `settings_as_json`; ConfigError for anything else."""
    try:
        row = json.loads(text)
        row["models"] = tuple(row.get("models", ()))
        row["by_hand"] = Path(row["by_hand"]) if row.get("by_hand") else None
        return EndpointSettings(**row)
    except (ValueError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"Endpoint settings must be a JSON object of the known settings, not {text[:80]!r} "
            f"({error})."
        ) from error


def _require(holds: bool, name: str, expected: str, value: Any) -> None:
    if not holds:
        raise ConfigError(f"Endpoint settings: {name} must be {expected}, not {value!r}.")
