"""The counters of the local endpoint: requests, faults, retries and tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from sociolab.core.ports import Usage


@dataclass(slots=True)
class Counters:
    """Counts of requests for completions, messages and embeddings since the start or last reset.

    `by_status` has HTTP statuses, "no reply" (dropped, or hanging until the end) and "client
    gone". `by_fault` has faults and quirks, including the faults of calls about fine-tuning.
    Prompts count once they are read and not refused, whatever fault follows: message texts and
    schema, without role markers; `repeated_characters` counts their prefixes that an earlier prompt
    had too. Completions and tokens are what a provider would bill: those of every completion that
    was generated, whatever became of it (dropped, hanging, cut, malformed, or its client gone), and
    of no refusal. A retry is a request whose attempt is above 1.
    """

    requests: int = 0
    by_status: dict[str, int] = field(default_factory=dict)
    by_fault: dict[str, int] = field(default_factory=dict)
    retries: int = 0
    in_flight: int = 0
    most_in_flight: int = 0
    prompt_characters: int = 0
    repeated_characters: int = 0
    completion_characters: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0

    @property
    def repeated_share(self) -> float:
        """The share of the prompts' characters that repeat an earlier prompt; 0 without prompts."""
        return self.repeated_characters / max(self.prompt_characters, 1)

    def as_json(self) -> dict[str, Any]:
        """All counts, and `repeated_share`, for GET /counters."""
        return asdict(self) | {"repeated_share": self.repeated_share}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Counters:
        """The inverse of `as_json`."""
        return cls(**{count.name: row[count.name] for count in fields(cls)})

    def record_arrival(self) -> None:
        self.requests += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)

    def record_end(self, status: int | str) -> None:
        self.in_flight -= 1
        self.by_status[str(status)] = self.by_status.get(str(status), 0) + 1

    def record_fault(self, fault: str) -> None:
        self.by_fault[fault] = self.by_fault.get(fault, 0) + 1

    def record_reply(self, text: str, usage: Usage) -> None:
        """Record a generated reply, whether or not it will be delivered."""
        self.completion_characters += len(text)
        self.prompt_tokens += usage.prompt
        self.completion_tokens += usage.completion
        self.cached_tokens += usage.cached
