"""What the endpoint counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, NamedTuple

from sociolab.models.endpoint.chat import ChatBody
from sociolab.models.endpoint.prefixes import PromptPrefixes


class Usage(NamedTuple):
    """Token counts of one reply: a quarter of the characters, `cached` a part of `prompt`."""

    prompt: int
    completion: int
    cached: int


@dataclass(frozen=True, slots=True)
class Counters:
    """Counts of chat requests since the start or the last reset.

    `by_status` has HTTP statuses, "no reply" (dropped, or hanging until the end) and "client
    gone". `by_fault` has faults and quirks, the faults of calls about fine-tuning among them.
    Prompts are counted once they are read and not refused, whatever fault then befalls them:
    message texts and schema, without role markers; `repeated_characters` is the part at their
    start that an earlier prompt had too. Completions and tokens are counted as in the `usage` of
    the replies. A retry is a request whose attempt is above 1.
    """

    requests: int = 0
    by_status: Mapping[str, int] = field(default_factory=dict)
    by_fault: Mapping[str, int] = field(default_factory=dict)
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


class Tally:
    """Counts while the endpoint runs."""

    def __init__(self) -> None:
        self._in_flight = 0
        self.reset()

    def reset(self) -> None:
        """Start again from zero and forget all prompts; requests in flight stay in flight."""
        self._requests = 0
        self._by_status: Counter[str] = Counter()
        self._by_fault: Counter[str] = Counter()
        self._retries = 0
        self._most_in_flight = self._in_flight
        self._prompt_characters = 0
        self._repeated_characters = 0
        self._completion_characters = 0
        self._tokens = Usage(0, 0, 0)
        self._prefixes = PromptPrefixes()

    def arrived(self) -> None:
        """A request came in."""
        self._requests += 1
        self._in_flight += 1
        self._most_in_flight = max(self._most_in_flight, self._in_flight)

    def left(self, status: int | str) -> None:
        """A request is over."""
        self._in_flight -= 1
        self._by_status[str(status)] += 1

    def read(self, chat: ChatBody, attempt: int) -> tuple[int, int]:
        """A prompt was read; its characters, and how many of them repeat an earlier prompt."""
        characters = chat.prompt_characters
        repeated = self._prefixes.repeated(chat)
        self._prompt_characters += characters
        self._repeated_characters += repeated
        self._retries += attempt > 1
        return characters, repeated

    def happened(self, fault: str) -> None:
        """A fault or a quirk befell a request."""
        self._by_fault[fault] += 1

    def replied(self, text: str, usage: Usage) -> None:
        """A text was written as the reply."""
        old = self._tokens
        self._completion_characters += len(text)
        self._tokens = Usage(
            old.prompt + usage.prompt,
            old.completion + usage.completion,
            old.cached + usage.cached,
        )

    @property
    def counters(self) -> Counters:
        """The counts as of now."""
        return Counters(
            requests=self._requests,
            by_status=dict(sorted(self._by_status.items())),
            by_fault=dict(sorted(self._by_fault.items())),
            retries=self._retries,
            in_flight=self._in_flight,
            most_in_flight=self._most_in_flight,
            prompt_characters=self._prompt_characters,
            repeated_characters=self._repeated_characters,
            completion_characters=self._completion_characters,
            prompt_tokens=self._tokens.prompt,
            completion_tokens=self._tokens.completion,
            cached_tokens=self._tokens.cached,
        )
