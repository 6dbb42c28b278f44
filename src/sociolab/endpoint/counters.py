"""What the endpoint counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any


@dataclass(slots=True)
class Counters:
    """Counts of chat requests since the start or the last reset.

    `by_status` has HTTP statuses, "no reply" (dropped, or hanging until the end) and "client
    gone". `by_fault` has faults and quirks, the faults of calls about fine-tuning among them.
    Prompts are counted once they are read and not refused, whatever fault then befalls them:
    message texts and schema, without role markers; `repeated_characters` is the part at their
    start that an earlier prompt had too. Completions and tokens are what a provider would bill:
    those of every completion that was generated, whatever became of it (dropped, hanging, cut,
    malformed, or its client gone), and of no refusal. A retry is a request whose attempt is above
    1.
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
        """The share of the prompts' characters that repeats an earlier prompt; 0 for none."""
        return self.repeated_characters / max(self.prompt_characters, 1)

    def as_json(self) -> dict[str, Any]:
        """All counts, and the share, for GET /counters."""
        return asdict(self) | {"repeated_share": self.repeated_share}

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Counters:
        """The counts that `as_json` wrote."""
        return cls(**{count.name: row[count.name] for count in fields(cls)})

    def arrived(self) -> None:
        """A request came in."""
        self.requests += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)

    def left(self, status: int | str) -> None:
        """A request is over."""
        self.in_flight -= 1
        self.by_status[str(status)] = self.by_status.get(str(status), 0) + 1

    def happened(self, fault: str) -> None:
        """A fault or a quirk befell a request."""
        self.by_fault[fault] = self.by_fault.get(fault, 0) + 1

    def replied(self, text: str, usage: Mapping[str, Any]) -> None:
        """A text was written as the reply."""
        self.completion_characters += len(text)
        self.prompt_tokens += usage["prompt_tokens"]
        self.completion_tokens += usage["completion_tokens"]
        self.cached_tokens += usage["prompt_tokens_details"]["cached_tokens"]
